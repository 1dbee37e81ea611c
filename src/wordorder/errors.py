"""What goes wrong: the errors, and the checks of names and values that raise them.

An error says where, what, and what was expected, in one message.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from wordorder.messages import joined, spoken

# A list of so many legal names is short enough to be part of a message.
FEW = 12
# How much less like the name that was given another name may be than the nearest one.
_MARGIN = 0.15


class WordOrderError(Exception):
    """Any error that wordorder raises on purpose; its text is one complete message.

    Attributes
    ----------
    arguments : collection of str
        What the function takes that was called, where that is known: `spoken` names them.
    """

    arguments: Collection[str] = ()

    def __str__(self) -> str:
        return spoken(super().__str__(), self.arguments)


class InputError(WordOrderError):
    """The data is wrong.

    Parameters
    ----------
    where : str
        The place, as `location` writes it: ``train.align:214:17``.
    what : str
        What was found.
    expected : str, optional
        What was expected instead.

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
        # By its parts: an exception that cannot be read back hangs a pool of processes.
        return type(self), (self.where, self.what, self.expected)


class UsageError(WordOrderError):
    """The call or the command is wrong: an unknown name, options that contradict each other.

    Attributes
    ----------
    setting : str
        The name behind ``-O`` that no metric has, if that is what is wrong: a command may have an
        option of that name.
    """

    setting = ""


class ModelError(WordOrderError):
    """A model file cannot be used."""


def location(path: object, line: int | None = None, column: int | None = None) -> str:
    """Write a place in a file as ``path:line:column``, each counted from 1.

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
    """Build the error for a name that does not exist, with the names that were perhaps meant.

    Parameters
    ----------
    kind, name : str
    legal : iterable of str
        The names that exist. A short list is printed whole.
    listed_by : str
        The command that prints a long list: ``wordorder list metrics``.
    shown : mapping of str to str
        What is shown for some names; these are not among the legal ones, but perhaps meant.

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
    what = f"unknown {kind} {name!r}{hint}"
    if len(names) > FEW and listed_by:
        return UsageError(f"{what}; `{listed_by}` lists all names")
    if len(names) > FEW and near:
        return UsageError(what)
    return UsageError(f"{what}; legal names: {', '.join(names)}")


def near_names(name: str, legal: Iterable[str]) -> list[str]:
    """Return up to three names that are spelt almost like `name`, the nearest first.

    Examples
    --------
    >>> near_names("Kendal", ["frs", "kendall"]), near_names("uac", ["uas", "uem", "las"])
    (['kendall'], ['uas'])
    """
    by_letters = {legal_name.lower(): legal_name for legal_name in legal}
    close = difflib.get_close_matches(name.lower(), by_letters, n=3)
    likeness = [difflib.SequenceMatcher(None, each, name.lower()).ratio() for each in close]
    alike = zip(close, likeness, strict=True)
    return [by_letters[each] for each, share in alike if share > likeness[0] - _MARGIN]


def choose(option: str, value: str, legal: tuple[str, ...]) -> str:
    """Return `value` if it is one of the `legal` values of `option`.

    Raises
    ------
    UsageError
        Otherwise; the message lists the legal values.

    Examples
    --------
    >>> choose("ties", "rank", ("best", "rank"))
    'rank'
    """
    if value not in legal:
        raise unknown_name(f"value for {option}", str(value), legal)
    return value


def spelt(
    options: Mapping[str, Any], legal: Collection[str], spellings: Mapping[str, str]
) -> dict[str, Any]:
    """Return options by one name each.

    Parameters
    ----------
    options : mapping of name to value
    legal : collection of str
        All names, other spellings among them.
    spellings : mapping of str to str
        The one name of each other spelling.

    Raises
    ------
    UsageError
        If there is no such option, or one is given under two names.

    Examples
    --------
    >>> spelt({"normalize": "NFC"}, ["normalize", "normalization"], {"normalize": "normalization"})
    {'normalization': 'NFC'}
    """
    given: dict[str, Any] = {}
    for name, value in options.items():
        if name not in legal:
            raise unknown_name("option", name, legal)
        argument = spellings.get(name, name)
        if argument in given:
            other = next(each for each in options if spellings.get(each, each) == argument)
            other = name if other == argument else other
            raise UsageError(f"{other} is {argument}, which is given too")
        given[argument] = value
    return given


def switch(name: str, value: object) -> bool:
    """Return `value` if it is True or False.

    Raises
    ------
    UsageError
        Otherwise: a text such as "no" would count as True.
    """
    if isinstance(value, bool):
        return value
    raise UsageError(f"{name}: {value!r}; expected True or False")


def whole_number(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Return `value` if it is a whole number, an int, of at least `least` and at most `most`.

    Raises
    ------
    UsageError
        Otherwise; the message has `name` and the range.

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
