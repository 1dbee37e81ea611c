"""The input of an analysis: a corpus, systems with their scores, and where they put words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.order_texts import ORDER_MARKS, reference_text, result_text, shortened_text
from wordorder.analysis.section import Section
from wordorder.arrays import Bool, Float64, Int32, Int64, Ragged
from wordorder.errors import InputError
from wordorder.metrics.contract import (
    BaseMetric,
    Metric,
    complete_metric,
    left_out_segments,
    statistics_in_pieces,
)
from wordorder.order.orders import Orders, kept_pairs, relative_orders
from wordorder.reordering.rules import RuleSet, check_orders
from wordorder.segments import Segments
from wordorder.statistics.intervals import DEFAULT_PLAN, ResamplingPlan
from wordorder.statistics.measurement import Measurement
from wordorder.text.display import Marked
from wordorder.treebank.treebank import Column, Treebank


@dataclass(frozen=True, eq=False)
class Corpus:
    """The source sentences and the reference that all systems of an analysis share.

    Attributes
    ----------
    words : Treebank
        The source sentences, S of them: their words, and tags, lemmas and comments (``sent_id``,
        ``text``) where they are known. Its heads are not used.
    reference : Orders
        S orders of the source words; they may have ties and lack unaligned words.
    alignments : Alignments, optional
        The links from source to target from which the reference was made, if any; S rows.
    target : tuple of tuples of str
        The words of each target sentence, if they are known; otherwise empty.
    gold : Treebank, optional
        Gold trees and tags of the same words.
    linked : bool[N], optional
        Which words have a link to the target: the reference places the others by a rule.
    """

    words: Treebank
    reference: Orders
    alignments: Alignments | None = None
    target: tuple[tuple[str, ...], ...] = ()
    gold: Treebank | None = None
    linked: Bool | None = None


@dataclass(frozen=True, eq=False)
class AnalysedSystem:
    """A system that is analysed: its orders and their scores.

    Attributes
    ----------
    name : str
        The name in tables, such as ``P1R5``.
    orders : Orders
        S rows.
    scores : float64[S]
        The score of each sentence under the metric of the analysis (FRS); 0 where `skipped`.
    skipped : bool[S]
        Sentences that the metric leaves out: without words in system or reference.
    treebank : Treebank, optional
        The trees that the orders came from, S sentences.
    rules : RuleSet, optional
        The rule set that made the orders from the trees.
    """

    name: str
    orders: Orders
    scores: Float64
    skipped: Bool
    treebank: Treebank | None = None
    rules: RuleSet | None = None

    @property
    def known_scores(self) -> Float64:
        """The scores, NaN where `skipped`."""
        return np.where(self.skipped, np.nan, self.scores)


def scored_system(
    name: str,
    orders: Orders,
    corpus: Corpus,
    metric: Metric,
    *,
    treebank: Treebank | None = None,
    rules: RuleSet | None = None,
) -> AnalysedSystem:
    """Score a system's orders against the reference of a corpus.

    Parameters
    ----------
    name : str
        The name of the system in tables.
    orders : Orders
        S rows over the words of the corpus.
    corpus : Corpus
    metric : Metric
        A metric of orders: one that reads permutations.
    treebank : Treebank, optional
        The trees that the orders came from.
    rules : RuleSet, optional
        The rule set that made the orders from the trees.

    Raises
    ------
    InputError
        If orders, reference or trees do not fit the words of the corpus.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> corpus = Corpus(Treebank.from_words([["a", "b", "c"]]), Orders.from_rows([[2, 0, 1]]))
    >>> scored_system("as it is", Orders.from_rows([[0, 1, 2]]), corpus, metric("frs")).scores
    array([0.5])
    """
    check_orders(corpus.reference, corpus.words)
    check_orders(orders, corpus.words, name=name)
    if treebank is not None and not np.array_equal(treebank.offsets, corpus.words.offsets):
        raise InputError(
            f"the trees of {name}",
            f"{len(treebank)} sentences, {treebank.words} words",
            f"the same lengths as the corpus: {len(corpus.words)} sentences, "
            f"{corpus.words.words} words",
        )
    complete = complete_metric(metric)
    statistics = OrderScores(corpus, complete).statistics(orders)
    skipped = left_out_segments(statistics)
    scores = np.where(skipped, 0.0, complete.score_segments(statistics))
    return AnalysedSystem(name, orders, scores, skipped, treebank, rules)


@dataclass(frozen=True, eq=False)
class OrderScores:
    """Scores of orders under a metric, for each sentence and for the corpus.

    Attributes
    ----------
    corpus : Corpus
    metric : BaseMetric
        A metric of orders: one that reads permutations.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.treebank.treebank import Treebank
    >>> corpus = Corpus(Treebank.from_words([["a", "b", "c"]]), Orders.from_rows([[2, 0, 1]]))
    >>> scores = OrderScores(corpus, metric("frs"))
    >>> statistics = scores.statistics(Orders.from_rows([[0, 1, 2], [2, 0, 1]]), np.array([0, 0]))
    >>> scores.of_sentences(statistics).tolist(), scores.value(statistics[:1])
    ([0.5, 1.0], 0.5)
    """

    corpus: Corpus
    metric: BaseMetric

    def statistics(self, orders: Orders, sentences: Int64 | None = None) -> Float64:
        """Return the metric's statistics of each order, float64[T, k].

        Parameters
        ----------
        orders : Orders
            T rows.
        sentences : int64[T], optional
            The sentence of each order, in any order and with repetitions. By default there is one
            order per sentence of the corpus.
        """
        reference, forms = self.corpus.reference, self.corpus.words.form
        offsets = self.corpus.words.offsets
        # Word ids are needed only by metrics that match words by form.
        needs_word_ids = self.metric.match == "first-unmatched"
        source = Ragged(Column.concatenate([forms]).codes, offsets) if needs_word_ids else None
        if sentences is not None:
            reference = reference.take(sentences)
            source = None if source is None else source.take(sentences)
        segments = Segments.from_orders(orders, reference, source=source)
        return statistics_in_pieces(self.metric, segments)

    def of_sentences(self, statistics: Float64) -> Float64:
        """Return the score of each row of statistics, float64[T], larger being better."""
        scores = self.metric.score_segments(statistics)
        return scores if self.metric.higher_is_better else -scores

    def measurement(self, statistics: Sequence[Float64]) -> Measurement:
        """Return a measurement of the statistics of several systems, for comparing them."""
        return Measurement(statistics, self.metric.score, self.metric.higher_is_better)

    def value(self, statistics: Float64) -> float:
        """Return the metric's value of all rows of statistics together, from exact sums."""
        return float(self.measurement([statistics]).values()[0])


@dataclass(frozen=True, eq=False)
class Placement:
    """A system's orders compared with the reference, over the M words that both have.

    Two adjacent words in the system's order are a *boundary*. It is *broken* if they do not follow
    each other in the reference, where ties are resolved in the system's favour: a new chunk begins
    there, and the sentence of m words loses ``1 / (m - 1)`` of its FRS. Each of the two words is
    charged half of that loss, so that ``lost.sum()`` is ``1 - FRS`` without the loss from sentences
    for which the system has no words. A word beside a broken boundary is *misordered*.

    Attributes
    ----------
    words : int64[M]
        The index in the corpus of each word, sentence by sentence, in the system's order.
    sentences : int64[M]
        The sentence of each word.
    displacement : int64[M]
        How many words too far to the right the system puts it, among the words that both have;
        below 0 too far to the left. Words that tie in the reference are read in the system's
        order.
    misordered : bool[M]
    begins : bool[M]
        Whether the boundary before the word is broken.
    lost : float64[M]
        The loss of corpus FRS (a mean over sentences) charged to each word.
    left : int64[B]
        For each boundary, the index of its left word in these arrays; the right word is next.
    broken : bool[B]
    cost : float64[B]
        The loss of corpus FRS if the boundary is broken.
    scored : int
        The number of sentences whose reference has words; FRS is a mean over these.
    missing : int
        The number of scored sentences for which the system has no words; their FRS is 0.
    """

    words: Int64
    sentences: Int64
    displacement: Int64
    misordered: Bool
    begins: Bool
    lost: Float64
    left: Int64
    broken: Bool
    cost: Float64
    scored: int
    missing: int

    @property
    def frs(self) -> float:
        """The FRS of the corpus, 1 if nothing is scored."""
        return 1.0 - float(self.cost[self.broken].sum()) - self.missing / max(self.scored, 1)

    @property
    def right(self) -> int:
        """The number of sentences that are in the order of the reference."""
        return self.scored - self.missing - len(np.unique(self.sentences[self.begins]))

    def of_sentence(self, sentence: int) -> slice:
        """Return the slice of the M words that belongs to a sentence."""
        return slice(*np.searchsorted(self.sentences, [sentence, sentence + 1]).tolist())

    def begun(self, sentence: int, words: Int32 | Int64) -> list[bool | None]:
        """Return whether a chunk begins at each word of a sentence; None if the reference lacks it.

        `words` are indices in the corpus, in the system's order.
        """
        span = self.of_sentence(sentence)
        begins = dict(zip(self.words[span].tolist(), self.begins[span].tolist(), strict=True))
        return [begins.get(word) for word in words.tolist()]


def placement(corpus: Corpus, orders: Orders) -> Placement:
    """Compare a system's orders with the reference, word by word.

    Parameters
    ----------
    corpus : Corpus
    orders : Orders
        S rows over the words of the corpus.

    Raises
    ------
    InputError
        If there are not as many rows as reference orders.

    Notes
    -----
    Chunks are those of the fuzzy reordering score (Talbot et al. 2011, equation 1) with its
    default options: words matched by position, ties in the system's favour, mean of sentences.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["a", "b", "c", "d", "e"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 1, 2, 3, 4]]))
    >>> found = placement(corpus, Orders.from_rows([[0, 1, 4, 2, 3]]))
    >>> found.displacement.tolist(), found.misordered.tolist(), found.frs
    ([0, 0, -2, 1, 1], [False, True, True, True, False], 0.5)
    """
    relative = relative_orders(orders, corpus.reference)
    unbroken, _ = kept_pairs(orders, corpus.reference)
    offsets = relative.permutation.offsets
    lengths = relative.permutation.lengths
    sentences = np.repeat(np.arange(len(lengths)), lengths)
    size = len(sentences)
    starts = corpus.words.offsets[:-1][sentences]
    system_positions = np.arange(size) - offsets[:-1][sentences]

    is_last_word = np.zeros(size, np.bool_)
    is_last_word[offsets[1:][lengths > 0] - 1] = True
    left = np.flatnonzero(~is_last_word)
    scored = int(np.count_nonzero(corpus.reference.positions.lengths))
    cost = 1.0 / (np.maximum(lengths[sentences[left]] - 1, 1) * max(scored, 1))
    broken = ~unbroken
    broken_left = left[broken]
    begins = np.zeros(size, np.bool_)
    begins[broken_left + 1] = True
    misordered = begins.copy()
    misordered[broken_left] = True
    charge = cost[broken] / 2
    lost = np.bincount(broken_left, charge, size).astype(np.float64)
    lost += np.bincount(broken_left + 1, charge, size)
    return Placement(
        words=starts + orders.positions.values[relative.in_reference],
        sentences=sentences,
        displacement=system_positions - relative.permutation.values,
        misordered=misordered,
        begins=begins,
        lost=lost,
        left=left,
        broken=broken,
        cost=cost,
        scored=scored,
        missing=scored - int(np.count_nonzero(lengths)),
    )


@dataclass(frozen=True, eq=False)
class AnalysedOrders:
    """The orders of some systems on a corpus, scored under one metric; see `Analysed`.

    Attributes
    ----------
    corpus : Corpus
    systems : tuple of AnalysedSystem
        Findings are about the first one.
    placements : tuple of Placement
        One per system.
    metric : BaseMetric
        The metric of the systems' scores: one that scores the order of single sentences.
    drawn : ResamplingPlan
        How intervals and tests are drawn.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> corpus = Corpus(Treebank.from_words([["a", "b", "c"]]), Orders.from_rows([[2, 0, 1]]))
    >>> orders, frs = Orders.from_rows([[0, 1, 2]]), metric("frs")
    >>> systems = [scored_system(name, orders, corpus, frs) for name in "AB"]
    >>> view = AnalysedOrders.of(corpus, systems, frs)
    >>> view.names, view.only(1).system.name, view.placement.frs
    (('A', 'B'), 'B', 0.5)
    """

    corpus: Corpus
    systems: tuple[AnalysedSystem, ...]
    placements: tuple[Placement, ...]
    metric: BaseMetric
    drawn: ResamplingPlan = DEFAULT_PLAN

    unit: ClassVar[str] = "sentence"
    language: ClassVar[str] = ""
    marks_note: ClassVar[str] = ORDER_MARKS

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        systems: Sequence[AnalysedSystem],
        metric: Metric,
        drawn: ResamplingPlan = DEFAULT_PLAN,
    ) -> AnalysedOrders:
        """Compare the orders of each system with the reference."""
        placements = tuple(placement(corpus, system.orders) for system in systems)
        return cls(corpus, tuple(systems), placements, complete_metric(metric), drawn)

    def __len__(self) -> int:
        return len(self.corpus.words)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(system.name for system in self.systems)

    @property
    def metrics(self) -> tuple[BaseMetric, ...]:
        """The metric, in a tuple."""
        return (self.metric,)

    @property
    def system(self) -> AnalysedSystem:
        """The first system."""
        return self.systems[0]

    @property
    def placement(self) -> Placement:
        """The placement of the first system."""
        return self.placements[0]

    @cached_property
    def scores(self) -> OrderScores:
        """The scores of any orders of the corpus under the metric."""
        return OrderScores(self.corpus, self.metric)

    @cached_property
    def _measurement(self) -> Measurement:
        statistics = [self.scores.statistics(system.orders) for system in self.systems]
        return self.scores.measurement(statistics)

    def measurement(self, metric: int = 0) -> Measurement:
        """Return the statistics of the systems under the metric."""
        return self._measurement

    def system_scores(self, system: int, metric: int = 0) -> Float64:
        """Return the scores of a system, float64[S]; NaN for sentences that are left out."""
        return self.systems[system].known_scores

    def segment_signature(self, metric: int = 0) -> str:
        """Return the signature of the scores: the metric, and how the reference was made."""
        return str(self.metric.signature().with_fields(*self.corpus.reference.provenance))

    @property
    def is_mean_frs(self) -> bool:
        """Whether the score of the corpus is the mean FRS of its sentences."""
        return self.metric.name == "frs" and getattr(self.metric, "average", "") == "segment"

    @property
    def reference_lengths(self) -> Int64:
        """The number of words of each reference order, int64[S]."""
        return self.corpus.reference.lengths

    def sentence_lengths(self, system: int) -> Int64:
        """Return the number of source words of each sentence, int64[S]."""
        return self.corpus.words.lengths

    def sentence_columns(self, system: int, sentences: Sequence[int]) -> dict[str, Any]:
        """Return columns for a table of sentences: score, length, and marked orders."""
        rows, placement = list(sentences), self.placements[system]
        scores = self.system_scores(system)[rows]
        boundaries = np.bincount(placement.sentences[placement.begins], minlength=len(self))
        texts = [self.sentence_texts(system, sentence) for sentence in sentences]
        return {
            **self.sentence_ids(sentences),
            self.metric.name: [None if np.isnan(score) else score for score in scores.tolist()],
            "words": self.corpus.words.lengths[rows],
            "broken": boundaries[rows],
            "source": [source for source, _, _ in texts],
            "system order": [order for _, order, _ in texts],
            "reference order": [reference for _, _, reference in texts],
        }

    def sentence_ids(self, sentences: Sequence[int]) -> dict[str, list[str | None]]:
        """Return the ``sent_id`` of each sentence as a column ``id``, if one of them has any."""
        ids = [self.corpus.words.margins[sentence].value("sent_id") for sentence in sentences]
        return {"id": ids} if any(ids) else {}

    def sentence_texts(self, system: int, sentence: int) -> tuple[str, Marked, Marked]:
        """Return the source, the order of a system, and the reference order of a sentence."""
        start, end = self.corpus.words.offsets[sentence : sentence + 2].tolist()
        words = self.corpus.words.form[start:end].strings()
        order = self.systems[system].orders.positions[sentence]
        breaks = self.placements[system].begun(sentence, start + order)
        return (
            shortened_text(words),
            result_text(words, order.tolist(), breaks),
            reference_text(words, self.corpus.reference[sentence]),
        )

    def explain_points(self, sections: Sequence[Section]) -> str:
        """Explain what a point in findings is: they count FRS under every metric."""
        return "A point is 0.01 of FRS. Findings overlap, so they do not add up."

    def only(self, *numbers: int) -> AnalysedOrders:
        """Return the input with only some of the systems."""
        return replace(
            self,
            systems=tuple(self.systems[number] for number in numbers),
            placements=tuple(self.placements[number] for number in numbers),
        )

    def each(self) -> list[AnalysedOrders]:
        """Return one input per system, with only that system."""
        return [self.only(number) for number in range(len(self.systems))]
