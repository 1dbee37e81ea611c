"""A meta-evaluation as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from wordorder._version import __version__
from wordorder.errors import UsageError
from wordorder.judgement.correlations import MetaEvaluation, best_first
from wordorder.notes import note
from wordorder.report.judgement_page.reading import TEST_LEGEND, value_text
from wordorder.report.judgement_page.view import overviews, set_views
from wordorder.report.page.filling import templates
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# What browsers on small machines still open at once.
BYTES = 5_000_000
# The pictures of a set that are not folded.
_OPEN = 2
# And the remarks of a set.
_REMARKS = 3


@dataclass(frozen=True)
class Scatter:
    """A metric against people, and how well they agree."""

    metric: str
    said: str
    svg: str


def judgement_page(
    meta: MetaEvaluation,
    *,
    title: str = "Metrics and people",
    notes: Sequence[str] = (),
    limit: int = BYTES,
) -> str:
    """Write a meta-evaluation as one HTML page.

    The page shows each metric on each evaluation set with its interval, which metrics a test tells
    apart, and each metric against people as a picture. It needs no other file and no network, and
    can be read without scripts; with them tables are sorted and filtered.

    Parameters
    ----------
    meta : MetaEvaluation
    title : str
    notes : sequence of str
        What the reader should know beside the numbers: the notes of the run.
    limit : int
        The page has no more bytes than this as long as pictures of single metrics can be left out;
        it says which.

    Returns
    -------
    str
        Equal results give equal pages. All text is escaped; what cannot be shown in a line is
        written as U+FFFD.

    Raises
    ------
    UsageError
        If `limit` is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import Correlation, ScoreTable, SetCorrelations
    >>> people = ScoreTable("people", ("<A>", "B"), np.array([[1.0], [0.0]]))
    >>> frs = ScoreTable("frs", ("<A>", "B"), np.array([[0.9], [0.5]]))
    >>> rows = [Correlation("frs", "system", "pearson", 1.0, 0.5, 1.0, 2)]
    >>> result = SetCorrelations("my set", "system", "pearson", people, [frs], rows)
    >>> page = judgement_page(MetaEvaluation([result]))
    >>> "&lt;A&gt;" in page, "<A>" in page
    (True, False)
    """
    if limit < 0:
        raise UsageError(f"limit is a number of at least 0, not {limit}")
    template = templates("wordorder.report.judgement_page", style="judgement.css").get_template(
        "judgement.html.j2"
    )
    views = set_views(meta)
    intervals = [one.to_svg() for one in meta.sets]

    def page(scatters: Sequence[Sequence[Scatter]], left_out: Sequence[Sequence[str]]) -> str:
        return template.render(
            title=title,
            meta=meta,
            overviews=overviews(meta),
            sets=list(zip(views, intervals, scatters, left_out, strict=True)),
            opened=_OPEN,
            shown=_REMARKS,
            legend=TEST_LEGEND,
            signatures=meta.shown_signatures,
            notes=notes,
            version=__version__,
        )

    # As if all had been left out: their names take room too.
    names = [[row.metric for row, _ in view.rows] for view in views]
    room = limit - len(page([[] for _ in views], names).encode())
    text = page(*_chosen(meta, room)) + "\n"
    size = len(text.encode())
    if size > limit:
        note(f"the page has {size} bytes, more than {limit}, without any picture of a metric")
    return text


def write_judgement_page(
    meta: MetaEvaluation,
    path: Path,
    *,
    title: str = "Metrics and people",
    notes: Sequence[str] = (),
) -> None:
    """Write the page of a meta-evaluation into a file, which is whole or not there at all.

    Parameters
    ----------
    meta : MetaEvaluation
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    title, notes
        As `judgement_page` takes them.
    """
    text = judgement_page(meta, title=title, notes=notes)
    with write_text(path) as stream:
        stream.write(text)


def _chosen(meta: MetaEvaluation, room: int) -> tuple[list[list[Scatter]], list[list[str]]]:
    """Draw the metrics of all sets in turn, the best first, as far as there is room."""
    shown: list[list[Scatter]] = [[] for _ in meta.sets]
    left_out: list[list[str]] = [[] for _ in meta.sets]
    for turn in zip_longest(*(best_first(one.rows) for one in meta.sets)):
        for place, metric in enumerate(turn):
            if metric is None:
                continue
            one = meta.sets[place]
            row = one.rows[metric]
            drawn = one.to_svg(row.metric)
            name, said = row.metric, f"{one.statistic} {value_text(row)}"
            # Its caption and frame take room beside the picture.
            size = len(drawn.encode()) + 2 * len(name.encode()) + 500
            if drawn and size <= room:
                shown[place].append(Scatter(name, said, drawn))
                room -= size
            else:
                left_out[place].append(name)
    return shown, left_out
