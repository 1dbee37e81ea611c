"""The text view of a sentence: source, results, reference and scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from wordorder.analysis.analysis import Analysis
from wordorder.analysis.order_text import reference_text, result_text
from wordorder.drawing.marks import Marked
from wordorder.drawing.sentence_labels import runs_leftwards
from wordorder.order.chunks import kept_pairs
from wordorder.order.orders import Orders
from wordorder.order.relative import relative_orders
from wordorder.report.page.picture_row import PictureRow
from wordorder.types import Float64

_DECIMALS = 3


@dataclass(frozen=True)
class Result:
    """An order that one system or several give to a sentence.

    Attributes
    ----------
    systems : tuple of str
    words : Marked
        As `wordorder.analysis.order_text.result_text` writes them.
    score : str
    """

    systems: tuple[str, ...]
    words: Marked
    score: str


@dataclass(frozen=True)
class SentenceView:
    """What a page says about a sentence.

    Attributes
    ----------
    number : int
        Counted from 1.
    name : str
        Its ``sent_id``, or nothing.
    text : str
        As it was before it was cut into words, if that is known.
    words : str
        Its words with blanks between them.
    reference : Marked
        As `wordorder.analysis.order_text.reference_text` writes it.
    missing : str
        The words that the reference does not have.
    score : str
        The lowest and the highest score.
    keys : str
        What lists are sorted by: length, lowest and highest score, difference, then each system.
    results : tuple of Result
    target : str
        The target sentence.
    pictures : tuple of PictureRow
    """

    number: int
    name: str
    text: str
    words: str
    reference: Marked
    missing: str
    score: str
    keys: str
    results: tuple[Result, ...]
    target: str = ""
    pictures: tuple[PictureRow, ...] = ()

    @property
    def title(self) -> str:
        """The sentence as one reads it."""
        return self.text or self.words

    @property
    def direction(self) -> str:
        """How the source runs, and with it all its orders, whichever word comes first there."""
        return "rtl" if runs_leftwards(self.words.split(" ")) else "ltr"

    def without_results(self) -> SentenceView:
        """Return the same view with no results."""
        return replace(self, results=())

    def with_pictures(self, pictures: Sequence[PictureRow]) -> SentenceView:
        """Return the same view with pictures."""
        return replace(self, pictures=tuple(pictures))


def sentence_views(analysis: Analysis, scores: Float64) -> Iterator[SentenceView]:
    """Yield the text view of each sentence.

    Parameters
    ----------
    analysis : Analysis
    scores : float64[N, S]
        As `wordorder.report.page.interest.score_matrix` returns them.
    """
    corpus = analysis.corpus
    forms = corpus.words.form.strings()
    broken = [_broken(system.orders, corpus.reference) for system in analysis.systems]
    for i, (start, stop) in enumerate(
        zip(corpus.words.offsets[:-1].tolist(), corpus.words.offsets[1:].tolist(), strict=True)
    ):
        words = forms[start:stop]
        order = corpus.reference[i]
        margin = corpus.words.margins[i]
        there = set(order.positions)
        column = scores[:, i]
        known = column[~np.isnan(column)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (np.nan, np.nan)
        yield SentenceView(
            i + 1,
            margin.value("sent_id") or "",
            margin.value("text") or "",
            " ".join(words),
            reference_text(words, order),
            " ".join(word for place, word in enumerate(words) if place not in there),
            _range(low, high),
            " ".join([str(len(words)), *map(_score, [low, high, high - low, *column.tolist()])]),
            tuple(_results(analysis, i, words, column, broken)),
            " ".join(corpus.target[i]) if corpus.target else "",
        )


def _results(
    analysis: Analysis,
    sentence: int,
    words: Sequence[str],
    column: Float64,
    broken: Sequence[npt.NDArray[np.object_]],
) -> Iterator[Result]:
    """Yield the different orders of a sentence, each with the systems that gave it."""
    systems: dict[bytes, list[int]] = {}
    for s, system in enumerate(analysis.systems):
        systems.setdefault(system.orders.positions[sentence].tobytes(), []).append(s)
    for first, *others in systems.values():
        rows = analysis.systems[first].orders.positions
        start, stop = int(rows.offsets[sentence]), int(rows.offsets[sentence + 1])
        order = rows.values[start:stop].tolist()
        yield Result(
            tuple(analysis.systems[s].name for s in (first, *others)),
            result_text(words, order, broken[first][start:stop].tolist()),
            _score(float(column[first])),
        )


def _broken(system: Orders, reference: Orders) -> npt.NDArray[np.object_]:
    """Say before which words of a system's orders a chunk begins; None for unaligned words."""
    relative = relative_orders(system, reference)
    kept, _ = kept_pairs(system, reference)
    rows = relative.permutation
    begins = np.zeros(len(rows.values), np.bool_)
    later = np.ones(len(rows.values), np.bool_)
    later[rows.offsets[:-1][rows.lengths > 0]] = False
    begins[later] = ~kept
    broken = np.full(len(relative.kept), None, object)
    broken[relative.kept] = begins
    return broken


def _range(low: float, high: float) -> str:
    return _score(low) if _score(low) == _score(high) else f"{_score(low)}–{_score(high)}"


def _score(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.{_DECIMALS}f}"
