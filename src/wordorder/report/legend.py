"""Short forms of long names, and the legend that explains them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from wordorder.drawing.width import display_width
from wordorder.report.lines import line_width, paragraph
from wordorder.report.symbols import cut_sign

# The least columns that a short form takes.
_LEAST = 8


class Legend:
    """The short forms of one output: each name has one, and no two names share one.

    Parameters
    ----------
    width : int, optional
        How many columns a line may take; a short form takes a quarter of them.

    Examples
    --------
    >>> legend = Legend(40)
    >>> legend.short("a-long-name-of-a-system"), legend.short("short")
    ('a-lon…stem', 'short')
    >>> legend.text()
    'a-lon…stem = a-long-name-of-a-system'
    """

    def __init__(self, width: int | None = None) -> None:
        self.width = line_width() if width is None else width
        self.limit = max(_LEAST, self.width // 4)
        self._short: dict[str, str] = {}

    def short(self, name: str) -> str:
        """Return a name in at most a quarter of a line."""
        if display_width(name) <= self.limit:
            return name
        if name not in self._short:
            self._short[name] = self._new(name)
        return self._short[name]

    def short_words(self, text: str) -> str:
        """Shorten the long words of a text.

        Examples
        --------
        >>> Legend(40).short_words("order of a-long-name-of-a-system")
        'order of a-lon…stem'
        """
        return " ".join(map(self.short, text.split(" ")))

    def add(self, names: Iterable[str]) -> None:
        """Choose short forms for names of one kind, which show where the names differ.

        Examples
        --------
        >>> legend = Legend(48)
        >>> legend.add(f"results/{name}/test.orders" for name in ("first", "second"))
        >>> legend.short("results/first/test.orders")
        'resu…first…'
        """
        long = [name for name in dict.fromkeys(names) if display_width(name) > self.limit]
        before = _alike(long)
        behind = _alike([name[before:][::-1] for name in long])
        for name in long if len(long) > 1 else ():
            form = self._around(name, before, len(name) - behind)
            if name not in self._short and form and form not in self._short.values():
                self._short[name] = form

    def text(self) -> str:
        """Return a line for each name that was shortened; nothing if none was."""
        return "\n".join(paragraph(f"{s} = {name}", "", "  ") for name, s in self._short.items())

    def _around(self, name: str, start: int, stop: int) -> str:
        """Return the beginning of a name and a part with what fits around it; "" if none fits."""
        form, head = "", _first(name, self.limit // 3)
        for grown in range(len(name)):
            # Twice as much on the left, where names say more, as on the right.
            first, last = max(0, start - 2 * grown), min(len(name), stop + grown)
            begin = f"{head}{cut_sign()}{name[first:last]}" if first > len(head) else name[:last]
            wider = f"{begin}{cut_sign() if last < len(name) else ''}"
            if display_width(wider) > self.limit:
                break
            form = wider
        return form

    def _new(self, name: str) -> str:
        """Return a form that no other name has: its beginning and its end, as much as fits."""
        taken = set(self._short.values())
        for tail in [*range(self.limit // 2 - 1, self.limit - 1), *range(self.limit // 2 - 1)]:
            end = _last(name, tail)
            form = f"{_first(name, self.limit - 1 - display_width(end))}{cut_sign()}{end}"
            if form not in taken:
                return form
        number = str(len(taken))
        return f"{_first(name, self.limit - 1 - len(number))}{cut_sign()}{number}"


def _alike(names: Sequence[str]) -> int:
    """Return how many letters all names begin with alike."""
    letters = zip(*names, strict=False)
    return sum(1 for _ in takewhile(lambda place: len(set(place)) == 1, letters))


def _first(text: str, width: int) -> str:
    """Return as many letters from the beginning as take `width` columns."""
    text = text[: 4 * width]
    while display_width(text) > width:
        text = text[:-1]
    return text


def _last(text: str, width: int) -> str:
    """Return as many letters from the end as take `width` columns."""
    text = text[-4 * width :] if width else ""
    while display_width(text) > width:
        text = text[1:]
    return text
