"""Sentences to be parsed, from each kind of file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parsing.small_treebank import TREEBANK

from wordorder.errors import InputError, UsageError, WordOrderWarning
from wordorder.parsing.sentence_reading import SentenceReader, spaces_after
from wordorder.text.tokenizers import EnglishTokenizer
from wordorder.treebank.treebank import NO_HEAD, Treebank


def read(path: Path, batch: int = 100, **options: object) -> tuple[Treebank, SentenceReader]:
    with SentenceReader(path, **options) as reader:  # type: ignore[arg-type]
        parts = []
        while len(part := reader.take(batch)):
            parts.append(part)
        return Treebank.concatenate(parts), reader


def test_lines_of_words_as_python_splits_them(tmp_path: Path) -> None:
    lines = ["It  rains\t.", "", " a\u00a0b \u3000 c ", "\t", "the the the", "# no comment", "x"]
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines))
    for batch in (1, 2, 100):
        bank, reader = read(path, batch)
        rows = [[w for w in line.replace("\t", " ").split(" ") if w] for line in lines]
        ends = bank.offsets.tolist()
        forms = bank.form.strings()
        assert [forms[a:b] for a, b in pairwise(ends)] == rows
        assert [margin.value("sent_id") for margin in bank.margins] == list("1234567")
        assert [margin.value("text") for margin in bank.margins] == [" ".join(row) for row in rows]
        assert (reader.kind, reader.sentences, reader.empty_lines) == ("text", 7, 2)
        assert (bank.heads == NO_HEAD).all()
        assert set(bank.upos.strings()) == {"_"}


@pytest.mark.parametrize("name", ["a.conllu", "a.txt", "a"])
def test_a_treebank_under_any_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(TREEBANK)
    bank, reader = read(path)
    assert reader.kind == "conllu"
    assert len(bank) == reader.sentences == 27
    assert bank.has_trees
    assert bank.margins[4].value("sent_id") == "small-5"


def test_the_kind_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("It rains\n")
    bank, _ = read(path, kind="text")
    assert bank.form.strings() == ["It", "rains"]
    with pytest.raises(InputError, match=r"a\.conllu:1"):
        read(path)
    with pytest.raises(UsageError, match="legal names: auto, conllu, text"):
        read(path, kind="words")
    with pytest.raises(UsageError, match="a tokenizer is for text"):
        read(path, kind="conllu", tokenizer=EnglishTokenizer())
    # By its name, and by how it begins.
    path.rename(tmp_path / "b.txt")
    (tmp_path / "b.txt").write_text(TREEBANK)
    for name, kind in (("a.conllu.gz", "auto"), ("b.txt", "auto")):
        (tmp_path / "a.conllu.gz").write_bytes(b"")
        with pytest.raises(UsageError, match=f"{name}: a tokenizer is for text"):
            read(tmp_path / name, kind=kind, tokenizer=EnglishTokenizer())
    bank, _ = read(tmp_path / "b.txt", kind="text", tokenizer=EnglishTokenizer())
    assert bank.form.strings()[0] == "#"


def test_raw_english(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Don't go!\n\nIt rains.\n")
    bank, reader = read(path, tokenizer=EnglishTokenizer())
    assert bank.form.strings() == ["Do", "n't", "go", "!", "It", "rains", "."]
    assert bank.lengths.tolist() == [4, 0, 3]
    no = "SpaceAfter=No"
    assert bank.columns["misc"].strings() == [no, "_", no, "_", "_", no, "_"]
    assert bank.margins[0].value("text") == "Don't go!"
    assert reader.empty_lines == 1


class Cut:
    """Cuts after two characters, of which "du" is two words."""

    def tokens(self, lines: Sequence[str]) -> list[list[str]]:
        return [
            [part[k : k + 2] for part in x.split() for k in range(0, len(part), 2)] for x in lines
        ]

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        return [("de", "le") if token == "du" else (token,) for token in tokens]


def test_tokens_of_several_words_are_ranges(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("dudu x\n\nab du\n")
    bank, _ = read(path, tokenizer=Cut())
    range_line = "{}\tdu" + "\t_" * 7 + "\t{}"
    assert bank.sentences() == [["de", "le", "de", "le", "x"], [], ["ab", "de", "le"]]
    assert bank.margins[0].extras == (
        (0, range_line.format("1-2", "SpaceAfter=No")),
        (2, range_line.format("3-4", "_")),
    )
    assert bank.margins[2].extras == ((1, range_line.format("2-3", "_")),)
    assert set(bank.columns["misc"].strings()) == {"_"}


def test_lines_without_blanks_are_cut_by_what_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("彼は昨日東京に行きました\n" * 3)
    with pytest.warns(WordOrderWarning, match="lines without blanks are cut by the tokenizer"):
        bank, _ = read(path, if_uncut=Cut)
    assert bank.lengths.tolist() == [6, 6, 6]
    # One that has none, text with blanks, and no text.
    assert read(path, if_uncut=lambda: None)[0].lengths.tolist() == [1, 1, 1]
    path.write_text("彼 は 昨日 東京 に 行き まし た\n" * 3)
    assert read(path, if_uncut=Cut)[0].lengths.tolist() == [8, 8, 8]
    path.write_text("")
    assert len(read(path, if_uncut=Cut)[0]) == 0


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.booleans())))
def test_spaces_after_words(words: list[tuple[str, bool]]) -> None:
    text = "".join(word + " " * spaced for word, spaced in words)
    expected = [spaced for _, spaced in words]
    if expected:
        expected[-1] = True
    assert spaces_after(text.rstrip(), [word for word, _ in words]) == expected


def test_words_that_the_text_lacks_are_followed_by_blanks() -> None:
    assert spaces_after("ab c", ["a", "x", "c"]) == [False, True, True]


def test_no_sentences(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("")
    bank, reader = read(path)
    assert (len(bank), reader.empty_lines) == (0, 0)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "none.txt")
