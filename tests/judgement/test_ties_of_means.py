"""Systems and documents that people find equal tie, in whatever order their ratings come."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests import oracles_correlation as oracles

from wordorder.arrays import Float64
from wordorder.judgement import EvaluationSet, ScoreTable, correlate, kendall, rank, read_judgements
from wordorder.judgement.judgements import Ratings
from wordorder.statistics.correlation_bootstrap import bootstrap_coefficients
from wordorder.statistics.correlation_permutation import perm_both
from wordorder.statistics.grouped_correlation import soft_pairwise_accuracy
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.ranking_models import expected_wins, standard_scores

pytestmark = pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")

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


def agreement(metric: Sequence[Fraction], people: Sequence[Fraction]) -> Fraction:
    """The pairwise accuracy, by definition."""
    pairs = list(itertools.combinations(zip(metric, people, strict=True), 2))
    right = sum((m > n) - (m < n) == (h > g) - (h < g) for (m, h), (n, g) in pairs)
    return Fraction(right, len(pairs))


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
    expected = float(agreement(means[0], means[1]))
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


def ratings(rows: Float64, raters: int = 1) -> Ratings:
    """Ratings of systems on items, float64[n, items]; each rater rates every so many items."""
    system, item = (each.reshape(-1).astype(np.int32) for each in np.indices(rows.shape))
    systems, items = (tuple(map(str, range(size))) for size in rows.shape)
    rater = (item % raters).astype(np.int32)
    names = tuple(map(str, range(raters)))
    return Ratings(systems, names, items, item, rater, system, rows.reshape(-1))


def test_equal_systems_have_equal_standard_scores() -> None:
    found = rank(ratings(np.array(EQUAL[:2])), resamples=50).systems
    assert found[0].value == found[1].value
    # The same ratings, each by another rater, and all a tenth higher: nothing changes.
    one = standard_scores(np.array([0.1, 0.3, 0.2]), np.zeros(3))
    assert one.tolist() == standard_scores(np.array([0.6, 0.8, 0.7]), np.zeros(3)).tolist()


def test_several_ratings_of_an_output_tie_with_their_mean() -> None:
    values = np.array([0.1, 0.1, 0.1, 0.3, 0.0, 0.0, 0.1])
    system = np.array([0, 0, 0, 1, 1, 1, 2], np.int32)
    zeros = np.zeros(7, np.int32)
    given = Ratings(("A", "B", "C"), ("r",), ("1",), zeros, zeros, system, values)
    assert given.pairs().outcome.tolist() == [0, 0, 0]
    assert given.means().tolist() == [[0.1]] * 3


def test_errors_of_punctuation_weigh_a_tenth(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = ["A\td\t1\t1\tr\ts\tt\tFluency/Punctuation\tMinor"] * 3
    path.write_text("\n".join([header, *rows]) + "\n")
    judged = read_judgements(path)
    assert isinstance(judged, Ratings)
    assert judged.value.tolist() == [-0.3]


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
