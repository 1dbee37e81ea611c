"""Look up and create metrics by name: without options, with options, or in a weighted sum."""

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
    # Imported late elsewhere too: `contract` imports numpy, which is slow.
    from wordorder.metrics.contract import BaseMetric, Metric

    MakeMetric = Callable[..., BaseMetric]

# Metrics that need options, so they are not among the metrics for all files.
_NEEDS_OPTIONS = ("mix", "label-f1")

# https://universaldependencies.org/u/dep, version 2.
UNIVERSAL_RELATIONS = frozenset(
    """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
    dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis
    punct reparandum root vocative xcomp
    """.split()
)

_SUBTYPE = re.compile(r"[a-z]+", re.ASCII)

_WEIGHT = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*\*\s*", re.ASCII)

_SIGN = re.compile(r"\s*([+-])\s*")

# After a hyphen there is a letter: "frs-boundary", but "frs-0.5*per" is a difference. After a colon
# there is the subtype of a relation: "nsubj:pass".
_METRIC_NAME = re.compile(
    r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z_][A-Za-z0-9_]*)*(?::[A-Za-z]+)?", re.ASCII
)

# The maximum nesting of metrics in the options of metrics.
_MAX_DEPTH = 8

_FORMULA_EXAMPLE = 'the weighted sum "0.6*cder + 0.4*per(option=value)"'

# name -> (module and class, full name[, display name if it differs from the name])
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
DISPLAY_NAMES = {name: row[2] for name, row in TABLE.items() if len(row) > 2}

# Metrics whose full name is added where a page mentions them first.
_EXPLAINED_NAMES = ("frs", "wer", "per", "cder", "ter", "gtm")

_MIX_NAME = re.compile(r"mix\(formula=([^,]*).*\)")


class MetricRegistry(Registry):
    """The metrics by name; the name of a relation is the F1 of the arcs with that label.

    Examples
    --------
    >>> from wordorder.metrics import METRICS
    >>> METRICS.load("nsubj")().signature().metric
    'nsubj'
    """

    def load(self, name: str) -> MakeMetric:
        """Import the class or function that creates the metric called `name`.

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
            return _bind_label(super().load("label-f1"), name)
        # List the relations in the message only if the name is similar to one.
        similar_relations = get_close_matches(
            name.lower().partition(":")[0], UNIVERSAL_RELATIONS, n=1, cutoff=0.7
        )
        raise self.unknown(name, *(UNIVERSAL_RELATIONS if similar_relations else ()))

    def spelling(self, name: str) -> str:
        """Return the registered spelling of a name in any case; the name itself if it is unknown.

        Examples
        --------
        >>> from wordorder.metrics import METRICS
        >>> METRICS.spelling("BLEU"), METRICS.spelling("NSubj:Pass"), METRICS.spelling("Foo")
        ('bleu', 'nsubj:pass', 'Foo')
        """
        name = str(name)
        lower_name = name.lower()
        # Built-in names first: the search for installed packages is slow.
        for names in (self.built_in, self.installed):
            if name in names:
                return name
            if lower_name in names:
                return lower_name
        name_of_lower = {
            installed_name.lower(): installed_name for installed_name in self.installed
        }
        return lower_name if is_relation(lower_name) else name_of_lower.get(lower_name, name)

    def make(self, name: str, *arguments: Any, **options: Any) -> BaseMetric:
        """Return the metric called `name`, with its options by keyword."""
        from wordorder.metrics.contract import complete_metric

        return complete_metric(super().make(self.spelling(name), *arguments, **options))

    def converted(self, name: str, options: Mapping[str, Any]) -> BaseMetric:
        """Return the metric called `name`; options may be text, such as ``"yes"`` or ``"4"``."""
        from wordorder.metrics.contract import parse_options

        return self.make(name, **parse_options(name, self.load(name), options))

    def check_part(self, part: Any) -> Any:
        """Return a plug-in's class or function; a class gets all attributes of `BaseMetric`."""
        from wordorder.metrics.contract import COLUMNS, complete_class

        make = super().check_part(part)
        # Fail here if it has no readable signature, which is needed for its options.
        signature(make)
        if isinstance(make, type):
            make = complete_class(make)
            if not isinstance(make.columns, tuple) or not set(make.columns) <= set(COLUMNS):
                raise UsageError(f"its columns are {make.columns!r}; legal ones: {COLUMNS}")
        return make


def _bind_label(make: MakeMetric, label: str) -> MakeMetric:
    """Return a function that creates the F1 of one label."""

    def make_with_label(
        *, head: str = "match", subtypes: str = "keep", punctuation: str = "include"
    ) -> BaseMetric:
        return make(label=label, head=head, subtypes=subtypes, punctuation=punctuation)

    return make_with_label


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
        If it does not compare orders; the message lists the metrics that do.
    """
    from wordorder.metrics.contract import complete_metric

    completed_metric: BaseMetric = complete_metric(
        metric(metric_or_name) if isinstance(metric_or_name, str) else metric_or_name
    )
    if set(completed_metric.columns) != {"permutation"}:
        names = ", ".join(sorted(metrics_for({"permutation"})))
        raise UsageError(f"{completed_metric.name} does not compare orders; legal names: {names}")
    return completed_metric


def called(name: str) -> str:
    """Return the name of a metric in tables and sentences.

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
        return _METRIC_NAME.sub(lambda match: DISPLAY_NAMES.get(match[0], match[0]), formula)
    metric_name, bracket, options = name.partition("(")
    return f"{DISPLAY_NAMES.get(metric_name, metric_name)}{bracket}{options}"


def formula_of(name: str) -> str:
    """Return the formula in the name of a weighted sum; other names are returned unchanged.

    Examples
    --------
    >>> formula_of("mix(formula=0.5*cder + 0.5*per,better=lower)"), formula_of("mix")
    ('0.5*cder + 0.5*per', 'mix')
    """
    match = _MIX_NAME.fullmatch(name)
    return match[1] if match else name


def spelt_out(name: str) -> str:
    """Return the display name of a metric, with its full name if that needs an explanation.

    Examples
    --------
    >>> spelt_out("frs"), spelt_out("bleu"), spelt_out("mix(frs:1)")
    ('fuzzy reordering score (FRS)', 'BLEU', 'mix(frs:1)')
    """
    return f"{FULL_NAMES[name]} ({called(name)})" if name in _EXPLAINED_NAMES else called(name)


def metric(name: str, **options: Any) -> BaseMetric:
    """Create a metric by name.

    Parameters
    ----------
    name : str
        A name of ``wordorder list metrics``, in any case (``"BLEU"``), optionally with options in
        parentheses (``"cder(penalty=length)"``); a weighted sum (``"0.6*cder+0.4*per"``); or a
        relation of Universal Dependencies (``"nsubj"``), which stands for its F1.
    options
        The metric's options by keyword; values may be text, such as ``"yes"`` or ``"4"``.

    Returns
    -------
    BaseMetric

    Raises
    ------
    UsageError
        If the name, an option or a value is unknown; the message lists similar ones.

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
    """Return the names of the metrics that read only these columns, without the slow ones.

    Parameters
    ----------
    columns : names among "permutation", "text", "lines", "links", "gold" and "trees"
        The columns of `wordorder.segments.Segments`; ``gold``: gold alignments for comparison.

    Warns
    -----
    note
        If a metric of another package cannot be used; it is skipped.

    Examples
    --------
    >>> metrics_for({"gold"})
    ['aer', 'precision', 'recall']
    """
    names = []
    for name in METRICS.names():
        if name in _NEEDS_OPTIONS:
            continue
        try:
            instance = metric(name)
        except UsageError as error:
            if name in METRICS.built_in:
                raise
            METRICS.note_unusable(name, error)
            continue
        if set(instance.columns) <= set(columns) and not instance.slow:
            names.append(name)
    return names


def is_relation(name: str) -> bool:
    """Return whether a name is a relation of Universal Dependencies, with or without a subtype.

    Examples
    --------
    >>> is_relation("nsubj"), is_relation("nsubj:pass"), is_relation("sbj"), is_relation("root:")
    (True, True, False, False)
    """
    label, colon, subtype = name.partition(":")
    return label in UNIVERSAL_RELATIONS and (not colon or _SUBTYPE.fullmatch(subtype) is not None)


def is_formula(text: str) -> bool:
    """Return whether the name of a metric is a weighted sum, which ``mix`` computes.

    Examples
    --------
    >>> is_formula("0.6*cder+0.4*per"), is_formula("frs-boundary")
    (True, False)
    """
    return _WEIGHT.match(text.lstrip("+- \t")) is not None


def refuse_bare_sum(name: str) -> None:
    """Raise a UsageError if a name is a sum of metrics without weights."""
    members = name.split("+")
    if len(members) < 2:
        return
    names = METRICS.names()
    if name not in names and all(METRICS.spelling(m.strip()) in names for m in members):
        weighted = "+".join(f"1*{member.strip()}" for member in members)
        raise UsageError(f"-m={name}: the metrics of a sum have weights: {weighted}")


def is_plain_name(text: str) -> bool:
    """Return whether text has the form of a metric's name without options.

    Examples
    --------
    >>> is_plain_name("BLEU"), is_plain_name("cder(penalty=length)"), is_plain_name("frs+ulam")
    (True, False, False)
    """
    return _METRIC_NAME.fullmatch(text) is not None


def split_names(text: str) -> list[str]:
    """Split a list of metrics at commas outside parentheses.

    Raises
    ------
    UsageError
        If a parenthesis is not closed, or closed without having been opened.

    Examples
    --------
    >>> split_names("frs, cder(penalty=length,direction=max), 0.6*cder+0.4*per")
    ['frs', 'cder(penalty=length,direction=max)', '0.6*cder+0.4*per']
    """
    pieces, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if character == "," and depth == 0:
            pieces.append(text[start:index])
            start = index + 1
    if depth != 0:
        raise UsageError(f"parentheses do not match in {text!r}")
    return [piece.strip() for piece in [*pieces, text[start:]]]


def named_metric(text: str) -> BaseMetric:
    """Create a metric from its name with options in parentheses.

    Raises
    ------
    UsageError
        If the text does not have the form ``name`` or ``name(option=value,...)``, or the metric or
        an option is unknown.

    Examples
    --------
    >>> print(named_metric("frs(ties=rank)").signature())
    frs|match:index|ties:rank|average:segment|degenerate:standard|few:zero|v:1.0.0rc1
    """
    stripped = text.strip()
    parsed_metric, end = _parse_metric(stripped, 0)
    if end != len(stripped):
        raise UsageError(f"unexpected {stripped[end:]!r} after the metric in {text!r}")
    return parsed_metric


def weighted_metrics(formula: str) -> list[tuple[float, BaseMetric]]:
    """Parse a weighted sum of metrics.

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
        If the text is not a formula; the message has the position of the first error.

    Examples
    --------
    >>> [(weight, metric.name) for weight, metric in weighted_metrics("0.6*frs - 0.4*kendall")]
    [(0.6, 'frs'), (-0.4, 'kendall')]
    """
    return [(weight, member) for weight, _, member in _parse_terms(formula)]


def weighted_names(formula: str) -> list[tuple[float, str]]:
    """Parse a weighted sum of metrics; return weights and the names as written.

    Examples
    --------
    >>> weighted_names("0.6*cder(penalty=length) - 0.4*per")
    [(0.6, 'cder(penalty=length)'), (-0.4, 'per')]
    """
    return [(weight, name) for weight, name, _ in _parse_terms(formula)]


def _parse_terms(formula: str) -> list[tuple[float, str, BaseMetric]]:
    """Return weight, name and metric of each term."""
    terms: list[tuple[float, str, BaseMetric]] = []
    index = 0
    while not terms or formula[index:].strip():
        sign = _SIGN.match(formula, index)
        if terms and sign is None:
            raise _formula_error(formula, index, "+ or -")
        index = sign.end() if sign else index
        weight_match = _WEIGHT.match(formula, index)
        if weight_match is None:
            raise _formula_error(formula, index, "number*name")
        weight = float(weight_match.group().strip(" \t*"))
        if not isfinite(weight):
            raise UsageError(f"{weight_match.group().strip()} is too large a weight in {formula!r}")
        member, index = _parse_metric(formula, weight_match.end())
        signed_weight = -weight if sign and sign.group(1) == "-" else weight
        terms.append((signed_weight, formula[weight_match.end() : index].strip(), member))
    return terms


def _parse_metric(text: str, index: int) -> tuple[BaseMetric, int]:
    """Create the metric whose name starts at `index`; return it and the index after it."""
    name = _METRIC_NAME.match(text, index)
    if name is None:
        raise _formula_error(text, index, "the name of a metric")
    index = name.end()
    if text[index : index + 1] != "(":
        return METRICS.converted(name.group(), {}), index
    closing = _find_closing(text, index)
    options: dict[str, str] = {}
    for assignment in split_names(text[index + 1 : closing]):
        option, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals or not option or not value:
            raise UsageError(
                f"{assignment!r} in {text!r}: options are option=value, joined by commas"
            )
        if option in options:
            raise UsageError(f"option {option!r} is listed twice in {text!r}")
        options[option] = value
    return METRICS.converted(name.group(), options), closing + 1


def _find_closing(text: str, opening: int) -> int:
    """Return the index of the parenthesis that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index
        if depth > _MAX_DEPTH:
            raise UsageError(f"more than {_MAX_DEPTH} parentheses inside each other in a formula")
    raise UsageError(f"a parenthesis is not closed in {text!r}")


def _formula_error(text: str, index: int, expected: str) -> UsageError:
    rest = repr(text[index:]) if text[index:].strip() else "the end"
    return UsageError(f"{rest} in {text!r}; expected {expected}, as in {_FORMULA_EXAMPLE}")
