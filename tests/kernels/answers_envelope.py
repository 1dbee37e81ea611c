"""What searching along lines answers on small random candidates."""

import random

import numpy as np

from wordorder.training.tuning.mert import LineSearch
from wordorder.training.tuning.problem import Problem


def answers(rng: random.Random) -> dict[str, object]:
    """Sweep along axes and other lines, with candidates that tie and lines that are equal."""
    found: dict[str, object] = {}
    for whole in (False, True):
        counts = [1, 2, 3, 7, 20]
        features = np.array([_row(rng, whole) for _ in range(sum(counts))])
        statistics = np.array([[float(rng.randrange(9))] for _ in features])
        offsets = np.cumsum([0, *counts])
        problem = Problem(features, statistics, offsets, lambda totals: totals[..., 0])
        weights = np.array(_row(rng, whole))
        _, sweep = LineSearch(problem).sweep(weights, np.array([[1.0, 2.0, -1.0], [0.0] * 3]))
        found[f"lines {whole}"] = [
            [point.hex() for point in sweep.begins.tolist()],
            sweep.goodness.tolist(),
            sweep.offsets.tolist(),
        ]
        found[f"chosen {whole}"] = problem.chosen(weights).tolist()
    return found


def _row(rng: random.Random, whole: bool) -> list[float]:
    return [float(rng.randrange(-2, 3)) if whole else rng.random() for _ in range(3)]
