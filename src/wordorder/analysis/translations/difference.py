"""Why one system orders words better than another: the difference in FRS, part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from wordorder.analysis.tally import largest_first
from wordorder.analysis.translations.blocks import MAX_LOCAL_DISTANCE, Blocks
from wordorder.analysis.translations.difference_examples import ExampleSelector
from wordorder.analysis.translations.lengths import LENGTHS, reference_lengths
from wordorder.analysis.translations.order_costs import MatchedOrder, OrderCosts, segment_spans
from wordorder.analysis.translations.part_table import PartTable, Quotients
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    concatenate,
    count_values,
    free_memory,
    move_to_file,
)
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.analysis.translations.word_classes import (
    COMMON_FORMS,
    WordClasses,
    indistinct_classes,
)
from wordorder.arrays import Array, Bool, Float64, Int64, group_rows
from wordorder.errors import choose
from wordorder.metrics import METRICS
from wordorder.metrics.order.common_words import (
    MIN_COMMON_WORDS,
    common_references,
    has_common_words,
    repeated_unequally,
)
from wordorder.statistics.intervals import DEFAULT_PLAN, ResamplingPlan
from wordorder.statistics.paired_tests import MANY_SYSTEMS, holm

# Parts are significant if their p-value after Holm's correction is at most this.
ALPHA = 0.05

# If the whole difference is not significant, the p-values of its parts are multiplied by this: of
# twenty analyses of equal systems, at most one then has a significant part.
CHANCE_FACTOR = 5

# The part that remains if the difference on common words is subtracted from that on each system's
# own words.
UNSHARED_WORDS = "words that only one system matches"

# The metrics whose differences are cut into parts, in the order of the columns of block costs.
DECOMPOSED_METRICS = ("frs", "kendall")

# Words have a direction if the share that is too early differs from one half by at least this.
MIN_DIRECTION = 0.1

# Groups of moved blocks by direction and distance.
DISTANCE_NAMES = (
    "blocks more than 3 words too early",
    "blocks up to 3 words too early",
    "blocks up to 3 words too late",
    "blocks more than 3 words too late",
)

# A row of a difference before it is resampled: its name, and the indices of its part in the
# `PartTable` under the metric and under the other metric.
_Row = tuple[str, int, "int | None"]


@dataclass(frozen=True)
class Part:
    """A part of a difference in FRS, or the difference under some condition.

    Attributes
    ----------
    name : str
    points, low, high : float
        Hundredths of FRS by which the first system is better, and the 95 % interval.
    raw_p_value : float
        The p-value of the part alone.
    p_value : float
        Corrected by Holm's method within a group of parts: those that may become findings (word
        classes, their families and words with unequal matches), those that were named in advance,
        the checks, or all others.
    other_metric : (float, float, float), optional
        Points and interval of this part under the other metric: Kendall's tau, or FRS.
    moved_blocks : (int, int), optional
        The number of moved blocks of each system.
    unmoved_share : (float, float), optional
        The share of the words of the part that each system does not move.
    early_share : float, optional
        The share of words that are too early, among the words after which the moved blocks of the
        worse system are named.
    family : str
        The family of a word class.
    examples : tuple of int
        Sentences that show the part, the most typical first.
    example_words : tuple of sets of int
        For each example, the words that only the worse system moves: indices of
        ``texts.references.values``.
    """

    name: str
    points: float
    low: float
    high: float
    raw_p_value: float
    p_value: float
    other_metric: tuple[float, ...] | None = None
    moved_blocks: tuple[int, int] | None = None
    unmoved_share: tuple[float, float] | None = None
    early_share: float | None = None
    family: str = ""
    examples: tuple[int, ...] = ()
    example_words: tuple[frozenset[int], ...] = ()

    @property
    def significant(self) -> bool:
        """Whether the part is significant at 95 %."""
        return self.p_value <= ALPHA

    @property
    def direction(self) -> str:
        """The direction of most of the words: "early", "late", or "" for about half each."""
        if self.early_share is None or abs(self.early_share - 0.5) < MIN_DIRECTION:
            return ""
        return "early" if self.early_share > 0.5 else "late"


@dataclass(frozen=True)
class UnequalWord:
    """A word that one system matches significantly more often than the other.

    Attributes
    ----------
    word : str
    shares : (float, float)
        The share of its occurrences that each system matches.
    p_value : float
        Corrected by Holm's method.
    """

    word: str
    shares: tuple[float, float]
    p_value: float


@dataclass(frozen=True, eq=False)
class Difference:
    """The FRS of one system minus that of another, and its parts.

    The difference is computed on the words that both systems match (`CommonWords`), so that it is
    about order alone. FRS is 1 minus a sum over lost pairs: words that follow each other in the
    reference, but not in the output. A sentence of m words loses ``1 / (m - 1)`` with each pair,
    which is charged to the moved block that separates the pair, in equal shares if there are
    several. So the parts of each division add up to the difference.

    Attributes
    ----------
    metric : str
        ``frs``, or ``kendall``, which counts the pairs of words that a block inverts.
    names : (str, str)
        The better system and the other one.
    total : Part
    classes : tuple of Part
        The parts by word class of the moved block, the largest first.
    divisions : mapping of str to tuple of Part
        Other divisions of the same difference: by ``distance``, ``length``, ``tag`` (if the
        references are tagged) and ``word``.
    checks : tuple of Part
        The difference without punctuation, without the commonest words, and on each system's own
        matched words.
    unequal_words : tuple of UnequalWord
        The words with the largest difference in matched shares first.
    hypotheses : tuple of Part
        The parts that were named in advance, with the numbers of their moved blocks.
    test : str
        The name of the test of the parts.
    indistinct : set of str
        The word classes without findings: see `indistinct_classes`.
    """

    metric: str
    names: tuple[str, str]
    total: Part
    classes: tuple[Part, ...]
    divisions: dict[str, tuple[Part, ...]]
    checks: tuple[Part, ...]
    unequal_words: tuple[UnequalWord, ...] = ()
    hypotheses: tuple[Part, ...] = ()
    test: str = ""
    indistinct: frozenset[str] = frozenset()

    @property
    def significant(self) -> tuple[Part, ...]:
        """The significant parts by word class."""
        return tuple(part for part in self.classes if part.significant)


def difference(
    translations: Translations,
    pair: tuple[int, int],
    plan: ResamplingPlan = DEFAULT_PLAN,
    metric: str = "frs",
    hypotheses: Sequence[str] = (),
    word_classes: WordClasses | None = None,
    *,
    on_own_words: bool = False,
) -> Difference | None:
    """Cut the difference in FRS, or in Kendall's tau, of two systems into parts.

    Parameters
    ----------
    translations : Translations
    pair : two int
        Indices of the systems, the better one first.
    plan : ResamplingPlan
        Of intervals and tests.
    metric : str
        One of `DECOMPOSED_METRICS`.
    hypotheses : sequence of str
        Word classes or families that were chosen before the outputs were seen: their parts are
        corrected for each other only, and do not count in the correction of other parts.
    word_classes : WordClasses, optional
        The classes of the words of the references; computed if omitted.
    on_own_words : bool
        Whether to analyze the difference of the scores of each system on its own words. What
        remains after subtracting the difference on common words is then an additional part.

    Returns
    -------
    Difference, or None
        None if the outputs are compared by alignments instead of matched words, or were not scored
        by the metric with its default options.

    Raises
    ------
    UsageError
        If a hypothesis is not the name of a word class or family.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["we met at six"] * 9, "B": ["we at six met"] * 9}
    >>> result = difference(translations_of(lines, ["we met at six"] * 9, metrics="frs"), (0, 1))
    >>> [(part.name, round(part.points, 4)) for part in result.classes if part.points]
    [('common words', 66.6667)]
    """
    signature = str(METRICS.make(metric).signature())
    indices = [
        index
        for index, scored_metric in enumerate(translations.metrics)
        if str(scored_metric.signature()) == signature
    ]
    if not indices:
        return None
    systems = [translations.systems[index] for index in pair]
    segments = [system.segments for system in systems]
    if translations.links is not None or not has_common_words(segments):
        return None
    common = common_references(*segments)
    orders = [MatchedOrder.of_system(system, common) for system in systems]
    statistics = [system.statistics[indices[0]] for system in systems]
    word_classes = (
        WordClasses.of(translations.texts, translations.trees)
        if word_classes is None
        else word_classes
    )
    decomposition = _Decomposition(
        translations, word_classes, systems, orders, statistics, metric, own=on_own_words
    )
    names = tuple(dict.fromkeys((*word_classes.families, *word_classes.names)))
    for hypothesis in hypotheses:
        choose("hypothesis", hypothesis, names)
    return decomposition.difference(plan, tuple(dict.fromkeys(hypotheses)))


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """All rows of a difference before they are resampled."""

    classes: list[_Row]
    families: list[_Row]
    divisions: dict[str, list[_Row]]
    checks: list[_Row]


class _Decomposition:
    """The parts of the difference of two systems."""

    def __init__(
        self,
        translations: Translations,
        words: WordClasses,
        systems: Sequence[TranslatedSystem],
        orders: Sequence[MatchedOrder],
        statistics: Sequence[Float64],
        metric: str,
        *,
        own: bool = False,
    ) -> None:
        self.systems, self.orders, self.metric = systems, orders, metric
        self.metric_index = DECOMPOSED_METRICS.index(metric)
        both = orders[0].matched & orders[1].matched
        repeated = repeated_unequally(systems[0].segments, systems[1].segments)
        if repeated is not None:
            both &= ~repeated
        shared = orders[0].restrict(both)
        is_short = shared.word_counts() < MIN_COMMON_WORDS
        both[shared.words[np.repeat(is_short, shared.word_counts())]] = False
        self.common = [order.restrict(both) for order in orders]
        self.costs = [OrderCosts.of_order(order) for order in self.common]
        free_memory()
        self.words = words
        self.indistinct = indistinct_classes(characters=translations.characters)
        self.table = PartTable(len(translations))
        # Both systems have the same common words, so the same sentences are scored.
        self.scored = self.table.add_column(self.costs[0].scored)
        scores = [self._scores(costs) for costs in self.costs]
        difference, other_difference = (_minus(scores[0][n], scores[1][n]) for n in (0, 1))
        common_row = self._row("on the words that both systems match", difference, other_difference)
        own_scores: list[Quotients] = []
        for values in statistics:
            value, weight = (self.table.add_column(column) for column in values.T)
            own_scores.append(((value, weight, 1.0),))
        own_difference = _minus(*own_scores)
        own_row = self._row("on each system's own matched words", own_difference)
        self.total, self.check = (own_row, common_row) if own else (common_row, own_row)
        self.unshared: list[_Row] = []
        if own:
            self.unshared = [self._row(UNSHARED_WORDS, _minus(own_difference, difference))]

    def difference(self, plan: ResamplingPlan, hypotheses: Sequence[str] = ()) -> Difference:
        """Resample all parts together."""
        blocks = [self.words.classify_blocks(costs.blocks) for costs in self.costs]
        rows, gain = self._rows([classes for classes, _ in blocks])
        word_shares, word_parts = self._match_shares()
        free_memory()
        results = self.table.resample(plan)
        free_memory()
        p_values, word_p_values = self._corrected(rows, results, word_parts, hypotheses)
        # The total and the checks are tested by counting resamples, as the systems are.
        uncorrected = results[4].copy()
        counted = [self.total[1], *(part for _, part, _ in rows.checks)]
        uncorrected[counted] = results[3, counted]
        values = results[:3].T.tolist()

        def parts(named: Iterable[_Row]) -> list[Part]:
            made_parts = []
            for name, part, other_part in named:
                points, low, high = values[part]
                tests = float(uncorrected[part]), float(p_values[part])
                other_values = None if other_part is None else tuple(values[other_part])
                made_parts.append(Part(name, points, low, high, *tests, other_values))
            return made_parts

        selector = ExampleSelector(
            self.systems, self.words, self.common[0], [c.blocks for c in self.costs], gain
        )
        classes, families = parts(rows.classes), parts(rows.families)
        by_class = [
            *self._with_examples(classes, blocks, gain, selector),
            *parts(self.unshared),
        ]
        all_parts = (*by_class, *families, *classes)
        significant = {part.name for part in all_parts if part.significant}
        units = self.table.segments if plan.documents is None else len(plan.documents)
        return Difference(
            self.metric,
            (self.systems[0].name, self.systems[1].name),
            self._total(parts([self.total])[0], significant, blocks, gain, selector),
            _sort_largest(by_class),
            {
                "kinds of words": _sort_largest(families),
                **{
                    name: tuple(part for part in parts(division) if part.points or part.high)
                    if name == "length"
                    else _sort_largest(parts(division))
                    for name, division in rows.divisions.items()
                },
            },
            tuple(parts(rows.checks)),
            tuple(
                UnequalWord(word, shares, p_value)
                for (word, shares), p_value in zip(word_shares, word_p_values, strict=True)
                if p_value <= ALPHA
            ),
            tuple(
                self._with_block_counts(next(p for p in all_parts if p.name == name), blocks)
                for name in hypotheses
            ),
            "approximate randomization" if units < MANY_SYSTEMS else "paired bootstrap",
            self.indistinct,
        )

    def _rows(self, classes: Sequence[Array]) -> tuple[_Rows, Float64]:
        """Make all rows; return also what each segment adds to each word class, float64[S, K].

        `classes` are those of the moved blocks of each system.
        """
        words = self.words
        by_class, gain = self._rows_by_block(words.names, classes)
        families = [*self._family_rows(by_class), *self.unshared]
        by_distance, _ = self._rows_by_block(
            DISTANCE_NAMES, [_distance_groups(costs.blocks) for costs in self.costs]
        )
        divisions = {
            "distance": [*by_distance, *self.unshared],
            "length": [*self._rows_by_length(), *self.unshared],
        }
        free_memory()
        # The words of an inverted pair may be far from each other: Kendall has no rows by word.
        if self.metric == "frs":
            if words.tags:
                divisions["tag"] = [*self._rows_by_word(*words.tags), *self.unshared]
            divisions["word"] = [*self._rows_by_word(*words.forms), *self.unshared]
        checks = [
            self._row_without("without punctuation", words.is_punctuation),
            self._row_without(f"without the {COMMON_FORMS} commonest words", words.is_common),
            self.check,
        ]
        rows = _Rows(classes=by_class, families=families, divisions=divisions, checks=checks)
        return rows, gain

    def _corrected(
        self, rows: _Rows, results: Float64, word_parts: Sequence[int], hypotheses: Sequence[str]
    ) -> tuple[Float64, list[float]]:
        """Return the corrected p-values of all parts, float64[P], and of the words' parts.

        The total is tested as the systems are, and so are the checks. All rows that may become
        findings are corrected together, and so are all other rows.
        """
        counted, tail = results[3], results[4]
        p_values = counted.copy()
        checked = [part for _, part, _ in rows.checks]
        p_values[checked] = holm(p_values[checked])
        factor = 1 if p_values[self.total[1]] <= ALPHA else CHANCE_FACTOR
        named_rows = (*rows.classes, *rows.families)
        # A class that is a family of its own has two parts; both get the p-value of the family.
        part_of = {name: part for name, part, _ in named_rows}
        alone = holm([tail[part_of[name]] for name in hypotheses]).tolist()
        alone_of = dict(zip(hypotheses, alone, strict=True))
        in_advance = {part: alone_of[name] for name, part, _ in named_rows if name in alone_of}
        of_findings = [
            part for part in dict.fromkeys(p for _, p, _ in named_rows) if part not in in_advance
        ]
        in_divisions = {part for division in rows.divisions.values() for _, part, _ in division}
        of_divisions = sorted(in_divisions.difference(of_findings, in_advance))
        pooled = np.minimum(factor * holm([*tail[of_findings], *tail[list(word_parts)]]), 1)
        p_values[of_findings] = pooled[: len(of_findings)]
        p_values[of_divisions] = np.minimum(factor * holm(tail[of_divisions]), 1)
        p_values[list(in_advance)] = list(in_advance.values())
        return p_values, pooled[len(of_findings) :].tolist()

    def _scores(self, costs: OrderCosts) -> tuple[Quotients, Quotients]:
        """Add the score of a system under the metric, and under the other metric."""
        indices = self.metric_index, 1 - self.metric_index
        score, other_score = (
            ((self.table.add_column(costs.scores(index)), self.scored, 1.0),) for index in indices
        )
        return score, other_score

    def _row(self, name: str, score: Quotients, other: Quotients | None = None) -> _Row:
        other_part = None if other is None else self.table.add_part(other)
        return name, self.table.add_part(score), other_part

    def _rows_by_block(
        self, names: Sequence[str], groups: Sequence[Array]
    ) -> tuple[list[_Row], Float64]:
        """Return what the second system loses more than the first in each group of moved blocks.

        Returns
        -------
        list of _Row, float64[S, K]
            The rows of both metrics, and what each segment adds to the row of the first metric.
        """
        gains = []

        def columns_of_spans() -> Iterator[Float64]:
            first, second = (
                costs.by_block(group, len(names))
                for costs, group in zip(self.costs, groups, strict=True)
            )
            for first_costs, second_costs in zip(first, second, strict=True):
                gain = (second_costs - first_costs)[:: -1 if self.metric_index else 1]
                gains.append(move_to_file(gain[0].copy(), MIN_BYTES_OF_MANY))
                yield np.concatenate(gain, axis=1)

        columns = self.table.add_columns(columns_of_spans())
        rows = [
            self._row(name, ((score, self.scored, 1.0),), ((other_column, self.scored, 1.0),))
            for name, score, other_column in zip(
                names, columns[: len(names)], columns[len(names) :], strict=True
            )
        ]
        return rows, concatenate(gains)

    def _family_rows(self, by_class: Sequence[_Row]) -> list[_Row]:
        """Sum the rows of the word classes of each family."""
        parts = self.table.parts
        families = group_rows(zip(self.words.families, by_class, strict=True))
        return [
            self._row(
                family,
                tuple(quotient for _, score, _ in rows for quotient in parts[score]),
                tuple(quotient for _, _, other_part in rows for quotient in parts[other_part or 0]),
            )
            for family, rows in families.items()
        ]

    def _rows_by_word(self, names: Sequence[str], groups: Array) -> list[_Row]:
        spans = zip(*(costs.by_word(groups, len(names)) for costs in self.costs), strict=True)
        columns = self.table.add_columns(second - first for first, second in spans)
        return [
            self._row(name, ((column, self.scored, 1.0),))
            for name, column in zip(names, columns, strict=True)
        ]

    def _rows_by_length(self) -> list[_Row]:
        """Divide the difference by the length of the reference."""
        lengths = reference_lengths(self.systems[0].texts)
        groups = np.where(lengths < 0, -1, LENGTHS.of(lengths))
        rows = []
        for index, name in enumerate(LENGTHS.names):
            quotients: Quotients = ()
            for costs, factor in zip(self.costs, (1.0, -1.0), strict=True):
                scores = np.where(groups == index, costs.scores(self.metric_index), 0.0)
                quotients += ((self.table.add_column(scores), self.scored, factor),)
            rows.append(self._row(f"references of {name} words", quotients))
        return rows

    def _row_without(self, name: str, left_out: Bool) -> _Row:
        """Compare the systems without some words of the references, bool[N]."""
        # Both systems have the same words. Blocks are large: those of one system at a time.
        counts = self.common[0].restrict(~left_out).word_counts()
        scored = self.table.add_column(np.minimum(counts, 1.0))
        quotients: Quotients = ()
        for order, factor in zip(self.common, (1.0, -1.0), strict=True):
            free_memory()
            scores = OrderCosts.of_order(order.restrict(~left_out)).scores(self.metric_index)
            quotients += ((self.table.add_column(scores), scored, factor),)
        return self._row(name, quotients)

    def _total(
        self,
        total: Part,
        significant: Set[str],
        blocks: Sequence[tuple[Array, Int64]],
        gain: Float64,
        selector: ExampleSelector,
    ) -> Part:
        """Add examples of the significant classes or families to the total, else of all classes."""
        words = self.words
        names = [{name, family} for name, family in zip(words.names, words.families, strict=True)]
        distinct = [index for index, name in enumerate(words.names) if name not in self.indistinct]
        shown_classes = [index for index in distinct if names[index] & significant] or distinct
        classes, naming_words = blocks[1]
        examples, example_words = selector.select(
            gain[:, shown_classes].sum(axis=1), 1, np.isin(classes, shown_classes), naming_words
        )
        return replace(total, examples=examples, example_words=example_words)

    def _with_block_counts(self, part: Part, blocks: Sequence[tuple[Array, Int64]]) -> Part:
        """Add the moved blocks of a word class or a family to its part."""
        names = zip(self.words.names, self.words.families, strict=True)
        indices = [index for index, pair in enumerate(names) if part.name in pair]
        first, second = (int(np.isin(classes, indices).sum()) for classes, _ in blocks)
        return replace(part, moved_blocks=(first, second))

    def _with_examples(
        self,
        parts: Sequence[Part],
        blocks: Sequence[tuple[Array, Int64]],
        gain: Float64,
        selector: ExampleSelector,
    ) -> Iterator[Part]:
        """Add block counts and example sentences to the parts of word classes with moved blocks."""
        is_common = self.common[0].matched
        word_counts = count_values(self.words.classes[is_common], len(self.words.names))
        for index, part in enumerate(parts):
            in_class = [classes == index for classes, _ in blocks]
            if not any(map(np.any, in_class)):
                continue
            unmoved_share = None
            if word_counts[index]:
                # Several blocks may be named after one word, which counts once.
                named_words = [
                    np.unique(naming_words[selected])
                    for selected, (_, naming_words) in zip(in_class, blocks, strict=True)
                ]
                first, second = (
                    1 - int(is_common[words].sum()) / int(word_counts[index])
                    for words in named_words
                )
                unmoved_share = (first, second)
            loser = 1 if part.points > 0 else 0
            selected, naming_words = in_class[loser], blocks[loser][1]
            distances = self.costs[loser].blocks.word_distances(selected, naming_words[selected])
            part = replace(
                part,
                moved_blocks=(int(in_class[0].sum()), int(in_class[1].sum())),
                unmoved_share=unmoved_share,
                family=self.words.families[index],
                early_share=float(np.mean(distances < 0)) if len(distances) else None,
            )
            examples, example_words = selector.select(
                gain[:, index] * np.sign(part.points), loser, selected, naming_words, part.direction
            )
            yield replace(part, examples=examples, example_words=example_words)

    def _match_shares(self) -> tuple[list[tuple[str, tuple[float, float]]], list[int]]:
        """Return the common words with the shares that each system matches, and their parts."""
        names, groups = self.words.forms
        size = len(names)
        totals = np.zeros((2, size), np.int64)
        free_memory()
        columns = [(order.offsets, order.words) for order in self.orders]

        def count_differences() -> Iterator[Float64]:
            """Yield how much more often the first system matches each word, per segment."""
            for start, end in segment_spans(self.table.segments):
                counts = []
                for offsets, words in columns:
                    span = slice(*offsets[[start, end]].tolist())
                    rows = np.repeat(np.arange(end - start), np.diff(offsets[start : end + 1]))
                    cells = rows * size + groups[words[span]]
                    count = np.bincount(cells, minlength=(end - start) * size)
                    counts.append(count.reshape(-1, size))
                totals[:] += np.sum(counts, axis=1)
                # The last two groups are punctuation and all other words.
                yield (counts[0] - counts[1])[:, :-2].astype(np.float64)

        ones = self.table.add_column(np.ones(self.table.segments))
        parts = [
            self.table.add_part(((column, ones, 1.0),))
            for column in self.table.add_columns(count_differences())
        ]
        shares = totals / np.maximum(count_values(groups, size), 1)
        order = largest_first(np.abs(shares[0] - shares[1])[:-2]).tolist()
        words = [(names[n], (float(shares[0, n]), float(shares[1, n]))) for n in order]
        return words, [parts[n] for n in order]


def _minus(first: Quotients, second: Quotients) -> Quotients:
    """Return the difference of two sums of quotients."""
    return (*first, *((over, under, -factor) for over, under, factor in second))


def _distance_groups(blocks: Blocks) -> Int64:
    """Return the index in `DISTANCE_NAMES` of each moved block; others are left out."""
    far = np.abs(blocks.distance) > MAX_LOCAL_DISTANCE
    late = blocks.distance > 0
    return np.where(late, 2 + far, 1 - far)[blocks.moved]


def _sort_largest(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Sort parts by the size of their points, whatever the sign."""
    unsorted = list(parts)
    order = largest_first(np.abs([part.points for part in unsorted]))
    return tuple(unsorted[index] for index in order.tolist())
