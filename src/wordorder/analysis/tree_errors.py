"""Errors of parsers and taggers that change the order, and scores with corrected trees."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from wordorder.analysis.confusion_section import confusion_section, describe_trees, right_trees
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus, OrderScores
from wordorder.analysis.grid import Grid
from wordorder.analysis.oracle_scores import oracle_score_sections
from wordorder.analysis.repairs import (
    Confusions,
    TreePair,
    confusions,
    paired_strings,
)
from wordorder.analysis.rule_effects import NamedRules, rule_effect_sections
from wordorder.analysis.section import Section, numbered_sections
from wordorder.analysis.tags import imperative_sections, tag_table_sections
from wordorder.arrays import Int64, concat_ranges
from wordorder.treebank.treebank import ROOT, Column, Treebank

# The columns of tags, and their titles in tables.
TAG_TITLES = {"upos": "UPOS", "xpos": "XPOS"}
_HEADS_NOTE = (
    "Head and label are corrected together. If the result is not a tree, the words that prevent "
    "it (in a cycle, or a second root) are corrected too; 'with others' counts these sentences."
)


def parser_error_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return tables of wrong heads and labels, and their cost for the order.

    Parameters
    ----------
    analysed : AnalysedOrders
        A system with trees and rules; its trees are compared with those of a second system or, if
        there is only one, with the gold trees.

    Returns
    -------
    list of Section
        ``relation-errors``, ``head-confusions`` and ``label-confusions``.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the words of the two differ.
    """
    system, metric, scores = analysed.system, analysed.metric, analysed.scores
    right, name = right_trees(analysed)
    pair = TreePair.of(system, right, name)
    comparison_trees = describe_trees(name)
    relations, heads = relation_errors(pair, scores), head_confusions(pair, scores)
    in_trees = f"in the trees of {system.name} with"
    return [
        confusion_section(
            relations,
            key="relation-errors",
            title=f"Dependency errors of {system.name} (against {comparison_trees})",
            attribute="head or label",
            header=(f"label in {name}",),
            metric=metric,
            describe=lambda labels: f"with the label {labels[0]} {in_trees} a wrong head or label",
            columns={"with others": relations.extended.tolist()},
            note=(
                f"Words whose head or label differs, by label in {comparison_trees}. {_HEADS_NOTE}"
            ),
        ),
        confusion_section(
            heads,
            key="head-confusions",
            title=f"Head errors of {system.name} (against {comparison_trees})",
            attribute="head",
            header=(f"label in {name}", f"head in {name}", f"head in {system.name}"),
            metric=metric,
            describe=lambda name: (
                f"with the label {name[0]} {in_trees} the head '{name[2]}' instead of '{name[1]}'"
            ),
            columns={
                f"distance in {name}": _mean_distances(heads, pair.correct),
                f"distance in {system.name}": _mean_distances(heads, pair.parsed),
                "with others": heads.extended.tolist(),
            },
            note=(
                "A head is shown by its tag and by its side: before or after the word. Distance: "
                f"the mean number of words between the two. {_HEADS_NOTE}"
            ),
        ),
        confusion_section(
            label_confusions(pair, scores),
            key="label-confusions",
            title=f"Label errors of {system.name} (against {comparison_trees})",
            attribute="label",
            header=(f"label in {name}", f"label in {system.name}"),
            metric=metric,
            describe=lambda labels: f"{in_trees} the label {labels[1]} instead of {labels[0]}",
            note=(
                "Only words with the same head in both trees count, and only their label is "
                "corrected."
            ),
        ),
    ]


def relation_errors(pair: TreePair, scores: OrderScores) -> Confusions:
    """Return the cost of wrong heads and labels, by gold label.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label,). Heads and labels are corrected, as in `head_confusions`.
    """
    parsed, right = pair.parsed, pair.correct
    wrong_label = parsed.label.codes != right.label.codes
    words = np.flatnonzero((parsed.heads != right.heads) | wrong_label)
    different, kinds = np.unique(right.label.codes[words], return_inverse=True)
    names = [(right.label.vocabulary.words[code],) for code in different.tolist()]
    return confusions(pair, scores, words, kinds, names, columns=["label"], heads=True)


def label_confusions(pair: TreePair, scores: OrderScores) -> Confusions:
    """Return the confusions of labels, among words with the right head.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label, parsed label). Only the label is corrected.

    Examples
    --------
    The auxiliary is labelled as a second subject, and stays before the object.

    >>> from wordorder.analysis.corpus import scored_system
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering.rules import open_rules
    >>> right = Treebank.from_words(
    ...     [["She", "will", "read", "it"]], heads=[[3, 3, 0, 3]],
    ...     upos=[["PRON", "AUX", "VERB", "PRON"]], label=[["nsubj", "aux", "root", "obj"]],
    ... )
    >>> parsed = right.replace(label=Column.of(["nsubj", "nsubj", "root", "obj"]))
    >>> corpus = Corpus(right, Orders.from_rows([[0, 3, 2, 1]]), gold=right)
    >>> rules, frs = open_rules("R5"), metric("frs")
    >>> orders = rules.orders(parsed)
    >>> system = scored_system("P1", orders, corpus, frs, treebank=parsed, rules=rules)
    >>> confused = label_confusions(TreePair.of(system, right), OrderScores(corpus, frs))
    >>> confused.names, orders[0].positions, round(float(confused.lost[0]), 4)
    ((('aux', 'nsubj'),), (0, 1, 3, 2), 0.6667)
    """
    words = pair.differing("label")
    words = words[pair.parsed.heads[words] == pair.correct.heads[words]]
    kinds, names = paired_strings(pair, "label", words)
    return confusions(pair, scores, words, kinds, names, columns=["label"])


def head_confusions(pair: TreePair, scores: OrderScores) -> Confusions:
    """Return the confusions of heads.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label, right head, parsed head). A head is described by its tag and side,
        ``VERB before`` if it precedes the word, or ``root``. Head and label are corrected, and
        the words that prevent a tree, if any.
    """
    words = np.flatnonzero(pair.parsed.heads != pair.correct.heads)
    label, right = pair.correct.label, pair.correct
    # Both heads are described by the tags of the right trees, so that only heads differ.
    tags = right.upos if right.upos.has_value().any() else right.xpos
    rows = np.stack(
        [
            label.codes[words].astype(np.int64),
            _head_types(right, words, tags),
            _head_types(pair.parsed, words, tags),
        ],
        axis=1,
    )
    different, kinds = np.unique(rows, axis=0, return_inverse=True)
    kinds = kinds.reshape(-1)
    names = [
        (label.vocabulary.words[code], _head_name(right_head, tags), _head_name(parsed_head, tags))
        for code, right_head, parsed_head in different.tolist()
    ]
    return confusions(pair, scores, words, kinds, names, columns=["label"], heads=True)


def _head_types(treebank: Treebank, words: Int64, tags: Column) -> Int64:
    """Return an id for the tag and the side of the head of each word; 0 for the root."""
    heads = treebank.heads[words].astype(np.int64)
    starts = treebank.offsets[np.searchsorted(treebank.offsets, words, side="right") - 1]
    head_words = np.where(heads == ROOT, words, starts + heads - 1)
    types: Int64 = 1 + 2 * tags.codes[head_words].astype(np.int64) + (head_words > words)
    return np.where(heads == ROOT, 0, types)


def _head_name(type_id: int, tags: Column) -> str:
    """Describe an id of `_head_types`."""
    if type_id == 0:
        return "root"
    tag, after = divmod(type_id - 1, 2)
    return f"{tags.vocabulary.words[tag]} {'after' if after else 'before'}"


def _mean_distances(confusions: Confusions, treebank: Treebank) -> list[float | None]:
    """Return the mean distance of heads in each confusion, without roots."""
    distances = np.abs(treebank.heads - concat_ranges(1, treebank.lengths))
    means: list[float | None] = []
    for words in confusions.members:
        attached = words[treebank.heads[words] != ROOT]
        means.append(float(distances[attached].mean()) if len(attached) else None)
    return means


def tagger_error_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return tables of wrong tags, and their cost for the order.

    Only the rules read corrected tags; trees stay as they were parsed with the wrong tags.

    Parameters
    ----------
    analysed : AnalysedOrders
        See `parser_error_sections`.

    Returns
    -------
    list of Section
        ``upos-confusions`` and ``xpos-confusions``, for columns that both have.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the words of the two differ.
    """
    system, metric, scores = analysed.system, analysed.metric, analysed.scores
    right, name = right_trees(analysed)
    pair = TreePair.of(system, right, name)
    # Only the first column has findings: those of both would be similar.
    finding_column = next((column for column in TAG_TITLES if pair.has_values(column)), "")
    return [
        confusion_section(
            tag_confusions(pair, scores, column),
            key=f"{column}-confusions",
            title=f"{title} errors of {system.name} (against {describe_trees(name)})",
            attribute="tag",
            header=(f"{title} in {name}", f"{title} in {system.name}"),
            metric=metric,
            describe=_describe_tag_error(title, system.name) if column == finding_column else None,
            note=(
                f"Only the {title} is corrected; the tree does not change. A different tree that "
                "the parser might build from the correct tag is not considered."
            ),
        )
        for column, title in TAG_TITLES.items()
        if pair.has_values(column)
    ]


def _describe_tag_error(title: str, system: str) -> Callable[[Sequence[str]], str]:
    return lambda tags: f"of {system} with the {title} {tags[1]} instead of {tags[0]}"


def tag_confusions(pair: TreePair, scores: OrderScores, column: str) -> Confusions:
    """Return the confusions of tags.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    column : "upos" or "xpos"

    Returns
    -------
    Confusions
        Named (right tag, assigned tag). Only the tag is corrected.
    """
    words = pair.differing(column)
    kinds, names = paired_strings(pair, column, words)
    return confusions(pair, scores, words, kinds, names, columns=[column])


def named_treebanks(systems: Sequence[AnalysedSystem], grid: Grid | None) -> dict[str, Treebank]:
    """Return the distinct treebanks of the systems, by the names of their parsers.

    Without a grid, a treebank has the name of the first system that uses it.
    """
    treebanks: dict[int, tuple[str, Treebank]] = {}
    for number, system in enumerate(systems):
        if system.treebank is not None and id(system.treebank) not in treebanks:
            name = system.name if grid is None else grid.parser_of(number)
            treebanks[id(system.treebank)] = (name, system.treebank)
    return dict(treebanks.values())


def tree_error_sections(analysed: AnalysedOrders) -> Iterator[Section]:
    """Yield tables of the cost of wrong trees and tags.

    Each system is compared with the gold trees; without these, the first system is compared with
    the next one that has the same rules and other trees.
    """
    usable = [
        number
        for number, system in enumerate(analysed.systems)
        if system.treebank is not None and system.rules is not None
    ]
    views = [analysed.only(number) for number in usable]
    if analysed.corpus.gold is None:
        first, rivals = views[0].system if views else None, usable[1:]
        views = [
            analysed.only(usable[0], number)
            for number in rivals
            if first is not None
            and analysed.systems[number].rules is first.rules
            and analysed.systems[number].treebank is not first.treebank
        ][:1]
    tables = (oracle_score_sections, parser_error_sections, tagger_error_sections)
    sections = ([section for table in tables for section in table(view)] for view in views)
    yield from numbered_sections(sections, findings=False)


def tagging_sections(
    corpus: Corpus, systems: Sequence[AnalysedSystem], grid: Grid | None, words: Sequence[str]
) -> Iterator[Section]:
    """Yield tables of the imperative rate and of the tags of chosen words, for all trees."""
    treebanks = named_treebanks(systems, grid)
    if treebanks:
        yield from imperative_sections(treebanks, corpus.gold)
    if words:
        # Without trees the corpus itself may be tagged.
        yield from tag_table_sections(words, treebanks or {"source": corpus.words}, corpus.gold)


def rule_sections(analysed: AnalysedOrders) -> Iterator[Section]:
    """Yield tables of the effects of rules; rule sets without named rules are left out."""
    views = [
        view
        for view in analysed.each()
        if view.system.treebank is not None
        and isinstance(view.system.rules, NamedRules)
        and view.system.rules.rule_names
    ]
    yield from numbered_sections(map(rule_effect_sections, views), findings=False)
