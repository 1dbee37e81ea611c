"""Figures into files: each as SVG, PDF and PNG, and its data as TSV."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from wordorder.drawing.figure import (
    Figure,
    figure_files,
    require_matplotlib,
    small_font,
)
from wordorder.errors import UsageError
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.report.tables import tsv
from wordorder.text.output import require_folder, write_output

_KINDS = ("svg", "pdf", "png", "tsv")

# Of the data, written at once.
_ROWS = 10_000

# In bytes: three such names and what joins them are a name that file systems take.
_LONGEST = 60


def write_figures(
    folder: Path | str, figures: Sequence[Figure], inputs: Sequence[Path | str | None] = ()
) -> str:
    """Write figures into a folder, each as SVG, PDF, PNG and TSV.

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
        A line that lists the files.

    Raises
    ------
    UsageError
        If matplotlib is not installed, the folder cannot be made or written to, or a file would
        take the place of an input; nothing has been written then.

    Examples
    --------
    >>> import tempfile
    >>> from wordorder.report.figures.plots import score_bars
    >>> from wordorder.statistics.intervals import Estimate
    >>> value = Estimate(0.5, 0.4, 0.6)
    >>> figure = score_bars("frs", "FRS", "A", [value], "FRS", header=("system",), rows=(("A",),))
    >>> write_figures(tempfile.mkdtemp(), [figure]).split(": ")[1]
    'frs'
    """
    require_matplotlib()
    require_folder(folder)
    folder = Path(folder)
    figures = _named_apart(figures)
    input_files = {os.path.realpath(path) for path in inputs if path}
    for path in (folder / f"{figure.name}.{kind}" for figure in figures for kind in _KINDS):
        if os.path.realpath(path) in input_files:
            raise UsageError(f"{path}: is an input too; give the figures another folder")
    if not figures:
        return f"{folder}: no figures: the result has nothing to draw"
    folder.mkdir(exist_ok=True)
    unknown: set[str] = set()
    with small_font() as font:
        for figure in figures:
            files, labels = figure_files(figure, font)
            unknown.update(labels)
            for kind, content in files.items():
                with write_output(folder / f"{figure.name}.{kind}") as stream:
                    stream.write(content)
            with write_output(folder / f"{figure.name}.tsv") as stream:
                stream.writelines(_data(figure))
    if unknown:
        note(
            f'figures: the font of PDF and PNG lacks characters of "{min(unknown)}" '
            f"({counted(len(unknown), 'label')} in all): they show ? there; SVG has them"
        )
    names = ", ".join(figure.name for figure in figures)
    return f"{folder}, {counted(len(figures), 'figure')} (each as {', '.join(_KINDS)}): {names}"


def _data(figure: Figure) -> Iterator[bytes]:
    """Write the data part by part: there may be one row per segment."""
    yield (tsv([], figure.header) + "\n").encode()
    rows = iter(figure.rows)
    while part := list(islice(rows, _ROWS)):
        yield (tsv(part, decimals=None) + "\n").encode()


def _named_apart(figures: Sequence[Figure]) -> list[Figure]:
    """Number the later ones of figures whose names some file systems take for one."""
    used_names: set[str] = set()
    renamed = []
    for figure in figures:
        name, number = figure.name, 1
        while name.casefold() in used_names:
            number += 1
            name = f"{figure.name}-{number}"
        used_names.add(name.casefold())
        renamed.append(replace(figure, name=name))
    return renamed


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
