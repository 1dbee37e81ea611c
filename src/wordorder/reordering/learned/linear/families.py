"""Families of dependency trees: their members, and what is said of pairs of these."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordorder.errors import ModelError
from wordorder.kernels import families as kernel
from wordorder.kernels._run import Kernel, call, run_rows
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.reordering.precedence import projective
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Float64, Int32, Int64, UInt8, UInt64

# Kinds of words, as bits.
PUNCTUATION, CONJUNCTION, CORE, MARKER = 1, 2, 4, 8

# Relations, without their subtypes, that make a kind; of Universal and of Stanford dependencies.
KINDS = {
    PUNCTUATION: ("punct", "p"),
    CONJUNCTION: ("cc",),
    CORE: (
        *("nsubj", "csubj", "obj", "iobj", "aux", "cop", "mark", "case", "expl"),
        *("nsubjpass", "dobj", "auxpass", "pobj"),
    ),
    MARKER: ("case", "mark", "prep"),
}


@dataclass(frozen=True, eq=False)
class Families:
    """The families of projective trees that have more than one member.

    Attributes
    ----------
    treebank : Treebank
        The trees, made projective.
    parents : int64[N]
        The place of each word's head in the whole treebank; -1 for a root.
    words : uint64[N * 6]
        Hashed attributes of each word: form in lower case, upos, xpos, label, suffix, shape.
    kinds : uint8[N]
    spans : int64[N * 2]
        The first and the last word below each word, itself included.
    below : uint64[N * 2]
        The hashed form of a word's marker (case, mark), and a sum over its children's labels.
    heads, sentences : int64[F]
        The head of each family, and its sentence.
    starts : int64[F + 1], members : int64
        The members of each family from left to right, the head among them.
    pairs : int64[F + 1]
        Where the pairs of each family begin.
    """

    treebank: Treebank
    parents: Int64
    words: UInt64
    kinds: UInt8
    spans: Int64
    below: UInt64
    heads: Int64
    sentences: Int64
    starts: Int64
    members: Int64
    pairs: Int64

    @property
    def largest(self) -> int:
        """Members of the largest family; 1 if there is none."""
        return int(np.diff(self.starts).max(initial=1))

    def arrays(self) -> tuple[Int64 | UInt8 | UInt64, ...]:
        """Return what the kernels of pairs read, in their order."""
        return (
            self.treebank.offsets,
            self.parents,
            self.words,
            self.kinds,
            self.spans,
            self.below,
            self.heads,
            self.sentences,
            self.starts,
            self.members,
        )


def families_of(treebank: Treebank) -> Families:
    """Return the families of trees, family heads in their order in the text.

    Raises
    ------
    InputError
        If a sentence has no tree.
    """
    treebank = projective(treebank)
    words, offsets = treebank.words, treebank.offsets
    rows = np.repeat(np.arange(len(treebank)), treebank.lengths)
    parents = np.where(treebank.heads > 0, offsets[:-1][rows] + treebank.heads - 1, -1)
    attributes = _attributes(treebank)
    kinds = _kinds(treebank.label)
    spans = np.repeat(np.arange(words), 2)
    below = np.zeros(2 * words, np.uint64)
    run_rows(
        kernel.read_subtrees, offsets, offsets, parents, attributes, kinds, MARKER, spans, below
    )
    child = np.flatnonzero(parents >= 0)
    heads = np.unique(parents[child])
    member = np.concatenate([child, heads])
    owner = np.concatenate([parents[child], heads])
    # Places are below 2^31, so that both fit into one number.
    both = np.sort((owner << 32) | member)
    members = both & 0xFFFFFFFF
    starts = np.searchsorted(both, heads << 32)
    starts = np.append(starts, len(both)).astype(np.int64)
    size = np.diff(starts)
    pairs = np.concatenate([np.zeros(1, np.int64), np.cumsum(size * (size - 1) // 2)])
    return Families(
        treebank,
        parents,
        attributes,
        kinds,
        spans,
        below,
        heads,
        rows[heads],
        starts,
        members,
        pairs,
    )


def crossing_evidence(families: Families, low: Int32, high: Int32) -> tuple[Int64, Int64]:
    """Count how pairs of words speak for and against the source order of pairs of members.

    Parameters
    ----------
    families : Families
    low, high : int32[N]
        The target interval of each word; -1 for none.

    Returns
    -------
    kept, turned : int64, one per pair of members
        How many pairs of words, one of each member with all below it, keep their order in the
        target, and how many do not. Pairs of which one interval is inside the other, or that are
        equal, count for neither.
    """
    kept = np.zeros(int(families.pairs[-1]), np.int64)
    turned = np.zeros(len(kept), np.int64)
    run_rows(
        kernel.count_evidence,
        families.starts,
        families.heads,
        families.starts,
        families.members,
        families.spans,
        families.pairs,
        low,
        high,
        kept,
        turned,
    )
    return kept, turned


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


def run_pairs(
    pair_kernel: Kernel,
    families: Families,
    templates: tuple[tuple[str, ...], ...],
    bits: int,
    *arrays: Array,
) -> None:
    """Run a kernel of pairs over all families; `arrays` are what it takes behind their numbers."""
    data = (*families.arrays(), *template_arrays(templates), bits, families.largest)
    run_rows(
        pair_kernel,
        families.pairs,
        *(families.pairs, *arrays),
        scratch=lambda _: (call(kernel.Reader, *data),),
    )


def orders_by_scores(families: Families, scores: Float64) -> Orders:
    """Return the orders that have the highest scores.

    Parameters
    ----------
    families : Families
    scores : float64, one per pair
        What it brings that the pair keeps its order; if it does not, the same is lost.
    """
    ordered = np.empty(len(families.members), np.int64)
    run_rows(
        kernel.order_families,
        families.starts,
        families.starts,
        families.members,
        families.pairs,
        scores,
        ordered,
        scratch=lambda _: (families.largest,),
    )
    return Orders(Ragged(_written(families, ordered), families.treebank.offsets))


def _written(families: Families, ordered: Int64) -> Int32:
    """Return the words as their families are ordered."""
    offsets = families.treebank.offsets
    roots = np.flatnonzero(families.parents < 0)
    family_of = np.full(families.treebank.words, -1, np.int64)
    family_of[families.heads] = np.arange(len(families.heads))
    order = np.empty(families.treebank.words, np.int32)
    run_rows(
        kernel.write_orders,
        offsets,
        offsets,
        roots,
        np.searchsorted(roots, offsets),
        family_of,
        families.starts,
        ordered,
        order,
        scratch=lambda longest: (longest,),
    )
    return order


def _attributes(treebank: Treebank) -> UInt64:
    columns = [
        _hashed(treebank.form, str.lower),
        _hashed(treebank.upos, str),
        _hashed(treebank.xpos, str),
        _hashed(treebank.label, str),
        _hashed(treebank.form, suffix_of),
        _hashed(treebank.form, shape_of),
    ]
    return np.ascontiguousarray(np.stack(columns, axis=1)).reshape(-1)


def attribute_hash(text: str) -> int:
    """Return the number of 64 bits that takes the place of a string."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _hashed(column: Column, change: Callable[[str], str]) -> UInt64:
    words = column.vocabulary.words
    numbers = (attribute_hash(change(word)) for word in words)
    table = np.fromiter(numbers, np.uint64, len(words))
    return table[column.codes] if len(words) else np.zeros(0, np.uint64)


def suffix_of(word: str) -> str:
    """Return the last three letters of a word, in lower case."""
    return word.lower()[-3:]


def shape_of(word: str) -> str:
    """Return what kinds of characters a word has, each run once: digits, letters, others."""
    kinds = ["d" if c.isdigit() else "a" if c.isalpha() else c for c in word]
    return "".join(c for k, c in enumerate(kinds) if k == 0 or kinds[k - 1] != c)


def _kinds(label: Column) -> UInt8:
    words = label.vocabulary.words
    table = np.zeros(max(1, len(words)), np.uint8)
    for number, word in enumerate(words):
        base = word.split(":")[0]
        table[number] = sum(kind for kind, names in KINDS.items() if base in names)
    return table[label.codes]
