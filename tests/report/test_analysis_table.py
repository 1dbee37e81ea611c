"""An analysis as text, JSON and TSV."""

import json

import numpy as np
import pytest
from tests.flat import flat

from wordorder.analysis.corpus import AnalysedSystem, Corpus
from wordorder.analysis.section import Analysis, Section
from wordorder.order.orders import Orders
from wordorder.report.sections import analysis_json, analysis_text, analysis_tsv, sections_text
from wordorder.text.shown import display_width
from wordorder.treebank.treebank import Treebank

HOSTILE = "\x1b[2J<b>\n\t\u202e猫"


@pytest.fixture
def analysis() -> Analysis:
    """Two sections: numbers with examples, and sentences with long texts of strangers."""
    long = f"{HOSTILE} {'very ' * 20}long"
    sections = (
        Section(
            *("words", "Words", "The worst is 'a'."),
            ("form", "occurs", "lost"),
            (("a", 3, 0.1), (HOSTILE, None, 1 / 3)),
            ((0, 1, 0, 1), ()),
            "A first note. A second one.",
        ),
        Section(
            *("worst", "Worst 猫", "One sentence."),
            ("sentence", "frs", "source", "result"),
            ((2, 0.5, long, "short"),),
            ((1,),),
            "A second one. A third.",
        ),
        Section("none", "Nothing", "There is nothing.", ("x",), ()),
    )
    words = Treebank.from_words([["a"], ["b"]])
    orders = Orders.from_rows([[0], [0]])
    system = AnalysedSystem("A", orders, np.array([1.0, 0]), np.array([False, True]))
    return Analysis(Corpus(words, orders), (system,), "frs|v:1", None, sections)


def test_text_has_all_cells_and_no_control_characters(analysis: Analysis) -> None:
    text = analysis_text(analysis)
    assert "\x1b" not in text
    assert "\t" not in text
    assert "\u202e" not in text
    assert text.endswith("2 sentences, 1 system\nfrs|v:1\n")
    lines = text.split("\n")
    assert lines[:3] == ["Words", "=====", "The worst is 'a'."]
    found = [line.split()[:4] for line in lines if line.startswith("a ")]
    assert found == [["a", "3", "0.1000", "1"]]
    assert next(line for line in lines if line.startswith("a ")).endswith("1 2 1")
    # A second time only what is new.
    assert text.count("A second one.") == 1
    assert "\n\nA third.\n" in text
    title = lines.index("Worst 猫")
    assert len(lines[title + 1]) == display_width("Worst 猫")


def test_long_texts_stand_below_their_row(analysis: Analysis) -> None:
    lines = sections_text(analysis.sections[1:2]).split("\n")
    row = next(number for number, line in enumerate(lines) if line.lstrip().startswith("2 "))
    assert lines[row].split() == ["2", "0.5000", "short"]
    assert lines[row + 1].startswith("    source  ")
    assert lines[row + 2].startswith(f"{12 * ' '}very ")
    assert flat(" ".join(lines[row + 1 :])).count("very") == 20
    # A table of sentences has no column that names them once more.
    assert "examples" not in lines[row - 2]


def test_json_is_plain_and_counts_from_one(analysis: Analysis) -> None:
    found = json.loads(json.dumps(analysis_json(analysis), allow_nan=False))
    assert found["sentences"] == 2
    assert found["systems"] == [{"name": "A", "scores": [1.0, 0.0], "skipped": [2]}]
    assert found["sections"][0]["rows"][0] == {"form": "a", "occurs": 3, "lost": 0.1}
    assert found["sections"][0]["rows"][1]["form"] == HOSTILE
    assert found["sections"][0]["examples"] == [[1, 2, 1, 2], []]
    assert "grid" not in found


def test_tsv_has_a_line_for_each_cell_in_full(analysis: Analysis) -> None:
    lines = analysis_tsv(analysis).split("\n")
    assert lines[0] == "section\trow\tcolumn\tvalue"
    assert lines[-1] == ""
    cells = [line.split("\t") for line in lines[1:-1]]
    assert all(len(cell) == 4 for cell in cells)
    assert ["words", "1", "examples", "1 2 1 2"] in cells
    assert ["words", "2", "occurs", ""] in cells
    value = next(cell[3] for cell in cells if cell[:3] == ["words", "2", "lost"])
    assert float(value) == 1 / 3
    assert len(cells) == 6 + 1 + 4 + 1
