"""Where words stand, against every reading of the ties."""

from itertools import pairwise

import numpy as np
import pytest
from tests.analysis.corpora import Case, broken_under, common, random_case, readings
from tests.refusing import refuses

from wordorder.analysis.corpus import Corpus, Placement, placement
from wordorder.errors import InputError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.segments import Segments
from wordorder.treebank.treebank import Treebank

CASES = [random_case(seed) for seed in range(8)]


def rows_of(case: Case, found: Placement) -> list[slice]:
    """Where the words of each sentence stand in the arrays."""
    ends = np.searchsorted(found.sentences, np.arange(len(case.rows) + 1))
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]


@pytest.mark.parametrize("case", CASES)
def test_boundaries_are_broken_as_in_the_best_reading(case: Case) -> None:
    found = placement(case.corpus, case.orders)
    for sentence, place in enumerate(rows_of(case, found)):
        row, groups = common(case.rows[sentence], case.reference[sentence])
        start = int(case.corpus.words.offsets[sentence])
        assert (found.words[place] - start).tolist() == row
        if not row:
            continue
        broken = found.begins[place].tolist()[1:]
        legal = [broken_under(row, reading) for reading in readings(groups)]
        assert sum(broken) == min(map(sum, legal))
        assert broken in legal
        assert not found.begins[place][0]


@pytest.mark.parametrize("case", CASES)
def test_what_is_lost_adds_up(case: Case) -> None:
    """Word by word by hand, and together to what the metric says."""
    found = placement(case.corpus, case.orders)
    scored = sum(bool(common(*pair)[0]) for pair in zip(case.rows, case.reference, strict=True))
    assert found.scored == scored
    for sentence, place in enumerate(rows_of(case, found)):
        words = len(found.words[place])
        broken = [False, *found.begins[place].tolist()[1:], False] if words else []
        lost = found.lost[place].tolist()
        wrong = found.misordered[place].tolist()
        for i in range(words):
            beside = broken[i] + broken[i + 1]
            assert wrong[i] == (beside > 0), sentence
            assert lost[i] == pytest.approx(beside / 2 / max(words - 1, 1) / scored, abs=1e-15)
    score = metric("frs").corpus_score(Segments.from_orders(case.orders, case.corpus.reference))
    assert score.value == pytest.approx(1 - found.lost.sum(), abs=1e-12)
    assert score.value == pytest.approx(found.frs, abs=1e-12)
    assert found.lost.sum() == pytest.approx(found.cost[found.broken].sum(), abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_displacement_is_that_of_the_reading_in_the_order_of_the_system(case: Case) -> None:
    found = placement(case.corpus, case.orders)
    for sentence, place in enumerate(rows_of(case, found)):
        row, groups = common(case.rows[sentence], case.reference[sentence])
        reading = [word for group in groups for word in sorted(group, key=row.index)]
        expected = [i - reading.index(word) for i, word in enumerate(row)]
        assert found.displacement[place].tolist() == expected


def test_without_words_nothing_is_lost() -> None:
    empty: list[list[list[int]]] = [[], [[]], [[], []]]
    for rows in empty:
        corpus = Corpus(Treebank.from_words([[] for _ in rows]), Orders.from_rows(rows))
        found = placement(corpus, Orders.from_rows(rows))
        assert (len(found.words), len(found.broken), found.scored, found.frs) == (0, 0, 0, 1.0)


def test_rows_must_be_as_many() -> None:
    corpus = Corpus(Treebank.from_words([["a"]]), Orders.from_rows([[0]]))
    refuses(InputError, "as many rows", placement, corpus, Orders.from_rows([[0], []]))
