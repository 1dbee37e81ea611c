"""Numbers with their nouns, and lists as prose has them."""

from __future__ import annotations

import math
from collections.abc import Sequence

# From here on a count is rounded: it is too long to read.
EXACT_BELOW = 10**15

DECIMALS = 4


def counted(count: int, one: str, many: str | None = None, *, commas: bool = False) -> str:
    """Write a count with its noun; a huge count is rounded.

    Parameters
    ----------
    count : int
        At least 0.
    one, many : str
        The noun for one and for any other number; `many` is `one` with an ``s`` unless given.
    commas : bool
        Whether thousands are set apart, as in the sentences of a report.

    Examples
    --------
    >>> counted(22630, "word", commas=True)
    '22,630 words'
    >>> counted(1, "line"), counted(0, "line"), counted(3, "entry", "entries")
    ('1 line', '0 lines', '3 entries')
    >>> counted(3814986502092304, "tree")
    'about 3.81 × 10^15 trees'
    """
    noun = one if count == 1 else many or f"{one}s"
    if count < EXACT_BELOW:
        return f"{count:,} {noun}" if commas else f"{count} {noun}"
    power = math.floor(math.log10(count))
    return f"about {count / 10**power:.2f} × 10^{power} {noun}"


def percent(part: int, whole: int) -> str:
    """Write a share in percent, so that a part is never written as none or all.

    Examples
    --------
    >>> percent(1, 3), percent(3, 3), percent(1, 700), percent(9997, 10000), percent(0, 0)
    ('33 %', '100 %', '0.14 %', '99.97 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    if share in (0, 100) or 1 <= share <= 99:
        return f"{share:.0f} %"
    return f"{share:.2g} %" if share < 1 else f"{share:.2f} %"


def joined(words: Sequence[str], last: str = "and") -> str:
    """List words as prose does.

    Examples
    --------
    >>> joined(["A"]), joined(["A", "B"]), joined(["A", "B", "C"], "or")
    ('A', 'A and B', 'A, B or C')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def number(value: float, decimals: int = DECIMALS) -> str:
    """Write a number with a fixed count of decimals; zero has no sign.

    Examples
    --------
    >>> number(0.83333), number(-0.00001), number(71.5, 1)
    ('0.8333', '0.0000', '71.5')
    """
    text = f"{value:.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text
