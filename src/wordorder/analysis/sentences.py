"""Single sentences: the worst of a system, and those where two systems differ most."""

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Placement
from wordorder.analysis.findings import format_points, of_the_loss
from wordorder.analysis.order_texts import MARKS
from wordorder.analysis.section import Finding, Group, Section
from wordorder.analysis.sentence_tables import (
    ranked_differences,
    sentence_section,
    worst_sentences,
)
from wordorder.analysis.tally import SHOWN, Tally, largest_first
from wordorder.arrays import Float64, Int64
from wordorder.messages import counted
from wordorder.metrics.registry import called
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap

# The worst of fewer sentences say nothing.
FEW = 20

NOTE = f"{MARKS} Of sentences with equal scores, the longest come first."


def worst_sentence_section(look: AnalysedOrders, *, rows: int = 20) -> Section:
    """Make the table ``worst-sentences`` of the first system.

    Parameters
    ----------
    look : AnalysedOrders
    rows : int
        How many sentences.
    """
    system, placement = look.system, look.placement
    return sentence_section(
        look,
        0,
        worst_sentences(look)[:rows].tolist(),
        findings=_findings(system, placement, len(look)),
        key="worst-sentences",
        title=f"Worst sentences: {system.name}",
        reading=f"{system.name} orders {placement.right} of {placement.scored} "
        f"sentences as the reference does; sentences with the worst {called(look.metric.name)} "
        "come first.",
        note=NOTE,
    )


def _findings(system: AnalysedSystem, placement: Placement, sentences: int) -> tuple[Finding, ...]:
    """Say how much is lost in the tenth of the sentences that lose most."""
    lost = 100 * Tally(placement.sentences, sentences).sums(placement.lost)
    worst = largest_first(lost)[: -(-placement.scored // 10)]
    total = float(lost[worst].sum())
    if placement.scored < FEW or total <= 0:
        return ()
    sentence = (
        f"The {len(worst)} worst of {placement.scored} sentences of {system.name} account for "
        f"{of_the_loss(total, placement.frs)}."
    )
    return (Finding(sentence, total, tuple(worst[:SHOWN].tolist())),)


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
        The difference of the scores of all sentences that both score.
    interval : (low, high)
        Its 95 % interval by paired bootstrap resampling.
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
        other_order=_different_orders(first, second),
        mean=pair.difference,
        interval=pair.interval_95 or (pair.difference, pair.difference),
        p_value=pair.p_value,
        ranked=ranked,
    )


def sentence_difference_section(look: AnalysedOrders, *, rows: int = 20) -> Section:
    """Make the table ``sentence-differences`` of the first two systems.

    Parameters
    ----------
    look : AnalysedOrders
    rows : int
        How many sentences.
    """
    first, second = look.systems[:2]
    metric = look.metric.name
    compared = sentence_differences(look)
    chosen = compared.ranked[:rows].tolist()
    texts = [look.sentence_texts(0, sentence) for sentence in chosen]
    low, high = compared.interval
    return Section.of_columns(
        {
            "sentence": [sentence + 1 for sentence in chosen],
            **look.sentence_ids(chosen),
            f"{metric} of {first.name}": first.scores[chosen],
            f"{metric} of {second.name}": second.scores[chosen],
            "difference": compared.difference[chosen],
            "words": look.corpus.words.lengths[chosen],
            "source": [source for source, _, _ in texts],
            f"system order of {first.name}": [order for _, order, _ in texts],
            f"system order of {second.name}": [
                look.sentence_texts(1, sentence)[1] for sentence in chosen
            ],
            "reference order": [reference for _, _, reference in texts],
        },
        findings=_difference_findings(first.name, second.name, compared)
        if look.is_mean_frs
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
        signature=look.segment_signature(),
    )


def _difference_findings(
    first: str, second: str, compared: SentenceDifferences
) -> tuple[Finding, ...]:
    """Say what the first system would gain where the second one is better."""
    both = compared.better + compared.worse + compared.equal
    lost = -np.minimum(compared.difference, 0.0)
    total = 100 * float(lost.sum()) / max(both, 1)
    if total <= 0:
        return ()
    sentence = (
        f"{second} orders {compared.worse} of {counted(both, 'sentence')} better than {first}; "
        f"with its order in these sentences, the FRS of {first} would rise by "
        f"{format_points(total)} points."
    )
    worst = compared.ranked[lost[compared.ranked] > 0][:SHOWN]
    return (Finding(sentence, total, tuple(worst.tolist())),)


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


def system_overview_section(look: AnalysedOrders, intervals: ScoreIntervals) -> Section:
    """Make the table ``systems``: the score of each with its interval, and what it gets right.

    Parameters
    ----------
    look : AnalysedOrders
    intervals : ScoreIntervals
        What the systems score on the whole corpus.
    """
    corpus, drawn = look.corpus, look.drawn
    rows = []
    for system, each, estimate in zip(
        look.systems, look.placements, intervals.estimates, strict=True
    ):
        words = max(len(each.words), 1)
        rows.append(
            (
                system.name,
                *(estimate.value, estimate.low, estimate.high),
                int(np.count_nonzero(~system.skipped)),
                int(np.count_nonzero(system.skipped)),
                each.right,
                int(np.count_nonzero(each.broken)),
                int(np.count_nonzero(each.misordered)) / words,
                float(np.abs(each.displacement).sum()) / words,
            )
        )
    ordered = [rows[number] for number in intervals.ranked()]
    best = ordered[0]
    reading = (
        f"{best[0]} has {called(intervals.metric)} {best[1]:.4f}, with a {100 * drawn.level:g} % "
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
        f"low, high: the {drawn}. Right: sentences in reference order. Boundaries: "
        "broken chunk boundaries. Misordered: the share of words next to a broken boundary. "
        "Distance: the mean distance of a word from its place in the reference, in words."
    )
    if missing:
        note += f" The reference lacks {missing} of {corpus.words.words} words, which do not count."
    for system, each in zip(look.systems, look.placements, strict=True):
        lacking = len(corpus.reference.positions.values) - len(each.words)
        if lacking:
            note += f" {system.name} lacks {lacking} words of the reference, which do not count."
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
