"""Explanations of orders, and mistakes in alignments, for every format."""

from dataclasses import replace

from wordorder.alignment.lint import LintReport
from wordorder.messages import DECIMALS, counted
from wordorder.reordering.cohesion import Cohesion, Crossings
from wordorder.reordering.explanation import Explanation, Part, Step
from wordorder.reordering.learned_explanation import FamilyStep, LearnedExplanation, PairScore
from wordorder.report.document import Document, Output, Table
from wordorder.report.marks import styled, with_writable_marks
from wordorder.report.tables import Cell, columns_tsv, line_width, table
from wordorder.text.display import display_width, printable, separated

# The maximum width of the words of a family member, in terminal columns.
MAX_WORDS_WIDTH = 40

# The maximum length of a member in explanations of learned orders.
MAX_MEMBER_LENGTH = 30


def explanation_output(explanation: Explanation) -> Output:
    """Return the output of an explanation; tables have a row per family member and step."""
    return Output.of(explanation, text=lambda: explanation_text(explanation) + "\n")


def explanation_text(explanation: Explanation) -> str:
    """Return the text of an explanation: per step the family, the entries and the sentence.

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
    """Return the text of a step."""
    head = f"{step.step}. {printable(step.form)} ({printable(step.label)}): "
    if step.rule is None:
        return f"{head}no rule orders its family"
    head += f"rule {printable(step.rule)}, line {step.line}"
    if not step.changed:
        head += "; nothing moves"
    rows: list[list[Cell]] = [
        [_without_middle(part.words), part.label, part.entry, _position_text(part), part.why]
        for part in step.after
    ]
    indent = " " * (len(str(step.step)) + 2)
    lines = table(rows, width=line_width() - len(indent)).split("\n")
    if step.changed:
        members = separated(
            _without_middle(part.words, MAX_WORDS_WIDTH // 2) for part in step.before
        )
        members_text = styled(with_writable_marks(members))
        lines = [f"from {members_text}", *lines, f"=> {printable(' '.join(step.sentence))}"]
    return "\n".join([head, *(f"{indent}{line}" for line in lines)])


def _position_text(part: Part) -> str:
    if part.place is None:
        return "-"
    return f"{part.place} (reversed)" if part.reversed else str(part.place)


def _without_middle(text: str, width: int = MAX_WORDS_WIDTH) -> str:
    """Shorten a text to `width` by leaving out its middle."""
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
    """Return the output of an explanation of a learned order: a row per feature, or per order."""
    return replace(
        Output.of(explanation, text=lambda: _learned_text(explanation) + "\n"),
        lines=lambda: columns_tsv(explanation.to_columns(), decimals=DECIMALS),
    )


def _learned_text(explanation: LearnedExplanation) -> str:
    """Return the families with their reversed pairs and the reasons.

    For models without families, return the orders that were considered.
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
        value_name = "weight" if explanation.kind == "consensus" else "score"
        parts.append(
            table(table_rows, ["member" if value_name == "weight" else "rank", value_name, "order"])
        )
    elif explanation.steps:
        changed = sum(step.changed for step in explanation.steps)
        families = counted(len(explanation.steps), "family", "families")
        parts.append(f"{changed} of {families} changed")
    parts.append(f"=> {printable(explanation.words(explanation.order))}")
    return "\n\n".join(parts)


def _learned_step(step: FamilyStep) -> str:
    head = f"{step.step}. {printable(step.form)} ({printable(step.label)})"
    lines = [f"from {_member_text(step.before)}"]
    if step.changed:
        lines.append(f"to   {_member_text(step.after)}")
    for pair in step.pairs:
        lines += _pair(pair)
    indent = " " * (len(str(step.step)) + 2)
    return "\n".join(
        [head if step.changed else f"{head}: nothing moves", *(indent + x for x in lines)]
    )


def _pair(pair: PairScore) -> list[str]:
    decision = "turned" if pair.turned else "kept"
    first = (
        f"{_shortened(pair.left)} - {_shortened(pair.right)}: {decision}, score {pair.score:+.2f}"
    )
    return [first, *(f"  {why.weight:+.2f}  {printable(why.feature)}" for why in pair.reasons)]


def _member_text(members: tuple[str, ...]) -> str:
    return styled(with_writable_marks(separated(map(_shortened, members))))


def _shortened(text: str) -> str:
    text = printable(text)
    return text if len(text) <= MAX_MEMBER_LENGTH else f"{text[: MAX_MEMBER_LENGTH - 3]}..."


def cohesion_text(cohesion: Cohesion) -> list[str]:
    """Return lines on how many phrases of the source are interleaved in the target.

    Examples
    --------
    >>> for line in cohesion_text(Cohesion(10, 4, Crossings(80, 8, 3), Crossings(50, 1, 0))):
    ...     print(line)
    phrasal cohesion: 4 of 10 sentences have no crossing (40.0 %)
    head crossings: 8 of 80 pairs (10.0 %), 3 of them in a target word of both
    modifier crossings: 1 of 50 pairs (2.0 %), 0 of them in a target word of both
    """
    share = cohesion.cohesive / cohesion.sentences if cohesion.sentences else 0.0
    all_sentences = counted(cohesion.sentences, "sentence")
    return [
        f"phrasal cohesion: {cohesion.cohesive} of {all_sentences} have no crossing "
        f"({100 * share:.1f} %)",
        _crossing_line("head", cohesion.head),
        _crossing_line("modifier", cohesion.modifier),
    ]


def _crossing_line(kind: str, crossings: Crossings) -> str:
    return (
        f"{kind} crossings: {crossings.crossed} of {counted(crossings.pairs, 'pair')} "
        f"({100 * crossings.share:.1f} %), {crossings.shared} of them in a target word of both"
    )


def lint_text(report: LintReport, output_format: str = "text") -> str:
    """Return a report as "text", "tsv", "markdown" or "latex"."""
    return lint_output(report).printed(output_format)


def lint_output(report: LintReport) -> Output:
    """Return the output of a check of alignments: faulty words and their number."""
    return Output.of(report, lambda: _lint_document(report))


def _lint_document(report: LintReport) -> Document:
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
