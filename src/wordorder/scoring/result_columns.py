"""Results as columns, from which pandas and Polars make tables."""

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
    """Return rows as columns, by the names in the header.

    Examples
    --------
    >>> columns(["name", "value"], [["a", 1], ["b", None]])
    {'name': ['a', 'b'], 'value': [1, None]}
    """
    return {name: [row[index] for row in rows] for index, name in enumerate(header)}


def number_or_none(value: float | None) -> float | None:
    """Return the number, or None for NaN.

    Examples
    --------
    >>> number_or_none(0.5), number_or_none(float("nan"))
    (0.5, None)
    """
    return None if value is None or math.isnan(value) else value


def signed_columns(table: Columns, signature: str) -> Columns:
    """Return the columns with a further one for the signature, unless that is empty."""
    rows = len(next(iter(table.values())))
    return table | {"signature": [signature] * rows} if signature else table


def segment_columns(evaluation: Evaluation) -> dict[str, Array]:
    """Return one row per system, metric and segment; NaN for segments that are left out."""
    parts: dict[str, list[Array]] = {"system": [], "metric": [], "segment": [], "value": []}
    for system in evaluation.systems:
        for name, scores in zip(evaluation.metric_names, system.segments, strict=True):
            parts["system"].append(np.full(len(scores), system.name, object))
            parts["metric"].append(np.full(len(scores), name, object))
            parts["segment"].append(np.arange(1, len(scores) + 1))
            parts["value"].append(scores)
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}
