"""Ranking systems by human judgements of their outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import Bool, Float64, Int64, OnProgress
from wordorder.errors import UsageError, choose
from wordorder.judgement.judgement_files import check_judgements
from wordorder.judgement.judgements import FailedRater, Judgements, PairJudgements, Ratings
from wordorder.judgement.mean_ratings import RatedPair, resampled_means, weighted_mean
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.progress import shows_progress
from wordorder.records import Record, key
from wordorder.statistics import ranking_models, trueskill
from wordorder.statistics.exact_means import exact_means, group_sums
from wordorder.statistics.measurement import bootstrap_totals
from wordorder.text.opening import Path

WAYS = ("wins", "expected-wins", "bradley-terry", "trueskill", "z", "mean")
_OF_RATINGS = ("z", "mean")
# On a resample a system may win always; so little does not move the others.
_PRIOR = 0.01
# Runs of TrueSkill between two reports of progress play about so many matches.
_MATCHES = 1 << 21


@dataclass(frozen=True)
class RankedSystem(Record):
    """A system in a ranking."""

    system: str = key(
        "its name; systems come with the best of each component first", heading="system"
    )
    value: float = key(
        "higher is better; missing without a decided judgement", null=True, heading="value"
    )
    low: float = key(
        "the lower end of the interval, from resampling items", null=True, heading="interval"
    )
    high: float = key("the upper end of the interval", null=True, heading="interval")
    cluster: int = key(
        "from 1, the best of its component; the ranks of systems of one cluster overlap, directly "
        "or through others"
    )
    best: int = key("the best rank that it may have, from 1", heading="rank")
    worst: int = key("the worst rank that it may have", heading="rank")
    judgements: int = key("how many judgements or ratings it has", heading="judgements")
    component: int = key(
        "from 1; systems of two components were never compared, not even through others, so ranks "
        "and clusters are those within a component",
        heading="component",
        default=1,
    )
    above: tuple[str, ...] = key(
        "the systems that it surely beats, each pair taken by itself", default=()
    )


@dataclass(frozen=True)
class Ranking(Record, rows="systems", first="system by", last="signature?"):
    """Systems ranked by people."""

    by: str = key("what the systems are ranked by")
    over: str = key("what was resampled: `items`, `raters` or `both`")
    judgements: int = key("judged pairs of systems; with `z` and `mean` the ratings that count")
    ties: int = key("how many of the pairs tie")
    items: int = key("how many items, or segments, were judged")
    raters: int = key("how many raters there are")
    level: float = key("the level of the intervals")
    resamples: int = key("how many resamples were drawn")
    seed: int = key("where the random choices started")
    prior: float = key("with `bradley-terry`: the wins and losses that were added to each system")
    systems: tuple[RankedSystem, ...] = key("the systems")
    pairs: tuple[RatedPair, ...] | None = key(
        "with `--pairs`: the differences of the systems' mean ratings", default=None
    )
    signature: str | None = key(
        "of a project of `rate`: how the judgements were collected", default=None
    )
    failed_raters: tuple[FailedRater, ...] = key(
        "of a project: who failed the control items and is left out", default=()
    )
    everybody: Ranking | None = key(
        "of a project: the same result with those who failed", default=None
    )


@shows_progress("runs", total=lambda given: given.get("resamples"))
def rank(
    judgements: Judgements | Path,
    *,
    by: str | None = None,
    over: str = "items",
    languages: str | None = None,
    items: Path | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    prior: float = 0.0,
    progress: OnProgress | None = None,
) -> Ranking:
    r"""Rank systems by human judgements, with intervals and clusters from resampling items.

    Parameters
    ----------
    judgements : PairJudgements, Ratings or path
        What `read_judgements` reads. Of ratings, two by one rater on one item are a pair.
    by : "wins", "expected-wins", "bradley-terry", "trueskill", "z" or "mean", optional
        Won / (won + lost), ties ignored; the mean of that over opponents (WMT13); the logarithm of
        the odds; the mean skill over runs of matches (WMT14-16, see `trueskill_runs`); the mean
        standard score over segments (direct assessment); the mean rating over segments. Without
        it, wins of pairs and z of ratings.
    over : "items", "raters" or "both"
        What is resampled: items with all their judgements, raters with all of theirs, or both at
        once, which is for `by` "z" and "mean".
    languages, items : optional
        Passed on to `read_judgements`.
    level : float
        The confidence of the intervals.
    resamples : int
        Also the number of runs of TrueSkill.
    seed : int
    prior : float
        For "bradley-terry": the number of wins, and of losses, added to each system; see
        `bradley_terry`.
    progress : callable, optional
        Is told how many runs of TrueSkill are done.

    Returns
    -------
    Ranking

    Raises
    ------
    InputError
        As `read_judgements`.
    UsageError
        If an option is wrong or does not fit the judgements.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
    >>> rows = [f"{n}\tB\tA" if n % 4 else f"{n}\tA\tB" for n in range(24)]
    >>> _ = path.write_text("\n".join(["segment\tbetter\tworse", *rows]))
    >>> [(system.system, system.value) for system in rank(path).systems]
    [('B', 0.75), ('A', 0.25)]
    """
    judgements = check_judgements(judgements, languages, items, over=over, level=level)
    if prior and by != "bradley-terry":
        raise UsageError("--prior is for --by=bradley-terry")
    usual = "z" if isinstance(judgements, Ratings) else "wins"
    by = usual if by is None else choose("by", by, WAYS)
    drawn = {"resamples": resamples, "seed": seed}
    if by in _OF_RATINGS:
        ranked = _rank_ratings(judgements, by, over, **drawn)
    else:
        ranked = _rank_pairs(judgements, by, over, prior, progress, **drawn)
    if over != "raters":
        judgements.note_few_items("intervals are too narrow and clusters too many")
    everybody = None
    if judgements.everybody is not None:
        options: dict[str, Any] = {"over": over, "prior": prior, "level": level, **drawn}
        everybody = rank(judgements.everybody, by=by, progress=progress, **options)
    return Ranking(
        by=by,
        over=over,
        judgements=ranked.size,
        ties=ranked.ties,
        items=ranked.items,
        raters=len(judgements.raters),
        level=level,
        resamples=resamples,
        seed=seed,
        prior=prior,
        systems=tuple(_ranked_systems(judgements.systems, ranked, level)),
        signature=judgements.signature or None,
        failed_raters=judgements.failed,
        everybody=everybody,
    )


@dataclass(frozen=True, eq=False)
class _RankedValues:
    """The values that rank systems, with their resamples.

    Attributes
    ----------
    values : float64[N]
    samples : float64[R, N]
        The values on each resample.
    counts : int64[N]
        The judgements of each system.
    components : list of int64[n]
        Systems that were compared with each other, directly or through others.
    size, ties, items : int
        The judgements that count, the ties among them, and the judged items.
    """

    values: Float64
    samples: Float64
    counts: Int64
    components: list[Int64]
    size: int
    ties: int
    items: int


def _rank_ratings(judgements: Judgements, by: str, over: str, **drawn: int) -> _RankedValues:
    """Return the mean score of each system."""
    if not isinstance(judgements, Ratings):
        others = ", ".join(way for way in WAYS if way not in _OF_RATINGS)
        raise UsageError(f"{by} ranks by ratings, and these are pairs; choose one of {others}")
    scores = judgements.value if by == "mean" else _standard(judgements)
    scored = judgements.taking(~np.isnan(scores))
    values, samples = _by_scores(scored, scores[~np.isnan(scores)], over, **drawn)
    return _RankedValues(
        values=values,
        samples=samples,
        counts=np.bincount(scored.system, minlength=len(scored.systems)),
        components=_components(_rated_together(scored)),
        size=len(scored),
        ties=0,
        items=len(np.unique(scored.item)),
    )


def _rank_pairs(
    judgements: Judgements,
    by: str,
    over: str,
    prior: float,
    progress: OnProgress | None,
    *,
    resamples: int,
    seed: int,
) -> _RankedValues:
    """Return the value of each system by the pairs that people compared."""
    if over == "both":
        raise UsageError(f"items and raters are resampled by z and mean only, not by {by}")
    pairs = judgements.pairs() if isinstance(judgements, Ratings) else judgements
    assert isinstance(pairs, PairJudgements)
    pairs = pairs.expanded()
    if not len(pairs):
        raise UsageError(f"{by} ranks by pairs, but no rater rated two systems on one item")
    if by == "trueskill" and over == "raters":
        raise UsageError("trueskill resamples items; choose another way for raters")
    met = np.zeros((len(pairs.systems),) * 2, np.bool_)
    met[pairs.first, pairs.second] = met[pairs.second, pairs.first] = True
    components = _components(met)
    if by == "trueskill":
        values, samples = _by_trueskill(pairs, resamples, seed, progress)
    else:
        drawn = {"resamples": resamples, "seed": seed}
        values, samples = _by_pairs(pairs, by, over, prior, components, **drawn)
    both = np.concatenate([pairs.first, pairs.second])
    return _RankedValues(
        values=values,
        samples=samples,
        counts=np.bincount(both, minlength=len(pairs.systems)),
        components=components,
        size=len(pairs),
        ties=int(np.count_nonzero(pairs.outcome == 0)),
        items=len(judgements.items),
    )


def _ranked_systems(
    systems: Sequence[str], ranked: _RankedValues, level: float
) -> Iterator[RankedSystem]:
    """Yield the systems of each component, the best first."""
    for component, members in enumerate(ranked.components, 1):
        names = [systems[i] for i in members]
        value, samples = ranked.values[members], ranked.samples[:, members]
        ranges = ranking_models.rank_ranges(value, samples, level=level)
        order = np.argsort(-np.where(np.isnan(value), -np.inf, value), kind="stable").tolist()
        for i in order:
            yield RankedSystem(
                system=names[i],
                value=value[i].item(),
                low=ranges.low[i].item(),
                high=ranges.high[i].item(),
                cluster=ranges.cluster[i].item(),
                best=ranges.best[i].item(),
                worst=ranges.worst[i].item(),
                judgements=ranked.counts[members][i].item(),
                component=component,
                above=tuple(names[j] for j in order if ranges.above[i, j]),
            )


def _components(met: Bool) -> list[Int64]:
    """Return the systems that were compared with each other, directly or through others."""
    first = ranking_models.reachable(met).argmax(axis=1)
    return [np.flatnonzero(first == number) for number in np.unique(first)]


def _rated_together(ratings: Ratings) -> Bool:
    """Return which systems have a rated item or a rater in common; unknown raters are one."""
    met = np.zeros((len(ratings.systems),) * 2, np.bool_)
    for column in (ratings.item, ratings.rater + 1):
        shared = np.zeros((len(met), int(column.max(initial=0)) + 1), np.float32)
        shared[ratings.system, column] = 1
        met |= shared @ shared.T > 0
    return met


def _by_scores(
    ratings: Ratings, scores: Float64, over: str, **drawn: int
) -> tuple[Float64, Float64]:
    """Return the mean score of each system, and its values on resamples."""
    means = ratings.means(scores)
    rated = ~np.isnan(means)
    sums = np.vstack([np.where(rated, means, 0.0), rated]).T
    values = exact_means(means)
    if over == "both":
        samples = resampled_means(replace(ratings, value=scores), over=over, **drawn)
        return values, np.array([weighted_mean(means, weights) for weights, means in samples])
    if over == "raters":
        return values, values + _by_raters(ratings, scores, **drawn)
    return values, _quotients(bootstrap_totals(sums, **drawn))


def _quotients(totals: Float64) -> Float64:
    """Divide the left half of each row by the right one; NaN where that is 0."""
    added, number = np.split(totals, 2, axis=1)
    return np.where(number > 0, added / np.maximum(number, 1), np.nan)


def _standard(ratings: Ratings) -> Float64:
    """Return standard scores; NaN of raters who gave one value only, which a note says."""
    if ratings.standard is not None:
        return ratings.standard
    scores = ranking_models.standard_scores(ratings.value, ratings.rater)
    if not ratings.raters:
        note("the file names no raters: all values were standardised together")
    if unknown := int(np.isnan(scores).sum()):
        share = percent(unknown, len(scores))
        what = f"{counted(unknown, 'rating')} of {len(scores)} ({share})"
        note(f"left out {what} of raters who gave one value only")
    if unknown == len(scores):
        raise UsageError("no rater gave two different values, so z says nothing")
    return scores


def _by_raters(ratings: Ratings, scores: Float64, **drawn: int) -> Float64:
    """Return how much the mean score of each system differs on resamples of raters."""
    systems, raters = len(ratings.systems), len(ratings.raters)
    cells = ratings.rater.astype(np.int64) * systems + ratings.system
    both = (group_sums(each, cells, raters * systems) for each in (scores, np.ones(len(scores))))
    sums = np.hstack([each.reshape(raters, systems) for each in both])
    means = _quotients(np.vstack([sums.sum(axis=0), bootstrap_totals(sums, **drawn)]))
    apart: Float64 = means[1:] - means[0]
    return apart


def _by_pairs(
    pairs: PairJudgements,
    by: str,
    over: str,
    prior: float,
    components: Sequence[Int64],
    **drawn: int,
) -> tuple[Float64, Float64]:
    """Return the value of each system, and its values on resamples."""
    systems = len(pairs.systems)
    drawn_of, items = pairs.item, len(pairs.items)
    if over == "raters":
        drawn_of, items = pairs.rater, len(pairs.raters)
    judged = drawn_of, pairs.first, pairs.second, pairs.outcome
    counts = ranking_models.wins_by_item(*judged, items=items, systems=systems)
    tables = bootstrap_totals(counts, **drawn).reshape(-1, systems, systems)
    whole = counts.sum(axis=0).reshape(systems, systems)
    if by == "bradley-terry":
        values, samples = np.empty(systems), np.empty((len(tables), systems))
        for members in components:
            rows, columns = np.ix_(members, members)
            wins = whole[rows, columns]
            if not prior:
                ranking_models.require_strengths(wins, [pairs.systems[i] for i in members])
            values[members] = ranking_models.bradley_terry(wins, prior=prior)
            samples[:, members] = ranking_models.bradley_terry(
                tables[:, rows, columns], prior=prior or _PRIOR
            )
        return values, samples
    value: Callable[[Float64], Float64] = (
        ranking_models.ratio_of_wins if by == "wins" else ranking_models.expected_wins
    )
    return value(whole), value(tables)


def _by_trueskill(
    pairs: PairJudgements, runs: int, seed: int, progress: OnProgress | None
) -> tuple[Float64, Float64]:
    """Return the mean skill of each system, and that of each run."""
    at_once = max(1, _MATCHES // len(pairs))
    judged = pairs.item, pairs.first, pairs.second, pairs.outcome
    sizes: dict[str, Any] = {"items": len(pairs.items), "systems": len(pairs.systems), "seed": seed}
    skills = []
    for first in range(0, runs, at_once):
        if progress is not None:
            progress(first)
        number = min(at_once, runs - first)
        skills.append(trueskill.trueskill_runs(*judged, runs=number, before=first, **sizes).mu)
    samples = np.concatenate(skills)
    return samples.mean(axis=0), samples
