"""How a bracketing model is learned: passive-aggressive updates of a beam search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.kernels import bracketing as kernel
from wordorder.kernels._run import call, run_pieces
from wordorder.parsing.learner import Tally
from wordorder.reordering.learned.bracketing.settings import Settings
from wordorder.reordering.learned.bracketing.sparse import dense
from wordorder.reordering.learned.bracketing.straight import chosen_bonus, held_out
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.types import Array, Int64, OnProgress

if TYPE_CHECKING:
    from wordorder.reordering.learned.bracketing.model import Bracketing

MOST_STEP = 1.0
# Words that are learned from between two looks at an interrupt.
AT_ONCE = 1 << 12


class BracketingLearner:
    """Learns a bracketing model: structured passive-aggressive learning with a latent derivation.

    For each sentence a beam search looks for the best derivation of all and for the best valid one,
    the reference. A derivation is valid if it puts the fewest pairs of words in the wrong order;
    for a sentence that splits can put right, none (Nakagawa 2015, section 3). Words without a link
    are free. Where no valid derivation is left in the beam, both end there (early update). If they
    differ, the weights move until the reference wins by the square root of the number of actions
    after the first difference, by a step of at most the sentence's weight (PA-I; Crammer et al.
    2006). The model is the mean of all weights on the way (Collins 2002) and of all runs.

    Parameters
    ----------
    model : class
        What is made of the weights.
    examples : OrderExamples
    seed : int
        Where the random order of the sentences starts; it differs by epoch and run.
    epochs : int
        Passes over the examples; runs without an error end earlier.
    beam : int
        How many derivations the search keeps, in training and later.
    runs : int
        How many models are learned, each with a random order of its own; the result is their mean.
    reads : "words", "tags", "trees" or None
        What the features read; None is all that the sentences have.
    straight : float, optional
        What straight splits score more than their features say, 0 or more. None chooses it: two
        further runs learn without a quarter of the sentences each, and what orders these best is
        taken. With fewer than 40 different sentences that is 0.
    metric : str
        What it is chosen by.

    Raises
    ------
    UsageError
        If an option is out of range, there is nothing to learn from, or the sentences lack what is
        to be read.
    """

    is_whole = True

    def __init__(
        self,
        model: type[Bracketing],
        examples: OrderExamples,
        *,
        seed: int = 0,
        epochs: int = 10,
        beam: int = 20,
        runs: int = 8,
        reads: str | None = None,
        straight: float | None = None,
        metric: str = "frs",
    ) -> None:
        for name, number in (("epochs", epochs), ("runs", runs)):
            if number < 1:
                raise UsageError(f"{name} are at least 1, not {number}")
        if straight is not None and not 0 <= straight < float("inf"):
            raise UsageError(f"straight is at least 0, not {straight}")
        self._kind = model
        self.epochs = epochs
        self.settings = Settings.for_training(examples.treebank, reads=reads, beam=beam)
        self._words = self.settings.words(examples.treebank)
        self._low, self._high = examples.low, examples.high
        sentences = np.searchsorted(examples.treebank.offsets, self._words.offsets, "right") - 1
        # An empty piece is at the end of one sentence and says nothing wherever it is counted.
        self._share = examples.weights[np.minimum(sentences[:-1], len(examples) - 1)].astype(
            np.float64
        )
        self._rows = np.flatnonzero(self._share > 0)
        if not len(self._rows):
            raise UsageError("no sentence has two linked words: there is no order to learn")
        self._seed = seed
        size = self.settings.weights, len(self._words.offsets) - 1
        self._runs = [_Run(self._rows, *size) for _ in range(runs)]
        self._straight, self._metric = straight, metric
        self._unseen: list[OrderExamples] = []
        self._probes: list[_Run] = []
        if straight is None:
            for left_out in held_out(examples.treebank, seed=seed):
                seen = self._rows[~np.isin(sentences[self._rows], left_out)]
                if len(seen):
                    self._probes.append(_Run(seen, *size))
                    self._unseen.append(examples.take(left_out))

    @property
    def forced(self) -> Int64:
        """The pairs of words of each sentence that no derivation puts right, -1 if not known yet.

        They are known after one epoch. A sentence is cut where it is too long; its pieces count.
        """
        return self._runs[0].wrong.astype(np.int64)

    @property
    def forced_share(self) -> float:
        """The share of the sentences with a pair that no derivation puts right, after one epoch."""
        return float(np.mean(self.forced[self._rows] > 0))

    def learn(self, epoch: int, progress: OnProgress | None = None) -> Tally:
        """Do one pass over the examples; `epoch` counts from 1."""
        tallies = run_pieces(
            lambda number: self._learn(number, epoch, progress if number == 0 else None),
            list(range(len(self._runs) + len(self._probes))),
        )
        return sum(tallies[: len(self._runs)], Tally())

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns."""
        found: dict[str, Array] = {}
        for number, run in enumerate([*self._runs, *self._probes]):
            for name in ("weights", "average"):
                whole = getattr(run, name)
                rows = np.flatnonzero(whole).astype(np.int32)
                found[f"{name}.{number}.rows"] = rows
                found[f"{name}.{number}"] = whole[rows]
            found[f"wrong.{number}"] = run.wrong
            found[f"ended.{number}"] = np.array([run.ended], np.int32)
        return found

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from an earlier `state`.

        Raises
        ------
        ModelError
            If it is not one of this learner.
        """
        for number, run in enumerate([*self._runs, *self._probes]):
            try:
                for name in ("weights", "average"):
                    stored = arrays[f"{name}.{number}.rows"], arrays[f"{name}.{number}"]
                    getattr(run, name)[:] = dense(*stored, self.settings.weights)
                run.wrong[:] = arrays[f"wrong.{number}"]
                run.ended = bool(arrays[f"ended.{number}"][0])
            except (KeyError, ValueError, IndexError) as error:
                raise ModelError(f"the checkpoint is of other training ({error})") from error

    def model(self) -> Bracketing:
        """Return the model: the mean of the runs."""
        mean = np.zeros(self.settings.weights, np.float64)
        for run in self._runs:
            mean += run.average
        straight = self._straight
        if straight is None:
            probes = [self._kind(self.settings, run.average) for run in self._probes]
            straight = chosen_bonus(probes, self._unseen, metric=self._metric)
        weights = (mean / len(self._runs)).astype(np.float32)
        return self._kind(self.settings, weights, float(straight))

    def _learn(self, number: int, epoch: int, progress: OnProgress | None) -> Tally:
        """Do one pass of one run."""
        run = [*self._runs, *self._probes][number]
        if run.ended:
            return Tally()
        random = np.random.default_rng([self._seed, number, epoch])
        turn = random.permutation(run.rows)
        search = self.settings.search(self._words, run.weights)
        call(kernel.prepare_to_learn, search)
        total = self.epochs * len(turn)
        updates = 0
        begin = 0
        for some in self._in_pieces(turn):
            updates += call(
                kernel.learn,
                search,
                *(self._words.offsets, self._low, self._high, self._share),
                *(run.weights, run.average, run.delta, run.wrong),
                *(some, MOST_STEP, (epoch - 1) * len(turn) + begin, total),
            )
            begin += len(some)
            if progress is not None:
                progress(len(some))
        run.ended = updates == 0
        return Tally(len(turn), updates)

    def _in_pieces(self, turn: Int64) -> list[Int64]:
        """Cut sentences into pieces of about `AT_ONCE` words."""
        words = np.cumsum(np.diff(self._words.offsets)[turn])
        cuts = np.searchsorted(words, np.arange(AT_ONCE, int(words[-1]), AT_ONCE))
        return [np.ascontiguousarray(piece) for piece in np.split(turn, cuts) if len(piece)]


class _Run:
    """The weights of one run, and what it learns from."""

    def __init__(self, rows: Int64, weights: int, sentences: int) -> None:
        self.rows = rows
        self.weights = np.zeros(weights, np.float32)
        self.average = np.zeros(weights, np.float32)
        self.delta = np.zeros(weights, np.int16)
        self.wrong = np.full(sentences, -1, np.int32)
        self.ended = False
