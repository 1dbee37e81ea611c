"""Columns that segments may lack; parts and wholes of all of them."""

import pickle

import numpy as np
import pytest

import wordorder as wo
from wordorder.errors import InputError, UsageError


def everything() -> wo.Segments:
    links = wo.Alignments.from_rows([[(0, 0), (1, 1)], [], [(0, 1), (1, 0)], [(1, 1)]])
    return wo.Segments.from_alignments(
        ["a b"] * 4,
        ["x y", "y x", "x", "y y"],
        [["x y", "y x"], ["x y", "y"], ["x x", "y z"], ["x y", "y x"]],
        links.take(np.array([0, 1, 1, 3])),
        [links, wo.Alignments.from_rows([[], [], [], [(0, 0)]])],
    )


def scores(segments: wo.Segments) -> list[float]:
    metrics = [wo.metric("kendall"), wo.metric("f1"), wo.metric("unaligned")]
    return [value for metric in metrics for value in metric.segment_scores(segments).tolist()]


@pytest.mark.parametrize("first", range(5))
@pytest.mark.parametrize("last", range(5))
def test_parts_and_wholes(first: int, last: int) -> None:
    segments = everything()
    part = segments[first:last]
    expected = np.array(scores(segments)).reshape(3, -1)[:, first:last]
    assert np.array_equal(np.array(scores(part)).reshape(3, -1), expected)
    joined = wo.Segments.concatenate([part, segments])
    assert len(joined) == len(part) + 4
    both = np.concatenate([expected, np.array(scores(segments)).reshape(3, -1)], axis=1)
    assert np.array_equal(np.array(scores(joined)).reshape(3, -1), both)


def test_segments_can_be_sent_to_another_process() -> None:
    segments = everything()
    segments.texts.local()
    assert scores(pickle.loads(pickle.dumps(segments))) == scores(segments)


def test_a_missing_column_is_named_with_the_way_to_get_it() -> None:
    orders = wo.Segments.from_permutations([[0, 1]])
    texts = wo.Segments.from_text(["a"], ["a"])
    gold = wo.Segments.from_links(wo.Alignments.from_rows([[]]), wo.Alignments.from_rows([[]]))
    for segments, metric, what in (
        (orders, "f1", "no text"),
        (orders, "unaligned", "no word alignments"),
        (texts, "kendall", "no word orders"),
        (texts, "synchrony", "no word alignments"),
        (gold, "frs", "no word orders"),
        (gold, "cder", "no text"),
    ):
        with pytest.raises(UsageError, match=f"there (are|is) {what}"):
            wo.metric(metric).corpus_score(segments)


def test_the_best_of_several_references_counts() -> None:
    offsets = np.array([0, 2, 2, 3])
    rows = wo.Ragged.from_rows([[1, 0, 2], [0, 1, 2], [2, 1, 0]])
    lengths = rows.lengths
    segments = wo.Segments(rows, None, None, lengths, lengths, reference_offsets=offsets)
    for average in ("segment", "micro", "length"):
        metric = wo.metric("kendall", average=average)
        assert metric.segment_scores(segments).tolist() == [1.0, 0.0, 0.0]
        score = metric.corpus_score(segments)
        assert (score.value, score.segments, score.skipped) == (0.5, 3, 1)


def test_alignments_against_gold_ones() -> None:
    one, two = (wo.Alignments.from_rows([[]] * n) for n in (1, 2))
    with pytest.raises(InputError, match="1 against 2 rows"):
        wo.Segments.from_links(one, two)
    assert repr(wo.Segments.from_links(two, two)) == "Segments(2 of links)"


def test_rows_that_do_not_belong_to_a_segment_are_refused() -> None:
    rows = wo.Ragged.from_rows([[0], [0]])
    with pytest.raises(InputError, match="reference_offsets"):
        wo.Segments(
            rows, None, None, rows.lengths, rows.lengths, reference_offsets=np.array([0, 1])
        )
