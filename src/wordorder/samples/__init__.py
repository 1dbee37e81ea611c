"""The small data set that ships with the package; its README says how it was made."""

from __future__ import annotations

from pathlib import Path

SYSTEMS = ("unchanged", "reversed", "head-final", "head-final-mistakes")


def sample_path(name: str) -> Path:
    """Return the path of a file of the English-Japanese sample.

    Examples
    --------
    >>> sample_path("reference.orders").exists()
    True
    """
    return Path(__file__).parent / "enja" / name
