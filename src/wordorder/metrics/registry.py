"""The metrics that are installed, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError
from wordorder.metrics.trees import RELATIONS, is_relation
from wordorder.registry import Registry

if TYPE_CHECKING:
    # What makes metrics loads their contract, and the contract numpy: only where one is asked for.
    from wordorder.metrics.contract import BaseMetric
    from wordorder.metrics.trees.attachment import LabelF1

    MakeMetric = Callable[..., BaseMetric]


class MetricRegistry(Registry):
    """The metrics by name, and by the name of a relation the F1 of its arcs.

    Examples
    --------
    >>> from wordorder.metrics import METRICS
    >>> METRICS.load("nsubj")().signature().metric
    'nsubj'
    """

    def load(self, name: str) -> MakeMetric:
        """Import what makes the metric called `name`: a class, or a function.

        Raises
        ------
        UsageError
            If there is none of that name (the message has the near ones), or its package is broken.
        """
        name = self.spelling(name)
        if name in self.built_in or name in self.installed:
            make: MakeMetric = super().load(name)
            return make
        if is_relation(name):
            return _label_f1(name)
        # Only who meant a relation wants to read their names too.
        meant = get_close_matches(name.lower().partition(":")[0], RELATIONS, n=1, cutoff=0.7)
        raise self.unknown(name, *(RELATIONS if meant else ()))

    def spelling(self, name: str) -> str:
        """Return a name as it is registered, given in any case; itself if it is not registered.

        Examples
        --------
        >>> from wordorder.metrics import METRICS
        >>> METRICS.spelling("BLEU"), METRICS.spelling("NSubj:Pass"), METRICS.spelling("Foo")
        ('bleu', 'nsubj:pass', 'Foo')
        """
        name = str(name)
        small = name.lower()
        # The environment is searched only for names that are not ours.
        for known in (self.built_in, self.installed):
            if name in known:
                return name
            if small in known:
                return small
        by_letters = {each.lower(): each for each in self.installed}
        return small if is_relation(small) else by_letters.get(small, name)

    def make(self, name: str, *arguments: Any, **options: Any) -> BaseMetric:
        """Return the metric called `name`, with its options by keyword."""
        from wordorder.metrics.contract import completed

        return completed(super().make(self.spelling(name), *arguments, **options))

    def converted(self, name: str, options: Mapping[str, Any]) -> BaseMetric:
        """Return the metric called `name`; text is taken for numbers and switches too."""
        from wordorder.metrics.contract import convert

        return self.make(name, **convert(name, self.load(name), options))

    def checked(self, part: Any) -> Any:
        """Return a class of another package with everything that `BaseMetric` declares."""
        from wordorder.metrics.contract import COLUMNS, completed_class

        make = super().checked(part)
        # Its options are looked up there.
        signature(make)
        if isinstance(make, type):
            make = completed_class(make)
            if not isinstance(make.columns, tuple) or not set(make.columns) <= set(COLUMNS):
                raise UsageError(f"its columns are {make.columns!r}; legal ones: {COLUMNS}")
        return make


def _label_f1(label: str) -> Callable[..., LabelF1]:
    """Return what makes the F1 of one label."""
    from wordorder.metrics.trees.attachment import LabelF1

    def made(
        *, head: str = "match", subtypes: str = "keep", punctuation: str = "include"
    ) -> LabelF1:
        return LabelF1(label=label, head=head, subtypes=subtypes, punctuation=punctuation)

    return made


# Of each metric where its class is, what its name is short for, and what tables and sentences call
# it if that is another name.
TABLE: dict[str, tuple[str, ...]] = {
    "frs": ("order.chunks:FuzzyReorderingScore", "fuzzy reordering score", "FRS"),
    "frs-boundary": (
        "order.chunks:BoundaryReorderingScore",
        "fuzzy reordering score with boundaries",
    ),
    "kendall": ("order.chunks:Kendall", "Kendall's tau", "Kendall's tau"),
    "kendall-sqrt": ("order.chunks:KendallSqrt", "Kendall's tau with a square root"),
    "spearman": ("order.chunks:Spearman", "Spearman's rho", "Spearman's rho"),
    "hamming": ("order.chunks:Hamming", "Hamming score", "Hamming score"),
    "ulam": ("order.chunks:Ulam", "Ulam score", "Ulam score"),
    "exact": ("order.chunks:Exact", "exact match", "exact match"),
    "pet": ("order.trees:TreeNodes", "nodes of the permutation tree"),
    "pets": ("order.trees:TreeCount", "number of permutation trees"),
    "maxop": ("order.trees:LargestOperator", "largest operator of the permutation tree"),
    "pef-recursive": ("order.trees:RecursiveForest", "recursive score of the permutation forest"),
    "tree-cost": ("order.trees:TreeCost", "cost of the permutation tree"),
    "wer": ("text.edits:WordErrorRate", "word error rate", "WER"),
    "per": ("text.edits:PositionIndependentErrorRate", "position-independent error rate", "PER"),
    "cder": ("text.edits:CoverDisjointErrorRate", "cover disjoint error rate", "CDER"),
    "long-jump": ("text.edits:LongJump", "long jump distance", "long jump distance"),
    "inversion-wer": (
        "text.edits:InversionWordErrorRate",
        "word error rate with inversions",
        "inversion WER",
    ),
    "ter": ("text.ter:TranslationEditRate", "translation edit rate", "TER"),
    "bleu": ("text.ngrams:Bleu", "bilingual evaluation understudy", "BLEU"),
    "chrf": ("text.ngrams:Chrf", "character n-gram F-score", "chrF"),
    "bleu-s": ("text.ngrams:SmoothedBleu", "smoothed BLEU of segments"),
    "f1": ("text.matching:F1", "F1 of words"),
    "gtm": ("text.matching:GeneralTextMatcher", "general text matcher", "GTM"),
    "nist": ("text.nist:Nist", "NIST score"),
    "ribes": ("text.order_and_words:Ribes", "rank-based intuitive bilingual evaluation score"),
    "lrscore": ("text.order_and_words:LRscore", "lexical and reordering score"),
    "lr-hb1": ("text.order_and_words:HammingBleu1", "LRscore of Hamming distance and BLEU-1"),
    "lr-hb4": ("text.order_and_words:HammingBleu4", "LRscore of Hamming distance and BLEU-4"),
    "lr-kb1": ("text.order_and_words:KendallBleu1", "LRscore of Kendall's distance and BLEU-1"),
    "lr-kb4": ("text.order_and_words:KendallBleu4", "LRscore of Kendall's distance and BLEU-4"),
    "senscore": ("text.matching:SenScore", "F1 of words and a score of their order"),
    "meteor": (
        "text.matching:Meteor",
        "metric for evaluation of translation with explicit ordering",
    ),
    "mix": ("mix:Mix", "weighted sum of metrics"),
    "anticipation": ("links.links:Anticipation", "anticipation rate"),
    "non-monotonicity": ("links.links:NonMonotonicity", "distance of links from the diagonal"),
    "unaligned": ("links.links:Unaligned", "share of words without a link"),
    "synchrony": ("links.links:Synchrony", "rank correlation of linked positions"),
    "aer": ("links.links:AlignmentErrorRate", "alignment error rate"),
    "precision": ("links.links:AlignmentPrecision", "precision of links"),
    "recall": ("links.links:AlignmentRecall", "recall of links"),
    "uas": ("trees.attachment:UnlabelledAttachment", "unlabelled attachment score"),
    "las": ("trees.attachment:LabelledAttachment", "labelled attachment score"),
    "uem": ("trees.attachment:UnlabelledExactMatch", "unlabelled exact match"),
    "root-f1": ("trees.attachment:RootF1", "F1 of roots"),
    "label-f1": ("trees.attachment:LabelF1", "F1 of the arcs with one label"),
    "als": ("trees.attachment:ArcLength", "arc-length score"),
    "als-labelled": ("trees.attachment:LabelledArcLength", "labelled arc-length score"),
    "upos": ("trees.attachment:UniversalTagAccuracy", "accuracy of universal tags"),
    "xpos": ("trees.attachment:LanguageTagAccuracy", "accuracy of language-specific tags"),
}
METRICS = MetricRegistry(
    "metric",
    "wordorder.metrics",
    {name: f"wordorder.metrics.{place}" for name, (place, *_) in TABLE.items()},
    listed_by="wordorder list metrics",
)
FULL_NAMES = {name: row[1] for name, row in TABLE.items()}
NAMED = {name: row[2] for name, row in TABLE.items() if len(row) > 2}
# Whose names are spelt out where a page says them first.
_SPELT_OUT = ("frs", "wer", "per", "cder", "ter", "gtm")


def called(name: str) -> str:
    """Return what tables and sentences call a metric; its own name if it has no other.

    Parameters
    ----------
    name : str
        ``frs``, or with options: ``cder(penalty=mean)``.

    Examples
    --------
    >>> called("frs"), called("cder(penalty=mean)"), called("pet")
    ('FRS', 'CDER(penalty=mean)', 'pet')
    """
    known, bracket, options = name.partition("(")
    return f"{NAMED.get(known, known)}{bracket}{options}"


def spelt_out(name: str) -> str:
    """Return the name with what it is short for, for the first time that a page says it.

    Examples
    --------
    >>> spelt_out("frs"), spelt_out("bleu"), spelt_out("mix(frs:1)")
    ('fuzzy reordering score (FRS)', 'BLEU', 'mix(frs:1)')
    """
    return f"{FULL_NAMES[name]} ({called(name)})" if name in _SPELT_OUT else called(name)
