"""What a cell of a notebook shows, in a browser."""

from __future__ import annotations

import html
import os
from pathlib import Path

from tests.browser.conftest import Tab

import wordorder as wo
from wordorder.notes import held_notes
from wordorder.samples import sample_path

CODE = """import wordorder as wo

wo.compare({"alder": alder, "birch": birch, "cedar": cedar}, reference,
           metrics=["frs", "kendall", "bleu"])"""
# As notebooks lay out a cell and its output.
STYLE = """body { margin: 16px; font: 14px system-ui, sans-serif; }
pre { background: #f5f5f5; border: 1px solid #e0e0e0; padding: 8px; font: 13px monospace; }
table { border-collapse: collapse; } td, th { padding: 4px 8px; text-align: right; }
thead { border-bottom: 1px solid #bdbdbd; } tbody tr:nth-child(odd) { background: #f5f5f5; }"""


def test_a_result_in_a_cell(tab: Tab, tmp_path: Path) -> None:
    systems = {
        name: sample_path(f"{name}.en", "judged").read_text("utf-8").splitlines()
        for name in ("alder", "birch", "cedar")
    }
    reference = sample_path("reference.en", "judged").read_text("utf-8").splitlines()
    names = {**systems, "reference": reference}
    given = CODE.partition("\n\n")[2]
    with held_notes():
        result = eval(given, {"wo": wo, **names})
    page = tab.open(
        f"<!doctype html><meta charset=utf-8><title>cell</title><style>{STYLE}</style>"
        f"<pre>{html.escape(CODE)}</pre>{result._repr_html_()}",
        viewport={"width": 1200, "height": 410},
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 1200
    text = page.inner_text("body")
    for part in (*systems, "FRS", "BLEU"):
        assert part.lower() in text.lower()
    folder = os.environ.get("WORDORDER_PICTURES", str(tmp_path))
    page.screenshot(path=str(Path(folder, "notebook.png")))
