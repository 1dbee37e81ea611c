"""Estimating n-gram models: interpolated modified Kneser–Ney smoothing.

Counts, discounts and weights are those of Chen and Goodman (1998). An n-gram is a node of a trie:
node 0 is empty, node ``w + 1`` is word ``w``, longer ones follow by length and first occurrence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wordorder.arrays import Array, Bool, Float64, Int32, Int64, Ragged
from wordorder.errors import InputError, UsageError
from wordorder.kernels import call, translation as kernel
from wordorder.messages import note
from wordorder.translation.ngrams import BEGIN, END, MOST_ORDER, ChildTable

# What is taken off a count of 1, 2 and more where the text does not tell: as lmplz has them.
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
        The node of the first.
    parents, last_words, suffix : int32[n]
        Nodes of the n-gram without its last word and without its first, and its last word.
    counts : int64[n]
        How often it occurs.
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
        """The node behind the last."""
        return self.start + len(self)


def estimated(rows: Ragged, words: int, order: int, prune: int | Sequence[int] = 0) -> Nodes:
    """Estimate a model from rows of numbers of words.

    Parameters
    ----------
    rows : Ragged
        From 0, any unknown word, or 3 to ``words - 1``.
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
    if type(order) is not int or not 1 <= order <= MOST_ORDER:
        raise UsageError(f"the order of a language model is 1 to {MOST_ORDER}, not {order!r}")
    thresholds = _thresholds(prune, order)
    if not len(rows):
        raise InputError("language model", "no lines of text", "at least one sentence")
    levels = counted(_marked(rows), words, order)
    kept = [level.counts > least for level, least in zip(levels, thresholds, strict=True)]
    # All single words are.
    kept[0][:] = True
    probability, backoff = _smoothed(levels, kept)
    return _without(levels, kept, probability, backoff)


def counted(tokens: Int32, words: int, order: int) -> list[Level]:
    """Count the n-grams of a text, first single words."""
    singles = np.bincount(tokens, minlength=words)
    singles[BEGIN] = 0
    nothing = np.zeros(words, np.int32)
    levels = [Level(1, nothing, np.arange(words, dtype=np.int32), nothing, singles)]
    table = ChildTable.with_room(len(tokens))
    shorter = tokens + np.int32(1)
    longer = np.empty_like(shorter)
    size = len(tokens)
    for _ in range(order - 1):
        start = levels[-1].stop
        parents, last_words, suffix = (np.empty(size, np.int32) for _ in range(3))
        counts = np.empty(size, np.int64)
        state = np.array([start, 0, 0])
        while state[1] < size:
            state[2] = levels[0].stop + table.room
            call(
                kernel.number_ngrams,
                *(tokens, shorter, longer, table.keys, table.nodes, table.shift),
                *(parents, last_words, suffix, counts, start, state, int(state[1]), size),
            )
            if state[1] < size:
                table = ChildTable.with_room(len(table.keys))
                for level in levels[1:]:
                    table.fill(level.parents, level.last_words, level.start)
                found = slice(int(state[0]) - start)
                table.fill(parents[found], last_words[found], start)
        shorter, longer = longer, shorter
        found = slice(int(state[0]) - start)
        parents, last_words, suffix = (
            column[found].copy() for column in (parents, last_words, suffix)
        )
        levels.append(Level(start, parents, last_words, suffix, counts[found].copy()))
    return levels


def discounts(counts: Int64) -> tuple[float, float, float] | None:
    """Return what is taken off counts of 1, 2, and 3 or more; None if they do not tell.

    Chen and Goodman (1998), equation 26, from how many n-grams have the counts 1 to 4.

    Examples
    --------
    >>> discounts(np.repeat([1, 2, 3, 4], [8, 4, 2, 1]))
    (0.5, 1.25, 2.0)
    >>> discounts(np.array([1, 1, 3]))
    """
    of = np.bincount(counts[counts < 5], minlength=5)[1:5].tolist()
    if not all(of[:3]):
        return None
    # In whole numbers up to the quotient: one that should be 0 must not seem to be more.
    both = of[0] + 2 * of[1]
    parts = [(j * both * of[j - 1] - (j + 1) * of[0] * of[j], both * of[j - 1]) for j in (1, 2, 3)]
    if any(taken <= 0 for taken, _ in parts):
        return None
    one, two, more = (taken / of_all for taken, of_all in parts)
    return one, two, more


def _thresholds(prune: int | Sequence[int], order: int) -> list[int]:
    """Return up to which count n-grams of each length are left out."""
    several = not isinstance(prune, int)
    given = list(prune) if isinstance(prune, Sequence) else [0, 0, *[prune] * order][:order]
    whole = all(type(number) is int and number >= 0 for number in given)
    if not whole or (several and len(given) != order) or given[0] or given != sorted(given):
        raise UsageError(
            f"prune: {prune!r}; expected a whole number, or {order} that never fall, the first 0"
        )
    return given


def _marked(rows: Ragged) -> Int32:
    """Return the tokens of all rows, each row between the begin and the end of a sentence."""
    tokens = np.empty(len(rows.values) + 2 * len(rows), np.int32)
    ends = rows.offsets[1:] + 2 * np.arange(1, len(rows) + 1) - 1
    begins = rows.offsets[:-1] + 2 * np.arange(len(rows))
    inside = np.ones(len(tokens), np.bool_)
    inside[begins] = inside[ends] = False
    tokens[begins], tokens[ends] = BEGIN, END
    tokens[inside] = rows.values
    return tokens


def _smoothed(levels: list[Level], kept: list[Bool]) -> tuple[list[Float64], list[Float64]]:
    """Return the probabilities of n-grams, and the weights of shorter contexts after them."""
    vocabulary = len(levels[0])
    # All words but the begin of a sentence are equally probable where nothing is known.
    lower = np.array([1 / (vocabulary - 1)])
    before = 0
    probabilities, weights = [], []
    sparse = []
    for length, level in enumerate(levels, 1):
        counts = _adjusted(level, levels[length] if length < len(levels) else None)
        taken = discounts(counts)
        if taken is None:
            sparse.append(str(length))
        off = np.array([0.0, *(taken or FALLBACK)])[np.minimum(counts, 3)]
        off = np.where(kept[length - 1], off, counts)
        contexts = level.parents - before
        size = len(lower) if length > 1 else 1
        total = np.bincount(contexts, counts, size)
        free = np.bincount(contexts, off, size)
        weight = np.divide(free, total, out=np.ones(size), where=total > 0)
        suffix = level.suffix - before
        here = (counts - off) / total[contexts] + weight[contexts] * lower[suffix]
        if length == 1:
            here[BEGIN] = 1.0
        else:
            weights.append(weight)
        probabilities.append(here)
        lower, before = here, level.start
    weights.append(np.ones(len(lower)))
    if sparse:
        note(
            f"too little text to estimate the discounts of n-grams of {', '.join(sparse)} "
            f"{'word' if sparse == ['1'] else 'words'}: "
            f"{', '.join(f'{number:g}' for number in FALLBACK)} are used"
        )
    return probabilities, weights


def _adjusted(level: Level, longer: Level | None) -> Int64:
    """Return how many different words come before each n-gram.

    Nothing comes before the begin of a sentence, and nothing is known of what comes before the
    longest n-grams: these count as often as they occur.
    """
    if longer is None:
        return level.counts
    different = np.bincount(longer.suffix - level.start, minlength=len(level))
    return np.where(different > 0, different, level.counts)


def _without(
    levels: list[Level], kept: list[Bool], probability: list[Float64], backoff: list[Float64]
) -> Nodes:
    """Put the levels together, without the n-grams that are not kept."""
    remain = np.concatenate([[True], *kept])
    new = np.cumsum(remain, dtype=np.int32) - np.int32(1)
    lengths = [int(flags.sum()) for flags in kept]

    def joined(first: float, parts: Sequence[Array]) -> Array:
        whole: Array = np.concatenate([np.array([first], parts[0].dtype), *parts])
        rest: Array = whole[remain]
        return rest

    return Nodes(
        [0, *np.cumsum([1, *lengths]).tolist()],
        new[joined(0, [level.parents for level in levels])],
        joined(0, [level.last_words for level in levels]),
        np.log(joined(1, probability)),
        np.log(joined(1, backoff)),
        new[joined(0, [level.suffix for level in levels])],
    )
