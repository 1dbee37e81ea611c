"""Treebanks to learn from, put together of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.parsing.small_treebank import SENTENCES, TREEBANK, treebank, without_trees

from wordorder.errors import InputError, UsageError
from wordorder.parsing.training.training_run import read_training_text
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
