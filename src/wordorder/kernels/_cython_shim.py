"""What a kernel that runs as Python sees as the module `cython`, which need not be installed.

Decorators leave functions and classes as they are, types say nothing, and casts convert as Cython's
own module does when nothing is compiled.
"""

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class CType:
    """A type of C, used in annotations and casts."""

    def __init__(self, kind: Callable[[Any], Any]) -> None:
        self.kind = kind

    def __getitem__(self, shape: object) -> "CType":
        """Return the type of a view: ``int[::1]``, ``const[int]``."""
        return self

    def __call__(self, value: Any) -> Any:
        """Return `value` as Python's number of this kind."""
        return self.kind(value)


class NoGil(contextlib.nullcontext[None]):
    """``with nogil:`` and ``@nogil``."""

    def __call__(self, function: T) -> T:
        """Return `function`."""
        return function


class Cython:
    """The names that kernels use."""

    compiled = False

    const = void = CType(lambda value: value)
    schar = uchar = short = int = longlong = ulonglong = Py_ssize_t = CType(int)
    float = double = CType(float)
    bint = CType(bool)
    nogil = NoGil()

    @staticmethod
    def cfunc(decorated: T) -> T:
        """Return the function or class unchanged."""
        return decorated

    cclass = inline = final = cfunc

    @staticmethod
    def exceptval(*, check: bool) -> Callable[[T], T]:
        """Return a decorator that does nothing."""
        return Cython.cfunc

    @staticmethod
    def cast(kind: CType, value: Any) -> Any:
        """Return `value` as a number of this kind."""
        return kind(value)

    @staticmethod
    def declare(kind: CType | None = None, value: Any = None, /, **names: CType) -> Any:
        """Return the value of a constant; declare variables, which Python need not know."""
        return value if kind is None else kind(value)
