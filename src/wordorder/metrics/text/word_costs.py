"""What a substitution costs, by name: by spelling, a table, rarity."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from math import fsum

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.metrics.text.ngram_information import NgramInformation
from wordorder.metrics.text.substitution import (
    SUBSTITUTIONS,
    CostTable,
    Fields,
    WordCosts,
    checked_cost,
    spelling_costs,
)
from wordorder.notes import note
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.text.lines import read_lines, tokens
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int64

KINDS = (*SUBSTITUTIONS, "stem", "synonym", "table", "information")


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
        For "synonym": a WordNet directory, or a file with a synonym set a line.
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
    for option, value, wanted in (("synonyms", synonyms, "synonym"), ("costs", costs, "table")):
        if value and substitution != wanted:
            raise UsageError(f"{metric}.{option} needs {metric}.substitution={wanted}")
        if substitution == wanted and not value:
            raise UsageError(f"{metric}.substitution={wanted} needs a file: {metric}.{option}=FILE")
    choose(f"{metric}.substitution", substitution, KINDS)
    if substitution in ("stem", "synonym"):
        # With stemmers and synonyms, which nothing else here needs.
        from wordorder.metrics.text.similar_words import StemCosts, SynonymCosts

        if substitution == "stem":
            return StemCosts(language, similar, metric)
        return SynonymCosts(synonyms, similar, metric)
    if substitution == "table":
        return TableCosts(costs)
    if substitution == "information":
        return InformationCosts()
    return SpellingCosts(substitution)


Pair = tuple[str, str]

# As the kernel numbers costs of listed pairs.
LISTED = 4

# How many triples of words are checked.
MOST_TRIPLES = 1 << 18


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
        If a line is anything else, or a cost is none: 0 for equal words, else above 0 and at most
        2, and the same in both directions (Leusch et al. 2006, section 4.1).

    Warns
    -----
    WordOrderWarning
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
            where = location(path, number)
            one, other, cost = _entry(line, where)
            pair = _ordered(one, other)
            if self.costs.get(pair, cost) != cost:
                raise InputError(
                    where,
                    f"{cost:g} for {one!r} and {other!r}, but {self.costs[pair]:g} in line "
                    f"{lines[pair]}",
                    "one cost for both directions",
                )
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
        found = [
            (numbers[one], numbers[other], cost)
            for (one, other), cost in self.costs.items()
            if one in numbers and other in numbers
        ]
        ones, others = (np.array([row[side] for row in found], np.int64) for side in (0, 1))
        return listed_costs(len(words), ones, others, np.array([row[2] for row in found]))


def listed_costs(words: int, ones: Int64, others: Int64, costs: Float64) -> CostTable:
    """Return costs of pairs of word numbers, each pair given once.

    Examples
    --------
    >>> pairs = np.array([0, 2]), np.array([1, 0]), np.array([0.5, 0.25])
    >>> table = listed_costs(3, *pairs)
    >>> table.rows.to_lists(), table.given.tolist()
    ([[1, 2], [0], [0]], [0.5, 0.25, 0.5, 0.25])
    """
    left, right = np.concatenate([ones, others]), np.concatenate([others, ones])
    order = np.lexsort((right, left))
    offsets = np.zeros(words + 1, np.int64)
    np.cumsum(np.bincount(left, minlength=words), out=offsets[1:])
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
    for (one, other), cost in costs.items():
        near.setdefault(one, {})[other] = cost
        near.setdefault(other, {})[one] = cost
    checked, broken = 0, list[tuple[str, str, str]]()
    for middle, others in near.items():
        # A way over an unlisted pair costs more than 1: only to the neighbours of a neighbour.
        for one, first in others.items():
            for other in [*others, *(word for word in near[one] if word not in others)]:
                if one == other or middle == other or (other in others and one > other):
                    continue
                if checked == MOST_TRIPLES:
                    return checked, broken
                checked += 1
                way = first + others.get(other, 1.0)
                if near[one].get(other, 1.0) > way * (1 + 1e-12):
                    broken.append((one, middle, other))
    return checked, broken


def note_triangles(what: str, checked: int, broken: Sequence[tuple[str, str, str]]) -> None:
    """Note how often the way via a third word is cheaper, if it ever is."""
    if broken:
        one, middle, other = broken[0]
        note(
            f"{what}: these costs are not a metric: in {len(broken)} of "
            f"{counted(checked, 'triple')} of words ({100 * len(broken) / checked:.0f} %) the way "
            f"via a third word is cheaper, such as {one!r} to {middle!r} to {other!r}"
        )


def _ordered(one: str, other: str) -> Pair:
    return (one, other) if one <= other else (other, one)


def _entry(line: str, where: str) -> tuple[str, str, float]:
    """Read two words and a cost."""
    fields = tokens(line)
    if len(fields) != 3:
        raise InputError(where, counted(len(fields), "field"), "two words and a cost")
    one, other, written = fields
    try:
        cost = float(written)
    except ValueError:
        raise InputError(where, f"{written!r}", "a cost, a number") from None
    if one == other and cost != 0:
        raise InputError(where, f"cost {written} for {one!r} and itself", "0 for equal words")
    if one != other and not 0 < cost <= 2:
        raise InputError(
            where, f"cost {written} for {one!r} and {other!r}", "above 0 and at most 2"
        )
    return one, other, cost


# As the kernel numbers costs that are the sum of one part a word.
WEIGHTED = 5


class InformationCosts(WordCosts):
    """Costs that grow with the information of both words, as NIST weighs words.

    A word that makes up the share ``p`` of all reference words has ``log2(1 / p)`` bits, as in
    `NgramInformation`; a word that the references lack has as many as their rarest word. With
    ``H``, the mean over the running words of the references, a substitution costs
    ``(bits(a) + bits(b)) / (2 H)``, at most 2: about 1 for two words that are drawn from the
    references. These costs are a metric.

    Leusch et al. (2006, section 4.4) name information weights "as in the NIST measure" as a
    perspective and give no formula: this one is ours.
    """

    name = "information"

    def __init__(self, known: NgramInformation | None = None) -> None:
        self._known = known

    @property
    def needs_preparation(self) -> bool:
        """Whether the references are yet to be seen."""
        return self._known is None

    def prepare(self, references: Iterable[Segments]) -> InformationCosts:
        """Return costs that are counted on the references."""
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
            raise UsageError(
                "substitution=information weighs words by the references of the whole corpus: "
                "use metric.prepare(segments) before its statistics"
            )
        known, vocabulary = self._known, texts.vocabulary
        key = ("information parts", known.digest)
        parts = vocabulary.derived(key, lambda: word_parts(known, vocabulary.words))
        empty = Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))
        return CostTable(WEIGHTED, empty, parts)


def word_parts(known: NgramInformation, words: list[str]) -> Float64:
    """Return half the cost of substituting each word for one like it, float64[V].

    Examples
    --------
    >>> references = Texts.from_segments([""], ["a a b c"])
    >>> word_parts(NgramInformation.count([references], 1), ["a", "b", "new"]).tolist()
    [0.3333333333333333, 0.6666666666666666, 0.6666666666666666]
    """
    bits = known.information[0]
    # An exact sum: the order in which references were counted must not matter.
    mean = fsum((np.exp2(-bits) * bits).tolist())
    if mean == 0:
        return np.full(len(words), 0.5)
    parts = np.full(len(words), bits.max())
    numbers = np.array([known.numbers.get(word, -1) for word in words], np.int64)
    parts[numbers >= 0] = bits[numbers[numbers >= 0]]
    return parts / (2 * mean)
