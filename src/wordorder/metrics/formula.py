"""Metrics named in text: ``cder``, ``cder(penalty=length)``, ``0.6*cder + 0.4*per``."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*\*\s*", re.ASCII)
_SIGN = re.compile(r"\s*([+-])\s*")
# A part behind a hyphen begins with a letter: "frs-boundary", but "frs-0.5*per" is a difference.
# A colon is followed by the subtype of a relation: "nsubj:pass".
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z_][A-Za-z0-9_]*)*(?::[A-Za-z]+)?", re.ASCII)
# Metrics inside metrics inside metrics: nobody needs more.
_DEEPEST = 8
_FORM = 'the weighted sum "0.6*cder + 0.4*per(option=value)"'


def is_formula(text: str) -> bool:
    """Say whether text that names a metric is a weighted sum, to be given to ``mix``.

    Examples
    --------
    >>> is_formula("0.6*cder+0.4*per"), is_formula("frs-boundary")
    (True, False)
    """
    return _NUMBER.match(text.lstrip("+- \t")) is not None


def is_plain_name(text: str) -> bool:
    """Say whether text may be the name of one metric, without options.

    Examples
    --------
    >>> is_plain_name("BLEU"), is_plain_name("cder(penalty=length)"), is_plain_name("frs+ulam")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def split_names(text: str) -> list[str]:
    """Split a list of metrics at the commas outside of parentheses.

    Raises
    ------
    UsageError
        If a parenthesis is not closed, or closed without having been opened.

    Examples
    --------
    >>> split_names("frs, cder(penalty=length,direction=max), 0.6*cder+0.4*per")
    ['frs', 'cder(penalty=length,direction=max)', '0.6*cder+0.4*per']
    """
    pieces, depth, begin = [], 0, 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if character == "," and depth == 0:
            pieces.append(text[begin:place])
            begin = place + 1
    if depth != 0:
        raise UsageError(f"parentheses do not match in {text!r}")
    return [piece.strip() for piece in [*pieces, text[begin:]]]


def named_metric(text: str) -> BaseMetric:
    """Make the metric that a name with options in parentheses denotes.

    Raises
    ------
    UsageError
        If the text is not of the form ``name`` or ``name(option=value,...)``, or the metric does
        not exist or does not take the options.

    Examples
    --------
    >>> print(named_metric("frs(ties=rank)").signature())
    frs|match:index|ties:rank|average:segment|degenerate:standard|v:0.2.0
    """
    stripped = text.strip()
    made, place = _metric_at(stripped, 0)
    if place != len(stripped):
        raise UsageError(f"unexpected {stripped[place:]!r} after the metric in {text!r}")
    return made


def weighted_metrics(formula: str) -> list[tuple[float, BaseMetric]]:
    """Read a weighted sum of metrics.

    Parameters
    ----------
    formula : str
        Terms ``number*name`` or ``number*name(option=value,...)``, joined by ``+`` or ``-``.

    Returns
    -------
    list of (weight, BaseMetric)

    Raises
    ------
    UsageError
        If the text is anything else; the message says where it stops to be a formula.

    Examples
    --------
    >>> [(weight, metric.name) for weight, metric in weighted_metrics("0.6*frs - 0.4*kendall")]
    [(0.6, 'frs'), (-0.4, 'kendall')]
    """
    return [(weight, made) for weight, _, made in _terms(formula)]


def weighted_names(formula: str) -> list[tuple[float, str]]:
    """Read a weighted sum of metrics as `weighted_metrics` does; return the names as written.

    Examples
    --------
    >>> weighted_names("0.6*cder(penalty=length) - 0.4*per")
    [(0.6, 'cder(penalty=length)'), (-0.4, 'per')]
    """
    return [(weight, name) for weight, name, _ in _terms(formula)]


def _terms(formula: str) -> list[tuple[float, str, BaseMetric]]:
    """Return weight, name and metric of each term."""
    terms: list[tuple[float, str, BaseMetric]] = []
    place = 0
    while not terms or formula[place:].strip():
        sign = _SIGN.match(formula, place)
        if terms and sign is None:
            raise _broken(formula, place, "+ or -")
        place = sign.end() if sign else place
        number = _NUMBER.match(formula, place)
        if number is None:
            raise _broken(formula, place, "number*name")
        weight = float(number.group().strip(" \t*"))
        if not isfinite(weight):
            raise UsageError(f"{number.group().strip()} is too large a weight in {formula!r}")
        made, place = _metric_at(formula, number.end())
        signed = -weight if sign and sign.group(1) == "-" else weight
        terms.append((signed, formula[number.end() : place].strip(), made))
    return terms


def _metric_at(text: str, place: int) -> tuple[BaseMetric, int]:
    """Make the metric that is named at a place; return it and where the text goes on."""
    from wordorder.metrics import metric

    name = _NAME.match(text, place)
    if name is None:
        raise _broken(text, place, "the name of a metric")
    place = name.end()
    if text[place : place + 1] != "(":
        return metric(name.group()), place
    stop = _closing(text, place)
    options: dict[str, str] = {}
    for setting in split_names(text[place + 1 : stop]):
        option, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not option or not value:
            raise UsageError(f"{setting!r} in {text!r}: options are option=value, joined by commas")
        if option in options:
            raise UsageError(f"option {option!r} is listed twice in {text!r}")
        options[option] = value
    return metric(name.group(), **options), stop + 1


def _closing(text: str, opening: int) -> int:
    """Return the place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
        if depth > _DEEPEST:
            raise UsageError(f"more than {_DEEPEST} parentheses inside each other in a formula")
    raise UsageError(f"a parenthesis is not closed in {text!r}")


def _broken(text: str, place: int, wanted: str) -> UsageError:
    found = repr(text[place:]) if text[place:].strip() else "the end"
    return UsageError(f"{found} in {text!r}; expected {wanted}, as in {_FORM}")
