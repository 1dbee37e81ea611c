#!/usr/bin/env python3
"""How often does each test of two metrics claim a difference that is not there, or find one?

    python -m papers.stanojevic_simaan_2016.tests_of_two_metrics

Needs no data: outputs, judgements and two metrics are drawn from a stated model. People and both
metrics see the quality of an output, each with noise of its own. In the second world each metric
also likes or dislikes whole systems: a preference that would be another one for other systems.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from papers.keeping import OUTPUT, keep
from wordorder.arrays import Float64
from wordorder.judgement import pearson, williams
from wordorder.statistics.correlation_bootstrap import bootstrap_coefficients, compare_samples
from wordorder.statistics.correlation_permutation import permutation_test
from wordorder.statistics.metric_wins import t_test_over_resamples

SYSTEMS, SEGMENTS, TRIALS, RESAMPLES, LEVEL = 12, 200, 500, 199, 0.05
# Deviations: of the systems' quality, of an output's, of people's and metrics' noise.
QUALITY, SEGMENT, PEOPLE, METRIC = 0.3, 1.0, 1.0, 1.5
# How much each metric likes whole systems, and how much noisier metric B is.
WORLDS = {
    "metrics see outputs only": (0.0, 1.0),
    "metrics like whole systems": (0.2, 1.0),
    "metrics like whole systems, B sees less": (0.2, 2.0),
}
TESTS = (
    *("PERM-BOTH", "PERM-INPUTS", "PERM-SYSTEMS", "Williams"),
    *("bootstrap, segments", "bootstrap, systems", "bootstrap, both"),
    "t-test over resamples",
)


def drawn(
    generator: np.random.Generator, liking: float, worse: float
) -> tuple[Float64, Float64, Float64]:
    """Draw the scores of metric A, of metric B and of people, float64[systems, segments] each."""
    shape = (SYSTEMS, SEGMENTS)
    quality = generator.normal(0, QUALITY, (SYSTEMS, 1)) + generator.normal(0, SEGMENT, shape)
    human = quality + generator.normal(0, PEOPLE, shape)
    metrics = [
        quality
        + generator.normal(0, METRIC * noisier, shape)
        + generator.normal(0, liking * noisier, (SYSTEMS, 1))
        for noisier in (1.0, worse)
    ]
    return metrics[0], metrics[1], human


def p_values(metric_a: Float64, metric_b: Float64, human: Float64, unit: str, seed: int) -> Float64:
    """Test that A agrees better, by each of `TESTS`; NaN where a test does not apply."""
    p_of_tests = []
    for swap in ("both", "inputs", "systems"):
        test = permutation_test(
            metric_a, metric_b, human, swap=swap, unit=unit, resamples=RESAMPLES, seed=seed
        )
        p_of_tests.append(test.p_value)
    if unit == "system":
        judged, *scores = (each.mean(axis=1) for each in (human, metric_a, metric_b))
        agreement = [pearson(each, judged) for each in scores]
        test_of_means = williams(agreement[0], agreement[1], pearson(*scores), SYSTEMS)
        p_of_tests.append(test_of_means.p_value)
    else:
        p_of_tests.append(float("nan"))
    for over in ("segments", "systems", "both"):
        values, samples = bootstrap_coefficients(
            [metric_a, metric_b], human, unit=unit, over=over, resamples=RESAMPLES, seed=seed
        )
        p_of_tests.append(compare_samples(values, samples).p_value)
        if over == "segments":
            first, second = samples
    replicates = t_test_over_resamples(first, second)
    # One-sided, as the others.
    tail = replicates.p_value / 2
    p_of_tests.append(tail if replicates.statistic > 0 else 1 - tail)
    return np.array(p_of_tests)


def measured() -> dict[str, list[float | None]]:
    """Return for each world and unit the share of trials in which each test claims A is better."""
    generator = np.random.default_rng(12345)
    shares: dict[str, list[float | None]] = {}
    for world, (liking, worse) in WORLDS.items():
        for unit in ("system", "segment"):
            claims = np.zeros(len(TESTS))
            for trial in range(TRIALS):
                values = p_values(*drawn(generator, liking, worse), unit, trial)
                claims += np.where(np.isnan(values), np.nan, values <= LEVEL)
            shares[f"{world}, Pearson of {unit}s"] = [
                None if np.isnan(share) else float(share) for share in claims / TRIALS
            ]
    return shares


def markdown(results: dict[str, Any]) -> str:
    """Write the shares as a page."""
    shares = results["shares"]
    names = list(shares)
    lines = [
        "# How often tests of two metrics claim that one is better",
        "",
        f"Simulated: {SYSTEMS} systems, {SEGMENTS} segments, {TRIALS} trials, {RESAMPLES} "
        f"resamples, one-sided at {100 * LEVEL:.0f} %. In the first two worlds the metrics are "
        "equally good for other systems and other segments: a right test says that A leads in 5 % "
        "of the trials (binomial deviation 1 %). In the third, A is better.",
        "",
        f"| test | {' | '.join(names)} |",
        f"|---|{'---:|' * len(names)}",
    ]
    for number, test in enumerate(TESTS):
        cells = [shares[name][number] for name in names]
        shown = ["–" if cell is None else f"{100 * cell:.1f} %" for cell in cells]
        lines.append(f"| {test} | {' | '.join(shown)} |")
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Simulate everything and keep it."""
    started = time.process_time()
    results = {
        "systems": SYSTEMS,
        "segments": SEGMENTS,
        "trials": TRIALS,
        "resamples": RESAMPLES,
        "level": LEVEL,
        "tests": TESTS,
        "shares": measured(),
    }
    keep(OUTPUT, Path(__file__).stem, results, markdown, started)


if __name__ == "__main__":
    main()
