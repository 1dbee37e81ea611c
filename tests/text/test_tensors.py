"""Files of arrays: as safetensors reads and writes them, and refused if a bit is wrong."""

import json
import os
import pickle
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import load, save
from tests.refusing import refuses

from wordorder.errors import ModelError, UsageError
from wordorder.text.sparse_weights import dense, halved, packed_weights, weights_of
from wordorder.text.tensors import read_tensors, write_tensors

ARRAYS: dict[str, npt.NDArray[Any]] = {
    "words": np.frombuffer("naïve".encode(), np.uint8),
    "heads": np.array([[2, 0], [-1, 7]], np.int32),
    "keys": np.array([1 << 63, 5], np.uint64),
    "short": np.array([3], np.int16),
    "real": np.array([0.1, -np.inf]),
    "empty": np.zeros((0, 3), np.int64),
    "one": np.array(7, np.uint16),
}
ABOUT = {"format": "test", "names": ["語", "\ud800"], "size": 1.5}


@pytest.fixture
def written(tmp_path: Path) -> bytes:
    write_tensors(tmp_path / "a", ABOUT, ARRAYS)
    return (tmp_path / "a").read_bytes()


def refused(data: bytes, folder: Path) -> str:
    path = folder / "bad"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"bad: ") as error:
        read_tensors(path, "test")
    return str(error.value)


def test_round_trip(written: bytes, tmp_path: Path) -> None:
    about, arrays = read_tensors(tmp_path / "a", "other", "test")
    assert about == ABOUT
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert np.array_equal(arrays[name], array)
        assert arrays[name].flags.c_contiguous
        assert arrays[name].flags.aligned
    reordered = {name: ARRAYS[name].copy(order="F") for name in reversed(ARRAYS)}
    write_tensors(tmp_path / "b", dict(reversed(ABOUT.items())), reordered)
    assert (tmp_path / "b").read_bytes() == written
    # No arrays.
    write_tensors(tmp_path / "a", {"format": "test"}, {})
    assert read_tensors(tmp_path / "a", "test") == ({"format": "test"}, {})
    # Big-endian arrays are written alike.
    for name, dtype in (("a", "<i4"), ("b", ">i4")):
        write_tensors(tmp_path / name, ABOUT, {"x": np.array([1, 2], dtype)})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_is_changed_stays_in_memory(written: bytes, tmp_path: Path) -> None:
    _, arrays = read_tensors(tmp_path / "a", "test")
    arrays["heads"][:] = 9
    assert (tmp_path / "a").read_bytes() == written
    # Replaced while it is in use, as a new model replaces an old one.
    write_tensors(tmp_path / "a", ABOUT, {"heads": np.zeros(2, np.int32)})
    assert arrays["keys"].tolist() == [1 << 63, 5]


def test_safetensors_reads_it(written: bytes) -> None:
    arrays = load(written)
    for name, array in ARRAYS.items():
        assert np.array_equal(arrays[name], array)


def test_every_bit_matters(written: bytes, tmp_path: Path) -> None:
    rng = random.Random(1)
    for place in sorted(rng.sample(range(8 * len(written)), 150)):
        data = bytearray(written)
        data[place // 8] ^= 1 << place % 8
        refused(bytes(data), tmp_path)


def test_truncated_and_torn(written: bytes, tmp_path: Path) -> None:
    for part in range(16):
        refused(written[: len(written) * part // 16], tmp_path)
    refused(written[:-1], tmp_path)
    refused(written + b"\0", tmp_path)
    rng = random.Random(4)
    for _ in range(60):
        start = rng.randrange(len(written))
        other = rng.randbytes(rng.randrange(9))
        refused(written[:start] + other + written[start + rng.randrange(10, 99) :], tmp_path)


def test_other_files(written: bytes, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
            return Path.touch, (tmp_path / "run",)  # type: ignore[return-value]

    for data in (b"", b"\0" * 8, b"a", b"1\tIt\n", pickle.dumps(Trap()), written[8:]):
        refused(data, tmp_path)
    refused(save({"x": np.zeros(1)}), tmp_path)
    assert not (tmp_path / "run").exists()
    assert "not a file of the format" in refused(written.replace(b'"test', b'"tess'), tmp_path)


@pytest.mark.parametrize("length", [0, 1 << 40, (1 << 63) - 1, (1 << 64) - 1])
def test_lying_header_lengths(length: int, written: bytes, tmp_path: Path) -> None:
    refused(struct.pack("<Q", length) + written[8:], tmp_path)


LIES: dict[str, list[object]] = {
    "data_offsets": [[0, 1 << 50], [0, -16], [8, 24], "ab"],
    "shape": [*([1 << 62, 1 << 62], [-2, -2], [2.0, 2], [True, 4], 4, ["x" * 9], [1] * 10 + [4])],
    "dtype": ["O", "F32", ["I32"]],
    "more": [1],
}


@pytest.mark.parametrize(("name", "value"), [(name, lie) for name in LIES for lie in LIES[name]])
def test_lying_headers(name: str, value: object, written: bytes, tmp_path: Path) -> None:
    size = struct.unpack("<Q", written[:8])[0]
    header: dict[str, Any] = json.loads(written[8 : 8 + size])
    header["heads"][name] = value
    text = json.dumps(header).encode()
    refused(struct.pack("<Q", len(text)) + text + written[8 + size :], tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        *(b"[]", b"{}", b"[" * 100_000, b'\xff{"', b'{"__metadata__": 3}'),
        b'{"__metadata__": {"wordorder": 3}}',
        b'{"__metadata__": {"wordorder": "3"}}',
        b'{"__metadata__": {"wordorder": "{\\"x\\": NaN}"}}',
        b'{"__metadata__": {"wordorder": "{}"}, "x": 1}',
        b'{"__metadata__": {"wordorder": "{}"}, "x": {}, "x": {}}',
        b'{"__metadata__": {"wordorder": "' + b"[" * 100_000 + b'"}}',
    ],
)
def test_senseless_headers(text: bytes, tmp_path: Path) -> None:
    refused(struct.pack("<Q", len(text)) + text, tmp_path)


def test_names_that_are_no_files(tmp_path: Path) -> None:
    for name, message in (("no-such", "no such file"), ("", "no file"), ("a\0b", "no such")):
        refuses(UsageError, message, read_tensors, os.path.join(tmp_path, name), "test")
    for name in ("-", "model.gz"):
        refuses(UsageError, "not compressed", write_tensors, name, ABOUT, {})


@given(arrays(np.float32, st.integers(0, 70), elements=st.floats(-1e4, 1e4, width=32)))
def test_weights_come_back_from_their_places_or_their_bits(weights: npt.NDArray[Any]) -> None:
    weights[::3] = 0
    for each, kind in ((weights, None), (halved(weights), np.uint16)):
        packed = packed_weights(each)
        assert kind in (None, packed["weights"].dtype)
        assert np.array_equal(weights_of(packed, len(each)), each)
        places = np.flatnonzero(each).astype(np.int32)
        assert np.array_equal(dense(places, each[places], len(each)), each)
    # Eight significant bits, rounded to the nearer one.
    assert np.allclose(halved(weights), weights, rtol=2**-8, atol=1e-38)


def test_damaged_weights_are_refused() -> None:
    packed = packed_weights(np.array([0, 0.5, 0, -2], np.float32))
    infinite = np.array([0x3F00, 0x7F80], np.uint16)
    for change in ({"used": np.array([80, 0], np.uint8)}, {"weights": infinite}):
        refuses(ModelError, "weights are damaged", weights_of, {**packed, **change}, 4)
    refuses(ModelError, "weights are damaged", weights_of, packed, 3)
    with pytest.raises(ModelError, match="out of place"):
        dense(np.array([1, 1], np.int32), np.ones(2, np.float32), 4)
