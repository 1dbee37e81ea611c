"""The columns that metrics read: what makes them, what they refuse, copies and pickles."""

import copy
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordorder as wo
from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.errors import InputError, UsageError
from wordorder.segments.columns import DroppedWords

TALBOT = (("rule", "talbot"), ("null", "next"))
LRSCORE = (("rule", "lrscore"), ("null", "previous"))


def with_provenance(provenance: tuple[tuple[str, str], ...]) -> wo.Segments:
    reference = wo.Orders.from_rows([[0, 1]], provenance=provenance)
    return wo.Segments.from_orders([[1, 0]], reference)


def test_paths_orders_and_rows_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "s.orders").write_text("0 2 1\n1 0\n")
    (tmp_path / "r.orders").write_text("0 1,2\n0 1\n")
    (tmp_path / "source").write_text("a b a\nc c\n")
    rows = wo.Segments.from_orders(
        [[0, 2, 1], [1, 0]], [[0, [1, 2]], [0, 1]], source=[["a", "b", "a"], ["c", "c"]]
    )
    files = wo.Segments.from_orders(
        tmp_path / "s.orders", tmp_path / "r.orders", source=tmp_path / "source"
    )
    for name in ("permutation", "groups", "words"):
        assert getattr(rows, name) == getattr(files, name)


def test_permutations_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text("1 0\n\n0 2 1\n")
    assert wo.Segments.from_permutations(path).permutation.to_lists() == [[1, 0], [], [0, 2, 1]]
    path.write_text("0,1\n")
    with pytest.raises(wo.InputError, match="tied positions"):
        wo.Segments.from_permutations(path)


def test_dropped_words() -> None:
    segments = wo.Segments.from_orders([[5, 0, 9]], [[9, 7, 5, 3]])
    assert segments.permutation.to_lists() == [[1, 0]]
    assert (segments.dropped, segments.reference_lengths.tolist()) == (3, [4])


@pytest.mark.parametrize(
    ("system", "reference", "message"),
    [
        ([[0, 1]], [[0, 0]], "reference, row 1, entry 2: position 0 is listed twice"),
        ([[0, -1]], [[0, 1]], "system, row 1, entry 2: position -1"),
        ([[0.0, 1.0]], [[0, 1]], "system, row 1: 0.0; expected a position, or a sequence"),
        ([[0]], [[0], [0]], "system, reference: 1 against 2 rows"),
        ([0, 1], [[0]], "system, row 1: 0; expected a sequence of integers"),
    ],
)
def test_messages_say_which_argument_is_wrong(system: Any, reference: Any, message: str) -> None:
    with pytest.raises(wo.InputError, match=f"^{message}"):
        wo.Segments.from_orders(system, reference)


@pytest.mark.parametrize("rows", [[0, 1], [np.array(3)], [[0, 0]], [[1, 2]], [[-1, 0]], [[0, "1"]]])
def test_what_is_no_permutation(rows: Any) -> None:
    with pytest.raises(wo.InputError, match="^row 1"):
        wo.Segments.from_permutations(rows)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["the cat sat"], "source, row 1: 'the cat sat'; expected a sequence of words"),
        ([["the", "cat"]], "position 2 in a source of 2 words"),
        ([], "source: 0 sentences for 1 orders"),
    ],
)
def test_a_source_that_does_not_fit(source: Any, message: str) -> None:
    with pytest.raises(wo.InputError, match=message):
        wo.Segments.from_orders([[0, 1, 2]], [[0, 1, 2]], source=source)


def test_columns_of_ones_own_are_checked() -> None:
    good = wo.Ragged.from_rows([[1, 0], [0]])
    bad = wo.Ragged.from_rows([[5_000_000, -70_000], [0]])
    other = wo.Ragged.from_rows([[0], [1, 0]])
    n = good.lengths
    assert len(wo.Segments(good, None, None, n, n)) == 2
    for columns in (
        (bad, None, None, n, n),
        (good, bad, None, n, n),
        (good, other, None, n, n),
        (good, None, other, n, n),
        (good, None, None, n[:1], n),
        (good, None, None, n, np.zeros((2, 2), np.int64)),
    ):
        with pytest.raises(wo.InputError):
            wo.Segments(*columns)


def test_single_segments_are_slices() -> None:
    segments = wo.Segments.from_permutations([[0, 1], [1, 0]])
    assert segments[1:].permutation.to_lists() == [[1, 0]]
    with pytest.raises(TypeError, match="slices"):
        segments[0]  # type: ignore[index]


def test_provenance_must_be_one() -> None:
    talbot, lrscore = with_provenance(TALBOT), with_provenance(LRSCORE)
    empty = wo.Segments.empty()
    assert wo.Segments.concatenate([empty, talbot, talbot]).provenance == TALBOT
    with pytest.raises(UsageError, match="different ways"):
        wo.Segments.concatenate([talbot, lrscore])
    running = wo.Accumulator(wo.metric("frs"))
    running.update(empty)
    running.update(talbot)
    with pytest.raises(UsageError, match="different ways"):
        running.update(lrscore)
    assert running.compute().segments == 1
    with pytest.raises(UsageError, match="references already"):
        running.update(talbot, [[0, 1]])


def test_nothing_at_all() -> None:
    running = wo.Accumulator(wo.metric("frs", match="first-unmatched"))
    with pytest.raises(InputError, match="no segments; expected at least one to score"):
        running.compute()


def test_pickles_leave_out_what_can_be_computed_again() -> None:
    segments = wo.Segments.from_orders([[1, 0, 2]], [[0, [1, 2]]], source=[["a", "b", "a"]])
    before = len(pickle.dumps(segments))
    score = wo.metric("kendall").corpus_score(segments)
    assert len(pickle.dumps(segments)) == before
    again = pickle.loads(pickle.dumps(segments))
    assert wo.metric("kendall").corpus_score(again) == score
    assert again.words == segments.words


def fail(_: int) -> None:
    raise wo.InputError("a.orders:3", "7", "something else")


def test_errors_come_back_from_other_processes() -> None:
    error = wo.InputError("a.orders:3", "7", "something else")
    assert str(copy.deepcopy(error)) == str(error)
    with (
        multiprocessing.get_context("spawn").Pool(1) as pool,
        pytest.raises(wo.InputError, match="a.orders:3: 7; expected something else"),
    ):
        pool.map_async(fail, [1]).get(timeout=60)


def test_full_orders_do_not_fit_a_renumbered_reference() -> None:
    # Source a b c d with the links d-0 and b-1: d before b, which are words 1 and 0 of two.
    alignments = wo.Alignments.from_rows([[(3, 0), (1, 1)]])
    aligned = wo.reference_orders(alignments, [4], rule="aligned")
    with pytest.raises(UsageError, match="row 1: the system has words .* unaligned='drop' keeps"):
        wo.Segments.from_orders([[0, 3, 1, 2]], aligned)
    assert wo.Segments.from_orders([[1, 0]], aligned).permutation.to_lists() == [[0, 1]]
    dropped = wo.reference_orders(alignments, [4], unaligned="drop")
    segments = wo.Segments.from_orders([[0, 3, 1, 2]], dropped)
    assert segments.permutation.to_lists() == [[0, 1]]


def test_words_without_a_match_are_counted_by_side(tmp_path: Path) -> None:
    """Phrases that match may differ in length: what is missing on one side is not on the other."""
    table = tmp_path / "paraphrases"
    table.write_text("1.0\na lot of\nmany\n")
    aligner = MonolingualAligner(modules=["exact", "paraphrase"], paraphrases=table)
    hypotheses = ["many cats sleep here", "x", "many"]
    references = [["a lot of cats sleep"], ["a lot of"], ["a lot of", "few"]]
    segments = wo.Segments.from_text(hypotheses, references, aligner=aligner)
    # Of the system "here", "x", and "many" against "few"; of the references "a lot of" and "few".
    wanted = DroppedWords(3, 7, 4, 12)
    assert segments.dropped_words == wanted
    assert segments.dropped == wanted.total == 7
    parts = [segments[:1], segments[1:]]
    assert sum((part.dropped_words for part in parts), DroppedWords()) == wanted
    assert wo.Segments.concatenate(parts).dropped_words == wanted
