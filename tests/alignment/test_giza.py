"""The notation of GIZA++: three lines per sentence pair."""

import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests import oracles_notations as oracles
from tests.alignment.notations import message, rows_of, rows_or_complaint, written
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError, UsageError

# Written by GIZA++, in the examples of a public tutorial.
TUTORIAL = """\
# Sentence pair (1) source length 3 target length 4 alignment score : 0.0236746
I like smart phones\u0020
NULL ({ }) 我 ({ 1 }) 喜欢 ({ 2 }) 手机 ({ 3 4 })\u0020
# Sentence pair (2) source length 1 target length 2 alignment score : 0.113485
smart phones\u0020
NULL ({ }) 手机 ({ 1 2 })\u0020
"""
HEADER = "# Sentence pair (1) source length 2 target length 2 alignment score : 0.1"
WORDS = st.sampled_from(["a", "({", "})", "NULL", "猫", "1", "x\u00a0y", "\u2028", "#", "a\vb"])


def test_an_output_of_giza(tmp_path: Path) -> None:
    a = read_alignments(written(tmp_path, TUTORIAL))
    assert rows_of(a) == ["0-0 1-1 2-2 2-3", "0-0 0-1"]
    assert a.source_lengths is not None
    assert a.target_lengths is not None
    assert (a.source_lengths.tolist(), a.target_lengths.tolist()) == ([3, 1], [4, 2])
    with AlignmentReader(written(tmp_path, TUTORIAL)) as reader:
        assert rows_of(reader.take(1)) == ["0-0 1-1 2-2 2-3"]
        assert reader.format == "giza"
        assert rows_of(reader.take(5)) == ["0-0 0-1"]
        assert len(reader.take(5)) == 0


@st.composite
def corpora(
    draw: st.DrawFn,
) -> tuple[list[list[tuple[int, int]]], list[list[str]], list[list[str]]]:
    sources = draw(st.lists(st.lists(WORDS, max_size=5), max_size=5))
    targets = [draw(st.lists(WORDS, max_size=5)) for _ in sources]
    rows = []
    for source, target in zip(sources, targets, strict=True):
        pairs = [(s, t) for s in range(len(source)) for t in range(len(target))]
        rows.append(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])
    return rows, sources, targets


@given(corpora(), st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_against_the_twin_and_back(
    tmp_path: Path,
    corpus: tuple[list[list[tuple[int, int]]], list[list[str]], list[list[str]]],
    rng: random.Random,
) -> None:
    rows, sources, targets = corpus
    lengths: dict[str, Any] = {
        "source_lengths": [len(words) for words in sources],
        "target_lengths": [len(words) for words in targets],
    }
    expected = Alignments.from_rows(rows, **lengths)
    order = list(range(len(rows)))
    rng.shuffle(order)
    path = written(tmp_path, oracles.giza_text(rows, sources, targets, order))
    found = read_alignments(path, format="giza")
    assert found == expected
    assert read_alignments(path, format="giza", sentences=len(rows), **lengths) == expected
    write_alignments(expected, path, format="giza", source=sources, target=targets)
    assert read_alignments(path, format="giza") == expected


def test_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "out.A3"
    a = Alignments.from_rows([[(0, 0), (1, 2), (1, 0)]])
    write_alignments(a, path, format="giza", source=[["das", "Haus"]], target=[["the", "a", "b"]])
    assert path.read_text() == (
        "# Sentence pair (1) source length 2 target length 3 alignment score : 0\n"
        "the a b\nNULL ({ 2 }) das ({ 1 }) Haus ({ 1 3 })\n"
    )


NONE = "# Sentence pair (1) source length 1 target length 0\n"
LONG = "100000000000000000000"


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        (f"{HEADER}\na b\n", ":1: ", "sentence pair 1 is incomplete; expected three lines"),
        (f"{HEADER}\n", ":1: ", "sentence pair 1 is incomplete"),
        (f"{HEADER}\na b c\nx\n", ":2: ", "a target sentence of 3 tokens; expected 2, as the"),
        (f"{HEADER}\n\nx\n", ":2: ", "a target sentence of 0 tokens; expected 2"),
        (f"{HEADER}\na\vb c\nNULL ({{ }})\n", ":3: ", "a source sentence of 0 tokens; expected 2"),
        (
            f"{NONE}\nNULL ({{ }}) x ({{ 1 }})\n",
            ":3:17: ",
            "target position 1; expected none",
        ),
        ("# Sentence pair (x) source length 1 target length 0\n", ":1:1: ", "'# Sentence pair (x)"),
        ("# Sentence pair (0) source length 1 target length 0\n", ":1:18: ", "sentence pair 0; e"),
        (
            NONE.replace("(1)", "(16777217)"),
            ":1:18: ",
            "16777217; expected a number up to 16777216",
        ),
        (
            NONE.replace("0", LONG),
            ":1:1: ",
            "'# Sentence pair (1) source len'... begins no sentence pair",
        ),
        (b"# Sentence pair (1) \xff\n", ":1:21: ", "byte 0xff; expected UTF-8 text"),
        ("\n" + TUTORIAL, ":1: ", "an empty line before the notation giza, which has none"),
        (
            TUTORIAL.replace("(2)", "(1)"),
            ":4: ",
            "sentence pair 1 is listed twice; expected each onc",
        ),
        (TUTORIAL.replace("(2)", "(4)"), ":4: ", "sentence pair 4, but no sentence pair 2 in the"),
        (TUTORIAL.replace("(1)", "(3)"), ":4: ", "sentence pair 2, but no sentence pair 1 in the"),
    ],
)
def test_lines_that_do_not_fit(tmp_path: Path, text: str | bytes, where: str, what: str) -> None:
    assert message(written(tmp_path, text)).startswith(where + what)


@pytest.mark.parametrize(
    ("line", "where", "what"),
    [
        ("NULL ({ }) x ({ 1 })", "", "a source sentence of 1 token; expected"),
        ("", "1: ", "the end of the line; expected a source word and its"),
        ("x ({ }) x ({ 1 })", "1: ", "'x' comes first; expected NULL"),
        ("NULL ({ }) x y ({ 1 })", "12: ", "'x'; expected a source word"),
        ("NULL ({ }) x ({ 1 }) z", "22: ", "'z'; expected a source word"),
        ("NULL ({ }) x ({ 1 }", "12: ", "'x'; expected a source word"),
        ("NULL ({ }) x ({ a })", "12: ", "'x'; expected a source word"),
        ("NULL ({ }) x ({ 1_0 })", "12: ", "'x'; expected a source word"),
        ("NULL ({ }) x ({ ٣ })", "12: ", "'x'; expected a source word"),
        ("NULL ({ })x ({ }) y ({ })", "11: ", "'x'; expected a"),
        ("NULL ({ }) x ({ 1 })z", "21: ", "'z'; expected a source word"),
        (
            "NULL ({ }) x ({ 1 }) y ({ 3 })",
            "27: ",
            "target position 3; expected positions from 1 to 2",
        ),
        ("NULL ({ 0 }) x ({ 1 }) y ({ 2 })", "9: ", "target position 0; expected positions from 1"),
        (
            "NULL ({ }) x ({ 1 }) y ({ 2 1 2 })",
            "31: ",
            "target position 2 is listed twice; expected",
        ),
    ],
)
def test_third_lines_that_do_not_fit(tmp_path: Path, line: str, where: str, what: str) -> None:
    assert message(written(tmp_path, f"{HEADER}\na b\n{line}\n")).startswith(
        f":3:{where or ' '}{what}"
    )


def test_texts_of_other_lengths(tmp_path: Path) -> None:
    path = written(tmp_path, TUTORIAL)
    what = ":4: 2 target tokens, but en.txt has 3 tokens. Are the files in step?"
    assert message(path, target_lengths=[4, 3], target_name="en.txt") == what
    what = ":1: 3 source tokens, but the source has 2 tokens. Are the files in step?"
    assert message(path, source_lengths=[2, 1]) == what
    what = ": 2 sentence pairs, but zh.txt has 1; expected as many in both"
    assert message(path, source_lengths=[3], source_name="zh.txt") == what
    assert message(path, source_lengths=[3, 1, 1]).startswith(": 2 lines, but the source has 3")
    assert message(path, sentences=3) == ": 2 sentence pairs; expected 3"


def test_empty_lines_between_pairs(tmp_path: Path) -> None:
    text = TUTORIAL.replace("# Sentence pair (2)", "\n# Sentence pair (2)") + "\n"
    assert len(read_alignments(written(tmp_path, text))) == 2
    assert len(read_alignments(written(tmp_path, ""), format="giza")) == 0


@pytest.mark.parametrize(
    ("row", "source", "target", "what"),
    [
        ([(0, 0, True)], [["a"]], [["b"]], "a:1: a possible link"),
        ([(0, 0)], [["a b"]], [["b"]], "a:1: the word 'a b'"),
        ([(0, 0)], [["a"]], [[""]], "a:1: the word ''"),
        ([(0, 0)], [["a"]], [["\ud800"]], "a:1: the word '\\ud800'"),
        ([(0, 1)], [["a"]], [["b"]], "a:1: link 0-1 points past the target (1 token)"),
        ([(0, 0)], [["a"], []], [["b"]], "a: 1 rows for 2 source sentences"),
    ],
)
def test_what_cannot_be_written(
    tmp_path: Path,
    row: list[tuple[int, int] | tuple[int, int, bool]],
    source: list[list[str]],
    target: list[list[str]],
    what: str,
) -> None:
    path = tmp_path / "out.A3"
    a = Alignments.from_rows([row], path="a")
    with pytest.raises(InputError) as error:
        write_alignments(a, path, format="giza", source=source, target=target)
    assert str(error.value).startswith(what)
    assert not path.exists()


def test_writing_needs_the_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"give them \(source=, target=\)"):
        write_alignments(Alignments.from_rows([[]]), tmp_path / "out.A3", format="giza")


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (b"NULL ({ 1 }) " + b"a" * 40_000, 14),
        (b"NULL ({ 1 }) x" + b" " * 40_000 + b"y", 14),
        (b"NULL ({" + b" 1" * 40_000, 1),
        (b"NULL ({ 1 })" + b" ({" * 40_000, 14),
        (b"NULL ({ 1 })" + b" a ({ })" * 40_000 + b" x", 320_014),
    ],
)
def test_long_lines_take_no_longer_than_their_length(
    tmp_path: Path, line: bytes, column: int
) -> None:
    path = written(tmp_path, f"{HEADER}\na b\n".encode() + line)
    before = time.process_time()
    refuses(InputError, f":3:{column}: ", read_alignments, path, format="giza")
    assert time.process_time() - before < 3


@given(st.binary(max_size=30), st.integers(0, 200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(tmp_path: Path, text: bytes, at: int) -> None:
    whole = TUTORIAL.encode()
    path = written(tmp_path, whole[:at] + text + whole[at:])
    assert rows_or_complaint(path, format="giza") in (2, None)
