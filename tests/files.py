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
    """Return a file or folder below WORDORDER_DATA; the test is skipped where it is not there."""
    path = Path(os.environ.get("WORDORDER_DATA", "no data"), *parts)
    if not path.exists():
        pytest.skip(f"WORDORDER_DATA names no folder with {'/'.join(parts)}")
    return path
