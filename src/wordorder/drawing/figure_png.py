"""A figure as PNG, through matplotlib, which the extra ``plot`` installs."""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from wordorder.drawing.figure import Circle, Figure, Label, Line, Mark, Stroke
from wordorder.drawing.tree_labels import drawable

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
