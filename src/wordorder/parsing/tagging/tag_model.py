"""TagModel: all of a perceptron tagger but its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.kernels import tag_features, tagger
from wordorder.kernels._run import call
from wordorder.parsing.model_arrays import strings_arrays, strings_from_arrays
from wordorder.parsing.tagging.lattice import Lattice
from wordorder.parsing.tagging.tag_set import TagSet
from wordorder.parsing.tagging.templates import DEFAULT, Templates
from wordorder.parsing.tagging.word_attributes import (
    COLUMNS,
    key_of,
    tag_classes,
    word_attributes,
)
from wordorder.parsing.weights import Weights
from wordorder.treebank.column import Column
from wordorder.treebank.one_case import in_one_case
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Int32, Int64, UInt64

# Wider beams only cost time: more pairs of tags are never close.
MOST_BEAM = 64


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
        Whether case counts for nothing in sentences whose letters all have the same.
    beam : int
        How many pairs of tags are kept a word.
    """

    tag_set: TagSet
    templates: Templates
    forms: list[str]
    classes: list[list[int]]
    lowercase: bool
    any_case: bool
    beam: int

    @classmethod
    def learn(
        cls,
        treebank: Treebank,
        *,
        tags: str = "both",
        lowercase: bool = False,
        any_case: bool = False,
        beam: int = 4,
    ) -> tuple[TagModel, Int32]:
        """Learn tags and words of a treebank; return also the number of each word's tag."""
        if type(beam) is not int or not 1 <= beam <= MOST_BEAM:
            raise UsageError(f"a beam is a whole number from 1 to {MOST_BEAM}, not {beam!r}")
        tag_set, gold = TagSet.learn(treebank, tags)
        form = treebank.form
        forms, classes = tag_classes(form.vocabulary.words, form.codes, gold)
        templates = Templates.parse(DEFAULT)
        return cls(tag_set, templates, forms, classes, lowercase, any_case, beam), gold

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
        known = form.vocabulary.words
        one_case = used % 2 > 0
        different = [
            known[code].lower() if blind or self.lowercase else known[code]
            for code, blind in zip((used // 2).tolist(), one_case.tolist(), strict=True)
        ]
        found = word_attributes(different, self.class_keys, one_case)
        return found, words.astype(np.int32)

    def keys(
        self, attributes: UInt64, words: Int32, offsets: Int64, first: int, last: int
    ) -> UInt64:
        """Return the keys of templates ``first .. last-1`` for each word of sentences."""
        keys = np.empty(len(words) * (last - first), np.uint64)
        atoms = self.templates.atoms[3 * first : 3 * last]
        arrays = (attributes, COLUMNS, atoms, first, words, offsets, keys)
        call(tag_features.feature_keys, *arrays, 0, len(offsets) - 1)
        return keys

    def search(self, first: int, weights: Weights, *, beam: int, every_arc: bool = False) -> Any:
        """Return the search by the templates from `first` on."""
        numbers = (len(self.templates.names), self.templates.fixed, self.templates.single)
        sizes = (len(self.tag_set), beam, every_arc)
        search = call(tagger.Search, *(number - first for number in numbers), *sizes)
        call(tagger.weigh, search, *weights.tables, weights.key_mask)
        return search

    def form_sums(self, attributes: UInt64, weights: Weights) -> Int32:
        """Return what each word's own features give each tag, int32[W * tags]."""
        number = len(attributes) // COLUMNS
        words = np.arange(number + 1)
        alone = self.templates.alone
        keys = self.keys(attributes, words[:-1].astype(np.int32), words, 0, alone)
        sums = np.zeros(number * len(self.tag_set), np.int32)
        search = call(tagger.Search, alone, alone, alone, len(self.tag_set), 1, False)
        call(tagger.weigh, search, *weights.tables, weights.key_mask)
        call(tagger.form_scores, search, keys, sums, number)
        return sums

    def lattice(self, words: int, sentences: int, *, beam: int, every_arc: bool = False) -> Lattice:
        """Make room for the lattice of sentences."""
        nodes = words * beam + sentences
        return Lattice.room(words + sentences, nodes, nodes * (beam if every_arc else 1))

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of it, and its arrays by name."""
        about = {
            **self.tag_set.about(),
            "templates": list(self.templates.names),
            "lowercase": self.lowercase,
            **({"any_case": True} if self.any_case else {}),
            "beam": self.beam,
        }
        # Few classes are different.
        different = sorted({tuple(tags) for tags in self.classes})
        numbers = {tags: number for number, tags in enumerate(different)}
        about["classes"] = [list(tags) for tags in different]
        named = np.array([numbers[tuple(tags)] for tags in self.classes], np.int32)
        return about, {**strings_arrays("forms", self.forms), "forms.class": named}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> TagModel:
        """Make it again; whatever does not fit together raises `ModelError`."""
        tag_set = TagSet.from_about(about)
        names: Any = about.get("templates")
        classes: Any = about.get("classes")
        if not _is_lists([names], str) or not _is_lists(classes, int):
            raise ModelError("templates or classes: not lists of strings and of numbers")
        if any(not 0 <= tag < len(tag_set) for tags in classes for tag in tags):
            raise ModelError(f"classes: a tag that is not one of {len(tag_set)}")
        lowercase, beam = about.get("lowercase"), about.get("beam")
        # The first models did not have it.
        any_case = about.get("any_case", False)
        if type(beam) is not int or not 1 <= beam <= MOST_BEAM:
            raise ModelError(f"beam={beam!r:.20}: cannot be")
        if type(lowercase) is not bool or type(any_case) is not bool:
            raise ModelError(f"lowercase={lowercase!r:.20}, any_case={any_case!r:.20}: cannot be")
        forms = strings_from_arrays("forms", arrays)
        named = arrays.get("forms.class")
        if named is None or named.dtype != np.int32 or named.shape != (len(forms),):
            raise ModelError(f"forms.class: not {len(forms)} numbers")
        if len(named) and not 0 <= named.min() <= named.max() < len(classes):
            raise ModelError(f"forms.class: a class that is not one of {len(classes)}")
        chosen = [classes[number] for number in named.tolist()]
        return cls(tag_set, Templates.parse(names), forms, chosen, lowercase, any_case, beam)


def _is_lists(value: object, kind: type) -> bool:
    """Whether a value is a list of lists of what is exactly of one type."""
    return isinstance(value, list) and all(
        isinstance(row, list) and all(type(entry) is kind for entry in row) for row in value
    )
