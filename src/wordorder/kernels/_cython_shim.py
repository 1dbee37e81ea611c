"""The replacement for the module `cython` in kernels that run as Python; Cython is not needed.

Decorators return functions and classes unchanged, types are ignored, and casts convert values as
Cython's own module does in uncompiled code.
"""

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class CType:
    """A type of C, used in annotations and casts."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self.kind = convert

    def __getitem__(self, shape: object) -> "CType":
        """Return the type of a view: ``int[::1]``, ``const[int]``."""
        return self

    def __call__(self, value: Any) -> Any:
        """Convert `value` to the Python type that stands for this C type."""
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
    def cast(ctype: CType, value: Any) -> Any:
        """Convert `value` to a number of this type."""
        return ctype(value)

    @staticmethod
    def declare(ctype: CType | None = None, value: Any = None, /, **names: CType) -> Any:
        """Return the value of a constant; declarations of variables have no effect."""
        return value if ctype is None else ctype(value)
