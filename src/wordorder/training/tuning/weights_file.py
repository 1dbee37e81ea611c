"""Files of weights: read as a point to start from, written as the result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError, location
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_text
from wordorder.text.quoting import quoted
from wordorder.training.tuning.checkpoint import remove_checkpoint
from wordorder.training.tuning.real_numbers import real_numbers
from wordorder.training.tuning.tuned import Tuned
from wordorder.types import Float64

Bounds = tuple[Float64, Float64]


def read_start(path: Path, names: Sequence[str]) -> tuple[Float64, Bounds | None]:
    """Read the weights to start from.

    Parameters
    ----------
    path : path
        Lines ``name= value value``, one a group of features, as `wordorder tune -o` and Moses write
        them; or numbers alone, one a feature, as in Moses' ``init.opt``, which may be followed by a
        line of lowest and a line of highest values, between which random starts are drawn. What
        follows a ``#`` is a comment.
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
        return _named(lines, names, name), None
    rows = [np.array(real_numbers(parts, where)) for where, parts in lines]
    for (where, _), row in zip(lines, rows, strict=True):
        if len(row) != len(names):
            raise InputError(where, f"{len(row)} weights", f"{len(names)}, one a feature")
    if len(rows) not in (1, 3):
        raise InputError(
            name, f"{len(rows)} lines of numbers", "weights, or weights, lowest and highest values"
        )
    if len(rows) == 1:
        return rows[0], None
    if np.any(rows[1] > rows[2]):
        feature = names[int(np.flatnonzero(rows[1] > rows[2])[0])]
        raise InputError(name, f"the lowest value of {feature} is above the highest")
    return rows[0], (rows[1], rows[2])


def _named(lines: Sequence[tuple[str, list[str]]], names: Sequence[str], path: str) -> Float64:
    """Read weights by the names of their groups."""
    found: dict[str, float] = {}
    for where, (head, *rest) in lines:
        group, equals, first = head.partition("=")
        if not group or not equals:
            raise InputError(where, quoted(head.encode()), "name= value value ...")
        values = real_numbers([first, *rest] if first else rest, where)
        # Moses' files of features may name a single one without a number.
        single = len(values) == 1 and group in names
        for number, value in enumerate(values):
            feature = group if single else f"{group}_{number}"
            if feature in found:
                raise InputError(where, f"feature {group} is listed twice", "each name once")
            if feature not in names:
                raise InputError(where, f"a weight of {feature}", f"features {', '.join(names)}")
            found[feature] = value
    missing = [feature for feature in names if feature not in found]
    if missing:
        raise InputError(path, f"no weight of {missing[0]}", "a weight for each feature")
    return np.array([found[feature] for feature in names])


def save_tuned(tuned: Tuned, path: Path) -> None:
    """Write tuned weights, whole or not at all, and remove the checkpoint beside them."""
    worth = tuned.objective, tuned.value, tuned.before, tuned.method
    save_weights(path, *worth, tuned.names, tuned.weights)


def save_weights(
    path: Path,
    objective: str,
    value: float,
    before: float,
    method: str,
    names: Sequence[str],
    weights: Float64,
) -> None:
    """Write weights and what they are worth; see `save_tuned`."""
    head = f"# {objective}: {value:.6f} ({before:.6f} before), {method}"
    with write_text(path) as stream:
        for line in (head, *weight_lines(names, weights.tolist())):
            stream.write(f"{line}\n")
    remove_checkpoint(path)


def weight_lines(names: Sequence[str], weights: Sequence[float]) -> list[str]:
    """Write weights a line a feature group, as the section ``[weight]`` of Moses' files has them.

    Examples
    --------
    >>> weight_lines(["d_0", "d_1", "lm_0"], [0.5, 0.25, -1.0])
    ['d= 0.5 0.25', 'lm= -1.0']
    """
    groups: dict[str, list[str]] = {}
    for name, weight in zip(names, weights, strict=True):
        groups.setdefault(name.rpartition("_")[0] or name, []).append(repr(float(weight)))
    return [f"{group}= {' '.join(values)}" for group, values in groups.items()]
