"""Confusions as a section of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wordorder.analysis.confusions import Confusions
from wordorder.analysis.corpus import Corpus
from wordorder.analysis.section import Section, Value
from wordorder.analysis.system import AnalysedSystem
from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.treebank.treebank import Treebank

COUNTS = ("words", "sentences", "order changed", "better", "worse")
NOTE = (
    "{metric} lost, in hundredths: how much more the corpus scores when these words, and no "
    "others, are set right and the rules are applied again; below 0 if the mistake helps. Order "
    "changed, better, worse: in how many sentences the order is another one then, and scores "
    "higher or lower. Losses do not add up: one mistake can hide or undo another."
)


def right_trees(
    corpus: Corpus, system: AnalysedSystem, other: AnalysedSystem | None
) -> tuple[Treebank, str]:
    """Return the trees that a system is held against, and what to call them.

    These are gold trees, or else those of the other system. Their name is not that of the system.

    Raises
    ------
    UsageError
        If there are none.
    """
    if other is None:
        if corpus.gold is None:
            raise UsageError("errors of a parser need gold trees or the trees of another parser")
        return corpus.gold, "gold" if system.name != "gold" else "gold trees"
    if other.treebank is None:
        raise UsageError(f"{other.name} has no trees")
    return other.treebank, other.name


def confusion_section(
    confusions: Confusions,
    *,
    key: str,
    title: str,
    thing: str,
    header: tuple[str, ...],
    metric: BaseMetric,
    columns: Callable[[Confusions], Mapping[str, Sequence[Value]]] | None = None,
    note: str = "",
) -> Section:
    """Show confusions as a table; those that change no order are only counted.

    Parameters
    ----------
    confusions : Confusions
    key, title : str
    thing : str
        What is confused: ``label``.
    header : tuple of str
        What each part of a confusion's name is.
    metric : BaseMetric
    columns : callable, optional
        Makes further columns of C values of the confusions.
    note : str
        What to say before the note that all confusions have.
    """
    added = columns(confusions) if columns is not None else {}
    rows: list[tuple[Value, ...]] = []
    examples = []
    for i, name in enumerate(confusions.names):
        if confusions.changed[i]:
            more = (values[i] for values in added.values())
            rows.append((*name, *confusions.counts(i), *more, 100 * float(confusions.lost[i])))
            examples.append(confusions.examples[i])
    words = int(confusions.words.sum())
    idle = int(confusions.words[confusions.changed == 0].sum())
    if not words:
        reading = f"No word has another {thing}."
    elif not rows:
        reading = f"{words} words have another {thing}, and none of that changes an order."
    else:
        worst = confusions.names[0]
        kinds = "kind" if len(confusions) == 1 else "kinds"
        reading = (
            f"{words} words have another {thing}, in {len(confusions)} {kinds}; {len(rows)} of "
            f"them {'changes' if len(rows) == 1 else 'change'} an order. "
        )
        if confusions.lost[0] > 0:
            reading += (
                f"{' / '.join(worst)} costs most: {100 * confusions.lost[0]:.2f} hundredths of "
                f"{metric.name}."
            )
        else:
            reading += f"None of them costs {metric.name}."
    said = [note, NOTE.format(metric=metric.name)]
    if rows and idle:
        said.append(f"{idle} words are in kinds that change no order; they are not listed.")
    return Section(
        key=key,
        title=title,
        reading=reading.strip(),
        header=(*header, *COUNTS, *added, f"{metric.name} lost x100"),
        rows=tuple(rows),
        examples=tuple(examples),
        note=" ".join(each for each in said if each),
    )
