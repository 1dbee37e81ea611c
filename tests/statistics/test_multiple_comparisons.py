from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.errors import UsageError
from wordorder.statistics.paired_tests import holm, level_of_each


def by_stepping_down(p_values: list[float], level: float) -> set[int]:
    """Holm (1979) as he wrote it: reject the smallest while it is at most level / (number left)."""
    left = set(range(len(p_values)))
    rejected: set[int] = set()
    while left:
        smallest = min(left, key=lambda i: p_values[i])
        if p_values[smallest] > level / len(left):
            break
        left.remove(smallest)
        rejected.add(smallest)
    return rejected


# Eighths: their products with small whole numbers are exact.
@given(st.lists(st.integers(0, 256).map(lambda i: i / 256), max_size=9))
def test_corrected_values_reject_what_holm_rejects(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for level in (1 / 64, 1 / 8, 1 / 2):
        alive = by_stepping_down(p_values, level)
        # A p-value that equals one which is rejected may come later in his order.
        ties = {i for i, p in enumerate(p_values) if p in {p_values[j] for j in alive}}
        assert alive <= {i for i, p in enumerate(corrected) if p <= level}
        assert {i for i, p in enumerate(corrected) if p <= level} <= alive | ties


def test_holes_are_not_counted() -> None:
    matrix = np.array([[np.nan, 0.02], [0.5, np.nan]])
    assert holm(matrix).tolist()[0][1] == 0.04
    assert np.isnan(holm(matrix).diagonal()).all()
    assert holm([]).tolist() == []


def test_levels() -> None:
    assert level_of_each(0.95, 1) == pytest.approx(0.95)
    with pytest.raises(UsageError, match="at least 1 comparison"):
        level_of_each(0.95, 0)
    with pytest.raises(UsageError, match="between 0 and 1"):
        level_of_each(1.0, 3)
    with pytest.raises(UsageError, match="p-values"):
        holm([1.5])
