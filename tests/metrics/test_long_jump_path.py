"""Paths of the long jump distance, against the exact distance of tiny sentences."""

import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.test_cover_path import DATA, lines, walk
from tests.oracles_jumps import long_jump_distance

from wordorder.errors import UsageError, WordOrderWarning
from wordorder.metrics.text.edits import long_jump_bounds
from wordorder.metrics.text.paths import GridPath, long_jump_path, read_in_reference
from wordorder.text.texts import Texts

words = st.lists(st.sampled_from("abcd"), max_size=7)


def check(path: GridPath) -> None:
    """Check that a path leads through the grid and takes every word exactly once."""
    walk(path)
    assert path.jumps_in == "hypothesis"
    assert path.coverage == [1] * len(path.hypothesis)


@settings(max_examples=150)
@given(words, words)
def test_it_costs_the_exact_distance(hypothesis: list[str], reference: list[str]) -> None:
    path = long_jump_path(hypothesis, reference)
    check(path)
    assert path.cost == long_jump_distance(hypothesis, reference)
    back = read_in_reference(path.turned())
    check(back)
    assert back.cost == path.cost
    assert (back.hypothesis, back.reference) == (path.reference, path.hypothesis)


def test_blocks_exchanged() -> None:
    rng = random.Random(3)
    for size in (8, 20, 40, 64, 70):
        for _ in range(6):
            reference = [f"w{n}" for n in range(size)]
            cuts = sorted(rng.sample(range(size), 3))
            parts = [reference[a:b] for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
            rng.shuffle(parts)
            hypothesis = [word for part in parts for word in part if rng.random() < 0.95]
            path = long_jump_path(hypothesis, reference)
            check(path)
            texts = Texts.from_segments([hypothesis], [[reference]])
            lower, upper = long_jump_bounds(texts)
            assert lower[0] <= path.cost <= upper[0]


def test_a_search_that_is_cut_short_says_so() -> None:
    rng = random.Random(1)
    reference = [f"w{n % 9}" for n in range(40)]
    hypothesis = rng.sample(reference, 40)
    with pytest.warns(WordOrderWarning, match="not excluded within limit=0"):
        check(long_jump_path(hypothesis, reference, limit=0))
    with pytest.raises(UsageError, match=r"long-jump\.limit"):
        long_jump_path([], [], limit=-1)


def test_empty_sentences() -> None:
    assert long_jump_path([], []).steps == ()
    assert long_jump_path(["a", "b"], []).summary == "2 deletions: cost 2"
    assert long_jump_path([], ["a"]).summary == "1 insertion: cost 1"


@pytest.mark.skipif(not DATA.is_dir(), reason="WORDORDER_DATA names no folder with these sets")
def test_paths_of_real_data_cost_what_the_metric_counts() -> None:
    hypotheses = lines("compare-mt-ted/ted.sys1.eng.gz")[:400:4]
    references = lines("compare-mt-ted/ted.ref.eng.gz")[:400:4]
    lower, upper = long_jump_bounds(Texts.from_segments(hypotheses, references))
    jumps = 0
    for row, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WordOrderWarning)
            path = long_jump_path(hypothesis.split(), reference.split())
        check(path)
        jumps += "jump" in path.summary
        assert path.cost == upper[row]
    assert (lower == upper).mean() > 0.9
    assert jumps
