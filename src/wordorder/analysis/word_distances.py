"""Misordered words by the distance that they move in the reference."""

from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from wordorder.analysis.corpus import AnalysedOrders, Corpus
from wordorder.analysis.findings import describe_loss
from wordorder.analysis.section import Finding, Group, Section
from wordorder.analysis.tally import Bins, Tally, signed_bins, signed_names
from wordorder.arrays import Bool, Float64, Int64, Ragged, concat_ranges
from wordorder.order.orders import Orders, relative_orders

DISTANCES = Bins((0, 1, 2, 3, 5, 9, 17))


@dataclass(frozen=True, eq=False)
class WordDistances:
    """Distances that words move from the source to the reference order.

    Attributes
    ----------
    distance : int64[N]
        The number of words by which each word moves to the right; negative to the left. Only words
        that the reference has are counted, and tied words keep the order of the source; 0 for words
        that the reference lacks.
    in_reference : bool[N]
        True for words that the reference has.
    mean : float64[S]
        The mean absolute distance in a sentence; 0 without words.
    longest : int64[S]
        The largest absolute distance in a sentence.
    """

    distance: Int64
    in_reference: Bool
    mean: Float64
    longest: Int64


def word_distances(corpus: Corpus) -> WordDistances:
    """Measure the distances that words move from the source to the reference order.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["a", "b", "c", "d"]])
    >>> distances = word_distances(Corpus(words, Orders.from_rows([[1, 3, 0]])))
    >>> distances.distance.tolist(), distances.in_reference.tolist(), distances.longest.tolist()
    ([2, -1, 0, -1], [True, True, False, True], [2])
    """
    words = corpus.words
    source = Orders(Ragged(concat_ranges(0, words.lengths).astype(np.int32), words.offsets))
    relative = relative_orders(source, corpus.reference)
    permutation = relative.permutation
    lengths = permutation.lengths
    sentences = np.repeat(np.arange(len(lengths)), lengths)
    positions = np.arange(len(sentences)) - permutation.offsets[:-1][sentences]
    shifts = permutation.values - positions
    distance = np.zeros(words.words, np.int64)
    distance[relative.in_reference] = shifts
    longest = np.zeros(len(lengths), np.int64)
    np.maximum.at(longest, sentences, np.abs(shifts))
    mean = np.bincount(sentences, np.abs(shifts), len(lengths)) / np.maximum(lengths, 1)
    return WordDistances(distance, relative.in_reference, mean, longest)


def word_distance_section(analysed: AnalysedOrders, distances: WordDistances) -> Section:
    """Return the table ``words-by-distance``: misordered words by the distance they have to move.

    Parameters
    ----------
    analysed : AnalysedOrders
    distances : WordDistances
        The distances of the corpus.
    """
    names = signed_names(DISTANCES)
    distance_bins = signed_bins(DISTANCES, distances.distance)
    words = np.bincount(distance_bins[distances.in_reference], minlength=len(names))
    has_words = words > 0
    columns: dict[str, Any] = {"moved": np.array(names)[has_words], "words": words[has_words]}
    for system, placement in zip(analysed.systems, analysed.placements, strict=True):
        tally = Tally(distance_bins[placement.words], len(names))
        misordered, lost = tally.count(placement.misordered), tally.sums(placement.lost)
        columns |= {
            f"misordered of {system.name}": misordered[has_words],
            f"rate of {system.name}": (misordered / np.maximum(tally.count(), 1))[has_words],
            f"FRS lost x100 of {system.name}": 100 * lost[has_words],
        }
    # Examples: sentences in which the first system loses most at the words of a row.
    first_placement = analysed.placement
    is_misordered = first_placement.misordered
    tally = Tally(distance_bins[first_placement.words[is_misordered]], len(names))
    examples = tally.costliest(
        first_placement.sentences[is_misordered], first_placement.lost[is_misordered]
    )
    return Section.of_columns(
        columns,
        findings=_distance_findings(analysed, distance_bins, examples),
        key="words-by-distance",
        group=Group.WORDS,
        whole=True,
        title="Misordered words by the distance they move in the reference",
        reading=_summarize_distances(analysed, distance_bins),
        examples=tuple(compress(examples, has_words.tolist())),
        note="Moved: from the place in the source to the place in the reference order, in words; "
        "words that the reference lacks do not count. FRS lost: half the cost of each "
        "broken boundary next to the words of a row; the rows add up to 1 minus the corpus "
        "FRS.",
    )


def _distance_findings(
    analysed: AnalysedOrders, distance_bins: Int64, examples: tuple[tuple[int, ...], ...]
) -> tuple[Finding, ...]:
    """Return a finding about the moved words that lose most in excess of their share."""
    placement, names = analysed.placement, signed_names(DISTANCES)
    tally = Tally(distance_bins[placement.words], len(names))
    words, lost = tally.count(), 100 * tally.sums(placement.lost)
    excess = lost - lost.sum() * words / max(len(placement.words), 1)
    excess[len(DISTANCES.starts) - 1] = -np.inf
    worst = int(np.argmax(excess))
    if lost[worst] <= 0:
        return ()
    wrong = tally.count(placement.misordered)[worst]
    distance_text, direction = names[worst].split(" ", 1)
    sentence = (
        f"{analysed.system.name} misorders {wrong} of the {words[worst]} words that move "
        f"{distance_text} {'word' if distance_text == '1' else 'words'} {direction} in the "
        f"reference: {describe_loss(float(lost[worst]), placement.frs)}."
    )
    return (Finding(sentence, float(lost[worst]), examples[worst]),)


def _summarize_distances(analysed: AnalysedOrders, distance_bins: Int64) -> str:
    """Summarize the loss of words that move."""
    placement = analysed.placement
    is_moved = distance_bins[placement.words] != len(DISTANCES.starts) - 1
    total = float(placement.lost.sum())
    if not total:
        return f"{analysed.system.name} misorders no word."
    if not is_moved.any():
        return "The reference moves no word."
    share = 100 * float(placement.lost[is_moved].sum()) / total
    moved_count = int(np.count_nonzero(is_moved))
    return (
        f"The reference moves {moved_count} of {len(is_moved)} words; {share:.1f} % "
        f"of the FRS loss of {analysed.system.name} falls on them."
    )
