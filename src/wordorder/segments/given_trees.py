"""Trees as a caller may give them: a treebank, or the path of one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wordorder.counts import counted
from wordorder.drawing.svg import table_html
from wordorder.errors import UsageError
from wordorder.text.opening import display_name
from wordorder.treebank.treebank import Treebank

if TYPE_CHECKING:
    from wordorder.segments.columns import Columns
    from wordorder.text.texts import Texts


GivenTrees = Treebank | str | os.PathLike[str]


def given_trees(given: GivenTrees, what: str) -> tuple[Treebank, str]:
    """Return a treebank, and what messages call it.

    Raises
    ------
    UsageError
        If something else is given.
    InputError
        If the file is wrong.
    """
    if isinstance(given, Treebank):
        return given, what
    if isinstance(given, (str, os.PathLike)):
        from wordorder.treebank.reading import read_treebank

        return read_treebank(given, trees="optional", single_root=False), display_name(given)
    raise UsageError(f"{what}: a Treebank or the path of one, not {type(given).__name__}")


_SHOWN = 5

# Characters of a cell.
_WIDTH = 100


def segments_html(segments: Columns) -> str:
    """Return a table of the first segments, with what each of them holds.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> html = Segments.from_orders([[1, 0]] * 7, [[0, 1]] * 7)._repr_html_()
    >>> "<td>1 0</td>" in html, html.endswith("<p>… 2 more rows</p>")
    (True, True)
    """
    header, columns = ["segment"], list[list[str]]()
    rows = range(min(_SHOWN, len(segments)))
    firsts = segments.reference_offsets[: _SHOWN + 1].tolist()
    held = segments.held
    if "text" in held:
        texts = segments.texts
        header += ["hypothesis", "references"]
        columns.append([_sentence(texts, texts.hypothesis[row].tolist()) for row in rows])
        columns.append(
            [
                " / ".join(
                    _sentence(texts, texts.references[each].tolist())
                    for each in range(firsts[row], firsts[row + 1])
                )
                for row in rows
            ]
        )
    if "orders" in held:
        header.append("places of the system's words in the reference")
        # A segment without references has none.
        columns.append(
            [
                _short(" ".join(map(str, segments.permutation[firsts[row]].tolist())))
                if firsts[row] < firsts[row + 1]
                else ""
                for row in rows
            ]
        )
    if "links" in held:
        header.append("links with the source")
        columns.append([counted(len(segments.links.hypothesis[row].links), "link") for row in rows])
    if "trees" in held:
        header.append("words of the gold tree")
        gold = segments.trees.gold
        columns.append([_short(" ".join(gold[row].forms)) for row in rows])
    cells = [[str(row + 1), *(column[row] for column in columns)] for row in rows]
    table = table_html(repr(segments), header, cells)
    more = len(segments) - len(rows)
    return f"{table}\n<p>… {counted(more, 'more row')}</p>" if more else table


def _sentence(texts: Texts, numbers: list[int]) -> str:
    words = texts.vocabulary.words
    return _short(" ".join(words[number] for number in numbers))


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
