"""The imperative rate of parsers: sentences that begin with a verb that is the root."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wordorder.analysis.examples import SHOWN
from wordorder.analysis.section import Section, Value
from wordorder.metrics.trees.imperatives import imperatives
from wordorder.treebank.coarse_tags import known_tags
from wordorder.treebank.treebank import Treebank


def imperative_sections(
    parsers: Mapping[str, Treebank], gold: Treebank | None = None
) -> list[Section]:
    """Show the imperative rate of each parser, as Katz-Brown et al. (2011, Table 3) do.

    Parameters
    ----------
    parsers : mapping of name to Treebank
        Of the same S sentences.
    gold : Treebank, optional

    Returns
    -------
    list of Section
        ``imperatives``; empty if no sentence has a tree and tags.
    """
    counted = [
        (name, imperatives(bank))
        for name, bank in parsers.items()
        if bank is not gold and known_tags(bank) is not None
    ]
    right = None
    if gold is not None and known_tags(gold) is not None:
        right = imperatives(gold)
        counted.append(("gold", right))
    counted = [(name, each) for name, each in counted if each.counted.any()]
    if not counted:
        return []
    rows: list[tuple[Value, ...]] = []
    examples = []
    for name, each in counted:
        row: list[Value] = [name, int(each.counted.sum()), int(each.imperative.sum()), each.rate]
        shown = each.imperative
        if right is not None:
            both = each.counted & right.counted
            missed = both & right.imperative & ~each.imperative
            added = both & each.imperative & ~right.imperative
            row += [int(missed.sum()), int(added.sum())]
            shown = shown if each is right else missed | added
        rows.append(tuple(row))
        examples.append(tuple(np.flatnonzero(shown)[:SHOWN].tolist()))
    said = ", ".join(f"{100 * each.rate:.1f} % by {name}" for name, each in counted)
    header: tuple[str, ...] = ("trees", "sentences", "imperatives", "rate")
    note = (
        "A sentence counts as an imperative if its first word is its root and a verb, not "
        "counting punctuation before it (Katz-Brown et al. 2011, section 5.3.2). This includes "
        "some questions, such as 'Is there a way?'."
    )
    if right is not None:
        header += ("missed", "added")
        note += (
            " Missed: imperatives in the gold trees that the parser does not find; added: "
            "imperatives that are not in the gold trees. Examples show both."
        )
    return [
        Section(
            key="imperatives",
            title="Imperative rate",
            reading=f"Sentences parsed as imperatives: {said}.",
            header=header,
            rows=tuple(rows),
            examples=tuple(examples),
            note=note,
        )
    ]
