"""All translations of short sentences, found by trying every segmentation in every order."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.oracles_language_models import Listed, sentence_scores

from wordorder.arrays import Ragged
from wordorder.translation.phrase_table import PhraseTable


@dataclass(frozen=True)
class Phrase:
    """A phrase of a derivation: entry of the table or -1, first and behind the last word."""

    entry: int
    start: int
    end: int
    words: tuple[int, ...]


def table_options(
    table: PhraseTable, sentence: Sequence[int], copied: Sequence[int]
) -> list[Phrase]:
    """Return what each span may become, word by word where there is nothing else."""
    found = []
    sources = Ragged(table.source_words, table.source_offsets).to_lists()
    targets = Ragged(table.target_words, table.target_offsets).to_lists()
    for start in range(len(sentence)):
        for end in range(start + 1, len(sentence) + 1):
            here = [p for p, words in enumerate(sources) if words == list(sentence[start:end])]
            for p in here:
                entries = range(table.entry_offsets[p], table.entry_offsets[p + 1])
                found += [Phrase(entry, start, end, tuple(targets[entry])) for entry in entries]
            if end == start + 1 and not here:
                found.append(Phrase(-1, start, end, (copied[start],)))
    return found


def derivations(options: list[Phrase], length: int, window: int) -> Iterator[list[Phrase]]:
    """Yield all ways to translate each word once, with jumps that the window allows."""

    def further(path: list[Phrase], free: set[int]) -> Iterator[list[Phrase]]:
        if not free:
            yield path
            return
        gap = min(free)
        end = path[-1].end if path else 0
        for option in options:
            span = set(range(option.start, option.end))
            if not span <= free or abs(option.start - end) > window:
                continue
            # From a phrase behind the first gap the jump back to it must be allowed.
            if option.start > gap and option.end - gap > window:
                continue
            yield from further([*path, option], free - span)

    yield from further([], set(range(length)))


def source_odds(jumps: Sequence[Sequence[float]], sentence: Sequence[int]) -> list[float]:
    """Return what the source adds to the log odds of a jump to the right behind each word."""
    reach = len(jumps[0]) // 2
    border = len(jumps) - 1
    padded = [border] * reach + list(sentence) + [border] * reach
    return [
        math.fsum(jumps[padded[i + place]][place] for place in range(2 * reach + 1))
        for i in range(len(sentence))
    ]


def features_of(
    path: list[Phrase],
    table: PhraseTable,
    listed: Listed,
    vocabulary: Sequence[str],
    odds: Sequence[float] | None = None,
) -> list[float]:
    """Return the features of a derivation, in the order that `translation.features` has.

    `odds` are those of `source_odds` under a maximum-entropy reordering model.
    """
    found = [0.0] * 15
    words = [word for phrase in path for word in phrase.words]
    found[7] = sum(sentence_scores(listed, [vocabulary[w] if w > 0 else "<unk>" for w in words]))
    found[8] = -len(words)
    found[9] = len(path)
    for before, phrase in zip([None, *path], path, strict=False):
        end = before.end if before else 0
        found[6] -= abs(phrase.start - end)
        orientation = 2
        if phrase.start == end:
            orientation = 0
        elif before and phrase.end == before.start:
            orientation = 1
        if phrase.entry >= 0:
            if odds is None:
                found[orientation] += float(table.reordering[phrase.entry, orientation])
            for k in range(4):
                found[10 + k] += float(table.scores[phrase.entry, k])
        else:
            found[14] -= 1
        if before and odds is not None:
            x = odds[end - 1]
            if before.entry >= 0:
                x += float(table.reordering[before.entry, 0])
            right = 1 / (1 + math.exp(-x))
            found[3 if phrase.start >= end else 4] += math.log(
                right if phrase.start >= end else 1 - right
            )
        elif before and before.entry >= 0:
            found[3 + orientation] += float(table.reordering[before.entry, 3 + orientation])
    return found


def best_translations(
    table: PhraseTable,
    listed: Listed,
    vocabulary: Sequence[str],
    weights: Sequence[float],
    sentence: Sequence[int],
    copied: Sequence[int],
    window: int,
    odds: Sequence[float] | None = None,
) -> dict[tuple[int, ...], tuple[float, list[float]]]:
    """Return all translations with score and features of their best derivations, best first."""
    best: dict[tuple[int, ...], tuple[float, list[float]]] = {}
    options = table_options(table, sentence, copied)
    for path in derivations(options, len(sentence), window):
        words = tuple(word for phrase in path for word in phrase.words)
        features = features_of(path, table, listed, vocabulary, odds)
        score = sum(w * f for w, f in zip(weights, features, strict=True))
        if words not in best or best[words][0] < score:
            best[words] = score, features
    return dict(sorted(best.items(), key=lambda item: -item[1][0]))
