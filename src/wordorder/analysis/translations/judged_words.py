"""Judged words: the words of one system with their outcomes and charges, and tables of kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.analysis.translations.word_charges import WordCharges, word_charges
from wordorder.analysis.translations.word_counts import WordCounts, word_counts
from wordorder.analysis.translations.word_kinds import WordKinds
from wordorder.analysis.translations.word_outcomes import WordOutcomes, word_outcomes
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class KindCounts:
    """What a system does with each of K kinds of words.

    Attributes
    ----------
    counts : WordCounts
        Where outputs are not known by kind, output words are those that are matched.
    points : float64[K]
        Points of CDER that words of the kind are charged: hundredths of an edit for each
        reference word of the corpus.
    groups, sentences : int64[L]
        The kind and the sentence of each word that is charged anything.
    costs : float64[L]
        What it is charged.
    """

    counts: WordCounts
    points: Float64
    groups: Int64
    sentences: Int64
    costs: Float64

    @property
    def excess(self) -> Float64:
        """How many points more a kind is charged than as many words of all kinds, float64[K]."""
        share = self.counts.reference / max(int(self.counts.reference.sum()), 1)
        excess: Float64 = self.points - share * self.points.sum()
        return excess

    def examples(self, kinds: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return for each of some kinds the sentences that lose most through it."""
        place = np.full(len(self.points), -1)
        place[np.asarray(kinds, np.int64)] = np.arange(len(kinds))
        listed = place[self.groups]
        used = listed >= 0
        return costliest_sentences(listed[used], self.sentences[used], self.costs[used], len(kinds))


@dataclass(frozen=True, eq=False)
class JudgedWords:
    """The words of one system.

    Attributes
    ----------
    system : TranslatedSystem
    outcomes : WordOutcomes
    charges : WordCharges
    """

    system: TranslatedSystem
    outcomes: WordOutcomes
    charges: WordCharges

    @classmethod
    def of(cls, system: TranslatedSystem) -> JudgedWords:
        """Judge the words of a system."""
        outcomes = word_outcomes(system.texts, system.rows, system.matches)
        return cls(system, outcomes, word_charges(system.paths))

    @property
    def words(self) -> int:
        """Words of the references."""
        return len(self.outcomes.words)

    def points(self, charged: float) -> float:
        """Return a part of the distance in points of CDER."""
        return 100 * charged / max(self.words, 1)

    @property
    def cder(self) -> float:
        """CDER in points: 41.3 for a rate of .413."""
        return self.points(float(self.system.paths.distance.sum()))

    def counted(self) -> WordCounts:
        """Count all words as one kind."""
        outcomes = self.outcomes
        kinds = np.zeros(self.words, np.int64)
        return word_counts(outcomes, kinds, np.zeros(len(outcomes.output_words), np.int64), 1)

    def by_kind(self, kinds: WordKinds) -> KindCounts:
        """Count the words of each kind and add up what they are charged."""
        outcomes, charges, size = self.outcomes, self.charges, len(kinds.names)
        of_reference = kinds.of_reference(outcomes)
        if kinds.of_output is None:
            # A kind of its own for all words that are added.
            size += 1
            of_output = np.full(len(outcomes.output_words), size - 1)
        else:
            of_output = kinds.of_output(outcomes)
        counts = word_counts(outcomes, of_reference, of_output, size)
        matched = np.maximum(outcomes.partners, 0)
        known = of_reference[matched] if len(of_reference) else of_output
        of_output = np.where(outcomes.added, of_output, known)
        costs = np.concatenate([charges.edits + charges.jumps, charges.deletions])
        used = np.flatnonzero(costs)
        groups = np.concatenate([of_reference, of_output])[used]
        sentences = np.concatenate([outcomes.segments, outcomes.output_segments])[used]
        points = 100 * np.bincount(groups, costs[used], size) / max(self.words, 1)
        costs = costs[used]
        if kinds.of_output is None:
            size -= 1
            counts, points = counts.first(size), points[:size]
            named = groups < size
            groups, sentences, costs = groups[named], sentences[named], costs[named]
        return KindCounts(counts, points, groups, sentences, costs)


def worst_kinds(found: KindCounts) -> Int64:
    """Return the kinds that have words, the costliest first, then the most frequent.

    Returns
    -------
    int64
        Numbers of kinds.
    """
    counts = found.counts
    used = np.flatnonzero(counts.reference + counts.output)
    order = np.lexsort((used, -counts.reference[used], -np.round(found.points[used], 9)))
    return used[order]
