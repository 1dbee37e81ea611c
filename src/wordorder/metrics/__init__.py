"""Metrics in families; each is additive statistics and a function of their sum.

`contract` says what a metric is, `registry` finds it by name, and each family has a folder:
`order`, `text`, `trees`, `links`. A metric knows segments and nothing of files, intervals or
tables: these are `scoring`, `statistics` and `report`.
"""

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
        "frs": "wordorder.metrics.order.chunks:FuzzyReorderingScore",
        "frs-boundary": "wordorder.metrics.order.chunks:BoundaryReorderingScore",
        "kendall": "wordorder.metrics.order.chunks:Kendall",
        "kendall-sqrt": "wordorder.metrics.order.chunks:KendallSqrt",
        "spearman": "wordorder.metrics.order.chunks:Spearman",
        "hamming": "wordorder.metrics.order.chunks:Hamming",
        "ulam": "wordorder.metrics.order.chunks:Ulam",
        "exact": "wordorder.metrics.order.chunks:Exact",
        "pet": "wordorder.metrics.order.trees:TreeNodes",
        "pets": "wordorder.metrics.order.trees:TreeCount",
        "maxop": "wordorder.metrics.order.trees:LargestOperator",
        "pef-recursive": "wordorder.metrics.order.trees:RecursiveForest",
        "tree-cost": "wordorder.metrics.order.trees:TreeCost",
        "wer": "wordorder.metrics.text.edits:WordErrorRate",
        "per": "wordorder.metrics.text.edits:PositionIndependentErrorRate",
        "cder": "wordorder.metrics.text.edits:CoverDisjointErrorRate",
        "long-jump": "wordorder.metrics.text.edits:LongJump",
        "inversion-wer": "wordorder.metrics.text.edits:InversionWordErrorRate",
        "ter": "wordorder.metrics.text.ter:TranslationEditRate",
        "bleu": "wordorder.metrics.text.ngrams:Bleu",
        "chrf": "wordorder.metrics.text.ngrams:Chrf",
        "bleu-s": "wordorder.metrics.text.ngrams:SmoothedBleu",
        "f1": "wordorder.metrics.text.matching:F1",
        "gtm": "wordorder.metrics.text.matching:GeneralTextMatcher",
        "nist": "wordorder.metrics.text.nist:Nist",
        "ribes": "wordorder.metrics.text.order_and_words:Ribes",
        "lrscore": "wordorder.metrics.text.order_and_words:LRscore",
        "lr-hb1": "wordorder.metrics.text.order_and_words:HammingBleu1",
        "lr-hb4": "wordorder.metrics.text.order_and_words:HammingBleu4",
        "lr-kb1": "wordorder.metrics.text.order_and_words:KendallBleu1",
        "lr-kb4": "wordorder.metrics.text.order_and_words:KendallBleu4",
        "senscore": "wordorder.metrics.text.matching:SenScore",
        "meteor": "wordorder.metrics.text.matching:Meteor",
        "mix": "wordorder.metrics.mix:Mix",
        "anticipation": "wordorder.metrics.links.links:Anticipation",
        "non-monotonicity": "wordorder.metrics.links.links:NonMonotonicity",
        "unaligned": "wordorder.metrics.links.links:Unaligned",
        "synchrony": "wordorder.metrics.links.links:Synchrony",
        "aer": "wordorder.metrics.links.links:AlignmentErrorRate",
        "precision": "wordorder.metrics.links.links:AlignmentPrecision",
        "recall": "wordorder.metrics.links.links:AlignmentRecall",
        "uas": "wordorder.metrics.trees.attachment:UnlabelledAttachment",
        "las": "wordorder.metrics.trees.attachment:LabelledAttachment",
        "uem": "wordorder.metrics.trees.attachment:UnlabelledExactMatch",
        "root-f1": "wordorder.metrics.trees.attachment:RootF1",
        "label-f1": "wordorder.metrics.trees.attachment:LabelF1",
        "als": "wordorder.metrics.trees.attachment:ArcLength",
        "als-labelled": "wordorder.metrics.trees.attachment:LabelledArcLength",
        "upos": "wordorder.metrics.trees.attachment:UniversalTagAccuracy",
        "xpos": "wordorder.metrics.trees.attachment:LanguageTagAccuracy",
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
    from wordorder.metrics.contract import convert

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
