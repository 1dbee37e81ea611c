"""Transitions of TnT: how likely a tag is after two others, by deleted interpolation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.parsing.tagging.tnt_counts import TnTCounts
from wordorder.types import Array, Float64, Int32, Int64

# Scores are natural logarithms in whole numbers of 2**-20: what comes after the 16th digit, in
# which machines differ, has no part in them.
LOG_UNIT = 1 << 20
# The logarithm of nothing.
FLOOR = 1e-300


def log_scores(probability: Float64) -> Int32:
    """Return the logarithms of probabilities in whole numbers of ``1 / LOG_UNIT``.

    Examples
    --------
    >>> log_scores(np.array([1.0, 0.5])).tolist()
    [0, -726817]
    """
    scores: Int32 = np.rint(np.log(np.maximum(probability, FLOOR)) * LOG_UNIT).astype(np.int32)
    return scores


@dataclass(frozen=True, eq=False)
class Transitions:
    """Scores of tags after two others, as the kernel reads them.

    Attributes
    ----------
    lambdas : tuple of three floats
        The weights of unigrams, bigrams and trigrams.
    context : int32[(n+1) ** 2]
        The number of a pair of tags, -1 if it does not occur.
    context_start : int64[C+1]
        The trigrams of pair ``c`` are ``context_start[c] .. context_start[c+1]-1``.
    trigram_tag, trigram_score : int32 arrays
        The third tag and its score; the tags rise within a pair.
    bigram_score : int32[(n+1) ** 2]
        The score of a tag after another, where the trigram does not occur.
    """

    lambdas: tuple[float, float, float]
    context: Int32
    context_start: Int64
    trigram_tag: Int32
    trigram_score: Int32
    bigram_score: Int32

    @classmethod
    def of(cls, counts: TnTCounts) -> Transitions:
        """Interpolate the relative frequencies (Brants 2000, section 2.2).

        The end of a sentence is a tag like others (as in nltk).
        """
        base = counts.tags + 1
        one, two, three = counts.trigrams.T.astype(np.int64)
        count = counts.trigram_count
        unigram = counts.tag_counts()
        bigram = np.zeros(base * base, np.int64)
        np.add.at(bigram, two * base + three, count)
        after_one = bigram.reshape(base, base).sum(axis=1)
        contexts, number = np.unique(one * base + two, return_inverse=True)
        after_two = np.zeros(len(contexts), np.int64)
        np.add.at(after_two, number, count)
        lambdas = _lambdas(
            count,
            (
                (unigram[three], np.full(len(three), count.sum())),
                (bigram[two * base + three], after_one[two]),
                (count, after_two[number]),
            ),
        )
        share = unigram / count.sum()
        table = bigram.reshape(base, base) / np.maximum(after_one, 1)[:, None]
        smooth = lambdas[0] * share[None, :] + lambdas[1] * table
        context = np.full(base * base, -1, np.int32)
        context[contexts] = np.arange(len(contexts))
        exact = smooth[two, three] + lambdas[2] * (count / after_two[number])
        return cls(
            lambdas,
            context,
            np.append(0, np.cumsum(np.bincount(number))),
            three.astype(np.int32),
            log_scores(exact),
            log_scores(smooth.reshape(-1)),
        )

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What the kernel takes."""
        return (
            self.context,
            self.context_start,
            self.trigram_tag,
            self.trigram_score,
            self.bigram_score,
        )


def _lambdas(count: Int64, orders: tuple[tuple[Int64, Int64], ...]) -> tuple[float, float, float]:
    """Return the weights of the orders by deleted interpolation.

    Each trigram counts for the order that predicts it best when one occurrence is left out;
    equal ones share it (in sixths, which whole numbers can hold).
    """
    left_out = np.stack(
        [np.where(total > 1, (seen - 1) / np.maximum(total - 1, 1), 0.0) for seen, total in orders]
    )
    best = left_out == left_out.max(axis=0)
    shares = (best * (6 * count // best.sum(axis=0))).sum(axis=1).tolist()
    total = sum(shares)
    return shares[0] / total, shares[1] / total, shares[2] / total
