"""Where the names of points are written so that they cover neither each other nor a point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wordorder.drawing.svg_boxes import text_width

Point = tuple[float, float]
Box = tuple[float, float, float, float]
# x, the middle of the line, and which end of the text is at x.
Place = tuple[float, float, str]

_LINE = 16
_RADIUS = 4.5
_GAP = 4


def placed_names(
    points: Sequence[Point], names: Sequence[str], room: Box, *, forced: bool = False
) -> list[Place] | None:
    """Find a place beside its point for each name.

    Parameters
    ----------
    points : sequence of (x, y)
    names : sequence of str
        One a point.
    room : (left, top, right, bottom)
        What no name may leave.
    forced : bool
        A name without a free place is written where it covers least.

    Returns
    -------
    list of (x, middle, anchor), or None
        None if a name finds no free place, unless `forced`.

    Examples
    --------
    >>> placed_names([(10, 50)], ["a"], (0, 0, 100, 100))
    [(18.5, 50, 'start')]
    """
    taken = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in points]
    place_of: dict[int, Place] = {}
    # Where points are close to each other, few places are free: these choose first.
    order = sorted(range(len(points)), key=lambda n: (-_neighbours(points, n), n))
    for n in order:
        width = text_width(names[n])
        best: tuple[float, Place, Box] | None = None
        for place in _places(points[n]):
            box = _box(place, width)
            covered = sum(_shared(box, other) for m, other in enumerate(taken) if m != n)
            covered += _outside(box, room)
            if best is None or covered < best[0]:
                best = (covered, place, box)
            if not covered:
                break
        assert best is not None
        if best[0] and not forced:
            return None
        place_of[n] = best[1]
        taken.append(best[2])
    return [place_of[n] for n in range(len(points))]


def _places(point: Point) -> Iterator[Place]:
    """Yield places around a point, the best first."""
    x, y = point
    side, over = _RADIUS + _GAP, _RADIUS + _LINE / 2
    yield x + side, y, "start"
    yield x - side, y, "end"
    yield x, y - over, "middle"
    yield x, y + over, "middle"
    for up in (-over, over):
        yield x + _GAP, y + up, "start"
        yield x - _GAP, y + up, "end"


def _box(place: Place, width: float) -> Box:
    x, y, anchor = place
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return left, y - _LINE / 2, left + width, y + _LINE / 2


def _shared(one: Box, other: Box) -> float:
    """Return the area of what two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: Box, room: Box) -> float:
    """Return the area of a box outside the room."""
    return (box[2] - box[0]) * (box[3] - box[1]) - _shared(box, room)


def _neighbours(points: Sequence[Point], n: int) -> int:
    x, y = points[n]
    return sum(abs(a - x) < 100 and abs(b - y) < 2 * _LINE for a, b in points)
