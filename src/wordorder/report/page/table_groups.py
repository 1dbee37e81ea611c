"""The tables of a page under headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.analysis.section import Section

# How the keys of sections begin; the first heading that fits is taken.
_GROUPS = (
    ("Words", ("word", "boundaries", "ngram")),
    ("Moved blocks", ("moved", "block")),
    ("Trees and tags", ("set-right", "relation", "head", "label", "upos", "xpos", "imperatives")),
    ("Trees and tags", ("tag",)),
    ("Rules", ("rule", "other-children")),
    ("Reordering that the sentences need", ("needed", "literal")),
    ("Scores of groups of sentences", ("score", "length")),
    ("Single sentences", ("worst", "sentence", "loss", "near-duplicates", "alike")),
)
_OTHERS = "More"


@dataclass(frozen=True)
class TableGroup:
    """Tables under one heading."""

    title: str
    sections: tuple[Section, ...]


def table_groups(sections: Sequence[Section]) -> list[TableGroup]:
    """Put sections under headings, in the order in which they come.

    Examples
    --------
    >>> made = [Section(key, key, "", (), ()) for key in ("words-by-form", "rules", "words-by-tag")]
    >>> [(group.title, len(group.sections)) for group in table_groups(made)]
    [('Words', 2), ('Rules', 1)]
    """
    titles = list(dict.fromkeys(title for title, _ in _GROUPS))
    groups: dict[str, list[Section]] = {title: [] for title in (*titles, _OTHERS)}
    for section in sections:
        title = next(
            (title for title, starts in _GROUPS if section.key.startswith(starts)), _OTHERS
        )
        groups[title].append(section)
    return [TableGroup(title, tuple(found)) for title, found in groups.items() if found]
