"""What a cell of a notebook shows: run by Jupyter, laid out by Jupyter, in a browser."""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from tests.browser.conftest import Tab

SETTING_UP = """import warnings
from wordorder.samples import sample_path

warnings.simplefilter("ignore")
alder, birch, cedar, reference = (
    sample_path(f"{name}.en", "judged").read_text("utf-8").splitlines()
    for name in ("alder", "birch", "cedar", "reference")
)"""
CODE = """import wordorder as wo

wo.compare({"alder": alder, "birch": birch, "cedar": cedar}, reference,
           metrics=["frs", "kendall", "bleu"])"""


def test_a_result_in_a_cell(tab: Tab, tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in (SETTING_UP, CODE)]
    )
    NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    del notebook.cells[0]
    # Nothing is fetched from the network.
    exporter = HTMLExporter(mathjax_url="", require_js_url="", mermaid_js_url="")
    page = tab.open(
        exporter.from_notebook_node(notebook)[0], viewport={"width": 1200, "height": 420}
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 1200
    text = page.inner_text(".jp-OutputArea-output")
    for part in ("alder", "birch", "cedar", "frs", "bleu", "is better than"):
        assert part in text
    folder = os.environ.get("WORDORDER_PICTURES", str(tmp_path))
    page.screenshot(path=str(Path(folder, "notebook.png")), full_page=True)
