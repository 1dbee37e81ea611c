"""The moved blocks that cost most, with their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.system_blocks import SystemBlocks
from wordorder.types import Int64

# Blocks of a system, and words of a block.
SHOWN, WORDS = 60, 12


def block_list_section(systems: Sequence[SystemBlocks]) -> Section:
    """Make the table ``moved-blocks-listed``: the words of the costliest blocks of each system.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    """
    listed = [(each, _costliest(each)) for each in systems]
    rows = [row for each, chosen in listed for row in _rows(each, chosen)]
    examples = [
        (segment,) for each, chosen in listed for segment in each.by_path.segments[chosen].tolist()
    ]
    reading = "The CDER paths move no blocks."
    if rows:
        _, number, block, way = rows[0][:4]
        reading = f"{systems[0].name}, sentence {number}: {block!r} is {way}."
        if way == "repeated":
            reading = f"{systems[0].name}, sentence {number}: {block!r} is read again."
    left = sum(int(np.count_nonzero(each.by_path.moved)) for each in systems) - len(rows)
    return Section(
        key="moved-blocks-listed",
        title="Moved blocks that cost most, with their words",
        reading=reading,
        header=(
            *("system", "sentence", "block", "direction", "words passed", "which ones"),
            *("in the word alignment", "jumps", "CDER points"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note="Of the CDER path, with the words of the reference; those that cost most jumps, of "
        "equal ones the longest. Words passed: words that stay between the place of the block in "
        "the output and that in the reference. In the word alignment: whether it moves words of "
        "the block too.",
        hidden=left,
    )


def _costliest(each: SystemBlocks) -> Int64:
    """Return the moved blocks of most jumps, then of most words."""
    blocks = each.by_path
    moved = np.flatnonzero(blocks.moved)
    order = np.lexsort((moved, -blocks.words[moved], -np.round(blocks.cost[moved], 9)))
    return moved[order[:SHOWN]]


def _rows(each: SystemBlocks, chosen: Int64) -> list[tuple[Value, ...]]:
    blocks, aligned = each.by_path, each.by_alignment
    texts = each.system.texts
    words, values = texts.vocabulary.words, texts.references.values
    stays = ~blocks.word_moved
    also = set(aligned.reference[aligned.word_moved].tolist())

    def written(places: list[int]) -> str:
        text = " ".join(words[values[place]] for place in places[:WORDS])
        return f"{text} …" if len(places) > WORDS else text

    rows: list[tuple[Value, ...]] = []
    for block in chosen.tolist():
        own = blocks.reference[blocks.first[block] : blocks.first[block + 1]].tolist()
        distance = int(blocks.distance[block])
        passed: list[int] = []
        if distance:
            ends = (blocks.passed[block], blocks.passed_last[block])
            start, stop = np.searchsorted(blocks.reference, ends).tolist()
            between = slice(start, stop + 1)
            passed = blocks.reference[between][stays[between]].tolist()
        way = "too early" if distance < 0 else "too late" if distance else "repeated"
        rows.append(
            (
                each.name,
                int(blocks.segments[block]) + 1,
                written(own),
                way,
                abs(distance),
                written(passed),
                "moves too" if also.intersection(own) else "stays",
                float(blocks.cost[block]),
                each.points(float(blocks.cost[block])),
            )
        )
    return rows
