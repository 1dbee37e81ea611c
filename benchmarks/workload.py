"""What the benchmarks work on: seeded permutations, orders, alignments and files of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

import wordorder as wo

Int64 = npt.NDArray[np.int64]

SHORTEST, LONGEST = 10, 40
KINDS = ("near", "random")
# Large files repeat blocks of this many rows: nothing that is measured remembers rows.
BLOCK = 100_000


def row_lengths(rows: int, seed: int = 1) -> Int64:
    """Draw the lengths of rows, uniform from 10 to 40, so 25 on average."""
    return np.random.default_rng(seed).integers(SHORTEST, LONGEST + 1, rows)


def permutations(rows: int, kind: str, seed: int = 2) -> wo.Ragged:
    """Draw permutations.

    Parameters
    ----------
    rows : int
    kind : "near" or "random"
        Chunks of about four words that move by a few places, as in translation between related
        languages; or any permutation, each as likely as the other.
    seed : int
        Rows of one number have the same lengths whatever the seed.
    """
    lengths = row_lengths(rows)
    generator = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    total = int(offsets[-1])
    row = np.repeat(np.arange(rows), lengths)
    place = np.arange(total) - offsets[row]
    if kind == "near":
        starts = generator.random(total) < 0.25
        starts[offsets[:-1]] = True
        chunk = np.cumsum(starts) - 1
        begin = place[starts] + generator.normal(0.0, 3.0, int(starts.sum()))
        key = begin[chunk]
    else:
        key = generator.random(total)
    order = np.lexsort((place, key, row))
    return wo.Ragged((order - offsets[row]).astype(np.int32), offsets)


def tiled(rows: wo.Ragged, number: int) -> wo.Ragged:
    """Repeat rows until there are `number` of them."""
    times = -(-number // len(rows))
    return wo.Ragged.concatenate([rows] * times)[:number]


def write_order_files(
    folder: Path, rows: int, kind: str, systems: int = 1
) -> tuple[Path, list[Path]]:
    """Write a reference and systems as ``.orders`` files; return their paths."""
    from wordorder.order.reading import write_rows

    block = min(rows, BLOCK)
    paths = [folder / f"{name}-{rows}-{kind}.orders" for name in ("reference", *"ABCD"[:systems])]
    for seed, path in enumerate(paths, 2):
        orders = wo.Orders(permutations(block, kind, seed))
        with path.open("wb") as stream:
            for first in range(0, rows, block):
                write_rows(orders[: min(block, rows - first)], stream)
    return paths[0], paths[1:]


def links(rows: int, kind: str, seed: int = 2) -> list[list[tuple[int, int]]]:
    """Draw word alignments: one link for most words, none for some, two for some."""
    generator = np.random.default_rng(seed)
    found = []
    for row in permutations(rows, kind, seed):
        choice = generator.random(len(row))
        pairs = [
            (source, target) for target, source in enumerate(row.tolist()) if choice[target] >= 0.1
        ]
        pairs += [
            (source, target + 1)
            for target, source in enumerate(row.tolist()[:-1])
            if choice[target] > 0.9
        ]
        found.append(pairs)
    return found
