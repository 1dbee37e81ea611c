"""Tags and features of a perceptron tagger: tag sets, attributes of words, templates."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from wordorder.arrays import Bool, Int32, Int64, UInt8, UInt64
from wordorder.errors import InputError, ModelError, choose
from wordorder.kernels import tagging as kernel
from wordorder.kernels._common import GOLDEN, MASK64, SPLITMIX_1, SPLITMIX_2
from wordorder.kernels._run import call
from wordorder.parsing.weights import MAX_ACTIONS
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.preparation import normal_form
from wordorder.treebank.treebank import NO_VALUE, Column, Treebank, combine_columns

# The columns that a tagger fills, by the option `tags`.
COLUMNS_BY_OPTION = {
    "all": ("upos", "xpos", "feats"),
    "both": ("upos", "xpos"),
    "upos": ("upos",),
    "xpos": ("xpos",),
}

# The columns that a model may have: those without a value in its treebank are left out.
VALID_COLUMNS = (*COLUMNS_BY_OPTION.values(), ("upos", "feats"), ("xpos", "feats"))

# The tags that words may have: the index of each word's choice set, int64[N], and the tags of each
# set, at least one, as a mask, bool[K, T].
Choices = tuple[Int64, Bool]

# The columns of `word_attributes`.
TAGGER_ATTRIBUTES = (
    "form",
    "normal",
    *(f"prefix{length}" for length in range(1, 6)),
    *(f"suffix{length}" for length in range(1, 7)),
    "shape",
    "kind",
    "length",
    "class",
)
ATTRIBUTE_COUNT = len(TAGGER_ATTRIBUTES)

# Rarer words have no class; tags with a smaller share are not part of the class of a word.
MIN_CLASS_WORDS = 3
MIN_TAG_SHARE = 0.02

# If at least this number of words have both of two tags, all words with one may have the other.
MIN_PAIR_WORDS = 2

# Longer words have this length in the attribute ``length``.
MAX_LENGTH_VALUE = 12

# The encoding of templates for the kernel: atoms per template, positions before and after the
# word, and bits of an attribute.
MAX_ATOMS = 3
TEMPLATE_REACH = 2
TEMPLATE_BITS = 5
MAX_TEMPLATES = 1000

# Templates of the word, of the words around it, with the tag before, with the two tags before.
DEFAULT_TEMPLATES = (
    "form", "normal", "prefix1", "prefix2", "prefix3",
    "suffix1", "suffix2", "suffix3", "suffix4", "suffix5",
    "shape", "kind", "length", "class",
    "shape suffix1", "shape suffix2", "shape suffix3", "shape prefix1", "kind suffix3",
    "class suffix3",
    "normal@-2", "normal@-1", "normal@+1", "normal@+2",
    "class@-2", "class@-1", "class@+1", "class@+2",
    "suffix2@-1", "suffix2@+1", "suffix3@-1", "suffix3@+1", "shape@-1", "shape@+1",
    "class@-1 class", "class class@+1", "class@-1 class@+1", "class@+1 class@+2",
    "kind@-1 kind", "kind kind@+1",
    "tag@-1", "tag@-1 normal", "tag@-1 suffix3", "tag@-1 class", "tag@-1 shape",
    "tag@-1 normal@+1", "tag@-1 class@+1",
    "tag@-2 tag@-1", "tag@-2 tag@-1 class",
)  # fmt: skip

# Templates for tags with parts: longer affixes, and groups of tags beside the tags before, which
# are rarer.
_FIRST_CONTEXT = next(place for place, name in enumerate(DEFAULT_TEMPLATES) if "@" in name)
PART_TEMPLATES = (
    *DEFAULT_TEMPLATES[:_FIRST_CONTEXT],
    "suffix6", "prefix4", "prefix5",
    *(name for name in DEFAULT_TEMPLATES[_FIRST_CONTEXT:] if not name.startswith("tag")),
    "tag@-1", "tag@-1 class", "group@-1", "group@-1 normal", "group@-1 suffix3", "group@-1 class",
    "group@-1 shape", "group@-1 normal@+1", "group@-1 class@+1",
    "tag@-2 tag@-1", "group@-2 group@-1", "group@-2 group@-1 class",
)  # fmt: skip

# Templates that combine the class of a word with its capitals and symbols, for text of other
# genres.
SYMBOL_TEMPLATES = ("class kind", "class shape")
_ATOM = re.compile(r"([a-z]+[0-9]?)(?:@([+-][12]))?")

# The number of tags before the word that a template reads.
_TAG_GROUPS = {
    ("tag@-1",): 1,
    ("group@-1",): 1,
    ("tag@-2", "tag@-1"): 2,
    ("group@-2", "group@-1"): 2,
}


class TagSet:
    """The tags of a tagger; with several columns, each combination of values is one tag.

    Parameters
    ----------
    columns : sequence of str
        The columns that the tagger fills, from ``upos``, ``xpos`` and ``feats``.
    tags : sequence of sequences of str
        The values of each tag, one per column.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    >>> tag_set, numbers = TagSet.learn(bank)
    >>> tag_set.columns, tag_set.tags, numbers.tolist()
    (('upos',), (('PRON',), ('VERB',)), [0, 1])
    """

    def __init__(self, columns: Sequence[str], tags: Sequence[Sequence[str]]) -> None:
        self.columns = tuple(columns)
        self.tags = tuple(tuple(tag) for tag in tags)
        self._strings = {
            name: Vocabulary([tag[place] for tag in self.tags] or [NO_VALUE])
            for place, name in enumerate(self.columns)
        }

    @classmethod
    def learn(cls, treebank: Treebank, tags: str = "both") -> tuple[TagSet, Int32]:
        """Return the tags of a treebank, sorted, and the index of each word's tag.

        Parameters
        ----------
        treebank : Treebank
        tags : {"all", "both", "upos", "xpos"}
            The columns; ``"all"`` are UPOS, XPOS and FEATS. With ``"all"`` or ``"both"`` a column
            without any value is left out.

        Raises
        ------
        InputError
            If there are no words, a word has no tag, or there are too many tags.
        """
        columns = COLUMNS_BY_OPTION[choose("tags", tags, tuple(COLUMNS_BY_OPTION))]
        if not treebank.words:
            raise InputError("training data", "no words", "tagged sentences")
        if len(columns) > 1:
            used_columns = [c for c in columns if treebank.columns[c].has_value().any()]
            # FEATS alone are not enough: words may have no features.
            columns = (
                tuple(used_columns)
                if used_columns and used_columns != ["feats"]
                else COLUMNS_BY_OPTION["both"]
            )
        has_tag = [treebank.columns[c].has_value() for c in columns if c != "feats"]
        untagged = ~np.logical_or.reduce(has_tag)
        if np.any(untagged):
            raise InputError(
                f"training data, {treebank.place(int(np.argmax(untagged)))}",
                f"no tag in {' and '.join(c for c in columns if c != 'feats')}",
                "a tag for each word",
            )
        distinct_tags, rows = combine_columns([treebank.columns[name] for name in columns])
        names = sorted(set(distinct_tags))
        if len(names) > MAX_ACTIONS:
            raise InputError("training data", f"{len(names)} tags", f"at most {MAX_ACTIONS}")
        numbers = {tag: number for number, tag in enumerate(names)}
        tag_numbers = np.array([numbers[tag] for tag in distinct_tags], np.int32)
        return cls(columns, names), tag_numbers[rows]

    def __len__(self) -> int:
        return len(self.tags)

    def write(self, sentences: Treebank, numbers: Int32) -> Treebank:
        """Return sentences with the tags that have these indices, one per word."""
        return sentences.replace(**self.columns_of(numbers))

    def columns_of(self, numbers: Int32) -> dict[str, Any]:
        """Return the columns of the tags with these indices, one per word."""
        return {name: Column(numbers, strings) for name, strings in self._strings.items()}

    def choices(self, sentences: Treebank) -> Choices:
        """Return the tags of each word that agree with the UPOS and XPOS it has already.

        If no tag agrees with both, those that agree with its XPOS are returned, otherwise those
        that agree with its UPOS, otherwise all.

        Examples
        --------
        >>> tag_set = TagSet(("upos", "xpos"), [("NOUN", "NN"), ("VERB", "VB"), ("VERB", "VBZ")])
        >>> bank = Treebank.from_words([["it", "rains"]], upos=[["_", "VERB"]])
        >>> kind, allowed = tag_set.choices(bank)
        >>> allowed[kind].tolist()
        [[True, True, True], [False, True, True]]
        """
        columns = [sentences.columns[name] for name in self.columns if name != "feats"]
        distinct_choices, choice_numbers = combine_columns(columns)
        allowed = np.ones((len(distinct_choices), len(self)), bool)
        for row, choice_strings in zip(allowed, distinct_choices, strict=True):
            fits = [
                np.array([tag[place] == string for tag in self.tags], bool)
                for place, string in enumerate(choice_strings)
                if string != NO_VALUE
            ]
            if fits:
                # XPOS comes last and is finer, so it is tried before UPOS.
                candidates = (np.logical_and.reduce(fits), *reversed(fits))
                row[:] = next((fit for fit in candidates if fit.any()), True)
        return choice_numbers, allowed

    def parts(self) -> tuple[Int32, Int32, int]:
        """Return the parts of tags: the value of each column, and each feature of FEATS.

        Returns
        -------
        starts : int32[T+1]
        parts : int32 array
            The parts of tag ``i`` are ``parts[starts[i] : starts[i+1]]``, with indices from T on.
        actions : int
            The number of tags and parts.
        """
        numbers: dict[tuple[str, str], int] = {}
        starts, parts = [0], []
        for tag in self.tags:
            for name, value in zip(self.columns, tag, strict=True):
                strings = value.split("|") if name == "feats" else [value]
                parts += [numbers.setdefault((name, p), len(self) + len(numbers)) for p in strings]
            starts.append(len(parts))
        return np.array(starts, np.int32), np.array(parts, np.int32), len(self) + len(numbers)

    def groups(self) -> Int32:
        """Return the index of each tag's value in the first column; the last is for no tag."""
        group_numbers: dict[str, int] = {}
        tag_groups = [group_numbers.setdefault(tag[0], len(group_numbers)) for tag in self.tags]
        return np.array([*tag_groups, len(group_numbers)], np.int32)

    def kinds(self) -> list[int]:
        """Return a number per tag, the same for tags that differ in FEATS alone."""
        numbers: dict[tuple[str, ...], int] = {}
        indices = [n for n, name in enumerate(self.columns) if name != "feats"]
        kinds = [tuple(tag[n] for n in indices) for tag in self.tags]
        return [numbers.setdefault(kind, len(numbers)) for kind in kinds]

    def about(self) -> dict[str, Any]:
        """Return the JSON-serialisable metadata of the tag set."""
        return {"columns": list(self.columns), "tags": [list(tag) for tag in self.tags]}

    @classmethod
    def from_about(cls, about: Mapping[str, Any]) -> TagSet:
        """Rebuild the tag set from the result of its `about`.

        Raises
        ------
        ModelError
            If `about` is inconsistent.
        """
        columns: Any = about.get("columns")
        tags: Any = about.get("tags")
        if not isinstance(columns, list) or tuple(columns) not in VALID_COLUMNS:
            raise ModelError(f"columns of tags: {str(columns)[:60]}; expected upos, xpos, feats")
        is_valid = isinstance(tags, list) and all(
            isinstance(tag, list)
            and len(tag) == len(columns)
            and all(isinstance(part, str) for part in tag)
            for tag in tags
        )
        if not is_valid or not 0 < len(tags) <= MAX_ACTIONS:
            raise ModelError(f"tags: not 1 to {MAX_ACTIONS} lists of {len(columns)} strings")
        if len({tuple(tag) for tag in tags}) != len(tags):
            raise ModelError("tags: one is listed twice")
        return cls(columns, tags)


def word_attributes(
    words: Sequence[str],
    classes: Mapping[str, int],
    one_case: Bool | None = None,
    *,
    dotless: bool = False,
    symbols: bool = False,
) -> UInt64:
    """Return the attributes of words in the order of `WORD_ATTRIBUTES`.

    Parameters
    ----------
    words : sequence of str
    classes : mapping of str to int
        The key of the class of each normal form; all other forms share one class.
    one_case : bool[W], optional
        The lowercased words of sentences in one case, whose letters have no case in shapes.
    dotless : bool
        See `lower_case`.
    symbols : bool
        Whether all symbols are one in shapes.

    Returns
    -------
    uint64[W * 17]
        A hash per attribute; 0 if the word does not have the attribute.
    """
    normal = [normal_form(word, dotless=dotless) for word in words]
    forms, normal_forms = Vocabulary(words).code_points(), Vocabulary(normal).code_points()
    characters = _character_classes(forms.values, symbols=symbols)
    if one_case is not None:
        is_one_case = np.repeat(one_case, forms.lengths)
        characters[is_one_case & ((characters == 1) | (characters == 2))] = 4
    attributes = np.zeros((len(words), ATTRIBUTE_COUNT), np.uint64)
    letters = (forms.values, forms.offsets, characters, normal_forms.values, normal_forms.offsets)
    call(
        kernel.compute_word_attributes,
        *letters,
        ATTRIBUTE_COUNT,
        attributes.reshape(-1),
        len(words),
    )
    lengths = np.array([key_of(length) for length in range(MAX_LENGTH_VALUE + 1)], np.uint64)
    attributes[:, -2] = lengths[np.minimum(forms.lengths, MAX_LENGTH_VALUE)]
    default_class = key_of()
    attributes[:, -1] = np.fromiter(
        (classes.get(w, default_class) for w in normal), np.uint64, len(words)
    )
    return attributes.reshape(-1)


def tag_classes(
    words: Sequence[str], codes: Int32, tags: Int32, *, dotless: bool = False
) -> tuple[list[str], list[list[int]]]:
    """Return the normal forms that are not rare, and the tags that each may have.

    Parameters
    ----------
    words : sequence of str
        The distinct words.
    codes : int32[N]
        The index of each word of a text in `words`.
    tags : int32[N]
        The index of its tag.
    dotless : bool
        See `lower_case`.

    Returns
    -------
    forms : list of str
        Sorted.
    classes : list of lists of int
        The most frequent tag first.

    Examples
    --------
    >>> codes, tags = np.zeros(4, np.int32), np.array([2, 1, 2, 2], np.int32)
    >>> tag_classes(["Can"], codes, tags)
    (['can'], [[2, 1]])
    """
    form_numbers, forms = _normal_forms(words, codes, dotless)
    count = int(tags.max(initial=0)) + 1
    pairs, frequencies = np.unique(forms * count + tags, return_counts=True)
    totals = np.bincount(forms, minlength=len(form_numbers))
    form, tag = np.divmod(pairs, count)
    is_frequent = (totals[form] >= MIN_CLASS_WORDS) & (frequencies >= MIN_TAG_SHARE * totals[form])
    form, tag, frequencies = form[is_frequent], tag[is_frequent], frequencies[is_frequent]
    order = np.lexsort((tag, -frequencies, form))
    tags_by_form: dict[int, list[int]] = {}
    for form_number, number in zip(form[order].tolist(), tag[order].tolist(), strict=True):
        tags_by_form.setdefault(form_number, []).append(number)
    tagged_words = sorted(
        (word, tags_by_form[number])
        for word, number in form_numbers.items()
        if number in tags_by_form
    )
    return [word for word, _ in tagged_words], [tags for _, tags in tagged_words]


def seen_tags(
    words: Sequence[str],
    codes: Int32,
    tags: Int32,
    kinds: Sequence[int],
    *,
    dotless: bool = False,
) -> tuple[list[str], list[list[int]]]:
    """Return all normal forms, and the tags that each was seen with or may have too.

    If several words have both of two tags that differ in FEATS alone, all words with one of them
    may have the other: a few examples of a word do not show all of its cases.

    Parameters
    ----------
    words, codes, tags, dotless
        See `tag_classes`.
    kinds : sequence of int
        See `TagSet.kinds`.

    Examples
    --------
    >>> codes, tags = np.array([0, 0, 1, 1, 2, 3], np.int32), np.array([0, 1, 0, 1, 1, 2], np.int32)
    >>> seen_tags(["sheep", "fish", "deer", "run"], codes, tags, [0, 0, 1])
    (['deer', 'fish', 'run', 'sheep'], [[0, 1], [0, 1], [2], [0, 1]])
    """
    form_numbers, forms = _normal_forms(words, codes, dotless)
    seen: list[set[int]] = [set() for _ in form_numbers]
    for form, tag in np.unique(np.stack([forms, tags.astype(np.int64)]), axis=1).T.tolist():
        seen[form].add(tag)
    pair_counts = Counter(
        pair
        for word_tags in seen
        for pair in permutations(word_tags, 2)
        if kinds[pair[0]] == kinds[pair[1]]
    )
    partner_tags: dict[int, set[int]] = {}
    for (tag, partner), frequency in pair_counts.items():
        if frequency >= MIN_PAIR_WORDS:
            partner_tags.setdefault(tag, set()).add(partner)
    seen_words = sorted(
        (word, seen[number]) for word, number in form_numbers.items() if seen[number]
    )
    no_tags: set[int] = set()
    tag_lists = [
        sorted(word_tags.union(*(partner_tags.get(tag, no_tags) for tag in word_tags)))
        for _, word_tags in seen_words
    ]
    return [word for word, _ in seen_words], tag_lists


def _normal_forms(
    words: Sequence[str], codes: Int32, dotless: bool
) -> tuple[dict[str, int], Int64]:
    """Return the index of each normal form, and the index of each word's form in a text."""
    numbers: dict[str, int] = {}
    normal = [normal_form(word, dotless=dotless) for word in words]
    numbers_of_words = [numbers.setdefault(form, len(numbers)) for form in normal]
    return numbers, np.array(numbers_of_words, np.int64)[codes]


def key_of(*numbers: int) -> int:
    """Return a hash of numbers in their order; never 0.

    Examples
    --------
    >>> key_of(1, 2) != key_of(2, 1)
    True
    """
    key = int(SPLITMIX_2)
    for number in numbers:
        key = ((key ^ (number + 1)) * GOLDEN) & MASK64
        key ^= key >> 29
        key = (key * SPLITMIX_1) & MASK64
        key ^= key >> 32
    return key | 1


def _character_classes(code_points: Int32, *, symbols: bool) -> UInt8:
    """Return the class of each character: capital, other letter, digit, symbol, or none."""
    distinct, inverse = np.unique(code_points, return_inverse=True)
    classes = np.zeros(len(distinct), np.uint8)
    for number, code_point in enumerate(distinct.tolist()):
        character = chr(code_point)
        if character.isupper() or character.istitle():
            classes[number] = 1
        elif character.isdigit():
            classes[number] = 3
        elif character.isalpha():
            classes[number] = 2
        elif symbols and unicodedata.category(character).startswith("S"):
            # 4 is a letter without case.
            classes[number] = 5
    return classes[inverse]


@dataclass(frozen=True, eq=False)
class Templates:
    """Feature templates, encoded for kernels.

    Attributes
    ----------
    names : tuple of str
        The templates, ordered by group.
    atoms : int32[3 * T]
        The codes of up to three atoms per template, -1 if there are fewer.
    by_group : uint8[T]
        1 for templates that read the groups of the tags before.
    alone, fixed, single : int
        The number of templates of the word alone, of templates without tags, and of templates with
        at most the tag before.

    Examples
    --------
    >>> Templates.parse(["suffix3", "tag@-1 normal@+1"]).names
    ('suffix3', 'tag@-1 normal@+1')
    """

    names: tuple[str, ...]
    atoms: Int32
    by_group: UInt8
    alone: int
    fixed: int
    single: int

    @classmethod
    def usual(cls, *, by_parts: bool, joined: bool) -> Templates:
        """Return the default templates of a tagger.

        Parameters
        ----------
        by_parts : bool
            Whether tags with common parts share weights.
        joined : bool
            Whether to add `SYMBOL_TEMPLATES`.
        """
        names = PART_TEMPLATES if by_parts else DEFAULT_TEMPLATES
        return cls.parse(
            (*names[:_FIRST_CONTEXT], *SYMBOL_TEMPLATES * joined, *names[_FIRST_CONTEXT:])
        )

    @classmethod
    def parse(cls, names: Sequence[str]) -> Templates:
        """Parse templates: attributes separated by spaces, with ``@-1`` for the word before.

        The tags before, ``tag@-1`` or ``tag@-2 tag@-1``, or their groups, ``group@-1``, come first.

        Raises
        ------
        ModelError
            If a template is invalid, or not in the order of groups.
        """
        if len(names) > MAX_TEMPLATES:
            raise ModelError(f"{len(names)} templates; expected at most {MAX_TEMPLATES}")
        groups, atoms = [], []
        for name in names:
            parts = name.split(" ")
            tags = tuple(part for part in parts if part.startswith(("tag", "group")))
            group = 1 + _TAG_GROUPS.get(tags, -9) if tags else 0
            if parts[: len(tags)] != list(tags) or group < 0 or len(parts) - len(tags) > MAX_ATOMS:
                raise ModelError(f"no such template: {name[:60]!r}")
            codes = [_atom_code(part, name) for part in parts[len(tags) :]]
            if not tags and any(code >> TEMPLATE_BITS != TEMPLATE_REACH for code in codes):
                group = 1
            groups.append(group)
            atoms += codes + [-1] * (MAX_ATOMS - len(codes))
        if groups != sorted(groups):
            raise ModelError("templates: not in the order of their groups")
        ends = [sum(group <= last for group in groups) for last in range(3)]
        by_group = np.array([name.startswith("group") for name in names], np.uint8)
        return cls(tuple(names), np.array(atoms, np.int32), by_group, *ends)


def _atom_code(atom: str, template: str) -> int:
    """Return the code of an atom, such as ``suffix3@+1``; ModelError if it is invalid."""
    match = _ATOM.fullmatch(atom)
    if match is None or match[1] not in TAGGER_ATTRIBUTES:
        raise ModelError(f"no such template: {template[:60]!r}")
    return (int(match[2] or 0) + TEMPLATE_REACH) << TEMPLATE_BITS | TAGGER_ATTRIBUTES.index(
        match[1]
    )
