"""Ranking with raters resampled instead of items."""

from pathlib import Path

import numpy as np
import pytest

from wordorder.errors import UsageError
from wordorder.judgement import rank
from wordorder.judgement.judgements import Ratings
from wordorder.statistics.ranking_models import standard_scores

pytestmark = pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")


def ratings(raters: int, seed: int = 1) -> Ratings:
    """Return ratings of 2 systems on 30 items by each rater, every other of whom likes B."""
    random = np.random.default_rng(seed)
    rater, item, system = (
        each.reshape(-1).astype(np.int32) for each in np.indices((raters, 30, 2))
    )
    likes = np.where(rater % 2 == 0, 1 - system, system)
    values = likes * 2.0 + random.normal(0, 1, len(rater))
    names = tuple(map(str, range(30))), tuple(f"r{n}" for n in range(raters))
    return Ratings(("A", "B"), names[1], names[0], item, rater, system, values)


def test_intervals_over_raters_are_those_of_a_plain_bootstrap() -> None:
    given = ratings(9)
    found = rank(given, over="raters", resamples=4000)
    z = standard_scores(given.value, given.rater)
    by_rater = np.array(
        [[z[(given.rater == r) & (given.system == s)].mean() for s in (0, 1)] for r in range(9)]
    )
    random = np.random.default_rng(5)
    drawn = by_rater[random.integers(9, size=(4000, 9))].mean(axis=1)
    for system in found.systems:
        column = "AB".index(system.name)
        assert system.value == pytest.approx(by_rater[:, column].mean())
        low, high = np.quantile(drawn[:, column], [0.025, 0.975])
        assert (system.low, system.high) == pytest.approx((low, high), abs=0.06)


def test_raters_who_differ_widen_the_intervals() -> None:
    """All agree on each item; no two raters do: only raters resampled show it."""
    given = ratings(8)
    items, raters = (rank(given, over=over, resamples=500) for over in ("items", "raters"))
    wide, narrow = (each.systems[0].high - each.systems[0].low for each in (raters, items))
    assert wide > 3 * narrow
    pairs = rank(given, by="wins", over="raters", resamples=500)
    assert pairs.systems[0].low < 0.4
    assert pairs.systems[0].high > 0.6


def test_raters_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("segment\tbetter\tworse\n1\tA\tB\n2\tA\tB\n")
    with pytest.raises(UsageError, match="do not name two or more"):
        rank(path, over="raters")
    with pytest.raises(UsageError, match="trueskill resamples items"):
        rank(ratings(4), by="trueskill", over="raters")
