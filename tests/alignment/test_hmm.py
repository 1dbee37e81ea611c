"""The hidden Markov model against all alignments one by one, and against dense recursions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from tests.oracles_aligners import Sums, all_alignments, chain

from wordorder.alignment.statistical.parallel_text import ParallelText
from wordorder.alignment.statistical.training import WIDEST_JUMP, Side, posteriors
from wordorder.kernels._run import set_threads
from wordorder.ragged import Ragged

Oracle = Callable[
    [npt.NDArray[np.float64], npt.NDArray[np.float64], float, Callable[[int], float]], Sums
]


def check(lengths: list[tuple[int, int]], transposed: bool, oracle: Oracle) -> None:
    """Compare all posteriors and jumps of sentence pairs of some lengths, with random numbers."""
    rng = np.random.default_rng(sum(map(sum, lengths)) + transposed)
    sides = [Ragged.from_rows([rng.integers(0, 9, pair[d]) for pair in lengths]) for d in (0, 1)]
    text = ParallelText.from_rows(*sides)
    words = len(text.words)
    translation = rng.random(len(text.pair_source)) ** 4 + 1e-9
    null = rng.random(words)
    jumps = rng.random(2 * WIDEST_JUMP + 1) + 0.01
    (block,) = text.blocks()
    found = posteriors(block, Side(transposed, translation, null, jumps, 0.2))

    def weight(width: int) -> float:
        return float(jumps[WIDEST_JUMP + min(max(width, -WIDEST_JUMP), WIDEST_JUMP)])

    expected_jumps = np.zeros(2 * WIDEST_JUMP + 1)
    cell = token = 0
    for row, (source, target) in enumerate(lengths):
        size = source * target
        cells = slice(cell, cell + size)
        emission = translation[block.pair[cells]].reshape(source, target)
        own = found.cells[cells].reshape(source, target)
        words_here = block.target[row]
        if transposed:
            emission, own, words_here = emission.T, own.T, block.source[row]
        nulls = found.null[token : token + len(words_here)]
        cell += size
        token += len(words_here)
        if size == 0:
            assert np.all(nulls == 1.0)
            continue
        expected = oracle(emission, null[words_here], 0.2, weight)
        np.testing.assert_allclose(own, expected.cells, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nulls, expected.null, rtol=1e-9, atol=1e-12)
        for width, times in expected.jumps.items():
            expected_jumps[WIDEST_JUMP + min(max(width, -WIDEST_JUMP), WIDEST_JUMP)] += times
    np.testing.assert_allclose(found.jumps, expected_jumps, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("transposed", [False, True])
def test_every_alignment_of_short_sentences(transposed: bool) -> None:
    lengths = [(s, t) for s in range(5) for t in range(5)]
    check(lengths, transposed, all_alignments)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 99, 100, 101, 129, 200, 201, 202])
def test_long_sentences(length: int, transposed: bool) -> None:
    check([(length, 7), (3, length), (length, 20)], transposed, chain)


def test_hardly_possible_sentences_stay_numbers() -> None:
    """Two hundred tokens that no state explains: sums of 1 all the same."""
    text = ParallelText.from_rows(["a b c"], [" ".join(["x"] * 200)])
    (block,) = text.blocks()
    least = np.full(len(text.pair_source), 1e-30)
    jumps = np.full(2 * WIDEST_JUMP + 1, 0.5)
    found = posteriors(block, Side(False, least, np.full(len(text.words), 1e-30), jumps, 0.2))
    sums = found.cells.reshape(3, 200).sum(0) + found.null
    np.testing.assert_allclose(sums, 1.0, rtol=1e-12)


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(1)
    rows = [Ragged.from_rows([rng.integers(0, 99, 200) for _ in range(9)]) for _ in range(2)]
    text = ParallelText.from_rows(*rows)
    translation = rng.random(len(text.pair_source))
    null = rng.random(len(text.words))
    jumps = rng.random(2 * WIDEST_JUMP + 1)
    answers = []
    for threads in (1, 2, 8):
        set_threads(threads)
        (block,) = text.blocks()
        found = posteriors(block, Side(False, translation, null, jumps, 0.2))
        answers.append([a.tobytes() for a in (found.cells, found.null, found.jumps)])
    set_threads(None)
    assert answers[0] == answers[1] == answers[2]
