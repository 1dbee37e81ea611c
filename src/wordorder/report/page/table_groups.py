"""The tables of a page under headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.analysis.section import Section

# How the keys of sections begin; the first heading that fits is taken.
_GROUPS = (
    ("Words and boundaries", ("word", "boundaries", "ngram", "missing", "added")),
    ("Moved words", ("moved", "move", "block", "jump", "direction", "distance", "source")),
    ("Trees and tags", ("set-right", "relation", "head", "label", "upos", "xpos", "imperatives")),
    ("Trees and tags", ("tag",)),
    ("Rules", ("rule", "other-children")),
    ("Scores of groups of sentences", ("score", "reordering", "needed", "length", "literal")),
    ("Single sentences", ("worst", "sentence", "loss", "difference", "near", "duplicate")),
)
_OTHERS = "More"


@dataclass(frozen=True)
class TableGroup:
    """Tables under one heading."""

    title: str
    sections: tuple[Section, ...]


def table_groups(sections: Sequence[Section]) -> list[TableGroup]:
    """Put sections under headings, both in the order in which they come.

    Examples
    --------
    >>> made = [Section(key, key, "", (), ()) for key in ("words-by-form", "rules", "words-by-tag")]
    >>> [(group.title, len(group.sections)) for group in table_groups(made)]
    [('Words and boundaries', 2), ('Rules', 1)]
    """
    groups: dict[str, list[Section]] = {}
    for section in sections:
        title = next(
            (title for title, starts in _GROUPS if section.key.startswith(starts)), _OTHERS
        )
        groups.setdefault(title, []).append(section)
    return [TableGroup(title, tuple(found)) for title, found in groups.items()]
