"""Broken boundaries between words: by label and tag, and next to words without a link."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.analysis.corpus import AnalysedOrders, Placement
from wordorder.analysis.findings import describe_loss, format_points
from wordorder.analysis.section import Finding, Group, Section
from wordorder.analysis.tally import Tally, largest_first
from wordorder.analysis.words import known_column
from wordorder.arrays import Float64, Int64
from wordorder.messages import counted, percent
from wordorder.treebank.treebank import Column, numbered

# There is a finding about words without a link if it explains more than this share of the loss.
UNLINKED_SHARE = 0.2
# The columns by which boundaries are grouped, and their titles.
BOUNDARY_COLUMNS = (("label", "label"), ("upos", "UPOS"), ("xpos", "XPOS"))
# The most findings about boundaries.
MAX_BOUNDARY_FINDINGS = 2
BOUNDARY_NOTE = (
    "Two adjacent words in the system's order form a boundary. It is broken if the right word "
    "does not directly follow the left one in the reference. Turned round: the right word comes "
    "before the left one in the reference; in all other cases other words come between them. In "
    "a sentence of m words, a broken boundary costs 1 / (m - 1) of the FRS (default options). "
    "The costs of all broken boundaries add up to 1 minus the corpus FRS."
)


def unlinked_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return the table ``unlinked``: loss next to words without a link, and elsewhere.

    Parameters
    ----------
    analysed : AnalysedOrders
        The view of one system.

    Returns
    -------
    list of Section
        Empty if links are unknown, or all words have one.
    """
    linked, placement, system = analysed.corpus.linked, analysed.placement, analysed.system
    if linked is None or linked[placement.words].all():
        return []
    unlinked = ~linked[placement.words]
    left_words = placement.left
    next_to_unlinked = (unlinked[left_words] | unlinked[left_words + 1]).astype(np.int64)
    tally, is_broken = Tally(1 - next_to_unlinked, 2), placement.broken
    broken, cost = tally.of(is_broken), placement.cost[is_broken]
    lost, occurs = broken.sums(cost), tally.count()
    share = float(lost[0] / (lost.sum() or 1.0))
    words = percent(int(np.count_nonzero(unlinked)), len(unlinked))
    examples = broken.costliest(placement.sentences[left_words[is_broken]], cost)
    rule = dict(analysed.corpus.reference.provenance).get("null")
    rule_note = f" (unaligned {rule})" if rule else ""
    sentence = (
        f"Of the {format_points(100 * (1 - placement.frs))} points of FRS that {system.name} "
        f"loses, {format_points(100 * float(lost[0]))} ({100 * share:.0f} %) lie beside words "
        f"without a link ({words} of the words): the reference places these by a rule{rule_note}, "
        "not by the translation."
    )
    finding = Finding(sentence, 100 * float(lost[0]), examples[0], level=0)
    section = Section.of_columns(
        {
            "boundary": ["beside a word without a link", "between words with links"],
            "occurs": occurs,
            "broken": broken.count(),
            "rate": broken.count() / np.maximum(occurs, 1),
            "FRS lost x100": 100 * lost,
            "share": lost / (float(lost.sum()) or 1.0),
        },
        findings=(finding,) if share > UNLINKED_SHARE else (),
        key="unlinked",
        group=Group.WORDS,
        title=f"Words without a link: {system.name}",
        reading=sentence,
        examples=examples,
        note=BOUNDARY_NOTE,
    )
    return [section]


@dataclass(frozen=True, eq=False)
class BrokenBoundaries:
    """Broken boundaries by types of their words, the costliest first.

    Attributes
    ----------
    left, right : tuple of str
        Types of the two words, in the order of the system.
    occurs : int64[V]
        The number of boundaries between words of these types in the system's order.
    broken : int64[V]
        The number of broken boundaries.
    turned : int64[V]
        The number of broken boundaries whose words are in the opposite order in the reference.
    lost : float64[V]
        The FRS lost there; the sum is 1 minus the corpus FRS.
    examples : tuple of tuples of int
        Indices of the sentences that lose most there.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    occurs: Int64
    broken: Int64
    turned: Int64
    lost: Float64
    examples: tuple[tuple[int, ...], ...]


def broken_boundaries(placement: Placement, column: Column) -> BrokenBoundaries:
    """Count the broken boundaries between words of each pair of types.

    Parameters
    ----------
    placement : Placement
    column : Column
        The type of each word of the corpus, N words.

    Examples
    --------
    >>> from wordorder.analysis.corpus import Corpus, placement
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["she", "can", "read", "it"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 3, 2, 1]]))
    >>> placed = placement(corpus, Orders.from_rows([[0, 2, 3, 1]]))
    >>> counts = broken_boundaries(placed, words.form)
    >>> list(zip(counts.left, counts.right, counts.turned.tolist()))
    [('it', 'can', 0), ('read', 'it', 1), ('she', 'read', 0)]
    """
    type_ids, strings = numbered(column)
    types = type_ids[placement.words]
    left_words = placement.left
    keys, pair_ids = np.unique(
        types[left_words] * len(strings) + types[left_words + 1], return_inverse=True
    )
    tally, is_broken = Tally(pair_ids, len(keys)), placement.broken
    broken_tally, cost = tally.of(is_broken), placement.cost[is_broken]
    # Positions in the reference, comparable within a sentence only.
    positions = np.arange(len(placement.words)) - placement.displacement
    turned = is_broken & (positions[left_words] > positions[left_words + 1])
    broken, lost = broken_tally.count(), broken_tally.sums(cost)
    names = [
        (strings[a], strings[b]) for a, b in (divmod(key, len(strings)) for key in keys.tolist())
    ]
    order = largest_first(lost, broken, names=names)
    order = order[broken[order] > 0]
    examples = broken_tally.costliest(placement.sentences[left_words[is_broken]], cost)
    pairs = order.tolist()
    return BrokenBoundaries(
        tuple(names[pair_id][0] for pair_id in pairs),
        tuple(names[pair_id][1] for pair_id in pairs),
        tally.count()[order],
        broken[order],
        tally.count(turned)[order],
        lost[order],
        tuple(examples[pair_id] for pair_id in pairs),
    )


def broken_boundary_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return tables of the broken boundaries, by label and by tag.

    Parameters
    ----------
    analysed : AnalysedOrders
        The view of one system.

    Returns
    -------
    list of Section
        ``boundaries-by-label``, ``boundaries-by-upos`` and ``boundaries-by-xpos``, for columns
        with values; otherwise ``boundaries-by-form``.
    """
    corpus = analysed.corpus
    columns = [
        (name, title, column)
        for name, title in BOUNDARY_COLUMNS
        if (column := known_column(corpus, analysed.system, name)) is not None
    ]
    if not columns:
        columns = [("form", "form", corpus.words.form.map(str.lower))]
    sections = [
        _boundary_section(analysed, broken_boundaries(analysed.placement, column), name, title)
        for name, title, column in columns
    ]
    # All tables divide the same loss: only the first, most informative one has findings.
    return [sections[0], *(replace(section, findings=()) for section in sections[1:])]


def _boundary_findings(
    analysed: AnalysedOrders, counts: BrokenBoundaries, title: str
) -> tuple[Finding, ...]:
    """Return findings about the costliest broken boundaries."""
    findings = []
    for pair in range(min(len(counts.left), MAX_BOUNDARY_FINDINGS)):
        lost = 100 * float(counts.lost[pair])
        opposite = ""
        if counts.turned[pair] == counts.broken[pair]:
            opposite = ", which are in the opposite order in the reference"
        left_type, right_type = counts.left[pair], counts.right[pair]
        words = f"'{left_type}' right before '{right_type}'"
        if title != "form":
            words = f"a word with the {title} {left_type} right before one with {right_type}"
        sentence = (
            f"{analysed.system.name} wrongly puts {words}, "
            f"{int(counts.broken[pair])} of {counted(int(counts.occurs[pair]), 'time')}"
            f"{opposite}: {describe_loss(lost, analysed.placement.frs)}."
        )
        findings.append(Finding(sentence, lost, counts.examples[pair]))
    return tuple(findings)


def _boundary_section(
    analysed: AnalysedOrders, counts: BrokenBoundaries, name: str, title: str
) -> Section:
    system, placement = analysed.system, analysed.placement
    columns: dict[str, Any] = {
        "left": counts.left,
        "right": counts.right,
        "occurs": counts.occurs,
        "broken": counts.broken,
        "rate": counts.broken / np.maximum(counts.occurs, 1),
        "turned round": counts.turned,
        "FRS lost x100": 100 * counts.lost,
        "share": counts.lost / (float(counts.lost.sum()) or 1.0),
    }
    reading = f"{system.name} breaks no boundary."
    if counts.left:
        left_type, right_type, occurs, broken, _, _, lost, share = (
            column[0] for column in columns.values()
        )
        reading = (
            f"{system.name} breaks {int(np.count_nonzero(placement.broken))} of "
            f"{len(placement.broken)} boundaries; by {title}, those between {left_type!r} and "
            f"{right_type!r} cost most: {broken} of {occurs}, {lost:.2f} hundredths of FRS, "
            f"{100 * share:.1f} % of the total loss."
        )
    return Section.of_columns(
        columns,
        findings=_boundary_findings(analysed, counts, title),
        key=f"boundaries-by-{name}",
        group=Group.WORDS,
        title=f"Broken chunk boundaries, by {title}: {system.name}",
        reading=reading,
        examples=counts.examples,
        note=BOUNDARY_NOTE,
    )
