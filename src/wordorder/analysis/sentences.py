"""Tables of the systems, of their worst sentences, and of sentences on which two systems differ."""

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Placement
from wordorder.analysis.findings import describe_loss, format_points
from wordorder.analysis.order_texts import ORDER_MARKS
from wordorder.analysis.section import Finding, Group, Section
from wordorder.analysis.sentence_tables import (
    ranked_differences,
    sentence_section,
    worst_sentences,
)
from wordorder.analysis.tally import EXAMPLE_COUNT, Tally, largest_first
from wordorder.arrays import Float64, Int64
from wordorder.messages import counted
from wordorder.metrics.registry import called
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap

# Corpora with fewer scored sentences have no finding about the worst tenth.
MIN_SENTENCES = 20

NOTE = f"{ORDER_MARKS} Of sentences with equal scores, the longest come first."


def worst_sentence_section(analysed: AnalysedOrders, *, rows: int = 20) -> Section:
    """Make the table ``worst-sentences`` of the first system.

    Parameters
    ----------
    analysed : AnalysedOrders
    rows : int
        The number of sentences.
    """
    system, placement = analysed.system, analysed.placement
    return sentence_section(
        analysed,
        0,
        worst_sentences(analysed)[:rows].tolist(),
        findings=_findings(system, placement, len(analysed)),
        key="worst-sentences",
        title=f"Worst sentences: {system.name}",
        reading=f"{system.name} orders {placement.right} of {placement.scored} "
        f"sentences as the reference does; sentences with the worst {called(analysed.metric.name)} "
        "come first.",
        note=NOTE,
    )


def _findings(system: AnalysedSystem, placement: Placement, sentences: int) -> tuple[Finding, ...]:
    """Return a finding about the tenth of the sentences that lose most."""
    losses = 100 * Tally(placement.sentences, sentences).sums(placement.lost)
    worst = largest_first(losses)[: -(-placement.scored // 10)]
    total = float(losses[worst].sum())
    if placement.scored < MIN_SENTENCES or total <= 0:
        return ()
    sentence = (
        f"The {len(worst)} worst of {placement.scored} sentences of {system.name} account for "
        f"{describe_loss(total, placement.frs)}."
    )
    return (Finding(sentence, total, tuple(worst[:EXAMPLE_COUNT].tolist())),)


@dataclass(frozen=True, eq=False)
class SentenceDifferences:
    """The differences between the scores of two systems, sentence by sentence.

    Attributes
    ----------
    difference : float64[S]
        The first system's score minus the second's; 0 unless both are scored.
    better, worse, equal : int
        The numbers of sentences in which the first system scores better, worse, and the same.
    other_order : int
        The number of sentences in which their orders differ.
    mean : float
        The difference of the corpus scores on the sentences that are scored for both.
    interval : (low, high)
        The 95 % interval of `mean` by paired bootstrap resampling.
    p_value : float
    ranked : int64[D]
        The indices of the sentences with a difference, the largest absolute difference first; of
        equal differences the longer sentence.
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


def sentence_differences(view: AnalysedOrders) -> SentenceDifferences:
    """Compare the scores of the first two systems sentence by sentence.

    Examples
    --------
    >>> from wordorder.analysis.corpus import Corpus, scored_system
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> orders = {"A": [[1, 0], [0, 1]], "B": [[0, 1], [0, 1]]}
    >>> words = Treebank.from_words([["a", "b"]] * 2)
    >>> corpus, frs = Corpus(words, Orders.from_rows(orders["B"])), metric("frs")
    >>> systems = [scored_system(n, Orders.from_rows(orders[n]), corpus, frs) for n in orders]
    >>> compared = sentence_differences(AnalysedOrders.of(corpus, systems, frs))
    >>> compared.better, compared.worse, compared.equal, compared.ranked.tolist(), compared.mean
    (0, 1, 1, [0], -0.5)
    """
    view = view.only(0, 1)
    first, second = view.systems
    ranked, gain = ranked_differences(view, (0, 1))
    both_scored = ~np.isnan(gain)
    gain = np.where(both_scored, gain, 0.0)
    measured = view.measurement()
    shared = Measurement(
        measured.statistics[::-1] * both_scored[:, np.newaxis],
        measured.score,
        measured.higher_is_better,
    )
    (comparison,) = paired_bootstrap([shared], resamples=view.drawn.resamples, seed=view.drawn.seed)
    pair = comparison.pair(0, 1)
    return SentenceDifferences(
        difference=gain if view.metric.higher_is_better else -gain,
        better=int(np.count_nonzero(gain > 0)),
        worse=int(np.count_nonzero(gain < 0)),
        equal=int(np.count_nonzero(both_scored & (gain == 0))),
        other_order=_count_different_orders(first, second),
        mean=pair.difference,
        interval=pair.interval_95 or (pair.difference, pair.difference),
        p_value=pair.p_value,
        ranked=ranked,
    )


def sentence_difference_section(analysed: AnalysedOrders, *, rows: int = 20) -> Section:
    """Make the table ``sentence-differences`` of the first two systems.

    Parameters
    ----------
    analysed : AnalysedOrders
    rows : int
        The number of sentences.
    """
    first, second = analysed.systems[:2]
    metric = analysed.metric.name
    compared = sentence_differences(analysed)
    chosen = compared.ranked[:rows].tolist()
    texts = [analysed.sentence_texts(0, sentence) for sentence in chosen]
    low, high = compared.interval
    return Section.of_columns(
        {
            "sentence": [sentence + 1 for sentence in chosen],
            **analysed.sentence_ids(chosen),
            f"{metric} of {first.name}": first.scores[chosen],
            f"{metric} of {second.name}": second.scores[chosen],
            "difference": compared.difference[chosen],
            "words": analysed.corpus.words.lengths[chosen],
            "source": [source for source, _, _ in texts],
            f"system order of {first.name}": [order for _, order, _ in texts],
            f"system order of {second.name}": [
                analysed.sentence_texts(1, sentence)[1] for sentence in chosen
            ],
            "reference order": [reference for _, _, reference in texts],
        },
        findings=_difference_findings(first.name, second.name, compared)
        if analysed.is_mean_frs
        else (),
        key="sentence-differences",
        group=Group.SENTENCES,
        title=f"Sentences where two systems differ most: {first.name} and {second.name}",
        reading=f"{first.name} scores better than {second.name} in "
        f"{counted(compared.better, 'sentence')}, worse in {compared.worse}, the same in "
        f"{compared.equal}; their orders differ in {compared.other_order}. "
        f"The difference on all sentences together is {compared.mean:+.4f} {called(metric)}, "
        f"with a 95 % interval from {low:+.4f} to {high:+.4f} "
        f"(p = {max(compared.p_value, 1e-4):.4f}, paired bootstrap resampling): "
        + ("more than chance." if not low <= 0 <= high else "that may be chance."),
        examples=tuple((sentence,) for sentence in chosen),
        note=NOTE,
        signature=analysed.segment_signature(),
    )


def _difference_findings(
    first: str, second: str, compared: SentenceDifferences
) -> tuple[Finding, ...]:
    """Return a finding about what the first system would gain where the second is better."""
    count = compared.better + compared.worse + compared.equal
    losses = -np.minimum(compared.difference, 0.0)
    total = 100 * float(losses.sum()) / max(count, 1)
    if total <= 0:
        return ()
    sentence = (
        f"{second} orders {compared.worse} of {counted(count, 'sentence')} better than {first}; "
        f"with its order in these sentences, the FRS of {first} would rise by "
        f"{format_points(total)} points."
    )
    worst = compared.ranked[losses[compared.ranked] > 0][:EXAMPLE_COUNT]
    return (Finding(sentence, total, tuple(worst.tolist())),)


def _count_different_orders(first: AnalysedSystem, second: AnalysedSystem) -> int:
    """Count the sentences that two systems put into different orders."""
    rows, other_rows = first.orders.positions, second.orders.positions
    if np.array_equal(rows.lengths, other_rows.lengths):
        different = rows.values != other_rows.values
        sentences = np.repeat(np.arange(len(rows)), rows.lengths)
        return int(np.count_nonzero(np.bincount(sentences[different])))
    pairs = zip(rows, other_rows, strict=True)
    return sum(not np.array_equal(a, b) for a, b in pairs)


def system_overview_section(analysed: AnalysedOrders, intervals: ScoreIntervals) -> Section:
    """Make the table ``systems``: the score, interval and counts of each system.

    Parameters
    ----------
    analysed : AnalysedOrders
    intervals : ScoreIntervals
        The corpus scores of the systems.
    """
    corpus, plan = analysed.corpus, analysed.drawn
    rows = []
    for system, placement, estimate in zip(
        analysed.systems, analysed.placements, intervals.estimates, strict=True
    ):
        words = max(len(placement.words), 1)
        rows.append(
            (
                system.name,
                *(estimate.value, estimate.low, estimate.high),
                int(np.count_nonzero(~system.skipped)),
                int(np.count_nonzero(system.skipped)),
                placement.right,
                int(np.count_nonzero(placement.broken)),
                int(np.count_nonzero(placement.misordered)) / words,
                float(np.abs(placement.displacement).sum()) / words,
            )
        )
    ordered = [rows[number] for number in intervals.ranked()]
    best = ordered[0]
    reading = (
        f"{best[0]} has {called(intervals.metric)} {best[1]:.4f}, with a {100 * plan.level:g} % "
        f"interval from {best[2]:.4f} to {best[3]:.4f}, and orders {best[6]} of {best[4]} "
        "sentences as in the reference."
    )
    equal = sum(round(row[1], 12) == round(best[1], 12) for row in rows)
    if not best[4]:
        reading = "No sentence has words to order, so nothing is scored."
    elif equal < len(rows):
        which = "It is the best of" if equal == 1 else f"It and {equal - 1} more are the best of"
        last = ordered[-1]
        reading += f" {which} {len(rows)} systems; the last is {last[0]} with {last[1]:.4f}."
    elif equal > 1:
        reading += f" All {equal} systems have the same value."
    missing = corpus.words.words - len(corpus.reference.positions.values)
    note = (
        f"low, high: the {plan}. Right: sentences in reference order. Boundaries: "
        "broken chunk boundaries. Misordered: the share of words next to a broken boundary. "
        "Distance: the mean distance of a word from its place in the reference, in words."
    )
    if missing:
        note += f" The reference lacks {missing} of {corpus.words.words} words, which do not count."
    for system, placement in zip(analysed.systems, analysed.placements, strict=True):
        missing = len(corpus.reference.positions.values) - len(placement.words)
        if missing:
            note += f" {system.name} lacks {missing} words of the reference, which do not count."
    return Section(
        key="systems",
        group=Group.SCORES,
        title="Systems",
        reading=reading,
        header=(
            *("system", intervals.metric, "low", "high", "scored", "skipped", "right"),
            *("boundaries", "misordered", "distance"),
        ),
        rows=tuple(ordered),
        note=note,
        signature=intervals.signature,
    )
