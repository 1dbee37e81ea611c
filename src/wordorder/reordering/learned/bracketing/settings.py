"""What a bracketing model reads and how it searches."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError, choose
from wordorder.kernels import bracketing as kernel
from wordorder.kernels._run import call
from wordorder.reordering.learned.base import READS
from wordorder.reordering.learned.bracketing.sentences import (
    ATTRIBUTES,
    TAGS,
    WordArrays,
    frequent_words,
    word_arrays,
)
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array

# The weights are a table of 2**bits pairs, indexed by the keys of features. Features that share a
# pair cost no accuracy: tables of 2^16 to 2^22 pairs give the same scores on a few thousand
# sentences. A table that the processor's cache holds is three times as fast.
FEWEST_BITS, MOST_BITS = 16, 22
# Pairs of weights for each word to learn from.
PAIRS_A_WORD = 8
WIDEST = 1000


@dataclass(frozen=True)
class Settings:
    """What a bracketing model reads and how it searches.

    Attributes
    ----------
    attributes : tuple of str
        What its features read of a word; the first is the form.
    trees : bool
        Whether they read a dependency tree.
    bits : int
        The weights are ``2**bits`` pairs.
    beam : int
        How many derivations the search keeps.
    frequent : tuple of str
        Words that are classes by themselves, where no tags are read.
    """

    attributes: tuple[str, ...]
    trees: bool
    bits: int
    beam: int = 20
    frequent: tuple[str, ...] = ()

    @classmethod
    def for_training(
        cls, treebank: Treebank, *, reads: str | None = None, beam: int = 20
    ) -> Settings:
        """Return the settings for training on some sentences.

        Parameters
        ----------
        treebank : Treebank
        reads : "words", "tags", "trees" or None
            What the model reads; None is all that the sentences have.
        beam : int

        Raises
        ------
        UsageError
            If the beam is not from 1 to 1,000, or the sentences lack what is to be read.
        """
        if not 1 <= beam <= WIDEST:
            raise UsageError(f"a beam is from 1 to {WIDEST} wide, not {beam}")
        tags = [name for name in TAGS if treebank.columns[name].said().any()]
        trees = treebank.has_trees and treebank.words > 0
        if reads is None:
            reads = "trees" if trees else "tags" if tags else "words"
        choose("reads", reads, READS)
        if reads == "trees" and not trees:
            raise UsageError("the sentences have no trees to learn from; parse them first")
        if reads == "tags" and not tags:
            raise UsageError("the sentences have no tags to learn from; tag them first")
        if reads == "words":
            attributes = ("form", "class")
        else:
            attributes = ("form", *tags, *(("label",) if reads == "trees" else ()))
        bits = (PAIRS_A_WORD * treebank.words).bit_length()
        bits = min(max(bits, FEWEST_BITS), MOST_BITS)
        frequent = frequent_words(treebank.form) if reads == "words" else ()
        return cls(attributes, reads == "trees", bits, beam, frequent)

    @classmethod
    def from_parts(cls, said: Any) -> Settings:
        """Make settings of what a file says.

        Raises
        ------
        ModelError
            If that cannot be.
        """
        try:
            numbers = said["trees"], said["bits"], said["beam"]
            settings = cls(tuple(said["attributes"]), *numbers, tuple(said["frequent"]))
        except (KeyError, TypeError) as error:
            raise ModelError(f"the settings of the model are damaged ({error})") from error
        names = settings.attributes
        if not (
            names
            and set(names) <= set(ATTRIBUTES)
            and type(settings.trees) is bool
            and type(settings.bits) is int
            and FEWEST_BITS <= settings.bits <= MOST_BITS
            and type(settings.beam) is int
            and 1 <= settings.beam <= WIDEST
            and all(isinstance(word, str) for word in settings.frequent)
        ):
            raise ModelError("the settings of the model are damaged")
        return settings

    @property
    def reads(self) -> str:
        """What the model needs of a sentence: ``words``, ``tags`` or ``trees``."""
        if self.trees:
            return "trees"
        return "tags" if set(self.attributes) & set(TAGS) else "words"

    @property
    def weights(self) -> int:
        """How many weights there are."""
        return 2 << self.bits

    def parts(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        lists = {"attributes": list(self.attributes), "frequent": list(self.frequent)}
        return {**asdict(self), **lists}

    def words(self, treebank: Treebank) -> WordArrays:
        """Return what the kernel reads of sentences.

        Raises
        ------
        InputError
            If a sentence lacks what is to be read.
        """
        return word_arrays(treebank, self.attributes, trees=self.trees, frequent=self.frequent)

    def search(
        self,
        words: WordArrays,
        weights: Array,
        *,
        longest: int | None = None,
        bonus: float = 0.0,
    ) -> Any:
        """Return a search of the kernel over some sentences with some weights.

        `bonus` goes to the score of each straight split.
        """
        tag = next((k for k, name in enumerate(self.attributes) if name in (*TAGS, "class")), 0)
        most = words.longest if longest is None else longest
        shape = (most, len(self.attributes), tag, self.trees, self.beam)
        search = call(kernel.Search, *shape, 64 - self.bits)
        arrays = (words.attributes, words.heads, words.labels, weights)
        call(kernel.look, search, *(np.ascontiguousarray(array) for array in arrays), bonus)
        return search
