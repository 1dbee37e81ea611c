"""Example sentences of the parts of a difference, and the words that are seen to move there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from wordorder.analysis.tally import NEAR
from wordorder.analysis.translations.blocks import Blocks, narrow_indices
from wordorder.analysis.translations.order_costs import SPAN_SEGMENTS, MatchedOrder
from wordorder.analysis.translations.stored import move_to_file, release_pages
from wordorder.analysis.translations.translations import TranslatedSystem
from wordorder.analysis.translations.word_classes import WordClasses
from wordorder.arrays import Bool, Float64, Int32, Int64, value_indices

# Numbers of words of sentences that are easy to read in a picture.
READABLE_LENGTHS = (6, 25)

# Sentences of which a smaller share of the words matches are hard to read.
MIN_MATCHED_SHARE = 0.6


class ExampleSelector:
    """Selects typical sentences for moved blocks of two systems.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
        Two systems.
    words : WordClasses
    common : MatchedOrder
        The words that both systems match.
    blocks : sequence of Blocks
        The blocks of these words for each system.
    gain : float64[S, K]
        What each segment adds to the part of each word class.
    """

    def __init__(
        self,
        systems: Sequence[TranslatedSystem],
        words: WordClasses,
        common: MatchedOrder,
        blocks: Sequence[Blocks],
        gain: Float64,
    ) -> None:
        self.systems, self.words, self.common, self.blocks = systems, words, common, blocks
        self._total_gain = np.abs(gain).sum(axis=1)

    def select(
        self, gain: Float64, loser: int, selected: Bool, named: Int64, direction: str = ""
    ) -> tuple[tuple[int, ...], tuple[frozenset[int], ...]]:
        """Return typical sentences of moved blocks, and the words that are seen to move there.

        A block shows its part by the word that it is named after, if that word has moved itself,
        but not in the other system, and if no other word of the sentence looks like it.

        Parameters
        ----------
        gain : float64[S]
            What each segment adds to the part.
        loser : int
            The system whose blocks are shown.
        selected : bool[C]
            Which of its moved blocks.
        named : int64[C]
            The word that each moved block is named after.
        direction : str
            "early" or "late" for words that moved that way, "" for all.
        """
        blocks, other_blocks = self.blocks[loser], self.blocks[1 - loser]
        block, word = np.flatnonzero(blocks.moved)[selected], named[selected]
        index = np.searchsorted(blocks.reference[:-1], narrow_indices(word))
        inside = (blocks.starts[block] <= index) & (index < blocks.starts[block + 1])
        # Instead of a block that passes a single word, that word may have moved.
        inside |= (blocks.first_passed[block] == word) & (blocks.last_passed[block] == word)
        # A move past nothing but punctuation is hard to see.
        passing = self._words_before
        inside &= passing[blocks.last_passed[block] + 1] > passing[blocks.first_passed[block]]
        # The blocks of both systems have the same words.
        stays = ~other_blocks.word_moved[index] & ~other_blocks.word_moved[blocks.starts[block]]
        visible = inside & (blocks.reference[index] == word) & stays
        if direction:
            visible &= (blocks.word_distances(selected, word) < 0) == (direction == "early")
        segments = blocks.segments[block[visible]]
        release_pages()
        unique = self._is_unique(segments, word[visible])
        words: dict[int, set[int]] = {}
        for segment, moved_word in zip(
            segments[unique].tolist(), word[visible][unique].tolist(), strict=True
        ):
            words.setdefault(segment, set()).add(moved_word)
        visible_gain = np.zeros(len(gain))
        visible_gain[list(words)] = gain[list(words)]
        # A common word may match another occurrence with another role: rank its sentences lower.
        lengths = self._reading_lengths.copy()
        common = [
            row
            for row, moved_words in words.items()
            if self.words.is_common[list(moved_words)].all()
        ]
        lengths[common] += READABLE_LENGTHS[1]
        examples = typical_sentences(visible_gain, self._total_gain, lengths)
        return examples, tuple(frozenset(words[segment]) for segment in examples)

    @cached_property
    def _words_before(self) -> Int32 | Int64:
        """How many words without punctuation precede each word and the end, [N+1]."""
        words = ~self.words.is_punctuation
        dtype = np.int32 if len(words) < 1 << 31 else np.int64
        return move_to_file(np.append(np.zeros(1, dtype), np.cumsum(words, dtype=dtype)))

    @cached_property
    def _reading_lengths(self) -> Float64:
        """The words of the longest text of each segment, float64[S]; infinite if few match."""
        texts = [(system.references, system.texts.hypothesis) for system in self.systems]
        lengths = [rows.lengths for pair in texts for rows in pair]
        longest: Float64 = np.max(lengths, axis=0).astype(np.float64)
        longest[self.common.word_counts() < MIN_MATCHED_SHARE * longest] = np.inf
        return longest

    def _is_unique(self, segments: Int64, words: Int64) -> Bool:
        """Return whether no other word of the reference or an output has the same stem, bool[K].

        `words` has a word of each of the `segments`.
        """
        stems = self.words.stem_ids
        references = self.systems[0].texts.references
        word_stems = stems[references.values[words]]
        texts = [(references, self.common.rows[segments])]
        texts += [(system.texts.hypothesis, segments) for system in self.systems]
        unique = np.ones(len(segments), np.bool_)
        for text, rows in texts:
            for first in range(0, len(rows), SPAN_SEGMENTS):
                span = slice(first, first + SPAN_SEGMENTS)
                positions, offsets = value_indices(text.offsets, rows[span])
                word = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
                same = stems[text.values[positions]] == word_stems[span][word]
                unique[span] &= np.bincount(word[same], minlength=len(offsets) - 1) == 1
                release_pages()
        return unique


def typical_sentences(gain: Float64, total_gain: Float64, lengths: Float64) -> tuple[int, ...]:
    """Return the sentences that show a part best: those near the mean, not the extreme ones.

    Parameters
    ----------
    gain : float64[S]
        What each sentence adds to the part.
    total_gain : float64[S]
        The sum of what it adds to all parts, without signs.
    lengths : float64[S]
        Words of its longest text, which determine the number of lines of a picture.

    Returns
    -------
    tuple of int
        At most five sentences with a positive gain, by the lines of their pictures; short ones
        count as two lines. Among equals, those come first whose gain is near the mean and that add
        little to other parts.

    Examples
    --------
    >>> gain = np.array([0.1, 0.5, 0.3, 0.0, 0.3])
    >>> typical_sentences(gain, np.array([0.1, 0.5, 0.9, 0, 0.3]), np.full(5, 9.0))
    (4, 0, 1, 2)
    """
    positive = np.flatnonzero(gain > NEAR)
    if not len(positive):
        return ()
    deviation = np.abs(gain[positive] / gain[positive].mean() - 1)
    purity = gain[positive] / np.maximum(total_gain[positive], gain[positive])
    lines = np.ceil(lengths[positive] / READABLE_LENGTHS[1])
    difficulty = np.where(lengths[positive] < READABLE_LENGTHS[0], 2, lines)
    order = np.lexsort((np.round(deviation + 1 - purity, 9), difficulty))
    return tuple(positive[order][:5].tolist())
