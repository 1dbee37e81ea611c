"""NIST: n-gram matches weighted by their information, which is computed from the references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from math import log

import numpy as np

from wordorder.arrays import Float64, Int32, Int64, Ragged
from wordorder.errors import UsageError
from wordorder.metrics.contract import MAX_NGRAM_ORDER, check_integer, quotient
from wordorder.metrics.options import checked
from wordorder.metrics.text.ngrams import clipped_matches, row_sums
from wordorder.metrics.text.text_metric import TextMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts

# The penalty is 0.5 if the hypotheses have two thirds of the words of the references.
PENALTY_FACTOR = log(0.5) / log(1.5) ** 2


@dataclass(kw_only=True, eq=False, repr=False)
class Nist(TextMetric):
    """Mean information of the n-grams that match, per word of the hypothesis.

    ``sum over n = 1 .. order of (information of the matching n-grams / n-grams of the
    hypothesis)``, times ``exp(b log(min(1, |hypothesis| / |reference|)) ** 2)`` with ``b`` such
    that a hypothesis with two thirds of the words halves the score (Doddington 2002, equation 3).
    Rare n-grams carry more information than frequent ones: see `NgramInformation`. The score is in
    bits, at least 0, and has no upper bound.

    As in mteval-v13a, n-gram matches are clipped by the reference that has them most often, as in
    BLEU, and the reference length is the mean over a segment's references. A segment without
    references is left out.

    The information is computed from all references of a corpus: call `prepare` before
    `statistics`. `corpus_score` and `segment_scores` prepare the metric with their own segments.
    Prepared information stays fixed, in resampling too.

    Parameters
    ----------
    order : int, default 5
        The longest n-grams.

    Raises
    ------
    UsageError
        If `order` is not a whole number from 1 to 100.

    Examples
    --------
    >>> segments = Segments.from_text(["the cat sat"], ["the cat sat on the mat"])
    >>> print(f"{Nist(order=2).corpus_score(segments).value:.4f}")
    0.3630
    """

    name = "nist"

    order: int = checked(5, check_integer, 1, MAX_NGRAM_ORDER)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._information: NgramInformation | None = None

    @property
    def needs_preparation(self) -> bool:
        """Whether `prepare` must be called with the references before `statistics`."""
        return self._information is None

    def prepare(self, references: Segments | Iterable[Segments]) -> Nist:
        """Return a metric whose information weights come from the references of all segments.

        Parameters
        ----------
        references : Segments, or iterable of Segments
            A corpus, or its chunks; only the references are read.
        """
        pieces = [references] if isinstance(references, Segments) else references
        prepared = Nist(order=self.order)
        texts = (piece.texts for piece in pieces)
        prepared._information = NgramInformation.count(texts, self.order)
        return prepared

    def statistics(self, segments: Segments) -> Float64:
        """Return the statistics of each segment, float64[S, 2*order+2].

        The columns are the information of the matching n-grams of 1 .. `order` words, the number of
        n-grams of 1 .. `order` words, the mean reference length, and 1.

        Raises
        ------
        UsageError
            If the metric is not prepared, or was prepared with other references.
        """
        if self._information is None:
            remedy = "use nist.prepare(segments) before its statistics"
            raise UsageError(f"nist weighs n-grams by the references of the whole corpus: {remedy}")
        texts = segments.texts
        used = np.diff(texts.reference_offsets) > 0
        statistics = np.zeros((len(texts), 2 * self.order + 2))
        matched = clipped_matches(texts, self.order)
        offsets = texts.hypothesis.offsets
        for n, (positions, information) in enumerate(self._information.find_ngrams(texts), 1):
            matches = matched[n - 1]
            if np.count_nonzero(matches[positions]) < np.count_nonzero(matches):
                _raise_unknown_ngram(texts, matches, positions, n)
            weighted = np.zeros(len(matches))
            weighted[positions] = matches[positions] * information
            statistics[:, n - 1] = row_sums(weighted, offsets)
            statistics[:, self.order + n - 1] = np.maximum(texts.hypothesis.lengths - n + 1, 0)
        counts = np.maximum(np.diff(texts.reference_offsets), 1)
        statistics[:, -2] = row_sums(texts.references.lengths, texts.reference_offsets) / counts
        statistics[:, -1] = 1
        statistics[~used] = 0
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return the score of summed statistics; 0 without matches."""
        information, counts = totals[..., : self.order], totals[..., self.order : -2]
        per_word = np.sum(information / np.maximum(counts, 1), axis=-1)
        length, reference = totals[..., self.order], totals[..., -2]
        ratio = np.where(length > 0, quotient(length, reference, 1.0), 1.0)
        score: Float64 = per_word * np.exp(PENALTY_FACTOR * np.log(np.minimum(ratio, 1)) ** 2)
        return score

    def signature(self) -> Signature:
        """Return the name with every option that can change a value.

        Prepared references have a digest that does not depend on their order.
        """
        information = self._information
        source = "references" if information is None else information.digest
        return Signature(self.name, (("order", str(self.order)), ("information", source)))


def _raise_unknown_ngram(texts: Texts, matches: Int32, known_positions: Int64, n: int) -> None:
    """Raise the error for the first matching n-gram that has no information."""
    position = int(np.setdiff1d(np.flatnonzero(matches), known_positions)[0])
    row = int(np.searchsorted(texts.hypothesis.offsets, position, "right"))
    words = texts.vocabulary.words
    ngram = " ".join(words[w] for w in texts.hypothesis.values[position : position + n])
    problem = f"they lack {ngram!r}, which a reference of segment {row} has"
    raise UsageError(f"nist was prepared on other references: {problem}")


@dataclass(frozen=True, eq=False)
class NgramInformation:
    """The information weights of NIST, computed from references.

    ``log2(count(w_1 .. w_n-1) / count(w_1 .. w_n))`` over all references (Doddington 2002,
    equation 2); for a single word, the count of all words over its own.

    Attributes
    ----------
    word_ids : dict of str to int
        The id of each word form, since each `Texts` has its own vocabulary.
    keys : list of int64[*], one per order
        The sorted keys of the n-grams. A key is the id of the (n-1)-gram before the last word,
        times the number of words, plus the id of the last word. The id of an n-gram is the index of
        its key.
    information : list of float64[*], one per order
        The information of each n-gram, by its id.
    digest : str
        A hash of the references that does not depend on their order.

    Examples
    --------
    >>> references = Texts.from_segments(["", ""], ["a b a", "a"])
    >>> weights = NgramInformation.count([references], 2)
    >>> weights.information[0].round(3).tolist(), weights.information[1].round(3).tolist()
    ([0.415, 2.0], [1.585, 0.0])
    """

    word_ids: dict[str, int]
    keys: list[Int64]
    information: list[Float64]
    digest: str

    @classmethod
    def count(cls, texts: Iterable[Texts], order: int) -> NgramInformation:
        """Count the n-grams of 1 .. `order` words in the references of texts."""
        word_ids: dict[str, int] = {}
        rows_of_texts = []
        digest = 0
        for column in texts:
            digest += _hash_references(column)
            used = np.unique(column.references.values)
            id_table = np.zeros(len(column.vocabulary), np.int32)
            words = column.vocabulary.words
            id_table[used] = [word_ids.setdefault(words[w], len(word_ids)) for w in used.tolist()]
            rows_of_texts.append(
                Ragged(id_table[column.references.values], column.references.offsets)
            )
        rows = Ragged.concatenate(rows_of_texts)
        unigram_keys = np.arange(len(word_ids))
        ids = rows.values.astype(np.int64)
        counts = np.bincount(ids, minlength=len(word_ids))
        keys = [unigram_keys]
        information = [np.log2(len(ids) / counts)]
        for n in range(2, order + 1):
            positions = np.flatnonzero(_count_words_left(rows) >= n)
            ngram_keys = ids[positions] * len(word_ids) + rows.values[positions + n - 1]
            distinct, ids[positions], longer_counts = np.unique(
                ngram_keys, return_inverse=True, return_counts=True
            )
            prefix_counts = counts[distinct // max(len(word_ids), 1)]
            keys.append(distinct)
            information.append(np.log2(prefix_counts / longer_counts))
            counts = longer_counts
        return cls(word_ids, keys, information, f"{digest % (1 << 64):016x}")

    def find_ngrams(self, texts: Texts) -> Iterator[tuple[Int64, Float64]]:
        """Find the n-grams of the hypotheses that the references have, for each order.

        Yields
        ------
        positions : int64[*]
            Where these n-grams start in the words of all hypotheses.
        information : float64[*]
            The information of each of these n-grams.
        """
        hypothesis = texts.hypothesis
        used = np.unique(hypothesis.values)
        words = texts.vocabulary.words
        id_table = np.zeros(len(texts.vocabulary), np.int64)
        id_table[used] = [self.word_ids.get(words[w], -1) for w in used.tolist()]
        word_ids = id_table[hypothesis.values]
        positions = np.flatnonzero(word_ids >= 0)
        ids = word_ids[positions]
        yield positions, self.information[0][ids]
        for n in range(2, len(self.keys) + 1):
            fits_in_row = _count_words_left(hypothesis)[positions] >= n
            positions, ids = positions[fits_in_row], ids[fits_in_row]
            last_word = word_ids[positions + n - 1]
            ngram_keys = ids * len(self.word_ids) + last_word
            keys = self.keys[n - 1]
            ids = np.searchsorted(keys, ngram_keys)
            is_known = last_word >= 0
            is_known[is_known] = np.append(keys, -1)[ids[is_known]] == ngram_keys[is_known]
            positions, ids = positions[is_known], ids[is_known]
            yield positions, self.information[n - 1][ids]


def _count_words_left(rows: Ragged) -> Int64:
    """Return the number of words from each word to the end of its row."""
    ends = np.repeat(rows.offsets[1:], rows.lengths)
    return ends - np.arange(len(rows.values))


def _hash_references(texts: Texts) -> int:
    """Return a hash of the references that does not depend on their order."""
    total = 0
    for row in texts.words_of(texts.references):
        # Hash the lengths of words too, since a token may contain any character.
        line = "".join(f"{len(word)}:{word}" for word in row).encode("utf-8", "surrogatepass")
        total += int.from_bytes(blake2b(line, digest_size=8).digest(), "big")
    return total
