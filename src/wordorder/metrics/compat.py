"""Reproduce the scores of other evaluators, with their rules for skipping sentences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordorder.alignment.alignments import Alignments, Links, check_links_option
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

RANK_TIES = (("ties", "rank"),)
POOLED_RANK_TIES = (*RANK_TIES, ("average", "micro"))
BEER_VALUES = (("degenerate", "beer"),)
LADER_TOOL = "lader, evaluate-lader"


@dataclass(frozen=True)
class EvaluatorScore:
    """One score that an evaluator prints.

    Attributes
    ----------
    label : str
        The evaluator's name for it.
    metric : str
        The metric that computes it.
    options : tuple of (option, value)
    empty : float or None
        The value of a sentence without words to order; None: such a sentence is left out.
    scale : float
        The factor by which the evaluator multiplies the metric's value.
    """

    label: str
    metric: str
    options: tuple[tuple[str, str], ...] = ()
    empty: float | None = None
    scale: float = 1.0


@dataclass(frozen=True)
class Preset:
    """How one public evaluator computes its scores.

    Attributes
    ----------
    tool : str
        The evaluator.
    rule, unaligned, blocks
        See `reference_orders`; `rule` is None if the evaluator does not use orders.
    scores : tuple of EvaluatorScore
    skips : str
        Which sentences it leaves out: ``"none"``; ``"one-rank"``, those whose words all tie;
        ``"not-comparable"``, those with a target span inside another.
    two_alignments : bool
        Whether it can also compare two alignments of the source, one with the reference translation
        and one with a system's translation, to which it applies a brevity penalty.
    """

    tool: str
    rule: str | None
    unaligned: str | None
    scores: tuple[EvaluatorScore, ...]
    blocks: str | None = None
    skips: str = "none"
    two_alignments: bool = False

    @property
    def links_of_systems(self) -> bool:
        """Whether it scores the links of the source with a translation, without a reference."""
        return self.rule is None


LADER_SCORES = (
    EvaluatorScore("chunk", "frs-boundary", POOLED_RANK_TIES),
    EvaluatorScore("tau", "kendall", POOLED_RANK_TIES),
)

PRESETS: dict[str, Preset] = {
    "lader": Preset(LADER_TOOL, "lader", "next", LADER_SCORES, "combine", "one-rank"),
    "lader-left": Preset(LADER_TOOL, "lader", "previous", LADER_SCORES, "combine", "one-rank"),
    "lader-keep": Preset(LADER_TOOL, "lader", "next", LADER_SCORES, "keep", "one-rank"),
    "lader-left-keep": Preset(LADER_TOOL, "lader", "previous", LADER_SCORES, "keep", "one-rank"),
    "topdown-btg": Preset(
        "topdown-btg-preordering, evaluate_preordering.py",
        "topdown-btg",
        "drop",
        (
            EvaluatorScore("Fuzzy Reordering Score", "frs-boundary", RANK_TIES, empty=1.0),
            EvaluatorScore("Kendall's Tau", "kendall", (("ties", "best"),), empty=1.0),
            EvaluatorScore("Complete Match", "exact", empty=1.0),
        ),
        skips="not-comparable",
    ),
    "moses": Preset(
        "Moses, PermutationScorer",
        "lrscore",
        "previous",
        (
            EvaluatorScore("HAMMING", "hamming", empty=0.0),
            EvaluatorScore("KENDALL", "kendall-sqrt", empty=0.0),
        ),
        two_alignments=True,
    ),
    "beer": Preset(
        "BEER 1.1, order metrics",
        "lrscore",
        "drop",
        tuple(
            EvaluatorScore(label, name, BEER_VALUES)
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
            EvaluatorScore("Macro Unaligned-Source-Words (USW) Score", "unaligned", scale=100.0),
            EvaluatorScore("Non-Monotonicty (NM) Score", "non-monotonicity", scale=100.0),
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
    """Compute the scores of another public evaluator for a system.

    Parameters
    ----------
    preset : str
        A name of `PRESETS`.
    system : Orders, rows, path of an ``.orders`` file, Alignments or None
        The system's order of each source sentence, with all its words. For ``moses`` also, and for
        ``literalness`` only, the alignment of the source with the system's translation. None: the
        source order.
    alignments : Alignments, S rows, or None
        The alignment of the source with the reference translation; None for ``literalness``.
    source : path of a tokenised text, rows of tokens, or int64[S]
        The source sentences, or their lengths. ``lader`` treats brackets and quotation marks among
        the words in a special way, which lengths do not show.
    system_lengths, reference_lengths : int64[S], optional
        The lengths of the translations, for the brevity penalty of ``moses`` with two alignments
        and for ``literalness``; by default those that the alignments have.
    links
        The links to use; see `Alignments.counting`.

    Returns
    -------
    dict of str to Score
        By the evaluator's labels. `Score.skipped` is the number of sentences that it skips, and the
        signature has preset and rule.

    Raises
    ------
    UsageError
        If the preset is unknown, or an input that it needs is missing.
    InputError
        If a row is not an order of all words of its source sentence, or the numbers of rows differ.

    Notes
    -----
    Scores are not rounded; Moses uses single precision and five digits per sentence.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 1), (1, 0), (2, 2)], [(0, 0), (1, 1), (1, 3), (2, 2)]])
    >>> for name in ("lader", "topdown-btg"):
    ...     scores = evaluate_compat(name, [[1, 0, 2], [0, 1, 2]], links, [3, 3])
    ...     for label, score in scores.items():
    ...         print(name, label, score.value, score.skipped)
    lader chunk 1.0 0
    lader tau 1.0 0
    topdown-btg Fuzzy Reordering Score 1.0 1
    topdown-btg Kendall's Tau 1.0 1
    topdown-btg Complete Match 1.0 1
    """
    if preset not in PRESETS:
        raise unknown_name("preset", preset, PRESETS, listed_by="wordorder list compat")
    evaluator = PRESETS[preset]
    check_links_option(links)
    alignments = None if alignments is None else alignments.counting(links, gold=True)
    system = system.counting(links) if isinstance(system, Alignments) else system
    words, lengths = _read_source(source)
    if evaluator.rule is None:
        scores = _score_links(evaluator, system, alignments, lengths, system_lengths)
    else:
        targets = system_lengths, reference_lengths
        scores = _score_orders(evaluator, system, alignments, words, lengths, *targets)
    fields = [("compat", preset), *([("links", links)] if links != "all" else [])]
    return {
        label: replace(score, signature=score.signature.with_fields(*fields))
        for label, score in scores.items()
    }


def _score_links(
    evaluator: Preset,
    system: OrderRows | Alignments | None,
    alignments: Alignments | None,
    lengths: Int64,
    system_lengths: Sequence[int] | Int64 | None,
) -> dict[str, Score]:
    """Return the scores of links between the source and a system's translation."""
    if not isinstance(system, Alignments) or alignments is not None:
        problem = "this preset looks at the alignment of the source with the system's translation"
        raise UsageError(f"{problem}: give it as system, and None instead of a reference")
    target_lengths = _target_lengths("system_lengths", system_lengths, system)
    if len(system) != len(lengths):
        problem = f"{len(system)} alignments for {len(lengths)} sentences"
        raise InputError(system.path, problem, "one for each")
    rows = system.with_lengths(lengths, target_lengths)
    segments = Segments(links=Links(rows, None, lengths, target_lengths), _checked=True)
    scores = {}
    for evaluator_score in evaluator.scores:
        options = dict(evaluator_score.options)
        score = metric(evaluator_score.metric, **options).corpus_score(segments)
        scores[evaluator_score.label] = replace(score, value=evaluator_score.scale * score.value)
    return scores


def _score_orders(
    evaluator: Preset,
    system: OrderRows | Alignments | None,
    alignments: Alignments | None,
    words: list[Sequence[str]] | None,
    lengths: Int64,
    system_lengths: Sequence[int] | Int64 | None,
    reference_lengths: Sequence[int] | Int64 | None,
) -> dict[str, Score]:
    """Return the scores of orders compared with those of reference alignments."""
    if alignments is None:
        raise UsageError("this preset needs the alignment of the source with the reference")
    rule = str(evaluator.rule)
    reference = reference_orders(
        alignments,
        lengths,
        rule=rule,
        unaligned=evaluator.unaligned,
        blocks=evaluator.blocks,
        words=words if rule == "lader" else None,
    )
    penalty: Float64 | None = None
    if isinstance(system, Alignments):
        if not evaluator.two_alignments:
            raise UsageError("this preset compares orders, not alignments, with a reference")
        penalty = brevity_penalty(
            _target_lengths("system_lengths", system_lengths, system),
            _target_lengths("reference_lengths", reference_lengths, alignments),
        )
        system = reference_orders(system, lengths, rule=rule, unaligned=evaluator.unaligned)
    elif system is None:
        system = Orders.from_rows([np.arange(length, dtype=np.int32) for length in lengths])
    segments = Segments.from_orders(system, reference)
    _check_complete_orders(segments, lengths)
    is_skipped = _find_skipped_sentences(evaluator, alignments, reference, lengths)
    scores = {}
    for evaluator_score in evaluator.scores:
        order_metric = metric(evaluator_score.metric, **dict(evaluator_score.options))
        statistics = statistics_in_pieces(order_metric, segments)
        if evaluator_score.empty is not None:
            statistics[segments.permutation.lengths == 0] = (evaluator_score.empty, 1.0)
        if penalty is not None:
            statistics[:, 0] *= penalty
        statistics[is_skipped] = 0.0
        running = Accumulator(order_metric)
        running.add(segments, statistics)
        score = running.compute()
        if evaluator.two_alignments:
            brevity = ("brevity", "no" if penalty is None else "yes")
            score = replace(score, signature=score.signature.with_fields(brevity))
        scores[evaluator_score.label] = score
    return scores


def _read_source(source: SourceText) -> tuple[list[Sequence[str]] | None, Int64]:
    """Return the words of the source sentences (None if only lengths are known) and the lengths."""
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
    """Return the lengths of the translations, from the caller or the alignments."""
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


def _check_complete_orders(segments: Segments, lengths: Int64) -> None:
    """Raise an error unless each order has all words of its source sentence."""
    wrong_rows = np.flatnonzero(segments.system_lengths != lengths)
    if len(wrong_rows):
        row = int(wrong_rows[0])
        problem, expected = f"{segments.system_lengths[row]} words", f"the {lengths[row]} words"
        raise InputError(f"system, row {row + 1}", problem, f"{expected} of the source")


def _find_skipped_sentences(
    preset: Preset, alignments: Alignments, reference: Orders, lengths: Int64
) -> Bool:
    """Return which sentences the evaluator leaves out, bool[S]."""
    if preset.skips == "not-comparable":
        return ~span_ranks(alignments, lengths)[1]
    is_skipped = np.zeros(len(reference), np.bool_)
    if preset.skips == "one-rank":
        is_skipped = reference.lengths < 2
        if reference.ranks is not None:
            ends = reference.ranks.offsets[1:][~is_skipped] - 1
            is_skipped[~is_skipped] = reference.ranks.values[ends] == 0
    return is_skipped
