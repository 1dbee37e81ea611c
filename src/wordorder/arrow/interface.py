"""The Arrow C data interface: its structures, and who frees them.

The structures are those of the specification ("The Arrow C data interface", "The Arrow C stream
interface", "The Arrow PyCapsule interface"). What is imported belongs to us: it is moved out of
its capsule, and released when the last array that looks into it is gone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError


class SchemaStruct(ctypes.Structure):
    """``struct ArrowSchema``."""


class ArrayStruct(ctypes.Structure):
    """``struct ArrowArray``."""


class StreamStruct(ctypes.Structure):
    """``struct ArrowArrayStream``."""


_SchemaPointer = ctypes.POINTER(SchemaStruct)
_ArrayPointer = ctypes.POINTER(ArrayStruct)
_StreamPointer = ctypes.POINTER(StreamStruct)

SchemaStruct._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(_SchemaPointer)),
    ("dictionary", _SchemaPointer),
    ("release", ctypes.CFUNCTYPE(None, _SchemaPointer)),
    ("private_data", ctypes.c_void_p),
]
ArrayStruct._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(_ArrayPointer)),
    ("dictionary", _ArrayPointer),
    ("release", ctypes.CFUNCTYPE(None, _ArrayPointer)),
    ("private_data", ctypes.c_void_p),
]
StreamStruct._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, _StreamPointer, _SchemaPointer)),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, _StreamPointer, _ArrayPointer)),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, _StreamPointer)),
    ("release", ctypes.CFUNCTYPE(None, _StreamPointer)),
    ("private_data", ctypes.c_void_p),
]

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Owned:
    """A structure that is ours; it is released when nothing looks into it any more.

    Parameters
    ----------
    struct : SchemaStruct, ArrayStruct or StreamStruct
    """

    __slots__ = ("_pointer", "struct")

    def __init__(self, struct: Any) -> None:
        self.struct = struct
        # Made now: at the end of the program nothing of this module may be left to make it.
        self._pointer: Any = ctypes.pointer(struct)

    @classmethod
    def from_capsule(cls, capsule: object, name: bytes, kind: type[ctypes.Structure]) -> Owned:
        """Move a structure out of its capsule, which then has nothing left to release."""
        there: Any = kind.from_address(_capsule_pointer(capsule, name))
        if not there.release:
            raise broken("a capsule that was used before")
        struct = kind()
        ctypes.pointer(struct)[0] = there
        there.release = type(there.release)()
        return cls(struct)

    def __del__(self) -> None:
        if self.struct.release:
            self.struct.release(self._pointer)


class Buffer:
    """A buffer as numpy takes it; keeps what it belongs to alive as long as the array is there."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Owned, address: int, count: int, dtype: np.dtype[Any]) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, True),
            "shape": (count,),
            "typestr": dtype.str,
            "version": 3,
        }


def buffer(
    owner: Owned, array: Any, number: int, first: int, count: int, kind: str
) -> npt.NDArray[Any]:
    """Return entries ``first .. first+count-1`` of a buffer of an array, without copying them.

    Parameters
    ----------
    owner : Owned
        The structure that `array` belongs to.
    array : ArrayStruct
    kind : str
        A numpy type: ``"<i4"``.

    Raises
    ------
    InputError
        If there is no such buffer; without entries there need not be one.
    """
    dtype = np.dtype(kind)
    if not count:
        return np.zeros(0, dtype)
    there = array.buffers and number < array.n_buffers
    address = array.buffers[number] if there else None
    if not address:
        raise broken(f"no buffer {number} for {count} entries")
    return np.asarray(Buffer(owner, address + first * dtype.itemsize, count, dtype))


def broken(what: str) -> InputError:
    """Build the error for a column that breaks the rules of the specification."""
    return InputError("", f"a broken Arrow column ({what})", "one that its library can validate")


def is_arrow(given: object) -> bool:
    """Return whether an object gives a column, or a table, through the PyCapsule interface."""
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")


def imported(given: Any, name: str) -> tuple[Owned, Iterator[Owned]]:
    """Return the type of a column, and its chunks as they come.

    Raises
    ------
    InputError
        If the column cannot be read; `name` says which it is.
    """
    if hasattr(given, "__arrow_c_stream__"):
        capsule = given.__arrow_c_stream__()
        stream = Owned.from_capsule(capsule, b"arrow_array_stream", StreamStruct)
        schema = SchemaStruct()
        code = stream.struct.get_schema(ctypes.byref(stream.struct), ctypes.byref(schema))
        _check(stream, code, name)
        return Owned(schema), _chunks(stream, name)
    schema_capsule, array_capsule = given.__arrow_c_array__()
    schema_owner = Owned.from_capsule(schema_capsule, b"arrow_schema", SchemaStruct)
    return schema_owner, iter([Owned.from_capsule(array_capsule, b"arrow_array", ArrayStruct)])


def _chunks(stream: Owned, name: str) -> Iterator[Owned]:
    """Yield the chunks of a stream; its end is a chunk that is released already."""
    while True:
        array = ArrayStruct()
        code = stream.struct.get_next(ctypes.byref(stream.struct), ctypes.byref(array))
        _check(stream, code, name)
        if not array.release:
            return
        yield Owned(array)


def _check(stream: Owned, code: int, name: str) -> None:
    """Raise what the producer says of an error."""
    if code:
        said = stream.struct.get_last_error(ctypes.byref(stream.struct)) or b"no reason is given"
        reason = " ".join(said.decode("utf-8", "replace").split())[:200]
        raise InputError(name, f"the column cannot be read: {reason}")
