"""Output files that are written atomically: under their names they are always complete."""

import codecs
import contextlib
import io
import os
import re
import secrets
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from wordorder.errors import InputError, UsageError
from wordorder.text.compression import READ_BYTES, compressor, kind_of_name
from wordorder.text.opening import Path

# Paths of open streams: these are written to, never replaced by a new file.
_DESCRIPTORS = ("/dev/fd/", "/dev/stderr", "/proc/")
_TEMPORARY_NAME = re.compile(r"\.wordorder-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}\.tmp")
# Folders in which this process has looked for leftovers.
_cleaned_folders: set[str] = set()


def is_stream(path: Path) -> bool:
    """Return whether a path is a pipe or a device, which is written directly."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def require_creatable(path: Path, *, streams: bool = False) -> None:
    """Refuse a path at which no file can be created later; no file is left.

    Parameters
    ----------
    path : path
    streams : bool
        Whether it may be a pipe or a device, such as ``/dev/null``.

    Raises
    ------
    UsageError
        If the folder does not exist or cannot be written to, or if `path` is not a file, or is a
        file that may not be replaced.
    """
    name = os.fspath(path)
    if streams and is_stream(name):
        if not os.access(name, os.W_OK):
            raise UsageError(f"{name}: cannot be created: no permission to write")
        return
    folder = os.path.dirname(os.path.realpath(name))
    if not os.path.isdir(folder):
        raise UsageError(f"{name}: cannot be created: no folder {os.path.dirname(name)}")
    if not os.path.basename(name) or (os.path.exists(name) and not os.path.isfile(name)):
        raise UsageError(f"{name}: cannot be created: not a file")
    targets = [folder, name] if os.path.exists(name) else [folder]
    if not all(os.access(place, os.W_OK) for place in targets):
        raise UsageError(f"{name}: cannot be created: no permission to write")


def require_different(*paths: Path | None) -> None:
    """Refuse to write several outputs to the same file."""
    names = [os.fspath(path) for path in paths if path is not None]
    files = {"-" if name in ("-", "/dev/stdout") else os.path.realpath(name) for name in names}
    if len(files) < len(names):
        raise UsageError("two outputs have one name; give each its own")


def require_folder(folder: Path) -> None:
    """Refuse a folder into which no files can be written later; no file is left.

    Raises
    ------
    UsageError
        If it is a file or cannot be written to; if it is new, the same for its parent folder.
    """
    name = os.fspath(folder)
    # A new folder may be named as "figures/".
    name = name.rstrip(os.sep) or name
    is_folder = os.path.isdir(name)
    require_creatable(os.path.join(name, "file") if is_folder else name)
    if os.path.exists(name) and not is_folder:
        raise UsageError(f"{name}: cannot be created: a file has that name")


@contextlib.contextmanager
def write_output(path: Path) -> Iterator[BinaryIO]:
    """Open an output file that appears under its name when it is complete.

    Parameters
    ----------
    path : path or "-"
        A file, compressed if its suffix is ``.gz``, ``.xz``, ``.bz2`` or ``.zst``; ``-`` is
        standard output, which stays open. Pipes and devices are written directly.

    Raises
    ------
    UsageError
        If the file cannot be created.
    InputError
        If it cannot be written to its end: a full disk. A closed pipe stays a BrokenPipeError.

    Notes
    -----
    The bytes go to a new file in the same folder, which is flushed to the disk, then renamed:
    whenever the process dies, there is either the old file or the complete new one. A file that is
    replaced keeps its permission bits. Unfinished files of killed processes are removed first.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "out.orders"
    >>> with write_output(path) as stream:
    ...     _ = stream.write(b"0 1 2\\n")
    ...     path.exists()
    False
    >>> path.read_bytes()
    b'0 1 2\\n'
    """
    name = os.fspath(path)
    if name in ("-", "/dev/stdout"):
        if sys.stdout is None:
            raise UsageError("standard output is closed")
        sys.stdout.flush()
        with _output_stream(sys.stdout.buffer, "<stdout>", sys.stdout.buffer.flush) as stream:
            yield stream
        return
    replaced = _status(name)
    if name.startswith(_DESCRIPTORS) or (replaced and not stat.S_ISREG(replaced.st_mode)):
        with _creating(name):
            raw = open(name, "wb", buffering=0)  # noqa: SIM115  # closed below
        with raw, _output_stream(raw, name) as stream:
            yield stream
        return
    # A symbolic link is kept, and the file that it points to replaced.
    target = os.path.realpath(name)
    unfinished = Unfinished(os.path.dirname(target))
    try:
        with _creating(name):
            if replaced and not os.access(target, os.W_OK):
                raise UsageError(f"{name}: cannot be replaced: it is write-protected")
            unfinished.create()
        with (
            unfinished.stream as raw,
            _output_stream(raw, name, lambda: os.fsync(raw.fileno())) as stream,
        ):
            yield stream
        with _creating(name):
            if replaced:
                os.chmod(unfinished.path, stat.S_IMODE(replaced.st_mode))
            os.replace(unfinished.path, target)
    except BaseException:
        unfinished.remove()
        raise
    finally:
        unfinished.unlock()


@contextlib.contextmanager
def write_text(path: Path) -> Iterator[codecs.StreamWriter]:
    r"""Open an output for text, as UTF-8 and with ``\n`` at the end of lines; see `write_output`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "out.txt"
    >>> with write_text(path) as stream:
    ...     stream.write("語順\n")
    >>> path.read_bytes().decode()
    '語順\n'
    """
    with write_output(path) as stream:
        yield codecs.getwriter("utf-8")(stream)


def flush_answers(stream: BinaryIO) -> None:
    """Flush an output that is not compressed, since its reader may wait for the rows."""
    if isinstance(stream, io.BufferedWriter):
        stream.flush()


class _Sink(io.RawIOBase):
    """Writes to a file, which errors name; after `dropped` is set, discards the bytes."""

    def __init__(self, target: Any, name: str) -> None:
        self._target = target
        self._name = name
        self.dropped = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if self.dropped:
            return memoryview(data).nbytes
        with _writing(self._name):
            return int(self._target.write(data))


@contextlib.contextmanager
def _output_stream(
    raw: Any, name: str, finish: Callable[[], object] = lambda: None
) -> Iterator[BinaryIO]:
    """Yield a stream into `raw`, compressed if the name's suffix says so; `raw` stays open."""
    sink = _Sink(raw, name)
    buffered = io.BufferedWriter(sink, READ_BYTES)
    kind = kind_of_name(name)
    stream: BinaryIO = compressor(buffered, kind) if kind else buffered
    try:
        yield stream
        stream.close()
        buffered.close()
        with _writing(name):
            finish()
    finally:
        # After an error nothing more is written, or a cut-off file would look complete.
        sink.dropped = True
        stream.close()
        buffered.close()


@contextlib.contextmanager
def _writing(name: str) -> Iterator[None]:
    """Turn system errors while a file is written into an `InputError`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(name, f"cannot be written: {error.strerror or error}") from None


@contextlib.contextmanager
def _creating(name: str) -> Iterator[None]:
    """Turn system errors while a file is created into one message."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{name}: cannot be created: {error.strerror or error}") from None
    except ValueError:
        raise UsageError(f"{name!r}: cannot be created: a zero byte in the name") from None


def _status(name: str) -> os.stat_result | None:
    """Return the status of an existing file, or None."""
    if not os.path.basename(name):
        raise UsageError(f"{name!r}: cannot be created: not the name of a file")
    with _creating(name):
        try:
            return os.stat(name)
        except FileNotFoundError:
            return None


try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed anyway
    fcntl = None  # type: ignore[assignment]


class Unfinished:
    """A new file under a temporary name, until it replaces the output file.

    The name contains the host and the process, which holds a lock on the file, so that another
    process can tell whether the file is still being written.

    Parameters
    ----------
    folder : str
        Where to create it. Leftovers of killed processes of this host are removed there.

    Attributes
    ----------
    path : str
    stream : binary stream
        Unbuffered; the writer closes it.
    """

    def __init__(self, folder: str) -> None:
        self._folder, self.path, self._lock = folder, "", -1
        self.stream: Any = None

    def create(self) -> None:
        """Create the file; after an interrupt, `path` names the file to be removed.

        Raises
        ------
        OSError
            If the file cannot be created.
        """
        remove_leftovers(self._folder)
        while True:
            name = f".wordorder-{_host()}-{os.getpid()}-{secrets.token_hex(4)}.tmp"
            self.path = os.path.join(self._folder, name)
            self.stream = open(self.path, "xb", buffering=0)  # noqa: SIM115  # see above
            # The lock outlives the stream: until the file has its name.
            self._lock = os.dup(self.stream.fileno())
            # A process that removes leftovers may have locked it for a moment.
            _try_lock(self._lock, wait=True)
            if fcntl is None or os.fstat(self._lock).st_nlink:
                return
            self.stream.close()
            self.unlock()

    def remove(self) -> None:
        """Close and remove the file, if there is one."""
        if self.stream is not None:
            self.stream.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def unlock(self) -> None:
        """Release the lock, after the file has been renamed or removed."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_leftovers(folder: str) -> None:
    """Remove, once per process, temporary files of this host's killed processes from a folder.

    Files of other hosts that share the disk stay: their processes cannot be checked from here.
    """
    if folder in _cleaned_folders:
        return
    _cleaned_folders.add(folder)
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            match = _TEMPORARY_NAME.fullmatch(entry.name)
            is_ours = match and match[1] == _host() and not _is_running(int(match[2]))
            if is_ours and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        if _try_lock(descriptor):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, *, wait: bool = False) -> bool:
    """Try to lock a file, or wait for the lock; return whether it is locked."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _is_running(process: int) -> bool:
    """Return whether another process with this id runs on this host."""
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
