"""Reference orders: the order of source words that a word alignment implies."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments, Lengths, describe_link_fault
from wordorder.arrays import Bool, Int32, Int64, Ragged, row_and_entry, row_offsets
from wordorder.errors import InputError, UsageError, choose
from wordorder.kernels import orders as kernel, run_rows
from wordorder.messages import counted
from wordorder.options import UNALIGNED
from wordorder.order.orders import MAX_POSITION, Orders
from wordorder.order.span_ranks import (
    Words,
    block_ranks,
    bracket_codes,
    ordered_by_rank,
    span_ranks,
)

# The default treatment of unaligned words under each rule.
DEFAULT_UNALIGNED = {"talbot": "next", "lrscore": "previous", "aligned": "drop", "lader": "next"}
DEFAULT_UNALIGNED["topdown-btg"] = "drop"

# Rules that allow only some treatments of unaligned words.
ALLOWED_UNALIGNED = {"aligned": ("drop",), "lader": ("next", "previous"), "topdown-btg": ("drop",)}
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
    """Order the words of each source sentence by the positions of their translations.

    The first three rules sort the source words by the first target word that each is linked to,
    the other two by the first and the last one.

    Parameters
    ----------
    alignments : Alignments, S rows
        Links from source to target.
    source_lengths : int64[S]
        The number of words of each source sentence.
    rule : {"talbot", "lrscore", "aligned", "lader", "topdown-btg"}
        How to order words with the same first target word. ``talbot``: they tie (Talbot et al.
        2011, section 3.1). ``lrscore``: they keep their source order (Birch and Osborne's
        LRscore). ``aligned``: likewise, over the aligned words alone, which are renumbered
        ``0 .. m-1`` (Stanojević and Sima'an's permutations). ``lader``: words whose target spans
        overlap tie, as do unaligned words with a neighbour, as in lader's evaluator
        (`block_ranks`). ``topdown-btg``: words with the same target span tie; a sentence with a
        span inside another one has no order, as in the evaluator of topdown-btg-preordering
        (`span_ranks`).
    unaligned : "next", "previous", "drop" or None
        Where words without a link go. ``next``: before the next aligned word of the source, or
        to the end of the sentence; ``previous``: after the previous word, or to the front;
        ``drop``: they are left out, while the others keep their positions. None is ``next`` for
        ``talbot`` and ``lader``, ``previous`` for ``lrscore``, and ``drop``, the only choice, for
        ``aligned`` and ``topdown-btg``. ``lader`` ties them with the next or previous aligned word
        and cannot drop them.
    links : {"all", "sure"}, or a number
        Whether possible links are used; or, if links have scores, the minimum score, such as 0.5.
    blocks : "combine", "keep" or None
        Only for ``lader``: whether overlapping spans become blocks (the default) or not.
    words : rows of tokens, or path of a tokenised text, optional
        Only for ``lader``: the source words, so that matching brackets without links are placed
        around the words they enclose, as in its evaluator.

    Returns
    -------
    Orders
        S rows. Between two tied words an unaligned word joins their group. A sentence without
        links keeps its source order (one group for ``lader``), or has no words if unaligned words
        are dropped; a sentence without an order under ``topdown-btg`` has no words either.

    Raises
    ------
    InputError
        If the numbers of lengths and rows differ, a link is out of range, or `words` does not fit
        the lengths.
    UsageError
        If an option's value is unknown, or does not apply to the rule.

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
    unaligned = _choose_unaligned(choose("rule", rule, tuple(DEFAULT_UNALIGNED)), unaligned)
    if rule != "lader" and (blocks is not None or words is not None):
        raise UsageError(f"rule {rule!r} has no blocks and brackets; only 'lader' has")
    used = alignments.counting(links)
    lengths = _check_lengths(used, source_lengths)
    provenance = [("rule", rule), ("null", unaligned)]
    if links != "all":
        provenance.append(("links", str(links)))
    if rule in ("lader", "topdown-btg"):
        return _orders_by_span(rule, unaligned, used, lengths, provenance, blocks, words)
    keys, word_offsets = _first_targets(used, lengths)
    return orders_by_keys(keys, word_offsets, rule, unaligned, tuple(provenance))


def orders_by_keys(
    keys: Int32,
    word_offsets: Int64,
    rule: str,
    unaligned: str,
    provenance: tuple[tuple[str, str], ...],
) -> Orders:
    """Return the orders of a rule that sorts words by their first target words alone.

    Parameters
    ----------
    keys : int32[N]
        The sort key of each source word, such as its first target word; -1 without a link.
    word_offsets : int64[S+1]
        The offset of each sentence's first word.
    rule : {"talbot", "lrscore", "aligned"}
    unaligned : str
        See `reference_orders`.
    provenance
        The provenance of the result.
    """
    # The kernel's code of the treatment of unaligned words; 3 also renumbers the others.
    placement = 3 if rule == "aligned" else UNALIGNED.index(unaligned)
    order_offsets = word_offsets
    if unaligned == "drop":
        order_offsets = row_offsets(keys >= 0)[word_offsets]
    positions = np.empty(int(order_offsets[-1]), np.int32)
    ranks = np.empty(len(positions), np.int32)
    run_rows(
        *(kernel.order_by_keys, word_offsets, keys, word_offsets, order_offsets),
        *(positions, ranks, np.array([placement, rule == "talbot"], np.int32)),
        scratch=lambda n: (np.empty(n, np.int32), np.empty(n, np.int32), np.empty(257, np.int64)),
    )
    tied = Ragged(ranks, order_offsets) if rule == "talbot" else None
    return Orders(Ragged(positions, order_offsets), tied, provenance)


def linked_words(alignments: Alignments, source_lengths: Lengths, *, links: str = "all") -> Bool:
    """Return a mask of the source words with a link, bool[N].

    Parameters
    ----------
    alignments, source_lengths, links
        See `reference_orders`.

    Examples
    --------
    >>> linked_words(Alignments.from_rows([[(0, 0), (2, 1)], []]), [3, 1]).tolist()
    [True, False, True, False]
    """
    used = alignments.counting(links)
    keys, _ = _first_targets(used, _check_lengths(used, source_lengths))
    return keys >= 0


@dataclass(frozen=True)
class ReferenceReport:
    """Counts of the source words and sentences that have no link or no order.

    Parameters
    ----------
    sentences, words : int
        All sentences and source words.
    unaligned : int
        Source words without a link.
    unlinked : int
        Sentences without any link.
    tied : int
        Words that tie with another word.

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
        """The share of source words without a link; 0 if there are no words."""
        return self.unaligned / self.words if self.words else 0.0

    @property
    def unlinked_share(self) -> float:
        """The share of sentences without any link; 0 if there are no sentences."""
        return self.unlinked / self.sentences if self.sentences else 0.0

    @property
    def tied_share(self) -> float:
        """The share of source words that tie with another word; 0 if there are no words."""
        return self.tied / self.words if self.words else 0.0

    def __add__(self, other: ReferenceReport) -> ReferenceReport:
        """Return the report of two parts of the data together."""
        return ReferenceReport(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def reference_summary(report: ReferenceReport) -> str:
    """Describe a report: the shares of words and sentences without links, and of tied words.

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
    """Count words and sentences without links, and tied words.

    Parameters
    ----------
    alignments, source_lengths, links
        See `reference_orders`.
    orders : Orders
        The result of `reference_orders`.

    Raises
    ------
    InputError, UsageError
        See `reference_orders`.

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
        tied=_count_tied_words(orders),
    )


def _choose_unaligned(rule: str, unaligned: str | None) -> str:
    """Check the treatment of unaligned words under a rule, or return the rule's default."""
    if unaligned is None:
        return DEFAULT_UNALIGNED[rule]
    choose("unaligned", unaligned, UNALIGNED)
    if unaligned not in ALLOWED_UNALIGNED.get(rule, UNALIGNED):
        reason = {
            "aligned": "numbers the aligned words alone",
            "lader": "joins each unaligned word to a neighbour",
            "topdown-btg": "ranks the aligned words alone",
        }[rule]
        problem = f"rule {rule!r} {reason}, so unaligned={unaligned!r} cannot be"
        raise UsageError(f"{problem}; leave it out, or take the rule 'talbot' or 'lrscore'")
    return unaligned


def _orders_by_span(
    rule: str,
    unaligned: str,
    used: Alignments,
    lengths: Int64,
    provenance: list[tuple[str, str]],
    blocks: str | None,
    words: Words | None,
) -> Orders:
    """Return the orders of a rule that sorts words by their target spans."""
    if rule == "topdown-btg":
        ranks, _ = span_ranks(used, lengths)
    else:
        blocks = choose("blocks", blocks or "combine", BLOCKS)
        provenance += [("blocks", blocks), ("brackets", "no" if words is None else "yes")]
        codes = None if words is None else bracket_codes(words, lengths)
        block_options = {"to_next": unaligned == "next", "combine": blocks == "combine"}
        ranks = block_ranks(used, lengths, **block_options, brackets=codes)
    positions, groups, offsets = ordered_by_rank(ranks, lengths)
    return Orders(Ragged(positions, offsets), Ragged(groups, offsets), tuple(provenance))


def _check_lengths(alignments: Alignments, source_lengths: Lengths) -> Int64:
    """Check the lengths of sentences against the links, and return them as int64[S]."""
    raw_lengths = np.asarray(source_lengths)
    if raw_lengths.size and raw_lengths.dtype.kind not in "iu":
        raise InputError(
            alignments.path, f"source lengths like {raw_lengths.flat[0]!r}", "whole numbers"
        )
    lengths = np.ascontiguousarray(raw_lengths, np.int64)
    if lengths.ndim != 1 or len(lengths) != len(alignments):
        problem = f"{len(alignments)} alignments for {lengths.size} source sentences"
        raise InputError(alignments.path, problem, "one alignment per sentence")
    if np.any((lengths < 0) | (lengths > MAX_POSITION)):
        wrong = lengths[(lengths < 0) | (lengths > MAX_POSITION)][0]
        raise InputError(alignments.path, f"a source length of {wrong}", f"0 to {MAX_POSITION}")
    beyond = np.flatnonzero(alignments.source >= np.repeat(lengths, np.diff(alignments.offsets)))
    if len(beyond):
        link = int(beyond[0])
        row, _ = row_and_entry(alignments.offsets, link)
        links = alignments.source, alignments.target, alignments.offsets
        raise InputError(
            alignments.location_of(row), describe_link_fault(links, (lengths, None), row, link)
        )
    return lengths


def _first_targets(alignments: Alignments, lengths: Int64) -> tuple[Int32, Int64]:
    """Return each source word's first target position, -1 for none, and the offsets of rows."""
    word_offsets = row_offsets(lengths)
    keys = np.empty(int(word_offsets[-1]), np.int32)
    links = alignments.source, alignments.target, alignments.offsets
    run_rows(kernel.first_targets, word_offsets, *links, word_offsets, keys)
    return keys, word_offsets


def _count_tied_words(orders: Orders) -> int:
    """Count the words that tie with another word."""
    if orders.ranks is None or len(orders.ranks.values) < 2:
        return 0
    ranks = orders.ranks.values
    rows = np.repeat(np.arange(len(orders.ranks)), orders.ranks.lengths)
    same = (ranks[1:] == ranks[:-1]) & (rows[1:] == rows[:-1])
    return int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
