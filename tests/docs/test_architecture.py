"""The page on the architecture knows every folder of the package."""

from pathlib import Path

import pytest
from tests.test_layers import BELOW, ROOT, SHARED

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_has_its_floor(folder: str) -> None:
    assert f">{folder}</text>" in (DOCS / "floors.svg").read_text("utf-8")
    assert f"| `{folder}` |" in (DOCS / "architecture.md").read_text("utf-8")


def test_the_picture_stands_on_its_lower_floors() -> None:
    picture = (DOCS / "floors.svg").read_text("utf-8")
    height = {name: picture.find(f">{name}</text>") for name in FOLDERS}
    for upper, lower in (
        (u, each)
        for u in FOLDERS
        for each in BELOW.get(u, set()) & {*FOLDERS} - SHARED - {"samples"}
    ):
        assert height[upper] < height[lower], (upper, lower)
