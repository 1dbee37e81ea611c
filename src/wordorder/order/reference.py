"""Reference orders: the order of the source words that a word alignment implies."""

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
RULES = {"talbot": "next", "lrscore": "previous", "aligned": "drop", "lader": "next"}
RULES["topdown-btg"] = "drop"

# Rules that allow only some treatments of unaligned words.
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
    """Order the words of each source sentence by the positions of their translations.

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
        to the end of the sentence; ``previous``: after the previous word, or to the front;
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
        If the numbers of lengths and rows differ, a link points past its sentence, or `words` does
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
    """Order words by their keys, under a rule that uses first target words alone.

    Parameters
    ----------
    keys : int32[N]
        The first target word of each source word, or numbers in the same order; -1 for a word
        without a link.
    word_offsets : int64[S+1]
        Where the sentences begin.
    rule : {"talbot", "lrscore", "aligned"}
    unaligned : str
        See `reference_orders`.
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
    keys, _ = _first_targets(used, _checked_lengths(used, source_lengths))
    return keys >= 0


@dataclass(frozen=True)
class ReferenceReport:
    """Counts of the source words and sentences that have no link or no order.

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
    """Describe the share of the source without a link or an order.

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
    """Count the words and sentences for which `reference_orders` had no links.

    Parameters
    ----------
    alignments, source_lengths, links
        See `reference_orders`.
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
    """Return the treatment of unaligned words under `rule`."""
    if unaligned is None:
        return RULES[rule]
    choose("unaligned", unaligned, UNALIGNED)
    if unaligned not in LIMITED.get(rule, UNALIGNED):
        why = {
            "aligned": "numbers the aligned words alone",
            "lader": "joins each unaligned word to a neighbour",
            "topdown-btg": "ranks the aligned words alone",
        }[rule]
        problem = f"rule {rule!r} {why}, so unaligned={unaligned!r} cannot be"
        raise UsageError(f"{problem}; leave it out, or take the rule 'talbot' or 'lrscore'")
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
    """Check the number of sentences, and their lengths against the links."""
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
