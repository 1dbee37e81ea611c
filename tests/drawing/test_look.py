"""Colours are named once, and their meanings stay apart for colour-blind readers."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from wordorder.drawing.look import colour, style_sheet

ROOT = Path(__file__).parents[2]
# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHT = {
    "usual": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# sRGB to XYZ, and the white of CIE D65.
XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]
WHITE = [0.95047, 1.0, 1.08883]
# Names that stand for different things where they stand beside each other.
MEANINGS = {
    "page": ("edge", "break", "line"),
    "tint": ("better", "worse", "back"),
    "picture": ("picture-early", "picture-late", "picture-grey"),
    "tree": ("tree-monotone", "tree-inverted", "tree-simple", "tree-plain"),
}


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(colour: str, sight: str) -> np.ndarray:
    """Return CIE L*a*b* as a reader sees the colour."""
    seen = np.clip(np.array(SIGHT[sight]) @ linear(colour), 0, 1)
    shares = np.array(XYZ) @ seen / WHITE
    x, y, z = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of WCAG."""
    low, high = sorted(float([0.2126, 0.7152, 0.0722] @ linear(each)) for each in (first, second))
    return (high + 0.05) / (low + 0.05)


def themes() -> list[dict[str, str]]:
    """Return the colours of light and of dark pages; what dark ones do not name stays."""
    light, _, rest = style_sheet().partition("@media (prefers-color-scheme: dark)")
    named = [
        dict(re.findall(r"--([\w-]+): (#\w{6});", part)) for part in (light, rest.partition("}")[0])
    ]
    return [named[0], named[0] | named[1]]


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("group", MEANINGS)
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_meanings_are_apart_in_every_sight(theme: int, group: str, sight: str) -> None:
    colours = themes()[theme]
    for first, second in combinations(MEANINGS[group], 2):
        distance = np.linalg.norm(lab(colours[first], sight) - lab(colours[second], sight))
        assert distance >= 20, (first, second)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_each_ground(theme: int) -> None:
    colours = themes()[theme]
    for ground in ("back", "card", "better", "worse", "found"):
        assert contrast(colours["text"], colours[ground]) >= 4.5, ground
    for ink in ("soft", "link", "break"):
        assert contrast(colours[ink], colours["back"]) >= 4.5, ink


def test_lines_of_pictures_stand_out_on_white_and_on_black() -> None:
    for name in ("picture-early", "picture-late", "picture-grey"):
        for ground in ("picture-ink", "picture-paper"):
            assert contrast(colour(name), colour(ground)) >= 3


def test_no_other_file_names_a_colour() -> None:
    endings = {".py", ".css", ".js", ".html", ".j2", ".svg"}
    files = [
        path
        for folder in (ROOT / "src" / "wordorder", ROOT / "docs")
        for path in folder.rglob("*")
        if path.suffix in endings and "images" not in path.parts and path.name != "look.css"
    ]
    assert len(files) > 400
    named = [
        f"{path}: {found}"
        for path in files
        for found in re.findall(r"(?<![&\w])#[0-9A-Fa-f]{6}\b|rgba?\(\d", _code(path))
    ]
    assert named == []


def _code(path: Path) -> str:
    """Return the text of a file; what examples print is no choice of a colour."""
    lines = path.read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("<", "'#")))
