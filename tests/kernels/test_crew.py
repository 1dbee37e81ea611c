"""Threads that cannot be started, or die: the work is done all the same, by whoever is left."""

import _thread
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.kernels._run import run_in_order, run_pieces, set_threads, threads

LIMIT = 10


@pytest.fixture(autouse=True)
def four_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(_run, "CHECK_INTERVAL", 0.02)
    set_threads(4)
    yield
    set_threads(None)


def squares(count: int = 50, ahead: int | None = None) -> list[int]:
    """Square numbers on threads; a hang is an error and not a test that never ends."""
    found: list[int] = []

    def work() -> None:
        found.extend(run_in_order(lambda n: n * n, range(count), ahead=ahead))

    runner = threading.Thread(target=work, daemon=True)
    runner.start()
    runner.join(LIMIT)
    assert not runner.is_alive()
    return found


def failing(monkeypatch: pytest.MonkeyPatch, start: Callable[..., Any]) -> None:
    """Replace the start of threads, but not of those that the tests themselves start."""
    monkeypatch.setattr(_thread, "start_new_thread", start)
    monkeypatch.setattr(threading, "_start_new_thread", _START)


_START = _thread.start_new_thread


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()])
@pytest.mark.parametrize("started", [0, 1, 2, 3])
@pytest.mark.parametrize("ahead", [None, 1, 3, 8])
def test_fewer_threads_can_be_started(
    monkeypatch: pytest.MonkeyPatch, error: Exception, started: int, ahead: int | None
) -> None:
    tries = itertools.count()

    def start(run: Callable[[], None], arguments: tuple[()]) -> int:
        if next(tries) >= started:
            raise error
        return _START(run, arguments)

    failing(monkeypatch, start)
    assert squares(ahead=ahead) == [n * n for n in range(50)]


@pytest.mark.parametrize("born", [0, 1, 3])
@pytest.mark.parametrize("ahead", [None, 1, 8])
def test_threads_die_before_their_first_step(
    monkeypatch: pytest.MonkeyPatch, born: int, ahead: int | None
) -> None:
    tries = itertools.count()

    def start(run: Callable[[], None], arguments: tuple[()]) -> int:
        # What the system calls a success: a thread that had no memory for its first frame.
        return _START(run, arguments) if next(tries) < born else 1

    failing(monkeypatch, start)
    assert squares(ahead=ahead) == [n * n for n in range(50)]


@pytest.mark.parametrize("deaths", [1, 3, 4, 20])
def test_threads_die_between_two_pieces(monkeypatch: pytest.MonkeyPatch, deaths: int) -> None:
    tries = itertools.count(1)
    tell = _run.Crew._tell

    def dying(crew: Any) -> None:
        if next(tries) <= deaths:
            raise MemoryError
        tell(crew)

    monkeypatch.setattr(_run.Crew, "_tell", dying)
    assert squares() == [n * n for n in range(50)]


@pytest.mark.parametrize("at", [0, 7, 49])
def test_a_piece_that_lacks_memory_is_an_error_in_its_place(at: int) -> None:
    def work(piece: int) -> int:
        if piece >= at:
            raise MemoryError(piece)
        return piece

    found: list[int] = []
    with pytest.raises(MemoryError) as caught:
        found.extend(run_in_order(work, range(50), ahead=6))
    assert found == list(range(at))
    assert caught.value.args == (at,)


@pytest.mark.parametrize("at", [0, 1, 30])
def test_an_error_of_the_pieces_comes_after_the_results_before_it(at: int) -> None:
    def pieces() -> Iterator[int]:
        yield from range(at)
        raise ValueError("unreadable")

    found: list[int] = []
    refuses(ValueError, "unreadable", found.extend, run_in_order(lambda n: n, pieces(), ahead=6))
    assert found == list(range(at))


def test_pieces_are_asked_for_by_one_thread_at_a_time_and_not_far_ahead() -> None:
    inside = threading.Lock()
    asked = 0

    def pieces() -> Iterator[int]:
        nonlocal asked
        for number in range(200):
            assert inside.acquire(blocking=False)
            asked = number + 1
            time.sleep(0.0002)
            inside.release()
            yield number

    for given, each in enumerate(run_in_order(lambda n: n, pieces(), ahead=5), 1):
        assert each == given - 1
        assert asked <= given + 5
    assert given == 200


def test_whoever_leaves_early_stops_the_threads() -> None:
    done: list[int] = []
    results = run_in_order(done.append, itertools.count(), ahead=8)
    assert next(results) is None
    results.close()  # type: ignore[attr-defined]  # a generator
    time.sleep(0.1)
    before = len(done)
    time.sleep(0.1)
    assert len(done) == before


def test_many_threads_and_few_pieces() -> None:
    set_threads(64)
    for count in (2, 3, 5):
        assert run_pieces(lambda n: -n, range(count)) == [-n for n in range(count)]


def test_no_thread_reads_on_when_an_error_is_raised() -> None:
    done: list[int] = []
    begun = threading.Event()

    def work(piece: int) -> None:
        if piece == 0:
            begun.wait(10)
            raise ValueError("a bad line")
        begun.set()
        time.sleep(0.2)
        done.append(piece)

    refuses(ValueError, "a bad line", list, _run.Crew(work, range(2), None).results(2))
    assert done == [1]


# -- Work on threads: what comes of it, and what an error does not wait for. -----------------------


@pytest.fixture(params=[1, 2, 8])
def number(request: pytest.FixtureRequest) -> Iterator[int]:
    set_threads(request.param)
    yield request.param
    set_threads(None)


@pytest.mark.parametrize("pieces", [0, 1, 2, 3, 20])
def test_results_come_in_the_order_of_the_pieces(number: int, pieces: int) -> None:
    def work(piece: int) -> int:
        time.sleep(0.002 * (piece % 3))
        return piece * piece

    assert run_pieces(work, range(pieces)) == [piece * piece for piece in range(pieces)]


def test_a_thread_of_the_pool_asks_for_no_more_threads(number: int) -> None:
    assert threads() == number
    assert run_pieces(lambda _: threads(), range(4)) == [1] * 4


def test_an_error_does_not_wait_for_other_pieces() -> None:
    set_threads(2)
    stop = threading.Event()

    def work(piece: int) -> None:
        if piece == 0:
            raise KeyboardInterrupt
        stop.wait(20)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_pieces(work, range(8))
    elapsed = time.monotonic() - began
    stop.set()
    set_threads(None)
    assert elapsed < 5


@pytest.mark.parametrize("wrong", [0, -1])
def test_the_number_of_threads_is_positive(wrong: int) -> None:
    refuses(UsageError, "at least 1", set_threads, wrong)
