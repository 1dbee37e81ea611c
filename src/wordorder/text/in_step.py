"""Files of lines, or of words in treebanks, read side by side in step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from wordorder.errors import InputError
from wordorder.kernels._run import read_ahead
from wordorder.notes import note
from wordorder.text.blocks import Deferring, Later
from wordorder.text.lines import PeekableInput, TextReader, input_kind, line_count_mismatch
from wordorder.text.names import is_treebank
from wordorder.text.opening import Path, display_name

if TYPE_CHECKING:
    from wordorder.text.conllu_lines import ConlluWordReader

# Lines that are read of each file at a time: what is made of them stays in the cache.
CHUNK = 1 << 13
Rows = TypeVar("Rows", bound=Sized)


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
        for part in parts:
            deque(part, maxlen=0)
        raise mismatch(sources)


def _parts(source: RowSource) -> Iterator[Later[Any]]:
    """Yield the rows of a source; where reading is parsing, a thread of its own does it ahead."""
    if isinstance(source, Deferring):
        return _until_empty(source.begin)
    return read_ahead(_until_empty(lambda lines: _parsed(source.take(lines))))


def _until_empty(take: Callable[[int], Later[Any]]) -> Iterator[Later[Any]]:
    while len(part := take(CHUNK)):
        yield part


def _parsed(rows: Any) -> Later[Any]:
    return Later(len(rows), lambda: rows)


def mismatch(sources: Sequence[RowSource]) -> InputError:
    """Read all files to their end, and build the error that names two of them with their counts."""
    for source in sources:
        while len(source.take(CHUNK)):
            pass
    first = sources[0]
    other = next(source for source in sources if source.lines != first.lines)
    row = next((source.rows for source in sources if hasattr(source, "rows")), "line")
    return line_count_mismatch(first.name, first.lines, other.name, other.lines, row)


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
    if kind == "conllu" or (kind == "auto" and is_treebank(path)):
        from wordorder.text.conllu_lines import ConlluWordReader

        return ConlluWordReader(path)
    source = PeekableInput(path)
    try:
        if kind == "auto" and input_kind(source) == "conllu":
            note(
                f"{display_name(path)}: looks like CoNLL-U, but is read as lines of text; the name "
                "of a treebank ends in .conllu"
            )
        return TextReader(source)
    except BaseException:
        source.close()
        raise
