"""Options of metrics: each is declared once, as a field of the metric's class.

``subtypes: str = choice("keep", "drop")`` is a keyword of the class whose default is ``"keep"``;
the value is checked when a metric is created, and is a field of the signature.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, field, fields
from typing import Any

from wordorder.errors import choose


def checked(default: Any, check: Callable[..., Any], *bounds: Any) -> Any:
    """Declare an option with its default.

    `check` is called with the option's name, the value and `bounds`, and returns the checked value.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from wordorder.metrics.contract import check_integer
    >>> @dataclass(kw_only=True)
    ... class Settings:
    ...     order: int = checked(4, check_integer, 1, 9)
    >>> Settings().order
    4
    """

    def check_value(name: str, value: Any) -> Any:
        return check(name, value, *bounds)

    return field(default=default, metadata={"check": check_value})


def choice(*values: str, default: str | None = None) -> Any:
    """Declare an option whose value is one of `values`; by default it is the first."""
    return checked(values[0] if default is None else default, choose, values)


def unchecked(default: Any) -> Any:
    """Declare an option that the metric checks in its own code."""
    return checked(default, lambda name, value: value)


def option_fields(metric: Any, base: type) -> tuple[tuple[str, str], ...]:
    """Return the signature fields of the options of a metric that class `base` does not declare."""
    shared = {option.name for option in fields(base)}
    names = [option.name for option in _declared_fields(metric) if option.name not in shared]
    return tuple((name, str(getattr(metric, name))) for name in names)


def check_options(metric: Any) -> None:
    """Check the declared options of a metric, and store the values that the checks return.

    Raises
    ------
    UsageError
        If a value is not allowed; the message names the option.
    """
    for option in _declared_fields(metric):
        value = getattr(metric, option.name)
        value = option.metadata["check"](f"{metric.name}.{option.name}", value)
        setattr(metric, option.name, value)


def _declared_fields(metric: Any) -> list[Field[Any]]:
    """Return the declared options of a metric; plug-ins may have other dataclass fields too."""
    return [option for option in fields(metric) if "check" in option.metadata]
