"""``wordorder align`` from the outside."""

from pathlib import Path

import pytest
from tests.cli.running import call, process, write

SOURCE = "the house\nthe book\n\na book\n"
TARGET = "das haus\ndas buch\nx\nein buch\n"
LINKS = "0-0 1-1\n0-0 1-1\n\n0-0 1-1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return write(tmp_path, "a.en", SOURCE), write(tmp_path, "a.de", TARGET)


def test_links_of_two_files(files: tuple[str, str]) -> None:
    answer = process("align", *files).good()
    assert answer.text == LINKS
    assert answer.stderr == "wordorder: 4 sentence pairs, 6 links, 1 pair without one\n"


@pytest.mark.parametrize("model", ["agreement", "hmm", "ibm1"])
@pytest.mark.parametrize("symmetrize", ["intersection", "union", "grow-diag-final"])
def test_models_and_symmetrization(model: str, symmetrize: str, files: tuple[str, str]) -> None:
    answer = call("align", *files, "--model", model, "--symmetrize", symmetrize).good()
    lines = answer.text.splitlines()
    assert len(lines) == 4
    assert {"0-0", "1-1"} <= set(lines[0].split())


def test_a_saved_model_gives_the_same_links(files: tuple[str, str], tmp_path: Path) -> None:
    model = str(tmp_path / "en-de.model")
    call("align", *files, "--model", "hmm", "--save", model).good()
    first = Path(model).read_bytes()
    assert call("align", *files, "--load", model).text == LINKS
    call("align", *files, "--model", "hmm", "--save", model, "--threads", "3").good()
    assert Path(model).read_bytes() == first
    other = write(tmp_path, "b.en", "a house\n")
    assert call("align", other, write(tmp_path, "b.de", "ein haus\n"), "--load", model).text == (
        "0-0 1-1\n"
    )


def test_a_kept_model_remembers_what_became_of_case(tmp_path: Path) -> None:
    source = write(tmp_path, "a", "X y\nx z\nW z\n")
    target = write(tmp_path, "b", "1 2\n1 3\n4 3\n")
    lower, kept = str(tmp_path / "lower.model"), str(tmp_path / "kept.model")
    expected = call("align", source, target, "--lowercase", "--save", lower).good().text
    assert expected == "0-0 1-1\n" * 3
    assert call("align", source, target, "--load", lower).good().text == expected
    assert call("align", source, target, "--load", lower, "--lowercase").good().text == expected
    call("align", source, target, "--save", kept).good()
    answer = call("align", source, target, "--load", kept, "--lowercase")
    answer.refused(2, "was trained on text with its case")


def test_words_of_treebanks(tmp_path: Path) -> None:
    empty = "\t_" * 8
    rows = [
        "".join(f"{number}\t{word}{empty}\n" for number, word in enumerate(line.split(), 1))
        for line in ("the house", "the book", "a book")
    ]
    trees = write(tmp_path, "a.conllu", "".join(f"{row}\n" for row in rows))
    target = write(tmp_path, "a.de", "das haus\ndas buch\nein buch\n")
    assert call("align", trees, target).good().text == "0-0 1-1\n" * 3


@pytest.mark.parametrize(
    ("notation", "first"),
    [
        ("talbot", "0,1\n"),
        ("lader", "2-2 ||| 0-0 1-1\n"),
        ("naacl", "1 1 1 S\n"),
    ],
)
def test_notations(notation: str, first: str, files: tuple[str, str]) -> None:
    # Talbot's notation cannot say that a single target word has no link.
    Path(files[1]).write_text(TARGET.replace("x\n", "\n"))
    assert call("align", *files, "--format", notation).good().text.startswith(first)
