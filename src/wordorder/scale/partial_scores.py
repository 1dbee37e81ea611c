"""PartialScores: what the scores of some rows add to those of all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wordorder.errors import InputError, UsageError
from wordorder.metrics.accumulator import Accumulator
from wordorder.scoring.file_kind import Counts
from wordorder.scoring.systems import LISTED, Evaluation, RunningScores, SystemScores
from wordorder.segments.dropped import DroppedWords

WHERE = "partial scores"
VERSION = 1


@dataclass
class PartialSystem:
    """One system in some rows.

    Attributes
    ----------
    name : str
    accumulators : list of Accumulator
        One a metric.
    dropped_words : DroppedWords
    one_word : int
        As in `SystemScores`.
    """

    name: str
    accumulators: list[Accumulator]
    dropped_words: DroppedWords = field(default_factory=DroppedWords)
    one_word: int = 0


@dataclass
class PartialScores:
    """The scores of some rows; those of other rows can be merged into them, in any order.

    Attributes
    ----------
    systems : list of PartialSystem
    segments, skipped : int
    skipped_lines : list of int
        The first of them, in order; as in `Evaluation`.
    counts : sequence of (name, rows, rows without something)
        What was counted in the files.
    notes : list of (row, str)
        What is to be said, with the first row of the span that it was found in.
    """

    systems: list[PartialSystem]
    segments: int = 0
    skipped: int = 0
    skipped_lines: list[int] = field(default_factory=list)
    counts: Counts = ()
    notes: list[tuple[int, str]] = field(default_factory=list)

    @classmethod
    def of(
        cls, running: RunningScores, counts: Counts, notes: Sequence[tuple[int, str]]
    ) -> PartialScores:
        """Take what was added up."""
        systems = [
            PartialSystem(each.name, each.accumulators, each.dropped_words, each.one_word)
            for each in running.systems
        ]
        lines = running.skipped_lines[:LISTED]
        return cls(systems, running.segments, running.skipped, lines, counts, list(notes))

    def merge(self, other: PartialScores) -> None:
        """Add the scores of other rows.

        Raises
        ------
        UsageError
            If they are of other systems or metrics.
        """
        ours, theirs = ([each.name for each in part.systems] for part in (self, other))
        if ours != theirs:
            raise UsageError(f"cannot merge scores of {theirs} into those of {ours}")
        for mine, more in zip(self.systems, other.systems, strict=True):
            if len(mine.accumulators) != len(more.accumulators):
                raise UsageError("cannot merge scores of other metrics")
            for accumulator, further in zip(mine.accumulators, more.accumulators, strict=True):
                accumulator.merge(further)
            mine.dropped_words += more.dropped_words
            mine.one_word += more.one_word
        self.segments += other.segments
        self.skipped += other.skipped
        self.skipped_lines = sorted([*self.skipped_lines, *other.skipped_lines])[:LISTED]
        self.counts = [
            (name, rows + more, without + lacking)
            for (name, rows, without), (_, more, lacking) in zip(
                self.counts, other.counts, strict=True
            )
        ]
        self.notes = sorted([*self.notes, *other.notes], key=_row)

    def evaluation(self) -> Evaluation:
        """Return the scores, as `score_systems` does."""
        systems = tuple(
            SystemScores.of(each.name, each.accumulators, each.dropped_words, each.one_word)
            for each in self.systems
        )
        return Evaluation(self.segments, self.skipped, tuple(self.skipped_lines), systems)

    def to_bytes(self) -> bytes:
        """Return everything as one line of JSON: equal contents, equal bytes."""
        systems = [
            {
                "name": each.name,
                "metrics": [json.loads(a.to_bytes()) for a in each.accumulators],
                "dropped_words": [
                    *(each.dropped_words.system, each.dropped_words.system_words),
                    *(each.dropped_words.reference, each.dropped_words.reference_words),
                ],
                "one_word": each.one_word,
            }
            for each in self.systems
        ]
        return _dumped(
            {
                "wordorder": WHERE,
                "version": VERSION,
                "systems": systems,
                "segments": self.segments,
                "skipped": self.skipped,
                "skipped_lines": self.skipped_lines,
                "counts": self.counts,
                "notes": self.notes,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> PartialScores:
        """Read what `to_bytes` wrote; nothing in it is run.

        Raises
        ------
        InputError
            If it is anything else.
        """
        try:
            whole: dict[str, Any] = json.loads(data)
            if (whole["wordorder"], whole["version"]) != (WHERE, VERSION):
                raise ValueError
            return cls(
                [_system(each) for each in whole["systems"]],
                int(whole["segments"]),
                int(whole["skipped"]),
                [int(line) for line in whole["skipped_lines"]],
                [(str(name), int(rows), int(some)) for name, rows, some in whole["counts"]],
                [(int(row), str(text)) for row, text in whole["notes"]],
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(WHERE, "damaged, or of another version", "those of a span") from None


def _system(found: dict[str, Any]) -> PartialSystem:
    accumulators = [Accumulator.from_bytes(_dumped(each)) for each in found["metrics"]]
    dropped = DroppedWords(*map(int, found["dropped_words"]))
    return PartialSystem(str(found["name"]), accumulators, dropped, int(found["one_word"]))


def _dumped(content: object) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _row(found: tuple[int, str]) -> int:
    return found[0]
