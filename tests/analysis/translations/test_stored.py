"""Arrays in temporary files: the same numbers, and in memory where files have no room."""

import errno
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from wordorder.analysis.translations import stored
from wordorder.arrays import Array, Int64, Ragged

PARTS = [np.arange(n, dtype=np.int32) for n in (0, 1, 5, 3000)]


@stored.narrow_field
@dataclass(frozen=True, eq=False)
class Rows:
    """Places that parts count from their beginning."""

    places: Int64
    ends: Int64


def _full(calls: int) -> Any:
    """Return a `pwrite` for which the disk is full after some calls."""
    left, write = [calls], os.pwrite

    def pwrite(*arguments: Any) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        return write(*arguments)

    return pwrite


@pytest.mark.parametrize("calls", [0, 1, 2, 100])
def test_arrays_are_the_same_wherever_they_are(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MIN_BYTES", 2)
    monkeypatch.setattr(os, "pwrite", _full(calls), raising=False)
    whole = np.concatenate(PARTS)
    assert np.array_equal(stored.concatenate(iter(PARTS)), whole)
    matrix = np.arange(12.0).reshape(4, 3)
    assert np.array_equal(stored.move_to_file(matrix, 1), matrix)
    rows = Ragged(whole, np.array([0, 6, len(whole)]))
    assert stored.move_to_file(rows, 1) == rows
    stored.free_memory()
    assert np.array_equal(stored.concatenate([whole[:7], whole[7:]]), whole)


@pytest.mark.parametrize("large", [1, 1 << 17])
def test_records_are_joined_with_their_shifts(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MIN_NARROWED", large)
    monkeypatch.setattr(stored, "MIN_BYTES_OF_MANY", 1)
    parts = [Rows(np.array([0, -1, 100]), np.array([0, 3])), Rows(np.array([7]), np.array([0, 1]))]
    found = stored.concatenate_records(parts, {"places": [0, 1000], "ends": [0, 3]}, {"ends"})
    assert found.places.tolist() == [0, -1, 100, 1007]
    assert found.ends.tolist() == [0, 3, 4]
    assert found.places.dtype == np.int64


@pytest.mark.parametrize("numbers", [[], [3, 0, 3], list(range(4)) * 9])
def test_counts_are_those_of_numpy(numbers: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MIN_NARROWED", 2)
    monkeypatch.setattr(stored, "SHARED_FILE_BYTES", 4)
    values: Array = np.array(numbers, np.int32)
    assert stored.count_values(values, 5).tolist() == np.bincount(values, minlength=5).tolist()


def test_shifted_numbers_are_wide_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of a part and its shift each fit into 8 bits, their sum does not."""
    monkeypatch.setattr(stored, "MIN_NARROWED", 1)
    monkeypatch.setattr(stored, "MIN_BYTES_OF_MANY", 1)
    parts = [Rows(np.arange(60), np.array([0, 1])), Rows(np.arange(120), np.array([0, 1]))]
    found = stored.concatenate_records(parts, {"places": [0, 60]})
    assert found.places.tolist() == [*range(60), *range(60, 180)]


def test_arrays_in_files_are_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MIN_BYTES", 2)
    first = stored.move_to_file(np.arange(100), 1)
    assert stored.move_to_file(first, 1) is first


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_forked_processes_write_to_files_of_their_own() -> None:
    ours = stored.move_to_file(np.full(100, 1), 1)
    child = os.fork()
    if child == 0:
        stored.move_to_file(np.full(100, 7), 1)
        os._exit(0)
    os.waitpid(child, 0)
    later = stored.move_to_file(np.full(100, 2), 1)
    stored.free_memory()
    assert (ours == 1).all()
    assert (later == 2).all()


def test_threads_store_and_release_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MIN_BYTES", 2)
    done = threading.Event()
    faults: list[BaseException] = []

    def release() -> None:
        try:
            while not done.is_set():
                stored.release_pages()
        except RuntimeError as error:
            faults.append(error)

    threads = [threading.Thread(target=release) for _ in range(2)]
    for thread in threads:
        thread.start()
    held = [stored.concatenate(iter([np.arange(8), np.arange(8)])) for _ in range(400)]
    done.set()
    for thread in threads:
        thread.join()
    assert not faults
    assert all(array.tolist() == [*range(8), *range(8)] for array in held)
