"""Protocols: the questions to raters and annotators, and their valid answers."""

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
TYPES = ("points", "slider")
OUTPUTS = ("all", "one")
KEYS = ("type", "min", "max", "step", "labels", "outputs", "ratings", "max_share")
# The most points that fit on a page.
MAX_POINTS = 21
# Largest distance of a value from a step, in steps: 0.1 has no exact binary value.
_STEP_TOLERANCE = 1e-9
# Labels of the points in Katz-Brown et al. (2011), section 5.2.
_TALBOT_LABELS = {
    "6": "perfect",
    "4": "most of the meaning",
    "2": "some of the meaning",
    "0": "nonsense",
}


@dataclass(frozen=True)
class Scale:
    """The values of a rating: points to click, or a slider.

    Attributes
    ----------
    type : "points" or "slider"
    min, max, step : float
        The valid values are ``min``, ``min + step``, … up to ``max``.
    labels : mapping of str to str
        Descriptions of some values; keys are the values as text.

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

    def value(self, answer: object, name: str) -> float:
        """Return a valid value; whole numbers as int.

        Raises
        ------
        InputError
            If the answer is not a number, out of range or between two steps.
        """
        if isinstance(answer, int | float) and not isinstance(answer, bool):
            # NaN and infinity are not in range; an int may be too large for a float.
            inside = self.min <= answer <= self.max
            steps = (answer - self.min) / self.step if inside else 0.5
            if abs(steps - round(steps)) < _STEP_TOLERANCE:
                return int(answer) if answer == int(answer) else float(answer)
        expected = f"a number from {self.min:g} to {self.max:g} in steps of {self.step:g}"
        problem = (
            f"the rating {answer:g}" if isinstance(answer, float) else f"the rating {answer!r:.40}"
        )
        raise InputError(name, problem, expected)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON data for the page."""
        return vars(self) | {"labels": dict(self.labels)}


TALBOT = Scale("points", 0, 6, 1, _TALBOT_LABELS)


@dataclass(frozen=True)
class Protocol:
    """The question of a project, the raters per item, and the largest share of one rater.

    Attributes
    ----------
    name : "talbot", "preference", "scale" or "annotate"
    outputs : "all", "pair", "one" or "none"
        The outputs of a sentence on one page.
    ratings : int
        Raters per item; 0 if each rater answers all items.
    max_share : float
        The largest share of the items for one rater.
    scale : Scale, optional
    instructions : str
        Instructions in Markdown; empty for those of the page.

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

    def check(self, answer: Any, outputs: list[str], content: dict[str, Any]) -> Any:
        """Check an answer, and return it as it is saved.

        Parameters
        ----------
        answer : anything
            Values in the order of `outputs`; "A", "B" or "unknown"; or an alignment.
        outputs : list of str
            The outputs on the page, in the order shown.
        content : dict
            The other contents of the page.

        Raises
        ------
        InputError
            If the answer is not valid; the message has the problem and the valid answers.
        """
        if self.name == "annotate":
            return checked_alignment(answer, content)
        if self.scale is None:
            if answer not in CHOICES or not isinstance(answer, str):
                raise InputError("answer", f"{answer!r:.40}", f"one of {', '.join(CHOICES)}")
            return answer
        if not isinstance(answer, list) or len(answer) != len(outputs):
            problem = f"{len(answer)} values" if isinstance(answer, list) else "no list of values"
            raise InputError("answer", problem, f"{len(outputs)}, one for each output")
        return [self.scale.value(value, "answer") for value in answer]

    def complete(self, answer: Any) -> bool:
        """Return whether a valid answer finishes its task.

        Drafts do not, nor do alignments without a link that the annotator has not confirmed.
        """
        return self.name != "annotate" or finishes(answer)

    def as_text(self) -> str:
        """Return the protocol as JSON text, as stored in a project."""
        scale = None if self.scale is None else self.scale.as_json()
        return json.dumps(self.__dict__ | {"scale": scale}, ensure_ascii=False, sort_keys=True)

    @classmethod
    def of_text(cls, text: str) -> Protocol:
        """Rebuild a protocol from the text of `as_text`.

        Examples
        --------
        >>> Protocol.of_text(rating_protocol("talbot").as_text()) == rating_protocol("talbot")
        True
        """
        data = json.loads(text)
        if data["scale"] is not None:
            data["scale"] = Scale(**data["scale"])
        return cls(**data)


# Each annotator aligns all sentences, so that their links can be compared.
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

    "talbot" (Talbot et al. 2011, section 4.1): all outputs of a sentence on one page, rated from 0
    to 6; 3 ratings per sentence, at most 3 % of the sentences per rater. "preference" (Birch and
    Osborne 2011, section 4): A, B or don't know, 3 judgements per item. "scale": as specified in a
    file.

    Parameters
    ----------
    scale : path, optional
        The file of protocol "scale"; for its format see `read_scale`.
    ratings, max_share : optional
        Override the defaults of the protocol.

    Raises
    ------
    UsageError
        If the name is unknown, an option is out of range, or a scale is missing or superfluous.
    """
    choose("protocol", name, PROTOCOLS)
    if (scale is not None) != (name == "scale"):
        problem = "name its file" if scale is None else f"{name} has one of its own"
        raise UsageError(f"protocol {name}: a scale: {problem}")
    outputs, default_ratings, default_share = "all", 3, 1.0
    values: Scale | None = None
    if name == "talbot":
        values, default_share = TALBOT, 0.03
    elif name == "preference":
        outputs = "pair"
    elif scale is not None:
        values, settings = read_scale(scale)
        outputs = settings.get("outputs", outputs)
        default_ratings = settings.get("ratings", default_ratings)
        default_share = settings.get("max_share", default_share)
    ratings = default_ratings if ratings is None else ratings
    max_share = default_share if max_share is None else max_share
    if ratings < 1:
        raise UsageError(f"ratings of an item: {ratings}; expected 1 or more")
    if not 0 < max_share <= 1:
        raise UsageError(f"the largest share of a rater: {max_share:g}; expected above 0, up to 1")
    return Protocol(name, outputs, ratings, float(max_share), values, instructions)


def read_scale(path: Path) -> tuple[Scale, dict[str, Any]]:
    r"""Read a scale from a TOML file with one table, ``[scale]``.

    ``type`` is "points" or "slider"; ``min``, ``max`` and ``step`` are numbers (0, 100 and 1 if
    they are left out); ``labels`` is a table of values and their meaning. ``outputs = "one"`` shows
    one output per page (direct assessment), "all" those of all systems; ``ratings`` is the number
    of raters per item, ``max_share`` the largest share of the items for one rater.

    Returns
    -------
    Scale, and the other keys of the file

    Raises
    ------
    InputError
        If a key is unknown or its value is not valid; the message has the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "da.toml")
    >>> _ = path.write_text('[scale]\ntype = "slider"\noutputs = "one"\n')
    >>> read_scale(path)
    (Scale(type='slider', min=0, max=100, step=1, labels={}), {'outputs': 'one'})
    """
    return _ScaleReader(read_toml(path)).read()


class _ScaleReader:
    """Reads and checks the table of a scale in a TOML file."""

    def __init__(self, file: TomlFile) -> None:
        self.file = file
        self.settings: dict[str, Any] = file.data.get("scale", {})
        unknown = next((key for key in file.data if key != "scale"), None)
        if unknown is not None:
            raise InputError(file.place(unknown), f"unknown table or key {unknown!r}", "[scale]")
        if not isinstance(self.settings, dict) or not self.settings:
            raise InputError(file.path, "no table [scale]", f"one with some of {', '.join(KEYS)}")
        for key in self.settings:
            if key not in KEYS:
                raise self._wrong(key, f"unknown key {key!r}", f"one of {', '.join(KEYS)}")

    def read(self) -> tuple[Scale, dict[str, Any]]:
        kind = self._choice("type", "points", TYPES)
        minimum, maximum, step = (
            self._number("min", 0),
            self._number("max", 100),
            self._number("step", 1),
        )
        if not minimum < maximum:
            raise self._wrong("max", f"max is {maximum:g}", f"more than min, {minimum:g}")
        steps = (maximum - minimum) / step if step > 0 else 0.5
        if abs(steps - round(steps)) > _STEP_TOLERANCE * max(1.0, steps):
            raise self._wrong("step", f"step is {step:g}", f"a part of {minimum:g} to {maximum:g}")
        if kind == "points" and steps >= MAX_POINTS:
            problem = f"{round(steps) + 1} points"
            raise self._wrong("type", problem, f'at most {MAX_POINTS}, or type = "slider"')
        scale = Scale(kind, minimum, maximum, step)
        labels = self.settings.get("labels", {})
        if not isinstance(labels, dict):
            raise self._wrong("labels", "labels is no table", 'labels = { 0 = "nonsense" }')
        label_by_value = {}
        for value, label in labels.items():
            context = self.file.place("scale", 0, "labels", value)
            try:
                valid = scale.value(float(value), context)
            except ValueError:
                raise InputError(context, f"a label of {value!r}", "a number") from None
            if not isinstance(label, str):
                raise InputError(context, f"the label of {value} is no text", "text in quotes")
            label_by_value[f"{valid:g}"] = label
        settings: dict[str, Any] = {}
        if "outputs" in self.settings:
            settings["outputs"] = self._choice("outputs", "all", OUTPUTS)
        if "ratings" in self.settings:
            ratings = self.settings["ratings"]
            if not isinstance(ratings, int) or isinstance(ratings, bool) or ratings < 1:
                raise self._wrong("ratings", f"ratings is {ratings!r}", "a whole number from 1")
            settings["ratings"] = ratings
        if "max_share" in self.settings:
            settings["max_share"] = share = self._number("max_share", 1)
            if not 0 < share <= 1:
                raise self._wrong("max_share", f"max_share is {share:g}", "from 0 (without) to 1")
        return Scale(kind, minimum, maximum, step, label_by_value), settings

    def _number(self, key: str, default: float) -> float:
        value = self.settings.get(key, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            raise self._wrong(key, f"{key} is {value!r}", "a number")
        return float(value) if isinstance(value, float) else int(value)

    def _choice(self, key: str, default: str, valid: tuple[str, ...]) -> str:
        value = self.settings.get(key, default)
        if value not in valid:
            raise self._wrong(key, f"{key} is {value!r}", f"one of {', '.join(valid)}")
        return str(value)

    def _wrong(self, key: str, problem: str, expected: str) -> InputError:
        return InputError(self.file.place("scale", 0, key), problem, expected)
