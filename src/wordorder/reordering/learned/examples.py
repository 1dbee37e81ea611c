"""Training examples of learned orders: sentences, and the target positions of their words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import (
    Bool,
    Float64,
    Int32,
    Int64,
    Ragged,
    concat_ranges,
    row_offsets,
    value_indices,
)
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.order.orders import Orders
from wordorder.order.reference import reference_orders
from wordorder.order.span_ranks import target_spans
from wordorder.treebank.preparation import require_heads
from wordorder.treebank.treebank import NO_MARGIN, Treebank
from wordorder.treebank.trees import check_trees

# The default rule of reference orders, for training and scores.
RULE = "topdown-btg"
# The default rule if unaligned words are ordered too.
COMPLETE_RULE = "talbot"
# The target position of words without links.
NO_POSITION = -1

# Longer sentences are split into pieces, which keep their order: the time of models grows with the
# cube of the length, and the memory with its square.
MAX_WORDS = 512


@dataclass(frozen=True, eq=False)
class OrderExamples:
    """Sentences with the target interval of each of their words.

    Attributes
    ----------
    treebank : Treebank, S sentences, N words
        Sentences with trees, with tags, or only with words.
    low, high : int32[N]
        The first and last target position of each word by the rule; -1 for an unaligned word that
        the rule drops. A word precedes another if its interval ends before the other's starts, or
        neither starts nor ends after it; an interval inside another one gives no order.
    weights : float64[S]
        The weight of each sentence; 0 for one without ordered words.
    references : Orders
        The reference orders by the rule, to score with. A sentence that the rule skips has no
        words.
    rule, unaligned : str
        See `wordorder.order.reference.reference_orders`.
    """

    treebank: Treebank
    low: Int32
    high: Int32
    weights: Float64
    references: Orders
    rule: str
    unaligned: str

    @property
    def ranked(self) -> Bool:
        """Whether each sentence has a reference order by the rule, bool[S]."""
        return np.asarray(self.references.lengths > 0)

    @property
    def unaligned_words(self) -> int:
        """The number of words without a target position."""
        return int(np.count_nonzero(self.low < 0))

    def take(self, rows: Int64) -> OrderExamples:
        """Return the sentences with the indices `rows`, which may be repeated."""
        words, _ = value_indices(self.treebank.offsets, rows)
        return replace(
            self,
            treebank=self.treebank.take(rows),
            low=self.low[words],
            high=self.high[words],
            weights=self.weights[rows],
            references=self.references.take(rows),
        )

    def weighted(self, factor: float) -> OrderExamples:
        """Return the same sentences, with weights multiplied by `factor`."""
        return replace(self, weights=self.weights * factor)

    def __len__(self) -> int:
        return len(self.treebank)

    def __repr__(self) -> str:
        return (
            f"OrderExamples({len(self)} sentences, {self.treebank.words} words, "
            f"{self.rule}/{self.unaligned})"
        )


def trained_rule(rule: str | None, unaligned: str | None) -> tuple[str, str | None]:
    """Return the rule for training, which must not drop unaligned words if they are ordered.

    Examples
    --------
    >>> trained_rule(None, None), trained_rule(None, "next")
    (('topdown-btg', None), ('talbot', 'next'))
    """
    if rule is None:
        rule = RULE if unaligned in (None, "drop") else COMPLETE_RULE
    return rule, unaligned


def order_examples(
    treebank: Treebank,
    alignments: Alignments,
    *,
    rule: str | None = None,
    unaligned: str | None = None,
    links: str = "all",
    weight: float = 1.0,
) -> OrderExamples:
    """Make training examples from sentences and their links with translations.

    Parameters
    ----------
    treebank : Treebank, S sentences
        The source side, with trees or without.
    alignments : Alignments, S rows
    rule, unaligned, links
        See `wordorder.order.reference.reference_orders`. The default rule is ``topdown-btg``, which
        drops unaligned words; with another `unaligned` it is ``talbot``.
    weight : float
        The weight of each sentence, at least 0.

    Raises
    ------
    InputError
        If the numbers of rows and sentences differ, or a link is out of range.
    UsageError
        If the value of an option is unknown or `weight` is negative.

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "ate", "rice"]])
    >>> examples = order_examples(bank, Alignments.from_rows([[(0, 0), (1, 2), (2, 1)]]))
    >>> examples.low.tolist(), str(examples.references[0]), examples.rule
    ([0, 2, 1], '0 2 1', 'topdown-btg')
    """
    if not np.isfinite(weight) or weight < 0:
        raise UsageError(f"a weight is a number of at least 0, not {weight}")
    rule, unaligned = trained_rule(rule, unaligned)
    if len(alignments) != len(treebank):
        raise InputError(
            alignments.path,
            f"{len(alignments)} alignments for {len(treebank)} sentences",
            "one alignment per sentence",
        )
    references = reference_orders(
        alignments, treebank.lengths, rule=rule, unaligned=unaligned, links=links
    )
    if rule == RULE:
        low, high = target_spans(alignments.counting(links), treebank.lengths)
    else:
        low = high = _ranks(references, treebank)
    ranked_before = row_offsets(low >= 0)
    ranked_words = np.diff(ranked_before[treebank.offsets])
    provenance = dict(references.provenance)
    return OrderExamples(
        treebank,
        low,
        high,
        np.where(ranked_words > 1, weight, 0.0),
        references,
        rule,
        provenance["null"],
    )


def joined_examples(parts: list[OrderExamples]) -> OrderExamples:
    """Concatenate examples.

    Raises
    ------
    UsageError
        If they were made by different rules.
    """
    if len({(part.rule, part.unaligned) for part in parts}) != 1:
        raise UsageError("examples that were made under different rules cannot be put together")
    return replace(
        parts[0],
        treebank=Treebank.concatenate([part.treebank for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
        references=Orders.concatenate([part.references for part in parts]),
    )


def _ranks(references: Orders, treebank: Treebank) -> Int32:
    """Return the rank of each word in its reference order; -1 for words that are not in it."""
    ranks = np.full(treebank.words, NO_POSITION, np.int32)
    lengths = references.lengths
    words = np.repeat(treebank.offsets[:-1], lengths) + references.positions.values
    tied_ranks = references.ranks
    ranks[words] = concat_ranges(0, lengths) if tied_ranks is None else tied_ranks.values
    return ranks


def piece_offsets(offsets: Int64) -> Int64:
    """Return the offsets of sentences, long ones split into equal pieces of up to 512 words.

    Examples
    --------
    >>> piece_offsets(np.array([0, 3, 3, 1003])).tolist()
    [0, 3, 3, 503, 1003]
    """
    lengths = np.diff(offsets)
    if not np.any(lengths > MAX_WORDS):
        return np.ascontiguousarray(offsets)
    boundaries = [0]
    for start, length in zip(offsets[:-1].tolist(), lengths.tolist(), strict=True):
        pieces = max(1, -(-length // MAX_WORDS))
        boundaries += [start + length * k // pieces for k in range(1, pieces + 1)]
    return np.array(boundaries, np.int64)


def cut_sentences(treebank: Treebank, *, trees: bool = True) -> Treebank:
    """Split long sentences into pieces; a word whose head is in another piece becomes a root.

    Parameters
    ----------
    treebank : Treebank
        Returned unchanged if no sentence is too long.
    trees : bool
        Whether trees are read, so that they are checked before they are split.

    Raises
    ------
    InputError
        If the heads of a sentence do not form a tree; the message names the sentence.

    Examples
    --------
    >>> long = Treebank.from_words([["a"] * 513], heads=[[0, *range(1, 513)]])
    >>> cut_sentences(long).lengths.tolist(), cut_sentences(long).heads[254:258].tolist()
    ([256, 257], [254, 255, 0, 1])
    """
    offsets = piece_offsets(treebank.offsets)
    if len(offsets) == len(treebank.offsets):
        return treebank
    if trees:
        # Check before splitting, so that an error names a sentence, not a piece.
        require_heads(treebank)
        check_trees(treebank, single_root=False)
    heads = local_heads(treebank, offsets)
    heads = np.where(treebank.heads < 0, treebank.heads, heads + 1).astype(np.int32)
    return Treebank(offsets, heads, treebank.columns, [NO_MARGIN] * (len(offsets) - 1))


def local_heads(treebank: Treebank, offsets: Int64) -> Int32:
    """Return the position of each word's head in its piece, from 0; -1 if it is not in it."""
    lengths = np.diff(offsets)
    starts = np.repeat(offsets[:-1], lengths)
    ends = np.repeat(offsets[1:], lengths)
    sentence = np.repeat(treebank.offsets[:-1], treebank.lengths)
    heads = treebank.heads + sentence - 1
    inside = (treebank.heads > 0) & (heads >= starts) & (heads < ends)
    return np.where(inside, heads - starts, -1).astype(np.int32)


def join_pieces(order: Int32, pieces: Int64, offsets: Int64) -> Orders:
    """Return the orders of sentences from the orders of their pieces.

    Parameters
    ----------
    order : int32[N]
        Positions from the start of each piece.
    pieces, offsets : int64
        The offsets of the pieces and of the sentences.

    Examples
    --------
    >>> order = np.array([1, 0, 0], np.int32)
    >>> join_pieces(order, np.array([0, 2, 3]), np.array([0, 3]))[0].positions
    (1, 0, 2)
    """
    if len(pieces) == len(offsets):
        return Orders(Ragged(order, offsets))
    shift = np.repeat(pieces[:-1], np.diff(pieces)) - np.repeat(offsets[:-1], np.diff(offsets))
    return Orders(Ragged((order + shift).astype(np.int32), offsets))


def in_pieces(
    orders: Callable[[Treebank], Orders], treebank: Treebank, *, trees: bool = True
) -> Orders:
    """Return the orders of sentences; long ones are ordered piece by piece.

    Raises
    ------
    InputError
        As raised by `cut_sentences` and `orders`.
    """
    pieces = cut_sentences(treebank, trees=trees)
    return join_pieces(orders(pieces).positions.values, pieces.offsets, treebank.offsets)


def note_long(lengths: Int64) -> None:
    """Note which sentences are ordered in pieces, since they are too long, and their number.

    Examples
    --------
    >>> from wordorder.notes import held_notes
    >>> with held_notes() as held:
    ...     note_long(np.array([512, 1998, 700]))
    >>> print(held[0])
    sentence 2: 1,998 words are ordered in 4 pieces of at most 512, which keep their order (so long:
    2 of 3 sentences; expected: one sentence per line)
    """
    long = np.flatnonzero(lengths > MAX_WORDS)
    if not len(long):
        return
    words = int(lengths[long[0]])
    note(
        f"sentence {long[0] + 1}: {words:,} words are ordered in {-(-words // MAX_WORDS)} pieces "
        f"of at most {MAX_WORDS}, which keep their order (so long: {len(long):,} of "
        f"{counted(len(lengths), 'sentence')}; expected: one sentence per line)"
    )
