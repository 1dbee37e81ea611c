"""The sentences of a page: those that systems differ on most, all others packed behind them."""

from __future__ import annotations

import base64
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, zip_longest
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem
from wordorder.analysis.section import Section
from wordorder.analysis.translations.stored import free_memory
from wordorder.arrays import Float64
from wordorder.report.page.filling import PictureRow
from wordorder.report.sections import AnyAnalysis

if TYPE_CHECKING:
    from markupsafe import Markup

# Sentences that are in the page as they are; a reader's browser unpacks the others when asked.
LISTED = 30

# The first of these have their pictures in the page; those of others are packed.
_DRAWN = 10


@dataclass(frozen=True)
class SentenceList:
    """The written sentences.

    Attributes
    ----------
    blocks : tuple of str
        Those on which systems differ most, in this order.
    packed : str
        All others in the order of the corpus: deflated, in base 64; empty if there are none.
    others : int
        How many are packed.
    drawn : tuple of int
        Which sentences have pictures, counted from 1.
    """

    blocks: tuple[str, ...] = ()
    packed: str = ""
    others: int = 0
    drawn: tuple[int, ...] = ()


@dataclass(frozen=True)
class Result:
    """What one system makes of a sentence, or several that make the same.

    Attributes
    ----------
    systems : tuple of str
    words : Markup
        As `wordorder.report.marks.words_html` writes them.
    scores : str
    """

    systems: tuple[str, ...]
    words: Markup
    scores: str


def score_text(value: float) -> str:
    """Write the score of a sentence.

    Examples
    --------
    >>> score_text(0.5), score_text(float("nan"))
    ('0.500', '–')
    """
    return "–" if isnan(value) else f"{value:.3f}"


def scores_and_keys(length: int, column: Sequence[float], weight: float = 1.0) -> tuple[str, str]:
    """Write the lowest and the highest score of a sentence, and what lists are sorted by.

    The keys are length, lowest and highest score, difference times weight, then each system.

    Examples
    --------
    >>> scores_and_keys(7, [0.25, 1.0])
    ('0.250–1.000', '7 0.250 1.000 0.750 0.250 1.000')
    """
    known_values = [value for value in column if not isnan(value)] or [nan]
    low, high = min(known_values), max(known_values)
    low_text, high_text = score_text(low), score_text(high)
    numbers = map(score_text, [low, high, (high - low) * weight, *column])
    return low_text if low_text == high_text else f"{low_text}–{high_text}", " ".join(
        [str(length), *numbers]
    )


class Sentences(Protocol):
    """What a list needs of the sentences of an analysis."""

    @property
    def scores(self) -> Float64:
        """The score of each system's sentences, float64[N, S]; NaN where one was left out."""

    @property
    def weights(self) -> Float64:
        """How many words of each sentence are compared, float64[S]: differences count so often."""

    def views(self, chosen: Set[int]) -> Iterator[Any]:
        """Yield what `write` takes of some sentences, in the order of the corpus."""

    def pictures(self, sentence: int) -> Sequence[PictureRow]:
        """Draw a sentence, counted from 0."""


def sentence_list(
    analysis: AnyAnalysis,
    sentences: Sentences,
    write: Callable[[Any, Sequence[PictureRow]], str],
    *,
    room: int,
    pictures: int,
    wanted: Sequence[int],
) -> SentenceList:
    """Write all sentences, as far as there is room.

    Parameters
    ----------
    analysis : Analysis
    sentences : Sentences
        Of the analysis.
    write : callable
        Makes the block of a view with its pictures.
    room : int
        How many bytes all blocks may take. The least interesting sentences are left out first,
        those that are wanted never.
    pictures : int
        How many sentences may have pictures, besides those that are wanted.
    wanted : sequence of int
        Sentences, counted from 0, that come first and have pictures.
    """
    quality = sentences.scores if analysis.higher_is_better else -sentences.scores
    first_of_all = dict.fromkeys(wanted)
    interest = by_interest(quality, analysis.sections)
    if first_of_all:
        interest = [*first_of_all, *(i for i in interest if i not in first_of_all)]
    different = by_difference(quality, sentences.weights)[: LISTED + len(wanted)]
    listed_sentences = list(dict.fromkeys([*wanted, *different]))[: max(LISTED, len(wanted))]
    # Of all sentences these lists are much.
    free_memory()
    pictures_of: dict[int, Sequence[PictureRow]] = {}
    for i in dict.fromkeys(
        [*wanted, *listed_sentences[:_DRAWN], *(i for i in interest if i not in listed_sentences)]
    ):
        if len(pictures_of) == pictures + len(wanted):
            break
        if rows := sentences.pictures(i):
            pictures_of[i] = rows

    def blocks(chosen: Iterable[int]) -> Iterator[str]:
        """Write some sentences: those of a large corpus are not in memory together."""
        for view in sentences.views(set(chosen)):
            yield write(view, pictures_of.get(view.number - 1, ()))

    first = dict(zip(sorted(listed_sentences), blocks(listed_sentences), strict=True))
    room -= sum(len(block.encode()) + 1 for block in first.values())
    other_sentences = [i for i in interest if i not in first]
    packed, size = _packed(blocks(other_sentences), room)
    while other_sentences and size > room:
        # Texts of one kind shrink alike.
        other_sentences = other_sentences[: int(len(other_sentences) * max(room, 0) / size * 0.98)]
        packed, size = _packed(blocks(other_sentences), room)
    kept_sentences = {*listed_sentences, *other_sentences}
    return SentenceList(
        tuple(first[i] for i in listed_sentences),
        packed,
        len(other_sentences),
        tuple(sorted(i + 1 for i in pictures_of if i in kept_sentences)),
    )


def _packed(blocks: Iterable[str], room: int) -> tuple[str, int]:
    """Join blocks by line breaks, deflate them and encode them in base 64; empty for no blocks.

    Returns
    -------
    str, int
        Empty if it has more characters than `room`; and how many it has.
    """
    deflating, separator, parts, size = zlib.compressobj(4), "", [], 0
    for block in blocks:
        parts.append(deflating.compress(f"{separator}{block}".encode()))
        separator = "\n"
        size += len(parts[-1])
        if size > room:
            parts.clear()
    if not separator:
        return "", 0
    parts.append(deflating.flush())
    length = -(-(size + len(parts[-1])) // 3) * 4
    return base64.b64encode(b"".join(parts)).decode() if length <= room else "", length


def by_difference(scores: Float64, weights: Float64) -> list[int]:
    """Return all sentences, those on which two systems differ most first; of one the worst first.

    Parameters
    ----------
    scores : float64[N, S]
        As `by_interest` takes them.
    weights : float64[S]
        Differences count so often: a short sentence easily has the largest difference there is.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.2, 0.5], [0.9, 0.6, 0.4]])
    >>> by_difference(scores, np.ones(3)), by_difference(scores, np.array([3.0, 2.0, 9.0]))
    ([1, 2, 0], [2, 1, 0])
    >>> by_difference(scores[:1], np.ones(3))
    [1, 2, 0]
    """
    mean, spread = _mean_and_spread(scores)
    keys = spread * weights if len(scores) > 1 else -mean
    order: list[int] = np.argsort(np.where(np.isnan(keys), np.inf, -keys), kind="stable").tolist()
    return order


def by_interest(scores: Float64, sections: Sequence[Section]) -> list[int]:
    """Return all sentences, those most worth a picture first.

    In turn: the one with the lowest mean score, the one with the largest difference between two
    systems, and the next example of the sections, each table's first rows first.

    Parameters
    ----------
    scores : float64[N, S]
        As `Analysis.scores` returns them; with their signs changed if lower ones are better.
    sections : sequence of Section

    Examples
    --------
    >>> by_interest(np.array([[0.9, 0.2, 0.5, 0.6], [0.9, 0.2, 0.4, 1.0]]), [])
    [1, 3, 2, 0]
    """
    mean, spread = _mean_and_spread(scores)
    worst = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable")
    widest = np.argsort(-np.where(np.isnan(spread), -1, spread), kind="stable")
    columns = worst, widest, np.fromiter(_examples(sections), np.int64)
    turns = np.full((max(map(len, columns)), len(columns)), -1)
    for number, column in enumerate(columns):
        turns[: len(column), number] = column
    found, first = np.unique(turns, return_index=True)
    inside = (found >= 0) & (found < scores.shape[1])
    order: list[int] = found[inside][np.argsort(first[inside])].tolist()
    return order


def _mean_and_spread(scores: Float64) -> tuple[Float64, Float64]:
    """Return of each sentence the mean of the scores, and the highest less the lowest."""
    if not len(scores):
        return (np.zeros(scores.shape[1]),) * 2
    with warnings.catch_warnings():
        # A sentence that all systems left out has no mean.
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmean(scores, axis=0), np.nanmax(scores, axis=0) - np.nanmin(scores, axis=0)


def shown_pair(
    systems: Sequence[AnalysedSystem], scores: Float64, sentence: int
) -> tuple[int, ...]:
    """Choose the two systems of a sentence that are drawn side by side.

    Parameters
    ----------
    systems : sequence of AnalysedSystem
    scores : float64[N, S]
        As `Analysis.scores` returns them.
    sentence : int
        Counted from 0.

    Returns
    -------
    tuple of int
        Two systems with the same rules and different trees, as in Talbot et al. (2011), Figures 1
        and 2: those whose scores differ most, the first of equal ones. If no score of such a pair
        differs, the two of all systems that differ most. One system if there is no other.
    """
    if len(systems) < 2:
        return tuple(range(len(systems)))
    column = np.nan_to_num(scores[:, sentence])

    def difference(pair: tuple[int, int]) -> float:
        return float(abs(column[pair[0]] - column[pair[1]]))

    pairs = list(combinations(range(len(systems)), 2))
    parsers = [
        (a, b)
        for a, b in pairs
        if systems[a].rules == systems[b].rules
        and systems[a].treebank is not None
        and systems[b].treebank is not None
        and systems[a].treebank is not systems[b].treebank
    ]
    best = max(parsers, key=difference, default=None)
    if best is None or difference(best) == 0:
        farthest = max(pairs, key=difference)
        if best is None or difference(farthest) > 0:
            best = farthest
    return best


def _examples(sections: Sequence[Section]) -> Iterator[int]:
    """Yield the examples of all tables: the first of each first row, then of each second row."""
    for rows in zip_longest(*(section.examples for section in sections), fillvalue=()):
        for row in zip_longest(*rows):
            yield from (sentence for sentence in row if sentence is not None)
