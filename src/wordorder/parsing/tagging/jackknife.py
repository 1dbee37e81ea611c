"""Jackknifing: tags for training data as a tagger gives them that has not seen the sentence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordorder.errors import UsageError
from wordorder.parsing.base import Tagger
from wordorder.parsing.training.shuffling import shuffled
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64


def jackknife(
    treebank: Treebank,
    train: Callable[[Treebank], Tagger],
    *,
    folds: int = 10,
    seed: int = 1,
    groups: Int64 | None = None,
) -> Treebank:
    """Tag each part of a treebank by a tagger that is trained on the other parts.

    A parser that is trained on such tags has seen the mistakes that it will meet.

    Parameters
    ----------
    treebank : Treebank
    train : callable
        Trains a tagger.
    folds : int, at least 2
        Into how many parts the sentences are cut, at random; with fewer sentences, as many.
    seed : int
    groups : int64[S], optional
        The number of each sentence's group, counted from 0; a group is never cut apart.

    Returns
    -------
    Treebank
        The same sentences in the same order, with predicted tags.

    Raises
    ------
    UsageError
        If there are fewer than two folds or sentences.

    Examples
    --------
    >>> class First:
    ...     def __init__(self, seen):
    ...         self.tag_seen = seen.xpos.strings()[0]
    ...     def tag(self, sentences):
    ...         return sentences.replace(xpos=sentences.xpos.map(lambda _: self.tag_seen))
    >>> bank = Treebank.from_words([["a"], ["b"]], xpos=[["A"], ["B"]])
    >>> jackknife(bank, First).xpos.strings()
    ['B', 'A']
    """
    if type(folds) is not int or folds < 2:
        raise UsageError(f"jackknifing takes at least 2 folds, not {folds!r}")
    groups = np.arange(len(treebank)) if groups is None else groups
    number = int(groups.max(initial=-1)) + 1
    if number < 2:
        raise UsageError(f"jackknifing takes at least 2 sentences, not {number}")
    chosen = np.array_split(shuffled(number, seed), min(folds, number))
    parts = [np.flatnonzero(np.isin(groups, part)) for part in chosen]
    tagged = []
    for part in parts:
        rest = np.setdiff1d(np.arange(len(treebank)), part)
        tagged.append(train(treebank.take(rest)).tag(treebank.take(part)))
    back = np.argsort(np.concatenate(parts))
    return Treebank.concatenate(tagged).take(back)
