"""Vocabulary: the distinct words of texts, and their ids."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from wordorder.arrays import Array, Ragged, row_offsets
from wordorder.kernels import call, text as kernel
from wordorder.text.raw_lines import RawLines

# Slots of the first hash table: one per `_BYTES_PER_SLOT` bytes of text within these limits. The
# table doubles as words are added.
MIN_FIRST_SLOTS = 1 << 12
MAX_FIRST_SLOTS = 1 << 16
_BYTES_PER_SLOT = 32

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
        # Derived results are recomputed in other processes; a lock cannot be sent to them.
        return {"_source": self._source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._source = state["_source"]
        self._derived = {}
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._source)

    @cached_property
    def words(self) -> list[str]:
        """The words of the ids 0, 1, ..."""
        return self._source.strings() if isinstance(self._source, RawLines) else list(self._source)

    @property
    def raw(self) -> RawLines:
        """The words as encoded lines; lone surrogates are encoded as if they were characters."""
        if isinstance(self._source, RawLines):
            return self._source
        return RawLines.from_strings(self._source, surrogates=True)

    def derived(self, key: object, make: Callable[[], Derived]) -> Derived:
        """Return the result of `make` for the words, computed once for all texts and threads."""
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
        # Tokens may be any strings, so lone surrogates are kept.
        flat = np.frombuffer("".join(self.words).encode("utf-32-le", "surrogatepass"), np.int32)
        return Ragged(flat, offsets)


def number_lines(lines: RawLines) -> tuple[Ragged, Vocabulary]:
    """Replace the words of lines by ids; only spaces and tabs separate words."""
    rows = len(lines)
    data = np.ascontiguousarray(lines.data)
    starts, stops = np.ascontiguousarray(lines.starts), np.ascontiguousarray(lines.stops)
    capacity = int(np.sum((stops - starts + 1) // 2)) if rows else 0
    values = np.empty(capacity, np.int32)
    offsets = np.zeros(rows + 1, np.int64)
    slots = MIN_FIRST_SLOTS
    while slots < min(len(data) // _BYTES_PER_SLOT, MAX_FIRST_SLOTS):
        slots *= 2
    # The hash, the start and the stop of each distinct word.
    words_so_far: tuple[Array, ...] = tuple(
        np.empty(0, dtype) for dtype in (np.uint64, np.int64, np.int64)
    )
    state = np.zeros(3, np.int64)
    words = 0
    while True:
        table, numbers = np.zeros(slots, np.uint64), np.empty(slots, np.int32)
        size = 3 * slots // 4 + 1
        words_so_far = tuple(_resized(column, words, size) for column in words_so_far)
        call(kernel.fill_table, words_so_far[0], table, numbers, words)
        arrays = (data, starts, stops, table, numbers, *words_so_far, values, offsets, state)
        call(kernel.number_words, *arrays, int(state[2]), rows)
        if state[2] == rows:
            break
        words = int(state[0])
        max_new_words = int(stops[state[2]] - starts[state[2]]) // 2 + 1
        while slots < 2 * len(table) or 4 * (words + max_new_words) > 3 * slots:
            slots *= 2
    words, tokens = int(state[0]), int(state[1])
    distinct_words = RawLines(data, words_so_far[1][:words], words_so_far[2][:words])
    return Ragged(values[:tokens], offsets), Vocabulary(distinct_words)


def cut_rows(rows: Ragged, parts: Ragged) -> Ragged:
    """Replace each word in rows of words by its parts.

    Examples
    --------
    >>> parts = Ragged.from_rows([[5], [6, 7]])
    >>> cut_rows(Ragged.from_rows([[1, 0], [], [1]]), parts).to_lists()
    [[6, 7, 5], [], [6, 7]]
    """
    cut = parts.take(rows.values.astype(np.int64))
    return Ragged(cut.values, cut.offsets[rows.offsets])


def _resized(array: Array, filled: int, size: int) -> Array:
    """Copy the first `filled` entries to an array of a new size."""
    resized = np.empty(size, array.dtype)
    resized[:filled] = array[:filled]
    return resized


def number_tokens(columns: Sequence[Iterable[Sequence[str]]]) -> tuple[list[Ragged], Vocabulary]:
    """Replace the tokens of several columns by ids, which all columns share.

    Examples
    --------
    >>> columns, vocabulary = number_tokens([[["New York", "is"]], [["is", "it"]]])
    >>> [rows.to_lists() for rows in columns], len(vocabulary)
    ([[[0, 1]], [[1, 2]]], 3)
    """
    ids: dict[str, int] = {}
    rows_of_ids = []
    for column in columns:
        rows = list(column)
        offsets = row_offsets(np.fromiter(map(len, rows), np.int64, len(rows)))
        for word in chain.from_iterable(rows):
            if word not in ids:
                ids[word] = len(ids)
        flat = map(ids.__getitem__, chain.from_iterable(rows))
        rows_of_ids.append(Ragged(np.fromiter(flat, np.int32, int(offsets[-1])), offsets))
    return rows_of_ids, Vocabulary(list(ids))
