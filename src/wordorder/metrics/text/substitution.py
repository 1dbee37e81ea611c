"""Costs of substituting one word for another, and distances with such costs."""

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

# Spelling costs, in the order of the kernels' codes.
SUBSTITUTIONS = ("constant", "prefix", "levenshtein")
# The cost of an edit in the kernels, which compute with integers. It is divisible by the lengths of
# up to 40 characters, and the cost of a path of 1,700 words fits into 64 bits; for longer rows the
# edit cost is divisible by lengths of up to 28 characters.
EDIT_COST = lcm(*range(1, 41))
LONG_ROW_EDIT_COST = lcm(*range(1, 29))
LONG_ROW_WORDS = 1700
# The reward for two adjacent matches, relative to the penalty of a jump; both are below any cost.
COARSE_LINK_REWARD = 1 << 8
# Matchings need more bits than paths: their word prices are sums of several costs.
LONG_MATCHING_WORDS = LONG_ROW_WORDS // 4
# The number of cached Levenshtein costs of word pairs, which fit into the processor's cache.
COST_CACHE_SLOTS = 1 << 14
# The number of word pairs whose costs are in memory at the same time.
CHUNK_WORD_PAIRS = 1 << 20
# The limit for one segment: half a gigabyte.
MAX_WORD_PAIRS = 1 << 26

SUBSTITUTION_TYPES = (*SUBSTITUTIONS, "stem", "synonym", "table", "information")

# The kernel's codes for costs of words that share a class, costs of listed pairs, and costs that
# are the sum of one value per word.
CLASS_COSTS, LISTED_COSTS, SUMMED_COSTS = 3, 4, 5

# The number of word triples that are checked for the triangle inequality.
MAX_TRIPLES = 1 << 18


def substitution_cost(word: str, other: str, substitution: str = "levenshtein") -> float:
    """Return the cost of substituting one word for another.

    Parameters
    ----------
    word, other : str
    substitution : "constant", "prefix" or "levenshtein"
        "constant": 1. "prefix": 1 minus the length of the common prefix over the mean length of the
        words. "levenshtein": the character Levenshtein distance over the number of edits and
        identities of the path; the longest of the cheapest paths is used.

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
    Fractions are added and compared exactly, as integers, for two words with a total of up to 40
    characters (28 in sentences with a total of more than 1,700 words, or 425 for `per`). Fractions
    of longer words are rounded to 2e-16, and to 1e-11 in such sentences.

    Leusch et al. (2006), sections 4.2 and 4.3, require a metric, but do not specify which of
    several cheapest paths is meant. The triangle inequality holds for "prefix". For "levenshtein"
    it fails for some words with any choice: the detour from ``baa`` via ``ccbaa`` to ``ccb`` is
    cheaper.

    Examples
    --------
    >>> substitution_cost("usual", "unusual"), substitution_cost("talk", "talks", "prefix")
    (0.2857142857142857, 0.1111111111111111)
    """
    choose("substitution", substitution, SUBSTITUTIONS)
    (rows, other_rows), vocabulary = number_tokens([[[word]], [[other]]])
    texts = Texts(rows, other_rows, np.array([0, 1], np.int64), None, vocabulary)
    return float(compute_matching_costs(texts, build_spelling_costs(vocabulary, substitution))[0])


@dataclass(frozen=True, eq=False)
class CostTable:
    """Costs of substituting any word of a vocabulary for any other, in the form of the kernels.

    Attributes
    ----------
    type_code : int
        The code of the type of costs in the kernels.
    rows : Ragged
        One row per word: its characters, its classes, or the words for which a cost is listed.
    costs : float64[*]
        Costs in (0, 2]; empty for spelling costs.
    """

    type_code: int
    rows: Ragged
    costs: Float64

    @property
    def arrays(self) -> tuple[Int32, Int64, Float64, int]:
        """The arguments of the kernels."""
        return self.rows.values, self.rows.offsets, self.costs, self.type_code


def build_spelling_costs(vocabulary: Vocabulary, substitution: str) -> CostTable:
    """Return costs that depend on the characters in which words differ.

    Parameters
    ----------
    vocabulary : Vocabulary
    substitution : "constant", "prefix" or "levenshtein"
    """
    type_code = SUBSTITUTIONS.index(substitution)
    return CostTable(type_code, vocabulary.code_points(), np.empty(0))


def weighted_distances(
    pairs: Pairs, costs: CostTable, *, jumps: bool, traced: bool = False
) -> tuple[Float64, Int64]:
    """Return Levenshtein distances, or cover distances if `jumps` is set.

    Parameters
    ----------
    pairs : Pairs
        Pairs of rows of word ids of the vocabulary.
    costs : CostTable
        The costs of the words of the same vocabulary.
    jumps : bool
        Whether any point of a row of the grid can be reached from any other at cost 1.
    traced : bool
        Whether to trace paths and compute miscoverages.

    Returns
    -------
    distances : float64[R]
    miscoverages : int64[R]
        The sum of ``|coverage - 1|`` over the words of the pattern; zeros unless `traced`.
    """
    distances = np.empty(len(pairs), np.int64)
    edit_costs = _choose_edit_costs(pairs.words, LONG_ROW_WORDS)
    miscoverages = np.zeros(len(pairs), np.int64)
    width = pairs.max_pattern_length + 1
    announce("a distance with costs of words", float(pairs.cells.max(initial=0)))
    grid_cells = (_count_traced_rows(pairs) if traced else 2) * width
    pairs.run(
        *(kernel.compute_weighted_distances, edit_costs, jumps, traced, distances, miscoverages),
        scratch=_make_grid_factory(
            pairs.pattern, pairs.text, costs, int(pairs.cells.sum()), grid_cells, width
        ),
    )
    return _divide_costs(distances, edit_costs), miscoverages


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of a cheapest path through the grid of each pair, in flat arrays.

    Attributes
    ----------
    operation : int8[K]
        0: a word of each row, equal; 1: a word of each row, different; 2: a word of the text; 3: a
        word of the pattern; 4: a jump along the pattern.
    pattern, text : int32[K]
        The number of words of each row that are read before the step.
    cost : float64[K]
    offsets : int64[R+1]
        Pair ``k`` has the steps ``offsets[k] .. offsets[k+1]-1``.
    distance : float64[R]
        The cost of all steps of a pair: exactly the cover distance.
    """

    operation: Int8
    pattern: Int32
    text: Int32
    cost: Float64
    offsets: Int64
    distance: Float64


def trace_cover_steps(pairs: Pairs, costs: CostTable, *, prefer_blocks: bool) -> Steps:
    """Trace a cheapest path of the cover distance of each pair.

    The path is traced from its end: by substitution or identity where possible, else by a word of
    the text, else by a word of the pattern, else by a jump from the first minimum.

    Parameters
    ----------
    pairs : Pairs
        Pairs of rows of word ids of the vocabulary.
    costs : CostTable
        The costs of the words of the same vocabulary.
    prefer_blocks : bool
        Whether to choose, of all cheapest paths, one with the most identities that follow another
        one; on ties one with the fewest jumps; then, if costs are constant, one with the most
        identities.
    """
    edit_costs, reward, penalty, match_reward = (
        _choose_edit_costs(pairs.words, LONG_ROW_WORDS),
        0,
        0,
        0,
    )
    max_words = int(pairs.words.max(initial=0))
    if prefer_blocks and costs.type_code == SUBSTITUTIONS.index("constant"):
        # Each weight is larger than the sum of all smaller ones, as far as 64 bits allow; the
        # distance always has priority.
        bits = max_words.bit_length()
        total_bits = min(3 * bits, 61 - bits)
        edit_costs, match_reward = np.full(len(pairs), 1 << total_bits), 1
        reward, penalty = 1 << max(total_bits - bits, 1), 1 << max(total_bits - 2 * bits, 0)
    elif prefer_blocks and max_words <= LONG_ROW_WORDS:
        # 16 bits below all fractions hold a count of links and a count of jumps.
        edit_costs = np.full(len(pairs), LONG_ROW_EDIT_COST << 16)
        reward, penalty = COARSE_LINK_REWARD, 1
    prefers_links = reward > 0
    # Each word of the text is one step; no two jumps or two pattern words are adjacent.
    ends = np.cumsum(2 * pairs.text.lengths[pairs.text_rows] + 1, dtype=np.int64)
    starts = ends.copy()
    room = int(ends[-1]) if len(ends) else 0
    operation = np.empty(room, np.int8)
    columns: list[Any] = [np.empty(room, dtype) for dtype in (np.int32, np.int32, np.int64)]
    width = pairs.max_pattern_length + 1
    announce("a path with costs of words", 2 * float(pairs.cells.max(initial=0)))
    cells, room = (
        int(pairs.cells.sum()),
        (2 if prefers_links else 1) * _count_traced_rows(pairs) * width,
    )
    pairs.run(
        *(kernel.trace_cover_steps, edit_costs, reward, penalty, match_reward, ends, starts),
        *(operation, *columns),
        scratch=_make_grid_factory(pairs.pattern, pairs.text, costs, cells, room, width),
    )
    counts = ends - starts
    offsets, step_index = row_offsets(counts), concat_ranges(starts, counts)
    pattern, text, integer_costs = (column[step_index] for column in columns)
    totals = np.zeros(len(pairs), np.int64)
    # Sum each row separately: the sum over several rows may exceed 64 bits.
    totals[counts > 0] = (
        np.add.reduceat(integer_costs, offsets[:-1][counts > 0]) if len(step_index) else 0
    )
    step_costs = _divide_costs(integer_costs, np.repeat(edit_costs, counts))
    return Steps(
        operation[step_index], pattern, text, step_costs, offsets, _divide_costs(totals, edit_costs)
    )


def compute_matching_costs(texts: Texts, costs: CostTable) -> Float64:
    """Return the cost of the cheapest matching of hypothesis and reference words, float64[R].

    Each word of the shorter sentence is matched with a different word of the longer one.

    Raises
    ------
    InputError
        If a segment has more than 67 million pairs of words.
    """
    lengths = texts.hypothesis.lengths[texts.segment_of], texts.references.lengths
    shorter, longer = np.minimum(*lengths), np.maximum(*lengths)
    cells = row_offsets(shorter * longer)
    max_cells = int(np.max(shorter * longer, initial=0))
    if max_cells > MAX_WORD_PAIRS:
        row = int(np.argmax(shorter * longer))
        # Name the segment by its words: these texts may be a chunk of the corpus.
        first = texts.references[row][:5].tolist()
        raise InputError(
            f"the reference {' '.join(texts.vocabulary.words[word] for word in first)} ...",
            f"{shorter[row]} words to be matched with {longer[row]}, each pair at its cost",
            f"at most {MAX_WORD_PAIRS} pairs of words (constant costs have no limit)",
        )
    steps = np.max(shorter * shorter * longer.astype(np.float64), initial=0)
    announce("a matching with costs of words", float(steps))
    edit_costs = _choose_edit_costs(shorter + longer, LONG_MATCHING_WORDS)
    totals = np.empty(len(shorter), np.int64)

    def match_span(span: tuple[int, int]) -> None:
        first, last = span
        matrices = np.empty(int(cells[last] - cells[first]), np.int64)
        room = int(longer[first:last].max()) + 1
        grid = _make_grid_factory(texts.hypothesis, texts.references, costs, len(matrices), 0, 0)
        call(
            *(kernel.word_costs, texts.hypothesis.offsets, texts.segment_of),
            *(texts.references.offsets, edit_costs, cells, matrices, *span, grid()),
        )
        arrays = matrices, cells, shorter, longer, totals
        call(matching_kernel.cheapest_matchings, *arrays, *span, room)

    run_pieces(match_span, cut_into_spans(cells))
    return _divide_costs(totals, edit_costs)


def _choose_edit_costs(words: Int64, limit: int) -> Int64:
    """Return the integer cost of an edit in each pair, from the total number of its words."""
    return np.where(words > limit, LONG_ROW_EDIT_COST, EDIT_COST)


def _count_traced_rows(pairs: Pairs) -> int:
    """Return the number of grid rows that must be in memory to trace a path."""
    return 2 * (isqrt(int(pairs.text.lengths.max(initial=0))) + 1) + 2


def _divide_costs(costs: Int64, edit_costs: Int64) -> Float64:
    """Divide costs by the cost of an edit, float64[R]; the result is nearly always rounded once."""
    quotients = costs // edit_costs
    return quotients + (costs - quotients * edit_costs) / edit_costs


def cut_into_spans(cells: Int64) -> list[tuple[int, int]]:
    """Cut pairs into spans of at least one pair whose costs fit into memory together."""
    spans = []
    first, pairs = 0, len(cells) - 1
    while first < pairs:
        last = int(np.searchsorted(cells, cells[first] + CHUNK_WORD_PAIRS, "right")) - 1
        last = min(max(last, first + 1), pairs)
        spans.append((first, last))
        first = last
    return spans


def _make_grid_factory(
    pattern: Ragged, text: Ragged, costs: CostTable, cells: int, room: int, width: int
) -> Callable[[], Any]:
    """Return a function that creates a kernel's grid for this number of word pairs."""
    slots = min(COST_CACHE_SLOTS, 1 << cells.bit_length())
    longest = int(costs.rows.lengths.max(initial=0))
    if costs.type_code >= len(SUBSTITUTIONS):
        slots, longest = 1, 0
    data = (pattern.values, text.values, *costs.arrays, slots, longest, room, width)
    return lambda: call(kernel.CostGrid, *data)


Fields = tuple[tuple[str, str], ...]


class WordCosts(ABC):
    """Costs of substituting one word for another: above 0, at most 2; 0 for equal words."""

    name: str

    @abstractmethod
    def table(self, texts: Texts) -> CostTable:
        """Return the costs of all words of texts."""

    @property
    def fields(self) -> Fields:
        """The signature fields of the data and options that the costs depend on."""
        return ()

    @property
    def needs_preparation(self) -> bool:
        """Whether the costs depend on all references of the corpus."""
        return False

    def prepare(self, references: Iterable[Segments]) -> WordCosts:
        """Return costs computed from all references; the costs themselves by default."""
        return self

    def __repr__(self) -> str:
        return f"<costs {self.name}>"


def check_substitution_cost(option: str, value: float) -> float:
    """Return a cost that is above 0 and at most 2 (Leusch et al. 2006, section 4.1).

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
    """Constant costs, or costs that depend on the characters in which words differ.

    Parameters
    ----------
    name : "constant", "prefix" or "levenshtein"
        See `wordorder.metrics.text.substitution.substitution_cost`.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def table(self, texts: Texts) -> CostTable:
        """Return the costs of all words of the vocabulary."""
        return build_spelling_costs(texts.vocabulary, self.name)


def open_costs(
    substitution: str | WordCosts,
    *,
    language: str = "en",
    synonyms: str = "",
    costs: str = "",
    similar: float = 0.5,
    metric: str = "substitution",
) -> WordCosts:
    """Create the substitution costs that options of a metric describe.

    Parameters
    ----------
    substitution : str or WordCosts
        "constant", "prefix", "levenshtein", "stem", "synonym", "table" or "information".
    language : str
        For "stem": the language, by METEOR's code (``en``, ``de``, ...).
    synonyms : path
        For "synonym": a WordNet directory, or a file with one synonym set per line.
    costs : path
        For "table": a file with two words and a cost per line.
    similar : float
        For "stem" and "synonym": the cost for words of one stem or synonym set, above 0, at most 2.
    metric : str
        The metric's name in messages.

    Raises
    ------
    UsageError
        If a name is unknown, a file is missing or not used, or a value is out of range.
    InputError
        If a file cannot be read.
    """
    if isinstance(substitution, WordCosts):
        return substitution
    if language != "en":
        from wordorder.alignment.monolingual.candidates import LANGUAGES

        choose(f"{metric}.language", language, LANGUAGES)
    similar = check_substitution_cost(f"{metric}.similar", similar)
    if callable(substitution):
        raise UsageError(
            f"{metric}.substitution takes no Python function any more: write its costs to a file "
            f"and give {metric}.substitution=table, {metric}.costs=FILE"
        )
    for option, value, needed_type in (
        ("synonyms", synonyms, "synonym"),
        ("costs", costs, "table"),
    ):
        if value and substitution != needed_type:
            raise UsageError(f"{metric}.{option} needs {metric}.substitution={needed_type}")
        if substitution == needed_type and not value:
            raise UsageError(
                f"{metric}.substitution={needed_type} needs a file: {metric}.{option}=FILE"
            )
    choose(f"{metric}.substitution", substitution, SUBSTITUTION_TYPES)
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
    """Costs that a file lists; pairs of different words that it does not list cost 1.

    Parameters
    ----------
    path : path
        Two words and a cost on each line, separated by tabs or spaces; the cost holds in both
        directions. Words are compared with the texts after their case and normalisation.

    Raises
    ------
    InputError
        If a line is malformed, or a cost is not valid: 0 for equal words, else above 0 and at most
        2, and the same in both directions (Leusch et al. 2006, section 4.1).

    Warns
    -----
    note
        If a substitution is cheaper via a third word. The paper requires a metric, which excludes
        that; the distances are computed nevertheless.

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
        line_of_pair: dict[Pair, int] = {}
        digest = hashlib.sha256()
        for line_number, line in enumerate(read_lines(path), 1):
            digest.update(line.encode() + b"\n")
            if not line.strip():
                continue
            file_position = location(path, line_number)
            word, other_word, cost = _parse_cost_line(line, file_position)
            pair = min(word, other_word), max(word, other_word)
            if self.costs.get(pair, cost) != cost:
                earlier = f"{self.costs[pair]:g} in line {line_of_pair[pair]}"
                problem = f"{cost:g} for {word!r} and {other_word!r}, but {earlier}"
                raise InputError(file_position, problem, "one cost for both directions")
            self.costs[pair] = cost
            line_of_pair[pair] = line_number
        self._digest = digest.hexdigest()[:8]
        self.costs = {pair: cost for pair, cost in self.costs.items() if pair[0] != pair[1]}
        checked, broken = find_broken_triangles(self.costs)
        note_triangles(os.fspath(path), checked, broken)

    @property
    def fields(self) -> Fields:
        """The digest of the file."""
        return (("costs", self._digest),)

    def table(self, texts: Texts) -> CostTable:
        """Return the listed costs of words of the vocabulary."""
        vocabulary = texts.vocabulary
        key = ("listed costs", self._digest)
        return vocabulary.derived(key, lambda: self._table(vocabulary.words))

    def _table(self, words: Sequence[str]) -> CostTable:
        id_of_word = {word: word_id for word_id, word in enumerate(words)}
        rows = [
            (id_of_word[word], id_of_word[other_word], cost)
            for (word, other_word), cost in self.costs.items()
            if word in id_of_word and other_word in id_of_word
        ]
        first_words, second_words = (
            np.array([row[side] for row in rows], np.int64) for side in (0, 1)
        )
        return build_listed_costs(
            len(words), first_words, second_words, np.array([row[2] for row in rows])
        )


def build_listed_costs(
    word_count: int, first_words: Int64, second_words: Int64, costs: Float64
) -> CostTable:
    """Return a table of the costs of pairs of word ids, each pair passed once.

    Examples
    --------
    >>> pairs = np.array([0, 2]), np.array([1, 0]), np.array([0.5, 0.25])
    >>> table = build_listed_costs(3, *pairs)
    >>> table.rows.to_lists(), table.costs.tolist()
    ([[1, 2], [0], [0]], [0.5, 0.25, 0.5, 0.25])
    """
    first, other_words = (
        np.concatenate([first_words, second_words]),
        np.concatenate([second_words, first_words]),
    )
    order = np.lexsort((other_words, first))
    offsets = row_offsets(np.bincount(first, minlength=word_count))
    rows = Ragged(other_words[order].astype(np.int32), offsets)
    return CostTable(LISTED_COSTS, rows, np.concatenate([costs, costs])[order].astype(np.float64))


def find_broken_triangles(costs: dict[Pair, float]) -> tuple[int, list[tuple[str, str, str]]]:
    """Find words that are cheaper to substitute via a third word; unlisted pairs cost 1.

    Returns
    -------
    checked_count : int
        The number of detours checked: all that can be cheaper, up to 262,144.
    broken : list of (word, third word, other word)

    Examples
    --------
    >>> find_broken_triangles({("a", "b"): 0.2, ("b", "c"): 0.3})
    (3, [('a', 'b', 'c')])
    """
    costs_of: dict[str, dict[str, float]] = {}
    for (word, other_word), cost in costs.items():
        costs_of.setdefault(word, {})[other_word] = cost
        costs_of.setdefault(other_word, {})[word] = cost
    checked_count, broken = 0, list[tuple[str, str, str]]()
    for middle, neighbours in costs_of.items():
        # A detour over an unlisted pair costs more than 1, so it can only be cheaper than a listed
        # pair.
        for word, first_cost in neighbours.items():
            for other_word in [
                *neighbours,
                *(word for word in costs_of[word] if word not in neighbours),
            ]:
                if (
                    word == other_word
                    or middle == other_word
                    or (other_word in neighbours and word > other_word)
                ):
                    continue
                if checked_count == MAX_TRIPLES:
                    return checked_count, broken
                checked_count += 1
                detour = first_cost + neighbours.get(other_word, 1.0)
                if costs_of[word].get(other_word, 1.0) > detour * (1 + 1e-12):
                    broken.append((word, middle, other_word))
    return checked_count, broken


def note_triangles(source: str, checked: int, broken: Sequence[tuple[str, str, str]]) -> None:
    """Write a note with the share of triples that break the triangle inequality, if any do."""
    if broken:
        word, middle, other_word = broken[0]
        note(
            f"{source}: these costs are not a metric: in {len(broken)} of "
            f"{counted(checked, 'triple')} of words ({100 * len(broken) / checked:.0f} %) the way "
            f"via a third word is cheaper, such as {word!r} to {middle!r} to {other_word!r}"
        )


def _parse_cost_line(line: str, file_position: str) -> tuple[str, str, float]:
    """Parse a line with two words and a cost."""
    fields = tokens(line)
    if len(fields) != 3:
        raise InputError(file_position, counted(len(fields), "field"), "two words and a cost")
    word, other_word, cost_text = fields
    cost = read_number(cost_text)
    if cost is None:
        raise InputError(file_position, f"{cost_text!r}", "a cost, a number")
    if word == other_word and cost != 0:
        raise InputError(
            file_position, f"cost {cost_text} for {word!r} and itself", "0 for equal words"
        )
    if word != other_word and not 0 < cost <= 2:
        problem = f"cost {cost_text} for {word!r} and {other_word!r}"
        raise InputError(file_position, problem, "above 0 and at most 2")
    return word, other_word, cost


class InformationCosts(WordCosts):
    """Costs that grow with the information of both words, weighted as in NIST.

    A word that makes up the share ``p`` of all reference words has ``log2(1 / p)`` bits, as in
    `NgramInformation`; a word that is not in the references has the value of their rarest word.
    With ``H``, the mean over the running words of the references, a substitution costs
    ``(bits(a) + bits(b)) / (2 H)``, at most 2: about 1 for two random words of the references.
    These costs are a metric.

    Leusch et al. (2006, section 4.4) propose information weights "as in the NIST measure" as future
    work without a formula; this formula is our own.
    """

    name = "information"

    def __init__(self, information: NgramInformation | None = None) -> None:
        self._information = information

    @property
    def needs_preparation(self) -> bool:
        """Whether `prepare` must be called with the references."""
        return self._information is None

    def prepare(self, references: Iterable[Segments]) -> InformationCosts:
        """Return costs that are computed from the references."""
        from wordorder.metrics.text.nist import NgramInformation

        return InformationCosts(NgramInformation.count((chunk.texts for chunk in references), 1))

    @property
    def fields(self) -> Fields:
        """The digest of the references that were counted."""
        return (
            (
                "information",
                "references" if self._information is None else self._information.digest,
            ),
        )

    def table(self, texts: Texts) -> CostTable:
        """Return the contribution of each word to the cost of a substitution.

        Raises
        ------
        UsageError
            If the references have not been counted.
        """
        if self._information is None:
            problem = "substitution=information weighs words by the references of the whole corpus"
            raise UsageError(f"{problem}: use metric.prepare(segments) before its statistics")
        information, vocabulary = self._information, texts.vocabulary
        key = ("information costs", information.digest)
        word_costs = vocabulary.derived(
            key, lambda: compute_word_costs(information, vocabulary.words)
        )
        empty = Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))
        return CostTable(SUMMED_COSTS, empty, word_costs)


def compute_word_costs(information: NgramInformation, words: list[str]) -> Float64:
    """Return the contribution of each word to the cost of a substitution, float64[V].

    Examples
    --------
    >>> from wordorder.metrics.text.nist import NgramInformation
    >>> references = Texts.from_segments([""], ["a a b c"])
    >>> compute_word_costs(NgramInformation.count([references], 1), ["a", "b", "new"]).tolist()
    [0.3333333333333333, 0.6666666666666666, 0.6666666666666666]
    """
    bits = information.information[0]
    # `fsum` is exact, so the order in which the references were counted does not matter.
    mean = fsum((np.exp2(-bits) * bits).tolist())
    if mean == 0:
        return np.full(len(words), 0.5)
    word_bits = np.full(len(words), bits.max())
    word_ids = np.array([information.word_ids.get(word, -1) for word in words], np.int64)
    word_bits[word_ids >= 0] = bits[word_ids[word_ids >= 0]]
    return word_bits / (2 * mean)


@dataclass(frozen=True)
class SharedCosts(WordCosts):
    """One cost for words that share a class, such as a stem or a synonym set; 1 for others.

    Attributes
    ----------
    name : str
    find_classes : callable
        Takes the words of a vocabulary; returns one row per word with the ids of its classes.
    class_source : str
        The language, or the digest of the file, that defines the classes.
    source_fields : tuple of (str, str)
        The signature fields of the source.
    similar : float
        The cost.
    """

    name: str
    find_classes: Callable[[Sequence[str]], Ragged]
    class_source: str
    source_fields: Fields
    similar: float

    @property
    def fields(self) -> Fields:
        """The source of the classes, and the cost."""
        return (*self.source_fields, ("similar", f"{self.similar:g}"))

    def table(self, texts: Texts) -> CostTable:
        """Return the costs of words by their classes."""
        vocabulary, key = texts.vocabulary, (self.name, self.class_source)
        rows = vocabulary.derived(key, lambda: self.find_classes(vocabulary.words))
        return CostTable(CLASS_COSTS, rows, np.array([self.similar]))


def stem_costs(language: str, similar: float, metric: str) -> SharedCosts:
    """Return costs with one value for words of the same stem; the language needs a stemmer.

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

    def find_classes(words: Sequence[str]) -> Ragged:
        # Stemmers expect lower case.
        lowered = [word.lower() for word in words]
        distinct = list(dict.fromkeys(lowered))
        stems = candidates.stem_classes(distinct, language).tolist()
        stem_of = dict(zip(distinct, stems, strict=True))
        return Ragged.from_rows([stem_of[word]] for word in lowered)

    sources = (("stems", language), ("snowball", candidates.snowball_version()))
    return SharedCosts("stem", find_classes, language, sources, similar)


def synonym_costs(path: str | os.PathLike[str], similar: float) -> SharedCosts:
    """Return costs with one value for words that share a synonym set of a file.

    These costs are not a metric: *bank* has synonyms that are not synonyms of each other.

    Parameters
    ----------
    path : path
        WordNet's directory, where inflected words have the sets of their base forms and all words
        are in lower case; or a file with one synonym set per line. See `SynonymSets`.
    similar : float
    """
    from wordorder.alignment.monolingual.candidates import SynonymSets

    sets = SynonymSets(path)

    def find_classes(words: Sequence[str]) -> Ragged:
        return Ragged.from_rows(sorted(sets.of(word) | sets.of(word.lower())) for word in words)

    return SharedCosts("synonym", find_classes, sets.digest, (("synonyms", sets.digest),), similar)
