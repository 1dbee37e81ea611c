"""The table of confusions, and the trees that a system is compared with."""

from collections.abc import Callable, Mapping, Sequence

from wordorder.analysis.corpus import AnalysedOrders
from wordorder.analysis.findings import format_points
from wordorder.analysis.repairs import Confusions
from wordorder.analysis.section import Finding, Group, Section, Value
from wordorder.errors import UsageError
from wordorder.messages import counted
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import called
from wordorder.treebank.treebank import Treebank

# The headers of `Confusions.counts`.
COUNT_HEADERS = ("words", "sentences", "order changed", "better", "worse")


CONFUSION_NOTE = (
    "{metric} lost, in hundredths: how much the corpus score rises if only these words are "
    "corrected and the rules are applied again; negative if the mistake helps. Order changed, "
    "better, worse: the number of sentences whose order changes, and whose score rises or falls. "
    "Losses do not add up, because one mistake can hide or undo another."
)


def right_trees(analysed: AnalysedOrders) -> tuple[Treebank, str]:
    """Return the trees that a system is compared with, and a name that differs from the system's.

    These are the trees of the second system, or else gold trees.

    Raises
    ------
    UsageError
        If there are no such trees.
    """
    system, gold = analysed.system, analysed.corpus.gold
    if len(analysed.systems) == 1:
        if gold is None:
            raise UsageError("parser errors need gold trees or the trees of another parser")
        return gold, "gold" if system.name != "gold" else "gold trees"
    second = analysed.systems[1]
    if second.treebank is None:
        raise UsageError(f"{second.name} has no trees")
    return second.treebank, second.name


def describe_trees(name: str) -> str:
    """Return the phrase for the trees that a system is compared with."""
    return "the gold trees" if name in ("gold", "gold trees") else f"the trees of {name}"


def confusion_section(
    confusions: Confusions,
    *,
    key: str,
    title: str,
    attribute: str,
    header: tuple[str, ...],
    metric: BaseMetric,
    describe: Callable[[Sequence[str]], str] | None = None,
    columns: Mapping[str, Sequence[Value]] = {},
    note: str = "",
) -> Section:
    """Return a table of confusions; those that change no order are only counted.

    Parameters
    ----------
    confusions : Confusions
    key, title : str
    attribute : str
        What is confused, such as ``label``.
    header : tuple of str
        The headers of the parts of a confusion's name.
    metric : BaseMetric
    describe : callable, optional
        Describes the error of a confusion by its name; without it there is no finding.
    columns : mapping of str to sequences
        Further columns, with a value for each confusion.
    note : str
        Text before the note that all these tables have.
    """
    metric_name = called(metric.name)
    rows: list[tuple[Value, ...]] = []
    examples = []
    for i, name in enumerate(confusions.names):
        if confusions.changed[i]:
            further_cells = (values[i] for values in columns.values())
            rows.append(
                (*name, *confusions.counts(i), *further_cells, 100 * float(confusions.lost[i]))
            )
            examples.append(confusions.examples[i])
    words = int(confusions.words.sum())
    unlisted = int(confusions.words[confusions.changed == 0].sum())
    differing = f"{counted(words, 'word')} {'differs' if words == 1 else 'differ'} in {attribute}"
    if not words:
        reading = f"No word differs in {attribute}."
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
                f"{metric_name}."
            )
        else:
            reading += f"None of them costs {metric_name}."
    notes = [note, CONFUSION_NOTE.format(metric=metric_name)]
    if rows and unlisted:
        words_are = "word is" if unlisted == 1 else "words are"
        notes.append(f"{unlisted} {words_are} not listed because their kinds change no order.")
    return Section(
        findings=_confusion_findings(confusions, describe)
        if describe and metric.name == "frs"
        else (),
        key=key,
        group=Group.TREES,
        title=title,
        reading=reading.strip(),
        header=(*header, *COUNT_HEADERS, *columns, f"{metric.name} lost x100"),
        rows=tuple(rows),
        examples=tuple(examples),
        note=" ".join(text for text in notes if text),
    )


def _confusion_findings(
    confusions: Confusions, describe: Callable[[Sequence[str]], str]
) -> tuple[Finding, ...]:
    """Return a finding about the costliest confusion."""
    if not len(confusions) or confusions.lost[0] <= 0:
        return ()
    lost = 100 * float(confusions.lost[0])
    words = counted(int(confusions.words[0]), "word")
    sentence = (
        f"{words} {describe(confusions.names[0])}: if only these were corrected, FRS would rise by "
        f"{format_points(lost)} points."
    )
    return (Finding(sentence, lost, confusions.examples[0]),)
