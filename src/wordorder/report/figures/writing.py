"""Writes figures to files: as SVG, PDF and PNG, with their data as TSV."""

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

_FILE_TYPES = ("svg", "pdf", "png", "tsv")

# Rows of data that are written in one go.
_ROWS_PER_WRITE = 10_000

# The maximum length of a part of a file name; file systems accept three of them together.
_MAX_NAME_BYTES = 60


def write_figures(
    folder: Path | str, figures: Sequence[Figure], inputs: Sequence[Path | str | None] = ()
) -> str:
    """Write figures into a folder, each as SVG, PDF, PNG and TSV.

    Files are written atomically; equal figures give equal bytes.

    Parameters
    ----------
    folder : path
        Created if it does not exist; its parent folder must exist.
    figures : sequence of Figure
        Figures; later ones of the same name are numbered.
    inputs : sequence of path
        Files that must not be overwritten.

    Returns
    -------
    str
        A line that lists the files.

    Raises
    ------
    UsageError
        If matplotlib is not installed, the folder cannot be created or written to, or a file would
        overwrite an input; nothing is written then.

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
    figures = _with_unique_names(figures)
    input_files = {os.path.realpath(path) for path in inputs if path}
    for path in (folder / f"{figure.name}.{kind}" for figure in figures for kind in _FILE_TYPES):
        if os.path.realpath(path) in input_files:
            raise UsageError(f"{path}: is an input too; give the figures another folder")
    if not figures:
        return f"{folder}: no figures: the result has nothing to draw"
    folder.mkdir(exist_ok=True)
    unknown_labels: set[str] = set()
    with small_font() as font:
        for figure in figures:
            files, labels = figure_files(figure, font)
            unknown_labels.update(labels)
            for kind, content in files.items():
                with write_output(folder / f"{figure.name}.{kind}") as stream:
                    stream.write(content)
            with write_output(folder / f"{figure.name}.tsv") as stream:
                stream.writelines(_table_bytes(figure))
    if unknown_labels:
        note(
            f'figures: the font of PDF and PNG lacks characters of "{min(unknown_labels)}" '
            f"({counted(len(unknown_labels), 'label')} in all): they show ? there; SVG has them"
        )
    names = ", ".join(figure.name for figure in figures)
    return (
        f"{folder}, {counted(len(figures), 'figure')} (each as {', '.join(_FILE_TYPES)}): {names}"
    )


def _table_bytes(figure: Figure) -> Iterator[bytes]:
    """Yield the data in parts: there may be one row per segment."""
    yield (tsv([], figure.header) + "\n").encode()
    rows = iter(figure.rows)
    while part := list(islice(rows, _ROWS_PER_WRITE)):
        yield (tsv(part, decimals=None) + "\n").encode()


def _with_unique_names(figures: Sequence[Figure]) -> list[Figure]:
    """Number figures whose names differ only in case, which some file systems ignore."""
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
    """Return a text as a valid file name: letters, digits, hyphens and dots.

    Examples
    --------
    >>> file_name("cder(penalty=length)"), file_name("../ä"), file_name("?")
    ('cder-penalty-length', 'ä', 'unnamed')
    >>> len(file_name("語" * 99))
    20
    """
    name = re.sub(r"[^\w.]+", "-", text).strip("-.")
    return name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore") or "unnamed"
