"""Answers of annotators: which alignments are legal, and which of them finish a sentence."""

from collections.abc import Mapping
from typing import Any

from wordorder.errors import InputError

KINDS = ("sure", "possible")

ANSWER_KEYS = ("source", "target", "links", "confirmed", "nothing", "draft")


def checked_alignment(answer: Any, content: dict[str, Any]) -> dict[str, Any]:
    """Return an alignment as it is kept; tokens may be split and joined, letters stay.

    Parameters
    ----------
    answer : dict
        ``source`` and ``target``: lists of tokens; ``links``: lists of source position, target
        position and "sure" or "possible"; optional: ``confirmed``, a bool a link (the others are
        suggestions), ``nothing``, true if the annotator marked that no word can be aligned, and
        ``draft``, true if the sentence is not finished.
    content : dict
        The ``source`` and ``target`` that were given; a target of None is the annotator's.

    Raises
    ------
    InputError
        Naming the first thing that is wrong.

    Examples
    --------
    >>> given = {"source": ["ice-cream", "now"], "target": None}
    >>> checked_alignment(
    ...     {"source": ["ice-", "cream", "now"], "target": ["Eis"], "links": [[0, 0, "sure"]]},
    ...     given,
    ... )["links"]
    [[0, 0, 'sure']]
    """
    if not isinstance(answer, dict):
        raise InputError("answer", "no alignment", "source, target and links")
    for key in answer:
        if key not in ANSWER_KEYS:
            expected = f"some of {', '.join(ANSWER_KEYS)}"
            raise InputError("answer", f"unknown key {key!r:.40}", expected)
    kept: dict[str, Any] = {}
    for side in ("source", "target"):
        kept[side] = _tokens(answer.get(side), side)
        if content[side] is not None and "".join(kept[side]) != "".join(content[side]):
            raise InputError(side, "other letters than were given", "the same, split or joined")
    links = answer.get("links")
    if not isinstance(links, list):
        raise InputError("links", "no list", "[source, target, kind] for each link")
    kept["links"] = [_link(link, len(kept["source"]), len(kept["target"])) for link in links]
    if len({(s, t) for s, t, _ in kept["links"]}) < len(links):
        raise InputError("links", "a link is listed twice", "each link once")
    if "confirmed" in answer:
        confirmed = answer["confirmed"]
        bools = isinstance(confirmed, list) and all(isinstance(each, bool) for each in confirmed)
        if not bools or len(confirmed) != len(links):
            raise InputError("confirmed", "not a truth value a link", f"{len(links)} of them")
        kept["confirmed"] = confirmed
    for key in ("nothing", "draft"):
        if key in answer:
            if not isinstance(answer[key], bool):
                raise InputError(key, f"{answer[key]!r:.40}", "true or false")
            kept[key] = answer[key]
    if kept.get("nothing") and is_linked(kept):
        raise InputError("nothing", "true beside a confirmed link", "no such link, or false")
    return kept


def _tokens(given: Any, side: str) -> list[str]:
    """Return the tokens of one side, each of which a line of text can hold between blanks."""
    if not isinstance(given, list) or not all(isinstance(token, str) for token in given):
        raise InputError(side, "no list of tokens", "a list of strings")
    for position, token in enumerate(given):
        if not token or set(token) & set(" \t\r\n"):
            raise InputError(side, f"token {position} is {token!r:.40}", "letters without blanks")
    return given


def _link(given: Any, source: int, target: int) -> list[Any]:
    """Return a link that points to tokens."""
    if not isinstance(given, list) or len(given) != 3 or given[2] not in KINDS:
        raise InputError("links", f"{given!r:.60}", "[source, target, kind], kind sure or possible")
    for position, length, side in ((given[0], source, "source"), (given[1], target, "target")):
        if isinstance(position, bool) or not isinstance(position, int):
            raise InputError("links", f"the {side} position {position!r:.40}", "a whole number")
        if not 0 <= position < length:
            what = f"a link to {side} token {position}"
            raise InputError("links", what, f"0 to {length - 1}")
    return list(given)


def is_linked(answer: Mapping[str, Any]) -> bool:
    """Return whether an alignment has a link that the annotator made or confirmed.

    Examples
    --------
    >>> is_linked({"links": [[0, 0, "sure"]]})
    True
    >>> is_linked({"links": [[0, 0, "sure"]], "confirmed": [False]})
    False
    """
    return any(answer.get("confirmed", [True] * len(answer["links"])))


def finishes(answer: Mapping[str, Any]) -> bool:
    """Return whether an alignment finishes its sentence: linked, or said to have no link.

    Examples
    --------
    >>> finishes({"links": []}), finishes({"links": [], "nothing": True})
    (False, True)
    >>> finishes({"links": [[0, 0, "sure"]], "draft": True})
    False
    """
    said = is_linked(answer) or bool(answer.get("nothing"))
    return said and not answer.get("draft")
