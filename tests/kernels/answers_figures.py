"""What coefficients, tests, rankings and line searches answer on small random input."""

import random
from dataclasses import astuple

import numpy as np

from wordorder.judgement import acc_eq, kendall, pearson, spearman
from wordorder.statistics import named_statistics, trueskill as matches
from wordorder.statistics.correlation_permutation import perm_both, perm_inputs
from wordorder.training.tuning.mert import LineSearch
from wordorder.training.tuning.problem import Problem


def correlation(rng: random.Random) -> dict[str, object]:
    """Compute every coefficient under every grouping."""
    found: dict[str, object] = {}
    for places in (0, 1, 17):
        metric, human = ([_row_of_correlation(rng, places) for _ in range(5)] for _ in range(2))
        for by in ("none", "item", "system"):
            values = [pearson(metric, human, by), spearman(metric, human, by)]
            values += [kendall(metric, human, variant, by) for variant in ("a", "b", "c", "17")]
            values += astuple(acc_eq(metric, human, by))
            found[f"{places} {by}"] = [float(value).hex() for value in values]
    large = [[rng.randrange(50) for _ in range(300)] for _ in range(2)]
    found["large"] = kendall(large[0], large[1]).hex()
    listed, named_statistics.MAX_LISTED_GAPS = named_statistics.MAX_LISTED_GAPS, 9
    # More pairs than are listed: a histogram tells which may matter.
    found["many pairs"] = [
        each.hex() for each in map(float, astuple(acc_eq(large[0][:40], large[1][:40])))
    ]
    named_statistics.MAX_LISTED_GAPS = listed
    return found


def _row_of_correlation(rng: random.Random, places: int) -> list[float]:
    row = [round(5 * rng.random(), places) for _ in range(7)]
    row[rng.randrange(7)] = float("nan")
    return row


def correlation_tests(rng: random.Random) -> dict[str, object]:
    """Return the differences of swapped metrics under each kind of coefficient."""
    generator = np.random.default_rng(rng.randrange(100))
    human = generator.integers(0, 3, (3, 4)).astype(np.float64)
    first, second = (human + np.round(generator.normal(size=human.shape)) for _ in range(2))
    first[0, 1] = np.nan
    found: dict[str, object] = {}
    for statistic in ("pearson", "spearman", "kendall-b", "acc-eq"):
        for by in ("none", "item"):
            test = perm_both(first, second, human, statistic=statistic, by=by, resamples=3)
            found[f"{statistic} {by}"] = test.differences.tobytes().hex()
    large = np.tile(human, 90)
    pooled = perm_both(large, np.roll(large, 1), large, resamples=2)
    found["pooled"] = pooled.differences.tobytes().hex()
    test = perm_inputs(first, second, human, unit="system", resamples=3)
    found["systems"] = test.differences.tobytes().hex()
    return found


def trueskill(rng: random.Random) -> dict[str, object]:
    """Rate systems in order and in runs, among them skills far apart."""
    pairs = [rng.sample(range(4), 2) for _ in range(60)]
    outcomes = [rng.choice((-1, 0, 1)) for _ in pairs]
    columns = (*np.array(pairs).T, np.array(outcomes))
    found: dict[str, object] = {}
    for beta in (25 / 6, 0.01):
        skills = matches.trueskill(*columns, systems=4, beta=beta, draw_probability=0.3)
        found[f"beta {beta}"] = [skills.mu.tobytes().hex(), skills.sigma.tobytes().hex()]
    items = np.array([rng.randrange(9) for _ in pairs])
    runs = matches.trueskill_runs(items, *columns, items=9, systems=5, runs=3)
    found["runs"] = [runs.mu.tobytes().hex(), runs.sigma.tobytes().hex()]
    return {"trueskill": found}


def envelope(rng: random.Random) -> dict[str, object]:
    """Sweep along axes and other lines, with candidates that tie and lines that are equal."""
    found: dict[str, object] = {}
    for whole in (False, True):
        counts = [1, 2, 3, 7, 20]
        features = np.array([_row_of_envelope(rng, whole) for _ in range(sum(counts))])
        statistics = np.array([[float(rng.randrange(9))] for _ in features])
        offsets = np.cumsum([0, *counts])
        problem = Problem(features, statistics, offsets, lambda totals: totals[..., 0])
        weights = np.array(_row_of_envelope(rng, whole))
        _, sweep = LineSearch(problem).sweep(weights, np.array([[1.0, 2.0, -1.0], [0.0] * 3]))
        found[f"lines {whole}"] = [
            [point.hex() for point in sweep.begins.tolist()],
            sweep.goodness.tolist(),
            sweep.offsets.tolist(),
        ]
        found[f"chosen {whole}"] = problem.chosen(weights).tolist()
    return found


def _row_of_envelope(rng: random.Random, whole: bool) -> list[float]:
    return [float(rng.randrange(-2, 3)) if whole else rng.random() for _ in range(3)]
