"""Mean ratings and the tests of pairs, against loops and other programs' bootstraps."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import bootstrap
from tests.cli.running import SAMPLE, call
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.judgement import PairJudgements, rank
from wordorder.judgement.judgements import Ratings
from wordorder.judgement.mean_ratings import rated_pairs, resampled_means, weighted_mean

pytestmark = pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")

RATINGS = SAMPLE.parent / "judged" / "ratings.tsv"


def ratings(seed: int = 1, missing: float = 0.0, spread: float = 1.0) -> Ratings:
    """Ratings from 0 to 6 of three systems on 60 items by four raters; some are missing."""
    random = np.random.default_rng(seed)
    rater, item, system = (e.reshape(-1).astype(np.int32) for e in np.indices((4, 60, 3)))
    skill = np.array([3.0, 3.1, 4.0])[system] + random.normal(0, spread, 60)[item]
    values = np.clip(np.round(skill + random.normal(0, 1, len(item))), 0, 6)
    kept = random.random(len(item)) >= missing
    names = tuple(f"r{n}" for n in range(4)), tuple(map(str, range(60)))
    return Ratings(("A", "B", "C"), *names, item[kept], rater[kept], system[kept], values[kept])


def item_means(given: Ratings, often: np.ndarray | None = None) -> dict[tuple[int, int], float]:
    """The mean rating by system and item, in a loop; raters count so many times as are given."""
    cells: dict[tuple[int, int], list[float]] = {}
    for rater, item, system, value in zip(
        given.rater.tolist(), given.item.tolist(), given.system.tolist(), given.value, strict=True
    ):
        times = 1 if often is None else int(often[rater])
        cells.setdefault((system, item), []).extend([float(value)] * times)
    return {cell: sum(values) / len(values) for cell, values in cells.items() if values}


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_differences_are_those_on_the_items_rated_for_both(missing: float) -> None:
    given = ratings(missing=missing)
    found = rated_pairs(given, resamples=200)
    cells = item_means(given)
    for name, value in zip(found.systems, found.comparison.values, strict=True):
        own = [mean for (s, _), mean in cells.items() if given.systems[s] == name]
        assert value == pytest.approx(sum(own) / len(own))
    assert list(found.comparison.values) == sorted(found.comparison.values)
    for pair, items in zip(found.comparison.pairs, found.items, strict=True):
        a, b = (given.systems.index(found.systems[n]) for n in (pair.first, pair.second))
        shared = [i for i in range(60) if (a, i) in cells and (b, i) in cells]
        assert items == len(shared)
        assert missing == 0 or items < 60
        expected = sum(cells[b, i] - cells[a, i] for i in shared) / len(shared)
        assert pair.difference == pytest.approx(expected)


@pytest.mark.parametrize("missing", [0.0, 0.6])
def test_intervals_are_those_of_scipy(missing: float) -> None:
    given = ratings(missing=missing)
    found = rated_pairs(given, resamples=4000)
    cells = item_means(given)
    for pair in found.comparison.pairs:
        a, b = (given.systems.index(found.systems[n]) for n in (pair.first, pair.second))
        shared = [i for i in range(60) if (a, i) in cells and (b, i) in cells]
        differences = [cells[b, i] - cells[a, i] for i in shared]
        for level, bounds in ((0.9, pair.interval_90), (0.95, pair.interval_95)):
            drawn = bootstrap(
                (differences,),
                np.mean,
                n_resamples=4000,
                confidence_level=level,
                method="percentile",
                rng=np.random.default_rng(7),
            ).confidence_interval
            assert bounds == pytest.approx((drawn.low, drawn.high), abs=0.025)
        assert pair.interval_90 is not None
        assert pair.interval_95 is not None
        # The cells of Talbot's tables.
        sure = [bounds[0] > 0 for bounds in (pair.interval_90, pair.interval_95)]
        assert pair.mark == ("+**" if sure[1] else "+*" if sure[0] else "0")


def test_marks_of_systems_that_differ_and_that_do_not() -> None:
    found = rated_pairs(ratings())
    assert found.systems == ("A", "B", "C")
    assert [pair.mark for pair in found.comparison.pairs] == ["0", "+**", "+**"]


def test_pairing_by_item_sees_what_ratings_alone_do_not() -> None:
    """Items that differ much hide a small difference, unless it is taken item by item."""
    found = rated_pairs(ratings(spread=1.5), resamples=500)
    pair = found.comparison.pair(0, 2)
    assert pair.interval_95 is not None
    paired = pair.interval_95[1] - pair.interval_95[0]
    ranked = {each.name: each for each in rank(ratings(spread=1.5), by="mean").systems}
    alone = math.hypot(*(ranked[n].high - ranked[n].low for n in "AC"))
    assert paired < 0.7 * alone


@pytest.mark.parametrize("over", ["items", "raters", "both"])
def test_resamples_are_those_of_a_loop(over: str) -> None:
    given = ratings(missing=0.5)
    random = np.random.default_rng(3)
    for weights, means in resampled_means(given, over=over, resamples=3, seed=3):
        items = np.ones(60, np.int64)
        if over != "raters":
            items = np.bincount(random.integers(60, size=60), minlength=60)
        often = None
        if over != "items":
            often = np.bincount(random.integers(4, size=4), minlength=4)
        cells = item_means(given, often)
        assert weights.tolist() == items.tolist()
        for system, row in enumerate(weighted_mean(means, weights).tolist()):
            drawn = [
                cells[system, i]
                for i in range(60)
                for _ in range(int(items[i]))
                if (system, i) in cells
            ]
            assert row == pytest.approx(sum(drawn) / len(drawn))


def test_mean_is_that_of_the_items_and_its_interval_that_of_scipy() -> None:
    given = ratings()
    cells = item_means(given)
    for system in rank(given, by="mean", resamples=4000).systems:
        own = [cells["ABC".index(system.name), i] for i in range(60)]
        assert system.value == pytest.approx(np.mean(own))
        drawn = bootstrap(
            (own,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(7)
        ).confidence_interval
        assert (system.low, system.high) == pytest.approx((drawn.low, drawn.high), abs=0.03)


def test_items_and_raters_together_are_at_least_as_unsure_as_each() -> None:
    """With raters of whom half are two points milder."""
    given = ratings()
    given = Ratings(
        *(given.systems, given.raters, given.items, given.item, given.rater, given.system),
        given.value + (2.0 * (given.rater % 2)).astype(np.float64),
    )
    wide, items, raters = (
        found.systems[0].high - found.systems[0].low
        for found in (
            rank(given, by="mean", over=over, resamples=2000)
            for over in ("both", "items", "raters")
        )
    )
    assert wide > 0.95 * max(items, raters)
    assert wide == pytest.approx(np.hypot(items, raters), rel=0.25)


def test_seeds_decide() -> None:
    one, again, other = (rated_pairs(ratings(), over="both", seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_systems_without_a_common_item_have_no_test() -> None:
    numbers = np.arange(4, dtype=np.int32)
    raters, values = np.full(4, -1, np.int32), np.arange(4.0)
    given = Ratings(("A", "B"), (), tuple("1234"), numbers, raters, numbers // 2, values)
    (pair,) = rated_pairs(given).comparison.pairs
    assert (pair.mark, pair.interval_95, np.isnan(pair.p_value)) == ("not compared", None, True)
    assert rated_pairs(given).to_columns()["difference"] == [None]


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("segment\tbetter\tworse\n1\tA\tB\n2\tA\tB\n")
    refuses(UsageError, "these judgements are pairs", rated_pairs, path)
    refuses(UsageError, "mean ranks by ratings", rank, path, by="mean")
    refuses(UsageError, "by z and mean only", rank, ratings(), by="wins", over="both")
    assert isinstance(ratings().pairs(), PairJudgements)
    call("rank", RATINGS, "--pairs", "--by", "z").refused(2, "--pairs compares mean ratings")


def test_the_command_prints_the_grid() -> None:
    shown = call("rank", RATINGS, "--pairs", "--resamples", "200").good()
    found = call("rank", RATINGS, "--pairs", "--resamples", "200", "--format", "json").good().json
    names = ["hazel", "fir", "cedar", "elm", "birch", "alder"]
    assert [each["name"] for each in found["systems"]] == names[::-1]
    lines = shown.stdout.decode().splitlines()
    start = next(n for n, line in enumerate(lines) if line.split() == names[1:])
    for first, line in enumerate(lines[start + 2 : start + 7]):
        name, *marks = line.split()
        assert name == names[first]
        pairs = [pair for pair in found["pairs"] if pair["a"] == name]
        said = [(pair["b"], pair["mark"]) for pair in pairs]
        assert said == list(zip(names[first + 1 :], marks, strict=True))
    for pair in found["pairs"]:
        assert pair["interval_90"][0] <= pair["difference"] <= pair["interval_90"][1]


def test_compare_names_the_command_for_ratings() -> None:
    call("compare", RATINGS, "-i", RATINGS, "-m", "bleu").refused(2, "`wordorder rank` (--pairs")
