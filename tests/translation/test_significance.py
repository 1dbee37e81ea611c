"""Significance pruning: Fisher's exact test, and counts of sentences."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom
from tests.translation.tables import entries

from wordorder.alignment.alignments import Alignments
from wordorder.errors import UsageError
from wordorder.kernels import phrases
from wordorder.kernels._run import call
from wordorder.ragged import Ragged
from wordorder.translation.extraction import (
    Lexicon,
    PhrasePairs,
    checked_limit,
    log_p_values,
    phrase_pairs,
    significant,
)
from wordorder.translation.phrase_table import phrase_table

Sides = tuple[PhrasePairs, Ragged, Ragged, Alignments]


def log_p(sentences: int, source: int, target: int, meetings: int) -> float:
    found = np.empty(1, np.float64)
    counts = (np.array([count], np.int64) for count in (source, target, meetings))
    factorials = np.zeros(sentences + 1, np.float64)
    call(phrases.add_logarithms, factorials, 1, sentences + 1)
    call(phrases.log_probabilities, factorials, sentences, *counts, found, 0, 1)
    return float(found[0])


def test_all_small_tables_are_those_of_scipy() -> None:
    for sentences in (1, 2, 5, 9):
        for source in range(1, sentences + 1):
            for target in range(1, sentences + 1):
                for both in range(max(0, source + target - sentences), min(source, target) + 1):
                    rest = sentences - source - target + both
                    table = [[both, source - both], [target - both, rest]]
                    expected = fisher_exact(table, alternative="greater").pvalue
                    assert math.exp(log_p(sentences, source, target, both)) == pytest.approx(
                        expected
                    )


@pytest.mark.parametrize(
    ("sentences", "source", "target", "both"),
    [(50000, 1, 1, 1), (50000, 3000, 2500, 200), (50000, 20000, 30000, 12100), (10**6, 40, 50, 12)],
)
def test_large_tables_are_those_of_scipy(
    sentences: int, source: int, target: int, both: int
) -> None:
    expected = hypergeom(sentences, source, target).logsf(both - 1)
    assert log_p(sentences, source, target, both) == pytest.approx(expected, rel=1e-9)


def test_phrases_that_occur_once_have_the_p_value_of_the_paper() -> None:
    """Johnson et al. 2007, section 3: the logarithm of the number of sentence pairs."""
    assert -log_p(50000, 1, 1, 1) == pytest.approx(math.log(50000))


@pytest.fixture(scope="module")
def drawn() -> Sides:
    rng = random.Random(3)
    source = [[rng.randint(1, 6) for _ in range(rng.randint(1, 6))] for _ in range(60)]
    target = [[word + 2 for word in row] for row in source]
    links = Alignments.from_rows([[(i, i) for i in range(len(row))] for row in source])
    sides = Ragged.from_rows(source), Ragged.from_rows(target)
    return phrase_pairs(*sides, links, 3), *sides, links


def has(row: list[int], phrase: list[int]) -> bool:
    return any(row[i : i + len(phrase)] == phrase for i in range(len(row)))


def test_sentences_are_counted_once_however_often_a_phrase_is_in_them(drawn: Sides) -> None:
    pairs, source, target, _ = drawn
    found = log_p_values(pairs, source, target)
    rows = list(zip(source.to_lists(), target.to_lists(), strict=True))
    sides = pairs.source_ngrams.spelled(pairs.source), pairs.target_ngrams.spelled(pairs.target)
    for f, e, value in zip(sides[0].to_lists(), sides[1].to_lists(), found.tolist(), strict=True):
        counts = [0, 0, 0]
        for one, other in rows:
            seen = has(one, f), has(other, e)
            counts = [counts[0] + seen[0], counts[1] + seen[1], counts[2] + all(seen)]
        expected = hypergeom(len(rows), counts[0], counts[1]).logsf(counts[2] - 1)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_limits_leave_out_more_and_more(drawn: Sides) -> None:
    pairs, source, target, _ = drawn
    values = log_p_values(pairs, source, target)
    once = -math.log(len(source))
    kept = {limit: significant(pairs, source, target, limit) for limit in ("a-e", "a+e", 0.01)}
    assert set(kept["a+e"]) < set(kept["a-e"])
    # Of the pairs whose phrases occur once, one keeps all and the other none.
    between = np.setdiff1d(kept["a-e"], kept["a+e"])
    assert values[between] == pytest.approx(once)
    assert (values[kept[0.01]] <= math.log(0.01)).all()
    assert 0 < len(kept[0.01]) < len(pairs)


def test_what_is_kept_has_the_probabilities_that_it_had(drawn: Sides) -> None:
    pairs, source, target, links = drawn
    lexicon = Lexicon.of(source, target, links)
    whole = phrase_table(pairs, lexicon)
    kept = significant(pairs, source, target, "a+e")
    pruned = phrase_table(pairs, lexicon, kept=kept)
    assert 0 < pruned.entries == len(kept) < whole.entries
    known = entries(whole)
    for pair, row in entries(pruned).items():
        assert pruned.scores[row].tolist() == whole.scores[known[pair]].tolist()


@pytest.mark.parametrize("limit", [0, 1, -0.5, "x", True, float("nan")])
def test_wrong_limits(limit: object) -> None:
    with pytest.raises(UsageError, match=r"prune is a p-value between 0 and 1, a\+e or a-e"):
        checked_limit(limit)
