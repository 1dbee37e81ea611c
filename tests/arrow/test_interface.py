"""The C data interface, against a producer that counts what is released."""

import ctypes
import gc
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.refusing import refuses

from wordorder import Ragged
from wordorder.arrow.columns import TextColumn, read_column
from wordorder.arrow.given import plain_rows
from wordorder.arrow.interface import ArrayStruct, SchemaStruct, StreamStruct
from wordorder.errors import InputError

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Counts:
    """How many structures of each kind were handed out and not released yet."""

    def __init__(self) -> None:
        self.open: dict[str, int] = {"schema": 0, "array": 0, "stream": 0}


class Producer:
    """A column: the letters of its type, and chunks of (buffers, children) to export.

    Parameters
    ----------
    letters : list of bytes
        The type from outside to inside: ``[b"+l", b"i"]``.
    chunks : sequence of lists of arrays
        One list of (rows, offset, null count, buffers) a chunk, from outside to inside.
    """

    def __init__(
        self, letters: Sequence[bytes], chunks: Sequence[Any], *, fails_at: int | None = None
    ) -> None:
        self.letters = list(letters)
        self.chunks = list(chunks)
        self.fails_at = fails_at
        self.counts = Counts()
        self._kept: dict[int, list[Any]] = {}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        state = {"next": 0}

        def get_schema(_: Any, out: Any) -> int:
            self._fill_schema(out.contents)
            return 0

        def get_next(_: Any, out: Any) -> int:
            if state["next"] == self.fails_at:
                return 5
            if state["next"] < len(self.chunks):
                self._fill_array(out.contents, self.chunks[state["next"]])
                state["next"] += 1
            return 0

        stream = StreamStruct()
        kinds: dict[str, Any] = dict(StreamStruct._fields_)  # type: ignore[arg-type]
        stream.get_schema = kinds["get_schema"](get_schema)
        stream.get_next = kinds["get_next"](get_next)
        # The result is a pointer, which ctypes makes of no bytes that Python returns.
        self._message = ctypes.create_string_buffer(b"the disk\nis gone")
        said: Any = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(self._said)
        stream.get_last_error = ctypes.cast(said, kinds["get_last_error"])
        stream.release = self._releaser("stream", StreamStruct)
        self._keep(stream, [get_schema, get_next, said])
        self.counts.open["stream"] += 1
        return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)

    def _said(self, _: Any) -> int:
        return ctypes.addressof(self._message)

    def _fill_schema(self, out: Any) -> None:
        nodes: list[Any] = []
        for depth, letters in enumerate(reversed(self.letters)):
            node = out if depth == len(self.letters) - 1 else SchemaStruct()
            node.format = letters
            node.name = b"column"
            if nodes:
                node.n_children = 1
                node.children = (ctypes.POINTER(SchemaStruct) * 1)(ctypes.pointer(nodes[-1]))
            nodes.append(node)
        out.release = self._releaser("schema", SchemaStruct)
        self._keep(out, nodes[:-1])
        self.counts.open["schema"] += 1

    def _fill_array(self, out: Any, levels: Sequence[Any]) -> None:
        nodes: list[Any] = []
        for depth, (rows, offset, nulls, buffers) in enumerate(reversed(levels)):
            node = out if depth == len(levels) - 1 else ArrayStruct()
            node.length, node.offset, node.null_count = rows, offset, nulls
            places = [None if b is None else b.ctypes.data for b in buffers]
            node.n_buffers = len(buffers)
            node.buffers = (ctypes.c_void_p * len(buffers))(*places)
            if nodes:
                node.n_children = 1
                node.children = (ctypes.POINTER(ArrayStruct) * 1)(ctypes.pointer(nodes[-1]))
            nodes.append(node)
        out.release = self._releaser("array", ArrayStruct)
        self._keep(out, [nodes[:-1], levels])
        self.counts.open["array"] += 1

    def _keep(self, struct: Any, what: list[Any]) -> None:
        number = len(self._kept) + 1
        struct.private_data = number
        self._kept[number] = [struct, *what]

    def _releaser(self, name: str, kind: Any) -> Any:
        def release(pointer: Any) -> None:
            struct = pointer.contents
            assert struct.release, "released twice"
            self.counts.open[name] -= 1
            struct.release = dict(kind._fields_)["release"]()

        made = dict(kind._fields_)["release"](release)
        self._kept.setdefault(0, []).append(made)
        return made


def packed(flags: Sequence[bool]) -> np.ndarray[Any, Any]:
    """Return a bitmap of validity."""
    return np.packbits(np.array(flags, np.uint8), bitorder="little")


def lists(*chunks: list[list[int]], dtype: Any = np.int32, letters: bytes = b"i") -> Producer:
    levels = []
    for rows in chunks:
        ends = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        values = np.array([x for row in rows for x in row], dtype)
        levels.append([(len(rows), 0, 0, [None, ends]), (len(values), 0, 0, [None, values])])
    return Producer([b"+l", letters], levels)


def texts(*chunks: list[str]) -> Producer:
    levels = []
    for rows in chunks:
        encoded = [row.encode() for row in rows]
        ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
        data = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
        levels.append([(len(rows), 0, 0, [None, ends, data])])
    return Producer([b"u"], levels)


def test_lists_of_several_chunks() -> None:
    column = lists([[2, 0, 1], []], [], [[0]])
    assert Ragged.from_rows(column).to_lists() == [[2, 0, 1], [], [0]]


def test_everything_is_released_and_nothing_twice() -> None:
    column = lists([[1, 0]], [[0]])
    for _ in range(500):
        Ragged.from_rows(column)
    gc.collect()
    assert column.counts.open == {"schema": 0, "array": 0, "stream": 0}


def test_an_array_lives_as_long_as_what_looks_into_it() -> None:
    column = lists([[2, 0, 1], [0, 1]])
    rows = Ragged.from_rows(column)
    part = rows[1:].values
    assert not rows.values.flags.owndata, "the values were copied"
    del rows
    gc.collect()
    assert column.counts.open == {"schema": 0, "array": 1, "stream": 0}
    assert part.tolist() == [0, 1]
    del part
    gc.collect()
    assert column.counts.open["array"] == 0


def test_columns_that_are_alive_at_the_end_of_the_program_are_released_in_silence() -> None:
    program = (
        "import pyarrow as pa, wordorder as wo\n"
        "rows = wo.Ragged.from_rows(pa.array([[1, 0]], pa.list_(pa.int32())))\n"
        # A circle lives longest.
        "kept = [rows]; kept.append(kept)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_refused_column_is_released_too() -> None:
    column = Producer([b"g"], [[(1, 0, 0, [None, np.array([0.5])])]])
    with pytest.raises(InputError, match=r"^a column of type float64; expected a column of lists"):
        Ragged.from_rows(column)
    gc.collect()
    assert column.counts.open == {"schema": 0, "array": 0, "stream": 0}


def test_an_error_of_the_producer_is_one_line() -> None:
    column = texts(["a"], ["b"])
    column.fails_at = 1
    with pytest.raises(InputError, match=r"^x: the column cannot be read: the disk is gone$"):
        read_column(column, "x", "strings")
    gc.collect()
    assert column.counts.open == {"schema": 0, "array": 0, "stream": 0}


@pytest.mark.parametrize("offset", [0, 1, 7, 8, 9, 15, 16, 17])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 20])
def test_offsets_and_bitmaps(offset: int, count: int) -> None:
    rng = np.random.default_rng(offset * 100 + count)
    there = rng.random(offset + count + 3) < 0.8
    values = np.arange(len(there), dtype=np.int16)
    column = Producer([b"s"], [[(count, offset, -1, [packed(there.tolist()), values])]])
    expected = [int(v) for v, ok in zip(values, there, strict=True)][offset : offset + count]
    bad = [i for i, ok in enumerate(there[offset : offset + count]) if not ok]
    if bad:
        with pytest.raises(InputError, match=rf"^x, row {bad[0] + 1}: a missing value \(null\)"):
            read_column(column, "x", "integers")
    else:
        assert plain_rows(read_column(column, "x", "integers")) == expected


def test_a_null_in_a_list_names_the_row() -> None:
    ends, values = np.array([0, 2, 2, 4], np.int32), np.array([0, 1, 0, 9], np.int32)
    level = [(3, 0, 0, [None, ends]), (4, 0, 1, [packed([True, True, True, False]), values])]
    with pytest.raises(InputError, match="^row 3: a missing value"):
        Ragged.from_rows(Producer([b"+l", b"i"], [level]))


def test_text_that_is_no_utf8_names_the_row() -> None:
    from wordorder import Segments

    data = np.frombuffer(b"good\xc3(bad", np.uint8)
    for ends in ([0, 4, 9], [0, 5, 9]):
        column = Producer([b"u"], [[(2, 0, 0, [None, np.array(ends, np.int32), data])]])
        row = 2 if ends[1] == 4 else 1
        with pytest.raises(InputError, match=rf"^hypotheses, row {row}: bytes that are not UTF-8"):
            Segments.from_text(column, ["a", "b"])
    # Two halves of one character.
    data = np.frombuffer("aüb".encode(), np.uint8)
    column = Producer([b"u"], [[(2, 0, 0, [None, np.array([0, 2, 4], np.int32), data])]])
    refuses(InputError, "row 1: bytes that are not UTF-8", Segments.from_text, column, ["a", "b"])


def test_string_views_with_several_buffers() -> None:
    first, second = b"the first long text, and more", "die zweite länge".encode()
    views = np.zeros(5 * 4, np.int32)
    rows = [(0, 4, 16), (1, 0, len(second)), (0, 0, 13)]
    for place, (number, start, size) in enumerate(rows):
        views[4 * place : 4 * place + 4] = size, 0, number, start
    short = "ü!".encode()
    views[12] = len(short)
    views.view(np.uint8)[52 : 52 + len(short)] = np.frombuffer(short, np.uint8)
    sizes = np.array([len(first), len(second)], np.int64)
    buffers = [None, views, np.frombuffer(first, np.uint8), np.frombuffer(second, np.uint8), sizes]
    column = read_column(Producer([b"vu"], [[(5, 0, 0, buffers)]]), "x", "strings")
    expected = [first[4:20].decode(), second.decode(), first[:13].decode(), "ü!", ""]
    assert plain_rows(column) == expected
    part = read_column(Producer([b"vu"], [[(3, 1, 0, buffers)]]), "x", "strings")
    assert plain_rows(part) == expected[1:4]
    # Only what the rows need of the long texts is taken.
    assert isinstance(part, TextColumn)
    assert len(part.data) - part.text_begins == len(second) + 13


@pytest.mark.parametrize(
    ("letters", "name"),
    [
        ([b"z"], "binary"),
        ([b"tdD"], "date32"),
        ([b"tsu:UTC"], "timestamp"),
        ([b"d:10,2"], "decimal"),
        ([b"b"], "bool"),
        ([b"+l", b"+l", b"e"], "list<list<float16>>"),
        ([b"?new"], r"\?new"),
    ],
)
def test_other_types_are_named(letters: list[bytes], name: str) -> None:
    with pytest.raises(InputError, match=f"^x: a column of type {name}; expected a column of text"):
        read_column(Producer(letters, []), "x", "text")


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


NINE = np.frombuffer(b"some text", np.uint8)
LONG = np.frombuffer(b"text of thirty bytes, no fewer", np.uint8)
ITEMS = (3, 0, 0, [None, ints(1, 2, 3)])


@pytest.mark.parametrize(
    ("letters", "levels", "said"),
    [
        ([b"i"], [(-3, 0, 0, [None, ints(1)])], "rows 0 to -3"),
        ([b"i"], [(1, -3, 0, [None, ints(1)])], "rows -3 to -2"),
        ([b"i"], [(2, 0, 0, [None, None])], "no buffer 1 for 2 entries"),
        ([b"i"], [(2, 0, 0, [])], "no buffer 1"),
        ([b"u"], [(2, 0, 0, [None, None, NINE])], "no buffer 1 for 3 entries"),
        ([b"u"], [(2, 0, 0, [None, ints(0, 1, 2), None])], "no buffer 2"),
        ([b"u"], [(2, 0, 0, [None, ints(0, 3, 1), NINE])], "offsets that decrease"),
        ([b"u"], [(2, 0, 0, [None, ints(-5, -3, 1), NINE])], "or are negative"),
        ([b"+l"], [(1, 0, 0, [None, ints(0, 1)])], "a list with 0 types of items"),
        ([b"+l", b"i"], [(2, 0, 0, [None, ints(0, 3, 1)]), ITEMS], "offsets that decrease"),
        ([b"+l", b"i"], [(2, 0, 0, [None, ints(0, 2, 9)]), ITEMS], "rows 0 to 9 of 3"),
        ([b"+l", b"i"], [(1, 0, 0, [None, ints(0, 1)])], "a list without items"),
        ([b"+w:4", b"i"], [(1, 0, 0, [None]), ITEMS], "rows 0 to 4 of 3"),
        ([b"+vl", b"i"], [(2, 0, 0, [None, ints(0, -1), ints(1, 1)]), ITEMS], "outside of 3"),
        ([b"+vl", b"i"], [(2, 0, 0, [None, ints(0, 2), ints(1, 2)]), ITEMS], "outside of 3"),
        ([b"+vl", b"i"], [(2, 0, 0, [None, ints(0, 0), ints(-1, 1)]), ITEMS], "negative length"),
        *(
            ([b"vu"], [(1, 0, 0, [None, ints(*view), LONG, np.array([30])])], "text that is not")
            for view in [
                (-4, 0, 0, 0),
                (20, 0, 1, 0),
                (20, 0, -1, 0),
                (20, 0, 0, -1),
                (20, 0, 0, 11),
            ]
        ),
    ],
)
def test_columns_that_break_the_rules(letters: Any, levels: Any, said: str) -> None:
    """What a producer can be caught at never reads memory that is not its own."""
    column = Producer(letters, [levels])
    refuses(InputError, rf"^x: a broken Arrow column \(.*{said}", read_column, column, "x", "text")
    gc.collect()
    assert column.counts.open == {"schema": 0, "array": 0, "stream": 0}


def test_buffers_that_nothing_needs() -> None:
    for letters, buffers in (
        (b"u", [None] * 3),
        (b"vu", [None] * 3),
        (b"i", [None] * 2),
        (b"u", []),
    ):
        column = Producer([letters], [[(0, 0, 0, buffers)]])
        assert plain_rows(read_column(column, "x", "text")) == []
    column = Producer([b"u"], [[(2, 0, 0, [None, ints(0, 0, 0), None])]])
    assert plain_rows(read_column(column, "x", "text")) == ["", ""]


def test_a_capsule_is_taken_once() -> None:
    class Again(Producer):
        """A column that gives the same capsule each time."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return capsule

    producer = texts(["a"])
    capsule = producer.__arrow_c_stream__()
    column = Again([b"u"], [])
    assert plain_rows(read_column(column, "x", "text")) == ["a"]
    with pytest.raises(InputError, match=r"^x: a broken Arrow column \(a capsule that was used"):
        read_column(column, "x", "text")


@pytest.mark.parametrize("letters", [b"", b"\xff", b"+w:", b"+w:x", b"+w:-2"])
def test_letters_that_name_no_type(letters: bytes) -> None:
    with pytest.raises(InputError, match="^x: a column of type .*; expected a column of text"):
        read_column(Producer([letters, b"i"], []), "x", "text")


def test_a_column_without_chunks() -> None:
    assert len(Ragged.from_rows(lists())) == 0
    assert plain_rows(read_column(texts(), "x", "text")) == []
