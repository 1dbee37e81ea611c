"""How the letters of a language follow each other, learnt from its words: is a text in it?"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Float64, Int64, UInt64, row_offsets, spread
from wordorder.errors import ModelError
from wordorder.parsing.model_file import numbers_from_arrays
from wordorder.parsing.tagging.tag_set import normal_form
from wordorder.treebank.treebank import Treebank

# What one bit is in a file, where numbers are bytes; and what a letter says that the language does
# not have.
SCALE, STRANGE = 16, -7.5

# So many trigrams and pairs are kept, the most frequent ones: scripts with thousands of letters
# have more, and little is lost.
MOST = 20_000

# Every so many-th sentence is held out, to see how much is unknown in new text.
HELD_OUT = 10

# Letters of a script with a smaller share are no part of the language, as those of names are not.
RARE = 0.05

# Bits of the code of one letter in the key of several.
WIDTH = 21
OUTSIDE = " "


class LetterProfile:
    """How much more likely letters are after the two before them than elsewhere in the language.

    In its own language that is a bit or more a letter; in another one with the same letters nothing
    or less: what is frequent there is not what is frequent here.

    Parameters
    ----------
    tables : mapping of str to array
        For trigrams, pairs and letters (``3``, ``2``, ``1``) the sorted ``key`` and, in parts of a
        bit, the ``score``; for pairs and letters also the ``rest``, which is added where what
        follows was never seen.
    mean : float
        Bits a letter of new text of the language.
    unknown : float
        Share of words of new text that the treebank does not have.

    Examples
    --------
    >>> words = "the other mother then gathers these feathers there".split()
    >>> profile = LetterProfile.learn(Treebank.from_words([words] * 10))
    >>> sums, letters = profile.scores(["then", "xylo", "7"])
    >>> letters.tolist(), bool(sums[0] > 0 > sums[1])
    ([4, 4, 0], True)
    """

    kind: ClassVar[str] = "letter-profile"

    def __init__(self, tables: dict[str, Array], mean: float, unknown: float) -> None:
        self.tables = tables
        self.mean = mean
        self.unknown = unknown

    @classmethod
    def learn(cls, bank: Treebank) -> LetterProfile:
        """Learn from the words of sentences."""
        rows = bank.sentences()
        held = [row for number, row in enumerate(rows) if number % HELD_OUT == HELD_OUT - 1]
        seen = [row for number, row in enumerate(rows) if number % HELD_OUT != HELD_OUT - 1]
        words = [word for row in held or rows for word in row if _letters(word)]
        known = {normal_form(word) for row in seen for word in row}
        sums, letters = cls(_tables(seen or rows), 0.0, 0.0).scores(words)
        mean = float(sums.sum() / max(int(letters.sum()), 1))
        unknown = sum(normal_form(word) not in known for word in words) / max(len(words), 1)
        return cls(_tables(rows), round(mean, 3), round(unknown, 3))

    def scores(self, words: Sequence[str]) -> tuple[Float64, Int64]:
        """Return the sum of the scores of each word's letters in bits, and how many it has."""
        letters = [_letters(word) for word in words]
        lengths = np.fromiter(map(len, letters), np.int64, len(letters))
        text = "".join(f"{OUTSIDE * 2}{each}" for each in letters)
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64)
        starts = np.cumsum(lengths + 2) - lengths
        places = spread(starts, lengths)
        first, second, third = (codes[places - back] for back in (2, 1, 0))
        width = np.uint64(WIDTH)
        pairs = second << width | third
        strange = self._looked_up("1", "score", third, STRANGE)
        rest = self._looked_up("1", "rest", second, 0.0)
        found = self._looked_up("2", "score", pairs, rest)
        rest = self._looked_up("2", "rest", first << width | second, 0.0)
        found = self._looked_up("3", "score", first << (width + width) | pairs, found + rest)
        found = np.where(strange < 0, strange, found)
        ends = np.append(0, np.cumsum(found))
        cuts = row_offsets(lengths)
        return ends[cuts[1:]] - ends[cuts[:-1]], lengths

    def _looked_up(self, size: str, name: str, keys: UInt64, otherwise: float | Float64) -> Float64:
        """Return what a table has for keys in bits, or what else is given."""
        known = self.tables[f"{size}.key"]
        if not len(known):
            return np.broadcast_to(np.asarray(otherwise, np.float64), keys.shape)
        places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        values = self.tables[f"{size}.{name}"][places] / SCALE
        return np.where(known[places] == keys, values, otherwise)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        return {"mean": self.mean, "unknown": self.unknown}, self.tables

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> LetterProfile:
        """Make the profile again; whatever does not fit together raises `ModelError`."""
        tables: dict[str, Array] = {}
        for size in "123":
            name = f"{size}.key"
            keys = arrays.get(name)
            if keys is None or keys.dtype != np.uint64 or keys.ndim != 1:
                raise ModelError(f"{name} is missing or no flat uint64")
            if np.any(keys[1:] <= keys[:-1]):
                raise ModelError(f"{name}: the keys do not rise")
            tables[name] = keys
            for value in ("score", "rest")[: 2 if size != "3" else 1]:
                where = f"{size}.{value}"
                tables[where] = numbers_from_arrays(
                    where, arrays, 127, least=-128, kind="i1", size=len(keys)
                )
        return cls(tables, float(about["mean"]), float(about["unknown"]))


def _letters(word: str) -> str:
    """Return the letters of a word in lower case."""
    return "".join(letter for letter in word.lower() if letter.isalpha())


def _tables(rows: Iterable[Sequence[str]]) -> dict[str, Array]:
    """Count letters; probabilities as Witten and Bell (1991) smooth them."""
    words: Counter[str] = Counter(word for row in rows for word in row)
    threes: Counter[str] = Counter()
    for word, times in words.items():
        text = OUTSIDE * 2 + _letters(word)
        for place in range(2, len(text)):
            threes[text[place - 2 : place + 1]] += times
    twos: Counter[str] = Counter()
    ones: Counter[str] = Counter()
    # How often something follows a context, and how many different letters.
    after, after_kinds = Counter[str](), Counter[str]()
    for three, times in threes.items():
        twos[three[1:]] += times
        ones[three[2]] += times
        after[three[:2]] += times
        after_kinds[three[:2]] += 1
    for two, times in twos.items():
        after[two[0]] += times
        after_kinds[two[0]] += 1
    total = sum(ones.values())

    def rest(context: str) -> float:
        if not after[context]:
            return 1.0
        return after_kinds[context] / (after[context] + after_kinds[context])

    def two_share(two: str) -> float:
        own = ones[two[1]] / total
        return (1 - rest(two[0])) * twos[two] / max(after[two[0]], 1) + rest(two[0]) * own

    def three_share(three: str) -> float:
        share = threes[three] / after[three[:2]]
        return (1 - rest(three[:2])) * share + rest(three[:2]) * two_share(three[1:])

    kept = {size: _frequent(each) for size, each in (("2", twos), ("3", threes))}
    contexts = sorted({three[:2] for three in kept["3"]} | set(kept["2"]))
    letters = sorted(ones)
    known = sorted({*letters, OUTSIDE})
    return {
        "1.key": _keys(known),
        "1.score": _bits(_common_scripts(known, ones)),
        "1.rest": _bits([rest(one) for one in known]),
        "2.key": _keys(contexts),
        "2.score": _bits(
            [two_share(two) * total / ones[two[1]] if ones[two[1]] else 1.0 for two in contexts]
        ),
        "2.rest": _bits([rest(two) for two in contexts]),
        "3.key": _keys(kept["3"]),
        "3.score": _bits([three_share(three) * total / ones[three[2]] for three in kept["3"]]),
    }


def _common_scripts(letters: Sequence[str], counts: Counter[str]) -> list[float]:
    """Return 1 for each letter of a script that is common, and less if hardly a word is in it."""
    scripts = [unicodedata.name(letter, "").partition(" ")[0] for letter in letters]
    shares: Counter[str] = Counter()
    for letter, script in zip(letters, scripts, strict=True):
        shares[script] += counts[letter]
    total = max(shares.total(), 1)
    return [
        1.0 if shares[script] >= total * RARE or letter == OUTSIDE else shares[script] / total
        for letter, script in zip(letters, scripts, strict=True)
    ]


def _frequent(counts: Counter[str]) -> list[str]:
    """Return the most frequent strings, sorted."""
    return sorted(sorted(counts, key=lambda each: (-counts[each], each))[:MOST])


def _keys(strings: Sequence[str]) -> UInt64:
    """Return strings of letters as numbers, which rise as the strings do."""
    keys = []
    for string in strings:
        key = 0
        for letter in string:
            key = key << WIDTH | ord(letter)
        keys.append(key)
    return np.array(keys, np.uint64)


def _bits(ratios: Sequence[float]) -> Array:
    """Return the logarithms of ratios as bytes."""
    bits = np.rint(np.log2(np.array(ratios, np.float64)) * SCALE)
    found: Array = np.clip(bits, -128, 127).astype(np.int8)
    return found
