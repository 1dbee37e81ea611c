"""The pictures of a sentence: trees, orders, alignment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wordorder.analysis.analysis import Analysis
from wordorder.drawing.alignment_svg import alignment_svg
from wordorder.drawing.arc_svg import arc_svg
from wordorder.drawing.sentence_labels import runs_leftwards
from wordorder.drawing.tree_svg import tree_svg
from wordorder.order.orders import Orders
from wordorder.order.permutation_tree import PermutationTree
from wordorder.order.picture import order_picture
from wordorder.order.relative import relative_orders
from wordorder.report.page.picture_row import Picture, PictureRow
from wordorder.treebank.tree import Tree
from wordorder.treebank.treebank import Treebank


def picture_rows(analysis: Analysis, sentence: int, systems: Sequence[int]) -> list[PictureRow]:
    """Draw a sentence.

    Parameters
    ----------
    analysis : Analysis
    sentence : int
        Counted from 0.
    systems : sequence of int
        The systems whose trees and orders are drawn; what they have in common is drawn once.
    """
    words = analysis.corpus.words[sentence].forms
    rows = [
        PictureRow("Parse trees", "", tuple(_trees(analysis, sentence, systems))),
        PictureRow(
            "Source, system and reference order",
            "",
            tuple(_orders(analysis, sentence, systems, words)),
        ),
        PictureRow(
            "Permutation trees",
            "The system order, written as places in the reference.",
            tuple(_permutations(analysis, sentence, systems, words)),
        ),
        PictureRow("Alignment", "", tuple(_alignment(analysis, sentence, words))),
    ]
    return [row for row in rows if row.pictures]


def _trees(analysis: Analysis, sentence: int, systems: Sequence[int]) -> Iterator[Picture]:
    """Draw two different trees and the right one.

    The trees of the systems come first, then those that differ most from the first tree.
    """
    banks: dict[int, tuple[str, Treebank]] = {}
    for s in [*systems, *range(len(analysis.systems))]:
        system = analysis.systems[s]
        if system.treebank is not None:
            banks.setdefault(id(system.treebank), (_parser(analysis, s), system.treebank))
    trees = [(name, bank[sentence]) for name, bank in banks.values()]
    own = len({id(analysis.systems[s].treebank) for s in systems})
    trees[own:] = sorted(trees[own:], key=lambda tree: -_difference(tree[1], trees[0][1]))
    shown = _different(trees)[:2]
    if analysis.corpus.gold is not None:
        gold = analysis.corpus.gold[sentence]
        same = [(names, tree) for names, tree in shown if _key(tree) == _key(gold)]
        if same and "gold" not in same[0][0]:
            same[0][0].append("gold")
        elif not same:
            shown.append((["gold"], gold))
    for names, tree in shown:
        if any(head >= 0 for head in tree.heads):
            yield Picture(", ".join(names), arc_svg(tree), runs_leftwards(tree.forms))


def _orders(
    analysis: Analysis, sentence: int, systems: Sequence[int], words: Sequence[str]
) -> Iterator[Picture]:
    """Draw the different orders of the systems between source and reference."""
    reference = analysis.corpus.reference[sentence]
    for positions, names in _different_orders(analysis, sentence, systems).items():
        drawing = order_picture(words, positions, reference)
        yield Picture(", ".join(names), drawing, runs_leftwards(words))


def _permutations(
    analysis: Analysis, sentence: int, systems: Sequence[int], words: Sequence[str]
) -> Iterator[Picture]:
    """Draw the permutation tree of each different order, read against the reference."""
    reference = analysis.corpus.reference[sentence : sentence + 1]
    for positions, names in _different_orders(analysis, sentence, systems).items():
        relative = relative_orders(Orders.from_rows([positions]), reference)
        if not len(relative.permutation.values):
            continue
        kept = [words[place] for place, has in zip(positions, relative.kept, strict=True) if has]
        root = PermutationTree(relative.permutation[0]).flat
        yield Picture(", ".join(names), tree_svg(root, kept))


def _alignment(analysis: Analysis, sentence: int, words: Sequence[str]) -> Iterator[Picture]:
    """Draw the links, if they are known."""
    if analysis.corpus.alignments is None:
        return
    target = analysis.corpus.target[sentence] if analysis.corpus.target else None
    drawing = alignment_svg(analysis.corpus.alignments[sentence], words, target)
    leftwards = runs_leftwards(target or ())
    yield Picture("Source words down, target words across", drawing, leftwards)


def _different_orders(
    analysis: Analysis, sentence: int, systems: Sequence[int]
) -> dict[tuple[int, ...], list[str]]:
    """Return the orders of some systems, each with the names of those that have it."""
    names_of: dict[tuple[int, ...], list[str]] = {}
    for s in systems:
        positions = tuple(analysis.systems[s].orders.positions[sentence].tolist())
        names_of.setdefault(positions, []).append(analysis.systems[s].name)
    return names_of


def _different(trees: Sequence[tuple[str, Tree]]) -> list[tuple[list[str], Tree]]:
    """Put equal trees together, with the names of all that have them."""
    names_of: dict[tuple[object, ...], tuple[list[str], Tree]] = {}
    for name, tree in trees:
        names_of.setdefault(_key(tree), ([], tree))[0].append(name)
    return list(names_of.values())


def _key(tree: Tree) -> tuple[object, ...]:
    """Return what is drawn of a tree."""
    return tree.heads, tree.labels, tree.upos


def _difference(tree: Tree, other: Tree) -> int:
    """Count the words that have another head or another label."""
    mine = zip(tree.heads, tree.labels, strict=True)
    theirs = zip(other.heads, other.labels, strict=True)
    return sum(a != b for a, b in zip(mine, theirs, strict=True))


def _parser(analysis: Analysis, system: int) -> str:
    """Return what the trees of a system are called: their parser in a grid, or as the system."""
    if analysis.grid is None:
        return analysis.systems[system].name
    return analysis.grid.parsers[system // len(analysis.grid.rules)]
