"""Consistency: the share of people's preferences that a metric shares, for any weight of a sum."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError, choose
from wordorder.statistics.intervals import RESOLUTION

# How a pair that the metric ties counts: not at all, or half.
TIE_RULES = ("strict", "half")


@dataclass(frozen=True)
class Consistency:
    """How many strict preferences of people a metric shares.

    Attributes
    ----------
    pairs : int
        Preferences for which both outputs have a score.
    agreeing, tied : int
        Those that the metric orders as people do, and those whose outputs it scores alike.
    missing : int
        Preferences left out because an output has no score.
    """

    pairs: int
    agreeing: int
    tied: int
    missing: int = 0

    @property
    def strict(self) -> float:
        """Share of agreeing pairs; ties do not agree. NaN without pairs."""
        return self.agreeing / self.pairs if self.pairs else float("nan")

    @property
    def half(self) -> float:
        """Share of agreeing pairs, a tie being half of one; NaN without pairs."""
        return (self.agreeing + self.tied / 2) / self.pairs if self.pairs else float("nan")


def pair_differences(scores: Float64, items: Int64, better: Int64, worse: Int64) -> Float64:
    """Return the metric's score difference between the preferred and the other output, float64[N].

    Parameters
    ----------
    scores : float64[n, S]
        Scores of n systems on S items, higher is better; NaN for a missing score.
    items, better, worse : int64[N]
        One entry a preference.

    Notes
    -----
    Scores that differ by less than 1e-9 of themselves differ by rounding: the difference is 0.

    Examples
    --------
    >>> scores = np.array([[0.1 + 0.2, 1.0], [0.3, 0.5]])
    >>> pair_differences(scores, np.array([0, 1]), np.array([0, 1]), np.array([1, 0])).tolist()
    [0.0, -0.5]
    """
    return score_differences(scores[better, items], scores[worse, items])


def score_differences(ours: Float64, theirs: Float64) -> Float64:
    """Return ``ours - theirs``, and 0 where only rounding makes them differ.

    Examples
    --------
    >>> score_differences(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5])).tolist()
    [0.0, 0.5]
    """
    difference = ours - theirs
    rounding = RESOLUTION * np.maximum(np.abs(ours), np.abs(theirs))
    return np.where(np.abs(difference) <= rounding, 0.0, difference)


def consistency(differences: Float64) -> Consistency:
    """Count the preferences of people that a metric shares (Birch & Osborne 2011, section 3).

    Parameters
    ----------
    differences : float64[N]
        Score of the output that people prefer less that of the other; NaN without a score.

    Examples
    --------
    >>> result = consistency(np.array([0.2, 0.1, 0.0, -0.3, np.nan]))
    >>> result.strict, result.half, result.pairs, result.missing
    (0.5, 0.625, 4, 1)
    """
    missing = int(np.count_nonzero(np.isnan(differences)))
    agreeing, tied = np.count_nonzero(differences > 0), np.count_nonzero(differences == 0)
    return Consistency(len(differences) - missing, int(agreeing), int(tied), missing)


@dataclass(frozen=True)
class BestWeight:
    """The weights with the highest consistency: between `low` and `high`.

    Attributes
    ----------
    alpha : float
        The middle.
    low, high : float
        All weights between the two are as good; the same if only one weight is.
    value : float
        The consistency there.
    """

    alpha: float
    low: float
    high: float
    value: float


@dataclass(frozen=True, eq=False)
class ConsistencyCurve:
    """Consistency for every weight: constant between `alphas`, other values at them.

    Attributes
    ----------
    alphas : float64[K]
        Ascending, from 0 to 1: the weights at which some preference turns, and both ends.
    at : float64[2, K]
        The consistency at each, "strict" and "half".
    between : float64[2, K - 1]
        The consistency between each and the next.
    pairs : int
    """

    alphas: Float64
    at: Float64
    between: Float64
    pairs: int

    def value(self, alpha: float, ties: str = "strict") -> float:
        """Return the consistency of a weight.

        Raises
        ------
        UsageError
            If `alpha` is not between 0 and 1.
        """
        if not 0 <= alpha <= 1:
            raise UsageError(f"alpha is from 0 to 1, got {alpha}")
        row = _row(ties)
        place = int(np.searchsorted(self.alphas, alpha))
        if self.alphas[place] == alpha:
            return float(self.at[row, place])
        return float(self.between[row, place - 1])

    def best(self, ties: str = "strict") -> BestWeight:
        """Return the widest of the stretches with the highest consistency.

        0 or 1 alone is chosen only if it is better than all stretches; any other weight at which
        a preference turns is at most as good as one side of it. Stretches of less than 1e-9 are
        made by rounding.
        """
        row = _row(ties)
        width = np.diff(self.alphas)
        between = np.where(width > RESOLUTION, self.between[row], -1.0)
        highest = between.max()
        end = int(self.at[row, -1] > self.at[row, 0])
        if self.at[row, -end] > highest + RESOLUTION:
            return BestWeight(end, end, end, float(self.at[row, -end]))
        place = int(np.where(between >= highest - RESOLUTION, width, -1.0).argmax())
        low, high = float(self.alphas[place]), float(self.alphas[place + 1])
        return BestWeight((low + high) / 2, low, high, float(highest))

    def sampled(self, steps: int = 20, ties: str = "strict") -> list[tuple[float, float]]:
        """Return weights from 0 to 1 in equal steps with their consistency."""
        weights = [step / steps for step in range(steps + 1)]
        return [(alpha, self.value(alpha, ties)) for alpha in weights]


def consistency_curve(at_0: Float64, at_1: Float64) -> ConsistencyCurve:
    """Return the consistency of ``alpha * b + (1 - alpha) * a`` for every alpha, exactly.

    A preference is shared where ``alpha * at_1 + (1 - alpha) * at_0 > 0``: on one side of
    ``at_0 / (at_0 - at_1)`` if the two disagree, always or never if they agree. So sorting these
    weights gives the whole curve.

    Parameters
    ----------
    at_0, at_1 : float64[N]
        `pair_differences` under a and under b; preferences that lack one are left out.

    Raises
    ------
    UsageError
        If no preference is left.

    Notes
    -----
    O(N log N) time. Weights that differ by less than 1e-9 are one weight.

    Examples
    --------
    >>> curve = consistency_curve(np.array([3.0, -1.0, 0.0]), np.array([-1.0, 1.0, 1.0]))
    >>> curve.alphas.tolist(), (3 * curve.between[0]).tolist()
    ([0.0, 0.5, 0.75, 1.0], [2.0, 3.0, 2.0])
    >>> curve.best().alpha
    0.625
    """
    used = ~(np.isnan(at_0) | np.isnan(at_1))
    low, high = at_0[used], at_1[used]
    if not len(low):
        raise UsageError("no preference of people has scores for both outputs")
    rising, falling = (low < 0) & (high > 0), (low > 0) & (high < 0)
    turning = rising | falling
    turns = low[turning] / (low[turning] - high[turning])
    order = np.argsort(turns, kind="stable")
    turns, upwards = turns[order], rising[turning][order]
    first = np.ones(len(turns), np.bool_)
    first[1:] = np.diff(turns) > RESOLUTION
    group = np.cumsum(first) - 1
    number = int(first.sum())
    up = np.bincount(group[upwards], minlength=number)
    down = np.bincount(group[~upwards], minlength=number)
    start = np.count_nonzero((low > 0) | ((low == 0) & (high > 0)))
    between = start + np.concatenate([[0], np.cumsum(up - down)])
    always = np.count_nonzero((low == 0) & (high == 0))
    agreeing = np.concatenate(
        [[np.count_nonzero(low > 0)], between[:-1] - down, [np.count_nonzero(high > 0)]]
    )
    tied = np.concatenate(
        [[np.count_nonzero(low == 0)], always + up + down, [np.count_nonzero(high == 0)]]
    )
    # A turn so near to an end that it is rounded to it still lies inside.
    inside = np.clip(turns[first], np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
    return ConsistencyCurve(
        np.concatenate([[0.0], inside, [1.0]]),
        np.stack([agreeing, agreeing + tied / 2]) / len(low),
        np.stack([between, between + always / 2]) / len(low),
        len(low),
    )


def mean_curve(curves: Sequence[ConsistencyCurve]) -> ConsistencyCurve:
    """Return the mean of curves, each of the same weight however many pairs it has.

    Birch & Osborne (2011) optimise the average over language pairs.

    Raises
    ------
    UsageError
        If there is no curve.

    Examples
    --------
    >>> one = consistency_curve(np.array([1.0]), np.array([-1.0]))
    >>> two = consistency_curve(np.array([-1.0]), np.array([3.0]))
    >>> mean_curve([one, two]).between[0].tolist()
    [0.5, 1.0, 0.5]
    """
    if not curves:
        raise UsageError("expected at least one curve")
    alphas = np.unique(np.concatenate([curve.alphas for curve in curves]))
    values = np.zeros((2, len(alphas)))
    between = np.zeros((2, len(alphas) - 1))
    for curve in curves:
        after = np.searchsorted(curve.alphas, alphas[:-1], side="right") - 1
        between += curve.between[:, after]
        place = np.searchsorted(curve.alphas, alphas)
        exact = curve.alphas[place] == alphas
        values += np.where(exact, curve.at[:, place], curve.between[:, np.maximum(place - 1, 0)])
    pairs = sum(curve.pairs for curve in curves)
    return ConsistencyCurve(alphas, values / len(curves), between / len(curves), pairs)


def best_weights(
    members: Sequence[Sequence[Float64] | Float64], *, ties: str = "strict", rounds: int = 20
) -> tuple[Float64, float]:
    """Return weights of a mix that share many preferences, and the mean consistency.

    One weight after another is set to its exact optimum against the others in their proportion,
    until none improves; from equal weights and from each member alone, and the best end counts. Of
    two members that is the best there is; of more, other weights may be a little better.

    Parameters
    ----------
    members : sequence of sequence of float64[N]
        ``members[s][m]``: the differences of set s under member m, higher is better. The sets
        count the same, however many preferences they have.
    ties : "strict" or "half"

    Returns
    -------
    float64[M] that sum to 1, and the consistency

    Raises
    ------
    UsageError
        If there is no member.

    Examples
    --------
    >>> a, b = np.array([3.0, -1.0]), np.array([-1.0, 1.0])
    >>> best_weights([[a, b]])
    (array([0.375, 0.625]), 1.0)
    """
    matrices = [np.asarray(member, np.float64) for member in members]
    number = len(matrices[0]) if matrices else 0
    if not number:
        raise UsageError("expected at least one member")
    ends: list[tuple[float, Float64]] = []
    for start in (np.full(number, 1 / number), *np.eye(number)):
        weights = np.asarray(start, np.float64)
        value = _mix_value(matrices, weights, ties)
        for _ in range(rounds):
            previous = value
            for member in range(number):
                other_weights = weights.copy()
                other_weights[member] = 0.0
                if not other_weights.any():
                    # Alone: the others come back in equal parts.
                    other_weights = np.where(np.arange(number) == member, 0.0, 1.0)
                if not other_weights.any():
                    continue
                other_weights /= other_weights.sum()
                curves = [
                    consistency_curve(other_weights @ matrix, matrix[member]) for matrix in matrices
                ]
                best = mean_curve(curves).best(ties)
                if best.value > value + RESOLUTION:
                    weights = other_weights * (1 - best.alpha)
                    weights[member] = best.alpha
                    value = best.value
            if value <= previous:
                break
        ends.append((value, weights))
    value, weights = max(ends, key=lambda each: each[0])
    return weights, value


def _mix_value(matrices: Sequence[Float64], weights: Float64, ties: str) -> float:
    counted = [consistency(weights @ matrix) for matrix in matrices]
    return float(
        np.mean([counts.strict if ties == "strict" else counts.half for counts in counted])
    )


def _row(ties: str) -> int:
    return TIE_RULES.index(choose("ties", ties, TIE_RULES))
