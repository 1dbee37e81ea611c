"""Which sentences and systems a page draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.page_analyses import NamedRules, sample_analysis

from wordorder.analysis.section import Analysis, Section
from wordorder.reordering.rules import open_rules
from wordorder.report.page.sentence_list import by_interest, score_matrix, shown_pair

NAN = float("nan")


def section(examples: tuple[tuple[int, ...], ...]) -> Section:
    return Section("a", "A", "", ("x",), ((1,),) * len(examples), examples)


@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, NAN])] * 2), max_size=8),
    st.lists(st.lists(st.integers(0, 9), max_size=3).map(tuple), max_size=4),
)
def test_every_sentence_comes_once(
    rows: list[tuple[float, float]], examples: list[tuple[int, ...]]
) -> None:
    scores = np.array(rows).reshape(len(rows), 2).T
    found = by_interest(scores, [section(tuple(examples))])
    assert sorted(found) == list(range(len(rows)))


def test_the_worst_the_widest_and_the_examples_take_turns() -> None:
    low = np.array([0.5, 0.1, 0.6, 0.0, 0.7, 0.8])
    high = np.array([0.5, 0.3, 1.0, 0.3, 0.7, 0.8])
    sections = [section(((5, 0), (4,))), section(((4,),))]
    # Worst by mean: 3, 1, 0; widest: 2, 3, 1; examples: the first of first rows 5 and 4, then 0.
    assert by_interest(np.array([low, high]), sections) == [3, 2, 5, 1, 4, 0]


def test_without_systems_all_sentences_are_in_order() -> None:
    assert by_interest(np.zeros((0, 3)), []) == [0, 1, 2]


def given_scores(
    analysis: Analysis, columns: list[float]
) -> tuple[Analysis, npt.NDArray[np.float64]]:
    """Give every sentence of an analysis the same scores."""
    size = len(analysis.corpus.words)
    systems = tuple(
        replace(system, scores=np.full(size, score))
        for system, score in zip(analysis.systems, columns, strict=True)
    )
    analysis = replace(analysis, systems=systems)
    return analysis, score_matrix(analysis)


@pytest.mark.parametrize(
    ("columns", "pair"),
    [
        # P1R1, P1R2, P1R5, P2R1, P2R2, P2R5: the rules are the same where parsers differ most.
        ([0.0, 0.1, 0.5, 0.3, 0.1, 0.9], (2, 5)),
        ([0.0, 0.1, 0.5, 0.9, 0.1, 0.9], (0, 3)),
        # No parser matters: the two that differ most.
        ([0.2, 0.1, 0.5, 0.2, 0.1, 0.5], (1, 2)),
        # Nothing matters: two parsers.
        ([0.5] * 6, (0, 3)),
    ],
)
def test_two_parsers_with_the_same_rules(columns: list[float], pair: tuple[int, int]) -> None:
    analysis, scores = given_scores(sample_analysis(), columns)
    assert shown_pair(analysis, scores, 0) == pair


def test_systems_without_trees() -> None:
    analysis, scores = given_scores(sample_analysis(), [0.5, 0.5, 0.2, 0.5, 0.9, 0.5])
    analysis = replace(
        analysis,
        systems=tuple(replace(each, treebank=None, rules=None) for each in analysis.systems),
    )
    assert shown_pair(analysis, scores, 0) == (2, 4)
    alone = replace(analysis, systems=analysis.systems[:1])
    assert shown_pair(alone, scores[:1], 0) == (0,)
    assert shown_pair(replace(analysis, systems=()), scores[:0], 0) == ()


def test_one_parser_with_several_rules() -> None:
    analysis, scores = given_scores(sample_analysis(), [0.5, 0.4, 0.2, 0.5, 0.9, 0.5])
    one = analysis.systems[0].treebank
    analysis = replace(
        analysis,
        systems=tuple(
            replace(each, treebank=one, rules=NamedRules(str(number)))
            for number, each in enumerate(analysis.systems)
        ),
    )
    assert shown_pair(analysis, scores, 0) == (2, 4)


def test_rules_of_one_name_are_not_the_same_rules() -> None:
    """Two versions of a file of rules, under names of the command line."""
    analysis, scores = given_scores(sample_analysis(), [0.9, 0.2, 0.5, 0.9, 0.6, 0.1])
    both = [open_rules("R1"), open_rules("R1")]
    analysis = replace(
        analysis,
        systems=tuple(
            replace(system, rules=rules)
            for system, rules in zip(
                (analysis.systems[number] for number in (0, 1, 3, 4)), both * 2, strict=True
            )
        ),
    )
    assert shown_pair(analysis, scores[[0, 1, 3, 4]], 0) == (1, 3)
