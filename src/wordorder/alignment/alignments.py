"""Alignments: the word links of many sentence pairs, in flat arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from wordorder.arrays import (
    Array,
    Bool,
    Float64,
    Int32,
    Int64,
    concatenate_offsets,
    row_offsets,
    value_indices,
)
from wordorder.errors import InputError, UsageError, location
from wordorder.kernels import run_rows, text as kernel
from wordorder.messages import counted
from wordorder.notes import note

Lengths = Sequence[int] | Int64
# A link with a lower score is more likely wrong than right.
LIKELY_WRONG_BELOW = 0.5
_SCORE_PATTERN = re.compile(r"[01]?\.[0-9]+|[01]\.?")

# No sentence is that long, so an index from here on is an error in the data.
MAX_INDEX = 1 << 24

# The format that reads links as target-source.
REVERSED_FORMAT = "pharaoh-reversed"

# The sides are taken to be swapped if at least this number of lines fit only when swapped, ...
_MIN_SWAPPED_LINES = 2

# ... this number per line that fits only as it is, ...
_MIN_SWAPPED_RATIO = 5

# ... and this share of all lines with links fit when swapped.
_MIN_SWAPPED_SHARE = 0.9


@dataclass(frozen=True)
class Alignment:
    """The links of one sentence pair.

    Parameters
    ----------
    links : tuple of (source position, target position)
        All links in their original order, 0-based.
    possible : frozenset
        The possible links; the others are sure.
    source_length, target_length : int, optional
        The number of words, if known.

    Examples
    --------
    >>> row = Alignment(((0, 1), (1, 0)), frozenset({(1, 0)}))
    >>> print(row)
    0-1 1p0
    >>> print(row.grid())
      01
    0 .#
    1 ?.
    """

    links: tuple[tuple[int, int], ...]
    possible: frozenset[tuple[int, int]] = frozenset()
    source_length: int | None = None
    target_length: int | None = None

    def __str__(self) -> str:
        """Return the links in the Pharaoh format: ``0-1 1p0``."""
        return " ".join(f"{s}{'p' if (s, t) in self.possible else '-'}{t}" for s, t in self.links)

    def grid(self, source: Sequence[str] | None = None, target: Sequence[str] | None = None) -> str:
        """Draw the links as text, one line per source word: ``#`` sure, ``?`` possible.

        Parameters
        ----------
        source, target : sequence of str, optional
            The words for the margins; by default, the target margin has the last digits of indices.
        """
        rows = max([self.source_length or 0, len(source or ()), *(s + 1 for s, _ in self.links)])
        columns = max([self.target_length or 0, len(target or ()), *(t + 1 for _, t in self.links)])
        cells = [["."] * columns for _ in range(rows)]
        for s, t in self.links:
            cells[s][t] = "?" if (s, t) in self.possible else "#"
        names = [source[i] if source and i < len(source) else str(i) for i in range(rows)]
        width = max(map(len, names), default=0)
        lines = [" " * (width + 1) + "".join(str(t % 10) for t in range(columns))]
        lines += [f"{name:<{width}} {''.join(row)}" for name, row in zip(names, cells, strict=True)]
        if target:
            lines.append(" ".join(f"{t}:{word}" for t, word in enumerate(target)))
        return "\n".join(lines)

    def to_svg(
        self, source: Sequence[str] | None = None, target: Sequence[str] | None = None
    ) -> str:
        """Draw the links as an SVG picture; see `wordorder.drawing.alignments.alignment_svg`."""
        from wordorder.drawing.alignments import alignment_svg

        return alignment_svg(self, source, target)

    def _repr_html_(self) -> str:
        return self.to_svg()


class Alignments:
    """The links of many sentence pairs, in flat arrays.

    Parameters
    ----------
    source, target : int32[L]
        The two positions of each link, 0-based, concatenated over all rows.
    offsets : int64[S+1]
        Row ``i`` has the links ``offsets[i] .. offsets[i+1]-1``.
    possible : bool[L], optional
        Whether each link is possible instead of sure; by default all are sure.
    scores : float64[L], optional
        The probability that each link is right, in [0, 1]. Comparisons ignore the scores.
    source_lengths, target_lengths : int64[S], optional
        The number of words of each sentence, if known.
    path : str
        The name of the data in messages.
    first_line : int
        The line of row 0 in `path`, for messages.

    Attributes
    ----------
    doubled : int
        The number of repeated links in a file, which are stored once.

    Raises
    ------
    InputError
        If the sizes of the arrays disagree, an index is negative, above 2^24 or past the end of its
        sentence, or a link is listed twice in a row (also as sure and as possible).

    Examples
    --------
    >>> a = Alignments.from_rows([[(0, 1), (1, 0)], [], [(0, 0), (1, 0, True)]])
    >>> len(a), str(a[0]), str(a[2])
    (3, '0-1 1-0', '0-0 1p0')
    >>> str(a.transpose()[2])
    '0-0 0p1'
    """

    __slots__ = (
        "doubled",
        "first_line",
        "offsets",
        "path",
        "possible",
        "scores",
        "source",
        "source_lengths",
        "target",
        "target_lengths",
    )

    def __init__(
        self,
        source: Int32,
        target: Int32,
        offsets: Int64,
        *,
        possible: Bool | None = None,
        scores: Float64 | None = None,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
        path: str = "alignments",
        first_line: int = 1,
    ) -> None:
        self.path = path
        self.first_line = first_line
        self.doubled = 0
        self.source = check_flat_array("source", source, np.int32)
        self.target = check_flat_array("target", target, np.int32)
        self.offsets = check_flat_array("offsets", offsets, np.int64)
        if possible is None:
            possible = np.zeros(len(source), np.bool_)
        self.possible: Bool = check_flat_array("possible", possible, np.bool_)
        if not len(source) == len(target) == len(self.possible):
            raise InputError(path, "source, target and possible differ in length", "one per link")
        self.scores: Float64 | None = None
        if scores is not None:
            self.scores = check_flat_array("scores", scores, np.float64)
            if len(scores) != len(source) or not np.all((scores >= 0) & (scores <= 1)):
                raise InputError(path, "bad scores", "a number in [0, 1] for each link")
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(source):
            raise InputError(path, "bad offsets", f"0 first and {len(source)} last")
        if np.any(offsets[1:] < offsets[:-1]):
            raise InputError(path, "bad offsets", "offsets that never fall")
        self.source_lengths = self._lengths("source_lengths", source_lengths)
        self.target_lengths = self._lengths("target_lengths", target_lengths)
        self._check_links()

    def _check_links(self) -> None:
        """Raise an error for the first link that is out of range or listed twice."""
        faults = find_faulty_links(
            self.source, self.target, self.offsets, self.source_lengths, self.target_lengths
        )
        faulty = np.flatnonzero(faults >= 0)
        if len(faulty):
            row = int(faulty[0])
            link = int(faults[row])
            links = self.source, self.target, self.offsets
            lengths = self.source_lengths, self.target_lengths
            transpose_hint = f"transpose them (--alignment-format={REVERSED_FORMAT})"
            problem = describe_link_fault(links, lengths, row, link, option=transpose_hint)
            raise LinkError(self.location_of(row), problem, row, link - int(self.offsets[row]))

    def _lengths(self, name: str, lengths: Lengths | None) -> Int64 | None:
        """Check lengths, and convert them to an int64 array."""
        if lengths is None:
            return None
        expected = f"{len(self)} lengths, none below 0"
        try:
            array = np.asarray(lengths)
        except ValueError:
            raise InputError(self.path, f"bad {name}", expected) from None
        are_integers = array.dtype.kind in "iu" or array.size == 0
        if not are_integers or array.shape != (len(self),) or np.any(array < 0):
            raise InputError(self.path, f"bad {name}", expected)
        return np.ascontiguousarray(array, np.int64)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Iterable[tuple[int, int] | tuple[int, int, bool]]],
        *,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
        path: str = "alignments",
    ) -> Alignments:
        """Copy rows of ``(source, target)`` or ``(source, target, possible)``.

        `rows` may also be a column of pandas, Polars or pyarrow with lists of pairs.

        Raises
        ------
        InputError
            If an entry is not such a tuple of integers, or the links are invalid (see the class).
        UsageError
            If `rows` is not iterable.
        """
        from wordorder.arrow.inputs import input_rows

        rows = input_rows(rows, path, "lists of pairs of positions")
        if not isinstance(rows, Iterable):
            raise UsageError(f"rows of links are a list of lists, not {rows!r}")
        rows_of_links = []
        for number, row in enumerate(rows, 1):
            if not isinstance(row, Iterable):
                raise InputError(location(path, number), repr(row)[:30], "a list of links")
            rows_of_links.append(list(row))
            for link in rows_of_links[-1]:
                if not is_link(link):
                    file_position = location(path, number)
                    raise InputError(
                        file_position, f"{link!r} is no link", "(source, target) positions"
                    )
        flat = [link for row in rows_of_links for link in row]
        ends = np.array([link[:2] for link in flat], np.int32).reshape(-1, 2)
        return cls(
            np.ascontiguousarray(ends[:, 0]),
            np.ascontiguousarray(ends[:, 1]),
            np.cumsum([0, *map(len, rows_of_links)], dtype=np.int64),
            possible=np.array([len(link) == 3 and bool(link[2]) for link in flat], np.bool_),
            source_lengths=source_lengths,
            target_lengths=target_lengths,
            path=path,
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Alignments]) -> Alignments:
        """Concatenate alignments; the result has lengths only if all parts have them."""
        if not parts:
            return cls.from_rows([])
        concatenated = cls(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.target for part in parts]),
            concatenate_offsets([part.offsets for part in parts]),
            possible=np.concatenate([part.possible for part in parts]),
            scores=_concatenate_scores(parts),
            source_lengths=_concatenate_lengths([part.source_lengths for part in parts]),
            target_lengths=_concatenate_lengths([part.target_lengths for part in parts]),
            path=parts[0].path,
            first_line=parts[0].first_line,
        )
        concatenated.doubled = sum(part.doubled for part in parts)
        return concatenated

    def location_of(self, row: int) -> str:
        """Return the location of row `row`, for messages."""
        return location(self.path, self.first_line + row)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Alignment]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Alignment: ...
    @overload
    def __getitem__(self, index: slice) -> Alignments: ...
    def __getitem__(self, index: int | slice) -> Alignment | Alignments:
        if isinstance(index, slice):
            return self._slice(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        index %= len(self)
        span = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        links = tuple(zip(self.source[span].tolist(), self.target[span].tolist(), strict=True))
        flags = self.possible[span].tolist()
        return Alignment(
            links,
            frozenset(link for link, flag in zip(links, flags, strict=True) if flag),
            None if self.source_lengths is None else int(self.source_lengths[index]),
            None if self.target_lengths is None else int(self.target_lengths[index]),
        )

    def _slice(self, index: slice) -> Alignments:
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise IndexError("a slice of alignments has step 1")
        offsets = self.offsets[start : max(start, stop) + 1]
        span = slice(int(offsets[0]), int(offsets[-1]))
        return self._replace(
            **self._select_columns(span, index),
            offsets=offsets - offsets[0],
            first_line=self.first_line + start,
        )

    def take(self, rows: Int64) -> Alignments:
        """Return the rows with the indices `rows`, in this order."""
        link_indices, offsets = value_indices(self.offsets, rows)
        columns = self._select_columns(link_indices, rows)
        return self._replace(**columns, offsets=offsets, first_line=1)

    def _select_columns(self, links: slice | Int64, rows: slice | Int64) -> dict[str, Array | None]:
        """Return the columns of the selected links, and the lengths of the selected rows."""
        ends = {name: getattr(self, name)[links] for name in ("source", "target", "possible")}
        ends["scores"] = None if self.scores is None else self.scores[links]
        lengths = {name: getattr(self, name) for name in ("source_lengths", "target_lengths")}
        return ends | {name: None if n is None else n[rows] for name, n in lengths.items()}

    def _replace(self, **columns: Any) -> Alignments:
        """Return the same alignments with some columns replaced, and check them."""
        all_columns = {name: getattr(self, name) for name in self.__slots__ if name != "doubled"}
        return Alignments(**all_columns | columns)

    def with_lengths(
        self, source_lengths: Lengths | None, target_lengths: Lengths | None
    ) -> Alignments:
        """Return the same links with sentence lengths, and check the links against them.

        Raises
        ------
        InputError
            If the number of lengths is not that of the rows, or a link points past its sentence.
        """
        return self._replace(source_lengths=source_lengths, target_lengths=target_lengths)

    def transpose(self) -> Alignments:
        """Return the same links with source and target exchanged."""
        return self._replace(
            source=self.target,
            target=self.source,
            source_lengths=self.target_lengths,
            target_lengths=self.source_lengths,
        )

    def sure(self) -> Alignments:
        """Return only the sure links.

        Examples
        --------
        >>> str(Alignments.from_rows([[(0, 0), (1, 0, True)]]).sure()[0])
        '0-0'
        """
        return self._select(~self.possible)

    def require_sure(self, notation: str) -> None:
        """Raise an error for the first possible link, which the format `notation` cannot store."""
        if self.possible.any():
            row = int(np.searchsorted(self.offsets, np.argmax(self.possible), "right")) - 1
            expected = f"sure links: {notation} has no others"
            raise InputError(self.location_of(row), "a possible link", expected)

    def at_least(self, score: float) -> Alignments:
        """Return the links with this score or a higher one.

        Raises
        ------
        UsageError
            If `score` is not in [0, 1], or the links have no scores.
        """
        if not 0 <= score <= 1:
            raise UsageError(f"a score is a number in [0, 1], not {score}")
        if self.scores is None:
            raise UsageError(f"{self.path}: the links have no scores")
        return self._select(self.scores >= score)

    def counting(self, links: str | float, *, gold: bool = False) -> Alignments:
        """Return the links that count.

        Parameters
        ----------
        links : str or float
            ``all``, with a note if there are scores below 0.5; ``sure``; or a minimum score such as
            0.5.
        gold : bool
            Whether the links may be manual: if they have no scores, all count for any minimum.

        Raises
        ------
        UsageError
            If `links` is not one of these, or the links have no scores.

        Examples
        --------
        >>> a = Alignments.from_rows([[(0, 0), (1, 1)]])
        >>> a.scores = np.array([0.9, 0.3])
        >>> str(a.counting(0.5)[0])
        '0-0'
        """
        if links == "all":
            if self.scores is not None and (self.scores < LIKELY_WRONG_BELOW).any():
                problem = "--links=0.5 leaves out those that are more likely wrong than right"
                note(f"the links have scores, and all count: {problem}")
            return self
        if links == "sure":
            return self.sure() if self.possible.any() else self
        check_links_option(links)
        unscored = gold and self.scores is None
        return self if unscored or not len(self.source) else self.at_least(float(links))

    def _select(self, is_selected: Bool) -> Alignments:
        """Return the selected links."""
        new_offsets = row_offsets(is_selected)
        columns = self._select_columns(np.flatnonzero(is_selected), slice(None))
        return self._replace(**columns, offsets=new_offsets[self.offsets])

    def __eq__(self, other: object) -> bool:
        """Compare row by row: links in any order, and lengths if both have them."""
        if not isinstance(other, Alignments):
            return NotImplemented
        if not np.array_equal(self.offsets, other.offsets):
            return False
        for own_lengths, other_lengths in (
            (self.source_lengths, other.source_lengths),
            (self.target_lengths, other.target_lengths),
        ):
            if (
                own_lengths is not None
                and other_lengths is not None
                and not np.array_equal(own_lengths, other_lengths)
            ):
                return False
        return all(map(np.array_equal, self._sorted_columns(), other._sorted_columns()))

    def _sorted_columns(self) -> tuple[Int32, Int32, Bool]:
        """Return the links ordered by row, source and target."""
        rows = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        order = np.lexsort((self.target, self.source, rows))
        return self.source[order], self.target[order], self.possible[order]

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import rows_html

        return rows_html(repr(self), self, len(self))

    def __repr__(self) -> str:
        return f"Alignments({len(self)} rows, {len(self.source)} links)"


def check_links_option(links: str | float) -> None:
    """Raise a UsageError if `links` is not a value for `Alignments.counting`."""
    if links not in ("all", "sure") and not _SCORE_PATTERN.fullmatch(str(links)):
        expected = "all, sure, or the lowest score of links that count, such as 0.5"
        raise UsageError(f"--links={links}: expected {expected}")


@dataclass(frozen=True, eq=False)
class Links:
    """Word alignments of S segments with R references.

    Attributes
    ----------
    hypothesis : Alignments
        S rows: from source to hypothesis, or a system's alignments that are scored themselves.
    references : Alignments or None
        R rows: from source to each reference, or the gold alignments.
    source_lengths, hypothesis_lengths : int64[S] or None
    reference_lengths : int64[R] or None
        The number of words of the sentences, if known.
    gold : bool
        Whether `references` are gold alignments of the sentence pairs of `hypothesis`.
    rule : str, optional
        The rule of `reference_orders` by which order metrics sort the source words that are linked
        in both; None if they use all source words.
    """

    hypothesis: Alignments
    references: Alignments | None
    source_lengths: Int64 | None = None
    hypothesis_lengths: Int64 | None = None
    reference_lengths: Int64 | None = None
    gold: bool = False
    rule: str | None = None

    def part(self, rows: slice, reference_rows: slice) -> Links:
        """Return the links of a span of segments and of their references."""
        return Links(
            self.hypothesis[rows],
            None if self.references is None else self.references[reference_rows],
            None if self.source_lengths is None else self.source_lengths[rows],
            None if self.hypothesis_lengths is None else self.hypothesis_lengths[rows],
            None if self.reference_lengths is None else self.reference_lengths[reference_rows],
            self.gold,
            self.rule,
        )

    @classmethod
    def concatenate(cls, parts: list[Links]) -> Links:
        """Concatenate the links of several parts."""
        references = [part.references for part in parts if part.references is not None]

        def concatenate_column(name: str) -> Int64 | None:
            columns = [getattr(part, name) for part in parts]
            return None if any(c is None for c in columns) else np.concatenate(columns)

        return cls(
            Alignments.concatenate([part.hypothesis for part in parts]),
            Alignments.concatenate(references) if len(references) == len(parts) else None,
            concatenate_column("source_lengths"),
            concatenate_column("hypothesis_lengths"),
            concatenate_column("reference_lengths"),
            any(part.gold for part in parts),
            parts[0].rule,
        )


def _concatenate_lengths(parts: Sequence[Int64 | None]) -> Int64 | None:
    """Concatenate lengths; None if a part has none."""
    known_lengths = [part for part in parts if part is not None]
    return np.concatenate(known_lengths) if len(known_lengths) == len(parts) else None


def _concatenate_scores(parts: Sequence[Alignments]) -> Float64 | None:
    """Concatenate scores; None if a part with links has none."""
    scores = [part.scores for part in parts if len(part.source)]
    known_scores = [part for part in scores if part is not None]
    return (
        np.concatenate(known_scores) if known_scores and len(known_scores) == len(scores) else None
    )


class LinkError(InputError):
    """A link that is out of range or listed twice.

    Parameters
    ----------
    row, link : int
        The index of the sentence, and of the link in it.
    """

    def __init__(self, file_position: str, problem: str, row: int, link: int) -> None:
        super().__init__(file_position, problem)
        self.row = row
        self.link = link


def find_faulty_links(
    source: Int32,
    target: Int32,
    offsets: Int64,
    source_lengths: Int64 | None,
    target_lengths: Int64 | None,
) -> Int64:
    """Return the index of the first invalid link of each row, or -1, int64[S].

    A link is invalid if a position is negative or not below the sentence length (2^24 if unknown),
    or if the same link occurs earlier in the row.

    Examples
    --------
    >>> ends = np.array([0, 1, 0], np.int32)
    >>> find_faulty_links(ends, ends, np.array([0, 2, 3]), None, None).tolist()
    [-1, -1]
    >>> find_faulty_links(ends, ends, np.array([0, 3]), None, None).tolist()
    [2]
    """
    rows = len(offsets) - 1
    max_lengths = np.full(rows, MAX_INDEX, np.int64)
    faults = np.empty(rows, np.int64)

    def hash_table(longest: int) -> tuple[Int64]:
        return (np.full(1 << (2 * longest).bit_length(), -1, np.int64),)

    run_rows(
        kernel.check_links,
        offsets,
        *(source, target, offsets),
        max_lengths if source_lengths is None else source_lengths,
        max_lengths if target_lengths is None else target_lengths,
        faults,
        scratch=hash_table,
    )
    return faults


Ends = tuple[Int32, Int32, Int64]
"""The links of some rows: source int32[L], target int32[L] and offsets int64[S+1]."""


def describe_link_fault(
    links: Ends,
    lengths: tuple[Int64 | None, Int64 | None],
    row: int,
    link: int,
    *,
    name: str = "",
    one_based: bool = False,
    option: str | None = None,
) -> str:
    """Return a message about an invalid link.

    Parameters
    ----------
    links : Ends
        All links of some rows, 0-based.
    lengths : source and target, int64[S] or None
    row, link : int
        The row of the link, and its index in `links`.
    name : str
        The name of the link in the message; by default it has the positions.
    one_based : bool
        Whether positions in the message count from 1.
    option : str, optional
        The option that `describe_swapped_sides` names; without it the message has no such hint.

    Examples
    --------
    >>> links = np.array([7], np.int32), np.array([31], np.int32), np.array([0, 1])
    >>> describe_link_fault(links, (np.array([12]), np.array([29])), 0, 0)
    'link 7-31 points past the target (29 tokens). Are the files in step?'
    >>> links = np.array([2], np.int32), np.array([0], np.int32), np.array([0, 1])
    >>> describe_link_fault(links, (np.array([2]), np.array([2])), 0, 0)
    'link 2-0 points past the source (2 tokens). Are the files in step? If indices start at 1: \
--one-based'
    """
    ends = int(links[0][link]), int(links[1][link])
    name = name or f"link {ends[0] + one_based}-{ends[1] + one_based}"
    if min(ends) < 0:
        return f"{name} has an index below {1 if one_based else 0}"
    for side, index, side_lengths in zip(("source", "target"), ends, lengths, strict=True):
        if index >= MAX_INDEX:
            return f"{name} has an index above {MAX_INDEX - 1}"
        if side_lengths is not None and index >= side_lengths[row]:
            tokens = "1 token" if side_lengths[row] == 1 else f"{side_lengths[row]} tokens"
            problem = f"{name} points past the {side} ({tokens}). "
            is_certain, swap_hint = (
                (False, "")
                if option is None
                else describe_swapped_sides(links, lengths, row, option)
            )
            if is_certain:
                return problem + swap_hint
            problem += "Are the files in step?"
            if index == side_lengths[row] and not one_based:
                problem += " If indices start at 1: --one-based"
            return (
                f"{problem}{'.' if swap_hint and problem[-1] != '?' else ''} {swap_hint}".rstrip()
            )
    return f"{name} is listed twice; expected each pair once, sure or possible"


def check_flat_array(name: str, array: Array, dtype: type[np.generic]) -> Array:
    """Check that `array` is one-dimensional with the right type; return it as contiguous."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        raise InputError("Alignments", f"bad {name}", f"a flat {np.dtype(dtype)} array")
    return np.ascontiguousarray(array)


def is_link(link: object) -> bool:
    """Return whether `link` is a sequence of two 32-bit integers, and perhaps a third value.

    Examples
    --------
    >>> is_link((0, 7)), is_link([0, 7, True]), is_link((0,)), is_link("07")
    (True, True, False, False)
    """
    if not isinstance(link, (Sequence, np.ndarray)) or len(link) not in (2, 3):
        return False
    return all(
        isinstance(end, (int, np.integer))
        and not isinstance(end, bool)
        and -(2**31) <= int(end) < 2**31
        for end in link[:2]
    )


def describe_swapped_sides(
    links: Ends,
    lengths: tuple[Int64 | None, Int64 | None],
    row: int,
    option: str,
) -> tuple[bool, str]:
    """Return a hint that source and target look swapped, for a row with a link out of range.

    Parameters
    ----------
    links : Ends
    lengths : source and target, int64[S] or None
    row : int
    option : str
        The option that exchanges source and target of the links; empty if there is none.

    Returns
    -------
    is_certain : bool
        Whether several lines show it.
    hint : str
        Empty if neither these lines nor the row show it.

    Examples
    --------
    >>> links = np.array([0, 3, 0, 2], np.int32), np.array([0, 1, 0, 1], np.int32)
    >>> lengths = np.array([2, 2]), np.array([4, 3])
    >>> links = (*links, np.array([0, 2, 4]))
    >>> describe_swapped_sides(links, lengths, 0, "--format pharaoh-reversed")
    (True, 'The sides look swapped (2 of 2 lines fit only as target-source): \
--format pharaoh-reversed')
    """
    *ends, offsets = links
    largest_ends = [_largest_ends(end, offsets) for end in ends]
    fits = _fit_in_sentences(largest_ends[0], largest_ends[1], lengths)
    fits_swapped = _fit_in_sentences(largest_ends[1], largest_ends[0], lengths)
    has_links = np.diff(offsets) > 0
    line_count = int(np.count_nonzero(has_links))
    only_as_is, only_swapped = (
        int(np.count_nonzero(x & ~y)) for x, y in ((fits, fits_swapped), (fits_swapped, fits))
    )
    remedy = option or "give source and target the other way round"
    if (
        only_swapped >= max(_MIN_SWAPPED_LINES, _MIN_SWAPPED_RATIO * only_as_is)
        and int(np.count_nonzero(fits_swapped & has_links)) >= _MIN_SWAPPED_SHARE * line_count
    ):
        share = f"{only_swapped} of {counted(line_count, 'line')} fit only as target-source"
        return True, f"The sides look swapped ({share}): {remedy}"
    if option and fits_swapped[row] and only_swapped > only_as_is:
        return False, f"If the links are target-source: {remedy}"
    return False, ""


def _largest_ends(ends: Int32, offsets: Int64) -> Int64:
    """Return the largest position of each row, int64[S]; -1 without links."""
    largest = np.full(len(offsets) - 1, -1, np.int64)
    has_links = np.diff(offsets) > 0
    if has_links.any():
        largest[has_links] = np.maximum.reduceat(ends, offsets[:-1][has_links])
    return largest


def _fit_in_sentences(
    sources: Int64, targets: Int64, lengths: tuple[Int64 | None, Int64 | None]
) -> Bool:
    """Return which rows have all positions inside their sentences, bool[S]."""
    fits = np.ones(len(sources), np.bool_)
    for ends, max_index in zip((sources, targets), lengths, strict=True):
        if max_index is not None:
            fits &= ends < max_index
    return fits
