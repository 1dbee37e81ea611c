"""Metrics of dependency trees and tags: attachment, exact match, F1 of arcs, arc lengths."""

import re
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Bool, Float64, Int32, Int64, concat_ranges, row_offsets
from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric, quotient
from wordorder.metrics.options import checked, choice, option_fields
from wordorder.metrics.registry import is_relation
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.treebank.preparation import tagged_as
from wordorder.treebank.treebank import NO_HEAD, NO_VALUE, ROOT, Column, Treebank, has_only_marks

# A label of DEPREL, without `|`, which separates the fields of a signature.
_LABEL = re.compile(r"[^\s|]+")

# Whether punctuation marks count as words: all do; none with the tag PUNCT; none of that form.
PUNCTUATION_RULES = ("include", "exclude", "exclude-form")
_PUNCTUATION_TAG = "PUNCT"

# The universal tags except PUNCT; for any other tag, the form decides.
_OTHER_UNIVERSAL_TAGS = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN SCONJ SYM VERB X".split()
)

SUBTYPES = ("keep", "drop")


@dataclass(kw_only=True, eq=False, repr=False)
class TreeMetric(BaseMetric):
    """A metric that compares dependency trees or tags with gold ones of the same words.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        Which words count. "include": all. "exclude": not those with the gold tag PUNCT or, if UPOS
        is not a universal tag, those that consist of punctuation marks. "exclude-form": not those
        that consist of punctuation marks, whatever their tag (CoNLL-X).

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    """

    columns = ("trees",)
    punctuation: str = choice(*PUNCTUATION_RULES)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature fields of the options that only this metric has."""
        return option_fields(self, TreeMetric)

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("punctuation", self.punctuation)))

    def counted_words(self, segments: Segments) -> Bool:
        """Return which words count, bool[N]."""
        rule = self.punctuation
        return segments.derived(
            ("counted words", rule), lambda: find_counted_words(segments.trees.gold, rule)
        )

    def has_words(self, segments: Segments) -> Float64:
        """Return 1 for each sentence with words and 0 for others, float64[S].

        A sentence without words (a block of comments, a blank line that was parsed) is left out:
        all its statistics are 0.
        """
        return (np.diff(segments.trees.offsets) > 0).astype(np.float64)


class ShareMetric(TreeMetric):
    """A weighted share of words that are right."""

    @abstractmethod
    def right_words(self, segments: Segments) -> Bool:
        """Return which words are right, bool[N]."""

    def weights(self, segments: Segments) -> Bool | Int64:
        """Return the weight of each word, bool[N] or int64[N]; by default whether it counts."""
        return self.counted_words(segments)

    def statistics(self, segments: Segments) -> Float64:
        """Return the weight of right words, of all words, and 1, float64[S, 3].

        A sentence without words has zeros.
        """
        offsets = segments.trees.offsets
        weights = self.weights(segments)
        counts = (
            sum_rows(weights * self.right_words(segments), offsets),
            sum_rows(weights, offsets),
        )
        return np.stack([*counts, self.has_words(segments)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the share of right words, float64[...]; 1 if no word counts."""
        return quotient(totals[..., 0], totals[..., 1], (totals[..., 2] > 0).astype(np.float64))


class UnlabelledAttachment(ShareMetric):
    """Share of words that have the right head.

    The words of a corpus are pooled, as in the shared tasks (Buchholz and Marsi 2006). The
    artificial root counts as a head.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        Which words count. "include": all. "exclude": not those with the gold tag PUNCT or, if UPOS
        is not a universal tag, those that consist of punctuation marks. "exclude-form": not those
        that consist of punctuation marks, whatever their tag (CoNLL-X).

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence in which no word counts scores 1; a sentence without words is left out. Time is
    linear in the number of words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["Dogs", "bark", "at", "night", "."]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0, 4, 2, 2]])
    >>> system = Treebank.from_words(words, heads=[[2, 0, 2, 3, 2]])
    >>> segments = Segments.from_treebanks(system, gold)
    >>> UnlabelledAttachment().segment_scores(segments)
    array([0.6])
    >>> UnlabelledAttachment(punctuation="exclude").segment_scores(segments)
    array([0.5])
    """

    name = "uas"

    def right_words(self, segments: Segments) -> Bool:
        """Return which words have the right head, bool[N]."""
        return find_right_heads(segments)


@dataclass(kw_only=True, eq=False, repr=False)
class LabelledAttachment(ShareMetric):
    """Share of words that have the right head and the right label.

    The words of a corpus are pooled, as in the shared tasks (Buchholz and Marsi 2006).

    Parameters
    ----------
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` differs from ``nsubj``; the shared tasks on Universal Dependencies
        drop subtypes (Zeman et al. 2018).
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence in which no word counts scores 1; a sentence without words is left out. Time is
    linear in the number of words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words, heads = [["It", "was", "eaten"]], [[3, 3, 0]]
    >>> gold = Treebank.from_words(words, heads=heads, label=[["nsubj:pass", "aux:pass", "root"]])
    >>> system = Treebank.from_words(words, heads=heads, label=[["nsubj", "cop", "root"]])
    >>> segments = Segments.from_treebanks(system, gold)
    >>> LabelledAttachment().segment_scores(segments).round(2)
    array([0.33])
    >>> LabelledAttachment(subtypes="drop").segment_scores(segments).round(2)
    array([0.67])
    """

    name = "las"
    subtypes: str = choice(*SUBTYPES)

    def right_words(self, segments: Segments) -> Bool:
        """Return which words have the right head and label, bool[N]."""
        return find_right_heads(segments) & find_right_labels(segments, self.subtypes)


class UnlabelledExactMatch(TreeMetric):
    """Share of sentences in which every word has the right head.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence in which no word counts is right; a sentence without words is left out. Time is
    linear in the number of words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["It", "rains"], ["Go", "!"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0], [0, 1]])
    >>> system = Treebank.from_words(words, heads=[[2, 0], [2, 0]])
    >>> UnlabelledExactMatch().segment_scores(Segments.from_treebanks(system, gold))
    array([1., 0.])
    """

    name = "uem"

    def statistics(self, segments: Segments) -> Float64:
        """Return 1 for a right sentence, and 1, float64[S, 2]; zeros without words."""
        error_counts = sum_rows(
            self.counted_words(segments) & ~find_right_heads(segments), segments.trees.offsets
        )
        has_words = self.has_words(segments)
        return np.stack([(error_counts == 0) * has_words, has_words], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the share of right sentences; 0 without sentences."""
        return quotient(totals[..., 0], totals[..., 1])


class ArcMetric(TreeMetric):
    """F1 of certain arcs: the harmonic mean of precision and recall."""

    @abstractmethod
    def arcs(self, segments: Segments) -> tuple[Bool, Bool, Bool]:
        """Return which words have such an arc in the system, in the gold tree, and in both.

        Returns
        -------
        system, gold, common : bool[N]
        """

    def statistics(self, segments: Segments) -> Float64:
        """Return the number of system arcs, gold arcs, common arcs, and 1, float64[S, 4].

        A sentence without words has zeros.
        """
        offsets = segments.trees.offsets
        counted = self.counted_words(segments)
        columns = [sum_rows(counted & arcs, offsets) for arcs in self.arcs(segments)]
        return np.stack([*columns, self.has_words(segments)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the F1, float64[...]; 1 if neither system nor gold tree has such an arc."""
        empty = (totals[..., 3] > 0).astype(np.float64)
        return quotient(2 * totals[..., 2], totals[..., 0] + totals[..., 1], empty)


class RootF1(ArcMetric):
    """F1 of the arcs from the artificial root.

    Root-F1 of Hall et al. (2011, section 4.2): the harmonic mean of precision and recall over arcs
    from the artificial root, without labels. If all trees have one root, it is the share of
    sentences with the right root.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    The arcs of a corpus are pooled. A sentence without roots in both trees scores 1; a sentence
    without words is left out. Time is linear in the number of words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["It", "rains"], ["Go", "!"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0], [0, 1]])
    >>> system = Treebank.from_words(words, heads=[[2, 0], [0, 0]])
    >>> RootF1().segment_scores(Segments.from_treebanks(system, gold)).round(2)
    array([1.  , 0.67])
    """

    name = "root-f1"

    def arcs(self, segments: Segments) -> tuple[Bool, Bool, Bool]:
        """Return which words are roots in the system, in the gold tree, and in both."""
        system, gold = (heads == ROOT for heads in segments.trees.heads())
        return system, gold, system & gold


def _check_label(option: str, label: object) -> str:
    if not isinstance(label, str) or not label:
        raise UsageError("label-f1 needs a label: label-f1(label=SBJ); or nsubj and its like")
    if _LABEL.fullmatch(label) is None:
        raise UsageError(f"{option} is a label without blanks and '|', not {label!r}")
    return label


@dataclass(kw_only=True, eq=False, repr=False)
class LabelF1(ArcMetric):
    """F1 of the arcs with one label: `nsubj`, or any relation of Universal Dependencies.

    Precision is the share of the system's arcs with the label that are right, recall the share of
    the gold arcs with the label that the system has, and F1 their harmonic mean; an arc is right if
    its head and label are right. Hall et al. (2011, section 4.2) report it for subjects. For
    relations of Universal Dependencies, also with a subtype, the metric has the name of the
    relation: ``metric("nsubj")``; for any other label use ``label-f1(label=SBJ)``.

    Parameters
    ----------
    label : str
    head : "match" or "ignore"
        Whether the head of an arc must be right too, or only its label.
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` differs from ``nsubj``.
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.

    Raises
    ------
    UsageError
        If the label is missing or invalid, a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    The arcs of a corpus are pooled. A sentence in which neither tree has the label scores 1; a
    sentence without words is left out. Time is linear in the number of words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["Who", "came"], ["Dogs", "bark"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0]] * 2, label=[["nsubj", "root"]] * 2)
    >>> labels = [["obj", "root"], ["nsubj", "root"]]
    >>> system = Treebank.from_words(words, heads=[[2, 0]] * 2, label=labels)
    >>> segments = Segments.from_treebanks(system, gold)
    >>> print(LabelF1(label="nsubj").corpus_score(segments))
    0.6667 (nsubj|label:nsubj|head:match|subtypes:keep|punctuation:include|v:1.0.0rc1, 2 segments)
    """

    name = "label-f1"
    label: str = checked("", _check_label)
    head: str = choice("match", "ignore")
    subtypes: str = choice(*SUBTYPES)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.subtypes == "drop" and ":" in self.label:
            raise UsageError(f"label-f1: {self.label} has a subtype, which subtypes=drop forgets")
        if is_relation(self.label):
            self.name = self.label

    def arcs(self, segments: Segments) -> tuple[Bool, Bool, Bool]:
        """Return which words have the label in the system, in the gold tree, and in both."""
        system_codes, gold_codes, code_of_label = get_label_codes(segments, self.subtypes)
        code = code_of_label.get(self.label, -1)
        system, gold = np.equal(system_codes, code), np.equal(gold_codes, code)
        common = system & gold
        return system, gold, common & find_right_heads(segments) if self.head == "match" else common


@dataclass(kw_only=True, eq=False, repr=False)
class ArcLength(ShareMetric):
    """Share of words that have the right head, each weighted by the length of its gold arc.

    ``sum [head of i is right] |i - h_i| / sum |i - h_i|`` for words ``i`` with gold heads ``h_i``
    (Hall et al. 2011, section 4.3). Long arcs, which matter for reordering, have a larger weight.
    The paper prints ``i - h_i`` without absolute values, but then differences would cancel out.

    Parameters
    ----------
    root : "exclude" or "include"
        Whether arcs from the artificial root (position 0) count. Their length is the position of
        the root, not a distance between words.
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.
    average : "micro" or "segment"
        The corpus score. "micro": the lengths of all arcs are pooled. "segment": the mean of the
        sentence scores, as in the paper's formula.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence without arcs that count, such as one of a single word, scores 1 in the mean over
    sentences and adds nothing to pooled lengths. A sentence without words is left out. Time is
    linear in the number of words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["a", "b", "c", "d", "e"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0, 2, 5, 3]])
    >>> system = Treebank.from_words(words, heads=[[2, 0, 2, 3, 3]])
    >>> segments = Segments.from_treebanks(system, gold)
    >>> ArcLength().segment_scores(segments)
    array([0.8])
    >>> ArcLength(root="include").segment_scores(segments).round(3)
    array([0.857])
    """

    name = "als"
    root: str = choice("exclude", "include")
    average: str = choice("micro", "segment")

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature fields without `average`, which comes last in the signature."""
        return tuple(field for field in super().extra_fields() if field[0] != "average")

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        signature = super().signature()
        return (
            signature.with_fields(("average", self.average))
            if self.average != "micro"
            else signature
        )

    def statistics(self, segments: Segments) -> Float64:
        """Return the lengths of right and of all arcs, or score and 1; and 1, float64[S, 3]."""
        counts = super().statistics(segments)
        if self.average == "segment":
            counts[:, 0] = self.score(counts)
            counts[:, 1] = counts[:, 2]
        return counts

    def right_words(self, segments: Segments) -> Bool:
        """Return which words have the right head, bool[N]."""
        return find_right_heads(segments)

    def weights(self, segments: Segments) -> Int64:
        """Return the length of each gold arc that counts, int64[N]; 0 for others."""
        lengths: Int64 = segments.derived("arc lengths", lambda: compute_arc_lengths(segments))
        counted = self.counted_words(segments)
        if self.root == "exclude":
            counted = counted & (segments.trees.heads()[1] != ROOT)
        return np.where(counted, lengths, 0)


def compute_arc_lengths(segments: Segments) -> Int64:
    """Return the distance of each word from its gold head, int64[N]; the root has position 0."""
    positions = concat_ranges(1, np.diff(segments.trees.offsets))
    lengths: Int64 = np.abs(positions - segments.trees.heads()[1])
    return lengths


@dataclass(kw_only=True, eq=False, repr=False)
class LabelledArcLength(ArcLength):
    """Share of words with the right head and label, each weighted by the length of its gold arc.

    Like `als` (Hall et al. 2011, section 4.3), but the label must be right too.

    Parameters
    ----------
    root : "exclude" or "include"
        See `als`.
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` differs from ``nsubj``.
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.
    average : "micro" or "segment"
        See `als`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words, heads = [["We", "ate", "the", "bread"]], [[2, 0, 4, 2]]
    >>> gold = Treebank.from_words(words, heads=heads, label=[["nsubj", "root", "det", "obj"]])
    >>> system = Treebank.from_words(words, heads=heads, label=[["nsubj", "root", "det", "obl"]])
    >>> LabelledArcLength().segment_scores(Segments.from_treebanks(system, gold))
    array([0.5])
    """

    name = "als-labelled"
    subtypes: str = choice(*SUBTYPES)

    def right_words(self, segments: Segments) -> Bool:
        """Return which words have the right head and label, bool[N]."""
        return super().right_words(segments) & find_right_labels(segments, self.subtypes)


def find_counted_words(gold: Treebank, rule: str) -> Bool:
    """Return which words count, bool[N].

    Parameters
    ----------
    gold : Treebank
    rule : "include", "exclude" or "exclude-form"
        "include": all words. "exclude": not those with the tag PUNCT or, without a universal tag,
        those of punctuation marks only. "exclude-form": not those of punctuation marks only.

    Examples
    --------
    >>> gold = Treebank.from_words([["No", "!", "+", "."]], upos=[["INTJ", "PUNCT", "PUNCT", "_"]])
    >>> find_counted_words(gold, "exclude").tolist()
    [True, False, False, False]
    >>> find_counted_words(gold, "exclude-form").tolist()
    [True, False, True, False]
    """
    is_counted = np.ones(gold.words, np.bool_)
    if rule == "include":
        return is_counted
    if rule == "exclude":
        tags = gold.upos.vocabulary.words
        if len(tags):
            is_counted = np.array([tag != _PUNCTUATION_TAG for tag in tags])[gold.upos.codes]
            is_not_universal = np.array(
                [tag != _PUNCTUATION_TAG and tag not in _OTHER_UNIVERSAL_TAGS for tag in tags]
            )
            untagged_words = np.flatnonzero(is_not_universal[gold.upos.codes])
            is_counted[untagged_words] = ~_has_only_marks(gold.form.take(untagged_words))
        return is_counted
    return ~_has_only_marks(gold.form)


def _has_only_marks(forms: Column) -> Bool:
    """Return which words consist of punctuation marks, bool[N]."""
    words = forms.vocabulary.words
    # Check only the forms that occur: the vocabulary may be that of a complete file.
    codes, code_index = np.unique(forms.codes, return_inverse=True)
    only_marks = np.array([has_only_marks(words[code]) for code in codes.tolist()], np.bool_)
    return only_marks[code_index]


class TagAccuracy(ShareMetric):
    """The share of words with the right tag among those with a gold tag."""

    column: str

    def right_words(self, segments: Segments) -> Bool:
        """Return which words have the right tag, bool[N]."""
        return self._compare_tags(segments)[0]

    def weights(self, segments: Segments) -> Bool:
        """Return which words count and have a gold tag, bool[N]."""
        return self.counted_words(segments) & self._compare_tags(segments)[1]

    def statistics(self, segments: Segments) -> Float64:
        """Return the number of words with the right tag, with a gold tag, and 1, float64[S, 3].

        A sentence without gold tags has zeros.
        """
        counts = super().statistics(segments)
        tagged = sum_rows(self._compare_tags(segments)[1], segments.trees.offsets)
        counts[tagged == 0] = 0.0
        return counts

    def _compare_tags(self, segments: Segments) -> tuple[Bool, Bool]:
        """Return which words have the right tag, and which have a gold tag, bool[N] each."""

        def compare() -> tuple[Bool, Bool]:
            system, gold, code_of_tag = segments.trees.codes(self.column)
            return np.equal(system, gold), np.not_equal(gold, code_of_tag.get(NO_VALUE, -1))

        return segments.derived(("right tags", self.column), compare)


class LanguageTagAccuracy(TagAccuracy):
    """Share of words that have the right language-specific tag (XPOS).

    Words without a gold tag (``_``) do not count; a sentence without gold tags is left out.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.

    Notes
    -----
    The words of a corpus are pooled. Time is linear in the number of words. Heads are ignored.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> from wordorder.treebank.treebank import Treebank
    >>> gold = Treebank.from_words([["It", "rains"]], xpos=["PRP VBZ".split()])
    >>> system = Treebank.from_words([["It", "rains"]], xpos=["PRP NNS".split()])
    >>> LanguageTagAccuracy().segment_scores(Segments.from_treebanks(system, gold))
    array([0.5])
    """

    name = "xpos"
    column = "xpos"


class UniversalTagAccuracy(TagAccuracy):
    """Share of words that have the right universal tag (UPOS).

    Words without a gold tag (``_``) do not count; a sentence without gold tags is left out.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        See `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.

    Notes
    -----
    The words of a corpus are pooled. Time is linear in the number of words. Heads are ignored.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> from wordorder.treebank.treebank import Treebank
    >>> gold = Treebank.from_words([["It", "rains"]], upos=["PRON VERB".split()])
    >>> system = Treebank.from_words([["It", "rains"]], upos=["PRON NOUN".split()])
    >>> UniversalTagAccuracy().segment_scores(Segments.from_treebanks(system, gold))
    array([0.5])
    """

    name = "upos"
    column = "upos"


def find_right_heads(segments: Segments) -> Bool:
    """Return which words have the right head, bool[N]."""

    def compare_heads() -> Bool:
        system, gold = segments.trees.heads()
        return np.equal(system, gold)

    return segments.derived("right heads", compare_heads)


def sum_rows(values: Bool | Int64, offsets: Int64) -> Float64:
    """Sum the values of each row, float64[S].

    Examples
    --------
    >>> sum_rows(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    cumulative = row_offsets(values)
    return (cumulative[offsets[1:]] - cumulative[offsets[:-1]]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Imperatives:
    """Which sentences of a treebank are parsed as imperatives.

    Attributes
    ----------
    imperative : bool[S]
        Whether the first word that is not punctuation is a verb and the root.
    counted : bool[S]
        Whether the sentence has a tree and a word that is not punctuation.
    """

    imperative: Bool
    counted: Bool

    @property
    def rate(self) -> float:
        """The share of the counted sentences that are imperatives; 0 without sentences."""
        return int(self.imperative.sum()) / max(int(self.counted.sum()), 1)


def imperatives(treebank: Treebank) -> Imperatives:
    """Find the sentences that start with a verb that is the root of the tree.

    Katz-Brown et al. (2011, section 5.3.2, footnote 5) count them as imperatives, as an
    approximation. Punctuation before the first word is ignored. Verbs are recognised by
    `wordorder.treebank.preparation.tagged_as`.

    Parameters
    ----------
    treebank : Treebank
        A treebank with tags; sentences without trees are not counted.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [['"', "Click", "here"], ["We", "click"]], heads=[[2, 0, 2], [2, 0]],
    ...     upos=[["PUNCT", "VERB", "ADV"], ["PRON", "VERB"]],
    ... )
    >>> result = imperatives(bank)
    >>> result.imperative.tolist(), result.rate
    ([True, False], 0.5)
    """
    sentences = len(treebank)
    sentence_of_word = np.repeat(np.arange(sentences), treebank.lengths)
    words = np.flatnonzero(find_counted_words(treebank, "exclude"))[::-1]
    first_word = np.full(sentences, -1, np.int64)
    # `words` is descending, so that the first word of each sentence is assigned last and remains.
    first_word[sentence_of_word[words]] = words
    headless = np.bincount(sentence_of_word[treebank.heads == NO_HEAD], minlength=sentences) > 0
    counted = (first_word >= 0) & ~headless
    first_words = first_word[counted]
    imperative = np.zeros(sentences, np.bool_)
    imperative[counted] = (treebank.heads[first_words] == ROOT) & tagged_as(treebank, "verb")[
        first_words
    ]
    return Imperatives(imperative, counted)


def universal_part(label: str) -> str:
    """Return a label without its subtype.

    Examples
    --------
    >>> universal_part("nsubj:pass"), universal_part("nsubj")
    ('nsubj', 'nsubj')
    """
    return label.partition(":")[0]


def get_label_codes(segments: Segments, subtypes: str) -> tuple[Int32, Int32, dict[str, int]]:
    """Return the label codes of system and gold tree, int32[N] each, and the code of each label.

    Parameters
    ----------
    segments : Segments
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` differs from ``nsubj``.
    """
    change = universal_part if subtypes == "drop" else None
    return segments.derived(
        ("label codes", subtypes), lambda: segments.trees.codes("label", change)
    )


def find_right_labels(segments: Segments, subtypes: str) -> Bool:
    """Return which words have the right label, bool[N]."""

    def compare_labels() -> Bool:
        system, gold, _ = get_label_codes(segments, subtypes)
        return np.equal(system, gold)

    return segments.derived(("right labels", subtypes), compare_labels)
