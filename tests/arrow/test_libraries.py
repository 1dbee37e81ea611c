"""Columns of pyarrow, Polars and pandas are what lists are."""

import gc
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.refusing import refuses

from wordorder import Alignments, Orders, Ragged, Segments, align, metric
from wordorder.arrow.columns import decode_column, read_column
from wordorder.arrow.inputs import plain_rows
from wordorder.errors import InputError

NINE = ["a sentence of nine words and a few more", "a sentence of words nine and a few more"]
TEXT = ["a b", "a long sentence, longer than a view", "x", "ü x", "", NINE[0]]
OTHER = ["b a", "a sentence, a long longer than view", "x", "x ü", "y", NINE[1]]
ROWS = [[0, 2, 1], [], [1, 0], [0]]
TIES = [[[0], [2, 1]], [], [[1, 0]], [[0]]]

# Each word of `TEXT` is linked with the word in its place.
SELF = [[[i, i] for i in range(len(line.split()))] for line in TEXT]
PAIRS = [[(a, b) for a, b in row] for row in SELF]

Make = Callable[..., Any]


def _pyarrow() -> dict[str, Make]:
    pa = pytest.importorskip("pyarrow")

    def sliced(rows: Any) -> Any:
        return pa.array([rows[0], *rows, rows[0]])[1:-1]

    def like(rows: Any, text: Make, lists: Make) -> Any:
        kind = pa.array(rows).type
        if pa.types.is_list(kind):
            return lists(kind.value_type)
        return text() if pa.types.is_string(kind) else kind

    def large(rows: Any) -> Any:
        return pa.array(rows, like(rows, pa.large_string, pa.large_list))

    def view(rows: Any) -> Any:
        return pa.array(rows, like(rows, pa.string_view, pa.list_view))

    def chunked(rows: Any) -> Any:
        kind = pa.array(rows).type
        return pa.chunked_array([pa.array(part, kind) for part in (rows[:1], rows[:0], rows[1:])])

    def mixed(rows: Any) -> Any:
        return pa.chunked_array([view(rows[:3]), view([rows[0], *rows])[4:]])

    kinds = {"array": pa.array, "sliced": sliced, "large": large, "view": view}
    return {**kinds, "chunked": chunked, "mixed": mixed}


def _polars() -> dict[str, Make]:
    pl = pytest.importorskip("polars")

    def chunked(rows: Any) -> Any:
        return pl.concat([pl.Series(rows[:2]), pl.Series(rows[2:])], rechunk=False)

    def sliced(rows: Any) -> Any:
        return pl.Series([rows[0], *rows, rows[0]])[1:-1]

    return {"series": pl.Series, "chunked": chunked, "sliced": sliced}


def _pandas() -> dict[str, Make]:
    pd = pytest.importorskip("pandas")

    def objects(rows: Any) -> Any:
        return pd.Series(rows, dtype=object)

    def strided(rows: Any) -> Any:
        return pd.Series([each for row in rows for each in (row, row)], dtype=object)[::2]

    def sliced(rows: Any) -> Any:
        return pd.Series([rows[0], *rows])[1:]

    class Old:
        """A column of pandas 2: rows that can be listed, and no interface."""

        def __init__(self, rows: Any) -> None:
            self.rows = pd.Series(rows, dtype=object)

        def __len__(self) -> int:
            return len(self.rows)

        def tolist(self) -> Any:
            return self.rows.tolist()

    kinds = {"series": pd.Series, "objects": objects, "strided": strided, "sliced": sliced}
    return {**kinds, "old": Old}


MAKERS = {"pyarrow": _pyarrow, "polars": _polars, "pandas": _pandas}
KINDS = [
    *(("pyarrow", kind) for kind in ("array", "sliced", "large", "view", "chunked", "mixed")),
    *(("polars", kind) for kind in ("series", "chunked", "sliced")),
    *(("pandas", kind) for kind in ("series", "objects", "strided", "sliced", "old")),
]


@pytest.fixture(params=KINDS, ids="-".join)
def make(request: pytest.FixtureRequest) -> Make:
    library, kind = request.param
    return MAKERS[library]()[kind]


def scores(segments: Segments, name: str = "cder") -> list[float | None]:
    # Without a value: None, which equals itself.
    found = metric(name).segment_scores(segments).tolist()
    return [None if math.isnan(score) else score for score in found]


def test_text(make: Make) -> None:
    expected = scores(Segments.from_text(TEXT, OTHER, TEXT))
    assert scores(Segments.from_text(make(TEXT), make(OTHER), make(TEXT))) == expected
    # Columns and lists go together.
    assert scores(Segments.from_text(TEXT, make(OTHER))) == expected
    assert scores(Segments.from_text(make(TEXT), OTHER)) == expected
    lines = Segments.from_text(make(TEXT), make(OTHER), tokenizer="13a", case="lower")
    wanted = Segments.from_text(TEXT, OTHER, tokenizer="13a", case="lower")
    assert lines.texts.hypothesis_lines == wanted.texts.hypothesis_lines
    assert scores(lines, "bleu") == scores(wanted, "bleu")


def test_several_references(make: Make) -> None:
    several = [[a, b] if a else [a] for a, b in zip(OTHER, TEXT, strict=True)]
    expected = scores(Segments.from_text(TEXT, several))
    assert scores(Segments.from_text(make(TEXT), make(several))) == expected
    by_file = scores(Segments.from_text(TEXT, references_by_file=[OTHER, TEXT]))
    assert scores(Segments.from_text(make(TEXT), references_by_file=[make(OTHER), TEXT])) == by_file
    columns = [make(OTHER), make(TEXT)]
    assert scores(Segments.from_text(make(TEXT), references_by_file=columns)) == by_file


def test_tokens(make: Make) -> None:
    tokens, others = [line.split() for line in TEXT], [line.split() for line in OTHER]
    expected = scores(Segments.from_text(tokens, others))
    assert scores(Segments.from_text(make(tokens), make(others))) == expected


def test_orders_and_permutations(make: Make) -> None:
    assert Orders.from_rows(make(ROWS)) == Orders.from_rows(ROWS)
    assert Orders.from_rows(make(TIES)) == Orders.from_rows(TIES)
    assert Ragged.from_rows(make(ROWS)) == Ragged.from_rows(ROWS)
    expected = scores(Segments.from_orders(ROWS, TIES), "frs")
    assert scores(Segments.from_orders(make(ROWS), make(TIES)), "frs") == expected
    words = [["a", "b", "a"], [], ["a", "a"], ["c"]]
    given = Segments.from_orders(make(ROWS), make(TIES), source=make(words))
    assert given.words == Segments.from_orders(ROWS, TIES, source=words).words
    permutations = Segments.from_permutations(make(ROWS)).permutation
    assert permutations == Segments.from_permutations(ROWS).permutation


def test_alignments(make: Make) -> None:
    links = [[[0, 0], [1, 1]], [[0, 1]], [[0, 0]], [[1, 0], [0, 1]]]
    pairs: Any = [[(s, t) for s, t in row] for row in links]
    made = Segments.from_links(make(links), make(links))
    expected = Segments.from_links(pairs, pairs)
    assert metric("aer").corpus_score(made) == metric("aer").corpus_score(expected)
    shown = [str(row) for row in Alignments.from_rows(make(links))]
    assert shown == ["0-0 1-1", "0-1", "0-0", "1-0 0-1"]
    made = Segments.from_alignments(make(TEXT), make(TEXT), make(OTHER), make(SELF), make(SELF))
    expected = Segments.from_alignments(TEXT, TEXT, OTHER, PAIRS, PAIRS)
    assert scores(made, "kendall") == scores(expected, "kendall")
    found = align(make(TEXT[:4]), make(OTHER[:4]))
    assert [str(row) for row in found] == [str(row) for row in align(TEXT[:4], OTHER[:4])]


def test_nulls_name_the_row(make: Make) -> None:
    with pytest.raises(InputError, match=r"^references, (row|entry) 3: (a missing value|None|nan)"):
        Segments.from_text(TEXT[:4], make(["a", "b", None, "c"]))
    with pytest.raises(InputError, match=r"^system, row 3: (a missing value|None|nan)"):
        Segments.from_orders(make([[0], [0, 1], None, [0]]), ROWS)


def test_other_faults(make: Make) -> None:
    with pytest.raises(InputError, match=r"^hypotheses, (row|entry) 2: a line break"):
        Segments.from_text(make(["a", "b\nc", "d"]), make(["a", "b", "d"]))
    with pytest.raises(InputError, match=r"^references: 3 entries for 4 hypotheses"):
        Segments.from_text(make(TEXT[:4]), make(TEXT[:3]))
    with pytest.raises(InputError, match=r"^source: 3 segments for 4"):
        Segments.from_text(make(TEXT[:4]), make(TEXT[:4]), make(TEXT[:3]))
    with pytest.raises(InputError, match=r"^system, row 3, entry 2: position 1 is listed twice"):
        Segments.from_orders(make([[0], [0, 1], [1, 1], [0]]), ROWS)
    with pytest.raises(InputError, match=r"^system, row 3, entry 1: 4294967296; expected an integ"):
        Segments.from_orders(make([[0], [0, 1], [2**32], [0]]), ROWS)
    with pytest.raises(InputError, match=r"row 3.*: an empty group"):
        Orders.from_rows(make([[[0]], [[0]], [[1], []], [[0]]]))
    refuses(InputError, "system", Segments.from_orders, make([[0.5], [0.25], [1.5], [0.5]]), ROWS)
    refuses(InputError, "hypotheses", Segments.from_text, make([1, 2, 3]), TEXT[:3])


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_whole_tables_are_refused(library: str) -> None:
    module = pytest.importorskip(library)
    made = {"pyarrow": "table", "polars": "DataFrame", "pandas": "DataFrame"}
    table = getattr(module, made[library])({"de": ["ja"], "en": ["yes"]})
    with pytest.raises(InputError, match="^hypotheses: a table with the columns de, en;"):
        Segments.from_text(table, ["yes"])


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_empty_columns(library: str) -> None:
    module = pytest.importorskip(library)
    make = module.array if library == "pyarrow" else module.Series
    assert len(Segments.from_text(make([]), make([]))) == 0
    assert len(Segments.from_orders(make([]), make([]))) == 0


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_categories(library: str) -> None:
    module = pytest.importorskip(library)
    words = ["b a", "a b", "b a", "long enough not to be inside a view"]
    column = {
        "pyarrow": lambda: module.array(words).dictionary_encode(),
        "polars": lambda: module.Series(words, dtype=module.Categorical),
        "pandas": lambda: module.Series(words, dtype="category"),
    }[library]()
    assert Segments.from_text(column, words).texts.hypothesis_lines == words


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_without_pyarrow_columns_are_lists(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip(library)
    rows, text = module.Series(ROWS), module.Series(TEXT)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert Orders.from_rows(rows) == Orders.from_rows(ROWS)
    made = Segments.from_text(text, OTHER)
    assert made.texts.hypothesis_lines == TEXT
    with pytest.raises(InputError, match="^hypotheses: a table with the columns a; expected one"):
        Segments.from_text(module.DataFrame({"a": TEXT}), OTHER)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("binary", "binary"),
        ("date32", r"date32\[day\]"),
        ("bool_", "bool"),
        ("float16", "halffloat"),
    ],
)
def test_other_types_are_named(kind: str, named: str) -> None:
    pa = pytest.importorskip("pyarrow")
    for column, shown in (
        (pa.array([], getattr(pa, kind)()), named),
        (pa.array([], pa.list_(getattr(pa, kind)())), rf"list<.*{named}>"),
    ):
        with pytest.raises(InputError, match=f"^x: a column of type {shown}; expected a column of"):
            read_column(column, "x", "text")


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 17])
@pytest.mark.parametrize("first", [0, 1, 8, 9])
def test_slices_and_nulls(first: int, size: int) -> None:
    pa = pytest.importorskip("pyarrow")
    values = [None if n % 5 == 3 else n for n in range(first + size + 3)]
    texts = [None if n is None else f"{n}ü" for n in values]
    lists = [None if n is None else [n, n + 1] for n in values]
    for rows in (values, texts, lists):
        column = decode_column(pa.array(rows)[first : first + size], "x", "rows")
        part = rows[first : first + size]
        missing = np.zeros(size, bool) if column.missing is None else column.missing
        assert missing.tolist() == [row is None for row in part]
        plain = plain_rows(column)
        assert [row for row in part if row is not None] == [
            row for row, lost in zip(plain, missing, strict=True) if not lost
        ]


def test_text_that_is_no_utf8_names_the_row() -> None:
    pa = pytest.importorskip("pyarrow")

    def column(data: bytes, *ends: int) -> Any:
        offsets = pa.py_buffer(np.array([0, *ends], np.int32))
        buffers = [None, offsets, pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.string(), len(ends), buffers)

    bad = r"^hypotheses, row {}: bytes that are not UTF-8"
    for ends, row in (((4, 9), 2), ((5, 9), 1)):
        refuses(
            InputError,
            bad.format(row),
            Segments.from_text,
            column(b"good\xc3(bad", *ends),
            TEXT[:2],
        )
    # Two halves of one character.
    halves = column("aüb".encode(), 2, 4)
    refuses(InputError, bad.format(1), Segments.from_text, halves, ["a", "b"])


def test_columns_that_are_alive_at_the_end_of_the_program_end_in_silence() -> None:
    pytest.importorskip("pyarrow")
    program = (
        "import pyarrow as pa, wordorder as wo\n"
        "rows = wo.Ragged.from_rows(pa.array([[1, 0]], pa.list_(pa.int32())))\n"
        # A circle lives longest.
        "kept = [rows]; kept.append(kept)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_list_of_columns_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="a list of columns; expected .*references_by_file="):
        Segments.from_text(["a"], [pa.array(["a"])])


def test_every_metric_of_orders_takes_read_only_columns() -> None:
    """What is not copied cannot be written."""
    pa = pytest.importorskip("pyarrow")
    from wordorder.metrics import METRICS

    rows = pa.array([[0, 2, 1], [1, 0]], pa.large_list(pa.int32()))
    lists = rows.to_pylist()
    segments = Segments.from_permutations(rows)
    assert not segments.permutation.values.flags.writeable
    scored = 0
    for name in METRICS.names():
        if name in ("mix", "label-f1"):
            continue
        made = metric(name)
        if tuple(made.columns) == ("permutation",) and made.match == "index":
            expected = made.segment_scores(Segments.from_permutations(lists))
            assert np.array_equal(made.segment_scores(segments), expected), name
            scored += 1
    assert scored > 10


def test_nothing_leaks() -> None:
    """What pyarrow allocates is freed, however often columns are taken."""
    pa = pytest.importorskip("pyarrow")
    before = pa.total_allocated_bytes()
    for _ in range(100):
        Segments.from_text(pa.array(TEXT), pa.chunked_array([OTHER[:3], OTHER[3:]]))
        Segments.from_orders(pa.array(ROWS), pa.array(TIES))
        with pytest.raises(InputError):
            Segments.from_orders(pa.array(TEXT), pa.array(TIES))
    gc.collect()
    assert pa.total_allocated_bytes() == before
