"""Files of tests: written on the spot, or too large for the repository."""

import os
from pathlib import Path

import pytest


def written(folder: Path, text: str | bytes | bytearray, name: str = "a.txt") -> Path:
    """Write a file, and return its path."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def data(*parts: str) -> Path:
    """Return a file or folder below WORDORDER_DATA; the test is skipped where that has none such.

    A file that is missing in a folder that is there is no reason to skip.
    """
    place = Path(*parts)
    root = Path(os.environ.get("WORDORDER_DATA", "no data"))
    if not (root / place.parts[0]).exists():
        pytest.skip(f"WORDORDER_DATA names no folder with {place.parts[0]}")
    return root / place
