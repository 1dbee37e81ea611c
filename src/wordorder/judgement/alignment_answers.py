"""Checks of alignments as answers of annotators: whether they are valid and finished."""

from collections.abc import Mapping
from typing import Any

from wordorder.errors import InputError

KINDS = ("sure", "possible")

ANSWER_KEYS = ("source", "target", "links", "confirmed", "nothing", "draft")


def checked_alignment(answer: Any, content: dict[str, Any]) -> dict[str, Any]:
    """Check an alignment, and return it as it is saved; tokens may be split and joined.

    Parameters
    ----------
    answer : dict
        ``source`` and ``target``: lists of tokens; ``links``: lists of source position, target
        position and "sure" or "possible"; optional: ``confirmed``, one bool per link (unconfirmed
        links are suggestions), ``nothing``, true if the annotator marked that no word can be
        aligned, and ``draft``, true if the sentence is not finished.
    content : dict
        The ``source`` and ``target`` shown; if the target is None, the annotator types it.

    Raises
    ------
    InputError
        If the answer is not valid; the message has the first problem.

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
    checked: dict[str, Any] = {}
    for side in ("source", "target"):
        checked[side] = _check_tokens(answer.get(side), side)
        if content[side] is not None and "".join(checked[side]) != "".join(content[side]):
            raise InputError(side, "other letters than were given", "the same, split or joined")
    links = answer.get("links")
    if not isinstance(links, list):
        raise InputError("links", "no list", "[source, target, kind] for each link")
    checked["links"] = [
        _check_link(link, len(checked["source"]), len(checked["target"])) for link in links
    ]
    if len({(s, t) for s, t, _ in checked["links"]}) < len(links):
        raise InputError("links", "a link is listed twice", "each link once")
    if "confirmed" in answer:
        confirmed = answer["confirmed"]
        is_valid = isinstance(confirmed, list) and all(
            isinstance(value, bool) for value in confirmed
        )
        if not is_valid or len(confirmed) != len(links):
            raise InputError("confirmed", "not a truth value a link", f"{len(links)} of them")
        checked["confirmed"] = confirmed
    for key in ("nothing", "draft"):
        if key in answer:
            if not isinstance(answer[key], bool):
                raise InputError(key, f"{answer[key]!r:.40}", "true or false")
            checked[key] = answer[key]
    if checked.get("nothing") and is_linked(checked):
        raise InputError("nothing", "true beside a confirmed link", "no such link, or false")
    return checked


def _check_tokens(tokens: Any, side: str) -> list[str]:
    """Check the tokens of one side: strings without whitespace, not empty."""
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise InputError(side, "no list of tokens", "a list of strings")
    for position, token in enumerate(tokens):
        if not token or set(token) & set(" \t\r\n"):
            raise InputError(side, f"token {position} is {token!r:.40}", "letters without blanks")
    return tokens


def _check_link(link: Any, source: int, target: int) -> list[Any]:
    """Check a link: positions of existing tokens, and a type."""
    if not isinstance(link, list) or len(link) != 3 or link[2] not in KINDS:
        raise InputError("links", f"{link!r:.60}", "[source, target, kind], kind sure or possible")
    for position, length, side in ((link[0], source, "source"), (link[1], target, "target")):
        if isinstance(position, bool) or not isinstance(position, int):
            raise InputError("links", f"the {side} position {position!r:.40}", "a whole number")
        if not 0 <= position < length:
            problem = f"a link to {side} token {position}"
            raise InputError("links", problem, f"0 to {length - 1}")
    return list(link)


def is_linked(answer: Mapping[str, Any]) -> bool:
    """Return whether an alignment has a link made or confirmed by the annotator.

    Examples
    --------
    >>> is_linked({"links": [[0, 0, "sure"]]})
    True
    >>> is_linked({"links": [[0, 0, "sure"]], "confirmed": [False]})
    False
    """
    return any(answer.get("confirmed", [True] * len(answer["links"])))


def finishes(answer: Mapping[str, Any]) -> bool:
    """Return whether an alignment finishes its sentence: it has links, or confirmedly none.

    Examples
    --------
    >>> finishes({"links": []}), finishes({"links": [], "nothing": True})
    (False, True)
    >>> finishes({"links": [[0, 0, "sure"]], "draft": True})
    False
    """
    is_answered = is_linked(answer) or bool(answer.get("nothing"))
    return is_answered and not answer.get("draft")
