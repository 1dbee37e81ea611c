"""Documents as text, Markdown and LaTeX: every cell arrives, and other programs can read them."""

from __future__ import annotations

import re

import markdown  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import REFERENCE, SYSTEMS, call, process
from tests.flat import flat

from wordorder.errors import UsageError
from wordorder.report.document import (
    Document,
    Table,
    Title,
    document_latex,
    document_markdown,
    printed,
)
from wordorder.report.symbols import ENCODING, arrow, cut_sign
from wordorder.report.tables import Cell

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


def test_latex_sets_each_cell() -> None:
    text = document_latex(DOCUMENT)
    assert latex_rows(text) == [
        ["system", "frs ↑", "interval"],
        [NASTY, "0.5000", "[-0.1, 0.2]"],
        ["*", "-0.2500", "2-3"],
        ["[x]", "", "<0.0001"],
    ]
    assert "% signature: frs|v:1\n" in text
    assert "% A reading.\n% More.\n" in text
    assert text.count("addlinespace") == 1


@given(st.text(), st.text())
def test_latex_sets_any_name(first: str, second: str) -> None:
    from wordorder.drawing.width import printable

    table = Table([[first, 1.0]], ["system", second])
    _, row = latex_rows(document_latex(Document((table,), (), ())))
    assert " ".join(row[0].split()) == " ".join(printable(first).split()) or "-" in first


def test_markdown_is_a_table_with_each_cell() -> None:
    text = document_markdown(DOCUMENT)
    html = markdown.markdown(text, extensions=["tables"])
    rows = [
        [_plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    ]
    assert rows == [
        ["system", "frs ↑", "interval"],
        [NASTY, "0.5000", "[-0.1, 0.2]"],
        ["*", "-0.2500", "2-3"],
        ["[x]", "", "<0.0001"],
    ]
    assert "<h3>frs ↑</h3>" in html
    assert "<code>frs|v:1</code>" in html
    assert "<code>a`b|v:1</code>" in html


def _plain(html: str) -> str:
    import html as entities

    return entities.unescape(re.sub(r"</?(?:p|code|em)>", "", html))


def test_an_unknown_form_is_refused() -> None:
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
