"""Protocols: what raters and annotators are asked, and which answers are legal."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wordorder.errors import InputError, UsageError, choose
from wordorder.judgement.alignment_answers import checked_alignment, finishes
from wordorder.judgement.project_check import CHOICES
from wordorder.text.opening import Path
from wordorder.text.toml import TomlFile, read_toml

PROTOCOLS = ("talbot", "preference", "scale")


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
        return vars(self) | {"labels": dict(self.labels)}


# What Katz-Brown et al. (2011), section 5.2, call the points.
_POINTS = {"6": "perfect", "4": "most of the meaning", "2": "some of the meaning", "0": "nonsense"}
TALBOT = Scale("points", 0, 6, 1, _POINTS)


@dataclass(frozen=True)
class Protocol:
    """What is asked, of how many raters, and how much of it of one.

    Attributes
    ----------
    name : "talbot", "preference", "scale" or "annotate"
    outputs : "all", "pair", "one" or "none"
        Which outputs of a sentence are on one page.
    ratings : int
        How many raters answer an item; 0 if everybody answers all.
    max_share : float
        The largest share of the items that one rater answers.
    scale : Scale, optional
    instructions : str
        What the page tells raters, in Markdown; empty for the page's own words.

    Examples
    --------
    >>> talbot = rating_protocol("talbot")
    >>> talbot.ratings, talbot.max_share, talbot.check([6, 0], ["A", "B"], {})
    (3, 0.03, [6, 0])
    """

    name: str
    outputs: str
    ratings: int
    max_share: float
    scale: Scale | None = None
    instructions: str = ""

    def check(self, answer: Any, shown: list[str], content: dict[str, Any]) -> Any:
        """Return an answer as it is kept.

        Parameters
        ----------
        answer : anything
            Values in the order shown; "A", "B" or "unknown"; or an alignment.
        shown : list of str
            The outputs on the page.
        content : dict
            What else is on it.

        Raises
        ------
        InputError
            If the answer is not legal; the message names what is wrong and what is legal.
        """
        if self.name == "annotate":
            return checked_alignment(answer, content)
        if self.scale is None:
            if answer not in CHOICES or not isinstance(answer, str):
                raise InputError("answer", f"{answer!r:.40}", f"one of {', '.join(CHOICES)}")
            return answer
        if not isinstance(answer, list) or len(answer) != len(shown):
            found = f"{len(answer)} values" if isinstance(answer, list) else "no list of values"
            raise InputError("answer", found, f"{len(shown)}, one for each output")
        return [self.scale.value(each, "answer") for each in answer]

    def complete(self, answer: Any) -> bool:
        """Return whether a legal answer finishes its task.

        A draft of an alignment does not, nor does one without a link unless it says so.
        """
        return self.name != "annotate" or finishes(answer)

    def as_text(self) -> str:
        """Return it as the project keeps it."""
        scale = None if self.scale is None else self.scale.as_json()
        return json.dumps(self.__dict__ | {"scale": scale}, ensure_ascii=False, sort_keys=True)

    @classmethod
    def of_text(cls, text: str) -> Protocol:
        """Read back what `as_text` wrote.

        Examples
        --------
        >>> Protocol.of_text(rating_protocol("talbot").as_text()) == rating_protocol("talbot")
        True
        """
        said = json.loads(text)
        if said["scale"] is not None:
            said["scale"] = Scale(**said["scale"])
        return cls(**said)


# Everybody aligns all sentences: only who did the same can be compared.
ANNOTATE = Protocol("annotate", "none", 0, 1.0)


def rating_protocol(
    name: str,
    *,
    scale: Path | None = None,
    ratings: int | None = None,
    max_share: float | None = None,
    instructions: str = "",
) -> Protocol:
    """Return a protocol by its name.

    "talbot" (Talbot et al. 2011, section 4.1): all outputs of a sentence at once, from 0 to 6, 3
    ratings per sentence, none by a rater who has 3 % of the sentences. "preference" (Birch and
    Osborne 2011, section 4): A, B or don't know, 3 judgements an item. "scale": as a file says.

    Parameters
    ----------
    scale : path, optional
        The file of protocol "scale", as `read_scale` takes it.
    ratings, max_share : optional
        Instead of what the protocol says.

    Raises
    ------
    UsageError
        If the name is unknown, an option is out of range, or a scale is missing or too much.
    """
    choose("protocol", name, PROTOCOLS)
    if (scale is not None) != (name == "scale"):
        wants = "name its file" if scale is None else f"{name} has one of its own"
        raise UsageError(f"protocol {name}: a scale: {wants}")
    shown, default_ratings, default_share = "all", 3, 1.0
    values: Scale | None = None
    if name == "talbot":
        values, default_share = TALBOT, 0.03
    elif name == "preference":
        shown = "pair"
    elif scale is not None:
        values, more = read_scale(scale)
        shown = more.get("outputs", shown)
        default_ratings = more.get("ratings", default_ratings)
        default_share = more.get("max_share", default_share)
    ratings = default_ratings if ratings is None else ratings
    max_share = default_share if max_share is None else max_share
    if ratings < 1:
        raise UsageError(f"ratings of an item: {ratings}; expected 1 or more")
    if not 0 < max_share <= 1:
        raise UsageError(f"the largest share of a rater: {max_share:g}; expected above 0, up to 1")
    return Protocol(name, shown, ratings, float(max_share), values, instructions)


TYPES = ("points", "slider")

SHOWN = ("all", "one")

KEYS = ("type", "min", "max", "step", "labels", "outputs", "ratings", "max_share")

# More points than these do not fit on a page.
MOST_POINTS = 21

# What a value may differ from a step, in steps: 0.1 has no exact number.
_NEAR = 1e-9


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
