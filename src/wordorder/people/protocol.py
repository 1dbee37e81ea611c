"""Protocols: what raters and annotators are asked, and which answers are legal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from wordorder.errors import InputError, UsageError, choose
from wordorder.judgement.project_file import finishes
from wordorder.people.alignment_answer import checked_alignment
from wordorder.people.scale import Scale, read_scale
from wordorder.text.opening import Path

PROTOCOLS = ("talbot", "preference", "scale")
# What Katz-Brown et al. (2011), section 5.2, call the points.
TALBOT = Scale(
    "points",
    0,
    6,
    1,
    {"6": "perfect", "4": "most of the meaning", "2": "some of the meaning", "0": "nonsense"},
)
CHOICES = ("A", "B", "unknown")


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
    ratings a sentence, none by a rater who has 3 % of the sentences. "preference" (Birch and
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
