"""Pictures of a sentence with their captions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Picture:
    """A drawing with its caption, and whether it is read from right to left."""

    caption: str
    svg: str
    leftwards: bool = False


@dataclass(frozen=True)
class PictureRow:
    """Drawings of one kind, to be seen beside each other."""

    title: str
    note: str
    pictures: tuple[Picture, ...]
