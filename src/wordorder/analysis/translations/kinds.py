"""Kinds of words and of moved blocks: by their role in the tree, or by what they look like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from wordorder.analysis.translations.blocks import Blocks, moved_heads
from wordorder.analysis.translations.stored import (
    concatenate,
    count_values as number_counts,
    move_to_file,
    narrow,
)
from wordorder.arrays import Array, Bool, Int64
from wordorder.kernels import piece_spans
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Column, Treebank, numbered

# Words that are told apart by their form; and words that a check leaves out.
FORMS, COMMONEST = 40, 60

OTHER_FORMS = "other words"

PUNCTUATION = "punctuation"

# What words are called that have a relation to their head (Universal Dependencies), by family.
VERBS, CLAUSE_PARTS, NOUN_PHRASES, LINKS = (
    *("verbs and clauses", "parts of clauses", "words of noun phrases", "linking words"),
)
RELATIONS = {
    "subjects": (CLAUSE_PARTS, ("nsubj", "expl")),
    "objects": (CLAUSE_PARTS, ("obj", "iobj")),
    "adverbial phrases": (CLAUSE_PARTS, ("obl",)),
    "adverbs and negation": (CLAUSE_PARTS, ("advmod",)),
    "noun modifiers": (NOUN_PHRASES, ("nmod", "appos")),
    "adjectives": (NOUN_PHRASES, ("amod",)),
    "determiners": (NOUN_PHRASES, ("det",)),
    "numbers": (NOUN_PHRASES, ("nummod",)),
    "names and compounds": (NOUN_PHRASES, ("compound", "flat", "fixed", "goeswith")),
    "prepositions": (NOUN_PHRASES, ("case",)),
    "coordinated words": (LINKS, ("conj", "cc")),
    "subordinating words": (LINKS, ("mark",)),
    "auxiliaries": (VERBS, ("aux", "cop")),
    "punctuation": ("punctuation", ("punct",)),
}
MAIN_VERBS, SUBORDINATE_VERBS = "main verbs", "verbs of subordinate clauses"
MAIN_CLAUSES, SUBORDINATE_CLAUSES = "main clauses", "subordinate clauses"
OTHERS = "other words"
TREE_FAMILIES = {
    **{name: family for name, (family, _) in RELATIONS.items()},
    **dict.fromkeys((MAIN_VERBS, SUBORDINATE_VERBS, MAIN_CLAUSES, SUBORDINATE_CLAUSES), VERBS),
    OTHERS: LINKS,
}
TREE_NAMES = tuple(TREE_FAMILIES)
CLAUSES = ("advcl", "acl", "ccomp", "xcomp", "csubj")
MAIN = ("root", "parataxis", "conj")
FUNCTION = ("case", "mark", "det", "cc", "aux", "cop")
# Words that belong to a noun or verb: where one of the two passes the other, this one is named.
DEPENDENT = (
    *("amod", "det", "nummod", "nmod", "compound", "flat", "appos", "case", "cc", "mark"),
    *("nsubj", "aux", "cop", "advmod", "conj", "punct"),
)
# So many words of a verb's block make it a clause.
CLAUSE = 4

# What words look like, without trees; the first that fits.
SHAPES = (
    *("punctuation", "numbers", "words at the end of the sentence", "words at its beginning"),
    *("common words", "capitalised words", "single words", "blocks of 2 or 3 words"),
    "blocks of 4 words or more",
)


def unclear_kinds(*, characters: bool) -> frozenset[str]:
    """Return the kinds of blocks of which no reader can tell whether they have moved.

    Which comma of a sentence is which cannot be told, nor which character, if words are characters.
    Findings are not about them, and no sentence is cited for them.

    Examples
    --------
    >>> sorted(unclear_kinds(characters=False))
    ['punctuation']
    """
    blocks = [name for name in SHAPES if name.startswith("blocks")]
    return frozenset(SHAPES).difference(blocks) if characters else frozenset([PUNCTUATION])


@lru_cache(1 << 16)
def is_punctuation(word: str) -> bool:
    """Return whether a word has no letter and no digit.

    Examples
    --------
    >>> [word for word in ("n't", ",", "--", "7") if is_punctuation(word)]
    [',', '--']
    """
    return not any(character.isalnum() for character in word)


def subject_of(system: str, text: str) -> frozenset[tuple[str, str]]:
    """Return the words that a finding about a system and a text is about, for `Finding.subject`.

    The case of letters does not matter, and punctuation does not count.

    Examples
    --------
    >>> subject_of("A", ", And")
    frozenset({('A', 'and')})
    """
    words = [word.lower() for word in text.split() if not is_punctuation(word)]
    return frozenset((system, word) for word in words)


@lru_cache(1 << 16)
def has_marks(word: str) -> bool:
    """Return whether punctuation is attached to a word, but for an apostrophe or one full stop.

    Examples
    --------
    >>> [word for word in ('"I', "it,", "'s", "U.S.", "said", "&quot;If", "...") if has_marks(word)]
    ['"I', 'it,', '&quot;If']
    """
    bare = word.strip("'\u2019").removesuffix(".")
    ends = bare[:1] + bare[-1:]
    return not is_punctuation(word) and not ends.isalnum()


@dataclass(frozen=True, eq=False)
class WordClasses:
    """What is known of the N words of all references.

    Attributes
    ----------
    names : tuple of str
        Of the kinds of moved blocks, K of them.
    kinds : whole numbers [N]
        The kind of a block of each word alone.
    texts : Texts
    trees : Treebank or None
        Without it kinds are those of `SHAPES`.
    """

    names: tuple[str, ...]
    kinds: Array
    texts: Texts
    trees: Treebank | None

    @classmethod
    def of(cls, texts: Texts, trees: Treebank | None) -> WordClasses:
        """Sort the words of the references into kinds.

        Examples
        --------
        >>> texts = Texts.from_segments(["x"], ["In 1999 we saw the Rhine there ."])
        >>> found = WordClasses.of(texts, None)
        >>> [found.names[kind].split()[0] for kind in found.kinds]
        ['words', 'numbers', 'common', 'common', 'common', 'common', 'words', 'punctuation']
        """
        if trees is not None and trees.label.has_value().any():
            return cls(TREE_NAMES, move_to_file(narrow(_by_relation(trees))), texts, trees)
        return cls(SHAPES, _by_shape(texts), texts, None)

    @property
    def families(self) -> tuple[str, ...]:
        """The family of each kind: of a few kinds in trees, else the kind itself."""
        return tuple(TREE_FAMILIES.get(name, name) if self.trees else name for name in self.names)

    @cached_property
    def punctuation(self) -> Bool:
        """Which words are punctuation, bool[N]."""
        return move_to_file(_punctuation(self.texts))

    @cached_property
    def common(self) -> Bool:
        """Which words are among the 60 commonest of the references, bool[N]."""
        common: Bool = (_ranks(self.texts)[0] < COMMONEST)[self.texts.references.values]
        return move_to_file(common)

    @cached_property
    def stems(self) -> Int64:
        """A number of each word of the vocabulary; words that begin alike have the same, int64[V].

        That is how pairs of words are told that an aligner may take for each other.
        """
        words = self.texts.vocabulary.words
        bare = (re.sub(r"\W", "", word.lower())[:4] or word for word in words)
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(stem, len(numbers)) for stem in bare], np.int64)

    @cached_property
    def forms(self) -> tuple[tuple[str, ...], Array]:
        """The names and each word's number: the 40 commonest words, punctuation, other words."""
        ranks, names = _ranks(self.texts)
        marks = np.fromiter(map(is_punctuation, names), np.bool_, len(names))
        common = np.flatnonzero(~marks)[:FORMS]
        numbers = np.where(marks, len(common), len(common) + 1)
        numbers[common] = np.arange(len(common))
        shown = (*(names[rank] for rank in common.tolist()), PUNCTUATION, OTHER_FORMS)
        # Words that no reference has are not asked for.
        of_words = narrow(numbers)[np.minimum(ranks, len(names) - 1)] if len(names) else ranks
        return shown, move_to_file(of_words[self.texts.references.values])

    @cached_property
    def tags(self) -> tuple[tuple[str, ...], Int64] | None:
        """The tags of the references, and the number of each word's; None without tags."""
        if self.trees is None or not self.trees.upos.has_value().any():
            return None
        codes, names = numbered(self.trees.upos)
        used, codes = np.unique(codes, return_inverse=True)
        return tuple(names[code] for code in used.tolist()), codes

    def blocks(self, blocks: Blocks) -> tuple[Array, Int64]:
        """Return the kind of each moved block, and the word that it is named after.

        Returns
        -------
        kinds, words : whole numbers [C], int64[C]
            Numbers of `names`; places in the references.
        """
        if self.trees is not None:
            return _moved_by_relation(blocks, self.trees, self.kinds)
        moved = np.flatnonzero(blocks.moved)
        first = blocks.reference[blocks.first[moved]]
        last = blocks.reference[blocks.first[moved + 1] - 1]
        size = blocks.words[moved]
        # The last word of a sentence names its block; other blocks of several words have no class.
        at_end = (self.kinds[last] == SHAPES.index("words at the end of the sentence")) & (size < 4)
        longer = len(SHAPES) - np.where(size < 4, 2, 1)
        kinds = np.where((size == 1) | at_end, self.kinds[last], longer)
        return kinds, np.where(at_end, last, first)


def _punctuation(texts: Texts) -> Bool:
    marks = np.fromiter(map(is_punctuation, texts.vocabulary.words), np.bool_)
    found: Bool = marks[texts.references.values] if len(marks) else np.zeros(0, np.bool_)
    return found


def _ranks(texts: Texts) -> tuple[Int64, tuple[str, ...]]:
    """Return the rank of each word of the vocabulary among the commonest of the references.

    And the words that these have, by rank; that of others is not below their number.
    """
    size = len(texts.vocabulary)
    every = Column(np.arange(size, dtype=np.int32), texts.vocabulary)
    codes, names = numbered(every, str.lower)
    totals = number_counts(texts.references.values, size)
    counts = np.bincount(codes, totals, len(names)).astype(np.int64)
    order = np.argsort(-counts, kind="stable")
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    used = order[counts[order] > 0].tolist()
    return ranks[codes], tuple(names[code] for code in used)


def _by_shape(texts: Texts) -> Array:
    """Return the first of `SHAPES` that fits each word of the references, whole numbers [N]."""
    words = texts.vocabulary.words
    size = len(words)
    marks = np.fromiter(map(is_punctuation, words), np.bool_, size)
    # The kind of each word of the vocabulary, whatever its place in a sentence.
    of_words = np.full(size, SHAPES.index("single words"), np.int8)
    capitals = np.fromiter((word[:1].isupper() for word in words), np.bool_, size)
    of_words[capitals] = SHAPES.index("capitalised words")
    of_words[_ranks(texts)[0] < COMMONEST] = SHAPES.index("common words")
    digits = np.fromiter((any(map(str.isdigit, word)) for word in words), np.bool_, size)
    fixed = marks | digits
    of_words[digits] = SHAPES.index("numbers")
    of_words[marks] = SHAPES.index("punctuation")
    parts = [np.zeros(0, np.int8)]
    for first, last in piece_spans(texts.references.offsets):
        rows = texts.references[first:last]
        kinds = of_words[rows.values]
        said = np.flatnonzero(~marks[rows.values])
        row_of = np.repeat(np.arange(len(rows)), rows.lengths)[said]
        for name, places in (
            ("words at its beginning", said[np.flatnonzero(np.diff(row_of, prepend=-1))]),
            ("words at the end of the sentence", said[np.flatnonzero(np.diff(row_of, append=-1))]),
        ):
            kinds[places[~fixed[rows.values[places]]]] = SHAPES.index(name)
        parts.append(kinds)
    return concatenate(parts)


def _labels(trees: Treebank) -> tuple[Int64, dict[str, int]]:
    """Return the relation of each word without its subtype, as a number, and the numbers."""
    codes, names = numbered(trees.label, lambda label: label.split(":")[0])
    return codes, {name: number for number, name in enumerate(names)}


def _among(codes: Int64, numbers: dict[str, int], relations: tuple[str, ...]) -> Bool:
    return np.isin(codes, [numbers[each] for each in relations if each in numbers])


def _by_relation(trees: Treebank) -> Int64:
    """Return the kind of each word of a treebank, by its relation."""
    codes, numbers = _labels(trees)
    kinds = np.full(len(codes), TREE_NAMES.index(OTHERS))
    for name, (_, relations) in RELATIONS.items():
        kinds[_among(codes, numbers, relations)] = TREE_NAMES.index(name)
    tags, tag_names = numbered(trees.upos)
    verbs = _among(tags, {name: n for n, name in enumerate(tag_names)}, ("VERB",))
    main = _among(codes, numbers, ("root",)) | (_among(codes, numbers, MAIN) & verbs)
    kinds[main] = TREE_NAMES.index(MAIN_VERBS)
    kinds[_among(codes, numbers, CLAUSES)] = TREE_NAMES.index(SUBORDINATE_VERBS)
    return kinds


def parents(trees: Treebank) -> Int64:
    """Return the place of the head of each word, -1 for a root, int64[N]."""
    starts = np.repeat(trees.offsets[:-1], np.diff(trees.offsets))
    return np.where(trees.heads > 0, starts + trees.heads - 1, -1)


def _moved_by_relation(blocks: Blocks, trees: Treebank, kinds: Array) -> tuple[Array, Int64]:
    """Return the kind of each moved block by the relation of a word, and that word.

    It is the head of the block; or what the head of the block passes, if that depends on it as an
    adjective does on a noun: to put the noun too early is to put the adjective too late. A function
    word goes with the word that it belongs to, if that is not the other of the two.
    """
    heads, passed = moved_heads(blocks, trees)
    codes, numbers = _labels(trees)
    parent = parents(trees)
    function = _among(codes, numbers, FUNCTION)
    above = parent[heads]
    heads = np.where(function[heads] & (above >= 0) & (above != passed), above, heads)
    above = parent[passed]
    lifted = (passed >= 0) & function[passed] & (above >= 0) & (above != heads)
    passed = np.where(lifted, above, passed)
    depends = (passed >= 0) & (parent[passed] == heads)
    depends &= _among(codes, numbers, DEPENDENT)[passed]
    named = np.where(depends, passed, heads)
    found = kinds[named]
    # Of a verb with other words, not the verb is out of place but the clause.
    long = (blocks.words[blocks.moved] >= CLAUSE) & ~depends
    for single, clause in ((MAIN_VERBS, MAIN_CLAUSES), (SUBORDINATE_VERBS, SUBORDINATE_CLAUSES)):
        found[long & (found == TREE_NAMES.index(single))] = TREE_NAMES.index(clause)
    return found, named
