"""Columns of tables scored batch by batch: what files give, whoever holds the batches."""

import pickle
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from tests.cli.running import SOURCE, SYSTEMS, TARGET

from wordorder.errors import InputError, UsageError
from wordorder.scale import TableScores, merge
from wordorder.scoring import score


def column(path: str) -> list[list[int]]:
    return [[int(n) for n in line.split()] for line in Path(path).read_text().splitlines()]


@pytest.fixture
def orders() -> pyarrow.Table:
    columns = {"ref": column(SYSTEMS[0]), "a": column(SYSTEMS[1]), "b": column(SYSTEMS[2])}
    return pyarrow.table(columns)


def test_orders(orders: pyarrow.Table) -> None:
    """The scores of the same orders in files."""
    scores = TableScores("frs,kendall,ulam", "ref", ("a", "b"))
    parts = [scores.work([batch]) for batch in orders.to_batches(max_chunksize=7)]
    expected = score(SYSTEMS[0], {"a": SYSTEMS[1], "b": SYSTEMS[2]}, "frs,kendall,ulam")
    found = scores.scores(reversed(parts))
    assert found == {each.name: each.scores for each in expected.evaluation.systems}
    assert merge(parts) == scores.work([orders]) == scores.work([orders.to_pydict()])


@pytest.mark.filterwarnings("ignore:.*without a match|skipped")
def test_text() -> None:
    lines = {
        name: Path(path).read_text().splitlines() for name, path in (("r", TARGET), ("s", SOURCE))
    }
    scores = TableScores("cder,frs", "r", ("s",), "text", {"aligner": "exact"})
    expected = score(TARGET, {"s": SOURCE}, "cder,frs", aligner="exact")
    batches = pyarrow.table(lines).to_batches(max_chunksize=11)
    assert scores.scores([scores.work(batches)])["s"] == expected.evaluation.systems[0].scores


def test_as_spark_and_dask_call_it(orders: pyarrow.Table) -> None:
    """Sent to workers as plain data, called with an iterator of batches there."""
    scores: TableScores = pickle.loads(pickle.dumps(TableScores("frs", "ref", ("a",))))
    (row,) = scores.in_arrow(iter(orders.to_batches(max_chunksize=20)))
    assert row.schema == pyarrow.schema({"part": pyarrow.binary()})
    assert row["part"].to_pylist() == [scores.work([orders])]
    from dask import compute, delayed

    batches = orders.to_batches(max_chunksize=20)
    parts = compute(*(delayed(scores.work)([b]) for b in batches), scheduler="threads")
    assert merge(parts) == scores.work([orders])


def test_no_batches_at_all(orders: pyarrow.Table) -> None:
    scores = TableScores("frs", "ref", ("a",))
    assert merge([scores.work([]), scores.work([orders])]) == scores.work([orders])


@pytest.mark.parametrize(
    ("change", "said"),
    [({"kind": "trees"}, "unknown value for kind"), ({"systems": ()}, "systems is a tuple")],
)
def test_bad_descriptions(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TableScores(**{"metrics": "frs", "reference": "r", "systems": ("s",), **change})


def test_bad_rows() -> None:
    with pytest.raises(InputError, match="listed twice"):
        TableScores("frs", "r", ("s",)).work([{"r": [[0, 1]], "s": [[0, 0]]}])
    missing = pyarrow.table({"r": [[0, 1], None], "s": [[0, 1], [0]]})
    with pytest.raises(InputError, match="null"):
        TableScores("frs", "r", ("s",)).work([missing])
