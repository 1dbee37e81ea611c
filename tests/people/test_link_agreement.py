"""Agreement of two annotators against the table of all pairs of words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.people.annotations import link_agreement
from wordorder.statistics.raters import cohen_kappa


def answer(source: list[str], target: list[str], links: list[tuple[int, int]]) -> dict[str, Any]:
    return {"source": source, "target": target, "links": [[s, t, "sure"] for s, t in links]}


LINKS = st.sets(st.tuples(st.integers(0, 2), st.integers(0, 3)))


@given(LINKS, LINKS)
def test_f1_and_kappa_against_the_table_of_all_pairs(one: set[Any], other: set[Any]) -> None:
    words = (list("abc"), list("wxyz"))
    found = link_agreement([answer(*words, sorted(one))], [answer(*words, sorted(other))])
    if one or other:
        assert found.f1 == 2 * len(one & other) / (len(one) + len(other))
    cells = [[(s, t) in links for s in range(3) for t in range(4)] for links in (one, other)]
    expected = cohen_kappa(np.array(cells[0], int), np.array(cells[1], int))
    assert found.kappa == pytest.approx(1.0 if np.isnan(expected) else expected, abs=1e-12)


def test_a_split_token_is_compared_by_its_pieces() -> None:
    whole = answer(["icecream", "now"], ["Eis", "jetzt"], [(0, 0), (1, 1)])
    split = answer(["ice", "cream", "now"], ["Eis", "jetzt"], [(0, 0), (1, 0), (2, 1)])
    found = link_agreement([whole], [split])
    assert (found.f1, found.kappa, found.differences) == (1, 1, ())
    [difference] = link_agreement(
        [whole], [answer(["ice", "cream", "now"], ["Eis", "jetzt"], [(0, 0), (2, 1)])]
    ).differences
    assert difference.source == ("ice", "cream", "now")
    assert (difference.only_first, difference.only_second) == (((1, 0),), ())


def test_other_translations_and_missing_answers_are_not_compared() -> None:
    one = answer(["a"], ["A"], [(0, 0)])
    found = link_agreement([one, one, None], [answer(["a"], ["B"], []), one, one])
    assert (found.sentences, found.not_compared, found.f1) == (1, (1,), 1)
    assert link_agreement([], []).f1 == 1


def test_the_most_doubtful_words_come_first() -> None:
    one = answer(["a", "b", "a"], ["x", "y"], [(0, 0), (1, 1), (2, 1)])
    other = answer(["a", "b", "a"], ["x", "y"], [(1, 1)])
    assert link_agreement([one], [other]).words == (("a", 2, 2), ("b", 0, 1))
