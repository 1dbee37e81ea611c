"""Treebank: many dependency trees in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, overload

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError
from wordorder.ragged import row_places
from wordorder.treebank.column import Column
from wordorder.types import Int32, Int64

if TYPE_CHECKING:
    from wordorder.treebank.reading import Tree


# The columns of strings, in the order of CoNLL-U; the heads are between feats and label.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label", "deps", "misc")
ROOT = 0
NO_HEAD = -1


@dataclass(frozen=True)
class Margin:
    """Comments and other lines around the words of one sentence, as in its file.

    Attributes
    ----------
    comments : tuple of str
        The comment lines before the words, each with its ``#``.
    extras : tuple of (int, str)
        Lines that are no words (ranges ``3-4``, empty nodes ``5.1``): how many words are
        before, and the line.
    """

    comments: tuple[str, ...] = ()
    extras: tuple[tuple[int, str], ...] = ()

    def value(self, name: str) -> str | None:
        """Return what a comment ``# name = value`` says, if there is one.

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


@dataclass(frozen=True, eq=False)
class Treebank:
    """Sentences of tagged words with their dependency trees; any part may be missing.

    Attributes
    ----------
    offsets : int64[S+1]
        The words of sentence ``i`` are ``offsets[i] .. offsets[i+1]-1`` of every column.
    heads : int32[N]
        The position of each word's head, counted from 1 as in CoNLL-U; 0 is the artificial root
        and -1 says that no head is given.
    columns : mapping of name to Column
        ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``, ``label`` (DEPREL), ``deps``,
        ``misc``; what is not said is ``_``.
    margins : sequence of Margin
        Comments, multiword ranges and empty nodes, one a sentence.

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
        """Make a treebank of lists, one a sentence.

        Parameters
        ----------
        form : sequence of sequences of str
        heads : sequence of sequences of int, optional
            As `Treebank` has them; -1 for all where they are not given.
        columns : sequence of sequences of str
            Further columns by name: ``upos=``, ``label=``, …

        Raises
        ------
        InputError
            If a sentence differs in length between columns or is a single string, a head is no
            whole number, a word no string, or a column has no such name.
        """
        offsets = np.zeros(len(form) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, form), np.int64, len(form)), out=offsets[1:])
        given: dict[str, Sequence[Sequence[object]]] = {"form": form, **columns}
        if heads is not None:
            given["heads"] = heads
        for name, rows in given.items():
            if name not in (*COLUMNS, "heads"):
                raise InputError("Treebank", f"a column {name!r}", ", ".join(COLUMNS))
            if len(rows) != len(form):
                raise InputError("Treebank", f"{len(rows)} rows of {name}", str(len(form)))
            for number, (row, words) in enumerate(zip(rows, form, strict=True), 1):
                where = f"sentence {number}"
                if isinstance(row, str):
                    raise InputError(where, f"{row[:30]!r} as {name}", "one entry a word")
                if len(row) != len(words):
                    raise InputError(where, f"{len(row)} of {name}", f"{len(words)} as of form")
                legal = _is_head if name == "heads" else _is_string
                if not all(map(legal, row)):
                    entry = next(entry for entry in row if not legal(entry))
                    expected = "whole numbers" if name == "heads" else "strings"
                    raise InputError(where, f"{entry!r} in {name}", expected)
        total = int(offsets[-1])
        flat = np.full(total, NO_HEAD, np.int32)
        if heads is not None:
            flat[:] = np.fromiter(chain.from_iterable(heads), np.int32, total)
        made = {
            name: Column.of(chain.from_iterable(given[name]))  # type: ignore[arg-type]
            if name in given
            else Column.filled(total)
            for name in COLUMNS
        }
        return cls(offsets, flat, made, [NO_MARGIN] * len(form))

    @classmethod
    def concatenate(cls, parts: Sequence[Treebank]) -> Treebank:
        """Put treebanks one behind the other."""
        lengths = np.concatenate([np.zeros(1, np.int64), *(part.lengths for part in parts)])
        return cls(
            np.cumsum(lengths),
            np.concatenate([np.zeros(0, np.int32), *(part.heads for part in parts)]),
            {name: Column.concatenate(part.columns[name] for part in parts) for name in COLUMNS},
            list(chain.from_iterable(part.margins for part in parts)),
        )

    @property
    def words(self) -> int:
        """How many words all sentences have."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> Int64:
        """Words of each sentence, int64[S]."""
        return np.diff(self.offsets)

    @property
    def form(self) -> Column:
        """The words."""
        return self.columns["form"]

    @property
    def upos(self) -> Column:
        """The universal tags."""
        return self.columns["upos"]

    @property
    def xpos(self) -> Column:
        """The tags of the language."""
        return self.columns["xpos"]

    @property
    def label(self) -> Column:
        """The relations to the heads (DEPREL)."""
        return self.columns["label"]

    @property
    def has_trees(self) -> bool:
        """Whether every word has a head."""
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
        from wordorder.treebank.reading import Tree

        return Tree(self, index % len(self))

    def __iter__(self) -> Iterator[Tree]:
        return (self[i] for i in range(len(self)))

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
        """Return the sentences with the numbers `rows`, a sentence as often as it is named."""
        places, offsets = row_places(self.offsets, rows)
        return Treebank(
            offsets,
            self.heads[places],
            {name: column.take(places) for name, column in self.columns.items()},
            [self.margins[row] for row in rows.tolist()],
        )

    def replace(self, *, heads: Int32 | None = None, **columns: Column) -> Treebank:
        """Return the same sentences with other heads or columns.

        Raises
        ------
        InputError
            If a column does not have one entry a word, or has no such name.
        """
        for name, column in columns.items():
            if name not in COLUMNS:
                raise InputError("Treebank", f"a column {name!r}", ", ".join(COLUMNS))
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
    """Whether something is a whole number that a column of heads can hold."""
    return isinstance(entry, (int, np.integer)) and -(2**31) <= int(entry) < 2**31


def _is_string(entry: object) -> bool:
    return isinstance(entry, str)
