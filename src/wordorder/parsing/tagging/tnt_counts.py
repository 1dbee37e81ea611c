"""What TnT counts in tagged text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wordorder.errors import ModelError
from wordorder.parsing.model_arrays import strings_arrays, strings_from_arrays
from wordorder.treebank.column import Column
from wordorder.types import Array, Int32, Int64

# No count is larger: sums of all of them stay far within 64 bits.
MOST = 1 << 40


@dataclass(frozen=True, eq=False)
class TnTCounts:
    """Counts of tag trigrams and of words with their tags.

    Attributes
    ----------
    tags : int
        How many tags there are; this number itself is the boundary before and after a
        sentence.
    trigrams : int32[T, 3]
        The trigrams that occur, sorted; there are two boundaries before a sentence, one after it.
    trigram_count : int64[T]
    words : list of str
    word_start : int64[W+1]
        The tags of word ``w`` are ``word_start[w] .. word_start[w+1]-1`` of the next two.
    word_tag : int32 array
        Rises within a word.
    word_count : int64 array
    """

    tags: int
    trigrams: Int32
    trigram_count: Int64
    words: list[str]
    word_start: Int64
    word_tag: Int32
    word_count: Int64

    @classmethod
    def of(cls, offsets: Int64, form: Column, gold: Int32, tags: int) -> TnTCounts:
        """Count; empty sentences count for nothing."""
        lengths = np.diff(offsets)
        offsets = np.append(0, np.cumsum(lengths[lengths > 0]))
        sentences = len(offsets) - 1
        # Each sentence with two boundaries before and one after it; the last is of the next.
        padded = np.full(len(gold) + 3 * sentences, tags, np.int64)
        sentence = np.repeat(np.arange(sentences), np.diff(offsets))
        padded[np.arange(len(gold)) + 3 * sentence + 2] = gold
        ends = np.ones(len(padded), bool)
        begins = offsets[:-1] + 3 * np.arange(sentences)
        ends[begins] = ends[begins + 1] = False
        last = np.flatnonzero(ends)
        base = tags + 1
        codes = (padded[last - 2] * base + padded[last - 1]) * base + padded[last]
        different, trigram_count = np.unique(codes, return_counts=True)
        rest, third = np.divmod(different, base)
        trigrams = np.stack([*np.divmod(rest, base), third], axis=1).astype(np.int32)
        numbers: dict[str, int] = {}
        known = form.vocabulary.words
        table = [numbers.setdefault(word, len(numbers)) for word in known]
        words = np.array(table, np.int64)[form.codes]
        pairs, times = np.unique(words * tags + gold, return_counts=True)
        word, tag = np.divmod(pairs, tags)
        # Sorted by their letters, so that the order of sentences does not matter.
        names = list(numbers)
        used = np.unique(word).tolist()
        order = sorted(used, key=names.__getitem__)
        place = np.zeros(len(names), np.int64)
        place[order] = np.arange(len(order))
        by_name = np.lexsort((tag, place[word]))
        start = np.append(0, np.cumsum(np.bincount(place[word], minlength=len(order))))
        return cls(
            tags,
            trigrams,
            trigram_count,
            [names[number] for number in order],
            start,
            tag[by_name].astype(np.int32),
            times[by_name],
        )

    def tag_counts(self) -> Int64:
        """Return how often each tag occurs, the boundary after sentences last."""
        found = np.zeros(self.tags + 1, np.int64)
        np.add.at(found, self.trigrams[:, 2], self.trigram_count)
        return found

    def arrays(self) -> dict[str, Array]:
        """Return its arrays by name."""
        return {
            "trigrams": self.trigrams.reshape(-1),
            "trigrams.count": self.trigram_count,
            **strings_arrays("words", self.words),
            "words.tags": np.diff(self.word_start).astype(np.int32),
            "words.tag": self.word_tag,
            "words.count": self.word_count,
        }

    @classmethod
    def from_arrays(cls, tags: int, arrays: Mapping[str, Array]) -> TnTCounts:
        """Make it again; whatever does not fit together raises `ModelError`."""
        words = strings_from_arrays("words", arrays)
        number = _taken(arrays, "words.tags", np.int32, 1, tags)
        word_tag = _taken(arrays, "words.tag", np.int32, 0, tags - 1)
        word_count = _taken(arrays, "words.count", np.int64, 1, MOST)
        trigrams = _taken(arrays, "trigrams", np.int32, 0, tags)
        trigram_count = _taken(arrays, "trigrams.count", np.int64, 1, MOST)
        if len(trigrams) != 3 * len(trigram_count) or not len(trigram_count):
            raise ModelError("trigrams: not three tags for each count")
        if len(number) != len(words) or int(number.sum(dtype=np.int64)) != len(word_tag):
            raise ModelError("words.tags: do not add up")
        if len(word_count) != len(word_tag):
            raise ModelError("words.count: not one for each tag")
        start = np.append(0, np.cumsum(number, dtype=np.int64))
        word = np.repeat(np.arange(len(words)), number)
        rows = trigrams.reshape(-1, 3)
        codes = [word * np.int64(tags) + word_tag]
        codes.append((rows[:, 0] * np.int64(tags + 1) + rows[:, 1]) * (tags + 1) + rows[:, 2])
        if any(np.any(np.diff(code) <= 0) for code in codes):
            raise ModelError("words.tag or trigrams: not in order")
        counts = cls(tags, rows, trigram_count, words, start, word_tag, word_count)
        if np.any(counts.tag_counts() == 0):
            raise ModelError("trigrams: a tag that never occurs")
        return counts


def _taken(arrays: Mapping[str, Array], name: str, kind: type, least: int, most: int) -> Array:
    """Return a flat array of a type with numbers within bounds."""
    array = arrays.get(name)
    if array is None:
        raise ModelError(f"{name} is missing")
    if array.dtype != kind or array.ndim != 1:
        raise ModelError(f"{name}: {array.dtype}{list(array.shape)}; expected flat {kind.__name__}")
    if len(array) and (int(array.min()) < least or int(array.max()) > most):
        raise ModelError(f"{name} holds a number that cannot be: not from {least} to {most}")
    return array
