"""Analyses in every format: their answer, findings and sections."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from wordorder.analysis.analysed import Analysed, Analysis
from wordorder.analysis.findings import top_findings
from wordorder.analysis.section import (
    Finding,
    Section,
    Value,
)
from wordorder.messages import counted
from wordorder.report.document import (
    Columns,
    Document,
    Output,
    Part,
    Signature,
    Table,
    Title,
    records,
)
from wordorder.report.marks import (
    bold,
    heading,
    in_letters,
    key_in_letters,
    signs_coloured,
    styled,
)
from wordorder.report.tables import (
    Cell,
    Legend,
    columns_tsv,
    line_width,
    paragraph,
    paragraphs,
    table,
)
from wordorder.scoring.result_columns import columns
from wordorder.text.display import Marked, display_width, printable

# Texts that take more columns go below their row, unless they are its name.
WIDE = 30

EXAMPLES = 3

_SENTENCE = re.compile(r"(?<=\.) +(?=[A-Z])")

AnyAnalysis: TypeAlias = "Analysis[Analysed]"

# Lines that the short form of an analysis takes at most, unless tables were asked for.
SHORT = 40

# Tables that are there because they were asked for.
_REQUESTED = ("chosen-sentences", "tag-table")

TITLE = "Findings"


def sections_text(sections: Sequence[Section], *, signatures: Sequence[str] = ()) -> str:
    """Lay sections out one below the other.

    Parameters
    ----------
    sections : sequence of Section
    signatures : sequence of str
        What need not be said at the foot of each table: it is said elsewhere.

    Returns
    -------
    str
        For each a title, the reading, the table with the numbers of some sentences (from 1) and
        the note and the signature. What an earlier note said is not said again. Long texts
        are printed below their row.

    Examples
    --------
    >>> section = Section("a", "Words", "The worst is 'the'.", ("form", "lost"), (("the", 2.5),))
    >>> print(sections_text([section]))
    Words
    =====
    The worst is 'the'.
    <BLANKLINE>
    form    lost
    ----  ------
    the   2.5000
    """
    known_signatures = {*signatures, " ".join(signatures)}
    return "\n\n\n".join(_section(section, known_signatures) for section in sections)


def _section(section: Section, said: set[str]) -> str:
    title = paragraph(section.title)
    line = "=" * max(map(display_width, title.split("\n")))
    parts = [f"{title}\n{line}\n{paragraph(section.reading)}"]
    if section.rows:
        parts.append(_table(section))
    if note := _fresh_notes(section, said):
        parts.append(styled(paragraph(note)) if section.marked else paragraph(note))
    if section.signature and section.signature not in said:
        said.add(section.signature)
        parts.append(printable(section.signature))
    return "\n\n".join(parts)


def _fresh_notes(section: Section, said: set[str]) -> str:
    """Return the sentences of the notes that were not printed before."""
    fresh = [
        sentence for sentence in _SENTENCE.split(section.notes) if sentence and sentence not in said
    ]
    said.update(fresh)
    note = " ".join(fresh)
    return key_in_letters(note) if section.marked else note


def _with_examples(section: Section) -> tuple[list[str], list[list[Value]]]:
    """Return header and rows, with example sentences as the last column."""
    header = [heading(name) for name in section.header]
    rows = [list(row) for row in section.rows]
    # A table of sentences names them already.
    if section.examples and header[0] != "sentence":
        header.append("examples")
        for row, sentences in zip(rows, section.examples, strict=True):
            row.append(_numbers(sentences))
    return header, rows


def _numbers(sentences: Sequence[int]) -> str:
    """Write the numbers of some sentences, from 1."""
    return " ".join(str(number + 1) for number in sentences[:EXAMPLES])


def _table(section: Section) -> str:
    """Lay out the table."""
    header, rows = _with_examples(section)
    # What is marked is never broken into lines beside other cells.
    long = [c for c in range(1, len(header)) if any(_is_below(row[c]) for row in rows)]
    if not long:
        return table(rows, header)
    short = [c for c in range(len(header)) if c not in long]
    legend = Legend()
    names = [printable(header[c]) for c in long]
    if max(map(display_width, names)) > legend.width // 2:
        legend.add(word for name in names for word in name.split(" "))
        names = [legend.short_words(name) for name in names]
    width = max(map(display_width, names))
    below = [
        [
            _below(row[c], f"    {name}{' ' * (width - display_width(name))}  ", " " * (width + 6))
            for c, name in zip(long, names, strict=True)
        ]
        for row in rows
    ]
    short_rows = [[row[c] for c in short] for row in rows]
    laid_out = table(short_rows, [header[c] for c in short], below=below, legend=legend)
    return "\n\n".join(filter(None, [laid_out, legend.text()]))


def _is_below(cell: Value) -> bool:
    """Say whether a cell is printed below its row: it is long, or it has marks."""
    if isinstance(cell, Marked):
        return True
    return isinstance(cell, str) and display_width(printable(cell)) > WIDE


def _below(cell: Value, first: str, others: str) -> str:
    """Write a cell that is printed below its row."""
    if isinstance(cell, Marked):
        return styled(paragraph(in_letters(cell), first, others))
    return paragraph("" if cell is None else str(cell), first, others)


def section_cells(sections: Sequence[Section]) -> list[list[Cell]]:
    """Return a row for each cell of each section: section, row (from 1), column, value.

    The numbers of example sentences (from 1) are a further column ``examples``, with blanks between
    them.

    Examples
    --------
    >>> section_cells([Section("a", "A", "", ("word", "lost"), (("of", 2),), ((0, 4),))])
    [['a', 1, 'word', 'of'], ['a', 1, 'lost', 2], ['a', 1, 'examples', '1 5']]
    """
    rows: list[list[Cell]] = []
    for section in sections:
        for number, row in enumerate(section.rows, 1):
            cells = zip(section.header, row, strict=True)
            rows += [[section.key, number, column, value] for column, value in cells]
            if section.examples and section.examples[number - 1]:
                examples = " ".join(str(i + 1) for i in section.examples[number - 1])
                rows.append([section.key, number, "examples", examples])
    return rows


def analysis_text(analysis: AnyAnalysis) -> str:
    """Lay out the answer, the findings, the grid, if there is one, and all tables.

    What the scores are comes last.
    """
    counts, signatures = _foot(analysis)
    parts = [findings_text(analysis.answer, analysis.sections, analysis.points)]
    if analysis.grid is not None:
        from wordorder.report.grids import grid_text

        parts.append(grid_text(analysis.grid).rstrip("\n"))
    parts.append(sections_text(analysis.sections, signatures=signatures))
    parts.append("\n".join([counts, *signatures]))
    return "\n\n\n".join(filter(None, parts)) + "\n"


def short_text(analysis: AnyAnalysis, rest: str) -> str:
    """Lay out the answer, the findings and the tables that were asked for by word or sentence.

    Parameters
    ----------
    analysis : Analysis
    rest : str
        Where the other tables are: the last paragraph, without what is not shown.

    Returns
    -------
    str
        At most 40 lines and the requested tables; findings that would take more are counted.
    """
    counts, signatures = _foot(analysis)
    requested = [section for section in analysis.sections if section.key.startswith(_REQUESTED)]
    foot = "\n".join([counts, *signatures[:1]])
    findings = top_findings(analysis.sections)
    count = len(findings)
    while True:
        missing = counted(len(analysis.sections) - len(requested), "table")
        if count < len(findings):
            missing = f"{counted(len(findings) - count, 'finding')} and {missing}"
        last = paragraphs(rest.format(missing=missing))
        text = _findings_text(analysis.answer, findings[:count], analysis.points, {})
        lines = "\n\n".join(filter(None, [text, foot, last])).split("\n")
        line_count = sum(1 + (max(display_width(line), 1) - 1) // line_width() for line in lines)
        if line_count <= SHORT or count <= 1:
            break
        count -= 1
    tables = sections_text(requested, signatures=signatures)
    return "\n\n".join(filter(None, [text, tables, foot, last])) + "\n"


def _foot(analysis: AnyAnalysis) -> tuple[str, tuple[str, ...]]:
    """Return how many sentences and systems were analysed, and the signatures of the scores."""
    size = counted(analysis.size, analysis.analysed.unit)
    systems = counted(len(analysis.names), "system")
    return f"{size}, {systems}", tuple(analysis.signatures.values())


def analysis_json(analysis: AnyAnalysis, *, arrays: bool = False) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists; sentences are counted from 1.

    With `arrays`, scores of sentences are arrays in place of lists.
    """
    from wordorder.report.analysis_records import analysis_report

    return analysis_report(analysis).to_json(arrays=arrays)


def analysis_tsv(analysis: AnyAnalysis) -> str:
    """Write one row for each cell of each section: section, row (from 1), column, value.

    Floats are written in full; the numbers of example sentences (from 1) are a further column
    ``examples``, with blanks between them. The grid, if there is one, is a section ``grid``.
    """
    return columns_tsv(_cells(analysis))


def _cells(analysis: AnyAnalysis) -> Columns:
    rows: list[list[Cell]] = []
    if analysis.grid is not None:
        for number, row in enumerate(records(analysis.grid.to_columns()), 1):
            rows += [["grid", number, *cell] for cell in row.items()]
    return columns(["section", "row", "column", "value"], rows + section_cells(analysis.sections))


def analysis_output(analysis: AnyAnalysis, rest: str = "", *, arrays: bool = False) -> Output:
    """Show the answer, the findings, the grid, if there is one, and all tables.

    Text is `short_text` if `rest` says where the tables are. `arrays` is for `analysis_json`.
    """
    return Output(
        lambda: analysis_json(analysis, arrays=arrays),
        lambda: _cells(analysis),
        lambda: _analysis_document(analysis),
        lambda: short_text(analysis, rest) if rest else analysis_text(analysis),
    )


def _analysis_document(analysis: AnyAnalysis) -> Document:
    """Lay out what `analysis_text` does, each section under its title."""
    counts, signatures = _foot(analysis)
    parts: list[Part] = [analysis.answer] if analysis.answer else []
    titles = {section.key: section.title for section in analysis.sections}
    findings = top_findings(analysis.sections)
    if findings:
        parts.append(Title(TITLE))
        parts.append(
            "\n".join(
                f"{number}. {finding.sentence} {_where(titles[key], finding)}"
                for number, (finding, key) in enumerate(findings, 1)
            )
        )
    if analysis.grid is not None:
        from wordorder.report.grids import grid_document

        document = grid_document(analysis.grid)
        parts += [*document.parts, "\n".join(document.notes)]
        signatures = tuple(dict.fromkeys((*document.signatures, *signatures)))
    known_signatures = {*signatures, " ".join(signatures)}
    for section in analysis.sections:
        parts += _section_parts(section, known_signatures)
    return Document(tuple(parts), (counts,), signatures)


def _section_parts(section: Section, said: set[str]) -> Iterator[Part]:
    yield Title(section.title)
    if section.reading:
        yield section.reading
    if section.rows:
        header, rows = _with_examples(section)
        yield Table(
            [[in_letters(cell) if isinstance(cell, Marked) else cell for cell in r] for r in rows],
            header,
        )
    if fresh := _fresh_notes(section, said):
        yield fresh
    if section.signature and section.signature not in said:
        said.add(section.signature)
        yield Signature(section.signature)


def findings_text(answer: str, sections: Sequence[Section], unit: str = "") -> str:
    """Write the answer, and below it the findings that explain most.

    Parameters
    ----------
    answer : str
    sections : sequence of Section
    unit : str
        What the points of the findings are.

    Returns
    -------
    str
        Each finding names its table and some sentences that show it; empty without an answer and
        findings.

    Examples
    --------
    >>> from wordorder.analysis.section import Finding
    >>> found = (Finding("A misorders 'the': 2.1 points of FRS.", 2.1, (0, 6)),)
    >>> words = Section("words", "Words", "", (), (), findings=found)
    >>> print(findings_text("A orders words best.", [words]))
    A orders words best.
    <BLANKLINE>
    <BLANKLINE>
    Findings
    ========
     1. A misorders 'the': 2.1 points of FRS.
        Table: Words. Sentences: 1 7.
    """
    titles = {section.key: section.title for section in sections}
    return _findings_text(answer, top_findings(sections), unit, titles)


def _findings_text(
    answer: str, findings: Sequence[tuple[Finding, str]], unit: str, titles: Mapping[str, str]
) -> str:
    """Write the answer and findings, with the tables of which there are titles."""
    parts = [bold(paragraph(answer))] if answer else []
    lines = [TITLE, "=" * len(TITLE), *([paragraph(unit), ""] if unit else [])]
    for number, (finding, key) in enumerate(findings, 1):
        sentence, location = finding.sentence, _where(titles.get(key, ""), finding)
        if not titles and location:
            sentence = f"{sentence} {location}"
        lines.append(signs_coloured(paragraph(sentence, f"{number:2}. ", "    ")))
        if titles:
            lines.append(paragraph(location, "    ", "    "))
    gap = "\n\n\n" if titles else "\n\n"
    return gap.join([*parts, *(["\n".join(lines)] if findings else [])])


def _where(title: str, finding: Finding) -> str:
    """Name the table of a finding, if it has a title, and some sentences that show it."""
    examples = _numbers(finding.examples)
    table = f"Table: {printable(title)}." if title else ""
    return " ".join(filter(None, [table, f"Sentences: {examples}." if examples else ""]))
