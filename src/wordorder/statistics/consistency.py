"""Consistency: how many human preferences a metric or a weighted sum of two metrics shares."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError, choose
from wordorder.statistics.intervals import RESOLUTION

# How a pair that the metric ties is counted: as disagreeing, or as half agreeing.
TIE_RULES = ("strict", "half")


@dataclass(frozen=True)
class Consistency:
    """The number of strict human preferences that a metric shares.

    Attributes
    ----------
    pairs : int
        Preferences for which both outputs have a score.
    agreeing, tied : int
        Preferences that the metric shares, and those whose outputs have equal metric scores.
    missing : int
        Preferences left out because an output has no score.
    """

    pairs: int
    agreeing: int
    tied: int
    missing: int = 0

    @property
    def strict(self) -> float:
        """The share of agreeing pairs; ties do not agree. NaN if there are no pairs."""
        return self.agreeing / self.pairs if self.pairs else float("nan")

    @property
    def half(self) -> float:
        """The share of agreeing pairs; a tie counts half. NaN if there are no pairs."""
        return (self.agreeing + self.tied / 2) / self.pairs if self.pairs else float("nan")


def pair_differences(scores: Float64, items: Int64, better: Int64, worse: Int64) -> Float64:
    """Return the metric's score difference between the preferred and the other output, float64[N].

    Parameters
    ----------
    scores : float64[n, S]
        Scores of n systems on S items, higher is better; NaN for a missing score.
    items, better, worse : int64[N]
        The item and the two systems of each preference.

    Notes
    -----
    The difference is 0 if the scores differ by at most 1e-9 of the larger one (rounding).

    Examples
    --------
    >>> scores = np.array([[0.1 + 0.2, 1.0], [0.3, 0.5]])
    >>> pair_differences(scores, np.array([0, 1]), np.array([0, 1]), np.array([1, 0])).tolist()
    [0.0, -0.5]
    """
    return score_differences(scores[better, items], scores[worse, items])


def score_differences(first: Float64, second: Float64) -> Float64:
    """Return ``first - second``; 0 where the scores differ only by rounding.

    Examples
    --------
    >>> score_differences(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5])).tolist()
    [0.0, 0.5]
    """
    difference = first - second
    rounding = RESOLUTION * np.maximum(np.abs(first), np.abs(second))
    return np.where(np.abs(difference) <= rounding, 0.0, difference)


def consistency(differences: Float64) -> Consistency:
    """Count the human preferences that a metric shares (Birch & Osborne 2011, section 3).

    Parameters
    ----------
    differences : float64[N]
        The score of the preferred output minus that of the other; NaN if one is missing.

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
    """The weights with the highest consistency: those between `low` and `high`.

    Attributes
    ----------
    alpha : float
        The middle of the interval.
    low, high : float
        The ends of the interval; equal if a single weight is best.
    value : float
        The consistency of these weights.
    """

    alpha: float
    low: float
    high: float
    value: float


@dataclass(frozen=True, eq=False)
class ConsistencyCurve:
    """The consistency of every weight: a step function with its own values at the steps.

    Attributes
    ----------
    alphas : float64[K]
        Ascending, from 0 to 1: the weights at which the mix changes a preference, and both ends.
    at : float64[2, K]
        The consistency at each of `alphas`, "strict" and "half".
    between : float64[2, K - 1]
        The consistency between neighbours in `alphas`.
    pairs : int
        The number of preferences.
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
        row = _tie_rule_row(ties)
        index = int(np.searchsorted(self.alphas, alpha))
        if self.alphas[index] == alpha:
            return float(self.at[row, index])
        return float(self.between[row, index - 1])

    def best(self, ties: str = "strict") -> BestWeight:
        """Return the widest interval with the highest consistency.

        Weight 0 or 1 alone is chosen only if it is better than all intervals; any other step is at
        most as good as one of its sides. Intervals narrower than 1e-9 result from rounding and are
        ignored.
        """
        row = _tie_rule_row(ties)
        width = np.diff(self.alphas)
        between = np.where(width > RESOLUTION, self.between[row], -1.0)
        highest = between.max()
        end = int(self.at[row, -1] > self.at[row, 0])
        if self.at[row, -end] > highest + RESOLUTION:
            return BestWeight(end, end, end, float(self.at[row, -end]))
        widest = int(np.where(between >= highest - RESOLUTION, width, -1.0).argmax())
        low, high = float(self.alphas[widest]), float(self.alphas[widest + 1])
        return BestWeight((low + high) / 2, low, high, float(highest))

    def sampled(self, steps: int = 20, ties: str = "strict") -> list[tuple[float, float]]:
        """Return pairs of weight and consistency, for weights from 0 to 1 in equal steps."""
        weights = [step / steps for step in range(steps + 1)]
        return [(alpha, self.value(alpha, ties)) for alpha in weights]


def consistency_curve(at_0: Float64, at_1: Float64) -> ConsistencyCurve:
    """Return the consistency of ``alpha * b + (1 - alpha) * a`` for every alpha, exactly.

    A preference is shared where ``alpha * at_1 + (1 - alpha) * at_0 > 0``: on one side of
    ``at_0 / (at_0 - at_1)`` if the signs of `at_0` and `at_1` differ, else for all weights or none.
    Sorting these weights gives the complete curve.

    Parameters
    ----------
    at_0, at_1 : float64[N]
        `pair_differences` of metrics a and b; preferences that lack one (NaN) are left out.

    Raises
    ------
    UsageError
        If no preference is left.

    Notes
    -----
    O(N log N) time. Weights that differ by less than 1e-9 are merged.

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
    is_step = rising | falling
    steps = low[is_step] / (low[is_step] - high[is_step])
    order = np.argsort(steps, kind="stable")
    steps, is_rising = steps[order], rising[is_step][order]
    first = np.ones(len(steps), np.bool_)
    first[1:] = np.diff(steps) > RESOLUTION
    step_of_preference = np.cumsum(first) - 1
    step_count = int(first.sum())
    gained = np.bincount(step_of_preference[is_rising], minlength=step_count)
    lost = np.bincount(step_of_preference[~is_rising], minlength=step_count)
    start = np.count_nonzero((low > 0) | ((low == 0) & (high > 0)))
    between = start + np.concatenate([[0], np.cumsum(gained - lost)])
    always_tied = np.count_nonzero((low == 0) & (high == 0))
    agreeing = np.concatenate(
        [[np.count_nonzero(low > 0)], between[:-1] - lost, [np.count_nonzero(high > 0)]]
    )
    tied = np.concatenate(
        [[np.count_nonzero(low == 0)], always_tied + gained + lost, [np.count_nonzero(high == 0)]]
    )
    # Steps are kept inside (0, 1), even if rounding moved them to an end.
    inside = np.clip(steps[first], np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
    return ConsistencyCurve(
        np.concatenate([[0.0], inside, [1.0]]),
        np.stack([agreeing, agreeing + tied / 2]) / len(low),
        np.stack([between, between + always_tied / 2]) / len(low),
        len(low),
    )


def mean_curve(curves: Sequence[ConsistencyCurve]) -> ConsistencyCurve:
    """Return the mean of curves, not weighted by their numbers of pairs.

    For example over language pairs, whose average Birch & Osborne (2011) optimise.

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
        intervals = np.searchsorted(curve.alphas, alphas[:-1], side="right") - 1
        between += curve.between[:, intervals]
        positions = np.searchsorted(curve.alphas, alphas)
        exact = curve.alphas[positions] == alphas
        values += np.where(
            exact, curve.at[:, positions], curve.between[:, np.maximum(positions - 1, 0)]
        )
    pairs = sum(curve.pairs for curve in curves)
    return ConsistencyCurve(alphas, values / len(curves), between / len(curves), pairs)


def best_weights(
    members: Sequence[Sequence[Float64] | Float64], *, ties: str = "strict", rounds: int = 20
) -> tuple[Float64, float]:
    """Return weights of a weighted sum of metrics with high consistency, and that consistency.

    Coordinate ascent: each weight in turn is set to its exact optimum, with the other weights in
    fixed proportion, until no weight improves. The search starts from equal weights and from each
    member alone; the best result is returned. It is optimal for two members, but may be slightly
    below the optimum for more.

    Parameters
    ----------
    members : sequence of sequence of float64[N]
        ``members[s][m]``: the `pair_differences` of set s by metric m. All sets have the same
        weight.
    ties : "strict" or "half"
    rounds : int
        The most passes over all weights.

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
    member_count = len(matrices[0]) if matrices else 0
    if not member_count:
        raise UsageError("expected at least one member")
    results: list[tuple[float, Float64]] = []
    for start in (np.full(member_count, 1 / member_count), *np.eye(member_count)):
        weights = np.asarray(start, np.float64)
        value = _mix_value(matrices, weights, ties)
        for _ in range(rounds):
            previous = value
            for member in range(member_count):
                other_weights = weights.copy()
                other_weights[member] = 0.0
                if not other_weights.any():
                    # This member had all the weight: the others share the rest equally.
                    other_weights = np.where(np.arange(member_count) == member, 0.0, 1.0)
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
        results.append((value, weights))
    value, weights = max(results, key=lambda result: result[0])
    return weights, value


def _mix_value(matrices: Sequence[Float64], weights: Float64, ties: str) -> float:
    """Return the mean consistency of a weighted sum over all sets."""
    counted = [consistency(weights @ matrix) for matrix in matrices]
    return float(
        np.mean([counts.strict if ties == "strict" else counts.half for counts in counted])
    )


def _tie_rule_row(ties: str) -> int:
    """Return the row of a tie rule in the arrays of a curve."""
    return TIE_RULES.index(choose("ties", ties, TIE_RULES))
