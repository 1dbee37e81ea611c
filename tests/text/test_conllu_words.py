"""The words of a treebank as text."""

from pathlib import Path

import pytest

from wordorder.errors import InputError
from wordorder.text.lines import ConlluWordReader

REST = "\t_" * 8


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "a.conllu"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_ranges_empty_nodes_and_comments_are_no_words(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "# text = vamonos al New York",
        *(f"1-2\tvamonos{REST}", f"1\tvamos{REST}", f"2\tnos{REST}", f"2.1\tx{REST}"),
        *(f"3\tNew York{REST}", "", "", f"1\t#{REST}"),
    )
    with ConlluWordReader(path) as reader:
        assert reader.take(1).strings() == ["vamos nos New\u00a0York"]
        assert reader.take(5).strings() == ["#"]
        assert len(reader.take(5)) == 0
        assert reader.lines == 2


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1\tx", "columns: 2 in "),
        (f"2\tx{REST}", "ID '2'; expected 1, the number of the word"),
        (f"x\tx{REST}", "ID 'x'; expected 1"),
        (f"01\tx{REST}", "ID '01'; expected 1"),
        (f"{'9' * 5000}\tx{REST}", "expected 1"),
        (f"1-2\tx{REST}", "range '1-2' in a sentence of 0 words"),
        (" ", "a line of blanks"),
        (f"1\t{REST}", "nothing in FORM"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, what: str) -> None:
    path = written(tmp_path, "# comment", line)
    with ConlluWordReader(path) as reader, pytest.raises(InputError) as caught:
        reader.take(1)
    assert f"{path}:2" in str(caught.value)
    assert what in str(caught.value)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "# global.columns = ID FORM UPOS", "1\tx\ty")
    with ConlluWordReader(path) as reader, pytest.raises(InputError, match=r"conllu:1: .*LEMMA"):
        reader.take(1)
