"""Pages of orders: their sentences, pictures, and the grid of parsers × rule sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from wordorder.analysis.corpus import AnalysedOrders, Placement
from wordorder.analysis.grid import Grid
from wordorder.analysis.order_texts import MAX_SHOWN_WORDS, reference_text
from wordorder.arrays import Float64, Int32, group_rows
from wordorder.drawing.alignments import alignment_svg
from wordorder.drawing.arcs import arc_svg
from wordorder.drawing.plots import interval_svg
from wordorder.drawing.svg import runs_leftwards
from wordorder.drawing.tree_svg import tree_svg
from wordorder.messages import counted, joined, number
from wordorder.metrics.registry import called
from wordorder.order import orders
from wordorder.order.permutation_tree import PermutationTree
from wordorder.report.grids import best_systems, parsers_compared, rules_compared
from wordorder.report.marks import words_html
from wordorder.report.page import sentence_list
from wordorder.report.page.columns import Column
from wordorder.report.page.template_data import KEY, Picture, PictureRow, templates
from wordorder.report.tables import interval
from wordorder.scoring.significance_summary import triangle_reading
from wordorder.signature import labels
from wordorder.statistics.paired_tests import Comparison
from wordorder.text.display import ARROWS, END_OF_TIE, TIE, Marked
from wordorder.treebank.treebank import Tree, Treebank

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True)
class OrderSentences:
    """Source, system orders and reference order of each sentence.

    Attributes
    ----------
    analysed : AnalysedOrders
    grid : Grid, optional
        The systems as parsers × rule sets.
    """

    analysed: AnalysedOrders
    grid: Grid | None

    help = (
        f"Open a sentence to see the system orders and the reference order; {TIE} these words "
        f"{END_OF_TIE} may come in any order. {KEY}"
    )

    @cached_property
    def scores(self) -> Float64:
        """The score of each system's sentences, float64[N, S]; NaN for skipped sentences."""
        rows = [system.known_scores for system in self.analysed.systems]
        return np.reshape(rows, (len(rows), len(self.analysed)))

    @property
    def weights(self) -> Float64:
        """The words of each reference order, float64[S]."""
        return self.analysed.corpus.reference.lengths.astype(np.float64)

    @property
    def details(self) -> Sequence[tuple[str, str]]:
        """The compared data, as pairs of name and value."""
        return run_details(self.analysed, self.grid)

    def views(self, chosen: Set[int]) -> Iterator[SentenceView]:
        """Yield some sentences, by their indices, in the order of the corpus."""
        return sentence_views(self.analysed, self.scores, chosen)

    def block(
        self, view: SentenceView, pictures: str, metric: str, languages: tuple[str, str]
    ) -> str:
        """Return a sentence as HTML."""
        source, target = languages
        template = templates().get_template("sentence.html.j2")
        return template.render(
            view=view,
            pictures=pictures,
            label=metric,
            source_language=source,
            target_language=target,
        )

    def length(self, sentence: int) -> int:
        """Count the words of a sentence."""
        return int(self.analysed.corpus.words.lengths[sentence])

    def pair(self, sentence: int) -> tuple[int, ...]:
        """Return the systems that are drawn side by side."""
        return sentence_list.shown_pair(self.analysed.systems, self.scores, sentence)

    def columns(
        self, sentence: int, systems: Sequence[int], named: Set[int] = frozenset()
    ) -> tuple[list[str], list[Column]]:
        """Return the reference order and system orders; findings name no words of them."""
        words = self.analysed.corpus.words[sentence].forms
        reference = self.analysed.corpus.reference[sentence].positions
        rank_of_position = {position: rank for rank, position in enumerate(reference)}
        sides = []
        for s in systems:
            system = self.analysed.systems[s]
            order = system.orders.positions[sentence].tolist()
            relative = orders.relative_orders(
                system.orders[sentence : sentence + 1],
                self.analysed.corpus.reference[sentence : sentence + 1],
            )
            sides.append(
                Column(
                    system.name,
                    [words[p] for p in order],
                    [rank_of_position.get(p, -1) for p in order],
                    relative.permutation[0].tolist(),
                )
            )
        return [words[p] for p in reference], sides

    def pictures(self, sentence: int) -> Sequence[PictureRow]:
        """Draw the trees and orders of two systems."""
        return picture_rows(self.analysed, self.grid, sentence, self.pair(sentence))


@dataclass(frozen=True)
class SentenceView:
    """The data of a sentence on a page.

    Attributes
    ----------
    number : int
        Counted from 1.
    name : str
        Its ``sent_id``, or "".
    text : str
        The raw text, if it is known.
    words : str
        Its words, separated by spaces.
    reference : Marked
        The reference order; see `wordorder.analysis.order_texts.reference_text`.
    missing : str
        The words that the reference does not have.
    score : str
        The lowest and the highest score.
    keys : str
        Sort keys of lists: length, lowest and highest score, difference, then each system.
    results : tuple of Result
    target : str
        The target sentence.
    """

    number: int
    name: str
    text: str
    words: str
    reference: Marked
    missing: str
    score: str
    keys: str
    results: tuple[sentence_list.Result, ...]
    target: str = ""

    @property
    def title(self) -> str:
        """The sentence to read: raw text or words."""
        return self.text or self.words

    @property
    def direction(self) -> str:
        """The direction of the source and of all its orders."""
        return "rtl" if runs_leftwards(self.words.split(" ")) else "ltr"


def sentence_views(
    analysed: AnalysedOrders, scores: Float64, chosen: Set[int]
) -> Iterator[SentenceView]:
    """Yield the text views of some sentences.

    Parameters
    ----------
    analysed : AnalysedOrders
    scores : float64[N, S]
        See `Analysis.scores`.
    chosen : set of int
        The indices of the sentences.
    """
    corpus = analysed.corpus
    forms = corpus.words.form.strings()
    for i, (start, stop) in enumerate(
        zip(corpus.words.offsets[:-1].tolist(), corpus.words.offsets[1:].tolist(), strict=True)
    ):
        if i not in chosen:
            continue
        words = forms[start:stop]
        order = corpus.reference[i]
        margin = corpus.words.margins[i]
        reference_positions = set(order.positions)
        column = scores[:, i].tolist()
        score, keys = sentence_list.scores_and_keys(
            len(words), column, float(corpus.reference.lengths[i])
        )
        yield SentenceView(
            i + 1,
            margin.value("sent_id") or "",
            margin.value("text") or "",
            " ".join(words),
            reference_text(words, order),
            " ".join(word for place, word in enumerate(words) if place not in reference_positions),
            score,
            keys,
            tuple(_results(analysed, i, column)),
            " ".join(corpus.target[i]) if corpus.target else "",
        )


def _results(
    analysed: AnalysedOrders, sentence: int, scores: Sequence[float]
) -> Iterator[sentence_list.Result]:
    """Yield the distinct orders of a sentence, each with its systems."""
    rows = [system.orders.positions[sentence] for system in analysed.systems]
    systems = group_rows((row.tobytes(), s) for s, row in enumerate(rows))
    for first, *other_systems in systems.values():
        yield sentence_list.Result(
            tuple(analysed.systems[s].name for s in (first, *other_systems)),
            _order_html(analysed.corpus.words, sentence, rows[first], analysed.placements[first]),
            sentence_list.score_text(scores[first]),
        )


def _order_html(words: Treebank, sentence: int, order: Int32, placed: Placement) -> Markup:
    """Return an order as HTML with its marks."""
    word_indices = words.offsets[sentence] + order
    break_flags = placed.begun(sentence, word_indices)
    unmatched = {place for place, begins in enumerate(break_flags) if begins is None}
    breaks = {place for place, begins in enumerate(break_flags) if begins}
    displacement = placed.displacement[placed.of_sentence(sentence)]
    ranks = np.arange(len(displacement)) - displacement
    moves = orders.moved_words(ranks.tolist()) if breaks else ()
    linked_words = [place for place in range(len(order)) if place not in unmatched]
    moved_words = {place for place, has in zip(linked_words, moves, strict=False) if has}
    html = words_html(
        words.form.take(word_indices[:MAX_SHOWN_WORDS]).strings(), unmatched, breaks, moved_words
    )
    omitted = len(order) - MAX_SHOWN_WORDS
    return html + f" ... {omitted} more words" if omitted > 0 else html


def picture_rows(
    analysed: AnalysedOrders, grid: Grid | None, sentence: int, systems: Sequence[int]
) -> list[PictureRow]:
    """Return the drawings of a sentence.

    Parameters
    ----------
    analysed : AnalysedOrders
    grid : Grid, optional
        The systems as parsers × rule sets, which names their trees.
    sentence : int
        Counted from 0.
    systems : sequence of int
        The systems whose trees and orders are drawn; equal ones are drawn once.
    """
    words = analysed.corpus.words[sentence].forms
    rows = [
        PictureRow("Parse trees", "", tuple(_trees(analysed, grid, sentence, systems))),
        PictureRow(
            "Source, system and reference order",
            "",
            tuple(_orders(analysed, sentence, systems, words)),
        ),
        PictureRow(
            "Permutation trees",
            "The system order, written as places in the reference.",
            tuple(_permutations(analysed, sentence, systems, words)),
        ),
        PictureRow("Alignment", "", tuple(_alignment(analysed, sentence, words))),
    ]
    return [row for row in rows if row.pictures]


def _trees(
    analysed: AnalysedOrders, grid: Grid | None, sentence: int, systems: Sequence[int]
) -> Iterator[Picture]:
    """Draw two distinct trees and the gold tree.

    Trees of `systems` come first, then those that differ most from the first one.
    """
    treebanks: dict[int, tuple[str, Treebank]] = {}
    for s in [*systems, *range(len(analysed.systems))]:
        system = analysed.systems[s]
        if system.treebank is not None:
            name = system.name if grid is None else grid.parser_of(s)
            treebanks.setdefault(id(system.treebank), (name, system.treebank))
    trees = [(name, bank[sentence]) for name, bank in treebanks.values()]
    treebank_count = len({id(analysed.systems[s].treebank) for s in systems})
    trees[treebank_count:] = sorted(
        trees[treebank_count:], key=lambda tree: -_count_differences(tree[1], trees[0][1])
    )
    displayed = _distinct_trees(trees)[:2]
    if analysed.corpus.gold is not None:
        gold = analysed.corpus.gold[sentence]
        equal_trees = [
            (names, tree) for names, tree in displayed if _drawn_arcs(tree) == _drawn_arcs(gold)
        ]
        if equal_trees and "gold" not in equal_trees[0][0]:
            equal_trees[0][0].append("gold")
        elif not equal_trees:
            displayed.append((["gold"], gold))
    for names, tree in displayed:
        if any(head >= 0 for head in tree.heads):
            yield Picture(", ".join(names), arc_svg(tree), runs_leftwards(tree.forms))


def _orders(
    analysed: AnalysedOrders, sentence: int, systems: Sequence[int], words: Sequence[str]
) -> Iterator[Picture]:
    """Draw the distinct orders of the systems between source and reference."""
    reference = analysed.corpus.reference[sentence]
    for positions, names in _different_orders(analysed, sentence, systems).items():
        drawing = orders.order_picture(words, positions, reference)
        yield Picture(", ".join(names), drawing, runs_leftwards(words))


def _permutations(
    analysed: AnalysedOrders, sentence: int, systems: Sequence[int], words: Sequence[str]
) -> Iterator[Picture]:
    """Draw the permutation tree of each distinct order, relative to the reference."""
    reference = analysed.corpus.reference[sentence : sentence + 1]
    for positions, names in _different_orders(analysed, sentence, systems).items():
        relative = orders.relative_orders(orders.Orders.from_rows([positions]), reference)
        if not len(relative.permutation.values):
            continue
        kept_words = [
            words[place] for place, has in zip(positions, relative.in_reference, strict=True) if has
        ]
        root = PermutationTree(relative.permutation[0]).flat
        yield Picture(", ".join(names), tree_svg(root, kept_words))


def _alignment(analysed: AnalysedOrders, sentence: int, words: Sequence[str]) -> Iterator[Picture]:
    """Draw the links, if they are known."""
    if analysed.corpus.alignments is None:
        return
    target = analysed.corpus.target[sentence] if analysed.corpus.target else None
    drawing = alignment_svg(analysed.corpus.alignments[sentence], words, target)
    leftwards = runs_leftwards(target or ())
    yield Picture("Source words down, target words across", drawing, leftwards)


def _different_orders(
    analysed: AnalysedOrders, sentence: int, systems: Sequence[int]
) -> dict[tuple[int, ...], list[str]]:
    """Return the distinct orders of some systems, with the names of their systems."""
    names_of: dict[tuple[int, ...], list[str]] = {}
    for s in systems:
        positions = tuple(analysed.systems[s].orders.positions[sentence].tolist())
        names_of.setdefault(positions, []).append(analysed.systems[s].name)
    return names_of


def _distinct_trees(trees: Sequence[tuple[str, Tree]]) -> list[tuple[list[str], Tree]]:
    """Group equal trees, with the names of their systems."""
    names_of: dict[tuple[object, ...], tuple[list[str], Tree]] = {}
    for name, tree in trees:
        names_of.setdefault(_drawn_arcs(tree), ([], tree))[0].append(name)
    return list(names_of.values())


def _drawn_arcs(tree: Tree) -> tuple[object, ...]:
    """Return the arcs and labels of a tree's drawing."""
    return tree.heads, tree.labels, tree.upos


def _count_differences(tree: Tree, other: Tree) -> int:
    """Count the words that have another head or another label."""
    arcs = zip(tree.heads, tree.labels, strict=True)
    other_arcs = zip(other.heads, other.labels, strict=True)
    return sum(a != b for a, b in zip(arcs, other_arcs, strict=True))


@dataclass(frozen=True)
class Cell:
    """The value of one system, as text."""

    system: str
    value: str
    interval: str
    best: bool


@dataclass(frozen=True)
class Triangle:
    """The tests between some systems: a row for each but the last, empty below the diagonal."""

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    reading: str


@dataclass(frozen=True)
class MetricGrid:
    """One metric over parsers × rule sets.

    Attributes
    ----------
    name : str
    signature : str
    reading : tuple of str
        Sentences on the best system and its tests.
    rows : tuple of (parser, cells)
    picture : str
        The intervals of all systems as SVG.
    parsers, rules : tuple of Triangle
        The parsers under each rule set, and the rule sets under each parser.
    """

    name: str
    signature: str
    reading: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    picture: str
    parsers: tuple[Triangle, ...]
    rules: tuple[Triangle, ...]


def run_details(analysed: AnalysedOrders, grid: Grid | None) -> list[tuple[str, str]]:
    """Describe the compared data as pairs of a name and a value."""
    corpus = analysed.corpus
    missing = int((corpus.words.lengths - corpus.reference.lengths).sum())
    reference = "all words"
    if missing:
        reference = f"without {counted(missing, 'unaligned word')}"
    if corpus.reference.ranks is not None:
        reference += ", with ties"
    details = [
        ("Sentences", f"{len(corpus.words):,}"),
        ("Words", f"{corpus.words.words:,}"),
        ("Systems", f"{len(analysed.systems):,}"),
        ("Reference orders", reference),
    ]
    if grid is not None:
        level_text = (
            f"{100 * grid.level:g} %, {counted(grid.resamples, 'resample')}, seed {grid.seed}"
        )
        details += [
            ("Parsers", ", ".join(grid.parsers)),
            ("Rule sets", ", ".join(grid.rules)),
            ("Intervals", level_text),
        ]
    left_out = [int(np.count_nonzero(system.skipped)) for system in analysed.systems]
    if any(left_out):
        details.append(("Left out", f"up to {counted(max(left_out), 'sentence')} of a system"))
    return details


def metric_grids(grid: Grid) -> list[MetricGrid]:
    """Return the values, intervals and tests of each metric."""
    labelled = zip(labels(grid.signatures), grid.signatures, strict=True)
    return [
        _metric_grid(grid, m, name, str(signature)) for m, (name, signature) in enumerate(labelled)
    ]


def _metric_grid(grid: Grid, m: int, name: str, signature: str) -> MetricGrid:
    """Return the values, intervals and tests of one metric."""
    estimates = grid.estimates[m]
    names = [system.name for system in grid.evaluation.systems]
    best, *equal = best_systems(grid, m)
    cells = [
        Cell(
            system,
            number(estimate.value),
            interval(estimate.low, estimate.high),
            len(names) > 1 and s in (best, *equal),
        )
        for s, (system, estimate) in enumerate(zip(names, estimates, strict=True))
    ]
    parsers = _triangles(parsers_compared(grid, m), names, "Parsers with {}")
    rules = _triangles(rules_compared(grid, m), names, "Rule sets with {}")
    top, metric_name = cells[best], called(name)
    reading = [f"{top.system} has the best {metric_name}: {top.value} {top.interval}."]
    if equal:
        best_names = joined([names[s] for s in (best, *equal)])
        reading = [f"{best_names} have the best {metric_name}: {top.value}."]
    elif len(names) == 1:
        reading = [f"{top.system} has {metric_name} {top.value} {top.interval}."]
    # The tests of the best system: with other parsers, and with other rules.
    pairs = ((rules, grid.with_parser), (parsers, grid.under_rules))
    for triangles, groups in pairs:
        tested = zip(triangles, groups, strict=False)
        reading += [triangle.reading for triangle, group in tested if best in group]
    return MetricGrid(
        f"{metric_name} {ARROWS[grid.metrics[m].higher_is_better]}",
        signature,
        tuple(reading),
        tuple(
            (parser, tuple(cells[s] for s in group))
            for parser, group in zip(grid.parsers, grid.with_parser, strict=True)
        ),
        interval_svg(names, estimates, title=f"{metric_name} of each system, with its interval"),
        parsers,
        rules,
    )


def _triangles(
    compared: Iterable[tuple[str, range, Comparison]], names: Sequence[str], title: str
) -> tuple[Triangle, ...]:
    """Return the tests under each fixed parser or rule set; () without tests."""
    triangles = []
    for fixed_name, group, comparison in compared:
        systems, marks = tuple(names[s] for s in group), comparison.triangle()
        rows = tuple((*[""] * a, *row) for a, row in enumerate(marks))
        reading = triangle_reading(systems, marks)
        triangles.append(Triangle(title.replace("{}", fixed_name), systems, rows, reading))
    return tuple(triangles)
