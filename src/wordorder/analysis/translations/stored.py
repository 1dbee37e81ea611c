"""Arrays of a large corpus: in the smallest type, and in a temporary file while they wait.

An analysis of a million segments needs some gigabytes in all, but little of it at once. Large
arrays are written to a temporary file without a name, and mapped into memory: whoever reads them
finds an array like any other, the system reads the file where it is looked at, and `free_memory`
lets go of what was read. The system removes the file when the process ends, however it ends.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet, finalize

import numpy as np

from wordorder.arrays import Array, Bool, Int64, Ragged
from wordorder.kernels import return_freed_memory

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Thing = TypeVar("Thing")
Rows = TypeVar("Rows", bound="DataclassInstance")

# Bytes: smaller arrays stay in memory.
SMALLEST = 1 << 22

# The same, of arrays of which a corpus has many.
PART = 1 << 16

# Bytes of a file that several arrays share; a larger array has a file of its own.
SHARED = 1 << 26

# Arrays begin at multiples of so many bytes.
_STEP = 64


class _File:
    """A temporary file that arrays are written to, one behind the other, and its memory map."""

    map: mmap.mmap

    def __init__(self) -> None:
        with tempfile.TemporaryFile(prefix="wordorder-") as file:
            self._file = os.dup(file.fileno())
        # The map has a descriptor of its own.
        finalize(self, os.close, self._file)
        self.end = 0

    def open_map(self, size: int) -> None:
        """Map the first bytes of the file into memory; the map goes with the last array in it."""
        os.truncate(self._file, size)
        self.map = mmap.mmap(self._file, size)

    def has_room(self, size: int) -> bool:
        """Return whether so many further bytes are within the map."""
        return self.end + size <= len(self.map)

    def array(self, kind: np.dtype[Any], shape: tuple[int, ...], begin: int = 0) -> Array:
        """Return an array that is in the file, mapped."""
        return np.frombuffer(self.map, kind, math.prod(shape), begin).reshape(shape)

    def read(self, kind: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        """Return the array at the beginning of the file, in memory."""
        with open(os.dup(self._file), "rb") as file:
            file.seek(0)
            return np.fromfile(file, kind, math.prod(shape)).reshape(shape)

    def write(self, values: Array, step: int = _STEP) -> int:
        """Write an array behind the others; return where it begins."""
        begin, rest = self.end, values.reshape(-1).view(np.uint8).data
        place = begin
        while len(rest):
            written = os.pwrite(self._file, rest, place)
            place, rest = place + written, rest[written:]
        self.end = -(-place // step) * step
        return begin


class _Files:
    """The temporary files of a process."""

    def __init__(self) -> None:
        # Held while a map is added inside of `write`, too.
        self._lock = threading.RLock()
        self._shared: _File | None = None
        # A map goes with the last array in it.
        self.maps: WeakSet[mmap.mmap] = WeakSet()

    def write(self, values: Array) -> Array:
        """Write an array; return it as it is in the file, or itself where there is no room."""
        try:
            with self._lock:
                if values.nbytes >= SHARED:
                    file = self._opened(values.nbytes)
                else:
                    if self._shared is None or not self._shared.has_room(values.nbytes):
                        self._shared = self._opened(SHARED)
                    file = self._shared
                begin = file.write(values)
        except OSError:
            return values
        return file.array(values.dtype, values.shape, begin)

    def write_all(self, begun: list[Array], rest: Iterator[Array]) -> Array:
        """Write arrays one behind the other into a file of their own; return them as one."""
        kind, row, written, read = begun[0].dtype, begun[0].shape[1:], 0, 0
        try:
            file = _File()
            while begun:
                values = begun[0].astype(kind, "C", "safe", copy=False)
                file.write(values, step=1)
                written += len(begun.pop(0))
                read += values.nbytes
                if read > SHARED:
                    self.release()
                    read = 0
                if not begun:
                    begun += islice(rest, 1)
            self._map(file, file.end)
        except OSError:
            before = [file.read(kind, (written, *row))] if written else []
            return np.concatenate([*before, *begun, *rest])
        return file.array(kind, (written, *row))

    def release(self) -> None:
        """Let go of what was read of the files."""
        if hasattr(mmap, "MADV_DONTNEED"):
            with self._lock:
                maps = list(self.maps)
            for each in maps:
                each.madvise(mmap.MADV_DONTNEED)

    def _opened(self, size: int) -> _File:
        file = _File()
        self._map(file, size)
        return file

    def _map(self, file: _File, size: int) -> None:
        file.open_map(size)
        with self._lock:
            self.maps.add(file.map)


_files = _Files()


def _use_new_files() -> None:
    """Give a forked process files of its own: both would write to the same places."""
    global _files
    _files = _Files()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_use_new_files)


def set_aside(thing: Thing, smallest: int = SMALLEST) -> Thing:
    """Return an array, or an object with arrays, whose large arrays are in a temporary file.

    Parameters
    ----------
    thing : array, Ragged, or an object with these as attributes
        Not written to afterwards.
    smallest : int
        Arrays of fewer bytes stay in memory.

    Examples
    --------
    >>> kept = set_aside(Ragged(np.arange(1 << 20, dtype=np.int32), np.array([0, 1 << 20])))
    >>> kept.values.flags.owndata, int(kept.values[-1]), kept.offsets.tolist()
    (False, 1048575, [0, 1048576])
    """
    made: Any = thing
    if isinstance(thing, np.ndarray):
        large = thing.nbytes >= smallest and thing.flags.c_contiguous and not _is_stored(thing)
        # Files are written to at a place, and there are no such calls everywhere.
        made = _files.write(thing) if large and hasattr(os, "pwrite") else thing
    else:
        made = copy(thing)
        for name in type(thing).__slots__ if isinstance(thing, Ragged) else vars(thing):
            value = getattr(thing, name)
            if isinstance(value, (np.ndarray, Ragged)):
                object.__setattr__(made, name, set_aside(value, smallest))
    result: Thing = made
    return result


class TemporaryFiles:
    """Keeps the statistics of many segments in temporary files while they are read."""

    def put(self, values: Array) -> Array:
        """Keep an array."""
        return set_aside(values, PART)

    def joined(self, parts: Sequence[Array]) -> Array:
        """Put arrays one behind the other."""
        return joined(parts)


def _is_stored(values: Array) -> bool:
    base: object = values
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)


def let_go() -> None:
    """Let go of what was read of arrays in files: it is read again where it is looked at."""
    _files.release()


def free_memory() -> None:
    """Give back to the system what is freed, and let go of what was read of arrays in files."""
    return_freed_memory()
    _files.release()


def joined(parts: Iterable[Array]) -> Array:
    """Put at least one array one behind the other, in a temporary file if they are large.

    Examples
    --------
    >>> joined(np.full((2, 1), row) for row in range(2)).tolist()
    [[0], [0], [1], [1]]
    """
    rest = iter(parts)
    begun: list[Array] = []
    for part in rest:
        begun.append(part)
        if sum(each.nbytes for each in begun) >= SMALLEST and hasattr(os, "pwrite"):
            return _files.write_all(begun, rest)
    return begun[0] if len(begun) == 1 else np.concatenate(begun)


def narrow(values: Array) -> Array:
    """Return whole numbers and numbers of float64 in the smallest type that holds all of them.

    Examples
    --------
    >>> [narrow(np.array(row)).dtype.name for row in ([-1, 300], [1 << 40], [0.5, 2], [0.1])]
    ['int16', 'int64', 'float16', 'float64']
    """
    if values.dtype == np.float64:
        if np.abs(values).max(initial=0.0) <= np.finfo(np.float16).max:
            half = values.astype(np.float16)
            values = half if np.array_equal(half, values) else values
        return values
    if values.dtype.kind != "i":
        return values
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    kinds = (np.int8, np.int16, np.int32, np.int64)
    kind = next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    return values.astype(kind, copy=False)


class _NarrowField:
    """A field of a dataclass whose array is kept `narrow`, and read as it was given."""

    def __init__(self, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, instance: object, owner: type) -> Array:
        values, kind = vars(instance)[self._name]
        found: Array = values.astype(kind, copy=False)
        if found is not values and values.nbytes >= SMALLEST:
            _files.release()
        return found

    def __set__(self, instance: object, values: Array) -> None:
        kept = values if len(values) < LARGE else set_aside(narrow(values), PART)
        vars(instance)[self._name] = kept, values.dtype


# Arrays of fewer numbers are kept as they are.
LARGE = 1 << 17


def narrow_field(kind: type[Rows]) -> type[Rows]:
    """Let the large arrays of a dataclass take little memory while they are not read.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @narrow_field
    ... @dataclass
    ... class Rows:
    ...     places: Int64
    >>> rows = Rows(np.arange(LARGE) % 100)
    >>> rows.places.dtype.name, vars(rows)["_places"][0].dtype.name
    ('int64', 'int8')
    """
    for field in fields(kind):
        setattr(kind, field.name, _NarrowField(field.name))
    return kind


def counted(numbers: Array, size: int) -> Int64:
    """Count how often each number below `size` is among some, as `numpy.bincount` does.

    That would make large numbers of all of them at once.

    Examples
    --------
    >>> counted(np.array([0, 2, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    counts = np.zeros(size, np.int64)
    for begin in range(0, len(numbers), SHARED):
        for first in range(begin, min(begin + SHARED, len(numbers)), LARGE):
            counts += np.bincount(numbers[first : first + LARGE], minlength=size)
        _files.release()
    return counts


def part_of(record: object, name: str, span: slice | Int64 | Bool) -> Array:
    """Return some numbers of an array that is kept narrow.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @narrow_field
    ... @dataclass
    ... class Rows:
    ...     places: Int64
    >>> part_of(Rows(np.arange(LARGE) % 100), "places", slice(98, 102))
    array([98, 99,  0,  1])
    """
    values, kind = vars(record)[f"_{name}"]
    part: Array = values[span].astype(kind, copy=False)
    return part


def concatenate_records(
    parts: Sequence[Rows], shifts: Mapping[str, Sequence[int]], ends: Set[str] = frozenset()
) -> Rows:
    """Concatenate dataclasses of arrays, field by field; a single one is returned itself.

    Parameters
    ----------
    parts : sequence of one dataclass
        At least one.
    shifts : mapping of str to sequence of int
        Number added to the values of an array in each part, except to negative ones.
    ends : set of str
        Arrays whose last value is left out, except in the last part.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Rows:
    ...     places: Int64
    ...     words: Int64
    >>> parts = [Rows(np.array([-1, 0]), np.array([7, 8])), Rows(np.array([0]), np.array([9]))]
    >>> vars(concatenate_records(parts, {"places": [0, 2]}))
    {'places': array([-1,  0,  2]), 'words': array([7, 8, 9])}
    """
    if len(parts) == 1:
        return parts[0]
    made = object.__new__(type(parts[0]))
    for name in (field.name for field in fields(parts[0])):
        arrays = [_as_kept(part, name) for part in parts]
        if name in ends:
            arrays = [*(array[:-1] for array in arrays[:-1]), arrays[-1]]
        moved = list(shifts.get(name, [0] * len(parts)))
        kind = np.result_type(*{array.dtype for array in arrays})
        if name in shifts:
            pairs = zip(arrays, moved, strict=True)
            largest = max(int(array.max(initial=0)) + shift for array, shift in pairs)
            kind = np.result_type(kind, np.min_scalar_type(-largest - 1))
        column = joined(
            _shifted(array, kind, shift) for array, shift in zip(arrays, moved, strict=True)
        )
        if isinstance(vars(type(made)).get(name), _NarrowField):
            vars(made)[f"_{name}"] = column, getattr(parts[0], name).dtype
        else:
            object.__setattr__(made, name, column)
        free_memory()
    return made


def _as_kept(record: object, name: str) -> Array:
    """Return an array of a dataclass in the type in which it is kept."""
    values: Array = (
        vars(record)[f"_{name}"][0] if f"_{name}" in vars(record) else getattr(record, name)
    )
    return values


def _shifted(values: Array, kind: np.dtype[Any], shift: int) -> Array:
    """Return whole numbers in another type, with something added to those that are not below 0."""
    values = values.astype(kind)
    if shift:
        values[values >= 0] += shift
    return values
