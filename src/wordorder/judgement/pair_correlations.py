"""How often a metric agrees with people's choices between two outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from wordorder.counts import counted, number, percent
from wordorder.judgement.correlations import Correlation
from wordorder.judgement.left_out import left_out_remarks
from wordorder.judgement.pair_judgements import PairJudgements
from wordorder.judgement.preferences import Preferences
from wordorder.judgement.score_table import ScoreTable
from wordorder.judgement.tested_metrics import Resampling
from wordorder.statistics import paired_tests
from wordorder.statistics.consistency import pair_differences
from wordorder.statistics.correlation.rank_agreement import taus
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.types import Float64, Int64

# What the tests of `PAIR_TESTS` are, with segments drawn or swapped.
TESTS = {"bootstrap": "bootstrap", "perm-inputs": "randomization"}
FEWEST_PAIRS = 10


def pair_correlations(
    judgements: PairJudgements,
    metrics: Sequence[ScoreTable],
    statistic: str,
    *,
    resampling: Resampling,
) -> tuple[list[Correlation], Float64 | None, str, list[str]]:
    """Return how often each metric agrees with people's choices, with intervals and tests.

    Parameters
    ----------
    judgements : PairJudgements
        Of systems that the metrics score; items are numbers of segments, from 1.
    metrics : sequence of ScoreTable
        Higher is better.
    statistic : str
        "consistency": the share of choices that the metric shares, a tie of the metric counting
        half; "consistency-strict": a tie counting nothing; or a tau of WMT, "kendall-14".
    resampling : Resampling
        Segments are drawn, with all their judgements.

    Returns
    -------
    rows, p_values, test, remarks : as `SetCorrelations` has them
    """
    segments = metrics[0].segments.shape[1]
    choices = Preferences.of_rankings(judgements, metrics[0].systems, segments)
    score = _score(statistic)
    differences = [
        pair_differences(table.segments, choices.item, choices.better, choices.worse)
        for table in metrics
    ]
    counts = np.stack([_counts(each, choices.item, segments) for each in differences])
    totals = counts.sum(axis=1)
    made = Measurement(list(counts), score)
    enough = totals.sum(axis=1) >= FEWEST_PAIRS
    estimates = confidence_intervals(
        [made],
        confidence=resampling.level,
        resamples=resampling.resamples,
        seed=resampling.seed,
    )[0]
    rows = []
    left_out = []
    for table, total, estimate, known in zip(metrics, totals, estimates, enough, strict=True):
        choices_scored = int(total.sum())
        nothing = (math.nan, math.nan, math.nan)
        values = (estimate.value, estimate.low, estimate.high) if known else nothing
        missing = len(choices) - choices_scored
        reason = ""
        if not known:
            reason = f"scores both outputs of {choices_scored} of {counted(len(choices), 'choice')}"
        elif missing:
            share = percent(missing, len(choices))
            left_out.append((table.name, f"{counted(missing, 'choice')} ({share})"))
        rows.append(
            Correlation(table.name, "segment", statistic, *values, choices_scored, reason=reason)
        )
    remarks = [*_ties(metrics, totals, statistic), *left_out_remarks(left_out)]
    test = resampling.test or ("perm-inputs" if len(metrics) > 1 else "")
    p_values = None
    if test and enough.sum() > 1:
        p_values = np.full((len(metrics), len(metrics)), np.nan)
        used = np.flatnonzero(enough)
        p_values[np.ix_(used, used)] = _p_values(counts[used], score, TESTS[test], resampling)
        for a, b in combinations(used.tolist(), 2):
            unscored = np.isnan(differences[a]) | np.isnan(differences[b])
            if np.array_equal(np.isnan(differences[a]), np.isnan(differences[b])):
                continue
            # The choices of which both metrics score both outputs.
            shared = [np.where(unscored, np.nan, differences[m]) for m in (a, b)]
            both = np.stack([_counts(each, choices.item, segments) for each in shared])
            p_values[np.ix_((a, b), (a, b))] = _p_values(both, score, TESTS[test], resampling)
    return rows, p_values, test if p_values is not None else "", remarks


def _p_values(
    counts: Float64, score: Callable[[Float64], Float64], test: str, resampling: Resampling
) -> Float64:
    """Test all pairs of metrics, one-sided, by their counts, float64[M, S, 3]."""
    p_values = np.full((len(counts), len(counts)), np.nan)
    (found,) = paired_tests.compare(
        [Measurement(list(counts), score)],
        test=test,
        resamples=resampling.resamples,
        seed=resampling.seed,
    )
    for pair in found.pairs:
        half = pair.p_value / 2
        ahead = half if pair.difference > 0 else 1 - half
        p_values[pair.second, pair.first] = ahead
        p_values[pair.first, pair.second] = 1 - ahead
    return p_values


def _counts(differences: Float64, item: Int64, segments: int) -> Float64:
    """Count the choices of each segment that a metric shares, does not share, and ties: [S, 3]."""
    kinds = (differences > 0, differences < 0, differences == 0)
    return np.stack([np.bincount(item[kind], minlength=segments) for kind in kinds], axis=1).astype(
        np.float64
    )


def _score(statistic: str) -> Callable[[Float64], Float64]:
    """Return the coefficient as a function of counts: agreeing, disagreeing, tied."""

    def share(totals: Float64) -> Float64:
        shared = totals[..., 0] + (0.0 if statistic.endswith("strict") else totals[..., 2] / 2)
        pairs = totals.sum(axis=-1)
        return np.where(pairs > 0, shared / np.maximum(pairs, 1), 0.0)

    def tau(totals: Float64) -> Float64:
        counts = np.zeros((*totals.shape[:-1], 5), np.int64)
        counts[..., :3] = np.rint(totals)
        values = taus(counts.reshape(-1, 5), statistic.removeprefix("kendall-"))
        return np.nan_to_num(values).reshape(totals.shape[:-1])

    return share if statistic.startswith("consistency") else tau


def _ties(metrics: Sequence[ScoreTable], totals: Float64, statistic: str) -> list[str]:
    """Say what ties of the metrics count, and what consistency would be if they counted less."""
    if not statistic.startswith("consistency"):
        return []
    strict = statistic.endswith("strict")
    other = _score("consistency" if strict else "consistency-strict")(totals)
    tied = [m for m in range(len(metrics)) if totals[m, 2] > 0]
    count = "a tie of the metric counts as wrong" if strict else "a tie of the metric counts half"
    if not tied:
        return [f"{count}, but no metric has one"]
    how = "as half right" if strict else "as wrong"
    each = ", ".join(f"{metrics[m].name} {number(float(other[m]))}" for m in tied)
    return [f"{count}; {how} it would be: {each}"]
