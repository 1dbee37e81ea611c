"""Reference orders: what a word alignment says about the order of the source words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any, TypeVar

import numpy as np

from wordorder.alignment.alignments import Alignments, Lengths, explain
from wordorder.arrays import Bool, Float64, Int32, Int64, Ragged, UInt8, row_and_entry, row_offsets
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.kernels import orders as kernel, run_rows
from wordorder.messages import counted
from wordorder.options import UNALIGNED
from wordorder.order.orders import MAX_POSITION, Orders
from wordorder.text.readers import read_words

# What each rule does with unaligned words unless told otherwise.
RULES = {"talbot": "next", "lrscore": "previous", "aligned": "drop", "lader": "next"}
RULES["topdown-btg"] = "drop"

# Rules that can do no more than this with them.
LIMITED = {"aligned": ("drop",), "lader": ("next", "previous"), "topdown-btg": ("drop",)}

BLOCKS = ("combine", "keep")

LINKS = ("all", "sure")


def reference_orders(
    alignments: Alignments,
    source_lengths: Lengths,
    *,
    rule: str = "talbot",
    unaligned: str | None = None,
    links: str | float = "all",
    blocks: str | None = None,
    words: Words | None = None,
) -> Orders:
    """Put the words of each source sentence into the order of their translations.

    The first three rules sort the source words by the first target word that each is linked to,
    the other two by the first and the last one.

    Parameters
    ----------
    alignments : Alignments, S rows
        Links from source to target.
    source_lengths : int64[S]
        Words of each source sentence.
    rule : {"talbot", "lrscore", "aligned", "lader", "topdown-btg"}
        What becomes of words with the same first target word. ``talbot``: they tie, no order is
        asked among them (Talbot et al. 2011, section 3.1). ``lrscore``: they keep their source
        order (Birch and Osborne's LRscore). ``aligned``: the same over the aligned words alone,
        which are renumbered ``0 .. m-1`` (Stanojević and Sima'an's permutations). ``lader``: words
        whose target spans overlap tie, and so do unaligned words with the neighbour that they
        join, as in lader's evaluator (`block_ranks`). ``topdown-btg``: words of one target span
        tie; a sentence with a span inside another one has no order, as in the evaluator of
        topdown-btg-preordering (`span_ranks`).
    unaligned : "next", "previous", "drop" or None
        Where words without a link go. ``next``: before the next aligned word of the source, or
        to the end of the sentence; ``previous``: behind the previous word, or to the front;
        ``drop``: out of the order, while the others keep their positions. None is
        ``next`` for ``talbot`` and ``lader`` and ``previous`` for ``lrscore``; ``aligned`` and
        ``topdown-btg`` always drop them. ``lader`` ties them with the next or previous aligned
        word and cannot drop them.
    links : {"all", "sure"}, or a number
        Whether links that are only possible count; or, where links have scores, the lowest score
        of those that count, 0.5.
    blocks : "combine", "keep" or None
        Only for ``lader``: whether overlapping spans become blocks (None: they do) or stay as
        they are.
    words : rows of tokens, or path of a tokenised text, optional
        Only for ``lader``: with the source words, matching brackets without links go
        around what they enclose, as its evaluator has them.

    Returns
    -------
    Orders
        S rows. Between two tied words an unaligned word joins their group. A sentence without
        any link keeps its order (one group for ``lader``), or has no words where unaligned ones
        are dropped; a sentence that ``topdown-btg`` skips has none either.

    Raises
    ------
    InputError
        If there are not as many lengths as rows, a link points past its sentence, or `words` does
        not fit the lengths.
    UsageError
        If an option's value is unknown, or not one that the rule has.

    Notes
    -----
    Near-linear in the number of words and links.

    Examples
    --------
    The links of "a b c d" are b-1 and d-0.

    >>> a = Alignments.from_rows([[(1, 1), (3, 0)]])
    >>> for rule in ("talbot", "lrscore", "aligned"):
    ...     print(reference_orders(a, [4], rule=rule)[0])
    2 3 0 1
    0 3 1 2
    1 0
    """
    unaligned = _unaligned(choose("rule", rule, tuple(RULES)), unaligned)
    if rule != "lader" and (blocks is not None or words is not None):
        raise UsageError(f"rule {rule!r} has no blocks and brackets; only 'lader' has")
    used = alignments.counting(links)
    lengths = _checked_lengths(used, source_lengths)
    provenance = [("rule", rule), ("null", unaligned)]
    if links != "all":
        provenance.append(("links", str(links)))
    if rule in ("lader", "topdown-btg"):
        return _by_span(rule, unaligned, used, lengths, provenance, blocks, words)
    keys, word_offsets = _first_targets(used, lengths)
    return orders_by_keys(keys, word_offsets, rule, unaligned, tuple(provenance))


def orders_by_keys(
    keys: Int32,
    word_offsets: Int64,
    rule: str,
    unaligned: str,
    provenance: tuple[tuple[str, str], ...],
) -> Orders:
    """Put words into the order of their keys, under a rule that looks at first target words alone.

    Parameters
    ----------
    keys : int32[N]
        The first target word of each source word, or what is ordered like it; -1 for a word without
        a link.
    word_offsets : int64[S+1]
        Where the sentences begin.
    rule : {"talbot", "lrscore", "aligned"}
    unaligned : str
        As `reference_orders` takes it.
    provenance
        That of the result.
    """
    # What the kernel calls the places of unaligned words; 3 also renumbers the others.
    place = 3 if rule == "aligned" else UNALIGNED.index(unaligned)
    order_offsets = word_offsets
    if unaligned == "drop":
        order_offsets = row_offsets(keys >= 0)[word_offsets]
    positions = np.empty(int(order_offsets[-1]), np.int32)
    ranks = np.empty(len(positions), np.int32)
    run_rows(
        *(kernel.order_by_keys, word_offsets, keys, word_offsets, order_offsets),
        *(positions, ranks, np.array([place, rule == "talbot"], np.int32)),
        scratch=lambda n: (np.empty(n, np.int32), np.empty(n, np.int32), np.empty(257, np.int64)),
    )
    tied = Ragged(ranks, order_offsets) if rule == "talbot" else None
    return Orders(Ragged(positions, order_offsets), tied, provenance)


def linked_words(alignments: Alignments, source_lengths: Lengths, *, links: str = "all") -> Bool:
    """Return which source words have a link, bool[N].

    Parameters
    ----------
    alignments, source_lengths, links
        As given to `reference_orders`.

    Examples
    --------
    >>> linked_words(Alignments.from_rows([[(0, 0), (2, 1)], []]), [3, 1]).tolist()
    [True, False, True, False]
    """
    used = alignments.counting(links)
    keys, _ = _first_targets(used, _checked_lengths(used, source_lengths))
    return keys >= 0


@dataclass(frozen=True)
class ReferenceReport:
    """How much of the source the reference orders rest on.

    Parameters
    ----------
    sentences, words : int
        What was read.
    unaligned : int
        Source words without a link.
    unlinked : int
        Sentences without any link.
    tied : int
        Words in groups of several, among which no order is asked.

    Notes
    -----
    Reports of consecutive parts add up: ``report + report``.
    """

    sentences: int = 0
    words: int = 0
    unaligned: int = 0
    unlinked: int = 0
    tied: int = 0

    @property
    def unaligned_share(self) -> float:
        """Share of source words without a link; 0 if there are no words."""
        return self.unaligned / self.words if self.words else 0.0

    @property
    def unlinked_share(self) -> float:
        """Share of sentences without any link; 0 if there are no sentences."""
        return self.unlinked / self.sentences if self.sentences else 0.0

    @property
    def tied_share(self) -> float:
        """Share of source words in groups of several; 0 if there are no words."""
        return self.tied / self.words if self.words else 0.0

    def __add__(self, other: ReferenceReport) -> ReferenceReport:
        """Join the reports of two parts of the data."""
        return ReferenceReport(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def reference_summary(report: ReferenceReport) -> str:
    """Say how much of the source had no link or no order.

    Examples
    --------
    >>> print(reference_summary(ReferenceReport(2, 10, unaligned=1, unlinked=1, tied=4)))
    2 sentences, 10 words: 1 unaligned (10.0 %), 4 tied (40.0 %);
    1 sentence without links (50.0 %)
    """
    return (
        f"{counted(report.sentences, 'sentence')}, {counted(report.words, 'word')}: "
        f"{report.unaligned} unaligned ({report.unaligned_share:.1%}), "
        f"{report.tied} tied ({report.tied_share:.1%}); "
        f"{counted(report.unlinked, 'sentence')} without links ({report.unlinked_share:.1%})"
    ).replace("%", " %")


def reference_report(
    alignments: Alignments, source_lengths: Lengths, orders: Orders, *, links: str = "all"
) -> ReferenceReport:
    """Count what `reference_orders` had to do without.

    Parameters
    ----------
    alignments, source_lengths, links
        As given to `reference_orders`.
    orders : Orders
        What it returned.

    Raises
    ------
    InputError, UsageError
        As `reference_orders`.

    Examples
    --------
    >>> a = Alignments.from_rows([[(0, 0), (1, 0)], []])
    >>> report = reference_report(a, [3, 1], reference_orders(a, [3, 1]))
    >>> report.unaligned, report.unaligned_share, report.unlinked, report.tied
    (2, 0.5, 1, 2)
    """
    used = alignments.counting(links)
    linked = linked_words(alignments, source_lengths, links=links)
    return ReferenceReport(
        sentences=len(used),
        words=len(linked),
        unaligned=int(np.count_nonzero(~linked)),
        unlinked=int(np.count_nonzero(np.diff(used.offsets) == 0)),
        tied=_tied_words(orders),
    )


def _unaligned(rule: str, unaligned: str | None) -> str:
    """Return what happens to unaligned words under `rule`."""
    if unaligned is None:
        return RULES[rule]
    choose("unaligned", unaligned, UNALIGNED)
    if unaligned not in LIMITED.get(rule, UNALIGNED):
        why = {
            "aligned": "numbers the aligned words alone",
            "lader": "joins each unaligned word to a neighbour",
            "topdown-btg": "ranks the aligned words alone",
        }[rule]
        what = f"rule {rule!r} {why}, so unaligned={unaligned!r} cannot be"
        raise UsageError(f"{what}; leave it out, or take the rule 'talbot' or 'lrscore'")
    return unaligned


def _by_span(
    rule: str,
    unaligned: str,
    used: Alignments,
    lengths: Int64,
    provenance: list[tuple[str, str]],
    blocks: str | None,
    words: Words | None,
) -> Orders:
    """Return the orders of a rule that looks at whole target spans."""
    if rule == "topdown-btg":
        ranks, _ = span_ranks(used, lengths)
    else:
        blocks = choose("blocks", blocks or "combine", BLOCKS)
        provenance += [("blocks", blocks), ("brackets", "no" if words is None else "yes")]
        codes = None if words is None else bracket_codes(words, lengths)
        how = {"to_next": unaligned == "next", "combine": blocks == "combine"}
        ranks = block_ranks(used, lengths, **how, brackets=codes)
    positions, groups, offsets = ordered_by_rank(ranks, lengths)
    return Orders(Ragged(positions, offsets), Ragged(groups, offsets), tuple(provenance))


def _checked_lengths(alignments: Alignments, source_lengths: Lengths) -> Int64:
    """Check that the sentences are as many and as long as the links need."""
    given = np.asarray(source_lengths)
    if given.size and given.dtype.kind not in "iu":
        raise InputError(alignments.path, f"source lengths like {given.flat[0]!r}", "whole numbers")
    lengths = np.ascontiguousarray(given, np.int64)
    if lengths.ndim != 1 or len(lengths) != len(alignments):
        what = f"{len(alignments)} alignments for {lengths.size} source sentences"
        raise InputError(alignments.path, what, "one alignment per sentence")
    if np.any((lengths < 0) | (lengths > MAX_POSITION)):
        wrong = lengths[(lengths < 0) | (lengths > MAX_POSITION)][0]
        raise InputError(alignments.path, f"a source length of {wrong}", f"0 to {MAX_POSITION}")
    beyond = np.flatnonzero(alignments.source >= np.repeat(lengths, np.diff(alignments.offsets)))
    if len(beyond):
        link = int(beyond[0])
        row, _ = row_and_entry(alignments.offsets, link)
        links = alignments.source, alignments.target, alignments.offsets
        raise InputError(alignments.location_of(row), explain(links, (lengths, None), row, link))
    return lengths


def _first_targets(alignments: Alignments, lengths: Int64) -> tuple[Int32, Int64]:
    """Return each source word's first target position, -1 for none, and where rows begin."""
    word_offsets = row_offsets(lengths)
    keys = np.empty(int(word_offsets[-1]), np.int32)
    links = alignments.source, alignments.target, alignments.offsets
    run_rows(kernel.first_targets, word_offsets, *links, word_offsets, keys)
    return keys, word_offsets


def _tied_words(orders: Orders) -> int:
    """Count the words that share their rank with a neighbour."""
    if orders.ranks is None or len(orders.ranks.values) < 2:
        return 0
    ranks = orders.ranks.values
    rows = np.repeat(np.arange(len(orders.ranks)), orders.ranks.lengths)
    same = (ranks[1:] == ranks[:-1]) & (rows[1:] == rows[:-1])
    return int(np.count_nonzero(np.append(same, False) | np.append(False, same)))


Token = TypeVar("Token")

# Where words go that an order lacks.
MISSING = ("error", "next", "previous", "end", "drop")

_ABSENT = -1


def complete_orders(
    orders: Orders,
    lengths: Sequence[int] | Int64,
    *,
    missing: str = "error",
    path: str = "orders",
    first_line: int = 1,
) -> Orders:
    """Give each word of the sentences its place in the order.

    Parameters
    ----------
    orders : Orders
        Positions that tie are read as they are written.
    lengths : int64[S]
        Words of each sentence.
    missing : {"error", "next", "previous", "end", "drop"}
        What becomes of words that an order lacks (those that no link led to): they go before the
        next word of the sentence that it has, or to the end where there is none, as reference
        orders have them (Talbot et al. 2011, section 3.1); behind the previous one, or to the
        front (Birch and Osborne 2010); to the end; or they are left out. They keep their order
        among themselves.
    path, first_line
        Where the orders come from, for messages.

    Returns
    -------
    Orders
        Without ties. Row ``i`` has each of the positions ``0 .. lengths[i]-1``; with ``drop``,
        those that it had.

    Raises
    ------
    InputError
        If there are not as many orders as sentences, a position is beyond its sentence or, with
        ``error``, a word has none.

    Examples
    --------
    >>> orders = Orders.from_rows([[3, (4, 1)]])
    >>> for missing in ("next", "previous", "end", "drop"):
    ...     print(missing, complete_orders(orders, [6], missing=missing).to_text(0))
    next 2 3 4 0 1 5
    previous 0 3 4 5 1 2
    end 3 4 1 0 2 5
    drop 3 4 1
    >>> complete_orders(orders, [6])
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: orders:1: no position 0 of a sentence of 6 words; expected each \
word once, or a choice for those without a place (missing=next, previous, end, drop)
    """
    choose("missing", missing, MISSING)
    words = np.asarray(lengths, np.int64)
    positions = orders.positions
    if len(words) != len(positions):
        raise InputError(path, f"{len(positions)} orders for {len(words)} sentences", "one each")
    given = positions.lengths
    rows = np.repeat(np.arange(len(words)), given)
    beyond = np.flatnonzero(positions.values >= words[rows])
    if len(beyond):
        row = int(rows[beyond[0]])
        what = f"position {positions.values[beyond[0]]}, but the sentence has {words[row]} words"
        expected = f"positions below {words[row]}"
        raise InputError(location(path, first_line + row), what, expected)
    short = np.flatnonzero(given < words)
    if not len(short) or missing == "drop":
        return orders if orders.ranks is None else Orders(positions, None, orders.provenance)
    offsets, places = _places(positions, words)
    if missing == "error":
        row = int(short[0])
        absent = int(np.argmin(places[offsets[row] : offsets[row + 1]]))
        what = f"no position {absent} of a sentence of {words[row]} words"
        choice = f"a choice for those without a place (missing={', '.join(MISSING[1:])})"
        where = location(path, first_line + row)
        raise InputError(where, what, f"each word once, or {choice}")
    completed = _completed(offsets, places, given, missing)
    return Orders(Ragged(completed, offsets), None, orders.provenance)


def inverse_orders(orders: Orders) -> Orders:
    """Return the orders that put reordered sentences back.

    Parameters
    ----------
    orders : Orders
        Of all words of each sentence. Positions that tie are read as they are written.

    Returns
    -------
    Orders
        Position ``w`` of row ``i`` is the place that word ``w`` has in the order of sentence ``i``.

    Raises
    ------
    InputError
        If an order lacks a word.

    Examples
    --------
    >>> orders = Orders.from_rows([[2, 0, 1]])
    >>> reordered = reorder_tokens([["she", "has", "it"]], orders)
    >>> reordered, reorder_tokens(reordered, inverse_orders(orders))
    ([['it', 'she', 'has']], [['she', 'has', 'it']])
    """
    full = complete_orders(orders, orders.lengths)
    offsets, places = _places(full.positions, full.lengths)
    return Orders(Ragged(places.astype(np.int32), offsets))


def reorder_rows(rows: Ragged, orders: Orders, *, missing: str = "error") -> Ragged:
    """Put rows of numbers, one per word, into another order.

    Parameters
    ----------
    rows : Ragged
        Whatever the words have: their numbers in a vocabulary, those of their tags.
    orders, missing
        As `complete_orders` takes them.

    Raises
    ------
    InputError
        As `complete_orders` does.

    Examples
    --------
    >>> rows = Ragged.from_rows([[70, 80, 90], []])
    >>> reorder_rows(rows, Orders.from_rows([[2, 0, 1], []])).to_lists()
    [[90, 70, 80], []]
    """
    positions = complete_orders(orders, rows.lengths, missing=missing).positions
    starts = np.repeat(rows.offsets[:-1], positions.lengths)
    return Ragged(rows.values[starts + positions.values], positions.offsets)


def reorder_tokens(
    sentences: Sequence[Sequence[Token]], orders: Orders, *, missing: str = "error"
) -> list[list[Token]]:
    """Put the tokens of sentences into another order.

    Parameters
    ----------
    sentences : sequence of rows of anything
        Words, or words with their factors, ``word|tag``: a token is moved as a whole, so its
        factors go along.
    orders, missing
        As `complete_orders` takes them.

    Raises
    ------
    InputError
        As `complete_orders` does.

    Examples
    --------
    >>> orders = Orders.from_rows([[0, 2, 1]])
    >>> reorder_tokens(["John|NNP hit|VBD it|PRP".split()], orders)
    [['John|NNP', 'it|PRP', 'hit|VBD']]
    >>> reorder_tokens([["John", "hit", "it", "!"]], orders, missing="end")
    [['John', 'it', 'hit', '!']]
    """
    full = complete_orders(orders, list(map(len, sentences)), missing=missing)
    rows = zip(sentences, full.positions.to_lists(), strict=True)
    return [[sentence[position] for position in order] for sentence, order in rows]


def reorder_alignments(
    alignments: Alignments, orders: Orders, *, side: str = "source", missing: str = "error"
) -> Alignments:
    """Renumber links for sentences of which one side has been reordered.

    Parameters
    ----------
    alignments : Alignments
        With lengths of that side, unless `missing` is ``error``: each order then has all words.
    orders : Orders
        One per sentence pair.
    side : {"source", "target"}
        Which side has been reordered.
    missing : str
        As `complete_orders` takes it; with ``drop``, the links of words that are left out go with
        them.

    Returns
    -------
    Alignments
        The links in the order in which they were written.

    Raises
    ------
    InputError
        As `complete_orders` does, and if a link leads past its order.
    UsageError
        If lengths are needed and not known.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1, True)]])
    >>> orders = Orders.from_rows([[0, 2, 1]])
    >>> str(reorder_alignments(links, orders)[0])
    '0-0 2-2 1p1'
    >>> str(reorder_alignments(links, orders, side="target")[0])
    '0-0 1-1 2p2'
    """
    if choose("side", side, ("source", "target")) == "target":
        turned = reorder_alignments(alignments.transpose(), orders, missing=missing)
        return turned.transpose()
    lengths = alignments.source_lengths
    if lengths is None:
        if choose("missing", missing, MISSING) != "error":
            raise UsageError(f"missing={missing} needs the lengths of the sentences: with_lengths")
        lengths = orders.lengths
    place: dict[str, Any] = {"path": alignments.path, "first_line": alignments.first_line}
    full = complete_orders(orders, lengths, missing=missing, **place)
    rows = np.repeat(np.arange(len(alignments)), np.diff(alignments.offsets))
    beyond = np.flatnonzero(alignments.source >= lengths[rows])
    if len(beyond):
        row, position = int(rows[beyond[0]]), int(alignments.source[beyond[0]])
        what = f"a link of word {position}, but the order has {lengths[row]} words"
        raise InputError(alignments.location_of(row), what, "links of words that the order has")
    offsets, places = _places(full.positions, lengths)
    renumbered = places[offsets[rows] + alignments.source]
    kept = renumbered != _ABSENT
    return Alignments(
        renumbered[kept].astype(np.int32),
        alignments.target[kept],
        row_offsets(kept)[alignments.offsets],
        possible=alignments.possible[kept],
        source_lengths=full.lengths,
        target_lengths=alignments.target_lengths,
        **place,
    )


def _places(positions: Ragged, lengths: Int64) -> tuple[Int64, Int64]:
    """Return the offsets of the sentences and the place of each word in its order, or -1."""
    offsets = row_offsets(lengths)
    places = np.full(int(offsets[-1]), _ABSENT, np.int64)
    starts = np.repeat(positions.offsets[:-1], positions.lengths)
    words = np.repeat(offsets[:-1], positions.lengths) + positions.values
    places[words] = np.arange(len(words)) - starts
    return offsets, places


def _completed(offsets: Int64, places: Int64, given: Int64, missing: str) -> Int32:
    """Order all words, of which those without a place go where `missing` says."""
    size = len(places)
    words = np.arange(size)
    rows = np.repeat(np.arange(len(given)), np.diff(offsets))
    present = places != _ABSENT
    # Twice the place, so that there is room before and behind each word that has one.
    keys = 2 * places
    behind_all = 2 * given[rows]
    if missing == "end":
        lone = behind_all
    elif missing == "next":
        after = np.minimum.accumulate(np.where(present, words, size)[::-1])[::-1]
        inside = after < offsets[rows + 1]
        lone = np.where(inside, keys[np.minimum(after, size - 1)] - 1, behind_all)
    else:
        before = np.maximum.accumulate(np.where(present, words, _ABSENT))
        inside = before >= offsets[rows]
        lone = np.where(inside, keys[np.maximum(before, 0)] + 1, -1)
    keys = np.where(present, keys, lone)
    # Words of one key stay in the order of the sentence.
    order = np.lexsort((keys, rows))
    return (order - offsets[rows]).astype(np.int32)


Words = Iterable[Sequence[str]] | str | os.PathLike[str]

# Pairs that lader puts around what they enclose.
BRACKETS = ("()", "[]", '""', "\uff08\uff09", "「」", "『』", "【】")

OPENS, CLOSES = 16, 32

CODES: dict[str, int] = {}

for _kind, _pair in enumerate(BRACKETS, 1):
    CODES[_pair[0]] = _kind | OPENS
    CODES[_pair[1]] = CODES.get(_pair[1], _kind) | CLOSES


def span_ranks(alignments: Alignments, lengths: Int64) -> tuple[Int32, Bool]:
    """Rank the aligned words of each sentence by their target spans, where the spans allow it.

    A word's span reaches from the first to the last target word that it is linked to. One precedes
    or equals another if it neither begins nor ends behind it; a span inside another one cannot be
    compared with it. Equal spans share a rank (the evaluator of topdown-btg-preordering, which
    quotes Neubig, Watanabe and Mori 2012).

    Parameters
    ----------
    alignments : Alignments, S rows
    lengths : int64[S]
        Words of each source sentence; no link points past them.

    Returns
    -------
    ranks : int32, one per source word
        Dense, from 0; -1 for a word without a link and for all words of a sentence whose spans
        cannot all be compared.
    comparable : bool[S]
        Which sentences can be ranked; one without any link can.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 3), (1, 0), (2, 0)], [(0, 1), (1, 0), (1, 2)]])
    >>> ranks, comparable = span_ranks(links, np.array([4, 2]))
    >>> ranks.tolist(), comparable.tolist()
    ([1, 0, 0, -1, -1, -1], [True, False])
    """
    low, high, offsets = _spans(alignments, lengths)
    ranks, comparable = _sorted_ranks(low, high, offsets)
    ranks[np.repeat(~comparable, lengths)] = -1
    return ranks, comparable


def target_spans(alignments: Alignments, lengths: Int64) -> tuple[Int32, Int32]:
    """Return the first and the last target word that each source word is linked to.

    Parameters
    ----------
    alignments, lengths
        As in `span_ranks`.

    Returns
    -------
    low, high : int32, one per source word
        -1 for a word without a link.

    Examples
    --------
    >>> low, high = target_spans(Alignments.from_rows([[(0, 3), (2, 0), (2, 1)]]), np.array([3]))
    >>> low.tolist(), high.tolist()
    ([3, -1, 0], [3, -1, 1])
    """
    low, high, _ = _spans(alignments, lengths)
    return low.astype(np.int32), high.astype(np.int32)


def block_ranks(
    alignments: Alignments,
    lengths: Int64,
    *,
    to_next: bool = True,
    combine: bool = True,
    brackets: UInt8 | None = None,
) -> Int32:
    """Rank all words of each sentence as lader does (Neubig, Watanabe and Mori 2012).

    Words whose target spans overlap become one block, with all words between them, and share a
    rank; unaligned words join a neighbour.

    Parameters
    ----------
    alignments, lengths
        As in `span_ranks`.
    to_next : bool
        Whether an unaligned word joins the next aligned word (at the end of the sentence: the
        last one) or the previous one (at the start: the first one; the unaligned words at the end
        then have a rank of their own, behind all).
    combine : bool
        Whether overlapping spans become blocks. Without, spans that cannot be compared are ranked
        as an ordered map of the C++ standard library happens to find them.
    brackets : uint8, one per source word, optional
        What `bracket_codes` returns: matching unaligned brackets go around what they enclose.

    Returns
    -------
    int32, one per source word
        Dense ranks from 0 in each sentence.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 2), (1, 1), (1, 3), (3, 0)]])
    >>> block_ranks(links, np.array([4])).tolist()
    [1, 1, 0, 0]
    >>> block_ranks(links, np.array([4]), to_next=False).tolist()
    [1, 1, 1, 0]
    """
    low, high, offsets = _spans(alignments, lengths)
    if combine:
        by_span = np.lexsort((high, low, np.repeat(np.arange(len(lengths)), lengths)))
        run_rows(kernel.combine_blocks, offsets, low, high, by_span, offsets)
    if brackets is not None:
        run_rows(
            *(kernel.align_brackets, offsets, low, high, brackets, offsets),
            scratch=lambda n: (np.empty(n, np.int64), np.empty(n), np.empty(n)),
        )
    run_rows(kernel.attach_unaligned, offsets, low, high, offsets, to_next)
    # What is unaligned still has a place in a sentence without links, where all words share a rank.
    ranks, comparable = _sorted_ranks(low, high, offsets, unaligned=True)
    if not comparable.all():
        run_rows(
            *(kernel.map_ranks, offsets, low, high, offsets, comparable.view(np.uint8), ranks),
            scratch=lambda longest: (longest,),
        )
    return ranks


def bracket_codes(words: Words, lengths: Int64) -> UInt8:
    """Return what kind of bracket each source word is.

    Parameters
    ----------
    words : rows of tokens, or path of a tokenised text
        The source sentences.
    lengths : int64[S]
        How many words each has.

    Returns
    -------
    uint8, one per word
        0 for any other word, else the number of the pair, with 16 if it opens and 32 if it closes.

    Raises
    ------
    InputError
        If the sentences are not as many or not as long as said, or one is a string.

    Examples
    --------
    >>> bracket_codes([["(", "a", ")"], ['"']], np.array([3, 1])).tolist()
    [17, 0, 33, 51]
    """
    sentences = read_words(words) if isinstance(words, str | os.PathLike) else words
    codes = np.zeros(int(lengths.sum()), np.uint8)
    start = row = 0
    for row, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str | bytes):
            raise InputError(f"source, row {row}", repr(sentence)[:30], "a sequence of words")
        if row > len(lengths) or len(sentence) != lengths[row - 1]:
            there = f"{lengths[row - 1]} words" if row <= len(lengths) else f"{len(lengths)} rows"
            raise InputError(f"source, row {row}", f"{len(sentence)} words", there)
        for place, word in enumerate(sentence):
            if word in CODES:
                codes[start + place] = CODES[word]
        start += len(sentence)
    if row < len(lengths):
        raise InputError("source", f"{row} sentences", f"{len(lengths)} sentences")
    return codes


def ordered_by_rank(ranks: Int32, lengths: Int64) -> tuple[Int32, Int32, Int64]:
    """Return positions, ranks and offsets of the orders that ranks describe.

    Words of one rank keep their source order; words of rank -1 are left out.

    Examples
    --------
    >>> positions, ranks, offsets = ordered_by_rank(np.array([1, 0, -1, 0]), np.array([3, 1]))
    >>> positions.tolist(), ranks.tolist(), offsets.tolist()
    ([1, 0, 0], [0, 1, 0], [0, 2, 3])
    """
    starts = row_offsets(lengths)
    kept = np.flatnonzero(ranks >= 0)
    row = np.repeat(np.arange(len(lengths)), lengths)[kept]
    # Ranks are dense, so a row's keys lie between its start and the next one's.
    order = kept[np.argsort(starts[row] + ranks[kept], kind="stable")]
    offsets = np.searchsorted(kept, starts).astype(np.int64)
    positions = order - np.repeat(starts[:-1], np.diff(offsets))
    return positions.astype(np.int32), ranks[order].astype(np.int32), offsets


def _spans(alignments: Alignments, lengths: Int64) -> tuple[Float64, Float64, Int64]:
    """Return where each word's span begins and ends, and where the rows begin."""
    offsets = row_offsets(lengths)
    low, high = np.empty(int(offsets[-1])), np.empty(int(offsets[-1]))
    links = alignments.source, alignments.target, alignments.offsets
    run_rows(kernel.target_spans, offsets, *links, offsets, low, high)
    return low, high, offsets


def _sorted_ranks(
    low: Float64, high: Float64, offsets: Int64, *, unaligned: bool = False
) -> tuple[Int32, Bool]:
    """Return dense ranks by span, -1 for unaligned words unless wanted, and which rows have them.

    Where the ends do not rise with the beginnings, two spans cannot be compared; the ranks of such
    a row mean nothing.
    """
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    kept = np.arange(len(low)) if unaligned else np.flatnonzero(low != -1)
    order = kept[np.lexsort((high[kept], low[kept], row[kept]))]
    follows = np.zeros(len(order), np.bool_)
    follows[1:] = row[order[1:]] == row[order[:-1]]
    rises = np.ones(len(order), np.bool_)
    rises[1:] = (low[order[1:]] != low[order[:-1]]) | (high[order[1:]] != high[order[:-1]])
    falls = np.zeros(len(order), np.bool_)
    falls[1:] = high[order[1:]] < high[order[:-1]]
    comparable = np.ones(len(offsets) - 1, np.bool_)
    comparable[row[order[follows & falls]]] = False
    level = np.cumsum(follows & rises, dtype=np.int64)
    firsts = np.flatnonzero(~follows)
    ranks = np.full(len(low), -1, np.int32)
    ranks[order] = level - np.repeat(level[firsts], np.diff(np.append(firsts, len(order))))
    return ranks, comparable
