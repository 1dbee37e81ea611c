"""The output of `correlate --fit`: weights, and how many human preferences they agree with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wordorder.judgement.fitting import SetFit, WeightFit
from wordorder.records import Record, key
from wordorder.statistics.consistency import Consistency

# Number of steps of the weight, from 0 to 1, of the curve in JSON.
CURVE_STEPS = 100


@dataclass(frozen=True, kw_only=True)
class SharedPairs(Record):
    """Counts of human preferences, and of those that scores agree with."""

    pairs: int = key("preferences for which both outputs have a score")
    agreeing: int = key("those that the scores order as people do")
    tied: int = key("those whose outputs have equal scores")
    strict: float = key("the share of agreeing ones", null=True)
    half: float = key("the same, a tie being half of one", null=True)


@dataclass(frozen=True, kw_only=True)
class WeightedPairs(SharedPairs):
    """The same counts for a sum, with its weights."""

    weights: tuple[float, ...] | None = key("the weights; `null` where each part has its own")


@dataclass(frozen=True, kw_only=True)
class FittedSet(Record):
    """The fit on one set."""

    name: str = key("the evaluation set")
    members: Mapping[str, SharedPairs] = key("an object: each member of the sum by itself")
    fitted: SharedPairs = key("the sum with the fitted weights")
    own: WeightedPairs = key("the sum with weights fitted to this set alone")
    held_out: WeightedPairs | None = key(
        "what weights say that were chosen without it, or without each tenth of its segments"
    )


@dataclass(frozen=True, kw_only=True)
class CurvePoint(Record):
    """The consistency at one weight."""

    alpha: float = key("the weight of the first member")
    strict: float = key("consistency with people, ties of the metric being wrong", null=True)
    half: float = key("the same, ties of the metric being half right", null=True)


@dataclass(frozen=True, kw_only=True)
class HeldOutShares(Record):
    """The mean consistency on held-out data."""

    strict: float = key("consistency with people, ties of the metric being wrong", null=True)
    half: float = key("the same, ties of the metric being half right", null=True)


@dataclass(frozen=True, kw_only=True)
class FitTable(Record):
    """Weights, or the value of an option, fitted to people's preferences."""

    option: str | None = key("the option that was fitted; `null` for weights")
    names: tuple[str, ...] = key("names of the members of the sum")
    weights: tuple[float, ...] = key("one weight per member, or the value of the option")
    ties: str = key("`strict` or `half`: how ties of the metric count")
    strict: float = key("consistency with people, ties of the metric being wrong", null=True)
    half: float = key("the same, ties of the metric being half right", null=True)
    sets: tuple[FittedSet, ...] = key("each set alone")
    low: float | None = key("of two members: the lowest weight of the first that is as good")
    high: float | None = key("the highest one")
    curve: tuple[CurvePoint, ...] | None = key(
        "of two members: consistency by the weight of the first"
    )
    held_out: HeldOutShares | None = key("with `-O leave-out`: the mean over the sets")
    folds: tuple[tuple[float, ...], ...] | None = key(
        "the weights without each tenth of the segments"
    )
    costs: Mapping[str, float] | None = key(
        "of `tree-cost.costs`: an operator and its cost; `*` for all others"
    )


def fit_table(fit: WeightFit) -> FitTable:
    """Return a fit as a record; numbers are not rounded."""
    curve, best = fit.curve, fit.best
    held_out = None
    if fit.sets[0].held_out is not None:
        shares = {ties: fit.mean("held_out", ties) for ties in ("strict", "half")}
        held_out = HeldOutShares(**shares)
    points: tuple[CurvePoint, ...] | None = None
    if curve is not None and best is not None:
        points = tuple(
            CurvePoint(alpha=alpha, strict=curve.value(alpha), half=curve.value(alpha, "half"))
            for alpha, _ in curve.sampled(CURVE_STEPS)
        )
    return FitTable(
        option=fit.option or None,
        names=tuple(fit.names),
        weights=tuple(fit.weights),
        ties=fit.ties,
        strict=fit.mean("fitted"),
        half=fit.mean("fitted", "half"),
        sets=tuple(_fitted_set(fit, result) for result in fit.sets),
        low=best.low if points is not None and best is not None else None,
        high=best.high if points is not None and best is not None else None,
        curve=points,
        held_out=held_out,
        folds=tuple(map(tuple, fit.folds)) or None,
        costs=fit.costs or None,
    )


def _fitted_set(fit: WeightFit, result: SetFit) -> FittedSet:
    held_out = None
    if result.held_out is not None:
        weights = result.held_out_weights
        held_out = WeightedPairs(
            **_counts(result.held_out), weights=None if weights is None else tuple(weights)
        )
    members = zip(fit.names, result.members, strict=True)
    return FittedSet(
        name=result.name,
        members={name: SharedPairs(**_counts(member)) for name, member in members},
        fitted=SharedPairs(**_counts(result.fitted)),
        own=WeightedPairs(**_counts(result.own), weights=tuple(result.own_weights)),
        held_out=held_out,
    )


def _counts(consistency: Consistency) -> dict[str, Any]:
    names = ("pairs", "agreeing", "tied", "strict", "half")
    return {name: getattr(consistency, name) for name in names}
