"""Writing CoNLL-U: what cannot be written is refused before anything is."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.errors import InputError
from wordorder.treebank.column import Column
from wordorder.treebank.reading import TreebankWriter, read_treebank, write_treebank
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, Margin, Treebank

FIELDS = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1)


def bank(form: str = "a") -> Treebank:
    return Treebank.from_words([["x"], ["x", form]], heads=[[0], [0, 1]])


@settings(max_examples=25)
@given(st.lists(st.lists(FIELDS, min_size=1, max_size=3), max_size=3))
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.conllu"
    misc = [[string.replace("\r", "") or "_" for string in row] for row in rows]
    treebank = Treebank.from_words(rows, upos=rows, label=rows, misc=misc)
    write_treebank(path, treebank)
    again = read_treebank(path, trees="optional")
    assert again.offsets.tolist() == treebank.offsets.tolist()
    assert set(again.heads.tolist()) <= {NO_HEAD}
    for column in COLUMNS:
        assert again.columns[column].strings() == treebank.columns[column].strings()


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb", "\ud800"])
def test_strings_that_cannot_be_written(form: str) -> None:
    stream = io.BytesIO()
    with pytest.raises(InputError, match="sentence 2, word 2: form .* expected some text"):
        TreebankWriter(stream).write(bank(form))
    assert stream.getvalue() == b""


def test_a_last_field_that_ends_like_a_line() -> None:
    treebank = bank().replace(misc=Column.of(["_", "a\r", "_"]))
    with pytest.raises(InputError, match="sentence 2, word 1: misc"):
        TreebankWriter(io.BytesIO()).write(treebank)


def test_strings_of_no_word_do_not_matter() -> None:
    treebank = bank("a\tb")[:1]
    stream = io.BytesIO()
    TreebankWriter(stream).write(treebank)
    assert stream.getvalue().count(b"\n") == 2


@pytest.mark.parametrize(
    "margin",
    [
        Margin(("no hash",)),
        Margin(("# two\nlines",)),
        Margin(("# return\r",)),
        Margin(("# \ud800",)),
        Margin(("",)),
        Margin((), ((0, "1-2\ta"),)),
    ],
)
def test_lines_that_cannot_be_written(margin: Margin) -> None:
    treebank = replace(bank(), margins=[Margin(("# fine\twith a tab",)), margin])
    with pytest.raises(InputError, match="sentence 2: the line"):
        TreebankWriter(io.BytesIO()).write(treebank)


def test_sentences_without_words_keep_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    treebank = Treebank.from_words([["a"], [], ["b"]], heads=[[0], [], [0]])
    write_treebank(path, treebank)
    assert read_treebank(path).lengths.tolist() == [1, 0, 1]


def test_nothing_is_left_of_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    with pytest.raises(InputError):
        write_treebank(path, bank("a\tb"))
    assert list(tmp_path.iterdir()) == []
