"""Runs kernels over all rows, in chunks and on threads; results do not depend on these."""

import _thread
import contextlib
import contextvars
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np

from wordorder import kernels
from wordorder.arrays import Array, Bool, Float64, Int64
from wordorder.errors import whole_number
from wordorder.notes import note, note_at_once

Kernel = Callable[..., Any]
# For smaller chunks, in numbers, the overhead of a thread exceeds the work.
SMALLEST_CHUNK = 1 << 17

# Work in numpy is split into pieces of this many numbers, which fit into the cache and still make
# the overhead of Python small.
PIECE_NUMBERS = 1 << 20

# A row with more steps takes some seconds, and is announced to the user.
LONG_ROW_STEPS = 1e9

# A little less than glibc's limit of 32 MB for blocks that it keeps.
_LARGEST_BLOCK = (1 << 25) - (1 << 16)

# Memory of a small process in kilobytes: more than `analyze` needs for five systems of a typical
# test set.
_SMALL_PROCESS = 220_000

Piece = TypeVar("Piece")
Done = TypeVar("Done")

# Seconds between checks, by a caller that waits for results, whether threads are running.
CHECK_INTERVAL = 0.2
# Seconds to wait for threads to end, and the number of checks in this time.
END_TIMEOUT = 1.0
END_CHECKS = 1000

_here = threading.local()
_threads: int | None = None


def on_crew() -> bool:
    """Return whether the calling thread belongs to a crew."""
    return getattr(_here, "on_crew", False)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Run kernels that are called in the block on the calling thread alone, as in a crew."""
    previous = on_crew()
    _here.on_crew = True
    try:
        yield
    finally:
        _here.on_crew = previous


class _Task(Generic[Piece, Done]):
    """A piece of work and its result."""

    __slots__ = ("done", "error", "piece", "result")

    def __init__(self) -> None:
        self.done = False
        self.error: BaseException | None = None
        self.piece: Piece
        self.result: Done


class Crew(Generic[Piece, Done]):
    """Does the same work for each piece on several threads, and yields the results in order.

    Parameters
    ----------
    work : callable
    pieces : iterable
        Only one thread at a time requests the next piece.
    ahead : int or None
        How many pieces may be started whose results have not been taken.

    Notes
    -----
    Written for machines that are out of memory or threads. The standard library's pool waits for
    ever if a thread dies before its first step, or between a piece and its result. Here a thread
    without a piece may die at any time: other threads continue, or finally the caller. A thread
    with a piece does nothing that needs memory outside of `work`.
    """

    def __init__(
        self, work: Callable[[Piece], Done], pieces: Iterable[Piece], ahead: int | None
    ) -> None:
        self._work = work
        self._pieces = iter(pieces)
        self._room = None if ahead is None else threading.Semaphore(ahead)
        # Tasks that were started and whose results have not been taken, in order.
        self._tasks: deque[_Task[Piece, Done]] = deque()
        self._taking = _thread.allocate_lock()
        # Released when the caller should check for results again.
        self._news = _thread.allocate_lock()
        self._ended = False
        self._error: BaseException | None = None
        # One entry per running thread.
        self._running: deque[None] = deque()

    def results(self, threads: int) -> Iterator[Done]:
        """Yield the results in the order of the pieces.

        An error from `work` or `pieces` is raised after the results of the pieces before it.
        """
        started = 0
        try:
            for _ in range(threads):
                try:
                    # With the caller's context, notes of the thread go where the caller's go.
                    _thread.start_new_thread(contextvars.copy_context().run, (self._run,))
                except (RuntimeError, MemoryError):
                    break
                started += 1
            while True:
                if self._tasks and self._tasks[0].done:
                    task = self._tasks.popleft()
                    if task.error is not None:
                        raise task.error
                    yield task.result
                    del task
                    if self._room is not None:
                        self._room.release()
                elif self._ended and not self._tasks:
                    break
                elif not self._news.acquire(timeout=CHECK_INTERVAL if started else 0):
                    if not self._running and not self._tasks:
                        self._step()
            if self._error is not None:
                raise self._error
        finally:
            self._ended = True
            if self._room is not None:
                for _ in range(started):
                    self._room.release()
            if sys.exc_info()[0] is not KeyboardInterrupt:
                self._wait()

    def _wait(self) -> None:
        """Wait for the threads for a short time: one may be waiting for a terminal.

        The caller closes its files now. A thread that still reads would continue in the next
        file that is opened, which gets the same descriptor.
        """
        for _ in range(END_CHECKS):
            if not self._running:
                break
            time.sleep(END_TIMEOUT / END_CHECKS)

    def _run(self) -> None:
        """Run tasks on a thread of the crew until none remain."""
        try:
            _here.on_crew = True
            self._running.append(None)
            try:
                while not self._ended and (self._room is None or self._room.acquire()):
                    self._step()
                    self._tell()
            finally:
                self._running.pop()
        except BaseException:  # noqa: S110  # see the class: it has no piece
            pass

    def _tell(self) -> None:
        """Make the caller check for results."""
        # Another thread may release the lock first.
        with contextlib.suppress(RuntimeError):
            if self._news.locked():
                self._news.release()

    def _step(self) -> None:
        """Take the next piece, if any, and do its work."""
        task = self._take()
        if task is None:
            return
        try:
            task.result = self._work(task.piece)
        except BaseException as error:
            task.error = error
        del task.piece
        task.done = True

    def _take(self) -> _Task[Piece, Done] | None:
        """Return the next piece as a task, None at the end of the pieces."""
        with self._taking:
            if self._ended:
                return None
            try:
                task: _Task[Piece, Done] = _Task()
                task.piece = next(self._pieces)
                self._tasks.append(task)
                return task
            except StopIteration:
                pass
            except BaseException as error:
                self._error = error
            self._ended = True
            return None


def set_threads(number: int | None) -> None:
    """Set the number of threads of the kernels; ``None`` means one per available core.

    Results do not depend on it.

    Raises
    ------
    UsageError
        If `number` is not a whole number of at least 1.
    """
    global _threads
    _threads = None if number is None else whole_number("threads", number)


def threads() -> int:
    """Return the number of threads of the kernels; 1 on a thread that belongs to a crew."""
    if on_crew():
        return 1
    if _threads is not None:
        return _threads
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _interpreted(module: str) -> bool:
    """Return whether the kernels of a module run as Python; warn if that was not requested."""
    if not str(sys.modules[module].__file__).endswith(".py"):
        return False
    if not kernels.INTERPRETED_BY_CHOICE:
        note(
            "the kernels are not compiled (no C compiler when wordorder was installed): "
            "results are the same, some hundred times slower"
        )
    return True


def plain(array: Array) -> memoryview:
    """Return an array whose items are Python's numbers, since those of numpy would overflow."""
    # A memoryview cannot be empty; kernels never read the extra number.
    return (array if array.size else np.zeros(1, array.dtype)).data


def call(kernel: Kernel, *arguments: Any) -> Any:
    """Call a kernel once, compiled or interpreted, with numpy arrays and numbers."""
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
        Used to balance the chunks; pass it in `arrays`, too, if the kernel reads it.
    arrays : arrays and numbers
        Input and output arrays and constants, passed on unchanged.
    scratch : callable, optional
        Takes the length of the longest row, and returns the last arguments of a chunk, such as
        its working arrays.
    """
    if len(offsets) < 2:
        return
    longest = int((offsets[1:] - offsets[:-1]).max()) if scratch else 0

    def work(span: tuple[int, int]) -> None:
        call(kernel, *arrays, *span, *(scratch(longest) if scratch else ()))

    # Many chunks, since rows differ in cost, and interrupts are handled between chunks.
    run_pieces(work, piece_spans(offsets, SMALLEST_CHUNK))


def run_pieces(work: Callable[[Piece], Done], pieces: Sequence[Piece]) -> list[Done]:
    """Apply a function to each piece, on threads; return the results in order.

    Kernels that `work` calls run on the same thread.
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
    """Apply a function to each piece, on threads; yield the results in order.

    Parameters
    ----------
    work : callable
    pieces : iterable
        Only one thread at a time requests the next piece. An error is raised after the results of
        the pieces before it.
    ahead : int, optional
        How many pieces may be started and not yet yielded; any number by default.
    threads_at_most : int, optional
        The maximum number of threads.
    """
    workers = threads() if threads_at_most is None else min(threads(), threads_at_most)
    if workers == 1:
        return map(work, pieces)
    return Crew(work, pieces, ahead).results(workers)


def read_ahead(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces; another thread, if allowed, reads up to two pieces ahead."""
    if threads() == 1:
        return iter(pieces)
    return Crew(_identity, pieces, 2).results(1)


def _identity(piece: Piece) -> Piece:
    return piece


def is_long(steps: Float64) -> Bool:
    """Return which rows take so long that `announce` reports them, bool[rows]."""
    return steps > LONG_ROW_STEPS


def announce(work: str, steps: float) -> None:
    """Print a note before work whose slowest row takes more than `LONG_ROW_STEPS` steps."""
    if steps > LONG_ROW_STEPS:
        note_at_once(
            f"{work} of a long segment takes up to {steps:.0e} steps, which may be minutes"
        )


def piece_spans(offsets: Int64, size: int | None = None) -> list[tuple[int, int]]:
    """Split rows into spans of `size` to ``2 * size`` numbers, by default such that fit the cache.

    A longer row is a span of its own, or the end of one.
    """
    rows = len(offsets) - 1
    span_count = int(offsets[-1]) // (size or PIECE_NUMBERS)
    if span_count < 2:
        return [(0, rows)] if rows else []
    targets = np.linspace(0, int(offsets[-1]), span_count + 1)[1:-1]
    cuts = [0, *np.searchsorted(offsets, targets).tolist(), rows]
    # A row longer than a span leaves empty spans.
    return [(first, last) for first, last in pairwise(cuts) if first < last]


@cache
def keep_freed_memory() -> None:
    """Make the C library keep freed memory instead of returning it to the system.

    Work in pieces frees and allocates the same megabytes repeatedly, and the system would clear
    them each time, which took a fifth of the time of `score`. glibc sets its threshold to the size
    of the largest block freed; other C libraries ignore this. Peak memory does not change.
    """
    with contextlib.suppress(MemoryError):
        np.empty(_LARGEST_BLOCK, np.uint8)


def return_freed_memory() -> None:
    """Make the C library return freed memory to the system, after work that needed much of it.

    Only glibc does so. Small processes are skipped, since they would allocate the same memory
    again.
    """
    import ctypes

    with contextlib.suppress(AttributeError, ImportError, OSError, TypeError):
        import resource

        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > _SMALL_PROCESS:
            ctypes.CDLL(None).malloc_trim(0)
