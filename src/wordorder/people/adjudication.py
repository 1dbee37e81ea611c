"""Adjudication: a project in which one person decides where two annotators differ."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from wordorder.counts import counted, joined, percent
from wordorder.errors import UsageError
from wordorder.judgement.project_file import reading
from wordorder.notes import note
from wordorder.people.annotations import Annotation, annotated_sentences
from wordorder.people.items import Item
from wordorder.people.link_agreement import refined_links, refined_tokens
from wordorder.people.new_project import NewProject
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE
from wordorder.text.opening import Path

Answer = dict[str, Any]


def adjudication_project(path: Path, output: Path) -> Project:
    """Make a project from that of two annotators, or go on with it.

    Sentences on which both agree are finished in it. The others are drafts: links of both are
    confirmed, those of one alone are suggestions. A sentence that only one has finished, or that
    they translated differently, has the links of one as suggestions.

    Raises
    ------
    UsageError
        If not two annotators have finished sentences, or `output` was made from something else.
    """
    found: dict[str, list[Annotation]] = {}
    with reading(path) as connection:
        for each in annotated_sentences(connection):
            found.setdefault(each.rater, []).append(each)
        contents = [
            json.loads(row[0]) for row in connection.execute("SELECT content FROM item ORDER BY id")
        ]
    two = [rows for rows in found.values() if any(each.finished for each in rows)]
    if len(two) != 2:
        names = [rows[0].rater for rows in two]
        who = joined(names) if names else "nobody"
        raise UsageError(f"{os.fspath(path)}: sentences finished by {who}; two can be adjudicated")
    starts = [_start(*both) for both in zip(*two, strict=True)]
    items = [Item(line, content | {"suggestions": []}) for line, content in enumerate(contents, 1)]
    digest = hashlib.sha256(json.dumps([contents, starts]).encode()).hexdigest()
    project = Project.begin(output, NewProject(ANNOTATE, items, 1, options=f"adjudicated {digest}"))
    try:
        _fill(project, starts)
    except BaseException:
        project.close()
        raise
    agreed = sum(start is not None and "draft" not in start for start in starts)
    note(
        f"both agree on {agreed} of {counted(len(starts), 'sentence')} "
        f"({percent(agreed, len(starts))}); the others are shown"
    )
    return project


def _fill(project: Project, starts: list[Answer | None]) -> None:
    """Save what each sentence starts with, once."""
    rater = project.raters()[0]
    # By place: the keys of earlier versions, whose tasks had such names.
    for place, (task, start) in enumerate(zip(project.tasks(rater), starts, strict=True), 1):
        if start is not None:
            project.save(rater, task, f"start {place}", start)


def _start(first: Annotation, second: Annotation) -> Answer | None:
    """Return what a sentence starts with; None if nobody has finished it."""
    done = [each for each in (first, second) if each.finished]
    if not done:
        return None
    one, other = (_confirmed(each) for each in (done[0], done[-1]))
    same = all("".join(one[side]) == "".join(other[side]) for side in ("source", "target"))
    if len(done) == 1 or not same:
        return one | {"confirmed": [False] * len(one["links"]), "draft": True}
    source, target = (refined_tokens(one[side], other[side]) for side in ("source", "target"))
    ours, theirs = (refined_links(each, source, target) for each in (one, other))
    weak = set()
    for each in (one, other):
        possible = [link for link in each["links"] if link[2] == "possible"]
        weak |= refined_links(each | {"links": possible}, source, target)
    links = sorted(ours | theirs)
    start: Answer = {
        "source": list(source),
        "target": list(target),
        "links": [[s, t, "possible" if (s, t) in weak else "sure"] for s, t in links],
        "confirmed": [link in ours and link in theirs for link in links],
    }
    if not links:
        start["nothing"] = True
    return start if ours == theirs else start | {"draft": True}


def _confirmed(each: Annotation) -> Answer:
    """Return the tokens and the confirmed links of a sentence."""
    answer: Mapping[str, Any] = each.answer
    links = [[s, t, "possible" if weak else "sure"] for s, t, weak in each.links]
    return {"source": answer["source"], "target": answer["target"], "links": links}
