"""The metrics that are installed, by name: plain, with options, or in a weighted sum."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from inspect import signature
from math import isfinite
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError
from wordorder.registry import Registry

if TYPE_CHECKING:
    # What makes metrics loads their contract, and the contract numpy: only where one is asked for.
    from wordorder.metrics.contract import BaseMetric, Metric

    MakeMetric = Callable[..., BaseMetric]

# What these measure, only their options say.
_UNSAID = ("mix", "label-f1")

# https://universaldependencies.org/u/dep, version 2.
RELATIONS = frozenset(
    """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
    dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis
    punct reparandum root vocative xcomp
    """.split()
)

_SUBTYPE = re.compile(r"[a-z]+", re.ASCII)

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*\*\s*", re.ASCII)

_SIGN = re.compile(r"\s*([+-])\s*")

# A part behind a hyphen begins with a letter: "frs-boundary", but "frs-0.5*per" is a difference.
# A colon is followed by the subtype of a relation: "nsubj:pass".
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z_][A-Za-z0-9_]*)*(?::[A-Za-z]+)?", re.ASCII)

# Metrics inside metrics inside metrics: nobody needs more.
_DEEPEST = 8

_FORM = 'the weighted sum "0.6*cder + 0.4*per(option=value)"'

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
    "anticipation": ("link_metrics:Anticipation", "anticipation rate"),
    "non-monotonicity": ("link_metrics:NonMonotonicity", "distance of links from the diagonal"),
    "unaligned": ("link_metrics:Unaligned", "share of words without a link"),
    "synchrony": ("link_metrics:Synchrony", "rank correlation of linked positions"),
    "aer": ("link_metrics:AlignmentErrorRate", "alignment error rate"),
    "precision": ("link_metrics:AlignmentPrecision", "precision of links"),
    "recall": ("link_metrics:AlignmentRecall", "recall of links"),
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

FULL_NAMES = {name: row[1] for name, row in TABLE.items()}
NAMED = {name: row[2] for name, row in TABLE.items() if len(row) > 2}

# Whose names are spelt out where a page says them first.
_SPELT_OUT = ("frs", "wer", "per", "cder", "ter", "gtm")

_LABELLED_SUM = re.compile(r"mix\(formula=([^,]*).*\)")


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
            If the name is unknown (the message lists similar ones), or its package is broken.
        """
        name = self.spelling(name)
        if name in self.built_in or name in self.installed:
            make: MakeMetric = super().load(name)
            return make
        if is_relation(name):
            return _label_f1(super().load("label-f1"), name)
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
        for names in (self.built_in, self.installed):
            if name in names:
                return name
            if small in names:
                return small
        by_letters = {name_installed.lower(): name_installed for name_installed in self.installed}
        return small if is_relation(small) else by_letters.get(small, name)

    def make(self, name: str, *arguments: Any, **options: Any) -> BaseMetric:
        """Return the metric called `name`, with its options by keyword."""
        from wordorder.metrics.contract import complete_metric

        return complete_metric(super().make(self.spelling(name), *arguments, **options))

    def converted(self, name: str, options: Mapping[str, Any]) -> BaseMetric:
        """Return the metric called `name`; text is taken for numbers and switches too."""
        from wordorder.metrics.contract import parse_options

        return self.make(name, **parse_options(name, self.load(name), options))

    def checked(self, part: Any) -> Any:
        """Return a class of another package with everything that `BaseMetric` declares."""
        from wordorder.metrics.contract import COLUMNS, complete_class

        make = super().checked(part)
        # Its options are looked up there.
        signature(make)
        if isinstance(make, type):
            make = complete_class(make)
            if not isinstance(make.columns, tuple) or not set(make.columns) <= set(COLUMNS):
                raise UsageError(f"its columns are {make.columns!r}; legal ones: {COLUMNS}")
        return make


def _label_f1(make: MakeMetric, label: str) -> MakeMetric:
    """Return what makes the F1 of one label."""

    def made(
        *, head: str = "match", subtypes: str = "keep", punctuation: str = "include"
    ) -> BaseMetric:
        return make(label=label, head=head, subtypes=subtypes, punctuation=punctuation)

    return made


METRICS = MetricRegistry(
    "metric",
    "wordorder.metrics",
    {name: f"wordorder.metrics.{place}" for name, (place, *_) in TABLE.items()},
    listed_by="wordorder list metrics",
)


def order_metric(metric_or_name: Metric | str) -> BaseMetric:
    """Return a metric that compares orders.

    Raises
    ------
    UsageError
        If it does not; the message lists those that do.
    """
    from wordorder.metrics.contract import complete_metric

    completed_metric: BaseMetric = complete_metric(
        metric(metric_or_name) if isinstance(metric_or_name, str) else metric_or_name
    )
    if set(completed_metric.columns) != {"permutation"}:
        legal = ", ".join(sorted(metrics_for({"permutation"})))
        raise UsageError(f"{completed_metric.name} does not compare orders; legal names: {legal}")
    return completed_metric


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
    >>> called("mix(formula=0.5*cder + 0.5*per,better=lower)")
    '0.5*CDER + 0.5*PER'
    """
    if (formula := formula_of(name)) != name:
        return _NAME.sub(lambda match: NAMED.get(match[0], match[0]), formula)
    metric_name, bracket, options = name.partition("(")
    return f"{NAMED.get(metric_name, metric_name)}{bracket}{options}"


def formula_of(name: str) -> str:
    """Return the formula of a weighted sum that is named by it, and any other name as it is.

    Examples
    --------
    >>> formula_of("mix(formula=0.5*cder + 0.5*per,better=lower)"), formula_of("mix")
    ('0.5*cder + 0.5*per', 'mix')
    """
    match = _LABELLED_SUM.fullmatch(name)
    return match[1] if match else name


def spelt_out(name: str) -> str:
    """Return the name with what it is short for, for the first time that a page says it.

    Examples
    --------
    >>> spelt_out("frs"), spelt_out("bleu"), spelt_out("mix(frs:1)")
    ('fuzzy reordering score (FRS)', 'BLEU', 'mix(frs:1)')
    """
    return f"{FULL_NAMES[name]} ({called(name)})" if name in _SPELT_OUT else called(name)


def metric(name: str, **options: Any) -> BaseMetric:
    """Make a metric by name.

    Parameters
    ----------
    name : str
        As ``wordorder list metrics`` shows it, in any case (``"BLEU"``), perhaps with options in
        parentheses, ``"cder(penalty=length)"``; or a weighted sum, ``"0.6*cder+0.4*per"``; or a
        relation of Universal Dependencies, whose F1 is meant: ``nsubj``.
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
    'frs|match:index|ties:rank|average:segment|degenerate:standard|few:zero|v:1.0.0rc1'
    """
    if isinstance(name, str) and not set(name).isdisjoint("*+("):
        if is_formula(name):
            return metric("mix", formula=name, **options)
        refuse_bare_sum(name)
        if options:
            raise UsageError(f"{name}: options go into its parentheses, or all beside the name")
        return named_metric(name)
    return METRICS.converted(name, options)


def metrics_for(columns: Collection[str]) -> list[str]:
    """Return the names of the metrics that read no more than some columns, without the slow ones.

    Parameters
    ----------
    columns : names among "permutation", "text", "lines", "links", "gold" and "trees"
        As `wordorder.segments.Segments` has them; ``gold``: gold alignments to be compared with.

    Warns
    -----
    note
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
            instance = metric(name)
        except UsageError as error:
            if name in METRICS.built_in:
                raise
            METRICS.pass_over(name, error)
            continue
        if set(instance.columns) <= set(columns) and not instance.slow:
            served.append(name)
    return served


def is_relation(name: str) -> bool:
    """Say whether a name is a relation of Universal Dependencies, with or without a subtype.

    Examples
    --------
    >>> is_relation("nsubj"), is_relation("nsubj:pass"), is_relation("sbj"), is_relation("root:")
    (True, True, False, False)
    """
    label, colon, subtype = name.partition(":")
    return label in RELATIONS and (not colon or _SUBTYPE.fullmatch(subtype) is not None)


def is_formula(text: str) -> bool:
    """Say whether text that names a metric is a weighted sum, to be given to ``mix``.

    Examples
    --------
    >>> is_formula("0.6*cder+0.4*per"), is_formula("frs-boundary")
    (True, False)
    """
    return _NUMBER.match(text.lstrip("+- \t")) is not None


def refuse_bare_sum(name: str) -> None:
    """Raise a UsageError for metrics that are joined by signs without their weights."""
    members = name.split("+")
    if len(members) < 2:
        return
    legal = METRICS.names()
    if name not in legal and all(METRICS.spelling(m.strip()) in legal for m in members):
        weighted = "+".join(f"1*{member.strip()}" for member in members)
        raise UsageError(f"-m={name}: the metrics of a sum have weights: {weighted}")


def is_plain_name(text: str) -> bool:
    """Say whether text may be the name of one metric, without options.

    Examples
    --------
    >>> is_plain_name("BLEU"), is_plain_name("cder(penalty=length)"), is_plain_name("frs+ulam")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def split_names(text: str) -> list[str]:
    """Split a list of metrics at the commas outside of parentheses.

    Raises
    ------
    UsageError
        If a parenthesis is not closed, or closed without having been opened.

    Examples
    --------
    >>> split_names("frs, cder(penalty=length,direction=max), 0.6*cder+0.4*per")
    ['frs', 'cder(penalty=length,direction=max)', '0.6*cder+0.4*per']
    """
    pieces, depth, begin = [], 0, 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if character == "," and depth == 0:
            pieces.append(text[begin:place])
            begin = place + 1
    if depth != 0:
        raise UsageError(f"parentheses do not match in {text!r}")
    return [piece.strip() for piece in [*pieces, text[begin:]]]


def named_metric(text: str) -> BaseMetric:
    """Make the metric that a name with options in parentheses denotes.

    Raises
    ------
    UsageError
        If the text is not of the form ``name`` or ``name(option=value,...)``, or the metric does
        not exist or does not take the options.

    Examples
    --------
    >>> print(named_metric("frs(ties=rank)").signature())
    frs|match:index|ties:rank|average:segment|degenerate:standard|few:zero|v:1.0.0rc1
    """
    stripped = text.strip()
    parsed, place = _metric_at(stripped, 0)
    if place != len(stripped):
        raise UsageError(f"unexpected {stripped[place:]!r} after the metric in {text!r}")
    return parsed


def weighted_metrics(formula: str) -> list[tuple[float, BaseMetric]]:
    """Read a weighted sum of metrics.

    Parameters
    ----------
    formula : str
        Terms ``number*name`` or ``number*name(option=value,...)``, joined by ``+`` or ``-``.

    Returns
    -------
    list of (weight, BaseMetric)

    Raises
    ------
    UsageError
        If the text is anything else; the message says where it stops to be a formula.

    Examples
    --------
    >>> [(weight, metric.name) for weight, metric in weighted_metrics("0.6*frs - 0.4*kendall")]
    [(0.6, 'frs'), (-0.4, 'kendall')]
    """
    return [(weight, member) for weight, _, member in _terms(formula)]


def weighted_names(formula: str) -> list[tuple[float, str]]:
    """Read a weighted sum of metrics as `weighted_metrics` does; return the names as written.

    Examples
    --------
    >>> weighted_names("0.6*cder(penalty=length) - 0.4*per")
    [(0.6, 'cder(penalty=length)'), (-0.4, 'per')]
    """
    return [(weight, name) for weight, name, _ in _terms(formula)]


def _terms(formula: str) -> list[tuple[float, str, BaseMetric]]:
    """Return weight, name and metric of each term."""
    terms: list[tuple[float, str, BaseMetric]] = []
    place = 0
    while not terms or formula[place:].strip():
        sign = _SIGN.match(formula, place)
        if terms and sign is None:
            raise _formula_error(formula, place, "+ or -")
        place = sign.end() if sign else place
        number = _NUMBER.match(formula, place)
        if number is None:
            raise _formula_error(formula, place, "number*name")
        weight = float(number.group().strip(" \t*"))
        if not isfinite(weight):
            raise UsageError(f"{number.group().strip()} is too large a weight in {formula!r}")
        member, place = _metric_at(formula, number.end())
        signed = -weight if sign and sign.group(1) == "-" else weight
        terms.append((signed, formula[number.end() : place].strip(), member))
    return terms


def _metric_at(text: str, place: int) -> tuple[BaseMetric, int]:
    """Make the metric that is named at a place; return it and where the text goes on."""
    name = _NAME.match(text, place)
    if name is None:
        raise _formula_error(text, place, "the name of a metric")
    place = name.end()
    if text[place : place + 1] != "(":
        return METRICS.converted(name.group(), {}), place
    stop = _closing(text, place)
    options: dict[str, str] = {}
    for setting in split_names(text[place + 1 : stop]):
        option, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not option or not value:
            raise UsageError(f"{setting!r} in {text!r}: options are option=value, joined by commas")
        if option in options:
            raise UsageError(f"option {option!r} is listed twice in {text!r}")
        options[option] = value
    return METRICS.converted(name.group(), options), stop + 1


def _closing(text: str, opening: int) -> int:
    """Return the place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
        if depth > _DEEPEST:
            raise UsageError(f"more than {_DEEPEST} parentheses inside each other in a formula")
    raise UsageError(f"a parenthesis is not closed in {text!r}")


def _formula_error(text: str, place: int, expected: str) -> UsageError:
    text_there = repr(text[place:]) if text[place:].strip() else "the end"
    return UsageError(f"{text_there} in {text!r}; expected {expected}, as in {_FORM}")
