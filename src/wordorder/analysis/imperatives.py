"""The imperative rate: how many sentences begin with a verb that is the root of their tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.coarse_tags import known_tags, tagged_as
from wordorder.analysis.examples import SHOWN
from wordorder.analysis.section import Section, Value
from wordorder.metrics.trees.punctuation import kept_words
from wordorder.treebank.treebank import NO_HEAD, ROOT, Treebank
from wordorder.types import Bool


@dataclass(frozen=True, eq=False)
class Imperatives:
    """Which sentences of a treebank are parsed as imperatives.

    Attributes
    ----------
    imperative : bool[S]
        Whether the first word that is no punctuation is a verb and the root.
    counted : bool[S]
        Sentences with a tree and a word that is no punctuation.
    """

    imperative: Bool
    counted: Bool

    @property
    def rate(self) -> float:
        """The share of the counted sentences that are imperatives, 0 of none."""
        return int(self.imperative.sum()) / max(int(self.counted.sum()), 1)


def imperatives(treebank: Treebank) -> Imperatives:
    """Find the sentences whose parse begins with a root verb.

    Katz-Brown et al. (2011, section 5.3.2, footnote 5) count them as imperatives, as an
    approximation. Punctuation before the first word is passed over here. Verbs are what
    `wordorder.analysis.coarse_tags.tagged_as` takes for verbs.

    Parameters
    ----------
    treebank : Treebank
        With tags; sentences without trees are not counted.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [['"', "Click", "here"], ["We", "click"]], heads=[[2, 0, 2], [2, 0]],
    ...     upos=[["PUNCT", "VERB", "ADV"], ["PRON", "VERB"]],
    ... )
    >>> found = imperatives(bank)
    >>> found.imperative.tolist(), found.rate
    ([True, False], 0.5)
    """
    sentences = len(treebank)
    row = np.repeat(np.arange(sentences), treebank.lengths)
    spoken = np.flatnonzero(kept_words(treebank, "exclude"))[::-1]
    first = np.full(sentences, -1, np.int64)
    # Written from behind: of several words of a sentence the first one stays.
    first[row[spoken]] = spoken
    headless = np.bincount(row[treebank.heads == NO_HEAD], minlength=sentences) > 0
    counted = (first >= 0) & ~headless
    at = first[counted]
    imperative = np.zeros(sentences, np.bool_)
    imperative[counted] = (treebank.heads[at] == ROOT) & tagged_as(treebank, "verb")[at]
    return Imperatives(imperative, counted)


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
        "An imperative is a sentence that begins with its root, a verb; punctuation before it does "
        "not count (Katz-Brown et al. 2011, section 5.3.2). This includes some questions, such as "
        "'Is there a way?'."
    )
    if right is not None:
        header += ("missed", "added")
        note += (
            " Missed: imperatives of the gold trees that the parser does not find; added: those "
            "that the gold trees do not have. The examples are both."
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
