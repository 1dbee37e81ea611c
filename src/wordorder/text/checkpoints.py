"""Checkpoints: files that keep what is done of a training or tuning until its result is there."""

import contextlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from wordorder.arrays import Array
from wordorder.errors import UsageError
from wordorder.messages import note
from wordorder.text.opening import Path
from wordorder.text.tensors import read_tensors, unpacked, write_tensors

VERSION = 1
# A checksum says nothing to a reader.
_CHECKSUM = re.compile(r"[0-9a-f]{16,}")


def checkpoint_path(output: Path, role: str = "") -> str:
    """Return where the checkpoint of a work is whose result goes to `output`.

    Examples
    --------
    >>> checkpoint_path("my.model"), checkpoint_path("my.model", "tagger")
    ('my.model.checkpoint', 'my.model.tagger.checkpoint')
    """
    return f"{os.fspath(output)}{role and '.'}{role}.checkpoint"


def refuse_both(*, resume: bool, restart: bool) -> None:
    """Refuse to go on and to start from scratch at once."""
    if resume and restart:
        raise UsageError("--resume goes on, --restart starts from scratch: one of the two")


def require_no_checkpoint(path: Path, work: str = "training") -> None:
    """Refuse to write over what an earlier training or tuning left.

    Raises
    ------
    UsageError
        If there is such a file.
    """
    if os.path.exists(path):
        raise UsageError(
            f"{os.fspath(path)}: an unfinished {work} left this; --resume continues it, --restart "
            "starts from scratch"
        )


def no_checkpoint(path: Path) -> str:
    """Return what is said where there is nothing to resume."""
    return f"{os.fspath(path)}: no checkpoint to go on from, so it starts from scratch"


def require_same(
    path: Path, found: Any, settings: Mapping[str, Any], *, work: str = "training"
) -> None:
    """Refuse to go on with other settings than those in a file.

    Raises
    ------
    UsageError
        If settings differ; the message names them. Of data and lists it is enough that they do.

    Examples
    --------
    >>> require_same("a.checkpoint", {"seed": 1, "data": [2]}, {"seed": 2, "data": [3]})
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: a.checkpoint: training cannot be resumed with other data, seed (1
    then, 2 now)
    """
    # As a file would give them back.
    wanted = json.loads(json.dumps(dict(settings)))
    if found == wanted:
        return
    then = found if isinstance(found, dict) else {}
    differences = []
    for key in sorted(key for key in {*then, *wanted} if then.get(key) != wanted.get(key)):
        values = then.get(key), wanted.get(key)
        shown = f" ({values[0]!r} then, {values[1]!r} now)" if all(map(_says, values)) else ""
        differences.append(f"{key}{shown}")
    raise UsageError(
        f"{os.fspath(path)}: {work} cannot be resumed with other "
        f"{', '.join(differences) or 'settings'}"
    )


def _says(value: Any) -> bool:
    """Whether a setting says something to a reader."""
    return not isinstance(value, (dict, list)) and not _CHECKSUM.fullmatch(str(value))


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files that may be there."""
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


class Checkpoint:
    """A file that keeps what is done, beside the result that it will become.

    Parameters
    ----------
    path : path or None
        Without it nothing is kept.
    form : str
        What the file calls itself.
    work : str
        What messages call that which is interrupted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.checkpoint")
    >>> checkpoint = Checkpoint(path, "example")
    >>> checkpoint.write({"seed": 1}, {"weights": np.arange(3)}, epoch=2)
    >>> about, arrays = checkpoint.read({"seed": 1})
    >>> about["epoch"], arrays["weights"].tolist()
    (2, [0, 1, 2])
    """

    def __init__(self, path: Path | None, form: str, work: str = "training") -> None:
        self.path = None if path is None else os.fspath(path)
        self._form = form
        self._work = work
        self.resumed = False

    def begin(self, *, resume: bool, restart: bool) -> None:
        """Settle, before any work, whether to go on from the file: `resumed` says so afterwards.

        Parameters
        ----------
        resume, restart : bool
            Whether to go on from the file, or to begin again in spite of it.

        Raises
        ------
        UsageError
            If there is a file and neither is asked for, or both are.

        Warns
        -----
        WordOrderWarning
            If there is nothing to go on from.
        """
        refuse_both(resume=resume, restart=restart)
        if self.path is None:
            if resume or restart:
                raise UsageError("--resume and --restart are for -o: the checkpoint is beside it")
            return
        if not resume and not restart:
            require_no_checkpoint(self.path, self._work)
        self.resumed = resume and os.path.exists(self.path)
        if resume and not self.resumed:
            note(no_checkpoint(self.path))

    def write(self, settings: Mapping[str, Any], arrays: Mapping[str, Array], **more: Any) -> None:
        """Write what is done, and the data and options it depends on, as JSON can hold it."""
        if self.path is not None:
            about = {"format": self._form, "version": VERSION, "settings": dict(settings), **more}
            write_tensors(self.path, about, arrays)

    def read(
        self, settings: Mapping[str, Any], *, some: bool = False
    ) -> tuple[dict[str, Any], dict[str, Array]] | None:
        """Return what was written, None where there is no file: what is said, and the arrays.

        Parameters
        ----------
        settings : mapping
            What must be as it was.
        some : bool
            Whether these are but some of the settings.

        Raises
        ------
        ModelError
            If the file is none of its kind, or damaged.
        UsageError
            If it has other settings.
        """
        if self.path is None or not os.path.exists(self.path):
            return None
        about, arrays = read_tensors(self.path, self._form, version=VERSION)
        found = about.get("settings")
        if some and isinstance(found, dict):
            found = {key: value for key, value in found.items() if key in settings}
        require_same(self.path, found, settings, work=self._work)
        return about, arrays

    def unpacked(self) -> contextlib.AbstractContextManager[None]:
        """Turn whatever goes wrong with the content of the file into an error that names it."""
        return unpacked(f"{self.path}", "the checkpoint")

    def remove(self) -> None:
        """Remove the file: the result is there."""
        if self.path is not None:
            remove_files([self.path])
