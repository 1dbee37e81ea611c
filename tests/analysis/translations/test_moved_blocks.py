"""Moved blocks, against all choices of blocks that stay."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.analysis.translations.block_oracles import SlowBlock, places_of, slow_blocks
from tests.analysis.translations.translated import TED, random_lines, ted_lines

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.translations.blocks import Blocks, aligned_blocks, path_blocks
from wordorder.arrays import Int64
from wordorder.metrics.text.paths import cover_paths
from wordorder.text.texts import Texts

words = st.lists(st.sampled_from("abcdef"), max_size=9)


def compare(found: Blocks, wanted: list[list[SlowBlock]], starts: list[int]) -> None:
    """Compare all blocks with those of each sentence; `starts`: the first word of each."""
    flat = [(n, block) for n, row in enumerate(wanted) for block in row]
    assert found.segments.tolist() == [n for n, _ in flat]
    assert found.words.tolist() == [block.stop - block.first for _, block in flat]
    assert found.moved.tolist() == [block.moved for _, block in flat]
    assert found.distance.tolist() == [block.distance for _, block in flat]
    assert found.cost == pytest.approx([float(block.cost) for _, block in flat])
    passed = [
        (
            found.reference[starts[n] + block.passed[0]],
            found.reference[starts[n] + block.passed[-1]],
        )
        if block.passed
        else (-1, -1)
        for n, block in flat
    ]
    assert list(zip(found.passed, found.passed_last, strict=True)) == passed
    assert np.array_equal(found.too_early | found.too_late | found.repeated, found.moved)
    assert np.array_equal(found.local | found.long | found.repeated, found.moved)


def check_paths(texts: Texts, rows: Int64) -> Blocks:
    """Compare the blocks of the paths, sentence by sentence."""
    paths = cover_paths(texts, rows)
    found = path_blocks(paths)
    wanted: list[list[SlowBlock]] = [[] for _ in range(len(texts))]
    starts, causeless, size = [0] * len(texts), [0] * len(texts), 0
    for row, path in zip(rows.tolist(), paths, strict=True):
        segment = int(texts.segment_of[row])
        _, places, jumps = places_of(path)
        wanted[segment], causeless[segment] = slow_blocks(places, jumps, len(path.hypothesis))
        starts[segment], size = size, size + len(places)
        total = sum(jumps) - causeless[segment]
        assert sum(block.cost for block in wanted[segment]) == total
    compare(found, wanted, starts)
    assert found.causeless.tolist() == causeless
    return found


def check_alignments(texts: Texts, rows: Int64) -> Blocks:
    """Compare the blocks of the monolingual alignment, sentence by sentence."""
    matches = MonolingualAligner().align(texts)
    found = aligned_blocks(texts, rows, matches)
    alignments = matches.alignments()
    wanted: list[list[SlowBlock]] = [[] for _ in range(len(texts))]
    starts, size = [0] * len(texts), 0
    for segment, row in enumerate(rows.tolist()):
        if row < 0:
            continue
        places = [h for _, h in sorted((r, h) for h, r in alignments[row].links)]
        width = int(texts.hypothesis.lengths[segment])
        wanted[segment], _ = slow_blocks(places, [False] * (len(places) + 1), width)
        starts[segment], size = size, size + len(places)
    compare(found, wanted, starts)
    assert not found.cost.any()
    return found


@given(st.lists(st.tuples(words, words), min_size=1, max_size=6))
def test_blocks_of_random_sentences(pairs: list[tuple[list[str], list[str]]]) -> None:
    texts = Texts.from_segments([h for h, _ in pairs], [[r] for _, r in pairs])
    check_paths(texts, np.arange(len(pairs)))
    check_alignments(texts, np.arange(len(pairs)))


@pytest.mark.parametrize("seed", [1, 2])
def test_segments_with_several_references_and_none(seed: int) -> None:
    lines = random_lines(seed, 60, 1)
    texts = Texts.from_segments(lines.systems["S0"], lines.references)
    rows = np.where(np.diff(texts.reference_offsets) > 0, texts.reference_offsets[1:] - 1, -1)
    found = check_paths(texts, rows[rows >= 0])
    assert found.repeated.any()
    by_words = check_alignments(texts, rows)
    assert by_words.too_early.any()
    assert by_words.too_late.any()


def test_both_directions_and_distances() -> None:
    texts = Texts.from_segments(
        ["on tuesday we met at six", "we six at seven eight nine met", "b a c"],
        ["we met at six on tuesday", "we met six at seven eight nine", "a b c"],
    )
    found = check_paths(texts, np.arange(3))
    assert found.distance[found.moved].tolist() == [-4]
    by_words = check_alignments(texts, np.arange(3))
    assert by_words.distance[by_words.moved].tolist() == [-4, 5, -1]
    assert by_words.local[by_words.moved].tolist() == [False, False, True]


@pytest.mark.skipif(not TED.is_dir(), reason="WORDORDER_DATA names no folder with compare-mt-ted")
def test_blocks_of_real_sentences() -> None:
    lines = ted_lines(80)
    for name in lines.systems:
        texts = Texts.from_segments(lines.systems[name], lines.references)
        check_paths(texts, np.arange(len(texts)))
        check_alignments(texts, np.arange(len(texts)))


def test_words_that_are_taken_twice() -> None:
    texts = Texts.from_segments(["a b c d"], ["a b c d a b c d"])
    found = path_blocks(cover_paths(texts))
    assert found.moved.tolist() == [False, True]
    assert found.repeated.tolist() == [False, True]
    assert found.cost.tolist() == [0.0, 1.0]


def test_jumps_over_words_that_are_too_many_have_no_block() -> None:
    texts = Texts.from_segments(["x a b c d y y e f g h z"], ["a b c d e f g h"])
    found = path_blocks(cover_paths(texts))
    assert (found.words.tolist(), found.moved.tolist()) == ([8], [False])
    assert found.causeless.tolist() == [3]


def test_without_words() -> None:
    texts = Texts.from_segments(["", "a", ""], [[""], [""], ["a"]])
    found = path_blocks(cover_paths(texts))
    assert (len(found), found.causeless.tolist()) == (0, [0, 1, 0])
    assert len(aligned_blocks(texts, np.arange(3), MonolingualAligner().align(texts))) == 0
    nothing = Texts.from_segments([], [])
    assert len(path_blocks(cover_paths(nothing))) == 0
