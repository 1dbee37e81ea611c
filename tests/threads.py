"""The same work with several numbers of threads."""

from collections.abc import Callable
from typing import TypeVar

from wordorder.kernels._run import set_threads

T = TypeVar("T")


def with_threads(work: Callable[[], T], *numbers: int) -> list[T]:
    """Return what some work gives with each number of threads: one and three unless given."""
    found = []
    for number in numbers or (1, 3):
        set_threads(number)
        try:
            found.append(work())
        finally:
            set_threads(None)
    return found
