"""Tag tables: how each parser tags a chosen word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.analysis.examples import SHOWN
from wordorder.analysis.section import Section, Value
from wordorder.counts import counted
from wordorder.treebank.coarse_tags import known_tags
from wordorder.treebank.tag_counts import tag_counts
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool, Int64


def tag_table_sections(
    words: Sequence[str], parsers: Mapping[str, Treebank], gold: Treebank | None = None
) -> list[Section]:
    """Show how each parser tags some words, as Katz-Brown et al. (2011, Table 3) do.

    Parameters
    ----------
    words : sequence of str
        ``click``; the case of letters makes no difference.
    parsers : mapping of name to Treebank
        Of the same sentences.
    gold : Treebank, optional

    Returns
    -------
    list of Section
        One a word: ``tag-table-1``, ``tag-table-2``, …
    """
    named = [(name, bank) for name, bank in parsers.items() if bank is not gold]
    if gold is not None:
        named.append(("gold", gold))
    return [_section(number, word, named) for number, word in enumerate(words, 1)]


def _section(number: int, word: str, named: Sequence[tuple[str, Treebank]]) -> Section:
    rows: list[tuple[Value, ...]] = []
    examples = []
    said = []
    # The last treebank is gold, if that is known; otherwise the parsers are held against it.
    against = named[-1][1] if named else None
    for name, bank in named:
        counts = tag_counts(bank, word)
        occurs = len(counts.places)
        others = occurs - counts.nouns - counts.verbs
        tags = ", ".join(f"{tag} {count}" for tag, count in counts.tags)
        rows.append((name, occurs, counts.nouns, counts.verbs, others, tags))
        said.append(f"{name} {counts.nouns} and {counts.verbs}")
        shown = counts.places
        if against is not None and bank is not against:
            shown = shown[_differ(bank, against, shown)]
        sentences = np.unique(np.searchsorted(bank.offsets, shown, side="right") - 1)
        examples.append(tuple(sentences[:SHOWN].tolist()))
    occurs = max((int(str(row[1])) for row in rows), default=0)
    reading = f"The word {word!r} does not occur."
    if occurs:
        reading = (
            f"The word {word!r} occurs {counted(occurs, 'time')}; tagged as noun and as verb: "
            f"{', '.join(said)}."
        )
    last = named[-1][0] if named else ""
    return Section(
        key=f"tag-table-{number}",
        title=f"Tags of {word!r}",
        reading=reading,
        header=("trees", "occurs", "as noun", "as verb", "as other", "tags"),
        rows=tuple(rows),
        examples=tuple(examples),
        note="Proper nouns count as nouns and auxiliaries as verbs; case is ignored. The "
        f"examples are sentences in which the tag differs from that of {last}; for {last}, "
        "the first sentences.",
    )


def _differ(bank: Treebank, other: Treebank, places: Int64) -> Bool:
    """Return at which places the known tags of two treebanks differ."""
    columns = [known_tags(each) for each in (bank, other)]
    tags = [["" for _ in places] if c is None else c.take(places).strings() for c in columns]
    return np.array([one != two for one, two in zip(*tags, strict=True)], np.bool_)
