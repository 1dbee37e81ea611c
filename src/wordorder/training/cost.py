"""Costs of trees: by their order, by metrics of trees, or by a user's function."""

import importlib
import os
import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from wordorder.arrays import Bool, Float64, Int64, Ragged, concat_ranges, row_offsets, value_indices
from wordorder.errors import InputError, UsageError, WordOrderError, unknown_name
from wordorder.messages import counted
from wordorder.metrics import METRICS
from wordorder.metrics.contract import (
    BaseMetric,
    Metric,
    complete_metric,
    left_out_segments,
    statistics_in_pieces,
)
from wordorder.metrics.registry import is_relation, metric as made_metric, metrics_for, order_metric
from wordorder.metrics.trees.attachment import ArcLength, sum_rows
from wordorder.order.orders import Orders
from wordorder.reordering.rules import RuleSet, orders_of
from wordorder.segments import Segments
from wordorder.segments.trees import Trees, shared_codes
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import NO_HEAD, NO_MARGIN, ROOT, Column, Treebank

BUILT_IN_COSTS = ("root", "arc-length", "arc-length-labelled")


@runtime_checkable
class Cost(Protocol):
    """The contract of costs: a number for each tree of a list, smaller for better trees.

    A function with these two arguments is a cost too.
    """

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]; smaller is better.

        Parameters
        ----------
        candidates : KBest
            Lists of trees of some sentences, T trees in total.
        rows : int64[S]
            The index of each sentence in the data of the cost.

        Returns
        -------
        float64[T]
            Only the costs of one list are compared with each other, so their scale is free. No
            NaN; ``inf`` for a tree that cannot be used.
        """


def cost_name(cost: Cost) -> str:
    """Return the name of a cost in messages: its `name`, or that of the function or class."""
    for name in (getattr(cost, "name", None), getattr(cost, "__name__", None)):
        if isinstance(name, str) and name:
            return name
    return type(cost).__name__


def checked_costs(cost: Cost, candidates: KBest, rows: Int64) -> Float64:
    """Return the costs of lists of trees; raise an error for values that are not costs.

    Parameters
    ----------
    cost, candidates, rows
        See `Cost`.

    Raises
    ------
    UsageError
        If the cost raises an error, or returns NaN or anything but one number per tree; the message
        names the first such sentence.
    InputError
        Passed on from the cost.

    Examples
    --------
    >>> from wordorder.treebank import KBest, Treebank
    >>> trees = Treebank.from_words([["Go"], ["Stop"]], heads=[[0], [0]])
    >>> lists = KBest(trees, np.array([0, 1, 2]), np.zeros(2))
    >>> checked_costs(lambda candidates, rows: rows / (rows - 7), lists, np.array([6, 8]))
    array([-6.,  8.])
    >>> checked_costs(lambda candidates, rows: [np.nan], lists[:1], np.array([6]))
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: cost <lambda>, sentence 7: NaN; expected a number for each tree
    """
    if len(rows) != len(candidates):
        problem = f"{counted(len(rows), 'row')} for {counted(len(candidates), 'list')}"
        raise UsageError(f"{problem}; expected one row per list")
    try:
        return _call_cost(cost, candidates, rows)
    except (_BadCostError, InputError):
        for index in range(len(candidates)):
            candidates_of_row, row = candidates[index : index + 1], rows[index : index + 1]
            try:
                _call_cost(cost, candidates_of_row, row)
            except _BadCostError as error:
                sentence = (
                    f"cost {cost_name(cost)}, {sentence_name(candidates_of_row, 0, int(row[0]))}"
                )
                raise UsageError(f"{sentence}: {error}") from error.__cause__
        raise


class _BadCostError(UsageError):
    """An error of a cost, before the sentence that caused it is known."""


def _call_cost(cost: Cost, candidates: KBest, rows: Int64) -> Float64:
    """Call a cost; raise a `_BadCostError` if it fails or its result is not one number per tree."""
    try:
        result: Any = cost(candidates, rows)
    except (WordOrderError, MemoryError):
        raise
    except Exception as error:
        raise _BadCostError(_error_text(error)) from error
    trees = len(candidates.trees)
    try:
        costs = np.asarray(result, np.float64)
    except (TypeError, ValueError):
        kind = type(result).__name__
        raise _BadCostError(f"{kind} returned; expected a number for each tree") from None
    if costs.shape != (trees,):
        problem = f"an array of shape {costs.shape} for {counted(trees, 'tree')}"
        raise _BadCostError(f"{problem}; expected a number for each tree")
    if np.isnan(costs).any():
        raise _BadCostError("NaN; expected a number for each tree")
    return costs


def _error_text(error: Exception | None) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def sentence_name(candidates: KBest, index: int, row: int) -> str:
    """Return the name of a sentence: its row, counted from 1, and its ``sent_id`` if different."""
    first = int(candidates.offsets[index])
    sentence_id = None
    if first < int(candidates.offsets[index + 1]):
        sentence_id = candidates.trees.margins[first].value("sent_id")
    return f"sentence {row + 1}" + (
        "" if sentence_id in (None, str(row + 1)) else f" ({sentence_id})"
    )


@dataclass(frozen=True, eq=False)
class ScoredOrders:
    """The orders of all trees of some lists, and their scores by a metric.

    Attributes
    ----------
    first : int64[T]
        The first tree of the list with the same order; of failed trees, the first failed one.
    statistics : float64[T, k]
        The statistics of the metric; zeros if the rules failed.
    scores : float64[T]
        The score of each tree, larger is better; ``-inf`` if the rules failed.
    failed : bool[T]
        Whether the rules raised an error on a tree.
    """

    first: Int64
    statistics: Float64
    scores: Float64
    failed: Bool


class OrderCost:
    """1 minus the score of the order that rules give a tree, against a reference order.

    The extrinsic loss of Katz-Brown et al. (2011) and Hall et al. (2011, section 4.1) for
    ``metric="frs"``.

    Parameters
    ----------
    rules : RuleSet
        A written, learned or built-in rule set.
    reference : Orders
        Orders such as those of `wordorder.reference_orders`, with any treatment of unaligned words;
        row ``i`` is the reference of instance ``i``.
    metric : Metric or str
        A metric that compares orders.

    Raises
    ------
    UsageError
        If the metric does not compare orders. From a call: if the rules raise an error on every
        tree of a list.
    InputError
        From a call: if a tree lacks heads, or an order has positions beyond its sentence.

    Notes
    -----
    Trees of a list often share an order, and each order is scored once. A tree on which the rules
    raise an error costs ``inf``. A sentence whose reference has no words costs 1.

    Examples
    --------
    Katz-Brown et al. (2011), figure 1, in short: the right tree gives the right order.

    >>> from wordorder.reordering import open_rules
    >>> from wordorder.treebank import KBest, Treebank
    >>> trees = Treebank.from_words(
    ...     [["Wear", "sunscreen"]] * 2,
    ...     heads=[[2, 0], [0, 1]],
    ...     upos=[["VERB", "NOUN"]] * 2,
    ...     label=[["amod", "root"], ["root", "obj"]],
    ... )
    >>> cost = OrderCost(open_rules("R5"), Orders.from_rows([[1, 0]]))
    >>> cost(KBest(trees, np.array([0, 2]), np.array([-1.0, -2.0])), np.array([0]))
    array([1., 0.])
    """

    name = "order"

    def __init__(self, rules: RuleSet, reference: Orders, metric: Metric | str = "frs") -> None:
        self.rules = rules
        self.reference = reference
        self.metric = order_metric(metric)

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]."""
        scores = self.scored(candidates, rows).scores
        return 1.0 - scores if self.metric.higher_is_better else -scores

    def scored(self, candidates: KBest, rows: Int64) -> ScoredOrders:
        """Return the orders of all trees and their scores.

        Parameters
        ----------
        candidates : KBest
        rows : int64[S]
            The reference of each list.
        """
        self._check(candidates, rows)
        positions, failed = self._positions(candidates, rows)
        first = first_equal_rows(positions, candidates.offsets)
        scored = np.flatnonzero((first == np.arange(len(first))) & ~failed)
        list_of_tree = candidates.sentence[scored]
        source = None
        if self.metric.match == "first-unmatched":
            trees = candidates.trees.take(scored)
            source = Ragged(Column.concatenate([trees.form]).codes, trees.offsets)
        segments = Segments.from_orders(
            Orders(positions.take(scored)), self.reference.take(rows[list_of_tree]), source=source
        )
        counts = statistics_in_pieces(self.metric, segments)
        values = self.metric.score_segments(counts)
        score_index = np.full(len(first), -1, np.int64)
        score_index[scored] = np.arange(len(scored))
        score_index = score_index[first]
        has_score = score_index >= 0
        scores = np.full(len(first), -np.inf)
        scores[has_score] = values[score_index[has_score]] * (
            1 if self.metric.higher_is_better else -1
        )
        statistics = np.zeros((len(first), counts.shape[1]))
        statistics[has_score] = counts[score_index[has_score]]
        return ScoredOrders(first, statistics, scores, failed)

    def _positions(self, candidates: KBest, rows: Int64) -> tuple[Ragged, Bool]:
        """Return the order of each tree, empty if the rules fail on it, and where they fail."""
        trees = candidates.trees
        failed = np.zeros(len(trees), np.bool_)
        try:
            return orders_of(self.rules, trees).positions, failed
        except (MemoryError, UsageError):
            raise
        except Exception:
            # Perhaps a single tree caused the error.
            pass
        parts = []
        error: Exception | None = None
        for tree in range(len(trees)):
            single_tree = trees[tree : tree + 1]
            try:
                parts.append(orders_of(self.rules, single_tree).positions)
            except Exception as raised:
                error = error or raised
                failed[tree] = True
                # An empty order: the source order might be that of another tree.
                parts.append(Ragged(np.zeros(0, np.int32), np.zeros(2, np.int64)))
        self._check_failures(candidates, rows, failed, error)
        return Ragged.concatenate(parts), failed

    def _check_failures(
        self, candidates: KBest, rows: Int64, failed: Bool, error: Exception | None
    ) -> None:
        """Raise a UsageError if the rules fail on every tree of a list.

        `rows` has the number of the sentence of each list, `failed` whether the rules fail on each
        tree, and `error` their first failure.
        """
        filled = np.flatnonzero(np.diff(candidates.offsets) > 0)
        all_failed = np.flatnonzero(np.logical_and.reduceat(failed, candidates.offsets[filled]))
        if len(all_failed):
            index = int(filled[all_failed[0]])
            sentence = sentence_name(candidates, index, int(rows[index]))
            problem = f"the rules {self.rules.name} fail on every tree: {_error_text(error)}"
            raise UsageError(f"{sentence}: {problem}")

    def _check(self, candidates: KBest, rows: Int64) -> None:
        """Raise an InputError for trees without heads, and for orders of other sentences."""
        trees, reference = candidates.trees, self.reference.positions
        headless = np.flatnonzero(trees.heads == NO_HEAD)
        if len(headless):
            tree = int(np.searchsorted(trees.offsets, headless[0], side="right")) - 1
            index = int(candidates.sentence[tree])
            sentence = sentence_name(candidates, index, int(rows[index]))
            raise InputError(
                sentence, "a word without a head", "whole trees, as a parser gives them"
            )
        missing_rows = np.flatnonzero((rows < 0) | (rows >= len(reference)))
        if len(missing_rows):
            sentence = sentence_name(candidates, int(missing_rows[0]), int(rows[missing_rows[0]]))
            problem = f"no reference order: there are {len(reference)}"
            raise InputError(sentence, problem, "one order per sentence")
        filled = np.flatnonzero(np.diff(candidates.offsets) > 0)
        words = trees.lengths[candidates.offsets[filled]]
        positions = reference.take(rows[filled])
        out_of_range = np.flatnonzero(positions.values >= np.repeat(words, positions.lengths))
        if len(out_of_range):
            row = int(np.searchsorted(positions.offsets, out_of_range[0], side="right")) - 1
            index = int(filled[row])
            sentence = sentence_name(candidates, index, int(rows[index]))
            problem = f"position {positions.values[out_of_range[0]]} in a reference order"
            expected = f"positions of its {counted(int(words[row]), 'word')}, counted from 0"
            raise InputError(sentence, problem, expected)


def first_equal_rows(rows: Ragged, offsets: Int64) -> Int64:
    """Return the first equal row of the same list for each row, int64[T].

    Parameters
    ----------
    rows : Ragged, T rows
    offsets : int64[S+1]
        The rows of list ``i`` are ``offsets[i] .. offsets[i+1]-1``.

    Examples
    --------
    >>> rows = Ragged.from_rows([[0, 1], [1, 0], [0, 1], [0, 1]])
    >>> first_equal_rows(rows, np.array([0, 3, 4])).tolist()
    [0, 1, 0, 3]
    """
    lists = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)).tolist()
    first_trees: dict[tuple[int, bytes], int] = {}
    cuts = zip(lists, pairwise(rows.offsets.tolist()), strict=True)
    keys = ((number, rows.values[first:last].tobytes()) for number, (first, last) in cuts)
    return np.array([first_trees.setdefault(key, row) for row, key in enumerate(keys)], np.int64)


def open_cost(name: str, gold: Treebank) -> Cost:
    """Return the cost of this name.

    Parameters
    ----------
    name : str
        ``root``, ``arc-length``, ``arc-length-labelled``; a metric of trees, ``nsubj`` or
        ``root-f1``; or ``MODULE:COST``, an object of a module: a class, which is called with
        `gold`, or a cost. Modules in the current folder are found.
    gold : Treebank
        The gold trees; unknown heads are -1.

    Raises
    ------
    UsageError
        If there is no such cost (the message lists the names), or the module cannot be imported or
        does not have it.

    Examples
    --------
    >>> gold = Treebank.from_words([["Go"]], heads=[[0]])
    >>> open_cost("root", gold).name, open_cost("nsubj", gold).name
    ('root', 'nsubj')
    """
    built_in = _built_in(name, gold)
    if built_in is not None:
        return built_in
    module, colon, attribute = name.partition(":")
    if not colon or not attribute:
        legal = [*BUILT_IN_COSTS, *metrics_for({"trees"})]
        raise UsageError(f"{unknown_name('cost', name, legal)}; or MODULE:COST for your own")
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        cost_object: Any = importlib.import_module(module)
        for name_part in attribute.split("."):
            cost_object = getattr(cost_object, name_part)
        cost = cost_object(gold) if isinstance(cost_object, type) else cost_object
    except (WordOrderError, MemoryError):
        raise
    except Exception as error:
        raise UsageError(f"cost {name!r} cannot be loaded: {_error_text(error)}") from error
    finally:
        sys.path.remove(folder)
    if not callable(cost):
        raise UsageError(f"cost {name!r} is of type {type(cost).__name__}; expected a function")
    return cast(Cost, cost)


def is_user_cost(name: str) -> bool:
    """Return whether a name is ``MODULE:COST``, a user's own cost.

    Raises
    ------
    UsageError
        If there is no cost of this name; modules are not imported.

    Examples
    --------
    >>> is_user_cost("mine:subjects"), is_user_cost("nsubj:pass")
    (True, False)
    """
    no_trees = Treebank.from_words([])
    if _built_in(name, no_trees) is not None:
        return False
    module, _, attribute = name.partition(":")
    return bool(module and attribute) or bool(open_cost(name, no_trees))


def _built_in(name: str, gold: Treebank) -> Cost | None:
    """Return the built-in cost of a name, or None."""
    if name == "root":
        return RootCost(gold)
    if name in ("arc-length", "arc-length-labelled"):
        return ArcLengthCost(gold, labelled=name.endswith("labelled"))
    metric_name = METRICS.spelling(name)
    if metric_name in METRICS.names() or is_relation(metric_name) or "(" in name:
        return TreeMetricCost(name, gold)
    return None


class ArcLengthCost:
    """1 minus the arc-length score of a sentence: each wrong arc costs its length.

    ``1 - sum [head of i is right] |i - h_i| / sum |i - h_i|`` over the words whose gold head is
    known and is a word (Hall et al. 2011, section 4.3, with the absolute values that it omits).
    The arc from the artificial root does not count; a sentence without counted arcs costs 0.

    Parameters
    ----------
    gold : Treebank
        Heads may be unknown (-1).
    labelled : bool
        Whether the label must be correct too; then arcs with the gold label ``_`` do not count.

    Raises
    ------
    InputError
        From a call; see `gold_positions`.

    Examples
    --------
    >>> words = [["a", "b", "c", "d", "e"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0, 2, 5, 3]])
    >>> trees = Treebank.from_words(words, heads=[[2, 0, 2, 3, 3]])
    >>> cost = ArcLengthCost(gold)
    >>> cost(KBest(trees, np.array([0, 1]), np.zeros(1)), np.array([0])).round(3)
    array([0.2])
    """

    def __init__(self, gold: Treebank, *, labelled: bool = False) -> None:
        self.gold = gold
        self.labelled = labelled
        self.name = "arc-length-labelled" if labelled else "arc-length"
        counts = gold.heads > ROOT
        if labelled:
            counts &= gold.label.has_value()
        self._lengths = np.where(counts, np.abs(concat_ranges(1, gold.lengths) - gold.heads), 0)

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T], from 0 to 1."""
        trees = candidates.trees
        positions = gold_positions(self.gold, candidates, rows)
        lengths = self._lengths[positions]
        is_wrong = trees.heads != self.gold.heads[positions]
        if self.labelled:
            tree_labels, gold_labels, _ = shared_codes(trees.label, self.gold.label.take(positions))
            is_wrong |= tree_labels != gold_labels
        total = sum_rows(lengths, trees.offsets)
        return sum_rows(lengths * is_wrong, trees.offsets) / np.maximum(total, 1.0)


class TreeMetricCost:
    """1 minus the score of a metric of trees on a sentence: the F1 of a label, of roots, UAS, LAS.

    Parameters
    ----------
    metric : Metric or str
        One that reads trees: ``"root-f1"``, ``"nsubj"``, ``metric("label-f1", label="SBJ")``.
    gold : Treebank
        Words whose head is unknown (-1) count on neither side.

    Raises
    ------
    UsageError
        If the metric reads something else, or asks for whole trees and some are given in part.
    InputError
        From a call; see `gold_positions`.

    Examples
    --------
    >>> words, labels = [["Who", "came"]] * 2, [["obj", "root"], ["nsubj", "root"]]
    >>> trees = Treebank.from_words(words, heads=[[2, 0]] * 2, label=labels)
    >>> cost = TreeMetricCost("nsubj", trees[1:])
    >>> cost(KBest(trees, np.array([0, 2]), np.zeros(2)), np.array([0]))
    array([1., 0.])
    """

    def __init__(self, metric: Metric | str, gold: Treebank) -> None:
        metric_of_trees: BaseMetric = complete_metric(
            made_metric(metric) if isinstance(metric, str) else metric
        )
        if set(metric_of_trees.columns) != {"trees"}:
            raise UsageError(
                f"{metric_of_trees.name} does not judge trees, so it is no cost of trees"
            )
        self._partial = bool(np.any(gold.heads == NO_HEAD))
        if self._partial and isinstance(metric_of_trees, ArcLength):
            raise UsageError(
                f"{metric_of_trees.name} needs whole trees; arc-length takes incomplete trees"
            )
        self.gold = gold
        self.metric = metric_of_trees
        self.name = metric_of_trees.name

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]."""
        positions = gold_positions(self.gold, candidates, rows)
        system = candidates.trees
        gold = Treebank(
            system.offsets,
            self.gold.heads[positions],
            {name: column.take(positions) for name, column in self.gold.columns.items()},
            [NO_MARGIN] * len(system),
        )
        if self._partial:
            has_head = gold.heads != NO_HEAD
            system, gold = _words(system, has_head), _words(gold, has_head)
        segments = Segments(trees=Trees(system, gold), _checked=True)
        statistics = self.metric.statistics(segments)
        scores = self.metric.score_segments(statistics)
        costs = 1.0 - scores if self.metric.higher_is_better else scores
        # Of trees without a known arc none costs more than another.
        return np.where(left_out_segments(statistics), 0.0, costs)


def _words(treebank: Treebank, selected: Bool) -> Treebank:
    """Return some of the words; heads count those of the whole sentence."""
    words_before = row_offsets(selected)
    positions = np.flatnonzero(selected)
    return Treebank(
        words_before[treebank.offsets],
        treebank.heads[positions],
        {name: column.take(positions) for name, column in treebank.columns.items()},
        treebank.margins,
    )


def gold_positions(gold: Treebank, candidates: KBest, rows: Int64) -> Int64:
    """Return the place in `gold` of each word of the candidates, int64[N].

    Parameters
    ----------
    gold : Treebank
        A head of -1 is not known, as in trees that are given in part.
    candidates : KBest
    rows : int64[S]
        The sentence of `gold` that each list is of.

    Raises
    ------
    InputError
        If a list is of no sentence of `gold`, or of one with more or fewer words.

    Examples
    --------
    >>> gold = Treebank.from_words([["No"], ["It", "rains"]], heads=[[0], [2, 0]])
    >>> trees = Treebank.from_words([["It", "rains"]] * 2, heads=[[2, 0], [0, 1]])
    >>> gold_positions(gold, KBest(trees, np.array([0, 2]), np.zeros(2)), np.array([1])).tolist()
    [1, 2, 1, 2]
    """
    missing_rows = np.flatnonzero((rows < 0) | (rows >= len(gold)))
    if len(missing_rows):
        sentence = f"sentence {int(rows[missing_rows[0]]) + 1}"
        raise InputError(sentence, "no gold tree", f"one of {counted(len(gold), 'sentence')}")
    gold_rows = rows[candidates.sentence]
    tree_lengths, gold_lengths = candidates.trees.lengths, gold.lengths[gold_rows]
    mismatched = np.flatnonzero(tree_lengths != gold_lengths)
    if len(mismatched):
        tree = int(mismatched[0])
        sentence = sentence_name(candidates, int(candidates.sentence[tree]), int(gold_rows[tree]))
        problem = (
            f"{counted(int(tree_lengths[tree]), 'word')}, but "
            f"{int(gold_lengths[tree])} in the gold tree"
        )
        raise InputError(sentence, problem, "the same words")
    positions, _ = value_indices(gold.offsets, gold_rows)
    return positions


class RootCost:
    """0 if the gold root hangs on the artificial root, else 1; labels are ignored.

    Hall et al. (2011), section 4.2. All other heads of the gold trees may be unknown (-1).

    Parameters
    ----------
    gold : Treebank
        A sentence without a known root costs 0 with any tree. Of several gold roots one
        has to be found.
    single_root : bool
        Whether a tree with a second root costs 1 even if the gold one is among them.

    Raises
    ------
    InputError
        From a call; see `gold_positions`.

    Examples
    --------
    >>> gold = Treebank.from_words([["Go", "home"]], heads=[[0, -1]])
    >>> trees = Treebank.from_words([["Go", "home"]] * 2, heads=[[2, 0], [0, 1]])
    >>> lists = KBest(trees, np.array([0, 2]), np.array([-1.0, -2.0]))
    >>> RootCost(gold)(lists, np.array([0]))
    array([1., 0.])
    """

    name = "root"

    def __init__(self, gold: Treebank, *, single_root: bool = True) -> None:
        self.gold = gold
        self.single_root = single_root

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]: 0 or 1."""
        trees = candidates.trees
        gold = self.gold.heads[gold_positions(self.gold, candidates, rows)] == ROOT
        is_root = trees.heads == ROOT
        is_correct = sum_rows(gold & is_root, trees.offsets) > 0
        if self.single_root:
            is_correct &= sum_rows(is_root, trees.offsets) == 1
        costs: Float64 = ((sum_rows(gold, trees.offsets) > 0) & ~is_correct).astype(np.float64)
        return costs
