"""Checkpoints: files that store the progress of a training or tuning until it is finished."""

import contextlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from wordorder.arrays import Array
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.text.opening import Path
from wordorder.text.tensors import read_tensors, unpacked, write_tensors

CHECKPOINT_VERSION = 1
# Checksums are not shown in messages: they tell a user nothing.
_CHECKSUM = re.compile(r"[0-9a-f]{16,}")


def checkpoint_path(output: Path, role: str = "") -> str:
    """Return the path of the checkpoint for a result that will be written to `output`.

    Examples
    --------
    >>> checkpoint_path("my.model"), checkpoint_path("my.model", "tagger")
    ('my.model.checkpoint', 'my.model.tagger.checkpoint')
    """
    return f"{os.fspath(output)}{role and '.'}{role}.checkpoint"


def refuse_both(*, resume: bool, restart: bool) -> None:
    """Refuse --resume together with --restart."""
    if resume and restart:
        raise UsageError("--resume goes on, --restart starts from scratch: one of the two")


def require_no_checkpoint(path: Path, work: str = "training") -> None:
    """Refuse to overwrite the checkpoint of an earlier training or tuning.

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


def describe_missing_checkpoint(path: Path) -> str:
    """Return the note for a resumed training that has no checkpoint."""
    return f"{os.fspath(path)}: no checkpoint to go on from, so it starts from scratch"


def require_same(
    path: Path, stored: Any, settings: Mapping[str, Any], *, work: str = "training"
) -> None:
    """Refuse to continue with settings that differ from those of the checkpoint.

    Raises
    ------
    UsageError
        If settings differ; the message names them, with their values unless these are checksums,
        lists or mappings.

    Examples
    --------
    >>> require_same("a.checkpoint", {"seed": 1, "data": [2]}, {"seed": 2, "data": [3]})
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: a.checkpoint: training cannot be resumed with other data, seed (1
    then, 2 now)
    """
    # The checkpoint's settings have been through JSON, too.
    requested = json.loads(json.dumps(dict(settings)))
    if stored == requested:
        return
    stored_settings = stored if isinstance(stored, dict) else {}
    differences = []
    for key in sorted(
        key
        for key in {*stored_settings, *requested}
        if stored_settings.get(key) != requested.get(key)
    ):
        values = stored_settings.get(key), requested.get(key)
        difference = (
            f" ({values[0]!r} then, {values[1]!r} now)" if all(map(_is_displayable, values)) else ""
        )
        differences.append(f"{key}{difference}")
    raise UsageError(
        f"{os.fspath(path)}: {work} cannot be resumed with other "
        f"{', '.join(differences) or 'settings'}"
    )


def _is_displayable(value: Any) -> bool:
    """Return whether a setting is worth showing in a message."""
    return not isinstance(value, (dict, list)) and not _CHECKSUM.fullmatch(str(value))


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, if they exist."""
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


class Checkpoint:
    """A file next to the result that stores the progress of a training or tuning.

    Parameters
    ----------
    path : path or None
        None stores no progress.
    form : str
        The format's name in the file.
    work : str
        The interrupted work's name in messages: training, tuning.

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
        """Decide, before any work, whether to continue from the file, and set `resumed`.

        Parameters
        ----------
        resume, restart : bool
            Whether to continue from the file, or to start again and replace it.

        Raises
        ------
        UsageError
            If there is a file and neither is set, or if both are.

        Warns
        -----
        note
            If there is no file to continue from.
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
            note(describe_missing_checkpoint(self.path))

    def write(
        self, settings: Mapping[str, Any], arrays: Mapping[str, Array], **progress: Any
    ) -> None:
        """Write arrays, and as JSON the settings (data and options) that they depend on."""
        if self.path is not None:
            metadata = {
                "format": self._form,
                "version": CHECKPOINT_VERSION,
                "settings": dict(settings),
                **progress,
            }
            write_tensors(self.path, metadata, arrays)

    def read(
        self, settings: Mapping[str, Any], *, subset: bool = False
    ) -> tuple[dict[str, Any], dict[str, Array]] | None:
        """Return the stored metadata and arrays; None if there is no file.

        Parameters
        ----------
        settings : mapping
            Data and options, which must be those of the file.
        subset : bool
            Whether to compare only the keys of `settings`; the file may have further ones.

        Raises
        ------
        ModelError
            If the file is not a checkpoint of this format, or damaged.
        UsageError
            If it has other settings.
        """
        if self.path is None or not os.path.exists(self.path):
            return None
        metadata, arrays = read_tensors(self.path, self._form, version=CHECKPOINT_VERSION)
        stored_settings = metadata.get("settings")
        if subset and isinstance(stored_settings, dict):
            stored_settings = {
                key: value for key, value in stored_settings.items() if key in settings
            }
        require_same(self.path, stored_settings, settings, work=self._work)
        return metadata, arrays

    def unpacked(self) -> contextlib.AbstractContextManager[None]:
        """Turn errors in the file's content into a `ModelError` that names the file."""
        return unpacked(f"{self.path}", "the checkpoint")

    def remove(self) -> None:
        """Remove the file, after the result has been written."""
        if self.path is not None:
            remove_files([self.path])
