"""How wide a text is in Helvetica, the font of the figures, and how it is made to fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import takewhile

from wordorder.drawing.svg_boxes import character_width

FONT_SIZE = 8.0
# Of a line of text in units of its size: above and below its base line.
ASCENT, DESCENT = 0.75, 0.22
# Names of systems differ at their ends more often than in the middle.
_TAIL = 0.4


@cache
def helvetica_widths() -> dict[str, int]:
    """Return the width of each character of Helvetica in thousandths of its size.

    The characters are those of the encoding WinAnsi, which every reader of PDF has.

    Examples
    --------
    >>> helvetica_widths()["m"], helvetica_widths()["é"], "語" in helvetica_widths()
    (833, 556, False)
    """
    table = (files("wordorder.drawing") / "helvetica.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines()[1:])
    return {chr(int(code, 16)): int(width) for code, width in rows}


def printed_width(text: str, size: float = FONT_SIZE) -> float:
    """Return the width of a text in points; that of characters Helvetica lacks is estimated.

    Examples
    --------
    >>> round(printed_width("FRS"), 3), printed_width("語順")
    (16.0, 16.0)
    """
    known = helvetica_widths()
    return size * sum(known[c] / 1000 if c in known else character_width(c) for c in text)


def lacks_characters(text: str) -> bool:
    """Whether a text has characters that Helvetica lacks.

    Examples
    --------
    >>> lacks_characters("naïve – 5 %"), lacks_characters("語順")
    (False, True)
    """
    return not helvetica_widths().keys() >= set(text)


def fitted_names(names: Sequence[str], room: float, size: float = FONT_SIZE) -> list[str]:
    """Cut names in the middle so that they fit, and that different ones stay different.

    Parameters
    ----------
    names : sequence of str
    room : float
        How wide each may be, in points.
    size : float
        The size of the text, in points.

    Examples
    --------
    >>> fitted_names(["short", "a-very-long-name-of-a-system.1", "a-very-long-name-of-a-system.2"],
    ...     60)
    ['short', 'a-very-lo…tem.1', 'a-very-lo…tem.2']
    >>> fitted_names(["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40], 60)
    ['…aaaa1bbbb…', '…aaaa2bbbb…']
    >>> fitted_names(["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40, "c" * 40], 60)
    ['1: aaaaaa…bbb', '2: aaaaaa…bbb', '3: cccccc…cccc']
    """
    cut = [_cut(name, room, size) for name in names]
    if not _apart(names, cut):
        cut = [_cut(name, room, size) for name in _around_differences(names, room, size)]
    if not _apart(names, cut):
        numbers = [f"{place}: " for place in range(1, len(names) + 1)]
        cut = [
            number + _cut(name, room - printed_width(number, size), size)
            for number, name in zip(numbers, names, strict=True)
        ]
    return cut


def _apart(names: Sequence[str], cut: Sequence[str]) -> bool:
    """Whether different names are different when they are cut."""
    return len(set(cut)) == len(set(names))


def _around_differences(names: Sequence[str], room: float, size: float) -> list[str]:
    """Leave out as much as has no room of what all names begin and end with."""
    before = _in_common(names)
    after = _in_common([name[before:][::-1] for name in names])
    for around in range(max(before, after), 0, -1):
        kept = _without(names, max(0, before - around), max(0, after - around))
        if all(printed_width(name, size) <= room for name in kept):
            return kept
    return _without(names, before, after)


def _without(names: Sequence[str], before: int, after: int) -> list[str]:
    """Leave out so many characters at both ends.

    Examples
    --------
    >>> _without(["online-A.0.en", "online-B.0.en", "online-C.4166.en"], 7, 3)
    ['…A.0…', '…B.0…', '…C.4166…']
    """
    start, end = "…" if before else "", "…" if after else ""
    return [f"{start}{name[before : len(name) - after]}{end}" for name in names]


def _in_common(names: Sequence[str]) -> int:
    """Return with how many equal characters names begin."""
    columns = (set(column) for column in zip(*names, strict=False))
    return sum(1 for _ in takewhile(lambda column: len(column) == 1, columns))


def _cut(name: str, room: float, size: float) -> str:
    """Take as much of both ends of a name as fits."""
    if printed_width(name, size) <= room:
        return name
    kept = len(name) - 1
    while kept > 1:
        tail = int(kept * _TAIL)
        short = f"{name[: kept - tail]}…{name[len(name) - tail :]}"
        if printed_width(short, size) <= room:
            return short
        kept -= 1
    return "…"
