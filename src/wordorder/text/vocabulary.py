"""Vocabulary: the words of a text as numbers."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from wordorder.arrays import Array, Ragged, row_offsets
from wordorder.kernels import call, text as kernel
from wordorder.text.raw_lines import RawLines

# Slots of the first hash table, of the first one for long texts, and bytes per slot of such texts.
# The table doubles as words are added.
FIRST_SLOTS = 1 << 12
MOST_SLOTS = 1 << 16
_BYTES = 32

Derived = TypeVar("Derived")


class Vocabulary:
    """The distinct words of some text, in order of first occurrence.

    Examples
    --------
    >>> numbers, vocabulary = number_lines(RawLines.from_strings(["to be or", "not to be"]))
    >>> numbers.to_lists(), vocabulary.words
    ([[0, 1, 2], [3, 0, 1]], ['to', 'be', 'or', 'not'])
    """

    def __init__(self, source: RawLines | Sequence[str]) -> None:
        self._source = source
        self._derived: dict[object, Any] = {}
        self._lock = RLock()

    def __getstate__(self) -> dict[str, object]:
        # What can be computed again is not sent to other processes; a lock cannot be.
        return {"_source": self._source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._source = state["_source"]
        self._derived = {}
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._source)

    @cached_property
    def words(self) -> list[str]:
        """The words by number."""
        return self._source.strings() if isinstance(self._source, RawLines) else list(self._source)

    @property
    def raw(self) -> RawLines:
        """The words by number, encoded; lone surrogates as if they were characters."""
        if isinstance(self._source, RawLines):
            return self._source
        return RawLines.from_strings(self._source, surrogates=True)

    def derived(self, key: object, make: Callable[[], Derived]) -> Derived:
        """Return the result of `make` for the words, computed once for all texts that share them.

        The texts of all systems that are compared with the same references do, on any thread.
        """
        with self._lock:
            if key not in self._derived:
                self._derived[key] = make()
            derived: Derived = self._derived[key]
            return derived

    def code_points(self) -> Ragged:
        """Return the Unicode code points of each word."""
        return self._code_points

    @cached_property
    def _code_points(self) -> Ragged:
        offsets = row_offsets(np.fromiter(map(len, self.words), np.int64, len(self)))
        # Surrogates stay what they are: a list of tokens may hold any string.
        flat = np.frombuffer("".join(self.words).encode("utf-32-le", "surrogatepass"), np.int32)
        return Ragged(flat, offsets)


def number_lines(lines: RawLines) -> tuple[Ragged, Vocabulary]:
    """Number the words of lines, which spaces and tabs alone separate."""
    rows = len(lines)
    data = np.ascontiguousarray(lines.data)
    starts, stops = np.ascontiguousarray(lines.starts), np.ascontiguousarray(lines.stops)
    room = int(np.sum((stops - starts + 1) // 2)) if rows else 0
    values = np.empty(room, np.int32)
    offsets = np.zeros(rows + 1, np.int64)
    slots = FIRST_SLOTS
    while slots < min(len(data) // _BYTES, MOST_SLOTS):
        slots *= 2
    keys, begins, ends = np.empty(0, np.uint64), *(np.empty(0, np.int64) for _ in range(2))
    state = np.zeros(3, np.int64)
    words = 0
    while True:
        table, numbers = np.zeros(slots, np.uint64), np.empty(slots, np.int32)
        size = 3 * slots // 4 + 1
        keys, begins, ends = (_longer(table, words, size) for table in (keys, begins, ends))
        call(kernel.fill_table, keys, table, numbers, words)
        arrays = (data, starts, stops, table, numbers, keys, begins, ends, values, offsets, state)
        call(kernel.number_words, *arrays, int(state[2]), rows)
        if state[2] == rows:
            break
        words = int(state[0])
        longest = int(stops[state[2]] - starts[state[2]]) // 2 + 1
        while slots < 2 * len(table) or 4 * (words + longest) > 3 * slots:
            slots *= 2
    words, tokens = int(state[0]), int(state[1])
    words_before = RawLines(data, begins[:words], ends[:words])
    return Ragged(values[:tokens], offsets), Vocabulary(words_before)


def cut_rows(rows: Ragged, parts: Ragged) -> Ragged:
    """Return rows of words as rows of the parts of these words.

    Examples
    --------
    >>> parts = Ragged.from_rows([[5], [6, 7]])
    >>> cut_rows(Ragged.from_rows([[1, 0], [], [1]]), parts).to_lists()
    [[6, 7, 5], [], [6, 7]]
    """
    cut = parts.take(rows.values.astype(np.int64))
    return Ragged(cut.values, cut.offsets[rows.offsets])


def _longer(known: Array, filled: int, size: int) -> Array:
    """Return an array of a new size with the entries that are filled."""
    longer = np.empty(size, known.dtype)
    longer[:filled] = known[:filled]
    return longer


def number_tokens(columns: Sequence[Iterable[Sequence[str]]]) -> tuple[list[Ragged], Vocabulary]:
    """Number the words of rows of tokens, strings all of them, in columns that share numbers.

    Examples
    --------
    >>> columns, vocabulary = number_tokens([[["New York", "is"]], [["is", "it"]]])
    >>> [rows.to_lists() for rows in columns], len(vocabulary)
    ([[[0, 1]], [[1, 2]]], 3)
    """
    numbers: dict[str, int] = {}
    numbered = []
    for column in columns:
        rows = list(column)
        offsets = row_offsets(np.fromiter(map(len, rows), np.int64, len(rows)))
        for word in chain.from_iterable(rows):
            if word not in numbers:
                numbers[word] = len(numbers)
        flat = map(numbers.__getitem__, chain.from_iterable(rows))
        numbered.append(Ragged(np.fromiter(flat, np.int32, int(offsets[-1])), offsets))
    return numbered, Vocabulary(list(numbers))
