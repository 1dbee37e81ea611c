import pytest
from hypothesis import given, strategies as st
from tests import oracles_statistics as oracle

from wordorder.statistics.coefficients import best_first, clusters, rank_ranges
from wordorder.statistics.paired_tests import Comparison, PairTest


def comparison(values: list[float], marks: list[str], higher_is_better: bool = True) -> Comparison:
    """A comparison with the given marks, pair by pair as the rows of the triangle."""
    size = len(values)
    indices = [(a, b) for a in range(size) for b in range(a + 1, size)]
    pairs = tuple(
        PairTest(a, b, values[b] - values[a], None, None, 0.5, mark)
        for (a, b), mark in zip(indices, marks, strict=True)
    )
    return Comparison("bootstrap", 100, 1, higher_is_better, tuple(values), pairs)


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    """Marks that agree with the values, as tests give them; otherwise any."""
    values = draw(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=6))
    higher = draw(st.booleans())
    marks = []
    for a, one in enumerate(values):
        for two in values[a + 1 :]:
            stars = draw(st.sampled_from(["", "*", "**", "**"])) if one != two else ""
            sign = "+" if (two > one) == higher else "-"
            marks.append(sign + stars if stars else "0")
    return comparison(values, marks, higher)


def test_three_systems_in_two_clusters() -> None:
    found = comparison([0.5, 0.8, 0.52], ["+**", "+*", "-**"])
    assert best_first(found) == [1, 2, 0]
    assert rank_ranges(found) == [(2, 3), (1, 1), (2, 3)]
    assert clusters(found) == [(1,), (2, 0)]


def test_where_ranges_tell_more_than_clusters() -> None:
    """The best beats the worst, and the middle one is like both: one cluster."""
    found = comparison([0.9, 0.8, 0.7], ["0", "-**", "0"])
    assert rank_ranges(found) == [(1, 2), (1, 3), (2, 3)]
    assert clusters(found) == [(0, 1, 2)]


def test_lower_values_first() -> None:
    found = comparison([0.9, 0.1], ["+**"], higher_is_better=False)
    assert best_first(found) == [1, 0]
    assert rank_ranges(found) == [(2, 2), (1, 1)]
    assert clusters(found) == [(1,), (0,)]


@pytest.mark.parametrize("higher", [True, False])
def test_equal_values_stay_as_they_came(higher: bool) -> None:
    found = comparison([0.5, 0.5, 0.5], ["0"] * 3, higher)
    assert best_first(found) == [0, 1, 2]
    assert clusters(found) == [(0, 1, 2)]


def test_one_system() -> None:
    assert rank_ranges(comparison([0.5], [])) == [(1, 1)]
    assert clusters(comparison([0.5], [])) == [(0,)]


def test_the_triangle_has_a_row_for_all_but_the_last() -> None:
    found = comparison([1.0, 2.0, 3.0], ["+*", "+**", "0"])
    assert found.triangle() == [["+*", "+**"], ["0"]]


@given(comparisons())
def test_clusters_are_the_finest_allowed_partition(found: Comparison) -> None:
    order = best_first(found)

    def allowed(parts: list[range]) -> bool:
        return all(
            found.pair(order[a], order[b]).mark == "-**"
            for i, earlier in enumerate(parts)
            for later in parts[i + 1 :]
            for a in earlier
            for b in later
        )

    finest = max(filter(allowed, oracle.compositions(len(order))), key=len)
    assert clusters(found) == [tuple(order[i] for i in part) for part in finest]


@given(comparisons())
def test_rank_ranges_count_the_better_and_the_worse(found: Comparison) -> None:
    size = len(found.values)
    for system, (best, worst) in enumerate(rank_ranges(found)):
        marks = [found.pair(system, other).mark for other in range(size) if other != system]
        assert best == 1 + marks.count("+**")
        assert worst == size - marks.count("-**")
