"""Large arrays of a corpus, in the smallest type and in temporary files while they are not read.

An analysis of a million segments needs some gigabytes in total, but little of it at a time. Large
arrays are written to an unnamed temporary file and mapped into memory, so that they are read like
any other array; `free_memory` releases the pages that were read. The operating system removes the
file when the process ends, however it ends.
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

Stored = TypeVar("Stored")
Rows = TypeVar("Rows", bound="DataclassInstance")

# Bytes; smaller arrays stay in memory.
MIN_BYTES = 1 << 22

# The same for arrays of which a corpus has many.
MIN_BYTES_OF_MANY = 1 << 16

# Bytes of a file shared by several arrays; larger arrays have a file of their own.
SHARED_FILE_BYTES = 1 << 26

# Shorter arrays are stored in their original type.
MIN_NARROWED = 1 << 17

# Arrays start at multiples of this number of bytes.
_ALIGNMENT = 64


class _File:
    """A temporary file of concatenated arrays, and its memory map."""

    map: mmap.mmap

    def __init__(self) -> None:
        with tempfile.TemporaryFile(prefix="wordorder-") as file:
            self._file = os.dup(file.fileno())
        # The map has a descriptor of its own.
        finalize(self, os.close, self._file)
        self.end = 0

    def open_map(self, size: int) -> None:
        """Map the first bytes of the file; the map is closed with the last array in it."""
        os.truncate(self._file, size)
        self.map = mmap.mmap(self._file, size)

    def has_room(self, size: int) -> bool:
        """Return whether the map has space for further bytes."""
        return self.end + size <= len(self.map)

    def array(self, dtype: np.dtype[Any], shape: tuple[int, ...], start: int = 0) -> Array:
        """Return an array of the file as a view of the map."""
        return np.frombuffer(self.map, dtype, math.prod(shape), start).reshape(shape)

    def read(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        """Read the array at the start of the file into memory."""
        with open(os.dup(self._file), "rb") as file:
            file.seek(0)
            return np.fromfile(file, dtype, math.prod(shape)).reshape(shape)

    def write(self, values: Array, step: int = _ALIGNMENT) -> int:
        """Append an array; return its offset."""
        start, remaining = self.end, values.reshape(-1).view(np.uint8).data
        offset = start
        while len(remaining):
            written = os.pwrite(self._file, remaining, offset)
            offset, remaining = offset + written, remaining[written:]
        self.end = -(-offset // step) * step
        return start


class _Files:
    """The temporary files of a process."""

    def __init__(self) -> None:
        # Re-entrant, since `write` adds maps.
        self._lock = threading.RLock()
        self._shared: _File | None = None
        # A map is closed with the last array in it.
        self.maps: WeakSet[mmap.mmap] = WeakSet()

    def write(self, values: Array) -> Array:
        """Write an array, and return a view of it in the file, or the array if the disk is full."""
        try:
            with self._lock:
                if values.nbytes >= SHARED_FILE_BYTES:
                    file = self._open(values.nbytes)
                else:
                    if self._shared is None or not self._shared.has_room(values.nbytes):
                        self._shared = self._open(SHARED_FILE_BYTES)
                    file = self._shared
                start = file.write(values)
        except OSError:
            return values
        return file.array(values.dtype, values.shape, start)

    def write_all(self, pending: list[Array], remaining: Iterator[Array]) -> Array:
        """Concatenate arrays in a file of their own."""
        dtype, row, rows_written, bytes_since_release = pending[0].dtype, pending[0].shape[1:], 0, 0
        try:
            file = _File()
            while pending:
                values = pending[0].astype(dtype, "C", "safe", copy=False)
                file.write(values, step=1)
                rows_written += len(pending.pop(0))
                bytes_since_release += values.nbytes
                if bytes_since_release > SHARED_FILE_BYTES:
                    self.release()
                    bytes_since_release = 0
                if not pending:
                    pending += islice(remaining, 1)
            self._map(file, file.end)
        except OSError:
            arrays_written = [file.read(dtype, (rows_written, *row))] if rows_written else []
            return np.concatenate([*arrays_written, *pending, *remaining])
        return file.array(dtype, (rows_written, *row))

    def release(self) -> None:
        """Release the pages of the files that were read."""
        if hasattr(mmap, "MADV_DONTNEED"):
            with self._lock:
                maps = list(self.maps)
            for memory_map in maps:
                memory_map.madvise(mmap.MADV_DONTNEED)

    def _open(self, size: int) -> _File:
        file = _File()
        self._map(file, size)
        return file

    def _map(self, file: _File, size: int) -> None:
        file.open_map(size)
        with self._lock:
            self.maps.add(file.map)


_files = _Files()


def _use_new_files() -> None:
    """Give a forked process its own files: otherwise both would write to the same offsets."""
    global _files
    _files = _Files()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_use_new_files)


def move_to_file(thing: Stored, smallest: int = MIN_BYTES) -> Stored:
    """Return a copy of an array, or of an object with arrays, with large arrays in a file.

    Parameters
    ----------
    thing : array, Ragged, or an object with these as attributes
        The object must not be modified afterwards.
    smallest : int
        Smaller arrays, in bytes, stay in memory.

    Examples
    --------
    >>> stored = move_to_file(Ragged(np.arange(1 << 20, dtype=np.int32), np.array([0, 1 << 20])))
    >>> stored.values.flags.owndata, int(stored.values[-1]), stored.offsets.tolist()
    (False, 1048575, [0, 1048576])
    """
    result: Any = thing
    if isinstance(thing, np.ndarray):
        large = thing.nbytes >= smallest and thing.flags.c_contiguous and not _is_stored(thing)
        # Windows has no `os.pwrite`.
        result = _files.write(thing) if large and hasattr(os, "pwrite") else thing
    else:
        result = copy(thing)
        for name in type(thing).__slots__ if isinstance(thing, Ragged) else vars(thing):
            value = getattr(thing, name)
            if isinstance(value, (np.ndarray, Ragged)):
                object.__setattr__(result, name, move_to_file(value, smallest))
    stored: Stored = result
    return stored


class TemporaryFiles:
    """Storage of the statistics of many segments in temporary files."""

    def put(self, values: Array) -> Array:
        """Store an array."""
        return move_to_file(values, MIN_BYTES_OF_MANY)

    def concatenate(self, parts: Sequence[Array]) -> Array:
        """Concatenate arrays."""
        return concatenate(parts)


def _is_stored(values: Array) -> bool:
    base: object = values
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)


def release_pages() -> None:
    """Release the pages of stored arrays; they are read again when they are accessed."""
    _files.release()


def free_memory() -> None:
    """Return freed memory to the operating system, and release the pages of stored arrays."""
    return_freed_memory()
    _files.release()


def concatenate(parts: Iterable[Array]) -> Array:
    """Concatenate at least one array, in a temporary file if they are large.

    Examples
    --------
    >>> concatenate(np.full((2, 1), row) for row in range(2)).tolist()
    [[0], [0], [1], [1]]
    """
    remaining = iter(parts)
    pending: list[Array] = []
    for part in remaining:
        pending.append(part)
        if sum(array.nbytes for array in pending) >= MIN_BYTES and hasattr(os, "pwrite"):
            return _files.write_all(pending, remaining)
    return pending[0] if len(pending) == 1 else np.concatenate(pending)


def narrow(values: Array) -> Array:
    """Return integers or float64 in the smallest type that represents all of them exactly.

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
    dtypes = (np.int8, np.int16, np.int32, np.int64)
    dtype = next(k for k in dtypes if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    return values.astype(dtype, copy=False)


class _NarrowField:
    """A field of a dataclass whose array is stored `narrow`, and read in its original type."""

    def __init__(self, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, instance: object, owner: type) -> Array:
        values, dtype = vars(instance)[self._name]
        widened: Array = values.astype(dtype, copy=False)
        if widened is not values and values.nbytes >= MIN_BYTES:
            _files.release()
        return widened

    def __set__(self, instance: object, values: Array) -> None:
        stored = (
            values
            if len(values) < MIN_NARROWED
            else move_to_file(narrow(values), MIN_BYTES_OF_MANY)
        )
        vars(instance)[self._name] = stored, values.dtype


def narrow_field(cls: type[Rows]) -> type[Rows]:
    """Store the large arrays of a dataclass in little memory; a class decorator.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @narrow_field
    ... @dataclass
    ... class Rows:
    ...     places: Int64
    >>> rows = Rows(np.arange(MIN_NARROWED) % 100)
    >>> rows.places.dtype.name, vars(rows)["_places"][0].dtype.name
    ('int64', 'int8')
    """
    for field in fields(cls):
        setattr(cls, field.name, _NarrowField(field.name))
    return cls


def count_values(values: Array, size: int) -> Int64:
    """Count the occurrences of each integer below `size`, as `numpy.bincount` does.

    Values are converted to int64 in chunks, not all at once.

    Examples
    --------
    >>> count_values(np.array([0, 2, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    counts = np.zeros(size, np.int64)
    for start in range(0, len(values), SHARED_FILE_BYTES):
        for first in range(start, min(start + SHARED_FILE_BYTES, len(values)), MIN_NARROWED):
            counts += np.bincount(values[first : first + MIN_NARROWED], minlength=size)
        _files.release()
    return counts


def read_part(record: object, name: str, span: slice | Int64 | Bool) -> Array:
    """Return a part of an array that is stored narrow.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @narrow_field
    ... @dataclass
    ... class Rows:
    ...     places: Int64
    >>> read_part(Rows(np.arange(MIN_NARROWED) % 100), "places", slice(98, 102))
    array([98, 99,  0,  1])
    """
    values, dtype = vars(record)[f"_{name}"]
    part: Array = values[span].astype(dtype, copy=False)
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
    result = object.__new__(type(parts[0]))
    for name in (field.name for field in fields(parts[0])):
        arrays = [_stored_values(part, name) for part in parts]
        if name in ends:
            arrays = [*(array[:-1] for array in arrays[:-1]), arrays[-1]]
        part_shifts = list(shifts.get(name, [0] * len(parts)))
        dtype = np.result_type(*{array.dtype for array in arrays})
        if name in shifts:
            pairs = zip(arrays, part_shifts, strict=True)
            largest = max(int(array.max(initial=0)) + shift for array, shift in pairs)
            dtype = np.result_type(dtype, np.min_scalar_type(-largest - 1))
        column = concatenate(
            _shift(array, dtype, shift) for array, shift in zip(arrays, part_shifts, strict=True)
        )
        if isinstance(vars(type(result)).get(name), _NarrowField):
            vars(result)[f"_{name}"] = column, getattr(parts[0], name).dtype
        else:
            object.__setattr__(result, name, column)
        free_memory()
    return result


def _stored_values(record: object, name: str) -> Array:
    """Return an array of a dataclass in the type in which it is stored."""
    values: Array = (
        vars(record)[f"_{name}"][0] if f"_{name}" in vars(record) else getattr(record, name)
    )
    return values


def _shift(values: Array, dtype: np.dtype[Any], shift: int) -> Array:
    """Return integers in another type, with a shift added to those that are not negative."""
    values = values.astype(dtype)
    if shift:
        values[values >= 0] += shift
    return values
