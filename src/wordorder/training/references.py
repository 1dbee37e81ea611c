"""Reference orders read sentence by sentence, and the selection of trees by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.alignment.reading import AlignmentReader
from wordorder.arrays import Float64, Int64, OnProgress
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.messages import counted, names_arguments, percent
from wordorder.metrics.trees.attachment import imperatives
from wordorder.options import (
    ALIGNED_KINDS,
    AlignedOptions,
    NotationOptions,
    OrderOptions,
    options_of,
    with_options,
)
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderReader
from wordorder.order.reference import reference_orders
from wordorder.progress import shows_progress
from wordorder.records import Record, key
from wordorder.reordering.rules import open_rules
from wordorder.scoring.files import ALIGNMENT_SUFFIXES
from wordorder.statistics.exact_sum import ExactSum
from wordorder.text.lockstep import take_exactly
from wordorder.text.names import without_compression
from wordorder.text.opening import Closeable, Path, display_name
from wordorder.text.output import write_output
from wordorder.training.cost import OrderCost, ScoredOrders
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_files import KBestReader
from wordorder.treebank.preparation import tag_counts
from wordorder.treebank.reading import TreebankWriter, sentences_of
from wordorder.treebank.treebank import Treebank

# Trees per batch, enough for rules and metrics to work on many at once.
TREES_PER_BATCH = 1 << 13


@dataclass(frozen=True)
@with_options
class ReferenceFile(AlignedOptions):
    """A file of reference orders, or of alignments from which orders are made.

    With `kind` "auto" ``.align`` and ``.talbot`` files hold alignments, others orders. Alignments
    become orders by the rule ``talbot`` with all links, unless other values are set.

    Attributes
    ----------
    path : path or "-"
    **options
        The options of `wordorder.options.AlignedOptions`.

    Raises
    ------
    UsageError
        If `kind` is unknown, or an option is for alignments and the file holds orders.
    """

    path: Path

    def __post_init__(self) -> None:
        choose("input", self.kind, ALIGNED_KINDS)
        if self.holds_alignments:
            if self.rule == "aligned":
                raise UsageError(
                    "--rule=aligned renumbers the aligned words, so orders of all words do not "
                    "fit; --rule=lrscore --unaligned=drop keeps the numbers of the source"
                )
            return
        for name, option in options_of(OrderOptions, NotationOptions).items():
            if getattr(self, name) != option.default:
                raise UsageError(
                    f"{option.flags[0]} is for alignments, but {self.name} is read "
                    "as orders (if it holds alignments: --input=alignments)"
                )

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return display_name(self.path)

    @property
    def holds_alignments(self) -> bool:
        """Whether the file holds alignments, not orders."""
        if self.kind != "auto":
            return self.kind == "alignments"
        return without_compression(str(self.path)).endswith(ALIGNMENT_SUFFIXES)

    def settings(self) -> dict[str, Any]:
        """Return the options that determine the orders, as JSON-serialisable data."""
        chosen = {name: getattr(self, name) for name in ("kind", "rule", "unaligned", "links")}
        return chosen | {"one_based": self.one_based, "format": self.alignment_format}


class ReferenceReader(Closeable):
    """Reads the reference orders of sentences in batches.

    Parameters
    ----------
    file : ReferenceFile
    source : str
        The name of the file of sentences in messages.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.align")
    >>> _ = path.write_text("0-1 1-0\\n")
    >>> with ReferenceReader(ReferenceFile(path), "a.txt") as reader:
    ...     orders = reader.take(np.array([2]))
    >>> str(orders[0])
    '1 0'
    """

    def __init__(self, file: ReferenceFile, source: str) -> None:
        self.file = file
        self.source = source
        self._reader: AlignmentReader | OrderReader
        if file.holds_alignments:
            self._reader = AlignmentReader(
                file.path,
                format=file.alignment_format,
                format_option="--alignment-format",
                one_based=file.one_based,
                strict=file.strict,
                source_name=source,
            )
        else:
            self._reader = OrderReader(file.path)

    def take(self, lengths: Int64) -> Orders:
        """Return the orders of the next sentences.

        Parameters
        ----------
        lengths : int64[S]
            The numbers of their words.

        Raises
        ------
        InputError
            If the file is malformed, has no more rows, or a position is beyond its sentence.
        """
        orders = take_exactly(
            lambda there, _: self._take_some(lengths[there:]), len(lengths), Orders.concatenate
        )
        if orders is None:
            problem = f"{counted(self._reader.lines, 'row')}, but {self.source} has more sentences"
            raise InputError(self.file.name, problem, "one row per sentence")
        self._check(orders, lengths)
        return orders

    def finish(self) -> None:
        """Check that there are no more rows.

        Raises
        ------
        InputError
            If there are more rows.
        """
        read = self._reader.lines
        if len(self._reader.take(1)):
            problem = f"more rows than the {counted(read, 'sentence')} of {self.source}"
            raise InputError(self.file.name, problem, "one row per sentence")

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def _check(self, orders: Orders, lengths: Int64) -> None:
        """Raise an InputError for a position beyond its sentence in the last rows read."""
        out_of_range = np.flatnonzero(orders.positions.values >= np.repeat(lengths, orders.lengths))
        if len(out_of_range):
            entry = int(out_of_range[0])
            row = int(np.searchsorted(orders.positions.offsets, entry, side="right")) - 1
            line = self._reader.lines - len(orders) + row + 1
            words = counted(int(lengths[row]), "word")
            problem = f"position {orders.positions.values[entry]}, but the sentence has {words}"
            expected = f"the words of {self.source} in the same order"
            raise InputError(location(self.file.name, line), problem, expected)

    def _take_some(self, lengths: Int64) -> Orders:
        """Return the orders of the next sentences, at least one unless the file has ended."""
        if isinstance(self._reader, OrderReader):
            return self._reader.take(len(lengths))
        rows = self._reader.take(len(lengths), source_lengths=lengths)
        if not len(rows):
            return Orders.from_rows([])
        return reference_orders(
            rows,
            np.asarray(lengths[: len(rows)]),
            rule=self.file.rule or "talbot",
            unaligned=self.file.unaligned,
            links=self.file.links or "all",
        )


@dataclass
class Readings:
    """Counts of imperatives and of readings of words (Katz-Brown et al. 2011, Table 3).

    Attributes
    ----------
    words : sequence of str
        Words whose tags are counted, in upper or lower case.
    sentences : int
        The number of sentences.
    counted, imperative : int
        Sentences with a word other than punctuation, and those of them that begin with a verb that
        is the root.
    nouns, verbs : dict of word to int
        How often each word is tagged as a noun or name, and as a verb or auxiliary.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [["Click", "here"], ["A", "click"]], heads=[[0, 1], [2, 0]],
    ...     upos=[["VERB", "ADV"], ["DET", "NOUN"]],
    ... )
    >>> found = Readings(("click",))
    >>> found.add(bank)
    >>> found.nouns, found.verbs, found.rate
    ({'click': 1}, {'click': 1}, 0.5)
    """

    words: Sequence[str] = ()
    sentences: int = 0
    counted: int = 0
    imperative: int = 0
    nouns: dict[str, int] = field(default_factory=dict)
    verbs: dict[str, int] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """The share of imperatives among the counted sentences; 0 without sentences."""
        return self.imperative / max(self.counted, 1)

    def add(self, trees: Treebank) -> None:
        """Count further trees, one per sentence."""
        flags = imperatives(trees)
        self.sentences += len(trees)
        self.counted += int(np.count_nonzero(flags.counted))
        self.imperative += int(np.count_nonzero(flags.imperative))
        for word in self.words:
            counts = tag_counts(trees, word)
            self.nouns[word] = self.nouns.get(word, 0) + counts.nouns
            self.verbs[word] = self.verbs.get(word, 0) + counts.verbs

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Readings:
        """Rebuild counts from their fields."""
        return cls(**{**data, "words": tuple(data["words"])})


def best_of_lists(scores: Float64, offsets: Int64) -> Int64:
    """Return the index of the best tree of each list, int64[S]; the first one on ties.

    Katz-Brown et al. (2011), Algorithm 1. As printed it starts from a best score of 0 and returns
    no tree if every tree scores 0; here it starts from the first tree.

    Parameters
    ----------
    scores : float64[T]
        Larger is better; ``-inf`` if rules failed. For costs, pass their negatives.
    offsets : int64[S+1]
        The trees of list ``i`` are ``offsets[i] .. offsets[i+1]-1``; no list is empty.

    Examples
    --------
    >>> best_of_lists(np.array([0.0, 0.0, 0.5, 0.7, 0.7]), np.array([0, 2, 5])).tolist()
    [0, 3]
    """
    highest = np.maximum.reduceat(scores, offsets[:-1]) if len(offsets) > 1 else np.zeros(0)
    best = np.flatnonzero(scores == np.repeat(highest, np.diff(offsets)))
    lists = np.searchsorted(offsets, best, side="right") - 1
    _, first = np.unique(lists, return_index=True)
    chosen: Int64 = best[first]
    return chosen


@dataclass(frozen=True)
class SelectionReport(Record):
    """The scores of lists of trees: of their first, chosen and best trees."""

    metric: str = key("the signature of the metric")
    sentences: int = key("lists of trees")
    trees: int = key("trees in all lists")
    orders: int = key("distinct orders that their rules give, counted in each list by itself")
    one_order: int = key(
        "lists whose trees have one order alone: nothing can be learned from their choice"
    )
    first_best: int = key("lists whose first tree is the best: Algorithm 1 takes it")
    without_reference: int = key("lists whose reference has no words; the first tree is taken")
    failed: int = key("trees on which the rules failed; none is chosen")
    first_score: float = key("the metric's value with the first trees")
    best_score: float = key("with the best trees, the best possible choice")
    other_order: float = key("share of trees behind the first with another order")
    other_heads: float = key("share of words of these with another head")
    other_labels: float = key("share of words of these with another label")
    other_tags: float = key("share of words of these with another tag")
    changed_heads: float = key("share of words whose head changes with the best trees")
    changed_tags: float = key("share of words whose tag changes with the best trees")

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        lists = max(self.sentences, 1)
        name = self.metric.partition("|")[0]
        lines = [
            f"{counted(self.sentences, 'list')} of {self.trees / lists:.1f} trees with "
            f"{self.orders / lists:.2f} distinct orders",
            f"{percent(self.one_order, self.sentences)} of the lists have one order alone; the "
            f"first tree is the best in {percent(self.first_best, self.sentences)}",
            f"{name}: {self.first_score:.4f} with the first trees, {self.best_score:.4f} with "
            "the best ones, the best possible choice",
            f"after the first tree, {100 * self.other_order:.1f} % of the trees have another "
            f"order, {100 * self.other_heads:.1f} % of the words another head, "
            f"{100 * self.other_labels:.1f} % another label, {100 * self.other_tags:.1f} % "
            "another tag",
        ]
        if self.without_reference:
            lines.append(
                f"{percent(self.without_reference, self.sentences)} of the sentences have no word "
                "in their reference, so their first tree is used"
            )
        if self.failed:
            lines.append(
                f"the rules failed on {percent(self.failed, self.trees)} of the trees, which are "
                "not chosen"
            )
        return lines


class Selection:
    """Chooses trees from lists, batch by batch, and counts what the lists offered.

    Parameters
    ----------
    cost : OrderCost
    standard : bool
        Choose the first tree of each list, as in standard self-training; the report is the same.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering import open_rules
    >>> trees = Treebank.from_words(
    ...     [["Wear", "sunscreen"]] * 2,
    ...     heads=[[2, 0], [0, 1]],
    ...     upos=[["VERB", "NOUN"]] * 2,
    ...     label=[["amod", "root"], ["root", "obj"]],
    ... )
    >>> lists = KBest(trees, np.array([0, 2]), np.array([-1.0, -2.0]))
    >>> selection = Selection(OrderCost(open_rules("R5"), Orders.from_rows([[1, 0]])))
    >>> selection.choose(lists, np.array([0])).heads.tolist()
    [0, 1]
    >>> selection.report().best_score
    1.0
    """

    def __init__(self, cost: OrderCost, *, standard: bool = False) -> None:
        self.cost = cost
        self.standard = standard
        self._counts = np.zeros(7, np.int64)
        self._shares = np.zeros((6, 2), np.int64)
        self._sums: tuple[ExactSum, ExactSum] | None = None

    def choose(self, candidates: KBest, rows: Int64) -> Treebank:
        """Return the chosen tree of each list.

        Parameters
        ----------
        candidates : KBest
            Lists of at least one tree.
        rows : int64[S]
            The reference of each list.

        Raises
        ------
        UsageError, InputError
            See `OrderCost`.
        """
        scored = self.cost.scored(candidates, rows)
        best = best_of_lists(scored.scores, candidates.offsets)
        self._count(candidates, rows, scored, best)
        return candidates.trees.take(candidates.offsets[:-1] if self.standard else best)

    def report(self) -> SelectionReport:
        """Return the counts so far."""
        metric = self.cost.metric
        scores = [0.0, 0.0]
        if self._sums is not None:
            scores = [float(metric.score(bucket.totals())) for bucket in self._sums]
        shares = (self._shares[:, 0] / np.maximum(self._shares[:, 1], 1)).tolist()
        return SelectionReport(str(metric.signature()), *self._counts.tolist(), *scores, *shares)

    def _count(self, candidates: KBest, rows: Int64, scored: ScoredOrders, best: Int64) -> None:
        """Add a batch to the counts of `SelectionReport` and to the scores."""
        offsets = candidates.offsets
        count = len(scored.first)
        leads = (scored.first == np.arange(count)) & ~scored.failed
        distinct = np.add.reduceat(leads, offsets[:-1]) if len(offsets) > 1 else np.zeros(0)
        first = offsets[:-1]
        words = self.cost.reference.lengths[rows]
        self._counts += [
            len(candidates),
            count,
            int(leads.sum()),
            int(np.count_nonzero(distinct == 1)),
            int(np.count_nonzero(best == first)),
            int(np.count_nonzero(words == 0)),
            int(scored.failed.sum()),
        ]
        if self._sums is None:
            columns = scored.statistics.shape[1]
            self._sums = ExactSum(columns), ExactSum(columns)
        self._sums[0].add(scored.statistics[first])
        self._sums[1].add(scored.statistics[best])
        self._compare(candidates, scored, best)

    def _compare(self, candidates: KBest, scored: ScoredOrders, best: Int64) -> None:
        """Count how later trees and chosen trees differ from the first tree of their list."""
        trees, count = candidates.trees, len(scored.first)
        first_tree = np.repeat(candidates.offsets[:-1], np.diff(candidates.offsets))
        is_later = first_tree != np.arange(count)
        differs = scored.first[is_later] != scored.first[first_tree[is_later]]
        self._shares[0] += int(differs.sum()), len(differs)
        lengths = trees.lengths
        starts = np.repeat(trees.offsets[:-1][first_tree] - trees.offsets[:-1], lengths)
        first_tree_words = np.arange(trees.words) + starts
        in_later_tree = np.repeat(is_later, lengths)
        is_chosen = np.zeros(count, np.bool_)
        is_chosen[best] = True
        in_chosen_tree = np.repeat(is_chosen, lengths)
        heads = trees.heads != trees.heads[first_tree_words]
        labels = trees.label.codes != trees.label.codes[first_tree_words]
        tags = (trees.xpos.codes != trees.xpos.codes[first_tree_words]) | (
            trees.upos.codes != trees.upos.codes[first_tree_words]
        )
        for index, (differ, mask) in enumerate(
            (
                (heads, in_later_tree),
                (labels, in_later_tree),
                (tags, in_later_tree),
                (heads, in_chosen_tree),
                (tags, in_chosen_tree),
            ),
            1,
        ):
            self._shares[index] += int((differ & mask).sum()), int(mask.sum())


@names_arguments
@shows_progress("lists")
def select_files(
    kbest: Path,
    reference: Path,
    output: Path = "-",
    *,
    rules: Path,
    metric: str = "frs",
    multiple_roots: bool = False,
    progress: OnProgress | None = None,
    **convention: Any,
) -> SelectionReport:
    r"""Write the tree of each list whose order is closest to the reference.

    Parameters
    ----------
    kbest : path or "-"
        Lists of trees in CoNLL-U, of any parser; see `KBestReader`.
    reference : path or "-"
        A row for each list: orders, or alignments from which orders are made.
    output : path or "-"
        The chosen trees, in CoNLL-U.
    rules : name or path
        Written or learned rules; see `open_rules`.
    metric : str
        A metric that compares orders, with options in parentheses if it has any.
    multiple_roots : bool
        Whether trees may have several roots.
    progress : callable, optional
        Called with the number of lists done.
    convention
        Further options of `ReferenceFile`: ``unaligned="drop"``, ``rule=``, ``kind=``, …

    Raises
    ------
    UsageError
        If an option is invalid, or the rules fail on every tree of a list.
    InputError
        If a file is malformed, or the reference does not fit the sentences.

    Notes
    -----
    Memory holds some thousand trees, however many lists there are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> tree = (
    ...     "# rank = {}\n1\tWear\t_\tVERB\t_\t_\t{}\t{}\t_\t_\n"
    ...     "2\tsunscreen\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n\n"
    ... )
    >>> _ = (folder / "lists.conllu").write_text(
    ...     tree.format(1, 2, "amod", 0, "root") + tree.format(2, 0, "root", 1, "obj")
    ... )
    >>> _ = (folder / "reference.orders").write_text("1 0\n")
    >>> report = select_files(
    ...     folder / "lists.conllu",
    ...     folder / "reference.orders",
    ...     folder / "best.conllu",
    ...     rules="R5",
    ... )
    >>> report.first_score, report.best_score
    (0.0, 1.0)
    >>> (folder / "best.conllu").read_text().split("\t")[6:8]
    ['0', 'root']
    """
    file = ReferenceFile(reference, **convention)
    selection = Selection(OrderCost(open_rules(rules), Orders.from_rows([]), metric))
    with ExitStack() as stack:
        reader = stack.enter_context(KBestReader(kbest, single_root=not multiple_roots))
        references = stack.enter_context(ReferenceReader(file, reader.name))
        writer = TreebankWriter(stack.enter_context(write_output(output)))
        for lists in tree_batches(reader):
            lengths = lists.trees.lengths[lists.offsets[:-1]]
            selection.cost.reference = references.take(lengths)
            list_count = reader.lines
            numbers = np.arange(list_count - len(lists), list_count)
            with sentences_of(reader.name, numbers):
                writer.write(selection.choose(lists, np.arange(len(lists))))
            if progress is not None:
                progress(list_count)
        references.finish()
        if not reader.lines:
            raise UsageError(f"{reader.name}: no lists of trees")
    return selection.report()


def tree_batches(reader: KBestReader) -> Iterator[KBest]:
    """Yield batches of lists with about the same number of trees, so that memory stays bounded."""
    while len(lists := reader.take(TREES_PER_BATCH, trees=TREES_PER_BATCH)):
        yield lists
