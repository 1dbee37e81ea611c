"""Runs a kernel over all rows: in chunks, on threads, with the same result for any number."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from wordorder import kernels
from wordorder.errors import WordOrderWarning, whole_number
from wordorder.kernels._crew import Crew, on_crew
from wordorder.types import Array, Bool, Float64, Int64

Kernel = Callable[..., Any]
# Below this many numbers a chunk costs more to hand over than to work through.
SMALLEST_CHUNK = 1 << 17

# Work in numpy is cut into pieces of as many numbers: they stay in the cache, and what Python does
# for each piece is little beside them.
PIECE = 1 << 20

# Steps for one row that a user should be told of before they are taken: some seconds.
PATIENCE = 1e9

Piece = TypeVar("Piece")
Done = TypeVar("Done")

_threads: int | None = None


def set_threads(number: int | None) -> None:
    """Set how many threads the kernels use; ``None`` means one per available core.

    Results do not depend on it.

    Raises
    ------
    UsageError
        If `number` is not a whole number of at least 1.
    """
    global _threads
    _threads = None if number is None else whole_number("threads", number)


def threads() -> int:
    """Return how many threads the kernels use: one on a thread that a pool already has."""
    if on_crew():
        return 1
    if _threads is not None:
        return _threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _interpreted(module: str) -> bool:
    """Whether the kernels of a module run as Python; warns if nobody asked for that."""
    if not str(sys.modules[module].__file__).endswith(".py"):
        return False
    if not kernels.INTERPRETED_BY_CHOICE:
        warnings.warn(
            "the kernels are not compiled (no C compiler when wordorder was installed): "
            "results are the same, some hundred times slower",
            WordOrderWarning,
            stacklevel=2,
        )
    return True


def plain(array: Array) -> memoryview:
    """Give an interpreted kernel numbers of Python instead of numpy's, which would wrap."""
    # A memoryview cannot be empty; a kernel does not look at what is not there.
    return (array if array.size else np.zeros(1, array.dtype)).data


def call(kernel: Kernel, *arguments: Any) -> Any:
    """Call a kernel once, as compiled or interpreted code; arrays may be in any memory."""
    if _interpreted(kernel.__module__):
        arguments = tuple(plain(a) if isinstance(a, np.ndarray) else a for a in arguments)
    return kernel(*arguments)


def run_rows(
    kernel: Kernel,
    offsets: Int64,
    *arrays: Any,
    scratch: Callable[[int], tuple[Any, ...]] | None = None,
) -> None:
    """Run ``kernel(*arrays, first, last, *scratch)`` over all rows that `offsets` cuts.

    Parameters
    ----------
    kernel : callable
        Releases the GIL and writes only to its own rows of the output arrays.
    offsets : int64[S+1]
        Used to balance the chunks; hand it in `arrays` too if the kernel reads it.
    arrays : arrays and numbers
        Input and output arrays and constants, passed on as they are.
    scratch : callable, optional
        Makes the last arguments of one chunk, such as its working arrays, from the length of the
        longest row.
    """
    rows = len(offsets) - 1
    if rows <= 0:
        return
    # As many chunks as pay: rows differ in cost, and an interrupt is noticed between chunks.
    pieces = int(offsets[-1]) // SMALLEST_CHUNK
    longest = int((offsets[1:] - offsets[:-1]).max()) if scratch else 0

    def work(span: tuple[int, int]) -> None:
        call(kernel, *arrays, *span, *(scratch(longest) if scratch else ()))

    if pieces < 2:
        work((0, rows))
        return
    targets = np.linspace(0, int(offsets[-1]), pieces + 1)[1:-1]
    cuts = [0, *np.searchsorted(offsets, targets).tolist(), rows]
    # A row longer than a chunk leaves chunks without any.
    run_pieces(work, [(first, last) for first, last in pairwise(cuts) if first < last])


def run_pieces(work: Callable[[Piece], Done], pieces: Sequence[Piece]) -> list[Done]:
    """Do the same work for each piece, on threads; return what comes of it in their order.

    What runs on such a thread stays there: kernels that it calls are not spread once more.
    """
    if len(pieces) < 2:
        return [work(piece) for piece in pieces]
    return list(run_in_order(work, pieces, threads_at_most=len(pieces)))


def run_in_order(
    work: Callable[[Piece], Done],
    pieces: Iterable[Piece],
    *,
    ahead: int | None = None,
    threads_at_most: int | None = None,
) -> Iterator[Done]:
    """Do the same work for each piece, on threads; yield what comes of it in their order.

    Parameters
    ----------
    work : callable
    pieces : iterable
        Asked for the next piece by one thread at a time. An error from it is raised after the
        results of the pieces before.
    ahead : int, optional
        How many pieces may be begun and not yet yielded: without it, any number.
    threads_at_most : int, optional
        Start no more threads.
    """
    wanted = threads() if threads_at_most is None else min(threads(), threads_at_most)
    if wanted == 1:
        return map(work, pieces)
    return Crew(work, pieces, ahead).results(wanted)


def read_ahead(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces that a further thread, if there may be one, takes two ahead."""
    if threads() == 1:
        return iter(pieces)
    return Crew(_itself, pieces, 2).results(1)


def _itself(piece: Piece) -> Piece:
    return piece


def is_long(steps: Float64) -> Bool:
    """Return which rows take so many steps that `announce` tells of them."""
    return steps > PATIENCE


def announce(work: str, steps: float) -> None:
    """Warn before the slowest row of some work, given how many steps it takes at most.

    Warns
    -----
    WordOrderWarning
        If a user would wonder what takes so long.
    """
    if steps > PATIENCE:
        warnings.warn(
            f"{work} of a long segment takes up to {steps:.0e} steps, which may be minutes",
            WordOrderWarning,
            stacklevel=2,
        )


def piece_spans(offsets: Int64) -> list[tuple[int, int]]:
    """Cut rows into spans that run on one thread each and fit into its cache."""
    rows = len(offsets) - 1
    number = int(offsets[-1]) // PIECE
    targets = np.linspace(0, int(offsets[-1]), max(number, 1) + 1)[1:-1]
    cuts = [0, *np.searchsorted(offsets, targets).tolist(), rows]
    return [(first, last) for first, last in pairwise(cuts) if first < last]
