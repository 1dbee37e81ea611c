"""Results as columns, and the tables that libraries make of them."""

import csv
import io
from typing import Any

import numpy as np
import pytest
from tests.cli.running import REFERENCE, SYSTEMS, TREES, call
from tests.refusing import refuses

from wordorder import Segments, metric
from wordorder.errors import UsageError
from wordorder.scoring import compare, score

TWO = [SYSTEMS[0], SYSTEMS[2]]


def cells(text: str) -> list[dict[str, str]]:
    """Return what TSV holds, row by row."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def rows(columns: dict[str, list[Any]]) -> list[dict[str, str]]:
    """Return columns row by row, as TSV writes them."""
    found = zip(*columns.values(), strict=True)
    return [
        {name: "" if v is None else str(v) for name, v in zip(columns, row, strict=True)}
        for row in found
    ]


def test_scores_are_those_of_tsv() -> None:
    found = score(REFERENCE, TWO, "frs,kendall", confidence=0.95, resamples=20)
    options = ["-m", "frs,kendall", "--confidence", "--resamples", "20", "--format", "tsv"]
    printed = cells(call("score", REFERENCE, "-i", *TWO, *options).good().text)
    shared = ["system", "metric", "value", "low", "high", "signature"]
    assert [{n: row[n] for n in shared} for row in rows(found.to_columns())] == [
        {n: row[n] for n in shared} for row in printed
    ]
    assert score(REFERENCE, TWO, "frs").to_columns()["low"] == [None, None]


def test_comparisons_are_those_of_tsv() -> None:
    found = compare(REFERENCE, TWO, "frs,kendall", resamples=20)
    options = ["-m", "frs,kendall", "--resamples", "20", "--format", "tsv"]
    printed = cells(call("compare", REFERENCE, "-i", *TWO, *options).good().text)
    # A leading sign is a formula to a spreadsheet: TSV puts an apostrophe before it.
    assert rows(found.to_columns()) == [row | {"mark": row["mark"].lstrip("'")} for row in printed]


def test_segments_one_a_row() -> None:
    found = score(REFERENCE, TWO, "frs,kendall", segments=True)
    columns = found.segment_columns()
    assert list(columns) == ["system", "metric", "segment", "value"]
    kept = (columns["system"] == "head-final") & (columns["metric"] == "kendall")
    assert np.array_equal(columns["segment"][kept], np.arange(1, 72 + 1))
    assert np.array_equal(columns["value"][kept], found.segment_scores(1)[1], equal_nan=True)
    refuses(UsageError, "segments=True", score(REFERENCE, TWO, "frs").segment_columns)


def test_a_score_as_a_dictionary() -> None:
    found = metric("frs").corpus_score(Segments.from_orders([[0, 2, 1]], [[0, 1, 2]]))
    made = found.to_dict()
    assert (made["metric"], made["segments"], made["skipped"]) == ("frs", 1, 0)
    assert (made["value"], made["signature"]) == (found.value, str(found.signature))


def test_grids_and_sections() -> None:
    from wordorder.analysis.files import analyze_files

    found = analyze_files(
        REFERENCE, trees=[TREES], gold_trees=TREES, rule_sets=["R1", "R5"], resamples=20
    )
    assert found.grid is not None
    columns = found.grid.to_columns()
    assert columns["rules"][:2] == ["R1", "R5"]
    assert len({len(column) for column in columns.values()}) == 1
    section = found.sections[0]
    assert list(zip(*section.to_columns().values(), strict=True)) == list(section.rows)


def test_libraries_take_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    found = score(REFERENCE, TWO, "frs", segments=True)
    assert pa.table(found.to_columns()).num_rows == 2
    assert pa.table(found.segment_columns()).num_rows == 2 * 72
    scores = metric("frs").segment_scores(Segments.from_orders([[0, 2, 1]], [[0, 1, 2]]))
    # Without a copy: the column looks into the same memory.
    assert pa.array(scores).buffers()[1].address == scores.ctypes.data


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library: str) -> None:
    module = pytest.importorskip(library)
    found = score(REFERENCE, TWO, "frs,kendall", segments=True)
    frame = module.DataFrame(found.to_columns())
    assert frame.shape == (4, 8)
    assert module.DataFrame(found.segment_columns()).shape == (4 * 72, 4)
