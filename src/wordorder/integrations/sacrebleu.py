"""Metrics with the interface of sacreBLEU's, for programs that are written for those."""

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
    """The signature of one of our metrics, to which sacreBLEU adds what its tests did."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__(dict(args))
        ours = args["signature"]
        self.info |= dict(ours.fields)
        self.info["version"] = ours.version

    def __str__(self) -> str:
        return str(self.format())


class WordOrderMetric(SacreMetric):
    """One of our metrics under sacreBLEU's interface; made by `as_sacrebleu`."""

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
        """Return the score of one segment, as `BaseMetric.segment_scores` has it."""
        self._check_sentence_score_args(hypothesis, references)
        segments = self._segments([hypothesis], [[line] for line in references])
        self.signature = contract.signature_of_segments(self.metric, self.signature)
        return SacreScore(self.name, float(self.metric.segment_scores(segments)[0]))

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> Float64:
        """Return float64[S, k]; references are given by file, or were given at the start."""
        if references is None and self._refs is None:
            raise UsageError("there are no references: give them here, or to as_sacrebleu")
        return contract.statistics_in_pieces(self.metric, self._segments(hypotheses, references))

    def _aggregate_and_compute(self, stats: Any) -> Any:
        """Return the score of rows of statistics, summed."""
        return self._compute_score_from_stats(np.asarray(stats, np.float64).sum(axis=0))

    def _compute_score_from_stats(self, stats: Any) -> Any:
        """Return the score of summed statistics."""
        return SacreScore(self.name, float(self.metric.score(np.asarray(stats, np.float64))))

    def _segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> Segments:
        rows = self._refs if references is None else self._by_segment(references)
        segments = Segments.from_text(list(hypotheses), rows, **self.options)
        described = self.metric.origin(segments)
        self.signature = self.metric.signature().with_fields(*described)
        return segments

    def _by_segment(self, references: Sequence[Sequence[str | None]]) -> list[list[str]]:
        """Turn references by file into references by segment; None is no reference."""
        lengths = {len(file) for file in references}
        if len(lengths) > 1:
            raise UsageError(f"references of different lengths: {sorted(lengths)}")
        rows = [[line for line in row if line is not None] for row in zip(*references, strict=True)]
        counts = {len(row) for row in rows}
        # How sacreBLEU says that segments differ in their number of references.
        self.num_refs = counts.pop() if len(counts) == 1 else -1
        return rows

    # What sacreBLEU asks for segment by segment; statistics are made of all segments at once.
    def _preprocess_segment(self, sent: str) -> str:
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"refs": list(refs)}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Mapping[str, Any]) -> Any:
        references = [[line] for line in ref_kwargs["refs"]]
        return self._extract_corpus_statistics([hypothesis], references)[0]


def as_sacrebleu(
    metric: contract.Metric,
    *,
    references: Sequence[Sequence[str | None]] | None = None,
    aligner: str | None = None,
    **options: Any,
) -> WordOrderMetric:
    """Return a metric that programs written for sacreBLEU take.

    It has `corpus_score`, `sentence_score` and `get_signature`, and goes into sacreBLEU's own
    `PairedTest`. Values keep our scale; sacreBLEU's are often multiplied by 100.

    Parameters
    ----------
    metric : Metric
        Of translations; or of orders, with an `aligner`.
    references : sequence of sequences of str, optional
        One sequence a reference file, used where a call gives none.
    aligner : str, optional
        As in `Segments.from_text`: "exact" for metrics of orders.
    options
        Further options of `Segments.from_text`: ``tokenizer="none"``, ``case="lower"``.

    Raises
    ------
    UsageError
        If the metric needs what text does not give.

    Examples
    --------
    >>> from wordorder import metric
    >>> cder = as_sacrebleu(metric("cder"))
    >>> found = cder.corpus_score(["the cat sat"], [["the cat sat down"]])
    >>> print(found.format(4), found.score)
    cder = 0.2500 0.25
    """
    whole = contract.completed(metric).with_tokenizer(options.get("tokenizer") or "none")
    if whole.needs_preparation:
        raise UsageError(f"{whole.name} has to see all references first: not through sacreBLEU")
    if aligner is not None:
        options["aligner"] = aligner
    elif "permutation" in whole.columns:
        raise UsageError(f'{whole.name} compares orders: give an aligner, such as aligner="exact"')
    foreign = {"links", "gold", "trees"} & set(whole.columns)
    if foreign:
        raise UsageError(f"{whole.name} needs {', '.join(sorted(foreign))}, which text has not")
    return WordOrderMetric(whole, options, references)
