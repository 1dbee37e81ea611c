"""Scores of other evaluators, with their own rules for the sentences that count."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordorder.alignment.alignments import Alignments, Links, check_counting
from wordorder.arrays import Bool, Float64, Int64
from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.contract import Score, statistics_in_pieces
from wordorder.metrics.registry import metric
from wordorder.metrics.rows import brevity_penalty
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderRows
from wordorder.order.reference import reference_orders
from wordorder.order.span_ranks import span_ranks
from wordorder.segments import Segments
from wordorder.text.readers import read_words

SourceText = str | os.PathLike[str] | Iterable[Sequence[str]] | Sequence[int] | Int64

RANK = (("ties", "rank"),)
POOLED = (*RANK, ("average", "micro"))
BEER = (("degenerate", "beer"),)
LADER = "lader, evaluate-lader"


@dataclass(frozen=True)
class Figure:
    """One number that an evaluator prints.

    Attributes
    ----------
    label : str
        What the evaluator calls it.
    metric : str
        The metric that gives it.
    options : tuple of (option, value)
    empty : float or None
        The value of a sentence without a word to order; None: such a sentence is left out.
    scale : float
        What the evaluator multiplies it by.
    """

    label: str
    metric: str
    options: tuple[tuple[str, str], ...] = ()
    empty: float | None = None
    scale: float = 1.0


@dataclass(frozen=True)
class Preset:
    """How one public evaluator comes to its figures.

    Attributes
    ----------
    tool : str
        The evaluator.
    rule, unaligned, blocks
        As in `reference_orders`; no rule where no orders are made.
    figures : tuple of Figure
    passes_over : str
        Which sentences it leaves out: ``"none"``; ``"one-rank"``, those whose words all tie;
        ``"not-comparable"``, those with a target span inside another.
    two_alignments : bool
        Whether it compares two alignments of the source: with the reference translation and with
        a system's, whose brevity it then punishes.
    """

    tool: str
    rule: str | None
    unaligned: str | None
    figures: tuple[Figure, ...]
    blocks: str | None = None
    passes_over: str = "none"
    two_alignments: bool = False

    @property
    def links_of_systems(self) -> bool:
        """Whether it looks at the links of the source with a translation, at no reference."""
        return self.rule is None


LADER_FIGURES = (Figure("chunk", "frs-boundary", POOLED), Figure("tau", "kendall", POOLED))

PRESETS: dict[str, Preset] = {
    "lader": Preset(LADER, "lader", "next", LADER_FIGURES, "combine", "one-rank"),
    "lader-left": Preset(LADER, "lader", "previous", LADER_FIGURES, "combine", "one-rank"),
    "lader-keep": Preset(LADER, "lader", "next", LADER_FIGURES, "keep", "one-rank"),
    "lader-left-keep": Preset(LADER, "lader", "previous", LADER_FIGURES, "keep", "one-rank"),
    "topdown-btg": Preset(
        "topdown-btg-preordering, evaluate_preordering.py",
        "topdown-btg",
        "drop",
        (
            Figure("Fuzzy Reordering Score", "frs-boundary", RANK, empty=1.0),
            Figure("Kendall's Tau", "kendall", (("ties", "best"),), empty=1.0),
            Figure("Complete Match", "exact", empty=1.0),
        ),
        passes_over="not-comparable",
    ),
    "moses": Preset(
        "Moses, PermutationScorer",
        "lrscore",
        "previous",
        (Figure("HAMMING", "hamming", empty=0.0), Figure("KENDALL", "kendall-sqrt", empty=0.0)),
        two_alignments=True,
    ),
    "beer": Preset(
        "BEER 1.1, order metrics",
        "lrscore",
        "drop",
        tuple(
            Figure(label, name, BEER)
            for label, name in zip(
                "KENDALL HAMMING SPEARMAN ULAM FUZZY abs(PET) #PETs MAX PEFrecursive".split(),
                "kendall hamming spearman ulam frs pet pets maxop pef-recursive".split(),
                strict=True,
            )
        ),
    ),
    "literalness": Preset(
        "vyraun/literalness, compute_scores.py",
        None,
        None,
        (
            Figure("Macro Unaligned-Source-Words (USW) Score", "unaligned", scale=100.0),
            Figure("Non-Monotonicty (NM) Score", "non-monotonicity", scale=100.0),
        ),
    ),
}


def evaluate_compat(
    preset: str,
    system: OrderRows | Alignments | None,
    alignments: Alignments | None,
    source: SourceText,
    *,
    system_lengths: Sequence[int] | Int64 | None = None,
    reference_lengths: Sequence[int] | Int64 | None = None,
    links: str = "all",
) -> dict[str, Score]:
    """Score a system as another public evaluator does.

    Parameters
    ----------
    preset : str
        A name of `PRESETS`.
    system : Orders, rows, path of an ``.orders`` file, Alignments or None
        The system's order of each source sentence, with all of its words. For ``moses`` also, and
        for ``literalness`` only, the alignment of the source with the system's translation. None:
        the source as it is.
    alignments : Alignments, S rows, or None
        From the source to the reference translation; None for ``literalness``.
    source : path of a tokenised text, rows of tokens, or int64[S]
        The source sentences. Their lengths suffice, but ``lader`` also looks for brackets and
        quotation marks among the words, and finds none among lengths.
    system_lengths, reference_lengths : int64[S], optional
        Words of the translations, for the brevity penalty of ``moses`` with two alignments and for
        ``literalness``; where the alignments know them, they need not be given.
    links
        Which links count, as `Alignments.counting` takes it.

    Returns
    -------
    dict of str to Score
        Under the evaluator's own labels. `Score.skipped` counts what it passes over, and the
        signature names preset and rule.

    Raises
    ------
    UsageError
        If there is no such preset, or what it needs is missing.
    InputError
        If a row is not an order of its whole source sentence, or the inputs do not fit together.

    Notes
    -----
    Figures are not rounded; Moses keeps five digits of each sentence in single precision.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 1), (1, 0), (2, 2)], [(0, 0), (1, 1), (1, 3), (2, 2)]])
    >>> for name in ("lader", "topdown-btg"):
    ...     found = evaluate_compat(name, [[1, 0, 2], [0, 1, 2]], links, [3, 3])
    ...     for label, score in found.items():
    ...         print(name, label, score.value, score.skipped)
    lader chunk 1.0 0
    lader tau 1.0 0
    topdown-btg Fuzzy Reordering Score 1.0 1
    topdown-btg Kendall's Tau 1.0 1
    topdown-btg Complete Match 1.0 1
    """
    if preset not in PRESETS:
        raise unknown_name("preset", preset, PRESETS, listed_by="wordorder list compat")
    chosen = PRESETS[preset]
    check_counting(links)
    alignments = None if alignments is None else alignments.counting(links, gold=True)
    system = system.counting(links) if isinstance(system, Alignments) else system
    words, lengths = _read(source)
    if chosen.rule is None:
        scores = _link_figures(chosen, system, alignments, lengths, system_lengths)
    else:
        targets = system_lengths, reference_lengths
        scores = _order_figures(chosen, system, alignments, words, lengths, *targets)
    fields = [("compat", preset), *([("links", links)] if links != "all" else [])]
    return {
        label: replace(score, signature=score.signature.with_fields(*fields))
        for label, score in scores.items()
    }


def _link_figures(
    chosen: Preset,
    system: OrderRows | Alignments | None,
    alignments: Alignments | None,
    lengths: Int64,
    system_lengths: Sequence[int] | Int64 | None,
) -> dict[str, Score]:
    """Return the figures of links between the source and a system's translation."""
    if not isinstance(system, Alignments) or alignments is not None:
        problem = "this preset looks at the alignment of the source with the system's translation"
        raise UsageError(f"{problem}: give it as system, and None instead of a reference")
    targets = _target_lengths("system_lengths", system_lengths, system)
    if len(system) != len(lengths):
        problem = f"{len(system)} alignments for {len(lengths)} sentences"
        raise InputError(system.path, problem, "one for each")
    rows = system.with_lengths(lengths, targets)
    segments = Segments(links=Links(rows, None, lengths, targets), _checked=True)
    scores = {}
    for figure in chosen.figures:
        score = metric(figure.metric, **dict(figure.options)).corpus_score(segments)
        scores[figure.label] = replace(score, value=figure.scale * score.value)
    return scores


def _order_figures(
    chosen: Preset,
    system: OrderRows | Alignments | None,
    alignments: Alignments | None,
    words: list[Sequence[str]] | None,
    lengths: Int64,
    system_lengths: Sequence[int] | Int64 | None,
    reference_lengths: Sequence[int] | Int64 | None,
) -> dict[str, Score]:
    """Return the figures of orders against those of reference alignments."""
    if alignments is None:
        raise UsageError("this preset needs the alignment of the source with the reference")
    rule = str(chosen.rule)
    reference = reference_orders(
        alignments,
        lengths,
        rule=rule,
        unaligned=chosen.unaligned,
        blocks=chosen.blocks,
        words=words if rule == "lader" else None,
    )
    penalty: Float64 | None = None
    if isinstance(system, Alignments):
        if not chosen.two_alignments:
            raise UsageError("this preset compares orders, not alignments, with a reference")
        penalty = brevity_penalty(
            _target_lengths("system_lengths", system_lengths, system),
            _target_lengths("reference_lengths", reference_lengths, alignments),
        )
        system = reference_orders(system, lengths, rule=rule, unaligned=chosen.unaligned)
    elif system is None:
        system = Orders.from_rows([np.arange(length, dtype=np.int32) for length in lengths])
    segments = Segments.from_orders(system, reference)
    _check_whole(segments, lengths)
    left_out = _skipped_sentences(chosen, alignments, reference, lengths)
    scores = {}
    for figure in chosen.figures:
        measure = metric(figure.metric, **dict(figure.options))
        statistics = statistics_in_pieces(measure, segments)
        if figure.empty is not None:
            statistics[segments.permutation.lengths == 0] = (figure.empty, 1.0)
        if penalty is not None:
            statistics[:, 0] *= penalty
        statistics[left_out] = 0.0
        running = Accumulator(measure)
        running.add(segments, statistics)
        score = running.compute()
        if chosen.two_alignments:
            brevity = ("brevity", "no" if penalty is None else "yes")
            score = replace(score, signature=score.signature.with_fields(brevity))
        scores[figure.label] = score
    return scores


def _read(source: SourceText) -> tuple[list[Sequence[str]] | None, Int64]:
    """Return the words of the source sentences, if known, and their numbers."""
    if isinstance(source, str | os.PathLike):
        rows: list[Sequence[str]] = list(read_words(source))
    elif isinstance(source, np.ndarray) and source.dtype != object:
        return None, np.asarray(source, np.int64)
    else:
        entries = list(source)
        if all(isinstance(entry, int | np.integer) for entry in entries):
            return None, np.array(entries, np.int64)
        for number, row in enumerate(entries, 1):
            if isinstance(row, str | bytes) or not isinstance(row, Sequence):
                raise InputError(f"source, row {number}", repr(row)[:30], "a sequence of words")
        rows = entries
    return rows, np.array([len(row) for row in rows], np.int64)


def _target_lengths(
    name: str, lengths_or_none: Sequence[int] | Int64 | None, alignments: Alignments
) -> Int64:
    """Return the lengths of the translations of one side."""
    lengths = (
        alignments.target_lengths
        if lengths_or_none is None
        else np.asarray(lengths_or_none, np.int64)
    )
    if lengths is None:
        raise UsageError(f"two alignments are compared with a brevity penalty: give {name}")
    if len(lengths) != len(alignments):
        problem = f"{len(lengths)} lengths for {len(alignments)} alignments"
        raise InputError(name, problem, "one for each")
    return np.asarray(lengths, np.int64)


def _check_whole(segments: Segments, lengths: Int64) -> None:
    """Raise unless each order has the words of its source sentence."""
    wrong = np.flatnonzero(segments.system_lengths != lengths)
    if len(wrong):
        row = int(wrong[0])
        problem, expected = f"{segments.system_lengths[row]} words", f"the {lengths[row]} words"
        raise InputError(f"system, row {row + 1}", problem, f"{expected} of the source")


def _skipped_sentences(
    preset: Preset, alignments: Alignments, reference: Orders, lengths: Int64
) -> Bool:
    """Return which sentences the evaluator leaves out, bool[S]."""
    if preset.passes_over == "not-comparable":
        return ~span_ranks(alignments, lengths)[1]
    left_out = np.zeros(len(reference), np.bool_)
    if preset.passes_over == "one-rank":
        left_out = reference.lengths < 2
        if reference.ranks is not None:
            ends = reference.ranks.offsets[1:][~left_out] - 1
            left_out[~left_out] = reference.ranks.values[ends] == 0
    return left_out
