"""How far the reference moves the words of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.bins import Bins, signed_bins, signed_names
from wordorder.analysis.corpus import Corpus
from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.finding import Finding
from wordorder.analysis.placement import Placement
from wordorder.analysis.points import of_the_loss
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.order.orders import Orders
from wordorder.order.relative import relative_orders
from wordorder.ragged import Ragged
from wordorder.types import Bool, Float64, Int64

DISTANCES = Bins((0, 1, 2, 3, 5, 9, 17))


@dataclass(frozen=True, eq=False)
class WordDistances:
    """How many words to the right the reference moves each word of the source.

    Attributes
    ----------
    distance : int64[N]
        Below 0: to the left. Counted among the words that the reference has; words that tie
        there keep the order of the source. 0 for a word that it does not have.
    known : bool[N]
        Whether the reference has the word.
    mean : float64[S]
        Of the distances of a sentence without their direction; 0 if it has no words.
    longest : int64[S]
        The largest of them.
    """

    distance: Int64
    known: Bool
    mean: Float64
    longest: Int64


def word_distances(corpus: Corpus) -> WordDistances:
    """Measure how far the reference order is from that of the source.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["a", "b", "c", "d"]])
    >>> found = word_distances(Corpus(words, Orders.from_rows([[1, 3, 0]])))
    >>> found.distance.tolist(), found.known.tolist(), found.longest.tolist()
    ([2, -1, 0, -1], [True, True, False, True], [2])
    """
    words = corpus.words
    offsets = words.offsets
    places = np.arange(words.words) - np.repeat(offsets[:-1], words.lengths)
    source = Orders(Ragged(places.astype(np.int32), offsets))
    relative = relative_orders(source, corpus.reference)
    permutation = relative.permutation
    lengths = permutation.lengths
    sentences = np.repeat(np.arange(len(lengths)), lengths)
    own = np.arange(len(sentences)) - permutation.offsets[:-1][sentences]
    moved = permutation.values - own
    distance = np.zeros(words.words, np.int64)
    distance[relative.kept] = moved
    longest = np.zeros(len(lengths), np.int64)
    np.maximum.at(longest, sentences, np.abs(moved))
    mean = np.bincount(sentences, np.abs(moved), len(lengths)) / np.maximum(lengths, 1)
    return WordDistances(distance, relative.kept, mean, longest)


def word_distance_section(
    corpus: Corpus,
    systems: Sequence[AnalysedSystem],
    placements: Sequence[Placement],
    moved: WordDistances,
) -> Section:
    """Make the table ``words-by-distance``: what becomes of words by how far they have to move.

    Parameters
    ----------
    corpus : Corpus
    systems : sequence of AnalysedSystem
    placements : sequence of Placement
        One a system.
    moved : WordDistances
        Of the corpus.
    """
    names = signed_names(DISTANCES)
    groups = signed_bins(DISTANCES, moved.distance)
    words = np.bincount(groups[moved.known], minlength=len(names))
    header = ["moved", "words"]
    columns = [names, words.tolist()]
    for system, each in zip(systems, placements, strict=True):
        header += [f"{what} of {system.name}" for what in ("misordered", "rate", "FRS lost x100")]
        kinds = groups[each.words]
        occurs = np.bincount(kinds, minlength=len(names))
        wrong = np.bincount(kinds[each.misordered], minlength=len(names))
        lost = np.bincount(kinds, each.lost, len(names))
        columns += [wrong.tolist(), (wrong / np.maximum(occurs, 1)).tolist(), (100 * lost).tolist()]
    used = words.tolist()
    rows = tuple(row for row, count in zip(zip(*columns, strict=True), used, strict=True) if count)
    # The sentences in which the first system loses most through the words of a row.
    first = placements[0]
    bad = first.misordered
    shown = costliest_sentences(
        groups[first.words[bad]], first.sentences[bad], first.lost[bad], len(names)
    )
    return Section(
        findings=_findings(systems[0], first, groups, shown),
        key="words-by-distance",
        title="Misordered words by the distance they move in the reference",
        reading=_reading(systems[0], first, groups),
        header=tuple(header),
        rows=rows,
        examples=tuple(row for row, count in zip(shown, used, strict=True) if count),
        note="Moved: from the place in the source to the place in the reference order, in words; "
        "words that the reference lacks do not count. FRS lost: half the cost of each "
        "broken boundary next to the words of a row; the rows add up to 1 minus the corpus "
        "FRS.",
    )


def _findings(
    system: AnalysedSystem,
    placement: Placement,
    groups: Int64,
    examples: tuple[tuple[int, ...], ...],
) -> tuple[Finding, ...]:
    """Say which of the words that move lose most beyond their share of all words."""
    names = signed_names(DISTANCES)
    kinds = groups[placement.words]
    words = np.bincount(kinds, minlength=len(names))
    lost = 100 * np.bincount(kinds, placement.lost, len(names))
    more = lost - lost.sum() * words / max(len(kinds), 1)
    more[len(DISTANCES.starts) - 1] = -np.inf
    worst = int(np.argmax(more))
    if lost[worst] <= 0:
        return ()
    wrong = int(np.count_nonzero(placement.misordered[kinds == worst]))
    sentence = (
        f"{system.name} misorders {wrong} of the {words[worst]} words that move "
        f"{_distance(names[worst])} in the reference: "
        f"{of_the_loss(float(lost[worst]), placement.frs)}."
    )
    return (Finding(sentence, float(lost[worst]), examples[worst]),)


def _distance(name: str) -> str:
    """Write what `signed_names` calls a distance with its noun."""
    size, direction = name.split(" ", 1)
    return f"{size} {'word' if size == '1' else 'words'} {direction}"


def _reading(system: AnalysedSystem, placement: Placement, groups: Int64) -> str:
    """Say how the words that stay and those that move fare."""
    moves = groups[placement.words] != len(DISTANCES.starts) - 1
    total = float(placement.lost.sum())
    if not total:
        return f"{system.name} misorders no word."
    if not moves.any():
        return "The reference moves no word."
    share = 100 * float(placement.lost[moves].sum()) / total
    return (
        f"The reference moves {int(np.count_nonzero(moves))} of {len(moves)} words; {share:.1f} % "
        f"of the FRS loss of {system.name} falls on them."
    )
