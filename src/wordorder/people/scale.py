"""Scales: which values a rater may give, and what they are called."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wordorder.errors import InputError
from wordorder.text.opening import Path
from wordorder.text.toml import TomlFile, read_toml

TYPES = ("points", "slider")
SHOWN = ("all", "one")
KEYS = ("type", "min", "max", "step", "labels", "outputs", "ratings", "max_share")
# More points than these do not fit on a page.
MOST_POINTS = 21
# What a value may differ from a step, in steps: 0.1 has no exact number.
_NEAR = 1e-9


@dataclass(frozen=True)
class Scale:
    """The values that a rater chooses from: points to click, or a slider.

    Attributes
    ----------
    type : "points" or "slider"
    min, max, step : float
        The legal values are ``min``, ``min + step``, … up to ``max``.
    labels : mapping of str to str
        What some values mean, by the value as text.

    Examples
    --------
    >>> Scale("points", 0, 6, 1).value(5.0, "answer")
    5
    >>> Scale("points", 0, 6, 1).value(7, "answer")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: answer: the rating 7; expected a number from 0 to 6 in steps of 1
    """

    type: str
    min: float
    max: float
    step: float = 1
    labels: Mapping[str, str] = field(default_factory=dict)

    def value(self, given: object, where: str) -> float:
        """Return a legal value: a whole number as int.

        Raises
        ------
        InputError
            If it is no number, out of range or between two steps.
        """
        if isinstance(given, int | float) and not isinstance(given, bool):
            # Neither NaN nor infinity is inside; a whole number may be beyond all floats.
            inside = self.min <= given <= self.max
            steps = (given - self.min) / self.step if inside else 0.5
            if abs(steps - round(steps)) < _NEAR:
                return int(given) if given == int(given) else float(given)
        expected = f"a number from {self.min:g} to {self.max:g} in steps of {self.step:g}"
        shown = f"the rating {given:g}" if isinstance(given, float) else f"the rating {given!r:.40}"
        raise InputError(where, shown, expected)

    def as_json(self) -> dict[str, Any]:
        """Return it as the page takes it."""
        return {
            "type": self.type,
            "min": self.min,
            "max": self.max,
            "step": self.step,
            "labels": dict(self.labels),
        }


def read_scale(path: Path) -> tuple[Scale, dict[str, Any]]:
    r"""Read a scale from a TOML file with one table, ``[scale]``.

    ``type`` is "points" or "slider"; ``min``, ``max`` and ``step`` are numbers (0, 100 and 1 if
    they are left out); ``labels`` is a table of values and their meaning. ``outputs = "one"`` shows
    one output a page (direct assessment), "all" those of all systems; ``ratings`` is how many
    raters rate an item, ``max_share`` the largest share of the items for one rater.

    Returns
    -------
    Scale, and the other keys that the file has

    Raises
    ------
    InputError
        If a key is unknown, or has an impossible value; the message names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "da.toml")
    >>> _ = path.write_text('[scale]\ntype = "slider"\noutputs = "one"\n')
    >>> read_scale(path)
    (Scale(type='slider', min=0, max=100, step=1, labels={}), {'outputs': 'one'})
    """
    return _Reading(read_toml(path)).read()


class _Reading:
    """What one TOML file says of a scale."""

    def __init__(self, file: TomlFile) -> None:
        self.file = file
        self.said: dict[str, Any] = file.data.get("scale", {})
        other = next((key for key in file.data if key != "scale"), None)
        if other is not None:
            raise InputError(file.place(other), f"unknown table or key {other!r}", "[scale]")
        if not isinstance(self.said, dict) or not self.said:
            raise InputError(file.path, "no table [scale]", f"one with some of {', '.join(KEYS)}")
        for key in self.said:
            if key not in KEYS:
                raise self._wrong(key, f"unknown key {key!r}", f"one of {', '.join(KEYS)}")

    def read(self) -> tuple[Scale, dict[str, Any]]:
        kind = self._choice("type", "points", TYPES)
        low, high, step = self._number("min", 0), self._number("max", 100), self._number("step", 1)
        if not low < high:
            raise self._wrong("max", f"max is {high:g}", f"more than min, {low:g}")
        steps = (high - low) / step if step > 0 else 0.5
        if abs(steps - round(steps)) > _NEAR * max(1.0, steps):
            raise self._wrong("step", f"step is {step:g}", f"a part of {low:g} to {high:g}")
        if kind == "points" and steps >= MOST_POINTS:
            what = f"{round(steps) + 1} points"
            raise self._wrong("type", what, f'at most {MOST_POINTS}, or type = "slider"')
        scale = Scale(kind, low, high, step)
        labels = self.said.get("labels", {})
        if not isinstance(labels, dict):
            raise self._wrong("labels", "labels is no table", 'labels = { 0 = "nonsense" }')
        named = {}
        for value, label in labels.items():
            place = self.file.place("scale", 0, "labels", value)
            try:
                legal = scale.value(float(value), place)
            except ValueError:
                raise InputError(place, f"a label of {value!r}", "a number") from None
            if not isinstance(label, str):
                raise InputError(place, f"the label of {value} is no text", "text in quotes")
            named[f"{legal:g}"] = label
        more: dict[str, Any] = {}
        if "outputs" in self.said:
            more["outputs"] = self._choice("outputs", "all", SHOWN)
        if "ratings" in self.said:
            ratings = self.said["ratings"]
            if not isinstance(ratings, int) or isinstance(ratings, bool) or ratings < 1:
                raise self._wrong("ratings", f"ratings is {ratings!r}", "a whole number from 1")
            more["ratings"] = ratings
        if "max_share" in self.said:
            more["max_share"] = share = self._number("max_share", 1)
            if not 0 < share <= 1:
                raise self._wrong("max_share", f"max_share is {share:g}", "from 0 (without) to 1")
        return Scale(kind, low, high, step, named), more

    def _number(self, key: str, default: float) -> float:
        value = self.said.get(key, default)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise self._wrong(key, f"{key} is {value!r}", "a number")
        return float(value) if isinstance(value, float) else int(value)

    def _choice(self, key: str, default: str, legal: tuple[str, ...]) -> str:
        value = self.said.get(key, default)
        if value not in legal:
            raise self._wrong(key, f"{key} is {value!r}", f"one of {', '.join(legal)}")
        return str(value)

    def _wrong(self, key: str, what: str, expected: str) -> InputError:
        return InputError(self.file.place("scale", 0, key), what, expected)
