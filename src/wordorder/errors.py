"""Exceptions, and checks of names and values that raise them.

The message of an error contains the place, the problem and what was expected.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from wordorder.messages import joined, render_options

# Messages list up to this number of legal names.
MAX_LISTED_NAMES = 12
# Suggestions are at most this much less similar to the unknown name than the most similar name.
_SIMILARITY_MARGIN = 0.15


class WordOrderError(Exception):
    """Base class of the errors of this package; the text is a complete message.

    Attributes
    ----------
    arguments : collection of str
        The arguments of the called function, if known; see `render_options`.
    """

    arguments: Collection[str] = ()

    def __str__(self) -> str:
        return render_options(super().__str__(), self.arguments)


class InputError(WordOrderError):
    """The data is wrong.

    Parameters
    ----------
    where : str
        The place, in the form of `location`: ``train.align:214:17``.
    what : str
        The problem.
    expected : str, optional
        The expected data.

    Examples
    --------
    >>> print(InputError("a.orders:3:5", "position 7 is listed twice", "each position once"))
    a.orders:3:5: position 7 is listed twice; expected each position once
    """

    def __init__(self, where: str, what: str, expected: str = "") -> None:
        self.where = where
        self.what = what
        self.expected = expected
        message = f"{where}: {what}" if where else what
        super().__init__(f"{message}; expected {expected}" if expected else message)

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str]]:
        # Pickled by its arguments: an exception that cannot be unpickled hangs a process pool.
        return type(self), (self.where, self.what, self.expected)


class UsageError(WordOrderError):
    """The call or the command is wrong: an unknown name, or contradicting options.

    Attributes
    ----------
    setting : str
        The name after ``-O`` that is not an option of any metric, if this is the problem; the
        command may have an advanced option of this name.
    """

    setting = ""


class ModelError(WordOrderError):
    """A model file cannot be used."""


def location(path: object, line: int | None = None, column: int | None = None) -> str:
    """Format a place in a file as ``path:line:column``; lines and columns count from 1.

    Examples
    --------
    >>> location("a.orders", 3, 5)
    'a.orders:3:5'
    """
    if line is None:
        return str(path)
    return f"{path}:{line}" if column is None else f"{path}:{line}:{column}"


def unknown_name(
    kind: str,
    name: str,
    legal: Iterable[str],
    *,
    listed_by: str = "",
    shown: Mapping[str, str] = {},
) -> UsageError:
    """Build the error for an unknown name, with suggestions.

    Parameters
    ----------
    kind, name : str
    legal : iterable of str
        The known names; a short list becomes part of the message.
    listed_by : str
        The command that lists all names: ``wordorder list metrics``.
    shown : mapping of str to str
        Further names that are suggested but not listed, each with its text in the message.

    Examples
    --------
    >>> print(unknown_name("metric", "kendal", ["frs", "kendall"]))
    unknown metric 'kendal' (did you mean 'kendall'?); legal names: frs, kendall
    >>> print(unknown_name("letter", "Ä", "abcdefghijklmnop", listed_by="ascii"))
    unknown letter 'Ä'; `ascii` lists all names
    """
    names = sorted(legal)
    near = dict.fromkeys(shown.get(n, n) for n in near_names(name, [*names, *shown]))
    hint = f" (did you mean {joined(list(map(repr, near)), 'or')}?)" if near else ""
    problem = f"unknown {kind} {name!r}{hint}"
    if len(names) > MAX_LISTED_NAMES and listed_by:
        return UsageError(f"{problem}; `{listed_by}` lists all names")
    if len(names) > MAX_LISTED_NAMES and near:
        return UsageError(problem)
    return UsageError(f"{problem}; legal names: {', '.join(names)}")


def near_names(name: str, legal: Iterable[str]) -> list[str]:
    """Return up to three names with a spelling similar to `name`, the most similar first.

    Examples
    --------
    >>> near_names("Kendal", ["frs", "kendall"]), near_names("uac", ["uas", "uem", "las"])
    (['kendall'], ['uas'])
    """
    by_letters = {legal_name.lower(): legal_name for legal_name in legal}
    close = difflib.get_close_matches(name.lower(), by_letters, n=3)
    ratios = [difflib.SequenceMatcher(None, key, name.lower()).ratio() for key in close]
    rows = zip(close, ratios, strict=True)
    return [by_letters[key] for key, ratio in rows if ratio > ratios[0] - _SIMILARITY_MARGIN]


def choose(option: str, value: str, legal: tuple[str, ...]) -> str:
    """Return `value` if it is one of the `legal` values of `option`.

    Raises
    ------
    UsageError
        If it is not; the message lists the legal values.

    Examples
    --------
    >>> choose("ties", "rank", ("best", "rank"))
    'rank'
    """
    if value not in legal:
        raise unknown_name(f"value for {option}", str(value), legal)
    return value


def unify_names(
    options: Mapping[str, Any], legal: Collection[str], aliases: Mapping[str, str]
) -> dict[str, Any]:
    """Return options with aliases replaced by the names of the options.

    Parameters
    ----------
    options : mapping of name to value
    legal : collection of str
        All names and aliases.
    aliases : mapping of str to str
        The name of the option for each alias.

    Raises
    ------
    UsageError
        If an option is unknown, or is given under two names.

    Examples
    --------
    >>> legal, aliases = ["normalize", "normalization"], {"normalize": "normalization"}
    >>> unify_names({"normalize": "NFC"}, legal, aliases)
    {'normalization': 'NFC'}
    """
    values: dict[str, Any] = {}
    for name, value in options.items():
        if name not in legal:
            raise unknown_name("option", name, legal)
        option = aliases.get(name, name)
        if option in values:
            alias = next(key for key in options if aliases.get(key, key) == option)
            alias = name if alias == option else alias
            raise UsageError(f"{alias} is {option}, which is given too")
        values[option] = value
    return values


def switch(name: str, value: object) -> bool:
    """Return `value` if it is True or False.

    Raises
    ------
    UsageError
        If it is anything else; a string such as "no" would count as True.
    """
    if isinstance(value, bool):
        return value
    raise UsageError(f"{name}: {value!r}; expected True or False")


def whole_number(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return `value` if it is an int of at least `least` and at most `most`.

    Raises
    ------
    UsageError
        If it is not; the message contains `name` and the range.

    Examples
    --------
    >>> whole_number("a beam", 8)
    8
    >>> whole_number("threads", 0)
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: threads is a whole number of at least 1, not 0
    """
    if type(value) is int and least <= value and (most is None or value <= most):
        return value
    legal = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise UsageError(f"{name} is a whole number {legal}, not {value!r}")
