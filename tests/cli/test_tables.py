"""Columns of tables on the command line."""

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call

COLUMNS = {
    "source": SOURCE,
    "target": TARGET,
    "links": ALIGNMENTS,
    "reference": REFERENCE,
    "head_final": SYSTEMS[2],
    "unchanged": SYSTEMS[0],
    "unchanged_orders": SYSTEMS[0],
}


def lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


@functools.cache
def printed(*arguments: str) -> bytes:
    """Return what a command prints; it is run once for all kinds of tables."""
    return call(*arguments).good().stdout


@pytest.fixture(scope="module", params=["jsonl", "parquet"])
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The shipped sample, one column per file."""
    path = tmp_path_factory.mktemp("tables") / f"data.{request.param}"
    columns = {name: lines(file) for name, file in COLUMNS.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if request.param == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def without_names(found: Any) -> Any:
    """Return scores without what the systems are called."""
    return [system["scores"] for system in found["systems"]]


def test_score_and_compare(table: str) -> None:
    names = ["head_final", "unchanged"]
    systems = [f"{table}#{name}" for name in names]
    files = [SYSTEMS[2], SYSTEMS[0]]
    options = ["--input", "orders", "--format", "json"]
    found = call("score", f"{table}#reference", "-i", *systems, *options).good().json
    expected = call("score", REFERENCE, "-i", *files, *options).good().json
    assert without_names(found) == without_names(expected)
    assert [system["system"] for system in found["systems"]] == names
    named = call("score", REFERENCE, "-i", f"A={table}#unchanged", *options).good().json
    assert [system["system"] for system in named["systems"]] == ["A"]
    call("compare", f"{table}#reference", "-i", *systems, "--resamples", "9", *options).good()


def test_column_for_files_that_are_named_without_one(table: str) -> None:
    options = ["--input", "orders", "--format", "json"]
    found = call("score", REFERENCE, "-i", f"A={table}", "--column", "unchanged", *options)
    expected = call("score", REFERENCE, "-i", SYSTEMS[0], *options)
    assert without_names(found.good().json) == without_names(expected.good().json)
    call("score", REFERENCE, "-i", SYSTEMS[0], "--column", "x").refused(2, "--column is for")
    call("score", f"{table}#reference", "-i", SYSTEMS[0], "--column", "x").refused(2, "--column")
    call("score", table, "-i", SYSTEMS[0], "--column", "x").refused(1, "no column 'x'", "source")


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("reference {}#links --source {}#source", [ALIGNMENTS, SOURCE]),
        ("align {}#source {}#target --model ibm1", [SOURCE, TARGET]),
        ("tag en {}#source", [SOURCE]),
        ("reorder {}#source --by {}#reference", [SOURCE, REFERENCE]),
        ("evaluate {}#reference --source {}#source --parser en", [REFERENCE, SOURCE]),
        (
            "analyze {}#reference -i A={}#unchanged_orders --source {}#source",
            [REFERENCE, SYSTEMS[0], SOURCE],
        ),
    ],
)
def test_other_verbs(table: str, command: str, files: list[str]) -> None:
    plain = re.sub(r"\{\}#\w+", "{}", command).format(*files).split()
    found = call(*command.replace("{}", table).split()).good()
    assert found.stdout == printed(*plain)


def test_an_input_is_not_overwritten(table: str) -> None:
    before = Path(table).read_bytes()
    call("tag", "en", f"{table}#source", "-o", table).refused(2, "is an input too")
    assert Path(table).read_bytes() == before


def test_text_in_cells_is_taken_for_what_it_is(table: str) -> None:
    call("score", f"{table}#reference", "-i", f"{table}#unchanged").refused(
        2, "#reference looks like orders", "--input orders"
    )


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
@pytest.mark.parametrize("engine", ["", "--engine local"])
def test_lists_of_links(suffix: str, engine: str, tmp_path: Path) -> None:
    rows = [
        {"source": "a", "links": [[0, 1]], "bad": [[0, 1, 2]]},
        {"source": "b c", "links": [[1, 0], [0, 1]], "bad": [[0, 1]]},
        {"source": "d", "links": [], "bad": []},
    ]
    path = str(tmp_path / f"data.{suffix}")
    if suffix == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist(rows), path)
    else:
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
    how = ("--source", f"{path}#source", *engine.split())
    assert call("reference", f"{path}#links", *how).good().text == "0\n1 0\n0\n"
    answer = call("reference", f"{path}#bad", *how)
    answer.refused(1, ":1: [0, 1, 2]; expected links: [source index, target index]")
