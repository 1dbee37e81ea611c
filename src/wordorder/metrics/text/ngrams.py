"""Metrics of n-grams: BLEU, BLEU-S, chrF."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int32, Int64, Ragged
from wordorder.errors import UsageError, choose
from wordorder.kernels import matching as kernel, run_rows
from wordorder.metrics import contract
from wordorder.metrics.options import checked, choice, unchecked
from wordorder.metrics.text.text_metric import Fields, SacreBleuMetric, TextMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text import tokenizers
from wordorder.text.cut_words import cut_lines, cut_words
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts

# The ways of smoothing, with the value that each takes if none is given.
SMOOTHING: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1.0, "exp": None}

# What the kernel calls them.
NUMBERS = {"none": 0, "exp": 1, "floor": 2, "add-k": 3}

# Whether `sum` keeps what rounding takes away.
COMPENSATED = sys.version_info >= (3, 12)

# Tokenizers of sacreBLEU's that are ours too: importing sacreBLEU takes as long as importing numpy.
_OURS = ("13a", "none")

# What sacreBLEU takes for a precision or a recall of nothing.
EPSILON = 1e-16

# Precision counts a millionth of recall.
LARGEST_BETA = 1000


@dataclass(kw_only=True, eq=False, repr=False)
class SmoothedBleu(TextMetric):
    """BLEU for single segments: one is added to the counts of all but single words.

    ``BP * (m_1 / t_1 * product over n = 2 .. order of (m_n + 1) / (t_n + 1)) ** (1 / order)`` with
    ``t_n`` n-grams in the hypothesis of which ``m_n`` match (Lin and Och 2004), and BLEU's brevity
    penalty ``BP = min(1, exp(1 - |reference| / |hypothesis|))`` within the segment. 0 if no word
    matches.

    It is a measure of segments: the corpus score is their mean. A segment without references is
    left out.

    Parameters
    ----------
    order : int, default 4
        The longest n-grams.
    boundaries : bool, default False
        Count n-grams with one symbol before the first word and one after the last
        (Leusch, Ueffing and Ney 2006, section 5.1).

    Raises
    ------
    UsageError
        If a value is of another kind, or `order` not from 1 to 100.

    Examples
    --------
    >>> segments = Segments.from_text(["the cat sat on mat"], ["the cat sat on the mat"])
    >>> SmoothedBleu().segment_scores(segments).round(4)
    array([0.6511])
    """

    name = "bleu-s"

    order: int = checked(4, contract.check_integer, 1, contract.MAX_NGRAM_ORDER)
    boundaries: bool = checked(False, contract.check_switch)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: the segment's score and 1."""
        texts = segments.texts
        counts = ngram_statistics(texts, self.order, self.boundaries)
        used = np.diff(texts.reference_offsets) > 0
        return np.stack([smoothed_bleu(counts), used.astype(np.float64)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the mean of the segments, 0 without any."""
        return contract.quotient(totals[..., 0], totals[..., 1])

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        boundaries = "one" if self.boundaries else "none"
        fields = (("order", str(self.order)), ("boundaries", boundaries), ("average", "segment"))
        return Signature(self.name, fields)


def smoothed_bleu(counts: Float64) -> Float64:
    """Return the smoothed BLEU of each row of counts.

    Parameters
    ----------
    counts : float64[S, 2*order+2]
        As `ngram_statistics` returns them.

    Returns
    -------
    float64[S] in [0, 1]
    """
    order = counts.shape[1] // 2 - 1
    matches, totals = counts[:, :order].copy(), counts[:, order : 2 * order].copy()
    matches[:, 1:] += 1
    totals[:, 1:] += 1
    length, reference = counts[:, -2], counts[:, -1]
    used = (matches[:, 0] > 0) & (length > 0)
    scores = np.zeros(len(counts))
    logs = np.log(matches[used] / totals[used]).mean(axis=1)
    scores[used] = np.exp(logs + np.minimum(0, 1 - reference[used] / length[used]))
    return scores


# Rows of numbers: row ``i`` is ``values[starts[i] : stops[i]]``.
Rows = tuple[Int32, Int64, Int64]


def ngram_statistics(texts: Texts, order: int, boundaries: bool = False) -> Float64:
    """Count the n-grams of each hypothesis and those that match, as BLEU does.

    An n-gram matches as often as it occurs in the hypothesis, but no oftener than in that
    reference of the segment that has it most often (Papineni, Roukos, Ward and Zhu 2002, "modified
    n-gram precision").

    Parameters
    ----------
    texts : Texts
    order : int, at least 1
        The longest n-grams.
    boundaries : bool, default False
        Count with one symbol before the first word and one after the last, in hypotheses and
        references. They are words for the n-grams, not for the lengths.

    Returns
    -------
    float64[S, 2*order+2]
        Matches of 1 .. `order` words, all n-grams of the hypothesis of 1 .. `order` words, length
        of the hypothesis, length of the reference that is closest to it (the shorter one of two
        that are equally close). A segment without references is a row of zeros.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat sat on mat"], ["the cat sat on the mat"])
    >>> ngram_statistics(texts, 2).astype(int).tolist()
    [[5, 3, 5, 4, 5, 6]]
    """
    hypothesis, references = texts.hypothesis, texts.references
    if boundaries:
        hypothesis, references = _with_boundaries(hypothesis), _with_boundaries(references)
    statistics = np.zeros((len(texts), 2 * order + 2))
    hypothesis_rows, reference_rows = rows_of(hypothesis), rows_of(references)
    grouped = np.arange(len(texts)), reference_rows, texts.reference_offsets
    statistics[:, :order], _ = _shared(hypothesis_rows, *grouped, order)
    lengths = hypothesis.lengths
    for n in range(1, order + 1):
        statistics[:, order + n - 1] = np.maximum(lengths - n + 1, 0)
    statistics[:, -2] = texts.hypothesis.lengths
    statistics[:, -1] = closest_lengths(texts)
    statistics[np.diff(texts.reference_offsets) == 0] = 0
    return statistics


def clipped_matches(texts: Texts, order: int) -> Int32:
    """Count how often each n-gram matches, at the place where it first occurs.

    Returns
    -------
    int32[order, N]
        For n-grams of 1 .. `order` words and each of the N words of the hypotheses: the clipped
        matches of the n-gram that begins there, 0 where it has occurred before in its segment.
    """
    hypothesis_rows, reference_rows = rows_of(texts.hypothesis), rows_of(texts.references)
    grouped = np.arange(len(texts)), reference_rows, texts.reference_offsets
    return _shared(hypothesis_rows, *grouped, order, by_place=True)[1]


def overlap_counts(hypothesis: Rows, references: Rows, segment_of: Int64, order: int) -> Float64:
    """Count the n-grams of each reference, of its hypothesis, and those of both.

    Parameters
    ----------
    hypothesis, references : (int32 values, int64[S] starts, int64[S] stops), and the same of R
        Numbers from 0.
    segment_of : int64[R]
        The hypothesis that goes with each reference.
    order : int
        The longest n-grams.

    Returns
    -------
    float64[R, 3*order]
        For n-grams of 1 .. `order`: how many the hypothesis has, the reference has, and both have,
        each instance once. None of the hypothesis where the reference has none, as sacreBLEU counts
        for chrF.
    """
    hypothesis_lengths = (hypothesis[2] - hypothesis[1])[segment_of]
    reference_lengths = references[2] - references[1]
    counts = np.zeros((len(reference_lengths), order, 3))
    for n in range(order):
        counts[:, n, 0] = np.where(reference_lengths > n, np.maximum(hypothesis_lengths - n, 0), 0)
        counts[:, n, 1] = np.maximum(reference_lengths - n, 0)
    row_bounds = np.arange(len(reference_lengths) + 1)
    counts[:, :, 2], _ = _shared(hypothesis, segment_of, references, row_bounds, order)
    return counts.reshape(len(reference_lengths), 3 * order)


def row_sums(values: npt.NDArray[np.generic], offsets: Int64) -> npt.NDArray[np.generic]:
    """Sum the values of each row; 0 for an empty one.

    Examples
    --------
    >>> row_sums(np.array([1, 2, 3]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 3]
    """
    kind = np.float64 if values.dtype.kind == "f" else np.int64
    sums = np.zeros(len(offsets) - 1, kind)
    filled = offsets[1:] > offsets[:-1]
    if filled.any():
        sums[filled] = np.add.reduceat(values, offsets[:-1][filled], dtype=kind)
    return sums


def closest_lengths(texts: Texts) -> Int64:
    """Return the length of each segment's reference that is closest to its hypothesis, int64[S].

    The shorter one of two that are equally close; 0 without a reference.

    Examples
    --------
    >>> closest_lengths(Texts.from_segments(["a b", "a"], [["a", "a b c"], []])).tolist()
    [1, 0]
    """
    lengths = texts.references.lengths
    away = np.abs(lengths - texts.hypothesis.lengths[texts.segment_of])
    closest = np.zeros(len(texts), np.int64)
    starts = texts.reference_offsets[:-1]
    filled = texts.reference_offsets[1:] > starts
    if filled.any():
        # One number that puts the distance first and the length second.
        both = np.minimum.reduceat(away << 32 | lengths, starts[filled])
        closest[filled] = both & 0xFFFFFFFF
    return closest


def _shared(
    hypothesis: Rows,
    hypothesis_of: Int64,
    references: Rows,
    reference_offsets: Int64,
    order: int,
    *,
    by_place: bool = False,
) -> tuple[Int64, Int32]:
    """Count the n-grams that groups of a hypothesis and references share.

    Returns
    -------
    int64[G, order], int32[order, N]
        As the kernel has them; the latter without rows if not `by_place`.
    """
    lengths = np.zeros(len(references[1]) + 1, np.int64)
    # One entry more for each reference, in the room that the kernel works in.
    np.cumsum(references[2] - references[1] + 1, out=lengths[1:])
    offsets = lengths[reference_offsets]
    offsets[1:] += np.cumsum((hypothesis[2] - hypothesis[1])[hypothesis_of])
    shared = np.zeros((len(hypothesis_of), order), np.int64)
    matched = np.zeros((order if by_place else 0, len(hypothesis[0])), np.int32)
    run_rows(
        *(kernel.shared_ngrams, offsets, *hypothesis, hypothesis_of, *references),
        *(reference_offsets, order, shared.reshape(-1), by_place, matched.reshape(-1)),
        scratch=lambda longest: (longest,),
    )
    return shared, matched


def rows_of(rows: Ragged) -> Rows:
    """Return rows in the form that `overlap_counts` takes."""
    return rows.values, rows.offsets[:-1], rows.offsets[1:]


def _with_boundaries(rows: Ragged) -> Ragged:
    """Put 0 before and 1 after each row; word numbers move up by two."""
    offsets = rows.offsets + 2 * np.arange(len(rows.offsets))
    values = np.empty(int(offsets[-1]), np.int32)
    word = np.ones(len(values), np.bool_)
    word[offsets[:-1]] = word[offsets[1:] - 1] = False
    values[offsets[:-1]] = 0
    values[offsets[1:] - 1] = 1
    values[word] = rows.values + 2
    return Ragged(values, offsets)


@dataclass(kw_only=True, eq=False, repr=False)
class Bleu(SacreBleuMetric):
    """BLEU as sacreBLEU has it (Papineni, Roukos, Ward and Zhu 2002; Post 2018), from 0 to 1.

    The geometric mean of the n-gram precisions, times the brevity penalty.

    Parameters
    ----------
    tokenize : str, default "auto"
        sacreBLEU's tokenizer; auto: the one that the other metrics of a run have (``--tokenizer``),
        13a if the run has no tokenizer.
    lowercase : bool, default False
    smooth_method : "exp", "floor", "add-k" or "none"
    smooth_value : float, optional
        For "floor" (0.1 without it) and "add-k" (1 without it); the others do without.
    max_ngram_order : int, default 4
    effective_order : bool, default False
        Use only the orders that a text has n-grams of. The scores of single segments always do,
        as those of sacreBLEU's ``sentence_bleu``; this is for the score of a corpus.

    Raises
    ------
    UsageError
        If a value is unknown or of another kind, or what a tokenizer needs is not installed.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["It is a test."], ["It was a test."])
    >>> Bleu().segment_scores(segments).round(4)
    array([0.4273])
    >>> thanks = Segments.from_text(["Thank you ."], ["Thank you ."])
    >>> Bleu().segment_scores(thanks), Bleu().corpus_score(thanks).value
    (array([1.]), 0.0)
    """

    name = "bleu"

    tokenize: str = unchecked("auto")
    lowercase: bool = checked(False, contract.check_switch)
    smooth_method: str = choice(*SMOOTHING, default="exp")
    smooth_value: float | str | None = unchecked(None)
    max_ngram_order: int = checked(4, contract.check_integer, 1, contract.MAX_NGRAM_ORDER)
    effective_order: bool = checked(False, contract.check_switch)

    def __post_init__(self) -> None:
        super().__post_init__()
        tokenizer = "13a" if self.tokenize == "auto" else self.tokenize
        self._tokenizer = LineTokenizer.of("bleu.tokenize", tokenizer)
        self.smooth_value = _smoothing(self.smooth_value, SMOOTHING[self.smooth_method])

    @property
    def width(self) -> int:
        """Two lengths, and matches and totals of each order."""
        return 2 + 2 * self.max_ngram_order

    @property
    def unsigned(self) -> Fields:
        """The longest n-grams, and the digits of the smoothing value beyond the second."""
        order = ("order", str(self.max_ngram_order))
        value = self.smooth_value
        return (order,) if value is None else (order, ("smooth_value", repr(value)))

    @property
    def signed(self) -> Fields:
        """The options by sacreBLEU's names."""
        value = "" if self.smooth_value is None else f"[{self.smooth_value:.2f}]"
        return (
            ("eff", "yes" if self.effective_order else "no"),
            ("tok", self._tokenizer.signature),
            ("smooth", f"{self.smooth_method}{value}"),
        )

    def with_tokenizer(self, tokenizer: str) -> Bleu:
        """Return the metric with a tokenizer, unless one was chosen."""
        chosen = tokenizer in ("auto", "none") or self.tokenize != "auto"
        return self if chosen else self.with_options(tokenize=tokenizer)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, width+1]: lengths, matches, totals, and 1."""
        texts = segments.texts
        words = self._words(texts)
        counts = ngram_statistics(words, self.max_ngram_order)
        used = np.diff(texts.reference_offsets) > 0
        return np.column_stack([counts[:, -2:], counts[:, :-2], used])

    def scores_of(self, counts: Float64) -> Float64:
        """Return sacreBLEU's scores, by its operations: logarithms and sums of Python too."""
        flat = np.ascontiguousarray(counts, np.float64).ravel()
        offsets = np.arange(len(counts) + 1, dtype=np.int64) * counts.shape[1]
        scores = np.empty(len(counts))
        run_rows(
            *(kernel.bleu_scores, offsets, flat, self.max_ngram_order),
            *(NUMBERS[self.smooth_method], self.smooth_value or 0.0, self.effective_order),
            *(COMPENSATED, scores),
        )
        return scores

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each segment, with effective order: float64[S, k] to float64[S]."""
        return self._of_segments().score(statistics)

    def segment_signature(self) -> Signature:
        """Return the signature with effective order."""
        return self._of_segments().signature()

    def _of_segments(self) -> Bleu:
        """Return the metric with effective order."""
        if self.effective_order:
            return self
        prepared = copy(self)
        prepared.effective_order = True
        return prepared

    def _words(self, texts: Texts) -> Texts:
        """Return the texts as the tokenizer cuts their lines."""
        name = self._tokenizer.name
        if name == texts.preparation.tokenizer == "13a" and not self.lowercase:
            return texts
        if name not in _OURS:
            return cut_lines(texts, self._tokenizer.words, lowercase=self.lowercase)
        if name == "none":
            changed = None if self.lowercase else tokenizers.changed_words
            return cut_words(
                texts, tokenizers.blank_words, lowercase=self.lowercase, changed=changed
            )
        # The treatment of a line break by 13a depends on whether the line ends after it.
        if texts.lines is None and any("\n" in word for word in texts.vocabulary.words):
            return cut_lines(texts, tokenizers.mteval_words, lowercase=self.lowercase)
        return cut_words(texts, tokenizers.mteval_words, lowercase=self.lowercase)


@dataclass(frozen=True)
class LineTokenizer:
    """A tokenizer of sacreBLEU's that a metric cuts lines by.

    Attributes
    ----------
    name, signature : str
    cut : callable, optional
        Puts blanks between the words of a line; None for those that are ours too.
    """

    name: str
    signature: str
    cut: Callable[[str], str] | None = None

    @classmethod
    def of(cls, option: str, name: str) -> LineTokenizer:
        """Return the tokenizer that an option of a metric names.

        Raises
        ------
        UsageError
            If the tokenizer is unknown, or a package that it needs is not installed.
        """
        if name in _OURS:
            return cls(name, name)
        from sacrebleu.metrics.bleu import BLEU

        choose(option, name, ("auto", *BLEU.TOKENIZERS))
        cut, signature = tokenizers.sacrebleu_tokenizer(name, f"{option}={name}")
        return cls(name, signature, cut)

    def words(self, lines: RawLines) -> RawLines:
        """Put one blank between the words of lines."""
        if self.cut is None:
            cutters = {"13a": tokenizers.mteval_words, "none": tokenizers.blank_words}
            return cutters[self.name](lines)
        tokens = [self.cut(line.rstrip()) for line in lines.strings(surrogates=True)]
        return tokenizers.blank_words(RawLines.from_strings(tokens, surrogates=True))


def _smoothing(value: float | str | None, default: float | None) -> float | None:
    """Return the smoothing value, which comes as text from a command line.

    A method without a default has no use for any.
    """
    if value is None:
        return None if default is None else float(default)
    try:
        number = float(value) if isinstance(value, str) else value
    except ValueError:
        raise UsageError(f"bleu.smooth_value is a number, not {value!r}") from None
    checked = contract.check_number("bleu.smooth_value", number, 0)
    return None if default is None else checked


@dataclass(kw_only=True, eq=False, repr=False)
class Chrf(SacreBleuMetric):
    """chrF as sacreBLEU has it (Popović 2015; chrF++: Popović 2017), from 0 to 1.

    The F-score of character n-grams, and with ``word_order=2`` (chrF++) of words too.

    Parameters
    ----------
    char_order : int, default 6
    word_order : int, default 0
    beta : int, default 2
        How much more recall weighs than precision.
    lowercase, whitespace, eps_smoothing : bool, default False
        Ignore case; count blanks as characters; smooth as chrF++.py does.
    tokenize : str, default "auto"
        What cuts lines into the words of `word_order`: one of sacreBLEU's tokenizers; auto: the
        one that the other metrics of a run have (``--tokenizer``), ``none`` without one. The
        characters are those of the lines as they are.

    Raises
    ------
    UsageError
        If a value is of another kind, an order not from 0 to 100, both orders 0, or `beta` not
        from 1 to 1000.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["It is a test."], ["It was a test."])
    >>> Chrf().segment_scores(segments).round(4)
    array([0.5692])
    """

    name = "chrf"

    char_order: int = checked(6, contract.check_integer, 0, contract.MAX_NGRAM_ORDER)
    word_order: int = checked(0, contract.check_integer, 0, contract.MAX_NGRAM_ORDER)
    beta: int = checked(2, contract.check_integer, 1, LARGEST_BETA)
    lowercase: bool = checked(False, contract.check_switch)
    whitespace: bool = checked(False, contract.check_switch)
    eps_smoothing: bool = checked(False, contract.check_switch)
    tokenize: str = unchecked("auto")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.char_order + self.word_order == 0:
            raise UsageError("chrf.char_order and chrf.word_order are not both 0")
        tokenizer = "none" if self.tokenize == "auto" else self.tokenize
        self._tokenizer = LineTokenizer.of("chrf.tokenize", tokenizer)

    @property
    def width(self) -> int:
        """Hypothesis, reference and match counts of each order."""
        return 3 * (self.char_order + self.word_order)

    @property
    def unsigned(self) -> Fields:
        """The weight of recall, and what cuts words."""
        cut = self.word_order > 0 and self._tokenizer.name != "none"
        tokenizer = (("tok", self._tokenizer.signature),) if cut else ()
        return (("beta", str(self.beta)), *tokenizer)

    @property
    def signed(self) -> Fields:
        """The options by sacreBLEU's names."""
        return (
            ("eff", "no" if self.eps_smoothing else "yes"),
            ("nc", str(self.char_order)),
            ("nw", str(self.word_order)),
            ("space", "yes" if self.whitespace else "no"),
        )

    def with_tokenizer(self, tokenizer: str) -> Chrf:
        """Return the metric with a tokenizer of words, if it counts them and none was chosen."""
        chosen = tokenizer in ("auto", "none") or self.tokenize != "auto"
        reached = self.word_order > 0 and not chosen
        return self.with_options(tokenize=tokenizer) if reached else self

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, width+1]: the counts with the best reference of each segment, and 1."""
        texts = segments.texts
        hypothesis, references = self.cased(texts)
        cut_up = partial(tokenizers.characters, white_space=self.whitespace)
        columns = cut_up(hypothesis), cut_up(references)
        counts = overlap_counts(*columns, texts.segment_of, self.char_order)
        if self.word_order:
            cut = self._words(texts)
            hypothesis_rows, reference_rows = rows_of(cut.hypothesis), rows_of(cut.references)
            words = overlap_counts(
                hypothesis_rows, reference_rows, texts.segment_of, self.word_order
            )
            counts = np.concatenate([counts, words], axis=1)
        best = contract.best_reference(-self.scores_of(counts), texts.reference_offsets)
        return np.column_stack([contract.rows_or_zeros(counts, best), best >= 0])

    def _words(self, texts: Texts) -> Texts:
        """Return the texts with one punctuation mark cut off each word, after the tokenizer."""
        if self._tokenizer.name == "none":
            return cut_words(texts, tokenizers.edge_words, lowercase=self.lowercase)

        def cutter(lines: RawLines) -> RawLines:
            return tokenizers.edge_words(self._tokenizer.words(lines))

        return cut_lines(texts, cutter, lowercase=self.lowercase)

    def scores_of(self, counts: Float64) -> Float64:
        """Return sacreBLEU's scores, by its operations in their order."""
        orders = self.char_order + self.word_order
        factor = self.beta**2
        smoothed, precisions, recalls, effective = np.zeros((4, len(counts)))
        for order in range(orders):
            hypothesis_counts, reference_counts, matches = counts[:, 3 * order : 3 * order + 3].T
            precision, recall = (
                contract.quotient(matches, totals, EPSILON)
                for totals in (hypothesis_counts, reference_counts)
            )
            below = factor * precision + recall
            harmonic = (1 + factor) * precision * recall
            smoothed += contract.quotient(harmonic, below, EPSILON)
            both = (hypothesis_counts > 0) & (reference_counts > 0)
            precisions += np.where(both, precision, 0.0)
            recalls += np.where(both, recall, 0.0)
            effective += both
        if self.eps_smoothing:
            return 100 * smoothed / orders
        precisions /= np.maximum(effective, 1)
        recalls /= np.maximum(effective, 1)
        below = factor * precisions + recalls
        harmonic = (1 + factor) * precisions * recalls
        return np.where(below > 0, 100 * contract.quotient(harmonic, below, EPSILON), 0.0)
