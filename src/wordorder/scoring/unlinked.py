"""Notes on words without a link: which system would be best if they were placed elsewhere."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from statistics import fmean

import numpy as np

from wordorder.metrics.contract import BaseMetric
from wordorder.notes import note
from wordorder.order.reading import OrderReader
from wordorder.order.unlinked import MovedOrderReader, UnlinkedWords
from wordorder.scoring.file_formats import order_inputs, order_reader
from wordorder.scoring.files import Files
from wordorder.scoring.runs import Runs
from wordorder.scoring.signatures import with_signatures
from wordorder.scoring.systems import Evaluation, score_inputs
from wordorder.statistics.intervals import RESOLUTION
from wordorder.text.names import read_only_once
from wordorder.text.opening import display_name

# Above this share of words without a link, a note explains how they are placed.
NOTED_SHARE = 0.2


def other_winners(
    names: Sequence[str],
    metric: BaseMetric,
    values: Mapping[str, Sequence[float]],
    share: str,
    *,
    metric_name: str = "",
    option: str = "--unaligned, ",
    remark: str = "",
) -> str:
    """Describe which systems are best under other treatments of words without a link.

    Parameters
    ----------
    names : sequence of str
        The names of the systems.
    metric : BaseMetric
        The metric of the values.
    values : mapping of str to sequence of float
        The value of each system by treatment; the requested treatment comes first.
    share : str
        The share of words without a link.
    metric_name : str
        The name of the metric in the sentence, if it differs from its own.
    option : str
        The option for the treatment.
    remark : str
        The end of the sentence.

    Returns
    -------
    str
        One line; empty if the same system is best under all treatments.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> values = {"next": [0.6, 0.5], "drop": [0.7, 0.8]}
    >>> other_winners("AB", metric("frs"), values, "9 %").partition(": ")[2]
    'next: A (0.600; B 0.500), drop: B (0.800; A 0.700)'
    """
    sign = 1 if metric.higher_is_better else -1
    signed = {treatment: sign * np.array(scores) for treatment, scores in values.items()}
    best = {treatment: int(np.argmax(scores)) for treatment, scores in signed.items()}
    requested = next(iter(values))
    winner = best[requested]
    differing = [
        treatment
        for treatment, scores in signed.items()
        if scores[best[treatment]] - scores[winner] > RESOLUTION * abs(scores[winner])
    ]
    if not differing:
        return ""

    def describe(treatment: str, first: int, second: int) -> str:
        scores = values[treatment]
        second_text = f"{names[second]} {scores[second]:.3f}"
        return f"{treatment}: {names[first]} ({scores[first]:.3f}; {second_text})"

    winners = [describe(requested, winner, best[differing[0]])]
    winners += [describe(treatment, best[treatment], winner) for treatment in differing]
    return (
        f"which system is best by {metric_name or metric.name} depends on {option}the place of "
        f"words without a link ({share}): {', '.join(winners)}{remark}"
    )


def with_unlinked_words(
    files: Files,
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    runs: Runs | None = None,
) -> Evaluation:
    """Add to the signatures how reference orders place words without a link, if this is known.

    It is known if a file next to the reference describes it. A note is logged if another treatment
    of these words makes another system the best by the first metric, or if many words have no link.
    For systems with several `runs`, their means are compared.
    """
    unlinked = UnlinkedWords.read_for(files.reference)
    if unlinked is None:
        return evaluation
    names = files.names if runs is None else runs.names
    can_compare = len(names) > 1 and not any(map(read_only_once, files.system_paths))
    if can_compare and (winners := _winners_of_files(files, unlinked, evaluation, metrics, runs)):
        note(winners)
    elif unlinked.share > NOTED_SHARE:
        rule = f"rule {unlinked.rule}, unaligned {unlinked.unaligned}"
        reference = display_name(files.reference)
        note(f"{unlinked} of {reference} have no link; their place follows from a rule ({rule})")
    fields = unlinked.provenance
    return with_signatures(evaluation, metrics, lambda score, _: score.with_fields(*fields))


def _winners_of_files(
    files: Files,
    unlinked_words: UnlinkedWords,
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    runs: Runs | None,
) -> str:
    """Score the systems by the first metric under other treatments; see `other_winners`."""
    from wordorder.order.matching import WordIdReader

    def system_values(evaluation: Evaluation) -> list[float]:
        values = [system.scores[0].value for system in evaluation.systems]
        return values if runs is None else [fmean(values[s.start : s.stop]) for s in runs.spans]

    requested = unlinked_words.unaligned
    values = {requested: system_values(evaluation)}
    if not unlinked_words.unlinked or not np.isfinite(values[requested]).all():
        return ""
    for treatment in unlinked_words.other_treatments:
        with ExitStack() as stack:
            readers = [
                stack.enter_context(order_reader(path, files)) for path in files.system_paths
            ]
            unlinked = stack.enter_context(OrderReader(unlinked_words.path))
            orders = stack.enter_context(OrderReader(files.reference))
            reference = MovedOrderReader(orders, unlinked, unlinked_words.rule, treatment)
            words = None
            if files.source and metrics[0].match != "index":
                words = stack.enter_context(WordIdReader(files.source))
            inputs = order_inputs(reference, readers, files.names, words)
            values[treatment] = system_values(score_inputs(inputs, metrics[:1]))
    reference_name = os.path.basename(display_name(files.reference))
    return other_winners(
        *(files.names if runs is None else runs.names, metrics[0], values, str(unlinked_words)),
        option="",
        remark=f" ({reference_name} has {requested})",
    )
