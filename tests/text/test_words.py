"""Files of words, text or treebanks."""

import warnings
from pathlib import Path

import pytest

from wordorder.errors import WordOrderWarning
from wordorder.text.in_step import word_reader

ROW = "1\tIt" + "\t_" * 8 + "\n\n"


def test_a_treebank_that_is_not_called_so_is_said(tmp_path: Path) -> None:
    for name, text in (("a.txt", ROW), ("b.txt", "# x = y\n1-2" + ROW[1:])):
        (tmp_path / name).write_text(text)
        with (
            pytest.warns(WordOrderWarning, match=f"{name}: looks like CoNLL-U, but is read as"),
            word_reader(tmp_path / name) as reader,
        ):
            assert reader.take(9).strings() == text.split("\n")[:-1]


def test_what_is_meant_is_not_said(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(ROW)
    (tmp_path / "a.txt").write_text("1\tIt\n\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, kind, first in (
            ("a.conllu", "auto", "It"),
            ("a.conllu", "text", ROW.strip()),
            ("a.txt", "auto", "1\tIt"),
        ):
            with word_reader(tmp_path / name, kind) as reader:
                assert reader.take(1).strings() == [first]
