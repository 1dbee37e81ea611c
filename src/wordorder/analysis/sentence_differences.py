"""Sentences on which two systems score most differently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.examples import SHOWN
from wordorder.analysis.finding import Finding
from wordorder.analysis.mean_scores import NEAR, mean_scores
from wordorder.analysis.order_text import sentence_texts
from wordorder.analysis.placement import Placement
from wordorder.analysis.points import points
from wordorder.analysis.section import Section, Value
from wordorder.analysis.system import AnalysedSystem
from wordorder.analysis.worst_sentences import NOTE, sentence_names
from wordorder.counts import counted
from wordorder.metrics.called import called
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class SentenceDifferences:
    """Two systems, sentence by sentence.

    Attributes
    ----------
    difference : float64[S]
        The first system's score minus the second's; 0 unless both are scored.
    better, worse, equal : int
        In how many sentences the first system scores better than the second, worse, the same.
    other_order : int
        In how many of all sentences their orders differ.
    mean : float
        Of the sentences that both score.
    interval : (low, high)
        The 95 % interval of the mean by paired bootstrap resampling.
    p_value : float
    ranked : int64[D]
        The sentences with a difference, the largest first, whichever system it favours; of
        equal ones the longer sentence first.
    """

    difference: Float64
    better: int
    worse: int
    equal: int
    other_order: int
    mean: float
    interval: tuple[float, float]
    p_value: float
    ranked: Int64


def sentence_differences(
    corpus: Corpus,
    first: AnalysedSystem,
    second: AnalysedSystem,
    *,
    higher_is_better: bool = True,
    resamples: int = 1000,
    seed: int = 12345,
) -> SentenceDifferences:
    """Compare the scores of two systems sentence by sentence.

    Parameters
    ----------
    corpus : Corpus
    first, second : AnalysedSystem
        Scored under the same metric.
    higher_is_better : bool
        Of the metric.
    resamples, seed
        Of the interval.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> kept, turned = Orders.from_rows([[0, 1]] * 2), Orders.from_rows([[1, 0], [0, 1]])
    >>> corpus = Corpus(Treebank.from_words([["a", "b"]] * 2), kept)
    >>> a = AnalysedSystem("A", turned, np.array([0.0, 1.0]), np.zeros(2, bool))
    >>> b = AnalysedSystem("B", kept, np.array([1.0, 1.0]), np.zeros(2, bool))
    >>> found = sentence_differences(corpus, a, b)
    >>> found.better, found.worse, found.equal, found.ranked.tolist(), found.mean
    (0, 1, 1, [0], -0.5)
    """
    both = ~first.skipped & ~second.skipped
    difference = np.where(both, first.scores - second.scores, 0.0)
    difference[np.abs(difference) < NEAR] = 0.0
    gain = difference if higher_is_better else -difference
    differing = np.flatnonzero(difference)
    size = np.round(np.abs(difference[differing]), 12)
    order = np.lexsort((differing, -corpus.words.lengths[differing], -size))
    weights = both.astype(np.float64)
    statistics = [
        np.stack([np.where(both, each.scores, 0.0), weights], axis=1) for each in (second, first)
    ]
    (comparison,) = paired_bootstrap(
        [Measurement(statistics, mean_scores, higher_is_better)], resamples=resamples, seed=seed
    )
    pair = comparison.pair(0, 1)
    return SentenceDifferences(
        difference=difference,
        better=int(np.count_nonzero(gain > 0)),
        worse=int(np.count_nonzero(gain < 0)),
        equal=int(np.count_nonzero(both & (difference == 0))),
        other_order=_different_orders(first, second),
        mean=pair.difference,
        interval=pair.interval_95 or (pair.difference, pair.difference),
        p_value=pair.p_value,
        ranked=differing[order],
    )


def sentence_difference_section(
    corpus: Corpus,
    systems: tuple[AnalysedSystem, AnalysedSystem],
    placements: tuple[Placement, Placement],
    *,
    metric: str = "frs",
    higher_is_better: bool = True,
    resamples: int = 1000,
    seed: int = 12345,
    rows: int = 20,
    suffix: str = "",
) -> Section:
    """Make the table ``sentence-differences`` of two systems.

    Parameters
    ----------
    corpus : Corpus
    systems : two AnalysedSystem
    placements : two Placement
        Of these systems.
    metric, higher_is_better, resamples, seed
        As in `sentence_differences`.
    rows : int
        How many sentences.
    suffix : str
        What the key ends in.
    """
    first, second = systems
    compared = sentence_differences(
        corpus, first, second, higher_is_better=higher_is_better, resamples=resamples, seed=seed
    )
    chosen = compared.ranked[:rows].tolist()
    names = sentence_names(corpus, chosen)
    table: list[tuple[Value, ...]] = []
    for sentence, name in zip(chosen, names, strict=True):
        source, result, reference = sentence_texts(corpus, sentence, first.orders, placements[0])
        _, other, _ = sentence_texts(corpus, sentence, second.orders, placements[1])
        table.append(
            (
                sentence + 1,
                *name,
                float(first.scores[sentence]),
                float(second.scores[sentence]),
                float(compared.difference[sentence]),
                int(corpus.words.lengths[sentence]),
                *(source, result, other, reference),
            )
        )
    low, high = compared.interval
    return Section(
        findings=_findings(first.name, second.name, compared) if metric == "frs" else (),
        key=f"sentence-differences{suffix}",
        title=f"Sentences where two systems differ most: {first.name} and {second.name}",
        reading=f"{first.name} scores better than {second.name} in "
        f"{counted(compared.better, 'sentence')}, worse in {compared.worse}, the same in "
        f"{compared.equal}; their orders differ in {compared.other_order}. "
        f"The mean difference is {compared.mean:+.4f} {called(metric)}, with a "
        f"95 % interval from {low:+.4f} to {high:+.4f} (p = {max(compared.p_value, 1e-4):.4f}, "
        f"paired bootstrap resampling): "
        + ("more than chance." if not low <= 0 <= high else "that may be chance."),
        header=(
            "sentence",
            *(("id",) if names and names[0] else ()),
            *(f"{metric} of {first.name}", f"{metric} of {second.name}", "difference", "words"),
            *("source", f"system order of {first.name}", f"system order of {second.name}"),
            "reference order",
        ),
        rows=tuple(table),
        examples=tuple((sentence,) for sentence in chosen),
        note=NOTE,
    )


def _findings(first: str, second: str, compared: SentenceDifferences) -> tuple[Finding, ...]:
    """Say what the first system would gain where the second one is better."""
    both = compared.better + compared.worse + compared.equal
    lost = -np.minimum(compared.difference, 0.0)
    total = 100 * float(lost.sum()) / max(both, 1)
    if total <= 0:
        return ()
    sentence = (
        f"{second} orders {compared.worse} of {counted(both, 'sentence')} better than {first}; "
        f"with its order in these sentences, the FRS of {first} would rise by {points(total)} "
        "points."
    )
    shown = compared.ranked[lost[compared.ranked] > 0][:SHOWN]
    return (Finding(sentence, total, tuple(shown.tolist())),)


def _different_orders(first: AnalysedSystem, second: AnalysedSystem) -> int:
    """Count the sentences that two systems put into different orders."""
    one, two = first.orders.positions, second.orders.positions
    same_length = one.lengths == two.lengths
    if same_length.all():
        different = one.values != two.values
        sentences = np.repeat(np.arange(len(one)), one.lengths)
        return int(np.count_nonzero(np.bincount(sentences[different])))
    pairs = zip(one, two, strict=True)
    return sum(not np.array_equal(a, b) for a, b in pairs)
