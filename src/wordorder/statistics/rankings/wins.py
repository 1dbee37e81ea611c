"""Systems ranked by how often they win: ratio of wins and Expected Wins."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.statistics.exact_means import exact_means
from wordorder.types import Array, Float64


def ratio_of_wins(wins: npt.ArrayLike) -> Float64:
    """Return the share of its decided judgements that each system won, ties ignored.

    ``won / (won + lost)``, as Bojar et al. (2011) ranked systems and as Stanojević and Sima'an
    (2016, section 7) do.

    Parameters
    ----------
    wins : float64[..., n, n]
        ``wins[a, b]``: how often system a was judged better than system b.

    Returns
    -------
    float64[..., n]
        Between 0 and 1; NaN for a system without a decided judgement.

    Examples
    --------
    >>> ratio_of_wins([[0, 3, 1], [1, 0, 0], [0, 1, 0]]).round(2).tolist()
    [0.8, 0.2, 0.5]
    """
    table = wins_checked(wins)
    won, lost = table.sum(axis=-1), table.sum(axis=-2)
    return _ratio(won, won + lost)


def expected_wins(wins: npt.ArrayLike) -> Float64:
    """Return how probable it is that each system beats another one that is drawn at random.

    The mean over the opponents of the share of decided judgements won against each (Koehn 2012;
    the official ranking of WMT13). A much judged opponent counts no more than another.

    Parameters
    ----------
    wins : float64[..., n, n]
        ``wins[a, b]``: how often system a was judged better than system b.

    Returns
    -------
    float64[..., n]
        Between 0 and 1, over the opponents that a system was compared with; NaN without any.

    Examples
    --------
    >>> expected_wins([[0, 3, 1], [1, 0, 0], [0, 1, 0]]).tolist()
    [0.875, 0.125, 0.5]
    """
    table = wins_checked(wins)
    shares = _ratio(table, table + np.swapaxes(table, -1, -2))
    return exact_means(shares)


def wins_by_item(
    item: Array, first: Array, second: Array, outcome: Array, *, items: int, systems: int
) -> Float64:
    """Count the wins on each item, float64[items, n * n]: what resampling items sums.

    Parameters
    ----------
    item, first, second : int[N]
        Of each judgement.
    outcome : int[N]
        1 if the first system was judged better, -1 if the second was, 0 for a tie.
    items, systems : int
        How many there are.

    Examples
    --------
    >>> wins_by_item(np.array([0, 1]), np.array([0, 0]), np.array([1, 1]), np.array([1, -1]),
    ...              items=2, systems=2).tolist()
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    """
    decided = outcome != 0
    item, first, second = (each[decided].astype(np.int64) for each in (item, first, second))
    won = outcome[decided] > 0
    winner, loser = np.where(won, first, second), np.where(won, second, first)
    cells = (item * systems + winner) * systems + loser
    counts = np.bincount(cells, minlength=items * systems * systems)
    return counts.reshape(items, systems * systems).astype(np.float64)


def wins_checked(wins: npt.ArrayLike) -> Float64:
    """Return a table of wins as float64[..., n, n].

    Raises
    ------
    UsageError
        If it is not square or a count is negative, infinite or NaN.
    """
    table = np.asarray(wins, np.float64)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise UsageError(f"expected wins [systems, systems], got shape {table.shape}")
    if not ((table >= 0) & (table < np.inf)).all():
        raise UsageError("wins are finite numbers of at least 0")
    return table


def _ratio(part: Float64, whole: Float64) -> Float64:
    """Divide; NaN where the whole is 0."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), np.nan)
