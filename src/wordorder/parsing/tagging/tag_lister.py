"""Lists of tag sequences, one sentence at a time, and updates towards the better ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError
from wordorder.kernels import tagger
from wordorder.kernels._run import call
from wordorder.parsing.tagging.tag_model import TagModel
from wordorder.parsing.tagging.word_attributes import COLUMNS
from wordorder.parsing.weights import UNIT, Weights
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.kbest import KBest
from wordorder.treebank.one_list import OneList
from wordorder.treebank.treebank import NO_HEAD, Treebank
from wordorder.types import Int32

# So many pairs of tags are kept a word for a list, if the beam is not wider.
LIST_BEAM = 16


class TagSentences:
    """Sentences as a tagger sees them, to learn from any tags of theirs.

    Parameters
    ----------
    model : TagModel
    sentences : Treebank
        Of which only the forms are looked at.
    """

    def __init__(self, model: TagModel, sentences: Treebank) -> None:
        self.model = model
        self.offsets = sentences.offsets
        self.attributes, self.words = model.attributes(sentences.form, self.offsets)

    def numbers(self, row: int, tags: Sequence[tuple[str, ...]] | Int32) -> Int32:
        """Return the numbers of a sentence's tags.

        Raises
        ------
        InputError
            If there are not as many as words, or one is not known.
        """
        known = {tag: number for number, tag in enumerate(self.model.tag_set.tags)}
        n = int(self.offsets[row + 1] - self.offsets[row])
        where = f"sentence {row + 1}"
        if len(tags) != n:
            raise InputError(where, f"{len(tags)} tags", str(n))
        numbers = [known.get(tag, -1) if isinstance(tag, tuple) else int(tag) for tag in tags]
        for word, number in enumerate(numbers):
            if not 0 <= number < len(known):
                raise InputError(f"{where}, word {word + 1}", f"tag {tags[word]!r}", "a known tag")
        return np.array(numbers, np.int32)

    def update(self, weights: Weights, row: int, better: Int32, worse: Int32, before: int) -> bool:
        """Add the features of one tag sequence to the weights and take off another's.

        Parameters
        ----------
        weights : Weights
        row : int
            Number of the sentence.
        better, worse : int32[n]
            Numbers of tags.
        before : int
            How many instances these weights have seen.

        Returns
        -------
        bool
            Whether the sequences differ.
        """
        if np.array_equal(better, worse):
            return False
        model = self.model
        start, stop = self.offsets[row : row + 2].tolist()
        templates = len(model.templates.names)
        alone = np.array([0, stop - start])
        features = model.keys(self.attributes, self.words[start:stop], alone, 0, templates)
        room = 2 * templates * (stop - start)
        keys, actions = np.empty(room, np.uint64), np.empty(room, np.int32)
        search = model.search(0, weights, beam=1)
        given = (features, better, worse, keys, actions, stop - start)
        changes = call(tagger.favour_tags, search, *given)
        deltas = np.tile(np.array([UNIT, -UNIT], np.int32), changes // 2)
        weights.add(keys[:changes], actions[:changes], deltas, before)
        return True


class TagLister:
    """Lists the best tag sequences of a sentence, and favours one of them.

    Parameters
    ----------
    sentences : TagSentences
    lists : OneList
        Of the same sentences.
    weights : Weights
        Read for each list, and changed.
    """

    def __init__(self, sentences: TagSentences, lists: OneList, weights: Weights) -> None:
        self._sentences, self._lists = sentences, lists
        self._weights = weights
        tag_set = sentences.model.tag_set
        self._names = {
            name: Vocabulary([tag[place] for tag in tag_set.tags] or [NOTHING])
            for place, name in enumerate(tag_set.columns)
        }
        self._row = 0
        self._tags = np.zeros((0, 0), np.int32)

    def listed(self, row: int, k: int) -> KBest:
        """Return up to `k` tag sequences of a sentence, without trees."""
        sentences, model, weights = self._sentences, self._sentences.model, self._weights
        start, stop = sentences.offsets[row : row + 2].tolist()
        used, places = np.unique(sentences.words[start:stop], return_inverse=True)
        attributes = sentences.attributes.reshape(-1, COLUMNS)[used].reshape(-1)
        words, alone = places.reshape(-1).astype(np.int32), model.templates.alone
        offsets = np.array([0, stop - start])
        sums = model.form_sums(attributes, weights)
        keys = model.keys(attributes, words, offsets, alone, len(model.templates.names))
        beam = max(model.beam, LIST_BEAM)
        lattice = model.lattice(stop - start, 1, beam=beam, every_arc=True)
        search = model.search(alone, weights, beam=beam, every_arc=True)
        call(tagger.write_to, search, *lattice.arrays)
        call(tagger.tag_rows, search, keys, words, offsets, sums, 1)
        tags, _, scores = lattice.best(offsets, 0, 1, k)
        self._row, self._tags = row, tags.reshape(len(scores), -1)
        columns = {name: Column(tags, strings) for name, strings in self._names.items()}
        heads = np.full(len(tags), NO_HEAD, np.int32)
        return self._lists.candidates(row, scores / UNIT, heads=heads, **columns)

    def prefer(self, better: int, before: int) -> bool:
        """Favour a sequence of the last list over the first one."""
        good, bad = self._tags[better], self._tags[0]
        return self._sentences.update(self._weights, self._row, good, bad, before)
