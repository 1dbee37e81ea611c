"""Ratings: means and ties against loops, fractions and other programs' bootstraps."""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import bootstrap
from tests import oracles_correlation as oracles
from tests.cli.running import SAMPLE, call
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.judgement import EvaluationSet, PairJudgements, ScoreTable, correlate, kendall, rank
from wordorder.judgement.judgements import Ratings
from wordorder.judgement.mean_ratings import rated_pairs, resampled_means, weighted_mean
from wordorder.statistics.correlation_bootstrap import bootstrap_coefficients
from wordorder.statistics.correlation_permutation import perm_both
from wordorder.statistics.grouped_correlation import soft_pairwise_accuracy
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.ranking_models import expected_wins, standard_scores

pytestmark = pytest.mark.allow_notes

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


def test_marks_of_systems_and_seeds() -> None:
    found = rated_pairs(ratings())
    assert found.systems == ("A", "B", "C")
    assert [pair.mark for pair in found.comparison.pairs] == ["0", "+**", "+**"]
    one, again, other = (rated_pairs(ratings(), over="both", seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_pairing_by_item_sees_what_ratings_alone_do_not() -> None:
    """Items that differ much hide a small difference, unless it is taken item by item."""
    found = rated_pairs(ratings(spread=1.5), resamples=500)
    pair = found.comparison.pair(0, 2)
    assert pair.interval_95 is not None
    paired = pair.interval_95[1] - pair.interval_95[0]
    ranked = {each.system: each for each in rank(ratings(spread=1.5), by="mean").systems}
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
        own = [cells["ABC".index(system.system), i] for i in range(60)]
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
    path = tmp_path / "pairs.tsv"
    path.write_text("segment\tbetter\tworse\n1\tA\tB\n2\tA\tB\n")
    with pytest.raises(UsageError, match="do not name two or more"):
        rank(path, over="raters")
    with pytest.raises(UsageError, match="trueskill resamples items"):
        rank(split_ratings(4), by="trueskill", over="raters")
    call("compare", RATINGS, "-i", RATINGS, "-m", "bleu").refused(2, "`wordorder rank` (--pairs")


def test_the_command_prints_the_grid() -> None:
    shown = call("rank", RATINGS, "--pairs", "--resamples", "200").good()
    found = call("rank", RATINGS, "--pairs", "--resamples", "200", "--format", "json").good().json
    names = ["hazel", "fir", "cedar", "elm", "birch", "alder"]
    assert [each["system"] for each in found["systems"]] == names[::-1]
    lines = shown.stdout.decode().splitlines()
    start = next(n for n, line in enumerate(lines) if line.split() == names[1:])
    for first, line in enumerate(lines[start + 2 : start + 7]):
        name, *marks = line.split()
        assert name == names[first]
        pairs = [pair for pair in found["pairs"] if pair["a"] == name]
        said = [(pair["b"], pair["mark"]) for pair in pairs]
        assert said == list(zip(names[first + 1 :], marks, strict=True))
    for pair in found["pairs"]:
        assert pair["low90"] <= pair["difference"] <= pair["high90"]


# -- Ranking with raters resampled instead of items.


def split_ratings(raters: int, seed: int = 1) -> Ratings:
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
    given = split_ratings(9)
    found = rank(given, over="raters", resamples=4000)
    z = standard_scores(given.value, given.rater)
    by_rater = np.array(
        [[z[(given.rater == r) & (given.system == s)].mean() for s in (0, 1)] for r in range(9)]
    )
    random = np.random.default_rng(5)
    drawn = by_rater[random.integers(9, size=(4000, 9))].mean(axis=1)
    for system in found.systems:
        column = "AB".index(system.system)
        assert system.value == pytest.approx(by_rater[:, column].mean())
        low, high = np.quantile(drawn[:, column], [0.025, 0.975])
        assert (system.low, system.high) == pytest.approx((low, high), abs=0.06)


def test_raters_who_differ_widen_the_intervals() -> None:
    """All agree on each item; no two raters do: only raters resampled show it."""
    given = split_ratings(8)
    items, raters = (rank(given, over=over, resamples=500) for over in ("items", "raters"))
    wide, narrow = (each.systems[0].high - each.systems[0].low for each in (raters, items))
    assert wide > 3 * narrow
    pairs = rank(given, by="wins", over="raters", resamples=500)
    assert pairs.systems[0].low < 0.4
    assert pairs.systems[0].high > 0.6


# -- Systems and documents that people find equal tie, in whatever order their ratings come.


# The same ratings in another order, twice in another order, and others with the same mean.
EQUAL = (
    [-0.1, -0.2, -0.3, -0.1, -0.2, -0.3],
    [-0.3, -0.2, -0.1, -0.3, -0.2, -0.1],
    [-0.2, -0.2, -0.2, -0.2, -0.2, -0.2],
    [-0.6, -0.6, 0.0, 0.0, 0.0, 0.0],
)
SYSTEMS = tuple("ABCD")


def fractions_of(row: Sequence[float]) -> Fraction:
    return sum((Fraction(repr(value)) for value in row), Fraction()) / len(row)


def test_equal_systems_tie() -> None:
    human = np.array([*EQUAL, [-0.1] * 6])
    metric = np.array([[0.25] * 6] * 4 + [[0.75] * 6])
    names = (*SYSTEMS, "E")
    given = EvaluationSet(
        "s",
        names,
        6,
        human={"mqm": ScoreTable("mqm", names, human)},
        metrics={"m": ScoreTable("m", names, metric)},
    )
    assert len(set(given.human["mqm"].system_scores().tolist())) == 2
    for statistic, expected in (("accuracy", 1.0), ("kendall-23", 1.0), ("kendall-b", 1.0)):
        (row,) = correlate(given, unit="system", statistic=statistic).sets[0].rows
        assert row.value == expected


@pytest.mark.parametrize("decimals", [0, 1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_accuracy_is_that_of_fractions(seed: int, decimals: int) -> None:
    random = np.random.default_rng(seed)
    scale = 10.0**-decimals
    human = np.round(-random.integers(0, 4, (8, 6)) * scale, decimals)
    metric = np.round(random.integers(0, 4, (8, 6)) * scale, decimals)
    means = [[fractions_of(row) for row in table.tolist()] for table in (metric, human)]
    counts = oracles.kinds(zip(*means, strict=True))
    expected = float(oracles.accuracy(counts) or 0)
    tables = [ScoreTable(name, tuple("ABCDEFGH"), t) for name, t in (("m", metric), ("h", human))]
    given = EvaluationSet(
        "s", tables[0].systems, 6, human={"h": tables[1]}, metrics={"m": tables[0]}
    )
    (row,) = correlate(given, unit="system", statistic="accuracy").sets[0].rows
    assert row.value == expected
    for over in ("segments", "both"):
        values, _ = bootstrap_coefficients(
            [metric], human, statistic="accuracy", unit="system", over=over, resamples=3
        )
        assert values[0] == expected
    test = perm_both(metric, -metric, human, statistic="accuracy", unit="system", resamples=3)
    assert test.value_a == expected


def test_equal_documents_tie() -> None:
    rows = np.array(EQUAL)[:, :3]
    documents = np.repeat(np.arange(2), 3)
    random = np.random.default_rng(3)
    human = np.hstack([rows, random.permutation(rows.T).T])
    metric = np.round(random.integers(0, 3, human.shape) * 0.1, 1)
    names = [f"d{number}" for number in documents]
    tables = {name: ScoreTable(name, SYSTEMS, each) for name, each in (("m", metric), ("h", human))}
    given = EvaluationSet(
        *("s", SYSTEMS, 6), documents=names, human={"h": tables["h"]}, metrics={"m": tables["m"]}
    )
    taus = []
    for columns in (slice(0, 3), slice(3, 6)):
        scored, judged = (
            [fractions_of(row[columns]) for row in table.tolist()] for table in (metric, human)
        )
        # Ranks are as good as the means.
        places = [
            [float(sorted(set(each)).index(mean)) for mean in each] for each in (scored, judged)
        ]
        right, wrong, metric_ties, human_ties, both = oracles.kinds(zip(*places, strict=True))
        taus.append((right + both - wrong - metric_ties - human_ties) / 6)
        assert human_ties + both >= 3
    scores = {name: table.document_scores(given.document_of) for name, table in tables.items()}
    found = kendall(scores["m"], scores["h"], variant="23", by="item")
    assert found == pytest.approx(sum(taus) / 2)


def test_documents_tie_in_the_sums_of_their_statistics() -> None:
    """Of a metric with statistics, too, whatever the order of their segments."""
    rows = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.3, 0.1, 0.2]])
    statistics = np.stack([rows, np.ones_like(rows)], axis=2)
    made = Measurement(statistics, lambda totals: totals[..., 0] / totals[..., 1])
    table = ScoreTable("m", ("A", "B", "C"), rows, measurement=made)
    scores = table.document_scores(np.zeros(3, np.int64))[:, 0].tolist()
    assert scores == [scores[0]] * 3
    assert scores[0] == pytest.approx(0.2)


def ratings_of(rows: Float64, raters: int = 1) -> Ratings:
    """Ratings of systems on items, float64[n, items]; each rater rates every so many items."""
    system, item = (each.reshape(-1).astype(np.int32) for each in np.indices(rows.shape))
    systems, items = (tuple(map(str, range(size))) for size in rows.shape)
    rater = (item % raters).astype(np.int32)
    names = tuple(map(str, range(raters)))
    return Ratings(systems, names, items, item, rater, system, rows.reshape(-1))


def test_equal_systems_have_equal_standard_scores_and_outputs_equal_means() -> None:
    found = rank(ratings_of(np.array(EQUAL[:2])), resamples=50).systems
    assert found[0].value == found[1].value
    # The same ratings, each by another rater, and all a tenth higher: nothing changes.
    one = standard_scores(np.array([0.1, 0.3, 0.2]), np.zeros(3))
    assert one.tolist() == standard_scores(np.array([0.6, 0.8, 0.7]), np.zeros(3)).tolist()
    values = np.array([0.1, 0.1, 0.1, 0.3, 0.0, 0.0, 0.1])
    system = np.array([0, 0, 0, 1, 1, 1, 2], np.int32)
    zeros = np.zeros(7, np.int32)
    given = Ratings(("A", "B", "C"), ("r",), ("1",), zeros, zeros, system, values)
    assert given.pairs().outcome.tolist() == [0, 0, 0]
    assert given.means().tolist() == [[0.1]] * 3


def test_shares_in_another_order_expect_as_many_wins() -> None:
    """0 and 1 win and lose as often, each against the other's opponents."""
    won = [[0, 5, 1, 2, 3], [5, 0, 2, 3, 1], [9, 8, 0, 1, 1], [8, 7, 1, 0, 1], [7, 9, 1, 1, 0]]
    found = expected_wins(np.array(won, float))
    exact = [
        sum(Fraction(row[b], row[b] + won[b][a]) for b in range(5) if b != a) / 4
        for a, row in enumerate(won)
    ]
    assert exact[0] == exact[1]
    assert found.tolist() == [float(each) for each in exact]


def test_a_tie_of_sums_counts_for_both_in_the_soft_accuracy() -> None:
    """Whole numbers and tenths of them are the same judgements."""
    random = np.random.default_rng(0)
    for _ in range(20):
        whole = random.integers(0, 4, (3, 4)).astype(float)
        metric = random.integers(0, 4, (3, 4)).astype(float)
        found = soft_pairwise_accuracy(metric / 10, whole / 10, resamples=50)
        assert found == soft_pairwise_accuracy(metric, whole, resamples=50)
