"""The metrics that are installed, by name."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError
from wordorder.metrics.trees.relations import RELATIONS, is_relation
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


FULL_NAMES = {
    "frs": "fuzzy reordering score",
    "frs-boundary": "fuzzy reordering score with boundaries",
    "kendall": "Kendall's tau",
    "kendall-sqrt": "Kendall's tau with a square root",
    "spearman": "Spearman's rho",
    "hamming": "Hamming score",
    "ulam": "Ulam score",
    "exact": "exact match",
    "pet": "nodes of the permutation tree",
    "pets": "number of permutation trees",
    "maxop": "largest operator of the permutation tree",
    "pef-recursive": "recursive score of the permutation forest",
    "tree-cost": "cost of the permutation tree",
    "wer": "word error rate",
    "per": "position-independent error rate",
    "cder": "cover disjoint error rate",
    "long-jump": "long jump distance",
    "inversion-wer": "word error rate with inversions",
    "ter": "translation edit rate",
    "bleu": "bilingual evaluation understudy",
    "chrf": "character n-gram F-score",
    "bleu-s": "smoothed BLEU of segments",
    "f1": "F1 of words",
    "gtm": "general text matcher",
    "nist": "NIST score",
    "ribes": "rank-based intuitive bilingual evaluation score",
    "lrscore": "lexical and reordering score",
    "lr-hb1": "LRscore of Hamming distance and BLEU-1",
    "lr-hb4": "LRscore of Hamming distance and BLEU-4",
    "lr-kb1": "LRscore of Kendall's distance and BLEU-1",
    "lr-kb4": "LRscore of Kendall's distance and BLEU-4",
    "senscore": "F1 of words and a score of their order",
    "meteor": "metric for evaluation of translation with explicit ordering",
    "mix": "weighted sum of metrics",
    "anticipation": "anticipation rate",
    "non-monotonicity": "distance of links from the diagonal",
    "unaligned": "share of words without a link",
    "synchrony": "rank correlation of linked positions",
    "aer": "alignment error rate",
    "precision": "precision of links",
    "recall": "recall of links",
    "uas": "unlabelled attachment score",
    "las": "labelled attachment score",
    "uem": "unlabelled exact match",
    "root-f1": "F1 of roots",
    "label-f1": "F1 of the arcs with one label",
    "als": "arc-length score",
    "als-labelled": "labelled arc-length score",
    "upos": "accuracy of universal tags",
    "xpos": "accuracy of language-specific tags",
}

# Names that are abbreviations: what they are short for.
_LONG = {
    "frs": ("FRS", "fuzzy reordering score"),
    "wer": ("WER", "word error rate"),
    "per": ("PER", "position-independent error rate"),
    "cder": ("CDER", "cover disjoint error rate"),
    "ter": ("TER", "translation edit rate"),
    "gtm": ("GTM", "general text matcher"),
    "bleu": ("BLEU", ""),
    "chrf": ("chrF", ""),
    "inversion-wer": ("inversion WER", ""),
    "long-jump": ("long jump distance", ""),
    "kendall": ("Kendall's tau", ""),
    "spearman": ("Spearman's rho", ""),
    "ulam": ("Ulam score", ""),
    "hamming": ("Hamming score", ""),
    "exact": ("exact match", ""),
}

NAMED = {name: shown for name, (shown, _) in _LONG.items()}


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
    return f"{_LONG.get(known, (known,))[0]}{bracket}{options}"


def spelt_out(name: str) -> str:
    """Return the name with what it is short for, for the first time that a page says it.

    Examples
    --------
    >>> spelt_out("frs"), spelt_out("bleu"), spelt_out("mix(frs:1)")
    ('fuzzy reordering score (FRS)', 'BLEU', 'mix(frs:1)')
    """
    long = _LONG.get(name, ("", ""))[1]
    return f"{long} ({called(name)})" if long else called(name)
