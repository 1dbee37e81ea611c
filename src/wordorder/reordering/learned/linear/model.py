"""*linear*: families of dependency trees, ordered by weights of pairs of their members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wordorder.errors import ModelError
from wordorder.kernels import family_orders, family_pairs
from wordorder.kernels._run import run_rows
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.reordering.learned.linear.families import Families, families_of
from wordorder.reordering.learned.linear.templates import (
    ATTRIBUTES,
    read_templates,
    template_arrays,
)
from wordorder.reordering.learned.pieces import in_pieces
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Float32, Float64, Int32, Int64, UInt64

if TYPE_CHECKING:
    from typing_extensions import Self

    from wordorder.reordering.learned.examples import OrderExamples
    from wordorder.reordering.learned.linear.learner import LinearLearner

# Constants of the kernel's hash.
MASK64, PRIME, MIX = 0xFFFFFFFFFFFFFFFF, 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
# The largest table of weights that a file may ask for.
MOST_BITS = 26


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
        run_rows(
            family_pairs.pair_scores,
            families.pairs,
            *pair_arguments(families, self.templates, self.bits),
            families.pairs,
            self.weights,
            scores,
            scratch=lambda _: (families.largest,),
        )
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
        from wordorder.reordering.learned.linear.learner import LinearLearner

        return LinearLearner(examples, seed=seed, **options)


def pair_arguments(
    families: Families, templates: tuple[tuple[str, ...], ...], bits: int
) -> tuple[Any, ...]:
    """Return what the kernels of pairs take before the numbers of the pairs."""
    prior = np.zeros(0, np.int32)
    return (*families.arrays(), prior, 0, *template_arrays(templates), bits)


def orders_by_scores(families: Families, scores: Float64) -> Orders:
    """Return the orders that have the highest scores.

    Parameters
    ----------
    families : Families
    scores : float64, one a pair
        What it brings that the pair keeps its order; if it does not, the same is lost.
    """
    ordered = np.empty(len(families.members), np.int64)
    run_rows(
        family_orders.order_families,
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
        family_orders.write_orders,
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
