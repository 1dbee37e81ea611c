"""How far raters agree with each other, and with themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.judgement.judgement_files import given_judgements
from wordorder.judgement.judgements import FailedRater, Judgements, PairJudgements, Ratings
from wordorder.scoring.result_columns import columns, number_or_none, signed_columns
from wordorder.statistics.exact_sum import group_means
from wordorder.statistics.intervals import interval_around
from wordorder.statistics.measurement import counts, resample_keys
from wordorder.statistics.raters import Disagreement, pairwise_agreement, sign_test, unusual_raters
from wordorder.text.opening import Path

# Resamples that are drawn together.
_AT_ONCE = 64
_WAYS = (("inter", False), ("intra", True))


@dataclass(frozen=True)
class AgreementRow:
    """One measure of how far raters agree.

    Attributes
    ----------
    raters : "inter" or "intra"
        Different raters, or each with himself.
    statistic : str
        "kappa", "kappa-uniform", "krippendorff-nominal", …
    value, low, high : float
        NaN if nothing was judged twice; the interval comes from resampling items.
    n : int
        Pairs of judgements that were compared, or outputs with two ratings or more.
    observed, chance : float, optional
        P_A and P_E of a kappa.
    """

    raters: str
    statistic: str
    value: float
    low: float
    high: float
    n: int
    observed: float | None = None
    chance: float | None = None


@dataclass(frozen=True)
class SignTest:
    """Whether one of two systems is preferred more often than chance explains.

    Attributes
    ----------
    better, worse : str
        The systems, the one with more wins first.
    wins, losses, ties : int
    p_value, p_normal : float
        One-sided: exact, and by the normal approximation without correction.
    """

    better: str
    worse: str
    wins: int
    losses: int
    ties: int
    p_value: float
    p_normal: float


@dataclass(frozen=True)
class RaterToLookAt:
    """A rater of a project whose ratings are unlike those of the others: see `unusual_raters`.

    Attributes
    ----------
    name : str
    what : "constant", "inverted", "random" or "biased"
    ratings : int
    correlation, bias : float
        With the mean of the others, and the mean difference from it.
    """

    name: str
    what: str
    ratings: int
    correlation: float
    bias: float


@dataclass(frozen=True)
class RaterAgreement:
    """What `agreement` found.

    Attributes
    ----------
    rows : tuple of AgreementRow
    sign_test : SignTest, optional
        If two systems were compared.
    judgements, raters, items : int
        How many there are.
    level : float
    resamples, seed : int
    signature : str
        How a project of `rate` collected the judgements.
    failed : tuple of FailedRater
        Who is left out: they failed the control items.
    everybody : RaterAgreement, optional
        The same with those who failed.
    unusual : tuple of RaterToLookAt
        Of ratings of a project.
    """

    rows: tuple[AgreementRow, ...]
    sign_test: SignTest | None
    judgements: int
    raters: int
    items: int
    level: float
    resamples: int
    seed: int
    signature: str = ""
    failed: tuple[FailedRater, ...] = ()
    everybody: RaterAgreement | None = None
    unusual: tuple[RaterToLookAt, ...] = ()

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for each measure, as columns: ``pandas.DataFrame`` takes them.

        Returns
        -------
        dict of str to list
            ``raters``, ``statistic``, ``value``, ``low``, ``high``, ``n``, ``observed``,
            ``chance`` (None where there is no number); of a project ``signature``.
        """
        header = ["raters", "statistic", "value", "low", "high", "n", "observed", "chance"]
        rows = [
            [
                *(row.raters, row.statistic, *map(number_or_none, (row.value, row.low, row.high))),
                *(row.n, number_or_none(row.observed), number_or_none(row.chance)),
            ]
            for row in self.rows
        ]
        return signed_columns(columns(header, rows), self.signature)


def agreement(
    judgements: Judgements | Path,
    *,
    languages: str | None = None,
    items: Path | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> RaterAgreement:
    r"""Measure how far raters agree, with intervals from resampling items.

    Of pairs and rankings: the agreement on each two outputs that were judged twice, as the shared
    tasks of WMT measure it, between raters and of each with himself; and the sign test if there are
    two systems. Of ratings: Krippendorff's alpha on the ordinal and on the interval scale, between
    raters, of whose repeated ratings the mean counts, and of each with himself.

    Parameters
    ----------
    judgements : PairJudgements, Ratings or path
        What `read_judgements` reads.
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
        As `read_judgements`.
    UsageError
        If the judgements name no raters, or an option is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ratings.tsv")
    >>> _ = path.write_text("rater\titem\tsystem\tvalue\n" + "".join(
    ...     f"{rater}\t{item}\tA\t{item}\n" for rater in "xy" for item in range(20)))
    >>> [(row.statistic, row.value) for row in agreement(path).rows if row.n]
    [('krippendorff-ordinal', 1.0), ('krippendorff-interval', 1.0)]
    """
    judgements = given_judgements(judgements, languages, items, level=level)
    if isinstance(judgements, Ratings):
        rows, test = _of_ratings(judgements, level, resamples, seed), None
    else:
        assert isinstance(judgements, PairJudgements)
        test = _sign_test(judgements)
        rows = _of_pairs(judgements, level, resamples, seed)
    if not judgements.raters and test is None:
        raise UsageError("these judgements name no raters, so nobody's agreement can be measured")
    judgements.note_few_items("intervals are too narrow")
    everybody = None
    if judgements.everybody is not None:
        everybody = agreement(judgements.everybody, level=level, resamples=resamples, seed=seed)
    sizes = len(judgements), len(judgements.raters), len(judgements.items)
    return RaterAgreement(
        *(tuple(rows), test, *sizes, level, resamples, seed, judgements.signature),
        *(judgements.failed, everybody, _unusual(judgements)),
    )


def _unusual(judgements: Judgements) -> tuple[RaterToLookAt, ...]:
    """Find the raters of a project to look at."""
    if not judgements.signature or not isinstance(judgements, Ratings):
        return ()
    unit = judgements.item.astype(np.int64) * len(judgements.systems) + judgements.system
    found = unusual_raters(judgements.rater, unit, judgements.value)
    names = judgements.raters
    return tuple(
        RaterToLookAt(names[of.rater], of.what, of.ratings, of.correlation, of.bias) for of in found
    )


def _of_pairs(pairs: PairJudgements, level: float, resamples: int, seed: int) -> list[AgreementRow]:
    """Measure the agreement on pairs between raters and of each with himself."""
    rows = []
    for name, within in _WAYS if pairs.raters else ():
        for statistic, chance in (("kappa", "marginals"), ("kappa-uniform", "uniform")):
            found = pairwise_agreement(
                *(pairs.item, pairs.rater, pairs.first, pairs.second, pairs.outcome),
                within=within,
                chance=chance,
                level=level,
                resamples=resamples,
                seed=seed,
            )
            values = found.kappa, found.low, found.high, found.pairs, found.observed, found.chance
            rows.append(AgreementRow(name, statistic, *values))
    return rows


def _of_ratings(ratings: Ratings, level: float, resamples: int, seed: int) -> list[AgreementRow]:
    """Measure Krippendorff's alpha of outputs that were rated several times."""
    if not ratings.raters:
        return []
    output = ratings.item.astype(np.int64) * len(ratings.systems) + ratings.system
    # The ratings that one rater gave to one output.
    own = output * len(ratings.raters) + ratings.rater
    each, codes = np.unique(own, return_inverse=True)
    means = group_means(ratings.value, codes.reshape(-1), len(each))
    once = each // len(ratings.raters)
    keys = resample_keys(resamples, seed)
    return [
        *_alphas("inter", once, once // len(ratings.systems), means, keys, level),
        *_alphas("intra", own, ratings.item.astype(np.int64), ratings.value, keys, level),
    ]


def _alphas(
    raters: str, unit: Int64, item: Int64, values: Float64, keys: Int64, level: float
) -> list[AgreementRow]:
    """Measure alpha of ratings of units; items are resampled, each with all its units."""
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
            parts = np.array_split(keys, -(-len(keys) // _AT_ONCE))
            drawn = (times for some in parts for times in _times(some, int(item.max()) + 1))
            samples = np.array([disagreement.alpha(times[item_of]) for times in drawn])
            low, high = interval_around(value, samples, level)
        rows.append(AgreementRow(raters, f"krippendorff-{scale}", value, low, high, rated))
    return rows


def _times(keys: Int64, items: int) -> Float64:
    """Return how often each item comes in some resamples, float64[keys, items]."""
    times = np.empty((len(keys), items))
    counts(keys, times)
    return times


def _sign_test(pairs: PairJudgements) -> SignTest | None:
    """Test which of two systems is better; None with more of them, or without a decision."""
    wins = pairs.wins()
    if len(wins) != 2 or not wins.sum():
        return None
    better = int(wins[1, 0] > wins[0, 1])
    won, lost = int(wins[better, 1 - better]), int(wins[1 - better, better])
    p_values = sign_test(won, lost), sign_test(won, lost, exact=False)
    names = pairs.systems[better], pairs.systems[1 - better]
    return SignTest(*names, won, lost, len(pairs) - won - lost, *p_values)
