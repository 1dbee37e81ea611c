"""The interface of alignment formats, and checked rows of links from parsed files."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from wordorder.alignment.alignments import (
    REVERSED_FORMAT,
    Alignments,
    LinkError,
    describe_link_fault,
    find_faulty_links,
)
from wordorder.arrays import Bool, Float64, Int32, Int64, UInt8, value_indices
from wordorder.errors import InputError, location
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.text.blocks import TextBlock, quoted

# Pairs of a line's number in the file, from 1, and the line without its end.
NumberedLines = Iterable[tuple[int, bytes]]

# If this number of aligned sentences never link a first word, their indices start at 1.
ENOUGH_LINES = 20


@dataclass(frozen=True)
class Parsed:
    """The unchecked columns of `Alignments` that a format parsed from lines.

    Parameters
    ----------
    source, target : int32[L]
        The positions as in the text.
    possible : bool[L] or None
        None if the format has no possible links.
    offsets : int64[S+1]
        The offset of the links of each row.
    target_lengths, source_lengths : int64[S] or None
        None if the format does not have them.
    bad : int
        The byte offset of the first invalid token, or -1.
    scores : float64 or None
        None if no link has a score; shorter than `source` if only some links have one.
    """

    source: Int32
    target: Int32
    possible: Bool | None
    offsets: Int64
    target_lengths: Int64 | None = None
    bad: int = -1
    source_lengths: Int64 | None = None
    scores: Float64 | None = None

    def describe_fault(
        self, row: int, link: int, *, name: str = "", one_based: bool = False, option: str = ""
    ) -> str:
        """Return a message about an invalid link of a row; see `describe_link_fault`."""
        links = self.source, self.target, self.offsets
        lengths = self.source_lengths, self.target_lengths
        index = int(self.offsets[row]) + link
        return describe_link_fault(
            links, lengths, row, index, name=name, one_based=one_based, option=option
        )


@dataclass(frozen=True, kw_only=True)
class Records(Parsed):
    """The columns that a format parsed from a complete file, 0-based, with line numbers.

    Parameters
    ----------
    link_lines : int64[L]
        The line of each link, from 1.
    row_lines : int64[S] or None
        The first line of each sentence pair. None if sentences without links have no line: then
        only the text shows the number of sentences after the last link.
    """

    link_lines: Int64
    row_lines: Int64 | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Writer(Protocol):
    """A format that can be written."""

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Yield one or more lines at a time, without the last line end.

        Raises
        ------
        InputError
            If the format cannot represent a row.
        """


class LineFormat(Protocol):
    """A format with one line per sentence pair."""

    name: str
    # Whether an empty line is a sentence pair without links.
    empty_lines: bool
    # Whether lines have target indices (which count from 1 if source indices do).
    target_indices: bool
    # Whether lines have one field per target word; a single empty field cannot be seen.
    target_fields: bool
    # The separators of tokens, the pattern of a link in a valid line (group 1), the noun for a link
    # in messages, and the expected form of a token.
    separators: bytes
    link: re.Pattern[bytes]
    noun: str
    expected: str

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Parse a block of complete lines."""

    def token_of(self, line: bytes, link: int) -> tuple[bytes, int]:
        """Return the token of link number `link` of a valid line, and its start."""
        match = list(self.link.finditer(line))[link]
        return match.group(1), match.start(1)


class RecordFormat(Protocol):
    """A format with any number of lines per sentence pair, whose positions count from 1."""

    name: str
    empty_lines: bool

    def read(self, lines: NumberedLines, path: str, *, strict: bool = False) -> Records:
        """Parse all lines of a file; `path` is its name in messages.

        Raises
        ------
        InputError
            If a line is invalid; if `strict`, also if a link is listed twice in one line.
        """


class WrittenLineFormat(LineFormat, Writer, Protocol):
    """A format with one line per sentence pair that can be written too."""


class DoubledLinks:
    """Removes repeated links from the rows of a file, and counts them.

    Parameters
    ----------
    path : str
        The name of the file in messages.
    strict : bool
        Whether repeated links are errors.

    Attributes
    ----------
    links, rows : int
        The number of links removed so far, and of sentence pairs with such links.

    Examples
    --------
    >>> doubled = DoubledLinks("a.align", strict=False)
    >>> ends = np.array([0, 1, 0], np.int32)
    >>> possible = np.array([True, False, False])
    >>> rows = doubled.alignments(Parsed(ends, ends, possible, np.array([0, 3])))
    >>> str(rows[0]), doubled.links, doubled.rows
    ('0-0 1-1', 1, 1)
    """

    def __init__(self, path: str, *, strict: bool) -> None:
        self._path = path
        self._strict = strict
        self.links = 0
        self.rows = 0

    def alignments(
        self, parsed: Parsed, *, path: str = "alignments", first_line: int = 1
    ) -> Alignments:
        """Return links as `Alignments`, without repeated links.

        A link that is listed both as sure and as possible is sure.

        Raises
        ------
        LinkError
            If a link is out of range or, if `strict`, listed twice.
        """
        source, target, possible, offsets = (
            parsed.source,
            parsed.target,
            parsed.possible,
            parsed.offsets,
        )
        lengths = parsed.source_lengths, parsed.target_lengths

        def checked(selection: Int64 | slice, offsets: Int64) -> Alignments:
            return Alignments(
                source[selection],
                target[selection],
                offsets,
                possible=None if possible is None else possible[selection],
                scores=None if parsed.scores is None else parsed.scores[selection],
                source_lengths=lengths[0],
                target_lengths=lengths[1],
                path=path,
                first_line=first_line,
            )

        try:
            return checked(slice(None), offsets)
        except LinkError:
            if self._strict:
                raise
        faults = find_faulty_links(source, target, offsets, *lengths)
        places, starts = value_indices(offsets, np.flatnonzero(faults >= 0))
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        # Sort equal links next to each other, in their original order.
        places = places[np.lexsort((target[places], source[places], row))]
        row.sort()
        columns = (row, source[places], target[places])
        again = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        keep = np.ones(len(source), np.bool_)
        keep[places[1:][again]] = False
        if possible is not None:
            firsts = np.flatnonzero(np.concatenate([[True], ~again]))
            possible = possible.copy()
            possible[places[firsts]] = np.logical_and.reduceat(possible[places], firsts)
        selected = np.flatnonzero(keep)
        kept_offsets = np.searchsorted(selected, offsets)
        try:
            once = checked(selected, kept_offsets)
        except LinkError as bad:
            link = int(selected[kept_offsets[bad.row] + bad.link] - offsets[bad.row])
            raise LinkError(bad.where, bad.what, bad.row, link) from None
        once.doubled = len(source) - len(selected)
        self.links += once.doubled
        self.rows += int(np.count_nonzero(np.diff(offsets) - np.diff(kept_offsets)))
        return once

    def report(self, rows: int, noun: str = "line") -> None:
        """Write a note, once, about the repeated links in the `rows` rows of the file."""
        if self.links:
            was = "was" if self.links == 1 else "were"
            note(
                f"{self._path}: {counted(self.links, 'link')} {was} listed twice, in {self.rows} "
                f"of {counted(rows, noun)}; each is taken once; --strict refuses them"
            )
            self.links = 0


class LineRows:
    """Converts blocks of a file with one line per sentence pair to rows.

    Parameters
    ----------
    path : str
        The name of the file in messages.
    names : tuple of str
        The names of source and target text in messages.
    doubled : DoubledLinks
        Removes repeated links.
    one_based : bool
        Whether indices in the file start at 1.
    format_option : str
        The option for the format in messages.
    """

    def __init__(
        self,
        path: str,
        names: tuple[str, str],
        doubled: DoubledLinks,
        *,
        one_based: bool,
        format_option: str = "--format",
    ) -> None:
        self._format_option = format_option
        self._path = path
        self._doubled = doubled
        self._names = names
        self._one_based = one_based
        self._aligned_lines = 0
        self._first_word_linked = False
        self._scored: bool | None = None

    def parse(self, block: TextBlock, notation: LineFormat) -> Parsed:
        """Parse the links of a block, 0-based.

        Raises
        ------
        InputError
            If a token is not a link.
        """
        parsed = notation.parse(block.data, block.lines)
        if parsed.bad >= 0:
            raise self._bad_token(block, notation, parsed.bad)
        self._refuse_mixed(parsed, block)
        self._look_for_first_words(parsed, notation)
        if self._one_based:
            np.subtract(parsed.source, 1, out=parsed.source)
            if notation.target_indices:
                np.subtract(parsed.target, 1, out=parsed.target)
        return parsed

    def checked(
        self,
        parsed: Parsed,
        block: TextBlock,
        notation: LineFormat,
        sources: Int64 | None,
        targets: Int64 | None,
    ) -> Alignments:
        """Check the links of a block against sentence lengths, from the texts and the file.

        Raises
        ------
        InputError
            If lengths differ, or a link is out of range or, if that is an error, repeated.
        """
        first = block.first_line
        fields = "fields" if notation.target_fields else "target"
        file_lengths = ((parsed.source_lengths, "source"), (parsed.target_lengths, fields))
        sources, targets = (
            agreed_lengths(
                *lengths_and_noun, text_lengths, name, lambda row: location(self._path, first + row)
            )
            for lengths_and_noun, text_lengths, name in zip(
                file_lengths, (sources, targets), self._names, strict=True
            )
        )
        checked = replace(parsed, source_lengths=sources, target_lengths=targets)
        try:
            return self._doubled.alignments(checked, path=self._path, first_line=first)
        except LinkError as bad:
            line = block.data.tobytes().split(b"\n", bad.row + 1)[bad.row]
            token, start = notation.token_of(line, bad.link)
            turned = (
                f"{self._format_option}={REVERSED_FORMAT}" if notation.name == "pharaoh" else ""
            )
            problem = checked.describe_fault(
                *(bad.row, bad.link),
                name=f"{notation.noun} {token.decode('ascii')}",
                one_based=self._one_based,
                option=turned,
            )
            raise InputError(location(self._path, first + bad.row, start + 1), problem) from None

    def warn_of_one_based(self, lines: int) -> None:
        """Write a note, once, if the `lines` lines of the file never link a first word."""
        suspicious = self._aligned_lines >= ENOUGH_LINES and not self._first_word_linked
        if suspicious and not self._one_based:
            self._aligned_lines = 0
            note(f"{self._path}: no index 0 in {lines} lines; if indices start at 1: --one-based")

    def _look_for_first_words(self, parsed: Parsed, notation: LineFormat) -> None:
        """Remember whether the file has an index 0, which shows that indices start at 0."""
        self._aligned_lines += int(np.count_nonzero(np.diff(parsed.offsets)))
        if not self._first_word_linked:
            self._first_word_linked = bool(np.any(parsed.source == 0)) or (
                notation.target_indices and bool(np.any(parsed.target == 0))
            )

    def _refuse_mixed(self, parsed: Parsed, block: TextBlock) -> None:
        """Raise an error if some links of the file have a score and others do not."""
        if not len(parsed.source):
            return
        scores = parsed.scores
        if self._scored is None:
            self._scored = scores is not None
        is_consistent = scores is None or len(scores) == len(parsed.source)
        if is_consistent and (scores is not None) == self._scored:
            return
        # Read the block again to find the first link that differs.
        for number, line in enumerate(block.data.tobytes().split(b"\n"), block.first_line):
            for token in line.split():
                has = b":" in token or token.count(b"-") > 1
                if has != self._scored and not token.isdigit():
                    raise InputError(
                        location(self._path, number),
                        f"{quoted(token)} has {'a' if has else 'no'} score, others "
                        f"{'have none' if has else 'have one'}",
                        "a score for each link of the file, or for none",
                    )

    def _bad_token(self, block: TextBlock, notation: LineFormat, offset: int) -> InputError:
        """Build the error for the token around the byte at `offset` of the block."""
        text = block.data.tobytes()
        begin = text.rfind(b"\n", 0, offset) + 1
        line, *following = text[begin:].split(b"\n", 1)
        line = line.removesuffix(b"\r") if following else line
        start = 1 + max(
            line.rfind(separator, 0, offset - begin) for separator in notation.separators
        )
        token = re.split(b"[" + notation.separators + b"]", line[start:], maxsplit=1)[0]
        file_position = location(self._path, *block.place(begin + start))
        return InputError(
            file_position, f"{quoted(token)} is no {notation.noun}", notation.expected
        )


def agreed_lengths(
    file_lengths: Int64 | None,
    noun: str,
    text_lengths: Int64 | None,
    name: str,
    location_of_row: Callable[[int], str],
) -> Int64 | None:
    """Return the sentence lengths of the text, or if there is no text, those of the alignment file.

    Parameters
    ----------
    file_lengths : int64[S] or None
        The lengths in the alignment file.
    noun : str
        What the file counts: source, target, or fields (a single empty field cannot be seen).
    text_lengths : int64[S] or None
        The lengths of the sentences of the text.
    name : str
        The text's name in messages.
    location_of_row : callable
        Returns the file and line of a row.

    Raises
    ------
    InputError
        If they differ.

    Examples
    --------
    >>> agreed_lengths(np.array([4, 3]), "fields", np.array([4, 29]), "ja.txt", "a.align:{}".format)
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.align:1: 3 fields, but ja.txt has 29 tokens. Are the files in \
step?
    """
    if file_lengths is None or text_lengths is None:
        return file_lengths if text_lengths is None else text_lengths
    differ = file_lengths != text_lengths
    if noun == "fields":
        # One empty field, a single unaligned word, looks like no field at all.
        differ &= (file_lengths > 0) | (text_lengths > 1)
    if differ.any():
        row = int(np.argmax(differ))
        problem = f"{file_lengths[row]} {noun if noun == 'fields' else f'{noun} tokens'}"
        there = f"{name} has {text_lengths[row]} tokens. Are the files in step?"
        raise InputError(location_of_row(row), f"{problem}, but {there}")
    return text_lengths


class RecordRows:
    """Returns the rows of records in batches.

    Parameters
    ----------
    records : Records
    path : str
        The name of the file in messages.
    names : tuple of str
        The names of source and target text in messages.
    doubled : DoubledLinks
        Removes repeated links.
    sentences : int, optional
        The number of sentence pairs, if the format does not have it.

    Raises
    ------
    InputError
        If the number of sentence pairs is not `sentences`.
    """

    def __init__(
        self,
        records: Records,
        path: str,
        names: tuple[str, str],
        doubled: DoubledLinks,
        *,
        sentences: int | None,
    ) -> None:
        self._records = records
        self._doubled = doubled
        self._path = path
        self._names = names
        self._returned = 0
        # Whether rows without links may follow the last.
        self._open = records.row_lines is None and sentences is None
        self.total = len(records) if sentences is None else sentences
        if len(records) > self.total or (
            records.row_lines is not None and len(records) < self.total
        ):
            raise InputError(path, f"{len(records)} sentence pairs", f"{self.total}")

    def ahead(self, rows: int, lengths: int | None) -> int:
        """Return the number of rows of the next batch, at most `rows`.

        If the format does not have the number of sentence pairs, it is that of the texts, which
        have `lengths` further sentences.
        """
        if self._open and lengths is not None:
            self.total = max(self.total, self._returned + min(rows, lengths))
        return min(rows, self.total - self._returned)

    def take(self, rows: int, sources: Int64 | None, targets: Int64 | None) -> Alignments:
        """Return the next `rows` rows.

        Raises
        ------
        InputError
            If lengths differ, or a link is out of range or, if that is an error, repeated.
        """
        records = self._records
        first, last = self._returned, self._returned + rows
        bounds = np.minimum(np.arange(first, last + 1), len(records))
        offsets = records.offsets[bounds]
        span = slice(int(offsets[0]), int(offsets[-1]))
        self._returned = last

        def location_of_row(row: int) -> str:
            lines = records.row_lines
            return location(self._path, None if lines is None else int(lines[first + row]))

        file_lengths = ((records.source_lengths, "source"), (records.target_lengths, "target"))
        sources, targets = (
            agreed_lengths(
                None if lengths is None else lengths[first:last],
                noun,
                text_lengths,
                name,
                location_of_row,
            )
            for (lengths, noun), text_lengths, name in zip(
                file_lengths, (sources, targets), self._names, strict=True
            )
        )
        parsed = Parsed(
            records.source[span],
            records.target[span],
            None if records.possible is None else records.possible[span],
            offsets - offsets[0],
            source_lengths=sources,
            target_lengths=targets,
        )
        try:
            # Rows do not correspond to lines of the file.
            path = f"{self._path} (sentence pairs)"
            return self._doubled.alignments(parsed, path=path, first_line=first + 1)
        except LinkError as bad:
            line = int(records.link_lines[int(offsets[bad.row]) + bad.link])
            problem = parsed.describe_fault(bad.row, bad.link, one_based=True)
            raise InputError(location(self._path, line), problem) from None
