"""One figure in three formats, read by programs that share nothing; names as figures show them."""

import io
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from wordorder.drawing.figure import (
    COLUMN,
    STYLE,
    Figure,
    break_lines,
    figure_files,
    printed_width,
    require_matplotlib,
    short_names,
)
from wordorder.errors import UsageError
from wordorder.report.figures.plots import score_points

NAME = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>&\"'\\) $x_1$"


def figure(*labels: str) -> Figure:
    def draw() -> Any:
        from matplotlib.figure import Figure as Canvas

        canvas = Canvas((COLUMN / 72, 2))
        axes = canvas.subplots()
        axes.axis("off")
        axes.barh([0, 1], [3, 2], color=["#0072B2", "#D55E00"])
        for n, label in enumerate(labels):
            canvas.text(0.05, 0.9 - 0.1 * n, label)
        return canvas

    return Figure("name", "Title <&> 語", draw, ("a",), (("b",),))


def page(files: dict[str, bytes]) -> pypdfium2.PdfPage:
    return pypdfium2.PdfDocument(files["pdf"])[0]


def test_pdf_and_png_show_the_same_in_the_size_of_a_column() -> None:
    """PDFium draws the one and Agg the other."""
    files, unknown = figure_files(figure("order"))
    assert not unknown
    png = np.asarray(Image.open(io.BytesIO(files["png"])).convert("RGB"), np.float64)
    assert png.shape == (600, 990, 3)
    assert page(files).get_size() == pytest.approx((237.6, 144))
    bitmap = page(files).render(scale=300 / 72).to_pil().convert("RGB")
    off = np.abs(png - np.asarray(bitmap, np.float64)[:600, :990]).max(axis=2)
    inked = (png != 255).any(axis=2)
    assert inked.mean() > 0.2
    # Edges of shapes and letters are blended in other ways.
    assert (off > 128).sum() < 0.02 * inked.sum()


def test_files_show_what_matplotlib_itself_writes() -> None:
    """Recorded once and repeated three times, or drawn for each file by `savefig`."""
    import matplotlib.style

    drawn = score_points(
        *("n", "t", np.linspace(0.1, 1, 9), np.linspace(1, 0.2, 9) ** 2, "abcdefghi"),
        across_label="a",
        up_label="b",
        header=(),
        rows=(),
    )
    files, _ = figure_files(drawn)
    with matplotlib.style.context(["default", STYLE]):
        drawn.draw().savefig(expected := io.BytesIO(), format="png")
    image, other = (
        np.asarray(Image.open(each).convert("RGB"), np.float64)
        for each in (io.BytesIO(files["png"]), expected)
    )
    assert image.shape == other.shape
    off = np.abs(image - other).max(axis=2)
    # Letters stand where unhinted text ends.
    assert (off > 128).sum() < 0.05 * (other != 255).any(axis=2).sum()
    assert Image.open(io.BytesIO(files["png"])).info["dpi"] == pytest.approx((300, 300), abs=0.1)


def test_text_is_text_in_svg_and_pdf() -> None:
    labels = [HOSTILE, "naïve – 5 € · „é“", "порядок слов"]
    files, unknown = figure_files(figure(*labels))
    assert not unknown
    root = ET.fromstring(files["svg"].decode())
    assert [text.text for text in root.iter(f"{NAME}text")] == labels
    read = page(files).get_textpage().get_text_bounded()
    assert all(label in read for label in labels)


def test_what_the_font_lacks_is_said_and_svg_has_it() -> None:
    files, unknown = figure_files(figure("語順 order", "שלום"))
    assert unknown == sorted(["語順 order", "שלום"])
    root = ET.fromstring(files["svg"].decode())
    assert [text.text for text in root.iter(f"{NAME}text")] == ["語順 order", "שלום"]
    read = page(files).get_textpage().get_text_bounded()
    assert "?? order" in read
    assert "????" in read


def test_equal_figures_make_equal_files_whatever_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import matplotlib as mpl

    files, _ = figure_files(figure("a"))
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "path", "figure.facecolor": "red"}):
        assert figure_files(figure("a"))[0] == files
    files, _ = figure_files(figure("a"))
    assert files == figure_files(figure("a"))[0]
    assert files != figure_files(figure("b"))[0]
    assert not any(b"Date" in content or b"<dc:date>" in content for content in files.values())
    assert ET.fromstring(files["svg"].decode()).attrib["width"] == "237.6pt"


def test_without_matplotlib_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("wordorder.drawing.figure.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'wordorder\[plot\]'"):
        require_matplotlib()


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["ted.en.A", "ted.en.B"], ["A", "B"]),
        (["out/a.de-en", "out/b.de-en"], ["a", "b"]),
        # Words and numbers are never cut.
        (["system10", "system12"], ["system10", "system12"]),
        (["online-A", "online"], ["online-A", "online"]),
        (["x-a-x", "x-x"], ["a-x", "x"]),
        (["one", "one"], ["one", "one"]),
        (["a\nb.en", "a\nc.en"], ["a�b", "a�c"]),
    ],
)
def test_what_all_names_share_is_left_out(names: list[str], shown: list[str]) -> None:
    assert short_names(names) == shown


@pytest.mark.parametrize("name", ["a" * 100, "university-of-x " * 9, "翻訳" * 40, "-" * 60])
def test_long_names_are_broken_not_cut(name: str) -> None:
    lines = break_lines(name, 70).split("\n")
    assert all(printed_width(line) <= 70 for line in lines)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
