"""How a parser reads a text: imperatives, and words as nouns or verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.metrics.trees.imperatives import imperatives
from wordorder.treebank.tag_counts import tag_counts
from wordorder.treebank.treebank import Treebank


@dataclass
class Readings:
    """What Table 3 of Katz-Brown et al. (2011) counts in the trees of a text.

    Attributes
    ----------
    words : sequence of str
        Whose tags are counted, whatever the case of their letters.
    sentences : int
        Sentences so far.
    counted, imperative : int
        Sentences with a word that is no punctuation, and those of them that begin with a verb
        that is the root.
    nouns, verbs : dict of word to int
        How often each word is tagged as a noun or name, and as a verb or auxiliary.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [["Click", "here"], ["A", "click"]], heads=[[0, 1], [2, 0]],
    ...     upos=[["VERB", "ADV"], ["DET", "NOUN"]],
    ... )
    >>> found = Readings(("click",))
    >>> found.add(bank)
    >>> found.nouns, found.verbs, found.rate
    ({'click': 1}, {'click': 1}, 0.5)
    """

    words: Sequence[str] = ()
    sentences: int = 0
    counted: int = 0
    imperative: int = 0
    nouns: dict[str, int] = field(default_factory=dict)
    verbs: dict[str, int] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """The imperative rate: the share of the counted sentences, 0 of none."""
        return self.imperative / max(self.counted, 1)

    def add(self, trees: Treebank) -> None:
        """Count further trees, one a sentence."""
        found = imperatives(trees)
        self.sentences += len(trees)
        self.counted += int(np.count_nonzero(found.counted))
        self.imperative += int(np.count_nonzero(found.imperative))
        for word in self.words:
            counts = tag_counts(trees, word)
            self.nouns[word] = self.nouns.get(word, 0) + counts.nouns
            self.verbs[word] = self.verbs.get(word, 0) + counts.verbs

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Readings:
        """Make it again of its fields."""
        return cls(**{**found, "words": tuple(found["words"])})
