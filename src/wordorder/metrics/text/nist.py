"""NIST: n-gram matches weighted by their information, which is counted on references."""

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

# The penalty is one half where the hypotheses have two thirds of the words.
PENALTY = log(0.5) / log(1.5) ** 2


@dataclass(kw_only=True, eq=False, repr=False)
class Nist(TextMetric):
    """Information of the n-grams that match, a word of the hypothesis.

    ``sum over n = 1 .. order of (information of the matching n-grams / n-grams of the
    hypothesis)``, times ``exp(b log(min(1, |hypothesis| / |reference|)) ** 2)`` with ``b`` such
    that two thirds of the words halve it (Doddington 2002, equation 3). Rare n-grams carry more
    information than frequent ones: see `NgramInformation`. A score in bits, at least 0, without an
    upper bound.

    N-grams match as in BLEU, clipped by the reference that has them most often, and the reference
    length is the mean over a segment's references, both as in mteval-v13a. A segment without
    references is left out.

    The information comes from all references of a corpus, so these must be seen before any
    statistics: by `prepare`. `corpus_score` and `segment_scores` prepare themselves from the
    segments that they are given. Prepared information stays fixed, in resampling too.

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
        """Whether the metric must see the references before it can make statistics."""
        return self._information is None

    def prepare(self, references: Segments | Iterable[Segments]) -> Nist:
        """Return a metric whose information weights come from the references of all segments.

        Parameters
        ----------
        references : Segments, or iterable of Segments
            A corpus, or its pieces; only the references are read.
        """
        pieces = [references] if isinstance(references, Segments) else references
        prepared = Nist(order=self.order)
        texts = (piece.texts for piece in pieces)
        prepared._information = NgramInformation.count(texts, self.order)
        return prepared

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2*order+2].

        Information of the matches of 1 .. `order` words, all n-grams of 1 .. `order` words, mean
        reference length, and 1.

        Raises
        ------
        UsageError
            If the metric is not prepared, or was prepared on references that lack an n-gram of
            these.
        """
        if self._information is None:
            how = "use nist.prepare(segments) before its statistics"
            raise UsageError(f"nist weighs n-grams by the references of the whole corpus: {how}")
        texts = segments.texts
        used = np.diff(texts.reference_offsets) > 0
        statistics = np.zeros((len(texts), 2 * self.order + 2))
        matched = clipped_matches(texts, self.order)
        offsets = texts.hypothesis.offsets
        for n, (places, information) in enumerate(self._information.places(texts), 1):
            matches = matched[n - 1]
            if np.count_nonzero(matches[places]) < np.count_nonzero(matches):
                _raise_unknown(texts, matches, places, n)
            weighted = np.zeros(len(matches))
            weighted[places] = matches[places] * information
            statistics[:, n - 1] = row_sums(weighted, offsets)
            statistics[:, self.order + n - 1] = np.maximum(texts.hypothesis.lengths - n + 1, 0)
        counts = np.maximum(np.diff(texts.reference_offsets), 1)
        statistics[:, -2] = row_sums(texts.references.lengths, texts.reference_offsets) / counts
        statistics[:, -1] = 1
        statistics[~used] = 0
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return the score of summed statistics, 0 without matches."""
        information, counts = totals[..., : self.order], totals[..., self.order : -2]
        per_word = np.sum(information / np.maximum(counts, 1), axis=-1)
        length, reference = totals[..., self.order], totals[..., -2]
        ratio = np.where(length > 0, quotient(length, reference, 1.0), 1.0)
        score: Float64 = per_word * np.exp(PENALTY * np.log(np.minimum(ratio, 1)) ** 2)
        return score

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value.

        Prepared references are told apart by a number that their order does not change.
        """
        information = self._information
        source = "references" if information is None else information.digest
        return Signature(self.name, (("order", str(self.order)), ("information", source)))


def _raise_unknown(texts: Texts, matches: Int32, places: Int64, n: int) -> None:
    """Raise the error for the first matching n-gram that is not among the known places."""
    place = int(np.setdiff1d(np.flatnonzero(matches), places)[0])
    row = int(np.searchsorted(texts.hypothesis.offsets, place, "right"))
    words = texts.vocabulary.words
    ngram = " ".join(words[w] for w in texts.hypothesis.values[place : place + n])
    problem = f"they lack {ngram!r}, which a reference of segment {row} has"
    raise UsageError(f"nist was prepared on other references: {problem}")


@dataclass(frozen=True, eq=False)
class NgramInformation:
    """The information weights of NIST, counted on references.

    ``log2(count(w_1 .. w_n-1) / count(w_1 .. w_n))`` over all references (Doddington 2002,
    equation 2); for a single word, the count of all words over its own.

    Attributes
    ----------
    numbers : dict of str to int
        A number for each word. Words are known by their form: texts have vocabularies of their
        own.
    keys : list of int64[*], one an order
        Sorted; an n-gram is the number of the (n-1)-gram before its last word, times the number
        of words, plus its last word, and has the place of its key as its number.
    information : list of float64[*], one an order
        By the number of the n-gram.
    digest : str
        Distinguishes references by their content, not their order.

    Examples
    --------
    >>> references = Texts.from_segments(["", ""], ["a b a", "a"])
    >>> known = NgramInformation.count([references], 2)
    >>> known.information[0].round(3).tolist(), known.information[1].round(3).tolist()
    ([0.415, 2.0], [1.585, 0.0])
    """

    numbers: dict[str, int]
    keys: list[Int64]
    information: list[Float64]
    digest: str

    @classmethod
    def count(cls, texts: Iterable[Texts], order: int) -> NgramInformation:
        """Count the n-grams of 1 .. `order` words in the references of texts."""
        numbers: dict[str, int] = {}
        parts = []
        digest = 0
        for part in texts:
            digest += _digest(part)
            used = np.unique(part.references.values)
            table = np.zeros(len(part.vocabulary), np.int32)
            words = part.vocabulary.words
            table[used] = [numbers.setdefault(words[w], len(numbers)) for w in used.tolist()]
            parts.append(Ragged(table[part.references.values], part.references.offsets))
        rows = Ragged.concatenate(parts)
        words_in_all = np.arange(len(numbers))
        ids = rows.values.astype(np.int64)
        counts = np.bincount(ids, minlength=len(numbers))
        keys = [words_in_all]
        information = [np.log2(len(ids) / counts)]
        for n in range(2, order + 1):
            places = np.flatnonzero(_room(rows) >= n)
            joined = ids[places] * len(numbers) + rows.values[places + n - 1]
            distinct, ids[places], longer = np.unique(
                joined, return_inverse=True, return_counts=True
            )
            shorter = counts[distinct // max(len(numbers), 1)]
            keys.append(distinct)
            information.append(np.log2(shorter / longer))
            counts = longer
        return cls(numbers, keys, information, f"{digest % (1 << 64):016x}")

    def places(self, texts: Texts) -> Iterator[tuple[Int64, Float64]]:
        """Find the n-grams of the hypotheses, order by order.

        Yields
        ------
        places : int64[*]
            Where n-grams begin that the references have, in the words of all hypotheses.
        information : float64[*]
            What they carry.
        """
        hypothesis = texts.hypothesis
        used = np.unique(hypothesis.values)
        words = texts.vocabulary.words
        table = np.zeros(len(texts.vocabulary), np.int64)
        table[used] = [self.numbers.get(words[w], -1) for w in used.tolist()]
        word = table[hypothesis.values]
        places = np.flatnonzero(word >= 0)
        ids = word[places]
        yield places, self.information[0][ids]
        for n in range(2, len(self.keys) + 1):
            room = _room(hypothesis)[places] >= n
            places, ids = places[room], ids[room]
            last = word[places + n - 1]
            joined = ids * len(self.numbers) + last
            keys = self.keys[n - 1]
            ids = np.searchsorted(keys, joined)
            is_known = last >= 0
            is_known[is_known] = np.append(keys, -1)[ids[is_known]] == joined[is_known]
            places, ids = places[is_known], ids[is_known]
            yield places, self.information[n - 1][ids]


def _room(rows: Ragged) -> Int64:
    """Return for each word how many words are left in its row, itself included."""
    ends = np.repeat(rows.offsets[1:], rows.lengths)
    return ends - np.arange(len(rows.values))


def _digest(texts: Texts) -> int:
    """Return a number of the references that their order does not change."""
    total = 0
    for row in texts.words_of(texts.references):
        # With their lengths: a word given as a token may hold any character.
        line = "".join(f"{len(word)}:{word}" for word in row).encode("utf-8", "surrogatepass")
        total += int.from_bytes(blake2b(line, digest_size=8).digest(), "big")
    return total
