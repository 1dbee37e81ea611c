"""Candidates: matches by synonyms and paraphrases, listed for the search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.alignment.monolingual.paraphrases import Phrase
from wordorder.text.texts import Texts
from wordorder.types import Int32, Int64

# Reference start and length, hypothesis start and length, number of the module.
Candidate = tuple[int, int, int, int, int]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Possible matches of each reference row with its hypothesis.

    Attributes
    ----------
    columns : int32[4 * K]
        Reference start, length, hypothesis start, length of K candidates, a column after the
        other.
    module : int32[K]
    offsets : int64[R+1]
        Those of row ``r`` are ``offsets[r] .. offsets[r+1]-1``, sorted by reference start.
    """

    columns: Int32
    module: Int32
    offsets: Int64


def no_candidates(rows: int) -> Candidates:
    """Return candidates that are none."""
    nothing = np.zeros(0, np.int32)
    return Candidates(nothing, nothing, np.zeros(rows + 1, np.int64))


def list_candidates(
    texts: Texts,
    synonyms: Mapping[int, frozenset[int]],
    synonym_module: int,
    paraphrases: Mapping[Phrase, Sequence[Phrase]],
    paraphrase_module: int,
    *,
    repeated: bool,
) -> Candidates:
    """List the matches that synonyms and paraphrases allow.

    Parameters
    ----------
    texts : Texts
    synonyms : word number to numbers of its synonyms
    paraphrases : phrase to phrases
    synonym_module, paraphrase_module : int
        What the candidates are marked with.
    repeated : bool
        Keep a candidate as often as the table gives it, as METEOR 1.5 does; else once.
    """
    hypotheses, references = texts.hypothesis.to_lists(), texts.references.to_lists()
    lengths: dict[int, set[int]] = {}
    for phrase in paraphrases:
        lengths.setdefault(phrase[0], set()).add(len(phrase))
    flat: list[Candidate] = []
    counts = np.zeros(len(references) + 1, np.int64)
    for row, segment in enumerate(texts.segment_of.tolist()):
        hypothesis, reference = hypotheses[segment], references[row]
        places, reference_places = _places(hypothesis), _places(reference)
        matches = list(_synonym_matches(reference, places, synonyms, synonym_module))
        if lengths:
            for start, length, at, covered in _phrase_matches(
                reference, hypothesis, places, paraphrases, lengths
            ):
                matches.append((start, length, at, covered, paraphrase_module))
            for at, covered, start, length in _phrase_matches(
                hypothesis, reference, reference_places, paraphrases, lengths
            ):
                matches.append((start, length, at, covered, paraphrase_module))
        if not repeated:
            matches = list(dict.fromkeys(matches))
        # Those that begin together stay in the order in which they were found.
        matches.sort(key=lambda candidate: candidate[0])
        flat += matches
        counts[row + 1] = len(matches)
    columns = np.array(flat, np.int32).reshape(-1, 5).T
    return Candidates(columns[:4].ravel(), columns[4].copy(), np.cumsum(counts))


def _places(words: Sequence[int]) -> dict[int, list[int]]:
    """Return where each word occurs."""
    places: dict[int, list[int]] = {}
    for at, word in enumerate(words):
        places.setdefault(word, []).append(at)
    return places


def _synonym_matches(
    reference: Sequence[int],
    places: Mapping[int, Sequence[int]],
    synonyms: Mapping[int, frozenset[int]],
    module: int,
) -> Iterator[Candidate]:
    """Yield pairs of words that share a synonym set; hypothesis words by their places."""
    for start, word in enumerate(reference):
        near = synonyms.get(word)
        if near is not None:
            for at in sorted(at for other in near for at in places.get(other, ())):
                yield start, 1, at, 1, module


def _phrase_matches(
    left: Sequence[int],
    right: Sequence[int],
    right_places: Mapping[int, Sequence[int]],
    paraphrases: Mapping[Phrase, Sequence[Phrase]],
    lengths: Mapping[int, set[int]],
) -> Iterator[tuple[int, int, int, int]]:
    """Yield start and length of phrases in `left`, and of what matches them in `right`."""
    for start, word in enumerate(left):
        for length in sorted(lengths.get(word, ())):
            if start + length > len(left):
                break
            for other in paraphrases.get(tuple(left[start : start + length]), ()):
                for at in right_places.get(other[0], ()):
                    if tuple(right[at : at + len(other)]) == other:
                        yield start, length, at, len(other)
