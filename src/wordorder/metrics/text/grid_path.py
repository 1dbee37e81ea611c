"""A path through the alignment grid of two sentences: edits, and jumps between blocks of words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wordorder.errors import choose

# In the order in which the kernels number them.
OPERATIONS = ("match", "substitution", "insertion", "deletion", "jump")
SIDES = ("hypothesis", "reference")
# The columns of `GridPath.rows`.
FIELDS = (
    *("operation", "hypothesis", "hypothesis_end", "reference", "reference_end"),
    *("hypothesis_word", "reference_word", "cost"),
)


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
    >>> from wordorder.metrics.text.cover_path import cover_paths
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
        said = []
        for name in ("jump", "insertion", "deletion", "substitution", "match"):
            if count := names.count(name):
                plural = f"{name}es" if name == "match" else f"{name}s"
                said.append(f"{count} {name if count == 1 else plural}")
        return f"{', '.join(said) or 'no words'}: cost {self.cost:g}"

    def turned(self) -> GridPath:
        """Return the same path with the two sentences exchanged."""
        names = {"insertion": "deletion", "deletion": "insertion"}
        steps = tuple(
            Step(names.get(s.operation, s.operation), s.reference, s.hypothesis, s.cost)
            for s in self.steps
        )
        other = SIDES[1 - SIDES.index(self.jumps_in)]
        return GridPath(steps, self.reference, self.hypothesis, other)

    def without_deletions(self) -> GridPath:
        """Return a path of the same cost that jumps over the words that this one deletes.

        A cheapest path of the cover distance needs no deletions: a jump costs as much
        (Leusch et al. 2006, section 3.3). Where it jumps in the reference, it needs no insertions.
        """
        idle = "deletion" if self.jumps_in == "hypothesis" else "insertion"
        steps = tuple(
            replace(step, operation="jump") if step.operation == idle else step
            for step in self.steps
        )
        return replace(self, steps=steps)

    def to_text(self) -> str:
        """Write the path as a table, a step a line; its last line counts the steps."""
        from wordorder.drawing.width import display_width, padded, printable

        rows = [("operation", "hypothesis", "reference", "cost")]
        for row in self.rows():
            step = dict(zip(FIELDS, row, strict=True))
            cells = [str(step[f"{side}_word"]) for side in SIDES]
            if step["operation"] == "jump":
                side = self.jumps_in
                cells[SIDES.index(side)] = f"{step[side]} to {step[f'{side}_end']}"
            ours, theirs = map(printable, cells)
            rows.append((str(step["operation"]), ours, theirs, f"{step['cost']:.3g}"))
        widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(padded, row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, self.summary])

    def rows(self) -> list[tuple[str | int | float, ...]]:
        """Return a row for each step, as `FIELDS` names its columns.

        They are the operation, the places of both sentences where it begins and ends, the words
        that it takes (empty where it takes none), and its cost.
        """
        rows: list[tuple[str | int | float, ...]] = []
        for step, (i, k) in zip(self.steps, self.points[1:], strict=True):
            takes = step.operation != "jump"
            ours = self.hypothesis[step.hypothesis] if takes and i > step.hypothesis else ""
            theirs = self.reference[step.reference] if takes and k > step.reference else ""
            places = (step.hypothesis, i, step.reference, k)
            rows.append((step.operation, *places, ours, theirs, step.cost))
        return rows

    def to_json(self) -> dict[str, object]:
        """Return what the path costs, and its steps as dictionaries of `FIELDS`."""
        return {
            "cost": self.cost,
            "steps": [dict(zip(FIELDS, row, strict=True)) for row in self.rows()],
        }

    def to_svg(self) -> str:
        """Draw the path as an SVG picture; see `wordorder.drawing.path_svg.path_svg`."""
        from wordorder.drawing.path_svg import path_svg

        moves = [(step.operation, step.hypothesis, step.reference) for step in self.steps]
        return path_svg(moves, self.hypothesis, self.reference, summary=self.summary)

    def _repr_html_(self) -> str:
        return self.to_svg()
