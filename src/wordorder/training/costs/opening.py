"""Costs of trees by name: of roots, of arc lengths, by any metric of trees, or a user's own."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, cast

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError, UsageError, WordOrderError, unknown_name
from wordorder.metrics import METRICS, metrics_for
from wordorder.metrics import metric as named_metric_of_metrics
from wordorder.metrics.contract import BaseMetric, Metric, completed
from wordorder.metrics.mix import named_metric
from wordorder.metrics.trees import is_relation
from wordorder.metrics.trees.attachment import ArcLength, sums
from wordorder.ragged import row_places
from wordorder.segments import Segments
from wordorder.segments.trees import Trees, shared_codes
from wordorder.training.costs.costs import Cost, sentence_name
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import NO_HEAD, NO_MARGIN, ROOT, Treebank
from wordorder.types import Bool, Float64, Int64

KINDS = ("root", "arc-length", "arc-length-labelled")


def open_cost(name: str, gold: Treebank) -> Cost:
    """Return the cost of trees that is called `name`.

    Parameters
    ----------
    name : str
        ``root``, ``arc-length``, ``arc-length-labelled``; a metric of trees, ``nsubj`` or
        ``root-f1``; or ``MODULE:COST``, what a module calls `COST`: a class, which is made with
        `gold`, or a cost. Modules of the current folder are found.
    gold : Treebank
        What trees are judged against; heads that are not known are -1.

    Raises
    ------
    UsageError
        If there is no such cost; the message lists the names. If a module cannot be imported, or
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
        legal = [*KINDS, *metrics_for({"trees"})]
        raise UsageError(f"{unknown_name('cost', name, legal)}; or MODULE:COST for your own")
    return own_cost(name, module, attribute, gold)


def is_own_cost(name: str) -> bool:
    """Whether a cost is a user's own: one that is called ``MODULE:COST``.

    Raises
    ------
    UsageError
        If it is no cost at all, as `open_cost` does; modules are not imported.

    Examples
    --------
    >>> is_own_cost("mine:subjects"), is_own_cost("nsubj:pass")
    (True, False)
    """
    nothing = Treebank.from_words([])
    if _built_in(name, nothing) is not None:
        return False
    module, _, attribute = name.partition(":")
    return bool(module and attribute) or bool(open_cost(name, nothing))


def _built_in(name: str, gold: Treebank) -> Cost | None:
    """Return a cost that comes with the package; None if there is none of this name."""
    if name == "root":
        return RootCost(gold)
    if name in ("arc-length", "arc-length-labelled"):
        return ArcLengthCost(gold, labelled=name.endswith("labelled"))
    known = METRICS.spelling(name)
    if known in METRICS.names() or is_relation(known) or "(" in name:
        return TreeMetricCost(named_metric(name), gold)
    return None


def own_cost(name: str, module: str, attribute: str, gold: Treebank) -> Cost:
    """Return the cost of a user's module.

    Raises
    ------
    UsageError
        If it cannot be imported or made, or is no cost.
    """
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        cost = found(gold) if isinstance(found, type) else found
    except (WordOrderError, MemoryError):
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise UsageError(f"cost {name!r} cannot be loaded: {what}") from error
    finally:
        sys.path.remove(here)
    if not callable(cost):
        raise UsageError(f"cost {name!r} is of type {type(cost).__name__}; expected a function")
    return cast(Cost, cost)


class ArcLengthCost:
    """1 less the arc-length score of a sentence: each wrong arc costs as much as it is long.

    ``1 - sum [head of i is right] |i - h_i| / sum |i - h_i|`` over the words whose gold head is
    known and is a word (Hall et al. 2011, section 4.3, with the bars that the paper leaves out).
    The arc of the artificial root does not count; a sentence without arcs that count costs 0.

    Parameters
    ----------
    gold : Treebank
        Heads may be unknown (-1).
    labelled : bool
        Whether the label must be right too; arcs whose gold label is ``_`` do not count then.

    Raises
    ------
    InputError
        From a call, as `gold_places` does.

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
        starts = np.repeat(gold.offsets[:-1], gold.lengths)
        own = np.arange(1, gold.words + 1) - starts
        counts = gold.heads > ROOT
        if labelled:
            counts &= gold.label.said()
        self._lengths = np.where(counts, np.abs(own - gold.heads), 0)

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T], from 0 to 1."""
        trees = candidates.trees
        places = gold_places(self.gold, candidates, rows)
        lengths = self._lengths[places]
        wrong = trees.heads != self.gold.heads[places]
        if self.labelled:
            ours, theirs, _ = shared_codes(trees.label, self.gold.label.take(places))
            wrong |= ours != theirs
        total = sums(lengths, trees.offsets)
        return sums(lengths * wrong, trees.offsets) / np.maximum(total, 1.0)


class TreeMetricCost:
    """1 less what a metric of trees says of a sentence: the F1 of a label, of roots, UAS, LAS.

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
        From a call, as `gold_places` does.

    Examples
    --------
    >>> words, labels = [["Who", "came"]] * 2, [["obj", "root"], ["nsubj", "root"]]
    >>> trees = Treebank.from_words(words, heads=[[2, 0]] * 2, label=labels)
    >>> cost = TreeMetricCost("nsubj", trees[1:])
    >>> cost(KBest(trees, np.array([0, 2]), np.zeros(2)), np.array([0]))
    array([1., 0.])
    """

    def __init__(self, metric: Metric | str, gold: Treebank) -> None:
        made: BaseMetric = completed(
            named_metric_of_metrics(metric) if isinstance(metric, str) else metric
        )
        if set(made.columns) != {"trees"}:
            raise UsageError(f"{made.name} does not judge trees, so it is no cost of trees")
        self._partial = bool(np.any(gold.heads == NO_HEAD))
        if self._partial and isinstance(made, ArcLength):
            raise UsageError(
                f"{made.name} needs whole trees; arc-length takes trees that are given in part"
            )
        self.gold = gold
        self.metric = made
        self.name = made.name

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]."""
        places = gold_places(self.gold, candidates, rows)
        system = candidates.trees
        gold = Treebank(
            system.offsets,
            self.gold.heads[places],
            {name: column.take(places) for name, column in self.gold.columns.items()},
            [NO_MARGIN] * len(system),
        )
        if self._partial:
            known = gold.heads != NO_HEAD
            system, gold = _words(system, known), _words(gold, known)
        segments = Segments(trees=Trees(system, gold), _checked=True)
        scores = self.metric.score_segments(self.metric.statistics(segments))
        return 1.0 - scores if self.metric.higher_is_better else scores


def _words(treebank: Treebank, kept: Bool) -> Treebank:
    """Return some of the words; heads count those of the whole sentence."""
    before = np.append(0, np.cumsum(kept))
    places = np.flatnonzero(kept)
    return Treebank(
        before[treebank.offsets],
        treebank.heads[places],
        {name: column.take(places) for name, column in treebank.columns.items()},
        treebank.margins,
    )


def gold_places(gold: Treebank, candidates: KBest, rows: Int64) -> Int64:
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
    >>> gold_places(gold, KBest(trees, np.array([0, 2]), np.zeros(2)), np.array([1])).tolist()
    [1, 2, 1, 2]
    """
    beyond = np.flatnonzero((rows < 0) | (rows >= len(gold)))
    if len(beyond):
        where = f"sentence {int(rows[beyond[0]]) + 1}"
        raise InputError(where, "no gold tree", f"one of {counted(len(gold), 'sentence')}")
    taken = rows[candidates.sentence]
    ours, theirs = candidates.trees.lengths, gold.lengths[taken]
    wrong = np.flatnonzero(ours != theirs)
    if len(wrong):
        tree = int(wrong[0])
        where = sentence_name(candidates, int(candidates.sentence[tree]), int(taken[tree]))
        what = f"{counted(int(ours[tree]), 'word')}, but {int(theirs[tree])} in the gold tree"
        raise InputError(where, what, "the same words")
    places, _ = row_places(gold.offsets, taken)
    return places


class RootCost:
    """0 if the gold root hangs on the artificial root, else 1; labels are ignored.

    Hall et al. (2011), section 4.2. All other heads of the gold trees may be unknown (-1).

    Parameters
    ----------
    gold : Treebank
        A sentence without a known root costs 0 whatever its tree is. Of several gold roots one
        has to be found.
    single_root : bool
        Whether a tree with a second root costs 1 even if the gold one is among them.

    Raises
    ------
    InputError
        From a call, as `gold_places` does.

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
        gold = self.gold.heads[gold_places(self.gold, candidates, rows)] == ROOT
        own = trees.heads == ROOT
        right = sums(gold & own, trees.offsets) > 0
        if self.single_root:
            right &= sums(own, trees.offsets) == 1
        wrong: Float64 = ((sums(gold, trees.offsets) > 0) & ~right).astype(np.float64)
        return wrong
