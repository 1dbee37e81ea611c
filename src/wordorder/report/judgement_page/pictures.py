"""The pictures of a meta-evaluation: intervals of all metrics, each metric against people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wordorder.judgement.correlations import MetaEvaluation, best_first
from wordorder.report.figures.writing import file_name
from wordorder.text.output import require_folder, write_text


def pictures(meta: MetaEvaluation) -> Iterator[tuple[str, str]]:
    """Yield the name of a file and its picture, set by set: intervals, then each metric.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import Correlation, ScoreTable, SetCorrelations
    >>> people = ScoreTable("people", ("A", "B"), np.array([[1.0], [0.0]]))
    >>> frs = ScoreTable("frs", ("A", "B"), np.array([[0.9], [0.5]]))
    >>> rows = [Correlation("frs", "system", "pearson", 1.0, 0.5, 1.0, 2)]
    >>> result = SetCorrelations("my set", "system", "pearson", people, [frs], rows)
    >>> [name for name, _ in pictures(MetaEvaluation([result]))]
    ['1-my-set-system-pearson-intervals.svg', '1-my-set-system-pearson-1-frs.svg']
    """
    for place, one in enumerate(meta.sets, 1):
        start = f"{place}-{file_name(f'{one.name} {one.unit} {one.statistic}')}"
        yield f"{start}-intervals.svg", one.to_svg()
        for number, n in enumerate(best_first(one.rows), 1):
            metric = one.rows[n].metric
            drawn = one.to_svg(metric)
            if drawn:
                yield f"{start}-{number}-{file_name(metric)}.svg", drawn


def write_pictures(meta: MetaEvaluation, folder: Path | str) -> list[Path]:
    """Write the pictures of a meta-evaluation as SVG files.

    Parameters
    ----------
    meta : MetaEvaluation
    folder : path
        Made if it is not there; the folder around it must be.

    Returns
    -------
    list of Path
        The files; each is whole or not there at all.

    Raises
    ------
    UsageError
        If the folder cannot be made or written to.
    """
    require_folder(folder)
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    written = []
    for name, drawn in pictures(meta):
        with write_text(folder / name) as stream:
            stream.write(drawn + "\n")
        written.append(folder / name)
    return written
