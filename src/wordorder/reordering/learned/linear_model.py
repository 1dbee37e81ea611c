"""Linear orders: features of pairs of members of a family, the model, and its learner."""

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


# Classes of words, as bits.
PUNCTUATION, CONJUNCTION, CORE, MARKER = 1, 2, 4, 8

# Relations of each class, without subtypes, in Universal and in Stanford Dependencies.
CLASS_RELATIONS = {
    PUNCTUATION: ("punct", "p"),
    CONJUNCTION: ("cc",),
    CORE: (
        *("nsubj", "csubj", "obj", "iobj", "aux", "cop", "mark", "case", "expl"),
        *("nsubjpass", "dobj", "auxpass", "pobj"),
    ),
    MARKER: ("case", "mark", "prep"),
}

# Attributes of a member, in the order of the kernel.
MEMBER_ATTRIBUTES = (
    *("form", "upos", "xpos", "label", "suffix", "shape"),
    *("marker", "children", "size", "first", "last", "first-tag", "last-tag"),
)

# Attributes of a pair and its family.
PAIR_ATTRIBUTES = (
    *("head-upos", "head-xpos", "head-form", "head-label", "parent-upos", "parent-label"),
    *("family", "core", "end", "length", "head-children"),
    *("side", "distance", "between", "comma", "conjunction", "before", "behind"),
    *("leftmost", "rightmost", "prior", "members"),
)

# Prefixes: "a." for the left member, "b." for the right one.
ATTRIBUTES = (
    *(f"{side}.{name}" for side in "ab" for name in MEMBER_ATTRIBUTES),
    *PAIR_ATTRIBUTES,
)

# The default templates, one per line.
DEFAULT_TEMPLATES = """
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

# Limit for tables of weights in files, of 2^MAX_BITS weights.
MAX_BITS = 26

DEFAULT_EPOCHS = 15

# Number of pairs learned from between two reports of progress.
PAIRS_PER_REPORT = 1 << 15


@dataclass(frozen=True, eq=False)
class Families:
    """The families, heads with their children, of projective trees.

    Attributes
    ----------
    treebank : Treebank
        The trees, made projective.
    parents : int64[N]
        The index of each word's head in the treebank; -1 for a root.
    words : uint64[N * 6]
        Hashed attributes of each word: form in lower case, upos, xpos, label, suffix, shape.
    kinds : uint8[N]
    spans : int64[N * 2]
        The first and the last word of each word's subtree.
    below : uint64[N * 2]
        The hashed form of each word's marker (case, mark), and a sum over its children's labels.
    heads, sentences : int64[F]
        The head of each family, and its sentence.
    starts : int64[F + 1], members : int64
        The members of each family from left to right, including the head.
    pairs : int64[F + 1]
        The offset of the pairs of each family.
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
        """Number of members of the largest family; 1 without families."""
        return int(np.diff(self.starts).max(initial=1))

    def arrays(self) -> tuple[Int64 | UInt8 | UInt64, ...]:
        """Return the arguments of `FamilyReader` in the kernel."""
        words = (self.parents, self.words, self.kinds, self.spans, self.below)
        families = (self.heads, self.sentences, self.starts, self.members)
        return (self.treebank.offsets, *words, *families)


def families_of(treebank: Treebank) -> Families:
    """Return the families of trees, by the position of their heads in the text.

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
    kinds = treebank.label.apply(_class_bits, np.uint8)
    spans = np.repeat(np.arange(words), 2)
    below = np.zeros(2 * words, np.uint64)
    run_rows(
        kernel.read_subtrees, offsets, offsets, parents, attributes, kinds, MARKER, spans, below
    )
    child = np.flatnonzero(parents >= 0)
    heads = np.unique(parents[child])
    member = np.concatenate([child, heads])
    owner = np.concatenate([parents[child], heads])
    # Indices are below 2^31, so that head and member fit into one integer.
    keys = np.sort((owner << 32) | member)
    members = keys & 0xFFFFFFFF
    starts = np.searchsorted(keys, heads << 32)
    starts = np.append(starts, len(keys)).astype(np.int64)
    size = np.diff(starts)
    pairs = row_offsets(size * (size - 1) // 2)
    word_arrays = (parents, attributes, kinds, spans, below)
    return Families(treebank, *word_arrays, heads, rows[heads], starts, members, pairs)


def crossing_evidence(families: Families, low: Int32, high: Int32) -> tuple[Int64, Int64]:
    """Count pairs of words for and against the source order of each pair of members.

    Parameters
    ----------
    families : Families
    low, high : int32[N]
        The target interval of each word; -1 for none.

    Returns
    -------
    straight, inverted : int64, one per pair of members
        Number of pairs of words, one from each member's subtree, that keep their order in the
        target, and that do not. Pairs of intervals that are equal or nested are not counted.
    """
    straight = np.zeros(int(families.pairs[-1]), np.int64)
    inverted = np.zeros(len(straight), np.int64)
    columns = (families.heads, families.starts, families.members, families.spans, families.pairs)
    run_rows(kernel.count_evidence, families.starts, *columns, low, high, straight, inverted)
    return straight, inverted


def read_templates(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the attributes of each template; the text has one template per line.

    Raises
    ------
    ModelError
        If an attribute does not exist.

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
    """Return the indices of the attributes of all templates, and the offset of each template."""
    index_of = {name: index for index, name in enumerate(ATTRIBUTES)}
    flat = [index_of[name] for template in templates for name in template]
    starts = np.cumsum([0, *map(len, templates)])
    return np.array(flat, np.int32), starts.astype(np.int32)


def run_pairs(
    pair_kernel: Kernel,
    families: Families,
    templates: tuple[tuple[str, ...], ...],
    bits: int,
    *arrays: Array,
) -> None:
    """Run a kernel of pairs over all families; `arrays` are its further arguments."""
    data = (*families.arrays(), *template_arrays(templates), bits, families.largest)
    run_rows(
        pair_kernel,
        families.pairs,
        *(families.pairs, *arrays),
        scratch=lambda _: (call(kernel.FamilyReader, *data),),
    )


def orders_by_scores(families: Families, scores: Float64) -> Orders:
    """Return the orders with the highest scores.

    Parameters
    ----------
    families : Families
    scores : float64, one per pair
        Added for each pair that keeps its order, subtracted for each one that does not.
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
    """Return the order of all words, from the order of the members of each family."""
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
    """Return the runs of characters of a word: "d" for digits, "a" for letters, or the character.

    Examples
    --------
    >>> shape_of("B-52s")
    'a-da'
    """
    classes = ["d" if c.isdigit() else "a" if c.isalpha() else c for c in word]
    return "".join(c for k, c in enumerate(classes) if k == 0 or classes[k - 1] != c)


def _class_bits(label: str) -> int:
    base = label.partition(":")[0]
    return sum(bit for bit, names in CLASS_RELATIONS.items() if base in names)


@dataclass(frozen=True, eq=False)
class Linear:
    """Orders the members of each family, a head and its children, by a linear model of pairs.

    The score of a pair of members is the sum of the weights of its features; a positive one is for
    the source order. The score of an order of the family is the sum over the pairs in source order,
    minus the sum over the others (Lerner and Petrov 2013; Jehl et al. 2014). Families of up to nine
    members are ordered exactly, by a table over their subsets; larger ones by moving single members
    as long as the score increases. Sentences of more than 512 words are ordered in pieces, which
    keep their order.

    Attributes
    ----------
    weights : float32[2^B]
        The weight of each feature; features with the same hash share a weight.
    templates : tuple of tuple of str
        The attributes that features combine; see `read_templates`.
    """

    kind: ClassVar[str] = "linear"
    reads: ClassVar[str] = "trees"

    weights: Float32
    templates: tuple[tuple[str, ...], ...]

    @property
    def bits(self) -> int:
        """Number of bits of the hash of a feature."""
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
        """Return the score of each pair of members, float64, by family; see `Families.pairs`."""
        scores = np.zeros(int(families.pairs[-1]))
        data = (families, self.templates, self.bits)
        run_pairs(kernel.pair_scores, *data, self.weights, scores)
        return scores

    def pair_weights(self, attributes: UInt64) -> Float64:
        """Return the weight of each feature of one pair, from its attributes, float64[templates].

        For explanations; the hash is that of the kernel.
        """
        index_of = {name: index for index, name in enumerate(ATTRIBUTES)}
        weights = []
        for template, names in enumerate(self.templates):
            key = GOLDEN
            for name in names:
                key = (key ^ int(attributes[index_of[name]])) * SPLITMIX_1 & MASK64
                key ^= key >> 29
            weights.append(self.weights[((key + template) * GOLDEN & MASK64) >> (64 - self.bits)])
        return np.array(weights, np.float64)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the metadata of the model, and its arrays: the weights that are not 0."""
        metadata = {
            "bits": self.bits,
            "templates": [" ".join(template) for template in self.templates],
        }
        return metadata, packed_weights(self.weights)

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Rebuild the model from its saved state.

        Raises
        ------
        ModelError
            If the state is inconsistent.
        """
        bits = about["bits"]
        if type(bits) is not int or not 1 <= bits <= MAX_BITS:
            raise ModelError(f"{bits!r} bits; expected 1 to {MAX_BITS}")
        return cls(weights_of(arrays, 1 << bits), read_templates("\n".join(about["templates"])))

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> LinearLearner:
        """Return a learner of a linear order; see `LinearLearner` for the options."""
        return LinearLearner(examples, seed=seed, **options)


class LinearLearner:
    """Learns a `Linear` order: logistic regression over pairs of family members.

    The label of a pair of members is the order of most pairs of aligned words in their subtrees:
    straight or inverted. With s straight and i inverted pairs of words, its importance is
    ``|s - i| / (s + i) * (s + i) ** evidence``, times the weight of the sentence. Pairs with
    ``s = i`` are left out. Sentences of more than 512 words are split into pieces.

    Parameters
    ----------
    examples : OrderExamples
        Examples with trees.
    seed : int
        Determines the order of the pairs in each epoch.
    epochs : int
    rate : float
        The length of the first step; further steps are shorter, as in AdaGrad.
    penalty : float
        The factor of the squared weights in the loss (L2 regularisation).
    evidence : float
        From 0, where the number of pairs of words does not matter, to 1, where the importance is
        proportional to it.
    bits : int
        The model has 2^bits weights.
    templates : str
        The attributes that features combine, one template per line.

    Raises
    ------
    InputError
        If a sentence has no tree.
    UsageError
        If no pair of members has a label, or an option is out of range.
    """

    is_whole = True

    def __init__(
        self,
        examples: OrderExamples,
        *,
        seed: int = 0,
        epochs: int = DEFAULT_EPOCHS,
        rate: float = 0.1,
        penalty: float = 1.0,
        evidence: float = 0.0,
        bits: int = 20,
        templates: str = DEFAULT_TEMPLATES,
    ) -> None:
        _check(epochs, rate, penalty, evidence, bits)
        self._epochs, self._seed = epochs, seed
        self._rate, self._penalty, self._bits = rate, penalty, bits
        self._templates = read_templates(templates)
        rows = np.flatnonzero(examples.weights > 0)
        used = examples.take(rows)
        pieces = cut_sentences(used.treebank)
        families = families_of(pieces)
        straight, inverted = crossing_evidence(families, used.low, used.high)
        labelled = np.flatnonzero(straight != inverted)
        if not len(labelled):
            raise UsageError("no pair of words says what its order is: are there links?")
        total = (straight + inverted)[labelled]
        excess = np.abs(straight - inverted)[labelled] / total
        family = np.searchsorted(families.pairs, labelled, side="right") - 1
        # Families do not cross pieces, so the sentence of a family is that of its head.
        sentences = np.searchsorted(used.treebank.offsets, families.heads[family], "right") - 1
        weight = used.weights[sentences]
        self._labels = (straight > inverted)[labelled].astype(np.float64)
        self._importance = np.ascontiguousarray(excess * total**evidence * weight)
        features = np.empty(len(self._templates) * int(families.pairs[-1]), np.int32)
        run_pairs(kernel.pair_features, families, self._templates, bits, features)
        self._features = np.ascontiguousarray(features.reshape(-1, len(self._templates))[labelled])
        counts = np.bincount(self._features.reshape(-1), minlength=1 << bits)
        self._counts = np.maximum(counts, 1).astype(np.float32)
        self._weights = np.zeros(1 << bits)
        self._squares = np.full(1 << bits, 1e-8)
        self._sums = np.zeros(1 << bits)
        self._done = 0

    @property
    def epochs(self) -> int:
        """The number of passes over the examples."""
        return self._epochs

    @property
    def pairs(self) -> int:
        """The number of labelled pairs of members."""
        return len(self._labels)

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over all pairs, which are the instances that are counted."""
        generator = np.random.default_rng([self._seed, epoch])
        order = generator.permutation(self.pairs)
        wrong = np.zeros(1, np.int64)
        for first in range(0, self.pairs, PAIRS_PER_REPORT):
            part = np.ascontiguousarray(order[first : first + PAIRS_PER_REPORT])
            call(
                kernel.logistic_pass,
                *(self._features.reshape(-1), len(self._templates), part),
                *(self._labels, self._importance, self._counts),
                *(self._rate, self._penalty, self._weights, self._squares, wrong),
            )
            if progress is not None:
                progress(first + len(part))
        # The average over the second half of the epochs depends less on the last pairs.
        if 2 * epoch > self._epochs:
            self._sums += self._weights
            self._done += 1
        return UpdateCounts(self.pairs, int(wrong[0]))

    def state(self) -> dict[str, Array]:
        """Return all arrays that change during training."""
        used = np.flatnonzero(self._weights)
        arrays: dict[str, Array] = {"used": used, "done": np.array([self._done])}
        for name, array in self._training_arrays().items():
            arrays[name] = array[used]
        return arrays

    def restore(self, arrays: dict[str, Array]) -> None:
        """Restore an earlier `state` of a learner with the same examples and options."""
        used = arrays["used"]
        self._done = int(arrays["done"][0])
        for name, array in self._training_arrays().items():
            array[used] = arrays[name]

    def model(self) -> Linear:
        """Return the model with the weights so far."""
        weights = self._sums / self._done if self._done else self._weights
        return Linear(halved(weights), self._templates)

    def _training_arrays(self) -> dict[str, Float64]:
        return {"weights": self._weights, "squares": self._squares, "sums": self._sums}


def _check(epochs: int, rate: float, penalty: float, evidence: float, bits: int) -> None:
    """Refuse options that are out of range."""
    for name, value, is_valid in (
        ("epochs", epochs, epochs >= 1),
        ("rate", rate, rate > 0),
        ("penalty", penalty, penalty >= 0),
        ("evidence", evidence, 0 <= evidence <= 1),
        ("bits", bits, 1 <= bits <= MAX_BITS),
    ):
        if not is_valid:
            raise UsageError(f"{name} cannot be {value}")
