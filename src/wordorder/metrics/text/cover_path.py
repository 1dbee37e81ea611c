"""The cheapest paths behind CDER: which words are matched, substituted, inserted, jumped over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordorder.counts import counted
from wordorder.errors import choose
from wordorder.metrics.text.grid_path import OPERATIONS, SIDES, GridPath, Step
from wordorder.metrics.text.pairs import Pairs
from wordorder.metrics.text.substitution import cover_steps
from wordorder.metrics.text.word_costs import Cost, WordCosts, open_costs
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int8, Int32, Int64

MATCH, SUBSTITUTION, INSERTION, DELETION, JUMP = range(len(OPERATIONS))


@dataclass(frozen=True, eq=False, repr=False)
class CoverPaths:
    """A cheapest path of the cover distance for each of P references, flat.

    ``paths[p]`` is the path of one of them, with its words.

    Attributes
    ----------
    operation : int8[K]
        0 match, 1 substitution, 2 insertion (a word of the reference that the hypothesis lacks),
        3 deletion (a word of the hypothesis too many), 4 jump.
    hypothesis, reference : int32[K]
        How many words of each sentence come before the place where the step begins; if it takes
        a word, this is its number, counted from 0. The next step begins where this one ends, and
        the last one ends behind all words.
    cost : float64[K]
        0 for a match, in (0, 2] for a substitution, else 1.
    offsets : int64[P+1]
        Path ``p`` has the steps ``offsets[p] .. offsets[p+1]-1``.
    distance : float64[P]
        What all steps of a path cost: the distance that `CoverDisjointErrorRate` counts.
    rows : int64[P]
        The row of ``texts.references`` of each path.
    texts : Texts
    jumps_in : "hypothesis" or "reference"

    Examples
    --------
    >>> texts = Texts.from_segments(["we met on friday", "no"], ["on friday we met", "oh yes"])
    >>> paths = cover_paths(texts)
    >>> paths.distance.tolist(), paths.offsets.tolist()
    ([3.0, 2.0], [0, 7, 9])
    >>> paths[1]
    GridPath(1 insertion, 1 substitution: cost 2)
    """

    operation: Int8
    hypothesis: Int32
    reference: Int32
    cost: Float64
    offsets: Int64
    distance: Float64
    rows: Int64
    texts: Texts
    jumps_in: str = "hypothesis"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[GridPath]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: int) -> GridPath:
        if not -len(self) <= index < len(self):
            raise IndexError(f"path {index} of {len(self)}")
        index %= len(self)
        at = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        row = int(self.rows[index])
        words = self.texts.vocabulary.words
        columns = (self.operation, self.hypothesis, self.reference, self.cost)
        steps = zip(*(column[at].tolist() for column in columns), strict=True)
        segment = int(self.texts.segment_of[row])
        return GridPath(
            tuple(Step(OPERATIONS[operation], *rest) for operation, *rest in steps),
            tuple(words[word] for word in self.texts.hypothesis[segment]),
            tuple(words[word] for word in self.texts.references[row]),
            self.jumps_in,
        )

    @property
    def path_of(self) -> Int64:
        """The path of each step, int64[K]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def lengths(self) -> tuple[Int64, Int64]:
        """The words of hypothesis and reference of each path, two int64[P]."""
        texts = self.texts
        ours = texts.hypothesis.lengths[texts.segment_of[self.rows]]
        return ours, texts.references.lengths[self.rows]

    def counts(self) -> Int64:
        """Count the steps of each kind, int64[P, 5], in the order of `operation`."""
        kinds = self.path_of * len(OPERATIONS) + self.operation
        counts = np.bincount(kinds, minlength=len(self) * len(OPERATIONS))
        return counts.reshape(len(self), len(OPERATIONS)).astype(np.int64)

    def __repr__(self) -> str:
        return f"CoverPaths({counted(len(self), 'path')}, {counted(len(self.operation), 'step')})"

    def _repr_html_(self) -> str:
        from wordorder.drawing.rows_html import rows_html

        return rows_html(repr(self), self, len(self))


def cover_paths(
    texts: Texts,
    rows: Int64 | None = None,
    *,
    direction: str = "reference",
    substitution: str | Cost | WordCosts = "constant",
    ties: str = "blocks",
) -> CoverPaths:
    """Trace a cheapest path of the cover distance for each reference.

    Parameters
    ----------
    texts : Texts
    rows : int64[P], optional
        Rows of ``texts.references``, rising; all by default.
    direction : "reference" or "candidate"
        Which sentence the path covers exactly once: the reference, with jumps in the hypothesis,
        or the hypothesis, with jumps in the reference.
    substitution : str, function, or the `word_costs` of a metric
        What a substitution costs, as for `CoverDisjointErrorRate`.
    ties : "blocks" or "steps"
        Which of several cheapest paths to take. "blocks": one with the most matches that directly
        follow another match; of these one with the fewest jumps; and of these, if substitutions
        have constant costs, one with the most matches. So phrases stay whole, and single words are
        not fetched from afar. "steps": any, as the notes say; so are all paths at other costs where
        two sentences have more than 1,700 words together.

    Returns
    -------
    CoverPaths

    Raises
    ------
    UsageError
        If a name is unknown.

    Notes
    -----
    The path is always the same. It is followed from its end: by a match or a substitution where
    that is possible, else by a word of the sentence that is covered once (an insertion), else by a
    word of the other one (a deletion), else by a jump from the first of the best points of the row.
    With ``direction="candidate"`` the two sentences change places, and so do insertions and
    deletions. The miscoverage of `CoverDisjointErrorRate` is that of the path with
    ``ties="steps"``.

    Leusch, Ueffing and Ney (2006), equation 1. Time: as `CoverDisjointErrorRate` with miscoverage.

    Examples
    --------
    >>> texts = Texts.from_segments(["on tuesday on tuesday we met"], ["on tuesday we met"])
    >>> cover_paths(texts)[0]
    GridPath(1 jump, 4 matches: cost 1)
    """
    choose("direction", direction, ("reference", "candidate"))
    costs = open_costs(substitution)
    choose("ties", ties, ("blocks", "steps"))
    chosen = np.arange(len(texts.references)) if rows is None else np.asarray(rows, np.int64)
    turned = direction == "candidate"
    pairs = _pairs(texts, chosen, turned)
    steps = cover_steps(pairs, costs.table(texts), blocks=ties == "blocks")
    operation = steps.operation
    if turned:
        swapped = np.array([MATCH, SUBSTITUTION, DELETION, INSERTION, JUMP], np.int8)
        operation = swapped[operation]
    places = (steps.text, steps.pattern) if turned else (steps.pattern, steps.text)
    return CoverPaths(
        operation, *places, steps.cost, steps.offsets, steps.distance, chosen, texts, SIDES[turned]
    )


def _pairs(texts: Texts, rows: Int64, turned: bool) -> Pairs:
    """Return the pairs of some references with their hypotheses."""
    segments = texts.segment_of[rows]
    numbers = len(texts.vocabulary)
    if turned:
        offsets = np.searchsorted(rows, np.arange(len(texts.references) + 1))
        return Pairs(texts.references, texts.hypothesis, offsets, segments, numbers)
    offsets = np.searchsorted(rows, texts.reference_offsets)
    return Pairs(texts.hypothesis, texts.references, offsets, rows, numbers)
