"""Symmetrisation against the published pseudo-code."""

import random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.oracles_aligners import Link, symmetrized
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.symmetrization import METHODS, symmetrize
from wordorder.errors import UsageError

Rows = list[list[Link]]


def check(forward: Rows, backward: Rows) -> None:
    one, other = (wo.Alignments.from_rows(rows) for rows in (forward, backward))
    for method in METHODS:
        found = symmetrize(one, other, method)
        assert len(found) == len(forward)
        for row, f, b in zip(found, forward, backward, strict=True):
            assert list(row.links) == sorted(symmetrized(set(f), set(b), method)), method


def functions(rng: random.Random, source: int, target: int, near: int) -> tuple[list[Link], ...]:
    """Link every target word, then every source word, at most once, near the diagonal."""

    def close(place: int, length: int) -> int:
        return min(max(place + rng.randint(-near, near), 0), length - 1)

    forward = [(close(t, source), t) for t in range(target) if source and rng.random() < 0.8]
    backward = [(s, close(s, target)) for s in range(source) if target and rng.random() < 0.8]
    return forward, backward


@pytest.mark.parametrize("near", [1, 2, 5])
def test_alignments_of_two_directions(near: int) -> None:
    rng = random.Random(near)
    rows = [functions(rng, rng.randint(0, 9), rng.randint(0, 9), near) for _ in range(300)]
    check([row[0] for row in rows], [row[1] for row in rows])


@pytest.mark.parametrize("length", [0, 1, 2, 63, 64, 65, 127, 128, 129])
def test_lengths(length: int) -> None:
    rng = random.Random(length)
    rows = [functions(rng, length, other, 2) for other in (0, 1, 2, length, length + 1)]
    check([row[0] for row in rows], [row[1] for row in rows])


links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)))


@given(st.lists(st.tuples(links, links), max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_links(rows: list[tuple[set[Link], set[Link]]]) -> None:
    check([sorted(row[0]) for row in rows], [sorted(row[1]) for row in rows])


def test_known_lengths_stay() -> None:
    known = wo.Alignments.from_rows([[(0, 0)]], source_lengths=[3], target_lengths=[2])
    bare = wo.Alignments.from_rows([[(1, 0)]])
    for found in (symmetrize(known, bare, "union"), symmetrize(bare, known, "union")):
        assert found[0].source_length == 3
        assert found[0].target_length == 2
        assert found[0].links == ((0, 0), (1, 0))
    assert symmetrize(bare, bare)[0].source_length is None


@pytest.mark.parametrize("lengths", [[2], [1]])
def test_contradicting_lengths(lengths: list[int]) -> None:
    one = wo.Alignments.from_rows([[(0, 0)]], source_lengths=lengths)
    other = wo.Alignments.from_rows([[(2, 0)]], source_lengths=[3])
    refuses(wo.InputError, "a source of", symmetrize, one, other)
    bare = wo.Alignments.from_rows([[(2, 0)]])
    refuses(wo.InputError, "a source of", symmetrize, one, bare)


def test_refusals() -> None:
    one, two = (wo.Alignments.from_rows([[]] * rows) for rows in (1, 2))
    refuses(wo.InputError, "1 line, but", symmetrize, one, two)
    refuses(wo.WordOrderError, "did you mean 'union'", symmetrize, one, one, "onion")
    long = wo.Alignments.from_rows([[(1 << 20, 1 << 20)]])
    refuses(wo.InputError, "a product of at most", symmetrize, long, long)


@pytest.mark.parametrize(
    ("forward", "backward", "what"),
    [
        (None, None, "forward is an object of type NoneType"),
        ([[(0, 0)]], [[(0, 0)]], "forward is an object of type list"),
        (wo.Alignments.from_rows([[]]), "0-0", "backward is an object of type str"),
    ],
)
def test_what_is_no_alignments(forward: Any, backward: Any, what: str) -> None:
    refuses(UsageError, f"{what}; expected Alignments, which", symmetrize, forward, backward)
