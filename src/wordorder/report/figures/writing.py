"""Figures into files: each as SVG and PDF, as PNG where matplotlib is, and its data as TSV."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from wordorder.counts import counted
from wordorder.drawing.figure import (
    Cell,
    Figure,
    Label,
    can_write_png,
    figure_pdf,
    figure_png,
    figure_svg,
    lacks_glyphs,
)
from wordorder.drawing.svg import lacks_characters
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.report.tables import tsv
from wordorder.text.output import require_folder, write_output

# Of the data, written at once.
_ROWS = 10_000


def write_figures(
    folder: Path | str, figures: Sequence[Figure], inputs: Sequence[Path | str | None] = ()
) -> str:
    """Write figures into a folder, each as SVG, PDF, PNG if matplotlib is installed, and TSV.

    Each file is whole or not there at all; equal figures make equal bytes.

    Parameters
    ----------
    folder : path
        Made if it is not there; the folder around it must be.
    figures : sequence of Figure
        Where several have one name, the later ones get a number.
    inputs : sequence of path
        Files that must not be written over.

    Returns
    -------
    str
        A line that says what was written.

    Raises
    ------
    UsageError
        If the folder cannot be made or written to, or a file would take the place of an input;
        nothing has been written then.

    Examples
    --------
    >>> import tempfile
    >>> figure = Figure("frs", "FRS", 10, 20, (Label(1, 9, "A"),), ("system",), (("A",),))
    >>> write_figures(tempfile.mkdtemp(), [figure]).split(": ")[1]
    'frs'
    """
    require_folder(folder)
    folder = Path(folder)
    figures = _named_apart(figures)
    kinds: dict[str, Callable[[Figure], Iterable[bytes]]] = {
        "svg": lambda figure: [(figure_svg(figure) + "\n").encode()],
        "pdf": lambda figure: [figure_pdf(figure)],
    }
    if can_write_png():
        kinds["png"] = lambda figure: [figure_png(figure)]
    kinds["tsv"] = _data
    taken = {os.path.realpath(path) for path in inputs if path}
    for figure in figures:
        for kind in kinds:
            path = folder / f"{figure.name}.{kind}"
            if os.path.realpath(path) in taken:
                raise UsageError(f"{path}: is an input too; give the figures another folder")
    if not figures:
        return f"{folder}: no figures: the result has nothing to draw"
    folder.mkdir(exist_ok=True)
    for figure in figures:
        for kind, written in kinds.items():
            with write_output(folder / f"{figure.name}.{kind}") as stream:
                stream.writelines(written(figure))
    _note_characters(figures, png="png" in kinds)
    of_kinds = f"each as {', '.join(kinds)}"
    if "png" not in kinds:
        of_kinds += "; png needs the extra plot"
    names = ", ".join(figure.name for figure in figures)
    return f"{folder}, {counted(len(figures), 'figure')} ({of_kinds}): {names}"


def _data(figure: Figure) -> Iterator[bytes]:
    """Write the data part by part: there may be a row a segment."""
    yield (tsv([], figure.header) + "\n").encode()
    rows = iter(figure.rows)
    while part := list(islice(rows, _ROWS)):
        yield (tsv([list(map(_known, row)) for row in part], decimals=None) + "\n").encode()


def _known(cell: Cell) -> Cell:
    """Leave the place of a number blank that is none."""
    return None if isinstance(cell, float) and math.isnan(cell) else cell


def _named_apart(figures: Sequence[Figure]) -> list[Figure]:
    """Number the later ones of figures whose names some file systems take for one."""
    taken: set[str] = set()
    found = []
    for figure in figures:
        name, number = figure.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{figure.name}-{number}"
        taken.add(name.casefold())
        found.append(replace(figure, name=name))
    return found


def _note_characters(figures: Sequence[Figure], *, png: bool) -> None:
    """Say which labels a format cannot write, once for all figures."""
    texts = {m.text for figure in figures for m in figure.marks if isinstance(m, Label)}
    in_pdf = sorted(text for text in texts if lacks_characters(text))
    in_png = sorted(text for text in texts if png and lacks_glyphs(text))
    if in_pdf:
        others = "" if len(in_pdf) == 1 else f" and {len(in_pdf) - 1} more"
        there = "SVG has" if in_png or not png else "SVG and PNG have"
        note(
            f'figures: Helvetica, the font of PDF, lacks characters of "{in_pdf[0]}"{others} '
            f"({len(in_pdf)} of {counted(len(texts), 'label')}): PDF shows ? there; {there} them"
        )


# In bytes: three such names and what joins them are a name that file systems take.
_LONGEST = 60


def file_name(text: str) -> str:
    """Write what any file system takes: letters, digits, hyphens and dots.

    Examples
    --------
    >>> file_name("cder(penalty=length)"), file_name("../ä"), file_name("?")
    ('cder-penalty-length', 'ä', 'unnamed')
    >>> len(file_name("語" * 99))
    20
    """
    name = re.sub(r"[^\w.]+", "-", text).strip("-.")
    return name.encode()[:_LONGEST].decode(errors="ignore") or "unnamed"
