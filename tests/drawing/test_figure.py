"""One figure in three formats: the same marks at the same places, the text as text."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import numpy as np
import pypdfium2
import pytest
from PIL import Image

from wordorder.drawing.figure import (
    COLUMN,
    Circle,
    Figure,
    Label,
    Line,
    Mark,
    Shape,
    Stroke,
    figure_pdf,
    figure_png,
    figure_svg,
    rectangle,
)
from wordorder.drawing.svg import fitted_names, helvetica_widths, printed_width

NAME = "{http://www.w3.org/2000/svg}"
SHAPES: tuple[Mark, ...] = (
    rectangle(10, 10, 60, 30, "#56B4E9", Stroke("#000000", 2)),
    Circle(100, 50, 10, "#E69F00", Stroke("#000000", 1)),
    Circle(150, 50, 10, None, Stroke("#0072B2", 3)),
    Line(((10, 80), (120, 90), (200, 85)), Stroke("#D55E00", 2, (6, 3))),
    Shape(((200, 20), (220, 60), (180, 60)), "#009E73"),
)
HOSTILE = "<script>alert(1)</script>&\"'\\)\u202e"


def figure(*marks: Mark) -> Figure:
    return Figure("name", "Title <&>", COLUMN, 130, marks, ("a",), (("b",),))


def page(pdf: bytes) -> pypdfium2.PdfPage:
    return pypdfium2.PdfDocument(pdf)[0]


def pixels(image: Image.Image) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(image.convert("RGB"), np.float64)


def test_pdf_and_png_have_the_same_marks_at_the_same_places() -> None:
    """Two programs that share nothing draw them: PDFium and Agg."""
    drawn = figure(*SHAPES)
    png = pixels(Image.open(io.BytesIO(figure_png(drawn))))
    pdf = pixels(page(figure_pdf(drawn)).render(scale=300 / 72).to_pil())
    assert png.shape == (round(130 * 300 / 72), 990, 3)
    height, width = min(len(png), len(pdf)), 990
    off = np.abs(png[:height, :width] - pdf[:height, :width]).max(axis=2)
    inked = (png[:height, :width] != 255).any(axis=2)
    assert inked.mean() > 0.05
    # Edges of shapes are blended in other ways.
    assert (off > 128).sum() < 0.02 * inked.sum()


def test_svg_has_the_same_marks() -> None:
    root = ET.fromstring(figure_svg(figure(*SHAPES)))
    assert (root.attrib["width"], root.attrib["height"]) == ("237.6pt", "130pt")
    # The first is the paper.
    assert [each.tag.removeprefix(NAME) for each in root][1:] == [
        *("rect", "path", "circle", "circle", "path", "path")
    ]
    line = root[5].attrib
    assert line["d"] == "M10 80L120 90L200 85"
    assert (line["stroke"], line["stroke-width"]) == ("#D55E00", "2")
    assert line["stroke-dasharray"] == "6 3"
    assert root[4].attrib["fill"] == "none"


@pytest.mark.parametrize("write", [figure_pdf, figure_png, figure_svg])
def test_equal_figures_make_equal_files(write: object) -> None:
    assert callable(write)
    assert write(figure(*SHAPES, Label(9, 9, "a"))) == write(figure(*SHAPES, Label(9, 9, "a")))


@pytest.mark.parametrize(
    ("anchor", "left", "right"), [("start", 100, 133), ("middle", 83.5, 116.5), ("end", 67, 100)]
)
def test_pdf_places_text_by_its_width(anchor: str, left: float, right: float) -> None:
    """PDFium measures the words with a Helvetica of its own."""
    text = page(figure_pdf(figure(Label(100, 60, "HHHHH", anchor)))).get_textpage()
    boxes = [text.get_charbox(n, loose=True) for n in range(text.count_chars())]
    wide = printed_width("HHHHH")
    assert wide == pytest.approx(5 * 8 * 0.722)
    shift = (33 - wide) * {"start": 0, "middle": 0.5, "end": 1}[anchor]
    assert boxes[0][0] == pytest.approx(left + shift, abs=0.6)
    assert boxes[-1][2] == pytest.approx(left + shift + wide, abs=0.6)
    # Upright, its base line 60 below the upper edge.
    assert boxes[0][1] < 130 - 60 < boxes[0][3]


def test_text_that_is_turned_is_read_upwards() -> None:
    text = page(figure_pdf(figure(Label(50, 100, "HM", upwards=True)))).get_textpage()
    first, second = (text.get_charbox(n) for n in range(2))
    # From the lower edge of the page: the second letter is above the first, both left of the line.
    assert second[1] >= first[3] - 0.5
    assert first[1] == pytest.approx(30, abs=1)
    assert first[2] == pytest.approx(50, abs=0.5)
    assert first[0] < 45


def test_text_is_text_in_svg_and_pdf() -> None:
    drawn = figure(Label(10, 20, HOSTILE), Label(10, 40, "naïve – 5 € · „é“"))
    root = ET.fromstring(figure_svg(drawn))
    texts = [each.text for each in root.iter(f"{NAME}text")]
    assert texts == [HOSTILE.replace("\u202e", "\ufffd"), "naïve – 5 € · „é“"]
    read = page(figure_pdf(drawn)).get_textpage().get_text_bounded()
    assert HOSTILE.replace("\u202e", "?") in read
    assert "naïve – 5 € · „é“" in read


def test_png_has_text_and_no_warning_of_missing_characters() -> None:
    without = pixels(Image.open(io.BytesIO(figure_png(figure()))))
    assert (without == 255).all()
    drawn = figure(Label(10, 20, "Ж語\u202e" + HOSTILE), Label(10, 60, " "))
    with_text = pixels(Image.open(io.BytesIO(figure_png(drawn))))
    rows, columns = np.nonzero((with_text < 128).any(axis=2))
    left, top, right, bottom = (side * 300 / 72 for side in drawn.marks[0].box)  # type: ignore[union-attr]
    assert left - 2 <= columns.min() <= columns.max() <= right + 6
    assert top - 4 <= rows.min() <= rows.max() <= bottom + 4


def test_widths_are_those_of_adobe() -> None:
    """The metrics that Adobe publishes; matplotlib has a copy."""
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "pdfcorefonts"
    rows = (fonts / "Helvetica.afm").read_text("latin-1").splitlines()
    widths = {}
    for row in rows:
        if row.startswith("C ") and not row.startswith("C -1"):
            code, width = row.split()[1], row.split()[4]
            widths[int(code)] = int(width)
    known = helvetica_widths()
    # Letters, digits and most signs of ASCII have the same codes in Adobe's standard encoding.
    same = [code for code in range(32, 127) if chr(code) not in "'`"]
    assert len(same) > 90
    assert all(known[chr(code)] == widths[code] for code in same)
    named = {row.split()[7]: int(row.split()[4]) for row in rows if row.startswith("C ")}
    for character, name in zip(
        "éßØ€–“…²·",
        [
            "eacute",
            "germandbls",
            "Oslash",
            "Euro",
            "endash",
            "quotedblleft",
            "ellipsis",
            "twosuperior",
            "periodcentered",
        ],
        strict=True,
    ):
        assert known[character] == named[name], name
    assert {character.encode("cp1252") for character in known} >= {
        bytes([code]) for code in range(160, 256)
    }


def test_cut_names_fit_and_stay_apart() -> None:
    names = [f"university-of-somewhere-unconstrained-{n}-primary-final" for n in range(30)]
    cut = fitted_names(names, 70)
    assert len(set(cut)) == 30
    assert all(printed_width(name) <= 70 for name in cut)
    assert fitted_names(["short"], 70) == ["short"]


def test_names_that_differ_in_their_middle_keep_what_is_around_it() -> None:
    names = [f"a-long-name-of-system-{n}-of-the-track-of-the-year" for n in range(12)]
    cut = fitted_names(names, 90)
    assert len(set(cut)) == 12
    assert all(f"tem-{n}-of" in name for n, name in enumerate(cut))
    assert all(printed_width(name) <= 90 for name in cut)
