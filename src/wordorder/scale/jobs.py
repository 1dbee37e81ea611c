"""What a worker of any engine does: a span as bytes in, its result as bytes out."""

from __future__ import annotations

import json
import os
import socket
from typing import Any

from wordorder._version import __version__
from wordorder.errors import InputError, ModelError, UsageError, WordOrderError
from wordorder.scale.span import Span

_FAILED = b'{"error":'
_ERRORS = {kind.__name__: kind for kind in (InputError, ModelError, UsageError, WordOrderError)}


def perform(job: bytes) -> bytes:
    """Do the work of a span, on any machine that sees its files.

    Parameters
    ----------
    job : bytes
        ``Span.to_json()``; its task names the verb and the version of the package that gave it out.

    Returns
    -------
    bytes
        One line: what the verb makes of the span, or the error that it ran into. Errors are given
        back and not raised, since engines wrap what is raised, and would try again.
    """
    try:
        return _done(job)
    except WordOrderError as error:
        return _written(error)


def is_failure(result: bytes) -> bool:
    """Return whether `perform` returned an error."""
    return result.startswith(_FAILED)


def is_result(kept: bytes) -> bool:
    """Return whether bytes from a disk are what `perform` returned, whole.

    Examples
    --------
    >>> is_result(b'{"newlines":[3]}'), is_result(b'{"newlines":[')
    (True, False)
    """
    try:
        return isinstance(json.loads(kept), dict)
    except ValueError:
        return False


def checked(result: bytes) -> bytes:
    """Return what `perform` returned, unless it is an error, which is raised.

    Raises
    ------
    WordOrderError
        The error that the worker ran into.
    """
    if not is_failure(result):
        return result
    found = json.loads(result)
    raise _ERRORS[found["error"]](*found["arguments"])


def _done(job: bytes) -> bytes:
    version = json.loads(job)["task"].get("version")
    if version != __version__:
        raise UsageError(
            f"the worker on {socket.gethostname()} has wordorder {__version__}, not {version}: "
            "install one version everywhere"
        )
    span = Span.from_json(job)
    for path, (size, _) in span.files.items():
        _check_file(path, size)
    if span.task["verb"] == "count":
        from wordorder.scale.counted_lines import count_span

        return count_span(span)
    if span.task["verb"] == "score":
        from wordorder.scale.scored_spans import work

        return work(span)
    from wordorder.scale.written_spans import write_span

    return write_span(span)


def _check_file(path: str, size: int) -> None:
    """Raise unless this machine sees a file as it was when it was cut."""
    here = socket.gethostname()
    try:
        found = os.stat(path).st_size
    except OSError as error:
        what = f"the worker on {here}: {error.strerror or error}"
        raise InputError(path, what, "a file that all workers see under this path") from None
    if found != size:
        what = f"{found} bytes for the worker on {here}, {size} when the spans were cut"
        raise InputError(path, what, "the same file everywhere, unchanged")


def _written(error: WordOrderError) -> bytes:
    kind = type(error).__name__
    arguments: tuple[Any, ...] = (str(error),)
    if isinstance(error, InputError):
        kind, arguments = "InputError", (error.where, error.what, error.expected)
    elif kind not in _ERRORS:
        kind = "WordOrderError"
    return json.dumps({"error": kind, "arguments": arguments}, separators=(",", ":")).encode()
