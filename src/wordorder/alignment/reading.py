"""Reading files of word alignments."""

from __future__ import annotations

import re
import warnings

import numpy as np

from wordorder.alignment.alignments import Alignments, Int64, Lengths
from wordorder.alignment.checks import LinkError, explain
from wordorder.alignment.formats import Format, Parsed
from wordorder.alignment.pharaoh import Pharaoh
from wordorder.alignment.talbot import Talbot
from wordorder.errors import InputError, WordOrderWarning, choose, location
from wordorder.text.blocks import Block, LineBlocks
from wordorder.text.closing import Closing
from wordorder.text.lines import line_count_mismatch
from wordorder.text.opening import Path
from wordorder.text.quoting import quoted

FORMATS: dict[str, Format] = {notation.name: notation for notation in (Talbot(), Pharaoh())}
# Lines that `read_alignments` holds as text at a time.
CHUNK = 1 << 16
# If so many aligned sentences never link a first word, their indices start at 1.
ENOUGH_LINES = 20


class AlignmentReader(Closing):
    """Reads a file of word alignments some lines at a time.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.opening.Source` takes it: compressed or not, ``-`` is standard input.
    format : {"auto", "talbot", "pharaoh"}
        ``auto`` takes the notation of the first line that shows it: ``-``, ``p`` or ``?`` after a
        number is Pharaoh's; a comma, ``_`` or a bare number is Talbot's.
    one_based : bool
        Whether indices in the file start at 1.
    source_name, target_name : str
        What messages call the files that the lengths come from.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Lines read so far.

    Raises
    ------
    UsageError
        If `format` is unknown.
    """

    def __init__(
        self,
        path: Path,
        *,
        format: str = "auto",
        one_based: bool = False,
        source_name: str = "the source",
        target_name: str = "the target",
    ) -> None:
        self._notation = FORMATS.get(choose("format", format, ("auto", *FORMATS)))
        self._one_based = one_based
        self._names = (source_name, target_name)
        self._blocks = LineBlocks(path)
        self.name = self._blocks.name
        self._aligned_lines = 0
        self._first_word_linked = False
        self.lines = 0

    @property
    def format(self) -> str | None:
        """The notation's name; None until a line shows it."""
        return self._notation.name if self._notation else None

    def take(
        self,
        lines: int,
        *,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
    ) -> Alignments:
        """Read up to `lines` further lines; no rows at the end of the file.

        Parameters
        ----------
        lines : int
            At least 1.
        source_lengths, target_lengths : int64[S], optional
            Words of the sentences that come. If more lengths come than lines, the file has ended
            and the further ones are left alone: the caller sees fewer rows than lengths.

        Raises
        ------
        InputError
            At ``file:line:column`` for a first line in no notation, a token that is no link, an
            index out of range and a link that stands twice; naming both files if more lines than
            lengths come.

        Warns
        -----
        WordOrderWarning
            At the end of the file, if its indices seem to start at 1.
        """
        block = self._blocks.take(lines)
        if block.lines == 0:
            self._warn_of_one_based()
        if self._notation is None:
            self._notation = self._recognise(block)
        # While all lines are blank, they have no links in either notation.
        notation = self._notation or FORMATS["pharaoh"]
        parsed = notation.parse(block.data, block.lines)
        if parsed.bad >= 0:
            raise self._bad_token(block, notation, parsed.bad)
        self._look_for_first_words(parsed, notation)
        if self._one_based:
            np.subtract(parsed.source, 1, out=parsed.source)
            if notation.target_indices:
                np.subtract(parsed.target, 1, out=parsed.target)
        self.lines += block.lines
        sources = self._lengths(source_lengths, block.lines, self._names[0])
        targets = self._lengths(target_lengths, block.lines, self._names[1])
        if parsed.target_lengths is not None:
            if targets is None:
                targets = parsed.target_lengths
            self._compare_fields(parsed.target_lengths, targets, block.first_line)
        try:
            return Alignments(
                parsed.source,
                parsed.target,
                parsed.offsets,
                possible=parsed.possible,
                source_lengths=sources,
                target_lengths=targets,
                path=self.name,
                first_line=block.first_line,
            )
        except LinkError as bad:
            raise self._bad_link(bad, parsed, block, notation, sources, targets) from None

    def close(self) -> None:
        """Close the file."""
        self._blocks.close()

    def _recognise(self, block: Block) -> Format | None:
        """Return the notation of the first line that is not blank."""
        text = block.data.tobytes()
        start = re.search(rb"[^ \t\r\n]", text)
        if start is None:
            return None
        if re.compile(rb"[0-9]+[-p?]").match(text, start.start()):
            return FORMATS["pharaoh"]
        if re.compile(rb",|[0-9]+([,_]|\r?\n|\Z)").match(text, start.start()):
            return FORMATS["talbot"]
        token = re.compile(rb"[^ \t\r\n]+").match(text, start.start())
        raise InputError(
            location(self.name, *block.place(start.start())),
            f"{quoted(token.group() if token else b'')} shows no notation of alignments",
            "Pharaoh's i-j or Talbot's comma-separated fields",
        )

    def _bad_token(self, block: Block, notation: Format, at: int) -> InputError:
        """Build the error for the token around byte `at` of the block."""
        text = block.data.tobytes()
        begin = text.rfind(b"\n", 0, at) + 1
        line, *rest = text[begin:].split(b"\n", 1)
        line = line.removesuffix(b"\r") if rest else line
        start = 1 + max(line.rfind(separator, 0, at - begin) for separator in notation.separators)
        token = re.split(b"[" + notation.separators + b"]", line[start:], maxsplit=1)[0]
        return InputError(
            location(self.name, *block.place(begin + start)),
            f"{quoted(token)} is no {notation.noun}",
            notation.expected,
        )

    def _bad_link(
        self,
        bad: LinkError,
        parsed: Parsed,
        block: Block,
        notation: Format,
        sources: Int64 | None,
        targets: Int64 | None,
    ) -> InputError:
        """Build the error for a link with its column and as it stands in the file."""
        line = block.data.tobytes().split(b"\n", bad.row + 1)[bad.row]
        tokens = list(notation.link.finditer(line))
        link = int(parsed.offsets[bad.row]) + bad.link
        what = explain(
            f"{notation.noun} {tokens[bad.link].group().decode('ascii')}",
            int(parsed.source[link]),
            int(parsed.target[link]),
            None if sources is None else int(sources[bad.row]),
            None if targets is None else int(targets[bad.row]),
            one_based=self._one_based,
        )
        column = tokens[bad.link].start() + 1
        return InputError(location(self.name, block.first_line + bad.row, column), what)

    def _lengths(self, lengths: Lengths | None, rows: int, name: str) -> Int64 | None:
        """Take the lengths of the rows at hand, or raise if there are too few."""
        if lengths is None:
            return None
        if len(lengths) < rows:
            there = self.lines - rows + len(lengths)
            while (block := self._blocks.take(CHUNK)).lines:
                self.lines += block.lines
            raise line_count_mismatch(self.name, self.lines, name, there)
        return np.asarray(lengths, np.int64)[:rows]

    def _compare_fields(self, fields: Int64, targets: Int64, first_line: int) -> None:
        """Refuse a line whose number of fields is not the target's number of words."""
        # One empty field, a single unaligned word, looks like no field at all.
        wrong = np.flatnonzero((fields != targets) & ((fields > 0) | (targets > 1)))
        if len(wrong):
            row = int(wrong[0])
            raise InputError(
                location(self.name, first_line + row),
                f"{fields[row]} fields, but {self._names[1]} has {targets[row]} tokens. "
                "Are the files in step?",
            )

    def _look_for_first_words(self, parsed: Parsed, notation: Format) -> None:
        """Remember whether an index 0 stands in the file: only then it surely starts at 0."""
        self._aligned_lines += int(np.count_nonzero(np.diff(parsed.offsets)))
        if not self._first_word_linked:
            self._first_word_linked = bool(np.any(parsed.source == 0)) or (
                notation.target_indices and bool(np.any(parsed.target == 0))
            )

    def _warn_of_one_based(self) -> None:
        """Warn if the whole file never links a first word."""
        suspicious = self._aligned_lines >= ENOUGH_LINES and not self._first_word_linked
        if suspicious and not self._one_based:
            self._aligned_lines = 0
            warnings.warn(
                f"{self.name}: no index 0 in {self.lines} lines; "
                "if indices start at 1, say so (one_based=True, --one-based)",
                WordOrderWarning,
                stacklevel=3,
            )


def read_alignments(
    path: Path,
    *,
    format: str = "auto",
    one_based: bool = False,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
    source_name: str = "the source",
    target_name: str = "the target",
) -> Alignments:
    """Read a whole file of word alignments.

    Parameters
    ----------
    path, format, one_based, source_name, target_name
        As in `AlignmentReader`.
    source_lengths, target_lengths : int64[S], optional
        Words of each sentence; links are then checked against them.

    Raises
    ------
    InputError
        As `AlignmentReader.take`; also, naming both files, if there are not as many lines as
        lengths.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sample.align")
    >>> _ = path.write_text("0-0 1-2 2p1\\n\\n")
    >>> a = read_alignments(path, source_lengths=[3, 2])
    >>> len(a), str(a[0])
    (2, '0-0 1-2 2p1')
    """
    parts: list[Alignments] = []
    names = {"source_name": source_name, "target_name": target_name}
    with AlignmentReader(path, format=format, one_based=one_based, **names) as reader:
        while True:
            span = slice(reader.lines, reader.lines + CHUNK)
            part = reader.take(
                CHUNK,
                source_lengths=None if source_lengths is None else source_lengths[span],
                target_lengths=None if target_lengths is None else target_lengths[span],
            )
            if len(part) == 0:
                break
            parts.append(part)
    for lengths, name in ((source_lengths, source_name), (target_lengths, target_name)):
        if lengths is not None and len(lengths) != reader.lines:
            raise line_count_mismatch(reader.name, reader.lines, name, len(lengths))
    if reader.format == "talbot":
        # Blank lines that were read before a line showed the notation have no target words.
        for part in parts:
            if part.target_lengths is None:
                part.target_lengths = np.zeros(len(part), np.int64)
    return Alignments.concatenate(parts) if parts else Alignments.from_rows([], path=reader.name)
