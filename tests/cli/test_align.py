"""``wordorder align`` from the outside."""

import subprocess
import time
from pathlib import Path

import pytest
from tests.cli.running import PROGRAM, call, interrupt, process, ready, write

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


def test_output_standard_input_and_compression(files: tuple[str, str], tmp_path: Path) -> None:
    output = tmp_path / "a.align.gz"
    answer = call("align", "-", files[1], "-o", str(output), stdin=SOURCE.encode()).good()
    assert answer.stdout == b""
    reference = call("reference", str(output), "--source", files[0]).good()
    assert reference.text == "0 1\n0 1\n\n0 1\n"


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


def test_lowercase(tmp_path: Path) -> None:
    source = write(tmp_path, "a", "X y\nx z\nW z\n")
    target = write(tmp_path, "b", "1 2\n1 3\n4 3\n")
    assert call("align", source, target, "--lowercase").text == "0-0 1-1\n" * 3


def test_a_kept_model_remembers_what_became_of_case(tmp_path: Path) -> None:
    source = write(tmp_path, "a", "X y\nx z\nW z\n")
    target = write(tmp_path, "b", "1 2\n1 3\n4 3\n")
    lower, kept = str(tmp_path / "lower.model"), str(tmp_path / "kept.model")
    expected = call("align", source, target, "--lowercase", "--save", lower).good().text
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


def test_what_talbots_notation_cannot_write_is_named(tmp_path: Path) -> None:
    source = write(tmp_path, "a", "a b\n\n")
    target = write(tmp_path, "b", "a b\nx\n")
    answer = call("align", source, target, "--format", "talbot")
    answer.refused(1, f"{target}:2: a single unaligned target word")


@pytest.mark.parametrize(
    ("notation", "first"),
    [
        ("talbot", "0,1\n"),
        ("lader", "2-2 ||| 0-0 1-1\n"),
        ("naacl", "1 1 1 S\n"),
        ("giza", "# Sentence pair (1) source length 2 target length 2 alignment score : 0\n"),
    ],
)
def test_notations(notation: str, first: str, files: tuple[str, str]) -> None:
    # Talbot's notation cannot say that a single target word has no link.
    Path(files[1]).write_text(TARGET.replace("x\n", "\n"))
    assert call("align", *files, "--format", notation).good().text.startswith(first)


def test_line_counts_must_match(files: tuple[str, str], tmp_path: Path) -> None:
    short = write(tmp_path, "short", "das haus\n")
    output = tmp_path / "out"
    answer = call("align", files[0], short, "-o", str(output))
    answer.refused(1, f"{files[0]}: 4 lines, but {short} has 1")
    assert not output.exists()


def test_bad_data(files: tuple[str, str], tmp_path: Path) -> None:
    bad = write(tmp_path, "bad", b"a\nb \xff\nc\nd\n")
    call("align", files[0], bad).refused(1, f"{bad}:2:3: byte 0xff")
    call("align", files[0], str(tmp_path / "none")).refused(1, "No such file")
    long = write(tmp_path, "long", "a " * 5000 + "\n")
    call("align", long, long).refused(1, "5000 and 5000 words", "split the sentences")
    call("align", *files, "--load", files[0]).refused(1, "no model file")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "giza"], "unknown aligner 'giza'"),
        (["--symmetrize", "grow-all"], "--symmetrize"),
        (["--load", "m", "-O", "iterations=3"], "--load uses a model as it is"),
        (["--load", "m", "--save", "n"], "--load uses a model as it is"),
        (["--load", "m", "--model", "hmm"], "--load uses a model as it is"),
        (["--load", "m"], "m: no such file"),
        (["--save", "-"], "the name of a file"),
        (["--save", "x.gz"], "x.gz: a model is written to a file that is not compressed"),
        (["--save", "no/such/x"], "no folder no/such"),
        (["--save", "x", "-o", "x"], "two names"),
        (["-O", "iterations=0"], "-O iterations"),
    ],
)
def test_refusals(arguments: list[str], message: str, files: tuple[str, str]) -> None:
    call("align", *files, *arguments).refused(2, message)


def test_inputs_are_not_overwritten(files: tuple[str, str]) -> None:
    call("align", *files, "-o", files[0]).refused(2, "is an input too")
    call("align", *files, "--save", files[1]).refused(2, "is an input too")
    call("align", "-", "-").refused(2, "only one input")
    assert Path(files[0]).read_text() == SOURCE


@pytest.mark.slow
def test_an_interrupt_ends_training(tmp_path: Path) -> None:
    text = write(tmp_path, "a", ("a b c d e f g h " * 20 + "\n") * 400)
    running = subprocess.Popen(
        [PROGRAM, "align", text, text, "-O", "iterations=100000", "-o", tmp_path / "out"],
        stderr=subprocess.PIPE,
    )
    ready(running)
    time.sleep(0.5)
    assert interrupt(running) == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]
