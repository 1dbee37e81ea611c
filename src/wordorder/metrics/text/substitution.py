"""What it costs to substitute a word for another, by name, and distances at such costs."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, isqrt, lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import Float64, Int8, Int32, Int64, Ragged, concat_ranges, row_offsets
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.kernels import (
    announce,
    call,
    edits as kernel,
    matching as matching_kernel,
    run_pieces,
)
from wordorder.messages import counted
from wordorder.metrics.contract import check_number
from wordorder.metrics.text.text_metric import Pairs
from wordorder.notes import note
from wordorder.segments import Segments
from wordorder.text.lines import read_lines, read_number, tokens
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary, number_tokens

if TYPE_CHECKING:
    from wordorder.metrics.text.nist import NgramInformation

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

KINDS = (*SUBSTITUTIONS, "stem", "synonym", "table", "information")

# As the kernel numbers costs of listed pairs.
LISTED = 4

# How many triples of words are checked.
MOST_TRIPLES = 1 << 18

# As the kernel numbers costs that are the sum of one part per word.
WEIGHTED = 5

# As the kernel numbers costs of words that share a class.
SHARED = 3


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

    Leusch et al. (2006), sections 4.2 and 4.3. They ask for a metric, but do not specify which of
    several cheapest paths is meant. The triangle inequality holds for "prefix" and fails for some
    words with either path: from ``baa`` to ``ccb`` it is nearer by way of ``ccbaa``.

    Examples
    --------
    >>> substitution_cost("usual", "unusual"), substitution_cost("talk", "talks", "prefix")
    (0.2857142857142857, 0.1111111111111111)
    """
    choose("substitution", substitution, SUBSTITUTIONS)
    (rows, other_rows), vocabulary = number_tokens([[[word]], [[other]]])
    texts = Texts(rows, other_rows, np.array([0, 1], np.int64), None, vocabulary)
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
    width = pairs.max_pattern_length + 1
    announce("a distance with costs of words", float(pairs.cells.max(initial=0)))
    room = (_traced_rows(pairs) if traced else 2) * width
    pairs.run(
        *(kernel.compute_weighted_distances, edits, jumps, traced, distances, miscoverages),
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
        total_bits = min(3 * bits, 61 - bits)
        edits, extra = np.full(len(pairs), 1 << total_bits), 1
        reward, penalty = 1 << max(total_bits - bits, 1), 1 << max(total_bits - 2 * bits, 0)
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
    columns: list[Any] = [np.empty(room, kind) for kind in (np.int32, np.int32, np.int64)]
    width = pairs.max_pattern_length + 1
    announce("a path with costs of words", 2 * float(pairs.cells.max(initial=0)))
    cells, room = int(pairs.cells.sum()), (2 if linked else 1) * _traced_rows(pairs) * width
    pairs.run(
        *(kernel.trace_cover_steps, edits, reward, penalty, extra, ends, begins),
        *(operation, *columns),
        scratch=_grid(pairs.pattern, pairs.text, costs, cells, room, width),
    )
    counts = ends - begins
    offsets, entries = row_offsets(counts), concat_ranges(begins, counts)
    pattern, text, prices = (column[entries] for column in columns)
    totals = np.zeros(len(pairs), np.int64)
    # Never over several rows: their sum may exceed 64 bits.
    totals[counts > 0] = np.add.reduceat(prices, offsets[:-1][counts > 0]) if len(entries) else 0
    step_costs = _quotients(prices, np.repeat(edits, counts))
    return Steps(operation[entries], pattern, text, step_costs, offsets, _quotients(totals, edits))


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
    cells = row_offsets(shorter * longer)
    max_sum = int(np.max(shorter * longer, initial=0))
    if max_sum > MOST_CELLS:
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
            *(kernel.word_costs, texts.hypothesis.offsets, texts.segment_of),
            *(texts.references.offsets, edits, cells, matrices, *span, grid()),
        )
        matched = matrices, cells, shorter, longer, totals
        call(matching_kernel.cheapest_matchings, *matched, *span, room)

    run_pieces(work, segment_spans(cells))
    return _quotients(totals, edits)


def _edits(words: Int64, limit: int) -> Int64:
    """Return what an edit costs in each pair, given how many words its rows have together."""
    return np.where(words > limit, EDIT_OF_LONG_ROWS, EDIT)


def _traced_rows(pairs: Pairs) -> int:
    """Return how many rows of the grid are kept at once to follow a path."""
    return 2 * (isqrt(int(pairs.text.lengths.max(initial=0))) + 1) + 2


def _quotients(costs: Int64, edits: Int64) -> Float64:
    """Divide costs by what an edit costs, float64[R]; nearly always rounded once."""
    quotients = costs // edits
    return quotients + (costs - quotients * edits) / edits


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
    """Return the maker of a kernel's grid, with capacity for the costs of some pairs of words."""
    slots = min(REMEMBERED, 1 << cells.bit_length())
    longest = int(costs.rows.lengths.max(initial=0))
    if costs.kind >= len(SUBSTITUTIONS):
        slots, longest = 1, 0
    data = (pattern.values, text.values, *costs.arrays, slots, longest, room, width)
    return lambda: call(kernel.CostGrid, *data)


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
    cost = check_number(option, value, 0, 2)
    if cost == 0:
        raise UsageError(f"{option} is 0: only equal words cost nothing; give at most 2, above 0")
    return cost


class SpellingCosts(WordCosts):
    """Costs of what words differ by in their characters, or 1.

    Parameters
    ----------
    name : "constant", "prefix" or "levenshtein"
        As for `wordorder.metrics.text.substitution.substitution_cost`.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def table(self, texts: Texts) -> CostTable:
        """Return the costs of all words of the vocabulary."""
        return spelling_costs(texts.vocabulary, self.name)


def open_costs(
    substitution: str | WordCosts,
    *,
    language: str = "en",
    synonyms: str = "",
    costs: str = "",
    similar: float = 0.5,
    metric: str = "substitution",
) -> WordCosts:
    """Return costs of words by their name.

    Parameters
    ----------
    substitution : str or WordCosts
        "constant", "prefix", "levenshtein", "stem", "synonym", "table" or "information".
    language : str
        Whose stems: ``en``, ``de``, ... as METEOR names languages.
    synonyms : path
        For "synonym": a WordNet directory, or a file with one synonym set per line.
    costs : path
        For "table": a file with two words and a cost a line.
    similar : float
        For "stem" and "synonym": what words of one stem or synonym set cost, above 0, at most 2.
    metric : str
        Who asks, for messages.

    Raises
    ------
    UsageError
        If a name is unknown, a file is missing or not wanted, or a value is out of range.
    InputError
        If a file cannot be read.
    """
    if isinstance(substitution, WordCosts):
        return substitution
    if language != "en":
        from wordorder.alignment.monolingual.candidates import LANGUAGES

        choose(f"{metric}.language", language, LANGUAGES)
    similar = checked_cost(f"{metric}.similar", similar)
    if callable(substitution):
        raise UsageError(
            f"{metric}.substitution takes no Python function any more: write its costs to a file "
            f"and give {metric}.substitution=table, {metric}.costs=FILE"
        )
    for option, value, kind in (("synonyms", synonyms, "synonym"), ("costs", costs, "table")):
        if value and substitution != kind:
            raise UsageError(f"{metric}.{option} needs {metric}.substitution={kind}")
        if substitution == kind and not value:
            raise UsageError(f"{metric}.substitution={kind} needs a file: {metric}.{option}=FILE")
    choose(f"{metric}.substitution", substitution, KINDS)
    if substitution == "stem":
        return stem_costs(language, similar, metric)
    if substitution == "synonym":
        return synonym_costs(synonyms, similar)
    if substitution == "table":
        return TableCosts(costs)
    if substitution == "information":
        return InformationCosts()
    return SpellingCosts(substitution)


Pair = tuple[str, str]


class TableCosts(WordCosts):
    """Costs that a file lists; 1 for all pairs of different words that it does not list.

    Parameters
    ----------
    path : path
        Two words and a cost on each line, separated by tabs or blanks; the cost holds in both
        directions. Words are compared as they are after case and normal form were settled.

    Raises
    ------
    InputError
        If a line is malformed, or a cost is not valid: 0 for equal words, else above 0 and at most
        2, and the same in both directions (Leusch et al. 2006, section 4.1).

    Warns
    -----
    note
        If it is cheaper to substitute one word for another via a third one. The paper asks for a
        metric, which excludes that; the distances are computed all the same.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "costs.tsv")
    >>> _ = path.write_text("car\\tautomobile\\t0.2\\n")
    >>> sorted(TableCosts(path).costs.items())
    [(('automobile', 'car'), 0.2)]
    """

    name = "table"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.costs: dict[Pair, float] = {}
        lines: dict[Pair, int] = {}
        digest = hashlib.sha256()
        for number, line in enumerate(read_lines(path), 1):
            digest.update(line.encode() + b"\n")
            if not line.strip():
                continue
            file_position = location(path, number)
            word, other_word, cost = _entry(line, file_position)
            pair = min(word, other_word), max(word, other_word)
            if self.costs.get(pair, cost) != cost:
                earlier = f"{self.costs[pair]:g} in line {lines[pair]}"
                problem = f"{cost:g} for {word!r} and {other_word!r}, but {earlier}"
                raise InputError(file_position, problem, "one cost for both directions")
            self.costs[pair] = cost
            lines[pair] = number
        self._digest = digest.hexdigest()[:8]
        self.costs = {pair: cost for pair, cost in self.costs.items() if pair[0] != pair[1]}
        checked, broken = broken_triangles(self.costs)
        note_triangles(os.fspath(path), checked, broken)

    @property
    def fields(self) -> Fields:
        """Digest of the file."""
        return (("costs", self._digest),)

    def table(self, texts: Texts) -> CostTable:
        """Return the listed costs of words of the vocabulary."""
        vocabulary = texts.vocabulary
        key = ("listed costs", self._digest)
        return vocabulary.derived(key, lambda: self._table(vocabulary.words))

    def _table(self, words: Sequence[str]) -> CostTable:
        numbers = {word: number for number, word in enumerate(words)}
        pairs = [
            (numbers[word], numbers[other_word], cost)
            for (word, other_word), cost in self.costs.items()
            if word in numbers and other_word in numbers
        ]
        ones, second_words = (np.array([row[side] for row in pairs], np.int64) for side in (0, 1))
        return listed_costs(len(words), ones, second_words, np.array([row[2] for row in pairs]))


def listed_costs(words: int, ones: Int64, second_words: Int64, costs: Float64) -> CostTable:
    """Return costs of pairs of word numbers, each pair given once.

    Examples
    --------
    >>> pairs = np.array([0, 2]), np.array([1, 0]), np.array([0.5, 0.25])
    >>> table = listed_costs(3, *pairs)
    >>> table.rows.to_lists(), table.given.tolist()
    ([[1, 2], [0], [0]], [0.5, 0.25, 0.5, 0.25])
    """
    first, right = np.concatenate([ones, second_words]), np.concatenate([second_words, ones])
    order = np.lexsort((right, first))
    offsets = row_offsets(np.bincount(first, minlength=words))
    rows = Ragged(right[order].astype(np.int32), offsets)
    return CostTable(LISTED, rows, np.concatenate([costs, costs])[order].astype(np.float64))


def broken_triangles(costs: dict[Pair, float]) -> tuple[int, list[tuple[str, str, str]]]:
    """Find words that are cheaper to substitute via a third one; pairs that are not listed cost 1.

    Returns
    -------
    checked : int
        How many ways via a third word were looked at: all that can be cheaper, up to 262,144.
    broken : list of (word, third word, other word)

    Examples
    --------
    >>> broken_triangles({("a", "b"): 0.2, ("b", "c"): 0.3})
    (3, [('a', 'b', 'c')])
    """
    near: dict[str, dict[str, float]] = {}
    for (word, other_word), cost in costs.items():
        near.setdefault(word, {})[other_word] = cost
        near.setdefault(other_word, {})[word] = cost
    checked, broken = 0, list[tuple[str, str, str]]()
    for middle, neighbours in near.items():
        # A way over an unlisted pair costs more than 1: only to the neighbours of a neighbour.
        for word, first in neighbours.items():
            for other_word in [
                *neighbours,
                *(word for word in near[word] if word not in neighbours),
            ]:
                if (
                    word == other_word
                    or middle == other_word
                    or (other_word in neighbours and word > other_word)
                ):
                    continue
                if checked == MOST_TRIPLES:
                    return checked, broken
                checked += 1
                way = first + neighbours.get(other_word, 1.0)
                if near[word].get(other_word, 1.0) > way * (1 + 1e-12):
                    broken.append((word, middle, other_word))
    return checked, broken


def note_triangles(source: str, checked: int, broken: Sequence[tuple[str, str, str]]) -> None:
    """Note how often the way via a third word is cheaper, if it ever is."""
    if broken:
        word, middle, other_word = broken[0]
        note(
            f"{source}: these costs are not a metric: in {len(broken)} of "
            f"{counted(checked, 'triple')} of words ({100 * len(broken) / checked:.0f} %) the way "
            f"via a third word is cheaper, such as {word!r} to {middle!r} to {other_word!r}"
        )


def _entry(line: str, file_position: str) -> tuple[str, str, float]:
    """Read two words and a cost."""
    fields = tokens(line)
    if len(fields) != 3:
        raise InputError(file_position, counted(len(fields), "field"), "two words and a cost")
    word, other_word, written = fields
    cost = read_number(written)
    if cost is None:
        raise InputError(file_position, f"{written!r}", "a cost, a number")
    if word == other_word and cost != 0:
        raise InputError(
            file_position, f"cost {written} for {word!r} and itself", "0 for equal words"
        )
    if word != other_word and not 0 < cost <= 2:
        problem = f"cost {written} for {word!r} and {other_word!r}"
        raise InputError(file_position, problem, "above 0 and at most 2")
    return word, other_word, cost


class InformationCosts(WordCosts):
    """Costs that grow with the information of both words, as NIST weighs words.

    A word that makes up the share ``p`` of all reference words has ``log2(1 / p)`` bits, as in
    `NgramInformation`; a word that the references lack has the value of their rarest word. With
    ``H``, the mean over the running words of the references, a substitution costs
    ``(bits(a) + bits(b)) / (2 H)``, at most 2: about 1 for two words that are drawn from the
    references. These costs are a metric.

    Leusch et al. (2006, section 4.4) name information weights "as in the NIST measure" as a
    perspective and give no formula: this one is ours.
    """

    name = "information"

    def __init__(self, information: NgramInformation | None = None) -> None:
        self._known = information

    @property
    def needs_preparation(self) -> bool:
        """Whether the references are yet to be seen."""
        return self._known is None

    def prepare(self, references: Iterable[Segments]) -> InformationCosts:
        """Return costs that are counted on the references."""
        from wordorder.metrics.text.nist import NgramInformation

        return InformationCosts(NgramInformation.count((part.texts for part in references), 1))

    @property
    def fields(self) -> Fields:
        """Which references were counted."""
        return (("information", "references" if self._known is None else self._known.digest),)

    def table(self, texts: Texts) -> CostTable:
        """Return the part of each word in the cost of a substitution.

        Raises
        ------
        UsageError
            If the references have not been counted.
        """
        if self._known is None:
            problem = "substitution=information weighs words by the references of the whole corpus"
            raise UsageError(f"{problem}: use metric.prepare(segments) before its statistics")
        information, vocabulary = self._known, texts.vocabulary
        key = ("information parts", information.digest)
        parts = vocabulary.derived(key, lambda: word_parts(information, vocabulary.words))
        empty = Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))
        return CostTable(WEIGHTED, empty, parts)


def word_parts(information: NgramInformation, words: list[str]) -> Float64:
    """Return half the cost of substituting each word for one like it, float64[V].

    Examples
    --------
    >>> from wordorder.metrics.text.nist import NgramInformation
    >>> references = Texts.from_segments([""], ["a a b c"])
    >>> word_parts(NgramInformation.count([references], 1), ["a", "b", "new"]).tolist()
    [0.3333333333333333, 0.6666666666666666, 0.6666666666666666]
    """
    bits = information.information[0]
    # An exact sum: the order in which references were counted must not matter.
    mean = fsum((np.exp2(-bits) * bits).tolist())
    if mean == 0:
        return np.full(len(words), 0.5)
    parts = np.full(len(words), bits.max())
    numbers = np.array([information.numbers.get(word, -1) for word in words], np.int64)
    parts[numbers >= 0] = bits[numbers[numbers >= 0]]
    return parts / (2 * mean)


@dataclass(frozen=True)
class SharedCosts(WordCosts):
    """One cost for words that share a class, such as a stem or a synonym set; 1 for others.

    Attributes
    ----------
    name : str
    classes : callable
        Takes the words of a vocabulary; returns a row for each, with the numbers of its classes.
    of : str
        What tells the classes of one language or file from others.
    sources : fields of the signature
    similar : float
    """

    name: str
    classes: Callable[[Sequence[str]], Ragged]
    of: str
    sources: Fields
    similar: float

    @property
    def fields(self) -> Fields:
        """Where the classes come from, and the cost."""
        return (*self.sources, ("similar", f"{self.similar:g}"))

    def table(self, texts: Texts) -> CostTable:
        """Return costs by classes."""
        words = texts.vocabulary
        rows = words.derived((self.name, self.of), lambda: self.classes(words.words))
        return CostTable(SHARED, rows, np.array([self.similar]))


def stem_costs(language: str, similar: float, metric: str) -> SharedCosts:
    """Return one cost for words of the same stem, for a language with a Snowball stemmer.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> segments = Segments.from_text(["the talks are long"], ["the talk was long"])
    >>> metric("wer", substitution="stem").segment_scores(segments)
    array([0.375])
    """
    from wordorder.alignment.monolingual import candidates

    if not candidates.STEMMERS[choose(f"{metric}.language", language, candidates.LANGUAGES)]:
        raise UsageError(f"there is no stemmer for {metric}.language={language}")

    def classes(words: Sequence[str]) -> Ragged:
        # Stemmers know no capitals.
        lowered = [word.lower() for word in words]
        distinct = list(dict.fromkeys(lowered))
        stems = candidates.stem_classes(distinct, language).tolist()
        numbers = dict(zip(distinct, stems, strict=True))
        return Ragged.from_rows([numbers[word]] for word in lowered)

    sources = (("stems", language), ("snowball", candidates.snowball_version()))
    return SharedCosts("stem", classes, language, sources, similar)


def synonym_costs(path: str | os.PathLike[str], similar: float) -> SharedCosts:
    """Return one cost for words that share a synonym set of a file.

    No metric in the mathematical sense: *bank* has synonyms that are not synonyms of each other.

    Parameters
    ----------
    path : path
        As `SynonymSets` takes it: WordNet's directory, where inflected words have the sets of their
        base forms and all words are in lower case, or a file with one synonym set per line.
    similar : float
    """
    from wordorder.alignment.monolingual.candidates import SynonymSets

    sets = SynonymSets(path)

    def classes(words: Sequence[str]) -> Ragged:
        return Ragged.from_rows(sorted(sets.of(word) | sets.of(word.lower())) for word in words)

    return SharedCosts("synonym", classes, sets.digest, (("synonyms", sets.digest),), similar)
