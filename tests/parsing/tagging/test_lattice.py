"""The best paths through a lattice: all of them, in order, none twice."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from tests.oracles_tagging import all_paths

from wordorder.parsing.tagging.tnt_counts import Lattice

Positions = list[list[tuple[int, list[tuple[int, int]]]]]


def random_lattice(rng: random.Random, length: int) -> Positions:
    positions: Positions = []
    before = 1
    for _ in range(length):
        number = rng.randint(1, 4)
        nodes = []
        for tag in range(number):
            origins = sorted(rng.sample(range(before), rng.randint(1, before)))
            nodes.append((tag, [(origin, rng.randint(-3, 3)) for origin in origins]))
        positions.append(nodes)
        before = number
    positions.append([(-1, [(origin, rng.randint(-3, 3)) for origin in range(before)])])
    return positions


def packed(sentences: list[Positions]) -> tuple[Lattice, npt.NDArray[np.int64]]:
    position_nodes, node_arcs = [0], [0]
    tags: list[int] = []
    origins: list[int] = []
    scores: list[int] = []
    for positions in sentences:
        begin = -1
        for nodes in positions:
            here = len(tags)
            for tag, arcs in nodes:
                tags.append(tag)
                origins += [begin + origin if begin >= 0 else -1 for origin, _ in arcs]
                scores += [score for _, score in arcs]
                node_arcs.append(len(origins))
            begin = here
            position_nodes.append(len(tags))
    none = np.zeros(len(tags), np.int32)
    lattice = Lattice(
        np.array(position_nodes),
        np.array(tags, np.int32),
        none,
        none.astype(np.int64),
        np.array(node_arcs),
        np.array(origins),
        np.array(scores),
    )
    lengths = [len(positions) - 1 for positions in sentences]
    return lattice, np.append(0, np.cumsum(lengths)).astype(np.int64)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 5000])
def test_paths_are_those_of_brute_force(k: int) -> None:
    rng = random.Random(k)
    sentences = [random_lattice(rng, rng.randint(0, 5)) for _ in range(30)]
    lattice, offsets = packed(sentences)
    tags, counts, scores = lattice.best(offsets, 0, len(sentences), k)
    begin = path = 0
    for number, positions in enumerate(sentences):
        every = {tags: score for score, tags in all_paths(positions)}
        length = len(positions) - 1
        found = [
            tuple(tags[begin + i * length : begin + (i + 1) * length].tolist())
            for i in range(counts[number])
        ]
        got = scores[path : path + counts[number]].tolist()
        assert len(set(found)) == len(found) == min(k, len(every))
        assert [every[row] for row in found] == got
        assert got == sorted(every.values(), reverse=True)[:k]
        begin += length * len(found)
        path += len(found)
    assert begin == len(tags)
    assert path == len(scores)


def test_a_shorter_list_begins_a_longer_one() -> None:
    rng = random.Random(3)
    sentences = [random_lattice(rng, 6) for _ in range(10)]
    lists = []
    for k in (4, 40):
        lattice, offsets = packed(sentences)
        tags, counts, _ = lattice.best(offsets, 0, 10, k)
        rows = np.split(tags.reshape(-1, 6), np.cumsum(counts)[:-1])
        lists.append([row.tolist() for row in rows])
    assert all(long[:4] == short for short, long in zip(*lists, strict=True))
