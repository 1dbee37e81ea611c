"""The bracketing model: what it learned, and the orders that it finds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.kernels import bracketing as kernel
from wordorder.kernels._run import call, run_pieces
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.reordering.learned.bracketing.learner import BracketingLearner
from wordorder.reordering.learned.bracketing.sentences import WordArrays
from wordorder.reordering.learned.bracketing.settings import Settings
from wordorder.reordering.learned.bracketing.sparse import dense
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.reordering.learned.pieces import joined
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Float64, Int32, Int64

# Words that one thread orders at a time.
BATCH = 1 << 12


@dataclass(frozen=True, eq=False)
class OrderLists:
    """The best orders of each sentence, best first.

    Attributes
    ----------
    orders : Orders
        Different ones for each sentence, one sentence after the other.
    sentence : int64[R]
        Which sentence each of them orders.
    score : float64[R]
        The score of the best derivation that was found for it.
    """

    orders: Orders
    sentence: Int64
    score: Float64


class Bracketing:
    """Splits a sentence and its parts in two, each time straight or inverted (Nakagawa 2015).

    Attributes
    ----------
    settings : Settings
    weights : float32
        A pair for each row of the table of features: straight, inverted.
    straight : float
        What each straight split scores on top of that.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.reordering.learned.examples import order_examples
    >>> bank = Treebank.from_words([["he", "ate", "rice"], ["she", "saw", "him"]])
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1)]] * 2)
    >>> learner = Bracketing.learner(order_examples(bank, links))
    >>> for epoch in range(1, learner.epochs + 1):
    ...     _ = learner.learn(epoch)
    >>> learner.model().orders(Treebank.from_words([["he", "saw", "rice"]])).to_text(0)
    '0 2 1'
    """

    kind: ClassVar[str] = "bracketing"

    def __init__(self, settings: Settings, weights: Array, straight: float = 0.0) -> None:
        self.settings = settings
        self.weights = weights
        self.straight = straight

    @property
    def reads(self) -> str:
        """What it needs of a sentence: ``words``, ``tags`` or ``trees``."""
        return self.settings.reads

    @classmethod
    def learner(
        cls, examples: OrderExamples, *, seed: int = 0, **options: Any
    ) -> BracketingLearner:
        """Return what learns such a model; see `BracketingLearner` for its options."""
        return BracketingLearner(cls, examples, seed=seed, **options)

    def preferring(self, straight: float) -> Bracketing:
        """Return the same model with another preference for straight splits."""
        return Bracketing(self.settings, self.weights, straight)

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence lacks what the model reads.
        """
        words = self.settings.words(treebank)
        order = np.zeros(treebank.words, np.int32)
        scores = np.zeros(len(words.offsets) - 1)

        def work(rows: tuple[int, int]) -> None:
            first, last = rows
            longest = int(np.diff(words.offsets[first : last + 1]).max(initial=1))
            search = self._search(words, longest)
            call(kernel.best_orders, search, words.offsets, order, scores, first, last)

        run_pieces(work, _batches(words.offsets))
        return joined(order, words.offsets, treebank.offsets)

    def kbest_orders(self, treebank: Treebank, k: int) -> OrderLists:
        """Return up to `k` different orders of each sentence, as many as the beam holds.

        Raises
        ------
        UsageError
            If `k` is less than 1, or a sentence is longer than the tables have room for.
        InputError
            If a sentence lacks what the model reads.
        """
        if k < 1:
            raise UsageError(f"lists have at least 1 order, not {k}")
        words = self.settings.words(treebank)
        if len(words.offsets) != len(treebank.offsets):
            raise UsageError("a sentence is too long for lists of its orders")
        search = self._search(words)
        beam = self.settings.beam
        orders: list[Int32] = []
        sentence: list[int] = []
        score: list[float] = []
        for row, (start, n) in enumerate(
            zip(words.offsets[:-1].tolist(), treebank.lengths.tolist(), strict=True)
        ):
            if n < 2:
                orders.append(np.arange(n, dtype=np.int32))
                sentence.append(row)
                score.append(0.0)
                continue
            found = np.zeros((beam, n), np.int32)
            scores = np.zeros(beam)
            listed = call(kernel.listed_orders, search, start, n, found.reshape(-1), scores)
            # Several derivations make the same order: the first one has the best score.
            _, first = np.unique(found[:listed], axis=0, return_index=True)
            for place in np.sort(first)[:k].tolist():
                orders.append(found[place])
                sentence.append(row)
                score.append(float(scores[place]))
        return OrderLists(
            Orders(Ragged.from_rows(orders)), np.array(sentence, np.int64), np.array(score)
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        rows = np.flatnonzero(self.weights).astype(np.int32)
        said = {**self.settings.parts(), "straight": self.straight}
        return said, {"rows": rows, "weights": self.weights[rows]}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Bracketing:
        """Make the model again.

        Raises
        ------
        ModelError
            If the parts do not fit together.
        """
        settings = Settings.from_parts(about)
        # Earlier files have no such number.
        straight = about.get("straight", 0.0)
        if type(straight) is not float or not 0.0 <= straight < float("inf"):
            raise ModelError("the preference of the model for straight splits is damaged")
        weights = dense(arrays["rows"], arrays["weights"], settings.weights)
        return cls(settings, weights, straight)

    def _search(self, words: WordArrays, longest: int | None = None) -> Any:
        """Return a search over sentences."""
        return self.settings.search(words, self.weights, longest=longest, bonus=self.straight)

    def __repr__(self) -> str:
        read = ", ".join(self.settings.attributes)
        return f"Bracketing({read}; {np.count_nonzero(self.weights)} weights)"


def _batches(offsets: Int64) -> list[tuple[int, int]]:
    """Cut rows into batches of about `BATCH` words; a longer row is one by itself."""
    cuts = np.searchsorted(offsets, np.arange(0, int(offsets[-1]), BATCH))
    edges = sorted({*cuts.tolist(), 0, len(offsets) - 1})
    return list(pairwise(edges))
