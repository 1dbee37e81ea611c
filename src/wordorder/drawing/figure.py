"""A figure for a paper: its matplotlib drawing, its data, and the bytes of its files."""

from __future__ import annotations

import os
import re
import struct
import unicodedata
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise, takewhile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import UInt8
from wordorder.drawing.look import colour
from wordorder.drawing.svg import FONT_SIZE, text_width
from wordorder.drawing.trees import drawable
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Cell = str | int | float | None

# The width of a column of text in most proceedings, in points of 1/72 inch, and the size of text.
COLUMN, TEXT_SIZE = 237.6, 8.0

# matplotlib's own font comes first, so that the layout is the same everywhere. The others, which
# are narrower, are for viewers of SVG that do not have it.
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": TEXT_SIZE,
    **dict.fromkeys(("axes.labelsize", "xtick.labelsize", "ytick.labelsize"), TEXT_SIZE),
    "legend.fontsize": TEXT_SIZE,
    "legend.frameon": False,
    "text.parse_math": False,
    "axes.linewidth": 0.75,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.color": colour("picture-faint"),
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.0,
    # A point of paper is a pixel of the layout.
    "figure.dpi": 72,
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "svg.hashsalt": "wordorder",
    "pdf.fonttype": 42,
}

# Between axes, labels, legends and the edge of the figure, in points.
_PAD = 3.0

# The filter of PNG that stores a row as its difference from the row above.
_UP = 2

# Metadata without dates and the version of matplotlib, which would change the bytes.
_NO_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}

# Latin, Greek and Cyrillic letters, the en dash, the ellipsis and the minus sign.
_PDF_CHARACTERS = frozenset(map(chr, [*range(0x20, 0x530), 0x2013, 0x2026, 0x2212]))

# Where names can be broken.
_SEPARATORS = r"[-_./:, ]"


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure: its drawing and its data.

    Attributes
    ----------
    name : str
        The file name without a suffix: letters, digits, hyphens, dots.
    title : str
        The title in the metadata of the files; not drawn.
    draw : callable
        Returns a figure of matplotlib.
    header : tuple of str
        The columns of the data.
    rows : iterable of tuples
        The complete data of the drawing.
    """

    name: str
    title: str
    draw: Callable[[], Canvas]
    header: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]


def require_matplotlib() -> None:
    """Refuse to draw figures without matplotlib, without importing it.

    Raises
    ------
    UsageError
        If it is not installed; the message says how to install it.
    """
    if find_spec("matplotlib") is None:
        raise UsageError("figures need matplotlib: pip install 'wordorder[plot]'")


def figure_files(figure: Figure, pdf_font: str | None = None) -> tuple[dict[str, bytes], list[str]]:
    """Draw a figure once and write it as SVG, PDF and PNG of 300 dots an inch, on white.

    Text is text in SVG and PDF. PDF and PNG use the font DejaVu Sans: characters that it does not
    have, and text read from right to left, are written as "?".

    Parameters
    ----------
    figure : Figure
    pdf_font : str, optional
        The file of `small_font`, which saves time.

    Returns
    -------
    files : dict of str to bytes
        Keys are "svg", "pdf" and "png"; equal figures give equal bytes with one version of
        matplotlib.
    unknown : list of str
        The labels with a "?" that SVG writes in full.
    """
    import matplotlib.style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.font_manager import findfont
    from matplotlib.text import Text

    from wordorder.drawing.recording import record, repeated

    files = {}
    unknown: set[str] = set()
    # The user's settings of matplotlib must not change figures.
    with matplotlib.style.context(["default", STYLE]), warnings.catch_warnings():
        # The writer of the files prints one note for all missing characters.
        warnings.filterwarnings("ignore", "Glyph")
        canvas_figure = figure.draw()
        recorded = record(canvas_figure)
        title = {"Title": drawable(figure.title)}
        canvas: Any = FigureCanvasSVG(repeated(recorded, 72))
        canvas.print_svg(stream := BytesIO(), metadata=title | _NO_METADATA["svg"])
        files["svg"] = stream.getvalue()
        for label in canvas_figure.findobj(Text):
            text = label.get_text()
            if (replaced := _replace_undrawable(text)) != text:
                unknown.add(" ".join(text.split()))
                label.set_text(replaced)
        if unknown:
            recorded = record(canvas_figure)
        complete_font = findfont("DejaVu Sans")
        is_small = pdf_font is not None and recorded.characters <= _PDF_CHARACTERS
        recorded.font_file = pdf_font if is_small else complete_font
        canvas = FigureCanvasPdf(repeated(recorded, 72))
        canvas.print_pdf(stream := BytesIO(), metadata=title | _NO_METADATA["pdf"])
        files["pdf"] = stream.getvalue()
        recorded.font_file = complete_font
        canvas = FigureCanvasAgg(repeated(recorded, matplotlib.rcParams["savefig.dpi"]))
        canvas.draw()
        files["png"] = _png(np.asarray(canvas.buffer_rgba())[:, :, :3])
    return files, sorted(unknown)


@contextmanager
def small_font() -> Iterator[str | None]:
    """Write the font of PDF files, reduced to common characters of figures, to a temporary file.

    A PDF contains only the letters of its figure; selecting them from the complete font takes most
    of the time of a small figure.

    Yields
    ------
    The path, or None if no temporary file can be created
    """
    # matplotlib installs fontTools, which has no types.
    from fontTools import subset  # type: ignore[import-untyped]
    from matplotlib.font_manager import findfont

    try:
        folder = TemporaryDirectory(prefix="wordorder-", ignore_cleanup_errors=True)
    except OSError:
        yield None
        return
    with folder as name:
        path = os.path.join(name, "font.ttf")
        options = subset.Options(hinting=False, glyph_names=False)
        options.drop_tables += ["FFTM", "GSUB", "GPOS", "GDEF", "MATH", "gasp"]
        with subset.load_font(findfont("DejaVu Sans"), options) as font:
            subsetter = subset.Subsetter(options)
            subsetter.populate(text="".join(sorted(_PDF_CHARACTERS)))
            subsetter.subset(font)
            font.save(path)
        yield path


def _png(pixels: UInt8) -> bytes:
    """Encode an image of rows, columns and three colours.

    Each row is stored as its difference from the row above, which is fast and compact for figures
    with few colours; libraries try five filters for each row.
    """
    height, width, _ = pixels.shape
    rows = np.full((height, 3 * width + 1), _UP, np.uint8)
    flat_rows = pixels.reshape(height, 3 * width)
    rows[0, 1:] = flat_rows[0]
    np.subtract(flat_rows[1:], flat_rows[:-1], out=rows[1:, 1:])
    dots_a_metre = round(STYLE["savefig.dpi"] / 0.0254)
    chunks = (
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)),
        (b"pHYs", struct.pack(">2IB", dots_a_metre, dots_a_metre, 1)),
        (b"IDAT", zlib.compress(rows.tobytes(), 3)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def lay_out(canvas: Canvas) -> None:
    """Fit the axes between their labels and the legends above and below them."""
    (axes,) = canvas.axes
    figure_canvas: Any = canvas.canvas
    renderer = figure_canvas.get_renderer()
    width, height = canvas.bbox.size
    inside, outside = axes.bbox, axes.get_tightbbox(renderer, for_layout_only=True)
    assert outside is not None
    left_margin, bottom = inside.x0 - outside.x0 + _PAD, inside.y0 - outside.y0 + _PAD
    right, top = outside.x1 - inside.x1 + _PAD, outside.y1 - inside.y1 + _PAD
    for legend in canvas.legends:
        box = legend.get_window_extent(renderer)
        if box.y0 + box.y1 > height:
            top += box.height + _PAD
        else:
            bottom += box.height + _PAD
    sides = (left_margin / width, bottom / height)
    axes.set_position((*sides, 1 - sides[0] - right / width, 1 - sides[1] - top / height))


def _replace_undrawable(text: str) -> str:
    """Replace characters that PDF and PNG cannot show by "?"."""
    if text.isascii():
        return text
    from matplotlib.font_manager import findfont, get_font

    font = get_font(findfont("DejaVu Sans"))
    return "".join(
        c
        if c == "\n"
        or (font.get_char_index(ord(c)) and unicodedata.bidirectional(c) not in ("R", "AL"))
        else "?"
        for c in text
    )


def short_names(names: Sequence[str]) -> list[str]:
    """Remove the common start and end of all names, up to the nearest separator.

    Examples
    --------
    >>> short_names(["wmt.online-A.0.de-en", "wmt.online-B.0.de-en", "wmt.uedin.1.de-en"])
    ['online-A.0', 'online-B.0', 'uedin.1']
    >>> short_names(["system"]), short_names(["a", "a"]), short_names(["a.en", "a.en.en"])
    (['system'], ['a', 'a'], ['en', 'en.en'])
    """
    names = list(map(drawable, names))
    if len(set(names)) < 2:
        return names
    start = _common_prefix(names)
    end = _common_prefix([name[start:][::-1] for name in names])
    shortened_names = [name[start : len(name) - end] for name in names]
    return shortened_names if all(shortened_names) else names


def _common_prefix(names: Sequence[str]) -> int:
    """Return the length of the longest common prefix of names that ends in a separator."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*names, strict=False))
    start = "".join(column[0] for column in columns)
    return max((separator.end() for separator in re.finditer(_SEPARATORS, start)), default=0)


def break_lines(text: str, room: float) -> str:
    """Break a text at separators into lines that are at most `room` points wide.

    Examples
    --------
    >>> break_lines("university-of-somewhere-unconstrained", 80).split()
    ['university-of-', 'somewhere-', 'unconstrained']
    >>> break_lines("語" * 9, 40).split()
    ['語語語語語', '語語語語']
    """
    lines = [""]
    for piece in re.findall(rf".*?{_SEPARATORS}|.+$", drawable(text)):
        fragments = [piece] if printed_width(piece) <= room else piece
        for part in fragments:
            if lines[-1] and printed_width(lines[-1] + part.rstrip()) > room:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def printed_width(text: str) -> float:
    """Estimate the width of a text in a figure, in points; rather too wide than too narrow.

    Examples
    --------
    >>> printed_width("語順")
    16.0
    """
    return text_width(text) * TEXT_SIZE / FONT_SIZE


def labels_touch(axes: Any, apart: float) -> bool:
    """Return whether labels along the lower edge of axes are closer than `apart` points."""
    axes.xaxis.get_tightbbox()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
    return any(next_box.x0 - box.x1 < apart for box, next_box in pairwise(boxes))
