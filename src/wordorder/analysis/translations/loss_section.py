"""The parts of CDER: missing, wrong and added words, and moved blocks."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.system_blocks import SystemBlocks
from wordorder.metrics.text.cover_path import DELETION, INSERTION, JUMP, SUBSTITUTION


def loss_section(systems: Sequence[SystemBlocks]) -> Section:
    """Make the table ``cder-parts``: the edits and jumps of the cheapest paths, by their cause.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    """
    rows: list[tuple[Value, ...]] = []
    shares = []
    for each in systems:
        steps = each.system.paths.counts().sum(0)
        jumps = int(steps[JUMP] + steps[DELETION])
        over = int(each.by_path.causeless.sum())
        counts = [int(steps[INSERTION]), int(steps[SUBSTITUTION]), over, jumps - over]
        points = [each.points(count) for count in counts]
        rows.append((each.name, each.words, *counts, *points, each.cder))
        shares.append(points[-1])
    best = min(range(len(systems)), key=lambda number: systems[number].cder)
    name, cder = systems[best].name, systems[best].cder
    said = "has the lowest CDER," if len(systems) > 1 else "has a CDER of"
    return Section(
        key="cder-parts",
        title="Parts of CDER: missing, wrong and added words, moved blocks",
        reading=f"{name} {said} {cder:.1f} points; {shares[best]:.1f} of these are jumps due to "
        "moved blocks, the rest is due to words.",
        header=(
            *("system", "reference words", "insertions", "substitutions", "jumps over added words"),
            *("jumps for moved blocks", "missing: points", "wrong: points", "added: points"),
            *("moved: points", "CDER points"),
        ),
        rows=tuple(rows),
        note="Steps of the cheapest CDER path; points: steps per 100 reference words. The four "
        "parts add up to CDER. A jump belongs to the moved blocks that it leads to, from or "
        "over; all other jumps pass over output words that the path never uses. A deletion "
        "costs the same as a jump over one word and counts as one.",
    )
