"""The chunk boundaries that a system causes: which words are wrongly side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.finding import Finding
from wordorder.analysis.misordered_words import known_column
from wordorder.analysis.placement import Placement
from wordorder.analysis.points import of_the_loss
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.counts import counted
from wordorder.treebank.column import Column
from wordorder.treebank.strings import numbered
from wordorder.types import Float64, Int64

KINDS = (("label", "label"), ("upos", "UPOS"), ("xpos", "XPOS"))
# How many of them the costliest pairs make.
FINDINGS = 2
NOTE = (
    "Two adjacent words in the system's order form a boundary. It is broken if the right word "
    "does not directly follow the left one in the reference. Turned round: the right word comes "
    "before the left one in the reference; in all other cases other words come between them. In "
    "a sentence of m words, a broken boundary costs 1 / (m - 1) of the FRS (default options). "
    "The costs of all broken boundaries add up to 1 minus the corpus FRS."
)


@dataclass(frozen=True, eq=False)
class BrokenBoundaries:
    """Broken boundaries by kinds of words, the costliest first; only pairs that ever break.

    Attributes
    ----------
    left, right : tuple of str
        The kinds of the two words, in the order of the system.
    occurs : int64[V]
        How often words of these kinds are side by side in the system's order.
    broken : int64[V]
        How often they should not.
    turned : int64[V]
        How often of these the reference has the right word before the left one.
    lost : float64[V]
        The FRS lost there. Adds up to what the corpus lost.
    examples : tuple of tuples of int
        The sentences that lose most through them.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    occurs: Int64
    broken: Int64
    turned: Int64
    lost: Float64
    examples: tuple[tuple[int, ...], ...]


def broken_boundaries(placement: Placement, column: Column) -> BrokenBoundaries:
    """Count the broken boundaries between words of each pair of kinds.

    Parameters
    ----------
    placement : Placement
    column : Column
        What kind each word of the corpus is of, N words.

    Examples
    --------
    >>> from wordorder.analysis.placement import placement
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["she", "can", "read", "it"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 3, 2, 1]]))
    >>> placed = placement(corpus, Orders.from_rows([[0, 2, 3, 1]]))
    >>> counts = broken_boundaries(placed, words.form)
    >>> list(zip(counts.left, counts.right, counts.turned.tolist()))
    [('it', 'can', 0), ('read', 'it', 1), ('she', 'read', 0)]
    """
    numbers, strings = numbered(column)
    kinds = numbers[placement.words]
    left = placement.left
    keys, pair = np.unique(kinds[left] * len(strings) + kinds[left + 1], return_inverse=True)
    size = len(keys)
    bad = placement.broken
    # Comparable within a sentence, which both words of a boundary belong to.
    place = np.arange(len(placement.words)) - placement.displacement
    turned = bad & (place[left] > place[left + 1])
    occurs = np.bincount(pair, minlength=size)
    broken = np.bincount(pair[bad], minlength=size)
    lost = np.bincount(pair[bad], placement.cost[bad], size).astype(np.float64)
    names = [
        (strings[a], strings[b]) for a, b in (divmod(key, len(strings)) for key in keys.tolist())
    ]
    alphabetical = np.empty(size, np.int64)
    alphabetical[sorted(range(size), key=names.__getitem__)] = np.arange(size)
    order = np.lexsort((alphabetical, -broken, -np.round(lost, 12)))
    order = order[broken[order] > 0]
    sentences = placement.sentences[left]
    shown = costliest_sentences(pair[bad], sentences[bad], placement.cost[bad], size)
    listed = order.tolist()
    return BrokenBoundaries(
        tuple(names[number][0] for number in listed),
        tuple(names[number][1] for number in listed),
        occurs[order],
        broken[order],
        np.bincount(pair[turned], minlength=size)[order],
        lost[order],
        tuple(shown[number] for number in listed),
    )


def broken_boundary_sections(
    corpus: Corpus, system: AnalysedSystem, placement: Placement, *, suffix: str = ""
) -> list[Section]:
    """Make a table of the broken boundaries by label and by tag.

    Parameters as in `misordered_word_sections`.

    Returns
    -------
    list of Section
        ``boundaries-by-label``, ``boundaries-by-upos`` and ``boundaries-by-xpos``, as far as
        their columns say something; otherwise ``boundaries-by-form``.
    """
    columns = [(name, title, known_column(corpus, system, name)) for name, title in KINDS]
    known = [(name, title, column) for name, title, column in columns if column is not None]
    if not known:
        known = [("form", "form", corpus.words.form.map(str.lower))]
    sections = [
        _section(system, broken_boundaries(placement, column), name, title, suffix, placement)
        for name, title, column in known
    ]
    # All of them divide the same loss: the first kind says most.
    return [sections[0], *(replace(each, findings=()) for each in sections[1:])]


def _findings(
    system: AnalysedSystem, counts: BrokenBoundaries, title: str, frs: float
) -> tuple[Finding, ...]:
    """Say which words are most often wrongly side by side."""
    found = []
    for pair in range(min(len(counts.left), FINDINGS)):
        lost = 100 * float(counts.lost[pair])
        turned = ""
        if counts.turned[pair] == counts.broken[pair]:
            turned = ", which are in the opposite order in the reference"
        left, right = counts.left[pair], counts.right[pair]
        words = f"'{left}' right before '{right}'"
        if title != "form":
            words = f"a word with the {title} {left} right before one with {right}"
        sentence = (
            f"{system.name} wrongly puts {words}, "
            f"{int(counts.broken[pair])} of {counted(int(counts.occurs[pair]), 'time')}"
            f"{turned}: {of_the_loss(lost, frs)}."
        )
        found.append(Finding(sentence, lost, counts.examples[pair]))
    return tuple(found)


def _section(
    system: AnalysedSystem,
    counts: BrokenBoundaries,
    name: str,
    title: str,
    suffix: str,
    placement: Placement,
) -> Section:
    total = float(counts.lost.sum())
    rows = tuple(
        zip(
            counts.left,
            counts.right,
            counts.occurs.tolist(),
            counts.broken.tolist(),
            (counts.broken / np.maximum(counts.occurs, 1)).tolist(),
            counts.turned.tolist(),
            (100 * counts.lost).tolist(),
            (counts.lost / (total or 1.0)).tolist(),
            strict=True,
        )
    )
    reading = f"{system.name} breaks no boundary."
    if rows:
        left, right, occurs, broken, _, _, lost, share = rows[0]
        reading = (
            f"{system.name} breaks {int(np.count_nonzero(placement.broken))} of "
            f"{len(placement.broken)} boundaries; by {title}, those between {left!r} and "
            f"{right!r} cost most: {broken} of {occurs}, {lost:.2f} hundredths of FRS, "
            f"{100 * share:.1f} % of the total loss."
        )
    return Section(
        findings=_findings(system, counts, title, placement.frs),
        key=f"boundaries-by-{name}{suffix}",
        title=f"Broken chunk boundaries, by {title}: {system.name}",
        reading=reading,
        header=(
            "left",
            "right",
            "occurs",
            "broken",
            "rate",
            "turned round",
            "FRS lost x100",
            "share",
        ),
        rows=rows,
        examples=counts.examples,
        note=NOTE,
    )
