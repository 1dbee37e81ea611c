"""Translations of lines: text, links to the source, features, and lists of the best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.pharaoh import Pharaoh
from wordorder.training.tuning.nbest import NBest
from wordorder.translation.features import FEATURES
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class Translated:
    """What lines were translated into.

    Attributes
    ----------
    size : int
        Lines.
    sentence : int64[C]
        The line that each translation is of, from 0, not falling; the best comes first. Lines
        without words have none.
    texts : tuple of str
        The C translations. Those of one line are all different.
    links : Alignments
        Of each translation: positions in the source as it was given, before it was put in order,
        and in the translation.
    features : float64[C, 15]
        As `wordorder.translation.features.FEATURES` names them.
    scores : float64[C]
        Features times weights.
    source_words, unknown_words : int
        Words of all lines, and those that the model does not know. They are copied.
    unknown_capitals : int
        Those among them that it knows in lower case.
    """

    size: int
    sentence: Int64
    texts: tuple[str, ...]
    links: Alignments
    features: Float64
    scores: Float64
    source_words: int
    unknown_words: int
    unknown_capitals: int

    def __len__(self) -> int:
        return self.size

    @cached_property
    def _first(self) -> list[int]:
        """The best translation of each line, -1 where there is none."""
        first = np.full(self.size, -1)
        first[self.sentence[::-1]] = np.arange(len(self.sentence))[::-1]
        return first.tolist()

    @property
    def lines(self) -> list[str]:
        """The best translation of each line."""
        return [self.texts[row] if row >= 0 else "" for row in self._first]

    @property
    def alignments(self) -> Alignments:
        """The links of the best translation of each line."""
        first = np.array(self._first, np.int64)
        links = self.links.take(np.maximum(first, 0)[first >= 0])
        counts = np.zeros(self.size, np.int64)
        counts[first >= 0] = np.diff(links.offsets)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return Alignments(links.source, links.target, offsets)

    def nbest(self, path: str = "translations") -> NBest:
        """Return the lists as tuning reads them.

        Parameters
        ----------
        path : str
            What messages call them.
        """
        places = np.arange(1, len(self.sentence) + 1)
        return NBest(
            self.sentence,
            self.texts,
            self.features,
            FEATURES,
            self.scores,
            tuple(Pharaoh().rows(self.links)),
            (path,),
            np.column_stack([np.zeros_like(places), places]),
        )

    def nbest_lines(self, before: int = 0) -> Iterator[str]:
        """Yield the lists in Moses' notation, sentences numbered from `before` on."""
        from dataclasses import replace

        nbest = self.nbest()
        return replace(nbest, sentence=nbest.sentence + before).lines()
