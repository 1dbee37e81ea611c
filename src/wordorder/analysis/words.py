"""Misordered words of a system by form, lemma, tag and label."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus, Placement
from wordorder.analysis.findings import describe_loss
from wordorder.analysis.section import Finding, Group, Section
from wordorder.analysis.tally import Tally, largest_first
from wordorder.arrays import Float64, Int64
from wordorder.messages import counted
from wordorder.treebank.treebank import Column, numbered

# Columns by which words are grouped: name, title in tables, and a function applied to the strings.
WORD_COLUMNS: tuple[tuple[str, str, Callable[[str], str] | None], ...] = (
    ("form", "form", str.lower),
    ("lemma", "lemma", None),
    ("upos", "UPOS", None),
    ("xpos", "XPOS", None),
    ("label", "label", None),
)

# For each column, the most findings and the phrase for a word.
_FINDING_PHRASES = {
    "form": (2, "the word '{}'"),
    "upos": (1, "words tagged {}"),
    "label": (2, "words with the label {}"),
}

# The smallest mean displacement for which a finding states a direction.
MIN_DISPLACEMENT = 0.5

MISORDERED_NOTE = (
    "A word is misordered if a chunk ends next to it: its left or right neighbour in the "
    "system's order is not its neighbour in the reference. FRS lost: half the cost of each such "
    "boundary; the losses of all words add up to 1 minus the corpus FRS (default options, even "
    "if another metric scores the sentences). Displacement: the mean number of words by which "
    "the word is too far to the right (negative: to the left). Distance: the same without "
    "direction."
)


@dataclass(frozen=True, eq=False)
class MisorderedWords:
    """Counts of misordered words by type: V types, the most frequently misordered first.

    Attributes
    ----------
    values : tuple of str
        The types: forms or tags.
    occurs : int64[V]
        The number of words of the type that both system and reference have.
    misordered : int64[V]
        The number of these words next to a broken boundary.
    displacement, distance : float64[V]
        The mean displacement in words, signed and absolute.
    lost : float64[V]
        The FRS lost at these words; the sum is 1 minus the corpus FRS.
    examples : tuple of tuples of int
        Indices of the sentences that lose most there.
    """

    values: tuple[str, ...]
    occurs: Int64
    misordered: Int64
    displacement: Float64
    distance: Float64
    lost: Float64
    examples: tuple[tuple[int, ...], ...]


def misordered_words(
    placement: Placement, column: Column, change: Callable[[str], str] | None = None
) -> MisorderedWords:
    """Count the misordered words of each type.

    Parameters
    ----------
    placement : Placement
    column : Column
        The type of each word of the corpus, N words.
    change : callable, optional
        A function applied to the strings first, such as ``str.lower``.

    Returns
    -------
    MisorderedWords
        Also with types that are never misordered.

    Examples
    --------
    >>> from wordorder.analysis.corpus import placement
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["she", "can", "read", "it"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 3, 2, 1]]))
    >>> placed = placement(corpus, Orders.from_rows([[0, 2, 3, 1]]))
    >>> counts = misordered_words(placed, words.form)
    >>> counts.values, counts.misordered.tolist(), counts.displacement.tolist()
    (('it', 'read', 'can', 'she'), [1, 1, 1, 1], [1.0, -1.0, 0.0, 0.0])
    """
    type_ids, strings = numbered(column, change)
    tally, wrong = Tally(type_ids[placement.words], len(strings)), placement.misordered
    occurs, misordered, lost = tally.count(), tally.count(wrong), tally.sums(placement.lost)
    order = largest_first(misordered, lost, occurs, names=strings)
    order = order[occurs[order] > 0]
    examples = tally.of(wrong).costliest(placement.sentences[wrong], placement.lost[wrong])
    return MisorderedWords(
        tuple(strings[type_id] for type_id in order.tolist()),
        occurs[order],
        misordered[order],
        tally.means(placement.displacement)[order],
        tally.means(np.abs(placement.displacement))[order],
        lost[order],
        tuple(examples[type_id] for type_id in order.tolist()),
    )


def misordered_word_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return a table of the misordered words for each known column of the words.

    Parameters
    ----------
    analysed : AnalysedOrders
        The view of one system.

    Returns
    -------
    list of Section
        ``words-by-form``, ``words-by-lemma``, ``words-by-upos``, ``words-by-xpos`` and
        ``words-by-label``, for columns with values.
    """
    sections = []
    for name, title, change in WORD_COLUMNS:
        column = known_column(analysed.corpus, analysed.system, name)
        if column is not None:
            counts = misordered_words(analysed.placement, column, change)
            sections.append(_misordered_section(analysed, counts, name, title))
    return sections


def known_column(corpus: Corpus, system: AnalysedSystem, name: str) -> Column | None:
    """Return a column of the words, or None if it has no values.

    Tags and labels come from the trees that the rules reordered, or else from the gold trees. Forms
    and lemmas come from the corpus.
    """
    system_trees, corpus_words = system.treebank, corpus.words
    treebanks = (
        (corpus_words, corpus.gold, system_trees)
        if name in ("form", "lemma")
        else (system_trees, corpus.gold, corpus_words)
    )
    columns = [bank.columns[name] for bank in treebanks if bank is not None]
    return next((column for column in columns if column.has_value().any()), None)


def _misordered_findings(
    analysed: AnalysedOrders, counts: MisorderedWords, name: str
) -> tuple[Finding, ...]:
    """Return findings about the costliest words; lemmas would repeat those of forms."""
    max_findings, phrase = _FINDING_PHRASES.get(name, (0, ""))
    order = sorted(range(len(counts.values)), key=lambda row: -round(float(counts.lost[row]), 12))
    findings = []
    for row in order[:max_findings]:
        lost, displacement = 100 * float(counts.lost[row]), float(counts.displacement[row])
        direction = ""
        if abs(displacement) >= MIN_DISPLACEMENT:
            side = "late" if displacement > 0 else "early"
            direction = f", on average {abs(displacement):.1f} words too {side}"
        times = counted(int(counts.occurs[row]), "time")
        sentence = (
            f"{analysed.system.name} misorders {phrase.replace('{}', counts.values[row])} "
            f"{int(counts.misordered[row])} of {times}{direction}: "
            f"{describe_loss(lost, analysed.placement.frs)}."
        )
        findings.append(Finding(sentence, lost, counts.examples[row]))
    return tuple(findings)


def _misordered_section(
    analysed: AnalysedOrders, counts: MisorderedWords, name: str, title: str
) -> Section:
    system, placement = analysed.system, analysed.placement
    misordered_types = int(np.count_nonzero(counts.misordered))
    columns: dict[str, Any] = {
        title: counts.values,
        "occurs": counts.occurs,
        "misordered": counts.misordered,
        "rate": counts.misordered / np.maximum(counts.occurs, 1),
        "displacement": counts.displacement,
        "distance": counts.distance,
        "FRS lost x100": 100 * counts.lost,
        "share": counts.lost / (float(counts.lost.sum()) or 1.0),
    }
    reading = f"{system.name} misorders no word."
    if misordered_types:
        value, occurs, misordered, _, _, _, lost, share = (column[0] for column in columns.values())
        reading = (
            f"{system.name} misorders {int(np.count_nonzero(placement.misordered))} of "
            f"{len(placement.words)} words; by {title}, {value!r} most often: "
            f"{misordered} of {occurs} times, which costs {lost:.2f} hundredths of FRS, "
            f"{100 * share:.1f} % of the total loss ({100 * (1 - placement.frs):.2f})."
        )
    return Section.of_columns(
        {name: column[:misordered_types] for name, column in columns.items()},
        findings=_misordered_findings(analysed, counts, name),
        key=f"words-by-{name}",
        group=Group.WORDS,
        title=f"Words most often misordered, by {title}: {system.name}",
        reading=reading,
        examples=counts.examples[:misordered_types],
        note=MISORDERED_NOTE,
    )
