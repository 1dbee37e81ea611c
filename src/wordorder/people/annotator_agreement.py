"""Agreement of the links of two annotators."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Any

from wordorder.errors import InputError
from wordorder.judgement.project_file import open_readonly, project_signature
from wordorder.messages import joined
from wordorder.people.annotations import confirmed_answer, sentences_by_annotator
from wordorder.records import Record, key
from wordorder.text.opening import Path

Link = tuple[int, int]


@dataclass(frozen=True)
class DoubtfulWord(Record):
    """A source word whose links differ."""

    word: str = key("the word", heading="word")
    differ: int = key("occurrences whose links differ", heading="links differ")
    of: int = key("all occurrences", heading="occurrences")


@dataclass(frozen=True)
class LinkDifference(Record):
    """One sentence on which two annotators differ."""

    sentence: int = key("its number, from 1")
    source: tuple[str, ...] = key(
        "the source words, split wherever one of the two annotators split them"
    )
    target: tuple[str, ...] = key("the target words, split in the same way")
    only_first: tuple[Link, ...] = key(
        "links of the first annotator alone: source position and target position, from 0"
    )
    only_second: tuple[Link, ...] = key("links of the second alone")


@dataclass(frozen=True)
class LinkAgreement(Record):
    """The agreement of two annotators."""

    first: str = key("one annotator", heading="first")
    second: str = key("another", heading="second")
    sentences: int = key("sentences that both have finished", heading="sentences")
    f1: float = key(
        "2 |A and B| / (|A| + |B|) over the links of all sentences; 1 without any link",
        heading="F1",
    )
    kappa: float = key(
        "Cohen's kappa of linked and not linked over all pairs of words; 1 if both always agree",
        heading="kappa",
    )
    not_compared: tuple[int, ...] = key(
        "sentences, from 1, whose translations differ: their links point to other words",
        column=False,
    )
    words: tuple[DoubtfulWord, ...] = key("source words whose links differ, most differences first")
    differences: tuple[LinkDifference, ...] = key("sentences whose links differ")


@dataclass(frozen=True)
class AnnotatorAgreement(Record, rows="pairs"):
    """The agreement of the annotators of a project."""

    signature: str = key("how the project collects alignments")
    pairs: tuple[LinkAgreement, ...] = key("each pair of annotators")


def annotator_agreement(path: Path) -> AnnotatorAgreement:
    """Compare the confirmed links of each pair of annotators on the sentences that both finished.

    Raises
    ------
    InputError
        If the file is not a project, or fewer than two annotators have finished a sentence.
    """
    with open_readonly(path) as connection:
        answers_by_name = {
            name: [
                annotation.answer | confirmed_answer(annotation) if annotation.finished else None
                for annotation in rows
            ]
            for name, rows in sentences_by_annotator(connection).items()
        }
        signature = str(project_signature(connection))
    answered = {
        name: rows for name, rows in answers_by_name.items() if any(row is not None for row in rows)
    }
    if len(answered) < 2:
        names = f"{joined(list(answered))} alone" if answered else "nobody"
        problem = f"sentences finished by {names}"
        raise InputError(os.fspath(path), problem, "two annotators or more")
    pairs = [
        link_agreement(answered[first], answered[second], names=(first, second))
        for first, second in combinations(answered, 2)
    ]
    return AnnotatorAgreement(signature, tuple(pairs))


def link_agreement(
    first: Sequence[Mapping[str, Any] | None],
    second: Sequence[Mapping[str, Any] | None],
    *,
    names: tuple[str, str] = ("first", "second"),
) -> LinkAgreement:
    """Compare the links of two annotators in the same sentences.

    Sure and possible links count alike. Where only one annotator split a token, both are
    compared on the smaller pieces: a link of the token counts as a link of each piece.

    Parameters
    ----------
    first, second : sequences of answers
        As `checked_alignment` returns them; None where the annotator has not finished.
    names : tuple of str
        The names of the two.

    Examples
    --------
    >>> words = {"source": ["a", "b"], "target": ["B", "A"]}
    >>> one = {**words, "links": [[0, 1, "sure"], [1, 0, "sure"]]}
    >>> other = {**words, "links": [[0, 1, "possible"], [1, 1, "sure"]]}
    >>> pair = link_agreement([one], [other])
    >>> pair.f1, round(pair.kappa, 3), pair.words
    (0.5, 0.0, (DoubtfulWord(word='b', differ=1, of=1),))
    """
    both = neither = first_only = second_only = compared = 0
    doubtful: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    differences, not_compared = [], []
    for sentence, (first_answer, second_answer) in enumerate(zip(first, second, strict=True), 1):
        if first_answer is None or second_answer is None:
            continue
        if any(
            "".join(first_answer[side]) != "".join(second_answer[side])
            for side in ("source", "target")
        ):
            not_compared.append(sentence)
            continue
        compared += 1
        source, target = (
            refined_tokens(first_answer[side], second_answer[side]) for side in ("source", "target")
        )
        first_links, second_links = (
            refined_links(answer, source, target) for answer in (first_answer, second_answer)
        )
        both += len(first_links & second_links)
        first_only += len(first_links - second_links)
        second_only += len(second_links - first_links)
        neither += len(source) * len(target) - len(first_links | second_links)
        occurrences.update(source)
        doubtful.update(source[s] for s in {s for s, _ in first_links ^ second_links})
        if first_links != second_links:
            only_first, only_second = (
                tuple(sorted(first_links - second_links)),
                tuple(sorted(second_links - first_links)),
            )
            differences.append(LinkDifference(sentence, source, target, only_first, only_second))
    links = 2 * both + first_only + second_only
    words = sorted(+doubtful, key=lambda word: (-doubtful[word], word))
    return LinkAgreement(
        first=names[0],
        second=names[1],
        f1=2 * both / links if links else 1.0,
        kappa=_kappa(both, first_only, second_only, neither),
        sentences=compared,
        not_compared=tuple(not_compared),
        words=tuple(DoubtfulWord(word, doubtful[word], occurrences[word]) for word in words),
        differences=tuple(differences),
    )


def _kappa(both: int, first_only: int, second_only: int, neither: int) -> float:
    """Return Cohen's kappa of a 2 × 2 table of counts."""
    cells = both + first_only + second_only + neither
    if not cells:
        return 1.0
    linked = (both + first_only) * (both + second_only)
    unlinked = (neither + second_only) * (neither + first_only)
    expected = linked + unlinked
    if expected == cells * cells:
        return 1.0
    return ((both + neither) * cells - expected) / (cells * cells - expected)


def refined_tokens(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens split wherever one of two tokenisations of the same text splits."""
    text = "".join(first)
    ends = sorted({*accumulate(map(len, first)), *accumulate(map(len, second))})
    return tuple(text[start:end] for start, end in zip([0, *ends], ends, strict=False))


def refined_links(
    answer: Mapping[str, Any], source: Sequence[str], target: Sequence[str]
) -> set[Link]:
    """Return the links of an answer, between the pieces of its tokens."""
    rows = _piece_ranges(answer["source"], source)
    columns = _piece_ranges(answer["target"], target)
    return {(s, t) for a, b, _ in answer["links"] for s in rows[a] for t in columns[b]}


def _piece_ranges(tokens: Sequence[str], pieces: Sequence[str]) -> list[range]:
    """Return the range of pieces that each token consists of."""
    ranges, index = [], 0
    for token in tokens:
        start, length = index, 0
        while length < len(token):
            length += len(pieces[index])
            index += 1
        ranges.append(range(start, index))
    return ranges
