"""What is refused before any work begins."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wordorder.errors import UsageError, WordOrderWarning
from wordorder.parsing.training import training_run as preconditions
from wordorder.parsing.training.training_run import require_memory
from wordorder.text.tensors import require_writable


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    require_writable(tmp_path / "a")
    assert not list(tmp_path.iterdir())
    (tmp_path / "a").write_text("old")
    require_writable(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "old"


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("-", "", f"{tmp_path}/", f"{tmp_path}/folder", f"{tmp_path}/no/a", "/dev/null"):
        with pytest.raises(UsageError, match="cannot be created|a file that is not compressed"):
            require_writable(name)
    with pytest.raises(UsageError, match="not compressed"):
        require_writable(tmp_path / "a.zst")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="no permission"):
        require_writable(tmp_path / "a")


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preconditions, "_memory", lambda: (8 * 10**9, 2 * 10**9))
    require_memory(10**9)
    with pytest.warns(WordOrderWarning, match=r"about 3\.0 GB of memory; 2\.0 GB is free"):
        require_memory(3 * 10**9)
    with pytest.raises(UsageError, match=r"about 9\.0 GB of memory; there is 8\.0 GB"):
        require_memory(9 * 10**9)
    monkeypatch.setattr(preconditions, "_memory", lambda: (None, None))
    require_memory(10**20)


def test_this_machine() -> None:
    require_memory(1)
