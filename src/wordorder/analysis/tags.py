"""Tags and moods of all parsers beside each other: chosen words, and imperatives."""

from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.analysis.section import Group, Section, Value
from wordorder.analysis.tally import SHOWN
from wordorder.arrays import Bool, Int64
from wordorder.messages import counted
from wordorder.metrics.trees.attachment import imperatives
from wordorder.treebank.preparation import known_tags, tag_counts
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
            group=Group.TREES,
            title="Imperative rate",
            reading=f"Sentences parsed as imperatives: {said}.",
            header=header,
            rows=tuple(rows),
            examples=tuple(examples),
            note=note,
        )
    ]


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
        One per word: ``tag-table-1``, ``tag-table-2``, …
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
        group=Group.TREES,
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
