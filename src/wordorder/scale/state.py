"""State: results of finished spans, in a folder that outlives the driver."""

from __future__ import annotations

import hashlib
import os

from wordorder.errors import UsageError
from wordorder.text.output import write_output


class State:
    """Results of spans by the hash of the span.

    Parameters
    ----------
    folder : str
        Made if it is not there; may hold the results of several runs.

    Raises
    ------
    UsageError
        If it cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> state = State(tempfile.mkdtemp())
    >>> state.keep(b"a span", b"a result")
    >>> state.result(b"a span"), state.result(b"another")
    (b'a result', None)
    """

    def __init__(self, folder: str) -> None:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--state={folder}: {error.strerror or error}") from None
        self._folder = folder

    def keep(self, job: bytes, result: bytes) -> None:
        """Write a result, whole or not at all."""
        with write_output(self._path(job)) as stream:
            stream.write(result)

    def result(self, job: bytes) -> bytes | None:
        """Return what was kept for a span, if anything was."""
        try:
            with open(self._path(job), "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            return None

    def _path(self, job: bytes) -> str:
        return os.path.join(self._folder, f"{hashlib.sha256(job).hexdigest()}.json")
