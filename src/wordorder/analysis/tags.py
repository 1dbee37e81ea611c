"""Tables that compare the trees of all parsers: imperatives, and tags of chosen words."""

from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.analysis.section import Group, Section, Value
from wordorder.analysis.tally import EXAMPLE_COUNT
from wordorder.arrays import Bool, Int64
from wordorder.messages import counted
from wordorder.metrics.trees.attachment import imperatives
from wordorder.treebank.preparation import known_tags, tag_counts
from wordorder.treebank.treebank import Treebank


def imperative_sections(
    parsers: Mapping[str, Treebank], gold: Treebank | None = None
) -> list[Section]:
    """Return a table of imperative rates by parser, as in Katz-Brown et al. (2011, Table 3).

    Parameters
    ----------
    parsers : mapping of name to Treebank
        Trees of the same S sentences.
    gold : Treebank, optional

    Returns
    -------
    list of Section
        ``imperatives``; empty if there are no sentences with tree and tags.
    """
    counts_by_name = [
        (name, imperatives(bank))
        for name, bank in parsers.items()
        if bank is not gold and known_tags(bank) is not None
    ]
    right = None
    if gold is not None and known_tags(gold) is not None:
        right = imperatives(gold)
        counts_by_name.append(("gold", right))
    counts_by_name = [item for item in counts_by_name if item[1].counted.any()]
    if not counts_by_name:
        return []
    rows: list[tuple[Value, ...]] = []
    examples = []
    for name, counts in counts_by_name:
        row: list[Value] = [
            name,
            int(counts.counted.sum()),
            int(counts.imperative.sum()),
            counts.rate,
        ]
        is_example = counts.imperative
        if right is not None:
            both = counts.counted & right.counted
            missed = both & right.imperative & ~counts.imperative
            added = both & counts.imperative & ~right.imperative
            row += [int(missed.sum()), int(added.sum())]
            is_example = is_example if counts is right else missed | added
        rows.append(tuple(row))
        examples.append(tuple(np.flatnonzero(is_example)[:EXAMPLE_COUNT].tolist()))
    rates = ", ".join(f"{100 * counts.rate:.1f} % by {name}" for name, counts in counts_by_name)
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
            reading=f"Sentences parsed as imperatives: {rates}.",
            header=header,
            rows=tuple(rows),
            examples=tuple(examples),
            note=note,
        )
    ]


def tag_table_sections(
    words: Sequence[str], parsers: Mapping[str, Treebank], gold: Treebank | None = None
) -> list[Section]:
    """Return tables of the tags of some words by parser, as in Katz-Brown et al. (2011, Table 3).

    Parameters
    ----------
    words : sequence of str
        Words such as ``click``; case is ignored.
    parsers : mapping of name to Treebank
        Trees of the same sentences.
    gold : Treebank, optional

    Returns
    -------
    list of Section
        One per word: ``tag-table-1``, ``tag-table-2``, …
    """
    treebanks = [(name, treebank) for name, treebank in parsers.items() if treebank is not gold]
    if gold is not None:
        treebanks.append(("gold", gold))
    return [_tag_section(number, word, treebanks) for number, word in enumerate(words, 1)]


def _tag_section(number: int, word: str, treebanks: Sequence[tuple[str, Treebank]]) -> Section:
    rows: list[tuple[Value, ...]] = []
    examples = []
    counts_by_name = []
    # The last treebank is gold or, without gold, that of the last parser.
    reference = treebanks[-1][1] if treebanks else None
    for name, treebank in treebanks:
        counts = tag_counts(treebank, word)
        occurs = len(counts.places)
        other_tags = occurs - counts.nouns - counts.verbs
        tags = ", ".join(f"{tag} {count}" for tag, count in counts.tags)
        rows.append((name, occurs, counts.nouns, counts.verbs, other_tags, tags))
        counts_by_name.append(f"{name} {counts.nouns} and {counts.verbs}")
        places = counts.places
        if reference is not None and treebank is not reference:
            places = places[_find_differences(treebank, reference, places)]
        sentences = np.unique(np.searchsorted(treebank.offsets, places, side="right") - 1)
        examples.append(tuple(sentences[:EXAMPLE_COUNT].tolist()))
    occurs = max((int(str(row[1])) for row in rows), default=0)
    reading = f"The word {word!r} does not occur."
    if occurs:
        reading = (
            f"The word {word!r} occurs {counted(occurs, 'time')}; tagged as noun and as verb: "
            f"{', '.join(counts_by_name)}."
        )
    last = treebanks[-1][0] if treebanks else ""
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


def _find_differences(first: Treebank, second: Treebank, places: Int64) -> Bool:
    """Return a mask of the words whose tags differ in two treebanks."""
    columns = [known_tags(treebank) for treebank in (first, second)]
    tags = [["" for _ in places] if c is None else c.take(places).strings() for c in columns]
    return np.array(
        [first_tag != second_tag for first_tag, second_tag in zip(*tags, strict=True)], np.bool_
    )
