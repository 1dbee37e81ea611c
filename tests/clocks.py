"""Limits of time that hold on a slow or busy machine, too."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

# What the reference work takes on an idle machine like those on which the limits were measured.
_USUAL = 0.04


def _reference_seconds() -> float:
    """Time work of a fixed size, of the kind that Python spends its time on."""
    start = time.process_time()
    counts: dict[int, int] = {}
    for number in range(150_000):
        counts[number * number % 10_007] = counts.get(number % 10_007, 0) + 1
    return time.process_time() - start


@contextmanager
def within(seconds: float, about: object = "") -> Iterator[None]:
    """Insist that a block takes at most twice so many seconds of the processor.

    More, where the reference work before or after it takes longer than usual.

    Parameters
    ----------
    seconds : float
        What it takes at most on an idle machine.
    about : object
        What the message of a failure names.
    """
    before = _reference_seconds()
    start = time.process_time()
    yield
    used = time.process_time() - start
    slowness = max(before, _reference_seconds(), _USUAL) / _USUAL
    assert used < 2 * seconds * slowness, (about, used, slowness)
