"""Pairwise ranking (PRO): a classifier that tells the better of two candidates."""

from __future__ import annotations

import numpy as np

from wordorder.training.tuning.logistic import fit_logistic
from wordorder.training.tuning.mert import inverse_spread
from wordorder.training.tuning.problem import Problem
from wordorder.types import Float64

# Hopkins and May (2011), section 5: pairs drawn a sentence, how far apart the metric must find
# them, and how many of those that are farthest apart are kept.
PAIRS, APART, KEPT = 5000, 0.05, 50


def pro(problem: Problem, sentence_scores: Float64, random: np.random.Generator) -> Float64:
    """Return the weights that rank pairs of candidates as the metric does (Hopkins and May 2011).

    Parameters
    ----------
    problem : Problem
    sentence_scores : float64[N]
        The metric's value of each candidate, turned so that more is better.
    random : numpy.random.Generator
        Draws the pairs.

    Returns
    -------
    float64[F]
        All 0 where no two candidates of a sentence differ enough.
    """
    scale = inverse_spread(problem)
    better, worse = [], []
    for first, last in zip(
        problem.offsets[:-1].tolist(), problem.offsets[1:].tolist(), strict=True
    ):
        one, other = random.integers(first, last, (2, PAIRS))
        gain = sentence_scores[one] - sentence_scores[other]
        apart = np.flatnonzero(np.abs(gain) >= APART)
        farthest = apart[np.argsort(-np.abs(gain[apart]), kind="stable")[:KEPT]]
        swapped = gain[farthest] < 0
        better.append(np.where(swapped, other[farthest], one[farthest]))
        worse.append(np.where(swapped, one[farthest], other[farthest]))
    differences = problem.features[np.concatenate(better)] - problem.features[np.concatenate(worse)]
    return fit_logistic(differences * scale) * scale
