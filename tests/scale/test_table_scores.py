"""Columns of tables scored batch by batch: what files give, whoever holds the batches."""

import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from tests.cli.running import ALIGNMENTS, SOURCE, SYSTEMS, TARGET
from tests.notes import noted
from tests.refusing import refuses

from wordorder.alignment.reading import read_alignments, write_alignments
from wordorder.errors import InputError, UsageError
from wordorder.front import ScoreResult
from wordorder.scale import TableScores, merge
from wordorder.scoring import systems
from wordorder.scoring.comparisons import compare_files as compare
from wordorder.scoring.scores import Scores, score_files as score


def lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


def column(path: str) -> list[list[int]]:
    return [[int(n) for n in line.split()] for line in lines(path)]


@pytest.fixture
def orders() -> pyarrow.Table:
    columns = {"ref": column(SYSTEMS[0]), "a": column(SYSTEMS[1]), "b": column(SYSTEMS[2])}
    return pyarrow.table(columns | {"id": range(72)})


NAMED = {"a": SYSTEMS[1], "b": SYSTEMS[2]}
SCORES = TableScores("frs,kendall,ulam", "ref", ("a", "b"))


def same(found: ScoreResult, expected: Scores | ScoreResult) -> None:
    assert found.to_columns() == expected.to_columns()


def test_orders(orders: pyarrow.Table) -> None:
    """The scores of the same orders in files."""
    parts = [SCORES.work([batch]) for batch in orders.to_batches(max_chunksize=7)]
    same(SCORES.result(reversed(parts)), score(NAMED, SYSTEMS[0], "frs,kendall,ulam"))
    assert merge(parts) == SCORES.work([orders]) == SCORES.work([orders.to_pydict()])


def test_orders_as_lines() -> None:
    table = {"ref": lines(SYSTEMS[0]), "a": lines(SYSTEMS[1]), "b": lines(SYSTEMS[2])}
    expected = SCORES.work(
        [{name: column(path) for name, path in NAMED.items()} | {"ref": column(SYSTEMS[0])}]
    )
    assert SCORES.work([table]) == SCORES.work([pyarrow.table(table)]) == expected


@pytest.mark.allow_notes
@pytest.mark.filterwarnings("ignore")
def test_text() -> None:
    table = {"r": lines(TARGET), "s": lines(SOURCE)}
    scores = TableScores("cder,frs", "r", ("s",), "text", {"aligner": "exact"})
    batches = pyarrow.table(table).to_batches(max_chunksize=11)
    same(
        scores.result([scores.work(batches)]),
        score({"s": SOURCE}, TARGET, "cder,frs", aligner="exact"),
    )


@pytest.fixture
def aligned(tmp_path: Path) -> tuple[str, str]:
    """Alignments of the reference in Pharaoh's notation, and others of a system."""
    gold = read_alignments(ALIGNMENTS)
    paths = str(tmp_path / "gold.align"), str(tmp_path / "own.align")
    write_alignments(gold, paths[0], format="pharaoh")
    drawn = random.Random(3)
    rows = [
        " ".join(drawn.sample(row.split(), -(-len(row.split()) // 2))) for row in lines(paths[0])
    ]
    Path(paths[1]).write_text("\n".join([*rows, ""]))
    return paths


@pytest.mark.parametrize("as_lists", [False, True])
def test_orders_by_alignments_and_lrscore(aligned: tuple[str, str], as_lists: bool) -> None:
    gold, own = aligned
    if not as_lists:
        possible(own)

    def links(path: str) -> list[Any]:
        if not as_lists:
            return lines(path)
        return [[[int(n) for n in pair.split("-")] for pair in row.split()] for row in lines(path)]

    rows = {"src": lines(SOURCE), "ref": lines(TARGET), "sys": lines(TARGET)}
    table = pyarrow.table(rows | {"ref_links": links(gold), "sys_links": links(own)})
    columns = {"source": "src", "hypothesis_alignments": ("sys_links",)}
    names, rules = "lrscore,lr-hb4,frs,non-monotonicity", {"rule": "talbot", "links": "sure"}
    options = {**columns, "reference_alignments": "ref_links", **rules}
    scores = TableScores(names, "ref", ("sys",), "text", options)
    found = scores.result([scores.work([batch]) for batch in table.to_batches(max_chunksize=31)])
    files: dict[str, Any] = {"source": SOURCE, "hypothesis_alignments": (own,)}
    given: dict[str, Any] = {**files, "reference_alignments": (gold,), **rules}
    same(found, score({"sys": TARGET}, TARGET, names, **given))
    alone = TableScores("non-monotonicity", "ref", ("sys",), "text", columns)
    expected = score({"sys": TARGET}, TARGET, "non-monotonicity", **files)
    same(alone.result(alone.work([table])), expected)


def test_alignments_against_gold_ones(aligned: tuple[str, str]) -> None:
    gold, own = aligned
    marked = possible(gold)
    scores = TableScores("aer,precision,recall", "gold", ("sys",), "alignments")
    found = scores.result(scores.work([{"gold": marked, "sys": lines(own)}]))
    same(found, score({"sys": own}, gold, "aer,precision,recall"))


def possible(path: str) -> list[str]:
    """Mark a link of each row of a file as only possible; return the rows."""
    marked = [row.replace("-", "p", 1) for row in lines(path)]
    Path(path).write_text("\n".join([*marked, ""]))
    return marked


ROWS = TableScores("frs,kendall", "ref", ("a", "b"), row="id")


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files of more than 50 rows scored as large ones are."""
    monkeypatch.setattr(systems, "BUCKETS_ABOVE", 50)


@pytest.mark.usefixtures("many")
def test_intervals_and_tests_are_those_of_files(orders: pyarrow.Table) -> None:
    """However the rows are cut and shuffled: their numbers say where they belong."""
    shuffled = orders.take(random.Random(1).sample(range(72), 72))
    parts = [ROWS.part(batch) for batch in shuffled.to_batches(max_chunksize=9)]
    for level, draws in ((0.9, None), (0.95, 50)):
        expected = score(NAMED, SYSTEMS[0], "frs,kendall", level=level, resamples=draws)
        assert expected.evaluation.systems[0].buckets
        same(ROWS.result(parts, confidence=True, level=level, resamples=draws), expected)
    for test in ("bootstrap", "randomization"):
        found = ROWS.compare(parts, test=test, resamples=200)
        known = compare(NAMED, SYSTEMS[0], "frs,kendall", test=test, resamples=200)
        assert found.to_columns() == known.to_columns()


@pytest.mark.usefixtures("many")
@pytest.mark.allow_notes
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("words", ["common", "own"])
def test_translations_are_compared_as_those_of_files(words: str, tmp_path: Path) -> None:
    draw = random.Random(6)
    rows = [draw.sample("abcdefgh", n % 9) for n in range(120)]
    table: dict[str, list[Any]] = {"id": list(range(120))}
    for name in ("ref", "a", "b"):
        table[name] = [" ".join(row) for row in rows]
        (tmp_path / name).write_text("\n".join([*table[name], ""]))
        rows = [draw.sample(row, draw.randint(0, len(row))) for row in rows]
    files = {name: str(tmp_path / name) for name in ("a", "b")}
    known = compare(files, str(tmp_path / "ref"), "frs,bleu", words=words, aligner="exact")
    options = {"aligner": "exact"}
    scores = TableScores("frs,bleu", "ref", ("a", "b"), "text", options, row="id", words=words)
    batches = [{name: table[name][n : n + 25] for name in table} for n in range(0, 120, 25)]
    # A part without rows changes no result.
    parts = [scores.part(batch) for batch in batches] + [scores.work([])]
    found = scores.compare(parts)
    assert found.to_columns() == known.to_columns()
    assert (found.found.comparisons[0].pair(0, 1).common is None) == (words == "own")


def test_parts_with_common_words_are_not_compared_on_own_ones() -> None:
    row = {"id": [0, 1], "ref": ["a b", "b a"], "a": ["a b", "b a"], "b": ["a b", "a"]}
    common, own = (
        TableScores("frs", "ref", ("a", "b"), "text", {"aligner": "exact"}, "id", words=words)
        for words in ("common", "own")
    )
    refuses(UsageError, "words='common', not words='own'", own.compare, common.part(row))
    refuses(UsageError, "pairs of systems", common.compare, [own.part(row), common.part(row)])


def test_few_rows_have_intervals_too(orders: pyarrow.Table) -> None:
    """Of buckets, as the signature says; about those of the rows themselves."""
    found = ROWS.result(ROWS.part(orders), confidence=True).found.estimates
    expected = score(NAMED, SYSTEMS[0], "frs,kendall", level=0.95).estimates
    assert found is not None
    assert expected is not None
    for some, others in zip(found, expected, strict=True):
        for ours, theirs in zip(some, others, strict=True):
            assert ours.value == theirs.value
            assert abs(ours.low - theirs.low) < 0.03
            assert abs(ours.high - theirs.high) < 0.03


def test_numbers_of_documents_keep_rows_together() -> None:
    """Three documents, whose rows are all alike: the interval is that of three values."""
    columns = {"doc": [10, 20, 30] * 100, "ref": [[0, 1, 2]] * 300}
    table = columns | {"a": [[0, 1, 2], [0, 1, 2], [2, 1, 0]] * 100}
    scores = TableScores("frs", "ref", ("a",), row="doc")
    ((found,),) = scores.result(scores.part(table), confidence=True).found.estimates
    assert (found.low, found.high) == (0.0, 1.0)


def numpy_batch(table: pyarrow.Table) -> dict[str, Any]:
    return {name: table[name].to_pandas().to_numpy() for name in table.column_names}


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (lambda table: table, pyarrow.Table),
        (lambda table: table.to_batches()[0], pyarrow.RecordBatch),
        (lambda table: table.to_pandas(), pandas.DataFrame),
        (polars.from_arrow, polars.DataFrame),
        (pyarrow.Table.to_pydict, dict),
        (numpy_batch, dict),
    ],
)
def test_a_part_is_of_the_type_of_its_batch(
    made: Callable[[pyarrow.Table], Any], kind: Any, orders: pyarrow.Table
) -> None:
    """And is read again, alone, in a list, or in a list of its rows."""
    part: Any = ROWS.part(made(orders))
    assert type(part) is kind
    expected = ROWS.result([ROWS.work([orders])]).to_columns()
    for given in (part, [part], part["part"], list(part["part"])):
        assert ROWS.result(given).to_columns() == expected


def test_an_iterator_of_batches_gives_one_part(orders: pyarrow.Table) -> None:
    """As Spark calls it, with the function sent to workers as plain data."""
    scores: TableScores = pickle.loads(pickle.dumps(SCORES))
    for batches in (orders.to_batches(max_chunksize=20), [orders.to_pandas()]):
        (row,) = scores.part(iter(batches))
        assert type(row) is type(batches[0])
        assert scores.result(row).to_columns() == scores.result(SCORES.work([orders])).to_columns()
    assert list(scores.part(iter(()))) == []


def test_no_batches_and_empty_ones(orders: pyarrow.Table) -> None:
    whole = SCORES.work([orders])
    assert merge([SCORES.work([]), whole, SCORES.work([orders[:0]])]) == whole
    assert SCORES.work([orders[:0].to_pandas()]) == SCORES.work([])
    refuses(InputError, "no segments; expected at least one", SCORES.result, [SCORES.work([])])
    refuses(UsageError, "no partial scores", SCORES.result, [])


def test_what_is_left_out_is_said_once_and_by_the_driver(orders: pyarrow.Table) -> None:
    table = {"ref": [[0, 1, 2], [0], [0, 1]], "a": [[0, 1, 3], [0], [1, 0]]}
    scores = TableScores("frs(degenerate=skip)", "ref", ("a",))
    parts = [scores.part(table)] * 2
    with noted() as said:
        scores.result(parts)
    assert said == [
        "a: left out 4 words that only one of system and reference has (17 % of the system's, "
        "17 % of the references')",
        "skipped 2 segments without two words to order (33 % of segments)",
    ]


ALIGNED = {"source": "x", "hypothesis_alignments": ("y",)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "trees"}, "unknown value for kind"),
        ({"systems": ()}, "systems is a tuple"),
        ({"options": {"aligner": "exact"}}, "options are for text: aligner"),
        ({"kind": "text", "options": {"rule": "talbot"}}, "unknown option 'rule'"),
        (
            {"kind": "text", "options": {"source": "x", "hypothesis_alignments": ("y", "z")}},
            "one per system: 1",
        ),
        ({"kind": "text", "options": {"hypothesis_alignments": ("y",)}}, "name its column, source"),
        ({"kind": "alignments", "options": {"links": "sure"}}, "options are for text: links"),
        (
            {"kind": "text", "options": {**ALIGNED, "links": "some"}},
            'links="some": expected all, sure',
        ),
    ],
)
def test_bad_descriptions(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TableScores(**{"metrics": "frs", "reference": "r", "systems": ("s",), **change})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"r": [[0, 1]], "s": [[0, 0]]}, "column 's', row 1, entry 2: .*listed twice"),
        ({"r": ["0 1", "0 x"], "s": ["0 1", "1 0"]}, "column 'r':2:3: 'x'; expected positions"),
        ({"r": ["0 1", None], "s": ["0 1", "1 0"]}, "column 'r', row 2: None; expected one line"),
        (pyarrow.table({"r": [[0, 1], None], "s": [[0], [0]]}), "column 'r', row 2.*null"),
        ({"r": [[0, 1]], "t": [[0, 0]]}, "no column 's'; expected one of r, t"),
        (pandas.DataFrame({"s": [[0]]}), "no column 'r'; expected one of s"),
        (polars.DataFrame({"s": [[0]]}), "no column 'r'; expected one of s"),
        (pyarrow.table({"s": [[0]]}), "no column 'r'; expected one of s"),
    ],
)
def test_bad_rows(table: Any, said: str) -> None:
    refuses(InputError, said, TableScores("frs", "r", ("s",)).work, [table])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": ["x", "y", None]}, "column 'a', row 3: None; expected a string"),
        ({"b": ["x", "y\nz", "w"]}, "column 'b', row 2: a line break"),
        ({"r": ["x", "y", 3]}, "column 'r', row 3: 3; expected a string"),
        ({"r": ["x", "y"]}, "column 'r': 2 entries for 3 hypotheses"),
        ({"src": ["x", 2, "z"]}, "column 'src', row 2: 2; expected a string"),
        ({"b": pyarrow.array(["x", None, "z"])}, "column 'b', row 2: a missing value"),
    ],
)
def test_bad_rows_of_text(change: dict[str, Any], said: str) -> None:
    table = {name: ["x", "y", "z"] for name in ("r", "a", "b", "src")} | change
    scores = TableScores("cder", "r", ("a", "b"), kind="text", options={"source": "src"})
    refuses(InputError, said, scores.work, [table])


@pytest.mark.parametrize(
    ("numbers", "said"),
    [([0.5], "no numbers of rows"), (["a"], "no numbers of rows"), ([-1], "from 0 to .*got -1")],
)
def test_bad_numbers_of_rows(numbers: list[Any], said: str) -> None:
    with pytest.raises((InputError, UsageError), match=said):
        TableScores("frs", "r", ("s",), row="id").part({"r": [[0]], "s": [[0]], "id": numbers})


def test_parts_that_do_not_fit() -> None:
    table = {"id": [0], "ref": [[0, 1]], "a": [[0, 1]], "b": [[1, 0]]}
    part = ROWS.part(table)
    for other in (SCORES, TableScores("frs", "ref", ("a", "b"), row="id", seed=1)):
        refuses(UsageError, "parts of other systems, metrics, or another row", other.result, part)
    refuses(UsageError, "row=COLUMN", SCORES.result, SCORES.part(table), confidence=True)
    refuses(UsageError, "row=COLUMN", SCORES.compare, SCORES.part(table))
    refuses(UsageError, "resamples= is for confidence=", ROWS.result, part, resamples=10)
    refuses(UsageError, "parts are what TableScores.part made, not str", ROWS.result, "part")
    with pytest.raises(InputError, match="no column 'part'; expected one of id"):
        ROWS.result(pyarrow.table({"id": [0]}))
    with pytest.raises(UsageError, match="nist reads all references before it scores"):
        TableScores("nist", "ref", ("a",), "text").part({"ref": ["a"], "a": ["a"]})


def test_a_generator_of_parts_is_read_as_it_comes(orders: pyarrow.Table) -> None:
    def parts() -> Iterator[pyarrow.Table]:
        for first in range(0, 72, 5):
            yield SCORES.part(orders[first : first + 5])

    same(SCORES.result(parts()), SCORES.result(SCORES.work([orders])))
