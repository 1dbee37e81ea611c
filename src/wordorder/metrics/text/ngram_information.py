"""How much information each n-gram of a reference text carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from wordorder.ragged import Ragged
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int64


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
        Tells references apart, whatever their order.

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
            places = _places(rows, n)
            joined = ids[places] * len(numbers) + rows.values[places + n - 1]
            found, ids[places], longer = np.unique(joined, return_inverse=True, return_counts=True)
            shorter = counts[found // max(len(numbers), 1)]
            keys.append(found)
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
            known = self.keys[n - 1]
            ids = np.searchsorted(known, joined)
            found = last >= 0
            found[found] = np.append(known, -1)[ids[found]] == joined[found]
            places, ids = places[found], ids[found]
            yield places, self.information[n - 1][ids]


def _room(rows: Ragged) -> Int64:
    """Return for each word how many words are left in its row, itself included."""
    ends = np.repeat(rows.offsets[1:], rows.lengths)
    return ends - np.arange(len(rows.values))


def _places(rows: Ragged, n: int) -> Int64:
    """Return where n-grams begin."""
    return np.flatnonzero(_room(rows) >= n)


def _digest(texts: Texts) -> int:
    """Return a number of the references that their order does not change."""
    total = 0
    for row in texts.words_of(texts.references):
        # With their lengths: a word given as a token may hold any character.
        line = "".join(f"{len(word)}:{word}" for word in row).encode("utf-8", "surrogatepass")
        total += int.from_bytes(blake2b(line, digest_size=8).digest(), "big")
    return total
