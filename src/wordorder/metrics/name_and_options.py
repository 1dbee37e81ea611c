"""The name and the options under which a metric is made again, here or on another machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from wordorder.errors import UsageError, WordOrderError
from wordorder.metrics import METRICS, metric
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.options import defaults
from wordorder.signature import Signature

# What has been found, by signature: it is the same for all metrics that have it.
_FOUND: dict[Signature, dict[str, Any]] = {}


def name_and_options(made: BaseMetric) -> tuple[str, dict[str, Any]]:
    """Return the name of a metric and the fewest options that give it its signature.

    Raises
    ------
    UsageError
        If no metric is registered under its name, or its options do not make it again.

    Examples
    --------
    >>> name_and_options(metric("frs", ties="rank", match="index"))
    ('frs', {'ties': 'rank'})
    """
    wanted = made.signature()
    if wanted not in _FOUND:
        # Metrics are made on the way, and some read files.
        _FOUND[wanted] = _fewest_options(made, wanted)
    return made.name, dict(_FOUND[wanted])


def _fewest_options(made: BaseMetric, wanted: Signature) -> dict[str, Any]:
    name = made.name
    try:
        usual = defaults(METRICS.load(name))
    except UsageError:
        raise UsageError(
            f"the metric {name!r} is not registered, so a partial result cannot name it: "
            f"its package needs an entry point {name!r} in the group {METRICS.group!r}"
        ) from None
    found = {key: _plain(value) for key, value in made.named_options().items() if key in usual}
    options = {key: value for key, value in sorted(found.items()) if value != usual[key]}
    again = _made(name, options)
    if again is None or not same_signature(wanted, again):
        raise UsageError(
            f"the metric {name!r} cannot be made again from its name and the options {options}: "
            f"expected one with the signature {wanted}; its method named_options returns them"
        )
    # An option that changes nothing is left out: equal metrics are written alike.
    for key in list(options):
        fewer = {other: value for other, value in options.items() if other != key}
        without = _made(name, fewer)
        if without is not None and without.signature() == again.signature():
            options = fewer
    return options


def written_out(made: BaseMetric) -> str:
    """Write a metric as formulas name it.

    Examples
    --------
    >>> written_out(metric("cder", penalty="length")), written_out(metric("per"))
    ('cder(penalty=length)', 'per')
    """
    name, options = name_and_options(made)
    inside = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{name}({inside})" if inside else name


def same_signature(wanted: Signature, made: BaseMetric) -> bool:
    """Return whether a metric has a signature, but for the references that it has yet to see.

    Examples
    --------
    >>> same_signature(Signature.parse("nist|order:5|information:12ab|v:0.2.0"), metric("nist"))
    True
    """
    found = made.signature()
    if not made.needs_preparation:
        return found == wanted
    keys = [key for key, _ in found.fields]
    return found.metric == wanted.metric and keys == [key for key, _ in wanted.fields]


def _made(name: str, options: Mapping[str, Any]) -> BaseMetric | None:
    try:
        return metric(name, **options)
    except (WordOrderError, TypeError, ValueError):
        return None


def _plain(value: Any) -> Any:
    """Return the value of an option as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value
