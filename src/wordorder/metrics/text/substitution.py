"""What it costs to substitute a word for another, and distances at such costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isqrt, lcm
from typing import Any

import numpy as np

from wordorder.errors import InputError, UsageError, choose
from wordorder.kernels import distances as distances_kernel
from wordorder.kernels import matching
from wordorder.kernels._run import announce, call, run_pieces
from wordorder.metrics.contract import real
from wordorder.metrics.text.pairs import Pairs
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary, number_tokens
from wordorder.types import Float64, Int8, Int32, Int64

# Costs of spelling, in the order in which the kernels number them.
SUBSTITUTIONS = ("constant", "prefix", "levenshtein")
# What an edit costs in the kernels, which compute with whole numbers: all fractions of up to 40
# characters are parts of it, and a path of 1,700 words fits into 64 bits. Of longer rows up to 28.
EDIT = lcm(*range(1, 41))
EDIT_OF_LONG_ROWS = lcm(*range(1, 29))
LONG_ROWS = 1700
# What a link of two identities earns beside fractions of edits, counted in jumps.
COARSE_REWARD = 1 << 8
# A matching changes the prices of words by sums of several costs.
LONG_MATCHINGS = LONG_ROWS // 4
# Levenshtein costs of word pairs that a kernel remembers: what stays in the processor's cache.
REMEMBERED = 1 << 14
# Costs of word pairs that are in memory at once.
CELLS = 1 << 20
# Of one segment: half a gigabyte.
MOST_CELLS = 1 << 26


def substitution_cost(word: str, other: str, substitution: str = "levenshtein") -> float:
    """Return what it costs to substitute a word for another.

    Parameters
    ----------
    word, other : str
    substitution : "constant", "prefix" or "levenshtein"
        1; 1 less the length of the common prefix over the mean length of both words; or the
        character Levenshtein distance over the length of the path, its edits and identities. Of
        the cheapest paths the longest counts.

    Returns
    -------
    float in [0, 1]
        0 exactly if the words are equal.

    Raises
    ------
    UsageError
        If there is no such substitution.

    Notes
    -----
    Fractions are added and compared exactly, as whole numbers, for two words of up to 40 characters
    together (28 in sentences of more than 1,700 words together, 425 for `per`); those of longer
    words are rounded to 2e-16, and to 1e-11 in such sentences.

    Leusch et al. (2006), sections 4.2 and 4.3. They ask for a metric, but do not say which of
    several cheapest paths is meant. The triangle inequality holds for "prefix" and fails for some
    words with either path: from ``baa`` to ``ccb`` it is nearer by way of ``ccbaa``.

    Examples
    --------
    >>> substitution_cost("usual", "unusual"), substitution_cost("talk", "talks", "prefix")
    (0.2857142857142857, 0.1111111111111111)
    """
    choose("substitution", substitution, SUBSTITUTIONS)
    (rows, others), vocabulary = number_tokens([[[word]], [[other]]])
    texts = Texts(rows, others, np.array([0, 1], np.int64), None, vocabulary)
    return float(matching_costs(texts, spelling_costs(vocabulary, substitution))[0])


@dataclass(frozen=True, eq=False)
class CostTable:
    """What it costs to substitute any word of a vocabulary for any other, as the kernels take it.

    Attributes
    ----------
    kind : int
        As the kernel `distances.weighted_distances` numbers kinds of costs.
    rows : Ragged
        A row for each word: its characters, its classes, or the words that it has a cost with.
    given : float64[*]
        Costs, in (0, 2]; empty for costs of spelling.
    """

    kind: int
    rows: Ragged
    given: Float64

    @property
    def arrays(self) -> tuple[Int32, Int64, Float64, int]:
        """The arguments of the kernels."""
        return self.rows.values, self.rows.offsets, self.given, self.kind


def spelling_costs(vocabulary: Vocabulary, substitution: str) -> CostTable:
    """Return costs of what words differ by in their characters.

    Parameters
    ----------
    vocabulary : Vocabulary
    substitution : "constant", "prefix" or "levenshtein"
    """
    kind = SUBSTITUTIONS.index(substitution)
    return CostTable(kind, vocabulary.code_points(), np.empty(0))


def weighted_distances(
    pairs: Pairs, costs: CostTable, *, jumps: bool, traced: bool = False
) -> tuple[Float64, Int64]:
    """Return Levenshtein distances, or cover distances if there are jumps.

    Parameters
    ----------
    pairs : Pairs
        Of word numbers of the vocabulary.
    costs : CostTable
        Of the same vocabulary.
    jumps : bool
        Whether any point of a row of the grid can be reached from any other at cost 1.
    traced : bool
        Whether to find miscoverages too.

    Returns
    -------
    distances : float64[R]
    miscoverages : int64[R]
        How often each word of the pattern is taken on the path, less 1, absolute and summed; zeros
        unless `traced`.
    """
    distances = np.empty(len(pairs), np.int64)
    edits = _edits(pairs.words, LONG_ROWS)
    miscoverages = np.zeros(len(pairs), np.int64)
    width = pairs.longest + 1
    announce("a distance with costs of words", float(pairs.cells.max(initial=0)))
    room = (_traced_rows(pairs) if traced else 2) * width
    pairs.run(
        *(distances_kernel.weighted_distances, edits, jumps, traced, distances, miscoverages),
        scratch=_grid(pairs.pattern, pairs.text, costs, int(pairs.cells.sum()), room, width),
    )
    return _quotients(distances, edits), miscoverages


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of a cheapest path through the grid of each pair, flat.

    Attributes
    ----------
    operation : int8[K]
        0 a word of each row, equal; 1 different words; 2 a word of the text; 3 one of the pattern;
        4 a jump along the pattern.
    pattern, text : int32[K]
        How many words of each row are read before the step.
    cost : float64[K]
    offsets : int64[R+1]
        Pair ``k`` has the steps ``offsets[k] .. offsets[k+1]-1``.
    distance : float64[R]
        What all steps of a pair cost: the cover distance, to the last bit.
    """

    operation: Int8
    pattern: Int32
    text: Int32
    cost: Float64
    offsets: Int64
    distance: Float64


def cover_steps(pairs: Pairs, costs: CostTable, *, blocks: bool) -> Steps:
    """Trace a cheapest path of the cover distance of each pair.

    It is followed from its end: by substitution or identity where that is possible, else by a word
    of the text, else by one of the pattern, else by a jump from the first minimum.

    Parameters
    ----------
    pairs : Pairs
        Of word numbers of the vocabulary.
    costs : CostTable
        Of the same vocabulary.
    blocks : bool
        Whether to take, of all cheapest paths, one with the most identities that follow another
        one, of these one with the fewest jumps, and of these, if costs are constant, one with the
        most identities.
    """
    edits, reward, penalty, extra = _edits(pairs.words, LONG_ROWS), 0, 0, 0
    longest = int(pairs.words.max(initial=0))
    if blocks and costs.kind == SUBSTITUTIONS.index("constant"):
        # Each weight is larger than all that can be counted below it, as far as 64 bits go: the
        # distance always counts first.
        bits = longest.bit_length()
        whole = min(3 * bits, 61 - bits)
        edits, extra = np.full(len(pairs), 1 << whole), 1
        reward, penalty = 1 << max(whole - bits, 1), 1 << max(whole - 2 * bits, 0)
    elif blocks and longest <= LONG_ROWS:
        # Below all fractions there is room for a count of links and one of jumps.
        edits = np.full(len(pairs), EDIT_OF_LONG_ROWS << 16)
        reward, penalty = COARSE_REWARD, 1
    linked = reward > 0
    # A step for each word of the text; neither jumps nor words of the pattern follow each other.
    ends = np.cumsum(2 * pairs.text.lengths[pairs.text_rows] + 1, dtype=np.int64)
    begins = ends.copy()
    room = int(ends[-1]) if len(ends) else 0
    operation = np.empty(room, np.int8)
    columns = (np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64))
    width = pairs.longest + 1
    announce("a path with costs of words", 2 * float(pairs.cells.max(initial=0)))
    cells, room = int(pairs.cells.sum()), (2 if linked else 1) * _traced_rows(pairs) * width
    pairs.run(
        *(distances_kernel.cover_steps, edits, reward, penalty, extra, ends, begins),
        *(operation, *columns),
        scratch=_grid(pairs.pattern, pairs.text, costs, cells, room, width),
    )
    counts = ends - begins
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    at = np.arange(int(offsets[-1])) + np.repeat(begins - offsets[:-1], counts)
    pattern, text, prices = (column[at] for column in columns)
    totals = np.zeros(len(pairs), np.int64)
    # Never over several rows: their sum may exceed 64 bits.
    totals[counts > 0] = np.add.reduceat(prices, offsets[:-1][counts > 0]) if len(at) else 0
    return Steps(
        operation[at],
        pattern,
        text,
        _quotients(prices, np.repeat(edits, counts)),
        offsets,
        _quotients(totals, edits),
    )


def matching_costs(texts: Texts, costs: CostTable) -> Float64:
    """Return the cost of the cheapest matching of words of hypothesis and reference, float64[R].

    All words of the shorter one are matched, each with another of the longer one.

    Raises
    ------
    InputError
        If a segment has more than 67 million pairs of words.
    """
    lengths = texts.hypothesis.lengths[texts.segment_of], texts.references.lengths
    shorter, longer = np.minimum(*lengths), np.maximum(*lengths)
    cells = np.concatenate([np.zeros(1, np.int64), np.cumsum(shorter * longer)])
    most = int(np.max(shorter * longer, initial=0))
    if most > MOST_CELLS:
        row = int(np.argmax(shorter * longer))
        # Segments may be a part of a corpus: its words find it, a number would not.
        first = texts.references[row][:5].tolist()
        raise InputError(
            f"the reference {' '.join(texts.vocabulary.words[word] for word in first)} ...",
            f"{shorter[row]} words to be matched with {longer[row]}, each pair at its cost",
            f"at most {MOST_CELLS} pairs of words (constant costs have no limit)",
        )
    steps = np.max(shorter * shorter * longer.astype(np.float64), initial=0)
    announce("a matching with costs of words", float(steps))
    edits = _edits(shorter + longer, LONG_MATCHINGS)
    totals = np.empty(len(shorter), np.int64)

    def work(span: tuple[int, int]) -> None:
        first, last = span
        matrices = np.empty(int(cells[last] - cells[first]), np.int64)
        room = int(longer[first:last].max()) + 1
        grid = _grid(texts.hypothesis, texts.references, costs, len(matrices), 0, 0)
        call(
            *(distances_kernel.word_costs, texts.hypothesis.offsets, texts.segment_of),
            *(texts.references.offsets, edits, cells, matrices, *span, grid()),
        )
        call(
            matching.cheapest_matchings,
            matrices,
            cells,
            shorter,
            longer,
            totals,
            *span,
            np.empty(4 * room, np.int32),
            np.empty(3 * room, np.int64),
        )

    run_pieces(work, segment_spans(cells))
    return _quotients(totals, edits)


def _edits(words: Int64, most: int) -> Int64:
    """Return what an edit costs in each pair, given how many words its rows have together."""
    return np.where(words > most, EDIT_OF_LONG_ROWS, EDIT)


def _traced_rows(pairs: Pairs) -> int:
    """Return how many rows of the grid are kept at once to follow a path."""
    return 2 * (isqrt(int(pairs.text.lengths.max(initial=0))) + 1) + 2


def _quotients(costs: Int64, edits: Int64) -> Float64:
    """Divide costs by what an edit costs, float64[R]; nearly always rounded once."""
    whole = costs // edits
    return whole + (costs - whole * edits) / edits


def segment_spans(cells: Int64) -> list[tuple[int, int]]:
    """Cut pairs into spans whose costs fit into memory at once, one pair at least."""
    spans = []
    first, pairs = 0, len(cells) - 1
    while first < pairs:
        last = int(np.searchsorted(cells, cells[first] + CELLS, "right")) - 1
        last = min(max(last, first + 1), pairs)
        spans.append((first, last))
        first = last
    return spans


def _grid(
    pattern: Ragged, text: Ragged, costs: CostTable, cells: int, room: int, width: int
) -> Callable[[], Any]:
    """Return what makes a kernel's grid, with room to find the costs of so many pairs of words."""
    slots = min(REMEMBERED, 1 << cells.bit_length())
    longest = int(costs.rows.lengths.max(initial=0))
    if costs.kind >= len(SUBSTITUTIONS):
        slots, longest = 1, 0
    data = (pattern.values, text.values, *costs.arrays, slots, longest, room, width)
    return lambda: call(distances_kernel.CostGrid, *data)


Fields = tuple[tuple[str, str], ...]


class WordCosts(ABC):
    """What it costs to substitute one word for another: above 0, at most 2, 0 for equal words."""

    name: str

    @abstractmethod
    def table(self, texts: Texts) -> CostTable:
        """Return the costs of all words that some texts compare."""

    @property
    def fields(self) -> Fields:
        """The signature's fields of what the costs depend on."""
        return ()

    @property
    def needs_preparation(self) -> bool:
        """Whether the costs depend on the references of the whole corpus."""
        return False

    def prepare(self, references: Iterable[Segments]) -> WordCosts:
        """Return the costs once they have seen all references; themselves unless they need that."""
        return self

    def __repr__(self) -> str:
        return f"<costs {self.name}>"


def checked_cost(option: str, value: float) -> float:
    """Return a cost that is above 0 and at most 2, as Leusch et al. (2006, section 4.1) ask.

    Raises
    ------
    UsageError
        If it is not; the message names the option.
    """
    cost = real(option, value, 0, 2)
    if cost == 0:
        raise UsageError(f"{option} is 0: only equal words cost nothing; give at most 2, above 0")
    return cost
