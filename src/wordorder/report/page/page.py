"""An analysis as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordorder._version import __version__
from wordorder.analysis.analysis import Analysis
from wordorder.analysis.section import shortened
from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.metrics.called import called
from wordorder.notes import note
from wordorder.report.comparison_table import LEGEND
from wordorder.report.page.filling import templates
from wordorder.report.page.first_screen import first_findings, score_picture
from wordorder.report.page.order_sentences import OrderSentences
from wordorder.report.page.overview import metric_grids
from wordorder.report.page.reported import ReportedTranslations, Sentences, View
from wordorder.report.page.sentence_list import SentenceList, sentence_list
from wordorder.report.page.table_groups import table_groups
from wordorder.report.page.translation_sentences import TranslationSentences
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# More make the page slow to open on a phone.
PICTURES = 50
ROWS = 200
# What browsers on small machines still open at once.
BYTES = 5_000_000
# The tables that belong to the scores.
_SCORES = ("systems", "tests", "cder-parts")


def report_page(
    analysis: Analysis | ReportedTranslations,
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

    The page begins with the answer, the picture of intervals and the findings that explain most.
    Folded below are the scores with their tests, all tables, and each sentence with source,
    systems, reference and scores; of orders as in Talbot et al. (2011), Figures 1 and 2. It needs
    no other file and no network, and can be read without scripts; with them it is searched, and
    tables are sorted and filtered.

    Parameters
    ----------
    analysis : Analysis or ReportedTranslations
    title : str
    pictures : int
        How many sentences have pictures: the worst, those on which two systems differ most, and
        the examples of the tables, in turn.
    sentences : sequence of int
        Further sentences to draw, counted from 0; these are drawn whatever the page's size.
    rows : int
        How many rows of each table are shown.
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
    >>> words = Treebank.from_words([["<em>", "eats", "rice"]])
    >>> reference, orders = Orders.from_rows([[0, 2, 1]]), Orders.from_rows([[0, 1, 2]])
    >>> system = AnalysedSystem("R1", orders, np.zeros(1), np.zeros(1, bool))
    >>> page = report_page(Analysis(Corpus(words, reference), (system,), "frs|v:1", None, ()))
    >>> "&lt;em&gt; eats rice" in page, "<em>" in page
    (True, False)
    """
    shown: Sentences
    if isinstance(analysis, Analysis):
        shown = OrderSentences(analysis)
    else:
        shown = TranslationSentences(analysis)
    size = shown.scores.shape[1]
    for name, value in (("pictures", pictures), ("rows", rows), ("limit", limit)):
        if value < 0:
            raise UsageError(f"{name} is a number of at least 0, not {value}")
    for sentence in sentences:
        if not 0 <= sentence < size:
            raise UsageError(f"sentence {sentence + 1} is asked for, but there are {size}")
    environment = templates("wordorder.report.page")
    template = environment.get_template(shown.template)
    languages = {"source_language": source_language, "target_language": target_language}
    metric = called(analysis.signature.split("|")[0])
    sections = shortened(analysis.sections, rows)
    grid = analysis.grid if isinstance(analysis, Analysis) else None
    pictures_of_scores = [score_picture(each) for each in analysis.intervals]
    frame = {
        "analysis": analysis,
        "title": title,
        "names": shown.names,
        "size": size,
        "metric": metric,
        "details": [*shown.details, ("Signature", analysis.signature)],
        "help": shown.help,
        "points": shown.points,
        "picture": pictures_of_scores[0] if pictures_of_scores else None,
        # A grid has pictures of its own.
        "others": [] if grid else pictures_of_scores[1:],
        "findings": first_findings(sections),
        "grids": metric_grids(grid) if grid else [],
        "rules": grid.rules if grid else (),
        "legend": LEGEND,
        "scores": [section for section in sections if section.key in _SCORES],
        "groups": table_groups([each for each in sections if each.key not in _SCORES]),
        "version": __version__,
    }
    page_template = environment.get_template("page.html.j2")

    def write(view: View) -> str:
        return template.render(view=view, label=metric, **languages)

    def page(listed: SentenceList) -> str:
        return page_template.render(sentences=listed, **frame)

    # Whatever sentences are drawn: their numbers are in the page too.
    least = page(SentenceList((), 0, tuple(range(1, min(size, pictures) + 1))))
    room = limit - len(least.encode())
    listed = sentence_list(analysis, shown, write, room=room, pictures=pictures, wanted=sentences)
    text = page(listed) + "\n"
    if len(text.encode()) > limit:
        size = len(text.encode())
        note(
            f"the page has {counted(size, 'byte')}, more than {limit}: it has many sentences or "
            "pictures that were asked for"
        )
    return text


def write_page(analysis: Analysis | ReportedTranslations, path: Path, **options: Any) -> None:
    """Write the page of an analysis into a file, which is whole or not there at all.

    Parameters
    ----------
    analysis : Analysis or ReportedTranslations
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    options
        As `report_page` takes them.
    """
    text = report_page(analysis, **options)
    with write_text(path) as stream:
        stream.write(text)
