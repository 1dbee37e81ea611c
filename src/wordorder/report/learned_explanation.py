"""Explanations of learned orders as text for a terminal, and as rows."""

from __future__ import annotations

from wordorder.counts import counted
from wordorder.drawing.marks import separated
from wordorder.drawing.width import printable
from wordorder.reordering.learned.explanation import FamilyStep, LearnedExplanation, PairScore
from wordorder.report.marks import in_letters, styled
from wordorder.report.tables import Cell, table

# Characters that a member takes.
WIDE = 30
LEARNED_HEADER = ("step", "head", "left", "right", "turned", "score", "feature", "weight")


def learned_explanation_text(explanation: LearnedExplanation) -> str:
    """Write the families one below the other, with the pairs that are turned round and why.

    Of models without families, the orders that they considered.
    """
    parts = [printable(" ".join(explanation.forms))]
    parts += [_step(number, step) for number, step in enumerate(explanation.steps, 1)]
    if explanation.candidates:
        shown: list[list[Cell]] = [
            [each.name, f"{each.score:.3f}", printable(explanation.words(each.order))]
            for each in explanation.candidates
        ]
        what = "weight" if explanation.kind == "consensus" else "score"
        parts.append(table(shown, ["member" if what == "weight" else "rank", what, "order"]))
    elif explanation.steps:
        changed = sum(step.changed for step in explanation.steps)
        families = counted(len(explanation.steps), "family", "families")
        parts.append(f"{changed} of {families} changed")
    parts.append(f"=> {printable(explanation.words(explanation.order))}")
    return "\n\n".join(parts)


def learned_explanation_rows(explanation: LearnedExplanation) -> list[list[Cell]]:
    """Return a row for each feature shown, or for each order, as `LEARNED_HEADER` has it."""
    rows: list[list[Cell]] = [
        [number, step.head, pair.left, pair.right, pair.turned, pair.score, why.feature, why.weight]
        for number, step in enumerate(explanation.steps, 1)
        for pair in step.pairs
        for why in pair.reasons
    ]
    rows += [
        [None, None, each.name, explanation.words(each.order), None, each.score, None, None]
        for each in explanation.candidates
    ]
    return rows


def _step(number: int, step: FamilyStep) -> str:
    head = f"{number}. {printable(step.form)} ({printable(step.label)})"
    lines = [f"from {_joined(step.before)}"]
    if step.changed:
        lines.append(f"to   {_joined(step.after)}")
    for pair in step.pairs:
        lines += _pair(pair)
    indent = " " * (len(str(number)) + 2)
    return "\n".join(
        [head if step.changed else f"{head}: nothing moves", *(indent + x for x in lines)]
    )


def _pair(pair: PairScore) -> list[str]:
    what = "turned" if pair.turned else "kept"
    first = f"{_short(pair.left)} - {_short(pair.right)}: {what}, score {pair.score:+.2f}"
    return [first, *(f"  {why.weight:+.2f}  {printable(why.feature)}" for why in pair.reasons)]


def _joined(members: tuple[str, ...]) -> str:
    return styled(in_letters(separated(map(_short, members))))


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= WIDE else f"{text[: WIDE - 3]}..."
