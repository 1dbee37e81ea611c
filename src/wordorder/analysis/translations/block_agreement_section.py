"""Where CDER path and word alignment disagree about moved blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.moved_blocks import Blocks
from wordorder.analysis.translations.system_blocks import SystemBlocks
from wordorder.ragged import row_places
from wordorder.types import Bool, Int64

# What becomes of a reference word on the path, and in the alignment; the first two are the same.
ON_PATH = ("stays", "moves", "substituted", "inserted")
IN_ALIGNMENT = ("stays", "moves", "no match")


def block_agreement_section(systems: Sequence[SystemBlocks]) -> Section:
    """Make the table ``blocks-by-source``: what either source makes of each reference word.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    """
    size = len(IN_ALIGNMENT)
    rows: list[list[tuple[Value, ...]]] = [[] for _ in range(len(ON_PATH) * size)]
    examples: list[list[tuple[int, ...]]] = [[] for _ in rows]
    readings = []
    for each in systems:
        kinds, segments = _kinds(each)
        counts = np.bincount(kinds, minlength=len(rows))
        shown = costliest_sentences(kinds, segments, np.ones(len(kinds)), len(rows))
        for number, count in enumerate(counts.tolist()):
            path, alignment = ON_PATH[number // size], IN_ALIGNMENT[number % size]
            share = count / max(len(kinds), 1)
            rows[number].append((path, alignment, each.name, count, share))
            examples[number].append(shown[number])
        readings.append(_reading(each, counts.reshape(len(ON_PATH), size)))
    # The largest disagreements first; the words about which both agree are the last.
    total = [sum(int(str(row[3])) for row in of) for of in rows]
    agreed = {0, size + 1, 2 * size + 2, 3 * size + 2}
    order = sorted(range(len(rows)), key=lambda n: (n in agreed, -total[n], n))
    order = [number for number in order if total[number]]
    return Section(
        key="blocks-by-source",
        title="Words on which CDER path and word alignment disagree",
        reading=" ".join(readings),
        header=("on the CDER path", "in the word alignment", "system", "words", "share"),
        rows=tuple(row for number in order for row in rows[number]),
        examples=tuple(row for number in order for row in examples[number]),
        note="Reference words by what path and alignment do with them; the rows of a system add "
        "up to all reference words. The path moves a block only if inserting or "
        "substituting its words would cost more, and it may use an output word twice. The "
        "alignment uses each word once, also matches other forms of a word, and moves "
        "single words. Neither is wrong: CDER counts the path; FRS and Kendall's tau of a "
        "text count the alignment.",
    )


def _kinds(each: SystemBlocks) -> tuple[Int64, Int64]:
    """Return the kind of each reference word, a row of the table, and its segment."""
    system = each.system
    segments = np.flatnonzero(system.compared)
    places, offsets = row_places(system.texts.references.offsets, system.rows[segments])
    path = _states(each.by_path, places, ~each.by_path.same, len(ON_PATH))
    aligned = each.by_alignment
    alignment = _states(aligned, places, ~aligned.same, len(IN_ALIGNMENT))
    return path * len(IN_ALIGNMENT) + alignment, np.repeat(segments, np.diff(offsets))


def _states(blocks: Blocks, places: Int64, substituted: Bool, states: int) -> Int64:
    """Return 0 for words that stay, 1 for those that move, 2 substituted, else the last state."""
    # Places of references rise from segment to segment, as those of blocks do.
    at = np.searchsorted(places, blocks.reference)
    found: Int64 = np.full(len(places), states - 1, np.int64)
    found[at] = np.where(substituted, 2, blocks.word_moved)
    return found


def _reading(each: SystemBlocks, counts: Int64) -> str:
    """Say how often both sources move the same words."""
    both = int(counts[1, 1])
    path, alignment = int(counts[1].sum()), int(counts[:, 1].sum())
    return (
        f"{each.name}: the path moves {path} words, the alignment {alignment}; {both} words "
        "are in both."
    )
