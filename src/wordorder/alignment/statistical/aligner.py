"""Statistical aligners: a model that has been trained, and what it links."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.statistical.counts import Counts, probabilities
from wordorder.alignment.statistical.lexicon import Known, Lexicon
from wordorder.alignment.statistical.long_pairs import note_long_pairs
from wordorder.alignment.statistical.parallel_text import ParallelText, Rows
from wordorder.alignment.statistical.posteriors import best_states, posteriors
from wordorder.alignment.statistical.settings import Settings
from wordorder.alignment.statistical.training import train
from wordorder.alignment.symmetrization import METHODS, symmetrize
from wordorder.errors import UsageError, choose
from wordorder.text.opening import Path
from wordorder.types import Int32, Int64, OnProgress

Self = TypeVar("Self", bound="StatisticalAligner")


@dataclass(frozen=True, eq=False)
class StatisticalAligner:
    """What all statistical aligners have in common; made by `train` or `load`.

    Attributes
    ----------
    lexicon : Lexicon
        The words and pairs of the training text.
    forward, backward : Counts
        What has been learned of target words given source words, and the other way round.
    case : "keep" or "lower"
        Whether the training text had been put in lower case; what is to be aligned must be too.
    """

    lexicon: Lexicon
    forward: Counts
    backward: Counts
    case: str = "keep"

    name: ClassVar[str]
    settings: ClassVar[Settings]

    @classmethod
    def train(
        cls: type[Self],
        source: Rows,
        target: Rows,
        *,
        iterations: int | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Train on sentence pairs.

        Parameters
        ----------
        source, target : lines, rows of tokens, or Ragged of word numbers
            One row a sentence; words are separated by blanks.
        iterations : int, optional
            Passes over the text; without it, as many as the model is tuned for. The passes of
            Model 1 that come before those of other models are not counted.
        progress : callable, optional
            Told how many sentence pairs have been worked through, all passes together.

        Raises
        ------
        InputError
            If the columns differ in length or a sentence pair is too long.
        UsageError
            If `iterations` is not a whole number of at least 1, or `progress` cannot be called.

        Warns
        -----
        WordOrderWarning
            Before the work, if a sentence pair is so long that it takes a second or more.
        """
        settings = cls.settings
        if iterations is not None:
            whole = isinstance(iterations, int) and not isinstance(iterations, bool)
            if not whole or iterations < 1:
                raise UsageError(f"iterations are a whole number of at least 1, not {iterations!r}")
            settings = replace(settings, iterations=iterations)
        if progress is not None and not callable(progress):
            raise UsageError(f"progress is a function that takes a number, not {progress!r}")
        text = ParallelText.from_rows(source, target)
        note_long_pairs(
            text,
            passes=cls.settings.warm_up + cls.settings.iterations,
            jump_passes=cls.settings.iterations if cls.settings.jumps else 0,
            doing="training",
        )
        return cls(*train(text, settings, progress))

    def align(
        self, source: Rows, target: Rows, *, symmetrize: str = "grow-diag-final-and"
    ) -> Alignments:
        """Link the words of sentence pairs, of the training text or of others.

        Parameters
        ----------
        source, target : lines, rows of tokens, or Ragged of word numbers
            One row a sentence, of the kind that the model was trained on.
        symmetrize : str
            One of the methods of `wordorder.alignment.symmetrization.symmetrize`; ``forward``
            links each target word at most once, ``backward`` each source word.

        Returns
        -------
        Alignments
            One row a sentence pair, without links where a side is empty.

        Raises
        ------
        InputError
            If the columns differ in length or a sentence pair is too long.
        UsageError
            If the method is unknown, or the model knows words and is given numbers, or reversely.

        Warns
        -----
        WordOrderWarning
            Before the work, if a sentence pair is so long that it takes a second or more.
        """
        choose("symmetrize", symmetrize, METHODS)
        text = ParallelText.from_rows(source, target)
        if len(text) and text.spelled != self.lexicon.spelled:
            kinds = ("word numbers", "words")
            raise UsageError(
                f"the model was trained on {kinds[self.lexicon.spelled]}, "
                f"the text to align is {kinds[text.spelled]}"
            )
        note_long_pairs(text, passes=1, jump_passes=int(self.settings.jumps), doing="linking words")
        forward, backward = self._directions(text)
        return _symmetrized(forward, backward, symmetrize)

    def _directions(self, text: ParallelText) -> tuple[Alignments, Alignments]:
        """Return the links of both directions: the most probable state of each token."""
        known = Known.of_text(self.lexicon, text, self.settings)
        best: list[list[Int32]] = [[], []]
        for number, counts in enumerate((self.forward, self.backward)):
            side = probabilities(
                self.lexicon,
                counts,
                known,
                bool(number),
                self.settings,
                jumps=self.settings.jumps,
            )
            for block in text.blocks():
                block_posteriors = posteriors(block, side)
                best[number].append(best_states(block, side.transposed, block_posteriors))
        nothing = np.zeros(0, np.int32)
        lengths = text.source.lengths, text.target.lengths
        forward = _links(np.concatenate([nothing, *best[0]]), text.target.offsets)
        backward = _links(np.concatenate([nothing, *best[1]]), text.source.offsets)
        return (
            Alignments(*forward, source_lengths=lengths[0], target_lengths=lengths[1]),
            Alignments(*backward, source_lengths=lengths[1], target_lengths=lengths[0]).transpose(),
        )

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all.

        Raises
        ------
        UsageError
            If the file cannot be created.
        InputError
            If it cannot be written to its end.
        """
        from wordorder.alignment.statistical.model_file import write_model

        write_model(path, self.name, self.lexicon, self.forward, self.backward, self.case)

    @classmethod
    def load(cls: type[Self], path: Path) -> Self:
        """Read a model that `save` wrote.

        Raises
        ------
        ModelError
            If the file is no model of this kind, or damaged.
        """
        from wordorder.alignment.statistical.model_file import read_model

        return cls(*read_model(path, cls.name)[1:])


_symmetrized = symmetrize


def _links(best: Int32, offsets: Int64) -> tuple[Int32, Int32, Int64]:
    """Return states, tokens and offsets of the links of the tokens that have one."""
    linked = best >= 0
    places = np.arange(len(best)) - np.repeat(offsets[:-1], np.diff(offsets))
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(linked, dtype=np.int64)])
    return best[linked], places[linked].astype(np.int32), before[offsets]
