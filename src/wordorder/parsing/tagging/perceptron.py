"""The perceptron tagger: a linear model over spellings, neighbours and the tags before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Bool, Int32, Int64, UInt64, row_offsets, row_positions
from wordorder.errors import InputError, ModelError, UsageError, whole_number
from wordorder.kernels import tagging as kernel
from wordorder.kernels._common import MASK64
from wordorder.kernels._run import call
from wordorder.parsing import model_file
from wordorder.parsing.learners import Best, CandidateSentences, SentenceLearner
from wordorder.parsing.random_order import random_bits
from wordorder.parsing.tagging.tag_set import (
    ATTRIBUTES,
    COLUMNS,
    Choices,
    TagSet,
    Templates,
    key_of,
    seen_tags,
    tag_classes,
    word_attributes,
)
from wordorder.parsing.tagging.tnt_counts import Found, Lattice, SequenceTagger
from wordorder.parsing.weights import MOST_ACTIONS, UNIT, Step, Weights
from wordorder.treebank.preparation import has_dotless, in_one_case, lower_case
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

# Sums of words by tag that are kept at a time, and nodes of lattices.
PIECE = 1 << 22
Tags = Sequence[tuple[str, ...]] | Int32

# Margin in training: the score of a wrong tag is raised by this number of updates.
MARGIN = 2

# What a word loses by a tag that it is not known to have: more than weights make up for.
UNSEEN = 1 << 20

# Words seen more often are never hidden: other text has them, too, and their neighbours alone do
# not tell their tags so well.
MOST_SEEN = 20

# Attributes of a word that is hidden: no form, and the class of words that are rare.
HIDDEN = {"form": 0, "normal": 0, "class": key_of()}

# Below all sums of weights, and so far above the least number of 32 bits that these fit in.
FORBIDDEN = -(1 << 29)

# Wider beams only cost time: more pairs of tags are never close.
MOST_BEAM = 64

# With more tags than `MANY`, many are rare: they learn by parts, and each word tries `CHOICES`.
MANY = 64
CHOICES = 16

# So many pairs of tags are kept a word for a list, if the beam is not wider.
LIST_BEAM = 16


class PerceptronTagger(SequenceTagger):
    """Tags words by a linear model over tag sequences (Collins 2002).

    The score of a tag sequence is the sum of the weights of its features; a beam over the last
    two tags finds the best sequence.

    Parameters
    ----------
    model : TagModel
        Tags, words and features.
    weights : Weights
        Of each feature for each tag.

    Notes
    -----
    Lists are exact among the sequences of the tag pairs that are kept, at least 16 a word. These
    are more than `tag` keeps, so that the first entry may have a higher score than what `tag`
    finds.

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
        """Return the words of the training data that are not rare, as `normal_form` writes them."""
        return self.model.forms

    def piece(self, *, lists: bool) -> int:
        """Return the number of words tagged at a time."""
        return max(1, PIECE // max(len(self.tag_set), LIST_BEAM**2 if lists else 1))

    def find_sequences(
        self, form: Column, offsets: Int64, k: int, choices: Choices | None, *, lists: bool
    ) -> Found:
        """Return up to `k` tag sequences of some sentences, of the tags that words may have."""
        model = self.model
        attributes, words = model.attributes(form, offsets)
        beam = max(model.beam, LIST_BEAM) if lists else model.beam
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


def _restricted(words: Int32, sums: Int32, kind: Int64, allowed: Bool) -> tuple[Int32, Int32]:
    """Return words by form and kind, and their sums, which no other tag can make up for."""
    tags = allowed.shape[1]
    pairs, places = np.unique(words * np.int64(len(allowed)) + kind, return_inverse=True)
    word, choice = np.divmod(pairs, len(allowed))
    allowed_sums = np.where(allowed[choice], sums.reshape(-1, tags)[word], FORBIDDEN).astype(
        np.int32
    )
    return places.reshape(-1).astype(np.int32), allowed_sums.reshape(-1)


def every_tag(words: int, tags: int) -> tuple[Int32, Int64]:
    """Return a list of all tags, and for each word that it may have all of them."""
    return np.arange(tags, dtype=np.int32), np.tile(np.array([0, tags]), (words, 1))


class TaggerLearner(SentenceLearner[Tags]):
    """Learns a perceptron tagger: max-violation updates (Huang et al. 2012) with a margin.

    A sentence that is tagged wrong changes the weights by the features of the right and of the
    best wrong sequence up to the word where the wrong one is farthest ahead.

    Parameters
    ----------
    treebank : Treebank
        Tagged sentences.
    tags : {"all", "both", "upos", "xpos"}
        Which columns the tagger will fill; all are UPOS, XPOS and FEATS.
    lowercase : bool
        Put words in lower case, in training and in tagging.
    any_case : bool
        Ignore case in sentences whose letters all have the same: all lower, or all
        capitals. Trees in both cases to learn from make such a tagger good at both.
    beam : int, 1 to 64
        Pairs of tags that are kept a word.
    hidden : float, at least 0 and below 1
        In training, hide this share of the words that are seen 20 times or less, so that affixes,
        shapes and neighbours have to tell their tags, as those of unknown words.
    symbols : bool
        Let symbols be alike in shapes, and let what words may be depend on their shapes.
    seed : int, at least 0
        Decides which words are hidden.

    Raises
    ------
    InputError
        If there are no words, or words without a tag.
    UsageError
        If an option has no such value.
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
            # The same words once more, of which only the spelling is seen.
            spelled = attributes.reshape(-1, COLUMNS).copy()
            for name, key in HIDDEN.items():
                spelled[:, ATTRIBUTES.index(name)] = key
            attributes = np.concatenate([attributes, spelled.reshape(-1)])
            rare = np.bincount(sentences.words) <= MOST_SEEN
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
                # What is drawn depends on nothing else, so that training can be resumed.
                is_hidden = random_bits(stop - start, self._seed, before, row) < hidden
                words = words + (is_hidden & rare[words]) * np.int32(
                    len(attributes) // COLUMNS // 2
                )
            alone = np.array([0, stop - start])
            features = model.keys(attributes, words, alone, 0, templates)
            # Room for new features may have moved the weights.
            weights.weigh(search)
            arrays = (gold, UNIT, MARGIN * UNIT, best_tags)
            changes = call(kernel.learn_row, search, features, *arrays, stop - start)
            if changes:
                keys, tags, deltas = changed
                weights.add(keys[:changes], tags[:changes], deltas[:changes], before)
            return bool(changes)

        return process

    def encoded(self, sentences: Treebank) -> TagSentences:
        """Return sentences as the tagger sees them."""
        return TagSentences(self._model, sentences)

    def best(self, sentences: TagSentences, weights: Weights) -> Best:
        """Return a function that finds the best tag sequences of a sentence; they have no trees."""
        model, tag_set = self._model, self._model.tag_set
        beam = max(model.beam, LIST_BEAM)

        def find_best(row: int, k: int) -> tuple[Any, Int64, dict[str, Any]]:
            start, stop = sentences.offsets[row : row + 2].tolist()
            used, places = np.unique(sentences.words[start:stop], return_inverse=True)
            attributes = sentences.attributes.reshape(-1, COLUMNS)[used].reshape(-1)
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
        """Return the tagger that has these (averaged) weights."""
        return PerceptronTagger(self._model, weights)


@dataclass(frozen=True, eq=False)
class SeenTags:
    """The tags that known words may have: a dictionary, learnt from a treebank.

    Attributes
    ----------
    keys : uint64[W]
        The attribute ``normal`` of known words, rising.
    numbers : int32[W]
        The number of each word's set of tags.
    sets : list of lists of int
    """

    keys: UInt64
    numbers: Int32
    sets: list[list[int]]

    @classmethod
    def of(cls, forms: Sequence[str], tags: Sequence[Sequence[int]]) -> SeenTags:
        """Take normal forms and the tags of each."""
        sets = sorted({tuple(tags_of_word) for tags_of_word in tags})
        places = {tag_tuple: place for place, tag_tuple in enumerate(sets)}
        numbers = np.array([places[tuple(tags_of_word)] for tags_of_word in tags], np.int32)
        normal = word_attributes(forms, {}).reshape(-1, COLUMNS)[:, ATTRIBUTES.index("normal")]
        keys, first = np.unique(normal, return_index=True)
        return cls(keys, numbers[first], [list(tag_tuple) for tag_tuple in sets])

    def prefer(self, normal: UInt64, sums: Int32) -> tuple[Int32, Int64]:
        """Lower the sums of tags that a word is not known to have; other words keep theirs.

        Parameters
        ----------
        normal : uint64[W]
            The attribute of each word.
        sums : int32[W, tags]

        Returns
        -------
        listed : int32 array
            All tags, and behind them those of each set.
        spans : int64[W, 2]
            Which of these each word may have: its set, or all if it is not known.
        """
        places = np.minimum(np.searchsorted(self.keys, normal), len(self.keys) - 1)
        seen_words = np.flatnonzero(self.keys[places] == normal)
        sets, tags = self._offsets_and_tags
        tag_set_number = self.numbers[places[seen_words]].astype(np.int64)
        entries, set_offsets = row_positions(sets, tag_set_number)
        number = sums.shape[1]
        tag_lists, spans = every_tag(len(normal), number)
        spans[seen_words] = number + np.stack(
            [sets[tag_set_number], sets[tag_set_number + 1]], axis=1
        )
        sums[seen_words] -= UNSEEN
        sums[np.repeat(seen_words, np.diff(set_offsets)), tags[entries]] += UNSEEN
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
        """Rebuild it from its saved state, if there is one; ModelError if that is inconsistent."""
        sets: Any = about.get("seen")
        if sets is None:
            return None
        if not _is_lists(sets, int) or not all(sets):
            raise ModelError("seen: not lists of numbers")
        if any(not 0 <= tag < tags for tags_of_set in sets for tag in tags_of_set):
            raise ModelError(f"seen: a tag that is not one of {tags}")
        largest = len(sets) - 1
        numbers = model_file.numbers_from_arrays("seen.set", arrays, largest)
        keys = model_file.numbers_from_arrays(
            "seen.key", arrays, MASK64, kind="u8", size=len(numbers)
        )
        if not len(keys) or np.any(keys[1:] <= keys[:-1]):
            raise ModelError("seen.key: not words whose keys rise")
        return cls(keys, numbers, sets)


@dataclass(frozen=True, eq=False)
class TagModel:
    """The tags, words and features that a tagger knows.

    Attributes
    ----------
    tag_set : TagSet
    templates : Templates
    forms : list of str
        Normal forms that have a class.
    classes : list of lists of int
        The tags of each, the most frequent first.
    lowercase : bool
        Whether words are put in lower case first.
    any_case : bool
        Whether case is ignored in sentences whose letters all have the same.
    beam : int
        How many pairs of tags are kept a word.
    by_parts : bool
        Whether tags with common parts share the weights of these parts.
    choices : int
        How many tags of a word are tried, those that are best without regard to tags before.
    seen : SeenTags, optional
        Which tags known words may have; the first models did not say.
    dotless : bool
        Whether the language tells ı from i, as Turkish does.
    symbols : bool
        Whether symbols are alike in shapes.
    """

    tag_set: TagSet
    templates: Templates
    forms: list[str]
    classes: list[list[int]]
    lowercase: bool
    any_case: bool
    beam: int
    by_parts: bool = False
    choices: int = MOST_ACTIONS
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
        """Learn tags and words of a treebank; return also the number of each word's tag."""
        whole_number("a beam", beam, most=MOST_BEAM)
        tag_set, gold = TagSet.learn(treebank, tags)
        form = treebank.form
        words = form.vocabulary.words, form.codes, gold
        dotless = has_dotless(form)
        forms, classes = tag_classes(*words, dotless=dotless)
        # Few tags have enough examples each.
        by_parts = len(tag_set) > MANY
        templates = Templates.usual(by_parts=by_parts, joined=symbols)
        choices = CHOICES if by_parts else MOST_ACTIONS
        seen = SeenTags.of(*seen_tags(*words, tag_set.kinds(), dotless=dotless))
        how = (lowercase, any_case, beam, by_parts, choices, seen, dotless, symbols)
        return cls(tag_set, templates, forms, classes, *how), gold

    @cached_property
    def parts_of_tags(self) -> tuple[Int32, Int32, int]:
        """The parts of each tag, see `TagSet.parts`; empty unless `by_parts`."""
        if self.by_parts:
            return self.tag_set.parts()
        number = len(self.tag_set)
        return np.zeros(number + 1, np.int32), np.zeros(0, np.int32), number

    @property
    def actions(self) -> int:
        """Number of actions of the weights: tags and their parts."""
        return self.parts_of_tags[2]

    def changes(self, words: int) -> tuple[UInt64, Int32, Int32]:
        """Return arrays for the changes after a mistake in a number of words."""
        max_parts = 1 + int(np.diff(self.parts_of_tags[0]).max(initial=0))
        room = 2 * max_parts * len(self.templates.names) * words
        return np.empty(room, np.uint64), np.empty(room, np.int32), np.empty(room, np.int32)

    @cached_property
    def class_keys(self) -> dict[str, int]:
        """The key of each class by normal form."""
        return {form: key_of(*tags) for form, tags in zip(self.forms, self.classes, strict=True)}

    def attributes(self, form: Column, offsets: Int64) -> tuple[UInt64, Int32]:
        """Return the attributes of the distinct words of sentences, and each word's number."""
        codes = 2 * form.codes.astype(np.int64)
        if self.any_case:
            codes += in_one_case(form, offsets)
        used, words = np.unique(codes, return_inverse=True)
        strings = form.vocabulary.words
        one_case = used % 2 > 0
        different = [
            lower_case(strings[code], dotless=self.dotless)
            if blind or self.lowercase
            else strings[code]
            for code, blind in zip((used // 2).tolist(), one_case.tolist(), strict=True)
        ]
        how = {"dotless": self.dotless, "symbols": self.symbols}
        hashes = word_attributes(different, self.class_keys, one_case, **how)
        return hashes, words.astype(np.int32)

    def keys(
        self, attributes: UInt64, words: Int32, offsets: Int64, first: int, last: int
    ) -> UInt64:
        """Return the keys of templates ``first .. last-1`` for each word of sentences."""
        keys = np.empty(len(words) * (last - first), np.uint64)
        atoms = self.templates.atoms[3 * first : 3 * last]
        arrays = (attributes, COLUMNS, atoms, first, words, offsets, keys)
        call(kernel.feature_keys, *arrays, len(offsets) - 1)
        return keys

    def search(self, first: int, weights: Weights, *, beam: int, every_arc: bool = False) -> Any:
        """Return the search by the templates from `first` on."""
        templates = self.templates
        numbers = (len(templates.names), templates.fixed, templates.single)
        tags = (templates.by_group[first:], self.tag_set.groups(), *self.parts_of_tags)
        sizes = (min(max(self.choices, beam), len(self.tag_set)), beam, every_arc)
        search = call(kernel.TagSearch, *(number - first for number in numbers), *tags, *sizes)
        return weights.weigh(search)

    def form_sums(self, attributes: UInt64, weights: Weights) -> tuple[Int32, Int32, Int64]:
        """Return the score of each tag by the features of each word alone, int32[W * tags].

        And which tags each may have, as `SeenTags.prefer` returns it.
        """
        number = len(attributes) // COLUMNS
        words = np.arange(number + 1)
        alone = self.templates.alone
        keys = self.keys(attributes, words[:-1].astype(np.int32), words, 0, alone)
        sums = np.zeros(number * len(self.tag_set), np.int32)
        tags = (self.templates.by_group, self.tag_set.groups(), *self.parts_of_tags)
        search = call(kernel.TagSearch, alone, alone, alone, *tags, len(self.tag_set), 1, False)
        call(kernel.form_scores, weights.weigh(search), keys, sums, number)
        if self.seen is not None:
            normal = attributes.reshape(-1, COLUMNS)[:, ATTRIBUTES.index("normal")]
            return sums, *self.seen.prefer(normal, sums.reshape(number, len(self.tag_set)))
        return sums, *every_tag(number, len(self.tag_set))

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
            Of the distinct words.
        words : int32[N]
            The number of each word.
        offsets : int64[S+1]
        weights : Weights
        beam : int
        lists : bool
            Whether all arcs are kept, not the best one to each node.
        restricted : (int64[N], bool[kinds, tags]), optional
            The kind of each word, and which tags each kind may have.
        """
        sums, tag_lists, spans = self.form_sums(attributes, weights)
        alone, number = self.templates.alone, len(offsets) - 1
        keys = self.keys(attributes, words, offsets, alone, len(self.templates.names))
        nodes = len(words) * beam + number
        lattice = Lattice.room(len(words) + number, nodes, nodes * (beam if lists else 1))
        search = self.search(alone, weights, beam=beam, every_arc=lists)
        call(kernel.write_to, search, *lattice.arrays)
        if restricted is not None:
            words, sums = _restricted(words, sums, *restricted)
        if restricted is not None or lists:
            # Tags that are given, and entries of lists, may be others than known ones.
            tags = len(self.tag_set)
            tag_lists, spans = every_tag(len(sums) // tags, tags)
        inputs = (sums, tag_lists, spans.reshape(-1), number)
        call(kernel.tag_rows, search, keys, words, offsets, *inputs)
        return lattice

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return its JSON-serialisable metadata, and its arrays by name."""
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
        # Few classes are different.
        different = sorted({tuple(tags) for tags in self.classes})
        numbers = {tags: number for number, tags in enumerate(different)}
        about["classes"] = [list(tags) for tags in different]
        class_numbers = np.array([numbers[tuple(tags)] for tags in self.classes], np.int32)
        arrays = {**model_file.strings_arrays("forms", self.forms), "forms.class": class_numbers}
        seen_about, seen_arrays = self.seen.parts() if self.seen is not None else ({}, {})
        return about | seen_about, arrays | seen_arrays

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> TagModel:
        """Rebuild it from its saved state; ModelError if that is inconsistent."""
        tag_set = TagSet.from_about(about)
        names: Any = about.get("templates")
        classes: Any = about.get("classes")
        if not _is_lists([names], str) or not _is_lists(classes, int):
            raise ModelError("templates or classes: not lists of strings and of numbers")
        if any(not 0 <= tag < len(tag_set) for tags in classes for tag in tags):
            raise ModelError(f"classes: a tag that is not one of {len(tag_set)}")
        lowercase, beam = about.get("lowercase"), about.get("beam")
        # Written only if true.
        any_case, dotless = about.get("any_case", False), about.get("dotless", False)
        symbols = about.get("symbols", False)
        if type(beam) is not int or not 1 <= beam <= MOST_BEAM:
            raise ModelError(f"beam={beam!r:.20}: cannot be")
        if type(dotless) is not bool or type(symbols) is not bool:
            raise ModelError(f"dotless={dotless!r:.20}, symbols={symbols!r:.20}: cannot be")
        if type(lowercase) is not bool or type(any_case) is not bool:
            raise ModelError(f"lowercase={lowercase!r:.20}, any_case={any_case!r:.20}: cannot be")
        # A model that tells how many are tried learnt by parts.
        choices = about.get("choices", MOST_ACTIONS)
        if type(choices) is not int or not 1 <= choices <= MOST_ACTIONS:
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


def _is_lists(value: object, kind: type) -> bool:
    """True if a value is a list of lists of items of exactly one type."""
    return isinstance(value, list) and all(
        isinstance(row, list) and all(type(entry) is kind for entry in row) for row in value
    )


class TagSentences(CandidateSentences[Tags, Int32]):
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

    def numbered(self, row: int, given: Tags) -> Int32:
        """Return the numbers of a sentence's tags.

        Raises
        ------
        InputError
            If their number is not that of the words, or one is unknown.
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
        """Favour one tag sequence of a sentence over another; say whether they differ."""
        if np.array_equal(better, worse):
            return False
        model = self.model
        start, stop = self.offsets[row : row + 2].tolist()
        templates = len(model.templates.names)
        alone = np.array([0, stop - start])
        features = model.keys(self.attributes, self.words[start:stop], alone, 0, templates)
        changed = model.changes(stop - start)
        search = model.search(0, weights, beam=1)
        call(kernel.set_changes, search, *changed)
        inputs = (features, better, worse, UNIT, stop - start)
        changes = call(kernel.favour_tags, search, *inputs)
        keys, tags, deltas = changed
        weights.add(keys[:changes], tags[:changes], deltas[:changes], before)
        return True
