"""Files of arrays in the safetensors format: validated when read, mapped into memory."""

import codecs
import contextlib
import json
import mmap
import os
import zlib
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from wordorder.arrays import Array
from wordorder.errors import ModelError, UsageError, WordOrderError
from wordorder.text.compression import kind_of_name
from wordorder.text.opening import Path
from wordorder.text.output import require_creatable, write_output
from wordorder.text.strict_json import STRICT_JSON

TENSOR_TYPES = {
    **{f"U{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    **{f"I{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": np.dtype(f"<f{size}") for size in (4, 8)},
}
TYPE_NAMES = {dtype: name for name, dtype in TENSOR_TYPES.items()}
# The key of this project's metadata within those of the format.
ENTRY = "wordorder"
# The start of each header. A checksum of the rest of the file follows, eight hexadecimal digits
# that end at the byte `CHECK_END`.
HEADER_START = b'{"__metadata__":{"check":"'
CHECK_END = 8 + len(HEADER_START) + 8
# Arrays start at a multiple of this number of bytes.
ALIGNMENT = 8
# Bytes of a file that decide whether it is text.
_SAMPLE_BYTES = 1 << 10
MAX_HEADER_BYTES = 1 << 26
MAX_DIMENSIONS = 8
# Sizes and offsets in the header must be smaller.
SIZE_LIMIT = 1 << 48


def require_writable(path: Path) -> None:
    """Refuse a path to which a model cannot be written; no file is created.

    Raises
    ------
    UsageError
        If the folder does not exist or cannot be written to, or `path` names a folder, standard
        output, a compressed file, or a file that may not be replaced.

    Examples
    --------
    >>> require_writable("no/such/folder/model")
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: no/such/folder/model: cannot be created: no folder no/such/folder
    """
    name = os.fspath(path)
    if name == "-" or not os.path.basename(name) or kind_of_name(name) is not None:
        raise UsageError(f"{name}: a model is written to a file that is not compressed")
    require_creatable(name)


def write_tensors(path: Path, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write arrays and their metadata; the same content gives the same bytes.

    Parameters
    ----------
    path : path
        A file that appears under its name when it is complete.
    about : mapping
        JSON-serialisable metadata, without infinities.
    arrays : mapping of name to array
        Integers or floating-point numbers of any shape.

    Raises
    ------
    UsageError
        As `require_writable` does.
    InputError
        If the file cannot be written completely.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.safetensors"
    >>> write_tensors(path, {"format": "example"}, {"heads": np.array([2, 0], np.int32)})
    >>> about, arrays = read_tensors(path, "example")
    >>> arrays["heads"].tolist()
    [2, 0]
    """
    require_writable(path)
    # Wide numbers first, so that all arrays are aligned.
    plain = {key: np.asarray(array, order="C") for key, array in arrays.items()}
    order = sorted(plain, key=lambda key: (-plain[key].itemsize, key))
    table: dict[str, Any] = {}
    end = 0
    for key in order:
        array, start = plain[key], end
        end += array.nbytes
        kind = TYPE_NAMES[array.dtype.newbyteorder("<")]
        table[key] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [start, end]}
        plain[key] = array.astype(TENSOR_TYPES[kind], copy=False)
    metadata = {"check": "0" * 8, ENTRY: json.dumps(about, sort_keys=True, allow_nan=False)}
    header = json.dumps({"__metadata__": metadata, **table}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % ALIGNMENT)
    length = len(header).to_bytes(8, "little")
    checked = header[len(HEADER_START) + 8 :]
    check = zlib.crc32(checked, zlib.crc32(length))
    for key in order:
        check = zlib.crc32(_bytes(plain[key]), check)
    with write_output(path) as stream:
        stream.write(length + HEADER_START + f"{check:08x}".encode() + checked)
        for key in order:
            stream.write(_bytes(plain[key]))


def is_tensor_file(path: Path) -> bool:
    """Return whether a file begins like those of `write_tensors`; False if it does not exist."""
    try:
        with open(path, "rb") as stream:
            return stream.read(8 + len(HEADER_START))[8:] == HEADER_START
    except OSError:
        return False


def is_text(path: Path) -> bool:
    """Return whether a file contains text, which a user may have passed instead of a model."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(_SAMPLE_BYTES)
    except OSError:
        return False
    # A model begins with the length of its header, in eight bytes of which some are 0.
    if not start or b"\0" in start:
        return False
    try:
        # The bytes read may end inside a character.
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def read_tensors(
    path: Path, *formats: str, version: int | None = None
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read the metadata and arrays of a file that `write_tensors` wrote.

    Parameters
    ----------
    path : path
    formats : str
        Allowed values of ``format`` in the metadata.
    version : int, optional
        Required value of ``version`` in the metadata.

    Returns
    -------
    about : dict
    arrays : dict of name to array
        Views of the file, mapped into memory: unused parts are not read, and several processes
        share one copy. Changes of the arrays do not change the file.

    Raises
    ------
    UsageError
        If there is no such file.
    ModelError
        If the file has another format or version, or if a single bit has changed.
    """
    name = os.fspath(path)
    try:
        if not os.path.isfile(name):
            raise UsageError(f"{name}: {'no' if os.path.exists(name) else 'no such'} file")
        with open(name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # An empty file cannot be mapped.
            mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY) if size else b""
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror or error}") from None
    try:
        about, table, start = _header(mapped, size)
        if about.get("format") not in formats:
            raise ModelError(f"not a file of the format {' or '.join(formats)}")
        with memoryview(mapped) as data:
            check = zlib.crc32(data[CHECK_END:], zlib.crc32(data[:8]))
        if mapped[8:CHECK_END] != HEADER_START + f"{check:08x}".encode():
            raise ModelError("a damaged model file: its content is not what was written")
        found_version = about.get("version")
        # True is equal to 1.
        if version is not None and (type(found_version) is not int or found_version != version):
            raise ModelError(f"version {found_version!r} of the format; expected {version}")
        return about, {key: _array(mapped, start, entry) for key, entry in table.items()}
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None


@contextlib.contextmanager
def unpacked(name: str, description: str) -> Iterator[None]:
    """Turn errors while a model is rebuilt from its saved state into one `ModelError`.

    Parameters
    ----------
    name : str
        The file or a part of it; empty if the caller adds it.
    description : str
        The name of the state, for the message if an entry is missing or has another type.

    Examples
    --------
    >>> with unpacked("a.model", "its description"):
    ...     {}["weights"]
    Traceback (most recent call last):
        ...
    wordorder.errors.ModelError: a.model: its description is damaged (KeyError: 'weights')
    """
    prefix = name and f"{name}: "
    try:
        yield
    except WordOrderError as error:
        raise ModelError(f"{prefix}{error}") from None
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise ModelError(f"{prefix}{description} is damaged ({problem})") from error


def select_arrays(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """Return the arrays whose names begin with `prefix`, keyed by the rest of their names."""
    size = len(prefix)
    return {key[size:]: array for key, array in arrays.items() if key.startswith(prefix)}


def _header(mapped: Any, size: int) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Return the file's metadata, its table of arrays, and the offset of the first array."""
    length = int.from_bytes(mapped[:8], "little")
    if size < 8 or length > min(size - 8, MAX_HEADER_BYTES):
        raise ModelError("no model file, or a damaged one: its header does not fit into it")
    try:
        header = STRICT_JSON.decode(mapped[8 : 8 + length].decode())
        about = STRICT_JSON.decode(header.pop("__metadata__")[ENTRY])
        if not isinstance(about, dict):
            raise ValueError
        end = 0
        for entry in sorted(header.values(), key=lambda entry: entry["data_offsets"]):
            shape, offsets = entry["shape"], entry["data_offsets"]
            numbers = [*shape, *offsets]
            is_valid = len(entry) == 3 and len(shape) <= MAX_DIMENSIONS and len(offsets) == 2
            is_valid = is_valid and all(
                type(number) is int and 0 <= number < SIZE_LIMIT for number in numbers
            )
            if not is_valid or offsets != [
                end,
                end + prod(shape) * TENSOR_TYPES[entry["dtype"]].itemsize,
            ]:
                raise ModelError("no model file, or a damaged one: a wrong size of an array")
            end = offsets[1]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ModelError("no model file, or a damaged one: its header cannot be read") from None
    if end != size - 8 - length:
        raise ModelError("no model file, or a damaged one: it breaks off, or goes on too long")
    return about, header, 8 + length


def _array(mapped: Any, start: int, entry: dict[str, Any]) -> Array:
    """Return an array as a view of the file, or as a copy if it is not aligned."""
    dtype, (first, last) = TENSOR_TYPES[entry["dtype"]], entry["data_offsets"]
    count = (last - first) // dtype.itemsize
    flat = np.frombuffer(mapped, dtype, count, start + first) if count else np.empty(0, dtype)
    native = flat.astype(dtype.newbyteorder("="), copy=False)
    return np.require(native, requirements=["A", "W"]).reshape(entry["shape"])


def _bytes(array: Array) -> memoryview:
    """Return the bytes of an array without copying them."""
    return array.reshape(-1).view(np.uint8).data
