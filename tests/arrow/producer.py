"""A producer of the Arrow C interfaces in plain ctypes, which counts what is released."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from wordorder.arrow.interface import ArrayStruct, SchemaStruct, StreamStruct

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
