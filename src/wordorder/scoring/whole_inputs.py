"""Files that are read as a whole and not piece by piece, so that their segments can be kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from wordorder.alignment.alignments import Alignments
from wordorder.scoring.file_kind import Inputs, Make
from wordorder.segments import Segments
from wordorder.text.in_step import CHUNK, RowSource
from wordorder.text.raw_lines import RawLines

Seen = TypeVar("Seen")


class WholeInputs(Generic[Seen]):
    """Reads files of translations at once, and looks at the segments of each system.

    The words of all systems have one vocabulary then.

    Parameters
    ----------
    look : callable
        Given the segments of a system before they are scored, returns what is kept of them. Called
        on several threads.
    """

    def __init__(self, look: Callable[[Segments], Seen]) -> None:
        self._look = look
        self._seen: dict[int, Seen] = {}
        self._makers: Callable[[Sequence[Any], int], list[Make]] = lambda parts, before: []
        self._nothing: Callable[[], list[Any]] = list

    def opened(self, inputs: Inputs) -> Inputs:
        """Return inputs that are read as a whole and looked at."""
        self._makers = inputs.segments
        self._nothing = lambda: [source.take(0) for source in inputs.sources]
        sources = [_WholeSource(source) for source in inputs.sources]
        return replace(inputs, sources=sources, segments=self._watched)

    @property
    def seen(self) -> list[Seen]:
        """What was kept of each system; of no segments where the files are empty."""
        if not self._seen:
            for make in self._watched(self._nothing(), 0):
                make()
        return [self._seen[number] for number in range(len(self._seen))]

    def _watched(self, parts: Sequence[Any], before: int) -> list[Make]:
        """Return what makes the segments of each system and looks at them."""

        def watched(number: int, make: Make) -> Make:
            def made() -> Segments:
                segments = make()
                self._seen[number] = self._look(segments)
                return segments

            return made

        return [watched(*each) for each in enumerate(self._makers(parts, before))]


class _WholeSource:
    """A source of lines or alignments that gives all of them at the first call."""

    def __init__(self, source: RowSource) -> None:
        self._source = source
        if hasattr(source, "rows"):
            self.rows = source.rows

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._source.name

    @property
    def lines(self) -> int:
        """Rows read so far."""
        return self._source.lines

    def take(self, lines: int) -> Any:
        """Return all rows that are left."""
        parts = [self._source.take(CHUNK)]
        while len(parts[-1]):
            parts.append(self._source.take(CHUNK))
        if len(parts) < 3:
            return parts[0]
        kind = Alignments if isinstance(parts[0], Alignments) else RawLines
        return kind.concatenate(parts[:-1])
