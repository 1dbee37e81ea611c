"""Inputs as bytes, lines of text or sentences of words, and several of them read in step."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from itertools import islice, pairwise
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from wordorder.arrays import Int64, row_offsets
from wordorder.errors import InputError
from wordorder.kernels import read_ahead
from wordorder.messages import counted, note, percent
from wordorder.text.blocks import Deferring, Later, LineBlocks, RawLines, SentenceBlocks, decoded
from wordorder.text.names import is_treebank, read_only_once, table_column
from wordorder.text.opening import BOM, Closeable, FileSource, Part, Path, display_name

# How much is read ahead where comments never end.
MOST_BYTES = 1 << 20

# A line that is longer than this is no word of a treebank, unless it begins like one.
LONG_LINE = 1 << 14

# A file of so many columns wants to be a treebank; whether it is a good one, its reader says.
LEAST_COLUMNS = 8


_FIRST_ID = re.compile(rb"1|1-[0-9]+|0\.1")

# A word may hold blanks; a line of text separates words by them.
_NO_BREAK = "\u00a0"

# Lines that are read of each file at a time: what is made of them stays in the cache.
CHUNK = 1 << 13
Rows = TypeVar("Rows", bound=Sized)


class Source(FileSource):
    """The bytes of an input, decompressed: of a file, of standard input or of a table's column.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.opening.FileSource` takes it. Of a table (``data.parquet#reference``,
        ``data.jsonl#text``) the cells of a column, one per line.
    part : Part, optional
        Which part of the file is read, whatever `wordorder.text.opening.reading_parts` says.

    Raises
    ------
    InputError
        If the file cannot be read, or its suffix says something else than its bytes.
    """

    # What the cells of a table hold, as `wordorder.text.table_cells.cell_text` takes it.
    _holding = "text"

    @classmethod
    def of(cls, path: Path | Source) -> Source:
        """Open a path; an open input is returned as it is."""
        return path if isinstance(path, Source) else cls(path)

    def _opened(self, path: Path, part: Part | None) -> tuple[Any, bool]:
        """Return the stream of a path, and whether it is a regular file."""
        table = table_column(path)
        # A part of a column has the name of the column, not of its file.
        named = table_column(self.name) or self.name.startswith("<stdin>#")
        table = table if named else None
        if table is None:
            return super()._opened(path, part)
        from wordorder.text.table_cells import TableStream

        self._cells = True
        return TableStream(table, self.name, part, holding=self._holding), False


class LinkSource(Source):
    """The bytes of a file of alignments; a cell ``[[1, 0], [0, 1]]`` is the line ``1-0 0-1``."""

    _holding = "links"


class NameSource(Source):
    """The bytes of a file of names; an integer in a cell is one."""

    _holding = "names"


class PeekableInput(Source):
    r"""An input whose first bytes can be seen before they are read.

    Parameters
    ----------
    path : path or "-"
        As `Source` takes it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_bytes(b"It rains .\n")
    >>> with PeekableInput(path) as source:
    ...     input_kind(source), b"".join(iter(source.read, b""))
    ('text', b'It rains .\n')
    """

    def __init__(self, path: Path) -> None:
        self._seen: deque[bytes] = deque()
        super().__init__(path)

    def peek(self) -> bytes:
        """Return the bytes after those that were seen before; none at the end.

        Raises
        ------
        InputError
            As `read`.
        """
        found = super().read()
        if found:
            self._seen.append(found)
        return found

    def read(self) -> bytes:
        """Return the next bytes, first those that were seen; none at the end."""
        return self._seen.popleft() if self._seen else super().read()


def input_kind(source: PeekableInput) -> str:
    """Return what an input is by its first line that is neither empty nor a comment.

    Returns
    -------
    str
        ``"conllu"`` where the line has columns between tabs and begins with the ID of a first
        word, ``"text"`` otherwise.
    """
    rest = b""
    seen = 0
    while seen < MOST_BYTES:
        more = source.peek()
        if not seen:
            more = more.removeprefix(BOM)
        seen += len(more)
        *lines, rest = (rest + more).split(b"\n")
        if not more or len(rest) > LONG_LINE:
            lines.append(rest)
        for line in lines:
            if line.startswith(b"#"):
                # Lines that end with a carriage return alone: the reader says what is wrong.
                if any(map(_is_first_word, line.split(b"\r"))):
                    return "conllu"
            elif line.strip():
                return "conllu" if _is_first_word(line) else "text"
        if not more:
            break
    return "text"


def _is_first_word(line: bytes) -> bool:
    """Whether a line looks like the first word of a sentence in a treebank."""
    fields = line.split(b"\t")
    return len(fields) >= LEAST_COLUMNS and bool(_FIRST_ID.fullmatch(fields[0]))


def read_lines(path: Path | Source) -> Generator[str, None, None]:
    r"""Read UTF-8 text line by line, without the lines' ends.

    Only ``\n`` and ``\r\n`` end a line: no other character does, whatever Unicode says.

    Parameters
    ----------
    path : path or "-", or an open Source

    Raises
    ------
    InputError
        If the input cannot be read or a byte is not UTF-8; the message names line and byte.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_text("one\u2028two\r\nthree\n", newline="")
    >>> list(read_lines(path))
    ['one\u2028two', 'three']
    """
    with LineBlocks(Source.of(path)) as blocks:
        while (block := blocks.take_ready()).lines:
            text = decoded(block, blocks.name).replace("\r\n", "\n")
            yield from text.removesuffix("\n").split("\n")


def tokens(line: str) -> list[str]:
    r"""Split a line at ASCII blanks and tabs, and nowhere else.

    Examples
    --------
    >>> tokens(" New\u00a0York  is\tbig ")
    ['New\xa0York', 'is', 'big']
    """
    return [token for token in line.replace("\t", " ").split(" ") if token]


# Sums and products of some such numbers are numbers still.
LARGEST = 1e100
REAL_NUMBER = f"a number, at most {LARGEST:g} from 0"


def read_number(text: str) -> float | None:
    """Return the number that a text writes in ASCII; None if it is not one, or beyond `LARGEST`.

    Examples
    --------
    >>> [read_number(text) for text in ("-1.5", "2e-3", "1_0", "\u0661", "nan", "1e200")]
    [-1.5, 0.002, None, None, None, None]
    """
    try:
        value = float(text)
    except ValueError:
        return None
    # float reads digits of other scripts and underscores too.
    is_strict = text.isascii() and "_" not in text
    return value if is_strict and abs(value) <= LARGEST else None


def line_count_mismatch(
    name_a: str, lines_a: int | str, name_b: str, lines_b: int | str, rows: str = "line"
) -> InputError:
    """Build the error for two files that should have a line for each sentence and do not.

    Where a sentence is more than a line, `rows` names the unit that is counted instead. A number
    may be text, "more than 20", where the lines were not counted to the end.

    Examples
    --------
    >>> print(line_count_mismatch("a.orders", 20, "b.orders", 1))
    a.orders: 20 lines, but b.orders has 1; expected as many lines in both
    """
    shown = rows if lines_a in (1, "more than 1") else f"{rows}s"
    what = f"{lines_a} {shown}, but {name_b} has {lines_b}"
    return InputError(name_a, what, f"as many {rows}s in both")


def no_such_line(name: str, lines: int, number: int, rows: str = "line") -> InputError:
    """Build the error for the number of a line that a file does not have.

    Examples
    --------
    >>> print(no_such_line("a.txt", 1, 3))
    a.txt: 1 line; expected a number up to that, not 3
    """
    return InputError(name, counted(lines, rows), f"a number up to that, not {number}")


class LineReader(Closeable):
    """What reads a file line by line: its name in messages, and how many lines were read so far."""

    def __init__(self, path: Path | Source) -> None:
        self._blocks = LineBlocks(Source.of(path))
        self.name = self._blocks.name
        self.lines = 0

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()

    def _text(self, lines: int, *, prompt: bool = False) -> Later[RawLines]:
        """Return up to `lines` further lines of text, to be checked later."""
        block = self._blocks.take(lines, prompt=prompt)
        self.lines += block.lines

        def checked() -> RawLines:
            # ASCII, which a look at the largest byte shows, needs no decoding.
            if block.data.max(initial=0) >= 0x80:
                decoded(block, self.name)
            return RawLines.from_bytes(block.data, block.newlines)

        return Later(block.lines, checked)


class TokenCounter(LineReader):
    """Counts the tokens of a text's lines, some lines at a time.

    Parameters
    ----------
    path : path or "-"
        The text, tokens separated by ASCII blanks or tabs.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Lines read so far.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_bytes(b"the  cat\\n\\n sat")
    >>> with TokenCounter(path) as counter:
    ...     counter.take(10).tolist()
    [2, 0, 1]
    """

    def take(self, lines: int) -> Int64:
        """Return the counts of the next `lines` lines; fewer if they are long, none at the end.

        Raises
        ------
        InputError
            If a line is not UTF-8.
        """
        block = self._blocks.take(lines)
        decoded(block, self.name)
        self.lines += block.lines
        data = block.data
        line_end = data == ord("\n")
        # A carriage return before it belongs to the end of the line.
        line_end[:-1] |= (data[:-1] == ord("\r")) & line_end[1:]
        inside = ~((data == ord(" ")) | (data == ord("\t")) | line_end)
        starts = inside.copy()
        starts[1:] &= ~inside[:-1]
        ends = np.append(np.flatnonzero(data == ord("\n")) + 1, len(data))[: block.lines]
        before = row_offsets(starts)
        counts: Int64 = np.diff(before[np.concatenate([[0], ends])])
        return counts


class TextReader(LineReader):
    r"""Reads a file of text as lines of bytes.

    Parameters
    ----------
    path : path, "-" or Source
        As `wordorder.text.lines.Source` takes it: compressed or not, ``-`` is standard input.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Lines read so far.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_bytes(b"one\r\n\ntwo")
    >>> with TextReader(path) as reader:
    ...     reader.take(2).strings(), reader.take(2).strings(), len(reader.take(2))
    (['one', ''], ['two'], 0)
    """

    def take(self, lines: int, *, prompt: bool = False) -> RawLines:
        """Return up to `lines` further lines; fewer if they are long, none at the end.

        With `prompt` also fewer, but at least one, where more would have to be waited for.

        Raises
        ------
        InputError
            If the input cannot be read or a byte is not UTF-8; the message names line and byte.
        """
        return self.begin(lines, prompt=prompt).rows()

    def begin(self, lines: int, *, prompt: bool = False) -> Later[RawLines]:
        """Return up to `lines` further lines, as `take` does, to be checked later."""
        return self._text(lines, prompt=prompt)


# Lines that are looked at: enough for a share, and few enough to cost nothing.
SAMPLE = 200


class _Script(NamedTuple):
    """Letters of a language without blanks between words, and what cuts them besides `char`.

    A word has fewer than `longest` letters on average.
    """

    language: str
    letter: re.Pattern[str]
    cut: str
    longest: int


# Japanese is written in Chinese characters, too. Korean has blanks.
_SCRIPTS = (
    _Script("Japanese", re.compile("[\u3040-\u30ff]"), "ja-mecab", 5),
    _Script("Thai", re.compile("[\u0e00-\u0e7f]"), "", 10),
    _Script("Lao", re.compile("[\u0e80-\u0eff]"), "", 10),
    _Script("Khmer", re.compile("[\u1780-\u17ff]"), "", 10),
    _Script("Burmese", re.compile("[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]"), "", 10),
    _Script(
        "Chinese",
        re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
        "zh",
        5,
    ),
)
_LETTER = re.compile("|".join(script.letter.pattern for script in _SCRIPTS))

# A line of fewer letters may be one word.
_LETTERS = 8

# The share of lines from which on it is worth a note.
_SHARE = 0.1


def uncut_note(name: str, lines: Iterable[str], option: str) -> str:
    """Say that lines of a script without blanks are not cut into words; nothing if few are.

    Parameters
    ----------
    name : str
        What the text is called.
    lines : iterable of str
        Some lines of it.
    option : str
        What cuts lines into words, without its value: ``--tokenizer``.

    Examples
    --------
    >>> print(uncut_note("ref.txt", ["彼は昨日東京に行きました。"], "--tokenizer"))
    ref.txt: 100 % of the lines are Japanese without blanks between words, so that a line is \
one word: --tokenizer=ja-mecab cuts them (pip install "wordorder[ja]"), or --tokenizer=char
    >>> uncut_note("ref.txt", ["彼 は 東京 に 行っ た 。", "Well , he came ."], "--tokenizer")
    ''
    """
    some = [line for line in lines if line.strip()]
    uncut = [script for line in some if (script := _uncut_script(line))]
    if not uncut or len(uncut) < _SHARE * len(some):
        return ""
    script = max(_SCRIPTS, key=uncut.count)
    install = ' (pip install "wordorder[ja]")' if script.language == "Japanese" else ""
    how = f"{option}={script.cut} cuts them{install}, or {option}=char"
    if not script.cut:
        how = f"{option}=char cuts them"
    return (
        f"{name}: {percent(len(uncut), len(some))} of the lines are {script.language} without "
        f"blanks between words, so that a line is one word: {how}"
    )


# Marks that tokenizers leave in words, and what undoes them.
_MARKS = (
    (re.compile("@@$"), "pieces of words", "sed -E 's/@@( |$)//g' joins them"),
    (re.compile("\N{LOWER ONE EIGHTH BLOCK}"), "pieces of words", "spm_decode joins them"),
    (
        re.compile("^@.@$|&(apos|quot|amp|lt|gt|#[0-9]+);"),
        "marks of Moses' tokenizer",
        "detokenizer.perl undoes them",
    ),
)


def marked_share(lines: Iterable[str]) -> tuple[float, str]:
    """Return the largest share of words with one kind of tokenizers' marks, and a sentence on it.

    Examples
    --------
    >>> share, text = marked_share(["the small@@ est rob@@ ots walk"])
    >>> round(share, 3), text.partition(":")[0]
    (0.333, '33 % of the words are pieces of words ("small@@")')
    """
    words = [word for line in lines for word in line.split()]
    most, text = 0.0, ""
    for mark, what, how in _MARKS:
        marked = [word for word in words if mark.search(word)]
        if marked and len(marked) / len(words) > most:
            most = len(marked) / len(words)
            share = percent(len(marked), len(words))
            text = f'{share} of the words are {what} ("{marked[0]}"): {how}'
    return most, text


def mostly_uncut(lines: Sequence[str]) -> bool:
    """Say whether most of the lines that are not empty are of a script without blanks and have few.

    Examples
    --------
    >>> mostly_uncut(["彼は昨日東京に行きました。", ""]), mostly_uncut(["He went to Tokyo."])
    (True, False)
    """
    some = [line for line in lines if line.strip()]
    return 2 * len(list(filter(_uncut_script, some))) > len(some)


def _uncut_script(line: str) -> _Script | None:
    """Return the script of a line that has many letters and few blanks between them."""
    letters = len(_LETTER.findall(line))
    if letters < _LETTERS:
        return None
    script = next(script for script in _SCRIPTS if script.letter.search(line))
    words = sum(_LETTER.search(word) is not None for word in line.split())
    return script if letters >= script.longest * words else None


class ConlluWordReader(Closeable):
    r"""Reads the FORM column of a CoNLL-U file, a sentence as a line.

    Words are the numbered tokens: ranges (``3-4``) and empty nodes (``5.1``) are no words of their
    own. A blank inside a word becomes a no-break space. Comments alone are a sentence without
    words.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.lines.Source` takes it.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Sentences read so far.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> row = "{}\t{}" + "\t_" * 8 + "\n"
    >>> _ = path.write_text("# a comment\n" + row.format(1, "It") + row.format(2, "rains") + "\n")
    >>> with ConlluWordReader(path) as reader:
    ...     reader.take(9).strings()
    ['It rains']
    """

    rows = "sentence"

    def __init__(self, path: Path) -> None:
        self._blocks = SentenceBlocks(Source(path))
        self.name = self._blocks.name
        self.lines = 0

    def take(self, lines: int) -> RawLines:
        """Return up to `lines` further sentences; fewer if they are long, none at the end.

        Raises
        ------
        InputError
            As `wordorder.treebank.TreebankReader.take`, but for heads that make no tree.
        """
        from wordorder.text.conllu_lines import FORM

        found = self._scan(lines)
        words = [word.replace(" ", _NO_BREAK) for word in found.field(FORM).strings()]
        bounds = pairwise(found.offsets.tolist())
        taken = RawLines.from_strings([" ".join(words[start:stop]) for start, stop in bounds])
        self.lines += len(taken)
        return taken

    def _scan(self, lines: int) -> Any:
        """Return the lines of up to `lines` further sentences as `scan_conllu` does."""
        from wordorder.text.conllu_lines import scan_conllu

        found = scan_conllu(self._blocks.take(lines), self.name)
        if found.error:
            raise found.error
        return found

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()


class ConlluWordCounter(ConlluWordReader):
    """Counts the words of a treebank's sentences, as `TokenCounter` does those of lines."""

    def take(self, lines: int) -> Any:
        """Return the counts of up to `lines` further sentences, int64[S]; none at the end."""
        offsets = self._scan(lines).offsets
        self.lines += len(offsets) - 1
        return np.diff(offsets)


class RowSource(Protocol):
    """What rows are read from: `OrderReader`, `TextReader`, `AlignmentReader` and their like."""

    # Optional, `rows`: what a row is called, if not "line".

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def lines(self) -> int:
        """Rows read so far."""

    def take(self, lines: int) -> Any:
        """Return up to `lines` further rows, that can be counted and sliced; none at the end."""


def in_step(sources: Sequence[RowSource]) -> Iterator[list[Later[Any]]]:
    """Yield the same rows of all sources, until all end; what can wait is parsed by the caller.

    A source may give fewer rows at a time than another: what is over waits for the next round.

    Raises
    ------
    InputError
        Naming two sources with their numbers of lines, if these differ.
    """
    parts = [_parts(source) for source in sources]
    nothing: Later[Any] = Later(0, list)
    waiting = [nothing for _ in sources]
    while True:
        waiting = [
            part if len(part) else next(more, nothing)
            for part, more in zip(waiting, parts, strict=True)
        ]
        rows = min(map(len, waiting))
        if rows == 0:
            break
        yield [part[:rows] for part in waiting]
        waiting = [part[rows:] for part in waiting]
    if any(map(len, waiting)):
        for source, part in zip(sources, parts, strict=True):
            if not _is_stream(source):
                deque(part, maxlen=0)
        raise mismatch(sources)


def read_in_step(sources: Sequence[RowSource]) -> list[Any]:
    """Read all rows of open sources; return the rows of each source.

    Raises
    ------
    InputError
        As `in_step`.
    """
    parts: list[list[Any]] = [[] for _ in sources]
    for rows in in_step(sources):
        for row_parts, part in zip(parts, rows, strict=True):
            row_parts.append(part.rows())
    return [
        type(some[0]).concatenate(some) if some else source.take(0)
        for some, source in zip(parts, sources, strict=True)
    ]


def _parts(source: RowSource) -> Iterator[Later[Any]]:
    """Yield the rows of a source; where reading is parsing, a thread of its own does it ahead."""
    if isinstance(source, Deferring):
        return until_empty(source.begin)
    return read_ahead(until_empty(lambda lines: _parsed(source.take(lines))))


def until_empty(take: Callable[[int], Rows], lines: int | None = None) -> Iterator[Rows]:
    """Yield what a reader takes, up to so many lines at a time, to the end of its input."""
    while len(part := take(lines or CHUNK)):
        yield part


def _parsed(rows: Any) -> Later[Any]:
    return Later(len(rows), lambda: rows)


def mismatch(sources: Sequence[RowSource]) -> InputError:
    """Build the error that names two sources of different lengths with their numbers of lines.

    Files are read to their end. Streams may never end, so they are read until they have more lines
    than the shortest source.
    """
    for source in sources:
        if not _is_stream(source):
            deque(until_empty(source.take), maxlen=0)
    while True:
        fewest = min(source.lines for source in sources)
        shortest = [source for source in sources if source.lines == fewest]
        more = [len(source.take(CHUNK)) for source in shortest]
        if 0 in more:
            break
    first = sources[0]
    other = next(source for source in sources if source.lines != first.lines)
    if first.lines > fewest and (_is_stream(first) or _is_stream(other)):
        other = next(source for source in sources if source.lines == fewest)
    row = next((source.rows for source in sources if hasattr(source, "rows")), "line")
    lines = [
        f"more than {fewest}" if source.lines > fewest and _is_stream(source) else source.lines
        for source in (first, other)
    ]
    error = line_count_mismatch(first.name, lines[0], other.name, lines[1], row)
    hint = _table_hint((first.name, other.name)) or _blank_hint((first, other))
    return InputError(error.where, error.what, f"{error.expected}{hint}")


def _table_hint(names: Sequence[str]) -> str:
    """Say how a column is named where a file is called as tables are."""
    table = next((name for name in names if name.endswith((".csv", ".tsv"))), None)
    return "" if table is None else f" (a table with a header? {table}#COLUMN names a column)"


def _blank_hint(sources: Sequence[RowSource]) -> str:
    """Describe which of two files is longer by empty lines at its end alone."""
    fewest = min(source.lines for source in sources)
    longer = next(source for source in sources if source.lines != fewest)
    if not os.path.isfile(longer.name) or is_treebank(longer.name):
        return ""
    empty = 0
    for line in islice(read_lines(longer.name), fewest, None):
        if line.strip():
            return ""
        empty += 1
    return f" ({longer.name} ends with {counted(empty, 'empty line')})" if empty else ""


def _is_stream(source: RowSource) -> bool:
    """Return whether the end of a source may never come: standard input, a pipe, a device."""
    return source.name.startswith("<stdin>") or read_only_once(source.name)


def take_exactly(
    take: Callable[[int, int], Rows], count: int, join: Callable[[Sequence[Rows]], Rows]
) -> Rows | None:
    """Take so many rows from a reader that may give fewer at a time; None if it has not as many.

    Parameters
    ----------
    take : callable
        Called with the number of rows that are there and that of those that are missing.
    count : int
        At least 1.
    join : callable
        Puts parts one behind the other.
    """
    parts: list[Rows] = []
    there = 0
    while there < count:
        part = take(there, count - there)
        if not len(part):
            return None
        parts.append(part)
        there += len(part)
    return parts[0] if len(parts) == 1 else join(parts)


def read_whole(path: Path, kind: str = "auto") -> RawLines:
    """Read a whole file of lines, or the words of a treebank as such; as `word_reader`."""
    with word_reader(path, kind) as reader:
        return RawLines.concatenate(list(until_empty(reader.take, 8 * CHUNK)))


def word_reader(path: Path, kind: str = "auto") -> TextReader | ConlluWordReader:
    r"""Open a file whose sentences are read as lines.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.lines.Source` takes it.
    kind : str
        ``conllu`` for a treebank, of which the words are read; ``auto`` if it is named
        so (`is_treebank`); anything else is plain text.

    Warns
    -----
    WordOrderWarning
        If a file that is taken for plain text begins like a treebank.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> _ = path.write_text("1\tIt" + "\t_" * 8 + "\n2\train" + "\t_" * 8 + "\n\n")
    >>> with word_reader(path) as reader:
    ...     reader.take(9).strings()
    ['It rain']
    """
    return _open_sentences(path, kind, ConlluWordReader, TextReader)


def word_counter(path: Path) -> TokenCounter | ConlluWordCounter:
    """Open a file whose words are counted, sentence by sentence; it is read as by `word_reader`."""
    return _open_sentences(path, "auto", ConlluWordCounter, TokenCounter)


def read_words(path: Path) -> Iterator[list[str]]:
    """Read the words of each sentence of a file, as `word_reader` does."""
    with word_reader(path) as reader:
        for rows in until_empty(reader.take):
            yield from map(tokens, rows.strings())


_Treebank = TypeVar("_Treebank")
_Text = TypeVar("_Text")


def _open_sentences(
    path: Path,
    kind: str,
    treebank: Callable[[Path], _Treebank],
    text: Callable[[PeekableInput], _Text],
) -> _Treebank | _Text:
    """Open a file as a treebank or as text; see `word_reader`."""
    if kind == "conllu" or (kind == "auto" and is_treebank(path)):
        return treebank(path)
    source = PeekableInput(path)
    try:
        if kind == "auto" and input_kind(source) == "conllu":
            note(
                f"{display_name(path)}: looks like CoNLL-U, but is read as lines of text; the name "
                "of a treebank ends in .conllu"
            )
        return text(source)
    except BaseException:
        source.close()
        raise
