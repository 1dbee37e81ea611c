"""All tables of moved blocks: how many, how far, of which words, and each by itself."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from wordorder.analysis import section
from wordorder.analysis.findings import beside_others, format_points, worst_of_systems
from wordorder.analysis.tally import Bins, Tally, costliest_sentences, largest_first, signed_bins
from wordorder.analysis.translations.blocks import (
    MAX_LOCAL_DISTANCE,
    Blocks,
    moved_heads,
    narrow_indices,
)
from wordorder.analysis.translations.lengths import loss_section
from wordorder.analysis.translations.stored import (
    count_values as number_counts,
    free_memory,
    read_part,
    release_pages,
)
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.analysis.translations.word_classes import RELATIONS, is_punctuation
from wordorder.arrays import Bool, Float64, Int64
from wordorder.kernels import piece_spans
from wordorder.messages import counted
from wordorder.treebank.treebank import Column, Treebank

# Words of references whose blocks are looked at together: memory does not grow with the corpus.
SPAN_WORDS = 1 << 20


def block_sections(translations: Translations) -> list[section.Section]:
    """Make all tables of moved blocks.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    list of Section
        ``cder-parts``, ``moved-blocks``, ``moved-blocks-by-distance``, where the references are
        parsed ``moved-blocks-by-tag`` and ``moved-blocks-by-relation``, and
        ``moved-blocks-listed``.
    """
    systems = translations.systems
    sections = []
    for make in (loss_section, moved_section, distance_section):
        sections.append(make(systems))
        free_memory()
    trees = translations.trees
    if trees is not None:
        for key, name, by, header in BY_HEAD:
            column, passing = trees.columns[name], "passed" in header
            kinds = [_Kinds(each, trees, column, passing=passing) for each in systems]
            sections.append(
                _section(kinds, f"moved-blocks-by-{key}", f"Moved blocks by {by}", header)
            )
    return [*sections, block_list_section(systems)]


DISTANCES = Bins((0, 1, 4, 10))

# A word that the references have so often at most can be told from others.
RARE = 50

SOURCES = (
    "A block: words that follow each other both in the output and in the reference, apart from "
    "words without a match. In each sentence, the blocks that are in order and have most words "
    "in all count as unmoved; the others have moved. CDER path: blocks between the jumps of the "
    "cheapest path, which moves a block only where that costs less than changing its words. Word "
    "alignment: blocks of the words that the monolingual alignment matches, of any length. "
)

DISTANCE = (
    "Distance: words of unmoved blocks between the block's place in the output and its place in "
    "the reference; up to 3 is local. Repeats: the path uses words that another block uses too. "
)

POINTS = "Jump points: jumps of CDER due to moved blocks, per 100 reference words."


def moved_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``moved-blocks``: how many blocks have moved, by path and by alignment.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
    """
    rows: list[tuple[section.Value, ...]] = []
    examples = []
    for each in systems:
        for source, blocks in (("CDER path", each.by_path), ("word alignment", each.by_alignment)):
            lost = _lost(each, blocks.moved) if blocks is each.by_path else None
            rows.append((each.name, source, *_counts(blocks), lost))
            examples.append(_examples(blocks, blocks.moved))
    names = [each.name for each in systems]
    early = [_direction(each, each.by_path.too_early, "early") for each in systems]
    late = [_direction(each, each.by_path.too_late, "late") for each in systems]
    return section.Section(
        key="moved-blocks",
        group=section.Group.BLOCKS,
        title="Moved blocks",
        reading=_reading(systems),
        header=(
            *("system", "blocks from", "words with a place", "moved blocks", "words in them"),
            *("too early", "too late", "repeats", "local", "long", "mean distance", "jump points"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note=SOURCES + DISTANCE + POINTS,
        findings=(*worst_of_systems(early, names), *worst_of_systems(late, names)),
    )


def distance_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``moved-blocks-by-distance``: a row for each range of distances and system.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
    """
    away = DISTANCES.names[1:]
    names = [
        *(f"{name} too early" for name in reversed(away)),
        "0 (repeats)",
        *(f"{name} too late" for name in away),
    ]
    rows: list[list[tuple[section.Value, ...]]] = [[] for _ in names]
    examples: list[list[tuple[int, ...]]] = [[] for _ in names]
    for each in systems:
        blocks, aligned = each.by_path, each.by_alignment
        groups = signed_bins(DISTANCES, blocks.distance[blocks.moved])
        other = signed_bins(DISTANCES, aligned.distance[aligned.moved])
        tally, others = Tally(groups, len(names)), Tally(other, len(names))
        cost = blocks.cost[blocks.moved]
        columns = (
            tally.count(),
            tally.sums(blocks.words[blocks.moved]),
            others.count(),
            others.sums(aligned.words[aligned.moved]),
        )
        lost = tally.sums(cost)
        shown = tally.costliest(blocks.segments[blocks.moved], cost)
        for number, name in enumerate(names):
            cells = (int(column[number]) for column in columns)
            rows[number].append((name, each.name, *cells, each.points(float(lost[number]))))
            examples[number].append(shown[number])
    used = [number for number, of in enumerate(rows) if any(any(row[2:]) for row in of)]
    return section.Section(
        key="moved-blocks-by-distance",
        group=section.Group.BLOCKS,
        whole=True,
        title="Moved blocks by distance and direction",
        reading=_near_and_far(systems),
        header=(
            *("distance", "system", "moved blocks", "words in them", "aligned moved blocks"),
            *("words in these", "jump points"),
        ),
        rows=tuple(row for number in used for row in rows[number]),
        examples=tuple(row for number in used for row in examples[number]),
        note="Moved blocks: of the CDER path; aligned moved blocks: of the word alignment. "
        f"{DISTANCE}{POINTS} The rows of a system add up to all its moved blocks.",
        findings=worst_of_systems(list(map(_long, systems)), [each.name for each in systems]),
    )


def _counts(blocks: Blocks) -> tuple[section.Value, ...]:
    """Return words, moved blocks, their words, directions, kinds of distance and the mean."""
    kinds = (blocks.too_early, blocks.too_late, blocks.repeated, blocks.local, blocks.long)
    passed = np.abs(blocks.distance[blocks.distance != 0])
    return (
        int(blocks.starts[-1]),
        int(np.count_nonzero(blocks.moved)),
        int(blocks.words[blocks.moved].sum()),
        *(int(np.count_nonzero(kind)) for kind in kinds),
        float(passed.mean()) if len(passed) else None,
    )


def _examples(blocks: Blocks, chosen: Bool) -> tuple[int, ...]:
    """Return the sentences with most words in some of the blocks."""
    return costliest_sentences(blocks.segments[chosen], blocks.words[chosen].astype(np.float64))


def _lost(each: TranslatedSystem, chosen: Bool) -> float:
    """Return what some of the path's blocks cost, in points of CDER."""
    return each.points(float(each.by_path.cost[chosen].sum()))


def _losses(each: TranslatedSystem, chosen: Bool | Int64) -> Float64:
    """Return what some of the path's blocks cost each segment in points of CDER, float64[S]."""
    return each.losses(each.by_path.segments[chosen], each.by_path.cost[chosen])


def visible_moves(system: TranslatedSystem, chosen: Bool | Int64) -> Float64:
    """Count the blocks of the path in each segment whose move a reader can see, float64[S].

    Such a block has a word that is once in the reference and once in the output, and rare in all
    references (if there is such a block): it cannot be taken for another one.

    Parameters
    ----------
    system : TranslatedSystem
    chosen : bool[B] or int64
        The blocks that are looked at.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["on tuesday we met at six", "at six we met at six"]}
    >>> made = translations_of(lines, ["we met at six on tuesday", "we met at six at six"])
    >>> blocks = made.systems[0].by_path
    >>> visible_moves(made.systems[0], blocks.moved).tolist()
    [1.0, 0.0]
    """
    blocks, texts = system.by_path, system.texts
    mask = np.zeros(len(blocks), np.bool_)
    mask[chosen] = True
    frequency = number_counts(texts.references.values, len(texts.vocabulary))
    clear_blocks, rare_blocks = np.zeros((2, len(blocks)), np.bool_)
    starts, lengths, same = blocks.starts, blocks.words, blocks.same
    for first, last in piece_spans(starts, SPAN_WORDS):
        span = slice(starts[first], starts[last])
        words = np.flatnonzero(np.repeat(mask[first:last], lengths[first:last]) & same[span])
        words += starts[first]
        block = np.searchsorted(starts, words, side="right") - 1
        forms = texts.references.values[read_part(blocks, "reference", words)].astype(np.int64)
        clear = ~np.fromiter(
            (is_punctuation(texts.vocabulary.words[form]) for form in forms.tolist()), np.bool_
        )
        segment = read_part(blocks, "segments", block)
        segments = np.unique(segment)
        for rows in (system.references, texts.hypothesis):
            there = rows.take(segments)
            keys = np.repeat(segments, there.lengths) * len(texts.vocabulary) + there.values
            known, times = np.unique(keys, return_counts=True)
            place = np.searchsorted(known, segment * len(texts.vocabulary) + forms)
            clear &= times[np.minimum(place, len(times) - 1)] == 1 if len(times) else False
        clear_blocks[block[clear]] = True
        rare_blocks[block[clear & (frequency[forms] <= RARE)]] = True
        release_pages()
    seen = rare_blocks if rare_blocks.any() else clear_blocks
    return np.bincount(blocks.segments[seen], minlength=len(system)).astype(np.float64)


def _moves(each: TranslatedSystem, chosen: Bool, said: str) -> section.Finding:
    """Say what some of the path's blocks cost a system."""
    lost = _lost(each, chosen)
    sentence = f"{each.name} {said}: {_jumps(lost, each)}"
    losses, seen = _losses(each, chosen), visible_moves(each, chosen)
    return section.Finding(sentence, lost, theme=_theme(each), compared=losses, seen=seen)


def _theme(system: TranslatedSystem) -> str:
    """Name the theme of all findings about the moved blocks of a system."""
    return f"moved blocks of {system.name}"


def _direction(each: TranslatedSystem, chosen: Bool, way: str) -> section.Finding:
    """Say how many blocks of a system come too early, or too late."""
    distances = np.abs(each.by_path.distance[chosen])
    mean = float(distances.mean()) if len(distances) else 0.0
    count = counted(len(distances), "block", commas=True)
    said = f"puts {count} of words too {way}, by {mean:.1f} words on average"
    return _moves(each, chosen, said)


def _jumps(lost: float, each: TranslatedSystem) -> str:
    """Say what moved blocks cost, and why."""
    total = f"{each.cder:.1f} points of CDER"
    return f"the jumps to and from these cost {format_points(lost)} of its {total}."


def _long(each: TranslatedSystem) -> section.Finding:
    """Say what the blocks of a system cost that pass more than three words."""
    far = each.by_path.long
    moved = counted(int(np.count_nonzero(each.by_path.moved)), "block", commas=True)
    count = int(np.count_nonzero(far))
    said = f"moves {moved} of words, {count:,} of them by more than {MAX_LOCAL_DISTANCE} words"
    return _moves(each, far, said)


def _reading(systems: Sequence[TranslatedSystem]) -> str:
    least = min(systems, key=lambda each: _lost(each, each.by_path.moved))
    blocks = least.by_path
    count = counted(int(np.count_nonzero(blocks.moved)), "moved block", commas=True)
    lost = _lost(least, blocks.moved)
    said = f"{least.name} loses {format_points(lost)} points of CDER to {count} on the CDER path"
    return f"{said}, the least of all systems." if len(systems) > 1 else f"{said}."


def _near_and_far(systems: Sequence[TranslatedSystem]) -> str:
    said = []
    for each in systems:
        blocks = each.by_path
        near, far = (format_points(_lost(each, kind)) for kind in (blocks.local, blocks.long))
        said.append(f"{each.name} {near} and {far}")
    return (
        "Points of CDER lost to blocks that moved up to 3 words, and farther: "
        + "; ".join(said)
        + "."
    )


# Kinds of blocks a table.
TAGS_SHOWN = 100

WAYS = ("too early", "repeats", "too late")

NOTE = (
    "Head: the word of the block nearest to the root of the reference's tree (the first of "
    "several). Passed: the same among the unmoved words that the block passes. Blocks and points "
    "are those of the CDER path; aligned: moved blocks of the word alignment. The points of all "
    "kinds add up to those of all moved blocks."
)

Kind = tuple[str, ...]

# What words of a relation are called.
PLAIN_NAMES = {label: name for name, (_, labels) in RELATIONS.items() for label in labels}

# The tag and the relation of punctuation, whose moves are no findings.
PUNCTUATION = ("PUNCT", "punct")


# Tables by the head of a block: of its key, the column, the title and the first columns.
BY_HEAD = (
    ("tag", "upos", "tag of the head and of the words passed", ("head", "direction", "passed")),
    ("relation", "label", "dependency relation of the head", ("relation", "direction")),
)


class _Kinds:
    """The moved blocks of one system, sorted into kinds.

    Attributes
    ----------
    system : TranslatedSystem
    names : list of Kind
        What the strings of a kind are.
    blocks, aligned : dict of Kind to int
        How many moved blocks of the path and of the alignment are of it.
    words, distance, lost : dict of Kind to float
        Words in the path's blocks, words that they pass, and points of CDER.
    examples : dict of Kind to tuple of int
    """

    def __init__(
        self, system: TranslatedSystem, trees: Treebank, column: Column, *, passing: bool
    ) -> None:
        self.system = system
        blocks = system.by_path
        moved = blocks.moved
        kinds = _kinds(blocks, trees, column, passing)
        self.names = list(dict.fromkeys(kinds))
        self.kinds = kinds
        number = {kind: n for n, kind in enumerate(self.names)}
        tally = Tally(np.array([number[kind] for kind in kinds], np.int64), len(number))
        cost = blocks.cost[moved]

        def summed(values: Int64 | Float64) -> dict[Kind, float]:
            return dict(zip(self.names, tally.sums(values).tolist(), strict=True))

        self.blocks = dict(zip(self.names, tally.count().tolist(), strict=True))
        self.words = summed(blocks.words[moved])
        self.distance = summed(np.abs(blocks.distance[moved]))
        self.lost = {kind: system.points(edits) for kind, edits in summed(cost).items()}
        shown = tally.costliest(blocks.segments[moved], cost)
        self.examples = dict(zip(self.names, shown, strict=True))
        self.aligned = Counter(_kinds(system.by_alignment, trees, column, passing))

    def losses(self, kind: Kind) -> Float64:
        """Return what the blocks of a kind cost each segment in points of CDER, float64[S]."""
        return _losses(self.system, self._of(kind))

    def visible(self, kind: Kind) -> Float64:
        """Count the blocks of a kind in each segment whose move can be seen, float64[S]."""
        return visible_moves(self.system, self._of(kind))

    def _of(self, kind: Kind) -> Int64:
        moved = np.flatnonzero(self.system.by_path.moved)
        return moved[[each == kind for each in self.kinds]]


def _kinds(blocks: Blocks, trees: Treebank, column: Column, passing: bool) -> list[Kind]:
    """Return the kind of each moved block: a string of its head, direction, and what it passes."""
    heads, passed = moved_heads(blocks, trees)
    strings, codes = column.vocabulary.words, column.codes
    ways = (1 + np.sign(blocks.distance[blocks.moved])).tolist()
    kinds: list[Kind] = []
    for head, other, way in zip(heads.tolist(), passed.tolist(), ways, strict=True):
        past = (strings[codes[other]] if other >= 0 else "",) if passing else ()
        kinds.append((strings[codes[head]], WAYS[way], *past))
    return kinds


def _section(found: Sequence[_Kinds], key: str, title: str, header: Kind) -> section.Section:
    """Make a table with a row for each kind and system that has it; the costliest kinds first."""
    total: dict[Kind, float] = {}
    for each in found:
        for kind in [*each.names, *each.aligned]:
            total[kind] = total.get(kind, 0.0) + each.lost.get(kind, 0.0)
    order = sorted(total, key=lambda kind: (-round(total[kind], 9), kind))
    rows: list[tuple[section.Value, ...]] = []
    examples = []
    for kind in order[:TAGS_SHOWN]:
        for each in found:
            count = each.blocks.get(kind, 0)
            rows.append(
                (
                    *kind,
                    each.system.name,
                    count,
                    int(each.words.get(kind, 0)),
                    each.distance[kind] / count if count and kind[1] != "repeats" else None,
                    each.aligned.get(kind, 0),
                    each.lost.get(kind, 0.0),
                )
            )
            examples.append(each.examples.get(kind, ()))
    left = len(order) - TAGS_SHOWN
    return section.Section(
        key=key,
        group=section.Group.BLOCKS,
        title=title,
        reading=_tag_reading(found),
        header=(
            *(*header, "system", "moved blocks", "words in them", "mean distance"),
            *("aligned moved blocks", "jump points"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note=NOTE if left <= 0 else f"{NOTE} {counted(left, 'rarer kind')} left out.",
        findings=_findings(found),
    )


def _worst(each: _Kinds) -> Kind:
    return min(each.names, key=lambda kind: (-round(each.lost[kind], 9), kind))


def _tag_reading(found: Sequence[_Kinds]) -> str:
    """Summarize the kind of moved block that costs the first system most."""
    first = found[0]
    if not first.names:
        return f"The CDER path of {first.system.name} moves no block."
    kind = _worst(first)
    return (
        f"Of the moved blocks of {first.system.name}, {_phrase(kind)} cost most: "
        f"{format_points(first.lost[kind])} points of CDER."
    )


def _phrase(kind: Kind) -> str:
    """Name blocks of a kind.

    Examples
    --------
    >>> _phrase(("VERB", "too late", "NOUN")), _phrase(("obl", "repeats"))
    ('those around VERB that are too late past NOUN', 'those around obl that repeat words')
    """
    way = "that repeat words" if kind[1] == "repeats" else f"that are {kind[1]}"
    return f"those around {kind[0]} {way}" + (f" past {kind[2]}" if kind[2:] and kind[2] else "")


def _findings(found: Sequence[_Kinds]) -> tuple[section.Finding, ...]:
    """Return a finding about the costliest kind of moved block of any system.

    Punctuation is left out. There is no finding if no block moves.
    """
    costs = [
        (round(each.lost[kind], 9), -number, kind)
        for number, each in enumerate(found)
        for kind in each.names
        if kind[0] not in PUNCTUATION
    ]
    if not costs:
        return ()
    best = max(cost[:2] for cost in costs)
    kind = min(cost[2] for cost in costs if cost[:2] == best)
    worst = found[-best[1]]
    others = [each for each in found if each is not worst]
    finding = _finding(worst, kind)
    lost = [
        (each.system.name, each.lost.get(kind, 0.0), each.losses(kind), each.visible(kind))
        for each in others
    ]
    return (beside_others(finding, lost),)


def _finding(each: _Kinds, kind: Kind) -> section.Finding:
    """Describe what a kind costs a system."""
    lost, name, head = each.lost[kind], each.system.name, PLAIN_NAMES.get(kind[0], kind[0])
    count = counted(each.blocks[kind], "block", commas=True)
    if kind[1] == "repeats":
        said = f"{name} has {count} around {head} that repeat words"
    else:
        passed = f", past {kind[2]}" if kind[2:] else ""
        mean = each.distance[kind] / each.blocks[kind]
        said = f"{name} puts {count} around {head} {kind[1]}{passed} ({mean:.1f} words on average)"
    return section.Finding(
        f"{said}: {_jumps(lost, each.system)}",
        lost,
        theme=_theme(each.system),
        compared=each.losses(kind),
        seen=each.visible(kind),
    )


# Blocks of a system, and words of a block.
BLOCKS_SHOWN, WORDS = 60, 12


def block_list_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``moved-blocks-listed``: the words of the costliest blocks of each system.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
    """
    # Jumps and words of the block, the most first, and the sentence; then the row.
    listed = sorted((one for each in systems for one in _listed(each)), key=lambda one: one[0])
    rows = [row for _, row in listed]
    examples = [(sentence,) for (_, _, sentence), _ in listed]
    reading = "No CDER path moves a block."
    if rows:
        name, number, block, way = rows[0][:4]
        said = "is used again" if way == "repeated" else f"is {way}"
        reading = f"{name}, sentence {number}: {block!r} {said}."
    left = sum(int(np.count_nonzero(each.by_path.moved)) for each in systems) - len(rows)
    return section.Section(
        key="moved-blocks-listed",
        group=section.Group.BLOCKS,
        title="Costliest moved blocks, with their words",
        reading=reading,
        header=(
            *("system", "sentence", "block", "direction", "words passed", "which ones"),
            *("in the word alignment", "jumps"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note="Blocks of the CDER path, shown as words of the reference; most jumps first, then "
        "the longest. Words passed: words between the block's place in the output and its "
        "place in the reference. In the word alignment: whether the alignment moves words "
        "of the block too.",
        hidden=left,
    )


def _listed(
    each: TranslatedSystem,
) -> Iterator[tuple[tuple[float, int, int], tuple[section.Value, ...]]]:
    """Yield the moved blocks of a system of most jumps, then of most words: order and row."""
    blocks, aligned = each.by_path, each.by_alignment
    reference, first, texts = blocks.reference, blocks.starts, each.texts
    words, values = texts.vocabulary.words, texts.references.values
    stays = ~blocks.word_moved
    also = aligned.reference[aligned.word_moved]

    def moves_too(places: list[int]) -> bool:
        bounds = narrow_indices(np.array([places[0], places[-1] + 1]))
        start, stop = np.searchsorted(also, bounds).tolist()
        return not set(places).isdisjoint(also[start:stop].tolist())

    def written(places: list[int]) -> str:
        text = " ".join(words[values[place]] for place in places[:WORDS])
        return f"{text} …" if len(places) > WORDS else text

    moved = np.flatnonzero(blocks.moved)
    order = largest_first(blocks.cost[moved], blocks.words[moved], digits=9)
    for block in moved[order[:BLOCKS_SHOWN]].tolist():
        own = reference[first[block] : first[block + 1]].tolist()
        distance = int(blocks.distance[block])
        passed: list[int] = []
        if distance:
            ends = (blocks.first_passed[block], blocks.last_passed[block])
            start, stop = np.searchsorted(reference, narrow_indices(np.array(ends))).tolist()
            between = slice(start, stop + 1)
            passed = reference[between][stays[between]].tolist()
        way = "too early" if distance < 0 else "too late" if distance else "repeated"
        segment, jumps = int(blocks.segments[block]), float(blocks.cost[block])
        row = (
            *(each.name, segment + 1, written(own), way, abs(distance), written(passed)),
            *("moves too" if moves_too(own) else "stays", jumps),
        )
        yield (-round(jumps, 9), -len(own), segment), row
