"""Notations of word alignments: what one offers, and the rows that reading it gives, checked."""

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
from wordorder.arrays import Bool, Float64, Int32, Int64, UInt8, row_positions
from wordorder.errors import InputError, location
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.text.blocks import TextBlock, quoted

# Lines with their numbers in the file, counted from 1, and without their ends.
NumberedLines = Iterable[tuple[int, bytes]]

# If this number of aligned sentences never link a first word, their indices start at 1.
ENOUGH_LINES = 20


@dataclass(frozen=True)
class Parsed:
    """What a notation found in some lines: the columns of `Alignments`, unchecked.

    Parameters
    ----------
    source, target : int32[L]
        The numbers as the text has them.
    possible : bool[L] or None
        None where the notation has no possible links.
    offsets : int64[S+1]
        Row by row.
    target_lengths, source_lengths : int64[S] or None
        None where the notation does not tell.
    bad : int
        Where the first token that does not fit is in the lines, or -1.
    scores : float64 or None
        None where no link has a score; fewer than links where only some have one.
    """

    source: Int32
    target: Int32
    possible: Bool | None
    offsets: Int64
    target_lengths: Int64 | None = None
    bad: int = -1
    source_lengths: Int64 | None = None
    scores: Float64 | None = None

    def explained(
        self, row: int, link: int, *, name: str = "", one_based: bool = False, option: str = ""
    ) -> str:
        """Return the fault of a link of a row in words; see `explain`."""
        links = self.source, self.target, self.offsets
        lengths = self.source_lengths, self.target_lengths
        place = int(self.offsets[row]) + link
        return describe_link_fault(
            links, lengths, row, place, name=name, one_based=one_based, option=option
        )


@dataclass(frozen=True, kw_only=True)
class Records(Parsed):
    """What a notation found in a whole file, 0-based, and where it is.

    Parameters
    ----------
    link_lines : int64[L]
        The line of each link, from 1.
    row_lines : int64[S] or None
        The line where each sentence pair begins; None if sentences without links have no line.
        Only the lengths of a text then tell the number of rows after the last.
    """

    link_lines: Int64
    row_lines: Int64 | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Writer(Protocol):
    """A notation that can be written."""

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write the lines, in pieces of one or several, each without its end.

        Raises
        ------
        InputError
            If the notation cannot express a row.
        """


class LineFormat(Protocol):
    """A notation with one line per sentence pair."""

    name: str
    # Whether an empty line is a sentence pair without links.
    empty_lines: bool
    # Whether the text holds target indices too (they then count from 1 where source indices do).
    target_indices: bool
    # Whether a line shows its target length as fields, of which a single empty one is not seen.
    target_fields: bool
    # What separates two tokens, what one link looks like in a line that is right (group 1),
    # and what messages call a link and expect of a token.
    separators: bytes
    link: re.Pattern[bytes]
    noun: str
    expected: str

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""

    def token_of(self, line: bytes, link: int) -> tuple[bytes, int]:
        """Return the token that has a link of a line that is right, and where it begins."""
        match = list(self.link.finditer(line))[link]
        return match.group(1), match.start(1)


class RecordFormat(Protocol):
    """A notation with any number of lines per sentence pair, whose positions count from 1."""

    name: str
    empty_lines: bool

    def read(self, lines: NumberedLines, path: str, *, strict: bool = False) -> Records:
        """Read all lines of the file that messages call `path`.

        Raises
        ------
        InputError
            If a line does not fit; where `strict`, also, at its column, if a link is listed twice
            in one line.
        """


class WrittenLineFormat(LineFormat, Writer, Protocol):
    """A notation with one line per sentence pair that can be written too."""


class DoubledLinks:
    """Takes each link of a file once, and counts those that are listed again.

    Parameters
    ----------
    path : str
        What messages call the file.
    strict : bool
        Whether they are refused.

    Attributes
    ----------
    links, rows : int
        Links that were left out so far, and in how many sentence pairs.

    Examples
    --------
    >>> doubled = DoubledLinks("a.align", strict=False)
    >>> ends = np.array([0, 1, 0], np.int32)
    >>> possible = np.array([True, False, False])
    >>> found = doubled.alignments(Parsed(ends, ends, possible, np.array([0, 3])))
    >>> str(found[0]), doubled.links, doubled.rows
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
        """Return links as `Alignments`, each once.

        A link that is listed both as sure and as possible is sure.

        Raises
        ------
        LinkError
            If a link is out of range or, where doubled links are refused, listed twice.
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
        places, starts = row_positions(offsets, np.flatnonzero(faults >= 0))
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        # Equal links become neighbours, in the order in which they are listed.
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
        """Note, once, how many links were listed again in the `rows` lines of the file."""
        if self.links:
            was = "was" if self.links == 1 else "were"
            note(
                f"{self._path}: {counted(self.links, 'link')} {was} listed twice, in {self.rows} "
                f"of {counted(rows, noun)}; each is taken once; --strict refuses them"
            )
            self.links = 0


class LineRows:
    """Turns the blocks of one file, one line per sentence pair, into rows.

    Parameters
    ----------
    path : str
        What messages call the file.
    names : tuple of str
        What they call the files of the lengths, source and target.
    doubled : DoubledLinks
        Takes each link once.
    one_based : bool
        Whether indices in the file start at 1.
    format_option : str
        What they call the option that names the notation.
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
        """Read the links of a block, 0-based.

        Raises
        ------
        InputError
            If a token is no link.
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
        """Check the links of a block against the lengths given and those that it shows.

        Raises
        ------
        InputError
            If lengths differ, a link is out of range or is listed twice and that is refused.
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
            problem = checked.explained(
                *(bad.row, bad.link),
                name=f"{notation.noun} {token.decode('ascii')}",
                one_based=self._one_based,
                option=turned,
            )
            raise InputError(location(self._path, first + bad.row, start + 1), problem) from None

    def warn_of_one_based(self, lines: int) -> None:
        """Warn, once, if all `lines` lines of the file never link a first word."""
        suspicious = self._aligned_lines >= ENOUGH_LINES and not self._first_word_linked
        if suspicious and not self._one_based:
            self._aligned_lines = 0
            note(f"{self._path}: no index 0 in {lines} lines; if indices start at 1: --one-based")

    def _look_for_first_words(self, parsed: Parsed, notation: LineFormat) -> None:
        """Remember whether an index 0 occurs in the file: only then it surely starts at 0."""
        self._aligned_lines += int(np.count_nonzero(np.diff(parsed.offsets)))
        if not self._first_word_linked:
            self._first_word_linked = bool(np.any(parsed.source == 0)) or (
                notation.target_indices and bool(np.any(parsed.target == 0))
            )

    def _refuse_mixed(self, parsed: Parsed, block: TextBlock) -> None:
        """Refuse a file in which some links have a score and others have none."""
        if not len(parsed.source):
            return
        scores = parsed.scores
        if self._scored is None:
            self._scored = scores is not None
        is_consistent = scores is None or len(scores) == len(parsed.source)
        if is_consistent and (scores is not None) == self._scored:
            return
        # Read as a whole again: only here is it known which link has none, or has one.
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
    """Return the sentence lengths of a text, or without a text those that a file of links implies.

    Parameters
    ----------
    file_lengths : int64[S] or None
        Lengths that the file implies.
    noun : str
        What the file counts: source, target, or fields (a single empty field is not seen).
    text_lengths : int64[S] or None
        Lengths of the sentences of the text.
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
    """Deals out the rows of records.

    Parameters
    ----------
    records : Records
    path : str
        What messages call the file.
    names : tuple of str
        What they call the files of the lengths, source and target.
    doubled : DoubledLinks
        Takes each link once.
    sentences : int, optional
        How many sentence pairs there are, where the notation does not tell.

    Raises
    ------
    InputError
        If there are more than `sentences`, or others.
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
        self._given = 0
        # Whether rows without links may follow the last.
        self._open = records.row_lines is None and sentences is None
        self.total = len(records) if sentences is None else sentences
        if len(records) > self.total or (
            records.row_lines is not None and len(records) < self.total
        ):
            raise InputError(path, f"{len(records)} sentence pairs", f"{self.total}")

    def ahead(self, rows: int, lengths: int | None) -> int:
        """Return the number of further rows, at most `rows`, for texts with `lengths` further ones.

        Where the notation does not tell, the texts do.
        """
        if self._open and lengths is not None:
            self.total = max(self.total, self._given + min(rows, lengths))
        return min(rows, self.total - self._given)

    def take(self, rows: int, sources: Int64 | None, targets: Int64 | None) -> Alignments:
        """Return the next `rows` rows.

        Raises
        ------
        InputError
            If lengths differ, a link is out of range or is listed twice and that is refused.
        """
        records = self._records
        first, last = self._given, self._given + rows
        bounds = np.minimum(np.arange(first, last + 1), len(records))
        offsets = records.offsets[bounds]
        span = slice(int(offsets[0]), int(offsets[-1]))
        self._given = last

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
            # A row has no line of its own to name.
            path = f"{self._path} (sentence pairs)"
            return self._doubled.alignments(parsed, path=path, first_line=first + 1)
        except LinkError as bad:
            line = int(records.link_lines[int(offsets[bad.row]) + bad.link])
            problem = parsed.explained(bad.row, bad.link, one_based=True)
            raise InputError(location(self._path, line), problem) from None
