"""SenScore: the right words and their order, with one weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.formula import named_metric
from wordorder.metrics.options import real
from wordorder.metrics.order.order_metric import OrderMetric
from wordorder.metrics.text.brevity import brevity_penalty
from wordorder.metrics.text.f1 import bag_matches
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64


class SenScore(TextMetric):
    """F1 of the words and any order metric of those that match, interpolated.

    ``alpha * F1 + (1 - alpha) * BP * ordering`` for each sentence. F1 compares hypothesis and
    reference as bags of words; `ordering` is a metric of the permutation of the matched words; the
    brevity penalty `BP` compares their number with the length of the reference. The corpus score is
    the mean weighted by reference length (Stanojević & Sima'an 2016, section 7).

    Parameters
    ----------
    ordering : str or OrderMetric
        An order metric, as a name with its options in parentheses (``frs(ties=rank)``) or as an
        object.
    alpha : float in [0, 1]
        The weight of F1.

    Raises
    ------
    UsageError
        If `ordering` is no order metric or `alpha` out of range, or the segments lack text or
        orders.

    Notes
    -----
    Of several references the one with the best sentence score counts, and the weight is their mean
    length. A sentence without any matched word has an ordering part of 0. One whose references are
    all empty weighs nothing: it is left out and counted, as is one without references.

    Examples
    --------
    >>> segments = Segments.from_text(
    ...     ["on the mat sat a cat"], ["a cat sat on the mat"], aligner="exact"
    ... )
    >>> SenScore().segment_scores(segments)
    array([0.63333333])
    """

    name = "senscore"
    columns: tuple[str, ...] = ("permutation", "text")

    def __init__(self, *, ordering: str | OrderMetric = "kendall", alpha: float = 0.5) -> None:
        made = named_metric(ordering) if isinstance(ordering, str) else ordering
        if not isinstance(made, OrderMetric):
            raise UsageError(f"senscore.ordering is a metric of orders, not {ordering!r}")
        self.ordering = made
        self.alpha = real("senscore.alpha", alpha, 0, 1)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: weighted score and weight; zeros for one that is left out."""
        texts = segments.texts
        offsets = texts.reference_offsets
        lengths = texts.references.lengths
        number = np.diff(offsets)
        total = np.bincount(texts.segment_of, weights=lengths, minlength=len(number))
        weights = total / np.maximum(number, 1)
        values = self.reference_scores(segments)
        best = best_reference(-values, offsets)
        chosen = values[best] if len(values) else np.zeros(len(best))
        return np.stack([np.where(weights > 0, chosen * weights, 0.0), weights], axis=1)

    def reference_scores(self, segments: Segments) -> Float64:
        """Return the sentence score against each reference, float64[R]."""
        # Whatever the ordering, words and lengths are the same.
        f1, penalty = segments.derived("f1 and brevity", lambda: _f1_and_brevity(segments))
        order, _ = self.ordering.row_values(segments)
        return np.asarray(self.alpha * f1 + (1.0 - self.alpha) * penalty * order, np.float64)

    def score(self, totals: Float64) -> Float64:
        """Return weighted scores over weights, 0 where there is no weight."""
        value = np.zeros(np.shape(totals)[:-1])
        return np.divide(totals[..., 0], totals[..., 1], out=value, where=totals[..., 1] > 0)

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        ordering = self.ordering.signature()
        # How it would average a corpus by itself is no part of this score.
        fields = [f"{key}:{value}" for key, value in ordering.fields if key != "average"]
        return Signature(
            self.name,
            (
                ("ordering", f"{ordering.metric}({','.join(fields)})"),
                ("alpha", repr(self.alpha)),
            ),
        )

    def named_options(self) -> dict[str, Any]:
        """Return the order metric, written out, and its weight."""
        from wordorder.metrics.name_and_options import written_out

        return {"ordering": written_out(self.ordering), "alpha": self.alpha}


def _f1_and_brevity(segments: Segments) -> tuple[Float64, Float64]:
    """Return F1 and the brevity penalty of each reference, both float64[R]."""
    texts = segments.texts
    lengths = texts.references.lengths
    words = texts.hypothesis.lengths[texts.segment_of] + lengths
    f1 = 2.0 * bag_matches(texts) / np.maximum(words, 1)
    # Of orders over the source, from alignments, the reference has as many words as the source.
    return f1, brevity_penalty(segments.permutation.lengths, segments.reference_lengths)
