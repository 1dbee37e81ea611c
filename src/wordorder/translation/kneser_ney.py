"""Estimate n-gram models with interpolated modified Kneser–Ney smoothing.

Counts, discounts and weights are those of Chen and Goodman (1998). N-grams are the nodes of a trie:
node 0 is empty, node ``w + 1`` is word ``w``, longer ones follow by length and first occurrence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wordorder.arrays import Array, Bool, Float64, Int32, Int64, Ragged
from wordorder.errors import InputError, UsageError
from wordorder.kernels import call, translation as kernel
from wordorder.notes import note
from wordorder.translation.ngrams import BEGIN, END, MAX_ORDER, ChildTable

# The discounts of counts of 1, 2 and more if they cannot be estimated, as in lmplz.
FALLBACK = (0.5, 1.0, 1.5)


class Nodes(NamedTuple):
    """All n-grams of a model; see `wordorder.translation.LanguageModel.from_nodes`."""

    starts: list[int]
    parents: Int32
    last_words: Int32
    probability: Float64
    backoff: Float64
    suffix: Int32


@dataclass(frozen=True, eq=False)
class Level:
    """The n-grams of one length.

    Attributes
    ----------
    start : int
        The first node.
    parents, suffix : int32[n]
        The nodes of each n-gram without its last word, and without its first word.
    last_words : int32[n]
    counts : int64[n]
        How often each n-gram occurs.
    """

    start: int
    parents: Int32
    last_words: Int32
    suffix: Int32
    counts: Int64

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def stop(self) -> int:
        """The index after the last node."""
        return self.start + len(self)


def estimate_nodes(rows: Ragged, words: int, order: int, prune: int | Sequence[int] = 0) -> Nodes:
    """Estimate a model from rows of word ids.

    Parameters
    ----------
    rows : Ragged
        Word ids: 0 for unknown words, else 3 to ``words - 1``.
    words : int
        The size of the vocabulary.
    order : int
    prune : int or sequence of int
        See `wordorder.translation.LanguageModel.estimate`.

    Raises
    ------
    InputError
        If there are no rows.
    UsageError
        If `order` or `prune` is out of its range.
    """
    if type(order) is not int or not 1 <= order <= MAX_ORDER:
        raise UsageError(f"the order of a language model is 1 to {MAX_ORDER}, not {order!r}")
    thresholds = _thresholds(prune, order)
    if not len(rows):
        raise InputError("language model", "no lines of text", "at least one sentence")
    levels = count_ngrams(_marked(rows), words, order)
    retained = [level.counts > least for level, least in zip(levels, thresholds, strict=True)]
    # Single words are never pruned.
    retained[0][:] = True
    probability, backoff = _smooth(levels, retained)
    return _prune_nodes(levels, retained, probability, backoff)


def count_ngrams(tokens: Int32, words: int, order: int) -> list[Level]:
    """Count the n-grams of a text by length, starting with single words."""
    singles = np.bincount(tokens, minlength=words)
    singles[BEGIN] = 0
    no_words = np.zeros(words, np.int32)
    levels = [Level(1, no_words, np.arange(words, dtype=np.int32), no_words, singles)]
    table = ChildTable.with_capacity(len(tokens))
    shorter = tokens + np.int32(1)
    longer = np.empty_like(shorter)
    size = len(tokens)
    for _ in range(order - 1):
        start = levels[-1].stop
        parents, last_words, suffix = (np.empty(size, np.int32) for _ in range(3))
        counts = np.empty(size, np.int64)
        state = np.array([start, 0, 0])
        while state[1] < size:
            state[2] = levels[0].stop + table.capacity
            call(
                kernel.build_ngram_trie,
                *(tokens, shorter, longer, table.keys, table.nodes, table.shift),
                *(parents, last_words, suffix, counts, start, state, int(state[1]), size),
            )
            if state[1] < size:
                table = ChildTable.with_capacity(len(table.keys))
                for level in levels[1:]:
                    table.fill(level.parents, level.last_words, level.start)
                level_span = slice(int(state[0]) - start)
                table.fill(parents[level_span], last_words[level_span], start)
        shorter, longer = longer, shorter
        level_span = slice(int(state[0]) - start)
        parents, last_words, suffix = (
            column[level_span].copy() for column in (parents, last_words, suffix)
        )
        levels.append(Level(start, parents, last_words, suffix, counts[level_span].copy()))
    return levels


def discounts(counts: Int64) -> tuple[float, float, float] | None:
    """Return the discounts of counts of 1, 2, and 3 or more; None if they cannot be estimated.

    Chen and Goodman (1998), equation 26, from the numbers of n-grams with the counts 1 to 4.

    Examples
    --------
    >>> discounts(np.repeat([1, 2, 3, 4], [8, 4, 2, 1]))
    (0.5, 1.25, 2.0)
    >>> discounts(np.array([1, 1, 3]))
    """
    of = np.bincount(counts[counts < 5], minlength=5)[1:5].tolist()
    if not all(of[:3]):
        return None
    # Integers up to the division, so that a discount of 0 is not rounded to a positive number.
    both = of[0] + 2 * of[1]
    parts = [(j * both * of[j - 1] - (j + 1) * of[0] * of[j], both * of[j - 1]) for j in (1, 2, 3)]
    if any(discounted <= 0 for discounted, _ in parts):
        return None
    once, two, three_or_more = (discounted / of_all for discounted, of_all in parts)
    return once, two, three_or_more


def _thresholds(prune: int | Sequence[int], order: int) -> list[int]:
    """Return the count up to which n-grams are left out, for each length."""
    several = not isinstance(prune, int)
    per_order = list(prune) if isinstance(prune, Sequence) else [0, 0, *[prune] * order][:order]
    is_valid = all(type(number) is int and number >= 0 for number in per_order)
    if (
        not is_valid
        or (several and len(per_order) != order)
        or per_order[0]
        or per_order != sorted(per_order)
    ):
        raise UsageError(
            f"prune: {prune!r}; expected a whole number, or {order} that never fall, the first 0"
        )
    return per_order


def _marked(rows: Ragged) -> Int32:
    """Return the tokens of all rows, with the start and end symbols of each sentence."""
    tokens = np.empty(len(rows.values) + 2 * len(rows), np.int32)
    ends = rows.offsets[1:] + 2 * np.arange(1, len(rows) + 1) - 1
    begins = rows.offsets[:-1] + 2 * np.arange(len(rows))
    inside = np.ones(len(tokens), np.bool_)
    inside[begins] = inside[ends] = False
    tokens[begins], tokens[ends] = BEGIN, END
    tokens[inside] = rows.values
    return tokens


def _smooth(levels: list[Level], retained: list[Bool]) -> tuple[list[Float64], list[Float64]]:
    """Return the probabilities of n-grams, and their back-off weights, by length."""
    vocabulary = len(levels[0])
    # The distribution below single words is uniform over all words except `<s>`.
    lower = np.array([1 / (vocabulary - 1)])
    start = 0
    probabilities, weights = [], []
    sparse = []
    for length, level in enumerate(levels, 1):
        counts = _adjusted(level, levels[length] if length < len(levels) else None)
        discounted = discounts(counts)
        if discounted is None:
            sparse.append(str(length))
        off = np.array([0.0, *(discounted or FALLBACK)])[np.minimum(counts, 3)]
        off = np.where(retained[length - 1], off, counts)
        contexts = level.parents - start
        size = len(lower) if length > 1 else 1
        total = np.bincount(contexts, counts, size)
        free = np.bincount(contexts, off, size)
        weight = np.divide(free, total, out=np.ones(size), where=total > 0)
        suffix = level.suffix - start
        here = (counts - off) / total[contexts] + weight[contexts] * lower[suffix]
        if length == 1:
            here[BEGIN] = 1.0
        else:
            weights.append(weight)
        probabilities.append(here)
        lower, start = here, level.start
    weights.append(np.ones(len(lower)))
    if sparse:
        note(
            f"too little text to estimate the discounts of n-grams of {', '.join(sparse)} "
            f"{'word' if sparse == ['1'] else 'words'}: "
            f"{', '.join(f'{number:g}' for number in FALLBACK)} are used"
        )
    return probabilities, weights


def _adjusted(level: Level, longer: Level | None) -> Int64:
    """Return the number of different words before each n-gram.

    For n-grams at the start of a sentence, and for the longest n-grams, return their counts.
    """
    if longer is None:
        return level.counts
    different = np.bincount(longer.suffix - level.start, minlength=len(level))
    return np.where(different > 0, different, level.counts)


def _prune_nodes(
    levels: list[Level], retained: list[Bool], probability: list[Float64], backoff: list[Float64]
) -> Nodes:
    """Concatenate the levels without the pruned n-grams."""
    remain = np.concatenate([[True], *retained])
    new = np.cumsum(remain, dtype=np.int32) - np.int32(1)
    lengths = [int(flags.sum()) for flags in retained]

    def concatenate_rest(first: float, parts: Sequence[Array]) -> Array:
        joint: Array = np.concatenate([np.array([first], parts[0].dtype), *parts])
        remaining: Array = joint[remain]
        return remaining

    return Nodes(
        [0, *np.cumsum([1, *lengths]).tolist()],
        new[concatenate_rest(0, [level.parents for level in levels])],
        concatenate_rest(0, [level.last_words for level in levels]),
        np.log(concatenate_rest(1, probability)),
        np.log(concatenate_rest(1, backoff)),
        new[concatenate_rest(0, [level.suffix for level in levels])],
    )
