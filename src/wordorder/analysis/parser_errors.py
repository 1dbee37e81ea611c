"""Errors of a parser that change the order: wrong labels, wrong heads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.confusion_section import called_trees, confusion_section, right_trees
from wordorder.analysis.confusions import Confusions, confusions, paired_strings
from wordorder.analysis.corpus import Corpus
from wordorder.analysis.order_scores import OrderScores
from wordorder.analysis.repairs import TreePair
from wordorder.analysis.section import Section, Value
from wordorder.analysis.system import AnalysedSystem
from wordorder.metrics.contract import BaseMetric
from wordorder.treebank.column import Column
from wordorder.treebank.strings import says_something
from wordorder.treebank.treebank import ROOT, Treebank
from wordorder.types import Int64

_HEADS = (
    "Head and label are corrected together. If the result is not a tree, the words that prevent "
    "it (in a cycle, or a second root) are corrected too; 'with others' counts these sentences."
)


def parser_error_sections(
    corpus: Corpus,
    system: AnalysedSystem,
    other: AnalysedSystem | None = None,
    *,
    metric: BaseMetric,
    suffix: str = "",
) -> list[Section]:
    """Show which labels and heads a parser confuses, and what that costs the order.

    Parameters
    ----------
    corpus : Corpus
    system : AnalysedSystem
        With trees and rules.
    other : AnalysedSystem, optional
        Whose trees are taken for right; by default the gold trees of the corpus.
    metric : BaseMetric
        Of orders: FRS.
    suffix : str
        What the keys of the sections end in: ``-2`` for a second system.

    Returns
    -------
    list of Section
        ``relation-errors``, ``head-confusions`` and ``label-confusions``.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the two have other words.
    """
    right, name = right_trees(corpus, system, other)
    pair = TreePair.of(system, right, name)
    scores = OrderScores(corpus, metric)
    against = called_trees(name)
    heads = head_confusions(pair, scores)
    has = f"in the trees of {system.name} with"
    return [
        confusion_section(
            relation_errors(pair, scores),
            key=f"relation-errors{suffix}",
            title=f"Dependency errors of {system.name} (against {against})",
            thing="head or label",
            header=(f"label in {name}",),
            metric=metric,
            said=lambda kind: f"with the label {kind[0]} {has} a wrong head or label",
            columns=_with_others,
            note=f"Words whose head or label differs, by their label in {against}. {_HEADS}",
        ),
        confusion_section(
            heads,
            key=f"head-confusions{suffix}",
            title=f"Head errors of {system.name} (against {against})",
            thing="head",
            header=(f"label in {name}", f"head in {name}", f"head in {system.name}"),
            metric=metric,
            said=lambda kind: (
                f"with the label {kind[0]} {has} the head '{kind[2]}' instead of '{kind[1]}'"
            ),
            columns=lambda confusions: {
                f"distance in {name}": _mean_distances(confusions, pair.right),
                f"distance in {system.name}": _mean_distances(confusions, pair.parsed),
                **_with_others(confusions),
            },
            note=(
                "A head is shown by its tag and by its side: before or after the word. Distance: "
                f"the mean number of words between the two. {_HEADS}"
            ),
        ),
        confusion_section(
            label_confusions(pair, scores),
            key=f"label-confusions{suffix}",
            title=f"Label errors of {system.name} (against {against})",
            thing="label",
            header=(f"label in {name}", f"label in {system.name}"),
            metric=metric,
            said=lambda kind: f"{has} the label {kind[1]} instead of {kind[0]}",
            note=(
                "Only words with the same head in both trees count, and only their label is "
                "corrected."
            ),
        ),
    ]


def relation_errors(pair: TreePair, scores: OrderScores) -> Confusions:
    """Find what wrong heads and labels cost, by gold label.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label,). Heads and labels are set right, as in `head_confusions`.
    """
    parsed, right = pair.parsed, pair.right
    other_label = parsed.label.codes != right.label.codes
    words = np.flatnonzero((parsed.heads != right.heads) | other_label)
    different, kinds = np.unique(right.label.codes[words], return_inverse=True)
    names = [(right.label.vocabulary.words[code],) for code in different.tolist()]
    return confusions(pair, scores, words, kinds, names, columns=["label"], heads=True)


def label_confusions(pair: TreePair, scores: OrderScores) -> Confusions:
    """Find which labels a parser confuses, among words with the right head.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label, label found). The label alone is set right.

    Examples
    --------
    The auxiliary is taken for a second subject, and stays in front of the object.

    >>> from wordorder.analysis.scored_system import scored_system
    >>> from wordorder.metrics import metric
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering.rules import open_rules
    >>> right = Treebank.from_words(
    ...     [["She", "will", "read", "it"]], heads=[[3, 3, 0, 3]],
    ...     upos=[["PRON", "AUX", "VERB", "PRON"]], label=[["nsubj", "aux", "root", "obj"]],
    ... )
    >>> found = right.replace(label=Column.of(["nsubj", "nsubj", "root", "obj"]))
    >>> corpus = Corpus(right, Orders.from_rows([[0, 3, 2, 1]]), gold=right)
    >>> rules, frs = open_rules("R5"), metric("frs")
    >>> orders = rules.orders(found)
    >>> system = scored_system("P1", orders, corpus, frs, treebank=found, rules=rules)
    >>> confused = label_confusions(TreePair.of(system, right), OrderScores(corpus, frs))
    >>> confused.names, orders[0].positions, round(float(confused.lost[0]), 4)
    ((('aux', 'nsubj'),), (0, 1, 3, 2), 0.6667)
    """
    words = pair.differing("label")
    words = words[pair.parsed.heads[words] == pair.right.heads[words]]
    kinds, names = paired_strings(pair, "label", words)
    return confusions(pair, scores, words, kinds, names, columns=["label"])


def head_confusions(pair: TreePair, scores: OrderScores) -> Confusions:
    """Find which words a parser attaches to which wrong heads.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label, right head, head found). A head is called after its tag and its side,
        ``VERB before`` if it comes before the word, or ``root``. Head and label are set right,
        and where that makes no tree the words in the way too.
    """
    words = np.flatnonzero(pair.parsed.heads != pair.right.heads)
    label, right = pair.right.label, pair.right
    # Tags of the right trees for both: only the heads are to differ.
    tags = right.upos if says_something(right.upos) else right.xpos
    rows = np.stack(
        [
            label.codes[words].astype(np.int64),
            _head_kinds(right, words, tags),
            _head_kinds(pair.parsed, words, tags),
        ],
        axis=1,
    )
    different, kinds = np.unique(rows, axis=0, return_inverse=True)
    kinds = kinds.reshape(-1)
    names = [
        (label.vocabulary.words[code], _head_name(theirs, tags), _head_name(ours, tags))
        for code, theirs, ours in different.tolist()
    ]
    return confusions(pair, scores, words, kinds, names, columns=["label"], heads=True)


def _head_kinds(treebank: Treebank, words: Int64, tags: Column) -> Int64:
    """Return tag and side of the head of each word as one number, 0 for none."""
    heads = treebank.heads[words].astype(np.int64)
    starts = treebank.offsets[np.searchsorted(treebank.offsets, words, side="right") - 1]
    at = np.where(heads == ROOT, words, starts + heads - 1)
    kinds: Int64 = 1 + 2 * tags.codes[at].astype(np.int64) + (at > words)
    return np.where(heads == ROOT, 0, kinds)


def _head_name(kind: int, tags: Column) -> str:
    """Return what a number of `_head_kinds` is called."""
    if kind == 0:
        return "root"
    tag, after = divmod(kind - 1, 2)
    return f"{tags.vocabulary.words[tag]} {'after' if after else 'before'}"


def _with_others(confusions: Confusions) -> dict[str, Sequence[Value]]:
    return {"with others": confusions.extended.tolist()}


def _mean_distances(confusions: Confusions, treebank: Treebank) -> list[float | None]:
    """Return how far the heads of each confusion are from their words, roots left aside."""
    place = np.arange(treebank.words) - np.repeat(treebank.offsets[:-1], treebank.lengths) + 1
    distances = np.abs(treebank.heads - place)
    means: list[float | None] = []
    for words in confusions.members:
        hung = words[treebank.heads[words] != ROOT]
        means.append(float(distances[hung].mean()) if len(hung) else None)
    return means
