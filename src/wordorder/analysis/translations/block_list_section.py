"""The moved blocks that cost most, with their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.system_blocks import SystemBlocks

# Blocks of a system, and words of a block.
SHOWN, WORDS = 60, 12


def block_list_section(systems: Sequence[SystemBlocks]) -> Section:
    """Make the table ``moved-blocks-listed``: the words of the costliest blocks of each system.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    """
    listed = sorted(
        (listed for each in systems for listed in _listed(each)), key=lambda one: one.order
    )
    rows = [one.row for one in listed]
    examples = [(one.order[2],) for one in listed]
    reading = "No CDER path moves a block."
    if rows:
        name, number, block, way = rows[0][:4]
        said = "is used again" if way == "repeated" else f"is {way}"
        reading = f"{name}, sentence {number}: {block!r} {said}."
    left = sum(int(np.count_nonzero(each.by_path.moved)) for each in systems) - len(rows)
    return Section(
        key="moved-blocks-listed",
        title="Costliest moved blocks, with their words",
        reading=reading,
        header=(
            *("system", "sentence", "block", "direction", "words passed", "which ones"),
            *("in the word alignment", "jumps"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note="Blocks of the CDER path, shown as words of the reference; most jumps first, then "
        "the longest. Words passed: words between the block's place in the output and its "
        "place in the reference. In the word alignment: whether the alignment moves words "
        "of the block too.",
        hidden=left,
    )


@dataclass(frozen=True)
class _Listed:
    """A row, and what it is sorted by: jumps and words of the block, the most first, sentence."""

    order: tuple[float, int, int]
    row: tuple[Value, ...]


def _listed(each: SystemBlocks) -> Iterator[_Listed]:
    """Yield the moved blocks of a system of most jumps, then of most words."""
    blocks, aligned = each.by_path, each.by_alignment
    texts = each.system.texts
    words, values = texts.vocabulary.words, texts.references.values
    stays = ~blocks.word_moved
    also = set(aligned.reference[aligned.word_moved].tolist())

    def written(places: list[int]) -> str:
        text = " ".join(words[values[place]] for place in places[:WORDS])
        return f"{text} …" if len(places) > WORDS else text

    moved = np.flatnonzero(blocks.moved)
    order = np.lexsort((moved, -blocks.words[moved], -np.round(blocks.cost[moved], 9)))
    for block in moved[order[:SHOWN]].tolist():
        own = blocks.reference[blocks.first[block] : blocks.first[block + 1]].tolist()
        distance = int(blocks.distance[block])
        passed: list[int] = []
        if distance:
            ends = (blocks.passed[block], blocks.passed_last[block])
            start, stop = np.searchsorted(blocks.reference, ends).tolist()
            between = slice(start, stop + 1)
            passed = blocks.reference[between][stays[between]].tolist()
        way = "too early" if distance < 0 else "too late" if distance else "repeated"
        segment, jumps = int(blocks.segments[block]), float(blocks.cost[block])
        yield _Listed(
            (-round(jumps, 9), -len(own), segment),
            (
                *(each.name, segment + 1, written(own), way, abs(distance), written(passed)),
                *("moves too" if also.intersection(own) else "stays", jumps),
            ),
        )
