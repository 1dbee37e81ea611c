"""The tables of moved blocks: number, distance, head, and a list of the costliest ones."""

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
from wordorder.analysis.translations.lengths import cder_parts_section
from wordorder.analysis.translations.stored import (
    count_values,
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

# Words of references whose blocks are in memory at a time.
SPAN_WORDS = 1 << 20

DISTANCE_BINS = Bins((0, 1, 4, 10))

# A word is rare if the references have it at most this number of times.
MAX_RARE_COUNT = 50

SOURCE_NOTE = (
    "A block: words that follow each other both in the output and in the reference, apart from "
    "words without a match. In each sentence, the blocks that are in order and have most words "
    "in all count as unmoved; the others have moved. CDER path: blocks between the jumps of the "
    "cheapest path, which moves a block only where that costs less than changing its words. Word "
    "alignment: blocks of the words that the monolingual alignment matches, of any length. "
)

DISTANCE_NOTE = (
    "Distance: words of unmoved blocks between the block's place in the output and its place in "
    "the reference; up to 3 is local. Repeats: the path uses words that another block uses too. "
)

POINTS_NOTE = "Jump points: jumps of CDER due to moved blocks, per 100 reference words."

# Rows of a table by head.
MAX_GROUPS = 100

DIRECTIONS = ("too early", "repeats", "too late")

HEAD_NOTE = (
    "Head: the word of the block nearest to the root of the reference's tree (the first of "
    "several). Passed: the same among the unmoved words that the block passes. Blocks and points "
    "are those of the CDER path; aligned: moved blocks of the word alignment. The points of all "
    "kinds add up to those of all moved blocks."
)

BlockGroup = tuple[str, ...]

# Names of the words with a relation.
RELATION_NAMES = {label: name for name, (_, labels) in RELATIONS.items() for label in labels}

# The tag and the relation of punctuation, whose moves are no findings.
PUNCTUATION_LABELS = ("PUNCT", "punct")

# Tables by the head of a block: key, column of the treebank, end of the title, first headings.
HEAD_TABLES = (
    ("tag", "upos", "tag of the head and of the words passed", ("head", "direction", "passed")),
    ("relation", "label", "dependency relation of the head", ("relation", "direction")),
)

# Rows per system, and words of a block.
MAX_LISTED_BLOCKS, MAX_BLOCK_WORDS = 60, 12


def block_sections(translations: Translations) -> list[section.Section]:
    """Make all tables of moved blocks.

    Returns
    -------
    list of Section
        ``cder-parts``, ``moved-blocks``, ``moved-blocks-by-distance``; if the references are
        parsed, ``moved-blocks-by-tag`` and ``moved-blocks-by-relation``; and
        ``moved-blocks-listed``.
    """
    systems = translations.systems
    sections = []
    for make in (cder_parts_section, moved_section, distance_section):
        sections.append(make(systems))
        free_memory()
    trees = translations.trees
    if trees is not None:
        for key, name, description, headings in HEAD_TABLES:
            column, passing = trees.columns[name], "passed" in headings
            grouped = [_GroupedBlocks(system, trees, column, passing=passing) for system in systems]
            sections.append(
                _groups_section(
                    grouped, f"moved-blocks-by-{key}", f"Moved blocks by {description}", headings
                )
            )
    return [*sections, block_list_section(systems)]


def moved_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``moved-blocks``: moved blocks by path and by alignment.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
    """
    rows: list[tuple[section.Value, ...]] = []
    examples = []
    for system in systems:
        for source, blocks in (
            ("CDER path", system.by_path),
            ("word alignment", system.by_alignment),
        ):
            lost = _points(system, blocks.moved) if blocks is system.by_path else None
            rows.append((system.name, source, *_counts(blocks), lost))
            examples.append(_longest_examples(blocks, blocks.moved))
    names = [system.name for system in systems]
    early = [_direction_finding(system, system.by_path.too_early, "early") for system in systems]
    late = [_direction_finding(system, system.by_path.too_late, "late") for system in systems]
    return section.Section(
        key="moved-blocks",
        group=section.Group.BLOCKS,
        title="Moved blocks",
        reading=_describe_least(systems),
        header=(
            *("system", "blocks from", "words with a place", "moved blocks", "words in them"),
            *("too early", "too late", "repeats", "local", "long", "mean distance", "jump points"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note=SOURCE_NOTE + DISTANCE_NOTE + POINTS_NOTE,
        findings=(*worst_of_systems(early, names), *worst_of_systems(late, names)),
    )


def distance_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``moved-blocks-by-distance``: a row per range of distances and system.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
    """
    ranges = DISTANCE_BINS.names[1:]
    names = [
        *(f"{name} too early" for name in reversed(ranges)),
        "0 (repeats)",
        *(f"{name} too late" for name in ranges),
    ]
    rows: list[list[tuple[section.Value, ...]]] = [[] for _ in names]
    examples: list[list[tuple[int, ...]]] = [[] for _ in names]
    for system in systems:
        blocks, aligned = system.by_path, system.by_alignment
        groups = signed_bins(DISTANCE_BINS, blocks.distance[blocks.moved])
        aligned_groups = signed_bins(DISTANCE_BINS, aligned.distance[aligned.moved])
        tally, aligned_tally = Tally(groups, len(names)), Tally(aligned_groups, len(names))
        cost = blocks.cost[blocks.moved]
        columns = (
            tally.count(),
            tally.sums(blocks.words[blocks.moved]),
            aligned_tally.count(),
            aligned_tally.sums(aligned.words[aligned.moved]),
        )
        lost = tally.sums(cost)
        sentences = tally.costliest(blocks.segments[blocks.moved], cost)
        for index, name in enumerate(names):
            cells = (int(column[index]) for column in columns)
            rows[index].append((name, system.name, *cells, system.points(float(lost[index]))))
            examples[index].append(sentences[index])
    used = [
        index for index, system_rows in enumerate(rows) if any(any(row[2:]) for row in system_rows)
    ]
    return section.Section(
        key="moved-blocks-by-distance",
        group=section.Group.BLOCKS,
        whole=True,
        title="Moved blocks by distance and direction",
        reading=_describe_distances(systems),
        header=(
            *("distance", "system", "moved blocks", "words in them", "aligned moved blocks"),
            *("words in these", "jump points"),
        ),
        rows=tuple(row for index in used for row in rows[index]),
        examples=tuple(row for index in used for row in examples[index]),
        note="Moved blocks: of the CDER path; aligned moved blocks: of the word alignment. "
        f"{DISTANCE_NOTE}{POINTS_NOTE} The rows of a system add up to all its moved blocks.",
        findings=worst_of_systems(
            list(map(_long_finding, systems)), [system.name for system in systems]
        ),
    )


def _counts(blocks: Blocks) -> tuple[section.Value, ...]:
    """Return words, moved blocks, their words, blocks by direction and distance, and the mean."""
    masks = (blocks.too_early, blocks.too_late, blocks.repeated, blocks.local, blocks.long)
    passed = np.abs(blocks.distance[blocks.distance != 0])
    return (
        int(blocks.starts[-1]),
        int(np.count_nonzero(blocks.moved)),
        int(blocks.words[blocks.moved].sum()),
        *(int(np.count_nonzero(mask)) for mask in masks),
        float(passed.mean()) if len(passed) else None,
    )


def _longest_examples(blocks: Blocks, selected: Bool) -> tuple[int, ...]:
    """Return the sentences with most words in the selected blocks."""
    return costliest_sentences(blocks.segments[selected], blocks.words[selected].astype(np.float64))


def _points(system: TranslatedSystem, selected: Bool) -> float:
    """Return the cost of the path's selected blocks in points of CDER."""
    return system.points(float(system.by_path.cost[selected].sum()))


def _losses(system: TranslatedSystem, selected: Bool | Int64) -> Float64:
    """Return the cost of the path's selected blocks in each segment, float64[S], in points."""
    return system.losses(system.by_path.segments[selected], system.by_path.cost[selected])


def visible_moves(system: TranslatedSystem, selected: Bool | Int64) -> Float64:
    """Count the selected blocks of the path whose move a reader can see, per segment, float64[S].

    Such a block contains a word that occurs once in the reference and once in the output, so that
    no other word can be mistaken for it. If a block has such a rare word, only rare ones count.

    Parameters
    ----------
    system : TranslatedSystem
    selected : bool[B] or int64
        Blocks of the path.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["on tuesday we met at six", "at six we met at six"]}
    >>> translations = translations_of(lines, ["we met at six on tuesday", "we met at six at six"])
    >>> blocks = translations.systems[0].by_path
    >>> visible_moves(translations.systems[0], blocks.moved).tolist()
    [1.0, 0.0]
    """
    blocks, texts = system.by_path, system.texts
    mask = np.zeros(len(blocks), np.bool_)
    mask[selected] = True
    frequency = count_values(texts.references.values, len(texts.vocabulary))
    has_clear_word, has_rare_word = np.zeros((2, len(blocks)), np.bool_)
    starts, lengths, same = blocks.starts, blocks.words, blocks.same
    for first, last in piece_spans(starts, SPAN_WORDS):
        span = slice(starts[first], starts[last])
        words = np.flatnonzero(np.repeat(mask[first:last], lengths[first:last]) & same[span])
        words += starts[first]
        block = np.searchsorted(starts, words, side="right") - 1
        forms = texts.references.values[read_part(blocks, "reference", words)].astype(np.int64)
        is_clear = ~np.fromiter(
            (is_punctuation(texts.vocabulary.words[form]) for form in forms.tolist()), np.bool_
        )
        word_segments = read_part(blocks, "segments", block)
        segments = np.unique(word_segments)
        for rows in (system.references, texts.hypothesis):
            segment_rows = rows.take(segments)
            keys = np.repeat(segments, segment_rows.lengths) * len(texts.vocabulary)
            unique_keys, counts = np.unique(keys + segment_rows.values, return_counts=True)
            index = np.searchsorted(unique_keys, word_segments * len(texts.vocabulary) + forms)
            is_clear &= counts[np.minimum(index, len(counts) - 1)] == 1 if len(counts) else False
        has_clear_word[block[is_clear]] = True
        has_rare_word[block[is_clear & (frequency[forms] <= MAX_RARE_COUNT)]] = True
        release_pages()
    visible = has_rare_word if has_rare_word.any() else has_clear_word
    return np.bincount(blocks.segments[visible], minlength=len(system)).astype(np.float64)


def _finding_about(system: TranslatedSystem, selected: Bool, action: str) -> section.Finding:
    """Return a finding about the cost of the path's selected blocks."""
    lost = _points(system, selected)
    sentence = f"{system.name} {action}: {_describe_points(lost, system)}"
    losses, seen = _losses(system, selected), visible_moves(system, selected)
    return section.Finding(sentence, lost, theme=_theme(system), compared=losses, seen=seen)


def _theme(system: TranslatedSystem) -> str:
    """Return the theme of all findings about the moved blocks of a system."""
    return f"moved blocks of {system.name}"


def _direction_finding(system: TranslatedSystem, selected: Bool, direction: str) -> section.Finding:
    """Return a finding about the blocks of a system that are too early, or too late."""
    distances = np.abs(system.by_path.distance[selected])
    mean = float(distances.mean()) if len(distances) else 0.0
    count = counted(len(distances), "block", commas=True)
    action = f"puts {count} of words too {direction}, by {mean:.1f} words on average"
    return _finding_about(system, selected, action)


def _describe_points(lost: float, system: TranslatedSystem) -> str:
    """Describe the cost of moved blocks."""
    points = format_points(lost)
    return f"the jumps to and from these cost {points} of its {system.cder:.1f} points of CDER."


def _long_finding(system: TranslatedSystem) -> section.Finding:
    """Return a finding about the blocks of a system that pass more than three words."""
    far = system.by_path.long
    moved = counted(int(np.count_nonzero(system.by_path.moved)), "block", commas=True)
    count = int(np.count_nonzero(far))
    action = f"moves {moved} of words, {count:,} of them by more than {MAX_LOCAL_DISTANCE} words"
    return _finding_about(system, far, action)


def _describe_least(systems: Sequence[TranslatedSystem]) -> str:
    least = min(systems, key=lambda system: _points(system, system.by_path.moved))
    blocks = least.by_path
    count = counted(int(np.count_nonzero(blocks.moved)), "moved block", commas=True)
    lost = _points(least, blocks.moved)
    sentence = (
        f"{least.name} loses {format_points(lost)} points of CDER to {count} on the CDER path"
    )
    return f"{sentence}, the least of all systems." if len(systems) > 1 else f"{sentence}."


def _describe_distances(systems: Sequence[TranslatedSystem]) -> str:
    clauses = []
    for system in systems:
        blocks = system.by_path
        near, far = (format_points(_points(system, mask)) for mask in (blocks.local, blocks.long))
        clauses.append(f"{system.name} {near} and {far}")
    return (
        "Points of CDER lost to blocks that moved up to 3 words, and farther: "
        + "; ".join(clauses)
        + "."
    )


class _GroupedBlocks:
    """The moved blocks of one system, grouped by strings: of the head, direction, passed words.

    Attributes
    ----------
    system : TranslatedSystem
    names : list of BlockGroup
        The groups that occur on the path.
    blocks, aligned : dict of BlockGroup to int
        The number of moved blocks of the path and of the alignment.
    words, distance, lost : dict of BlockGroup to float
        Words in the path's blocks, words that they pass, and points of CDER.
    examples : dict of BlockGroup to tuple of int
    """

    def __init__(
        self, system: TranslatedSystem, trees: Treebank, column: Column, *, passing: bool
    ) -> None:
        self.system = system
        blocks = system.by_path
        moved = blocks.moved
        groups = _block_groups(blocks, trees, column, passing)
        self.names = list(dict.fromkeys(groups))
        self.groups_of_blocks = groups
        index = {group: n for n, group in enumerate(self.names)}
        tally = Tally(np.array([index[group] for group in groups], np.int64), len(index))
        cost = blocks.cost[moved]

        def sum_by_group(values: Int64 | Float64) -> dict[BlockGroup, float]:
            return dict(zip(self.names, tally.sums(values).tolist(), strict=True))

        self.blocks = dict(zip(self.names, tally.count().tolist(), strict=True))
        self.words = sum_by_group(blocks.words[moved])
        self.distance = sum_by_group(np.abs(blocks.distance[moved]))
        self.lost = {group: system.points(edits) for group, edits in sum_by_group(cost).items()}
        sentences = tally.costliest(blocks.segments[moved], cost)
        self.examples = dict(zip(self.names, sentences, strict=True))
        self.aligned = Counter(_block_groups(system.by_alignment, trees, column, passing))

    def losses(self, group: BlockGroup) -> Float64:
        """Return the cost of a group's blocks in each segment in points of CDER, float64[S]."""
        return _losses(self.system, self._of(group))

    def visible(self, group: BlockGroup) -> Float64:
        """Count the blocks of a group in each segment whose move can be seen, float64[S]."""
        return visible_moves(self.system, self._of(group))

    def _of(self, group: BlockGroup) -> Int64:
        moved = np.flatnonzero(self.system.by_path.moved)
        return moved[[block_group == group for block_group in self.groups_of_blocks]]


def _block_groups(
    blocks: Blocks, trees: Treebank, column: Column, passing: bool
) -> list[BlockGroup]:
    """Return the group of each moved block: a string of its head, direction, and passed head."""
    heads, passed = moved_heads(blocks, trees)
    strings, codes = column.vocabulary.words, column.codes
    directions = (1 + np.sign(blocks.distance[blocks.moved])).tolist()
    groups: list[BlockGroup] = []
    for head, passed_head, direction in zip(
        heads.tolist(), passed.tolist(), directions, strict=True
    ):
        passed_string = (
            (strings[codes[passed_head]] if passed_head >= 0 else "",) if passing else ()
        )
        groups.append((strings[codes[head]], DIRECTIONS[direction], *passed_string))
    return groups


def _groups_section(
    systems: Sequence[_GroupedBlocks], key: str, title: str, headings: BlockGroup
) -> section.Section:
    """Make a table with a row per group and system, the costliest groups first."""
    total_points: dict[BlockGroup, float] = {}
    for grouped in systems:
        for group in [*grouped.names, *grouped.aligned]:
            total_points[group] = total_points.get(group, 0.0) + grouped.lost.get(group, 0.0)
    order = sorted(total_points, key=lambda group: (-round(total_points[group], 9), group))
    rows: list[tuple[section.Value, ...]] = []
    examples = []
    for group in order[:MAX_GROUPS]:
        for grouped in systems:
            count = grouped.blocks.get(group, 0)
            rows.append(
                (
                    *group,
                    grouped.system.name,
                    count,
                    int(grouped.words.get(group, 0)),
                    grouped.distance[group] / count if count and group[1] != "repeats" else None,
                    grouped.aligned.get(group, 0),
                    grouped.lost.get(group, 0.0),
                )
            )
            examples.append(grouped.examples.get(group, ()))
    left_out = len(order) - MAX_GROUPS
    return section.Section(
        key=key,
        group=section.Group.BLOCKS,
        title=title,
        reading=_describe_worst(systems),
        header=(
            *(*headings, "system", "moved blocks", "words in them", "mean distance"),
            *("aligned moved blocks", "jump points"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note=HEAD_NOTE
        if left_out <= 0
        else f"{HEAD_NOTE} {counted(left_out, 'rarer kind')} left out.",
        findings=_worst_findings(systems),
    )


def _worst(grouped: _GroupedBlocks) -> BlockGroup:
    return min(grouped.names, key=lambda group: (-round(grouped.lost[group], 9), group))


def _describe_worst(systems: Sequence[_GroupedBlocks]) -> str:
    """Describe the group of moved blocks that costs the first system most."""
    first = systems[0]
    if not first.names:
        return f"The CDER path of {first.system.name} moves no block."
    group = _worst(first)
    return (
        f"Of the moved blocks of {first.system.name}, {_phrase(group)} cost most: "
        f"{format_points(first.lost[group])} points of CDER."
    )


def _phrase(group: BlockGroup) -> str:
    """Describe the blocks of a group.

    Examples
    --------
    >>> _phrase(("VERB", "too late", "NOUN")), _phrase(("obl", "repeats"))
    ('those around VERB that are too late past NOUN', 'those around obl that repeat words')
    """
    direction = "that repeat words" if group[1] == "repeats" else f"that are {group[1]}"
    return f"those around {group[0]} {direction}" + (
        f" past {group[2]}" if group[2:] and group[2] else ""
    )


def _worst_findings(systems: Sequence[_GroupedBlocks]) -> tuple[section.Finding, ...]:
    """Return a finding about the costliest group of moved blocks of any system.

    Punctuation is left out. There is no finding if no block moves.
    """
    costs = [
        (round(grouped.lost[group], 9), -index, group)
        for index, grouped in enumerate(systems)
        for group in grouped.names
        if group[0] not in PUNCTUATION_LABELS
    ]
    if not costs:
        return ()
    best = max(cost[:2] for cost in costs)
    group = min(cost[2] for cost in costs if cost[:2] == best)
    worst = systems[-best[1]]
    other_systems = [grouped for grouped in systems if grouped is not worst]
    finding = _group_finding(worst, group)
    lost = [
        (
            grouped.system.name,
            grouped.lost.get(group, 0.0),
            grouped.losses(group),
            grouped.visible(group),
        )
        for grouped in other_systems
    ]
    return (beside_others(finding, lost),)


def _group_finding(grouped: _GroupedBlocks, group: BlockGroup) -> section.Finding:
    """Return a finding about the cost of a group."""
    lost, name, head = (
        grouped.lost[group],
        grouped.system.name,
        RELATION_NAMES.get(group[0], group[0]),
    )
    count = counted(grouped.blocks[group], "block", commas=True)
    if group[1] == "repeats":
        clause = f"{name} has {count} around {head} that repeat words"
    else:
        passed = f", past {group[2]}" if group[2:] else ""
        mean = grouped.distance[group] / grouped.blocks[group]
        clause = (
            f"{name} puts {count} around {head} {group[1]}{passed} ({mean:.1f} words on average)"
        )
    return section.Finding(
        f"{clause}: {_describe_points(lost, grouped.system)}",
        lost,
        theme=_theme(grouped.system),
        compared=grouped.losses(group),
        seen=grouped.visible(group),
    )


def block_list_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``moved-blocks-listed``: the words of the costliest blocks of each system.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
    """
    # Sorted by jumps, then words of the block, the most first, then by sentence.
    entries = sorted(
        (entry for system in systems for entry in _listed_blocks(system)),
        key=lambda entry: entry[0],
    )
    rows = [row for _, row in entries]
    examples = [(sentence,) for (_, _, sentence), _ in entries]
    reading = "No CDER path moves a block."
    if rows:
        name, number, block, direction = rows[0][:4]
        clause = "is used again" if direction == "repeated" else f"is {direction}"
        reading = f"{name}, sentence {number}: {block!r} {clause}."
    hidden = sum(int(np.count_nonzero(system.by_path.moved)) for system in systems) - len(rows)
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
        hidden=hidden,
    )


def _listed_blocks(
    system: TranslatedSystem,
) -> Iterator[tuple[tuple[float, int, int], tuple[section.Value, ...]]]:
    """Yield the moved blocks of a system with most jumps, then with most words: key and row."""
    blocks, aligned = system.by_path, system.by_alignment
    reference, starts, texts = blocks.reference, blocks.starts, system.texts
    words, values = texts.vocabulary.words, texts.references.values
    stays = ~blocks.word_moved
    aligned_moved = aligned.reference[aligned.word_moved]

    def moves_too(indices: list[int]) -> bool:
        bounds = narrow_indices(np.array([indices[0], indices[-1] + 1]))
        start, stop = np.searchsorted(aligned_moved, bounds).tolist()
        return not set(indices).isdisjoint(aligned_moved[start:stop].tolist())

    def format_words(indices: list[int]) -> str:
        text = " ".join(words[values[index]] for index in indices[:MAX_BLOCK_WORDS])
        return f"{text} …" if len(indices) > MAX_BLOCK_WORDS else text

    moved = np.flatnonzero(blocks.moved)
    order = largest_first(blocks.cost[moved], blocks.words[moved], digits=9)
    for block in moved[order[:MAX_LISTED_BLOCKS]].tolist():
        block_words = reference[starts[block] : starts[block + 1]].tolist()
        distance = int(blocks.distance[block])
        passed: list[int] = []
        if distance:
            ends = (blocks.first_passed[block], blocks.last_passed[block])
            start, stop = np.searchsorted(reference, narrow_indices(np.array(ends))).tolist()
            between = slice(start, stop + 1)
            passed = reference[between][stays[between]].tolist()
        direction = "too early" if distance < 0 else "too late" if distance else "repeated"
        segment, jumps = int(blocks.segments[block]), float(blocks.cost[block])
        row = (
            *(
                system.name,
                segment + 1,
                format_words(block_words),
                direction,
                abs(distance),
                format_words(passed),
            ),
            *("moves too" if moves_too(block_words) else "stays", jumps),
        )
        yield (-round(jumps, 9), -len(block_words), segment), row
