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

# The smoothing methods with their default values.
SMOOTHING_DEFAULTS: dict[str, float | None] = {
    "none": None,
    "floor": 0.1,
    "add-k": 1.0,
    "exp": None,
}

# The kernel's codes for smoothing methods.
SMOOTHING_CODES = {"none": 0, "exp": 1, "floor": 2, "add-k": 3}

# Whether Python's `sum` of floats is compensated for rounding errors.
SUM_IS_COMPENSATED = sys.version_info >= (3, 12)

# Tokenizers of sacreBLEU that are implemented here too, because importing sacreBLEU is slow.
_OWN_TOKENIZERS = ("13a", "none")

# The value that sacreBLEU uses for a precision or recall with denominator 0.
EPSILON = 1e-16

# With this beta, the weight of precision is a millionth of that of recall.
MAX_BETA = 1000


@dataclass(kw_only=True, eq=False, repr=False)
class SmoothedBleu(TextMetric):
    """Smoothed BLEU of single segments: 1 is added to all n-gram counts except those of words.

    ``BP * (m_1 / t_1 * product over n = 2 .. order of (m_n + 1) / (t_n + 1)) ** (1 / order)`` with
    ``t_n`` n-grams in the hypothesis of which ``m_n`` match (Lin and Och 2004), and BLEU's brevity
    penalty ``BP = min(1, exp(1 - |reference| / |hypothesis|))`` of the segment. The score is 0 if
    no word matches.

    The corpus score is the mean over segments. A segment without references is left out.

    Parameters
    ----------
    order : int, default 4
        The length of the longest n-grams.
    boundaries : bool, default False
        Count n-grams with one symbol before the first word and one after the last
        (Leusch, Ueffing and Ney 2006, section 5.1).

    Raises
    ------
    UsageError
        If a value has the wrong type, or `order` is not from 1 to 100.

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
        """Return the segment's score and 1, float64[S, 2]."""
        texts = segments.texts
        counts = ngram_statistics(texts, self.order, self.boundaries)
        used = np.diff(texts.reference_offsets) > 0
        return np.stack([smoothed_bleu(counts), used.astype(np.float64)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the mean over segments; 0 without segments."""
        return contract.quotient(totals[..., 0], totals[..., 1])

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        boundaries = "one" if self.boundaries else "none"
        fields = (("order", str(self.order)), ("boundaries", boundaries), ("average", "segment"))
        return Signature(self.name, fields)


def smoothed_bleu(counts: Float64) -> Float64:
    """Return the smoothed BLEU of each row of counts.

    Parameters
    ----------
    counts : float64[S, 2*order+2]
        The result of `ngram_statistics`.

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


# Rows of integers (values, starts, ends): row ``i`` is ``values[starts[i] : ends[i]]``.
Rows = tuple[Int32, Int64, Int64]


def ngram_statistics(texts: Texts, order: int, boundaries: bool = False) -> Float64:
    """Count the n-grams of each hypothesis and its matching n-grams as in BLEU.

    An n-gram matches as often as it occurs in the hypothesis, but at most as often as in the
    reference that has it most often (Papineni, Roukos, Ward and Zhu 2002, "modified n-gram
    precision").

    Parameters
    ----------
    texts : Texts
    order : int, at least 1
        The length of the longest n-grams.
    boundaries : bool, default False
        Count with one symbol before the first word and one after the last, in hypotheses and
        references. They count as words in n-grams, but not in lengths.

    Returns
    -------
    float64[S, 2*order+2]
        The matching n-grams of 1 .. `order` words, the n-grams of the hypothesis of 1 .. `order`
        words, the length of the hypothesis, and the closest reference length (the shorter one on
        ties). A segment without references has a row of zeros.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat sat on mat"], ["the cat sat on the mat"])
    >>> ngram_statistics(texts, 2).astype(int).tolist()
    [[5, 3, 5, 4, 5, 6]]
    """
    hypothesis, references = texts.hypothesis, texts.references
    if boundaries:
        hypothesis, references = _add_boundaries(hypothesis), _add_boundaries(references)
    statistics = np.zeros((len(texts), 2 * order + 2))
    hypothesis_rows, reference_rows = split_offsets(hypothesis), split_offsets(references)
    groups = np.arange(len(texts)), reference_rows, texts.reference_offsets
    statistics[:, :order], _ = _count_shared_ngrams(hypothesis_rows, *groups, order)
    lengths = hypothesis.lengths
    for n in range(1, order + 1):
        statistics[:, order + n - 1] = np.maximum(lengths - n + 1, 0)
    statistics[:, -2] = texts.hypothesis.lengths
    statistics[:, -1] = closest_reference_lengths(texts)
    statistics[np.diff(texts.reference_offsets) == 0] = 0
    return statistics


def clipped_matches(texts: Texts, order: int) -> Int32:
    """Count how often each n-gram matches, at the position of its first occurrence.

    Returns
    -------
    int32[order, N]
        For n-grams of 1 .. `order` words and each of the N words of the hypotheses: the clipped
        matches of the n-gram that starts there; 0 if it occurred before in its segment.
    """
    hypothesis_rows, reference_rows = (
        split_offsets(texts.hypothesis),
        split_offsets(texts.references),
    )
    groups = np.arange(len(texts)), reference_rows, texts.reference_offsets
    return _count_shared_ngrams(hypothesis_rows, *groups, order, by_position=True)[1]


def overlap_counts(hypothesis: Rows, references: Rows, segment_of: Int64, order: int) -> Float64:
    """Count the n-grams of each hypothesis and reference, and those that they share.

    Parameters
    ----------
    hypothesis, references : Rows
        S and R rows of ids from 0.
    segment_of : int64[R]
        The hypothesis of each reference.
    order : int
        The length of the longest n-grams.

    Returns
    -------
    float64[R, 3*order]
        For each length 1 .. `order`: the n-grams of the hypothesis, of the reference, and the
        shared ones. As in sacreBLEU's chrF, the first is 0 if the reference is too short for an
        n-gram.
    """
    hypothesis_lengths = (hypothesis[2] - hypothesis[1])[segment_of]
    reference_lengths = references[2] - references[1]
    counts = np.zeros((len(reference_lengths), order, 3))
    for n in range(order):
        counts[:, n, 0] = np.where(reference_lengths > n, np.maximum(hypothesis_lengths - n, 0), 0)
        counts[:, n, 1] = np.maximum(reference_lengths - n, 0)
    row_bounds = np.arange(len(reference_lengths) + 1)
    counts[:, :, 2], _ = _count_shared_ngrams(hypothesis, segment_of, references, row_bounds, order)
    return counts.reshape(len(reference_lengths), 3 * order)


def row_sums(values: npt.NDArray[np.generic], offsets: Int64) -> npt.NDArray[np.generic]:
    """Sum the values of each row; the sum of an empty row is 0.

    Examples
    --------
    >>> row_sums(np.array([1, 2, 3]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 3]
    """
    dtype = np.float64 if values.dtype.kind == "f" else np.int64
    sums = np.zeros(len(offsets) - 1, dtype)
    is_filled = offsets[1:] > offsets[:-1]
    if is_filled.any():
        sums[is_filled] = np.add.reduceat(values, offsets[:-1][is_filled], dtype=dtype)
    return sums


def closest_reference_lengths(texts: Texts) -> Int64:
    """Return the reference length closest to the hypothesis length of each segment, int64[S].

    On ties it is the shorter one; without references it is 0.

    Examples
    --------
    >>> closest_reference_lengths(Texts.from_segments(["a b", "a"], [["a", "a b c"], []])).tolist()
    [1, 0]
    """
    lengths = texts.references.lengths
    differences = np.abs(lengths - texts.hypothesis.lengths[texts.segment_of])
    closest = np.zeros(len(texts), np.int64)
    starts = texts.reference_offsets[:-1]
    has_references = texts.reference_offsets[1:] > starts
    if has_references.any():
        # Combine both in one integer that sorts by difference, then by length.
        smallest = np.minimum.reduceat(differences << 32 | lengths, starts[has_references])
        closest[has_references] = smallest & 0xFFFFFFFF
    return closest


def _count_shared_ngrams(
    hypothesis: Rows,
    hypothesis_of: Int64,
    references: Rows,
    reference_offsets: Int64,
    order: int,
    *,
    by_position: bool = False,
) -> tuple[Int64, Int32]:
    """Count the n-grams that each hypothesis shares with a group of references.

    Parameters
    ----------
    hypothesis, references : Rows
    hypothesis_of : int64[G]
        The hypothesis of each group.
    reference_offsets : int64[G+1]
        The offsets of the references of each group.
    order : int
        The length of the longest n-grams.
    by_position : bool
        Whether to return the second array.

    Returns
    -------
    int64[G, order]
        The shared n-grams by length.
    int32[order, N]
        The matches of each n-gram, at the position of its first occurrence; no rows unless
        `by_position`.
    """
    lengths = np.zeros(len(references[1]) + 1, np.int64)
    # The kernel's scratch space needs one more entry per reference.
    np.cumsum(references[2] - references[1] + 1, out=lengths[1:])
    offsets = lengths[reference_offsets]
    offsets[1:] += np.cumsum((hypothesis[2] - hypothesis[1])[hypothesis_of])
    shared = np.zeros((len(hypothesis_of), order), np.int64)
    matched = np.zeros((order if by_position else 0, len(hypothesis[0])), np.int32)
    run_rows(
        *(kernel.shared_ngrams, offsets, *hypothesis, hypothesis_of, *references),
        *(reference_offsets, order, shared.reshape(-1), by_position, matched.reshape(-1)),
        scratch=lambda longest: (longest,),
    )
    return shared, matched


def split_offsets(rows: Ragged) -> Rows:
    """Return the values, starts and ends of rows."""
    return rows.values, rows.offsets[:-1], rows.offsets[1:]


def _add_boundaries(rows: Ragged) -> Ragged:
    """Add 0 before and 1 after each row; word ids are increased by 2."""
    offsets = rows.offsets + 2 * np.arange(len(rows.offsets))
    values = np.empty(int(offsets[-1]), np.int32)
    is_word = np.ones(len(values), np.bool_)
    is_word[offsets[:-1]] = is_word[offsets[1:] - 1] = False
    values[offsets[:-1]] = 0
    values[offsets[1:] - 1] = 1
    values[is_word] = rows.values + 2
    return Ragged(values, offsets)


@dataclass(kw_only=True, eq=False, repr=False)
class Bleu(SacreBleuMetric):
    """BLEU as in sacreBLEU (Papineni, Roukos, Ward and Zhu 2002; Post 2018), from 0 to 1.

    The geometric mean of the n-gram precisions, times the brevity penalty.

    Parameters
    ----------
    tokenize : str, default "auto"
        A tokenizer of sacreBLEU. auto: the tokenizer of the texts (``--tokenizer``), or 13a if they
        have none.
    lowercase : bool, default False
    smooth_method : "exp", "floor", "add-k" or "none"
    smooth_value : float, optional
        For "floor" (by default 0.1) and "add-k" (by default 1); not used by the others.
    max_ngram_order : int, default 4
    effective_order : bool, default False
        Use only n-gram lengths that the text has n-grams of, in the score of a corpus. The scores
        of single segments always do, as in sacreBLEU's ``sentence_bleu``.

    Raises
    ------
    UsageError
        If a value is unknown or has the wrong type, or a package that a tokenizer needs is not
        installed.

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
    smooth_method: str = choice(*SMOOTHING_DEFAULTS, default="exp")
    smooth_value: float | str | None = unchecked(None)
    max_ngram_order: int = checked(4, contract.check_integer, 1, contract.MAX_NGRAM_ORDER)
    effective_order: bool = checked(False, contract.check_switch)

    def __post_init__(self) -> None:
        super().__post_init__()
        tokenizer = "13a" if self.tokenize == "auto" else self.tokenize
        self._tokenizer = LineTokenizer.of("bleu.tokenize", tokenizer)
        self.smooth_value = _check_smooth_value(
            self.smooth_value, SMOOTHING_DEFAULTS[self.smooth_method]
        )

    @property
    def width(self) -> int:
        """Two lengths, and matches and totals of each order."""
        return 2 + 2 * self.max_ngram_order

    @property
    def own_fields(self) -> Fields:
        """The longest n-grams, and the smoothing value with all digits."""
        order = ("order", str(self.max_ngram_order))
        value = self.smooth_value
        return (order,) if value is None else (order, ("smooth_value", repr(value)))

    @property
    def sacrebleu_fields(self) -> Fields:
        """The options by sacreBLEU's names."""
        value = "" if self.smooth_value is None else f"[{self.smooth_value:.2f}]"
        return (
            ("eff", "yes" if self.effective_order else "no"),
            ("tok", self._tokenizer.signature),
            ("smooth", f"{self.smooth_method}{value}"),
        )

    def with_tokenizer(self, tokenizer: str) -> Bleu:
        """Return the metric with the tokenizer, unless `tokenize` is set."""
        keeps_tokenizer = tokenizer in ("auto", "none") or self.tokenize != "auto"
        return self if keeps_tokenizer else self.with_options(tokenize=tokenizer)

    def statistics(self, segments: Segments) -> Float64:
        """Return lengths, matches, totals, and 1, float64[S, width+1]."""
        texts = segments.texts
        words = self._tokenize(texts)
        counts = ngram_statistics(words, self.max_ngram_order)
        used = np.diff(texts.reference_offsets) > 0
        return np.column_stack([counts[:, -2:], counts[:, :-2], used])

    def score_counts(self, counts: Float64) -> Float64:
        """Return scores from the same sequence of operations as in sacreBLEU, float64[N]."""
        flat = np.ascontiguousarray(counts, np.float64).ravel()
        offsets = np.arange(len(counts) + 1, dtype=np.int64) * counts.shape[1]
        scores = np.empty(len(counts))
        run_rows(
            *(kernel.bleu_scores, offsets, flat, self.max_ngram_order),
            *(SMOOTHING_CODES[self.smooth_method], self.smooth_value or 0.0, self.effective_order),
            *(SUM_IS_COMPENSATED, scores),
        )
        return scores

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each segment with effective order: float64[S, k] to float64[S]."""
        return self._with_effective_order().score(statistics)

    def segment_signature(self) -> Signature:
        """Return the signature with effective order."""
        return self._with_effective_order().signature()

    def _with_effective_order(self) -> Bleu:
        """Return the metric with effective order."""
        if self.effective_order:
            return self
        prepared = copy(self)
        prepared.effective_order = True
        return prepared

    def _tokenize(self, texts: Texts) -> Texts:
        """Return the texts with their lines cut by the tokenizer."""
        name = self._tokenizer.name
        if name == texts.preparation.tokenizer == "13a" and not self.lowercase:
            return texts
        if name not in _OWN_TOKENIZERS:
            return cut_lines(texts, self._tokenizer.tokenize, lowercase=self.lowercase)
        if name == "none":
            changed = None if self.lowercase else tokenizers.changed_words
            return cut_words(
                texts, tokenizers.blank_words, lowercase=self.lowercase, changed=changed
            )
        # How 13a treats a line break depends on whether it ends the line.
        if texts.lines is None and any("\n" in word for word in texts.vocabulary.words):
            return cut_lines(texts, tokenizers.mteval_words, lowercase=self.lowercase)
        return cut_words(texts, tokenizers.mteval_words, lowercase=self.lowercase)


@dataclass(frozen=True)
class LineTokenizer:
    """A tokenizer of sacreBLEU.

    Attributes
    ----------
    name, signature : str
    tokenize_line : callable, optional
        Puts spaces between the words of a line; None for tokenizers that are implemented here too.
    """

    name: str
    signature: str
    tokenize_line: Callable[[str], str] | None = None

    @classmethod
    def of(cls, option: str, name: str) -> LineTokenizer:
        """Return the tokenizer that an option of a metric names.

        Raises
        ------
        UsageError
            If the tokenizer is unknown, or a package that it needs is not installed.
        """
        if name in _OWN_TOKENIZERS:
            return cls(name, name)
        from sacrebleu.metrics.bleu import BLEU

        choose(option, name, ("auto", *BLEU.TOKENIZERS))
        tokenize_line, signature = tokenizers.sacrebleu_tokenizer(name, f"{option}={name}")
        return cls(name, signature, tokenize_line)

    def tokenize(self, lines: RawLines) -> RawLines:
        """Put one space between the words of lines."""
        if self.tokenize_line is None:
            own = {"13a": tokenizers.mteval_words, "none": tokenizers.blank_words}
            return own[self.name](lines)
        tokens = [self.tokenize_line(line.rstrip()) for line in lines.strings(surrogates=True)]
        return tokenizers.blank_words(RawLines.from_strings(tokens, surrogates=True))


def _check_smooth_value(value: float | str | None, default: float | None) -> float | None:
    """Return the smoothing value, or the default; None for a method without a value.

    The command line passes the value as text.
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
    """chrF as in sacreBLEU (Popović 2015; chrF++: Popović 2017), from 0 to 1.

    The F-score of character n-grams and, with ``word_order=2`` (chrF++), of word n-grams.

    Parameters
    ----------
    char_order : int, default 6
    word_order : int, default 0
    beta : int, default 2
        The importance of recall relative to precision.
    lowercase, whitespace, eps_smoothing : bool, default False
        Ignore case; count spaces as characters; smooth as in chrF++.py.
    tokenize : str, default "auto"
        The tokenizer of sacreBLEU for the words of `word_order`. auto: the tokenizer of the texts
        (``--tokenizer``), or ``none`` if they have none. Characters are always those of the raw
        lines.

    Raises
    ------
    UsageError
        If a value has the wrong type, an order is not from 0 to 100, both orders are 0, or `beta`
        is not from 1 to 1000.

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
    beta: int = checked(2, contract.check_integer, 1, MAX_BETA)
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
    def own_fields(self) -> Fields:
        """The weight of recall, and the tokenizer of words."""
        names_tokenizer = self.word_order > 0 and self._tokenizer.name != "none"
        tokenizer = (("tok", self._tokenizer.signature),) if names_tokenizer else ()
        return (("beta", str(self.beta)), *tokenizer)

    @property
    def sacrebleu_fields(self) -> Fields:
        """The options by sacreBLEU's names."""
        return (
            ("eff", "no" if self.eps_smoothing else "yes"),
            ("nc", str(self.char_order)),
            ("nw", str(self.word_order)),
            ("space", "yes" if self.whitespace else "no"),
        )

    def with_tokenizer(self, tokenizer: str) -> Chrf:
        """Return the metric with the tokenizer if it counts words and `tokenize` is not set."""
        keeps_tokenizer = tokenizer in ("auto", "none") or self.tokenize != "auto"
        sets_tokenizer = self.word_order > 0 and not keeps_tokenizer
        return self.with_options(tokenize=tokenizer) if sets_tokenizer else self

    def statistics(self, segments: Segments) -> Float64:
        """Return the counts for the best reference of each segment, and 1, float64[S, width+1]."""
        texts = segments.texts
        hypothesis, references = self.raw_lines(texts)
        split_characters = partial(tokenizers.characters, white_space=self.whitespace)
        columns = split_characters(hypothesis), split_characters(references)
        counts = overlap_counts(*columns, texts.segment_of, self.char_order)
        if self.word_order:
            tokenized = self._tokenize(texts)
            hypothesis_rows, reference_rows = (
                split_offsets(tokenized.hypothesis),
                split_offsets(tokenized.references),
            )
            words = overlap_counts(
                hypothesis_rows, reference_rows, texts.segment_of, self.word_order
            )
            counts = np.concatenate([counts, words], axis=1)
        best = contract.best_reference(-self.score_counts(counts), texts.reference_offsets)
        return np.column_stack([contract.rows_or_zeros(counts, best), best >= 0])

    def _tokenize(self, texts: Texts) -> Texts:
        """Tokenise the texts, and separate a punctuation mark at an end of each word from the word.

        The mark is the last character, or else the first.
        """
        if self._tokenizer.name == "none":
            return cut_words(texts, tokenizers.edge_words, lowercase=self.lowercase)

        def tokenize_lines(lines: RawLines) -> RawLines:
            return tokenizers.edge_words(self._tokenizer.tokenize(lines))

        return cut_lines(texts, tokenize_lines, lowercase=self.lowercase)

    def score_counts(self, counts: Float64) -> Float64:
        """Return scores from the same sequence of operations as in sacreBLEU, float64[N]."""
        orders = self.char_order + self.word_order
        factor = self.beta**2
        smoothed, precisions, recalls, effective_orders = np.zeros((4, len(counts)))
        for order in range(orders):
            hypothesis_counts, reference_counts, matches = counts[:, 3 * order : 3 * order + 3].T
            precision, recall = (
                contract.quotient(matches, totals, EPSILON)
                for totals in (hypothesis_counts, reference_counts)
            )
            denominator = factor * precision + recall
            harmonic = (1 + factor) * precision * recall
            smoothed += contract.quotient(harmonic, denominator, EPSILON)
            is_effective = (hypothesis_counts > 0) & (reference_counts > 0)
            precisions += np.where(is_effective, precision, 0.0)
            recalls += np.where(is_effective, recall, 0.0)
            effective_orders += is_effective
        if self.eps_smoothing:
            return 100 * smoothed / orders
        precisions /= np.maximum(effective_orders, 1)
        recalls /= np.maximum(effective_orders, 1)
        denominator = factor * precisions + recalls
        harmonic = (1 + factor) * precisions * recalls
        return np.where(
            denominator > 0, 100 * contract.quotient(harmonic, denominator, EPSILON), 0.0
        )
