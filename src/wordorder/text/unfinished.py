"""Files that are being written, and those that a process left unfinished when it was killed."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import zlib
from typing import Any

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed anyway
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.wordorder-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}\.tmp")
# Folders in which this process has looked.
_swept: set[str] = set()


class Unfinished:
    """A new file under a name of its own, until it takes the name of what it was written for.

    The name tells host and process, and the process holds a lock on the file, so that another one
    knows whether it is still being written.

    Parameters
    ----------
    folder : str
        Where to create it. What killed processes of this host left there is removed.

    Attributes
    ----------
    path : str
    stream : binary stream
        Unbuffered; closed by whoever writes to it.

    Raises
    ------
    OSError
        If the file cannot be created.
    """

    def __init__(self, folder: str) -> None:
        remove_leftovers(folder)
        while True:
            name = f".wordorder-{_host()}-{os.getpid()}-{secrets.token_hex(4)}.tmp"
            self.path = os.path.join(folder, name)
            self.stream: Any = open(self.path, "xb", buffering=0)  # noqa: SIM115  # see above
            # The lock outlives the stream: until the file has its name.
            self._lock = os.dup(self.stream.fileno())
            # Whoever takes it for left behind has locked it for a moment.
            _locked(self._lock, wait=True)
            if fcntl is None or os.fstat(self._lock).st_nlink:
                return
            self.stream.close()
            self.unlock()

    def unlock(self) -> None:
        """Give up the lock: the file has its name, or is gone."""
        os.close(self._lock)


def remove_leftovers(folder: str) -> None:
    """Remove from a folder, once a process, what killed processes of this host left unfinished.

    Files of other hosts that share the disk stay, since nobody here knows whether they are written.
    """
    if folder in _swept:
        return
    _swept.add(folder)
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            found = _NAME.fullmatch(entry.name)
            ours = found and found[1] == _host() and not _runs(int(found[2]))
            if ours and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        if _locked(descriptor):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _locked(descriptor: int, *, wait: bool = False) -> bool:
    """Lock a file, if nobody else has or when he is done; say whether that worked."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _runs(process: int) -> bool:
    """Return whether another process with this number runs here."""
    if process == os.getpid() or not hasattr(os, "getuid"):
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _host() -> str:
    """Return eight letters that identify this host."""
    name = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    return f"{zlib.crc32(name.encode()):08x}"
