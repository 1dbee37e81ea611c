"""Notes on words without a link: which systems would be best if they had another place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from statistics import fmean

import numpy as np

from wordorder.metrics.contract import BaseMetric, Score
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

# A note says how words without a link are placed if more than this share of the words has none.
NOTED_SHARE = 0.2


def other_winners(
    names: Sequence[str],
    metric: BaseMetric,
    values: Mapping[str, Sequence[float]],
    share: str,
    *,
    called: str = "",
    choice: str = "--unaligned, ",
    more: str = "",
) -> str:
    """Say in one line if the best system is another where words without a link are elsewhere.

    Parameters
    ----------
    names : sequence of str
        The systems.
    metric : BaseMetric
        That of the values.
    values : mapping of str to sequence of float
        The value of each system under each treatment of these words; that which was asked for
        comes first.
    share : str
        How many words have no link.
    called : str
        What the sentence calls the metric, if not by its name.
    choice : str
        What chooses the treatment.
    more : str
        What shows more.

    Returns
    -------
    str
        Empty if it is the same one.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> values = {"next": [0.6, 0.5], "drop": [0.7, 0.8]}
    >>> other_winners("AB", metric("frs"), values, "9 %").partition(": ")[2]
    'next: A (0.600; B 0.500), drop: B (0.800; A 0.700)'
    """
    sign = 1 if metric.higher_is_better else -1
    signed = {place: sign * np.array(each) for place, each in values.items()}
    best = {place: int(np.argmax(each)) for place, each in signed.items()}
    asked = next(iter(values))
    first = best[asked]
    others = [
        place
        for place, each in signed.items()
        if each[best[place]] - each[first] > RESOLUTION * abs(each[first])
    ]
    if not others:
        return ""

    def shown(place: str, winner: int, other: int) -> str:
        of = values[place]
        return f"{place}: {names[winner]} ({of[winner]:.3f}; {names[other]} {of[other]:.3f})"

    winners = [shown(asked, first, best[others[0]])]
    winners += [shown(place, best[place], first) for place in others]
    return (
        f"which system is best by {called or metric.name} depends on {choice}the place of words "
        f"without a link ({share}): {', '.join(winners)}{more}"
    )


def with_unlinked_words(
    files: Files,
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    runs: Runs | None = None,
) -> Evaluation:
    """Say how reference orders place words without a link, if a file beside them tells.

    The rule and the treatment go into the signatures. A note says if another treatment makes
    another system the best by the first metric, or that many words have no link. Of systems with
    several `runs` the means count.
    """
    found = UnlinkedWords.read_for(files.reference)
    if found is None:
        return evaluation
    names = files.names if runs is None else runs.names
    several = len(names) > 1 and not any(map(read_only_once, files.system_paths))
    if several and (winners := _winners_of_files(files, found, evaluation, metrics, runs)):
        note(winners)
    elif found.share > NOTED_SHARE:
        how = f"rule {found.rule}, unaligned {found.unaligned}"
        reference = display_name(files.reference)
        note(f"{found} of {reference} have no link; their place follows from a rule ({how})")

    def signed(score: Score, metric: BaseMetric) -> Score:
        return replace(score, signature=score.signature.with_fields(*found.provenance))

    return with_signatures(evaluation, metrics, signed)


def _winners_of_files(
    files: Files,
    found: UnlinkedWords,
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    runs: Runs | None,
) -> str:
    """Score the systems by the first metric under the other treatments, and say other winners."""
    from wordorder.order.matching import WordIdReader

    def of_systems(scored: Evaluation) -> list[float]:
        each = [system.scores[0].value for system in scored.systems]
        return each if runs is None else [fmean(each[s.start : s.stop]) for s in runs.spans]

    values = {found.unaligned: of_systems(evaluation)}
    if not found.unlinked or not np.isfinite(values[found.unaligned]).all():
        return ""
    for unaligned in found.other_treatments:
        with ExitStack() as stack:
            readers = [
                stack.enter_context(order_reader(path, files)) for path in files.system_paths
            ]
            listed = stack.enter_context(OrderReader(found.path))
            orders = stack.enter_context(OrderReader(files.reference))
            reference = MovedOrderReader(orders, listed, found.rule, unaligned)
            words = None
            if files.source and metrics[0].match != "index":
                words = stack.enter_context(WordIdReader(files.source))
            inputs = order_inputs(reference, readers, files.names, words)
            other = score_inputs(inputs, metrics[:1])
        values[unaligned] = of_systems(other)
    reference_name = os.path.basename(display_name(files.reference))
    return other_winners(
        *(files.names if runs is None else runs.names, metrics[0], values, str(found)),
        choice="",
        more=f" ({reference_name} has {found.unaligned})",
    )
