"""Explanations of orders as text for a terminal, and as data for other programs."""

from __future__ import annotations

from typing import Any

from wordorder.counts import counted
from wordorder.drawing.marks import separated
from wordorder.drawing.width import display_width, printable
from wordorder.reordering.explanation import Explanation, Part, Step
from wordorder.report.lines import line_width
from wordorder.report.marks import in_letters, styled
from wordorder.report.tables import Cell, table

# Columns that the words of a member take.
WIDE = 40
HEADER = ("step", "head", "rule", "line", "word", "words", "label", "entry", "place", "why")


def explanation_text(explanation: Explanation) -> str:
    """Write the steps one below the other: the family, the entries, and the sentence after it.

    Examples
    --------
    >>> from wordorder.reordering import open_rules
    >>> from wordorder.reordering.explanation import explain
    >>> from wordorder.treebank import Treebank
    >>> bank = Treebank.from_words(
    ...     [["John", "hit", "it"]], heads=[[2, 0, 2]], label=[["nsubj", "root", "obj"]]
    ... )
    >>> print(explanation_text(explain(open_rules("R2"), bank[0])))
    John hit it
    <BLANKLINE>
    1. hit (root): rule reverse, line 6
       from John ¦ hit ¦ it
       it    obj    *     1 (reversed)  none of the others
       hit   root   self  1 (reversed)  the head
       John  nsubj  *     1 (reversed)  none of the others
       => it hit John
    <BLANKLINE>
    1 of 1 family changed
    """
    parts = [printable(" ".join(explanation.forms))]
    if explanation.lifted:
        words = ", ".join(f"{explanation.forms[word - 1]} ({word})" for word in explanation.lifted)
        parts.append(printable(f"not projective, so lifted to an ancestor of the head: {words}"))
    parts += [_step(number, step) for number, step in enumerate(explanation.steps, 1)]
    changed = sum(step.changed for step in explanation.steps)
    families = counted(len(explanation.steps), "family", "families")
    parts.append(f"{changed} of {families} changed")
    return "\n\n".join(parts)


def explanation_data(explanation: Explanation) -> dict[str, Any]:
    """Return everything as what JSON can say; words count from 1, positions of orders from 0."""
    return {
        "rules": explanation.rules,
        "file": explanation.path,
        "source": list(explanation.forms),
        "result": list(explanation.sentence),
        "order": list(explanation.order),
        "lifted": list(explanation.lifted),
        "steps": [
            {
                "head": step.head,
                "form": step.form,
                "label": step.label,
                "rule": step.rule,
                "line": step.line,
                "changed": step.changed,
                "before": [part.word for part in step.before],
                "after": [_part_data(part) for part in step.after],
                "sentence": list(step.sentence),
            }
            for step in explanation.steps
        ],
    }


def explanation_rows(explanation: Explanation) -> list[list[Cell]]:
    """Return a row for each member of each family in its new order, as `HEADER` has it."""
    rows: list[list[Cell]] = []
    for number, step in enumerate(explanation.steps, 1):
        for part in step.after:
            said: list[Cell] = [part.word, part.text, part.label, part.entry, part.place, part.why]
            rows.append([number, step.head, step.rule, step.line, *said])
    return rows


def _step(number: int, step: Step) -> str:
    head = f"{number}. {printable(step.form)} ({printable(step.label)}): "
    if step.rule is None:
        return f"{head}no rule orders its family"
    head += f"rule {printable(step.rule)}, line {step.line}"
    if not step.changed:
        head += "; nothing moves"
    rows: list[list[Cell]] = [
        [_short(part.text), part.label, part.entry, _place(part), part.why] for part in step.after
    ]
    indent = " " * (len(str(number)) + 2)
    lines = table(rows, width=line_width() - len(indent)).split("\n")
    if step.changed:
        members = separated(_short(part.text, WIDE // 2) for part in step.before)
        before = styled(in_letters(members))
        lines = [f"from {before}", *lines, f"=> {printable(' '.join(step.sentence))}"]
    return "\n".join([head, *(f"{indent}{line}" for line in lines)])


def _place(part: Part) -> str:
    if part.place is None:
        return "-"
    return f"{part.place} (reversed)" if part.turned else str(part.place)


def _part_data(part: Part) -> dict[str, Any]:
    return {
        "word": part.word,
        "words": list(part.words),
        "text": part.text,
        "label": part.label,
        "entry": part.entry,
        "place": part.place,
        "reversed": part.turned,
        "barrier": part.is_barrier,
        "why": part.why,
    }


def _short(text: str, width: int = WIDE) -> str:
    """Leave out the middle of a long text."""
    text = printable(text)
    if display_width(text) <= width:
        return text
    words = text.split(" ")
    end = words.pop()
    start = ""
    for word in words:
        if display_width(f"{start}{word} ... {end}") > width:
            break
        start += f"{word} "
    if start:
        return f"{start}... {end}"
    text = text[:width]
    while display_width(text) > width - 4:
        text = text[:-1]
    return f"{text} ..."
