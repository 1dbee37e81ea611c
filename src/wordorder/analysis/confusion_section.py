"""Confusions as a section of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wordorder.analysis.confusions import Confusions
from wordorder.analysis.corpus import Corpus
from wordorder.analysis.finding import Finding
from wordorder.analysis.points import points
from wordorder.analysis.section import Section, Value
from wordorder.analysis.system import AnalysedSystem
from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.metrics.called import called
from wordorder.metrics.contract import BaseMetric
from wordorder.treebank.treebank import Treebank

COUNTS = ("words", "sentences", "order changed", "better", "worse")
NOTE = (
    "{metric} lost, in hundredths: how much the corpus score rises if only these words are "
    "corrected and the rules are applied again; negative if the mistake helps. Order changed, "
    "better, worse: the number of sentences whose order changes, and whose score rises or falls. "
    "Losses do not add up, because one mistake can hide or undo another."
)


def right_trees(
    corpus: Corpus, system: AnalysedSystem, other: AnalysedSystem | None
) -> tuple[Treebank, str]:
    """Return the trees that a system is compared with, and their name.

    These are gold trees, or else those of the other system. Their name is not that of the system.

    Raises
    ------
    UsageError
        If there are none.
    """
    if other is None:
        if corpus.gold is None:
            raise UsageError("parser errors need gold trees or the trees of another parser")
        return corpus.gold, "gold" if system.name != "gold" else "gold trees"
    if other.treebank is None:
        raise UsageError(f"{other.name} has no trees")
    return other.treebank, other.name


def called_trees(name: str) -> str:
    """Say which trees a system is compared with, given the name that `right_trees` returns."""
    return "the gold trees" if name in ("gold", "gold trees") else f"the trees of {name}"


def confusion_section(
    confusions: Confusions,
    *,
    key: str,
    title: str,
    thing: str,
    header: tuple[str, ...],
    metric: BaseMetric,
    said: Callable[[Sequence[str]], str] | None = None,
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
    said : callable, optional
        Says of a confusion's name what is wrong with its words; without it there is no finding.
    columns : callable, optional
        Makes further columns of C values of the confusions.
    note : str
        What to say before the note that all confusions have.
    """
    called_metric = called(metric.name)
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
    differing = f"{counted(words, 'word')} {'differs' if words == 1 else 'differ'} in {thing}"
    if not words:
        reading = f"No word differs in {thing}."
    elif not rows:
        reading = f"{differing}, but no difference changes an order."
    else:
        worst = confusions.names[0]
        reading = (
            f"{differing}, in {counted(len(confusions), 'kind')}; {len(rows)} of them "
            f"{'changes' if len(rows) == 1 else 'change'} an order. "
        )
        if confusions.lost[0] > 0:
            reading += (
                f"{' / '.join(worst)} costs most: {100 * confusions.lost[0]:.2f} hundredths of "
                f"{called_metric}."
            )
        else:
            reading += f"None of them costs {called_metric}."
    notes = [note, NOTE.format(metric=called_metric)]
    if rows and idle:
        words_are = "word is" if idle == 1 else "words are"
        notes.append(f"{idle} {words_are} not listed because their kinds change no order.")
    return Section(
        findings=_findings(confusions, said) if said and metric.name == "frs" else (),
        key=key,
        title=title,
        reading=reading.strip(),
        header=(*header, *COUNTS, *added, f"{metric.name} lost x100"),
        rows=tuple(rows),
        examples=tuple(examples),
        note=" ".join(each for each in notes if each),
    )


def _findings(confusions: Confusions, said: Callable[[Sequence[str]], str]) -> tuple[Finding, ...]:
    """Say what the costliest confusion costs."""
    if not len(confusions) or confusions.lost[0] <= 0:
        return ()
    lost = 100 * float(confusions.lost[0])
    words = counted(int(confusions.words[0]), "word")
    sentence = (
        f"{words} {said(confusions.names[0])}: if only these were corrected, FRS would rise by "
        f"{points(lost)} points."
    )
    return (Finding(sentence, lost, confusions.examples[0]),)
