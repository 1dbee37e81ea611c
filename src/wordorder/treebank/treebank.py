"""Treebanks in columns, views of single trees, and their lines in CoNLL-U."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise, repeat
from typing import Any, TypeVar, overload
from unicodedata import category

import numpy as np
import numpy.typing as npt

from wordorder.arrays import (
    Bool,
    Int32,
    Int64,
    concat_ranges,
    row_and_entry,
    row_offsets,
    value_indices,
)
from wordorder.errors import InputError
from wordorder.messages import counted
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.trees import (
    check_trees,
    crossing_arcs,
    first_tree_fault,
    non_projective_words,
)

Dtype = TypeVar("Dtype", bound=np.generic)

# The mark of a missing value in CoNLL-U.
NO_VALUE = "_"

# The columns of strings in the order of CoNLL-U, in which heads are between feats and label.
STRING_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label", "deps", "misc")
ROOT = 0
NO_HEAD = -1

# Characters that end a field or a line, or cannot be encoded.
_UNWRITABLE = re.compile("[\t\n\ud800-\udfff]")


class Column:
    """One string per word.

    Parameters
    ----------
    codes : int32[N]
        The index of each word's string.
    vocabulary : Vocabulary
        The strings. It may contain strings that no word has, and duplicates.

    Examples
    --------
    >>> column = Column.of(["DT", "NN", "DT"])
    >>> column.codes.tolist(), column.vocabulary.words, column.strings()
    ([0, 1, 0], ['DT', 'NN'], ['DT', 'NN', 'DT'])
    """

    __slots__ = ("codes", "vocabulary")

    def __init__(self, codes: Int32, vocabulary: Vocabulary) -> None:
        self.codes = codes
        self.vocabulary = vocabulary

    @classmethod
    def of(cls, strings: Iterable[str]) -> Column:
        """Return a column of strings, one per word."""
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(string, len(numbers)) for string in strings]
        return cls(np.array(codes, np.int32), Vocabulary(list(numbers)))

    @classmethod
    def filled(cls, length: int, string: str = NO_VALUE) -> Column:
        """Return a column with the same string for each word."""
        return cls(np.zeros(length, np.int32), Vocabulary([string]))

    @classmethod
    def concatenate(cls, parts: Iterable[Column]) -> Column:
        """Concatenate columns."""
        numbers: dict[str, int] = {}
        codes = [np.zeros(0, np.int32)]
        for part in parts:
            table = [numbers.setdefault(word, len(numbers)) for word in part.vocabulary.words]
            codes.append(np.array(table, np.int32)[part.codes] if table else part.codes)
        return cls(np.concatenate(codes), Vocabulary(list(numbers)))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, words: slice) -> Column:
        """Return some of the words."""
        return Column(self.codes[words], self.vocabulary)

    def take(self, positions: Int64 | Int32) -> Column:
        """Return the entries of the words at `positions`, in that order."""
        return Column(self.codes[positions], self.vocabulary)

    def map(self, change: Callable[[str], str]) -> Column:
        """Return a column of changed strings; `change` is called once per distinct string."""
        return Column(self.codes, Vocabulary([change(word) for word in self.vocabulary.words]))

    def merged(self, change: Callable[[str], str]) -> Column:
        """Return a column of changed strings, in which equal strings share a code."""
        return Column.of(map(change, self.vocabulary.words)).take(self.codes)

    def encode(self, numbers: dict[str, int], unknown: int) -> Int32:
        """Return the code that a model has for each word's string, int32[N].

        Parameters
        ----------
        numbers : mapping of str to int
        unknown : int
            The code of all other strings.
        """
        return self._by_code(map(numbers.get, self.vocabulary.words, repeat(unknown)), np.int32)

    def apply(self, function: Callable[[str], object], dtype: type[Dtype]) -> npt.NDArray[Dtype]:
        """Return the value of a function for each word's string; it is called once per string."""
        return self._by_code(map(function, self.vocabulary.words), dtype)

    def _by_code(self, values: Iterable[Any], dtype: type[Dtype]) -> npt.NDArray[Dtype]:
        table = np.fromiter(values, dtype, len(self.vocabulary))
        return table[self.codes] if len(table) else table

    def has_value(self) -> Bool:
        """Return a mask of the words with a value other than ``_``, bool[N].

        Examples
        --------
        >>> Column.of(["DT", "_"]).has_value().tolist()
        [True, False]
        """
        return self.apply(NO_VALUE.__ne__, np.bool_)

    def strings(self) -> list[str]:
        """Return the string of each word."""
        words = self.vocabulary.words
        return [words[code] for code in self.codes.tolist()]

    def by_frequency(self, least: int = 1) -> list[str]:
        """Return the distinct strings of at least `least` words, the most frequent first.

        Examples
        --------
        >>> Column.of(["DT", "NN", "JJ", "NN"]).by_frequency()
        ['NN', 'DT', 'JJ']
        """
        return [string for string, count in self.counts().items() if count >= least]

    def counts(self) -> dict[str, int]:
        """Return the number of words with each string, by frequency, then alphabetically."""
        totals: Counter[str] = Counter()
        frequencies = np.bincount(self.codes, minlength=len(self.vocabulary)).tolist()
        for string, count in zip(self.vocabulary.words, frequencies, strict=True):
            totals[string] += count
        # The unary plus drops strings that no word has.
        return dict(sorted((+totals).items(), key=lambda entry: (-entry[1], entry[0])))

    def __repr__(self) -> str:
        return f"Column({len(self)} words, {len(self.vocabulary)} strings)"


def numbered(
    column: Column, change: Callable[[str], str] | None = None
) -> tuple[Int64, tuple[str, ...]]:
    """Return codes of words that are equal for equal strings, and the strings.

    Parameters
    ----------
    column : Column
        N words.
    change : callable, optional
        Applied to the strings first, such as ``str.lower``.

    Returns
    -------
    numbers : int64[N]
        The index of each word's string.
    strings : tuple of str
        The distinct strings; some may belong to no word.

    Examples
    --------
    >>> numbers, strings = numbered(Column.of(["The", "cat", "the"]), str.lower)
    >>> numbers.tolist(), strings
    ([0, 1, 0], ('the', 'cat'))
    """
    merged = column.merged(change or str)
    return merged.codes.astype(np.int64), tuple(merged.vocabulary.words)


def combine_columns(columns: Sequence[Column]) -> tuple[list[tuple[str, ...]], Int64]:
    """Return the combinations of strings in several columns, and the index of each word's.

    Examples
    --------
    >>> tags, numbers = combine_columns([Column.of(["N", "V", "N"]), Column.of(["NN", "VB", "NN"])])
    >>> tags, numbers.tolist()
    ([('N', 'NN'), ('V', 'VB')], [0, 1, 0])
    """
    sizes = [max(len(column.vocabulary), 1) for column in columns]
    codes = np.ravel_multi_index([column.codes for column in columns], sizes)
    distinct, numbers = np.unique(codes, return_inverse=True)
    column_codes = zip(columns, np.unravel_index(distinct, sizes), strict=True)
    strings = (
        [column.vocabulary.words[n] for n in codes.tolist()] for column, codes in column_codes
    )
    return list(zip(*strings, strict=True)), numbers.reshape(-1)


@dataclass(frozen=True)
class Margin:
    """Comments and other lines around the words of one sentence, as in its file.

    Attributes
    ----------
    comments : tuple of str
        The comment lines before the words, each with its ``#``.
    extras : tuple of (int, str)
        The lines of ranges (``3-4``) and empty nodes (``5.1``), each with the number of words
        before it.
    """

    comments: tuple[str, ...] = ()
    extras: tuple[tuple[int, str], ...] = ()

    def value(self, name: str) -> str | None:
        """Return the value of a comment ``# name = value``, if there is one.

        Examples
        --------
        >>> Margin(("# sent_id = a-1", "# text = It rains")).value("sent_id")
        'a-1'
        """
        for comment in self.comments:
            key, equals, value = comment[1:].partition("=")
            if equals and key.strip() == name:
                return value.strip()
        return None


NO_MARGIN = Margin()


def is_empty_node(line: str) -> bool:
    """Return whether a line of `Margin.extras` is an empty node, not a multiword range.

    Examples
    --------
    >>> is_empty_node("5.1\tlikes"), is_empty_node("3-4\tdon't")
    (True, False)
    """
    return "." in line.partition("\t")[0]


@dataclass(frozen=True, eq=False)
class Treebank:
    """Sentences of tagged words with their dependency trees; any part may be missing.

    Attributes
    ----------
    offsets : int64[S+1]
        The words of sentence ``i`` are ``offsets[i] .. offsets[i+1]-1`` of every column.
    heads : int32[N]
        The position of each word's head, counted from 1 as in CoNLL-U; 0 is the artificial root
        and -1 stands for an unknown head.
    columns : mapping of name to Column
        ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``, ``label`` (DEPREL), ``deps``,
        ``misc``; ``_`` stands for no value.
    margins : sequence of Margin
        Comments, multiword ranges and empty nodes, one per sentence.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"], ["Go"]], upos=[["PRON", "VERB"], ["VERB"]])
    >>> len(bank), bank.words, bank.form.strings()
    (2, 3, ['It', 'rains', 'Go'])
    >>> bank[1:].upos.strings()
    ['VERB']
    """

    offsets: Int64
    heads: Int32
    columns: Mapping[str, Column]
    margins: Sequence[Margin] = field(repr=False)

    @classmethod
    def from_words(
        cls,
        form: Sequence[Sequence[str]],
        *,
        heads: Sequence[Sequence[int]] | None = None,
        **columns: Sequence[Sequence[str]],
    ) -> Treebank:
        """Return a treebank from lists, one per sentence.

        Parameters
        ----------
        form : sequence of sequences of str
        heads : sequence of sequences of int, optional
            See `Treebank`; by default -1 for all words.
        columns : sequence of sequences of str
            Further columns by name: ``upos=``, ``label=``, …

        Raises
        ------
        InputError
            If a sentence differs in length between columns or is a single string, a head is not a
            whole number, a word is not a string, or a column is unknown.
        """
        offsets = row_offsets(np.fromiter(map(len, form), np.int64, len(form)))
        column_rows: dict[str, Sequence[Sequence[object]]] = {"form": form, **columns}
        if heads is not None:
            column_rows["heads"] = heads
        for name, rows in column_rows.items():
            if name not in (*STRING_COLUMNS, "heads"):
                raise InputError("Treebank", f"a column {name!r}", ", ".join(STRING_COLUMNS))
            if len(rows) != len(form):
                raise InputError("Treebank", f"{len(rows)} rows of {name}", str(len(form)))
            for number, (row, words) in enumerate(zip(rows, form, strict=True), 1):
                error_location = f"sentence {number}"
                if isinstance(row, str):
                    raise InputError(
                        error_location, f"{row[:30]!r} as {name}", "one entry per word"
                    )
                if len(row) != len(words):
                    raise InputError(
                        error_location, f"{len(row)} of {name}", f"{len(words)} as of form"
                    )
                is_valid = _is_head if name == "heads" else _is_string
                if not all(map(is_valid, row)):
                    entry = next(entry for entry in row if not is_valid(entry))
                    expected = "whole numbers" if name == "heads" else "strings"
                    raise InputError(error_location, f"{entry!r} in {name}", expected)
        total = int(offsets[-1])
        head_column = np.full(total, NO_HEAD, np.int32)
        if heads is not None:
            head_column[:] = np.fromiter(chain.from_iterable(heads), np.int32, total)
        encoded_columns = {
            name: Column.of(chain.from_iterable(column_rows[name]))  # type: ignore[arg-type]
            if name in column_rows
            else Column.filled(total)
            for name in STRING_COLUMNS
        }
        return cls(offsets, head_column, encoded_columns, [NO_MARGIN] * len(form))

    @classmethod
    def of_form(
        cls, form: Column, offsets: Int64, margins: Sequence[Margin] | None = None
    ) -> Treebank:
        """Return a treebank with words only, given the offsets of its sentences."""
        columns = {name: Column.filled(len(form)) for name in STRING_COLUMNS} | {"form": form}
        heads = np.full(len(form), NO_HEAD, np.int32)
        return cls(offsets, heads, columns, margins or [NO_MARGIN] * (len(offsets) - 1))

    @classmethod
    def concatenate(cls, parts: Sequence[Treebank]) -> Treebank:
        """Concatenate treebanks."""
        lengths = np.concatenate([np.zeros(1, np.int64), *(part.lengths for part in parts)])
        return cls(
            np.cumsum(lengths),
            np.concatenate([np.zeros(0, np.int32), *(part.heads for part in parts)]),
            {
                name: Column.concatenate(part.columns[name] for part in parts)
                for name in STRING_COLUMNS
            },
            list(chain.from_iterable(part.margins for part in parts)),
        )

    @property
    def words(self) -> int:
        """The number of words of all sentences."""
        return int(self.offsets[-1])

    @cached_property
    def depths(self) -> Int64:
        """The number of arcs from the artificial root to each word, int64[N]; for trees only."""
        # A further, last entry is the artificial root, which is its own head.
        above = np.append(self.above, -1)
        depths = np.ones(self.words + 1, np.int64)
        depths[-1] = 0
        # Each step doubles the number of arcs between a word and its entry in `above`.
        for _ in range(max(int(self.lengths.max(initial=0)), 1).bit_length()):
            depths += depths[above]
            above = above[above]
        return depths[:-1]

    @property
    def above(self) -> Int64:
        """The index of each word's head among all words, int64[N]; -1 without such a head."""
        starts = np.repeat(self.offsets[:-1], self.lengths)
        return np.where(self.heads > 0, starts + self.heads - 1, -1)

    @property
    def lengths(self) -> Int64:
        """The number of words of each sentence, int64[S]."""
        return np.diff(self.offsets)

    @property
    def form(self) -> Column:
        """The words."""
        return self.columns["form"]

    @property
    def upos(self) -> Column:
        """The universal tags (UPOS)."""
        return self.columns["upos"]

    @property
    def xpos(self) -> Column:
        """The language-specific tags (XPOS)."""
        return self.columns["xpos"]

    @property
    def label(self) -> Column:
        """The relations to the heads (DEPREL)."""
        return self.columns["label"]

    @property
    def has_trees(self) -> bool:
        """True if every word has a head."""
        return not bool(np.any(self.heads == NO_HEAD))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> Treebank: ...
    def __getitem__(self, index: int | slice) -> Tree | Treebank:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            stop = max(start, stop)
            words = slice(int(self.offsets[start]), int(self.offsets[stop]))
            return Treebank(
                self.offsets[start : stop + 1] - self.offsets[start],
                self.heads[words],
                {name: column[words] for name, column in self.columns.items()},
                self.margins[start:stop],
            )
        if not -len(self) <= index < len(self):
            raise IndexError(f"sentence {index} of {len(self)}")
        return Tree(self, index % len(self))

    def __iter__(self) -> Iterator[Tree]:
        return (self[i] for i in range(len(self)))

    def place(self, word: int) -> str:
        """Return the location of a word in messages, such as ``sentence 2, word 5``."""
        sentence, position = row_and_entry(self.offsets, word)
        return f"sentence {sentence + 1}, word {position + 1}"

    def sentences(self) -> list[list[str]]:
        """Return the words of each sentence.

        Examples
        --------
        >>> Treebank.from_words([["He", "left"], []]).sentences()
        [['He', 'left'], []]
        """
        words = self.form.strings()
        return [words[start:stop] for start, stop in pairwise(self.offsets.tolist())]

    def take(self, rows: Int64) -> Treebank:
        """Return the sentences with the indices `rows`, in that order, also repeatedly."""
        positions, offsets = value_indices(self.offsets, rows)
        return Treebank(
            offsets,
            self.heads[positions],
            {name: column.take(positions) for name, column in self.columns.items()},
            [self.margins[row] for row in rows.tolist()],
        )

    def replace(self, *, heads: Int32 | None = None, **columns: Column) -> Treebank:
        """Return the same sentences with other heads or columns.

        Raises
        ------
        InputError
            If a column does not have one entry per word, or is unknown.
        """
        for name, column in columns.items():
            if name not in STRING_COLUMNS:
                raise InputError("Treebank", f"a column {name!r}", ", ".join(STRING_COLUMNS))
            if len(column) != self.words:
                raise InputError("Treebank", f"{len(column)} of {name}", f"{self.words} words")
        if heads is not None and (heads.dtype != np.int32 or heads.shape != (self.words,)):
            raise InputError("Treebank", "bad heads", f"int32[{self.words}]")
        return Treebank(
            self.offsets,
            self.heads if heads is None else heads,
            {**self.columns, **columns},
            self.margins,
        )

    def __repr__(self) -> str:
        return f"Treebank({counted(len(self), 'sentence')}, {counted(self.words, 'word')})"

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import rows_html

        return rows_html(repr(self), self, len(self))


def _is_head(entry: object) -> bool:
    """True if a value is a whole number that a column of heads can hold."""
    return isinstance(entry, (int, np.integer)) and -(2**31) <= int(entry) < 2**31


def _is_string(entry: object) -> bool:
    return isinstance(entry, str)


class Tree:
    """One sentence of a treebank.

    Words are counted from 1, as in CoNLL-U; 0 is the artificial root. Properties of the tree's
    shape raise an InputError if the heads are not a tree.

    Parameters
    ----------
    treebank : Treebank
    index : int
        The sentence, counted from 0.

    Examples
    --------
    >>> words = [["A", "hearing", "is", "scheduled", "today"]]
    >>> labels = [["det", "nsubj:pass", "aux:pass", "root", "nmod"]]
    >>> tree = Treebank.from_words(words, heads=[[2, 4, 4, 0, 2]], label=labels)[0]
    >>> tree.forms[1], tree.heads, tree.root, tree.children(2)
    ('hearing', (2, 4, 4, 0, 2), 4, (1, 5))
    >>> tree.is_projective, tree.non_projective, tree.depth, tree.subtree(2)
    (False, (5,), 3, (1, 2, 5))
    >>> print(tree)
        ┌── A          det
      ┌─┼── hearing    nsubj:pass
      ├─│── is         aux:pass
    ──┴─│── scheduled  root
        └── today      nmod
    """

    def __init__(self, treebank: Treebank, index: int) -> None:
        self._bank = treebank[index : index + 1]

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The words."""
        return self._strings("form")

    @cached_property
    def lemmas(self) -> tuple[str, ...]:
        """The lemma of each word."""
        return self._strings("lemma")

    @cached_property
    def upos(self) -> tuple[str, ...]:
        """The universal tag of each word."""
        return self._strings("upos")

    @cached_property
    def xpos(self) -> tuple[str, ...]:
        """The language-specific tag of each word."""
        return self._strings("xpos")

    @cached_property
    def feats(self) -> tuple[str, ...]:
        """The features of each word, as in CoNLL-U."""
        return self._strings("feats")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The relation of each word to its head."""
        return self._strings("label")

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """The head of each word: 0 is the artificial root, -1 an unknown head."""
        return tuple(self._bank.heads.tolist())

    @property
    def margin(self) -> Margin:
        """Comments, multiword ranges and empty nodes."""
        return self._bank.margins[0]

    @property
    def sent_id(self) -> str | None:
        """The value of the comment ``# sent_id =``, if there is one."""
        return self.margin.value("sent_id")

    @property
    def text(self) -> str:
        """The value of the comment ``# text =``, otherwise the words separated by spaces."""
        return self.margin.value("text") or " ".join(self.forms)

    @property
    def roots(self) -> tuple[int, ...]:
        """The words whose head is 0."""
        return self.children(ROOT)

    @property
    def root(self) -> int:
        """The first word whose head is 0; 0 if no word has this head."""
        return next(iter(self.roots), 0)

    def children(self, word: int) -> tuple[int, ...]:
        """Return the dependents of a word (0: of the artificial root) from left to right."""
        if not 0 <= word <= len(self):
            raise IndexError(f"word {word} of {len(self)}")
        return self._children[word]

    def subtree(self, word: int) -> tuple[int, ...]:
        """Return a word and its direct and indirect dependents from left to right."""
        self._check()
        descendants, stack = [], [word]
        while stack:
            word_below = stack.pop()
            descendants.append(word_below)
            stack.extend(self.children(word_below))
        return tuple(sorted(descendants))

    @cached_property
    def depth(self) -> int:
        """The largest number of arcs from the artificial root to a word."""
        self._check()
        depth, level = 0, self.roots
        while level:
            depth += 1
            level = tuple(child for word in level for child in self._children[word])
        return depth

    @cached_property
    def is_tree(self) -> bool:
        """True if the heads are a tree, possibly with several roots."""
        bank = self._bank
        return not first_tree_fault(bank.heads, bank.offsets, trees="required", single_root=False)

    @cached_property
    def non_projective(self) -> tuple[int, ...]:
        """The words whose arc is not projective: the head does not dominate all words between."""
        return tuple((np.flatnonzero(non_projective_words(self._bank)) + 1).tolist())

    @property
    def is_projective(self) -> bool:
        """True if each head dominates all words between it and its dependents."""
        return not self.non_projective

    @cached_property
    def crossings(self) -> int:
        """The number of crossing pairs of arcs, including arcs from the artificial root."""
        return int(crossing_arcs(self._bank)[0])

    def to_conllu(self) -> str:
        """Return the sentence in CoNLL-U."""
        check_writable(self._bank)
        return conllu_text(self._bank)

    def to_text(self) -> str:
        """Draw the tree with lines of text; see `wordorder.drawing.arcs.arc_text`."""
        from wordorder.drawing.arcs import arc_text

        return arc_text(self)

    def to_svg(self) -> str:
        """Draw the tree as an SVG picture; see `wordorder.drawing.arcs.arc_svg`."""
        from wordorder.drawing.arcs import arc_svg

        return arc_svg(self)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Tree({self.text!r})"

    def __len__(self) -> int:
        return self._bank.words

    def _strings(self, column: str) -> tuple[str, ...]:
        return tuple(self._bank.columns[column].strings())

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for word, head in enumerate(self.heads, 1):
            if head == NO_HEAD:
                continue
            if not 0 <= head <= len(self):
                raise InputError(f"word {word}", f"head {head}", f"a number from 0 to {len(self)}")
            children[head].append(word)
        return tuple(map(tuple, children))

    def _check(self) -> None:
        """Check that there are no cycles."""
        check_trees(self._bank, self.sent_id or "Tree", trees="optional", single_root=False)


def check_writable(treebank: Treebank) -> None:
    """Check that all strings can be written in CoNLL-U.

    Raises
    ------
    InputError
        If a string is empty or contains a tab or line break.
    """
    for name in STRING_COLUMNS:
        _check_column(name, treebank)
    for number, margin in enumerate(treebank.margins, 1):
        if margin.comments or margin.extras:
            _check_margin(number, margin)


def conllu_text(treebank: Treebank) -> str:
    r"""Return sentences as lines of CoNLL-U, with an empty line after each.

    Examples
    --------
    >>> conllu_text(Treebank.from_words([["Go"]], heads=[[0]], label=[["root"]]))
    '1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n'
    """
    offsets = treebank.offsets.tolist()
    heads = ["_" if head == NO_HEAD else str(head) for head in treebank.heads.tolist()]
    ids = concat_ranges(1, treebank.lengths)
    columns = [treebank.columns[name].strings() for name in STRING_COLUMNS]
    fields = [map(str, ids.tolist()), *columns[:5], heads, *columns[5:]]
    rows = list(map("\t".join, zip(*fields, strict=True)))
    lines: list[str] = []
    for margin, (start, stop) in zip(treebank.margins, pairwise(offsets), strict=True):
        lines += margin.comments
        if margin.extras:
            lines += _insert_extras(rows[start:stop], margin)
        elif start == stop and not margin.comments:
            lines.append("# text =")
        else:
            lines += rows[start:stop]
        lines.append("")
    return "\n".join([*lines, ""]) if lines else ""


def _insert_extras(rows: list[str], margin: Margin) -> list[str]:
    """Insert the lines of ranges and empty nodes between those of words."""
    lines: list[str] = []
    rows_done = 0
    for words_before, extra in margin.extras:
        lines += rows[rows_done:words_before]
        lines.append(extra)
        rows_done = max(rows_done, words_before)
    return lines + rows[rows_done:]


def _check_column(name: str, treebank: Treebank) -> None:
    """Raise an InputError if a string of a column cannot be written in CoNLL-U."""
    column = treebank.columns[name]
    unwritable = [
        code
        for code, string in enumerate(column.vocabulary.words)
        if not string or _UNWRITABLE.search(string) or (name == "misc" and string.endswith("\r"))
    ]
    # The vocabulary may contain strings that no word has.
    positions = (
        np.flatnonzero(np.isin(column.codes, unwritable)) if unwritable else np.zeros(0, np.int64)
    )
    if len(positions):
        string = column.vocabulary.words[int(column.codes[positions[0]])]
        expected = "some text without tabs and ends of lines"
        raise InputError(treebank.place(int(positions[0])), f"{name} {string[:30]!r}", expected)


def _check_margin(number: int, margin: Margin) -> None:
    """Raise an InputError if comments or other lines cannot be written in CoNLL-U."""
    for line in (*margin.comments, *(line for _, line in margin.extras)):
        # Tabs between columns are allowed.
        if _UNWRITABLE.search(line.replace("\t", " ")) or line.endswith("\r"):
            expected = "one line of text"
        elif not line.startswith("#") and line.count("\t") != 9:
            expected = "a comment with #, or ten columns"
        else:
            continue
        raise InputError(f"sentence {number}", f"the line {line[:30]!r}", expected)


def has_only_marks(form: str) -> bool:
    """Return whether all characters of a word are punctuation according to Unicode.

    Examples
    --------
    >>> [has_only_marks(form) for form in ("...", "\u3002", "o'clock", "$", "")]
    [True, True, False, False, False]
    """
    return form != "" and all(category(character).startswith("P") for character in form)
