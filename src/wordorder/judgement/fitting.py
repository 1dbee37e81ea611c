"""Weights of a metric that agree best with people: of LRscore, of SenScore, of a weighted sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.statistics.consistency import (
    BestWeight,
    Consistency,
    ConsistencyCurve,
    best_weights,
    consistency,
    consistency_curve,
    mean_curve,
)
from wordorder.types import Float64

# Why a strict count needs care; printed with every fit.
NOTE = (
    "a strict count rewards any weight that breaks ties: compare it with the count in which a tie "
    "is half right"
)


@dataclass(frozen=True, eq=False)
class FitInput:
    """What a fit needs to know of one set.

    Attributes
    ----------
    name : str
        Such as the language pair.
    differences : float64[M, N]
        Of each member of the sum, higher being better: the score of the output that people prefer
        less that of the other; NaN without a score.
    """

    name: str
    differences: Float64


@dataclass(frozen=True)
class SetFit:
    """What a fit found on one set.

    Attributes
    ----------
    name : str
    members : tuple of Consistency
        Of each member alone.
    fitted : Consistency
        With the weights that are best on all sets together.
    own_weights, own
        The weights that are best on this set alone, and the consistency with them.
    held_out_weights, held_out
        The weights that are best on all other sets, and the consistency with them here; None if
        no set was left out.
    curve : ConsistencyCurve, optional
        The consistency for every weight of the second of two members.
    """

    name: str
    members: tuple[Consistency, ...]
    fitted: Consistency
    own_weights: tuple[float, ...]
    own: Consistency
    held_out_weights: tuple[float, ...] | None = None
    held_out: Consistency | None = None
    curve: ConsistencyCurve | None = None


@dataclass(frozen=True, eq=False)
class WeightFit:
    """The weights that agree best with people, and how well.

    Attributes
    ----------
    names : tuple of str
        The members, M of them; "-bleu" for one that is subtracted.
    ties : "strict" or "half"
        How a pair that the sum ties was counted when the weights were chosen.
    weights : tuple of float
        They sum to 1: the best for the mean consistency of all sets.
    sets : tuple of SetFit
    curve : ConsistencyCurve, optional
        The mean consistency for every weight of the second of two members.
    best : BestWeight, optional
        Of the curve.
    option : str
        The option of a metric that was fitted, whose value is the second weight: "lr-kb1.alpha".
        Empty for a sum of metrics.
    """

    names: tuple[str, ...]
    ties: str
    weights: tuple[float, ...]
    sets: tuple[SetFit, ...]
    curve: ConsistencyCurve | None = None
    best: BestWeight | None = None
    option: str = ""

    def mean(self, part: str, ties: str = "strict") -> float:
        """Return the mean over sets of ``fitted``, ``own`` or ``held_out``; NaN if there is none.

        Examples
        --------
        >>> one = FitInput("de-en", np.array([[1.0, -1.0], [-1.0, 3.0]]))
        >>> fit_weights(("words", "order"), [one]).mean("fitted")
        1.0
        """
        shares = [getattr(each, part) for each in self.sets]
        if not shares or any(each is None for each in shares):
            return float("nan")
        return float(np.mean([getattr(each, ties) for each in shares]))


def fit_weights(
    names: Sequence[str],
    sets: Sequence[FitInput],
    *,
    ties: str = "strict",
    leave_out: bool = False,
    option: str = "",
) -> WeightFit:
    """Choose the weights of a sum that agree best with people, over all sets at once.

    The mean over sets of the share of preferences that the sum orders as people do is as high as
    it gets (Birch & Osborne 2011, section 3 and table 3). With two members that is exact: each
    preference turns at one weight.

    Parameters
    ----------
    names : sequence of str
        The members, two or more.
    sets : sequence of FitInput
    ties : "strict" or "half"
        What a pair that the sum ties counts: nothing, or half.
    leave_out : bool
        Whether to fit, for each set, the weights on all others too, and judge them on it.
    option : str
        What the second of two weights is, if it is an option of a metric.

    Raises
    ------
    UsageError
        If there are fewer than two members, no set, no second set to leave one out, or a set
        without a pair that all members score.

    Examples
    --------
    >>> one = FitInput("de-en", np.array([[3.0, -1.0, 0.0], [-1.0, 1.0, 1.0]]))
    >>> result = fit_weights(("words", "order"), [one])
    >>> result.weights, result.sets[0].fitted.strict, round(result.sets[0].members[0].strict, 4)
    ((0.375, 0.625), 1.0, 0.3333)
    """
    if len(names) < 2:
        raise UsageError("a fit needs two metrics or more that are added up")
    if not sets:
        raise UsageError("a fit needs at least one set with preferences of people")
    if leave_out and len(sets) < 2:
        raise UsageError("to leave a language pair out, a fit needs two or more of them")
    used = [_usable(each, len(names)) for each in sets]
    curves = [consistency_curve(*each) for each in used] if len(names) == 2 else []
    everything = list(range(len(used)))

    def weights(chosen: Sequence[int]) -> Float64:
        if curves:
            alpha = mean_curve([curves[n] for n in chosen]).best(ties).alpha
            return np.array([1 - alpha, alpha])
        return best_weights([used[n] for n in chosen], ties=ties)[0]

    fitted = weights(everything)
    fitted_sets = []
    for n, (given, matrix) in enumerate(zip(sets, used, strict=True)):
        own = weights([n]) if len(sets) > 1 else fitted
        held_out = weights([m for m in everything if m != n]) if leave_out else None
        fitted_sets.append(
            SetFit(
                given.name,
                tuple(consistency(row) for row in matrix),
                consistency(_sum(fitted, matrix)),
                tuple(own.tolist()),
                consistency(_sum(own, matrix)),
                None if held_out is None else tuple(held_out.tolist()),
                None if held_out is None else consistency(_sum(held_out, matrix)),
                curves[n] if curves else None,
            )
        )
    mean = mean_curve(curves) if curves else None
    return WeightFit(
        tuple(names),
        ties,
        tuple(fitted.tolist()),
        tuple(fitted_sets),
        mean,
        mean.best(ties) if mean else None,
        option,
    )


def _usable(given: FitInput, members: int) -> Float64:
    """Return the differences of the preferences for which all members have scores."""
    if given.differences.ndim != 2 or len(given.differences) != members:
        shape = given.differences.shape
        raise UsageError(
            f"{given.name}: differences of shape {shape}, {counted(members, 'member')}"
        )
    used = given.differences[:, ~np.isnan(given.differences).any(axis=0)]
    if not used.shape[1]:
        raise UsageError(f"{given.name}: no preference of people has scores for both outputs")
    return used


def _sum(weights: Float64, matrix: Float64) -> Float64:
    """Add up the members; a member of weight 0 takes no part, to the last digit."""
    used = weights > 0
    return np.asarray(weights[used] @ matrix[used], np.float64)
