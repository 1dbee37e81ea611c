"""Families of dependency trees: their members, and the features of pairs of members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wordorder.arrays import (
    Array,
    Float32,
    Float64,
    Int32,
    Int64,
    OnProgress,
    Ragged,
    UInt8,
    UInt64,
    row_offsets,
)
from wordorder.errors import ModelError, UsageError
from wordorder.kernels import Kernel, call, learned as kernel, run_rows
from wordorder.kernels._common import GOLDEN, MASK64, SPLITMIX_1
from wordorder.order.orders import Orders
from wordorder.parsing.epochs import UpdateCounts
from wordorder.reordering.learned.examples import OrderExamples, cut_sentences, in_pieces
from wordorder.reordering.learned.learned_order import attribute_hash
from wordorder.text.sparse_weights import halved, packed_weights, weights_of
from wordorder.treebank.preparation import projective
from wordorder.treebank.treebank import Treebank

if TYPE_CHECKING:
    from typing_extensions import Self


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

# The largest table of weights that a file may ask for.
MOST_BITS = 26

EPOCHS = 15

# Pairs that are learned from between two reports of progress.
PIECE = 1 << 15


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
        """Members of the largest family; 1 without families."""
        return int(np.diff(self.starts).max(initial=1))

    def arrays(self) -> tuple[Int64 | UInt8 | UInt64, ...]:
        """Return what the kernels of pairs read, in their order."""
        words = (self.parents, self.words, self.kinds, self.spans, self.below)
        families = (self.heads, self.sentences, self.starts, self.members)
        return (self.treebank.offsets, *words, *families)


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
    parents = treebank.above
    attributes = _attributes(treebank)
    kinds = treebank.label.apply(_kinds, np.uint8)
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
    pairs = row_offsets(size * (size - 1) // 2)
    of_words = (parents, attributes, kinds, spans, below)
    return Families(treebank, *of_words, heads, rows[heads], starts, members, pairs)


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
    straight = np.zeros(int(families.pairs[-1]), np.int64)
    turned = np.zeros(len(straight), np.int64)
    columns = (families.heads, families.starts, families.members, families.spans, families.pairs)
    run_rows(kernel.count_evidence, families.starts, *columns, low, high, straight, turned)
    return straight, turned


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
        scratch=lambda _: (call(kernel.FamilyReader, *data),),
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
        *(families.starts, families.members, families.pairs, scores, ordered),
        scratch=lambda _: (families.largest,),
    )
    return Orders(Ragged(_write_positions(families, ordered), families.treebank.offsets))


def _write_positions(families: Families, ordered: Int64) -> Int32:
    """Return the words as their families are ordered."""
    offsets = families.treebank.offsets
    roots = np.flatnonzero(families.parents < 0)
    family_of = np.full(families.treebank.words, -1, np.int64)
    family_of[families.heads] = np.arange(len(families.heads))
    order = np.empty(families.treebank.words, np.int32)
    run_rows(
        kernel.write_family_orders,
        offsets,
        *(offsets, roots, np.searchsorted(roots, offsets)),
        *(family_of, families.starts, ordered, order),
        scratch=lambda longest: (longest,),
    )
    return order


def _attributes(treebank: Treebank) -> UInt64:
    form = treebank.form
    columns = [form.map(str.lower), treebank.upos, treebank.xpos, treebank.label]
    columns += [form.map(suffix_of), form.map(shape_of)]
    hashed = [column.apply(attribute_hash, np.uint64) for column in columns]
    return np.stack(hashed, axis=1).reshape(-1)


def suffix_of(word: str) -> str:
    """Return the last three letters of a word, in lower case."""
    return word.lower()[-3:]


def shape_of(word: str) -> str:
    """Return what kinds of characters a word has, each run once: digits, letters, others."""
    kinds = ["d" if c.isdigit() else "a" if c.isalpha() else c for c in word]
    return "".join(c for k, c in enumerate(kinds) if k == 0 or kinds[k - 1] != c)


def _kinds(label: str) -> int:
    base = label.partition(":")[0]
    return sum(kind for kind, names in KINDS.items() if base in names)


@dataclass(frozen=True, eq=False)
class Linear:
    """Puts the members of each family, a head and its children, in the order of highest score.

    Each pair of members has a score, the sum of the weights of its features: above 0, the pair
    keeps its source order. The score of an order of the family is the sum over the pairs that keep
    it, less the sum over those that do not (Lerner and Petrov 2013; Jehl et al. 2014). Families of
    up to nine members are ordered exactly, by a table over their subsets; longer ones by moving
    single members for as long as that helps. Sentences of more than 512 words are ordered in
    pieces, which keep their order.

    Attributes
    ----------
    weights : float32[2^B]
        The weight of each feature; features that share a number share a weight.
    templates : tuple of tuple of str
        What features are made of, as `read_templates` returns them.
    """

    kind: ClassVar[str] = "linear"
    reads: ClassVar[str] = "trees"

    weights: Float32
    templates: tuple[tuple[str, ...], ...]

    @property
    def bits(self) -> int:
        """Bits of the number of a feature."""
        return len(self.weights).bit_length() - 1

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence has no tree; the message names it.
        """
        return in_pieces(self._orders, treebank)

    def _orders(self, treebank: Treebank) -> Orders:
        families = families_of(treebank)
        return orders_by_scores(families, self.scores(families))

    def scores(self, families: Families) -> Float64:
        """Return the score of each pair of members, float64, pairs as `Families.pairs` has them."""
        scores = np.zeros(int(families.pairs[-1]))
        data = (families, self.templates, self.bits)
        run_pairs(kernel.pair_scores, *data, self.weights, scores)
        return scores

    def pair_weights(self, attributes: UInt64) -> Float64:
        """Return the weight of each feature of one pair, from its attributes, float64[templates].

        The same hash as the kernel's, for explanations.
        """
        numbers = {name: number for number, name in enumerate(ATTRIBUTES)}
        weights = []
        for template, names in enumerate(self.templates):
            key = GOLDEN
            for name in names:
                key = (key ^ int(attributes[numbers[name]])) * SPLITMIX_1 & MASK64
                key ^= key >> 29
            weights.append(self.weights[((key + template) * GOLDEN & MASK64) >> (64 - self.bits)])
        return np.array(weights, np.float64)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays: the weights that are not 0."""
        metadata = {
            "bits": self.bits,
            "templates": [" ".join(template) for template in self.templates],
        }
        return metadata, packed_weights(self.weights)

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Make the model again.

        Raises
        ------
        ModelError
            If the parts do not fit together.
        """
        bits = about["bits"]
        if type(bits) is not int or not 1 <= bits <= MOST_BITS:
            raise ModelError(f"{bits!r} bits; expected 1 to {MOST_BITS}")
        return cls(weights_of(arrays, 1 << bits), read_templates("\n".join(about["templates"])))

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> LinearLearner:
        """Return what learns such a model; see `LinearLearner` for the options."""
        return LinearLearner(examples, seed=seed, **options)


class LinearLearner:
    """Learns a `Linear` order: logistic regression over pairs of family members.

    A pair's label is the side that most of its pairs of aligned words are on, and its importance
    is the excess of these over the others, as a share of both, times the number of both to the
    power `evidence` and the weight of its sentence. Pairs on which the words do not speak, or are
    evenly split, are left out. Sentences of more than 512 words are learned from in pieces.

    Parameters
    ----------
    examples : OrderExamples
        With trees.
    seed : int
        Decides the order of the pairs in each epoch.
    epochs : int
    rate : float
        The length of the first step; further steps are shorter, as in AdaGrad.
    penalty : float
        What the squares of the weights cost: the larger, the more alike the weights.
    evidence : float
        0: all pairs are equally important; 1: as important as they have pairs of words.
    bits : int
        There are 2^bits weights.
    templates : str
        What features are made of, one template a line.

    Raises
    ------
    InputError
        If a sentence has no tree.
    UsageError
        If no pair says anything, or a number is out of range.
    """

    is_whole = True

    def __init__(
        self,
        examples: OrderExamples,
        *,
        seed: int = 0,
        epochs: int = EPOCHS,
        rate: float = 0.1,
        penalty: float = 1.0,
        evidence: float = 0.0,
        bits: int = 20,
        templates: str = DEFAULT,
    ) -> None:
        _check(epochs, rate, penalty, evidence, bits)
        self._epochs, self._seed = epochs, seed
        self._rate, self._penalty, self._bits = rate, penalty, bits
        self._templates = read_templates(templates)
        rows = np.flatnonzero(examples.weights > 0)
        used = examples.take(rows)
        pieces = cut_sentences(used.treebank)
        families = families_of(pieces)
        straight, turned = crossing_evidence(families, used.low, used.high)
        decided = np.flatnonzero(straight != turned)
        if not len(decided):
            raise UsageError("no pair of words says what its order is: are there links?")
        both = (straight + turned)[decided]
        excess = np.abs(straight - turned)[decided] / both
        family = np.searchsorted(families.pairs, decided, side="right") - 1
        # Families do not cross pieces: the sentence of each is that of its head.
        sentences = np.searchsorted(used.treebank.offsets, families.heads[family], "right") - 1
        weight = used.weights[sentences]
        self._labels = (straight > turned)[decided].astype(np.float64)
        self._importance = np.ascontiguousarray(excess * both**evidence * weight)
        features = np.empty(len(self._templates) * int(families.pairs[-1]), np.int32)
        run_pairs(kernel.pair_features, families, self._templates, bits, features)
        self._features = np.ascontiguousarray(features.reshape(-1, len(self._templates))[decided])
        counts = np.bincount(self._features.reshape(-1), minlength=1 << bits)
        self._counts = np.maximum(counts, 1).astype(np.float32)
        self._weights = np.zeros(1 << bits)
        self._squares = np.full(1 << bits, 1e-8)
        self._sums = np.zeros(1 << bits)
        self._done = 0

    @property
    def epochs(self) -> int:
        """How many passes over the examples there are."""
        return self._epochs

    @property
    def pairs(self) -> int:
        """How many pairs of family members are learned from."""
        return len(self._labels)

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over all pairs; the instances of the tally are pairs."""
        generator = np.random.default_rng([self._seed, epoch])
        order = generator.permutation(self.pairs)
        wrong = np.zeros(1, np.int64)
        for first in range(0, self.pairs, PIECE):
            part = np.ascontiguousarray(order[first : first + PIECE])
            call(
                kernel.logistic_pass,
                *(self._features.reshape(-1), len(self._templates), part),
                *(self._labels, self._importance, self._counts),
                *(self._rate, self._penalty, self._weights, self._squares, wrong),
            )
            if progress is not None:
                progress(first + len(part))
        # The average over the second half of the epochs is less moved by the last pairs.
        if 2 * epoch > self._epochs:
            self._sums += self._weights
            self._done += 1
        return UpdateCounts(self.pairs, int(wrong[0]))

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns."""
        used = np.flatnonzero(self._weights)
        arrays: dict[str, Array] = {"used": used, "done": np.array([self._done])}
        for name, array in self._changing().items():
            arrays[name] = array[used]
        return arrays

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from an earlier `state` of a learner with the same examples and options."""
        used = arrays["used"]
        self._done = int(arrays["done"][0])
        for name, array in self._changing().items():
            array[used] = arrays[name]

    def model(self) -> Linear:
        """Return the model that has the weights so far."""
        weights = self._sums / self._done if self._done else self._weights
        return Linear(halved(weights), self._templates)

    def _changing(self) -> dict[str, Float64]:
        return {"weights": self._weights, "squares": self._squares, "sums": self._sums}


def _check(epochs: int, rate: float, penalty: float, evidence: float, bits: int) -> None:
    """Refuse options that are out of range."""
    for name, value, legal in (
        ("epochs", epochs, epochs >= 1),
        ("rate", rate, rate > 0),
        ("penalty", penalty, penalty >= 0),
        ("evidence", evidence, 0 <= evidence <= 1),
        ("bits", bits, 1 <= bits <= MOST_BITS),
    ):
        if not legal:
            raise UsageError(f"{name} cannot be {value}")
