"""What each sentence loses: losses that add up to what the corpus lacks."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.order.order_metric import OrderMetric
from wordorder.metrics.text.error_rate import ErrorRate
from wordorder.types import Float64


def sentence_losses(metric: BaseMetric, statistics: Float64) -> Float64 | None:
    """Return how much of the corpus's loss each segment has.

    An error rate loses its edits, over the reference words of the whole corpus. The mean of an
    order metric loses what each sentence is short of 1, with its weight.

    Parameters
    ----------
    metric : BaseMetric
    statistics : float64[S, k]
        Of the metric.

    Returns
    -------
    float64[S], or None
        Not negative. They add up to the error rate of the corpus, or to 1 minus its score. None
        for a metric whose score is no sum over segments, as BLEU.

    Examples
    --------
    >>> from wordorder.metrics import metric
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["b a", "a b c"], ["a b", "a b c"], aligner="exact")
    >>> for name in ("frs", "cder", "bleu"):
    ...     made = metric(name)
    ...     print(name, sentence_losses(made, made.statistics(segments)))
    frs [0.5 0. ]
    cder [0.4 0. ]
    bleu None
    """
    if isinstance(metric, ErrorRate):
        words = float(statistics[:, 1].sum())
        return statistics[:, 0] / words if words else None
    if isinstance(metric, OrderMetric) and metric.average != "micro":
        weight = float(statistics[:, 1].sum())
        lost = statistics[:, 1] - statistics[:, 0]
        return np.maximum(lost, 0.0) / weight if weight else None
    return None
