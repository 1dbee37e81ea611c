"""The options of a metric: their names, defaults, values given as text, and legal values."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

from wordorder.errors import UsageError, unknown_name

# Of words or of characters; nobody needs more, and the counts of all orders are kept in memory.
LONGEST_NGRAMS = 100
_LARGEST = sys.float_info.max


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


def whole(option: str, value: Any, least: int, most: int) -> int:
    """Return `value` if it is a whole number from `least` to `most`.

    Raises
    ------
    UsageError
        Otherwise; the message names the option and the range. So of the others.

    Examples
    --------
    >>> whole("nist.order", 5, 1, 100)
    5
    """
    right_kind = isinstance(value, Integral) and not isinstance(value, bool)
    if not right_kind or not least <= value <= most:
        raise UsageError(f"{option} is a whole number from {least} to {most}, not {value!r}")
    return int(value)


def real(option: str, value: Any, least: float, most: float = _LARGEST) -> float:
    """Return `value` if it is a finite number from `least` to `most`.

    Examples
    --------
    >>> real("ribes.alpha", 1, 0)
    1.0
    """
    right_kind = isinstance(value, Real) and not isinstance(value, bool)
    if not right_kind or not least <= value <= most:
        legal = f"of at least {least:g}" if most == _LARGEST else f"from {least:g} to {most:g}"
        raise UsageError(f"{option} is a number {legal}, not {value!r}")
    return float(value)


def switch(option: str, value: Any) -> bool:
    """Return `value` if it is True or False.

    Examples
    --------
    >>> switch("bleu-s.boundaries", True)
    True
    """
    if not isinstance(value, bool):
        raise UsageError(f"{option} is True or False, not {value!r}")
    return value


def file_name(option: str, value: Any) -> str | os.PathLike[str] | None:
    """Return `value` if it names a file; None if it is None or empty text.

    Examples
    --------
    >>> file_name("meteor.synonyms", "wordnet"), file_name("meteor.synonyms", "")
    ('wordnet', None)
    """
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise UsageError(f"{option} is the name of a file, not {value!r}")
    return value or None
