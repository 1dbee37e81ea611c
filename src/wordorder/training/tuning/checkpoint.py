"""The checkpoint of an interrupted tuning, in a file next to its weights."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.notes import note
from wordorder.text.opening import Path
from wordorder.training.tuning.mert import Climbed
from wordorder.training.tuning.problem import Problem
from wordorder.types import Array, Float64

CHECKPOINT_FORMAT = "wordorder tuning"
VERSION = 1


def checkpoint_path(output: Path) -> str:
    """Return where the checkpoint of a tuning is whose weights go to `output`."""
    return f"{os.fspath(output)}.checkpoint"


def remove_checkpoint(output: Path) -> None:
    """Take the checkpoint away, once the weights are written."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(checkpoint_path(output))


class Checkpoint:
    """A file beside the output that keeps what is done.

    Parameters
    ----------
    output : path or None
        Where the weights go; without it nothing is kept.
    form : str
        What the file calls itself.
    resume, restart : bool
        Whether to go on from the file, or to begin again in spite of it.

    Raises
    ------
    UsageError
        If a tuning stopped there and neither is asked for.
    """

    def __init__(self, output: Path | None, form: str, *, resume: bool, restart: bool) -> None:
        if resume and restart:
            raise UsageError("--resume goes on, --restart starts from scratch: one of the two")
        if output is None and (resume or restart):
            raise UsageError("--resume and --restart are for -o: the checkpoint is beside it")
        self.path = None if output is None else checkpoint_path(output)
        self._form = form
        there = self.path is not None and os.path.exists(self.path)
        if resume and not there:
            note(f"{self.path}: no checkpoint to go on from, so it starts from scratch")
        if there and not resume and not restart:
            raise UsageError(
                f"{self.path}: an unfinished tuning left this; --resume continues it, --restart "
                "starts from scratch"
            )
        self._resumed = there and resume

    def setting(self, name: str) -> str | None:
        """Return a setting of the tuning that is resumed, if it is text; None without one."""
        if self.path is None or not self._resumed:
            return None
        from wordorder.text.tensors import read_tensors

        settings = read_tensors(self.path, self._form)[0].get("settings")
        found = settings.get(name) if isinstance(settings, dict) else None
        return found if isinstance(found, str) else None

    def keep(self, settings: Mapping[str, Any], arrays: Mapping[str, Array], **more: Any) -> None:
        """Write what is done so far, and what it depends on, as JSON can hold it."""
        if self.path is None:
            return
        from wordorder.text.tensors import write_tensors

        about = {"format": self._form, "version": VERSION, "settings": dict(settings), **more}
        write_tensors(self.path, about, dict(arrays))

    def kept(self, settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]] | None:
        """Return what an interrupted tuning has written; None if there is none to go on from.

        Raises
        ------
        UsageError
            If it had other settings.
        """
        if self.path is None or not self._resumed:
            return None
        from wordorder.text.tensors import read_tensors

        about, arrays = read_tensors(self.path, self._form)
        if about.get("version") != VERSION:
            version = about.get("version")
            raise ModelError(f"{self.path}: version {version!r} of the format; expected {VERSION}")
        found, wanted = about.get("settings"), json.loads(json.dumps(dict(settings)))
        if found != wanted:
            given = found if isinstance(found, dict) else {}
            other = [key for key in wanted if given.get(key) != wanted[key]]
            raise UsageError(
                f"{self.path}: tuning cannot be resumed with other {', '.join(other) or 'options'}"
            )
        return about, arrays

    def damaged(self, error: Exception) -> ModelError:
        """Return the error of a file that lacks what it should have."""
        return ModelError(f"{self.path}: the checkpoint is damaged ({error})")


class TuningCheckpoint:
    """Keeps the climbs and the resamples that are done.

    Parameters
    ----------
    output : path or None
        Where the weights go; without it nothing is kept.
    settings : mapping
        What the climbs depend on, as JSON can hold it.
    starts : int
        How many starts each resample has: what was tuned with others is not used.
    resume, restart : bool
        Whether to go on from the file, or to begin again in spite of it.

    Attributes
    ----------
    climbs : list of Climbed
        Those from the first starts.
    resampled : list of float64[F]
        The weights that were tuned on the first resamples.

    Raises
    ------
    UsageError
        If a tuning stopped there and neither is asked for, or if it had other data or options.
    """

    def __init__(
        self,
        output: Path | None,
        settings: Mapping[str, Any],
        starts: int,
        *,
        resume: bool,
        restart: bool,
    ) -> None:
        self._file = Checkpoint(output, CHECKPOINT_FORMAT, resume=resume, restart=restart)
        self._starts = starts
        self._settings = settings
        self.climbs: list[Climbed] = []
        self.resampled: list[Float64] = []
        kept = self._file.kept(settings)
        if kept is None:
            return
        about, arrays = kept
        try:
            rows = zip(arrays["weights"], arrays["goodness"], arrays["rounds"], strict=True)
            self.climbs = [Climbed(np.array(w), float(g), int(r)) for w, g, r in rows]
            if about.get("starts") == self._starts:
                self.resampled = [np.array(weights) for weights in arrays["resampled"]]
        except (KeyError, TypeError, ValueError) as error:
            raise self._file.damaged(error) from None

    def write(self) -> None:
        """Keep what is done so far."""
        arrays = {
            "weights": np.array([climb.weights for climb in self.climbs]),
            "goodness": np.array([climb.goodness for climb in self.climbs]),
            "rounds": np.array([climb.rounds for climb in self.climbs], np.int64),
            "resampled": np.array(self.resampled),
        }
        self._file.keep(self._settings, arrays, starts=self._starts)


def problem_signature(problem: Problem) -> str:
    """Return a sum over features, statistics and sentences: equal for equal problems."""
    digest = hashlib.blake2b(digest_size=16)
    for array in (problem.features, problem.statistics, problem.offsets):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
