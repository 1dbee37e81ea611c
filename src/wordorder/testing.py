"""Conformance checks, one function each, for authors of metrics, aligners, rules and costs."""

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Float64, Int64
from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.kernels import set_threads, threads
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.contract import (
    COLUMNS,
    BaseMetric,
    Metric,
    complete_metric,
    left_out_segments,
)
from wordorder.order.orders import Orders
from wordorder.reordering.rules import RuleSet
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.training.cost import Cost, checked_costs
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank

# Words, tags and labels of random treebanks.
_TEXTS = {
    "form": ["not", "he", "can", "the", "in", ",", "what"],
    "upos": ["NOUN", "VERB", "AUX", "PRON", "ADJ", "ADP", "PUNCT"],
    "xpos": ["NN", "VB", "VBD", "MD", "IN", "JJ", ","],
    "label": ["nsubj", "obj", "obl", "nmod", "aux", "cop", "case", "mark", "conj", "cc", "punct"],
}


def check_metric(metric: Metric, segments: Segments | None = None) -> None:
    """Check that a metric keeps the contract of `wordorder.metrics.contract`.

    Parameters
    ----------
    metric : Metric
        An object that does not derive from `BaseMetric` needs only the five members of `Metric`; it
        reads word orders, and all other members have their defaults.
    segments : Segments, optional
        Test data; by default orders of 0 to 9 words with ties, repeated and dropped words. Pass
        segments if the metric reads other columns.

    Raises
    ------
    AssertionError
        With the first broken promise: declarations of `BaseMetric`, shapes and dtypes, additive
        statistics, finite scores, a corpus score that does not depend on chunks or their order,
        a signature that can be parsed.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> check_metric(metric("kendall"))
    """
    if segments is None:
        segments = _sample_orders()
    try:
        metric = complete_metric(metric)
    except UsageError as error:
        raise AssertionError(f"broken promise: a metric keeps the contract: {error}") from None
    _check_names(metric)
    _check_declared(metric)
    metric = _check_preparation(metric, segments)
    rows = len(segments)
    statistics = metric.statistics(segments)
    is_float64 = isinstance(statistics, np.ndarray) and statistics.dtype == np.float64
    _require(
        is_float64 and statistics.ndim == 2 and len(statistics) == rows,
        "statistics(segments) returns a float64 matrix with one row per segment",
    )
    _require(bool(np.isfinite(statistics).all()), "statistics are finite")
    again = metric.statistics(segments)
    _require(np.array_equal(statistics, again), "statistics are the same twice")
    for cut in (0, 1, rows // 2, rows):
        parts = [metric.statistics(segments[:cut]), metric.statistics(segments[cut:])]
        _require(
            np.array_equal(np.concatenate(parts), statistics),
            "the statistics of a segment do not depend on the segments around it",
        )
    for scores, promise in (
        (metric.score(statistics), "score maps [..., k] to [...]"),
        (metric.score_segments(statistics), "score_segments maps [S, k] to [S]"),
    ):
        _require(scores.shape == (rows,), promise)
        _require(bool(np.isfinite(scores).all()), "segment scores are finite")
    _require(
        np.array_equal(metric.segment_scores(segments), _segment_scores(metric, statistics), True),
        "segment_scores(segments) are the score_segments of the statistics, NaN where left out",
    )
    stacked = metric.score(statistics[:, np.newaxis])
    _require(
        stacked.shape == (rows, 1) and np.array_equal(stacked[:, 0], metric.score(statistics)),
        "score works on any leading dimensions",
    )
    empty = float(metric.score(np.zeros(statistics.shape[1])))
    _require(math.isfinite(empty), "the score of no segments is finite")
    if not rows:
        return
    corpus_score = metric.corpus_score(segments)
    for cuts in ([rows // 3], sorted({min(1, rows), min(2, rows), max(rows - 1, 0)})):
        _require(
            _score_pieces(metric, segments, cuts) == corpus_score.value,
            "the corpus score does not depend on chunks or their order",
        )


def _segment_scores(metric: BaseMetric, statistics: Float64) -> Float64:
    return np.where(left_out_segments(statistics), np.nan, metric.score_segments(statistics))


def check_aligner(aligner: Any) -> None:
    """Check that an aligner keeps the contract of aligners of `wordorder align`.

    Parameters
    ----------
    aligner : class
        With ``train(source, target, iterations=, progress=)`` and ``load(path)``, which return an
        object with ``align(source, target, symmetrize=)`` and ``save(path)``; as
        `wordorder.alignment.statistical.aligner.HMMAligner`.

    Raises
    ------
    AssertionError
        With the first broken promise: rows and ranges of links, no links for an empty line, the
        same links twice, with any number of threads, and from a saved model.

    Examples
    --------
    >>> from wordorder.alignment.statistical.align import ALIGNERS
    >>> check_aligner(ALIGNERS.load("hmm"))
    """
    generator = np.random.default_rng(12345)
    source = [" ".join(generator.choice(list("abcde"), n)) for n in [3, 0, 5, 1, 7, 4, 2, 0, 6, 4]]
    target = [line.upper()[::-1] for line in source]
    target[2], target[7] = "", "X Y"
    counts: list[int] = []
    model = aligner.train(source, target, progress=counts.append)
    _require(isinstance(model.name, str) and model.name != "", "an aligner has a name")
    _require(
        counts == sorted(counts) and len(counts) > 0, "progress is reported, and never decreases"
    )
    links = model.align(source, target, symmetrize="union")
    rows = len(links) if isinstance(links, Alignments) else -1
    _require(rows == len(source), "one row of links per line")
    lengths = [[len(line.split()) for line in lines] for lines in (source, target)]
    try:
        links.with_lengths(*lengths)
    except InputError as error:
        raise AssertionError(f"broken promise: links are within their sentences: {error}") from None
    for row, pair in enumerate(zip(*lengths, strict=True)):
        _require(min(pair) > 0 or not links[row].links, "a line without words has no links")
    again = aligner.train(source, target, iterations=None)
    _require(again.align(source, target, symmetrize="union") == links, "the same links twice")
    for number in (1, 3):
        with _use_threads(number):
            links_again = aligner.train(source, target).align(source, target, symmetrize="union")
        _require(links_again == links, "any number of threads gives the same links")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        loaded = aligner.load(path).align(source, target, symmetrize="union")
    _require(loaded == links, "a saved model gives the same links")


def check_rules(rules: RuleSet, treebank: Treebank | None = None) -> None:
    """Check that a rule set keeps the contract of rule sets of `wordorder reorder --rules`.

    Parameters
    ----------
    rules : RuleSet
        With a `name` and ``orders(treebank)``, as `wordorder.reordering.PrecedenceRules`.
    treebank : Treebank, optional
        Test data; by default sentences of 0 to 12 words with random trees, some of them
        not projective, and random tags and labels of Universal Dependencies.

    Raises
    ------
    AssertionError
        With the first broken promise: an order for each sentence, with each of its words once and
        without ties; the same for any chunks of the treebank and any number of threads.

    Examples
    --------
    >>> from wordorder.reordering import open_rules
    >>> check_rules(open_rules("R5"))
    """
    if treebank is None:
        treebank = _sample_trees()
    _require(isinstance(rules.name, str) and rules.name != "", "a rule set has a name")
    _require(
        not set(rules.name) & set("|:") and not any(map(str.isspace, rules.name)),
        "a name has no spaces, colons and bars: signatures contain it",
    )
    orders = rules.orders(treebank)
    _require(isinstance(orders, Orders), "orders(treebank) returns Orders")
    _require(len(orders) == len(treebank), "an order for each sentence")
    rows = orders.positions.to_lists()
    expected = [list(range(n)) for n in treebank.lengths.tolist()]
    _require(list(map(sorted, rows)) == expected, "an order has each word of its sentence once")
    _require(orders.ranks is None, "words do not tie")
    _require(rules.orders(treebank).positions.to_lists() == rows, "the same orders twice")
    for size in (1, 2, len(treebank) // 2 + 1):
        parts: list[list[int]] = []
        for first in range(0, len(treebank), size):
            parts += rules.orders(treebank[first : first + size]).positions.to_lists()
        _require(parts == rows, "the order of a sentence does not depend on those around it")
    _require(len(rules.orders(treebank[:0])) == 0, "without sentences there are no orders")
    for number in (1, 3):
        with _use_threads(number):
            again = rules.orders(treebank).positions.to_lists()
        _require(again == rows, "any number of threads gives the same orders")


def check_cost(cost: Cost, candidates: KBest | None = None, rows: Int64 | None = None) -> None:
    """Check that a cost keeps the contract of costs of `wordorder train parser --augment`.

    Parameters
    ----------
    cost : Cost
        Such as `wordorder.training.OrderCost`, or a function.
    candidates : KBest, optional
        Test data; by default three trees for each sentence of `cost_sample`.
    rows : int64[S], optional
        Index of each sentence in the data of the cost; by default 0, 1, 2, …

    Raises
    ------
    AssertionError
        With the first broken promise: a number for each tree, no NaN; the same for any chunks,
        order and selection of lists and trees; arguments are not changed.

    Examples
    --------
    >>> from wordorder.training import RootCost
    >>> check_cost(RootCost(cost_sample()))
    """
    if candidates is None:
        candidates = _sample_lists()
    if rows is None:
        rows = np.arange(len(candidates))
    original_heads, original_rows = candidates.trees.heads.copy(), rows.copy()

    def costs(lists: KBest, numbers: Int64) -> Float64:
        try:
            return checked_costs(cost, lists, numbers)
        except WordOrderError as error:
            raise AssertionError(f"broken promise: each tree has a cost: {error}") from error

    expected = costs(candidates, rows)
    _require(
        np.array_equal(original_heads, candidates.trees.heads)
        and np.array_equal(original_rows, rows),
        "a cost does not change its arguments",
    )
    _require(np.array_equal(costs(candidates, rows), expected), "the same costs twice")
    for size in (1, 2, len(rows) // 2 + 1):
        parts = [np.zeros(0)]
        for first in range(0, len(rows), size):
            part = slice(first, first + size)
            parts.append(costs(candidates[part], rows[part]))
        _require(
            np.array_equal(np.concatenate(parts), expected),
            "the costs of a list do not depend on those around it",
        )
    reverse = np.arange(len(rows))[::-1]
    indexed = KBest(
        candidates.trees, candidates.offsets, np.arange(len(expected), dtype=np.float64)
    )
    backwards = indexed.take(reverse)
    _require(
        np.array_equal(
            costs(backwards, rows[reverse]), expected[backwards.scores.astype(np.int64)]
        ),
        "rows select the sentence of each list, in any order",
    )
    shorter = indexed.take(np.arange(len(rows)), most=1)
    _require(
        np.array_equal(costs(shorter, rows), expected[shorter.scores.astype(np.int64)]),
        "the cost of a tree does not depend on the others of its list",
    )


@contextmanager
def _use_threads(number: int) -> Iterator[None]:
    """Set the number of threads within a block."""
    previous = threads()
    set_threads(number)
    try:
        yield
    finally:
        set_threads(previous)


def cost_sample() -> Treebank:
    """Return the test data of `check_cost`: sentences of 1 to 12 words, random trees and tags.

    Examples
    --------
    >>> cost_sample()
    Treebank(48 sentences, 312 words)
    """
    trees = _sample_trees()
    return trees.take(np.flatnonzero(trees.lengths > 0))


def _sample_lists() -> KBest:
    """Return three trees per sentence of the sample: its own, and two of equally long ones."""
    sample = cost_sample()
    rows = np.arange(len(sample))
    lengths = int(sample.lengths.max())
    order = np.stack([(rows + shift * lengths) % len(sample) for shift in range(3)], axis=1)
    shuffled = sample.take(order.reshape(-1))
    trees = sample.take(np.repeat(rows, 3)).replace(heads=shuffled.heads, label=shuffled.label)
    return KBest(trees, 3 * np.arange(len(sample) + 1), np.zeros(len(trees)))


def _sample_trees() -> Treebank:
    """Return sentences of 0 to 12 words with random trees, tags and labels."""
    generator = np.random.default_rng(12345)
    rows: dict[str, list[list[str]]] = {"form": [], "upos": [], "xpos": [], "label": []}
    heads = []
    for n in list(range(13)) * 4:
        # The head of a word precedes it in a random order of the words.
        rank = generator.permutation(n)
        head = [0] * n
        for index in range(1, n):
            head[rank[index]] = int(rank[generator.integers(index)]) + 1
        heads.append(head)
        for name, texts in _TEXTS.items():
            rows[name].append(generator.choice(texts, n).tolist())
        labels = zip(rows["label"][-1], head, strict=True)
        rows["label"][-1] = [label if above else "root" for label, above in labels]
    return Treebank.from_words(rows.pop("form"), heads=heads, **rows)


def _sample_orders() -> Segments:
    """Return orders of 0 to 9 words, some with ties in the reference or without a word."""
    generator = np.random.default_rng(12345)
    system, reference, source = [], [], []
    for row, n in enumerate(list(range(10)) * 5):
        order = generator.permutation(n).tolist()
        tied = row % 3 == 0 and n > 1
        reference.append([order[:2], *order[2:]] if tied else order)
        system.append(generator.permutation(n).tolist()[: n - (row % 7 == 0 and n > 2)])
        source.append(generator.choice(["a", "b", "c"], n).tolist())
    return Segments.from_orders(system, reference, source=source)


def _check_names(metric: BaseMetric) -> None:
    has_name = "name" in dir(metric) and isinstance(metric.name, str) and metric.name != ""
    _require(has_name, "a metric has a name")
    _require(isinstance(metric.higher_is_better, bool), "higher_is_better is True or False")
    signature = metric.signature()
    _require(isinstance(signature, Signature), "signature() returns a Signature")
    _require(_can_parse(signature), "the signature can be parsed from its text")
    _require(signature.metric == metric.name, "the signature starts with the metric's name")


def _check_declared(metric: BaseMetric) -> None:
    columns = metric.columns
    _require(
        isinstance(columns, tuple) and len(columns) > 0 and set(columns) <= set(COLUMNS),
        f"columns is a tuple of names among {', '.join(COLUMNS)}",
    )
    _require(isinstance(metric.slow, bool), "slow is True or False")
    matches = ("index", "first-unmatched")
    _require(metric.match in matches, f"match is one of {', '.join(matches)}")
    _require(
        all(isinstance(member, BaseMetric) for _, member in metric.members),
        "members are pairs of a weight and a metric that derives from BaseMetric",
    )


def _check_preparation(metric: BaseMetric, segments: Segments) -> BaseMetric:
    """Return the metric, prepared if necessary."""
    needed = metric.needs_preparation
    _require(isinstance(needed, bool), "needs_preparation is True or False")
    prepared = metric.prepare(segments)
    _require(
        isinstance(prepared, type(metric)) and not prepared.needs_preparation,
        "prepare(references) returns a metric of the same class that needs no preparation",
    )
    _require(metric.needs_preparation == needed, "prepare does not change the metric itself")
    half = len(segments) // 2
    from_pieces = metric.prepare(iter([segments[:half], segments[half:]]))
    _require(
        np.array_equal(
            from_pieces.statistics(segments), prepared.statistics(segments), equal_nan=True
        ),
        "prepare accepts the references in one piece or in several",
    )
    return prepared


def _can_parse(signature: Signature) -> bool:
    try:
        return Signature.parse(str(signature)) == signature
    except ValueError:
        return False


def _score_pieces(metric: BaseMetric, segments: Segments, cuts: Sequence[int]) -> float:
    """Return the corpus score of the pieces, accumulated from the last to the first."""
    running = Accumulator(metric)
    bounds = [0, *cuts, len(segments)]
    for first, last in reversed(list(pairwise(bounds))):
        running.update(segments[first:last])
    return running.compute().value


def _require(holds: bool, promise: str) -> None:
    if not holds:
        raise AssertionError(f"broken promise: {promise}")
