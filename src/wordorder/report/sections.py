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
    row_dictionaries,
)
from wordorder.report.marks import (
    bold,
    colour_signs,
    heading,
    note_with_writable_marks,
    styled,
    with_writable_marks,
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

# Wider texts are printed below their row, unless they are its name.
MAX_CELL_WIDTH = 30

MAX_EXAMPLES = 3

_SENTENCE = re.compile(r"(?<=\.) +(?=[A-Z])")

AnyAnalysis: TypeAlias = "Analysis[Analysed]"

# The maximum number of lines of the short form, without requested tables.
MAX_SHORT_LINES = 40

# Keys of tables that options request.
_REQUESTED = ("chosen-sentences", "tag-table")

TITLE = "Findings"


def sections_text(sections: Sequence[Section], *, signatures: Sequence[str] = ()) -> str:
    """Return sections as text.

    Parameters
    ----------
    sections : sequence of Section
    signatures : sequence of str
        Signatures that are printed elsewhere, not below each table.

    Returns
    -------
    str
        Title, reading, table with sentence numbers (from 1), note and signature of each section.
        Notes are not repeated. Long texts are printed below their row.

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


def _section(section: Section, printed: set[str]) -> str:
    title = paragraph(section.title)
    line = "=" * max(map(display_width, title.split("\n")))
    parts = [f"{title}\n{line}\n{paragraph(section.reading)}"]
    if section.rows:
        parts.append(_table(section))
    if note := _fresh_notes(section, printed):
        parts.append(styled(paragraph(note)) if section.marked else paragraph(note))
    if section.signature and section.signature not in printed:
        printed.add(section.signature)
        parts.append(printable(section.signature))
    return "\n\n".join(parts)


def _fresh_notes(section: Section, printed: set[str]) -> str:
    """Return the sentences of the notes that are not in `printed`, and add them to it."""
    new_sentences = [
        sentence
        for sentence in _SENTENCE.split(section.notes)
        if sentence and sentence not in printed
    ]
    printed.update(new_sentences)
    note = " ".join(new_sentences)
    return note_with_writable_marks(note) if section.marked else note


def _with_examples(section: Section) -> tuple[list[str], list[list[Value]]]:
    """Return header and rows, with example sentences as the last column."""
    header = [heading(name) for name in section.header]
    rows = [list(row) for row in section.rows]
    # A table of sentences has their numbers already.
    if section.examples and header[0] != "sentence":
        header.append("examples")
        for row, sentences in zip(rows, section.examples, strict=True):
            row.append(_sentence_numbers(sentences))
    return header, rows


def _sentence_numbers(sentences: Sequence[int]) -> str:
    """Return the numbers of some sentences, from 1."""
    return " ".join(str(number + 1) for number in sentences[:MAX_EXAMPLES])


def _table(section: Section) -> str:
    """Return the table of a section as text."""
    header, rows = _with_examples(section)
    # Marked texts are never wrapped inside a cell.
    long_columns = [c for c in range(1, len(header)) if any(_is_below(row[c]) for row in rows)]
    if not long_columns:
        return table(rows, header)
    short_columns = [c for c in range(len(header)) if c not in long_columns]
    legend = Legend()
    names = [printable(header[c]) for c in long_columns]
    if max(map(display_width, names)) > legend.width // 2:
        legend.add(word for name in names for word in name.split(" "))
        names = [legend.short_words(name) for name in names]
    width = max(map(display_width, names))
    below = [
        [
            _below(row[c], f"    {name}{' ' * (width - display_width(name))}  ", " " * (width + 6))
            for c, name in zip(long_columns, names, strict=True)
        ]
        for row in rows
    ]
    short_rows = [[row[c] for c in short_columns] for row in rows]
    laid_out = table(short_rows, [header[c] for c in short_columns], below=below, legend=legend)
    return "\n\n".join(filter(None, [laid_out, legend.text()]))


def _is_below(cell: Value) -> bool:
    """Return whether a cell is printed below its row: it is long, or it has marks."""
    if isinstance(cell, Marked):
        return True
    return isinstance(cell, str) and display_width(printable(cell)) > MAX_CELL_WIDTH


def _below(cell: Value, first: str, following: str) -> str:
    """Return a cell that is printed below its row."""
    if isinstance(cell, Marked):
        return styled(paragraph(with_writable_marks(cell), first, following))
    return paragraph("" if cell is None else str(cell), first, following)


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
    """Return the answer, the findings, the grid, if there is one, and all tables as text.

    Counts and signatures come last.
    """
    counts, signatures = _counts_and_signatures(analysis)
    parts = [findings_text(analysis.answer, analysis.sections, analysis.points)]
    if analysis.grid is not None:
        from wordorder.report.grids import grid_text

        parts.append(grid_text(analysis.grid).rstrip("\n"))
    parts.append(sections_text(analysis.sections, signatures=signatures))
    parts.append("\n".join([counts, *signatures]))
    return "\n\n\n".join(filter(None, parts)) + "\n"


def short_text(analysis: AnyAnalysis, tables_hint: str) -> str:
    """Return the answer, the findings and the tables of requested words and sentences.

    Parameters
    ----------
    analysis : Analysis
    tables_hint : str
        The last paragraph, on where the other tables are; ``{missing}`` stands for their number.

    Returns
    -------
    str
        At most 40 lines and the requested tables; findings that would take more are counted.
    """
    counts, signatures = _counts_and_signatures(analysis)
    requested_sections = [
        section for section in analysis.sections if section.key.startswith(_REQUESTED)
    ]
    foot = "\n".join([counts, *signatures[:1]])
    findings = top_findings(analysis.sections)
    count = len(findings)
    while True:
        omitted = counted(len(analysis.sections) - len(requested_sections), "table")
        if count < len(findings):
            omitted = f"{counted(len(findings) - count, 'finding')} and {omitted}"
        closing = paragraphs(tables_hint.format(missing=omitted))
        text = _findings_text(analysis.answer, findings[:count], analysis.points, {})
        lines = "\n\n".join(filter(None, [text, foot, closing])).split("\n")
        line_count = sum(1 + (max(display_width(line), 1) - 1) // line_width() for line in lines)
        if line_count <= MAX_SHORT_LINES or count <= 1:
            break
        count -= 1
    tables = sections_text(requested_sections, signatures=signatures)
    return "\n\n".join(filter(None, [text, tables, foot, closing])) + "\n"


def _counts_and_signatures(analysis: AnyAnalysis) -> tuple[str, tuple[str, ...]]:
    """Return the numbers of sentences and systems, and the signatures of the scores."""
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
    """Return TSV with a row for each cell of each section: section, row (from 1), column, value.

    Floats are written in full; the numbers of example sentences (from 1) are a further column
    ``examples``, with blanks between them. The grid, if there is one, is a section ``grid``.
    """
    return columns_tsv(_cells(analysis))


def _cells(analysis: AnyAnalysis) -> Columns:
    rows: list[list[Cell]] = []
    if analysis.grid is not None:
        for number, row in enumerate(row_dictionaries(analysis.grid.to_columns()), 1):
            rows += [["grid", number, *cell] for cell in row.items()]
    return columns(["section", "row", "column", "value"], rows + section_cells(analysis.sections))


def analysis_output(
    analysis: AnyAnalysis, tables_hint: str = "", *, arrays: bool = False
) -> Output:
    """Return the output: the answer, the findings, the grid, if there is one, and all tables.

    With a `tables_hint` the text is `short_text`. `arrays` is for `analysis_json`.
    """
    return Output(
        lambda: analysis_json(analysis, arrays=arrays),
        lambda: _cells(analysis),
        lambda: _analysis_document(analysis),
        lambda: short_text(analysis, tables_hint) if tables_hint else analysis_text(analysis),
    )


def _analysis_document(analysis: AnyAnalysis) -> Document:
    """Return the parts of `analysis_text`, each section under its title."""
    counts, signatures = _counts_and_signatures(analysis)
    parts: list[Part] = [analysis.answer] if analysis.answer else []
    titles = {section.key: section.title for section in analysis.sections}
    findings = top_findings(analysis.sections)
    if findings:
        parts.append(Title(TITLE))
        parts.append(
            "\n".join(
                f"{index}. {finding.sentence} {_reference_text(titles[key], finding)}"
                for index, (finding, key) in enumerate(findings, 1)
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


def _section_parts(section: Section, printed: set[str]) -> Iterator[Part]:
    yield Title(section.title)
    if section.reading:
        yield section.reading
    if section.rows:
        header, rows = _with_examples(section)
        yield Table(
            [
                [with_writable_marks(cell) if isinstance(cell, Marked) else cell for cell in r]
                for r in rows
            ],
            header,
        )
    if notes := _fresh_notes(section, printed):
        yield notes
    if section.signature and section.signature not in printed:
        printed.add(section.signature)
        yield Signature(section.signature)


def findings_text(answer: str, sections: Sequence[Section], unit: str = "") -> str:
    """Return the answer and the findings that explain most.

    Parameters
    ----------
    answer : str
    sections : sequence of Section
    unit : str
        The unit of the points in findings.

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
    """Return the answer and findings, with the names of tables whose titles are known."""
    parts = [bold(paragraph(answer))] if answer else []
    lines = [TITLE, "=" * len(TITLE), *([paragraph(unit), ""] if unit else [])]
    for index, (finding, key) in enumerate(findings, 1):
        sentence, location = finding.sentence, _reference_text(titles.get(key, ""), finding)
        if not titles and location:
            sentence = f"{sentence} {location}"
        lines.append(colour_signs(paragraph(sentence, f"{index:2}. ", "    ")))
        if titles:
            lines.append(paragraph(location, "    ", "    "))
    gap = "\n\n\n" if titles else "\n\n"
    return gap.join([*parts, *(["\n".join(lines)] if findings else [])])


def _reference_text(title: str, finding: Finding) -> str:
    """Return the table of a finding, if it has a title, and its example sentences."""
    examples = _sentence_numbers(finding.examples)
    table = f"Table: {printable(title)}." if title else ""
    return " ".join(filter(None, [table, f"Sentences: {examples}." if examples else ""]))
