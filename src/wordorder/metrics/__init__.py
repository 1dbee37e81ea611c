"""One metric a file; all of them statistics and a function of their sum."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError
from wordorder.metrics.registry import MetricRegistry

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric

METRICS = MetricRegistry(
    "metric",
    "wordorder.metrics",
    {
        "frs": "wordorder.metrics.order.frs:FuzzyReorderingScore",
        "frs-boundary": "wordorder.metrics.order.frs_boundary:BoundaryReorderingScore",
        "kendall": "wordorder.metrics.order.kendall:Kendall",
        "kendall-sqrt": "wordorder.metrics.order.kendall_sqrt:KendallSqrt",
        "spearman": "wordorder.metrics.order.spearman:Spearman",
        "hamming": "wordorder.metrics.order.hamming:Hamming",
        "ulam": "wordorder.metrics.order.ulam:Ulam",
        "exact": "wordorder.metrics.order.exact:Exact",
        "pet": "wordorder.metrics.order.pet:TreeNodes",
        "pets": "wordorder.metrics.order.pets:TreeCount",
        "maxop": "wordorder.metrics.order.maxop:LargestOperator",
        "pef-recursive": "wordorder.metrics.order.pef_recursive:RecursiveForest",
        "tree-cost": "wordorder.metrics.order.tree_cost:TreeCost",
        "wer": "wordorder.metrics.text.wer:WordErrorRate",
        "per": "wordorder.metrics.text.per:PositionIndependentErrorRate",
        "cder": "wordorder.metrics.text.cder:CoverDisjointErrorRate",
        "long-jump": "wordorder.metrics.text.long_jump:LongJump",
        "inversion-wer": "wordorder.metrics.text.inversion_wer:InversionWordErrorRate",
        "ter": "wordorder.metrics.text.ter:TranslationEditRate",
        "bleu": "wordorder.metrics.text.bleu:Bleu",
        "chrf": "wordorder.metrics.text.chrf:Chrf",
        "bleu-s": "wordorder.metrics.text.bleu_s:SmoothedBleu",
        "f1": "wordorder.metrics.text.f1:F1",
        "gtm": "wordorder.metrics.text.gtm:GeneralTextMatcher",
        "nist": "wordorder.metrics.text.nist:Nist",
        "ribes": "wordorder.metrics.text.ribes:Ribes",
        "lrscore": "wordorder.metrics.text.lrscore:LRscore",
        "lr-hb1": "wordorder.metrics.text.lrscore:HammingBleu1",
        "lr-hb4": "wordorder.metrics.text.lrscore:HammingBleu4",
        "lr-kb1": "wordorder.metrics.text.lrscore:KendallBleu1",
        "lr-kb4": "wordorder.metrics.text.lrscore:KendallBleu4",
        "senscore": "wordorder.metrics.text.senscore:SenScore",
        "meteor": "wordorder.metrics.text.meteor:Meteor",
        "mix": "wordorder.metrics.mix:Mix",
        "anticipation": "wordorder.metrics.links.anticipation:Anticipation",
        "non-monotonicity": "wordorder.metrics.links.non_monotonicity:NonMonotonicity",
        "unaligned": "wordorder.metrics.links.unaligned:Unaligned",
        "synchrony": "wordorder.metrics.links.synchrony:Synchrony",
        "aer": "wordorder.metrics.links.aer:AlignmentErrorRate",
        "precision": "wordorder.metrics.links.precision:AlignmentPrecision",
        "recall": "wordorder.metrics.links.recall:AlignmentRecall",
        "uas": "wordorder.metrics.trees.uas:UnlabelledAttachment",
        "las": "wordorder.metrics.trees.las:LabelledAttachment",
        "uem": "wordorder.metrics.trees.uem:UnlabelledExactMatch",
        "root-f1": "wordorder.metrics.trees.root_f1:RootF1",
        "label-f1": "wordorder.metrics.trees.label_f1:LabelF1",
        "als": "wordorder.metrics.trees.als:ArcLength",
        "als-labelled": "wordorder.metrics.trees.als_labelled:LabelledArcLength",
        "upos": "wordorder.metrics.trees.upos:UniversalTagAccuracy",
        "xpos": "wordorder.metrics.trees.xpos:LanguageTagAccuracy",
    },
    listed_by="wordorder list metrics",
)

# What these measure, only their options say.
_UNSAID = ("mix", "label-f1")


def metric(name: str, **options: Any) -> BaseMetric:
    """Make a metric by name.

    Parameters
    ----------
    name : str
        As ``wordorder list metrics`` shows it, in any case (``"BLEU"``); or a relation of
        Universal Dependencies, whose F1 is meant: ``nsubj``.
    options
        The metric's options, by keyword; text is taken for numbers and switches too.

    Returns
    -------
    BaseMetric

    Raises
    ------
    UsageError
        If the name, an option or a value is unknown; the message has those that are near.

    Examples
    --------
    >>> str(metric("frs", ties="rank").signature())
    'frs|match:index|ties:rank|average:segment|degenerate:standard|v:0.2.0'
    """
    from wordorder.metrics.options import convert

    return METRICS.make(name, **convert(name, METRICS.load(name), options))


def metrics_for(columns: Collection[str]) -> list[str]:
    """Return the names of the metrics that read no more than some columns, without the slow ones.

    Parameters
    ----------
    columns : names among "permutation", "text", "lines", "links", "gold" and "trees"
        As `wordorder.segments.Segments` has them; ``gold``: gold alignments to be compared with.

    Warns
    -----
    WordOrderWarning
        If a metric of another package cannot be used; it is passed over.

    Examples
    --------
    >>> metrics_for({"gold"})
    ['aer', 'precision', 'recall']
    """
    served = []
    for name in METRICS.names():
        if name in _UNSAID:
            continue
        try:
            made = metric(name)
        except UsageError as error:
            if name in METRICS.built_in:
                raise
            METRICS.pass_over(name, error)
            continue
        if set(made.columns) <= set(columns) and not made.slow:
            served.append(name)
    return served
