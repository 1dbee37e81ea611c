"""Results as columns, as tables of pandas and Polars are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import Array

if TYPE_CHECKING:
    from wordorder.scoring.systems import Evaluation

Columns = dict[str, list[Any]]


def columns(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    """Return rows as columns.

    Examples
    --------
    >>> columns(["name", "value"], [["a", 1], ["b", None]])
    {'name': ['a', 'b'], 'value': [1, None]}
    """
    return {name: [row[place] for row in rows] for place, name in enumerate(header)}


def number_or_none(value: float | None) -> float | None:
    """Return a number, and None for what is none.

    Examples
    --------
    >>> number_or_none(0.5), number_or_none(float("nan"))
    (0.5, None)
    """
    return None if value is None or math.isnan(value) else value


def signed_columns(found: Columns, signature: str) -> Columns:
    """Return columns with one of the signature, if there is one."""
    rows = len(next(iter(found.values())))
    return found | {"signature": [signature] * rows} if signature else found


def segment_columns(evaluation: Evaluation) -> dict[str, Array]:
    """Return one row for each system, metric and segment; NaN for a segment that is left out."""
    parts: dict[str, list[Array]] = {"system": [], "metric": [], "segment": [], "value": []}
    for system in evaluation.systems:
        for name, scored in zip(evaluation.metric_names, system.segments, strict=True):
            values = scored.known
            parts["system"].append(np.full(len(values), system.name, object))
            parts["metric"].append(np.full(len(values), name, object))
            parts["segment"].append(np.arange(1, len(values) + 1))
            parts["value"].append(values)
    return {name: np.concatenate(found) for name, found in parts.items()}
