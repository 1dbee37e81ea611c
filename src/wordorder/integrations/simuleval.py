"""Scorers for SimulEval: how far a simultaneous translation departs from its source's order.

SimulEval looks scorers up before it reads the file of the agent. ``--user-dir
wordorder.integrations.simuleval`` makes it import this module first; then ``--quality-metrics
ANTICIPATION SYNCHRONY NON_MONOTONICITY`` has them.
"""

from __future__ import annotations

from typing import Any

from simuleval.evaluator.scorers.quality_scorer import QualityScorer, register_quality_scorer

from wordorder.alignment.align import align
from wordorder.errors import UsageError
from wordorder.metrics.registry import metric
from wordorder.segments import Segments


class OrderScorer(QualityScorer):  # type: ignore[misc]  # SimulEval may be absent
    """Scores the links between source text and prediction under one of our metrics.

    A model of word alignment is trained on these very sentences, so that figures of few sentences,
    or of systems that were run apart, are rough: see the page on monotonicity.
    """

    metric_name = ""

    def __init__(self, k: int = 1) -> None:
        super().__init__()
        options = {"k": k} if self.metric_name == "anticipation" else {}
        self.metric = metric(self.metric_name, **options)

    def __call__(self, instances: dict[int, Any]) -> float:
        """Return the score of the predictions of all instances."""
        rows = list(instances.values())
        # With --output, SimulEval scores what it reads back from its log, where the source is text.
        source = [getattr(each, "source_info", each.source) for each in rows]
        if not all(isinstance(line, str) for line in source):
            raise UsageError(f"{self.metric_name} needs source text; this source is speech")
        if any(hasattr(each, "durations") for each in rows):
            raise UsageError(f"{self.metric_name} needs translations as text; these are speech")
        # With --eval-latency-unit char, SimulEval joins all characters; each is a word then.
        predictions = [
            " ".join(each.prediction) if each.latency_unit == "char" else each.prediction
            for each in rows
        ]
        links = align(source, predictions)
        segments = Segments.from_alignments(source, predictions, [[] for _ in rows], links)
        return self.metric.corpus_score(segments).value

    @staticmethod
    def add_args(parser: Any) -> None:
        """Add the options of the metric."""

    @classmethod
    def from_args(cls, args: Any) -> OrderScorer:
        """Make a scorer of SimulEval's options."""
        return cls()


@register_quality_scorer("ANTICIPATION")
class AnticipationScorer(OrderScorer):
    """Share of words that are said before they are heard, k words behind."""

    metric_name = "anticipation"

    @staticmethod
    def add_args(parser: Any) -> None:
        """Add ``--anticipation-k``."""
        parser.add_argument("--anticipation-k", type=int, default=1, help="words behind the source")

    @classmethod
    def from_args(cls, args: Any) -> OrderScorer:
        """Take k of SimulEval's options."""
        return cls(args.anticipation_k)


@register_quality_scorer("SYNCHRONY")
class SynchronyScorer(OrderScorer):
    """How far the order is that of the source."""

    metric_name = "synchrony"


@register_quality_scorer("NON_MONOTONICITY")
class NonMonotonicityScorer(OrderScorer):
    """How far words move."""

    metric_name = "non-monotonicity"
