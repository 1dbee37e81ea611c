"""Single sentences: the worst of a system, and those where two systems differ most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.analysis import section
from wordorder.analysis.corpus import AnalysedSystem, Corpus, Look, Placement, placement
from wordorder.analysis.tally import NEAR, SHOWN, Tally, largest_first, mean_scores
from wordorder.arrays import Float64, Int64
from wordorder.messages import counted
from wordorder.metrics.registry import called
from wordorder.order.orders import Order, Orders
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.text import display

# The worst of fewer sentences say nothing.
FEW = 20

MARKS = (
    f"In a system order, {display.BREAK} marks the start of a new chunk, and {display.OPEN}these "
    f"words{display.CLOSE} are not in the reference. In the reference order, {display.TIE} these "
    f"words {display.END_OF_TIE} may come in any order. {display.ESCAPES}"
)

NOTE = f"{MARKS} Of sentences with equal scores, the longest come first."


def worst_sentences(
    corpus: Corpus, system: AnalysedSystem, *, higher_is_better: bool = True
) -> Int64:
    """Return the numbers of the scored sentences, the worst first.

    Of equal scores longer sentences come first, of equally long ones the earlier.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> orders = Orders.from_rows([[0, 1], [1, 0], [2, 1, 0]])
    >>> words = Treebank.from_words([["a", "b"], ["a", "b"], ["a", "b", "c"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 1], [0, 1], [0, 1, 2]]))
    >>> system = AnalysedSystem("A", orders, np.array([1.0, 0, 0]), np.zeros(3, bool))
    >>> worst_sentences(corpus, system).tolist()
    [2, 1, 0]
    """
    scored = np.flatnonzero(~system.skipped)
    bad = -system.scores[scored] if higher_is_better else system.scores[scored]
    return scored[largest_first(bad, corpus.words.lengths[scored])]


def worst_sentence_section(look: Look, *, rows: int = 20) -> section.Section:
    """Make the table ``worst-sentences`` of the first system.

    Parameters
    ----------
    look : Look
    rows : int
        How many sentences.
    """
    corpus, system, placement = look.corpus, look.system, look.placement
    higher = look.metric.higher_is_better
    chosen = worst_sentences(corpus, system, higher_is_better=higher)[:rows].tolist()
    return _of_sentences(
        *(corpus, system, placement, look.metric.name, chosen),
        findings=_findings(system, placement, len(corpus.words)),
        key="worst-sentences",
        title=f"Worst sentences: {system.name}",
        reading=f"{system.name} orders {placement.right} of {placement.scored} "
        f"sentences as the reference does; sentences with the worst {called(look.metric.name)} "
        "come first.",
        note=NOTE,
    )


def chosen_sentence_section(
    corpus: Corpus, system: AnalysedSystem, signature: str, chosen: list[int]
) -> section.Section:
    """Make the table ``chosen-sentences`` of a system, scored under the metric of a signature."""
    return _of_sentences(
        *(corpus, system, placement(corpus, system.orders), signature.partition("|")[0], chosen),
        key="chosen-sentences",
        title=f"Chosen sentences: {system.name}",
        reading=f"The output of {system.name} for the sentences that were asked for.",
        note=MARKS,
        signature=signature,
    )


def _of_sentences(
    corpus: Corpus,
    system: AnalysedSystem,
    placement: Placement,
    metric: str,
    chosen: list[int],
    **others: Any,
) -> section.Section:
    """Make a table of sentences of a system, with the orders of their words."""
    names = sentence_names(corpus, chosen)
    boundaries = np.bincount(placement.sentences[placement.begins], minlength=len(corpus.words))
    table: list[tuple[section.Value, ...]] = []
    for sentence, name in zip(chosen, names, strict=True):
        table.append(
            (
                sentence + 1,
                *name,
                None if system.skipped[sentence] else float(system.scores[sentence]),
                int(corpus.words.lengths[sentence]),
                int(boundaries[sentence]),
                *sentence_texts(corpus, sentence, system.orders, placement),
            )
        )
    return section.Section(
        group=section.Group.SENTENCES,
        header=(
            "sentence",
            *(("id",) if names and names[0] else ()),
            *(metric, "words", "broken", "source", "system order", "reference order"),
        ),
        rows=tuple(table),
        examples=tuple((sentence,) for sentence in chosen),
        **others,
    )


def _findings(
    system: AnalysedSystem, placement: Placement, sentences: int
) -> tuple[section.Finding, ...]:
    """Say how much is lost in the tenth of the sentences that lose most."""
    lost = 100 * Tally(placement.sentences, sentences).sums(placement.lost)
    worst = largest_first(lost)[: -(-placement.scored // 10)]
    total = float(lost[worst].sum())
    if placement.scored < FEW or total <= 0:
        return ()
    sentence = (
        f"The {len(worst)} worst of {placement.scored} sentences of {system.name} account for "
        f"{section.of_the_loss(total, placement.frs)}."
    )
    return (section.Finding(sentence, total, tuple(worst[:SHOWN].tolist())),)


def sentence_names(corpus: Corpus, sentences: list[int]) -> list[tuple[str | None, ...]]:
    """Return the ``sent_id`` of each sentence in a tuple, or empty tuples if none has any."""
    names = [corpus.words.margins[sentence].value("sent_id") for sentence in sentences]
    return [(name,) for name in names] if any(names) else [() for _ in names]


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


def sentence_differences(
    corpus: Corpus,
    first: AnalysedSystem,
    second: AnalysedSystem,
    *,
    measurement: Measurement | None = None,
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
    measurement : Measurement, optional
        The statistics of both; without it, the difference is that of the means of sentences.
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
    order = largest_first(np.abs(difference[differing]), corpus.words.lengths[differing])
    if measurement is None:
        statistics = np.stack(
            [np.stack([s.scores, np.ones(len(both))], 1) for s in (first, second)]
        )
        measurement = Measurement(statistics, mean_scores, higher_is_better)
    shared = Measurement(
        measurement.statistics[::-1] * both[:, np.newaxis], measurement.score, higher_is_better
    )
    (comparison,) = paired_bootstrap([shared], resamples=resamples, seed=seed)
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


def sentence_difference_section(look: Look, *, rows: int = 20) -> section.Section:
    """Make the table ``sentence-differences`` of the first two systems.

    Parameters
    ----------
    look : Look
    rows : int
        How many sentences.
    """
    corpus, metric = look.corpus, look.metric.name
    (first, second), placements = look.systems[:2], look.placements
    compared = sentence_differences(
        corpus,
        first,
        second,
        measurement=look.only(0, 1).measurement,
        higher_is_better=look.metric.higher_is_better,
        resamples=look.drawn.resamples,
        seed=look.drawn.seed,
    )
    chosen = compared.ranked[:rows].tolist()
    names = sentence_names(corpus, chosen)
    table: list[tuple[section.Value, ...]] = []
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
    return section.Section(
        findings=_difference_findings(first.name, second.name, compared)
        if look.is_mean_frs
        else (),
        key="sentence-differences",
        group=section.Group.SENTENCES,
        title=f"Sentences where two systems differ most: {first.name} and {second.name}",
        reading=f"{first.name} scores better than {second.name} in "
        f"{counted(compared.better, 'sentence')}, worse in {compared.worse}, the same in "
        f"{compared.equal}; their orders differ in {compared.other_order}. "
        f"The difference on all sentences together is {compared.mean:+.4f} {called(metric)}, "
        f"with a 95 % interval from {low:+.4f} to {high:+.4f} "
        f"(p = {max(compared.p_value, 1e-4):.4f}, paired bootstrap resampling): "
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


def _difference_findings(
    first: str, second: str, compared: SentenceDifferences
) -> tuple[section.Finding, ...]:
    """Say what the first system would gain where the second one is better."""
    both = compared.better + compared.worse + compared.equal
    lost = -np.minimum(compared.difference, 0.0)
    total = 100 * float(lost.sum()) / max(both, 1)
    if total <= 0:
        return ()
    sentence = (
        f"{second} orders {compared.worse} of {counted(both, 'sentence')} better than {first}; "
        f"with its order in these sentences, the FRS of {first} would rise by "
        f"{section.points(total)} points."
    )
    worst = compared.ranked[lost[compared.ranked] > 0][:SHOWN]
    return (section.Finding(sentence, total, tuple(worst.tolist())),)


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


# Words of a long sentence that are shown.
WORDS = 100


def sentence_texts(
    corpus: Corpus, sentence: int, orders: Orders, placement: Placement
) -> tuple[str, display.Marked, display.Marked]:
    """Return source, result and reference of a sentence, of a system with these orders.

    Parameters
    ----------
    corpus : Corpus
    sentence : int
        From 0.
    orders : Orders
    placement : Placement
        Of the same orders.
    """
    start = int(corpus.words.offsets[sentence])
    words = corpus.words.form[start : int(corpus.words.offsets[sentence + 1])].strings()
    order = orders.positions[sentence]
    return (
        shortened_text(words),
        result_text(words, order.tolist(), placement.begun(sentence, start + order)),
        reference_text(words, corpus.reference[sentence]),
    )


def result_text(
    words: Sequence[str], order: Sequence[int], broken: Sequence[bool | None]
) -> display.Marked:
    """Write a system's order with a mark where a new chunk begins.

    Parameters
    ----------
    words : sequence of str
        The source sentence.
    order : sequence of int
        The positions in the order of the system.
    broken : sequence of bool or None
        For each position of the order whether a chunk begins before it; None for a word that the
        reference does not have, which is marked too.

    Examples
    --------
    >>> result_text(["she", "can", "read", "it"], [0, 2, 3, 1], [False, True, True, None])
    'she ¦ read ¦ it ⟦can⟧'
    """
    free = {place for place, new in enumerate(broken) if new is None}
    breaks = {place for place, new in enumerate(broken) if new}
    forms = [words[position] for position in order]
    return display.Marked(f"{display.marked(forms[:WORDS], free, breaks)}{_more(forms)}")


def reference_text(words: Sequence[str], order: Order) -> display.Marked:
    """Write a reference order with double braces around words that tie.

    As the gold reorderings in Talbot et al. (2011), Figures 1 and 2.

    Examples
    --------
    >>> reference_text(["she", "can", "read", "it"], Order(((0,), (3,), (1, 2))))
    'she it {{ can read }}'
    """
    parts = []
    for group in order.groups:
        tied = [display.escaped(words[position]) for position in group]
        if len(tied) > 1:
            tied[0] = f"{display.TIE} {tied[0]}"
            tied[-1] = f"{tied[-1]} {display.END_OF_TIE}"
        parts += tied
    return display.Marked(shortened_text(parts))


def shortened_text(words: Sequence[str]) -> str:
    """Join words with blanks, the first hundred of them.

    Examples
    --------
    >>> shortened_text(["a", "b"]), shortened_text(["a"] * 103)[-20:]
    ('a b', 'a a ... 3 more words')
    """
    return " ".join(words[:WORDS]) + _more(words)


def _more(words: Sequence[str]) -> str:
    """Say how many words are left out, if any are."""
    more = len(words) - WORDS
    return "" if more <= 0 else f" ... {more} more words"


def system_overview_section(look: Look, intervals: section.ScoreIntervals) -> section.Section:
    """Make the table ``systems``: the score of each with its interval, and what it gets right.

    Parameters
    ----------
    look : Look
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
    return section.Section(
        key="systems",
        group=section.Group.SCORES,
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
