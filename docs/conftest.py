"""The pages are doctests, each in an empty folder, where whoever follows a page begins."""

from pathlib import Path

import pytest

# The extension needs what only the building of the site installs.
collect_ignore = ["own_annotations.py"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
