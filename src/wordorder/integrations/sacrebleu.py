"""Metrics with sacreBLEU's interface, for programs written for sacreBLEU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics.base import (
    Metric as SacreMetric,
    Score as SacreScore,
    Signature as SacreSignature,
)

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.metrics import contract
from wordorder.segments import Segments


class WordOrderSignature(SacreSignature):
    """The signature of a metric, to which sacreBLEU's tests add fields."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__(dict(args))
        signature = args["signature"]
        self.info |= dict(signature.fields)
        self.info["version"] = signature.version

    def __str__(self) -> str:
        """Return the fields as sacreBLEU writes them."""
        return str(self.format())


class WordOrderMetric(SacreMetric):
    """A metric with sacreBLEU's interface; created by `as_sacrebleu`."""

    _SIGNATURE_TYPE = WordOrderSignature

    def __init__(
        self, metric: contract.BaseMetric, options: Mapping[str, Any], references: Any = None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.metric = metric
        self.name = metric.name
        self.higher_better = metric.higher_is_better
        self.options = dict(options)
        self.signature = metric.signature()
        self._refs: list[list[str]] | None = None
        if references is not None:
            self._refs = self._by_segment(references)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Return the score of one segment; see `BaseMetric.segment_scores`."""
        self._check_sentence_score_args(hypothesis, references)
        segments = self._segments([hypothesis], [[line] for line in references])
        self.signature = contract.signature_of_segments(self.metric, self.signature)
        return SacreScore(self.name, float(self.metric.segment_scores(segments)[0]))

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> Float64:
        """Return the statistics of each segment, float64[S, k].

        `references` has one sequence per file; None means those of the constructor.
        """
        if references is None and self._refs is None:
            raise UsageError("there are no references: give them here, or to as_sacrebleu")
        return contract.statistics_in_pieces(self.metric, self._segments(hypotheses, references))

    def _aggregate_and_compute(self, stats: Any) -> Any:
        """Return the score of the sum of rows of statistics."""
        return self._compute_score_from_stats(np.asarray(stats, np.float64).sum(axis=0))

    def _compute_score_from_stats(self, stats: Any) -> Any:
        """Return the score of summed statistics."""
        return SacreScore(self.name, float(self.metric.score(np.asarray(stats, np.float64))))

    def _segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> Segments:
        """Build segments, and add their fields to the signature."""
        rows = self._refs if references is None else self._by_segment(references)
        segments = Segments.from_text(list(hypotheses), rows, **self.options)
        origin = self.metric.origin(segments)
        self.signature = self.metric.signature().with_fields(*origin)
        return segments

    def _by_segment(self, references: Sequence[Sequence[str | None]]) -> list[list[str]]:
        """Transpose references by file into references by segment; None is a missing reference."""
        lengths = {len(file) for file in references}
        if len(lengths) > 1:
            raise UsageError(f"references of different lengths: {sorted(lengths)}")
        rows = [[line for line in row if line is not None] for row in zip(*references, strict=True)]
        counts = {len(row) for row in rows}
        # In sacreBLEU, -1 means that segments differ in their number of references.
        self.num_refs = counts.pop() if len(counts) == 1 else -1
        return rows

    # sacreBLEU requires the next three methods, for one segment; `_extract_corpus_statistics`
    # handles all segments together.
    def _preprocess_segment(self, sent: str) -> str:
        """Return the text of a segment unchanged."""
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """Return the arguments that `_compute_segment_statistics` gets for the references."""
        return {"refs": list(refs)}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Mapping[str, Any]) -> Any:
        """Return the statistics of one segment, float64[k]."""
        references = [[line] for line in ref_kwargs["refs"]]
        return self._extract_corpus_statistics([hypothesis], references)[0]


def as_sacrebleu(
    metric: contract.Metric,
    *,
    references: Sequence[Sequence[str | None]] | None = None,
    aligner: str | None = None,
    **options: Any,
) -> WordOrderMetric:
    """Return a metric for programs written for sacreBLEU.

    The result has `corpus_score`, `sentence_score` and `get_signature`, and works with sacreBLEU's
    `PairedTest`. Values are not multiplied by 100.

    Parameters
    ----------
    metric : Metric
        A metric of translations; or, with an `aligner`, a metric of orders.
    references : sequence of sequences of str, optional
        One sequence per reference file, used in calls without references.
    aligner : str, optional
        See `Segments.from_text`; "exact" for metrics of orders.
    options
        Further options of `Segments.from_text`: ``tokenizer="none"``, ``case="lower"``.

    Raises
    ------
    UsageError
        If the metric needs other inputs than texts.

    Examples
    --------
    >>> from wordorder import metric
    >>> cder = as_sacrebleu(metric("cder"))
    >>> score = cder.corpus_score(["the cat sat"], [["the cat sat down"]])
    >>> print(score.format(4), score.score)
    cder = 0.2500 0.25
    """
    complete = contract.complete_metric(metric).with_tokenizer(options.get("tokenizer") or "none")
    if complete.needs_preparation:
        raise UsageError(f"{complete.name} has to see all references first: not through sacreBLEU")
    if aligner is not None:
        options["aligner"] = aligner
    elif "permutation" in complete.columns:
        raise UsageError(
            f'{complete.name} compares orders: give an aligner, such as aligner="exact"'
        )
    unavailable = {"links", "gold", "trees"} & set(complete.columns)
    if unavailable:
        raise UsageError(
            f"{complete.name} needs {', '.join(sorted(unavailable))}, which text has not"
        )
    return WordOrderMetric(complete, options, references)
