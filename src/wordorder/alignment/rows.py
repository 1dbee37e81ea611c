"""Rows of alignments from blocks of lines, checked, with errors at their place."""

from __future__ import annotations

import re

import numpy as np

from wordorder.alignment.alignments import REVERSED, Alignments, LinkError, explain, hint
from wordorder.alignment.formats import LineFormat, Parsed, Records
from wordorder.alignment.links import DoubledLinks
from wordorder.alignment.pharaoh import MosesPhrases
from wordorder.errors import InputError, location
from wordorder.notes import note
from wordorder.text.blocks import Block
from wordorder.text.lines import quoted
from wordorder.types import Int64

# If so many aligned sentences never link a first word, their indices start at 1.
ENOUGH_LINES = 20


class LineRows:
    """Turns the blocks of one file, one line a sentence pair, into rows.

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

    def parse(self, block: Block, notation: LineFormat) -> Parsed:
        """Read the links of a block, 0-based.

        Raises
        ------
        InputError
            If a token is no link.
        """
        parsed = notation.parse(block.data, block.lines)
        if parsed.bad >= 0:
            raise self._bad_token(block, notation, parsed.bad)
        self._look_for_first_words(parsed, notation)
        if self._one_based:
            np.subtract(parsed.source, 1, out=parsed.source)
            if notation.target_indices:
                np.subtract(parsed.target, 1, out=parsed.target)
        return parsed

    def checked(
        self,
        parsed: Parsed,
        block: Block,
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
        if parsed.source_lengths is not None:
            if sources is None:
                sources = parsed.source_lengths
            wrong = np.flatnonzero(parsed.source_lengths != sources)
            self._refuse_length(wrong, parsed.source_lengths, sources, "source", first)
        if parsed.target_lengths is not None:
            if targets is None:
                targets = parsed.target_lengths
            differ = parsed.target_lengths != targets
            if notation.target_fields:
                # One empty field, a single unaligned word, looks like no field at all.
                differ &= (parsed.target_lengths > 0) | (targets > 1)
            noun = "fields" if notation.target_fields else "target"
            wrong = np.flatnonzero(differ)
            self._refuse_length(wrong, parsed.target_lengths, targets, noun, first)
        try:
            return self._doubled.alignments(
                parsed.source,
                parsed.target,
                parsed.offsets,
                parsed.possible,
                sources,
                targets,
                path=self._path,
                first_line=first,
            )
        except LinkError as bad:
            raise self._bad_link(bad, parsed, block, notation, sources, targets) from None

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

    def _bad_token(self, block: Block, notation: LineFormat, at: int) -> InputError:
        """Build the error for the token around byte `at` of the block."""
        text = block.data.tobytes()
        begin = text.rfind(b"\n", 0, at) + 1
        line, *rest = text[begin:].split(b"\n", 1)
        line = line.removesuffix(b"\r") if rest else line
        start = 1 + max(line.rfind(separator, 0, at - begin) for separator in notation.separators)
        token = re.split(b"[" + notation.separators + b"]", line[start:], maxsplit=1)[0]
        return InputError(
            location(self._path, *block.place(begin + start)),
            f"{quoted(token)} is no {notation.noun}",
            notation.expected,
        )

    def _bad_link(
        self,
        bad: LinkError,
        parsed: Parsed,
        block: Block,
        notation: LineFormat,
        sources: Int64 | None,
        targets: Int64 | None,
    ) -> InputError:
        """Build the error for a link with its column and its spelling in the file."""
        line = block.data.tobytes().split(b"\n", bad.row + 1)[bad.row]
        if isinstance(notation, MosesPhrases):
            token, start = notation.token_of(line, bad.link)
        else:
            found = list(notation.link.finditer(line))[bad.link]
            token, start = found.group(1), found.start(1)
        link = int(parsed.offsets[bad.row]) + bad.link
        what = explain(
            f"{notation.noun} {token.decode('ascii')}",
            int(parsed.source[link]),
            int(parsed.target[link]),
            None if sources is None else int(sources[bad.row]),
            None if targets is None else int(targets[bad.row]),
            one_based=self._one_based,
            swapped=hint(
                (parsed.source, parsed.target, parsed.offsets),
                (sources, targets),
                bad.row,
                f"{self._format_option}={REVERSED}" if notation.name == "pharaoh" else "",
            ),
        )
        return InputError(location(self._path, block.first_line + bad.row, start + 1), what)

    def _refuse_length(
        self, wrong: Int64, lengths: Int64, given: Int64, noun: str, first_line: int
    ) -> None:
        """Raise for the first of the rows `wrong`, whose length is not that of the text."""
        if len(wrong):
            row = int(wrong[0])
            where = location(self._path, first_line + row)
            name = self._names[0 if noun == "source" else 1]
            raise wrong_length(where, int(lengths[row]), noun, name, int(given[row]))


def wrong_length(where: str, length: int, noun: str, name: str, given: int) -> InputError:
    """Build the error for a sentence whose length is not that of the text called `name`.

    Examples
    --------
    >>> print(wrong_length("a.align:2", 3, "fields", "ja.txt", 29))
    a.align:2: 3 fields, but ja.txt has 29 tokens. Are the files in step?
    >>> print(wrong_length("a.align:2", 3, "source", "en.txt", 29))
    a.align:2: 3 source tokens, but en.txt has 29 tokens. Are the files in step?
    """
    noun = noun if noun == "fields" else f"{noun} tokens"
    what = f"{length} {noun}, but {name} has {given} tokens. Are the files in step?"
    return InputError(where, what)


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
        # Whether rows without links may follow behind the last.
        self._open = records.row_lines is None and sentences is None
        self.total = len(records) if sentences is None else sentences
        if len(records) > self.total or (
            records.row_lines is not None and len(records) < self.total
        ):
            raise InputError(path, f"{len(records)} sentence pairs", f"{self.total}")

    def ahead(self, rows: int, lengths: int | None) -> int:
        """Return how many of `rows` further rows there are, for texts with `lengths` further ones.

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
        sources = self._compared(records.source_lengths, sources, first, last, 0)
        targets = self._compared(records.target_lengths, targets, first, last, 1)
        span = slice(int(offsets[0]), int(offsets[-1]))
        self._given = last
        try:
            return self._doubled.alignments(
                records.source[span],
                records.target[span],
                offsets - offsets[0],
                None if records.possible is None else records.possible[span],
                sources,
                targets,
                # A row has no line of its own to name.
                path=f"{self._path} (sentence pairs)",
                first_line=first + 1,
            )
        except LinkError as bad:
            link = int(offsets[bad.row]) + bad.link
            s, t = int(records.source[link]), int(records.target[link])
            what = explain(
                f"link {s + 1}-{t + 1}",
                s,
                t,
                None if sources is None else int(sources[bad.row]),
                None if targets is None else int(targets[bad.row]),
                one_based=True,
                swapped=hint(
                    (records.source[span], records.target[span], offsets - offsets[0]),
                    (sources, targets),
                    bad.row,
                    "",
                ),
            )
            raise InputError(location(self._path, int(records.link_lines[link])), what) from None

    def _compared(
        self, lengths: Int64 | None, given: Int64 | None, first: int, last: int, side: int
    ) -> Int64 | None:
        """Return the lengths of the rows, from the text or else from the file."""
        if lengths is None or self._records.row_lines is None:
            return given
        lengths = lengths[first:last]
        if given is not None and len(wrong := np.flatnonzero(lengths != given)):
            row = int(wrong[0])
            where = location(self._path, int(self._records.row_lines[first + row]))
            noun = ("source", "target")[side]
            raise wrong_length(where, int(lengths[row]), noun, self._names[side], int(given[row]))
        return lengths
