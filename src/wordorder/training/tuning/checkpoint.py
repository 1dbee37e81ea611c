"""The checkpoint of an interrupted tuning, in a file next to its weights."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.text.checkpoints import Checkpoint, checkpoint_path
from wordorder.text.opening import Path
from wordorder.training.tuning.mert import ClimbResult
from wordorder.training.tuning.problem import Problem

TUNING_FORMAT = "wordorder tuning"


class TuningCheckpoint:
    """Stores the finished climbs and resamples.

    Parameters
    ----------
    output : path or None
        The file of the weights; None stores nothing.
    settings : mapping
        The settings of the climbs, JSON-serialisable.
    starts : int
        The number of starts per resample; results with another number are not reused.
    resume, restart : bool
        Continue from the file, or start again in spite of it.

    Attributes
    ----------
    climbs : list of Climbed
        The climbs from the first starts.
    resampled : list of float64[F]
        The weights that were tuned on the first resamples.

    Raises
    ------
    UsageError
        If a checkpoint exists and is neither resumed nor restarted, or has other data or options.
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
        self._file = tuning_file(output, TUNING_FORMAT, resume=resume, restart=restart)
        self._starts = starts
        self._settings = settings
        self.climbs: list[ClimbResult] = []
        self.resampled: list[Float64] = []
        saved = self._file.read(settings) if self._file.resumed else None
        if saved is None:
            return
        about, arrays = saved
        with self._file.unpacked():
            rows = zip(arrays["weights"], arrays["goodness"], arrays["rounds"], strict=True)
            self.climbs = [ClimbResult(np.array(w), float(g), int(r)) for w, g, r in rows]
            if about.get("starts") == self._starts:
                self.resampled = [np.array(weights) for weights in arrays["resampled"]]

    def write(self) -> None:
        """Write the results so far."""
        arrays = {
            "weights": np.array([climb.weights for climb in self.climbs]),
            "goodness": np.array([climb.goodness for climb in self.climbs]),
            "rounds": np.array([climb.rounds for climb in self.climbs], np.int64),
            "resampled": np.array(self.resampled),
        }
        self._file.write(self._settings, arrays, starts=self._starts)


def tuning_file(
    output: Path | None, checkpoint_format: str, *, resume: bool, restart: bool
) -> Checkpoint:
    """Return the checkpoint next to `output`; without an output it stores nothing."""
    path = None if output is None else checkpoint_path(output)
    file = Checkpoint(path, checkpoint_format, work="tuning")
    file.begin(resume=resume, restart=restart)
    return file


def problem_signature(problem: Problem) -> str:
    """Return a digest of features, statistics and sentences: equal for equal problems."""
    hasher = hashlib.blake2b(digest_size=16)
    for array in (problem.features, problem.statistics, problem.offsets):
        hasher.update(repr(array.shape).encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()
