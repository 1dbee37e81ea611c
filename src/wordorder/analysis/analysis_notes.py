"""What `analyze` says beside its tables: what was left out, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wordorder.counts import counted, joined, percent
from wordorder.notes import note
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.scoring.left_out import too_few_words

if TYPE_CHECKING:
    from wordorder.analysis.analysis import Analysis

# Skipped sentences that are named.
_NAMED = 5


def note_analysis(analysis: Analysis) -> None:
    """Say which sentences no metric could score, and which tables there are not."""
    skipped = np.zeros(len(analysis.corpus.words), np.bool_)
    for system in analysis.systems:
        skipped |= system.skipped
    if skipped.any():
        lines = np.flatnonzero(skipped) + 1
        named = ", ".join(map(str, lines[:_NAMED].tolist()))
        more = ", ..." if len(lines) > _NAMED else ""
        noun = "line" if len(lines) == 1 else "lines"
        count = counted(len(lines), "sentence")
        why = too_few_words([analysis.signature])
        share = f"{percent(len(lines), len(skipped))} of sentences"
        note(f"skipped {count} {why} ({share}): {noun} {named}{more}")
    keys = {section.key for section in analysis.sections}
    trees = any(system.treebank is not None for system in analysis.systems)
    if not trees:
        wanting = ["imperative rates", "errors of parsers and taggers", "single rules"]
        if "score-by-depth" not in keys:
            wanting.insert(0, "scores by depth and projectivity")
        if "words-by-label" not in keys:
            wanting.insert(0, "tables by label")
        note(f"no trees of the systems (--trees, --rules), so there are no {joined(wanting, 'or')}")
    elif "relation-errors" not in keys and "label-confusions" not in keys:
        note(
            "no errors of parsers and taggers: they need gold trees (--gold-trees) or a second "
            "parser with the same rules"
        )
    for system in analysis.systems:
        if isinstance(system.rules, LearnedOrder):
            note(
                f"{system.name}: no table of rules, because a learned order has weights instead; "
                "`wordorder rules explain` shows which weights decide a sentence"
            )
