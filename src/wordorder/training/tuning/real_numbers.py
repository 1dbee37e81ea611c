"""Numbers in lines of text."""

from __future__ import annotations

from math import isfinite

from wordorder.errors import InputError
from wordorder.text.quoting import quoted


def real_numbers(tokens: list[str], where: str) -> list[float]:
    """Read finite numbers in decimal notation.

    Parameters
    ----------
    tokens : list of str
    where : str
        The place that an error names.

    Raises
    ------
    InputError
        For the first that is anything else: ``nan``, ``1e999``, ``1_0``, a digit of another script.

    Examples
    --------
    >>> real_numbers(["-1.5", "2e-3"], "a.txt:1")
    [-1.5, 0.002]
    >>> real_numbers(["nan"], "a.txt:1")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.txt:1: 'nan'; expected a finite number
    """
    try:
        numbers = list(map(float, tokens))
        text = "".join(tokens)
        # float reads digits of other scripts and underscores too.
        if all(map(isfinite, numbers)) and text.isascii() and "_" not in text:
            return numbers
    except ValueError:
        pass
    wrong = next(token for token in tokens if not _is_finite(token))
    raise InputError(where, quoted(wrong.encode()), "a finite number")


def _is_finite(token: str) -> bool:
    try:
        return isfinite(float(token)) and token.isascii() and "_" not in token
    except ValueError:
        return False
