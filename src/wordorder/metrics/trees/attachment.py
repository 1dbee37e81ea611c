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
from wordorder.treebank.treebank import NO_HEAD, NOTHING, ROOT, Column, Treebank, has_only_marks

# What DEPREL may contain, less the sign that parts the fields of a signature.
_LABEL = re.compile(r"[^\s|]+")

# Which punctuation marks count as words: all; none by their tag; none by their form.
RULES = ("include", "exclude", "exclude-form")
_MARK = "PUNCT"

# The tags of Universal Dependencies; with any other tag, the form tells.
_OTHERS = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN SCONJ SYM VERB X".split()
)

SUBTYPES = ("keep", "drop")


@dataclass(kw_only=True, eq=False, repr=False)
class TreeMetric(BaseMetric):
    """A metric that judges dependency trees or tags against gold ones of the same words.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        Whether punctuation marks count as words: all do; those do not that have the gold tag PUNCT
        or, where UPOS is not a universal tag, consist of punctuation marks; those do not
        that consist of punctuation marks, with any tag (CoNLL-X).

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    """

    columns = ("trees",)
    punctuation: str = choice(*RULES)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return option_fields(self, TreeMetric)

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("punctuation", self.punctuation)))

    def counted(self, segments: Segments) -> Bool:
        """Return which words count, bool[N]."""
        rule = self.punctuation
        return segments.derived(
            ("counted words", rule), lambda: kept_words(segments.trees.gold, rule)
        )

    def with_words(self, segments: Segments) -> Float64:
        """Return 1 for each sentence and 0 for one without words, float64[S].

        A sentence without words (a block of comments, a blank line that was parsed) is left out:
        all its statistics are 0.
        """
        return (np.diff(segments.trees.offsets) > 0).astype(np.float64)


class ShareMetric(TreeMetric):
    """The share of words that a system has right, each with a weight."""

    @abstractmethod
    def right(self, segments: Segments) -> Bool:
        """Return which words are right, bool[N]."""

    def weights(self, segments: Segments) -> Bool | Int64:
        """Return what each word counts, bool[N] or int64[N], at least 0; here each as much."""
        return self.counted(segments)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: the weight of words that are right, of all words, and 1.

        Zeros for a sentence without words.
        """
        offsets = segments.trees.offsets
        weights = self.weights(segments)
        counts = (sums(weights * self.right(segments), offsets), sums(weights, offsets))
        return np.stack([*counts, self.with_words(segments)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the share of right words, float64[...]; 1 where there are no words."""
        return quotient(totals[..., 0], totals[..., 1], (totals[..., 2] > 0).astype(np.float64))


class UnlabelledAttachment(ShareMetric):
    """Share of words that have the right head.

    The words of a corpus are pooled, as in the shared tasks (Buchholz and Marsi 2006). The
    artificial root is a head like any other.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        Whether punctuation marks count as words: all do; those do not that have the gold tag PUNCT
        or, where UPOS is not a universal tag, consist of punctuation marks; those do not
        that consist of punctuation marks, with any tag (CoNLL-X).

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence of which no word counts scores 1: nothing is wrong; one without words is left out.
    Linear in the words.

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

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head, bool[N]."""
        return right_heads(segments)


@dataclass(kw_only=True, eq=False, repr=False)
class LabelledAttachment(ShareMetric):
    """Share of words that have the right head and the right label.

    The words of a corpus are pooled, as in the shared tasks (Buchholz and Marsi 2006).

    Parameters
    ----------
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``; the shared tasks on Universal
        Dependencies drop what follows the colon (Zeman et al. 2018).
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence of which no word counts scores 1: nothing is wrong; one without words is left out.
    Linear in the words.

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

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head and label, bool[N]."""
        return right_heads(segments) & right_labels(segments, self.subtypes)


class UnlabelledExactMatch(TreeMetric):
    """Share of sentences in which every word has the right head.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence of which no word counts is right; one without words is left out. Linear in the words.

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
        """Return float64[S, 2]: 1 for a sentence that is right, and 1; zeros without words."""
        wrong = sums(self.counted(segments) & ~right_heads(segments), segments.trees.offsets)
        with_words = self.with_words(segments)
        return np.stack([(wrong == 0) * with_words, with_words], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the share of right sentences; 0 without sentences."""
        return quotient(totals[..., 0], totals[..., 1])


class ArcMetric(TreeMetric):
    """F1 of some arcs: the harmonic mean of precision and recall."""

    @abstractmethod
    def arcs(self, segments: Segments) -> tuple[Bool, Bool, Bool]:
        """Return whose arc is meant, bool[N] each: the system's, the gold one, and both alike."""

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4]: arcs of the system, gold arcs, arcs in common, and 1.

        Zeros for a sentence without words.
        """
        offsets = segments.trees.offsets
        counted = self.counted(segments)
        columns = [sums(counted & arcs, offsets) for arcs in self.arcs(segments)]
        return np.stack([*columns, self.with_words(segments)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the F1, float64[...]; 1 where neither side has an arc."""
        empty = (totals[..., 3] > 0).astype(np.float64)
        return quotient(2 * totals[..., 2], totals[..., 0] + totals[..., 1], empty)


class RootF1(ArcMetric):
    """F1 of the words that hang on the artificial root.

    What Hall et al. (2011, section 4.2) call Root-F1: the harmonic mean of precision and recall
    over arcs from the artificial root, labels ignored. With one root a sentence on both sides it
    is the share of sentences with the right root.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    The arcs of a corpus are pooled. A sentence without a root on either side scores 1; one without
    words is left out. Linear in the words.

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
        """Return which words are roots of the system, of the gold tree, and of both."""
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
    such gold arcs that the system has, and F1 their harmonic mean; an arc is right if head and
    label are. Hall et al. (2011, section 4.2) report it for subjects. A relation of Universal
    Dependencies, also with a subtype, names its metric: ``metric("nsubj")``; any other label is
    given: ``label-f1(label=SBJ)``.

    Parameters
    ----------
    label : str
    head : "match" or "ignore"
        Whether the head of an arc must be right too, or its label alone.
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``.
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If there is no label, or one that can be none; if a value is unknown, or the segments have
        no trees.
    InputError
        If a word has no head.

    Notes
    -----
    The arcs of a corpus are pooled. A sentence in which neither side has the label scores 1; one
    without words is left out. The metric is called after its label where that is a relation of
    Universal Dependencies. Linear in the words.

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
        """Return which words have the label in the system, in the gold tree, and rightly."""
        system_codes, gold_codes, numbers = label_codes(segments, self.subtypes)
        number = numbers.get(self.label, -1)
        system, gold = np.equal(system_codes, number), np.equal(gold_codes, number)
        both = system & gold
        return system, gold, both & right_heads(segments) if self.head == "match" else both


@dataclass(kw_only=True, eq=False, repr=False)
class ArcLength(ShareMetric):
    """Share of words that have the right head, each weighted by the length of its gold arc.

    ``sum [head of i is right] |i - h_i| / sum |i - h_i|`` for words ``i`` with gold heads ``h_i``
    (Hall et al. 2011, section 4.3), where long arcs matter, as they do for reordering. The paper
    prints ``i - h_i`` without the bars; such differences cancel each other out.

    Parameters
    ----------
    root : "exclude" or "include"
        Whether arcs from the artificial root (position 0) count. Their length says where the root
        of the sentence is, not how far it is from anything.
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.
    average : "micro" or "segment"
        The corpus score: the arc lengths of all sentences pooled, or the mean of the sentences'
        scores, which is how the paper states the score.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence without arcs that count, as one of a single word, scores 1: it adds nothing to pooled
    lengths, and counts as 1 in the mean over sentences. One without words is left out. Linear in
    the words.

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
        """Return the signature's fields without `average`, which is the last of them."""
        return tuple(field for field in super().extra_fields() if field[0] != "average")

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        pooled = super().signature()
        return pooled.with_fields(("average", self.average)) if self.average != "micro" else pooled

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: right and all lengths, or score and 1; and 1."""
        counts = super().statistics(segments)
        if self.average == "segment":
            counts[:, 0] = self.score(counts)
            counts[:, 1] = counts[:, 2]
        return counts

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head, bool[N]."""
        return right_heads(segments)

    def weights(self, segments: Segments) -> Int64:
        """Return the length of each gold arc that counts, int64[N], 0 for others."""
        lengths: Int64 = segments.derived("arc lengths", lambda: arc_lengths(segments))
        counted = self.counted(segments)
        if self.root == "exclude":
            counted = counted & (segments.trees.heads()[1] != ROOT)
        return np.where(counted, lengths, 0)


def arc_lengths(segments: Segments) -> Int64:
    """Return how far each word is from its gold head, int64[N]; the root is at position 0."""
    places = concat_ranges(1, np.diff(segments.trees.offsets))
    lengths: Int64 = np.abs(places - segments.trees.heads()[1])
    return lengths


@dataclass(kw_only=True, eq=False, repr=False)
class LabelledArcLength(ArcLength):
    """Share of words with the right head and label, each weighted by the length of its gold arc.

    As `als` (Hall et al. 2011, section 4.3), where the label must be right too.

    Parameters
    ----------
    root : "exclude" or "include"
        As for `als`.
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``.
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.
    average : "micro" or "segment"
        As for `als`.

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

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head and label, bool[N]."""
        return super().right(segments) & right_labels(segments, self.subtypes)


def kept_words(gold: Treebank, rule: str) -> Bool:
    """Return which words count, bool[N].

    Parameters
    ----------
    gold : Treebank
    rule : "include", "exclude" or "exclude-form"
        All; all but those with the universal tag PUNCT, or of punctuation marks alone where there
        is no universal tag; all but those of punctuation marks alone, with any tag.

    Examples
    --------
    >>> gold = Treebank.from_words([["No", "!", "+", "."]], upos=[["INTJ", "PUNCT", "PUNCT", "_"]])
    >>> kept_words(gold, "exclude").tolist()
    [True, False, False, False]
    >>> kept_words(gold, "exclude-form").tolist()
    [True, False, True, False]
    """
    selected = np.ones(gold.words, np.bool_)
    if rule == "include":
        return selected
    if rule == "exclude":
        tags = gold.upos.vocabulary.words
        if len(tags):
            selected = np.array([tag != _MARK for tag in tags])[gold.upos.codes]
            silent = np.array([tag != _MARK and tag not in _OTHERS for tag in tags])
            places = np.flatnonzero(silent[gold.upos.codes])
            selected[places] = ~_all_marks(gold.form.take(places))
        return selected
    return ~_all_marks(gold.form)


def _all_marks(forms: Column) -> Bool:
    """Return which words consist of punctuation marks, bool[N]."""
    words = forms.vocabulary.words
    # A vocabulary may be that of a whole file, and these words few.
    present, numbers = np.unique(forms.codes, return_inverse=True)
    marks = np.array([has_only_marks(words[code]) for code in present.tolist()], np.bool_)
    return marks[numbers]


class TagAccuracy(ShareMetric):
    """The share of words that have the right tag, of those that have a gold tag."""

    column: str

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right tag, bool[N]."""
        return self._compared(segments)[0]

    def weights(self, segments: Segments) -> Bool:
        """Return which words count and have a gold tag, bool[N]."""
        return self.counted(segments) & self._compared(segments)[1]

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: words with the right tag, with a gold tag, and 1.

        Zeros for a sentence without a gold tag.
        """
        counts = super().statistics(segments)
        tagged = sums(self._compared(segments)[1], segments.trees.offsets)
        counts[tagged == 0] = 0.0
        return counts

    def _compared(self, segments: Segments) -> tuple[Bool, Bool]:
        """Return which words have the right tag, and which a gold one."""

        def compared() -> tuple[Bool, Bool]:
            system, gold, numbers = segments.trees.codes(self.column)
            return np.equal(system, gold), np.not_equal(gold, numbers.get(NOTHING, -1))

        return segments.derived(("right tags", self.column), compared)


class LanguageTagAccuracy(TagAccuracy):
    """Share of words that have the right tag of the language (XPOS).

    Words without a gold tag (``_``) do not count; a sentence without any is left out.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.

    Notes
    -----
    The words of a corpus are pooled. Linear in the words; heads are not looked at.

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

    Words without a gold tag (``_``) do not count; a sentence without any is left out.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.

    Notes
    -----
    The words of a corpus are pooled. Linear in the words; heads are not looked at.

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


def right_heads(segments: Segments) -> Bool:
    """Return which words have the right head, bool[N]."""

    def compared() -> Bool:
        system, gold = segments.trees.heads()
        return np.equal(system, gold)

    return segments.derived("right heads", compared)


def sums(values: Bool | Int64, offsets: Int64) -> Float64:
    """Sum the values of each row, float64[S].

    Examples
    --------
    >>> sums(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    running = row_offsets(values)
    return (running[offsets[1:]] - running[offsets[:-1]]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Imperatives:
    """Which sentences of a treebank are parsed as imperatives.

    Attributes
    ----------
    imperative : bool[S]
        Whether the first word that is no punctuation is a verb and the root.
    counted : bool[S]
        Sentences with a tree and a word that is no punctuation.
    """

    imperative: Bool
    counted: Bool

    @property
    def rate(self) -> float:
        """The share of the counted sentences that are imperatives; 0 without sentences."""
        return int(self.imperative.sum()) / max(int(self.counted.sum()), 1)


def imperatives(treebank: Treebank) -> Imperatives:
    """Find the sentences whose parse begins with a root verb.

    Katz-Brown et al. (2011, section 5.3.2, footnote 5) count them as imperatives, as an
    approximation. Punctuation before the first word is passed over here. Verbs are what
    `wordorder.treebank.preparation.tagged_as` takes for verbs.

    Parameters
    ----------
    treebank : Treebank
        With tags; sentences without trees are not counted.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [['"', "Click", "here"], ["We", "click"]], heads=[[2, 0, 2], [2, 0]],
    ...     upos=[["PUNCT", "VERB", "ADV"], ["PRON", "VERB"]],
    ... )
    >>> found = imperatives(bank)
    >>> found.imperative.tolist(), found.rate
    ([True, False], 0.5)
    """
    sentences = len(treebank)
    row = np.repeat(np.arange(sentences), treebank.lengths)
    words = np.flatnonzero(kept_words(treebank, "exclude"))[::-1]
    first = np.full(sentences, -1, np.int64)
    # Written from behind: of several words of a sentence the first one stays.
    first[row[words]] = words
    headless = np.bincount(row[treebank.heads == NO_HEAD], minlength=sentences) > 0
    counted = (first >= 0) & ~headless
    last_word = first[counted]
    imperative = np.zeros(sentences, np.bool_)
    imperative[counted] = (treebank.heads[last_word] == ROOT) & tagged_as(treebank, "verb")[
        last_word
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


def label_codes(segments: Segments, subtypes: str) -> tuple[Int32, Int32, dict[str, int]]:
    """Return the numbers of all labels, the system's and the gold ones, and which number is whose.

    Parameters
    ----------
    segments : Segments
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``.
    """
    change = universal_part if subtypes == "drop" else None
    return segments.derived(
        ("label codes", subtypes), lambda: segments.trees.codes("label", change)
    )


def right_labels(segments: Segments, subtypes: str) -> Bool:
    """Return which words have the right label, bool[N]."""

    def compared() -> Bool:
        system, gold, _ = label_codes(segments, subtypes)
        return np.equal(system, gold)

    return segments.derived(("right labels", subtypes), compared)
