"""Options of metrics: each is declared once, as a field of the metric's class.

``subtypes: str = choice("keep", "drop")`` is a keyword of the class whose default is ``"keep"``;
the value is checked when a metric is made, and is a field of the signature.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, field, fields
from typing import Any

from wordorder.errors import choose


def checked(default: Any, check: Callable[..., Any], *bounds: Any) -> Any:
    """Declare an option; `check` takes its name, a value and the bounds, and returns the value.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from wordorder.metrics.contract import whole
    >>> @dataclass(kw_only=True)
    ... class Settings:
    ...     order: int = checked(4, whole, 1, 9)
    >>> Settings().order
    4
    """

    def check_value(name: str, value: Any) -> Any:
        return check(name, value, *bounds)

    return field(default=default, metadata={"check": check_value})


def choice(*values: str, default: str | None = None) -> Any:
    """Declare an option that has one of some values, the first by default."""
    return checked(values[0] if default is None else default, choose, values)


def unchecked(default: Any) -> Any:
    """Declare an option whose values the metric checks by itself."""
    return checked(default, lambda name, value: value)


def option_fields(metric: Any, base: type) -> tuple[tuple[str, str], ...]:
    """Return the options of a metric that a base class does not have, as fields of a signature."""
    shared = {option.name for option in fields(base)}
    names = [option.name for option in _declared(metric) if option.name not in shared]
    return tuple((name, str(getattr(metric, name))) for name in names)


def check_options(metric: Any) -> None:
    """Check the declared options of a metric, and keep the values as the checks return them.

    Raises
    ------
    UsageError
        If a value is not legal; the message names the option.
    """
    for option in _declared(metric):
        value = getattr(metric, option.name)
        value = option.metadata["check"](f"{metric.name}.{option.name}", value)
        setattr(metric, option.name, value)


def _declared(metric: Any) -> list[Field[Any]]:
    """Return the declared options of a metric; classes of other packages may have plain fields."""
    return [option for option in fields(metric) if "check" in option.metadata]
