"""Rows of text along the axes of a matplotlib figure, drawn as one."""

from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.text import Text
from matplotlib.transforms import Bbox, ScaledTranslation

# From one line of a text to the next, as a multiple of its size.
_LINE_SPACING = 1.2


class TextRows(Artist):
    """A column of texts as a single artist, which is much faster than an artist for each text.

    Parameters
    ----------
    axes : Axes
    edge : int
        The edge of the axes next to the texts: 0 (left) or 1 (right).
    shift : float
        Distance of the texts from this edge, in points.
    rows : sequence of float
        The middle of each text on the y axis.
    texts : sequence of str
    align : {"left", "right"}
        The side of each text that is next to the edge.
    """

    def __init__(
        self,
        axes: Any,
        edge: int,
        shift: float,
        rows: Sequence[float],
        texts: Sequence[str],
        align: str,
    ) -> None:
        super().__init__()
        self._position = axes.get_yaxis_transform() + ScaledTranslation(
            shift / 72, 0, axes.figure.dpi_scale_trans
        )
        style: dict[str, Any] = {"transform": self._position, "va": "center_baseline", "ha": align}
        self._texts = [
            Text(edge, row, text, figure=axes.figure, **style)
            for row, text in zip(rows, texts, strict=True)
        ]
        axes.add_artist(self)
        self.set_clip_on(False)

    def get_children(self) -> list[Artist]:
        """Return the texts."""
        return list(self._texts)

    def _lines(self, renderer: Any) -> Iterator[tuple[Text, str, float, float, float]]:
        """Yield text, line, and the start, end and height of the baseline, for each line."""
        font = self._texts[0].get_fontproperties()
        _, height, descent = renderer.get_text_width_height_descent("lp", font, False)
        step = _LINE_SPACING * font.get_size_in_points()
        positions = self._position.transform([text.get_position() for text in self._texts])
        for text, (edge, middle) in zip(self._texts, positions.tolist(), strict=True):
            lines = text.get_text().split("\n")
            first = middle + (len(lines) - 1) * step / 2 - (height - descent) / 2
            for number, line in enumerate(lines):
                width, _, _ = renderer.get_text_width_height_descent(line, font, False)
                start = edge - width if text.get_horizontalalignment() == "right" else edge
                yield text, line, start, start + width, first - number * step

    def get_window_extent(self, renderer: Any = None) -> Bbox:
        """Return a box around all baselines, in pixels."""
        _, _, starts, ends, baselines = zip(*self._lines(renderer), strict=True)
        return Bbox([(min(starts), min(baselines)), (max(ends), max(baselines))])

    def draw(self, renderer: Any) -> None:
        """Draw all texts."""
        context = renderer.new_gc()
        for text, line, start, _, baseline in self._lines(renderer):
            font = text.get_fontproperties()
            renderer.draw_text(context, start, baseline, line, font, 0, False, text)
        context.restore()
