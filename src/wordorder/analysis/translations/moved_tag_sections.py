"""Tables of moved blocks, by tag and by relation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.finding import Finding
from wordorder.analysis.points import points
from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.beside_others import beside_others
from wordorder.analysis.translations.moved_blocks import Blocks
from wordorder.analysis.translations.stretch_heads import moved_heads
from wordorder.analysis.translations.system_blocks import SystemBlocks
from wordorder.counts import counted
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Float64

# Kinds of blocks a table.
SHOWN = 100
WAYS = ("too early", "repeats", "too late")
NOTE = (
    "Head: the word of the block nearest to the root of the reference's tree (the first of "
    "several). Passed: the same among the unmoved words that the block passes. Blocks and points "
    "are those of the CDER path; aligned: moved blocks of the word alignment. The points of all "
    "kinds add up to those of all moved blocks."
)

Kind = tuple[str, ...]


def moved_tag_section(systems: Sequence[SystemBlocks], trees: Treebank) -> Section:
    """Make the table ``moved-blocks-by-tag``: by the tag of the head, and that of what it passes.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    trees : Treebank
        Of the references.
    """
    found = [_Kinds(each, trees, trees.upos, passing=True) for each in systems]
    return _section(
        found,
        key="moved-blocks-by-tag",
        title="Moved blocks by tag of the head and of the words passed",
        header=("head", "direction", "passed"),
    )


def moved_relation_section(systems: Sequence[SystemBlocks], trees: Treebank) -> Section:
    """Make the table ``moved-blocks-by-relation``: by the dependency relation of the head.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    trees : Treebank
        Of the references.
    """
    found = [_Kinds(each, trees, trees.label, passing=False) for each in systems]
    return _section(
        found,
        key="moved-blocks-by-relation",
        title="Moved blocks by dependency relation of the head",
        header=("relation", "direction"),
    )


class _Kinds:
    """The moved blocks of one system, sorted into kinds.

    Attributes
    ----------
    system : SystemBlocks
    names : list of Kind
        What the strings of a kind are.
    blocks, aligned : dict of Kind to int
        How many moved blocks of the path and of the alignment are of it.
    words, distance, lost : dict of Kind to float
        Words in the path's blocks, words that they pass, and points of CDER.
    examples : dict of Kind to tuple of int
    """

    def __init__(
        self, system: SystemBlocks, trees: Treebank, column: Column, *, passing: bool
    ) -> None:
        self.system = system
        blocks = system.by_path
        moved = blocks.moved
        kinds = _kinds(blocks, trees, column, passing)
        self.names = list(dict.fromkeys(kinds))
        number = {kind: n for n, kind in enumerate(self.names)}
        groups = np.array([number[kind] for kind in kinds], np.int64)
        cost = blocks.cost[moved]

        def summed(values: Float64) -> dict[Kind, float]:
            sums = np.bincount(groups, values, len(number)).tolist()
            return dict(zip(self.names, sums, strict=True))

        self.blocks = {kind: int(n) for kind, n in summed(np.ones(len(groups))).items()}
        self.words = summed(blocks.words[moved].astype(np.float64))
        self.distance = summed(np.abs(blocks.distance[moved]).astype(np.float64))
        self.lost = {kind: system.points(edits) for kind, edits in summed(cost).items()}
        shown = costliest_sentences(groups, blocks.segments[moved], cost, len(number))
        self.examples = dict(zip(self.names, shown, strict=True))
        self.aligned: dict[Kind, int] = {}
        for kind in _kinds(system.by_alignment, trees, column, passing):
            self.aligned[kind] = self.aligned.get(kind, 0) + 1


def _kinds(blocks: Blocks, trees: Treebank, column: Column, passing: bool) -> list[Kind]:
    """Return the kind of each moved block: a string of its head, direction, and what it passes."""
    heads, passed = moved_heads(blocks, trees)
    strings, codes = column.vocabulary.words, column.codes
    ways = (1 + np.sign(blocks.distance[blocks.moved])).tolist()
    kinds: list[Kind] = []
    for head, other, way in zip(heads.tolist(), passed.tolist(), ways, strict=True):
        past = (strings[codes[other]] if other >= 0 else "",) if passing else ()
        kinds.append((strings[codes[head]], WAYS[way], *past))
    return kinds


def _section(found: Sequence[_Kinds], *, key: str, title: str, header: Kind) -> Section:
    """Make a table with a row for each kind and system that has it; the costliest kinds first."""
    total: dict[Kind, float] = {}
    for each in found:
        for kind in [*each.names, *each.aligned]:
            total[kind] = total.get(kind, 0.0) + each.lost.get(kind, 0.0)
    order = sorted(total, key=lambda kind: (-round(total[kind], 9), kind))
    rows: list[tuple[Value, ...]] = []
    examples = []
    for kind in order[:SHOWN]:
        for each in found:
            count = each.blocks.get(kind, 0)
            rows.append(
                (
                    *kind,
                    each.system.name,
                    count,
                    int(each.words.get(kind, 0)),
                    each.distance[kind] / count if count and kind[1] != "repeats" else None,
                    each.aligned.get(kind, 0),
                    each.lost.get(kind, 0.0),
                )
            )
            examples.append(each.examples.get(kind, ()))
    left = len(order) - SHOWN
    return Section(
        key=key,
        title=title,
        reading=_reading(found),
        header=(
            *(*header, "system", "moved blocks", "words in them", "mean distance"),
            *("aligned moved blocks", "CDER points"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note=NOTE if left <= 0 else f"{NOTE} {counted(left, 'rarer kind')} left out.",
        findings=_findings(found),
    )


def _worst(each: _Kinds) -> Kind:
    return min(each.names, key=lambda kind: (-round(each.lost[kind], 9), kind))


def _reading(found: Sequence[_Kinds]) -> str:
    """Say which kind costs the first system most."""
    first = found[0]
    if not first.names:
        return f"The CDER path of {first.system.name} moves no block."
    kind = _worst(first)
    return (
        f"Of the moved blocks of {first.system.name}, {_phrase(kind)} cost most: "
        f"{points(first.lost[kind])} points of CDER."
    )


def _phrase(kind: Kind) -> str:
    """Name blocks of a kind.

    Examples
    --------
    >>> _phrase(("VERB", "too late", "NOUN")), _phrase(("obl", "repeats"))
    ('those around VERB that are too late past NOUN', 'those around obl that repeat words')
    """
    way = "that repeat words" if kind[1] == "repeats" else f"that are {kind[1]}"
    return f"those around {kind[0]} {way}" + (f" past {kind[2]}" if kind[2:] and kind[2] else "")


def _findings(found: Sequence[_Kinds]) -> tuple[Finding, ...]:
    """Say which kind costs most, and what it costs the other systems."""
    moving = [each for each in found if each.names]
    if not moving:
        return ()
    worst = max(moving, key=lambda each: each.lost[_worst(each)])
    kind = _worst(worst)
    others = [(each.system.name, each.lost.get(kind, 0.0)) for each in found if each is not worst]
    return (beside_others(_finding(worst), others),)


def _finding(each: _Kinds) -> Finding:
    """Say which kind costs a system most."""
    kind = _worst(each)
    lost, name = each.lost[kind], each.system.name
    count = counted(each.blocks[kind], "block", commas=True)
    if kind[1] == "repeats":
        said = f"{name} has {count} around {kind[0]} that repeat words"
    else:
        passed = f", past {kind[2]}" if kind[2:] else ""
        mean = each.distance[kind] / each.blocks[kind]
        said = (
            f"{name} puts {count} around {kind[0]} {kind[1]}{passed} ({mean:.1f} words on average)"
        )
    return Finding(
        f"{said}: {points(lost)} points of its {each.system.cder:.1f} CDER.",
        lost,
        each.examples[kind],
    )
