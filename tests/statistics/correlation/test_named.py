"""Coefficients by name: the value of the function, and what it rests on."""

import numpy as np
import pytest
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.judgement import (
    acc_eq,
    coefficient,
    kendall,
    pairwise_accuracy,
    pearson,
    soft_pairwise_accuracy,
    spearman,
)
from wordorder.statistics.coefficients import VARIANTS
from wordorder.statistics.named_statistics import NAMES

METRIC = np.array([[1, 4, 2, np.nan, 7], [2, 3, 9, 1, 7], [3, 1, 5, np.nan, 7.0]])
HUMAN = np.array([[1, 70, 3, 5, 1], [2, 30, 2, 4, 2], [0, np.nan, 1, 3, 3.0]])


@pytest.mark.parametrize("by", ["none", "item", "system"])
def test_values_are_those_of_the_functions(by: str) -> None:
    expected = {"pearson": pearson(METRIC, HUMAN, by), "spearman": spearman(METRIC, HUMAN, by)}
    expected |= {f"kendall-{each}": kendall(METRIC, HUMAN, each, by) for each in VARIANTS}
    expected["acc-eq"] = acc_eq(METRIC, HUMAN, by).value
    for name, value in expected.items():
        assert coefficient(name, METRIC, HUMAN, by).value == value, name
    assert coefficient("kendall", METRIC, HUMAN, by) == coefficient("kendall-b", METRIC, HUMAN, by)
    assert set(NAMES) == {*expected, "accuracy", "spa", "pce"}


def test_accuracy_and_confidence() -> None:
    assert coefficient("accuracy", METRIC, HUMAN).value == pairwise_accuracy(METRIC, HUMAN)
    soft = soft_pairwise_accuracy(METRIC, HUMAN, 7)
    assert coefficient("spa", METRIC, HUMAN, seed=7).value == soft
    assert coefficient("pce", METRIC, HUMAN, seed=7).value == 1 - soft


def test_what_they_rest_on() -> None:
    # By segment: the fourth has one output with both scores, in the fifth the metric ties all.
    found = coefficient("pearson", METRIC, HUMAN, "item")
    assert (found.n, found.groups, found.left_out) == (3 + 2 + 3, 3, 2)
    ties = coefficient("acc-eq", METRIC, HUMAN, "item")
    assert (ties.n, ties.groups, ties.left_out) == (3 + 2 + 3 + 3, 4, 1)
    assert ties.threshold == acc_eq(METRIC, HUMAN, "item").threshold
    pooled = coefficient("kendall-b", METRIC, HUMAN)
    assert (pooled.n, pooled.groups, pooled.left_out) == (12, 1, 0)
    none = coefficient("spearman", [[1.0]], [[2.0]])
    assert (none.n, none.groups, none.left_out) == (0, 0, 1)
    assert np.isnan(none.value)


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match=r"unknown statistic 'kendal-b' \(did you mean 'kendall-b"):
        coefficient("kendal-b", METRIC, HUMAN)


@pytest.mark.parametrize("name", NAMES)
def test_shapes_that_differ(name: str) -> None:
    refuses(UsageError, r"shape", coefficient, name, METRIC[:, :2], HUMAN)
