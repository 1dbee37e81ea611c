"""Errors that come from too little memory, whatever they are called."""

from __future__ import annotations

import errno
import re

NOT_ENOUGH = "error: not enough memory"
# What the loader of libraries and the starter of threads say then.
_SAID = re.compile(
    "failed to map segment|annot allocate memory|cannot create shared object|can't start new thread"
)


def lacks_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one that led to it, comes from a lack of memory.

    Examples
    --------
    >>> lacks_memory(MemoryError()), lacks_memory(RuntimeError("can't start new thread"))
    (True, True)
    >>> lacks_memory(ImportError("No module named x"))
    False
    """
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return True
        if isinstance(error, (ImportError, RuntimeError)) and _SAID.search(str(error)):
            return True
        # What C code raises that forgot to say what failed.
        if isinstance(error, SystemError) and _is_limited():
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_limited() -> bool:
    """Return whether this process may have only so much memory."""
    try:
        import resource
    except ImportError:
        return False
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)
