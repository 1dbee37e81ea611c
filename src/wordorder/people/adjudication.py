"""A project in which a third person settles the sentences on which two annotators differ."""

from __future__ import annotations

import hashlib
import json
import os

from wordorder.errors import UsageError
from wordorder.judgement.project_file import open_readonly
from wordorder.messages import counted, joined, percent
from wordorder.notes import note
from wordorder.people.annotations import (
    Annotation,
    Answer,
    confirmed_answer,
    sentences_by_annotator,
)
from wordorder.people.annotator_agreement import refined_links, refined_tokens
from wordorder.people.contents import NewProject
from wordorder.people.items import Item
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE
from wordorder.text.opening import Path


def adjudication_project(path: Path, output: Path) -> Project:
    """Create a project that settles the differences of two annotators, or continue it.

    Sentences on which both agree are finished. The others are drafts: links of both are
    confirmed, links of only one are suggestions. A sentence that only one has finished, or that
    they translated differently, has the links of one as suggestions.

    Raises
    ------
    UsageError
        If the number of annotators with finished sentences is not two, or `output` was made from
        another project.
    """
    with open_readonly(path) as connection:
        annotations = sentences_by_annotator(connection)
        rows = connection.execute("SELECT content FROM item ORDER BY id")
        contents = [json.loads(content) for (content,) in rows]
    finished = [
        rows for rows in annotations.values() if any(annotation.finished for annotation in rows)
    ]
    if len(finished) != 2:
        names = [rows[0].rater for rows in finished]
        finishers = joined(names) if names else "nobody"
        raise UsageError(
            f"{os.fspath(path)}: sentences finished by {finishers}; two can be adjudicated"
        )
    starts = [_starting_answer(*pair) for pair in zip(*finished, strict=True)]
    items = [Item(line, content | {"suggestions": []}) for line, content in enumerate(contents, 1)]
    digest = hashlib.sha256(json.dumps([contents, starts]).encode()).hexdigest()
    new = NewProject(ANNOTATE, items, 1, options=f"adjudicated {digest}")
    with Project.begin(output, new).closing_on_error() as project:
        _save_starts(project, starts)
    agreed = sum(start is not None and "draft" not in start for start in starts)
    share = f"{counted(len(starts), 'sentence')} ({percent(agreed, len(starts))})"
    note(f"both agree on {agreed} of {share}; the others are shown")
    return project


def _save_starts(project: Project, starts: list[Answer | None]) -> None:
    """Save the starting answer of each sentence, if it has not been saved before."""
    rater = project.raters()[0]
    for number, (task, start) in enumerate(zip(project.tasks(rater), starts, strict=True), 1):
        if start is not None:
            project.save(rater, task, f"start {number}", start)


def _starting_answer(first: Annotation, second: Annotation) -> Answer | None:
    """Return the starting answer of a sentence; None if neither annotator finished it."""
    finished = [annotation for annotation in (first, second) if annotation.finished]
    if not finished:
        return None
    first_answer, second_answer = (
        confirmed_answer(annotation) for annotation in (finished[0], finished[-1])
    )
    same_words = all(
        "".join(first_answer[side]) == "".join(second_answer[side]) for side in ("source", "target")
    )
    if len(finished) == 1 or not same_words:
        return first_answer | {"confirmed": [False] * len(first_answer["links"]), "draft": True}
    source, target = (
        refined_tokens(first_answer[side], second_answer[side]) for side in ("source", "target")
    )
    first_links, second_links = (
        refined_links(answer, source, target) for answer in (first_answer, second_answer)
    )
    possible_links = set()
    for answer in (first_answer, second_answer):
        possible = [link for link in answer["links"] if link[2] == "possible"]
        possible_links |= refined_links(answer | {"links": possible}, source, target)
    links = sorted(first_links | second_links)
    start: Answer = {
        "source": list(source),
        "target": list(target),
        "links": [[s, t, "possible" if (s, t) in possible_links else "sure"] for s, t in links],
        "confirmed": [link in first_links and link in second_links for link in links],
    }
    if not links:
        start["nothing"] = True
    return start if first_links == second_links else start | {"draft": True}
