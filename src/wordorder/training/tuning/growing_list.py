"""N-best lists of several rounds, joined as they come."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.training.tuning.nbest import NBest
from wordorder.types import Int64


class GrowingList:
    """The candidates of all rounds so far; of those that are equal the first.

    Attributes
    ----------
    nbest : NBest
        Those of each sentence side by side, in the order in which they came.

    Examples
    --------
    >>> one = NBest(
    ...     np.array([0, 1]), ("a b", "c"), np.ones((2, 1)), ("lm_0",), None, ("", ""),
    ...     ("dev",), np.array([[0, 1], [0, 2]]),
    ... )
    >>> other = NBest(
    ...     np.array([0, 1]), ("b a", "c"), np.ones((2, 1)), ("lm_0",), None, ("", ""),
    ...     ("dev",), np.array([[0, 1], [0, 2]]),
    ... )
    >>> growing = GrowingList()
    >>> growing.add(one), growing.add(other), growing.nbest.text
    (2, 1, ('a b', 'b a', 'c'))
    """

    def __init__(self) -> None:
        self.nbest: NBest | None = None
        self._known: set[tuple[int, str, str, bytes]] = set()

    def add(self, nbest: NBest) -> int:
        """Add the candidates of a round; return how many are new.

        Raises
        ------
        UsageError
            If the candidates have other features than those before.
        """
        rows = self._new(nbest)
        if self.nbest is None:
            self.nbest = nbest.take(rows)
            return len(rows)
        if nbest.names != self.nbest.names:
            raise UsageError("the candidates of a round have other features than those before")
        self.nbest = joined(self.nbest, nbest.take(rows))
        return len(rows)

    def _new(self, nbest: NBest) -> Int64:
        found = []
        features = np.ascontiguousarray(nbest.features)
        keys = zip(nbest.sentence.tolist(), nbest.text, nbest.alignments, strict=True)
        for row, key in enumerate(keys):
            known = (*key, features[row].tobytes())
            if known not in self._known:
                self._known.add(known)
                found.append(row)
        return np.array(found, np.int64)


def joined(one: NBest, other: NBest) -> NBest:
    """Return the candidates of two lists of the same sentences, sentence by sentence."""
    places = other.origin + np.array([len(one.paths), 0])
    both = NBest(
        np.concatenate([one.sentence, other.sentence]),
        one.text + other.text,
        np.concatenate([one.features, other.features]),
        one.names,
        None,
        one.alignments + other.alignments,
        one.paths + other.paths,
        np.concatenate([one.origin, places]),
    )
    return both.take(np.argsort(both.sentence, kind="stable"))
