"""Agreement of the links of two annotators."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, combinations
from typing import Any

from wordorder.errors import InputError
from wordorder.judgement.project_file import project_signature, reading
from wordorder.messages import joined
from wordorder.people.annotations import confirmed_answer, sentences_by_annotator
from wordorder.text.opening import Path


def annotator_agreement(path: Path) -> dict[str, Any]:
    """Compare the confirmed links of each pair of annotators on the sentences that both finished.

    Returns
    -------
    dict
        ``signature``, and ``pairs``: for each pair of annotators ``first``, ``second``,
        ``sentences``, ``f1``, ``kappa``, ``not_compared``, ``words`` (source words with the number
        of occurrences whose links differ and the number of all occurrences, most differences first)
        and ``differences`` (sentences with the links of only one annotator).

    Raises
    ------
    InputError
        If the file is not a project, or fewer than two annotators have finished a sentence.
    """
    with reading(path) as connection:
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
        {
            "first": first_name,
            "second": second_name,
            **agreement_to_json(link_agreement(answered[first_name], answered[second_name])),
        }
        for first_name, second_name in combinations(answered, 2)
    ]
    return {"signature": signature, "pairs": pairs}


def agreement_to_json(result: LinkAgreement) -> dict[str, Any]:
    """Return the result as JSON data; `words` has only those whose links differ."""
    data: dict[str, Any] = json.loads(json.dumps(asdict(result)))
    names = ("word", "differ", "of")
    data["words"] = [dict(zip(names, row, strict=True)) for row in data["words"] if row[1]]
    return data


Link = tuple[int, int]


@dataclass(frozen=True)
class LinkDifference:
    """One sentence on which two annotators differ.

    Attributes
    ----------
    sentence : int
        From 1.
    source, target : tuple of str
        The tokens, split wherever one of the two annotators split them.
    only_first, only_second : tuple of (source position, target position)
    """

    sentence: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    only_first: tuple[Link, ...]
    only_second: tuple[Link, ...]


@dataclass(frozen=True)
class LinkAgreement:
    """The result of `link_agreement`.

    Attributes
    ----------
    sentences : int
        The number of sentences compared.
    f1 : float
        ``2 |A and B| / (|A| + |B|)`` over the links of all sentences; 1 if there is no link.
    kappa : float
        Cohen's kappa of "linked" and "not linked" over all pairs of words; 1 if the two
        always agree.
    not_compared : tuple of int
        Sentences, from 1, whose translations differ: their links point to other words.
    words : tuple of (str, int, int)
        Source words with the number of occurrences whose links differ and the number of all
        occurrences, most differences first.
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
    """Compare the links of two annotators in the same sentences.

    Sure and possible links count alike. Where only one annotator split a token, both are
    compared on the smaller pieces: a link of the token counts as a link of each piece.

    Parameters
    ----------
    first, second : sequences of answers
        As `checked_alignment` returns them; None where the annotator has not finished.

    Examples
    --------
    >>> words = {"source": ["a", "b"], "target": ["B", "A"]}
    >>> one = {**words, "links": [[0, 1, "sure"], [1, 0, "sure"]]}
    >>> other = {**words, "links": [[0, 1, "possible"], [1, 1, "sure"]]}
    >>> found = link_agreement([one], [other])
    >>> found.f1, round(found.kappa, 3), found.words
    (0.5, 0.0, (('b', 1, 1), ('a', 0, 1)))
    """
    both = neither = first_only = second_only = compared = 0
    doubtful: Counter[str] = Counter()
    seen: Counter[str] = Counter()
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
        seen.update(source)
        doubtful.update(source[s] for s in {s for s, _ in first_links ^ second_links})
        if first_links != second_links:
            missing, added = (
                tuple(sorted(first_links - second_links)),
                tuple(sorted(second_links - first_links)),
            )
            differences.append(LinkDifference(sentence, source, target, missing, added))
    links = 2 * both + first_only + second_only
    words = sorted(seen, key=lambda word: (-doubtful[word], word))
    return LinkAgreement(
        f1=2 * both / links if links else 1.0,
        kappa=_kappa(both, first_only, second_only, neither),
        sentences=compared,
        not_compared=tuple(not_compared),
        words=tuple((word, doubtful[word], seen[word]) for word in words),
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
