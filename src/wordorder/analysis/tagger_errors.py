"""Errors of a tagger that change the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wordorder.analysis.confusion_section import called_trees, confusion_section, right_trees
from wordorder.analysis.confusions import Confusions, confusions, paired_strings
from wordorder.analysis.corpus import Corpus
from wordorder.analysis.order_scores import OrderScores
from wordorder.analysis.repairs import TreePair
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.metrics.contract import BaseMetric

# The columns of tags, and what tables call them.
COLUMNS = {"upos": "UPOS", "xpos": "XPOS"}


def tagger_error_sections(
    corpus: Corpus,
    system: AnalysedSystem,
    other: AnalysedSystem | None = None,
    *,
    metric: BaseMetric,
    suffix: str = "",
) -> list[Section]:
    """Show which tags a tagger confuses, and what that costs the order.

    The rules read the tags; that a parser would have made another tree with other tags is not
    seen.

    Parameters
    ----------
    corpus, system, other, metric, suffix
        As `wordorder.analysis.parser_errors.parser_error_sections` has them.

    Returns
    -------
    list of Section
        ``upos-confusions`` and ``xpos-confusions``; of columns that both have.

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
    # Both say much the same.
    told = next((column for column in COLUMNS if pair.says(column)), "")
    return [
        confusion_section(
            tag_confusions(pair, scores, column),
            key=f"{column}-confusions{suffix}",
            title=f"{called} errors of {system.name} (against {called_trees(name)})",
            thing="tag",
            header=(f"{called} in {name}", f"{called} in {system.name}"),
            metric=metric,
            said=_said(called, system.name) if column == told else None,
            note=(
                f"Only the {called} is corrected; the tree does not change. A different tree that "
                "the parser might build from the correct tag is not considered."
            ),
        )
        for column, called in COLUMNS.items()
        if pair.says(column)
    ]


def _said(called: str, system: str) -> Callable[[Sequence[str]], str]:
    return lambda kind: f"of {system} with the {called} {kind[1]} instead of {kind[0]}"


def tag_confusions(pair: TreePair, scores: OrderScores, column: str) -> Confusions:
    """Find which tags are confused.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    column : "upos" or "xpos"

    Returns
    -------
    Confusions
        Named (right tag, tag found). The tag alone is set right.
    """
    words = pair.differing(column)
    kinds, names = paired_strings(pair, column, words)
    return confusions(pair, scores, words, kinds, names, columns=[column])
