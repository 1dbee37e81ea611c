"""The words that a system misorders most often, by form, lemma, tag and label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.finding import Finding
from wordorder.analysis.placement import Placement
from wordorder.analysis.points import of_the_loss
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.counts import counted
from wordorder.treebank.column import Column
from wordorder.treebank.strings import numbered, says_something
from wordorder.types import Float64, Int64

# What words are counted by: the column, what tables call it, and what its strings become.
KINDS: tuple[tuple[str, str, Callable[[str], str] | None], ...] = (
    ("form", "form", str.lower),
    ("lemma", "lemma", None),
    ("upos", "UPOS", None),
    ("xpos", "XPOS", None),
    ("label", "label", None),
)
# How many findings the words of a kind make, and what they are called.
_SAID = {
    "form": (2, "the word '{}'"),
    "upos": (1, "words tagged {}"),
    "label": (2, "words with the label {}"),
}
# Words that are displaced by less, on average, go both ways.
SAID_FROM = 0.5
NOTE = (
    "A word is misordered if a chunk ends next to it: its left or right neighbour in the "
    "system's order is not its neighbour in the reference. FRS lost: half the cost of each such "
    "boundary; the losses of all words add up to 1 minus the corpus FRS (default options, even "
    "if another metric scores the sentences). Displacement: the mean number of words by which "
    "the word is too far to the right (negative: to the left). Distance: the same without "
    "direction."
)


@dataclass(frozen=True, eq=False)
class MisorderedWords:
    """How often words of each kind are misordered: V kinds, the most frequently misordered first.

    Attributes
    ----------
    values : tuple of str
        What the words of a kind have in common: a form, a tag.
    occurs : int64[V]
        How many words are of the kind, of those that system and reference both have.
    misordered : int64[V]
        How many of them are beside a broken boundary.
    displacement, distance : float64[V]
        Their mean displacement in words, with its sign and without.
    lost : float64[V]
        The FRS that they are charged. Adds up to what the corpus lost.
    examples : tuple of tuples of int
        The sentences that lose most through them.
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
    """Count how often the words of each kind are misordered.

    Parameters
    ----------
    placement : Placement
    column : Column
        What kind each word of the corpus is of, N words.
    change : callable, optional
        What its strings become first: ``str.lower``.

    Returns
    -------
    MisorderedWords
        Kinds that are never misordered included.

    Examples
    --------
    >>> from wordorder.analysis.placement import placement
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["she", "can", "read", "it"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 3, 2, 1]]))
    >>> placed = placement(corpus, Orders.from_rows([[0, 2, 3, 1]]))
    >>> counts = misordered_words(placed, words.form)
    >>> counts.values, counts.misordered.tolist(), counts.displacement.tolist()
    (('it', 'read', 'can', 'she'), [1, 1, 1, 1], [1.0, -1.0, 0.0, 0.0])
    """
    numbers, strings = numbered(column, change)
    kinds = numbers[placement.words]
    size = len(strings)
    occurs = np.bincount(kinds, minlength=size)
    misordered = np.bincount(kinds[placement.misordered], minlength=size)
    lost = np.bincount(kinds, placement.lost, size).astype(np.float64)
    often = np.maximum(occurs, 1)
    displacement = np.bincount(kinds, placement.displacement, size) / often
    distance = np.bincount(kinds, np.abs(placement.displacement), size) / often
    alphabetical = np.empty(size, np.int64)
    alphabetical[sorted(range(size), key=strings.__getitem__)] = np.arange(size)
    order = np.lexsort((alphabetical, -occurs, -np.round(lost, 12), -misordered))
    order = order[occurs[order] > 0]
    bad = placement.misordered
    shown = costliest_sentences(kinds[bad], placement.sentences[bad], placement.lost[bad], size)
    return MisorderedWords(
        tuple(strings[kind] for kind in order.tolist()),
        occurs[order],
        misordered[order],
        displacement[order],
        distance[order],
        lost[order],
        tuple(shown[kind] for kind in order.tolist()),
    )


def misordered_word_sections(
    corpus: Corpus, system: AnalysedSystem, placement: Placement, *, suffix: str = ""
) -> list[Section]:
    """Make a table of the misordered words for each thing that is known of the words.

    Parameters
    ----------
    corpus : Corpus
    system : AnalysedSystem
    placement : Placement
        Of the system.
    suffix : str
        What the keys of the sections end in: ``-2`` for a second system.

    Returns
    -------
    list of Section
        ``words-by-form``, ``words-by-lemma``, ``words-by-upos``, ``words-by-xpos`` and
        ``words-by-label``, as far as their columns say something.
    """
    sections = []
    for name, title, change in KINDS:
        column = known_column(corpus, system, name)
        if column is None:
            continue
        counts = misordered_words(placement, column, change)
        sections.append(_section(system, counts, name, title, suffix, placement))
    return sections


def known_column(corpus: Corpus, system: AnalysedSystem, name: str) -> Column | None:
    """Return what is known of each word, or None if nothing is.

    Tags and labels are those of the trees that the orders came from, as the rules saw them;
    otherwise those of the gold trees. Forms and lemmas are those of the corpus.
    """
    own, shared = system.treebank, corpus.words
    banks = (shared, corpus.gold, own) if name in ("form", "lemma") else (own, corpus.gold, shared)
    columns = [bank.columns[name] for bank in banks if bank is not None]
    return next((column for column in columns if says_something(column)), None)


def _findings(
    system: AnalysedSystem, counts: MisorderedWords, name: str, frs: float
) -> tuple[Finding, ...]:
    """Say which words cost most; tags say little, and lemmas what forms have said."""
    how_many, words = _SAID.get(name, (0, ""))
    order = sorted(range(len(counts.values)), key=lambda kind: -round(float(counts.lost[kind]), 12))
    found = []
    for kind in order[:how_many]:
        lost, moved = 100 * float(counts.lost[kind]), float(counts.displacement[kind])
        late = ""
        if abs(moved) >= SAID_FROM:
            late = f", on average {abs(moved):.1f} words too {'late' if moved > 0 else 'early'}"
        sentence = (
            f"{system.name} misorders {words.replace('{}', counts.values[kind])} "
            f"{int(counts.misordered[kind])} of {counted(int(counts.occurs[kind]), 'time')}{late}: "
            f"{of_the_loss(lost, frs)}."
        )
        found.append(Finding(sentence, lost, counts.examples[kind]))
    return tuple(found)


def _section(
    system: AnalysedSystem,
    counts: MisorderedWords,
    name: str,
    title: str,
    suffix: str,
    placement: Placement,
) -> Section:
    wrong = int(np.count_nonzero(counts.misordered))
    total = float(counts.lost.sum())
    share = counts.lost / (total or 1.0)
    rows = zip(
        counts.values[:wrong],
        counts.occurs.tolist(),
        counts.misordered.tolist(),
        (counts.misordered / np.maximum(counts.occurs, 1)).tolist(),
        counts.displacement.tolist(),
        counts.distance.tolist(),
        (100 * counts.lost).tolist(),
        share.tolist(),
        strict=False,
    )
    listed = tuple(rows)
    if not listed:
        reading = f"{system.name} misorders no word."
    else:
        value, occurs, times, _, _, _, lost, part = listed[0]
        reading = (
            f"{system.name} misorders {int(np.count_nonzero(placement.misordered))} of "
            f"{len(placement.words)} words; by {title}, {value!r} most often: "
            f"{times} of {occurs} times, which costs {lost:.2f} hundredths of FRS, "
            f"{100 * part:.1f} % of the total loss ({100 * (1 - placement.frs):.2f})."
        )
    return Section(
        findings=_findings(system, counts, name, placement.frs),
        key=f"words-by-{name}{suffix}",
        title=f"Words most often misordered, by {title}: {system.name}",
        reading=reading,
        header=(
            title,
            *("occurs", "misordered", "rate"),
            *("displacement", "distance", "FRS lost x100", "share"),
        ),
        rows=listed,
        examples=counts.examples[:wrong],
        note=NOTE,
    )
