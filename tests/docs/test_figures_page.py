"""The pictures of the page on figures show what its command draws.

With WORDORDER_PICTURES=docs/images they are made.
"""

from __future__ import annotations

import os
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.cli.running import SAMPLE, call

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "how-to" / "figures.md"


def test_pictures_are_up_to_date(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    command = re.search(r"^\$ wordorder (.*?)\nwordorder:", page, re.DOTALL | re.MULTILINE)
    assert command is not None
    args = [
        str(SAMPLE / word) if word.endswith(".orders") else word
        for word in command[1].replace("\\\n> ", "").split()
    ]
    assert args[-1] == "figures"
    call(*args[:-1], tmp_path / "figures").good()
    shown = re.findall(r"\.\./images/(figures/[^)]+)", page)
    assert len(shown) == 4
    for name in shown:
        if kept := os.environ.get("WORDORDER_PICTURES"):
            shutil.copy(tmp_path / name, Path(kept) / name)
        assert _texts(DOCS / "images" / name) == _texts(tmp_path / name), name


def _texts(picture: Path) -> list[str | None]:
    """All names and numbers: coordinates differ between versions of matplotlib."""
    return [text.text for text in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
