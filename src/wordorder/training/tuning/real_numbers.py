"""Numbers in lines of text."""

from __future__ import annotations

from wordorder.errors import InputError
from wordorder.text.quoting import quoted

# Sums and products of some such numbers are numbers still.
LARGEST = 1e100


def real_numbers(tokens: list[str], where: str) -> list[float]:
    """Read numbers in decimal notation, at most 1e100 from 0.

    Parameters
    ----------
    tokens : list of str
    where : str
        The place that an error names.

    Raises
    ------
    InputError
        For the first that is anything else: ``nan``, ``1e200``, ``1_0``, a digit of another script.

    Examples
    --------
    >>> real_numbers(["-1.5", "2e-3"], "a.txt:1")
    [-1.5, 0.002]
    >>> real_numbers(["nan"], "a.txt:1")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.txt:1: 'nan'; expected a number, at most 1e+100 from 0
    """
    try:
        numbers = list(map(float, tokens))
        text = "".join(tokens)
        # float reads digits of other scripts and underscores too.
        if all(map(_is_small, numbers)) and text.isascii() and "_" not in text:
            return numbers
    except ValueError:
        pass
    wrong = next(token for token in tokens if not _is_number(token))
    raise InputError(where, quoted(wrong.encode()), f"a number, at most {LARGEST:g} from 0")


def _is_small(number: float) -> bool:
    # Nothing that is no number is.
    return abs(number) <= LARGEST


def _is_number(token: str) -> bool:
    try:
        return _is_small(float(token)) and token.isascii() and "_" not in token
    except ValueError:
        return False
