"""Words that a system misorders: by kind, by boundary, by rule and by the distance they move."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem, Corpus, Look, Placement
from wordorder.analysis.section import Finding, Group, Section, of_the_loss, points
from wordorder.analysis.tally import Bins, Tally, largest_first, signed_bins, signed_names
from wordorder.arrays import Bool, Float64, Int64, Ragged, concat_ranges
from wordorder.errors import UsageError
from wordorder.messages import counted, percent
from wordorder.order.orders import Orders, relative_orders
from wordorder.reordering.conditions import OTHERS
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.treebank.treebank import Column, numbered

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
    numbers, strings = numbered(column, change)
    tally, bad = Tally(numbers[placement.words], len(strings)), placement.misordered
    occurs, misordered, lost = tally.count(), tally.count(bad), tally.sums(placement.lost)
    order = largest_first(misordered, lost, occurs, names=strings)
    order = order[occurs[order] > 0]
    shown = tally.of(bad).costliest(placement.sentences[bad], placement.lost[bad])
    return MisorderedWords(
        tuple(strings[kind] for kind in order.tolist()),
        occurs[order],
        misordered[order],
        tally.means(placement.displacement)[order],
        tally.means(np.abs(placement.displacement))[order],
        lost[order],
        tuple(shown[kind] for kind in order.tolist()),
    )


def misordered_word_sections(look: Look) -> list[Section]:
    """Make a table of the misordered words for each thing that is known of the words.

    Parameters
    ----------
    look : Look
        At one system.

    Returns
    -------
    list of Section
        ``words-by-form``, ``words-by-lemma``, ``words-by-upos``, ``words-by-xpos`` and
        ``words-by-label``, as far as their columns say something.
    """
    sections = []
    for name, title, change in KINDS:
        column = known_column(look.corpus, look.system, name)
        if column is not None:
            counts = misordered_words(look.placement, column, change)
            sections.append(_section(look, counts, name, title))
    return sections


def known_column(corpus: Corpus, system: AnalysedSystem, name: str) -> Column | None:
    """Return what is known of each word, or None if nothing is.

    Tags and labels are those of the trees that the orders came from, as the rules saw them;
    otherwise those of the gold trees. Forms and lemmas are those of the corpus.
    """
    own, shared = system.treebank, corpus.words
    banks = (shared, corpus.gold, own) if name in ("form", "lemma") else (own, corpus.gold, shared)
    columns = [bank.columns[name] for bank in banks if bank is not None]
    return next((column for column in columns if column.said().any()), None)


def _findings(look: Look, counts: MisorderedWords, name: str) -> tuple[Finding, ...]:
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
            f"{look.system.name} misorders {words.replace('{}', counts.values[kind])} "
            f"{int(counts.misordered[kind])} of {counted(int(counts.occurs[kind]), 'time')}{late}: "
            f"{of_the_loss(lost, look.placement.frs)}."
        )
        found.append(Finding(sentence, lost, counts.examples[kind]))
    return tuple(found)


def _section(look: Look, counts: MisorderedWords, name: str, title: str) -> Section:
    system, placement = look.system, look.placement
    wrong = int(np.count_nonzero(counts.misordered))
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
    if wrong:
        value, occurs, times, _, _, _, lost, part = (each[0] for each in columns.values())
        reading = (
            f"{system.name} misorders {int(np.count_nonzero(placement.misordered))} of "
            f"{len(placement.words)} words; by {title}, {value!r} most often: "
            f"{times} of {occurs} times, which costs {lost:.2f} hundredths of FRS, "
            f"{100 * part:.1f} % of the total loss ({100 * (1 - placement.frs):.2f})."
        )
    return Section.of_columns(
        {name: column[:wrong] for name, column in columns.items()},
        findings=_findings(look, counts, name),
        key=f"words-by-{name}",
        group=Group.WORDS,
        title=f"Words most often misordered, by {title}: {system.name}",
        reading=reading,
        examples=counts.examples[:wrong],
        note=NOTE,
    )


# From this share of the loss on, what lies beside words without a link is said first.
UNLINKED_SHARE = 0.2


def unlinked_sections(look: Look) -> list[Section]:
    """Make the table ``unlinked``: what is lost beside words without a link, and elsewhere.

    Parameters
    ----------
    look : Look
        At one system.

    Returns
    -------
    list of Section
        Empty if it is not known which words have a link, or the reference has no other words.
    """
    linked, placement, system = look.corpus.linked, look.placement, look.system
    if linked is None or linked[placement.words].all():
        return []
    without = ~linked[placement.words]
    left = placement.left
    beside = (without[left] | without[left + 1]).astype(np.int64)
    tally, bad = Tally(1 - beside, 2), placement.broken
    broken, cost = tally.of(bad), placement.cost[bad]
    lost, occurs = broken.sums(cost), tally.count()
    share = float(lost[0] / (lost.sum() or 1.0))
    words = percent(int(np.count_nonzero(without)), len(without))
    examples = broken.costliest(placement.sentences[left[bad]], cost)
    rule = dict(look.corpus.reference.provenance).get("null")
    how = f" (unaligned {rule})" if rule else ""
    sentence = (
        f"Of the {points(100 * (1 - placement.frs))} points of FRS that {system.name} loses, "
        f"{points(100 * float(lost[0]))} ({100 * share:.0f} %) lie beside words without a link "
        f"({words} of the words): the reference places these by a rule{how}, not by the "
        "translation."
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


BOUNDARY_KINDS = (("label", "label"), ("upos", "UPOS"), ("xpos", "XPOS"))

# How many of them the costliest pairs make.
FINDINGS = 2

BOUNDARY_NOTE = (
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
    >>> from wordorder.analysis.corpus import placement
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
    tally, bad = Tally(pair, len(keys)), placement.broken
    broken_ones, cost = tally.of(bad), placement.cost[bad]
    # Comparable within a sentence, which both words of a boundary belong to.
    place = np.arange(len(placement.words)) - placement.displacement
    turned = bad & (place[left] > place[left + 1])
    broken, lost = broken_ones.count(), broken_ones.sums(cost)
    names = [
        (strings[a], strings[b]) for a, b in (divmod(key, len(strings)) for key in keys.tolist())
    ]
    order = largest_first(lost, broken, names=names)
    order = order[broken[order] > 0]
    shown = broken_ones.costliest(placement.sentences[left[bad]], cost)
    listed = order.tolist()
    return BrokenBoundaries(
        tuple(names[number][0] for number in listed),
        tuple(names[number][1] for number in listed),
        tally.count()[order],
        broken[order],
        tally.count(turned)[order],
        lost[order],
        tuple(shown[number] for number in listed),
    )


def broken_boundary_sections(look: Look) -> list[Section]:
    """Make a table of the broken boundaries by label and by tag.

    Parameters
    ----------
    look : Look
        At one system.

    Returns
    -------
    list of Section
        ``boundaries-by-label``, ``boundaries-by-upos`` and ``boundaries-by-xpos``, as far as
        their columns say something; otherwise ``boundaries-by-form``.
    """
    corpus = look.corpus
    known = [
        (name, title, column)
        for name, title in BOUNDARY_KINDS
        if (column := known_column(corpus, look.system, name)) is not None
    ]
    if not known:
        known = [("form", "form", corpus.words.form.map(str.lower))]
    sections = [
        _boundary_section(look, broken_boundaries(look.placement, column), name, title)
        for name, title, column in known
    ]
    # All of them divide the same loss: the first kind says most.
    return [sections[0], *(replace(each, findings=()) for each in sections[1:])]


def _boundary_findings(look: Look, counts: BrokenBoundaries, title: str) -> tuple[Finding, ...]:
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
            f"{look.system.name} wrongly puts {words}, "
            f"{int(counts.broken[pair])} of {counted(int(counts.occurs[pair]), 'time')}"
            f"{turned}: {of_the_loss(lost, look.placement.frs)}."
        )
        found.append(Finding(sentence, lost, counts.examples[pair]))
    return tuple(found)


def _boundary_section(look: Look, counts: BrokenBoundaries, name: str, title: str) -> Section:
    system, placement = look.system, look.placement
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
        left, right, occurs, broken, _, _, lost, share = (each[0] for each in columns.values())
        reading = (
            f"{system.name} breaks {int(np.count_nonzero(placement.broken))} of "
            f"{len(placement.broken)} boundaries; by {title}, those between {left!r} and "
            f"{right!r} cost most: {broken} of {occurs}, {lost:.2f} hundredths of FRS, "
            f"{100 * share:.1f} % of the total loss."
        )
    return Section.of_columns(
        columns,
        findings=_boundary_findings(look, counts, title),
        key=f"boundaries-by-{name}",
        group=Group.WORDS,
        title=f"Broken chunk boundaries, by {title}: {system.name}",
        reading=reading,
        examples=counts.examples,
        note=BOUNDARY_NOTE,
    )


@dataclass(frozen=True, eq=False)
class OtherChildren:
    """Children that no rule names: K kinds, the costliest first.

    Attributes
    ----------
    names : tuple of (str, str)
        The rule that orders the family, ``none`` if none does, and the label of the child.
    words, misordered : int64[K]
        How many there are, of the words that system and reference both have, and how many are
        beside a broken boundary.
    lost : float64[K]
        The FRS that they are charged.
    examples : tuple of tuples of int
        The sentences that lose most through them.
    """

    names: tuple[tuple[str, str], ...]
    words: Int64
    misordered: Int64
    lost: Float64
    examples: tuple[tuple[int, ...], ...]


def other_children(system: AnalysedSystem, placement: Placement) -> OtherChildren:
    """Count the children that no rule names, by rule and label.

    Parameters
    ----------
    system : AnalysedSystem
        With trees and precedence rules.
    placement : Placement
        Of the system.

    Raises
    ------
    UsageError
        If it has no trees with precedence rules.
    """
    treebank, rules = system.treebank, system.rules
    if treebank is None or not isinstance(rules, PrecedenceRules):
        raise UsageError(f"{system.name} has no trees with precedence rules")
    applied = rules.apply(treebank)
    heads = applied.treebank.heads
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    # Rules from 1; 0 for families that none orders.
    rule = 1 + applied.fired[np.maximum(starts + heads - 1, 0)].astype(np.int64)
    caught = np.array([*(name == OTHERS for name in rules.entry_names), False], np.bool_)
    other = (heads > 0) & ((rule == 0) | caught[np.maximum(applied.entry, -1)])
    labels, strings = numbered(treebank.label)
    size = max(len(strings), 1)
    keys = rule * size + labels
    chosen = other[placement.words]
    words = placement.words[chosen]
    different, kinds = np.unique(keys[words], return_inverse=True)
    tally, charged = Tally(kinds, len(different)), placement.lost[chosen]
    occurs, lost = tally.count(), tally.sums(charged)
    shown = tally.costliest(placement.sentences[chosen], charged)
    order = largest_first(lost, occurs).tolist()
    names = ("none", *rules.rule_names)
    return OtherChildren(
        tuple((names[int(key) // size], strings[int(key) % size]) for key in different[order]),
        occurs[order],
        tally.count(placement.misordered[chosen])[order],
        lost[order],
        tuple(shown[kind] for kind in order),
    )


def other_children_sections(look: Look) -> list[Section]:
    """Show the children that no rule names: where the rules could say more.

    Parameters
    ----------
    look : Look
        At one system.

    Returns
    -------
    list of Section
        ``other-children``; empty if the system has no trees with precedence rules.
    """
    system, placement = look.system, look.placement
    if system.treebank is None or not isinstance(system.rules, PrecedenceRules):
        return []
    counts = other_children(system, placement)
    reading = f"The rules of {system.name} name every child."
    if counts.names:
        rule, label = counts.names[0]
        family = "in families that no rule orders" if rule == "none" else f"under rule {rule}"
        reading = (
            f"{int(counts.words.sum())} of {len(placement.words)} words are children that no rule "
            f"of {system.name} names; {label} {family} loses most, {counts.lost[0]:.4f} FRS."
        )
    return [
        Section.of_columns(
            {
                "rule": [rule for rule, _ in counts.names],
                "label": [label for _, label in counts.names],
                "occurs": counts.words,
                "misordered": counts.misordered,
                "rate": counts.misordered / counts.words,
                "FRS lost": counts.lost,
            },
            findings=_children_findings(look, counts),
            key="other-children",
            group=Group.RULES,
            title=f"Children that the rules of {system.name} do not name",
            reading=reading,
            examples=counts.examples,
            note="Words that a rule covers only by *, or whose head no rule orders (none). "
            "Misordered and FRS lost are defined as in the tables of misordered words: half "
            "the cost of each broken boundary next to the word. Its neighbour may be the "
            "misplaced word.",
        )
    ]


def _children_findings(look: Look, counts: OtherChildren) -> tuple[Finding, ...]:
    """Say where the rules could say more."""
    if not counts.names or counts.lost[0] <= 0:
        return ()
    rule, label = counts.names[0]
    where = "no rule orders them" if rule == "none" else f"the rule '{rule}' does not name them"
    lost = 100 * float(counts.lost[0])
    sentence = (
        f"{look.system.name} misorders {int(counts.misordered[0])} of "
        f"{counted(int(counts.words[0]), 'word')} of the relation {label}, and {where}: "
        f"{of_the_loss(lost, look.placement.frs)}."
    )
    return (Finding(sentence, lost, counts.examples[0]),)


DISTANCES = Bins((0, 1, 2, 3, 5, 9, 17))


@dataclass(frozen=True, eq=False)
class WordDistances:
    """How many words to the right the reference moves each word of the source.

    Attributes
    ----------
    distance : int64[N]
        Below 0: to the left. Counted among the words that the reference has; words that tie
        there keep the order of the source. 0 for a word that it does not have.
    known : bool[N]
        Whether the reference has the word.
    mean : float64[S]
        Of the distances of a sentence without their direction; 0 if it has no words.
    longest : int64[S]
        The largest of them.
    """

    distance: Int64
    known: Bool
    mean: Float64
    longest: Int64


def word_distances(corpus: Corpus) -> WordDistances:
    """Measure how far the reference order is from that of the source.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["a", "b", "c", "d"]])
    >>> found = word_distances(Corpus(words, Orders.from_rows([[1, 3, 0]])))
    >>> found.distance.tolist(), found.known.tolist(), found.longest.tolist()
    ([2, -1, 0, -1], [True, True, False, True], [2])
    """
    words = corpus.words
    source = Orders(Ragged(concat_ranges(0, words.lengths).astype(np.int32), words.offsets))
    relative = relative_orders(source, corpus.reference)
    permutation = relative.permutation
    lengths = permutation.lengths
    sentences = np.repeat(np.arange(len(lengths)), lengths)
    own = np.arange(len(sentences)) - permutation.offsets[:-1][sentences]
    moved = permutation.values - own
    distance = np.zeros(words.words, np.int64)
    distance[relative.kept] = moved
    longest = np.zeros(len(lengths), np.int64)
    np.maximum.at(longest, sentences, np.abs(moved))
    mean = np.bincount(sentences, np.abs(moved), len(lengths)) / np.maximum(lengths, 1)
    return WordDistances(distance, relative.kept, mean, longest)


def word_distance_section(look: Look, moved: WordDistances) -> Section:
    """Make the table ``words-by-distance``: what becomes of words by how far they have to move.

    Parameters
    ----------
    look : Look
    moved : WordDistances
        Of the corpus.
    """
    names = signed_names(DISTANCES)
    groups = signed_bins(DISTANCES, moved.distance)
    words = np.bincount(groups[moved.known], minlength=len(names))
    used = words > 0
    columns: dict[str, Any] = {"moved": np.array(names)[used], "words": words[used]}
    for system, each in zip(look.systems, look.placements, strict=True):
        tally = Tally(groups[each.words], len(names))
        wrong, lost = tally.count(each.misordered), tally.sums(each.lost)
        columns |= {
            f"misordered of {system.name}": wrong[used],
            f"rate of {system.name}": (wrong / np.maximum(tally.count(), 1))[used],
            f"FRS lost x100 of {system.name}": 100 * lost[used],
        }
    # The sentences in which the first system loses most through the words of a row.
    first = look.placement
    bad = first.misordered
    tally = Tally(groups[first.words[bad]], len(names))
    shown = tally.costliest(first.sentences[bad], first.lost[bad])
    return Section.of_columns(
        columns,
        findings=_distance_findings(look, groups, shown),
        key="words-by-distance",
        group=Group.WORDS,
        whole=True,
        title="Misordered words by the distance they move in the reference",
        reading=_reading(look, groups),
        examples=tuple(compress(shown, used.tolist())),
        note="Moved: from the place in the source to the place in the reference order, in words; "
        "words that the reference lacks do not count. FRS lost: half the cost of each "
        "broken boundary next to the words of a row; the rows add up to 1 minus the corpus "
        "FRS.",
    )


def _distance_findings(
    look: Look, groups: Int64, examples: tuple[tuple[int, ...], ...]
) -> tuple[Finding, ...]:
    """Say which of the words that move lose most beyond their share of all words."""
    placement, names = look.placement, signed_names(DISTANCES)
    tally = Tally(groups[placement.words], len(names))
    words, lost = tally.count(), 100 * tally.sums(placement.lost)
    more = lost - lost.sum() * words / max(len(placement.words), 1)
    more[len(DISTANCES.starts) - 1] = -np.inf
    worst = int(np.argmax(more))
    if lost[worst] <= 0:
        return ()
    wrong = tally.count(placement.misordered)[worst]
    size, direction = names[worst].split(" ", 1)
    sentence = (
        f"{look.system.name} misorders {wrong} of the {words[worst]} words that move {size} "
        f"{'word' if size == '1' else 'words'} {direction} in the reference: "
        f"{of_the_loss(float(lost[worst]), placement.frs)}."
    )
    return (Finding(sentence, float(lost[worst]), examples[worst]),)


def _reading(look: Look, groups: Int64) -> str:
    """Say how the words that stay and those that move fare."""
    placement = look.placement
    moves = groups[placement.words] != len(DISTANCES.starts) - 1
    total = float(placement.lost.sum())
    if not total:
        return f"{look.system.name} misorders no word."
    if not moves.any():
        return "The reference moves no word."
    share = 100 * float(placement.lost[moves].sum()) / total
    return (
        f"The reference moves {int(np.count_nonzero(moves))} of {len(moves)} words; {share:.1f} % "
        f"of the FRS loss of {look.system.name} falls on them."
    )
