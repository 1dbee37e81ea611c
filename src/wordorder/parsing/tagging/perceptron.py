"""The perceptron tagger: a linear model over spellings, neighbours and the tags before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from wordorder.kernels import tagger
from wordorder.kernels._run import call
from wordorder.parsing.learner import Step, Tally
from wordorder.parsing.model_arrays import weights_arrays, weights_from_arrays
from wordorder.parsing.tagging.lattice import Found, Lattice, list_tags, tag_sentences
from wordorder.parsing.tagging.tag_lister import LIST_BEAM, TagLister, TagSentences
from wordorder.parsing.tagging.tag_model import TagModel
from wordorder.parsing.tagging.tag_set import Choices
from wordorder.parsing.weights import UNIT, Weights
from wordorder.treebank.kbest import KBest
from wordorder.treebank.one_list import OneList
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Bool, Int32, Int64

# Sums of words by tag that are kept at a time, and nodes of lattices.
PIECE = 1 << 22
Tags = Sequence[tuple[str, ...]] | Int32
# While it learns, a wrong tag counts as much more as it would by so many updates.
MARGIN = 2
# Below all sums of weights, and so far above the least number of 32 bits that these fit in.
FORBIDDEN = -(1 << 29)


class PerceptronTagger:
    """Tags words by a linear model over tag sequences (Collins 2002).

    The score of a tag sequence is the sum of the weights of its features; a beam over the last
    two tags finds the best sequence.

    Parameters
    ----------
    model : TagModel
        Tags, words and features.
    weights : Weights
        Of each feature for each tag.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], xpos=[["PRP", "VBZ"]])
    >>> learner = TaggerLearner(bank)
    >>> weights = learner.new_weights()
    >>> learner.learn(np.zeros(1, np.int64), weights, before=0)
    Tally(instances=1, updates=1, losses=())
    >>> tagger = learner.model(weights)
    >>> tagger.tag(Treebank.from_words([["He", "rains"]])).xpos.strings()
    ['PRP', 'VBZ']
    """

    kind: ClassVar[str] = "perceptron-tagger"

    def __init__(self, model: TagModel, weights: Weights) -> None:
        self.model = model
        self.weights = weights

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags.

        Parameters
        ----------
        sentences : Treebank
            Only the forms are looked at.

        Returns
        -------
        Treebank
            With ``upos``, ``xpos`` or both, as in training; the rest is as it was.
        """
        words = max(1, PIECE // len(self.model.tag_set))
        return tag_sentences(
            sentences, self.model.tag_set, lambda rows, k: self._found(sentences, rows, k), words
        )

    def complete(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags that agree with those that they have.

        Parameters
        ----------
        sentences : Treebank
            A word that has one of its two tags gets the other from the pairs of the training
            data that hold the first.
        """
        words = max(1, PIECE // len(self.model.tag_set))
        choices = self.model.tag_set.choices(sentences)
        return tag_sentences(
            sentences,
            self.model.tag_set,
            lambda rows, k: self._found(sentences, rows, k, choices=choices),
            words,
        )

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data that are not rare, as `normal_form` writes them."""
        return self.model.forms

    def kbest_tags(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct tag sequences of each sentence, best first.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096

        Returns
        -------
        KBest
            Its trees have no heads; a score is the sum of the weights.

        Raises
        ------
        UsageError
            If `k` is not such a number.

        Notes
        -----
        The list is exact among the sequences of the tag pairs that are kept, at least 16 a word.
        These are more than `tag` keeps, so that the first entry may have a higher score than
        what `tag` finds. A shorter list is the beginning of a longer one.
        """
        words = max(1, PIECE // max(len(self.model.tag_set), LIST_BEAM**2))
        return list_tags(
            sentences,
            self.model.tag_set,
            lambda rows, k: self._found(sentences, rows, k, lists=True),
            words,
            k,
            UNIT,
        )

    def _found(
        self,
        sentences: Treebank,
        rows: slice,
        k: int,
        *,
        lists: bool = False,
        choices: Choices | None = None,
    ) -> Found:
        """Tag some sentences."""
        model = self.model
        offsets = sentences.offsets[rows.start : rows.stop + 1]
        span = slice(int(offsets[0]), int(offsets[-1]))
        form = sentences.form[span]
        offsets = offsets - offsets[0]
        attributes, words = model.attributes(form, offsets)
        alone = model.templates.alone
        sums = model.form_sums(attributes, self.weights)
        keys = model.keys(attributes, words, offsets, alone, len(model.templates.names))
        beam = max(model.beam, LIST_BEAM) if lists else model.beam
        number = len(offsets) - 1
        lattice = model.lattice(len(words), number, beam=beam, every_arc=lists)
        search = model.search(alone, self.weights, beam=beam, every_arc=lists)
        call(tagger.write_to, search, *lattice.arrays)
        if choices is not None:
            words, sums = _restricted(words, sums, choices.kind[span], choices.allowed)
        call(tagger.tag_rows, search, keys, words, offsets, sums, number)
        return lattice.best(offsets, 0, number, k)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        about, arrays = self.model.parts()
        return about, {**arrays, **weights_arrays("weights", self.weights)}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> PerceptronTagger:
        """Make the tagger again; whatever does not fit together raises `ModelError`."""
        model = TagModel.from_parts(about, arrays)
        return cls(model, weights_from_arrays("weights", arrays, len(model.tag_set)))


def _restricted(words: Int32, sums: Int32, kind: Int64, allowed: Bool) -> tuple[Int32, Int32]:
    """Return words by form and kind, and their sums, which no other tag can make up for."""
    tags = allowed.shape[1]
    pairs, places = np.unique(words * np.int64(len(allowed)) + kind, return_inverse=True)
    word, own = np.divmod(pairs, len(allowed))
    found = np.where(allowed[own], sums.reshape(-1, tags)[word], FORBIDDEN).astype(np.int32)
    return places.reshape(-1).astype(np.int32), found.reshape(-1)


class TaggerLearner:
    """Learns a perceptron tagger: max-violation updates (Huang et al. 2012) with a margin.

    A sentence that is tagged wrong changes the weights by the features of the right and of the
    best wrong sequence up to the word where the wrong one is farthest ahead.

    Parameters
    ----------
    treebank : Treebank
        Tagged sentences.
    tags : {"both", "upos", "xpos"}
        Which columns the tagger will fill.
    lowercase : bool
        Put words in lower case, in training and in tagging.
    any_case : bool
        Let case count for nothing in sentences whose letters all have the same: all lower, or all
        capitals. Trees in both cases to learn from make such a tagger good at both.
    beam : int, 1 to 64
        Pairs of tags that are kept a word.

    Raises
    ------
    InputError
        If there are no words, or words without a tag.
    UsageError
        If an option has no such value.
    """

    def __init__(
        self,
        treebank: Treebank,
        *,
        tags: str = "both",
        lowercase: bool = False,
        any_case: bool = False,
        beam: int = 4,
    ) -> None:
        self._model, self._gold = TagModel.learn(
            treebank, tags=tags, lowercase=lowercase, any_case=any_case, beam=beam
        )
        self._sentences = TagSentences(self._model, treebank)

    @property
    def instances(self) -> int:
        """How many sentences there are to learn from."""
        return len(self._sentences.offsets) - 1

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return Weights(len(self._model.tag_set))

    def learn(self, rows: Int64, weights: Weights, before: int) -> Tally:
        """Process sentences in the given order and change the weights in place.

        Parameters
        ----------
        rows : int64 array
            Numbers of sentences.
        weights : Weights
        before : int
            How many instances these weights have seen; counts up with each sentence.
        """
        step = self.step(weights)
        updates = sum(step(row, seen) for seen, row in enumerate(rows.tolist(), before))
        return Tally(len(rows), updates)

    def step(self, weights: Weights) -> Step:
        """Return what processes one sentence at a time, as `learn` does."""
        model, sentences = self._model, self._sentences
        templates = len(model.templates.names)
        longest = int(np.diff(sentences.offsets).max(initial=0))
        room = 2 * templates * longest
        keys, actions = np.empty(room, np.uint64), np.empty(room, np.int32)
        deltas = np.tile(np.array([UNIT, -UNIT], np.int32), room // 2)
        found = np.empty(longest, np.int32)
        lattice = Lattice.room(longest + 1, longest * model.beam, longest * model.beam)
        search = model.search(0, weights, beam=model.beam)
        call(tagger.write_to, search, *lattice.arrays)

        def process(row: int, before: int) -> bool:
            start, stop = sentences.offsets[row : row + 2].tolist()
            words, gold = sentences.words[start:stop], self._gold[start:stop]
            alone = np.array([0, stop - start])
            features = model.keys(sentences.attributes, words, alone, 0, templates)
            # Room for new features may have moved the weights.
            call(tagger.weigh, search, *weights.tables, weights.key_mask)
            arrays = (gold, MARGIN * UNIT, found, keys, actions)
            changes = call(tagger.learn_row, search, features, *arrays, stop - start)
            if changes:
                weights.add(keys[:changes], actions[:changes], deltas[:changes], before)
            return bool(changes)

        return process

    def lister(self, sentences: Treebank) -> Callable[[Weights], TagLister]:
        """Return what makes listers of any sentences; candidates have tags and no trees."""
        encoded = TagSentences(self._model, sentences)
        return lambda weights: TagLister(encoded, OneList(sentences), weights)

    def update(self, weights: Weights, row: int, better: Tags, worse: Tags, before: int) -> bool:
        """Favour some tags of a training sentence over others.

        Parameters
        ----------
        weights : Weights
        row : int
            Number of the sentence.
        better, worse : tags, one a word
            Each as the tagger writes it into its columns, such as ``("NOUN", "NN")``, or its
            number.
        before : int
            How many instances these weights have seen.

        Returns
        -------
        bool
            Whether they differ.

        Raises
        ------
        InputError
            If a tag is not known, or their number is not that of the words.
        """
        more, less = self._sentences.numbers(row, better), self._sentences.numbers(row, worse)
        return self._sentences.update(weights, row, more, less, before)

    def model(self, weights: Weights) -> PerceptronTagger:
        """Return the tagger that has these (averaged) weights."""
        return PerceptronTagger(self._model, weights)
