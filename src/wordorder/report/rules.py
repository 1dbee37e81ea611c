"""Explanations of orders and mistakes of alignments, for every format."""

from dataclasses import replace

from wordorder.alignment.lint import LintReport
from wordorder.messages import DECIMALS, counted
from wordorder.reordering.cohesion import Cohesion, Crossings
from wordorder.reordering.explanation import Explanation, Part, Step
from wordorder.reordering.learned_explanation import FamilyStep, LearnedExplanation, PairScore
from wordorder.report.document import Document, Output, Table
from wordorder.report.marks import in_letters, styled
from wordorder.report.tables import Cell, columns_tsv, line_width, table
from wordorder.text.display import display_width, printable, separated

# Columns that the words of a member take.
WIDE = 40

# Characters that a member takes.
LEARNED_WIDE = 30


def explanation_output(explanation: Explanation) -> Output:
    """Show the steps; tables have a row for each member of each family in its new order."""
    return Output.of(explanation, text=lambda: explanation_text(explanation) + "\n")


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
    1. hit (root): rule reverse, line 12
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
    parts += map(_step, explanation.steps)
    changed = sum(step.changed for step in explanation.steps)
    families = counted(len(explanation.steps), "family", "families")
    parts.append(f"{changed} of {families} changed")
    return "\n\n".join(parts)


def _step(step: Step) -> str:
    """Write a step: the family, its entries, and the sentence after it."""
    head = f"{step.step}. {printable(step.form)} ({printable(step.label)}): "
    if step.rule is None:
        return f"{head}no rule orders its family"
    head += f"rule {printable(step.rule)}, line {step.line}"
    if not step.changed:
        head += "; nothing moves"
    rows: list[list[Cell]] = [
        [_short(part.words), part.label, part.entry, _place(part), part.why] for part in step.after
    ]
    indent = " " * (len(str(step.step)) + 2)
    lines = table(rows, width=line_width() - len(indent)).split("\n")
    if step.changed:
        members = separated(_short(part.words, WIDE // 2) for part in step.before)
        members_text = styled(in_letters(members))
        lines = [f"from {members_text}", *lines, f"=> {printable(' '.join(step.sentence))}"]
    return "\n".join([head, *(f"{indent}{line}" for line in lines)])


def _place(part: Part) -> str:
    if part.place is None:
        return "-"
    return f"{part.place} (reversed)" if part.reversed else str(part.place)


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


def learned_explanation_output(explanation: LearnedExplanation) -> Output:
    """Show how a learned order came about: a row for each feature shown, or for each order."""
    return replace(
        Output.of(explanation, text=lambda: _learned_text(explanation) + "\n"),
        lines=lambda: columns_tsv(explanation.to_columns(), decimals=DECIMALS),
    )


def _learned_text(explanation: LearnedExplanation) -> str:
    """Write the families one below the other, with the reversed pairs and the reasons.

    Of models without families, the orders that they considered.
    """
    parts = [printable(" ".join(explanation.forms))]
    parts += map(_learned_step, explanation.steps)
    if explanation.candidates:
        table_rows: list[list[Cell]] = [
            [
                candidate.name,
                f"{candidate.score:.3f}",
                printable(explanation.words(candidate.order)),
            ]
            for candidate in explanation.candidates
        ]
        what = "weight" if explanation.kind == "consensus" else "score"
        parts.append(table(table_rows, ["member" if what == "weight" else "rank", what, "order"]))
    elif explanation.steps:
        changed = sum(step.changed for step in explanation.steps)
        families = counted(len(explanation.steps), "family", "families")
        parts.append(f"{changed} of {families} changed")
    parts.append(f"=> {printable(explanation.words(explanation.order))}")
    return "\n\n".join(parts)


def _learned_step(step: FamilyStep) -> str:
    head = f"{step.step}. {printable(step.form)} ({printable(step.label)})"
    lines = [f"from {_joined(step.before)}"]
    if step.changed:
        lines.append(f"to   {_joined(step.after)}")
    for pair in step.pairs:
        lines += _pair(pair)
    indent = " " * (len(str(step.step)) + 2)
    return "\n".join(
        [head if step.changed else f"{head}: nothing moves", *(indent + x for x in lines)]
    )


def _pair(pair: PairScore) -> list[str]:
    what = "turned" if pair.turned else "kept"
    first = f"{_brief(pair.left)} - {_brief(pair.right)}: {what}, score {pair.score:+.2f}"
    return [first, *(f"  {why.weight:+.2f}  {printable(why.feature)}" for why in pair.reasons)]


def _joined(members: tuple[str, ...]) -> str:
    return styled(in_letters(separated(map(_brief, members))))


def _brief(text: str) -> str:
    text = printable(text)
    return text if len(text) <= LEARNED_WIDE else f"{text[: LEARNED_WIDE - 3]}..."


def cohesion_text(found: Cohesion) -> list[str]:
    """Say how many phrases of the source mix in the target.

    Examples
    --------
    >>> for line in cohesion_text(Cohesion(10, 4, Crossings(80, 8, 3), Crossings(50, 1, 0))):
    ...     print(line)
    phrasal cohesion: 4 of 10 sentences have no crossing (40.0 %)
    head crossings: 8 of 80 pairs (10.0 %), 3 of them in a target word of both
    modifier crossings: 1 of 50 pairs (2.0 %), 0 of them in a target word of both
    """
    share = found.cohesive / found.sentences if found.sentences else 0.0
    all_sentences = counted(found.sentences, "sentence")
    return [
        f"phrasal cohesion: {found.cohesive} of {all_sentences} have no crossing "
        f"({100 * share:.1f} %)",
        _line("head", found.head),
        _line("modifier", found.modifier),
    ]


def _line(kind: str, crossings: Crossings) -> str:
    return (
        f"{kind} crossings: {crossings.crossed} of {counted(crossings.pairs, 'pair')} "
        f"({100 * crossings.share:.1f} %), {crossings.shared} of them in a target word of both"
    )


def lint_text(report: LintReport, form: str = "text") -> str:
    """Write a report as "text", "tsv", "markdown" or "latex", with a line end."""
    return lint_output(report).printed(form)


def lint_output(report: LintReport) -> Output:
    """Show the words that break the rules of annotation, and how many there are."""
    return Output.of(report, lambda: _lint(report))


def _lint(report: LintReport) -> Document:
    columns = report.to_columns()
    target = "target words unknown"
    totals: list[list[Cell]] = [
        ["unaligned source words that may not be", report.unaligned, report.unaligned_share],
        [
            "source words with non-contiguous links",
            report.non_contiguous,
            report.non_contiguous_share,
        ],
    ]
    if report.target_words is not None:
        target = counted(report.target_words, "target word")
        totals.append(
            ["unaligned target words", report.unaligned_target, report.unaligned_target_share]
        )
        for name, matches, words in (
            ("personal pronouns that no pronoun translates", report.pronouns, report.source_words),
            ("particles apart from their word", report.particles, report.target_words),
        ):
            if matches is not None:
                totals.append([name, matches, matches / words if words else 0.0])
    counts = (
        f"{counted(report.sentences, 'sentence')}, {counted(report.source_words, 'source word')}, "
        f"{target}; {counted(len(report.findings), 'sentence')} with findings"
    )
    parts = [Table.of(columns)] if columns["line"] else []
    return Document((*parts, Table(totals, ["", "words", "share"]), counts), legends=True)
