"""Work on threads: what comes of it, and what an error does not wait for."""

import threading
import time
from collections.abc import Iterator

import pytest

from wordorder.errors import UsageError
from wordorder.kernels._run import run_pieces, set_threads, threads


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
    with pytest.raises(UsageError, match="at least 1"):
        set_threads(wrong)
