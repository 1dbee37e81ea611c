"""Paths of the cover distance and of the long jump distance, against all paths of tiny grids."""

import gzip
import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles_edit as oracles
from tests.files import data
from tests.oracles_jumps import long_jump_distance
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.metrics.text.edits import CoverDisjointErrorRate
from wordorder.metrics.text.paths import CoverPaths, GridPath, cover_paths, disjoint_path
from wordorder.segments import Segments
from wordorder.text.texts import Texts

Sentence = list[str]
Pair = tuple[Sentence, Sentence]

WORDS = ["a", "b", "ab", "abba", "talk", "talks"]
sentences = st.lists(st.sampled_from(WORDS), max_size=6)
texts = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5)


def traced(pairs: list[Pair], **options: Any) -> CoverPaths:
    given_texts = Texts.from_segments([h for h, _ in pairs], [[r] for _, r in pairs])
    return cover_paths(given_texts, **options)


def walk(path: GridPath) -> None:
    """Check that a path leads through the grid, and that each step is what it says."""
    for step, (i, k), (to_i, to_k) in zip(
        path.steps, path.points[:-1], path.points[1:], strict=True
    ):
        advance = (to_i - i, to_k - k)
        if step.operation in ("match", "substitution"):
            assert advance == (1, 1)
            assert (path.hypothesis[i] == path.reference[k]) == (step.operation == "match")
            assert (step.cost == 0) == (step.operation == "match")
            continue
        assert step.cost == 1
        if step.operation == "insertion":
            assert advance == (0, 1)
        elif step.operation == "deletion":
            assert advance == (1, 0)
        else:
            assert step.operation == "jump"
            turned = path.jumps_in == "reference"
            assert advance[1 - turned] == 0 != advance[turned]
    assert path.points[0] == (0, 0)


def shape(path: GridPath) -> list[tuple[str, int, int]]:
    return [(step.operation, step.hypothesis, step.reference) for step in path.steps]


@settings(max_examples=40)
@given(texts)
@pytest.mark.parametrize("ties", ["blocks", "steps"])
@pytest.mark.parametrize("costs", oracles.COSTS)
def test_the_documented_path_of_each_pair(costs: str, ties: str, pairs: list[Pair]) -> None:
    cost = oracles.COSTS[costs]
    for path, (candidate, reference) in zip(
        traced(pairs, substitution=costs, ties=ties), pairs, strict=True
    ):
        walk(path)
        assert path.cost == pytest.approx(oracles.cover_distance(candidate, reference, cost))
        oracle = oracles.blockwise_path if ties == "blocks" else oracles.documented_path
        assert shape(path) == oracle(candidate, reference, cost)
    turned = traced([(r, h) for h, r in pairs], substitution=costs, ties=ties)
    back = traced(pairs, substitution=costs, ties=ties, direction="candidate")
    assert [path.with_exchanged_sentences() for path in back] == list(turned)
    for path in back:
        walk(path)


def test_phrases_stay_whole_and_single_words_are_not_fetched_from_afar() -> None:
    [path] = traced([("x to y a b c d".split(), "a b v to c d".split())])
    names = [step.operation for step in path.steps]
    assert (names.count("substitution"), path.cost) == (0, 3)
    assert path.summary == "1 jump, 2 insertions, 4 matches: cost 3"


@given(texts)
def test_no_cheapest_path_needs_deletions(pairs: list[Pair]) -> None:
    for options in ({}, {"ties": "steps"}, {"substitution": "prefix"}, {"direction": "candidate"}):
        for path in traced(pairs, **options):
            # A jump costs as much (Leusch et al. 2006, section 3.3).
            idle = "deletion" if path.jumps_in == "hypothesis" else "insertion"
            steps = [replace(s, operation="jump") if s.operation == idle else s for s in path.steps]
            other = replace(path, steps=tuple(steps))
            walk(other)
            assert other.cost == path.cost
            names = [step.operation for step in path.steps]
            # What the kernel's room for steps relies on.
            skips = [name in (idle, "jump") for name in names]
            assert not any(a and b for a, b in pairwise(skips))


@settings(max_examples=50)
@given(texts)
@pytest.mark.parametrize("direction", ["reference", "candidate"])
def test_a_long_jump_path_is_made_of_it(direction: str, pairs: list[Pair]) -> None:
    for ties in ("blocks", "steps"):
        for path, pair in zip(traced(pairs, ties=ties, direction=direction), pairs, strict=True):
            made = disjoint_path(path)
            walk(made)
            for words, idle in ((path.hypothesis, "insertion"), (path.reference, "deletion")):
                ours = words is path.hypothesis
                taken = [
                    step.hypothesis if ours else step.reference
                    for step in made.steps
                    if step.operation not in (idle, "jump")
                ]
                assert sorted(taken) == list(range(len(words)))
            missed = sum(abs(1 - count) for count in path.coverage)
            # Equation 2, as far as it holds.
            assert long_jump_distance(*pair) <= made.cost <= path.cost + missed


def test_worked_examples() -> None:
    # On the left "on tuesday" is never taken twice; the cheapest path jumps three times.
    [path] = traced([("on tuesday we met at six".split(), "we met at six on tuesday".split())])
    assert path.summary == "3 jumps, 6 matches: cost 3"
    assert disjoint_path(path) == path
    [path] = traced([("on tuesday on tuesday we met".split(), "on tuesday we met".split())])
    assert path.summary == "1 jump, 4 matches: cost 1"
    assert path.coverage == [0, 0, 1, 1, 1, 1]
    assert disjoint_path(path).summary == "2 deletions, 4 matches: cost 2"
    # A word that is taken twice is inserted once.
    [path] = traced([("a b c d".split(), "a b c d a b c d".split())])
    assert path.summary == "1 jump, 8 matches: cost 1"
    assert disjoint_path(path).summary == "4 insertions, 4 matches: cost 4"


def test_empty_sentences() -> None:
    [both, ours, theirs] = traced([([], []), (["a", "b"], []), ([], ["a", "b"])])
    assert (both.steps, both.cost, both.summary) == ((), 0, "no words: cost 0")
    assert shape(ours) == [("jump", 0, 0)]
    assert shape(theirs) == [("insertion", 0, 0), ("insertion", 0, 1)]
    assert disjoint_path(ours).summary == "2 deletions: cost 2"
    for path in (both, ours, theirs):
        walk(path)
        walk(disjoint_path(path))
    assert len(cover_paths(Texts.from_segments(["a"], [[]]))) == 0


def test_long_sentences_cost_what_the_metric_counts() -> None:
    rng = random.Random(5)
    long = [f"w{rng.randrange(300)}" for _ in range(1500)]
    other = long[700:] + [f"w{rng.randrange(300)}" for _ in range(300)] + long[:650]
    pairs: list[Pair] = [
        (long, other),
        (["a", "b", "c"], ["x", *"abc"] * 4000),
        (["a"] * 30000, []),
    ]
    segments = Segments.from_text([h for h, _ in pairs], [[r] for _, r in pairs])
    wanted = CoverDisjointErrorRate().distances(segments)
    paths = cover_paths(segments.texts)
    assert paths.distance.tolist() == wanted.tolist()
    walk(paths[0])
    assert _links(paths) > 5000
    with_costs = cover_paths(segments.texts[:1], substitution="prefix")
    prefix = CoverDisjointErrorRate(substitution="prefix").distances(segments[:1])
    assert with_costs.distance == pytest.approx(prefix, rel=1e-12)


def test_some_rows_of_several_references() -> None:
    all_texts = Texts.from_segments(["a b", "c", "d e"], [["b a", "a b"], [], ["e", "d e f"]])
    every = cover_paths(all_texts)
    some = cover_paths(all_texts, np.array([1, 2]))
    assert [some[0], some[1]] == [every[1], every[2]]
    assert some.distance.tolist() == [0.0, 1.0]
    back = cover_paths(all_texts, np.array([0, 3]), direction="candidate")
    assert back[1] == cover_paths(all_texts, direction="candidate")[3]
    with pytest.raises(IndexError, match="path 2 of 2"):
        some[2]


def test_wrong_names() -> None:
    empty = Texts.from_segments([], [])
    refuses(UsageError, "candidate, reference", cover_paths, empty, direction="max")
    refuses(UsageError, "blocks, steps", cover_paths, empty, ties="first")


def test_text_of_wide_and_hostile_words() -> None:
    [path] = traced([(["語順", "a\x1b[2J"], ["語順", "b"])])
    assert path.to_text().splitlines() == [
        "operation     hypothesis  reference  cost",
        "match         語順        語順       0",
        "substitution  a\\x1b[2J    b          1",
        "1 substitution, 1 match: cost 1",
    ]


def lines(name: str) -> list[str]:
    with gzip.open(data(name), "rt", encoding="utf-8") as stream:
        return stream.read().split("\n")[:-1]


REAL = {
    "ted": ("compare-mt-ted/ted.sys1.eng.gz", "compare-mt-ted/ted.ref.eng.gz"),
    "wmt13": (
        "human/wmt13-rr-pairs/de-en/outputs/cu-zeman.2720.en.gz",
        "human/wmt13-rr-pairs/de-en/reference.en.gz",
    ),
    "wmt15": (
        "human/wmt15-rr/en-fi/outputs/abumatran-combo.4018.fi.gz",
        "human/wmt15-rr/en-fi/reference.fi.gz",
    ),
}


@pytest.mark.parametrize("files", REAL.values(), ids=REAL)
def test_paths_of_real_data_cost_what_the_metric_counts(files: tuple[str, str]) -> None:
    hypotheses, references = map(lines, files)
    segments = Segments.from_text(hypotheses, references)
    for direction in ("reference", "candidate"):
        plain = CoverDisjointErrorRate(direction=direction)
        penalty = CoverDisjointErrorRate(direction=direction, penalty="miscoverage")
        wanted = plain.distances(segments)
        by_blocks = cover_paths(segments.texts, direction=direction)
        by_steps = cover_paths(segments.texts, direction=direction, ties="steps")
        for paths in (by_blocks, by_steps):
            assert paths.distance.tolist() == wanted.tolist()
            costs = np.bincount(paths.path_of, paths.cost, len(paths))
            assert costs.tolist() == wanted.tolist()
        missed = penalty.distances(segments) - wanted
        for row in range(0, len(segments), 200):
            walk(by_blocks[row])
            walk(by_steps[row])
            assert sum(abs(1 - n) for n in by_steps[row].coverage) == missed[row]
        assert _links(by_blocks) > _links(by_steps)


def _links(paths: CoverPaths) -> int:
    """Count the matches that directly follow a match."""
    matched = (paths.operation[1:] == 0) & (paths.operation[:-1] == 0)
    return int(np.count_nonzero(matched & (np.diff(paths.path_of) == 0)))
