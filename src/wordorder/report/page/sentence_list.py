"""The sentences of a page, as much of each as the page has room for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, zip_longest

import numpy as np

from wordorder.analysis.section import Analysis, Section
from wordorder.report.page.filling import Reported, Sentences, View
from wordorder.types import Float64

# Long sentences may not fit any more where shorter ones do; after so many there is an end.
_REFUSED = 10


@dataclass(frozen=True)
class SentenceList:
    """The written sentences.

    Attributes
    ----------
    blocks : tuple of str
        One a sentence, in the order of the corpus.
    with_results : int
        How many of them have the results of the systems in words.
    drawn : tuple of int
        Which of them have pictures, counted from 1.
    """

    blocks: tuple[str, ...]
    with_results: int
    drawn: tuple[int, ...]


def sentence_list(
    analysis: Reported,
    sentences: Sentences,
    write: Callable[[View], str],
    *,
    room: int,
    pictures: int,
    wanted: Sequence[int],
) -> SentenceList:
    """Write all sentences.

    Every block has source, reference and scores; the words of the results and the pictures
    of the most interesting sentences as long as there is room.

    Parameters
    ----------
    analysis : Reported
    sentences : Sentences
        Of the analysis.
    write : callable
        Makes the block of a view.
    room : int
        How many bytes all blocks may take.
    pictures : int
        How many sentences may have pictures, besides those that are wanted.
    wanted : sequence of int
        Sentences, counted from 0, that have results and pictures whatever room there is.
    """
    scores = sentences.scores
    views = list(sentences.views())
    blocks = [write(view.without_results()) for view in views]
    sizes = [len(block.encode()) for block in blocks]
    # Each block is a line.
    left = room - sum(sizes) - len(sizes)
    quality = scores if analysis.higher_is_better else -scores
    order = list(dict.fromkeys([*wanted, *by_interest(quality, analysis.sections)]))
    share = left - sentences.text_share * left
    with_results = set()
    for i in order:
        block = write(views[i])
        more = len(block.encode()) - sizes[i]
        if i in wanted or left - more >= share:
            with_results.add(i)
            left -= more
            sizes[i] += more
            blocks[i] = block
    drawn: list[int] = []
    refused = 0
    for i in order:
        asked = i in wanted
        if not asked and (len(drawn) >= pictures + len(wanted) or refused == _REFUSED):
            break
        rows = sentences.pictures(i)
        if not rows:
            continue
        block = write(views[i].with_pictures(rows))
        more = len(block.encode()) - sizes[i]
        if asked or more <= left:
            left -= more
            blocks[i] = block
            drawn.append(i + 1)
            with_results.add(i)
        else:
            refused += 1
    return SentenceList(tuple(blocks), len(with_results), tuple(sorted(drawn)))


def score_matrix(analysis: Analysis) -> Float64:
    """Return the scores of all sentences, float64[N, S]; NaN where a sentence was left out."""
    size = len(analysis.corpus.words)
    if not analysis.systems:
        return np.zeros((0, size))
    return np.array(
        [np.where(system.skipped, np.nan, system.scores) for system in analysis.systems]
    )


def by_interest(scores: Float64, sections: Sequence[Section]) -> list[int]:
    """Return all sentences, those most worth a picture first.

    In turn: the one with the lowest mean score, the one with the largest difference between two
    systems, and the next example of the sections, each table's first rows first.

    Parameters
    ----------
    scores : float64[N, S]
        As `score_matrix` returns them; with their signs changed if lower ones are better.
    sections : sequence of Section

    Examples
    --------
    >>> by_interest(np.array([[0.9, 0.2, 0.5, 0.6], [0.9, 0.2, 0.4, 1.0]]), [])
    [1, 3, 2, 0]
    """
    size = scores.shape[1]
    with warnings.catch_warnings():
        # A sentence that all systems left out has no mean.
        warnings.simplefilter("ignore", RuntimeWarning)
        mean = np.nanmean(scores, axis=0) if len(scores) else np.zeros(size)
        spread = np.nanmax(scores, axis=0) - np.nanmin(scores, axis=0) if len(scores) else mean
    worst = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable").tolist()
    widest = np.argsort(-np.where(np.isnan(spread), -1, spread), kind="stable").tolist()
    turns = chain.from_iterable(zip_longest(worst, widest, _examples(sections)))
    # A dictionary keeps the first of equal ones.
    return [i for i in dict.fromkeys(turns) if i is not None and 0 <= i < size]


def shown_pair(analysis: Analysis, scores: Float64, sentence: int) -> tuple[int, ...]:
    """Choose the two systems of a sentence that are drawn beside each other.

    Parameters
    ----------
    analysis : Analysis
    scores : float64[N, S]
        As `score_matrix` returns them.
    sentence : int
        Counted from 0.

    Returns
    -------
    tuple of int
        Two systems with the same rules and different trees, as in Talbot et al. (2011), Figures 1
        and 2: those whose scores differ most, the first of equal ones. If no score of such a pair
        differs, the two of all systems that differ most. One system if there is no other.
    """
    systems = analysis.systems
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
        other = max(pairs, key=difference)
        if best is None or difference(other) > 0:
            best = other
    return best


def _examples(sections: Sequence[Section]) -> Iterator[int]:
    """Yield the examples of all tables: the first of each first row, then of each second row."""
    for rows in zip_longest(*(section.examples for section in sections), fillvalue=()):
        for row in zip_longest(*rows):
            yield from (sentence for sentence in row if sentence is not None)
