"""The perceptron tagger: a linear model over spellings, neighbours and preceding tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Bool, Int32, Int64, UInt64, row_offsets, value_indices
from wordorder.errors import InputError, ModelError, UsageError, whole_number
from wordorder.kernels import tagging as kernel
from wordorder.kernels._common import MASK64
from wordorder.kernels._run import call
from wordorder.parsing import model_file
from wordorder.parsing.learners import Best, CandidateSentences, SentenceLearner
from wordorder.parsing.random_order import random_bits
from wordorder.parsing.tagging.tag_set import (
    ATTRIBUTE_COUNT,
    TAGGER_ATTRIBUTES,
    Choices,
    TagSet,
    Templates,
    key_of,
    seen_tags,
    tag_classes,
    word_attributes,
)
from wordorder.parsing.tagging.tnt_counts import Lattice, SequenceTagger, TagSequences
from wordorder.parsing.weights import MAX_ACTIONS, UNIT, Step, Weights
from wordorder.treebank.preparation import has_dotless, in_one_case, lower_case
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

# Scores of words by tag, and nodes of lattices, that are in memory at a time.
MAX_SUMS = 1 << 22

# The tags of a sentence: one string per column for each word, or their indices.
Tags = Sequence[tuple[str, ...]] | Int32

# Margin in training: the score of a wrong tag is raised by this number of updates.
MARGIN_UPDATES = 2

# The penalty of a tag with which a known word was not seen; larger than any sum of weights.
UNSEEN_PENALTY = 1 << 20

# Words seen more often are never hidden: other text has them too, and their neighbours alone
# predict their tags less well.
MAX_HIDDEN_COUNT = 20

# Attributes of a hidden word: no form, and the class of rare words.
HIDDEN_ATTRIBUTES = {"form": 0, "normal": 0, "class": key_of()}

# Below all sums of weights; adding any of these does not underflow 32 bits.
FORBIDDEN_SCORE = -(1 << 29)

# Wider beams only cost time: so many pairs of tags are never close.
MAX_TAGGER_BEAM = 64

# With more tags than `MANY_TAGS`, many are rare: their parts have weights too, and only the best
# `TAGS_TRIED` tags of a word are searched.
MANY_TAGS = 64
TAGS_TRIED = 16

# The minimum beam of a k-best list, in pairs of tags per word.
MIN_LIST_BEAM = 16


class PerceptronTagger(SequenceTagger):
    """Tags words by a linear model over tag sequences (Collins 2002).

    The score of a tag sequence is the sum of the weights of its features; a beam over the last
    two tags finds the best sequence.

    Parameters
    ----------
    model : TagModel
        Tags, words and features.
    weights : Weights
        The weight of each feature for each tag.

    Notes
    -----
    k-best lists are exact within their beam of at least 16 tag pairs per word. This is wider than
    the beam of `tag`, so the first sequence may have a higher score than the one `tag` returns.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], xpos=[["PRP", "VBZ"]])
    >>> learner = TaggerLearner(bank)
    >>> weights = learner.new_weights()
    >>> learner.learn(np.zeros(1, np.int64), weights, before=0)
    UpdateCounts(instances=1, updates=1, losses=())
    >>> tagger = learner.model(weights)
    >>> tagger.tag(Treebank.from_words([["He", "rains"]])).xpos.strings()
    ['PRP', 'VBZ']
    """

    kind: ClassVar[str] = "perceptron-tagger"
    unit = UNIT

    def __init__(self, model: TagModel, weights: Weights) -> None:
        self.model = model
        self.tag_set = model.tag_set
        self.weights = weights

    def learnt_words(self) -> Sequence[str]:
        """Return the normal forms of the frequent words of the training data."""
        return self.model.forms

    def piece(self, *, lists: bool) -> int:
        """Return the number of words tagged at a time."""
        return max(1, MAX_SUMS // max(len(self.tag_set), MIN_LIST_BEAM**2 if lists else 1))

    def find_sequences(
        self, form: Column, offsets: Int64, k: int, choices: Choices | None, *, lists: bool
    ) -> TagSequences:
        """Return up to `k` tag sequences of each sentence, from the tags its words may have."""
        model = self.model
        attributes, words = model.attributes(form, offsets)
        beam = max(model.beam, MIN_LIST_BEAM) if lists else model.beam
        lattice = model.tagged(
            attributes, words, offsets, self.weights, beam, lists=lists, restricted=choices
        )
        return lattice.best(offsets, 0, len(offsets) - 1, k)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the model, and its arrays by name."""
        about, arrays = self.model.parts()
        return about, {**arrays, **model_file.weights_arrays("weights", self.weights)}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> PerceptronTagger:
        """Rebuild the tagger from its saved state; ModelError if it is inconsistent."""
        model = TagModel.from_parts(about, arrays)
        return cls(model, model_file.weights_from_arrays("weights", arrays, model.actions))


def _restrict_sums(
    words: Int32, sums: Int32, choice_numbers: Int64, allowed: Bool
) -> tuple[Int32, Int32]:
    """Return the index of each word's (form, choice set) pair, and the pairs' restricted scores.

    A tag outside a choice set gets a score that no other scores can make up for.
    """
    tags = allowed.shape[1]
    pairs, numbers = np.unique(words * np.int64(len(allowed)) + choice_numbers, return_inverse=True)
    word, choice_number = np.divmod(pairs, len(allowed))
    allowed_sums = np.where(
        allowed[choice_number], sums.reshape(-1, tags)[word], FORBIDDEN_SCORE
    ).astype(np.int32)
    return numbers.reshape(-1).astype(np.int32), allowed_sums.reshape(-1)


def every_tag(words: int, tags: int) -> tuple[Int32, Int64]:
    """Return all tags, int32[tags], and their span for each word, int64[words, 2]."""
    return np.arange(tags, dtype=np.int32), np.tile(np.array([0, tags]), (words, 1))


class TaggerLearner(SentenceLearner[Tags]):
    """Learns a perceptron tagger by max-violation updates (Huang et al. 2012) with a margin.

    If a sentence is tagged wrong, the weights are updated by the features of the gold and of the
    best wrong sequence, up to the word where the wrong one is farthest ahead.

    Parameters
    ----------
    treebank : Treebank
        Tagged sentences.
    tags : {"all", "both", "upos", "xpos"}
        The columns that the tagger fills; "all" are UPOS, XPOS and FEATS.
    lowercase : bool
        Lowercase words, in training and in tagging.
    any_case : bool
        Ignore case in sentences that are all lower case or all capitals. Such a tagger should
        learn from a copy of each sentence in lower case too.
    beam : int, 1 to 64
        Pairs of tags per word in the beam.
    hidden : float, at least 0 and below 1
        In training, hide this share of the words that are seen 20 times or less, so that the tagger
        learns to predict tags of unknown words from affixes, shapes and neighbours.
    symbols : bool
        Treat all symbols as one in word shapes, and combine word classes with shapes.
    seed : int, at least 0
        The seed that decides which words are hidden.

    Raises
    ------
    InputError
        If there are no words, or words without a tag.
    UsageError
        If an option has an invalid value.
    """

    _sentences: TagSentences

    def __init__(
        self,
        treebank: Treebank,
        *,
        tags: str = "both",
        lowercase: bool = False,
        any_case: bool = False,
        beam: int = 4,
        hidden: float = 0.0,
        symbols: bool = False,
        seed: int = 1,
    ) -> None:
        if not 0 <= hidden < 1:
            raise UsageError(f"hidden is a share of words, at least 0 and below 1, not {hidden}")
        case = {"lowercase": lowercase, "any_case": any_case}
        self._model, self._gold = TagModel.learn(
            treebank, tags=tags, **case, beam=beam, symbols=symbols
        )
        self._sentences = self.encoded(treebank)
        self._hidden, self._seed = hidden, whole_number("a seed", seed, least=0)

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return Weights(self._model.actions)

    def step(self, weights: Weights) -> Step:
        """Return a function that processes one sentence at a time, as `learn` does."""
        model, sentences = self._model, self._sentences
        attributes, hidden = sentences.attributes, int(self._hidden * MASK64)
        if hidden:
            # A second set of the words, in which only their spelling is visible.
            spelled = attributes.reshape(-1, ATTRIBUTE_COUNT).copy()
            for name, key in HIDDEN_ATTRIBUTES.items():
                spelled[:, TAGGER_ATTRIBUTES.index(name)] = key
            attributes = np.concatenate([attributes, spelled.reshape(-1)])
            rare = np.bincount(sentences.words) <= MAX_HIDDEN_COUNT
        templates = len(model.templates.names)
        longest = int(np.diff(sentences.offsets).max(initial=0))
        changed = model.changes(longest)
        best_tags = np.empty(longest, np.int32)
        lattice = Lattice.room(longest + 1, longest * model.beam, longest * model.beam)
        search = model.search(0, weights, beam=model.beam)
        call(kernel.set_changes, search, *changed)
        call(kernel.write_to, search, *lattice.arrays)

        def process(row: int, before: int) -> bool:
            start, stop = sentences.offsets[row : row + 2].tolist()
            words, gold = sentences.words[start:stop], self._gold[start:stop]
            if hidden:
                # The choice depends only on these numbers, so that training can be resumed.
                is_hidden = random_bits(stop - start, self._seed, before, row) < hidden
                words = words + (is_hidden & rare[words]) * np.int32(
                    len(attributes) // ATTRIBUTE_COUNT // 2
                )
            offsets = np.array([0, stop - start])
            features = model.keys(attributes, words, offsets, 0, templates)
            # Weights move when their arrays grow.
            weights.weigh(search)
            arrays = (gold, UNIT, MARGIN_UPDATES * UNIT, best_tags)
            changes = call(kernel.learn_row, search, features, *arrays, stop - start)
            if changes:
                keys, tags, deltas = changed
                weights.add(keys[:changes], tags[:changes], deltas[:changes], before)
            return bool(changes)

        return process

    def encoded(self, sentences: Treebank) -> TagSentences:
        """Return the encoded sentences."""
        return TagSentences(self._model, sentences)

    def best(self, sentences: TagSentences, weights: Weights) -> Best:
        """Return a function that finds the best tag sequences of a sentence, without trees."""
        model, tag_set = self._model, self._model.tag_set
        beam = max(model.beam, MIN_LIST_BEAM)

        def find_best(row: int, k: int) -> tuple[Any, Int64, dict[str, Any]]:
            start, stop = sentences.offsets[row : row + 2].tolist()
            used, places = np.unique(sentences.words[start:stop], return_inverse=True)
            attributes = sentences.attributes.reshape(-1, ATTRIBUTE_COUNT)[used].reshape(-1)
            words, offsets = places.reshape(-1).astype(np.int32), np.array([0, stop - start])
            lattice = model.tagged(attributes, words, offsets, weights, beam, lists=True)
            tags, _, scores = lattice.best(offsets, 0, 1, k)
            heads = np.full(len(tags), NO_HEAD, np.int32)
            return (
                tags.reshape(len(scores), -1),
                scores,
                {"heads": heads, **tag_set.columns_of(tags)},
            )

        return find_best

    def model(self, weights: Weights) -> PerceptronTagger:
        """Return the tagger with these (averaged) weights."""
        return PerceptronTagger(self._model, weights)


@dataclass(frozen=True, eq=False)
class SeenTags:
    """A tag dictionary: the tags that known words may have, learned from a treebank.

    Attributes
    ----------
    keys : uint64[W]
        The attribute ``normal`` of the known words, ascending.
    numbers : int32[W]
        The index of each word's set of tags.
    sets : list of lists of int
        The distinct sets of tags.
    """

    keys: UInt64
    numbers: Int32
    sets: list[list[int]]

    @classmethod
    def of(cls, forms: Sequence[str], tags: Sequence[Sequence[int]]) -> SeenTags:
        """Build the dictionary from normal forms and the tags of each."""
        sets = sorted({tuple(tags_of_word) for tags_of_word in tags})
        set_numbers = {tag_tuple: place for place, tag_tuple in enumerate(sets)}
        numbers = np.array([set_numbers[tuple(tags_of_word)] for tags_of_word in tags], np.int32)
        normal = word_attributes(forms, {}).reshape(-1, ATTRIBUTE_COUNT)[
            :, TAGGER_ATTRIBUTES.index("normal")
        ]
        keys, first = np.unique(normal, return_index=True)
        return cls(keys, numbers[first], [list(tag_tuple) for tag_tuple in sets])

    def prefer(self, normal: UInt64, sums: Int32) -> tuple[Int32, Int64]:
        """Lower the scores of tags with which known words were not seen.

        Parameters
        ----------
        normal : uint64[W]
            The attribute ``normal`` of each word.
        sums : int32[W, tags]
            The score of each tag, changed in place.

        Returns
        -------
        tag_lists : int32 array
            All tags, followed by the tags of each set.
        spans : int64[W, 2]
            The span of `tag_lists` that each word may have: its set, or all tags if it is unknown.
        """
        key_rows = np.minimum(np.searchsorted(self.keys, normal), len(self.keys) - 1)
        seen_words = np.flatnonzero(self.keys[key_rows] == normal)
        sets, tags = self._offsets_and_tags
        tag_set_number = self.numbers[key_rows[seen_words]].astype(np.int64)
        entries, set_offsets = value_indices(sets, tag_set_number)
        number = sums.shape[1]
        tag_lists, spans = every_tag(len(normal), number)
        spans[seen_words] = number + np.stack(
            [sets[tag_set_number], sets[tag_set_number + 1]], axis=1
        )
        sums[seen_words] -= UNSEEN_PENALTY
        sums[np.repeat(seen_words, np.diff(set_offsets)), tags[entries]] += UNSEEN_PENALTY
        return np.concatenate([tag_lists, tags]), spans

    @cached_property
    def _offsets_and_tags(self) -> tuple[Int64, Int32]:
        """The concatenated tags of all sets, and the offset of each set."""
        tags = np.array([tag for tags_of_set in self.sets for tag in tags_of_set], np.int32)
        return row_offsets([len(tags_of_set) for tags_of_set in self.sets]), tags

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return its JSON-serialisable metadata, and its arrays by name."""
        return {"seen": self.sets}, {"seen.key": self.keys, "seen.set": self.numbers}

    @classmethod
    def from_parts(
        cls, about: Mapping[str, Any], arrays: Mapping[str, Array], tags: int
    ) -> SeenTags | None:
        """Rebuild the dictionary from its saved state; None if a model has none.

        Raises a ModelError if the state is inconsistent.
        """
        sets: Any = about.get("seen")
        if sets is None:
            return None
        if not _is_list_of_lists(sets, int) or not all(sets):
            raise ModelError("seen: not lists of numbers")
        if any(not 0 <= tag < tags for tags_of_set in sets for tag in tags_of_set):
            raise ModelError(f"seen: a tag that is not one of {tags}")
        largest = len(sets) - 1
        numbers = model_file.numbers_from_arrays("seen.set", arrays, largest)
        keys = model_file.numbers_from_arrays(
            "seen.key", arrays, MASK64, kind="u8", size=len(numbers)
        )
        if not len(keys) or np.any(keys[1:] <= keys[:-1]):
            raise ModelError("seen.key: not ascending keys of words")
        return cls(keys, numbers, sets)


@dataclass(frozen=True, eq=False)
class TagModel:
    """The tag set, word classes, feature templates and options of a tagger: all but its weights.

    Attributes
    ----------
    tag_set : TagSet
    templates : Templates
    forms : list of str
        Normal forms that have a class.
    classes : list of lists of int
        The tags of each of these forms, the most frequent first.
    lowercase : bool
        Whether words are lowercased first.
    any_case : bool
        Whether case is ignored in sentences that are all lower case or all capitals.
    beam : int
        Pairs of tags per word in the beam.
    by_parts : bool
        Whether tags with common parts share the weights of these parts.
    choices : int
        The number of tags searched per word: the best ones regardless of the preceding tags.
    seen : SeenTags, optional
        The tags that known words may have; missing in models of the first versions.
    dotless : bool
        Whether the language distinguishes ı from i, as Turkish does.
    symbols : bool
        Whether all symbols are one in word shapes.
    """

    tag_set: TagSet
    templates: Templates
    forms: list[str]
    classes: list[list[int]]
    lowercase: bool
    any_case: bool
    beam: int
    by_parts: bool = False
    choices: int = MAX_ACTIONS
    seen: SeenTags | None = None
    dotless: bool = False
    symbols: bool = False

    @classmethod
    def learn(
        cls,
        treebank: Treebank,
        *,
        tags: str = "both",
        lowercase: bool = False,
        any_case: bool = False,
        beam: int = 4,
        symbols: bool = False,
    ) -> tuple[TagModel, Int32]:
        """Return the model of a treebank, and the index of each word's tag, int32[N]."""
        whole_number("a beam", beam, most=MAX_TAGGER_BEAM)
        tag_set, gold = TagSet.learn(treebank, tags)
        form = treebank.form
        words = form.vocabulary.words, form.codes, gold
        dotless = has_dotless(form)
        forms, classes = tag_classes(*words, dotless=dotless)
        # Of many tags, most have few examples.
        by_parts = len(tag_set) > MANY_TAGS
        templates = Templates.usual(by_parts=by_parts, joined=symbols)
        choices = TAGS_TRIED if by_parts else MAX_ACTIONS
        seen = SeenTags.of(*seen_tags(*words, tag_set.kinds(), dotless=dotless))
        how = (lowercase, any_case, beam, by_parts, choices, seen, dotless, symbols)
        return cls(tag_set, templates, forms, classes, *how), gold

    @cached_property
    def parts_of_tags(self) -> tuple[Int32, Int32, int]:
        """The result of `TagSet.parts`, in which tags have no parts unless `by_parts`."""
        if self.by_parts:
            return self.tag_set.parts()
        number = len(self.tag_set)
        return np.zeros(number + 1, np.int32), np.zeros(0, np.int32), number

    @property
    def actions(self) -> int:
        """The number of actions of the weights: tags and their parts."""
        return self.parts_of_tags[2]

    def changes(self, words: int) -> tuple[UInt64, Int32, Int32]:
        """Return empty arrays for the weight changes of a sentence: keys, tags and deltas."""
        max_parts = 1 + int(np.diff(self.parts_of_tags[0]).max(initial=0))
        size = 2 * max_parts * len(self.templates.names) * words
        return np.empty(size, np.uint64), np.empty(size, np.int32), np.empty(size, np.int32)

    @cached_property
    def class_keys(self) -> dict[str, int]:
        """The key of the class of each normal form."""
        return {form: key_of(*tags) for form, tags in zip(self.forms, self.classes, strict=True)}

    def attributes(self, form: Column, offsets: Int64) -> tuple[UInt64, Int32]:
        """Return the attributes of the distinct words of sentences, and each word's index."""
        codes = 2 * form.codes.astype(np.int64)
        if self.any_case:
            codes += in_one_case(form, offsets)
        distinct, words = np.unique(codes, return_inverse=True)
        strings = form.vocabulary.words
        is_one_case = distinct % 2 > 0
        spellings = [
            lower_case(strings[code], dotless=self.dotless)
            if in_one_case_text or self.lowercase
            else strings[code]
            for code, in_one_case_text in zip(
                (distinct // 2).tolist(), is_one_case.tolist(), strict=True
            )
        ]
        how = {"dotless": self.dotless, "symbols": self.symbols}
        hashes = word_attributes(spellings, self.class_keys, is_one_case, **how)
        return hashes, words.astype(np.int32)

    def keys(
        self, attributes: UInt64, words: Int32, offsets: Int64, first: int, last: int
    ) -> UInt64:
        """Return the keys of templates ``first .. last-1`` for each word of sentences."""
        keys = np.empty(len(words) * (last - first), np.uint64)
        atoms = self.templates.atoms[3 * first : 3 * last]
        arrays = (attributes, ATTRIBUTE_COUNT, atoms, first, words, offsets, keys)
        call(kernel.feature_keys, *arrays, len(offsets) - 1)
        return keys

    def search(self, first: int, weights: Weights, *, beam: int, every_arc: bool = False) -> Any:
        """Return a search with the templates from `first` on."""
        templates = self.templates
        numbers = (len(templates.names), templates.fixed, templates.single)
        tags = (templates.by_group[first:], self.tag_set.groups(), *self.parts_of_tags)
        sizes = (min(max(self.choices, beam), len(self.tag_set)), beam, every_arc)
        search = call(kernel.TagSearch, *(number - first for number in numbers), *tags, *sizes)
        return weights.weigh(search)

    def form_sums(self, attributes: UInt64, weights: Weights) -> tuple[Int32, Int32, Int64]:
        """Return the scores of tags by the features of the word alone, and the tags words may have.

        Returns
        -------
        sums : int32[W * tags]
        tag_lists, spans
            See `SeenTags.prefer`.
        """
        word_count = len(attributes) // ATTRIBUTE_COUNT
        word_range = np.arange(word_count + 1)
        alone = self.templates.alone
        keys = self.keys(attributes, word_range[:-1].astype(np.int32), word_range, 0, alone)
        sums = np.zeros(word_count * len(self.tag_set), np.int32)
        tags = (self.templates.by_group, self.tag_set.groups(), *self.parts_of_tags)
        search = call(kernel.TagSearch, alone, alone, alone, *tags, len(self.tag_set), 1, False)
        call(kernel.form_scores, weights.weigh(search), keys, sums, word_count)
        if self.seen is not None:
            normal = attributes.reshape(-1, ATTRIBUTE_COUNT)[:, TAGGER_ATTRIBUTES.index("normal")]
            return sums, *self.seen.prefer(normal, sums.reshape(word_count, len(self.tag_set)))
        return sums, *every_tag(word_count, len(self.tag_set))

    def tagged(
        self,
        attributes: UInt64,
        words: Int32,
        offsets: Int64,
        weights: Weights,
        beam: int,
        *,
        lists: bool,
        restricted: Choices | None = None,
    ) -> Lattice:
        """Return the lattice of the best tag sequences of sentences.

        Parameters
        ----------
        attributes : uint64 array
            The attributes of the distinct words.
        words : int32[N]
            The index of each word among these.
        offsets : int64[S+1]
        weights : Weights
        beam : int
        lists : bool
            Whether to keep all arcs to a node, not only the best one.
        restricted : Choices, optional
            The tags that each word may have.
        """
        sums, tag_lists, spans = self.form_sums(attributes, weights)
        alone, sentence_count = self.templates.alone, len(offsets) - 1
        keys = self.keys(attributes, words, offsets, alone, len(self.templates.names))
        nodes = len(words) * beam + sentence_count
        lattice = Lattice.room(len(words) + sentence_count, nodes, nodes * (beam if lists else 1))
        search = self.search(alone, weights, beam=beam, every_arc=lists)
        call(kernel.write_to, search, *lattice.arrays)
        if restricted is not None:
            words, sums = _restrict_sums(words, sums, *restricted)
        if restricted is not None or lists:
            # Tags of the input, and sequences of k-best lists, may differ from the seen tags.
            tag_count = len(self.tag_set)
            tag_lists, spans = every_tag(len(sums) // tag_count, tag_count)
        inputs = (sums, tag_lists, spans.reshape(-1), sentence_count)
        call(kernel.tag_rows, search, keys, words, offsets, *inputs)
        return lattice

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the model, and its arrays by name."""
        about = {
            **self.tag_set.about(),
            "templates": list(self.templates.names),
            "lowercase": self.lowercase,
            **({"any_case": True} if self.any_case else {}),
            **({"dotless": True} if self.dotless else {}),
            **({"symbols": True} if self.symbols else {}),
            "beam": self.beam,
            **({"choices": self.choices} if self.by_parts else {}),
        }
        # Most classes are shared by several forms.
        distinct_classes = sorted({tuple(tags) for tags in self.classes})
        numbers = {tags: number for number, tags in enumerate(distinct_classes)}
        about["classes"] = [list(tags) for tags in distinct_classes]
        class_numbers = np.array([numbers[tuple(tags)] for tags in self.classes], np.int32)
        arrays = {**model_file.strings_arrays("forms", self.forms), "forms.class": class_numbers}
        seen_about, seen_arrays = self.seen.parts() if self.seen is not None else ({}, {})
        return about | seen_about, arrays | seen_arrays

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> TagModel:
        """Rebuild the model from its saved state; ModelError if it is inconsistent."""
        tag_set = TagSet.from_about(about)
        names: Any = about.get("templates")
        classes: Any = about.get("classes")
        if not _is_list_of_lists([names], str) or not _is_list_of_lists(classes, int):
            raise ModelError("templates or classes: not lists of strings and of numbers")
        if any(not 0 <= tag < len(tag_set) for tags in classes for tag in tags):
            raise ModelError(f"classes: a tag that is not one of {len(tag_set)}")
        lowercase, beam = about.get("lowercase"), about.get("beam")
        # Missing in the file if false.
        any_case, dotless = about.get("any_case", False), about.get("dotless", False)
        symbols = about.get("symbols", False)
        if type(beam) is not int or not 1 <= beam <= MAX_TAGGER_BEAM:
            raise ModelError(f"beam={beam!r:.20}: cannot be")
        if type(dotless) is not bool or type(symbols) is not bool:
            raise ModelError(f"dotless={dotless!r:.20}, symbols={symbols!r:.20}: cannot be")
        if type(lowercase) is not bool or type(any_case) is not bool:
            raise ModelError(f"lowercase={lowercase!r:.20}, any_case={any_case!r:.20}: cannot be")
        # Only models by parts have this number.
        choices = about.get("choices", MAX_ACTIONS)
        if type(choices) is not int or not 1 <= choices <= MAX_ACTIONS:
            raise ModelError(f"choices={choices!r:.20}: cannot be")
        forms = model_file.strings_from_arrays("forms", arrays)
        class_numbers = model_file.numbers_from_arrays(
            "forms.class", arrays, len(classes) - 1, size=len(forms)
        )
        chosen = [classes[number] for number in class_numbers.tolist()]
        templates, by_parts = Templates.parse(names), "choices" in about
        seen = SeenTags.from_parts(about, arrays, len(tag_set))
        how = (lowercase, any_case, beam, by_parts, choices, seen, dotless, symbols)
        return cls(tag_set, templates, forms, chosen, *how)


def _is_list_of_lists(value: object, kind: type) -> bool:
    """True if a value is a list of lists of items of exactly one type."""
    return isinstance(value, list) and all(
        isinstance(row, list) and all(type(entry) is kind for entry in row) for row in value
    )


class TagSentences(CandidateSentences[Tags, Int32]):
    """Encoded sentences from which a tagger can learn to prefer any tags over others.

    Parameters
    ----------
    model : TagModel
    sentences : Treebank
        Only the forms are used.
    """

    def __init__(self, model: TagModel, sentences: Treebank) -> None:
        self.model = model
        self.offsets = sentences.offsets
        self.attributes, self.words = model.attributes(sentences.form, self.offsets)

    def numbered(self, row: int, given: Tags) -> Int32:
        """Return the indices of a sentence's tags.

        Raises
        ------
        InputError
            If there is not one tag per word, or a tag is unknown.
        """
        tag_numbers = {tag: number for number, tag in enumerate(self.model.tag_set.tags)}
        self.require(row, tags=given)
        numbers = [
            tag_numbers.get(tag, -1) if isinstance(tag, tuple) else int(tag) for tag in given
        ]
        for word, number in enumerate(numbers):
            if not 0 <= number < len(tag_numbers):
                raise InputError(
                    f"sentence {row + 1}, word {word + 1}", f"tag {given[word]!r}", "a known tag"
                )
        return np.array(numbers, np.int32)

    def change(self, weights: Weights, row: int, better: Int32, worse: Int32, before: int) -> bool:
        """Prefer one tag sequence of a sentence to another; return whether they differ."""
        if np.array_equal(better, worse):
            return False
        model = self.model
        start, stop = self.offsets[row : row + 2].tolist()
        templates = len(model.templates.names)
        offsets = np.array([0, stop - start])
        features = model.keys(self.attributes, self.words[start:stop], offsets, 0, templates)
        changed = model.changes(stop - start)
        search = model.search(0, weights, beam=1)
        call(kernel.set_changes, search, *changed)
        inputs = (features, better, worse, UNIT, stop - start)
        changes = call(kernel.favour_tags, search, *inputs)
        keys, tags, deltas = changed
        weights.add(keys[:changes], tags[:changes], deltas[:changes], before)
        return True
