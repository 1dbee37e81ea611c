"""What annotators made: the tokens and links of each sentence, and alignments of a whole text."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, combinations
from typing import Any

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.lint import DEFAULT_ALLOWED, Finding, lint
from wordorder.alignment.reading import write_alignments
from wordorder.arrays import grouped
from wordorder.errors import InputError, UsageError
from wordorder.judgement.alignment_answers import checked_alignment, is_linked
from wordorder.judgement.project_file import project_signature, reading
from wordorder.messages import counted, joined, note, percent
from wordorder.order.permutation_tree import PermutationTree
from wordorder.order.reference import reference_orders
from wordorder.people.items import Item
from wordorder.people.plan import NewProject
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE
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
    """The sentences of one annotator, one per line of the source."""

    sentences: Sequence[Annotation]
    path: str

    def alignments(self) -> Alignments:
        """Return the links; a sentence that is not finished has none."""
        every = self.sentences
        links = [each.links if each.finished else [] for each in every]
        source = [len(each.answer["source"]) for each in every]
        target = [len(each.answer["target"]) if each.finished else 0 for each in every]
        return Alignments.from_rows(
            links, source_lengths=source, target_lengths=target, path=self.path
        )

    def write(self, output: Path, *, format: str) -> None:
        """Write the links, one line per sentence; notes say what is open or not confirmed."""
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
        empty = saved and not is_linked(answer)
        yield Annotation(rater, line, at, answer, bool(done), empty)


def _by_annotator(connection: sqlite3.Connection) -> dict[str, list[Annotation]]:
    return grouped((each.rater, each) for each in annotated_sentences(connection))


def active_annotators(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the annotators who have saved a sentence."""
    rows = connection.execute(
        "SELECT DISTINCT rater.name FROM last_answer JOIN task ON task.id = task "
        "JOIN rater ON rater.id = rater ORDER BY rater.id"
    )
    return [name for (name,) in rows]


def as_alignments(connection: sqlite3.Connection, path: str, rater: str | None = None) -> Annotated:
    """Return the sentences of one annotator: the one named, or the only one who has begun.

    Raises
    ------
    InputError
        If nobody has begun.
    UsageError
        If several have and none is named.
    """
    found = _by_annotator(connection)
    if rater is None:
        begun = active_annotators(connection)
        if not begun:
            raise InputError(path, "no alignment yet", "one or more")
        if len(begun) > 1:
            names = ", ".join(begun)
            raise UsageError(f"{path}: alignments of {names}; name one with --rater")
        rater = begun[0]
    return Annotated(found[rater], path)


def annotator_agreement(path: Path) -> dict[str, Any]:
    """Compare the confirmed links of each two annotators on the sentences that both finished.

    Returns
    -------
    dict
        ``signature``, and ``pairs``: for each two annotators ``first``, ``second``, ``sentences``,
        ``f1``, ``kappa``, ``not_compared``, ``words`` (source words with how often their links
        differ and how often they occur, the most doubtful first) and ``differences`` (sentences
        with the links of one alone).

    Raises
    ------
    InputError
        If it is no project, or fewer than two annotators have finished a sentence.
    """
    with reading(path) as connection:
        found = {
            name: [each.answer | _confirmed(each) if each.finished else None for each in rows]
            for name, rows in _by_annotator(connection).items()
        }
        signature = str(project_signature(connection))
    began = {name: rows for name, rows in found.items() if any(row is not None for row in rows)}
    if len(began) < 2:
        names = f"{joined(list(began))} alone" if began else "nobody"
        what = f"sentences finished by {names}"
        raise InputError(os.fspath(path), what, "two annotators or more")
    pairs = [
        {"first": one, "second": other, **_as_json(link_agreement(began[one], began[other]))}
        for one, other in combinations(began, 2)
    ]
    return {"signature": signature, "pairs": pairs}


def _as_json(found: LinkAgreement) -> dict[str, Any]:
    """Return it as JSON has it: lists, and of the words those whose links differ."""
    kept: dict[str, Any] = json.loads(json.dumps(asdict(found)))
    names = ("word", "differ", "of")
    kept["words"] = [dict(zip(names, row, strict=True)) for row in kept["words"] if row[1]]
    return kept


Link = tuple[int, int]


@dataclass(frozen=True)
class LinkDifference:
    """One sentence on which two annotators differ.

    Attributes
    ----------
    sentence : int
        From 1.
    source, target : tuple of str
        The tokens, cut wherever one of the two cut.
    only_first, only_second : tuple of (source position, target position)
    """

    sentence: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    only_first: tuple[Link, ...]
    only_second: tuple[Link, ...]


@dataclass(frozen=True)
class LinkAgreement:
    """What `link_agreement` found.

    Attributes
    ----------
    sentences : int
        How many were compared.
    f1 : float
        ``2 |A and B| / (|A| + |B|)`` over the links of all sentences; 1 if nobody linked anything.
    kappa : float
        Cohen's kappa of "linked" and "not linked" over all pairs of words; 1 if both always say
        the same.
    not_compared : tuple of int
        Sentences, from 1, whose translations differ: their links point to other words.
    words : tuple of (str, int, int)
        Source words with the number of times that their links differ and of all times they occur,
        the most doubtful first.
    differences : tuple of LinkDifference
    """

    sentences: int
    f1: float
    kappa: float
    not_compared: tuple[int, ...]
    words: tuple[tuple[str, int, int], ...]
    differences: tuple[LinkDifference, ...]


def link_agreement(
    first: Sequence[Mapping[str, Any] | None], second: Sequence[Mapping[str, Any] | None]
) -> LinkAgreement:
    """Compare the links that two annotators made in the same sentences.

    Sure and possible links count alike. Where one annotator split a token that the other left
    whole, both are compared on the smaller pieces: a link of the whole is one of each piece.

    Parameters
    ----------
    first, second : sequences of answers
        As `checked_alignment` returns them; None where an annotator has not been.

    Examples
    --------
    >>> words = {"source": ["a", "b"], "target": ["B", "A"]}
    >>> one = {**words, "links": [[0, 1, "sure"], [1, 0, "sure"]]}
    >>> other = {**words, "links": [[0, 1, "possible"], [1, 1, "sure"]]}
    >>> found = link_agreement([one], [other])
    >>> found.f1, round(found.kappa, 3), found.words
    (0.5, 0.0, (('b', 1, 1), ('a', 0, 1)))
    """
    both = neither = one_only = other_only = compared = 0
    doubtful: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    differences, not_compared = [], []
    for sentence, (one, other) in enumerate(zip(first, second, strict=True), 1):
        if one is None or other is None:
            continue
        if any("".join(one[side]) != "".join(other[side]) for side in ("source", "target")):
            not_compared.append(sentence)
            continue
        compared += 1
        source, target = (refined_tokens(one[side], other[side]) for side in ("source", "target"))
        ours, theirs = (refined_links(each, source, target) for each in (one, other))
        both += len(ours & theirs)
        one_only += len(ours - theirs)
        other_only += len(theirs - ours)
        neither += len(source) * len(target) - len(ours | theirs)
        seen.update(source)
        doubtful.update(source[s] for s in {s for s, _ in ours ^ theirs})
        if ours != theirs:
            missing, added = tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours))
            differences.append(LinkDifference(sentence, source, target, missing, added))
    links = 2 * both + one_only + other_only
    words = sorted(seen, key=lambda word: (-doubtful[word], word))
    return LinkAgreement(
        f1=2 * both / links if links else 1.0,
        kappa=_kappa(both, one_only, other_only, neither),
        sentences=compared,
        not_compared=tuple(not_compared),
        words=tuple((word, doubtful[word], seen[word]) for word in words),
        differences=tuple(differences),
    )


def _kappa(both: int, one_only: int, other_only: int, neither: int) -> float:
    """Return Cohen's kappa of a table of two by two."""
    cells = both + one_only + other_only + neither
    if not cells:
        return 1.0
    linked = (both + one_only) * (both + other_only)
    unlinked = (neither + other_only) * (neither + one_only)
    expected = linked + unlinked
    if expected == cells * cells:
        return 1.0
    return ((both + neither) * cells - expected) / (cells * cells - expected)


def refined_tokens(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens cut wherever one of two cuts the same letters."""
    text = "".join(one)
    ends = sorted({*accumulate(map(len, one)), *accumulate(map(len, other))})
    return tuple(text[start:end] for start, end in zip([0, *ends], ends, strict=False))


def refined_links(
    answer: Mapping[str, Any], source: Sequence[str], target: Sequence[str]
) -> set[Link]:
    """Return the links of an answer between the pieces of its tokens."""
    rows = _pieces(answer["source"], source)
    columns = _pieces(answer["target"], target)
    return {(s, t) for a, b, _ in answer["links"] for s in rows[a] for t in columns[b]}


def _pieces(tokens: Sequence[str], pieces: Sequence[str]) -> list[range]:
    """Return which pieces each token is cut into."""
    found, place = [], 0
    for token in tokens:
        start, length = place, 0
        while length < len(token):
            length += len(pieces[place])
            place += 1
        found.append(range(start, place))
    return found


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
    with reading(path) as connection:
        found = _by_annotator(connection)
        rows = connection.execute("SELECT content FROM item ORDER BY id")
        contents = [json.loads(content) for (content,) in rows]
    two = [rows for rows in found.values() if any(each.finished for each in rows)]
    if len(two) != 2:
        names = [rows[0].rater for rows in two]
        who = joined(names) if names else "nobody"
        raise UsageError(f"{os.fspath(path)}: sentences finished by {who}; two can be adjudicated")
    starts = [_start(*both) for both in zip(*two, strict=True)]
    items = [Item(line, content | {"suggestions": []}) for line, content in enumerate(contents, 1)]
    digest = hashlib.sha256(json.dumps([contents, starts]).encode()).hexdigest()
    new = NewProject(ANNOTATE, items, 1, options=f"adjudicated {digest}")
    with Project.begin(output, new).kept() as project:
        _fill(project, starts)
    agreed = sum(start is not None and "draft" not in start for start in starts)
    share = f"{counted(len(starts), 'sentence')} ({percent(agreed, len(starts))})"
    note(f"both agree on {agreed} of {share}; the others are shown")
    return project


def _fill(project: Project, starts: list[Answer | None]) -> None:
    """Save what each sentence starts with, once."""
    rater = project.raters()[0]
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


# Longer sentences get no pictures: nobody can read them, and each key would draw them again.
DRAWN = 80


def check_alignment(
    answer: Any, content: dict[str, Any], *, allowed: Collection[str] = DEFAULT_ALLOWED
) -> dict[str, Any]:
    """Check one alignment against the guideline of annotation for reordering.

    Only articles and punctuation stay unaligned, every target word has a source, and the target
    words of one source word are adjacent (Talbot et al. 2011, section 3.1). Suggestions that
    nobody confirmed count as links.

    Parameters
    ----------
    answer : dict
        As `checked_alignment` takes it; it need not be complete.
    content : dict
        The ``source`` and ``target`` that were given.
    allowed : collection of str
        Source words that may stay unaligned, whatever their case.

    Returns
    -------
    dict
        ``faults``: a list with ``side``, ``position``, ``kind`` and a sentence, ``message``;
        ``order``: the groups of source positions in target order, words of a group tie;
        ``order_svg``, ``tree_svg``: pictures of the order and of its permutation tree, None
        without words and beyond 80 of them.

    Raises
    ------
    InputError
        If the answer is no alignment of these words.

    Examples
    --------
    >>> words = {"source": ["she", "sleeps"], "target": ["dort", "elle"]}
    >>> found = check_alignment({**words, "links": [[0, 1, "sure"]]}, words)
    >>> [(each["side"], each["position"], each["kind"]) for each in found["faults"]]
    [('source', 1, 'unaligned'), ('target', 0, 'unaligned')]
    >>> found["faults"][0]["message"]
    '“sleeps” has no link: every word but articles and punctuation needs one'
    >>> found["order"]
    [[0], [1]]
    """
    kept = checked_alignment(answer, content)
    source, target = kept["source"], kept["target"]
    links = [(s, t, kind == "possible") for s, t, kind in kept["links"]]
    lengths: dict[str, Any] = {"source_lengths": [len(source)], "target_lengths": [len(target)]}
    alignments = Alignments.from_rows([links], **lengths)
    report = lint(alignments, [source], targets=[target], allowed=allowed)
    order = reference_orders(alignments, [len(source)])[0]
    places, drawn = list(order.positions), 0 < len(source) <= DRAWN
    typed = content["target"] is None
    faults: list[tuple[str, str, Finding, str]] = []
    for sentence in report.findings:
        faults += [("source", "unaligned", f, _unaligned(f)) for f in sentence.unaligned]
        unlinked = sentence.unaligned_target
        faults += [("target", "unaligned", f, _without_source(f, typed)) for f in unlinked]
        gaps = sentence.non_contiguous
        faults += [("source", "non-contiguous", f, _with_gap(f, target)) for f in gaps]
    return {
        "faults": [
            {"side": side, "position": each.position, "kind": kind, "message": message}
            for side, kind, each, message in faults
        ],
        "order": [list(group) for group in order.groups],
        "order_svg": order.to_svg(source) if drawn else None,
        "tree_svg": PermutationTree(places).to_svg([source[n] for n in places]) if drawn else None,
    }


def _unaligned(finding: Finding) -> str:
    return f"“{finding.word}” has no link: every word but articles and punctuation needs one"


def _without_source(finding: Finding, typed: bool) -> str:
    """Say what to do; the annotator can change a translation that he types alone."""
    other = "leave it out of the translation" if typed else "save the sentence if it has none"
    return f"“{finding.word}” has no source word: link it, or {other}"


def _with_gap(finding: Finding, target: list[str]) -> str:
    """Say which words between the linked ones belong to another word, or to none."""
    linked = set(finding.targets)
    inside = sorted({*range(min(linked), max(linked))} - linked)
    between = [f"“{target[position]}”" for position in inside]
    shown = ", ".join(between[:3]) + (", …" if len(between) > 3 else "")
    return f"the translation of “{finding.word}” has a gap: {shown} inside it is not linked to it"
