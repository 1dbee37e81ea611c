"""Learning the weights of pairs of family members by logistic regression."""

from __future__ import annotations

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.kernels import families as kernel
from wordorder.kernels._run import call, run_rows
from wordorder.parsing.weights import Tally
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.reordering.learned.linear.model import (
    DEFAULT,
    MOST_BITS,
    Linear,
    crossing_evidence,
    families_of,
    pair_arguments,
    read_templates,
)
from wordorder.reordering.learned.pieces import cut
from wordorder.types import Array, Float64, OnProgress

EPOCHS = 15
# Pairs that are learned from between two reports of progress.
PIECE = 1 << 15


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
        run_rows(
            kernel.pair_features,
            families.pairs,
            *pair_arguments(families, self._templates, bits),
            families.pairs,
            features,
            scratch=lambda _: (families.largest,),
        )
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
