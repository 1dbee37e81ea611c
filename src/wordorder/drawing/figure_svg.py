"""A figure as SVG."""

from __future__ import annotations

from html import escape

from wordorder.drawing.figure import Circle, Figure, Label, Line, Mark, Point, Stroke
from wordorder.drawing.text_size import lacks_characters
from wordorder.drawing.tree_labels import drawable

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
