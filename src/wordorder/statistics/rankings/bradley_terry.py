"""Bradley-Terry: strengths of systems that make the judgements most probable."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.statistics.rankings.wins import wins_checked
from wordorder.types import Bool, Float64

_STEPS = 200
# No step is longer, so that the first ones do not overshoot.
_LONGEST_STEP = 2.0
_CONVERGED = 1e-12


def bradley_terry(wins: npt.ArrayLike, *, prior: float = 0.0) -> Float64:
    """Return the strength of each system: how probable it is to beat another.

    System a beats system b with probability ``1 / (1 + exp(s_b - s_a))``; the strengths s are
    those that make the decided judgements most probable, by Newton's method (Bradley and Terry
    1952). Ties are ignored.

    Parameters
    ----------
    wins : float64[..., n, n]
        ``wins[a, b]``: how often system a was judged better than system b.
    prior : float
        So many wins and as many losses are added to each system, against one of strength 0. With
        it there are finite strengths for a system that always wins or always loses.

    Returns
    -------
    float64[..., n]
        In natural logarithms of odds; their mean is 0.

    Raises
    ------
    UsageError
        If no finite strengths exist, because a group of systems never lost to the others, or was
        never compared with them.

    Examples
    --------
    Odds of 3 to 1.

    >>> bradley_terry([[0, 3], [1, 0]]).round(4).tolist()
    [0.5493, -0.5493]
    """
    table = wins_checked(wins)
    n = table.shape[-1]
    if prior < 0:
        raise UsageError(f"the prior is at least 0, got {prior}")
    if n == 0:
        return np.zeros(table.shape[:-1])
    flat = table.reshape(-1, n, n) * (1 - np.eye(n))
    if not prior and not all(map(_linked, flat)):
        raise UsageError(
            "no finite strengths: some systems won or lost every decided pair with the others, or "
            "have none"
        )
    met = flat + np.swapaxes(flat, 1, 2)
    won = flat.sum(axis=2)
    strengths = np.zeros(won.shape)
    # Only differences matter: this holds the mean in place.
    fixed = np.full((n, n), 1.0 / n)
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(strengths[:, np.newaxis, :] - strengths[:, :, np.newaxis]))
        alone = 1 / (1 + np.exp(-strengths))
        gradient = won - (met * share).sum(axis=2) + prior * (1 - 2 * alone)
        weights = met * share * (1 - share)
        hessian = -weights
        diagonal = weights.sum(axis=2) + 2 * prior * alone * (1 - alone)
        hessian[:, np.arange(n), np.arange(n)] += diagonal
        step = np.linalg.solve(hessian + (fixed if not prior else 0), gradient[..., np.newaxis])
        step = np.clip(step[..., 0], -_LONGEST_STEP, _LONGEST_STEP)
        strengths += step
        if np.abs(step).max() < _CONVERGED:
            break
    centred: Float64 = strengths - strengths.mean(axis=1, keepdims=True)
    return centred.reshape(table.shape[:-1])


def _linked(wins: Float64) -> bool:
    """Return whether wins lead from each system to each other one."""
    return bool(_reached(wins > 0).all() and _reached(wins.T > 0).all())


def _reached(beats: Bool) -> Bool:
    """Return which systems a chain of wins leads to from the first one."""
    reached = np.zeros(len(beats), np.bool_)
    reached[0] = True
    while True:
        further = reached | beats[reached].any(axis=0)
        if (further == reached).all():
            return reached
        reached = further
