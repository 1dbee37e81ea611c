"""Columns of JSON Lines, CSV and Parquet where lines are read, in folders and stores too."""

import builtins
import csv
import gzip
import io
import json
import random
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import call
from tests.files import written
from tests.refusing import refuses

from wordorder import read_alignments, read_orders
from wordorder.errors import InputError, UsageError
from wordorder.text import table_cells
from wordorder.text.lines import read_lines
from wordorder.text.readers import TextReader

FEW = 64

# What stands in each column, and the line that is read of it.
ROW, CELLS = (
    {"ref": "the cat ü", "order": [1, 0, 2], "tied": [[0], [1, 2]], "words": ["a", "b"]}
    | {"translation": {"de": "ja", "en": "yes"}, "none": [], "empty": ""},
    {"ref": "the cat ü", "order": "1 0 2", "tied": "0 1,2", "words": "a b"}
    | {"translation.de": "ja", "none": "", "empty": ""},
)


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    """Write rows as the name of the file says, and return its path."""
    if path.suffix == ".parquet":
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=50)
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


@pytest.fixture(params=["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a few rows at a time, so that a small file has the borders of a large one."""
    monkeypatch.setattr(table_cells, "BATCH_ROWS", FEW)


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("count", [1, FEW - 1, FEW, FEW + 1, 2 * FEW + 1])
def test_a_cell_is_a_line(path: Path, count: int) -> None:
    name = write(path, [ROW | {"ref": f"{ROW['ref']} {number}"} for number in range(count)])
    lines = list(read_lines(f"{name}#ref"))
    assert lines == [f"{CELLS['ref']} {number}" for number in range(count)]


@pytest.mark.parametrize("column", CELLS)
def test_what_a_cell_may_hold(path: Path, column: str) -> None:
    name = write(path, [ROW] * 3)
    assert list(read_lines(f"{name}#{column}")) == [CELLS[column]] * 3


def test_other_readers_take_columns(path: Path) -> None:
    rows = [{"order": "2 0,1", "links": "0-1 1-0"}, {"order": "0", "links": ""}]
    name = write(path, rows)
    assert [str(order) for order in read_orders(f"{name}#order")] == ["2 0,1", "0"]
    assert [str(row) for row in read_alignments(f"{name}#links")] == ["0-1 1-0", ""]
    with TextReader(f"{name}#order") as reader:
        assert (reader.name, reader.take(9).strings()) == (f"{name}#order", ["2 0,1", "0"])


def test_faults_of_readers_name_the_row(path: Path) -> None:
    name = write(path, [{"order": "0 1"}] * 5000 + [{"order": "0 0"}])
    refuses(InputError, r"#order:5001:3: position 0 is listed twice", read_orders, f"{name}#order")


def unread(name: str, message: str, error: type[Exception] = InputError) -> None:
    refuses(error, message, lambda: list(read_lines(name)))


def test_which_columns_there_are_and_when_a_name_is_needed(path: Path) -> None:
    assert list(read_lines(write(path, [{"text": "a"}, {"text": "b"}]))) == ["a", "b"]
    name = write(path, [{"de": "ja", "en": "yes"}])
    unread(name, r"a table with the columns de, en; expected the name of")
    unread(f"{name}#fr", r"no column 'fr'; expected one of de, en$")
    unread(f"{name}#de.x", r"no column 'de.x'; expected one of de, en$")


BAD = [
    (None, r"a missing value \(null\); expected text"),
    ("a\nb", "a line break; expected one line per cell"),
    ("a\r", "a line break; expected one line per cell"),
]
OF_JSON = [
    (3, "3; expected text, a list of words"),
    (True, "true; expected text"),
    ({"a": 1}, r"\{\"a\": 1\}; expected text"),
    (["a b"], "the word 'a b'; expected words without blanks"),
    ([""], "the word ''; expected words without blanks"),
    ([[]], "an empty group"),
    ([1, "a"], '"a"; expected text'),
    ([1.5], "1.5; expected text"),
    ([0, None], "null; expected text"),
]


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("before", [0, 1, FEW, FEW + 3])
@pytest.mark.parametrize(("value", "message"), BAD)
def test_bad_cells_name_their_row(path: Path, before: int, value: Any, message: str) -> None:
    name = write(path, [{"t": "ok"}] * before + [{"t": value}, {"t": "ok"}])
    refuses(InputError, rf"#t:{before + 1}: {message}", list, read_lines(f"{name}#t"))


@pytest.mark.parametrize(("value", "message"), OF_JSON)
def test_other_values(tmp_path: Path, value: Any, message: str) -> None:
    name = write(tmp_path / "a.jsonl", [{"t": "ok"}, {"t": value}])
    refuses(InputError, rf"a.jsonl#t:2: {message}", list, read_lines(f"{name}#t"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"t":1', "no JSON .Expecting"),
        ("", "an empty line; expected a JSON object on each line"),
        ("[1]", r"\[1\]; expected a JSON object"),
        ('{"t":"a","t":"b"}', "no JSON .the key 't' twice.; expected"),
        ('{"t":NaN}', "no JSON .NaN is no number"),
        ('{"t":' * 100_000, "JSON that is nested too deeply"),
        ('{"t":' + "9" * 5000 + "}", "no JSON .Exceeds the limit"),
        ('{"u":1}', "no column 't'; expected one of u"),
        ('{"t":"\\ud800"}', "a lone surrogate"),
    ],
)
def test_hostile_json(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"t":"x"}}\n{line}\n')
    with pytest.raises(InputError, match=rf"a.jsonl#t:2: {message}") as error:
        list(read_lines(f"{path}#t"))
    assert len(str(error.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("column", ["words.list.element", "words.x", "pairs.key", "deep.list.z"])
def test_lists_and_maps_have_no_fields(tmp_path: Path, column: str) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pairs = pa.array([[("k", "v")]], pa.map_(pa.string(), pa.string()))
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"words": [["a"]], "pairs": pairs, "deep": [[{"z": 1}]]}), path)
    with pytest.raises(InputError, match=rf"no column '{column}'; expected one of words, pairs"):
        list(read_lines(f"{path}#{column}"))


def test_damaged_absent_and_empty_tables(tmp_path: Path) -> None:
    name = write(tmp_path / "a.parquet", [{"t": 0.5}])
    unread(f"{name}#t", r"a.parquet#t: a column of type double; expected a column")
    path = Path(write(tmp_path / "a.parquet", [{"naame": "a"}]))
    path.write_bytes(path.read_bytes().replace(b"naame", b"n\xff\xffme"))
    unread(f"{path}#t", r"a.parquet: .*; expected a whole Parquet file")
    path.write_bytes(b"PAR1 and nothing else")
    unread(f"{path}#t", r"a.parquet: .*; expected a whole Parquet file")
    unread(str(tmp_path / "b.parquet"), "b.parquet: No such file or directory")
    name = write(tmp_path / "a.jsonl", [{}])
    unread(name, "a.jsonl:1: a table without columns; expected one with")


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(tmp_path / "a.parquet", [{"t": "a"}])
    found = builtins.__import__

    def absent(module: str, *rest: Any) -> Any:
        if module.startswith("pyarrow"):
            raise ImportError(module)
        return found(module, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(UsageError, match=r'not installed; pip install "wordorder\[arrow\]"'):
        list(read_lines(f"{name}#t"))


@pytest.mark.usefixtures("few_rows")
def test_memory_is_flat(tmp_path: Path) -> None:
    """What Python holds does not grow with the file."""
    peaks = []
    for count in (2_400, 4_800):
        name = write(tmp_path / "a.jsonl", [{"t": "some words of a sentence" * 60}] * count)
        tracemalloc.start()
        assert sum(1 for _ in read_lines(f"{name}#t")) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("ties", [False, True])
def test_lists_of_positions_in_parquet_are_as_one_by_one(tmp_path: Path, ties: bool) -> None:
    """Whatever its numbers: some are formatted by a kernel, others are too large for it."""
    drawn = random.Random(4)
    for most in (9, 10**8 - 1, 10**8, 2**62):
        rows: list[Any] = [
            [drawn.randint(0, most) for _ in range(drawn.randint(0, 9))] for _ in range(200)
        ]
        rows[7] = [3, 3, 3]
        if ties:
            rows = [[row[n : n + drawn.randint(1, 3)] for n in range(len(row))] for row in rows]
        name = write(tmp_path / f"{most}.parquet", [{"t": row} for row in rows])
        assert list(read_lines(name)) == [table_cells.cell_text(row) for row in rows]


# -- Tables in folders, in stores and from standard input. -----------------------------------------


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
        (
            "b;a\n1;2\n",
            "a.csv#a:1: semicolons between the names of columns: 'b;a'; expected commas",
        ),
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
