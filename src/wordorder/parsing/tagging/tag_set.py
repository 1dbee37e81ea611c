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
from wordorder.parsing.weights import MOST_ACTIONS
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.preparation import normal_form
from wordorder.treebank.treebank import NOTHING, Column, Treebank, combine_columns

# Which columns a tagger fills.
TAGS = {
    "all": ("upos", "xpos", "feats"),
    "both": ("upos", "xpos"),
    "upos": ("upos",),
    "xpos": ("xpos",),
}

# What a model may have: columns in which no word of its treebank says anything are left out.
LEGAL = (*TAGS.values(), ("upos", "feats"), ("xpos", "feats"))

# The tags that words may have: the kind of each word, int64[N], and which tags, at least one, each
# kind may have, bool[K, T].
Choices = tuple[Int64, Bool]

# The columns of `word_attributes`.
ATTRIBUTES = (
    "form",
    "normal",
    *(f"prefix{length}" for length in range(1, 6)),
    *(f"suffix{length}" for length in range(1, 7)),
    "shape",
    "kind",
    "length",
    "class",
)
COLUMNS = len(ATTRIBUTES)

# A word that is rarer has no class of its own; tags with a smaller share are not of its class.
LEAST_COUNT = 3
LEAST_SHARE = 0.02

# So many words have both of two tags before one of these is expected wherever the other is.
LEAST_PAIRS = 2

# Longer words are all the same.
LONGEST = 12

# As the kernel `tag_features` reads them.
ATOMS = 3
REACH = 2
BITS = 5
MOST_TEMPLATES = 1000

# Of the word, of words around it, with the tag before, with the two tags before.
DEFAULT = (
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

# The same for tags with parts: of each word alone, with longer affixes; of words around it; and
# groups of tags are seen in the place of tags, each of which is rarer.
_CONTEXT = next(place for place, name in enumerate(DEFAULT) if "@" in name)
BY_PARTS = (
    *DEFAULT[:_CONTEXT],
    "suffix6", "prefix4", "prefix5",
    *(name for name in DEFAULT[_CONTEXT:] if not name.startswith("tag")),
    "tag@-1", "tag@-1 class", "group@-1", "group@-1 normal", "group@-1 suffix3", "group@-1 class",
    "group@-1 shape", "group@-1 normal@+1", "group@-1 class@+1",
    "tag@-2 tag@-1", "group@-2 group@-1", "group@-2 group@-1 class",
)  # fmt: skip

# Capitals and symbols with the class of a word: for text of other kinds.
JOINED = ("class kind", "class shape")
_ATOM = re.compile(r"([a-z]+[0-9]?)(?:@([+-][12]))?")
_TAGS = {
    ("tag@-1",): 1,
    ("group@-1",): 1,
    ("tag@-2", "tag@-1"): 2,
    ("group@-2", "group@-1"): 2,
}


class TagSet:
    """Tags by number; where a tagger fills several columns, what occurs together is one tag.

    Parameters
    ----------
    columns : sequence of str
        The columns that are filled, of ``upos``, ``xpos`` and ``feats``.
    tags : sequence of sequences of str
        What tag number ``i`` writes into each column.

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
            name: Vocabulary([tag[place] for tag in self.tags] or [NOTHING])
            for place, name in enumerate(self.columns)
        }

    @classmethod
    def learn(cls, treebank: Treebank, tags: str = "both") -> tuple[TagSet, Int32]:
        """Return the tags of a treebank, sorted, and the number of each word's tag.

        Parameters
        ----------
        treebank : Treebank
        tags : {"all", "both", "upos", "xpos"}
            With ``"all"`` or ``"both"`` a column in which no word has a tag is left alone; all
            are UPOS, XPOS and FEATS.

        Raises
        ------
        InputError
            If there are no words, or one of them has no tag, or if there are too many tags.
        """
        columns = TAGS[choose("tags", tags, tuple(TAGS))]
        if not treebank.words:
            raise InputError("training data", "no words", "tagged sentences")
        if len(columns) > 1:
            used_columns = [c for c in columns if treebank.columns[c].has_value().any()]
            # Words may well have no features.
            columns = (
                tuple(used_columns) if used_columns and used_columns != ["feats"] else TAGS["both"]
            )
        has_tag = [treebank.columns[c].has_value() for c in columns if c != "feats"]
        untagged = ~np.logical_or.reduce(has_tag)
        if np.any(untagged):
            raise InputError(
                f"training data, {treebank.place(int(np.argmax(untagged)))}",
                f"no tag in {' and '.join(c for c in columns if c != 'feats')}",
                "a tag for each word",
            )
        spelled, places = combine_columns([treebank.columns[name] for name in columns])
        names = sorted(set(spelled))
        if len(names) > MOST_ACTIONS:
            raise InputError("training data", f"{len(names)} tags", f"at most {MOST_ACTIONS}")
        numbers = {tag: number for number, tag in enumerate(names)}
        table = np.array([numbers[tag] for tag in spelled], np.int32)
        return cls(columns, names), table[places]

    def __len__(self) -> int:
        return len(self.tags)

    def write(self, sentences: Treebank, numbers: Int32) -> Treebank:
        """Return sentences with the tags of these numbers, one per word."""
        return sentences.replace(**self.columns_of(numbers))

    def columns_of(self, numbers: Int32) -> dict[str, Any]:
        """Return the columns of tags of these numbers."""
        return {name: Column(numbers, strings) for name, strings in self._strings.items()}

    def choices(self, sentences: Treebank) -> Choices:
        """Return the tags of each word that agree with those that it has already.

        Features that it has are not looked at. A word whose tags agree with no pair keeps the tag
        of the language, or else the universal one; if the set has neither, all tags are open to it.

        Examples
        --------
        >>> tag_set = TagSet(("upos", "xpos"), [("NOUN", "NN"), ("VERB", "VB"), ("VERB", "VBZ")])
        >>> bank = Treebank.from_words([["it", "rains"]], upos=[["_", "VERB"]])
        >>> kind, allowed = tag_set.choices(bank)
        >>> allowed[kind].tolist()
        [[True, True, True], [False, True, True]]
        """
        columns = [sentences.columns[name] for name in self.columns if name != "feats"]
        kinds, kind = combine_columns(columns)
        allowed = np.ones((len(kinds), len(self)), bool)
        for row, choice_strings in zip(allowed, kinds, strict=True):
            fits = [
                np.array([tag[place] == string for tag in self.tags], bool)
                for place, string in enumerate(choice_strings)
                if string != NOTHING
            ]
            if fits:
                # The tag of the language comes last, and says more.
                tries = (np.logical_and.reduce(fits), *reversed(fits))
                row[:] = next((fit for fit in tries if fit.any()), True)
        return kind, allowed

    def parts(self) -> tuple[Int32, Int32, int]:
        """Return the parts of tags: the value of each column, each feature of FEATS.

        Returns
        -------
        starts : int32[T+1]
        parts : int32 array
            Those of tag ``i`` are ``parts[starts[i] : starts[i+1]]``, numbered from T on.
        actions : int
            How many tags and parts there are.
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
        """Return the number of each tag's value in its first column; the last is of no tag."""
        numbers: dict[str, int] = {}
        tag_groups = [numbers.setdefault(tag[0], len(numbers)) for tag in self.tags]
        return np.array([*tag_groups, len(numbers)], np.int32)

    def kinds(self) -> list[int]:
        """Return a number for each tag, the same for those that differ in FEATS alone."""
        numbers: dict[tuple[str, ...], int] = {}
        indices = [n for n, name in enumerate(self.columns) if name != "feats"]
        kinds = [tuple(tag[n] for n in indices) for tag in self.tags]
        return [numbers.setdefault(kind, len(numbers)) for kind in kinds]

    def about(self) -> dict[str, Any]:
        """Return its JSON-serialisable metadata."""
        return {"columns": list(self.columns), "tags": [list(tag) for tag in self.tags]}

    @classmethod
    def from_about(cls, about: Mapping[str, Any]) -> TagSet:
        """Rebuild it from its saved state.

        Raises
        ------
        ModelError
            If it is not what `about` returns.
        """
        columns: Any = about.get("columns")
        tags: Any = about.get("tags")
        if not isinstance(columns, list) or tuple(columns) not in LEGAL:
            raise ModelError(f"columns of tags: {str(columns)[:60]}; expected upos, xpos, feats")
        good = isinstance(tags, list) and all(
            isinstance(tag, list)
            and len(tag) == len(columns)
            and all(isinstance(part, str) for part in tag)
            for tag in tags
        )
        if not good or not 0 < len(tags) <= MOST_ACTIONS:
            raise ModelError(f"tags: not 1 to {MOST_ACTIONS} lists of {len(columns)} strings")
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
    """Return the attributes of words, as `ATTRIBUTES` names them.

    Parameters
    ----------
    words : sequence of str
    classes : mapping of str to int
        The key of the class of a normal form; others have one together.
    one_case : bool[W], optional
        The words whose case says nothing, which are in lower case.
    dotless : bool
        See `lower_case`.
    symbols : bool
        Whether a symbol is like any other in a shape.

    Returns
    -------
    uint64[W * 17]
        A hash of each attribute; 0 where a word has none.
    """
    normal = [normal_form(word, dotless=dotless) for word in words]
    spelled, lowered = Vocabulary(words).code_points(), Vocabulary(normal).code_points()
    characters = _character_classes(spelled.values, symbols=symbols)
    if one_case is not None:
        blind = np.repeat(one_case, spelled.lengths)
        characters[blind & ((characters == 1) | (characters == 2))] = 4
    attributes = np.zeros((len(words), COLUMNS), np.uint64)
    letters = (spelled.values, spelled.offsets, characters, lowered.values, lowered.offsets)
    call(kernel.compute_word_attributes, *letters, COLUMNS, attributes.reshape(-1), len(words))
    lengths = np.array([key_of(length) for length in range(LONGEST + 1)], np.uint64)
    attributes[:, -2] = lengths[np.minimum(spelled.lengths, LONGEST)]
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
        By number.
    codes : int32[N]
        The number of each word of a text.
    tags : int32[N]
        The number of its tag.
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
    numbers, forms = _normal_forms(words, codes, dotless)
    count = int(tags.max(initial=0)) + 1
    pairs, times = np.unique(forms * count + tags, return_counts=True)
    totals = np.bincount(forms, minlength=len(numbers))
    form, tag = np.divmod(pairs, count)
    is_frequent = (totals[form] >= LEAST_COUNT) & (times >= LEAST_SHARE * totals[form])
    form, tag, times = form[is_frequent], tag[is_frequent], times[is_frequent]
    order = np.lexsort((tag, -times, form))
    tags_by_form: dict[int, list[int]] = {}
    for form_number, number in zip(form[order].tolist(), tag[order].tolist(), strict=True):
        tags_by_form.setdefault(form_number, []).append(number)
    tagged_words = sorted(
        (word, tags_by_form[number]) for word, number in numbers.items() if number in tags_by_form
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
    """Return all normal forms, and the tags that each was seen with or is likely to have too.

    Where several words have both of two tags of one kind, all words that have one may have the
    other: a few examples of a word do not show all of its cases.

    Parameters
    ----------
    words, codes, tags, dotless
        See `tag_classes`.
    kinds : sequence of int
        The kind of each tag.

    Examples
    --------
    >>> codes, tags = np.array([0, 0, 1, 1, 2, 3], np.int32), np.array([0, 1, 0, 1, 1, 2], np.int32)
    >>> seen_tags(["sheep", "fish", "deer", "run"], codes, tags, [0, 0, 1])
    (['deer', 'fish', 'run', 'sheep'], [[0, 1], [0, 1], [2], [0, 1]])
    """
    numbers, forms = _normal_forms(words, codes, dotless)
    seen: list[set[int]] = [set() for _ in numbers]
    for form, tag in np.unique(np.stack([forms, tags.astype(np.int64)]), axis=1).T.tolist():
        seen[form].add(tag)
    times = Counter(
        pair
        for word_tags in seen
        for pair in permutations(word_tags, 2)
        if kinds[pair[0]] == kinds[pair[1]]
    )
    partner_tags: dict[int, set[int]] = {}
    for (tag, partner), number in times.items():
        if number >= LEAST_PAIRS:
            partner_tags.setdefault(tag, set()).add(partner)
    seen_words = sorted((word, seen[number]) for word, number in numbers.items() if seen[number])
    no_tags: set[int] = set()
    tag_lists = [
        sorted(word_tags.union(*(partner_tags.get(tag, no_tags) for tag in word_tags)))
        for _, word_tags in seen_words
    ]
    return [word for word, _ in seen_words], tag_lists


def _normal_forms(
    words: Sequence[str], codes: Int32, dotless: bool
) -> tuple[dict[str, int], Int64]:
    """Return the number of each normal form, and that of each word of a text."""
    numbers: dict[str, int] = {}
    normal = [normal_form(word, dotless=dotless) for word in words]
    table = [numbers.setdefault(form, len(numbers)) for form in normal]
    return numbers, np.array(table, np.int64)[codes]


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
    different, places = np.unique(code_points, return_inverse=True)
    classes = np.zeros(len(different), np.uint8)
    for number, code_point in enumerate(different.tolist()):
        character = chr(code_point)
        if character.isupper() or character.istitle():
            classes[number] = 1
        elif character.isdigit():
            classes[number] = 3
        elif character.isalpha():
            classes[number] = 2
        elif symbols and unicodedata.category(character).startswith("S"):
            # 4 is a letter whose case says nothing.
            classes[number] = 5
    return classes[places]


@dataclass(frozen=True, eq=False)
class Templates:
    """Templates as kernels read them.

    Attributes
    ----------
    names : tuple of str
        The templates, ordered by group.
    atoms : int32[3 * T]
        Three numbers a template.
    by_group : uint8[T]
        Which of them see the groups of the tags before.
    alone, fixed, single : int
        How many templates are of the word alone; how many are without tags; how many are with at
        most the tag before.

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
        """Return the default templates of a tagger, for tags with parts and with `JOINED`."""
        names = BY_PARTS if by_parts else DEFAULT
        return cls.parse((*names[:_CONTEXT], *JOINED * joined, *names[_CONTEXT:]))

    @classmethod
    def parse(cls, names: Sequence[str]) -> Templates:
        """Read templates: attributes separated by blanks, ``@-1`` for those of the word before.

        The tags before, ``tag@-1`` or ``tag@-2 tag@-1``, or their groups, ``group@-1``, come first.

        Raises
        ------
        ModelError
            If there is no such template, or if one is in the wrong order.
        """
        if len(names) > MOST_TEMPLATES:
            raise ModelError(f"{len(names)} templates; expected at most {MOST_TEMPLATES}")
        groups, atoms = [], []
        for name in names:
            parts = name.split(" ")
            tags = tuple(part for part in parts if part.startswith(("tag", "group")))
            group = 1 + _TAGS.get(tags, -9) if tags else 0
            if parts[: len(tags)] != list(tags) or group < 0 or len(parts) - len(tags) > ATOMS:
                raise ModelError(f"no such template: {name[:60]!r}")
            codes = [_code(part, name) for part in parts[len(tags) :]]
            if not tags and any(code >> BITS != REACH for code in codes):
                group = 1
            groups.append(group)
            atoms += codes + [-1] * (ATOMS - len(codes))
        if groups != sorted(groups):
            raise ModelError("templates: not in the order of their groups")
        ends = [sum(group <= last for group in groups) for last in range(3)]
        by_group = np.array([name.startswith("group") for name in names], np.uint8)
        return cls(tuple(names), np.array(atoms, np.int32), by_group, *ends)


def _code(atom: str, template: str) -> int:
    """Return the number of an atom."""
    match = _ATOM.fullmatch(atom)
    if match is None or match[1] not in ATTRIBUTES:
        raise ModelError(f"no such template: {template[:60]!r}")
    return (int(match[2] or 0) + REACH) << BITS | ATTRIBUTES.index(match[1])
