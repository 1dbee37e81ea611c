"""N-best lists: the candidates of each sentence with their features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordorder.errors import UsageError, location
from wordorder.text.opening import Path
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class NBest:
    """Candidates of sentences, as decoders list them.

    Attributes
    ----------
    sentence : int64[N]
        The number of the sentence of each candidate, from 0, not falling. Numbers may be missing.
    text : tuple of str
        The candidates: translations, or orders as lines of an ``.orders`` file.
    features : float64[N, F]
    names : tuple of str
        Of the features: those of one group are ``d_0``, ``d_1`` and so on.
    scores : float64[N] or None
        What the decoder gave the candidates; None if it is not said of all of them.
    alignments : tuple of str
        The fields behind the score, as they are: of phrases, of words, or both; empty if none.
    paths : tuple of str
        The files that they come from.
    origin : int64[N, 2]
        File, by its place in `paths`, and line of each candidate.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> lines = ["0 ||| a b ||| d= 1 lm= -2 ||| -1", "0 ||| b a ||| d= 0 lm= -3 ||| -3"]
    >>> _ = path.write_text("\\n".join(lines))
    >>> nbest = NBest.read(path)
    >>> nbest.names, nbest.text, nbest.features.tolist()
    (('d_0', 'lm_0'), ('a b', 'b a'), [[1.0, -2.0], [0.0, -3.0]])
    """

    sentence: Int64
    text: tuple[str, ...]
    features: Float64
    names: tuple[str, ...]
    scores: Float64 | None
    alignments: tuple[str, ...]
    paths: tuple[str, ...]
    origin: Int64

    @classmethod
    def read(cls, *paths: Path) -> NBest:
        """Read the lists of one or several runs, as Moses writes them.

        Parameters
        ----------
        paths : path or "-"
            Lines ``id ||| text ||| features [||| score [||| alignment [||| alignment]]]``, the
            features ``name= value value ...`` or numbers without names. The candidates of a
            sentence in several files become one list; of those with equal text, features and
            alignments only the first is kept.

        Raises
        ------
        InputError
            If a line is wrong; the message names it.
        """
        from wordorder.training.tuning.nbest_reading import read_nbest

        return read_nbest(paths)

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def offsets(self) -> Int64:
        """Where the candidates of each sentence begin, int64[S+1]."""
        return np.append(np.flatnonzero(np.diff(self.sentence, prepend=-1)), len(self))

    def where(self, candidate: int) -> str:
        """Name the place of a candidate: file and line."""
        path, line = self.origin[candidate].tolist()
        return location(self.paths[path], line)

    def take(self, rows: Int64) -> NBest:
        """Return some of the candidates; those of a sentence must stay together."""
        return replace(
            self,
            sentence=self.sentence[rows],
            text=tuple(self.text[row] for row in rows.tolist()),
            features=self.features[rows],
            scores=None if self.scores is None else self.scores[rows],
            alignments=tuple(self.alignments[row] for row in rows.tolist()),
            origin=self.origin[rows],
        )

    def reranked(self, weights: Float64) -> NBest:
        """Return the list with the scores of other weights, the best candidate first.

        Candidates of equal score stay in their order.

        Raises
        ------
        UsageError
            If there is not a weight a feature.
        """
        if len(weights) != len(self.names):
            raise UsageError(f"{len(weights)} weights for {len(self.names)} features")
        scores = np.zeros(len(self))
        # Feature by feature, so that equal candidates have equal scores.
        for column, weight in zip(self.features.T, np.asarray(weights).tolist(), strict=True):
            scores += column * weight
        return replace(self, scores=scores).take(np.lexsort((-scores, self.sentence)))

    def lines(self) -> Iterator[str]:
        """Yield the list in Moses' notation."""
        groups = _groups(self.names)
        scores = None if self.scores is None else self.scores.tolist()
        for row, features in enumerate(self.features.tolist()):
            values = [_number(value) for value in features]
            named = [f"{name}= {' '.join(values[a:b])}" for name, a, b in groups]
            fields = [str(self.sentence[row]), self.text[row], " ".join(named)]
            if scores is not None:
                fields.append(_number(scores[row]))
                if self.alignments[row]:
                    fields.append(self.alignments[row])
            yield " ||| ".join(fields)

    def write(self, path: Path) -> None:
        """Write the list in Moses' notation, whole or not at all; compressed as the name ends."""
        from wordorder.text.output import write_text

        with write_text(path) as stream:
            for line in self.lines():
                stream.write(f"{line}\n")


def _groups(names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return the groups of neighbouring features with their first and behind their last column."""
    found: list[tuple[str, int, int]] = []
    for column, name in enumerate(names):
        group = name.rpartition("_")[0] or name
        if found and found[-1][0] == group:
            found[-1] = (group, found[-1][1], column + 1)
        else:
            found.append((group, column, column + 1))
    return found


def _number(value: float) -> str:
    """Write a number so that it reads back as the same, without a useless ``.0``."""
    return repr(value).removesuffix(".0")
