"""Tables of moved blocks: how many, in which direction, how far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.bins import Bins, signed_bins
from wordorder.analysis.examples import SHOWN, costliest_sentences
from wordorder.analysis.finding import Finding
from wordorder.analysis.points import points
from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.beside_others import worst_of_systems
from wordorder.analysis.translations.moved_blocks import Blocks
from wordorder.analysis.translations.system_blocks import ALIGNMENT, PATH, SystemBlocks
from wordorder.counts import counted
from wordorder.types import Bool, Int64

DISTANCES = Bins((0, 1, 4, 10))
SOURCES = (
    "A block: words that follow each other both in the output and in the reference, apart from "
    "words without a match. In each sentence, the blocks that are in order and have most words "
    "in all count as unmoved; the others have moved. CDER path: blocks between the jumps of the "
    "cheapest path, which moves a block only where that costs less than changing its words. Word "
    "alignment: blocks of the words that the monolingual alignment matches, of any length. "
)
DISTANCE = (
    "Distance: words of unmoved blocks between the block's place in the output and its place in "
    "the reference; up to 3 is local. Repeats: the path uses words that another block uses too. "
)
POINTS = "Points of CDER: jumps due to moved blocks, per 100 reference words."


def moved_section(systems: Sequence[SystemBlocks]) -> Section:
    """Make the table ``moved-blocks``: how many blocks have moved, by path and by alignment.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    """
    rows: list[tuple[Value, ...]] = []
    examples = []
    for each in systems:
        for source, blocks in ((PATH, each.by_path), (ALIGNMENT, each.by_alignment)):
            lost = each.points_of(blocks.moved) if blocks is each.by_path else None
            rows.append((each.name, source, *_counts(blocks), lost))
            examples.append(_examples(blocks, blocks.moved))
    names = [each.name for each in systems]
    early = [_direction(each, each.by_path.too_early, "early") for each in systems]
    late = [_direction(each, each.by_path.too_late, "late") for each in systems]
    return Section(
        key="moved-blocks",
        title="Moved blocks",
        reading=_reading(systems),
        header=(
            *("system", "blocks from", "words with a place", "moved blocks", "words in them"),
            *("too early", "too late", "repeats", "local", "long", "mean distance", "CDER points"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note=SOURCES + DISTANCE + POINTS,
        findings=(*worst_of_systems(early, names), *worst_of_systems(late, names)),
    )


def distance_section(systems: Sequence[SystemBlocks]) -> Section:
    """Make the table ``moved-blocks-by-distance``: a row for each range of distances and system.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    """
    away = DISTANCES.names[1:]
    names = [
        *(f"{name} too early" for name in reversed(away)),
        "0 (repeats)",
        *(f"{name} too late" for name in away),
    ]
    rows: list[list[tuple[Value, ...]]] = [[] for _ in names]
    examples: list[list[tuple[int, ...]]] = [[] for _ in names]
    for each in systems:
        blocks, aligned = each.by_path, each.by_alignment
        groups = signed_bins(DISTANCES, blocks.distance[blocks.moved])
        other = signed_bins(DISTANCES, aligned.distance[aligned.moved])
        size = len(names)
        cost = blocks.cost[blocks.moved]
        columns = (
            np.bincount(groups, minlength=size),
            _sums(groups, blocks.words[blocks.moved], size),
            np.bincount(other, minlength=size),
            _sums(other, aligned.words[aligned.moved], size),
        )
        lost = np.bincount(groups, cost, size)
        shown = costliest_sentences(groups, blocks.segments[blocks.moved], cost, size)
        for number, name in enumerate(names):
            cells = (int(column[number]) for column in columns)
            rows[number].append((name, each.name, *cells, each.points(float(lost[number]))))
            examples[number].append(shown[number])
    used = [number for number, of in enumerate(rows) if any(any(row[2:]) for row in of)]
    return Section(
        key="moved-blocks-by-distance",
        title="Moved blocks by distance and direction",
        reading=_near_and_far(systems),
        header=(
            *("distance", "system", "moved blocks", "words in them", "aligned moved blocks"),
            *("words in these", "CDER points"),
        ),
        rows=tuple(row for number in used for row in rows[number]),
        examples=tuple(row for number in used for row in examples[number]),
        note="Moved blocks: of the CDER path; aligned moved blocks: of the word alignment. "
        f"{DISTANCE}{POINTS} The rows of a system add up to all its moved blocks.",
        findings=worst_of_systems(list(map(_long, systems)), [each.name for each in systems]),
    )


def _counts(blocks: Blocks) -> tuple[Value, ...]:
    """Return words, moved blocks, their words, directions, kinds of distance and the mean."""
    kinds = (blocks.too_early, blocks.too_late, blocks.repeated, blocks.local, blocks.long)
    passed = np.abs(blocks.distance[blocks.distance != 0])
    return (
        len(blocks.reference),
        int(np.count_nonzero(blocks.moved)),
        int(blocks.words[blocks.moved].sum()),
        *(int(np.count_nonzero(kind)) for kind in kinds),
        float(passed.mean()) if len(passed) else None,
    )


def _examples(blocks: Blocks, chosen: Bool) -> tuple[int, ...]:
    """Return the sentences with most words in some of the blocks."""
    groups = np.zeros(int(np.count_nonzero(chosen)), np.int64)
    words = blocks.words[chosen].astype(np.float64)
    return costliest_sentences(groups, blocks.segments[chosen], words, 1, SHOWN)[0]


def _direction(each: SystemBlocks, chosen: Bool, way: str) -> Finding:
    """Say how many blocks of a system come too early, or too late."""
    count, lost = int(np.count_nonzero(chosen)), each.points_of(chosen)
    mean = each.mean_distance(chosen)
    return Finding(
        f"{each.name} puts {counted(count, 'block', commas=True)} of words too {way}, by "
        f"{mean:.1f} words on average: {points(lost)} points of its {each.cder:.1f} CDER.",
        lost,
        _costliest(each.by_path, chosen),
    )


def _long(each: SystemBlocks) -> Finding:
    """Say what the blocks of a system cost that pass more than three words."""
    blocks = each.by_path
    count, lost = int(np.count_nonzero(blocks.long)), each.points_of(blocks.long)
    moved = counted(int(np.count_nonzero(blocks.moved)), "moved block", commas=True)
    return Finding(
        f"{each.name} moves {count:,} of its {moved} by more than 3 words, which costs "
        f"{points(lost)} points of its {each.cder:.1f} CDER.",
        lost,
        _costliest(blocks, blocks.long),
    )


def _costliest(blocks: Blocks, chosen: Bool) -> tuple[int, ...]:
    """Return the sentences in which some of the blocks cost most."""
    groups = np.zeros(int(np.count_nonzero(chosen)), np.int64)
    return costliest_sentences(groups, blocks.segments[chosen], blocks.cost[chosen], 1)[0]


def _reading(systems: Sequence[SystemBlocks]) -> str:
    least = min(systems, key=lambda each: each.points_of(each.by_path.moved))
    blocks = least.by_path
    count = counted(int(np.count_nonzero(blocks.moved)), "moved block", commas=True)
    lost = least.points_of(blocks.moved)
    said = f"{least.name} loses {points(lost)} points of CDER to {count} on the CDER path"
    return f"{said}, the least of all systems." if len(systems) > 1 else f"{said}."


def _near_and_far(systems: Sequence[SystemBlocks]) -> str:
    said = []
    for each in systems:
        blocks = each.by_path
        near, far = (points(each.points_of(kind)) for kind in (blocks.local, blocks.long))
        said.append(f"{each.name} {near} and {far}")
    return (
        "Points of CDER lost to blocks that moved up to 3 words, and farther: "
        + "; ".join(said)
        + "."
    )


def _sums(groups: Int64, numbers: Int64, size: int) -> Int64:
    sums: Int64 = np.bincount(groups, numbers, size).astype(np.int64)
    return sums
