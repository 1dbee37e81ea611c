"""The plan of who rates what: every bound kept, whatever the sizes."""

from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.errors import UsageError
from wordorder.people.plan import fewest_raters, most_items, rating_plan


def check_bounds(
    plan: list[np.ndarray], items: int, raters: int, ratings: int, share: Fraction
) -> None:
    """Check what a plan promises, in the slow and obvious way."""
    assert len(plan) == raters
    number = Counter(item for rows in plan for item in rows.tolist())
    assert number == dict.fromkeys(range(items), ratings)
    lengths = [len(rows) for rows in plan]
    assert max(lengths) - min(lengths) <= 1
    for rows in plan:
        assert len(set(rows.tolist())) == len(rows)
        assert len(rows) <= share * items


@given(
    items=st.integers(1, 60),
    ratings=st.integers(1, 5),
    more=st.integers(0, 40),
    percent=st.integers(1, 100),
    seed=st.integers(0, 99),
)
def test_every_bound_is_kept_or_the_plan_is_refused(
    items: int, ratings: int, more: int, percent: int, seed: int
) -> None:
    share = Fraction(percent, 100)
    try:
        needed = fewest_raters(items, ratings, percent / 100)
    except UsageError:
        assert share * items < 1
        return
    raters = needed + more
    plan = rating_plan(items, raters, ratings=ratings, max_share=percent / 100, seed=seed)
    check_bounds(plan, items, raters, ratings, share)
    # One rater fewer cannot do it: too few for an item, or for the share of each.
    assert needed - 1 < ratings or (needed - 1) * (share * items // 1) < items * ratings
    if needed > 1:
        with pytest.raises(UsageError, match=f"give {needed} raters or more"):
            rating_plan(items, needed - 1, ratings=ratings, max_share=percent / 100, seed=seed)


def test_ten_thousand_items_and_a_hundred_raters_take_less_than_two_seconds() -> None:
    before = time.process_time()
    plan = rating_plan(10_000, 100, ratings=3, max_share=0.03, seed=1)
    assert time.process_time() - before < 2
    check_bounds(plan, 10_000, 100, 3, Fraction(3, 100))
    # Exactly the share of each: nothing is left over.
    assert {len(rows) for rows in plan} == {300}


def test_the_seed_decides() -> None:
    first, again, other = (rating_plan(50, 10, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_any_two_raters_meet() -> None:
    """Were it always the same three on an item, nobody could say who of them rates high."""
    plan = rating_plan(200, 12, ratings=3)
    sets = [set(rows.tolist()) for rows in plan]
    assert all(a & b for n, a in enumerate(sets) for b in sets[:n])


@pytest.mark.parametrize(("items", "raters"), [(10_000, 99), (34, 100), (34, 3), (5, 2)])
def test_too_few_raters_are_refused_with_what_would_do(items: int, raters: int) -> None:
    share = 0.03 if items >= 34 else 1.0
    with pytest.raises(UsageError) as caught:
        rating_plan(items, raters, max_share=share)
    words = str(caught.value).replace(",", "").split()
    needed = int(words[words.index("give") + 1])
    assert needed == {10_000: 100, 34: 102, 5: 3}[items]
    rating_plan(items, needed, max_share=share)
    if words[-2] == "--max-share":
        rating_plan(items, raters, max_share=float(words[-1]))


def test_too_few_items_are_refused() -> None:
    with pytest.raises(UsageError, match=r"33 items: one is more .* 0.03 .* give 34 items"):
        rating_plan(33, 1000, max_share=0.03)
    with pytest.raises(UsageError, match="nothing to rate"):
        rating_plan(0, 3)


def test_a_share_is_taken_as_it_is_written() -> None:
    """In binary .29 of 100 is less than 29."""
    assert int(0.29 * 100) == 28
    assert [most_items(100, percent / 100) for percent in range(1, 101)] == list(range(1, 101))
