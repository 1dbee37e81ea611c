"""The options of a metric: their names, defaults and values given as text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from wordorder.errors import UsageError, unknown_name


def defaults(factory: Callable[..., object]) -> dict[str, Any]:
    """Return the options that a metric takes, with their defaults."""
    parameters = inspect.signature(factory).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def convert(
    name: str, factory: Callable[..., object], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Check option names and turn text into what the option's default is.

    Raises
    ------
    UsageError
        If the metric `name` has no such option or its value is not of the right kind.
    """
    known = defaults(factory)
    converted = {}
    for option, value in options.items():
        if option not in known:
            raise unknown_name(f"option of {name}", option, known)
        converted[option] = _convert(f"{name}.{option}", known[option], value)
    return converted


def _convert(option: str, default: object, value: Any) -> Any:
    if not isinstance(value, str) or isinstance(default, str):
        return value
    if isinstance(default, bool):
        if value.lower() in ("true", "yes", "1", "false", "no", "0"):
            return value.lower() in ("true", "yes", "1")
        raise UsageError(f"{option} is true or false, not {value!r}")
    if isinstance(default, (int, float)):
        try:
            return type(default)(value)
        except ValueError:
            raise UsageError(f"{option} is a number, not {value!r}") from None
    return value
