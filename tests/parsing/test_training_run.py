"""The trees of a training, and what is refused before any work begins."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.parsing.small_treebank import SENTENCES, TREEBANK, treebank, without_trees

from wordorder.errors import InputError, UsageError, WordOrderWarning
from wordorder.parsing.training import training_run as preconditions
from wordorder.parsing.training.training_run import read_training_text, require_memory
from wordorder.text.tensors import require_writable
from wordorder.treebank.reading import read_treebank


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "a.conllu", tmp_path / "b.conllu"
    first.write_text(treebank(5))
    second.write_text(TREEBANK)
    return first, second


def test_several_files_and_weights(files: tuple[Path, Path]) -> None:
    said: list[str] = []
    text = read_training_text(files, dev=files[0], add=[(files[0], 3)], say=said.append)
    assert len(text.trees) == 5 + 27 + 5
    assert text.repeat.tolist() == [1] * 32 + [3] * 5
    assert len(text.repeated) == 32 + 15
    assert text.repeated[35].sent_id == text.repeated[37].sent_id == text.trees[33].sent_id
    assert text.name == "a.conllu, b.conllu, a.conllu"
    assert text.dev is not None
    assert len(text.dev) == 5
    assert len(said) == 5


def test_one_file(files: tuple[Path, Path]) -> None:
    text = read_training_text(files[1], say=print)
    assert text.repeated is text.trees
    assert text.trees.form.strings() == read_treebank(files[1]).form.strings()
    assert text.dev is None


def test_lists_of_trees_are_said(tmp_path: Path) -> None:
    ranks = [rank for _ in range(9) for rank in ("1", "2", "3")]
    trees = [f"# rank = {rank}\n{tree}" for rank, tree in zip(ranks, SENTENCES, strict=True)]
    path = tmp_path / "lists.conllu"
    path.write_text("".join(trees))
    said: list[str] = []
    assert len(read_training_text(path, say=said.append).trees) == 27
    assert "lists of trees; 18 further trees of lists count as sentences too" in said[1]


def test_split_hyphens(files: tuple[Path, Path]) -> None:
    text = read_training_text(files[1], dev=files[1], split=True, say=print)
    assert text.trees.words == read_treebank(files[1]).words + 18
    assert text.dev is not None
    assert text.dev.words == text.trees.words


def test_refusals(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no treebank"):
        read_training_text([], say=print)
    for weight in (0, -1, True, 1.5):
        with pytest.raises(UsageError, match="a weight is a whole number of at least 1"):
            read_training_text(files[0], add=[(files[1], weight)], say=print)  # type: ignore[list-item]
    bare = tmp_path / "bare.conllu"
    bare.write_text(without_trees(TREEBANK))
    with pytest.raises(InputError, match=r"bare\.conllu:3"):
        read_training_text(bare, say=print)
    with pytest.raises(InputError, match="words without tags; expected UPOS or XPOS"):
        read_training_text(bare, heads=False, say=print)


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
