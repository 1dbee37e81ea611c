"""The imperative rate: how many sentences begin with a verb that is the root of their tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.metrics.trees.punctuation import kept_words
from wordorder.treebank.coarse_tags import tagged_as
from wordorder.treebank.treebank import NO_HEAD, ROOT, Treebank
from wordorder.types import Bool


@dataclass(frozen=True, eq=False)
class Imperatives:
    """Which sentences of a treebank are parsed as imperatives.

    Attributes
    ----------
    imperative : bool[S]
        Whether the first word that is no punctuation is a verb and the root.
    counted : bool[S]
        Sentences with a tree and a word that is no punctuation.
    """

    imperative: Bool
    counted: Bool

    @property
    def rate(self) -> float:
        """The share of the counted sentences that are imperatives, 0 of none."""
        return int(self.imperative.sum()) / max(int(self.counted.sum()), 1)


def imperatives(treebank: Treebank) -> Imperatives:
    """Find the sentences whose parse begins with a root verb.

    Katz-Brown et al. (2011, section 5.3.2, footnote 5) count them as imperatives, as an
    approximation. Punctuation before the first word is passed over here. Verbs are what
    `wordorder.treebank.coarse_tags.tagged_as` takes for verbs.

    Parameters
    ----------
    treebank : Treebank
        With tags; sentences without trees are not counted.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [['"', "Click", "here"], ["We", "click"]], heads=[[2, 0, 2], [2, 0]],
    ...     upos=[["PUNCT", "VERB", "ADV"], ["PRON", "VERB"]],
    ... )
    >>> found = imperatives(bank)
    >>> found.imperative.tolist(), found.rate
    ([True, False], 0.5)
    """
    sentences = len(treebank)
    row = np.repeat(np.arange(sentences), treebank.lengths)
    spoken = np.flatnonzero(kept_words(treebank, "exclude"))[::-1]
    first = np.full(sentences, -1, np.int64)
    # Written from behind: of several words of a sentence the first one stays.
    first[row[spoken]] = spoken
    headless = np.bincount(row[treebank.heads == NO_HEAD], minlength=sentences) > 0
    counted = (first >= 0) & ~headless
    at = first[counted]
    imperative = np.zeros(sentences, np.bool_)
    imperative[counted] = (treebank.heads[at] == ROOT) & tagged_as(treebank, "verb")[at]
    return Imperatives(imperative, counted)
