"""A path through the alignment grid of two sentences: edits, and jumps between blocks of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from wordorder.arrays import Float64, Int8, Int32, Int64
from wordorder.errors import choose
from wordorder.kernels import call, edits as kernel
from wordorder.messages import counted
from wordorder.metrics.text.edits import (
    DEFAULT_SEARCH_LIMIT,
    MAX_POSITION_PAIRS,
    SLOT_COUNT,
    checked_limit,
)
from wordorder.metrics.text.substitution import WordCosts, cover_steps, open_costs
from wordorder.metrics.text.text_metric import Pairs
from wordorder.notes import note
from wordorder.records import Record, key
from wordorder.text.texts import Texts

# In the order in which the kernels number them.
OPERATIONS = ("match", "substitution", "insertion", "deletion", "jump")

SIDES = ("hypothesis", "reference")

MATCH, SUBSTITUTION, INSERTION, DELETION, JUMP = range(len(OPERATIONS))

# Where the kernel stores the origin of its steps.
_EDITS, _RELAXED = 0, 1


@dataclass(frozen=True)
class Step:
    """One step of a path.

    Attributes
    ----------
    operation : str
        "match" or "substitution": a word of each sentence, equal or not. "insertion": a word of
        the reference that the hypothesis lacks. "deletion": a word of the hypothesis too many.
        "jump": to another place of the hypothesis (or of the reference, if it is the one to
        jump in).
    hypothesis, reference : int
        The grid point where the step begins: how many words of each sentence come before it.
        The words of a step, if it has any, have these numbers, counted from 0.
    cost : float
        0 for a match, in (0, 2] for a substitution, else 1.
    """

    operation: str
    hypothesis: int
    reference: int
    cost: float


@dataclass(frozen=True)
class PathStep(Record):
    """A step of a path with the words that it takes."""

    operation: Literal["match", "substitution", "insertion", "deletion", "jump"] = key(
        "`match`, `substitution`, `insertion` (a word of the reference that the hypothesis lacks), "
        "`deletion` (a word of the hypothesis too many) or `jump`"
    )
    hypothesis: int = key("how many words of the hypothesis come before the step")
    hypothesis_end: int = key("how many come before its end; fewer after a jump to the left")
    reference: int = key("how many words of the reference come before the step")
    reference_end: int = key("how many come before its end")
    hypothesis_word: str = key("the word of the hypothesis that the step takes; empty without one")
    reference_word: str = key("the word of the reference that it takes; empty without one")
    cost: float = key("what the step costs, from 0 to 2")


@dataclass(frozen=True)
class PrintedPath(Record):
    """A path with its steps."""

    line: int | None = key("the line of both files, from 1; `null` for two texts")
    cost: float = key("what all steps cost: the distance that the metric counts")
    steps: tuple[PathStep, ...] = key("the steps")


@dataclass(frozen=True)
class PrintedPaths(Record, rows="paths steps", first="line?"):
    """What `path` prints."""

    paths: tuple[PrintedPath, ...] = key("a path for each two sentences")


@dataclass(frozen=True, repr=False)
class GridPath:
    """A path from the first to the last point of an alignment grid.

    A point of the grid is a place between words of the hypothesis and one between words of the
    reference (Leusch, Ueffing and Ney 2006, figure 1). A diagonal step takes a word of each, an
    insertion a word of the reference, a deletion one of the hypothesis; a jump takes none.

    Attributes
    ----------
    steps : tuple of Step
    hypothesis, reference : tuple of str
        The words.
    jumps_in : "hypothesis" or "reference"
        Where jumps lead to another place. The words of the other sentence are read from the first
        to the last.

    Examples
    --------
    >>> from wordorder.metrics.text.paths import cover_paths
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> [path] = cover_paths(texts)
    >>> print(path.to_text())
    operation  hypothesis  reference  cost
    jump       0 to 2                 1
    match      we          we         0
    match      met         met        0
    match      at          at         0
    match      six         six        0
    jump       6 to 0                 1
    match      on          on         0
    match      tuesday     tuesday    0
    jump       2 to 6                 1
    3 jumps, 6 matches: cost 3
    """

    steps: tuple[Step, ...]
    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    jumps_in: str = "hypothesis"

    def __post_init__(self) -> None:
        choose("jumps_in", self.jumps_in, SIDES)

    def __repr__(self) -> str:
        return f"GridPath({self.summary})"

    @property
    def cost(self) -> float:
        """What all steps cost."""
        return sum(step.cost for step in self.steps)

    @property
    def points(self) -> list[tuple[int, int]]:
        """The grid points, words of the hypothesis and of the reference: one more than steps."""
        last = (len(self.hypothesis), len(self.reference))
        return [*((step.hypothesis, step.reference) for step in self.steps), last]

    @property
    def coverage(self) -> list[int]:
        """How often steps take each word of the sentence with the jumps.

        The sum of ``|1 - coverage|`` is the miscoverage of the path (section 3.3).
        """
        turned = self.jumps_in == "reference"
        counts = [0] * len(self.reference if turned else self.hypothesis)
        idle = ("jump", "deletion" if turned else "insertion")
        for step in self.steps:
            if step.operation not in idle:
                counts[step.reference if turned else step.hypothesis] += 1
        return counts

    @property
    def summary(self) -> str:
        """How many steps of each kind there are, and what they cost: ``1 jump, 2 matches: …``."""
        names = [step.operation for step in self.steps]
        phrases = []
        for name in ("jump", "insertion", "deletion", "substitution", "match"):
            if count := names.count(name):
                plural = f"{name}es" if name == "match" else f"{name}s"
                phrases.append(f"{count} {name if count == 1 else plural}")
        return f"{', '.join(phrases) or 'no words'}: cost {self.cost:g}"

    def turned(self) -> GridPath:
        """Return the same path with the two sentences exchanged."""
        names = {"insertion": "deletion", "deletion": "insertion"}
        steps = tuple(
            Step(names.get(s.operation, s.operation), s.reference, s.hypothesis, s.cost)
            for s in self.steps
        )
        other_side = SIDES[1 - SIDES.index(self.jumps_in)]
        return GridPath(steps, self.reference, self.hypothesis, other_side)

    def to_text(self) -> str:
        """Write the path as a table, a step a line; its last line counts the steps."""
        from wordorder.text.display import display_width, padded, printable

        rows = [("operation", "hypothesis", "reference", "cost")]
        for step in self.rows():
            cells = [step.hypothesis_word, step.reference_word]
            if step.operation == "jump":
                side = self.jumps_in
                start, end = getattr(step, side), getattr(step, f"{side}_end")
                cells[SIDES.index(side)] = f"{start} to {end}"
            ours, theirs = map(printable, cells)
            rows.append((step.operation, ours, theirs, f"{step.cost:.3g}"))
        widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(padded, row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, self.summary])

    def rows(self) -> list[PathStep]:
        """Return each step with the words that it takes, and the point where it ends."""
        rows = []
        for step, (i, k) in zip(self.steps, self.points[1:], strict=True):
            takes = step.operation != "jump"
            row = PathStep(
                operation=cast("Any", step.operation),
                hypothesis=step.hypothesis,
                hypothesis_end=i,
                reference=step.reference,
                reference_end=k,
                hypothesis_word=self.hypothesis[step.hypothesis]
                if takes and i > step.hypothesis
                else "",
                reference_word=self.reference[step.reference]
                if takes and k > step.reference
                else "",
                cost=step.cost,
            )
            rows.append(row)
        return rows

    def to_record(self, line: int | None = None) -> PrintedPath:
        """Return the path as a result that is printed; `line` is that of its sentences."""
        return PrintedPath(line, self.cost, tuple(self.rows()))

    def to_svg(self) -> str:
        """Draw the path as an SVG picture; see `wordorder.drawing.alignments.path_svg`."""
        from wordorder.drawing.alignments import path_svg

        moves = [(step.operation, step.hypothesis, step.reference) for step in self.steps]
        return path_svg(moves, self.hypothesis, self.reference, summary=self.summary)

    def _repr_html_(self) -> str:
        return self.to_svg()


@dataclass(frozen=True, eq=False, repr=False)
class CoverPaths:
    """A cheapest path of the cover distance for each of P references, flat.

    ``paths[p]`` is the path of one of them, with its words.

    Attributes
    ----------
    operation : int8[K]
        0 match, 1 substitution, 2 insertion (a word of the reference that the hypothesis lacks),
        3 deletion (a word of the hypothesis too many), 4 jump.
    hypothesis, reference : int32[K]
        How many words of each sentence come before the place where the step begins; if it takes
        a word, this is its number, counted from 0. The next step begins where this one ends, and
        the last one ends behind all words.
    cost : float64[K]
        0 for a match, in (0, 2] for a substitution, else 1.
    offsets : int64[P+1]
        Path ``p`` has the steps ``offsets[p] .. offsets[p+1]-1``.
    distance : float64[P]
        What all steps of a path cost: the distance that `CoverDisjointErrorRate` counts.
    rows : int64[P]
        The row of ``texts.references`` of each path.
    texts : Texts
    jumps_in : "hypothesis" or "reference"

    Examples
    --------
    >>> texts = Texts.from_segments(["we met on friday", "no"], ["on friday we met", "oh yes"])
    >>> paths = cover_paths(texts)
    >>> paths.distance.tolist(), paths.offsets.tolist()
    ([3.0, 2.0], [0, 7, 9])
    >>> paths[1]
    GridPath(1 insertion, 1 substitution: cost 2)
    """

    operation: Int8
    hypothesis: Int32
    reference: Int32
    cost: Float64
    offsets: Int64
    distance: Float64
    rows: Int64
    texts: Texts
    jumps_in: str = "hypothesis"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[GridPath]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: int) -> GridPath:
        if not -len(self) <= index < len(self):
            raise IndexError(f"path {index} of {len(self)}")
        index %= len(self)
        span = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        row = int(self.rows[index])
        words = self.texts.vocabulary.words
        columns = (self.operation, self.hypothesis, self.reference, self.cost)
        steps = zip(*(column[span].tolist() for column in columns), strict=True)
        segment = int(self.texts.segment_of[row])
        return GridPath(
            tuple(Step(OPERATIONS[operation], *fields) for operation, *fields in steps),
            tuple(words[word] for word in self.texts.hypothesis[segment]),
            tuple(words[word] for word in self.texts.references[row]),
            self.jumps_in,
        )

    @property
    def path_of(self) -> Int64:
        """The path of each step, int64[K]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def lengths(self) -> tuple[Int64, Int64]:
        """The words of hypothesis and reference of each path, two int64[P]."""
        texts = self.texts
        hypothesis_lengths = texts.hypothesis.lengths[texts.segment_of[self.rows]]
        return hypothesis_lengths, texts.references.lengths[self.rows]

    def counts(self) -> Int64:
        """Count the steps of each kind, int64[P, 5], in the order of `operation`."""
        kinds = self.path_of * len(OPERATIONS) + self.operation
        counts = np.bincount(kinds, minlength=len(self) * len(OPERATIONS))
        return counts.reshape(len(self), len(OPERATIONS)).astype(np.int64)

    def __repr__(self) -> str:
        return f"CoverPaths({counted(len(self), 'path')}, {counted(len(self.operation), 'step')})"

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import rows_html

        return rows_html(repr(self), self, len(self))


def cover_paths(
    texts: Texts,
    rows: Int64 | None = None,
    *,
    direction: str = "reference",
    substitution: str | WordCosts = "constant",
    ties: str = "blocks",
) -> CoverPaths:
    """Trace a cheapest path of the cover distance for each reference.

    Parameters
    ----------
    texts : Texts
    rows : int64[P], optional
        Rows of ``texts.references``, rising; all by default.
    direction : "reference" or "candidate"
        Which sentence the path covers exactly once: the reference, with jumps in the hypothesis,
        or the hypothesis, with jumps in the reference.
    substitution : str, or the `word_costs` of a metric
        What a substitution costs, as for `CoverDisjointErrorRate`.
    ties : "blocks" or "steps"
        Which of several cheapest paths to take. "blocks": one with the most matches that directly
        follow another match; of these one with the fewest jumps; and of these, if substitutions
        have constant costs, one with the most matches. So phrases stay whole, and single words are
        not fetched from afar. "steps": any, as the notes say; so are all paths at other costs where
        two sentences have more than 1,700 words together.

    Returns
    -------
    CoverPaths

    Raises
    ------
    UsageError
        If a name is unknown.

    Notes
    -----
    The path is always the same. It is followed from its end: by a match or a substitution where
    that is possible, else by a word of the sentence that is covered once (an insertion), else by a
    word of the other one (a deletion), else by a jump from the first of the best points of the row.
    With ``direction="candidate"`` the two sentences change places, and so do insertions and
    deletions. The miscoverage of `CoverDisjointErrorRate` is that of the path with
    ``ties="steps"``.

    Leusch, Ueffing and Ney (2006), equation 1. Time: as `CoverDisjointErrorRate` with miscoverage.

    Examples
    --------
    >>> texts = Texts.from_segments(["on tuesday on tuesday we met"], ["on tuesday we met"])
    >>> cover_paths(texts)[0]
    GridPath(1 jump, 4 matches: cost 1)
    """
    choose("direction", direction, ("reference", "candidate"))
    costs = open_costs(substitution)
    choose("ties", ties, ("blocks", "steps"))
    chosen = np.arange(len(texts.references)) if rows is None else np.asarray(rows, np.int64)
    turned = direction == "candidate"
    pairs = _pairs(texts, chosen, turned)
    steps = cover_steps(pairs, costs.table(texts), blocks=ties == "blocks")
    operation = steps.operation
    if turned:
        swapped = np.array([MATCH, SUBSTITUTION, DELETION, INSERTION, JUMP], np.int8)
        operation = swapped[operation]
    places = (steps.text, steps.pattern) if turned else (steps.pattern, steps.text)
    return CoverPaths(
        operation, *places, steps.cost, steps.offsets, steps.distance, chosen, texts, SIDES[turned]
    )


def _pairs(texts: Texts, rows: Int64, turned: bool) -> Pairs:
    """Return the pairs of some references with their hypotheses."""
    segments = texts.segment_of[rows]
    numbers = len(texts.vocabulary)
    if turned:
        offsets = np.searchsorted(rows, np.arange(len(texts.references) + 1))
        return Pairs(texts.references, texts.hypothesis, offsets, segments, numbers)
    offsets = np.searchsorted(rows, texts.reference_offsets)
    return Pairs(texts.hypothesis, texts.references, offsets, rows, numbers)


def disjoint_path(path: GridPath) -> GridPath:
    """Change a path so that it takes every word of both sentences exactly once.

    The construction of Leusch, Ueffing and Ney (2006), figure 3. First, words that the path takes
    several times are left to one block of it; in the other ones they become insertions, and the
    jump to the block is moved. Then the words that the path never takes are deleted, one by one,
    before the block that follows them.

    Parameters
    ----------
    path : GridPath
        Such as one of `cover_paths`.

    Returns
    -------
    GridPath
        A path of the long jump distance, not always a cheapest one. It costs at most as much as
        the given one and its miscoverage together: the upper bound in the paper's equation 2.

    Notes
    -----
    A word stays with the block that begins furthest to the left; of those that begin together,
    with the longest, then the first. The others lose their first words, or all of them.

    Examples
    --------
    >>> from wordorder.metrics.text.paths import cover_paths
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["on tuesday on tuesday we met"], ["on tuesday we met"])
    >>> [path] = cover_paths(texts)
    >>> path, disjoint_path(path)
    (GridPath(1 jump, 4 matches: cost 1), GridPath(2 deletions, 4 matches: cost 2))
    """
    if path.jumps_in == "reference":
        return disjoint_path(path.turned()).turned()
    blocks = _take_all_words(_take_words_once(_blocks(path)), path)
    return _join_with_jumps(blocks, path)


def read_in_reference(path: GridPath) -> GridPath:
    """Return the path with the same edits that jumps in the hypothesis, not in the reference.

    Parameters
    ----------
    path : GridPath
        With jumps in the reference, that takes every word of both sentences exactly once.

    Returns
    -------
    GridPath
        It has no more jumps: wherever two blocks follow each other on one side and not on
        the other, there is one on either path.
    """
    blocks: list[list[Step]] = []
    for block in _blocks(path):
        # Words to be deleted go with the block before them, which the hypothesis has there.
        if blocks and all(step.operation == "deletion" for step in block):
            blocks[-1] += block
        else:
            blocks.append(block)
    blocks = sorted((block for block in blocks if block), key=_first_line)
    return _join_with_jumps(blocks, replace(path, jumps_in="hypothesis"))


def _first_line(block: list[Step]) -> tuple[int, int]:
    """Return where a block begins in the reference; of blocks without words there the first."""
    lines = [step.reference for step in block if step.operation != "deletion"]
    return (min(lines), 1) if lines else (0, 0)


def _join_with_jumps(blocks: list[list[Step]], path: GridPath) -> GridPath:
    """Concatenate blocks, with the jumps between them."""
    steps: list[Step] = []
    position = line = 0
    for step in (step for block in blocks for step in block):
        if step.operation != "insertion" and step.hypothesis != position:
            steps.append(Step("jump", position, line, 1.0))
            position = step.hypothesis
        steps.append(replace(step, hypothesis=position, reference=line))
        position += step.operation != "insertion"
        line += step.operation != "deletion"
    if position != len(path.hypothesis):
        steps.append(Step("jump", position, line, 1.0))
    return replace(path, steps=tuple(steps))


def _blocks(path: GridPath) -> list[list[Step]]:
    """Cut a path at its jumps."""
    blocks: list[list[Step]] = [[]]
    for step in path.steps:
        if step.operation == "jump":
            blocks.append([])
        else:
            blocks[-1].append(step)
    return blocks


def _word_range(block: list[Step]) -> tuple[int, int]:
    """Return the words of the hypothesis that a block takes, as a range; an empty one without."""
    words = [step.hypothesis for step in block if step.operation != "insertion"]
    return (words[0], words[-1] + 1) if words else (0, 0)


def _take_words_once(blocks: list[list[Step]]) -> list[list[Step]]:
    """Take each word of the hypothesis in one block only; insert the reference's word elsewhere."""
    kept_steps: list[list[Step]] = [[] for _ in blocks]
    ranges = [_word_range(block) for block in blocks]
    covered = 0
    for number in sorted(range(len(blocks)), key=lambda n: (ranges[n][0], -ranges[n][1], n)):
        for step in blocks[number]:
            if step.operation == "insertion" or step.hypothesis >= covered:
                kept_steps[number].append(step)
            # There is no reason to delete a word that another block takes.
            elif step.operation != "deletion":
                kept_steps[number].append(Step("insertion", 0, step.reference, 1.0))
        covered = max(covered, ranges[number][1])
    return kept_steps


def _take_all_words(blocks: list[list[Step]], path: GridPath) -> list[list[Step]]:
    """Delete the words of the hypothesis that no block takes, before the block that follows."""
    ranges = [_word_range(block) for block in blocks]
    covered = {word for start, stop in ranges for word in range(start, stop)}

    def deletions_before(word: int, line: int) -> list[Step]:
        start = word
        while start > 0 and start - 1 not in covered:
            start -= 1
        return [Step("deletion", position, line, 1.0) for position in range(start, word)]

    filled = [
        deletions_before(start, block[0].reference) + block if stop > start else block
        for block, (start, stop) in zip(blocks, ranges, strict=True)
    ]
    return [*filled, deletions_before(len(path.hypothesis), len(path.reference))]


def long_jump_path(
    hypothesis: Sequence[str], reference: Sequence[str], *, limit: int = DEFAULT_SEARCH_LIMIT
) -> GridPath:
    """Find a cheapest path of the long jump distance.

    Parameters
    ----------
    hypothesis, reference : sequence of str
        The words of one sentence pair.
    limit : int, default 20000
        How many states the search may look at, as for `LongJump`.

    Returns
    -------
    GridPath
        It takes every word of both sentences exactly once, and costs what `LongJump` counts.

    Raises
    ------
    UsageError
        If `limit` is not a whole number from 0 to 10**15.

    Warns
    -----
    note
        If it is not proven within the limit that no path is cheaper.

    Notes
    -----
    Leusch, Ueffing and Ney (2006), section 2.2. The distance is NP-hard; `long_jump_bounds` tells
    how it is found. Where edits alone cost as little, the path does not jump. Else it is the path
    that the search ends with, or one made by `disjoint_path` from a path that proves the bound.

    Examples
    --------
    >>> long_jump_path("on tuesday on tuesday we met".split(), "on tuesday we met".split())
    GridPath(2 deletions, 4 matches: cost 2)
    >>> long_jump_path("d e f a b c".split(), "a b c d e f".split())
    GridPath(3 jumps, 6 matches: cost 3)
    """
    limit = checked_limit(limit)
    texts = Texts.from_segments([list(hypothesis)], [[list(reference)]])
    local = texts.local()
    rows = [local.hypothesis.values, local.references.values]
    edits = edit_path(hypothesis, reference)
    turned = len(hypothesis) > len(reference)
    if turned:
        rows.reverse()
    trail, walked = (np.zeros(6 * (len(hypothesis) + len(reference) + 1), np.int32) for _ in "12")
    result = np.array([0, int(edits.cost), 0, _EDITS], np.int32)
    longest = len(hypothesis) + len(reference) + 2
    scratch = (
        *(longest, np.empty(min(longest**2 // 4, MAX_POSITION_PAIRS), np.int32)),
        *(np.empty(SLOT_COUNT, np.uint64), np.zeros(2 * SLOT_COUNT, np.int64)),
    )
    call(kernel.long_jump_steps, *rows, limit, trail, walked, result, *scratch)
    lower, upper, count, origin = result.tolist()
    if lower < upper:
        problem = f"a path of cost {lower} is not excluded within limit={limit}"
        note(f"long-jump: {problem}; the cheapest one found costs {upper}")
    if origin == _EDITS:
        return edits
    steps = tuple(
        Step(OPERATIONS[kind], i, k, float(kind > 0))
        for kind, i, k in trail[: 3 * count].reshape(-1, 3)[::-1].tolist()
    )
    sides = [tuple(hypothesis), tuple(reference)]
    path = GridPath(steps, *(reversed(sides) if turned else sides))
    if origin == _RELAXED:
        path = disjoint_path(path)
    return read_in_reference(path.turned()) if turned else path


def edit_path(hypothesis: Sequence[str], reference: Sequence[str]) -> GridPath:
    """Find a cheapest path of the edit distance: without jumps.

    Parameters
    ----------
    hypothesis, reference : sequence of str
        The words of one sentence pair.

    Returns
    -------
    GridPath
        What `WordErrorRate` counts with constant costs. Followed from its end, it takes a match or
        a substitution where that is possible, else an insertion.

    Examples
    --------
    >>> edit_path("a b c".split(), "a x c d".split())
    GridPath(1 insertion, 1 substitution, 2 matches: cost 2)
    """
    numbers = {word: number for number, word in enumerate({*hypothesis, *reference})}
    hypothesis_words, reference_words = (
        np.array([numbers[word] for word in words], np.int32) for words in (hypothesis, reference)
    )
    costs = np.empty((len(reference_words) + 1, len(hypothesis_words) + 1), np.int32)
    across = np.arange(len(hypothesis_words) + 1, dtype=np.int32)
    costs[0] = across
    for k, word in enumerate(reference_words.tolist()):
        row = costs[k] + 1
        row[1:] = np.minimum(row[1:], costs[k, :-1] + (hypothesis_words != word))
        # Deletions lead from the cheapest place on the left.
        costs[k + 1] = np.minimum.accumulate(row - across) + across
    i, k = len(hypothesis_words), len(reference_words)
    steps = []
    while i or k:
        wrong = bool(i and k and hypothesis_words[i - 1] != reference_words[k - 1])
        if i and k and costs[k, i] == costs[k - 1, i - 1] + wrong:
            i, k = i - 1, k - 1
            steps.append(Step("substitution" if wrong else "match", i, k, float(wrong)))
        elif k and costs[k, i] == costs[k - 1, i] + 1:
            k -= 1
            steps.append(Step("insertion", i, k, 1.0))
        else:
            i -= 1
            steps.append(Step("deletion", i, k, 1.0))
    return GridPath(tuple(reversed(steps)), tuple(hypothesis), tuple(reference))
