"""The output of a command, as tables and paragraphs that any format can lay out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from wordorder.errors import choose
from wordorder.messages import DECIMALS
from wordorder.records import Record, headings
from wordorder.report import tables
from wordorder.text.display import display_width, padded, printable

Part: TypeAlias = "Table | Title | Signature | Verbatim | str"

Columns: TypeAlias = "Mapping[str, Sequence[tables.Cell]]"

_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "×": r"$\times$",
    "…": r"\dots{}",
}

_LATEX_SPECIAL = re.compile("|".join(map(re.escape, _LATEX_ESCAPES)))

# The sign of a number, alone or in an interval.
_MINUS = re.compile(r"(?<![\w.)])-(?=[\d.])")

# A range of ranks, such as 1-3.
_RANK_RANGE = re.compile(r"(\d+)-(\d+)")

# Characters with a meaning in Markdown.
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]|#])")

# Characters for which a backslash does not work in all readers of Markdown.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "~": "&#126;"})


@dataclass(frozen=True)
class Table:
    """The contents of a table, to be laid out in any format.

    Attributes
    ----------
    rows : rows of cells, all of one length
    header : sequence of str
    decimals : int
        The number of decimals of floats.
    ends : tuple of int
        Indices of the rows followed by a gap, at the ends of groups of systems.
    title : str
        A line right above the table.
    below : tuple of str
        Lines right below it.
    """

    rows: Sequence[Sequence[tables.Cell]]
    header: Sequence[str]
    decimals: int = DECIMALS
    ends: tuple[int, ...] = ()
    title: str = ""
    below: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Columns) -> Table:
        """Build a table from columns with names."""
        return cls(list(zip(*columns.values(), strict=True)), list(columns))

    @classmethod
    def of_records(
        cls,
        kind: type[Record],
        rows: Sequence[Record],
        *,
        first: str = "",
        without: str = "",
        cells: Mapping[str, Sequence[tables.Cell]] | None = None,
        **options: Any,
    ) -> Table:
        """Build a table from records, with the columns whose keys have headings.

        Parameters
        ----------
        kind : type of Record
            The class of the rows.
        rows : sequence of Record
        first : str
            Headings of the first columns, separated by commas.
        without : str
            Headings of omitted columns, separated by commas.
        cells : mapping of str to sequence of cells, optional
            Further columns by heading, which replace a column with the same heading or come last.
            the others.
        options
            Further fields of the table.

        Examples
        --------
        >>> from wordorder.judgement.project_file import RaterProgress
        >>> Table.of_records(RaterProgress, []).header
        ['rater', 'done', 'of']
        """
        extra_columns = cells or {}
        columns: dict[str, Sequence[tables.Cell]] = {
            heading: extra_columns[heading]
            if heading in extra_columns
            else [_shared_cell([getattr(row, key) for key in keys]) for row in rows]
            for heading, keys in headings(kind, first).items()
            if heading not in without.split(",")
        }
        columns |= extra_columns
        return cls(list(zip(*columns.values(), strict=True)), list(columns), **options)

    def to_text(self, legend: tables.Legend | None = None) -> str:
        """Return the table for a terminal; see `wordorder.report.tables.table`."""
        spaces = [[""] * (row in self.ends) for row in range(len(self.rows))]
        table_lines = tables.table(
            self.rows, self.header, decimals=self.decimals, legend=legend, below=spaces
        )
        title = [tables.paragraph(self.title)] if self.title else []
        return "\n".join([*title, table_lines, *map(tables.paragraph, self.below)])


def _shared_cell(values: list[Any]) -> tables.Cell:
    """Return the cell for one value, or for the two ends of a range."""
    if len(values) == 1:
        cell: tables.Cell = values[0]
        return cell
    low, high = values
    if isinstance(low, int):
        return tables.rank_range(low, high)
    return "" if math.isnan(low) else tables.interval(low, high)


@dataclass(frozen=True)
class Title:
    """The heading of what follows."""

    text: str


@dataclass(frozen=True)
class Signature:
    """A signature, which is never wrapped, with the lines above and below it."""

    text: str
    above: str = ""
    below: str = ""


@dataclass(frozen=True)
class Verbatim:
    """Preformatted lines, such as a drawing; with `code`, a code block in Markdown."""

    text: str
    code: bool = True


@dataclass(frozen=True)
class Document:
    """The output of a command.

    Attributes
    ----------
    parts : tuple of Table, Title or str
        A str is a paragraph, with its line breaks kept.
    notes : tuple of str
        How to read the tables, and how the numbers were computed.
    signatures : tuple of str
    legends : bool
        Whether shortened names are explained below each table instead of at the end.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    legends: bool = False


@dataclass(frozen=True)
class Output:
    """The result of a command in every format, created on request.

    Attributes
    ----------
    data : function
        Returns the dictionary for JSON.
    columns : function
        Returns the columns for TSV, in full precision.
    document : function, optional
        Returns the tables and texts for text, Markdown and LaTeX. By default these formats show
        `columns` as a table.
    text : function, optional
        Returns the text for a terminal that replaces the document, such as a drawing.
    lines : function, optional
        Returns TSV, or yields it in pieces, instead of generating it from `columns`.

    Examples
    --------
    >>> found = Output(lambda: {"frs": 0.5}, lambda: {"system": ["a_b"], "frs": [0.51234]})
    >>> print(found.printed("markdown"), end="")
    | system |    frs |
    | :----- | -----: |
    | a\\_b   | 0.5123 |
    """

    data: Callable[[], dict[str, Any]]
    columns: Callable[[], Columns]
    document: Callable[[], Document] | None = None
    text: Callable[[], str] | None = None
    lines: Callable[[], str | Iterable[str]] | None = None

    @classmethod
    def of(
        cls,
        result: Record,
        document: Callable[[], Document] | None = None,
        *,
        text: Callable[[], str] | None = None,
    ) -> Output:
        """Return the output of a record."""
        return cls(lambda: result.to_json(arrays=True), result.to_columns, document, text)

    def printed(self, form: str) -> str:
        """Return the output as ``text``, ``tsv``, ``markdown`` or ``latex``.

        Raises
        ------
        UsageError
            If there is no such form.
        """
        return "".join(self.pieces(form))

    def pieces(self, form: str) -> Iterable[str]:
        """Yield what `printed` returns, piece by piece: long tables need not be in memory.

        Raises
        ------
        UsageError
            If there is no such form.
        """
        if form == "tsv":
            lines = tables.columns_tsv(self.columns()) if self.lines is None else self.lines()
            return [lines] if isinstance(lines, str) else lines
        if form == "text" and self.text is not None:
            return [self.text()]
        if self.document is not None:
            document = self.document()
        else:
            document = Document((Table.of(self.columns()),), legends=True)
        return text_pieces(document) if form == "text" else [printed(document, form)]


def values_of(source: object, names: str) -> dict[str, Any]:
    """Return the attributes of these names, separated by spaces; None for NaN.

    Examples
    --------
    >>> values_of(complex(1, math.nan), "real imag")
    {'real': 1.0, 'imag': None}
    """
    values = {name: getattr(source, name) for name in names.split(" ")}
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in values.items()
    }


def row_dictionaries(columns: Columns, *, without: str = "") -> list[dict[str, Any]]:
    """Return a dictionary per row, without the column `without`.

    Examples
    --------
    >>> row_dictionaries({"system": ["A", "B"], "frs": [0.5, None]})
    [{'system': 'A', 'frs': 0.5}, {'system': 'B', 'frs': None}]
    """
    remaining = {name: cells for name, cells in columns.items() if name != without}
    return [dict(zip(remaining, row, strict=True)) for row in zip(*remaining.values(), strict=True)]


def document_text(document: Document) -> str:
    """Return a document for a terminal; shortened names are explained at the end.

    Examples
    --------
    >>> print(document_text(Document((Table([["A", 0.5]], ["system", "frs"]),), ("1 segment",),
    ...                              ("frs|v:1",))))
    system     frs
    ------  ------
    A       0.5000
    <BLANKLINE>
    1 segment
    frs|v:1
    <BLANKLINE>
    """
    return "".join(text_pieces(document))


def text_pieces(document: Document) -> Iterator[str]:
    """Yield what `document_text` returns, piece by piece."""
    legend = tables.Legend()
    gap = ""
    for part in document.parts:
        table_legend = None if document.legends else legend
        if isinstance(part, Table) and isinstance(part.rows, tables.NumberRows):
            yield gap
            yield from tables.number_table(part.rows, part.header, part.decimals, legend)
            gap = "\n\n"
        elif block := _text_part(part, table_legend):
            yield gap + block
            gap = "\n\n"
    foot = "\n".join([*map(tables.paragraph, document.notes), *document.signatures])
    for block in filter(None, [legend.text(), foot]):
        yield gap + block
        gap = "\n\n"
    yield "\n"


def printed(document: Document, form: str) -> str:
    """Lay a document out as ``text``, ``markdown`` or ``latex``.

    Raises
    ------
    UsageError
        If there is no such form.

    Examples
    --------
    >>> print(printed(Document((Title("frs"),), (), ("frs|v:1",)), "markdown"))
    ### frs
    <BLANKLINE>
    Signature: `frs|v:1`
    <BLANKLINE>
    """

    forms: dict[str, Callable[[Document], str]] = {
        "text": document_text,
        "markdown": document_markdown,
        "latex": document_latex,
    }
    return forms[choose("form", form, tuple(forms))](document)


def _text_part(part: Part, legend: tables.Legend | None) -> str:
    """Lay out one part."""
    if isinstance(part, Table):
        return part.to_text(legend)
    if isinstance(part, Title):
        return tables.paragraph(part.text)
    if isinstance(part, Verbatim):
        return part.text
    if isinstance(part, Signature):
        above, below = (
            tables.paragraphs(paragraph) if paragraph else ""
            for paragraph in (part.above, part.below)
        )
        return "\n".join(filter(None, [above, f"signature: {part.text}", below]))
    return tables.paragraphs(part)


def document_latex(document: Document) -> str:
    """Return each table as a ``tabular`` of booktabs; notes and signatures are comments.

    Examples
    --------
    >>> print(document_latex(Document((Table([["a_b", -0.5]], ["system", "frs ↑"]),), (),
    ...                               ("frs|v:1",))))
    % needs \\usepackage{booktabs}
    <BLANKLINE>
    \\begin{tabular}{lr}
    \\toprule
    system & frs $\\uparrow$ \\\\
    \\midrule
    a\\_b & $-$0.5000 \\\\
    \\bottomrule
    \\end{tabular}
    <BLANKLINE>
    % signature: frs|v:1
    <BLANKLINE>
    """
    blocks = [r"% needs \usepackage{booktabs}", *map(_latex_part, document.parts)]
    signatures = [f"signature: {signature}" for signature in document.signatures]
    foot = "\n".join(_latex_comment(line) for line in (*document.notes, *signatures))
    return "\n\n".join([*blocks, *filter(None, [foot])]) + "\n"


def latex_escaped(text: str) -> str:
    r"""Return a text with its special characters escaped for LaTeX.

    Examples
    --------
    >>> print(latex_escaped("95 % of a_b: [-0.1, 0.2]"))
    95 \% of a\_b: [$-$0.1, 0.2]
    """
    return _MINUS.sub(
        "$-$", _LATEX_SPECIAL.sub(lambda sign: _LATEX_ESCAPES[sign[0]], printable(text))
    )


def _latex_part(part: Part) -> str:
    if isinstance(part, Table):
        title = [_latex_comments(part.title)] if part.title else []
        return "\n".join([*title, _latex_table(part), *map(_latex_comments, part.below)])
    if isinstance(part, Title):
        return f"%% {printable(part.text)}"
    if isinstance(part, Signature):
        paragraphs = part.above, f"signature: {part.text}", part.below
        return "\n".join(map(_latex_comments, filter(None, paragraphs)))
    return _latex_comments(part.text if isinstance(part, Verbatim) else part)


def _latex_table(table: Table) -> str:
    """Return a table for LaTeX, with a gap between groups of rows."""
    head, *body = tables.cell_texts(table.rows, table.header, table.decimals)
    right = tables.number_columns(table.rows, len(head))
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if is_right else 'l' for is_right in right)}}}",
        r"\toprule",
        _latex_row(head),
        r"\midrule",
    ]
    for index, row in enumerate(body):
        lines.append(_latex_row(row))
        if index in table.ends:
            lines.append(r"\addlinespace")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _latex_row(cells: list[str]) -> str:
    ranges = [_RANK_RANGE.fullmatch(cell) for cell in cells]
    cell_lines = [
        f"{cell_range[1]}--{cell_range[2]}" if cell_range else latex_escaped(cell)
        for cell, cell_range in zip(cells, ranges, strict=True)
    ]
    line = " & ".join(cell_lines)
    # LaTeX would read these characters as options of the previous row's end.
    guard = "{}" if line.startswith(("[", "*", "(")) else ""
    return rf"{guard}{line} \\"


def _latex_comment(text: str) -> str:
    return f"% {printable(text)}"


def _latex_comments(lines: str) -> str:
    return "\n".join(map(_latex_comment, lines.split("\n")))


def document_markdown(document: Document) -> str:
    """Return titles, tables and paragraphs for Markdown; signatures are code, at the end.

    Examples
    --------
    >>> print(document_markdown(Document((Table([["a_b", 0.5]], ["system", "frs ↑"]),), (),
    ...                                  ("frs|v:1",))))
    | system |  frs ↑ |
    | :----- | -----: |
    | a\\_b   | 0.5000 |
    <BLANKLINE>
    Signature: `frs|v:1`
    <BLANKLINE>
    """
    blocks = [_markdown_part(part) for part in document.parts]
    blocks += [markdown_escaped(note) for note in document.notes]
    if len(document.signatures) == 1:
        blocks.append(f"Signature: {_code(document.signatures[0])}")
    elif document.signatures:
        lines = [f"- {_code(signature)}" for signature in document.signatures]
        blocks.append("\n".join(["Signatures:", "", *lines]))
    return "\n\n".join(blocks) + "\n"


def markdown_escaped(text: str) -> str:
    """Return a text with its special characters escaped for Markdown.

    Examples
    --------
    >>> markdown_escaped("a|b *c* [0.1, 0.2]")
    'a\\\\|b \\\\*c\\\\* \\\\[0.1, 0.2\\\\]'
    """
    return _MARKDOWN_SPECIAL.sub(r"\\\1", printable(text)).translate(_ENTITIES)


def _markdown_part(part: Part) -> str:
    if isinstance(part, Table):
        title, below = markdown_escaped(part.title), map(markdown_escaped, part.below)
        return "\n\n".join(filter(None, [title, _markdown_table(part), *below]))
    if isinstance(part, Title):
        return f"### {markdown_escaped(part.text)}"
    if isinstance(part, Verbatim):
        return _code_block(part.text) if part.code else _markdown_lines(part.text)
    if isinstance(part, Signature):
        before_it, after = _markdown_lines(part.above), _markdown_lines(part.below)
        return "\n\n".join(filter(None, [before_it, f"Signature: {_code(part.text)}", after]))
    return _markdown_lines(part)


def _markdown_lines(text: str) -> str:
    """Return a paragraph for Markdown with its line breaks kept."""
    return "  \n".join(map(markdown_escaped, text.split("\n")))


def _code_block(text: str) -> str:
    """Return lines as a code block, with a fence longer than any backquotes in them."""
    fence = "```"
    while fence in text:
        fence += "`"
    return "\n".join([fence, *map(printable, text.split("\n")), fence])


def _markdown_table(table: Table) -> str:
    """Return a Markdown table whose source is aligned too."""
    head, *body = [
        [markdown_escaped(cell) for cell in row]
        for row in tables.cell_texts(table.rows, table.header, table.decimals)
    ]
    right = tables.number_columns(table.rows, len(head))
    widths = [max(4, *(display_width(row[c]) for row in [head, *body])) for c in range(len(head))]
    lines = ["| " + " | ".join(map(padded, row, widths, right)) + " |" for row in [head, *body]]
    dashes = ["-" * (width - 1) for width in widths]
    marks = [f"{d}:" if r else f":{d}" for d, r in zip(dashes, right, strict=True)]
    lines.insert(1, f"| {' | '.join(marks)} |")
    return "\n".join(lines)


def _code(text: str) -> str:
    """Return a text as inline code, with delimiters longer than any backquotes in it."""
    fence = "`"
    while fence in text:
        fence += "`"
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{printable(text)}{padding}{fence}"
