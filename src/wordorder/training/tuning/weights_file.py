"""Files of weights, and the records of tuning results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, group_rows
from wordorder.errors import InputError, location
from wordorder.messages import counted
from wordorder.records import Columns, Record, column_names, computed, hidden, key
from wordorder.text.blocks import quoted
from wordorder.text.checkpoints import checkpoint_path, remove_files
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_text
from wordorder.training.tuning.nbest import real_numbers

Bounds = tuple[Float64, Float64]


def read_start(path: Path, names: Sequence[str]) -> tuple[Float64, Bounds | None]:
    """Read the weights to start from.

    Parameters
    ----------
    path : path
        Lines ``name= value value``, one per group of features, as `wordorder tune -o` and Moses
        write them; or plain numbers, one per feature, as in Moses' ``init.opt``, optionally
        followed by a line of lowest and a line of highest values, between which random starts are
        drawn. Text after ``#`` is a comment.
    names : sequence of str
        The features.

    Returns
    -------
    float64[F], and two of float64[F] or None

    Raises
    ------
    InputError
        If a weight is missing or there are too many; the message names the line.
    """
    name = display_name(path)
    lines = []
    for number, line in enumerate(read_lines(path), 1):
        if parts := line.partition("#")[0].split():
            lines.append((location(name, number), parts))
    if any("=" in part for _, parts in lines for part in parts):
        return _weights_by_name(lines, names, name), None
    rows = [np.array(real_numbers(parts, file_position)) for file_position, parts in lines]
    for (file_position, _), row in zip(lines, rows, strict=True):
        if len(row) != len(names):
            raise InputError(file_position, f"{len(row)} weights", f"{len(names)}, one per feature")
    if len(rows) not in (1, 3):
        problem = f"{len(rows)} lines of numbers"
        raise InputError(name, problem, "weights, or weights, lowest and highest values")
    if len(rows) == 1:
        return rows[0], None
    if np.any(rows[1] > rows[2]):
        feature = names[int(np.flatnonzero(rows[1] > rows[2])[0])]
        raise InputError(name, f"the lowest value of {feature} is above the highest")
    return rows[0], (rows[1], rows[2])


def _weights_by_name(
    lines: Sequence[tuple[str, list[str]]], names: Sequence[str], path: str
) -> Float64:
    """Read weights by the names of their groups."""
    weight_of_feature: dict[str, float] = {}
    for file_position, (head, *fields) in lines:
        group, equals, first = head.partition("=")
        if not group or not equals:
            raise InputError(file_position, quoted(head.encode()), "name= value value ...")
        values = real_numbers([first, *fields] if first else fields, file_position)
        # Moses' files may name a single feature without a number.
        single = len(values) == 1 and group in names
        for number, value in enumerate(values):
            feature = group if single else f"{group}_{number}"
            if feature in weight_of_feature:
                raise InputError(
                    file_position, f"feature {group} is listed twice", "each name once"
                )
            if feature not in names:
                raise InputError(
                    file_position, f"a weight of {feature}", f"features {', '.join(names)}"
                )
            weight_of_feature[feature] = value
    missing = [feature for feature in names if feature not in weight_of_feature]
    if missing:
        raise InputError(path, f"no weight of {missing[0]}", "a weight for each feature")
    return np.array([weight_of_feature[feature] for feature in names])


def save_tuned(tuned: Tuned | TunedRounds, path: Path) -> None:
    """Write tuned weights atomically, and remove their checkpoint."""
    summary = f"{tuned.value:.6f} ({tuned.before:.6f} before), {tuned.method}"
    lines = weight_lines(tuned.names, tuned.weights.tolist())
    with write_text(path) as stream:
        stream.write("".join(f"{line}\n" for line in (f"# {tuned.objective}: {summary}", *lines)))
    remove_files([checkpoint_path(path)])


def weight_lines(names: Sequence[str], weights: Sequence[float]) -> list[str]:
    """Return the lines of a weights file, one per feature group, as in Moses' ``[weight]``.

    Examples
    --------
    >>> weight_lines(["d_0", "d_1", "lm_0"], [0.5, 0.25, -1.0])
    ['d= 0.5 0.25', 'lm= -1.0']
    """
    pairs = zip(names, weights, strict=True)
    groups = group_rows(
        (name.rpartition("_")[0] or name, repr(float(weight))) for name, weight in pairs
    )
    return [f"{group}= {' '.join(values)}" for group, values in groups.items()]


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Record, columns="feature weight low high"):
    """Tuned weights, and their value on the candidates that they were tuned on."""

    objective: str = key("the signature of the metric; `bleu` with `-O moses-features`")
    value: float = key("the metric's value of the candidates that the weights choose")
    weights: Float64 = key(
        "one weight per feature; their absolute values sum up to 1, except with `mira`"
    )
    names: tuple[str, ...] = key("the features: `d_0`, `d_1`, `lm_0`")
    before: float = key("the value at the weights that tuning began with")
    starts: tuple[float, ...] = key(
        "the value that each start reached; with `mira` that of the weights alone"
    )
    sentences: int = key("sentences with candidates")
    candidates: int = key("candidates with different features")
    interval: tuple[float, float] | None = key(
        "with `--confidence`: lower and upper end of the bootstrap interval of the value over the "
        "sentences, for these weights",
        default=None,
    )
    spread: Float64 | None = key(
        "with `-O retune`: for each weight the lower and the upper end of its interval when it is "
        "tuned on resampled sentences",
        dimensions=2,
        default=None,
    )
    method: str = key("how the weights were tuned: `mert` or `mira`", default="mert")

    def to_columns(self) -> Columns:
        """Return a row for each feature; ``low`` and ``high`` only with `spread`."""
        bounds = [None] * 2 if self.spread is None else self.spread.T.tolist()
        cells = [[*self.names], self.weights.tolist(), *bounds]
        columns = zip(column_names(Tuned), cells, strict=True)
        return {name: column for name, column in columns if column is not None}

    def __repr__(self) -> str:
        return (
            f"Tuned({self.objective}: {self.before:.4f} -> {self.value:.4f}, "
            f"{counted(len(self.names), 'weight')}, {counted(self.sentences, 'sentence')})"
        )

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import table_html

        header = ["feature", "weight"]
        named_weights = zip(self.names, self.weights, strict=True)
        rows = [[name, f"{weight:.4f}"] for name, weight in named_weights]
        if self.spread is not None:
            header += ["lowest", "highest"]
            rows = [
                [*row, *(f"{bound:.4f}" for bound in bounds)]
                for row, bounds in zip(rows, self.spread.tolist(), strict=True)
            ]
        return table_html(repr(self), header, rows)


@dataclass(frozen=True, eq=False)
class Round(Record):
    """One round of decoding with the weights of the previous round.

    Round 0 is the start, whose weights are not tuned.
    """

    number: int = key("its number; 0 is the start, whose weights are not tuned")
    weights: Float64 = key("the weights that the decoder used")
    value: float = key("the value of what the decoder finds best in this round")
    new: int = key("candidates that no round before had")
    candidates: int = key("candidates of all rounds so far")


@dataclass(frozen=True, eq=False)
class Run(Record):
    """All rounds with one seed, and the best of them."""

    seed: int = key("where its random choices started")
    rounds: tuple[Round, ...] = key("the start, then a round each")
    best: Round = hidden()

    @computed("the value of its best round")
    def value(self) -> float:
        """Return the value of the best round."""
        return self.best.value

    @computed("the weights of its best round")
    def weights(self) -> Float64:
        """Return the weights of the best round."""
        return self.best.weights


@dataclass(frozen=True, eq=False)
class TunedRounds(Record, columns="feature weight"):
    """Tuned weights of a decoder, and their value."""

    objective: str = key("the signature of the metric")
    names: tuple[str, ...] = key("the features")
    runs: tuple[Run, ...] = key("a run for each seed, in the order of the seeds")
    best: Run = hidden()
    sentences: int = key("sentences with candidates")
    higher_is_better: bool = key("whether a high value is a good one")
    method: str = key("how the weights were tuned: `mert` or `mira`")
    interval: tuple[float, float] | None = key(
        "with `--confidence`: lower and upper end of the bootstrap interval of the value over the "
        "sentences, for these weights",
        default=None,
    )

    @computed("the metric's value of what the decoder finds best with the tuned weights")
    def value(self) -> float:
        """Return the value of the best round of the best run."""
        return self.best.value

    @computed("the value at the weights that tuning began with")
    def before(self) -> float:
        """Return the value of the first round."""
        return self.best.rounds[0].value

    @computed("one weight per feature; their absolute values sum up to 1, except with `mira`")
    def weights(self) -> Float64:
        """Return the tuned weights, float64[F]."""
        return self.best.weights

    @computed("the seed of the best run, whose weights these are")
    def seed(self) -> int:
        """Return the seed of the best run."""
        return self.best.seed

    def to_columns(self) -> Columns:
        """Return a row for each feature."""
        return {"feature": [*self.names], "weight": self.weights.tolist()}

    @property
    def values(self) -> Float64:
        """The value of each run, float64[R]."""
        return np.array([run.best.value for run in self.runs])

    @computed(
        "with `-O runs`: lower and upper end of the 95 % interval of the mean value of the runs, "
        "by Student's t"
    )
    def run_interval(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the mean over runs; None for a single run.

        It shows how much the value depends on random choices of the optimizer (Clark et al. 2011).
        """
        values = self.values
        if len(values) < 2:
            return None
        from wordorder.statistics.distributions import student_quantile

        mean, deviation = float(values.mean()), float(values.std(ddof=1))
        half = student_quantile(0.975, len(values) - 1) * deviation / np.sqrt(len(values))
        return mean - float(half), mean + float(half)
