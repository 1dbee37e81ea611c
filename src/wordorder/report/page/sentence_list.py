"""The sentences of a page, as much of each as the page has room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wordorder.report.page.interest import by_interest
from wordorder.report.page.reported import Reported, Sentences, View

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
