"""Parallel text: sentence pairs as word ids, and the pairs of words that co-occur in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from wordorder.arrays import ArrowColumn, Int32, Int64, Ragged, row_offsets
from wordorder.errors import InputError, UsageError
from wordorder.kernels import alignment as kernel, call
from wordorder.notes import note
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import number_lines, number_tokens

# Lines, rows of tokens, or rows of word numbers.
Listed = RawLines | Sequence[str] | Sequence[Sequence[str]] | Ragged

Rows = Listed | ArrowColumn

# The number of cells whose posteriors are in memory at the same time.
BLOCK_CELLS = 1 << 22

# The maximum product of the lengths of a sentence pair; time grows with a power of the length.
MAX_CELLS = 1 << 24

# The work per cell with jumps, relative to the work without, in sentences of 100 words or more.
JUMP_WORK = 8

# The work of about one second, above which a note is written.
NOTED_WORK = 1 << 24


@dataclass(frozen=True, eq=False)
class Block:
    """Sentence pairs that are processed together.

    Attributes
    ----------
    source, target : Ragged
        The word ids of S sentences.
    cell_offsets : int64[S+1]
        Row ``s`` has the cells ``cell_offsets[s] .. cell_offsets[s+1]-1``, source word by word.
    pair : int32
        The pair of words of each cell.
    """

    source: Ragged
    target: Ragged
    cell_offsets: Int64
    pair: Int32


@dataclass(frozen=True, eq=False)
class ParallelText:
    """Sentence pairs with word ids from one vocabulary for both languages.

    Attributes
    ----------
    source, target : Ragged
        S rows of word ids each.
    words : list of str
        The words by id; if the rows were numbers, these as text.
    spelled : bool
        Whether `words` are words and not numbers, so that their letters can be compared.

    Examples
    --------
    >>> text = ParallelText.from_rows(["a b", "a"], ["x", "a y"])
    >>> text.source.to_lists(), text.target.to_lists(), text.words
    ([[0, 1], [0]], [[2], [0, 3]], ['a', 'b', 'x', 'y'])
    >>> sorted(zip(text.pair_source.tolist(), text.pair_target.tolist()))
    [(0, 0), (0, 2), (0, 3), (1, 2)]
    """

    source: Ragged
    target: Ragged
    words: list[str]
    spelled: bool

    @classmethod
    def from_rows(cls, source: Rows, target: Rows) -> ParallelText:
        """Number the words of two columns: lines, rows of tokens, or rows of numbers.

        Raises
        ------
        InputError
            If the columns differ in length, an entry has another type than the others, or a
            sentence pair is too long to be aligned.
        UsageError
            If the types of the columns differ.
        """
        return cls._from_listed(_lines_or_rows(source, "source"), _lines_or_rows(target, "target"))

    @classmethod
    def _from_listed(cls, source: Listed, target: Listed) -> ParallelText:
        for name, column in (("source", source), ("target", target)):
            if not _is_list(column):
                raise InputError(name, type(column).__name__, "a list with one entry per sentence")
        if len(source) != len(target):
            raise line_count_mismatch("source", len(source), "target", len(target))
        kinds = {_row_type(column) for column in (source, target) if len(column)}
        if len(kinds) > 1:
            raise UsageError(f"source and target differ in kind: {' and '.join(sorted(kinds))}")
        kind = kinds.pop() if kinds else "lines"
        if kind == "numbers":
            text = cls._from_numbers(source, target)
        elif kind == "lines":
            sides = zip((source, target), ("source", "target"), strict=True)
            lines = RawLines.concatenate([_to_raw_lines(side, name) for side, name in sides])
            rows, vocabulary = number_lines(lines)
            middle = len(source)
            text = cls(rows[:middle], rows[middle:], vocabulary.words, True)
        else:
            _check_rows(source, "source")
            _check_rows(target, "target")
            (first, second), vocabulary = number_tokens([source, target])  # type: ignore[list-item]
            text = cls(first, second, vocabulary.words, True)
        text._check_sizes()
        return text

    @classmethod
    def _from_numbers(cls, source: Listed, target: Listed) -> ParallelText:
        """Create a text from rows of numbers, which are renumbered without gaps."""
        first, second = (
            side if isinstance(side, Ragged) else Ragged.from_rows([]) for side in (source, target)
        )
        distinct_words, numbers = np.unique(
            np.concatenate([first.values, second.values]), return_inverse=True
        )
        flat: Int32 = numbers.astype(np.int32)
        middle = len(first.values)
        return cls(
            Ragged(flat[:middle], first.offsets),
            Ragged(flat[middle:], second.offsets),
            [str(number) for number in distinct_words.tolist()],
            False,
        )

    def _check_sizes(self) -> None:
        """Raise an error for sentence pairs that would take hours and too much memory."""
        cells = np.diff(self.cell_offsets)
        if len(cells) and int(cells.max()) > MAX_CELLS:
            row = int(np.argmax(cells > MAX_CELLS))
            sizes = f"{self.source.lengths[row]} and {self.target.lengths[row]} words"
            expected = f"a product of at most {MAX_CELLS}; split the sentences"
            raise InputError(f"sentence pair {row + 1}", sizes, expected)

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def cell_offsets(self) -> Int64:
        """The offset of the cells of each row, int64[S+1]."""
        return row_offsets(self.source.lengths * self.target.lengths)

    @property
    def pair(self) -> Int32:
        """The id of the pair of words of each cell."""
        return self._pairs[0]

    @property
    def pair_source(self) -> Int32:
        """The source word of each distinct pair; pairs are in the order of these words."""
        return self._pairs[1]

    @property
    def pair_target(self) -> Int32:
        """The target word of each distinct pair."""
        return self._pairs[2]

    @cached_property
    def _pairs(self) -> tuple[Int32, Int32, Int32]:
        cells = int(self.cell_offsets[-1])
        pair, first, second = (np.empty(cells, np.int32) for _ in range(3))
        links = np.zeros(1, np.int64)
        call(
            kernel.number_pairs,
            np.argsort(self.source.values, kind="stable"),
            np.repeat(np.arange(len(self), dtype=np.int32), self.source.lengths),
            *(self.source.values, self.source.offsets, self.target.values, self.target.offsets),
            *(self.cell_offsets, pair, first, second, links, 0, len(self.source.values)),
            *(np.full(len(self.words), -1, np.int32), np.empty(len(self.words), np.int32)),
        )
        pairs = int(links[0])
        return pair, first[:pairs].copy(), second[:pairs].copy()

    def blocks(self) -> Iterator[Block]:
        """Yield the rows in blocks whose size does not depend on the number of threads."""
        offsets = self.cell_offsets
        number = int(offsets[-1]) // BLOCK_CELLS
        targets = np.linspace(0, int(offsets[-1]), number + 2)[1:-1]
        cuts = [0, *np.searchsorted(offsets, targets).tolist(), len(self)]
        for first, last in pairwise(cuts):
            if first < last:
                yield Block(
                    self.source[first:last],
                    self.target[first:last],
                    offsets[first : last + 1] - offsets[first],
                    self.pair[offsets[first] : offsets[last]],
                )


def _row_type(column: Listed) -> str:
    """Return the type of the rows of a column, by its first row."""
    if isinstance(column, Ragged):
        return "numbers"
    if isinstance(column, RawLines) or isinstance(next(iter(column)), str):
        return "lines"
    return "rows of tokens"


def _lines_or_rows(column: Rows, name: str) -> Listed:
    """Convert a column to lines, rows of tokens or rows of numbers."""
    if isinstance(column, (Ragged, RawLines)):
        return column
    from wordorder.text.inputs import LineLists, input_text, plain_text

    rows: Listed | LineLists = input_text(column, name)
    return plain_text(rows) if isinstance(rows, LineLists) else rows


def _is_list(value: object) -> bool:
    """Return whether `value` is an ordered collection, other than text and bytes."""
    is_excluded = isinstance(value, (str, bytes, bytearray, Mapping, Set))
    # `len` of an array without dimensions fails.
    return not is_excluded and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def _check_rows(column: Listed, name: str) -> None:
    """Raise an error unless all rows are lists of strings; a string would be read as letters."""
    for number, row in enumerate(column, 1):  # type: ignore[arg-type]  # no lines here
        file_position = f"{name}, entry {number}"
        if not _is_list(row):
            raise InputError(file_position, repr(row)[:30], "a list of tokens")
        for token in row:
            if not isinstance(token, str):
                raise InputError(file_position, repr(token)[:30], "tokens that are strings")


def _to_raw_lines(column: Listed, name: str) -> RawLines:
    if isinstance(column, RawLines):
        return column
    return RawLines.from_strings(list(column), name)  # type: ignore[arg-type]  # checked there


def note_long_pairs(text: ParallelText, *, passes: int, jump_passes: int, doing: str) -> None:
    """Write a note about the first sentence pair that is estimated to take a second or more.

    Parameters
    ----------
    text : ParallelText
    passes : int
        The number of passes over each pair.
    jump_passes : int
        The number of these passes with jumps.
    doing : str
        The name of the work in the note.

    Warns
    -----
    note
        With the lengths of that pair, and the number of such pairs.
    """
    cost = passes + (JUMP_WORK - 1) * jump_passes
    long = np.flatnonzero(np.diff(text.cell_offsets) * cost > NOTED_WORK)
    if len(long):
        row = int(long[0])
        suffix = "" if len(long) == 1 else f" ({len(long)} such pairs)"
        note(
            f"sentence pair {row + 1}: {text.source.lengths[row]} and {text.target.lengths[row]} "
            f"words; {doing} may take a second or more for such a pair, more with the product of "
            f"both lengths{suffix}"
        )


@dataclass(frozen=True)
class AlignerSettings:
    """The settings of a model and of its training.

    Attributes
    ----------
    jumps : bool
        Whether word positions are modelled (hidden Markov model) or not (IBM Model 1).
    agree : bool
        Whether both directions are trained on the product of their posteriors (Liang et al. 2006).
    warm_up : int
        The number of passes of Model 1 before those of the model with jumps.
    iterations : int
        The number of passes of the model itself.
    null_share : float
        The prior probability of the null word.
    smoothing : float
        The pseudo-count of each pair of words that co-occur.
    identical, cognate : float
        The additional pseudo-count of words that differ at most in case, and of others with a
        common stem.
    backing : float
        The weight, in tokens, of the translations of a word's stem in those of the word.
    """

    jumps: bool
    agree: bool
    warm_up: int
    iterations: int
    null_share: float
    smoothing: float
    identical: float = 0.0
    cognate: float = 0.0
    backing: float = 0.0


IBM1 = AlignerSettings(
    jumps=False, agree=False, warm_up=0, iterations=5, null_share=0.05, smoothing=0.001
)

HMM = AlignerSettings(
    jumps=True, agree=False, warm_up=5, iterations=5, null_share=0.2, smoothing=0.001
)

AGREEMENT = AlignerSettings(
    jumps=True,
    agree=True,
    warm_up=3,
    iterations=5,
    null_share=0.1,
    smoothing=1e-8,
    identical=0.3,
    cognate=0.1,
    backing=3.0,
)
