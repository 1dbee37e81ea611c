"""What a linear order looks at: attributes of a pair of family members, and their joins."""

from __future__ import annotations

import numpy as np

from wordorder.errors import ModelError
from wordorder.types import Int32

# Attributes of a member, in the order in which the kernel writes them.
MEMBER = (
    *("form", "upos", "xpos", "label", "suffix", "shape"),
    *("marker", "children", "size", "first", "last", "first-tag", "last-tag"),
)
# Those of the pair and its family.
SHARED = (
    *("head-upos", "head-xpos", "head-form", "head-label", "parent-upos", "parent-label"),
    *("family", "core", "end", "length", "head-children"),
    *("side", "distance", "between", "comma", "conjunction", "before", "behind"),
    *("leftmost", "rightmost", "prior", "members"),
)
# The left member's begin with "a.", the right one's with "b.".
ATTRIBUTES = (*(f"a.{name}" for name in MEMBER), *(f"b.{name}" for name in MEMBER), *SHARED)

# One template a line; all of them look at both labels and the side where nothing else is said.
DEFAULT = """
a.label b.label side
a.label b.label side a.first
a.label b.label side a.first-tag b.first-tag
a.label b.label side a.form
a.label b.label side a.last
a.label b.label side a.last-tag b.last-tag
a.label b.label side a.marker b.marker
a.label b.label side a.size
a.label b.label side a.size b.size
a.label b.label side a.upos b.upos
a.label b.label side a.xpos b.xpos
a.label b.label side b.first
a.label b.label side b.form
a.label b.label side b.last
a.label b.label side b.size
a.label b.label side before
a.label b.label side behind
a.label b.label side between
a.label b.label side comma
a.label b.label side conjunction
a.label b.label side core
a.label b.label side distance
a.label b.label side end
a.label b.label side head-form
a.label b.label side head-upos
a.label b.label side head-upos head-label
a.label b.label side head-xpos
a.label b.label side leftmost rightmost
a.label b.label side length
a.label b.label side parent-upos parent-label
a.label b.label core head-upos head-xpos
a.label b.label family distance
a.first b.first side
a.form b.form side
a.form b.label side
a.label a.marker b.label head-upos
a.label a.upos a.marker b.marker
a.label b.form side
a.marker b.marker head-form
a.upos b.upos head-upos side
a.xpos b.xpos head-xpos side
b.label b.marker a.label head-upos
"""


def read_templates(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the attributes of each template; one template a line.

    Raises
    ------
    ModelError
        If there is no such attribute.

    Examples
    --------
    >>> read_templates("a.label b.label side")
    (('a.label', 'b.label', 'side'),)
    """
    templates = tuple(tuple(line.split()) for line in text.splitlines() if line.strip())
    for name in (name for template in templates for name in template):
        if name not in ATTRIBUTES:
            raise ModelError(f"an attribute {name!r} of pairs; expected {', '.join(ATTRIBUTES)}")
    return templates


def template_arrays(templates: tuple[tuple[str, ...], ...]) -> tuple[Int32, Int32]:
    """Return the attributes of all templates as the kernels take them, and where each begins."""
    numbers = {name: number for number, name in enumerate(ATTRIBUTES)}
    flat = [numbers[name] for template in templates for name in template]
    starts = np.cumsum([0, *map(len, templates)])
    return np.array(flat, np.int32), starts.astype(np.int32)
