"""Tables in folders, in stores and from standard input, where lines are read."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from tests.cli.running import call
from tests.files import written
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.text.lines import read_lines

ROWS = [{"ref": f"we met at six {n} .", "a": f'"we" met, six\u2028{n} .'} for n in range(1000)]
PARTS = 12

SECRET = "not-to-be-printed"


def cells(column: str) -> list[str]:
    return [row[column] for row in ROWS]


def write_parts(folder: Path, suffix: str) -> Path:
    """Write the rows as parts whose numbers are not in the order of their letters."""
    import pyarrow as pa
    from pyarrow import parquet

    each = -(-len(ROWS) // PARTS)
    for number in range(PARTS):
        place = folder / f"lang={'de' if number < PARTS // 2 else 'fr'}" / f"part.{number}{suffix}"
        place.parent.mkdir(parents=True, exist_ok=True)
        rows = ROWS[number * each : (number + 1) * each]
        if suffix == ".parquet":
            parquet.write_table(pa.Table.from_pylist(rows), place)
        elif suffix == ".jsonl":
            place.write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            write_csv(place, rows)
    (folder / "_SUCCESS").touch()
    (folder / "lang=de" / f".part.0{suffix}.crc").write_bytes(b"crc")
    return folder


def write_csv(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv"])
def test_a_folder_and_a_glob_are_one_table(tmp_path: Path, suffix: str) -> None:
    folder = write_parts(tmp_path / "corpus", suffix)
    assert list(read_lines(f"{folder}#a")) == cells("a")
    assert list(read_lines(f"{folder}/lang=*/*{suffix}#ref")) == cells("ref")
    assert list(read_lines(f"{folder}/**/*{suffix}#ref")) == cells("ref")


def test_folders_that_name_a_column(tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "corpus", ".parquet")
    langs = list(read_lines(f"{folder}#lang"))
    assert langs == ["de"] * 504 + ["fr"] * 496


def test_faults_name_the_part(tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "corpus", ".jsonl")
    with (folder / "lang=fr" / "part.10.jsonl").open("a") as file:
        file.write('{"a": null}\n')
    with pytest.raises(InputError, match=r"lang=fr/part.10.jsonl#a:85: a missing value"):
        list(read_lines(f"{folder}#a"))
    with pytest.raises(InputError, match=r"no file of a table is there; expected files in .parq"):
        list(read_lines(f"{tmp_path}/nothing*#a"))
    write_parts(tmp_path / "corpus", ".csv")
    with pytest.raises(InputError, match=r"files of several formats \(.csv, .jsonl\); expected on"):
        list(read_lines(f"{folder}#a"))


def test_csv_is_what_the_csv_module_writes(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", ROWS)
    assert list(read_lines(f"{path}#a")) == cells("a")
    assert list(read_lines(f"{path}#ref")) == cells("ref")


def test_cells_of_tsv_are_as_they_stand(tmp_path: Path) -> None:
    path = written(tmp_path, b'ref\ta\r\nx "y\t"z\r\n\tb"\r\n', "a.tsv")
    assert list(read_lines(f"{path}#a")) == ['"z', 'b"']
    assert list(read_lines(f"{path}#ref")) == ['x "y', ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a table without columns; expected one with text in a column"),
        ("b,c\n1,2\n", "no column 'a'; expected one of b, c"),
        ("a,a\n1,2\n", "the column 'a' twice"),
        ("a,b\n1,2\n1\n", "a.csv#a:3: 1 cell; expected 2, as the first row has"),
        ('a\n"x\ny"\n', "a.csv#a:3: a line break; expected one line per cell"),
        ('a\n"x\n', r"no CSV \(unexpected end of data\); expected quotes that end"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    refuses(InputError, message, list, read_lines(f"{tmp_path}/a.csv#a"))


def test_several_columns_of_standard_input(tmp_path: Path) -> None:
    text = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    path = written(tmp_path, text, "a.jsonl")
    options = ("-m", "wer", "--format", "json")
    stored = call("score", f"{path}#ref", "-i", f"{path}#a", *options).good()
    assert call("score", "-#ref", "-i", "-#a", *options, stdin=text).good().stdout == stored.stdout
    bad = call("score", "-#ref", "-i", "-#x", *options, stdin=text)
    bad.refused(1, "<stdin>#x:1: no column 'x'; expected one of ref, a")


def test_standard_input_is_kept_for_each_program(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("x", "y"):
        stream = io.TextIOWrapper(io.BytesIO(json.dumps({"t": text}).encode()))
        monkeypatch.setattr(sys, "stdin", stream)
        assert [list(read_lines("-#t")) for _ in range(2)] == [[text], [text]]


@pytest.mark.parametrize(
    ("module", "address"), [("fsspec", "s3://b/a.txt"), ("gcsfs", "gs://b/a.txt")]
)
def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch, module: str, address: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=rf'{address}: .*; pip install "wordorder\[stores\]"'):
        list(read_lines(address))
