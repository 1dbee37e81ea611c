"""``wordorder path``: one table, three forms and a picture."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.running import call, write

PAIR = ("on tuesday we met at six", "we met at six on tuesday")


def test_text_and_forms() -> None:
    assert call("path", *PAIR).good().text.endswith("\n3 jumps, 6 matches: cost 3\n")
    found = call("path", *PAIR, "--format", "json").good().json["paths"][0]
    assert found["cost"] == 3.0
    names = "operation hypothesis hypothesis_end reference reference_end"
    assert list(found["steps"][0]) == f"{names} hypothesis_word reference_word cost".split()
    jump, match, *_ = (list(step.values()) for step in found["steps"])
    assert jump == ["jump", 0, 2, 0, 0, "", "", 1.0]
    assert match == ["match", 2, 3, 0, 1, "we", "we", 0.0]
    lines = call("path", *PAIR, "--format", "tsv").good().text.splitlines()
    assert lines[0].split("\t") == list(found["steps"][0])
    assert lines[1].split("\t")[:5] == ["jump", "0", "2", "0", "0"]
    assert len(lines) == 1 + len(found["steps"])
    assert call("path", "", "", "--format", "tsv").good().text == lines[0] + "\n"


def test_choices() -> None:
    twice = ("we met we met him", "we met him")
    assert "cost 1\n" in call("path", *twice).good().text
    assert "2 deletions, 3 matches" in call("path", *twice, "--metrics", "long-jump").good().text
    turned = call("path", *twice, "--direction", "candidate").good().text
    assert "1 jump, 5 matches: cost 1\n" in turned
    edits = call("path", "a b c", "a x c d", "-m", "wer").good().text.splitlines()
    assert edits[2].split() == ["substitution", "b", "x", "1"]
    assert edits[4:] == [
        "insertion                 d          1",
        "1 insertion, 1 substitution, 2 matches: cost 2",
    ]
    assert "jump" not in call("path", *PAIR, "-m", "wer").good().text
    assert "2 to 0" in turned
    assert (
        "cost 0.2\n" in call("path", "talks", "talk", "--substitution", "levenshtein").good().text
    )


def test_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "path.svg"
    assert "語" in call("path", "a 語", "語 <b>", "--svg", path).good().text
    texts = ["".join(each.itertext()) for each in ElementTree.parse(path).iter()]
    assert "<b>" in "".join(texts)
    picture = call("path", "a 語", "語 <b>", "--svg", "-").good()
    assert picture.stdout == path.read_bytes()


def test_hostile_words_stay_on_their_line() -> None:
    text = call("path", "a\x1b[2J b", "b").good().text
    assert "\x1b" not in text


def two_files(folder: Path) -> tuple[str, str]:
    """Write three hypotheses and their references."""
    ours = write(folder, "a.txt", "b a\n\non tuesday we met at six\n")
    return ours, write(folder, "r.txt", "a b\nyes\nwe met at six on tuesday\n")


def test_files_are_compared_line_by_line(tmp_path: Path) -> None:
    """The names of two files were compared: "1 substitution"."""
    files = two_files(tmp_path)
    text = call("path", *files).good().text
    assert [line for line in text.splitlines() if "a.txt" in line] == [
        f"{files[0]}:{number}" for number in (1, 2, 3)
    ]
    assert text.count("1 substitution") == 0
    assert text.count("cost ") == 3
    third = call("path", *files, "--sentence", "3").good().text
    assert third == call("path", *PAIR).good().text
    assert text.endswith(f"\n{files[0]}:3\n{third}")
    only = [write(tmp_path, name, f"{line}\n") for name, line in zip("hr", PAIR, strict=True)]
    assert call("path", *only).good().text == third


def test_files_in_other_forms(tmp_path: Path) -> None:
    files = two_files(tmp_path)
    found = call("path", *files, "--format", "json").good().json
    assert [each["line"] for each in found["paths"]] == [1, 2, 3]
    whole = call("path", *PAIR, "--format", "json").good().json["paths"][0]
    assert found["paths"][2] == {**whole, "line": 3}
    assert [each["cost"] for each in found["paths"]] == [2.0, 1.0, 3.0]
    one = call("path", *files, "--sentence", "3", "--format", "json").good().json
    assert one["paths"] == found["paths"][2:]
    header, *rows = call("path", *files, "--format", "tsv").good().text.splitlines()
    plain = call("path", *PAIR, "--format", "tsv").good().text.splitlines()
    assert header == f"line\t{plain[0]}"
    assert [row for row in rows if row.startswith("3\t")] == [f"3\t{row}" for row in plain[1:]]
    distances = call("path", *files, "--metrics", "long-jump", "--format", "json").good().json
    assert [each["line"] for each in distances["paths"]] == [1, 2, 3]


def test_a_picture_of_one_line(tmp_path: Path) -> None:
    picture = call("path", *two_files(tmp_path), "--sentence", "3", "--svg", "-").good().stdout
    assert picture == call("path", *PAIR, "--svg", "-").good().stdout


@pytest.mark.parametrize("name", ["missing.txt", "no/such/file.en", "./missing", "m.orders.gz"])
def test_a_name_of_a_missing_file_is_no_sentence(name: str) -> None:
    said = (f"{name}: no such file", "--literal")
    call("path", name, "we met at six").refused(2, *said)
    call("path", "we met at six", name).refused(2, *said)
    assert "cost 2\n" in call("path", "we met at six", name, "--literal").good().text


@pytest.mark.parametrize("word", ["yes", "yes.", "and/or", "3.5", "...", "", ".", "語。"])
def test_short_sentences_are_no_names(word: str) -> None:
    assert "cost 0\n" in call("path", word, word).good().text


def test_literal_sentences_may_be_called_like_files(tmp_path: Path) -> None:
    ours, theirs = two_files(tmp_path)
    assert "1 substitution: cost 1\n" in call("path", ours, theirs, "--literal").good().text
    assert "1 match: cost 0\n" in call("path", "-", "-", "--literal").good().text


def test_tree_takes_files_and_texts_the_same_way(tmp_path: Path) -> None:
    path = write(tmp_path, "three", "2 4 1 3\n\n1 0\n")
    assert call("tree", path, "--sentence", "3").good().text == call("tree", "2 1").good().text
    found = call("tree", path, "--sentence", "1", "--format", "json").good().json["trees"]
    assert [each["permutation"] for each in found] == [[2, 4, 1, 3]]
    call("tree", path, "--sentence", "3", "--words", "b a", "--svg", "-").good()


def test_a_permutation_may_be_called_like_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "2 1", "1 2 3\n")
    assert "values 1–3" in call("tree", "2 1").good().text
    assert "values 1–2" in call("tree", "2 1", "--literal").good().text
