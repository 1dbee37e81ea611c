"""Sentences that annotators aligned, and the alignments of a text as one annotator made them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import write_alignments
from wordorder.arrays import group_rows
from wordorder.errors import InputError, UsageError
from wordorder.judgement.alignment_answers import is_linked
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.text.opening import Path

# `source`, `target` and `links` of a sentence, as `checked_alignment` returns them.
Answer = dict[str, Any]


@dataclass(frozen=True)
class Annotation:
    """A sentence of one annotator.

    Attributes
    ----------
    rater : str
    line : int
        From 1.
    saved_at : float or None
        Time of the last save, in seconds since 1970; None if the annotator has not started it.
    answer : dict
        ``source``, ``target`` and ``links``, as `checked_alignment` returns them.
    finished : bool
        The sentence has a link, or the annotator confirmed that there is nothing to align.
    saved_without_link : bool
        The sentence was saved as done without a link.
    """

    rater: str
    line: int
    saved_at: float | None
    answer: dict[str, Any]
    finished: bool
    saved_without_link: bool = False

    @property
    def links(self) -> list[tuple[int, int, bool]]:
        """The confirmed links: source position, target position, whether it is possible only."""
        links = self.answer["links"]
        confirmed = self.answer.get("confirmed", [True] * len(links))
        return sorted(
            (s, t, kind == "possible")
            for (s, t, kind), is_confirmed in zip(links, confirmed, strict=True)
            if is_confirmed
        )


@dataclass(frozen=True)
class AnnotatorSentences:
    """The sentences of one annotator, one per line of the source."""

    sentences: Sequence[Annotation]
    path: str

    def alignments(self) -> Alignments:
        """Return the links; a sentence that is not finished has none."""
        sentences = self.sentences
        links = [annotation.links if annotation.finished else [] for annotation in sentences]
        source_lengths = [len(annotation.answer["source"]) for annotation in sentences]
        target_lengths = [
            len(annotation.answer["target"]) if annotation.finished else 0
            for annotation in sentences
        ]
        return Alignments.from_rows(
            links, source_lengths=source_lengths, target_lengths=target_lengths, path=self.path
        )

    def write(self, output: Path, *, format: str) -> None:
        """Write the links, one line per sentence; note open sentences and unconfirmed links."""
        unfinished = sum(
            not annotation.finished and not annotation.saved_without_link
            for annotation in self.sentences
        )
        if unfinished:
            percentage = percent(unfinished, len(self.sentences))
            unfinished_text = (
                f"{counted(unfinished, 'sentence')} of {len(self.sentences)} ({percentage})"
            )
            note(f"{self.path}: {unfinished_text} not finished: an empty line each")
        note_empty(self.path, self.sentences)
        link_count = sum(
            len(annotation.answer["links"]) for annotation in self.sentences if annotation.finished
        )
        unconfirmed = link_count - sum(
            len(annotation.links) for annotation in self.sentences if annotation.finished
        )
        if unconfirmed:
            share = percent(unconfirmed, link_count)
            omitted_text = (
                f"left out {counted(unconfirmed, 'suggested link')} of {link_count} ({share})"
            )
            note(f"{self.path}: {omitted_text}: not confirmed")
        write_alignments(self.alignments(), output, format=format)


def note_empty(path: str, sentences: Sequence[Annotation]) -> None:
    """Note how many sentences were saved as done without a link."""
    total = len(sentences)
    for finished, why in (
        (True, "empty: nothing to align, as the annotator confirmed"),
        (False, "saved as done without a link, and not confirmed as empty: not finished"),
    ):
        count = sum(
            annotation.saved_without_link and annotation.finished == finished
            for annotation in sentences
        )
        if count:
            note(f"{path}: {counted(count, 'sentence')} of {total} ({percent(count, total)}) {why}")


def annotated_sentences(connection: sqlite3.Connection) -> Iterator[Annotation]:
    """Yield the current answer of each annotator to each sentence, by annotator and line."""
    rows = connection.execute(
        "SELECT rater.name, line, at, content, value, done FROM task JOIN item ON item.id = item "
        "JOIN rater ON rater.id = rater LEFT JOIN last_answer ON last_answer.task = task.id "
        "ORDER BY rater.id, place"
    )
    for rater, line, saved_at, content, value, done in rows:
        item_content = json.loads(content)
        no_answer = {
            "source": item_content["source"],
            "target": item_content["target"] or [],
            "links": [],
        }
        answer = no_answer if value is None else json.loads(value)
        saved = value is not None and not answer.get("draft")
        saved_without_link = saved and not is_linked(answer)
        yield Annotation(rater, line, saved_at, answer, bool(done), saved_without_link)


def sentences_by_annotator(connection: sqlite3.Connection) -> dict[str, list[Annotation]]:
    """Return the sentences of each annotator, by name."""
    return group_rows(
        (annotation.rater, annotation) for annotation in annotated_sentences(connection)
    )


def active_annotators(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the annotators who have saved a sentence."""
    rows = connection.execute(
        "SELECT DISTINCT rater.name FROM last_answer JOIN task ON task.id = task "
        "JOIN rater ON rater.id = rater ORDER BY rater.id"
    )
    return [name for (name,) in rows]


def sentences_of_annotator(
    connection: sqlite3.Connection, path: str, rater: str | None = None
) -> AnnotatorSentences:
    """Return the sentences of one annotator: the one named, or the only one who has started.

    Raises
    ------
    InputError
        If no annotator has saved a sentence.
    UsageError
        If several have, and `rater` is None.
    """
    annotations = sentences_by_annotator(connection)
    if rater is None:
        active = active_annotators(connection)
        if not active:
            raise InputError(path, "no alignment yet", "one or more")
        if len(active) > 1:
            names = ", ".join(active)
            raise UsageError(f"{path}: alignments of {names}; name one with --rater")
        rater = active[0]
    return AnnotatorSentences(annotations[rater], path)


def confirmed_answer(annotation: Annotation) -> Answer:
    """Return the tokens and the confirmed links of a sentence."""
    answer: Mapping[str, Any] = annotation.answer
    links = [
        [s, t, "possible" if is_possible else "sure"] for s, t, is_possible in annotation.links
    ]
    return {"source": answer["source"], "target": answer["target"], "links": links}
