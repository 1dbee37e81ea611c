"""N-best lists: all notations in, Moses' out; broken lines are named."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from wordorder.errors import InputError, UsageError, WordOrderWarning
from wordorder.training import NBest

MOSES = "0 ||| a b ||| d= 0 -1.5 lm= -2 ||| -3.5 ||| 0=0 1=1 ||| 0-0 1-1"


def read(folder: Path, *texts: str) -> NBest:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.list")
        paths[-1].write_text(text)
    return NBest.read(*paths)


@pytest.mark.parametrize(
    "features",
    ["d= 0 -1.5 lm= -2", "d: 0 -1.5 lm: -2", "d= 0 -1.5 lm=-2", "  d=\t0  -1.5  lm= -2.0e0 "],
)
@pytest.mark.parametrize("begin", ["0 |||", "0|||", " 0  ||| "])
def test_all_notations_of_names(features: str, begin: str, tmp_path: Path) -> None:
    nbest = read(tmp_path, f"{begin} a b  ||| {features} ||| -3.5\n")
    assert nbest.names == ("d_0", "d_1", "lm_0")
    assert nbest.features.tolist() == [[0.0, -1.5, -2.0]]
    assert nbest.text == ("a b",)
    assert nbest.scores is not None
    assert nbest.scores.tolist() == [-3.5]


def test_features_without_names(tmp_path: Path) -> None:
    nbest = read(tmp_path, "5 ||| a ||| 1 2.5\n5 ||| b ||| 3 -4\n")
    assert nbest.names == ("F_0", "F_1")
    assert nbest.sentence.tolist() == [5, 5]
    assert nbest.scores is None
    assert list(nbest.lines()) == ["5 ||| a ||| F= 1 2.5", "5 ||| b ||| F= 3 -4"]


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    lines = [
        MOSES,
        "0 ||| b a ||| d= 1e-17 0.1 lm= 123456789.125 ||| 2 ||| 0-0",
        "7 |||  ||| lm= 1",
    ]
    with pytest.warns(WordOrderWarning, match="lack features"):
        nbest = read(tmp_path, "\n".join(lines[:2]), f"{lines[2]} ||| 0\n")
    path = tmp_path / "again.gz"
    nbest.write(path)
    assert gzip.decompress(path.read_bytes()).decode().splitlines()[0] == MOSES
    again = NBest.read(path)
    assert again.features.tolist() == nbest.features.tolist()
    assert (again.text, again.alignments) == (nbest.text, nbest.alignments)
    assert list(again.lines()) == list(nbest.lines())


def test_lists_of_several_runs_are_one(tmp_path: Path) -> None:
    first = "1 ||| a ||| f= 1 ||| 0\n0 ||| b ||| f= 2 ||| 0\n1 ||| c ||| f= 3 ||| 0\n"
    second = "1 ||| a ||| f= 1.0 ||| 9\n1 ||| a ||| f= 4 ||| 0\n0 ||| d ||| f= 5 ||| 0\n"
    nbest = read(tmp_path, first, second)
    assert nbest.text == ("b", "d", "a", "c", "a")
    assert nbest.features.ravel().tolist() == [2.0, 5.0, 1.0, 3.0, 4.0]
    assert nbest.offsets.tolist() == [0, 2, 5]
    assert nbest.where(4) == f"{tmp_path}/1.list:2"


def test_missing_features_are_zero(tmp_path: Path) -> None:
    with pytest.warns(WordOrderWarning, match=r"2 of 3 candidates \(67 %\) lack features"):
        nbest = read(tmp_path, "0 ||| a ||| f= 1 g= 2\n0 ||| b ||| g= 3\n0 ||| c ||| f= 4\n")
    assert nbest.features.tolist() == [[1.0, 2.0], [0.0, 3.0], [4.0, 0.0]]


def test_some_scores_are_none(tmp_path: Path) -> None:
    with pytest.warns(WordOrderWarning, match=r"1 of 2 candidates \(50 %\) have no score"):
        assert read(tmp_path, "0 ||| a ||| f= 1 ||| 3\n0 ||| b ||| f= 2\n").scores is None


def test_a_list_is_ranked_by_other_weights(tmp_path: Path) -> None:
    nbest = read(
        tmp_path, "0 ||| a ||| f= 1\n0 ||| b ||| f= 2\n1 ||| c ||| f= 0\n0 ||| e ||| f= 2.0\n"
    )
    ranked = nbest.reranked(np.array([0.5]))
    assert ranked.text == ("b", "e", "a", "c")
    assert ranked.scores is not None
    assert ranked.scores.tolist() == [1.0, 1.0, 0.5, 0.0]
    with pytest.raises(UsageError, match="2 weights for 1 features"):
        nbest.reranked(np.ones(2))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0", "1 field; expected ID ||| TEXT"),
        ("0 ||| a", "2 fields"),
        ("0 ||| a ||| f= 1 ||| 1 ||| 0-0 ||| 0-0 ||| x", "7 fields"),
        ("x ||| a ||| f= 1", "'x'; expected the number of a sentence"),
        ("-1 ||| a ||| f= 1", "'-1'"),
        ("٣ ||| a ||| f= 1", "the number of a sentence"),
        (f"{10**30} ||| a ||| f= 1", "the number of a sentence"),
        ("0 ||| a ||| ", "no features"),
        ("0 ||| a ||| f=", "feature f has no value"),
        ("0 ||| a ||| f= nan", "'nan'; expected a number, at most 1e+100 from 0"),
        ("0 ||| a ||| f= inf", "'inf'"),
        ("0 ||| a ||| f= 1e999", "'1e999'"),
        ("0 ||| a ||| f= -2e100", "'-2e100'"),
        ("0 ||| a ||| f= 1_0", "'1_0'"),
        ("0 ||| a ||| f= ٣", "a number, at most"),
        ("0 ||| a ||| f= x", "'x'"),
        ("0 ||| a ||| = 1", "'='; expected a name"),
        ("0 ||| a ||| f= 1 f= 2", "feature f is listed twice"),
        ("0 ||| a ||| f= 1 ||| nan", "'nan'"),
        ("0 ||| a ||| f= 1 2", "2 values of feature f; expected 1, as in"),
    ],
)
def test_broken_lines_are_named(line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"0 ||| a ||| f= 1\n\n{line}\n")
    assert str(caught.value).startswith(f"{tmp_path}/0.list:3: ")
    assert said in str(caught.value)


def test_an_empty_list_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0.list: there are no candidates"):
        read(tmp_path, "\n \n")
    (tmp_path / "x").write_bytes(b"0 ||| a\xff ||| f= 1\n")
    with pytest.raises(InputError, match="x:1:8: byte 0xff"):
        NBest.read(tmp_path / "x")
