"""The pictures of the page on figures are those that its command writes.

With WORDORDER_PICTURES=docs/images they are made.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from tests.cli.running import SAMPLE, call

from wordorder.report.figures import writing

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "how-to" / "figures.md"


def test_pictures_are_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "can_write_png", lambda: False)
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
        assert (DOCS / "images" / name).read_text() == (tmp_path / name).read_text(), name
