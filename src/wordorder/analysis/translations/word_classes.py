"""Classes of words and of moved blocks: by their role in the tree, or else by their form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from wordorder.analysis.translations.blocks import Blocks, moved_heads
from wordorder.analysis.translations.stored import (
    concatenate,
    count_values,
    move_to_file,
    narrow,
)
from wordorder.arrays import Array, Bool, Int64
from wordorder.kernels import piece_spans
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Column, Treebank, numbered

# How many of the commonest words are groups of their own, and how many count as common words.
NAMED_FORMS, COMMON_FORMS = 40, 60

OTHER_FORMS = "other words"

PUNCTUATION = "punctuation"

# Word classes by the relation of a word to its head (Universal Dependencies), with their families.
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
# Relations of dependents after which a block is named if they and their head pass each other.
NAMING_DEPENDENTS = (
    *("amod", "det", "nummod", "nmod", "compound", "flat", "appos", "case", "cc", "mark"),
    *("nsubj", "aux", "cop", "advmod", "conj", "punct"),
)
# A verb's block of at least this number of words is a clause.
MIN_CLAUSE_WORDS = 4

# Classes by form, for references without trees; the first that fits.
SHAPES = (
    *("punctuation", "numbers", "words at the end of the sentence", "words at its beginning"),
    *("common words", "capitalised words", "single words", "blocks of 2 or 3 words"),
    "blocks of 4 words or more",
)


def indistinct_classes(*, characters: bool) -> frozenset[str]:
    """Return the word classes of which a reader cannot tell which words have moved.

    They are punctuation, and characters if words are characters: a sentence has several equal ones.
    Findings are not about them, and do not cite sentences for them.

    Examples
    --------
    >>> sorted(indistinct_classes(characters=False))
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
    """Return a `Finding.subject`: the lowercased words of a text without punctuation.

    Examples
    --------
    >>> subject_of("A", ", And")
    frozenset({('A', 'and')})
    """
    words = [word.lower() for word in text.split() if not is_punctuation(word)]
    return frozenset((system, word) for word in words)


@lru_cache(1 << 16)
def has_marks(word: str) -> bool:
    """Return whether punctuation other than apostrophes or one final full stop surrounds a word.

    Examples
    --------
    >>> [word for word in ('"I', "it,", "'s", "U.S.", "said", "&quot;If", "...") if has_marks(word)]
    ['"I', 'it,', '&quot;If']
    """
    stripped = word.strip("'\u2019").removesuffix(".")
    ends = stripped[:1] + stripped[-1:]
    return not is_punctuation(word) and not ends.isalnum()


@dataclass(frozen=True, eq=False)
class WordClasses:
    """The classes and groups of the N words of all references.

    Attributes
    ----------
    names : tuple of str
        The names of K classes.
    classes : integers [N]
        The class of a block with each word alone, as an index of `names`.
    texts : Texts
    trees : Treebank or None
        Without trees, the classes are `SHAPES`.
    """

    names: tuple[str, ...]
    classes: Array
    texts: Texts
    trees: Treebank | None

    @classmethod
    def of(cls, texts: Texts, trees: Treebank | None) -> WordClasses:
        """Classify the words of the references.

        Examples
        --------
        >>> texts = Texts.from_segments(["x"], ["In 1999 we saw the Rhine there ."])
        >>> words = WordClasses.of(texts, None)
        >>> [words.names[index].split()[0] for index in words.classes]
        ['words', 'numbers', 'common', 'common', 'common', 'common', 'words', 'punctuation']
        """
        if trees is not None and trees.label.has_value().any():
            return cls(TREE_NAMES, move_to_file(narrow(_classes_by_relation(trees))), texts, trees)
        return cls(SHAPES, _classes_by_form(texts), texts, None)

    @property
    def families(self) -> tuple[str, ...]:
        """The family of each class; without trees, the class itself."""
        return tuple(TREE_FAMILIES.get(name, name) if self.trees else name for name in self.names)

    @cached_property
    def is_punctuation(self) -> Bool:
        """Whether each word is punctuation, bool[N]."""
        return move_to_file(_punctuation(self.texts))

    @cached_property
    def is_common(self) -> Bool:
        """Whether each word is among the 60 commonest of the references, bool[N]."""
        common: Bool = (_ranks(self.texts)[0] < COMMON_FORMS)[self.texts.references.values]
        return move_to_file(common)

    @cached_property
    def stem_ids(self) -> Int64:
        """An id of the first four letters of each word of the vocabulary, int64[V].

        An aligner may match words with the same id with each other.
        """
        words = self.texts.vocabulary.words
        stems = (re.sub(r"\W", "", word.lower())[:4] or word for word in words)
        ids: dict[str, int] = {}
        return np.array([ids.setdefault(stem, len(ids)) for stem in stems], np.int64)

    @cached_property
    def forms(self) -> tuple[tuple[str, ...], Array]:
        """The 40 commonest words, punctuation and other words; the index of each word's group."""
        ranks, names = _ranks(self.texts)
        marks = np.fromiter(map(is_punctuation, names), np.bool_, len(names))
        common = np.flatnonzero(~marks)[:NAMED_FORMS]
        groups = np.where(marks, len(common), len(common) + 1)
        groups[common] = np.arange(len(common))
        group_names = (*(names[rank] for rank in common.tolist()), PUNCTUATION, OTHER_FORMS)
        # The group of vocabulary words that no reference contains is arbitrary.
        word_groups = narrow(groups)[np.minimum(ranks, len(names) - 1)] if len(names) else ranks
        return group_names, move_to_file(word_groups[self.texts.references.values])

    @cached_property
    def tags(self) -> tuple[tuple[str, ...], Int64] | None:
        """The tags of the references, and the index of each word's tag; None without tags."""
        if self.trees is None or not self.trees.upos.has_value().any():
            return None
        codes, names = numbered(self.trees.upos)
        used, codes = np.unique(codes, return_inverse=True)
        return tuple(names[code] for code in used.tolist()), codes

    def classify_blocks(self, blocks: Blocks) -> tuple[Array, Int64]:
        """Return the class of each moved block, and the word that it is named after.

        Returns
        -------
        classes, words : integers [C], int64[C]
            Indices of `names`; indices of words in the references.
        """
        if self.trees is not None:
            return _classify_by_relation(blocks, self.trees, self.classes)
        moved = np.flatnonzero(blocks.moved)
        first = blocks.reference[blocks.starts[moved]]
        last = blocks.reference[blocks.starts[moved + 1] - 1]
        size = blocks.words[moved]
        # A block with the last word of a sentence has the class of that word; other blocks of
        # several words have a class by size.
        end_class = SHAPES.index("words at the end of the sentence")
        at_end = (self.classes[last] == end_class) & (size < 4)
        size_class = len(SHAPES) - np.where(size < 4, 2, 1)
        classes = np.where((size == 1) | at_end, self.classes[last], size_class)
        return classes, np.where(at_end, last, first)


def _punctuation(texts: Texts) -> Bool:
    marks = np.fromiter(map(is_punctuation, texts.vocabulary.words), np.bool_)
    words: Bool = marks[texts.references.values] if len(marks) else np.zeros(0, np.bool_)
    return words


def _ranks(texts: Texts) -> tuple[Int64, tuple[str, ...]]:
    """Rank the vocabulary by frequency in the references; return ranks, and their words by rank.

    Words that the references do not contain have the last ranks, and are not among the words.
    """
    size = len(texts.vocabulary)
    every = Column(np.arange(size, dtype=np.int32), texts.vocabulary)
    codes, names = numbered(every, str.lower)
    totals = count_values(texts.references.values, size)
    counts = np.bincount(codes, totals, len(names)).astype(np.int64)
    order = np.argsort(-counts, kind="stable")
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    used = order[counts[order] > 0].tolist()
    return ranks[codes], tuple(names[code] for code in used)


def _classes_by_form(texts: Texts) -> Array:
    """Return the first of `SHAPES` that fits each word of the references, integers [N]."""
    words = texts.vocabulary.words
    size = len(words)
    marks = np.fromiter(map(is_punctuation, words), np.bool_, size)
    # The class of each word of the vocabulary by its form alone.
    form_classes = np.full(size, SHAPES.index("single words"), np.int8)
    capitals = np.fromiter((word[:1].isupper() for word in words), np.bool_, size)
    form_classes[capitals] = SHAPES.index("capitalised words")
    form_classes[_ranks(texts)[0] < COMMON_FORMS] = SHAPES.index("common words")
    digits = np.fromiter((any(map(str.isdigit, word)) for word in words), np.bool_, size)
    has_own_class = marks | digits
    form_classes[digits] = SHAPES.index("numbers")
    form_classes[marks] = SHAPES.index("punctuation")
    parts = [np.zeros(0, np.int8)]
    for start, end in piece_spans(texts.references.offsets):
        rows = texts.references[start:end]
        classes = form_classes[rows.values]
        word_indices = np.flatnonzero(~marks[rows.values])
        row_of = np.repeat(np.arange(len(rows)), rows.lengths)[word_indices]
        starts = word_indices[np.flatnonzero(np.diff(row_of, prepend=-1))]
        ends = word_indices[np.flatnonzero(np.diff(row_of, append=-1))]
        for name, indices in (
            ("words at its beginning", starts),
            ("words at the end of the sentence", ends),
        ):
            classes[indices[~has_own_class[rows.values[indices]]]] = SHAPES.index(name)
        parts.append(classes)
    return concatenate(parts)


def _relations(trees: Treebank) -> tuple[Int64, dict[str, int]]:
    """Return the id of the relation of each word, without its subtype, and the relations' ids."""
    codes, names = numbered(trees.label, lambda label: label.split(":")[0])
    return codes, {name: code for code, name in enumerate(names)}


def _has_relation(codes: Int64, ids: dict[str, int], relations: tuple[str, ...]) -> Bool:
    return np.isin(codes, [ids[relation] for relation in relations if relation in ids])


def _classes_by_relation(trees: Treebank) -> Int64:
    """Return the class of each word of a treebank, by its relation."""
    codes, ids = _relations(trees)
    classes = np.full(len(codes), TREE_NAMES.index(OTHERS))
    for name, (_, relations) in RELATIONS.items():
        classes[_has_relation(codes, ids, relations)] = TREE_NAMES.index(name)
    tags, tag_names = numbered(trees.upos)
    verbs = np.isin(tags, [code for code, name in enumerate(tag_names) if name == "VERB"])
    main = _has_relation(codes, ids, ("root",)) | (_has_relation(codes, ids, MAIN) & verbs)
    classes[main] = TREE_NAMES.index(MAIN_VERBS)
    classes[_has_relation(codes, ids, CLAUSES)] = TREE_NAMES.index(SUBORDINATE_VERBS)
    return classes


def parents(trees: Treebank) -> Int64:
    """Return the index of the head of each word, -1 for a root, int64[N]."""
    starts = np.repeat(trees.offsets[:-1], np.diff(trees.offsets))
    return np.where(trees.heads > 0, starts + trees.heads - 1, -1)


def _classify_by_relation(blocks: Blocks, trees: Treebank, classes: Array) -> tuple[Array, Int64]:
    """Return the class of each moved block by the relation of a word, and that word.

    The word is the head of the block, or else the head of the words that the block passes, if that
    depends on the head of the block: a noun before its adjective is an adjective too late. The head
    of a function word replaces the word, unless it is the other of the two heads.
    """
    heads, passed = moved_heads(blocks, trees)
    codes, ids = _relations(trees)
    parent = parents(trees)
    is_function = _has_relation(codes, ids, FUNCTION)
    above = parent[heads]
    heads = np.where(is_function[heads] & (above >= 0) & (above != passed), above, heads)
    above = parent[passed]
    lifted = (passed >= 0) & is_function[passed] & (above >= 0) & (above != heads)
    passed = np.where(lifted, above, passed)
    depends = (passed >= 0) & (parent[passed] == heads)
    depends &= _has_relation(codes, ids, NAMING_DEPENDENTS)[passed]
    naming_words = np.where(depends, passed, heads)
    block_classes = classes[naming_words]
    # A long block of a verb moves the clause, not only the verb.
    long = (blocks.words[blocks.moved] >= MIN_CLAUSE_WORDS) & ~depends
    for verbs, clauses in ((MAIN_VERBS, MAIN_CLAUSES), (SUBORDINATE_VERBS, SUBORDINATE_CLAUSES)):
        is_clause = long & (block_classes == TREE_NAMES.index(verbs))
        block_classes[is_clause] = TREE_NAMES.index(clauses)
    return block_classes, naming_words
