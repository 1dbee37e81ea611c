"""Templates: which attributes of a word, of its neighbours and of the tags before are combined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.errors import ModelError
from wordorder.types import Int32

# The columns of `word_attributes`.
ATTRIBUTES = (
    "form",
    "normal",
    *(f"prefix{length}" for length in range(1, 6)),
    *(f"suffix{length}" for length in range(1, 7)),
    "shape",
    "kind",
    "length",
    "class",
)
# As the kernel `tag_features` reads them.
ATOMS = 3
REACH = 2
BITS = 5
MOST_TEMPLATES = 1000

# Of the word, of words around it, with the tag before, with the two tags before.
DEFAULT = (
    "form", "normal", "prefix1", "prefix2", "prefix3",
    "suffix1", "suffix2", "suffix3", "suffix4", "suffix5",
    "shape", "kind", "length", "class",
    "shape suffix1", "shape suffix2", "shape suffix3", "shape prefix1", "kind suffix3",
    "class suffix3",
    "normal@-2", "normal@-1", "normal@+1", "normal@+2",
    "class@-2", "class@-1", "class@+1", "class@+2",
    "suffix2@-1", "suffix2@+1", "suffix3@-1", "suffix3@+1", "shape@-1", "shape@+1",
    "class@-1 class", "class class@+1", "class@-1 class@+1", "class@+1 class@+2",
    "kind@-1 kind", "kind kind@+1",
    "tag@-1", "tag@-1 normal", "tag@-1 suffix3", "tag@-1 class", "tag@-1 shape",
    "tag@-1 normal@+1", "tag@-1 class@+1",
    "tag@-2 tag@-1", "tag@-2 tag@-1 class",
)  # fmt: skip

_ATOM = re.compile(r"([a-z]+[0-9]?)(?:@([+-][12]))?")
_TAGS = {("tag@-1",): 1, ("tag@-2", "tag@-1"): 2}


@dataclass(frozen=True, eq=False)
class Templates:
    """Templates as kernels read them.

    Attributes
    ----------
    names : tuple of str
        The templates, those of one group behind each other.
    atoms : int32[3 * T]
        Three numbers a template.
    alone, fixed, single : int
        How many templates are of the word alone; how many are without tags; how many are with at
        most the tag before.

    Examples
    --------
    >>> Templates.parse(["suffix3", "tag@-1 normal@+1"]).names
    ('suffix3', 'tag@-1 normal@+1')
    """

    names: tuple[str, ...]
    atoms: Int32
    alone: int
    fixed: int
    single: int

    @classmethod
    def parse(cls, names: Sequence[str]) -> Templates:
        """Read templates: attributes separated by blanks, ``@-1`` for those of the word before.

        The tags before, ``tag@-1`` or ``tag@-2 tag@-1``, come first.

        Raises
        ------
        ModelError
            If there is no such template, or if one is in the wrong order.
        """
        if len(names) > MOST_TEMPLATES:
            raise ModelError(f"{len(names)} templates; expected at most {MOST_TEMPLATES}")
        groups, atoms = [], []
        for name in names:
            parts = name.split(" ")
            tags = tuple(part for part in parts if part.startswith("tag"))
            group = 1 + _TAGS.get(tags, -9) if tags else 0
            if parts[: len(tags)] != list(tags) or group < 0 or len(parts) - len(tags) > ATOMS:
                raise ModelError(f"no such template: {name[:60]!r}")
            codes = [_code(part, name) for part in parts[len(tags) :]]
            if not tags and any(code >> BITS != REACH for code in codes):
                group = 1
            groups.append(group)
            atoms += codes + [-1] * (ATOMS - len(codes))
        if groups != sorted(groups):
            raise ModelError("templates: not in the order of their groups")
        ends = [sum(group <= last for group in groups) for last in range(3)]
        return cls(tuple(names), np.array(atoms, np.int32), *ends)


def _code(atom: str, template: str) -> int:
    """Return the number of an atom."""
    match = _ATOM.fullmatch(atom)
    if match is None or match[1] not in ATTRIBUTES:
        raise ModelError(f"no such template: {template[:60]!r}")
    return (int(match[2] or 0) + REACH) << BITS | ATTRIBUTES.index(match[1])
