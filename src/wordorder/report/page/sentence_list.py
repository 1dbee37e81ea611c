"""The sentences of a page: those on which systems differ most, then all others, compressed."""

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
from wordorder.report.page.template_data import PictureRow
from wordorder.report.sections import AnyAnalysis

if TYPE_CHECKING:
    from markupsafe import Markup

# Sentences that are in the page as HTML; the browser unpacks the others on request.
LISTED_SENTENCES = 30

# The first of them have pictures in the page; pictures of others are compressed.
PICTURED_SENTENCES = 10


@dataclass(frozen=True)
class SentenceList:
    """The sentences of a page as HTML.

    Attributes
    ----------
    blocks : tuple of str
        The sentences on which systems differ most, in this order.
    packed : str
        The other sentences in the order of the corpus, deflated, in base 64; "" for none.
    others : int
        The number of packed sentences.
    drawn : tuple of int
        The numbers, from 1, of the sentences with pictures.
    """

    blocks: tuple[str, ...] = ()
    packed: str = ""
    others: int = 0
    drawn: tuple[int, ...] = ()


@dataclass(frozen=True)
class Result:
    """The output of one system for a sentence, or of several with equal outputs.

    Attributes
    ----------
    systems : tuple of str
    words : Markup
        The marked words; see `wordorder.report.marks.words_html`.
    scores : str
    """

    systems: tuple[str, ...]
    words: Markup
    scores: str


def score_text(value: float) -> str:
    """Format the score of a sentence.

    Examples
    --------
    >>> score_text(0.5), score_text(float("nan"))
    ('0.500', '–')
    """
    return "–" if isnan(value) else f"{value:.3f}"


def scores_and_keys(length: int, column: Sequence[float], weight: float = 1.0) -> tuple[str, str]:
    """Return the range of scores of a sentence as text, and the keys by which lists are sorted.

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
    """The contract of sentences of an analysis, for lists."""

    @property
    def scores(self) -> Float64:
        """The score of each system's sentences, float64[N, S]; NaN for skipped sentences."""

    @property
    def weights(self) -> Float64:
        """The number of compared words of each sentence, float64[S]: the weight of differences."""

    def views(self, chosen: Set[int]) -> Iterator[Any]:
        """Yield the views of some sentences for `write`, in the order of the corpus."""

    def pictures(self, sentence: int) -> Sequence[PictureRow]:
        """Draw a sentence, by its index."""


def sentence_list(
    analysis: AnyAnalysis,
    sentences: Sentences,
    write: Callable[[Any, Sequence[PictureRow]], str],
    *,
    capacity: int,
    pictures: int,
    requested: Sequence[int],
) -> SentenceList:
    """Return the sentences of a page, as many as fit.

    Parameters
    ----------
    analysis : Analysis
    sentences : Sentences
        The sentences of the analysis.
    write : callable
        Returns the HTML of a view with its pictures.
    capacity : int
        The maximum number of bytes. The least interesting sentences are left out first, requested
        ones never.
    pictures : int
        The maximum number of sentences with pictures, besides the requested ones.
    requested : sequence of int
        Indices of sentences that come first and have pictures.
    """
    quality = sentences.scores if analysis.higher_is_better else -sentences.scores
    first_of_all = dict.fromkeys(requested)
    interest = by_interest(quality, analysis.sections)
    if first_of_all:
        interest = [*first_of_all, *(i for i in interest if i not in first_of_all)]
    different = by_difference(quality, sentences.weights)[: LISTED_SENTENCES + len(requested)]
    listed_sentences = list(dict.fromkeys([*requested, *different]))[
        : max(LISTED_SENTENCES, len(requested))
    ]
    # Free what the analysis cached for all sentences.
    free_memory()
    pictures_of: dict[int, Sequence[PictureRow]] = {}
    for i in dict.fromkeys(
        [
            *requested,
            *listed_sentences[:PICTURED_SENTENCES],
            *(i for i in interest if i not in listed_sentences),
        ]
    ):
        if len(pictures_of) == pictures + len(requested):
            break
        if rows := sentences.pictures(i):
            pictures_of[i] = rows

    def blocks(chosen: Iterable[int]) -> Iterator[str]:
        """Yield some sentences one by one, to save memory."""
        for view in sentences.views(set(chosen)):
            yield write(view, pictures_of.get(view.number - 1, ()))

    first = dict(zip(sorted(listed_sentences), blocks(listed_sentences), strict=True))
    capacity -= sum(len(block.encode()) + 1 for block in first.values())
    other_sentences = [i for i in interest if i not in first]
    packed, size = _packed(blocks(other_sentences), capacity)
    while other_sentences and size > capacity:
        # Estimated from the compression so far.
        other_sentences = other_sentences[
            : int(len(other_sentences) * max(capacity, 0) / size * 0.98)
        ]
        packed, size = _packed(blocks(other_sentences), capacity)
    kept_sentences = {*listed_sentences, *other_sentences}
    return SentenceList(
        tuple(first[i] for i in listed_sentences),
        packed,
        len(other_sentences),
        tuple(sorted(i + 1 for i in pictures_of if i in kept_sentences)),
    )


def _packed(blocks: Iterable[str], capacity: int) -> tuple[str, int]:
    """Join blocks by line breaks, deflate them and encode them in base 64.

    Returns
    -------
    str, int
        The text, empty for no blocks or if it is longer than `capacity`; and its length.
    """
    deflating, separator, parts, size = zlib.compressobj(4), "", [], 0
    for block in blocks:
        parts.append(deflating.compress(f"{separator}{block}".encode()))
        separator = "\n"
        size += len(parts[-1])
        if size > capacity:
            parts.clear()
    if not separator:
        return "", 0
    parts.append(deflating.flush())
    length = -(-(size + len(parts[-1])) // 3) * 4
    return base64.b64encode(b"".join(parts)).decode() if length <= capacity else "", length


def by_difference(scores: Float64, weights: Float64) -> list[int]:
    """Return all sentences, by decreasing difference of two systems; of one system the worst first.

    Parameters
    ----------
    scores : float64[N, S]
        See `by_interest`.
    weights : float64[S]
        Weights of differences: short sentences easily have the largest possible difference.

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
    """Return all sentences, the most interesting ones first.

    Alternating: the lowest mean score, the largest difference between two systems, and the next
    example of the sections, from the first rows of all tables on.

    Parameters
    ----------
    scores : float64[N, S]
        See `Analysis.scores`; negated if lower is better.
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
    rounds = np.full((max(map(len, columns)), len(columns)), -1)
    for index, column in enumerate(columns):
        rounds[: len(column), index] = column
    sentences, first_positions = np.unique(rounds, return_index=True)
    is_sentence = (sentences >= 0) & (sentences < scores.shape[1])
    order: list[int] = sentences[is_sentence][np.argsort(first_positions[is_sentence])].tolist()
    return order


def _mean_and_spread(scores: Float64) -> tuple[Float64, Float64]:
    """Return the mean score of each sentence, and its highest minus its lowest score."""
    if not len(scores):
        return (np.zeros(scores.shape[1]),) * 2
    with warnings.catch_warnings():
        # A sentence that all systems skip has no mean.
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmean(scores, axis=0), np.nanmax(scores, axis=0) - np.nanmin(scores, axis=0)


def shown_pair(
    systems: Sequence[AnalysedSystem], scores: Float64, sentence: int
) -> tuple[int, ...]:
    """Return the two systems whose results for a sentence are drawn side by side.

    Parameters
    ----------
    systems : sequence of AnalysedSystem
    scores : float64[N, S]
        See `Analysis.scores`.
    sentence : int
        The index of the sentence.

    Returns
    -------
    tuple of int
        Two systems with the same rules and different trees, as in Talbot et al. (2011), Figures 1
        and 2: the pair whose scores differ most, the first one on ties. If no score of such a pair
        differs, the pair of any systems that differs most. One system if there is no other.
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
    """Yield the examples of all tables: of their first rows, then of their second rows, …"""
    for rows in zip_longest(*(section.examples for section in sections), fillvalue=()):
        for row in zip_longest(*rows):
            yield from (sentence for sentence in row if sentence is not None)
