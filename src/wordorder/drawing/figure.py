"""A figure for a paper: marks on a plane, to be written as SVG, PDF and PNG alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from wordorder.drawing.svg import (
    ASCENT,
    DESCENT,
    TEXT_FONT_SIZE,
    helvetica_widths,
    lacks_characters,
    printed_width,
)
from wordorder.drawing.trees import drawable

Point = tuple[float, float]

Box = tuple[float, float, float, float]

Cell = str | int | float | None

# The width of a column of text in most proceedings, 3.3 inches of 72 points.
COLUMN = 237.6

BLACK, GREY, PALE, WHITE = "#000000", "#808080", "#D0D0D0", "#FFFFFF"


@dataclass(frozen=True)
class Stroke:
    """How a line is drawn.

    Attributes
    ----------
    colour : str
        ``#RRGGBB``.
    width : float
        In points.
    dashes : tuple of float
        Lengths of dashes and gaps in turn; empty for an unbroken line.
    """

    colour: str = BLACK
    width: float = 0.75
    dashes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Line:
    """Points joined by straight lines."""

    points: tuple[Point, ...]
    stroke: Stroke


@dataclass(frozen=True)
class Shape:
    """A polygon."""

    points: tuple[Point, ...]
    fill: str | None
    stroke: Stroke | None = None


@dataclass(frozen=True)
class Circle:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: str | None
    stroke: Stroke | None = None


@dataclass(frozen=True)
class Label:
    """A line of text.

    Attributes
    ----------
    x, y : float
        A point of its base line.
    text : str
    anchor : "start", "middle" or "end"
        Which part of the text is at that point.
    size : float
        In points.
    upwards : bool
        Whether it is turned by 90 degrees, to be read from below.
    colour : str
    """

    x: float
    y: float
    text: str
    anchor: str = "start"
    size: float = TEXT_FONT_SIZE
    upwards: bool = False
    colour: str = BLACK

    @property
    def before(self) -> float:
        """How much of its width is before the point."""
        return {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * self.width

    @property
    def width(self) -> float:
        """Its width in Helvetica, in points."""
        return printed_width(self.text, self.size)

    @property
    def box(self) -> Box:
        """What it covers: left, top, right, bottom.

        Examples
        --------
        >>> [round(side, 2) for side in Label(10, 20, "m", "end").box]
        [3.34, 14.0, 10.0, 21.76]
        """
        up, down = ASCENT * self.size, DESCENT * self.size
        if self.upwards:
            bottom = self.y + self.before
            return self.x - up, bottom - self.width, self.x + down, bottom
        left = self.x - self.before
        return left, self.y - up, left + self.width, self.y + down


Mark = Line | Shape | Circle | Label


@dataclass(frozen=True)
class Figure:
    """What is drawn, and the data behind it.

    Attributes
    ----------
    name : str
        Of its files, without a suffix: letters, digits, hyphens, dots.
    title : str
        What it shows; said in the files, not drawn.
    width, height : float
        In points; ``x`` grows to the right, ``y`` downwards.
    marks : tuple of Line, Shape, Circle or Label
        From the back to the front.
    header : tuple of str
        The columns of the data.
    rows : iterable of tuples
        The data: what is drawn, in full. Read again whenever the figure is written.
    """

    name: str
    title: str
    width: float
    height: float
    marks: tuple[Mark, ...]
    header: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]


def rectangle(
    left: float,
    top: float,
    right: float,
    bottom: float,
    fill: str | None,
    stroke: Stroke | None = None,
) -> Shape:
    """Return a rectangle.

    Examples
    --------
    >>> rectangle(0, 1, 2, 3, "#000000").points
    ((0, 1), (2, 1), (2, 3), (0, 3))
    """
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Shape(corners, fill, stroke)


# The others have the widths of Helvetica.
_FONTS = "Helvetica, Arial, 'Liberation Sans', sans-serif"


def figure_svg(figure: Figure) -> str:
    """Write a figure as one ``<svg>`` element, on white, its size in points.

    Returns
    -------
    str
        Without scripts, links, style sheets and fonts; equal input gives equal text.

    Examples
    --------
    >>> figure = Figure("a", "A < B", 10, 20, (Label(1, 9, "<b>"),), ("name",), (("<b>",),))
    >>> print(figure_svg(figure))
    <svg xmlns="http://www.w3.org/2000/svg" width="10pt" height="20pt" viewBox="0 0 10 20" role="img" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" font-size="8" stroke-linejoin="round">
    <title>A &lt; B</title>
    <rect width="10" height="20" fill="#FFFFFF"/>
    <text x="1" y="9" textLength="13.79" lengthAdjust="spacingAndGlyphs">&lt;b&gt;</text>
    </svg>
    """  # noqa: E501  # one line of the output
    width, height = plain(figure.width), plain(figure.height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" '
            f'viewBox="0 0 {width} {height}" role="img" font-family="{_FONTS}" font-size="8" '
            'stroke-linejoin="round">',
            f"<title>{escape(drawable(figure.title))}</title>",
            f'<rect width="{width}" height="{height}" fill="#FFFFFF"/>',
            *map(_element, figure.marks),
            "</svg>",
        ]
    )


def plain(value: float) -> str:
    """Write a coordinate with at most two decimals.

    Examples
    --------
    >>> plain(12.0), plain(7.314), plain(-0.001)
    ('12', '7.31', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _element(mark: Mark) -> str:
    if isinstance(mark, Label):
        return _text(mark)
    if isinstance(mark, Line):
        return f'<path d="{_path(mark.points)}" fill="none"{_stroke(mark.stroke)}/>'
    paint = f' fill="{mark.fill or "none"}"{_stroke(mark.stroke)}'
    if isinstance(mark, Circle):
        x, y, radius = plain(mark.x), plain(mark.y), plain(mark.radius)
        return f'<circle cx="{x}" cy="{y}" r="{radius}"{paint}/>'
    return f'<path d="{_path(mark.points)}Z"{paint}/>'


def _path(points: tuple[Point, ...]) -> str:
    return "M" + "L".join(f"{plain(x)} {plain(y)}" for x, y in points)


def _stroke(stroke: Stroke | None) -> str:
    if stroke is None:
        return ""
    dashes = ""
    if stroke.dashes:
        dashes = f' stroke-dasharray="{" ".join(map(plain, stroke.dashes))}"'
    return f' stroke="{stroke.colour}" stroke-width="{plain(stroke.width)}"{dashes}'


def _text(label: Label) -> str:
    x, y = plain(label.x), plain(label.y)
    place = f'x="{x}" y="{y}"'
    if label.anchor != "start":
        place += f' text-anchor="{label.anchor}"'
    if label.size != 8:
        place += f' font-size="{plain(label.size)}"'
    if label.upwards:
        place += f' transform="rotate(-90 {x} {y})"'
    if not lacks_characters(label.text):
        # A reader without Helvetica may have a wider font.
        place += f' textLength="{plain(label.width)}" lengthAdjust="spacingAndGlyphs"'
    if label.colour != "#000000":
        place += f' fill="{label.colour}"'
    return f"<text {place}>{escape(drawable(label.text))}</text>"


# Where the control points of a quarter of a circle are.
_QUARTER = 0.5523

_FIRST, _LAST = 32, 255


def figure_pdf(figure: Figure) -> bytes:
    """Write a figure as a PDF of one page of its size.

    Characters that Helvetica lacks are written as "?": see `lacks_characters`.

    Returns
    -------
    bytes
        Without a date; equal input gives equal bytes.

    Examples
    --------
    >>> figure = Figure("a", "A", 10, 20, (Label(1, 9, "b"),), ("name",), (("b",),))
    >>> figure_pdf(figure)[:8]
    b'%PDF-1.4'
    """
    import pydyf

    known = helvetica_widths()
    widths = [known.get(_character(code), 0) for code in range(_FIRST, _LAST + 1)]
    document = pydyf.PDF()
    font = pydyf.Dictionary(
        {
            "Type": "/Font",
            "Subtype": "/Type1",
            "BaseFont": "/Helvetica",
            "Encoding": "/WinAnsiEncoding",
            "FirstChar": _FIRST,
            "LastChar": _LAST,
            "Widths": pydyf.Array(widths),
        }
    )
    document.add_object(font)
    # From here on y grows downwards.
    lines = [f"1 0 0 -1 0 {plain(figure.height)} cm", "1 j"]
    for mark in figure.marks:
        lines += _operators(mark)
    content = pydyf.Stream([line.encode("ascii") for line in lines])
    document.add_object(content)
    fonts = pydyf.Dictionary({"F": font.reference})
    document.add_page(
        pydyf.Dictionary(
            {
                "Type": "/Page",
                "Parent": document.pages.reference,
                "MediaBox": pydyf.Array(
                    [b"0 0", plain(figure.width).encode(), plain(figure.height).encode()]
                ),
                "Contents": content.reference,
                "Resources": pydyf.Dictionary({"Font": fonts}),
            }
        )
    )
    document.info["Title"] = pydyf.String(drawable(figure.title))
    stream = BytesIO()
    document.write(stream, version=b"1.4")
    return stream.getvalue()


def _character(code: int) -> str:
    return bytes([code]).decode("cp1252", "replace")


def _operators(mark: Mark) -> list[str]:
    """Write a mark in the operators of PDF."""
    if isinstance(mark, Label):
        return [_figure_pdf_text(mark)]
    if isinstance(mark, Line):
        return [_figure_pdf_stroke(mark.stroke), _figure_pdf_path(mark.points), "S"]
    found = [] if mark.stroke is None else [_figure_pdf_stroke(mark.stroke)]
    if mark.fill is not None:
        found.append(f"{_colour(mark.fill)} rg")
    found.append(_round(mark) if isinstance(mark, Circle) else f"{_figure_pdf_path(mark.points)} h")
    paint = {(True, True): "B", (True, False): "f", (False, True): "S", (False, False): "n"}
    return [*found, paint[mark.fill is not None, mark.stroke is not None]]


def _figure_pdf_path(points: tuple[Point, ...]) -> str:
    first, *others = (f"{plain(x)} {plain(y)}" for x, y in points)
    return " ".join([f"{first} m", *(f"{point} l" for point in others)])


def _round(mark: Circle) -> str:
    """Write a circle as four curves."""
    x, y, r = mark.x, mark.y, mark.radius
    k = _QUARTER * r
    curves = [
        (x + r, y + k, x + k, y + r, x, y + r),
        (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r),
        (x + k, y - r, x + r, y - k, x + r, y),
    ]
    drawn = [f"{' '.join(map(plain, curve))} c" for curve in curves]
    return " ".join([f"{plain(x + r)} {plain(y)} m", *drawn, "h"])


def _figure_pdf_stroke(stroke: Stroke) -> str:
    dashes = " ".join(map(plain, stroke.dashes))
    return f"{_colour(stroke.colour)} RG {plain(stroke.width)} w [{dashes}] 0 d"


def _colour(colour: str) -> str:
    return " ".join(f"{int(colour[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5))


def _figure_pdf_text(label: Label) -> str:
    """Write a text; the minus signs turn its letters, which would be upside down, round."""
    known = helvetica_widths()
    text = "".join(c if c in known else "?" for c in label.text)
    # The width of what is written: a question mark is narrower than most of what it is for.
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
    before = share * printed_width(text, label.size)
    if label.upwards:
        place = f"0 -1 -1 0 {plain(label.x)} {plain(label.y + before)} Tm"
    else:
        place = f"1 0 0 -1 {plain(label.x - before)} {plain(label.y)} Tm"
    shown = text.encode("cp1252").hex()
    paint = f"{_colour(label.colour)} rg"
    return f"{paint} BT /F {plain(label.size)} Tf {place} <{shown}> Tj ET"


DOTS_PER_INCH = 300

_SCALE = DOTS_PER_INCH / 72

# DejaVu Sans, which comes with matplotlib, is about as much wider than Helvetica.
_NARROWER = 0.88

_MISSING = "\ufffd"


def can_write_png() -> bool:
    """Whether matplotlib is installed; it is not imported for that."""
    return find_spec("matplotlib") is not None


def figure_png(figure: Figure) -> bytes:
    """Write a figure as a picture of 300 dots an inch, on white.

    The marks are where they are in SVG and PDF. The font is DejaVu Sans, smaller where a text would
    be wider than in Helvetica; what it lacks, and what is read from right to left, is written as
    U+FFFD.

    Raises
    ------
    ModuleNotFoundError
        Without matplotlib: see `can_write_png`.
    """
    import numpy as np
    from matplotlib.backends import backend_agg
    from PIL import Image

    size = round(figure.width * _SCALE), round(figure.height * _SCALE)
    # Typed in part only.
    agg: Any = backend_agg
    renderer = agg.RendererAgg(*size, DOTS_PER_INCH)
    canvas = _Canvas(renderer, size[1])
    canvas.fill_white(*size)
    for mark in figure.marks:
        canvas.draw(mark)
    stream = BytesIO()
    pixels = np.asarray(renderer.buffer_rgba())[:, :, :3]
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    picture.save(stream, "png", dpi=(DOTS_PER_INCH, DOTS_PER_INCH))
    return stream.getvalue()


def lacks_glyphs(text: str) -> bool:
    """Whether the font of PNG lacks some of a text's characters, or would put them the wrong way.

    Examples
    --------
    >>> lacks_glyphs("naïve"), lacks_glyphs("порядок"), lacks_glyphs("語順")
    (False, False, True)
    """
    return any(not _drawn(character) for character in text)


class _Canvas:
    """Draws marks with matplotlib's renderer, whose y grows upwards from the bottom."""

    def __init__(self, renderer: Any, height: int) -> None:
        from matplotlib.transforms import Affine2D

        self._renderer = renderer
        self._height = height
        self._place = Affine2D().scale(_SCALE, -_SCALE).translate(0, height)

    def fill_white(self, width: int, height: int) -> None:
        from matplotlib.path import Path
        from matplotlib.transforms import Affine2D

        corners = Path([(0, 0), (width, 0), (width, height), (0, height), (0, 0)], closed=True)
        self._renderer.draw_path(self._pen(None), corners, Affine2D(), (1.0, 1.0, 1.0))

    def draw(self, mark: Mark) -> None:
        from matplotlib.path import Path
        from matplotlib.transforms import Affine2D

        if isinstance(mark, Label):
            self._write(mark)
        elif isinstance(mark, Line):
            path = Path(mark.points)
            self._renderer.draw_path(self._pen(mark.stroke), path, self._place)
        elif isinstance(mark, Circle):
            place = Affine2D().scale(mark.radius).translate(mark.x, mark.y) + self._place
            self._paint(Path.unit_circle(), place, mark.fill, mark.stroke)
        else:
            path = Path([*mark.points, mark.points[0]], closed=True)
            self._paint(path, self._place, mark.fill, mark.stroke)

    def _paint(self, path: Any, place: Any, fill: str | None, stroke: Stroke | None) -> None:
        self._renderer.draw_path(
            self._pen(stroke), path, place, None if fill is None else _rgb(fill)
        )

    def _pen(self, stroke: Stroke | None) -> Any:
        pen = self._renderer.new_gc()
        pen.set_linewidth(0 if stroke is None else stroke.width)
        pen.set_capstyle("butt")
        pen.set_joinstyle("round")
        if stroke is not None:
            pen.set_foreground(_rgb(stroke.colour))
            if stroke.dashes:
                pen.set_dashes(0, list(stroke.dashes))
        return pen

    def _write(self, label: Label) -> None:
        from matplotlib.textpath import TextPath
        from matplotlib.transforms import Affine2D

        text = "".join(c if _drawn(c) else _MISSING for c in drawable(label.text))
        if not text.strip():
            return
        path = TextPath((0, 0), text, size=label.size * _NARROWER, prop=_font_properties())
        width = float(path.vertices[:, 0].max())
        size = min(1.0, label.width / width)
        before = label.before / label.width * width * size
        # A text's own y grows upwards.
        place: Any = Affine2D().scale(size, -size).translate(-before, 0)
        if label.upwards:
            place = place.rotate_deg(-90)
        place = place.translate(label.x, label.y) + self._place
        self._renderer.draw_path(self._pen(None), path, place, _rgb(label.colour))


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))


@cache
def _font_file() -> str:
    import matplotlib

    return f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf"


@cache
def _font_properties() -> Any:
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=_font_file())


@cache
def _drawn(character: str) -> bool:
    """Whether the font has a character, and it is not read from right to left."""
    from matplotlib.ft2font import FT2Font

    if unicodedata.bidirectional(character) in ("R", "AL"):
        return False
    return FT2Font(_font_file()).get_char_index(ord(character)) != 0
