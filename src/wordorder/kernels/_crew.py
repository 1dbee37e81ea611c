"""Threads that share the pieces of some work: as many as can be started, with no lost piece."""

from __future__ import annotations

import _thread
import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

Piece = TypeVar("Piece")
Done = TypeVar("Done")

# Seconds after which whoever waits for results looks whether there are threads at all.
PATIENCE = 0.2
# Seconds that threads have to come to their end, and how often that is looked for.
ENDING = 1.0
WAITS = 1000

_here = threading.local()


def on_crew() -> bool:
    """Return whether the calling thread is one of a crew."""
    return getattr(_here, "on_crew", False)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keep the work of the calling thread on it, as that of a crew's threads is."""
    before = on_crew()
    _here.on_crew = True
    try:
        yield
    finally:
        _here.on_crew = before


class _Task(Generic[Piece, Done]):
    """A piece, and what came of it."""

    __slots__ = ("done", "error", "piece", "result")

    def __init__(self) -> None:
        self.done = False
        self.error: BaseException | None = None
        self.piece: Piece
        self.result: Done


class Crew(Generic[Piece, Done]):
    """Does the same work for each piece on several threads, and gives the results in order.

    Parameters
    ----------
    work : callable
    pieces : iterable
        Asked for the next piece by one thread at a time.
    ahead : int or None
        How many pieces may be begun whose results have not been taken.

    Notes
    -----
    Written for a machine that is out of memory or threads. The standard library's pool waits for
    ever when a thread dies before its first step, or between a piece and its result. Here a thread
    that has no piece may die at any time: others go on, at last the caller. One that has a piece
    takes no step that needs memory outside of `work`.
    """

    def __init__(
        self, work: Callable[[Piece], Done], pieces: Iterable[Piece], ahead: int | None
    ) -> None:
        self._work = work
        self._pieces = iter(pieces)
        self._room = None if ahead is None else threading.Semaphore(ahead)
        # Begun and not yet given out, in order.
        self._tasks: deque[_Task[Piece, Done]] = deque()
        self._taking = _thread.allocate_lock()
        # Released when the caller should look again.
        self._news = _thread.allocate_lock()
        self._ended = False
        self._error: BaseException | None = None
        # One entry a thread that runs.
        self._running: deque[None] = deque()

    def results(self, threads: int) -> Iterator[Done]:
        """Yield the results in the order of the pieces.

        An error from `work` or `pieces` is raised in its place among the results.
        """
        started = 0
        try:
            for _ in range(threads):
                try:
                    _thread.start_new_thread(self._run, ())
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
                elif not self._news.acquire(timeout=PATIENCE if started else 0):
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
        """Wait for the threads, but not for long: one may read from a terminal.

        The caller closes its files now. A thread that still reads would go on in whatever file is
        opened next, which the system gives the same number.
        """
        for _ in range(WAITS):
            if not self._running:
                break
            time.sleep(ENDING / WAITS)

    def _run(self) -> None:
        """Work on a thread of the crew until nothing is left."""
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
        """Have the caller look again."""
        # Another thread may be quicker.
        with contextlib.suppress(RuntimeError):
            if self._news.locked():
                self._news.release()

    def _step(self) -> None:
        """Take a piece, if there is one, and do its work."""
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
