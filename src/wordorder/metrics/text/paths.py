"""Paths through the alignment grid of two sentences: edits, and jumps between blocks of words."""

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
    check_search_limit,
)
from wordorder.metrics.text.substitution import WordCosts, open_costs, trace_cover_steps
from wordorder.metrics.text.text_metric import Pairs
from wordorder.notes import note
from wordorder.records import Record, key
from wordorder.text.texts import Texts

# In the order of the kernels' codes.
OPERATIONS = ("match", "substitution", "insertion", "deletion", "jump")

SENTENCE_NAMES = ("hypothesis", "reference")

MATCH, SUBSTITUTION, INSERTION, DELETION, JUMP = range(len(OPERATIONS))

# The kernel's codes for the origin of its steps: edits only, or the relaxed bound.
_FROM_EDITS, _FROM_RELAXATION = 0, 1


@dataclass(frozen=True)
class Step:
    """One step of a path.

    Attributes
    ----------
    operation : str
        "match" or "substitution": a word of each sentence, equal or not. "insertion": a word of
        the reference that the hypothesis lacks. "deletion": a surplus word of the hypothesis.
        "jump": to another position in the hypothesis, or in the reference if the jumps are there.
    hypothesis, reference : int
        The grid point where the step starts: the number of words of each sentence before it. These
        are also the indices of the words of the step, if it has any.
    cost : float
        0 for a match, in (0, 2] for a substitution, else 1.
    """

    operation: str
    hypothesis: int
    reference: int
    cost: float


@dataclass(frozen=True)
class PathStep(Record):
    """A step of a path with its words."""

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
    """The result that the command `path` prints."""

    paths: tuple[PrintedPath, ...] = key("a path for each two sentences")


@dataclass(frozen=True, repr=False)
class GridPath:
    """A path from the first to the last point of an alignment grid.

    A point of the grid is a position between words of the hypothesis and one between words of the
    reference (Leusch, Ueffing and Ney 2006, figure 1). A diagonal step reads a word of each
    sentence, an insertion a word of the reference, a deletion a word of the hypothesis, and a jump
    no word.

    Attributes
    ----------
    steps : tuple of Step
    hypothesis, reference : tuple of str
        The words.
    jumps_in : "hypothesis" or "reference"
        The sentence in which jumps change the position. The words of the other sentence are read
        from first to last.

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
        choose("jumps_in", self.jumps_in, SENTENCE_NAMES)

    def __repr__(self) -> str:
        return f"GridPath({self.summary})"

    @property
    def cost(self) -> float:
        """The sum of the costs of all steps."""
        return sum(step.cost for step in self.steps)

    @property
    def points(self) -> list[tuple[int, int]]:
        """The grid points as (hypothesis, reference) word counts: one more than there are steps."""
        last = (len(self.hypothesis), len(self.reference))
        return [*((step.hypothesis, step.reference) for step in self.steps), last]

    @property
    def coverage(self) -> list[int]:
        """How often each word of the sentence with the jumps is read.

        The sum of ``|1 - coverage|`` is the miscoverage of the path (section 3.3).
        """
        jumps_in_reference = self.jumps_in == "reference"
        counts = [0] * len(self.reference if jumps_in_reference else self.hypothesis)
        uncovering = ("jump", "deletion" if jumps_in_reference else "insertion")
        for step in self.steps:
            if step.operation not in uncovering:
                counts[step.reference if jumps_in_reference else step.hypothesis] += 1
        return counts

    @property
    def summary(self) -> str:
        """The number of steps of each operation, and their cost: ``1 jump, 2 matches: cost 1``."""
        names = [step.operation for step in self.steps]
        phrases = []
        for name in ("jump", "insertion", "deletion", "substitution", "match"):
            if count := names.count(name):
                plural = f"{name}es" if name == "match" else f"{name}s"
                phrases.append(f"{count} {name if count == 1 else plural}")
        return f"{', '.join(phrases) or 'no words'}: cost {self.cost:g}"

    def with_exchanged_sentences(self) -> GridPath:
        """Return the same path with the two sentences exchanged."""
        names = {"insertion": "deletion", "deletion": "insertion"}
        steps = tuple(
            Step(names.get(s.operation, s.operation), s.reference, s.hypothesis, s.cost)
            for s in self.steps
        )
        other_side = SENTENCE_NAMES[1 - SENTENCE_NAMES.index(self.jumps_in)]
        return GridPath(steps, self.reference, self.hypothesis, other_side)

    def to_text(self) -> str:
        """Return the path as a table with one step per line; the last line is the summary."""
        from wordorder.text.display import display_width, padded, printable

        rows = [("operation", "hypothesis", "reference", "cost")]
        for step in self.rows():
            cells = [step.hypothesis_word, step.reference_word]
            if step.operation == "jump":
                jump_sentence = self.jumps_in
                start, end = getattr(step, jump_sentence), getattr(step, f"{jump_sentence}_end")
                cells[SENTENCE_NAMES.index(jump_sentence)] = f"{start} to {end}"
            hypothesis_cell, reference_cell = map(printable, cells)
            rows.append((step.operation, hypothesis_cell, reference_cell, f"{step.cost:.3g}"))
        widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(padded, row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, self.summary])

    def rows(self) -> list[PathStep]:
        """Return each step with its words and the point where it ends."""
        rows = []
        for step, (hypothesis_end, reference_end) in zip(self.steps, self.points[1:], strict=True):
            takes_words = step.operation != "jump"
            row = PathStep(
                operation=cast("Any", step.operation),
                hypothesis=step.hypothesis,
                hypothesis_end=hypothesis_end,
                reference=step.reference,
                reference_end=reference_end,
                hypothesis_word=self.hypothesis[step.hypothesis]
                if takes_words and hypothesis_end > step.hypothesis
                else "",
                reference_word=self.reference[step.reference]
                if takes_words and reference_end > step.reference
                else "",
                cost=step.cost,
            )
            rows.append(row)
        return rows

    def to_record(self, line: int | None = None) -> PrintedPath:
        """Return the path as a printable result; `line` is the line number of its sentences."""
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
    """A cheapest path of the cover distance for each of P references, in flat arrays.

    ``paths[p]`` is the path of one reference, with its words.

    Attributes
    ----------
    operation : int8[K]
        0 match, 1 substitution, 2 insertion (a word of the reference that the hypothesis lacks),
        3 deletion (a surplus word of the hypothesis), 4 jump.
    hypothesis, reference : int32[K]
        The number of words of each sentence before the step, which is also the index of the word
        that the step reads. Each step starts where the previous one ends; the last one ends after
        all words.
    cost : float64[K]
        0 for a match, in (0, 2] for a substitution, else 1.
    offsets : int64[P+1]
        Path ``p`` has the steps ``offsets[p] .. offsets[p+1]-1``.
    distance : float64[P]
        The cost of all steps of a path: the distance of `CoverDisjointErrorRate`.
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
        """The lengths of hypothesis and reference of each path, two int64[P]."""
        texts = self.texts
        hypothesis_lengths = texts.hypothesis.lengths[texts.segment_of[self.rows]]
        return hypothesis_lengths, texts.references.lengths[self.rows]

    def counts(self) -> Int64:
        """Count the steps by operation, int64[P, 5], in the order of `OPERATIONS`."""
        path_operations = self.path_of * len(OPERATIONS) + self.operation
        counts = np.bincount(path_operations, minlength=len(self) * len(OPERATIONS))
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
        Ascending rows of ``texts.references``; all by default.
    direction : "reference" or "candidate"
        Which sentence the path covers exactly once: the reference, with jumps in the hypothesis,
        or the hypothesis, with jumps in the reference.
    substitution : str, or the `word_costs` of a metric
        The cost of a substitution; see `CoverDisjointErrorRate`.
    ties : "blocks" or "steps"
        Which of several cheapest paths to choose. "blocks": the one with the most matches that
        directly follow another match; on ties the one with the fewest jumps; then, with constant
        costs, the one with the most matches. This keeps phrases together and avoids jumps to single
        words. "steps": the one of the notes, which is also used with other costs if the two
        sentences have more than 1,700 words in total.

    Returns
    -------
    CoverPaths

    Raises
    ------
    UsageError
        If a name is unknown.

    Notes
    -----
    The path is deterministic. It is traced from its end: by a match or a substitution where
    possible, else by a word of the sentence that is covered once (an insertion), else by a word of
    the other sentence (a deletion), else by a jump from the first of the best points of the row.
    With ``direction="candidate"``, the two sentences are exchanged, and so are insertions and
    deletions. The miscoverage of `CoverDisjointErrorRate` is that of the path with
    ``ties="steps"``.

    Leusch, Ueffing and Ney (2006), equation 1. Time is that of `CoverDisjointErrorRate` with
    miscoverage.

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
    is_reversed = direction == "candidate"
    pairs = _pair_references(texts, chosen, is_reversed)
    steps = trace_cover_steps(pairs, costs.table(texts), prefer_blocks=ties == "blocks")
    operation = steps.operation
    if is_reversed:
        swapped_operations = np.array([MATCH, SUBSTITUTION, DELETION, INSERTION, JUMP], np.int8)
        operation = swapped_operations[operation]
    positions = (steps.text, steps.pattern) if is_reversed else (steps.pattern, steps.text)
    return CoverPaths(
        operation,
        *positions,
        steps.cost,
        steps.offsets,
        steps.distance,
        chosen,
        texts,
        SENTENCE_NAMES[is_reversed],
    )


def _pair_references(texts: Texts, rows: Int64, is_reversed: bool) -> Pairs:
    """Pair some references with their hypotheses."""
    segments = texts.segment_of[rows]
    id_count = len(texts.vocabulary)
    if is_reversed:
        offsets = np.searchsorted(rows, np.arange(len(texts.references) + 1))
        return Pairs(texts.references, texts.hypothesis, offsets, segments, id_count)
    offsets = np.searchsorted(rows, texts.reference_offsets)
    return Pairs(texts.hypothesis, texts.references, offsets, rows, id_count)


def disjoint_path(path: GridPath) -> GridPath:
    """Change a path so that it reads every word of both sentences exactly once.

    The construction of Leusch, Ueffing and Ney (2006), figure 3. First, a word that the path reads
    several times is left to one block; in the other blocks it becomes an insertion, and the jump to
    the block is moved. Then the words that the path never reads are deleted, before the block that
    follows them.

    Parameters
    ----------
    path : GridPath
        Such as one of `cover_paths`.

    Returns
    -------
    GridPath
        A path of the long jump distance, not always a cheapest one. It costs at most the sum of the
        cost and the miscoverage of `path`: the upper bound in the paper's equation 2.

    Notes
    -----
    A word stays in the block that starts furthest to the left; on ties in the longest block, then
    in the first one. The other blocks lose their first words, or all of them.

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
        return disjoint_path(path.with_exchanged_sentences()).with_exchanged_sentences()
    blocks = _take_all_words(_take_words_once(_cut_at_jumps(path)), path)
    return _join_with_jumps(blocks, path)


def read_in_reference(path: GridPath) -> GridPath:
    """Convert a path with jumps in the reference to one with the same edits that jumps elsewhere.

    The new path reads the reference from left to right, with jumps in the hypothesis.

    Parameters
    ----------
    path : GridPath
        A path with jumps in the reference that reads every word of both sentences exactly once.

    Returns
    -------
    GridPath
        It has at most the same number of jumps: both paths jump where blocks are adjacent in one
        sentence and not in the other.
    """
    blocks: list[list[Step]] = []
    for block in _cut_at_jumps(path):
        # Deleted words belong to the block before them in the hypothesis.
        if blocks and all(step.operation == "deletion" for step in block):
            blocks[-1] += block
        else:
            blocks.append(block)
    blocks = sorted((block for block in blocks if block), key=_reference_start)
    return _join_with_jumps(blocks, replace(path, jumps_in="hypothesis"))


def _reference_start(block: list[Step]) -> tuple[int, int]:
    """Return a sort key: where a block starts in the reference; blocks without words come first."""
    positions = [step.reference for step in block if step.operation != "deletion"]
    return (min(positions), 1) if positions else (0, 0)


def _join_with_jumps(blocks: list[list[Step]], path: GridPath) -> GridPath:
    """Build a path of blocks, with jumps between them."""
    steps: list[Step] = []
    hypothesis_position = reference_position = 0
    for step in (step for block in blocks for step in block):
        if step.operation != "insertion" and step.hypothesis != hypothesis_position:
            steps.append(Step("jump", hypothesis_position, reference_position, 1.0))
            hypothesis_position = step.hypothesis
        steps.append(replace(step, hypothesis=hypothesis_position, reference=reference_position))
        hypothesis_position += step.operation != "insertion"
        reference_position += step.operation != "deletion"
    if hypothesis_position != len(path.hypothesis):
        steps.append(Step("jump", hypothesis_position, reference_position, 1.0))
    return replace(path, steps=tuple(steps))


def _cut_at_jumps(path: GridPath) -> list[list[Step]]:
    """Cut a path at its jumps into blocks."""
    blocks: list[list[Step]] = [[]]
    for step in path.steps:
        if step.operation == "jump":
            blocks.append([])
        else:
            blocks[-1].append(step)
    return blocks


def _hypothesis_span(block: list[Step]) -> tuple[int, int]:
    """Return start and end of the hypothesis words of a block; (0, 0) if there are none."""
    words = [step.hypothesis for step in block if step.operation != "insertion"]
    return (words[0], words[-1] + 1) if words else (0, 0)


def _take_words_once(blocks: list[list[Step]]) -> list[list[Step]]:
    """Read each hypothesis word in one block only; the other blocks insert the reference word."""
    reduced: list[list[Step]] = [[] for _ in blocks]
    spans = [_hypothesis_span(block) for block in blocks]
    covered_end = 0
    for index in sorted(range(len(blocks)), key=lambda n: (spans[n][0], -spans[n][1], n)):
        for step in blocks[index]:
            if step.operation == "insertion" or step.hypothesis >= covered_end:
                reduced[index].append(step)
            # A word that another block reads needs no deletion here.
            elif step.operation != "deletion":
                reduced[index].append(Step("insertion", 0, step.reference, 1.0))
        covered_end = max(covered_end, spans[index][1])
    return reduced


def _take_all_words(blocks: list[list[Step]], path: GridPath) -> list[list[Step]]:
    """Delete the hypothesis words that no block reads, before the block that follows them."""
    spans = [_hypothesis_span(block) for block in blocks]
    covered = {word for start, stop in spans for word in range(start, stop)}

    def delete_uncovered(word: int, reference_position: int) -> list[Step]:
        start = word
        while start > 0 and start - 1 not in covered:
            start -= 1
        return [
            Step("deletion", position, reference_position, 1.0) for position in range(start, word)
        ]

    filled = [
        delete_uncovered(start, block[0].reference) + block if stop > start else block
        for block, (start, stop) in zip(blocks, spans, strict=True)
    ]
    return [*filled, delete_uncovered(len(path.hypothesis), len(path.reference))]


def long_jump_path(
    hypothesis: Sequence[str], reference: Sequence[str], *, limit: int = DEFAULT_SEARCH_LIMIT
) -> GridPath:
    """Find a cheapest path of the long jump distance.

    Parameters
    ----------
    hypothesis, reference : sequence of str
        The words of one sentence pair.
    limit : int, default 20000
        The number of states that the search may visit; see `LongJump`.

    Returns
    -------
    GridPath
        It reads every word of both sentences exactly once; its cost is the distance of `LongJump`.

    Raises
    ------
    UsageError
        If `limit` is not a whole number from 0 to 10**15.

    Warns
    -----
    note
        If the search ends at the limit before it is proven that no path is cheaper.

    Notes
    -----
    Leusch, Ueffing and Ney (2006), section 2.2. The distance is NP-hard; see `long_jump_bounds` for
    the search. If edits alone are as cheap, the path does not jump. Otherwise it is the result of
    the search, or built by `disjoint_path` from a path that proves the bound.

    Examples
    --------
    >>> long_jump_path("on tuesday on tuesday we met".split(), "on tuesday we met".split())
    GridPath(2 deletions, 4 matches: cost 2)
    >>> long_jump_path("d e f a b c".split(), "a b c d e f".split())
    GridPath(3 jumps, 6 matches: cost 3)
    """
    limit = check_search_limit(limit)
    texts = Texts.from_segments([list(hypothesis)], [[list(reference)]])
    local = texts.local()
    rows = [local.hypothesis.values, local.references.values]
    edits = edit_path(hypothesis, reference)
    is_reversed = len(hypothesis) > len(reference)
    if is_reversed:
        rows.reverse()
    best_steps, step_scratch = (
        np.zeros(6 * (len(hypothesis) + len(reference) + 1), np.int32) for _ in "12"
    )
    result = np.array([0, int(edits.cost), 0, _FROM_EDITS], np.int32)
    longest = len(hypothesis) + len(reference) + 2
    scratch = (
        *(longest, np.empty(min(longest**2 // 4, MAX_POSITION_PAIRS), np.int32)),
        *(np.empty(SLOT_COUNT, np.uint64), np.zeros(2 * SLOT_COUNT, np.int64)),
    )
    call(kernel.long_jump_steps, *rows, limit, best_steps, step_scratch, result, *scratch)
    lower, upper, count, origin = result.tolist()
    if lower < upper:
        problem = f"a path of cost {lower} is not excluded within limit={limit}"
        note(f"long-jump: {problem}; the cheapest one found costs {upper}")
    if origin == _FROM_EDITS:
        return edits
    steps = tuple(
        Step(OPERATIONS[kind], i, k, float(kind > 0))
        for kind, i, k in best_steps[: 3 * count].reshape(-1, 3)[::-1].tolist()
    )
    sentences = [tuple(hypothesis), tuple(reference)]
    path = GridPath(steps, *(reversed(sentences) if is_reversed else sentences))
    if origin == _FROM_RELAXATION:
        path = disjoint_path(path)
    return read_in_reference(path.with_exchanged_sentences()) if is_reversed else path


def edit_path(hypothesis: Sequence[str], reference: Sequence[str]) -> GridPath:
    """Find a cheapest path of the edit distance, without jumps.

    Parameters
    ----------
    hypothesis, reference : sequence of str
        The words of one sentence pair.

    Returns
    -------
    GridPath
        Its cost is the distance of `WordErrorRate` with constant costs. It is traced from its end:
        by a match or a substitution where possible, else by an insertion.

    Examples
    --------
    >>> edit_path("a b c".split(), "a x c d".split())
    GridPath(1 insertion, 1 substitution, 2 matches: cost 2)
    """
    id_of_word = {word: word_id for word_id, word in enumerate({*hypothesis, *reference})}
    hypothesis_words, reference_words = (
        np.array([id_of_word[word] for word in words], np.int32)
        for words in (hypothesis, reference)
    )
    costs = np.empty((len(reference_words) + 1, len(hypothesis_words) + 1), np.int32)
    deletion_costs = np.arange(len(hypothesis_words) + 1, dtype=np.int32)
    costs[0] = deletion_costs
    for k, word in enumerate(reference_words.tolist()):
        row = costs[k] + 1
        row[1:] = np.minimum(row[1:], costs[k, :-1] + (hypothesis_words != word))
        # Add deletions, which start from the cheapest position to the left.
        costs[k + 1] = np.minimum.accumulate(row - deletion_costs) + deletion_costs
    i, k = len(hypothesis_words), len(reference_words)
    steps = []
    while i or k:
        differs = bool(i and k and hypothesis_words[i - 1] != reference_words[k - 1])
        if i and k and costs[k, i] == costs[k - 1, i - 1] + differs:
            i, k = i - 1, k - 1
            steps.append(Step("substitution" if differs else "match", i, k, float(differs)))
        elif k and costs[k, i] == costs[k - 1, i] + 1:
            k -= 1
            steps.append(Step("insertion", i, k, 1.0))
        else:
            i -= 1
            steps.append(Step("deletion", i, k, 1.0))
    return GridPath(tuple(reversed(steps)), tuple(hypothesis), tuple(reference))
