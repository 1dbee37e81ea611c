"""The analysis as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordorder._version import __version__
from wordorder.analysis.analysis import Analysis
from wordorder.analysis.section import shortened
from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.report.comparison_table import LEGEND
from wordorder.report.page.filling import templates
from wordorder.report.page.overview import metric_grids, run_details
from wordorder.report.page.sentence_list import SentenceList, sentence_list
from wordorder.report.page.sentence_view import SentenceView
from wordorder.text.opening import Path
from wordorder.text.output import write_text

PICTURES = 100
ROWS = 200
# What browsers on small machines still open at once.
BYTES = 5_000_000
# The finding that belongs to the overview.
_OVERVIEW = "systems"


def report_page(
    analysis: Analysis,
    *,
    title: str = "Word order report",
    pictures: int = PICTURES,
    sentences: Sequence[int] = (),
    rows: int = ROWS,
    limit: int = BYTES,
    source_language: str = "",
    target_language: str = "",
) -> str:
    """Write an analysis as one HTML page.

    The page shows the grid with intervals and tests, the findings as tables, and each sentence
    with source, results, reference and scores as in Talbot et al. (2011), Figures 1 and 2. It
    needs no other file and no network, and can be read without scripts; with them tables are
    sorted and filtered.

    Parameters
    ----------
    analysis : Analysis
    title : str
    pictures : int
        How many sentences have pictures: the worst, those on which two systems differ most, and
        the examples of the findings, in turn.
    sentences : sequence of int
        Further sentences to draw, counted from 0; these are drawn whatever the page's size.
    rows : int
        How many rows of each finding are shown.
    limit : int
        The page has no more bytes than this as long as words of results or pictures can be left
        out; it says which sentences have none.
    source_language, target_language : str
        Codes like ``ja`` for the ``lang`` attribute of words, which chooses fonts and voices.

    Returns
    -------
    str
        Equal analyses give equal pages. All text of the analysis is escaped; what cannot be shown
        in a line is written as U+FFFD.

    Raises
    ------
    UsageError
        If a number is negative, or a sentence is not one of the analysis.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.analysis.corpus import Corpus
    >>> from wordorder.analysis.system import AnalysedSystem
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["<i>", "eats", "rice"]])
    >>> reference, orders = Orders.from_rows([[0, 2, 1]]), Orders.from_rows([[0, 1, 2]])
    >>> system = AnalysedSystem("R1", orders, np.zeros(1), np.zeros(1, bool))
    >>> page = report_page(Analysis(Corpus(words, reference), (system,), "frs|v:1", None, ()))
    >>> "&lt;i&gt; eats rice" in page, "<i>" in page
    (True, False)
    """
    size = len(analysis.corpus.words)
    for name, value in (("pictures", pictures), ("rows", rows), ("limit", limit)):
        if value < 0:
            raise UsageError(f"{name} is a number of at least 0, not {value}")
    for sentence in sentences:
        if not 0 <= sentence < size:
            raise UsageError(f"sentence {sentence + 1} is asked for, but there are {size}")
    environment = templates("wordorder.report.page")
    template = environment.get_template("sentence.html.j2")
    languages = {"source_language": source_language, "target_language": target_language}
    names = [system.name for system in analysis.systems]
    sections = shortened(analysis.sections, rows)

    def write(view: SentenceView) -> str:
        return template.render(view=view, label=_label(analysis), **languages)

    def page(shown: SentenceList) -> str:
        return environment.get_template("page.html.j2").render(
            analysis=analysis,
            title=title,
            names=names,
            details=run_details(analysis),
            grids=metric_grids(analysis.grid) if analysis.grid else [],
            legend=LEGEND,
            overview=[section for section in sections if section.key == _OVERVIEW],
            sections=[section for section in sections if section.key != _OVERVIEW],
            sentences=shown,
            version=__version__,
        )

    # Whatever sentences are drawn: their numbers stand in the page too.
    frame = page(SentenceList((), size, tuple(range(1, min(size, pictures) + 1))))
    room = limit - len(frame.encode())
    listed = sentence_list(analysis, write, room=room, pictures=pictures, wanted=sentences)
    text = page(listed) + "\n"
    if len(text.encode()) > limit:
        size = len(text.encode())
        note(
            f"the page has {counted(size, 'byte')}, more than {limit}: it has many sentences or "
            "pictures that were asked for"
        )
    return text


def write_page(analysis: Analysis, path: Path, **options: Any) -> None:
    """Write the page of an analysis into a file, which is whole or not there at all.

    Parameters
    ----------
    analysis : Analysis
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    options
        As `report_page` takes them.
    """
    text = report_page(analysis, **options)
    with write_text(path) as stream:
        stream.write(text)


def _label(analysis: Analysis) -> str:
    """Return what a sentence's score is called: as in Talbot et al. (2011), or by its metric."""
    metric = analysis.signature.split("|")[0]
    return "Fuzzy" if metric == "frs" else metric
