"""A figure as PDF, its text in Helvetica, which every reader has."""

from __future__ import annotations

from io import BytesIO

from wordorder.drawing.figure import Circle, Figure, Label, Line, Mark, Point, Stroke
from wordorder.drawing.figure_svg import plain
from wordorder.drawing.text_size import helvetica_widths, printed_width
from wordorder.drawing.tree_labels import drawable

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
        return [_text(mark)]
    if isinstance(mark, Line):
        return [_stroke(mark.stroke), _path(mark.points), "S"]
    found = [] if mark.stroke is None else [_stroke(mark.stroke)]
    if mark.fill is not None:
        found.append(f"{_colour(mark.fill)} rg")
    found.append(_round(mark) if isinstance(mark, Circle) else f"{_path(mark.points)} h")
    paint = {(True, True): "B", (True, False): "f", (False, True): "S", (False, False): "n"}
    return [*found, paint[mark.fill is not None, mark.stroke is not None]]


def _path(points: tuple[Point, ...]) -> str:
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


def _stroke(stroke: Stroke) -> str:
    dashes = " ".join(map(plain, stroke.dashes))
    return f"{_colour(stroke.colour)} RG {plain(stroke.width)} w [{dashes}] 0 d"


def _colour(colour: str) -> str:
    return " ".join(f"{int(colour[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5))


def _text(label: Label) -> str:
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
