"""*linear*: families of dependency trees, ordered by weights of pairs of their members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.kernels import families as kernel
from wordorder.kernels._run import call
from wordorder.order.orders import Orders
from wordorder.parsing.training.checkpoint import Tally
from wordorder.reordering.learned.linear.families import (
    ATTRIBUTES,
    DEFAULT,
    Families,
    crossing_evidence,
    families_of,
    orders_by_scores,
    read_templates,
    run_pairs,
)
from wordorder.reordering.learned.pieces import cut, in_pieces
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Float32, Float64, OnProgress, UInt64

if TYPE_CHECKING:
    from typing_extensions import Self

    from wordorder.reordering.learned.examples import OrderExamples

# Constants of the kernel's hash.
MASK64, PRIME, MIX = 0xFFFFFFFFFFFFFFFF, 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9

# The largest table of weights that a file may ask for.
MOST_BITS = 26

EPOCHS = 15
# Pairs that are learned from between two reports of progress.
PIECE = 1 << 15


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
        found = []
        for template, names in enumerate(self.templates):
            key = PRIME
            for name in names:
                key = (key ^ int(attributes[numbers[name]])) * MIX & MASK64
                key ^= key >> 29
            found.append(self.weights[((key + template) * PRIME & MASK64) >> (64 - self.bits)])
        return np.array(found, np.float64)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays: the weights that are not 0."""
        said = {"bits": self.bits, "templates": [" ".join(each) for each in self.templates]}
        used = np.flatnonzero(self.weights)
        return said, {"feature": used.astype(np.int32), "weight": self.weights[used]}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Make the model again.

        Raises
        ------
        ModelError
            If the parts do not fit together.
        """
        bits, used, weight = about["bits"], arrays["feature"], arrays["weight"]
        if type(bits) is not int or not 1 <= bits <= MOST_BITS:
            raise ModelError(f"{bits!r} bits; expected 1 to {MOST_BITS}")
        fits = used.dtype == np.int32 and weight.dtype == np.float32 and used.ndim == 1
        fits = fits and used.shape == weight.shape and bool(np.isfinite(weight).all())
        if not fits or (len(used) and not 0 <= used.min() <= used.max() < 1 << bits):
            raise ModelError("the weights are damaged")
        weights = np.zeros(1 << bits, np.float32)
        weights[used] = weight
        return cls(weights, read_templates("\n".join(about["templates"])))

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
        pieces = cut(used.treebank)
        families = families_of(pieces)
        kept, turned = crossing_evidence(families, used.low, used.high)
        spoken = np.flatnonzero(kept != turned)
        if not len(spoken):
            raise UsageError("no pair of words says what its order is: are there links?")
        both = (kept + turned)[spoken]
        excess = np.abs(kept - turned)[spoken] / both
        family = np.searchsorted(families.pairs, spoken, side="right") - 1
        # Families do not cross pieces: the sentence of each is that of its head.
        sentences = np.searchsorted(used.treebank.offsets, families.heads[family], "right") - 1
        weight = used.weights[sentences]
        self._labels = (kept > turned)[spoken].astype(np.float64)
        self._importance = np.ascontiguousarray(excess * both**evidence * weight)
        features = np.empty(len(self._templates) * int(families.pairs[-1]), np.int32)
        run_pairs(kernel.pair_features, families, self._templates, bits, features)
        self._features = np.ascontiguousarray(features.reshape(-1, len(self._templates))[spoken])
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

    def learn(self, epoch: int, progress: OnProgress | None = None) -> Tally:
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
        return Tally(self.pairs, int(wrong[0]))

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns."""
        used = np.flatnonzero(self._weights)
        arrays: dict[str, Array] = {"used": used, "done": np.array([self._done])}
        for name, array in self._changing().items():
            arrays[name] = array[used]
        return arrays

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from an earlier `state`.

        Raises
        ------
        ModelError
            If it is of other examples or options.
        """
        try:
            used = arrays["used"]
            self._done = int(arrays["done"][0])
            for name, array in self._changing().items():
                array[used] = arrays[name]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise ModelError(f"the state of the training is damaged ({error})") from None

    def model(self) -> Linear:
        """Return the model that has the weights so far."""
        weights = self._sums / self._done if self._done else self._weights
        return Linear(weights.astype(np.float32), self._templates)

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
