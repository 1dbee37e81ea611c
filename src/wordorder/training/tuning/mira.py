"""Batch MIRA: passes over the lists, each sentence moving the weights no farther than it must."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordorder.training.tuning.mert import inverse_spread, unit
from wordorder.training.tuning.problem import Problem
from wordorder.types import Float64

EPOCHS = 60
# How far one sentence may move the weights, and how fast the sentences before it are forgotten.
FARTHEST, DECAY = 0.01, 0.999
# What the metric's gain on a sentence is worth beside scores that vary by about 1.
WORTH = 10.0


def mira(
    problem: Problem,
    start: Float64,
    random: np.random.Generator,
    *,
    epochs: int = EPOCHS,
    progress: Callable[[int], object] | None = None,
) -> Float64:
    """Return weights by batch MIRA (Cherry and Foster 2012).

    Each sentence has a hope, the candidate with the largest sum of score and gain, and a fear, that
    with the largest score less gain. The gain of a candidate is what the metric says of the
    statistics of the sentences so far, older ones counting less, with the candidate's added. Where
    hope does not win by the difference of their gains, the weights move towards it. Weights are
    averaged over all sentences; the average of the epoch with the best value on all lists is kept.

    Parameters
    ----------
    problem : Problem
    start : float64[F]
    random : numpy.random.Generator
        Draws the order of the sentences in each epoch.
    epochs : int
    progress : callable, optional
        Told how many epochs are done.

    Returns
    -------
    float64[F]
        `start` where no epoch is better.
    """
    scale = inverse_spread(problem)
    features = problem.features * scale
    # Features that never vary keep their weight, which moves nothing.
    weights = np.where(scale > 0, unit(start) / np.where(scale > 0, scale, 1.0), 0.0)
    size = np.abs(weights).sum()
    weights = weights / size if size > 0 else weights
    background = problem.totals(start).astype(np.float64)
    seen = float(problem.sentences)
    total, steps = np.zeros_like(weights), 0
    best, best_goodness = start, float(problem.goodness(problem.totals(start)))
    bounds = problem.offsets.tolist()
    for epoch in range(1, epochs + 1):
        for sentence in random.permutation(problem.sentences).tolist():
            rows = slice(bounds[sentence], bounds[sentence + 1])
            statistics = problem.statistics[rows]
            scores = np.einsum("nf,f->n", features[rows], weights)
            gains = WORTH * (seen + 1) * problem.goodness(background + statistics)
            hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
            apart = features[rows][hope] - features[rows][fear]
            loss = gains[hope] - gains[fear] - float((apart * weights).sum())
            length = float((apart * apart).sum())
            if loss > 0 and length > 0:
                weights = weights + min(FARTHEST, loss / length) * apart
            background = DECAY * background + statistics[int(np.argmax(scores))]
            seen = DECAY * seen + 1
            total += weights
            steps += 1
        average = np.where(problem.varies, total / steps * scale, start)
        goodness = float(problem.goodness(problem.totals(average)))
        if goodness > best_goodness:
            best, best_goodness = average, goodness
        if progress is not None:
            progress(epoch)
    return best
