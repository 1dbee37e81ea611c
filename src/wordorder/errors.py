"""What can go wrong, in the user's words: where, what, and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class WordOrderError(Exception):
    """Any error that wordorder raises on purpose; its text is one complete message."""


class InputError(WordOrderError):
    """The data is wrong.

    Parameters
    ----------
    where : str
        The place, as `location` writes it: ``train.align:214:17``.
    what : str
        What stands there.
    expected : str, optional
        What should stand there instead.

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
    """The call or the command is wrong: an unknown name, options that contradict each other."""


class ModelError(WordOrderError):
    """A model file cannot be used."""


class WordOrderWarning(UserWarning):
    """Something that the user should know and that does not stop the work."""


def location(path: object, line: int | None = None, column: int | None = None) -> str:
    """Write a place in a file as ``path:line:column``, each counted from 1.

    Examples
    --------
    >>> location("a.orders", 3, 5)
    'a.orders:3:5'
    """
    parts = [str(path)]
    if line is not None:
        parts.append(str(line))
        if column is not None:
            parts.append(str(column))
    return ":".join(parts)


def unknown_name(kind: str, name: str, legal: Iterable[str]) -> UsageError:
    """Build the error for a name that does not exist, with the names that do.

    Examples
    --------
    >>> print(unknown_name("metric", "kendal", ["frs", "kendall"]))
    unknown metric 'kendal' (did you mean 'kendall'?); legal names: frs, kendall
    """
    names = sorted(legal)
    by_letters = {legal_name.lower(): legal_name for legal_name in names}
    close = difflib.get_close_matches(name.lower(), by_letters, n=1)
    hint = f" (did you mean {by_letters[close[0]]!r}?)" if close else ""
    return UsageError(f"unknown {kind} {name!r}{hint}; legal names: {', '.join(names)}")


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
