"""What can be seen in a picture: plain shapes, where they are, and texts that do no harm."""

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"svg", "title", "desc", "path", "g", "rect", "circle", "polygon", "text"}
HOSTILE = [
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a\x1b[2J\x00b"),
    *("]]>&amp;", "</text></svg>"),
]
Edges = tuple[float, float, float, float]


def parsed(picture: str) -> Element:
    """Insist on plain shapes alone, whatever the words."""
    root = ElementTree.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= SHAPES
    assert not any({"style", "class"} & set(element.attrib) for element in root.iter())
    assert not re.search(r"<(script|img)", picture)
    return root


def attributes(shape: Element, *names: str) -> list[float]:
    return [float(shape.attrib[name]) for name in names]


def numbers(text: str) -> list[float]:
    return list(map(float, re.findall(r"-?[\d.]+", text)))


def edges(shape: Element) -> Edges:
    """Return the left, top, right and bottom of a box with round, square or pointed corners."""
    if shape.tag == f"{SVG}polygon":
        points = numbers(shape.attrib["points"])
        return min(points[::2]), min(points[1::2]), max(points[::2]), max(points[1::2])
    x, y, width, height = attributes(shape, "x", "y", "width", "height")
    return x, y, x + width, y + height


def boxes(picture: Element) -> list[Edges]:
    """Return the edges of all boxes."""
    tags = f"{SVG}rect", f"{SVG}polygon"
    return [edges(element) for element in picture.iter() if element.tag in tags]


def within(places: Iterable[Edges], width: float, height: float) -> None:
    """Insist that everything is within the picture."""
    for left, top, right, bottom in places:
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height


def apart(places: Sequence[Edges]) -> None:
    """Insist that nothing lies on another."""
    for number, (left, top, right, bottom) in enumerate(places):
        for left2, top2, right2, bottom2 in places[:number]:
            assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top
