"""Drawing calls of a matplotlib figure, recorded once and repeated on other renderers.

matplotlib spends most of its time on the layout, which is the same for SVG, PDF and PNG.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from matplotlib.artist import Artist
from matplotlib.backend_bases import FigureCanvasBase, GraphicsContextBase, RendererBase
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.transforms import Affine2D, Bbox, TransformedPath

# Dots per inch of the recorder, at which a point of paper is a pixel.
_POINTS = 72


@lru_cache(100)
def _font(size: float, file: str) -> FontProperties:
    """Return a font, which is the same object each time."""
    return FontProperties(fname=file, size=size)


@lru_cache(10_000)
def _text_size(text: str, size: float) -> tuple[float, float, float]:
    """Return width, height and descent of a text; cached, since figures repeat texts."""
    font = FontProperties(size=size)
    measured: tuple[float, float, float] = RendererBase().get_text_width_height_descent(
        text, font, ismath=False
    )
    return measured


class Recorder(RendererBase):
    """A renderer that writes nothing and records the calls; it measures text without hinting."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__()
        self.size = width, height
        # The font with which texts are repeated; None for the font of each text.
        self.font_file: str | None = None
        # All characters of the texts.
        self.characters: set[str] = set()
        # The context of each call, and a function that repeats it: its arguments are another
        # renderer, a context and the scale to its pixels.
        self.calls: list[tuple[Any, Callable[[Any, Any, Any], None]]] = []

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Return the size in pixels."""
        return self.size

    def flipy(self) -> bool:
        """Return whether y grows downwards."""
        return False

    def _record(self, gc: Any, repeat: Callable[[Any, Any, Any], None]) -> None:
        # Artists change and reuse their contexts.
        copy = GraphicsContextBase()
        copy.copy_properties(gc)
        self.calls.append((copy, repeat))

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        """Record a line or an area."""
        frozen = transform.frozen()
        self._record(gc, lambda to, gc, scale: to.draw_path(gc, path, frozen + scale, rgbFace))

    def draw_markers(
        self, gc: Any, marker: Any, size: Any, path: Any, trans: Any, *args: Any
    ) -> None:
        """Record a marker at each point of a path."""
        marker_size, frozen = size.frozen(), trans.frozen()
        self._record(
            gc,
            lambda to, gc, scale: to.draw_markers(
                gc, marker, marker_size + scale, path, frozen + scale, *args
            ),
        )

    # Versions of matplotlib differ in the last arguments, which are passed on as they are.
    def draw_path_collection(  # type: ignore[override]
        self,
        gc: Any,
        master: Any,
        paths: Any,
        transforms: Any,
        offsets: Any,
        trans: Any,
        *args: Any,
        **options: Any,
    ) -> None:
        """Record many paths of few styles."""
        frozen, shifted = master.frozen(), trans.frozen()
        self._record(
            gc,
            lambda to, gc, scale: to.draw_path_collection(
                *(gc, frozen + scale, paths, transforms, offsets, shifted + scale, *args), **options
            ),
        )

    def draw_quad_mesh(
        self,
        gc: Any,
        master: Any,
        width: int,
        height: int,
        corners: Any,
        offsets: Any,
        trans: Any,
        *args: Any,
    ) -> None:
        """Record the coloured squares of a table."""
        frozen, shifted = master.frozen(), trans.frozen()
        self._record(
            gc,
            lambda to, gc, scale: to.draw_quad_mesh(
                *(gc, frozen + scale, width, height, corners, offsets, shifted + scale, *args)
            ),
        )

    def draw_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        """Record a line of text."""

        size = prop.get_size_in_points()

        def repeat(to: Any, gc: Any, scale: Any) -> None:
            text_left, base = scale.transform((x, y))
            if to.flipy():
                base = to.get_canvas_width_height()[1] - base
            font = prop if self.font_file is None else _font(size, self.font_file)
            to.draw_text(gc, text_left, base, s, font, angle, ismath, mtext)

        self._record(gc, repeat)
        self.characters.update(s)

    def get_text_width_height_descent(
        self, s: str, prop: Any, ismath: Any
    ) -> tuple[float, float, float]:
        """Return width, height and descent of a text; all texts have the same font."""
        return _text_size(s, prop.get_size_in_points())


class RecordingCanvas(FigureCanvasBase):
    """The canvas of a figure during its layout, on which the recorder measures text."""

    _recorder: Recorder | None = None

    def get_renderer(self) -> Recorder:
        """Return a recorder, the same one until the size of the figure changes."""
        size = float(self.figure.bbox.width), float(self.figure.bbox.height)
        if self._recorder is None or self._recorder.size != size:
            self._recorder = Recorder(*size)
        return self._recorder


class _Repeated(Artist):
    """An artist that repeats recorded calls."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def draw(self, renderer: Any) -> None:
        factor = renderer.points_to_pixels(_POINTS) / _POINTS
        scale = Affine2D().scale(factor)
        for recorded, repeat in self._recorder.calls:
            gc = renderer.new_gc()
            gc.copy_properties(recorded)
            if (box := recorded.get_clip_rectangle()) is not None:
                gc.set_clip_rectangle(Bbox(box.get_points() * factor))
            path, transform = recorded.get_clip_path()
            if path is not None:
                gc.set_clip_path(TransformedPath(path, transform + scale))
            repeat(renderer, gc, scale)
            gc.restore()


def record(figure: Figure) -> Recorder:
    """Draw a figure, and return the recorded calls."""
    canvas = figure.canvas
    if not isinstance(canvas, RecordingCanvas):
        canvas = RecordingCanvas(figure)
    recorder = canvas.get_renderer()
    recorder.calls, recorder.characters = [], set()
    figure.draw(recorder)
    return recorder


def repeated(recorder: Recorder, dpi: float) -> Figure:
    """Return a figure whose only artist repeats the recorded calls."""
    width, height = recorder.size
    figure = Figure((width / _POINTS, height / _POINTS), dpi, frameon=False)
    figure.add_artist(_Repeated(recorder))
    return figure
