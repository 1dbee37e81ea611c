"""Documents as text, Markdown and LaTeX: every cell arrives, and other programs can read them."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import click
import markdown  # type: ignore[import-untyped]
import pytest
from hypothesis import given, strategies as st
from tests.cli.running import REFERENCE, SYSTEMS, call, process
from tests.flat import flat

from wordorder.cli.options import FORMATS
from wordorder.cli.program import COMMAND_SUMMARIES, import_command
from wordorder.errors import UsageError
from wordorder.report.document import (
    Document,
    Table,
    Title,
    document_latex,
    document_markdown,
    printed,
)
from wordorder.report.tables import Cell
from wordorder.samples import sample_path
from wordorder.text.display import ENCODING, arrow, cut_sign

# All that LaTeX, Markdown or HTML take for signs.
NASTY = r"a_b & 50 % $x$ #1 {y} ~ ^ \\ <b> [z] | `code` *star* ↑"
ROWS: list[list[Cell]] = [
    [NASTY, 0.5, "[-0.1, 0.2]"],
    ["*", -0.25, "2-3"],
    ["[x]", None, "<0.0001"],
]
DOCUMENT = Document(
    (Title("frs ↑"), Table(ROWS, ["system", "frs ↑", "interval"], ends=(0,)), "A reading.\nMore."),
    ("3 segments",),
    ("frs|v:1", "a`b|v:1"),
)
_COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\&": "&",
    r"\%": "%",
    r"\$": "$",
    r"\#": "#",
    r"\_": "_",
    r"\{": "{",
    r"\}": "}",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textasciigrave{}": "`",
    r"$\uparrow$": "↑",
    r"$\downarrow$": "↓",
    r"$\times$": "×",
    r"\dots{}": "…",
    "$-$": "-",
    "--": "-",
    "{}": "",
}


def set_by_latex(text: str) -> str:
    """Return what LaTeX sets; anything that is neither a letter nor known is refused."""
    known = "|".join(map(re.escape, _COMMANDS))
    rest = re.sub(known, "", text)
    assert not re.search(r"[\\\\{}$&%#_^~]", rest), rest
    return re.sub(known, lambda found: _COMMANDS[found[0]], text)


def latex_rows(text: str) -> list[list[str]]:
    """Read the rows of the only tabular, as LaTeX does: comments first, then cells."""
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    body = "\n".join(lines)
    inside = re.search(r"\\begin{tabular}{([lr]+)}\n(.*)\\end{tabular}", body, re.DOTALL)
    assert inside is not None
    assert body.count(r"\begin") == body.count(r"\end") == 1
    for rule in ("toprule", "midrule", "bottomrule"):
        assert inside[2].count(rf"\{rule}\n".replace(r"\n", "\n")) == 1
    rows = []
    for line in inside[2].splitlines():
        if line.startswith("\\") and line[1:] in (
            "toprule",
            "midrule",
            "bottomrule",
            "addlinespace",
        ):
            continue
        assert line.endswith(r" \\"), line
        # What could be an option of the end of the row before.
        assert line[0] not in "[*(", line
        cells = re.split(r"(?<!\\) ?& ?", line.removesuffix(r"\\").rstrip(" "))
        assert len(cells) == len(inside[1])
        rows.append([set_by_latex(cell) for cell in cells])
    return rows


ROWS = [
    ["system", "frs ↑", "interval"],
    [NASTY, "0.5000", "[-0.1, 0.2]"],
    ["*", "-0.2500", "2-3"],
    ["[x]", "", "<0.0001"],
]


def test_latex_sets_each_cell() -> None:
    text = document_latex(DOCUMENT)
    assert latex_rows(text) == ROWS
    assert "% signature: frs|v:1\n" in text
    assert "% A reading.\n% More.\n" in text
    assert text.count("addlinespace") == 1


@given(st.text(), st.text())
def test_latex_sets_any_name(first: str, second: str) -> None:
    from wordorder.text.display import printable

    table = Table([[first, 1.0]], ["system", second])
    _, row = latex_rows(document_latex(Document((table,), (), ())))
    assert " ".join(row[0].split()) == " ".join(printable(first).split()) or "-" in first


def html_of(text: str) -> tuple[str, list[list[str]]]:
    """Return what Markdown becomes, and the rows of its first table."""
    page: str = markdown.markdown(text, extensions=["tables"])
    table = page[page.index("<table>") : page.index("</table>")]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[1:]]
    shown = [[unescape(re.sub(r"</?(?:p|code|em)>", "", cell)) for cell in row] for row in rows]
    return page, shown


def test_markdown_is_a_table_with_each_cell_and_an_unknown_form_is_refused() -> None:
    html, rows = html_of(document_markdown(DOCUMENT))
    assert rows == ROWS
    assert "<h3>frs ↑</h3>" in html
    assert "<code>frs|v:1</code>" in html
    assert "<code>a`b|v:1</code>" in html
    with pytest.raises(UsageError, match="legal names: latex, markdown, text"):
        printed(DOCUMENT, "word")


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_each_verb_prints_each_form(form: str) -> None:
    shared = ["-m", "frs,kendall", "--format", form, "--resamples", "20"]
    score = call("score", REFERENCE, "-i", *SYSTEMS[:2], *shared, "--confidence").good().text
    compare = call("compare", REFERENCE, "-i", *SYSTEMS[:2], *shared).good().text
    trees = REFERENCE.replace("reference.orders", "trees.conllu")
    evaluate = call(
        *("evaluate", REFERENCE, "--trees", trees, "--rules", "R1", "R5", *shared)
    ).good()
    for text in (score, compare, evaluate.text):
        assert ("frs $\\uparrow$" if form == "latex" and text != compare else "frs ↑") in text
        assert "frs|match:index|ties:best|" in text
        assert text.count("toprule") == (0 if form != "latex" else text.count("bottomrule"))
        assert ("| :---" in text) == (form == "markdown")
    if form == "latex":
        header, *rows = latex_rows(score)
        assert header == ["system", "frs ↑", "kendall ↑"]
        plain = call("score", REFERENCE, "-i", *SYSTEMS[:2], *shared[:2]).good().text
        for row, line in zip(rows, plain.splitlines()[2:], strict=False):
            assert [row[0], row[1][:6]] == line.split()[:2]


NBEST = (
    "0 ||| a b ||| d= -1 lm= -2 ||| -3\n0 ||| b a ||| d= -2 lm= -1 ||| -3\n"
    "1 ||| c d e ||| d= -1 lm= -1 ||| -2\n1 ||| e d c ||| d= 0 lm= -3 ||| -3\n"
)
SAMPLES = Path(REFERENCE).parent
JUDGED = sample_path("", "judged")
# A command line, and a column of its table.
TABLES = [
    (f"rank {JUDGED}/ratings.tsv --resamples 9", "system"),
    (f"rank {JUDGED}/rankings.csv --resamples 9", "judgements"),
    (f"agreement {JUDGED}/ratings.tsv --resamples 9", "statistic"),
    (f"correlate {JUDGED}/judged.toml -m bleu,ter --unit system --resamples 9", "metric"),
    (f"correlate {JUDGED}/judged.toml --fit '0.6*cder + 0.4*per'", "pairs"),
    ("tune lists.txt reference.txt -O points=1", "feature"),
    ("reference few.align --source reference.txt --format pharaoh --check", "word"),
    (f"rules explain R5 --trees {SAMPLES}/trees.conllu", "label"),
    ("rules check wrong.toml", "what"),
    ("rules list", "name"),
    *((f"list {kind}", "options") for kind in ("metrics", "aligners", "parsers")),
    *((f"list {kind}", "summary") for kind in ("rules", "compat")),
    ("tree '1 3 0 2'", "max_arity"),
    ("path 'a b c d' 'd a | b'", "reference_word"),
]


@pytest.mark.parametrize(("command", "column"), TABLES)
def test_markdown_and_latex_have_the_cells_of_tsv(
    command: str, column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lists.txt").write_text(NBEST)
    Path("reference.txt").write_text("a b\nc d e\n")
    Path("few.align").write_text("0-0\n0-0 2-0\n")
    Path("wrong.toml").write_text('name = "wrong"\n[[rule]]\nnosuch = "1"\n')
    form = "--report" if command.startswith("reference") else "--format"
    shown = {
        each: call(*shlex.split(command), form, each).text for each in ("tsv", "markdown", "latex")
    }
    rows = [line.split("\t") for line in shown["tsv"].splitlines()]
    wanted = Counter(row[rows[0].index(column)] for row in rows[1:])
    assert wanted
    _, cells = html_of(shown["markdown"])
    # Behind a metric is an arrow.
    found = Counter(row[cells[0].index(column)].rstrip(" ↑↓") for row in cells[1:])
    assert found == wanted
    tabular = re.findall(r"\\begin{tabular}.*?\\end{tabular}", shown["latex"], re.DOTALL)[0]
    header, *body = latex_rows(tabular)
    found = Counter(row[header.index(column)].rstrip(" ↑↓") for row in body)
    assert {" ".join(cell.split()) for cell in found} == {" ".join(c.split()) for c in wanted}


@pytest.mark.parametrize("systems", ["orders", "text"])
def test_an_analysis_has_a_table_for_each_section(systems: str) -> None:
    files = [REFERENCE, "-i", *SYSTEMS[:2], "--source", f"{SAMPLES}/source.en"]
    if systems == "text":
        files = [f"{JUDGED}/reference.en", "-i", f"{JUDGED}/alder.en", f"{JUDGED}/birch.en"]
    command = ["analyze", *files, "--resamples", "9", "--format"]
    rows = [line.split("\t") for line in call(*command, "tsv").good().text.splitlines()[1:]]
    sections = {row[0] for row in rows}
    html, _ = html_of(call(*command, "markdown").good().text)
    assert html.count("<table>") == len(sections)
    assert "<h3>Findings</h3>" in html
    latex = call(*command, "latex").good().text
    tabulars = re.findall(r"\\begin{tabular}.*?\\end{tabular}", latex, re.DOTALL)
    assert len(tabulars) == len(sections)
    lines = sum(len(latex_rows(each)) - 1 for each in tabulars)
    assert lines == len({(row[0], row[1]) for row in rows})


def test_every_option_of_a_format_has_all_formats() -> None:
    def commands(command: click.Command) -> Iterator[click.Command]:
        yield command
        for under in getattr(command, "commands", {}).values():
            yield from commands(under)

    names = set()
    for verb in COMMAND_SUMMARIES:
        for command in commands(import_command(verb)):
            for each in command.params:
                if each.name == "form" and isinstance(each.type, click.Choice):
                    names.add(command.name)
                    # It prints no table: the trees go to a file, and sentences to standard error.
                    if command.name != "select":
                        assert tuple(each.type.choices) == FORMATS
    assert {"rank", "list", "tree", "path", "analyze", "tune", "correlate"} < names


def test_arrows_where_standard_output_cannot_write_them() -> None:
    assert (arrow(True), arrow(False), cut_sign()) == ("↑", "↓", "…")
    token = ENCODING.set("ascii")
    try:
        assert (arrow(True), arrow(False), cut_sign()) == ("^", "v", "~")
    finally:
        ENCODING.reset(token)
    form = ["score", REFERENCE, "-i", SYSTEMS[0], "-m", "frs"]
    plain = process(*form, environment={"PYTHONIOENCODING": "latin-1"}).good().text
    assert plain.isascii()
    assert flat(plain).startswith("system frs ^")
    assert flat(process(*form).good().text).startswith("system frs ↑")
