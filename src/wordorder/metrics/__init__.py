"""One metric a file; all of them statistics and a function of their sum."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wordorder.metrics.relations import MetricRegistry

METRICS = MetricRegistry(
    "metric",
    "wordorder.metrics",
    {
        "frs": "wordorder.metrics.frs:FuzzyReorderingScore",
        "frs-boundary": "wordorder.metrics.frs_boundary:BoundaryReorderingScore",
        "kendall": "wordorder.metrics.kendall:Kendall",
        "kendall-sqrt": "wordorder.metrics.kendall_sqrt:KendallSqrt",
        "spearman": "wordorder.metrics.spearman:Spearman",
        "hamming": "wordorder.metrics.hamming:Hamming",
        "ulam": "wordorder.metrics.ulam:Ulam",
        "exact": "wordorder.metrics.exact:Exact",
        "pet": "wordorder.metrics.pet:TreeNodes",
        "pets": "wordorder.metrics.pets:TreeCount",
        "maxop": "wordorder.metrics.maxop:LargestOperator",
        "pef-recursive": "wordorder.metrics.pef_recursive:RecursiveForest",
        "wer": "wordorder.metrics.wer:WordErrorRate",
        "per": "wordorder.metrics.per:PositionIndependentErrorRate",
        "cder": "wordorder.metrics.cder:CoverDisjointErrorRate",
        "long-jump": "wordorder.metrics.long_jump:LongJump",
        "inversion-wer": "wordorder.metrics.inversion_wer:InversionWordErrorRate",
        "ter": "wordorder.metrics.ter:TranslationEditRate",
        "bleu": "wordorder.metrics.bleu:Bleu",
        "chrf": "wordorder.metrics.chrf:Chrf",
        "bleu-s": "wordorder.metrics.bleu_s:SmoothedBleu",
        "f1": "wordorder.metrics.f1:F1",
        "nist": "wordorder.metrics.nist:Nist",
        "ribes": "wordorder.metrics.ribes:Ribes",
        "lrscore": "wordorder.metrics.lrscore:LRscore",
        "lr-hb1": "wordorder.metrics.lrscore:HammingBleu1",
        "lr-hb4": "wordorder.metrics.lrscore:HammingBleu4",
        "lr-kb1": "wordorder.metrics.lrscore:KendallBleu1",
        "lr-kb4": "wordorder.metrics.lrscore:KendallBleu4",
        "senscore": "wordorder.metrics.senscore:SenScore",
        "meteor": "wordorder.metrics.meteor:Meteor",
        "mix": "wordorder.metrics.mix:Mix",
        "anticipation": "wordorder.metrics.anticipation:Anticipation",
        "non-monotonicity": "wordorder.metrics.non_monotonicity:NonMonotonicity",
        "unaligned": "wordorder.metrics.unaligned:Unaligned",
        "synchrony": "wordorder.metrics.synchrony:Synchrony",
        "aer": "wordorder.metrics.aer:AlignmentErrorRate",
        "precision": "wordorder.metrics.precision:AlignmentPrecision",
        "recall": "wordorder.metrics.recall:AlignmentRecall",
        "uas": "wordorder.metrics.uas:UnlabelledAttachment",
        "las": "wordorder.metrics.las:LabelledAttachment",
        "uem": "wordorder.metrics.uem:UnlabelledExactMatch",
        "root-f1": "wordorder.metrics.root_f1:RootF1",
        "label-f1": "wordorder.metrics.label_f1:LabelF1",
        "als": "wordorder.metrics.als:ArcLength",
        "als-labelled": "wordorder.metrics.als_labelled:LabelledArcLength",
        "upos": "wordorder.metrics.upos:UniversalTagAccuracy",
        "xpos": "wordorder.metrics.xpos:LanguageTagAccuracy",
    },
)

# What these measure, only their options say.
_UNSAID = ("mix", "label-f1")


def metric(name: str, **options: Any) -> Any:
    """Make a metric by name.

    Parameters
    ----------
    name : str
        As ``wordorder list metrics`` shows it; or a relation of Universal Dependencies, whose F1
        is meant: ``nsubj``.
    options
        The metric's options, by keyword; text is taken for numbers and switches too.

    Returns
    -------
    Metric

    Raises
    ------
    UsageError
        If the name, an option or a value is unknown; the message lists the legal ones.

    Examples
    --------
    >>> str(metric("frs", ties="rank").signature())
    'frs|match:index|ties:rank|average:segment|degenerate:standard|v:0.1.0'
    """
    from wordorder.metrics.options import convert

    factory = METRICS.load(name)
    return factory(**convert(name, factory, options))


def metrics_for(columns: Collection[str]) -> list[str]:
    """Return the names of the metrics that read no more than some columns, without the slow ones.

    Parameters
    ----------
    columns : names among "permutation", "text", "lines", "links", "gold" and "trees"
        As `wordorder.segments.Segments` has them; ``gold``: gold alignments to be compared with.

    Examples
    --------
    >>> metrics_for({"gold"})
    ['aer', 'precision', 'recall']
    """
    from wordorder.metrics.base import columns_of

    loaded = {name: METRICS.load(name) for name in METRICS.names() if name not in _UNSAID}
    return [
        name
        for name, made in loaded.items()
        if set(columns_of(made)) <= set(columns) and not getattr(made, "slow", False)
    ]
