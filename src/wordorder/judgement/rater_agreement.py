"""The agreement of raters with each other, and with themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.judgement.judgement_files import check_judgements
from wordorder.judgement.judgements import FailedRater, Judgements, PairJudgements, Ratings
from wordorder.records import Record, key
from wordorder.statistics.exact_means import group_means
from wordorder.statistics.intervals import interval_around
from wordorder.statistics.measurement import draw_bootstrap_counts, resample_keys
from wordorder.statistics.raters import Disagreement, pairwise_agreement
from wordorder.statistics.sign_test import sign_test
from wordorder.statistics.unusual_raters import unusual_raters
from wordorder.text.opening import Path

# Number of resamples in memory together.
_RESAMPLES_PER_BATCH = 64


@dataclass(frozen=True)
class Measure(Record):
    """One measure of the agreement of raters."""

    raters: str = key(
        "`inter`: different raters; `intra`: the same rater on two occasions", heading="raters"
    )
    statistic: str = key(
        "`kappa`, `kappa-uniform`, `krippendorff-ordinal` or `krippendorff-interval`",
        heading="statistic",
    )
    value: float = key("its value; missing if nothing was judged twice", null=True, heading="value")
    low: float = key(
        "the lower end of the interval, from resampling items", null=True, heading="interval"
    )
    high: float = key("the upper end of the interval", null=True, heading="interval")
    n: int = key(
        "pairs of judgements that were compared, or outputs with two ratings or more (`intra`: by "
        "one rater)",
        heading="n",
    )
    observed: float | None = key("P_A of a kappa", null=True, heading="P_A", default=None)
    chance: float | None = key("P_E of a kappa", null=True, heading="P_E", default=None)


@dataclass(frozen=True)
class SignTest(Record):
    """Whether one of two systems is preferred more often than chance explains."""

    better: str = key("the system with more wins")
    worse: str = key("the other system")
    wins: int = key("judgements for the better one")
    losses: int = key("judgements for the other")
    ties: int = key("judgements for neither")
    p: float = key("one-sided, exact")
    p_normal: float = key("one-sided, by the normal approximation without correction")


@dataclass(frozen=True)
class UnusualRater(Record):
    """A rater of a project whose ratings are unlike those of the others: see `unusual_raters`."""

    rater: str = key("who it is", heading="rater")
    ratings_are: str = key("`constant`, `inverted`, `random` or `biased`", heading="ratings are")
    ratings: int = key("how many there are", heading="n")
    correlation: float = key(
        "with the mean of the others on the same outputs", null=True, heading="correlation"
    )
    bias: float = key("the mean difference from the mean of the others", null=True, heading="bias")


@dataclass(frozen=True)
class RaterAgreement(Record, rows="measures", last="signature?"):
    """The result of `agreement`."""

    judgements: int = key("judged pairs of outputs, or ratings")
    raters: int = key("how many raters there are")
    items: int = key("how many items, or segments, were judged; they are resampled")
    level: float = key("the level of the intervals")
    resamples: int = key("how many resamples were drawn")
    seed: int = key("where the random choices started")
    measures: tuple[Measure, ...] = key("each statistic, between and within raters")
    sign_test: SignTest | None = key("of two systems that were compared in pairs")
    signature: str | None = key(
        "of a project of `rate`: how the judgements were collected", default=None
    )
    failed_raters: tuple[FailedRater, ...] = key(
        "of a project: who failed the control items and is left out", default=()
    )
    everybody: RaterAgreement | None = key(
        "of a project: the same result with those who failed", default=None
    )
    unusual_raters: tuple[UnusualRater, ...] = key(
        "of ratings of a project: raters to look at; their ratings are included", default=()
    )


def agreement(
    judgements: Judgements | Path,
    *,
    languages: str | None = None,
    items: Path | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> RaterAgreement:
    r"""Measure the agreement of raters, with intervals from resampling items.

    For pairs and rankings: the agreement on pairs of outputs that were judged twice, as in the
    shared tasks of WMT, between different raters and of raters with themselves; and the sign test
    if there are two systems. For ratings: Krippendorff's alpha on the ordinal and on the interval
    scale, between raters, whose repeated ratings are averaged, and of raters with themselves.

    Parameters
    ----------
    judgements : PairJudgements, Ratings or path
        Judgements, or a file, see `read_judgements`.
    languages, items : optional
        Passed on to `read_judgements`.
    level : float
        The confidence of the intervals.
    resamples, seed : int

    Returns
    -------
    RaterAgreement

    Raises
    ------
    InputError
        See `read_judgements`.
    UsageError
        If the judgements do not name the raters, or an option is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ratings.tsv")
    >>> _ = path.write_text("rater\titem\tsystem\tvalue\n" + "".join(
    ...     f"{rater}\t{item}\tA\t{item}\n" for rater in "xy" for item in range(20)))
    >>> [(row.statistic, row.value) for row in agreement(path).measures if row.n]
    [('krippendorff-ordinal', 1.0), ('krippendorff-interval', 1.0)]
    """
    judgements = check_judgements(judgements, languages, items, level=level)
    if isinstance(judgements, Ratings):
        rows, test = _measure_ratings(judgements, level, resamples, seed), None
    else:
        assert isinstance(judgements, PairJudgements)
        test = _sign_test(judgements)
        rows = _measure_pairs(judgements, level, resamples, seed)
    if not judgements.raters and test is None:
        raise UsageError("these judgements name no raters, so nobody's agreement can be measured")
    judgements.note_few_items("intervals are too narrow")
    everybody = None
    if judgements.everybody is not None:
        everybody = agreement(judgements.everybody, level=level, resamples=resamples, seed=seed)
    sizes = len(judgements), len(judgements.raters), len(judgements.items)
    return RaterAgreement(
        *(*sizes, level, resamples, seed, tuple(rows), test, judgements.signature or None),
        *(judgements.failed, everybody, _find_unusual_raters(judgements)),
    )


def _find_unusual_raters(judgements: Judgements) -> tuple[UnusualRater, ...]:
    """Return the raters of a project whose ratings are unlike those of the others."""
    if not judgements.signature or not isinstance(judgements, Ratings):
        return ()
    output = judgements.item.astype(np.int64) * len(judgements.systems) + judgements.system
    raters = unusual_raters(judgements.rater, output, judgements.value)
    names = judgements.raters
    return tuple(
        UnusualRater(names[row.rater], row.what, row.ratings, row.correlation, row.bias)
        for row in raters
    )


def _measure_pairs(pairs: PairJudgements, level: float, resamples: int, seed: int) -> list[Measure]:
    """Measure the agreement on pairs, between raters and of raters with themselves."""
    rows = []
    for name, within in (("inter", False), ("intra", True)) if pairs.raters else ():
        for statistic, chance in (("kappa", "marginals"), ("kappa-uniform", "uniform")):
            result = pairwise_agreement(
                *(pairs.item, pairs.rater, pairs.first, pairs.second, pairs.outcome),
                within=within,
                chance=chance,
                level=level,
                resamples=resamples,
                seed=seed,
            )
            interval = result.kappa, result.low, result.high
            values = *interval, result.pairs, result.observed, result.chance
            rows.append(Measure(name, statistic, *values))
    return rows


def _measure_ratings(ratings: Ratings, level: float, resamples: int, seed: int) -> list[Measure]:
    """Measure Krippendorff's alpha between raters and of each rater with themselves.

    Both for ordinal and for interval ratings: four measures; none without raters. `level` is that
    of the confidence intervals.
    """
    if not ratings.raters:
        return []
    output = ratings.item.astype(np.int64) * len(ratings.systems) + ratings.system
    output_and_rater = output * len(ratings.raters) + ratings.rater
    unique, codes = np.unique(output_and_rater, return_inverse=True)
    # Agreement between raters uses the mean of repeated ratings of an output by one rater.
    means = group_means(ratings.value, codes.reshape(-1), len(unique))
    rated_output = unique // len(ratings.raters)
    rated_item = rated_output // len(ratings.systems)
    item = ratings.item.astype(np.int64)
    keys = resample_keys(resamples, seed)
    return [
        *_alphas("inter", rated_output, rated_item, means, keys, level),
        *_alphas("intra", output_and_rater, item, ratings.value, keys, level),
    ]


def _alphas(
    raters: str, unit: Int64, item: Int64, values: Float64, keys: Int64, level: float
) -> list[Measure]:
    """Measure alpha on both scales, for ratings with the same `unit`; items are resampled."""
    _, codes = np.unique(unit, return_inverse=True)
    unit = codes.reshape(-1)
    item_of = np.zeros(int(unit.max()) + 1, np.int64)
    item_of[unit] = item
    rated = int(np.count_nonzero(np.bincount(unit) > 1))
    rows = []
    for scale in ("ordinal", "interval"):
        disagreement = Disagreement(unit, values, scale)
        value = low = high = disagreement.alpha()
        if not math.isnan(value):
            batches = np.array_split(keys, -(-len(keys) // _RESAMPLES_PER_BATCH))
            items = int(item.max()) + 1
            weights = (row for batch in batches for row in _resample_counts(batch, items))
            samples = np.array([disagreement.alpha(row[item_of]) for row in weights])
            low, high = interval_around(value, samples, level)
        rows.append(Measure(raters, f"krippendorff-{scale}", value, low, high, rated))
    return rows


def _resample_counts(keys: Int64, items: int) -> Float64:
    """Return how often each resample has each item, float64[keys, items]."""
    item_counts = np.empty((len(keys), items))
    draw_bootstrap_counts(keys, item_counts)
    return item_counts


def _sign_test(pairs: PairJudgements) -> SignTest | None:
    """Test which of two systems is better; None for more systems, or if all pairs tie."""
    wins = pairs.wins()
    if len(wins) != 2 or not wins.sum():
        return None
    better = int(wins[1, 0] > wins[0, 1])
    won, lost = int(wins[better, 1 - better]), int(wins[1 - better, better])
    p_values = sign_test(won, lost), sign_test(won, lost, exact=False)
    names = pairs.systems[better], pairs.systems[1 - better]
    return SignTest(*names, won, lost, len(pairs) - won - lost, *p_values)
