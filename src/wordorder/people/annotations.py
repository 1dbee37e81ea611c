"""What annotators made: the tokens and links of each sentence, and alignments of a whole text."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.writing import write_alignments
from wordorder.counts import counted, percent
from wordorder.errors import InputError, UsageError
from wordorder.judgement.project_file import finishes, is_linked
from wordorder.notes import note
from wordorder.text.opening import Path


@dataclass(frozen=True)
class Annotation:
    """A sentence of one annotator.

    Attributes
    ----------
    rater : str
    line : int
        From 1.
    at : float or None
        When it was saved last; None if the annotator has not begun it.
    answer : dict
        ``source``, ``target`` and ``links``, as `checked_alignment` keeps them.
    finished : bool
        It is linked, or the annotator has said that there is nothing to align.
    empty : bool
        It was saved as done without a link.
    """

    rater: str
    line: int
    at: float | None
    answer: dict[str, Any]
    finished: bool
    empty: bool = False

    @property
    def links(self) -> list[tuple[int, int, bool]]:
        """The confirmed links: source, target, and whether it is possible only."""
        links = self.answer["links"]
        confirmed = self.answer.get("confirmed", [True] * len(links))
        return sorted(
            (s, t, kind == "possible")
            for (s, t, kind), sure in zip(links, confirmed, strict=True)
            if sure
        )


@dataclass(frozen=True)
class Annotated:
    """The sentences of one annotator, one a line of the source."""

    sentences: Sequence[Annotation]
    path: str

    def alignments(self) -> Alignments:
        """Return the links; a sentence that is not finished has none."""
        done = [each if each.finished else None for each in self.sentences]
        return Alignments.from_rows(
            [[] if each is None else each.links for each in done],
            source_lengths=[len(each.answer["source"]) for each in self.sentences],
            target_lengths=[0 if each is None else len(each.answer["target"]) for each in done],
            path=self.path,
        )

    def write(self, output: Path, *, format: str) -> None:
        """Write the links, a line a sentence; notes say what is empty, open or not confirmed."""
        open_ = sum(not each.finished and not each.empty for each in self.sentences)
        if open_:
            share = percent(open_, len(self.sentences))
            what = f"{counted(open_, 'sentence')} of {len(self.sentences)} ({share})"
            note(f"{self.path}: {what} not finished: an empty line each")
        note_empty(self.path, self.sentences)
        links = sum(len(each.answer["links"]) for each in self.sentences if each.finished)
        left = links - sum(len(each.links) for each in self.sentences if each.finished)
        if left:
            what = f"left out {counted(left, 'suggested link')} of {links} ({percent(left, links)})"
            note(f"{self.path}: {what}: not confirmed")
        write_alignments(self.alignments(), output, format=format)


def note_empty(path: str, sentences: Sequence[Annotation]) -> None:
    """Note how many sentences have no link though they were saved as done."""
    total = len(sentences)
    for finished, why in (
        (True, "empty: nothing to align, as the annotator confirmed"),
        (False, "saved as done without a link, and not confirmed as empty: not finished"),
    ):
        count = sum(each.empty and each.finished == finished for each in sentences)
        if count:
            note(f"{path}: {counted(count, 'sentence')} of {total} ({percent(count, total)}) {why}")


def annotated_sentences(connection: sqlite3.Connection) -> Iterator[Annotation]:
    """Yield the sentences of each annotator as they are now, by annotator and line."""
    rows = connection.execute(
        "SELECT rater.name, line, at, content, value, done FROM task JOIN item ON item.id = item "
        "JOIN rater ON rater.id = rater LEFT JOIN last_answer ON last_answer.task = task.id "
        "ORDER BY rater.id, place"
    )
    for rater, line, at, content, value, done in rows:
        given = json.loads(content)
        nothing = {"source": given["source"], "target": given["target"] or [], "links": []}
        answer = nothing if value is None else json.loads(value)
        saved = value is not None and not answer.get("draft")
        yield Annotation(
            *(rater, line, at, answer, bool(done) and finishes(answer)),
            empty=saved and not is_linked(answer),
        )


def as_alignments(connection: sqlite3.Connection, path: str, rater: str | None = None) -> Annotated:
    """Return the sentences of one annotator: the one named, or the only one who has begun.

    Raises
    ------
    InputError
        If nobody has begun.
    UsageError
        If several have and none is named.
    """
    found: dict[str, list[Annotation]] = {}
    for each in annotated_sentences(connection):
        found.setdefault(each.rater, []).append(each)
    if rater is None:
        begun = [name for name, rows in found.items() if any(row.at is not None for row in rows)]
        if not begun:
            raise InputError(path, "no alignment yet", "one or more")
        if len(begun) > 1:
            names = ", ".join(begun)
            raise UsageError(f"{path}: alignments of {names}; name one with --rater")
        rater = begun[0]
    return Annotated(found[rater], path)
