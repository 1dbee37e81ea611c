"""Texts: hypotheses, their references and sources, as rows of word ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from wordorder.arrays import ArrowColumn, Int32, Int64, Ragged, concatenate_offsets
from wordorder.errors import UsageError
from wordorder.kernels import run_rows, text as kernel
from wordorder.text.inputs import (
    LineColumns,
    Segment,
    are_tokens,
    check_kind,
    check_source,
    check_tokens,
    encoded_columns,
    flat_references,
    sized,
    text_columns,
)
from wordorder.text.lazy_rows import LazyRows
from wordorder.text.preparation import BY_WORD, SAMPLE_LINES, Preparation
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import Vocabulary, cut_rows, number_lines, number_tokens

Fields = tuple[tuple[str, str], ...]
Derived = TypeVar("Derived")


@dataclass(frozen=True, eq=False)
class LocalTexts:
    """The words of texts with ids that start from 0 in each segment.

    Attributes
    ----------
    hypothesis, references : Ragged
        Ids in order of first occurrence in the hypothesis, then in the references of the segment;
        equal words of a segment have equal ids.
    distinct : int32[S]
        The number of distinct words of each segment.
    """

    hypothesis: Ragged
    references: Ragged
    distinct: Int32


@dataclass(frozen=True, eq=False)
class Texts:
    """Hypotheses, references and sources as rows of word ids.

    Attributes
    ----------
    hypothesis : Ragged
        S rows.
    references : Ragged
        R rows: all references of the first segment, then all of the second, and so on.
    reference_offsets : int64[S+1]
        Segment ``s`` has the rows ``reference_offsets[s] .. reference_offsets[s+1]-1``: none, one
        or several.
    source : Ragged or None
        S rows.
    vocabulary : Vocabulary
        The words of the ids, for all columns.
    preparation : Preparation
        How the lines became words.

    Examples
    --------
    >>> texts = Texts.from_segments(["to be", "is"], [["be to", "to be"], "it is"])
    >>> texts.hypothesis.to_lists(), texts.references.to_lists()
    ([[1, 0], [3]], [[0, 1], [1, 0], [2, 3]])
    >>> texts.reference_offsets.tolist(), texts.segment_of.tolist()
    ([0, 2, 3], [0, 0, 1])
    >>> texts.local().references.to_lists()
    [[1, 0], [0, 1], [1, 0]]
    """

    hypothesis: Ragged
    references: Ragged
    reference_offsets: Int64
    source: Ragged | None
    vocabulary: Vocabulary
    preparation: Preparation = field(default_factory=Preparation)
    # The lines, normalised but not tokenised; None where tokens were given.
    lines: tuple[RawLines, RawLines, RawLines | None] | None = None
    # The same texts without the tokenizer; the ids are shared by all systems.
    _uncut: LazyRows[list[Texts]] | None = field(default=None, repr=False)
    _derived: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def from_segments(
        cls,
        hypotheses: Sequence[Segment] | ArrowColumn,
        references: Sequence[Segment | Sequence[Segment]] | ArrowColumn,
        source: Sequence[Segment] | ArrowColumn | None = None,
        *,
        preparation: Preparation | None = None,
    ) -> Texts:
        """Build texts from strings or lists of tokens.

        Parameters
        ----------
        hypotheses, source : sequence of str, or of lists of tokens
            One per segment; also a column of pandas, Polars or pyarrow.
        references : sequence
            One list of references per segment, or a single reference. A reference is a list of
            tokens if the hypotheses are lists of tokens, else a string. Also a column.
        preparation : Preparation, optional
            Its tokenizer is for strings; case and normal form are for tokens, too. The tokenizer
            `auto` is chosen by the first reference of each segment.

        Raises
        ------
        InputError
            If the numbers of segments differ, references are laid out by file instead of by
            segment, an entry is not text, or a segment contains a line break.
        """
        prepared = preparation or Preparation()
        segments = text_columns(hypotheses, references, source)
        if isinstance(segments, LineColumns):
            lines = (segments.hypotheses, segments.references, segments.offsets, segments.source)
            return cls.from_lines(*lines, preparation=prepared)
        system, reference, third = segments
        tokens = are_tokens(system)
        reference_lists = sized(reference, "references")
        flat, offsets = flat_references(reference_lists, system, tokens)
        check_kind(flat, tokens, "references")
        columns: list[Any] = [system, flat]
        if third is not None:
            columns.append(third)
            check_source(sized(third, "source"), system)
            check_kind(third, tokens, "source")
        names = ("hypotheses", "references", "source")
        if not tokens:
            system, reference, *further = encoded_columns(columns, names)
            third = further[0] if further else None
            return cls.from_lines(system, reference, offsets, third, preparation=prepared)
        if prepared.tokenizer not in ("auto", "none"):
            raise UsageError("a tokenizer is for strings; these segments are lists of tokens")
        prepared = replace(prepared, tokenizer="none")
        for column, name in zip(columns, names, strict=False):
            check_tokens(column, name)
        if prepared != Preparation():
            columns = [
                [prepared.normal(RawLines.from_strings(row)).strings() for row in column]
                for column in columns
            ]
        (first, second, *other_columns), vocabulary = number_tokens(columns)
        return cls(
            first,
            second,
            offsets,
            other_columns[0] if other_columns else None,
            vocabulary,
            prepared,
        )

    @classmethod
    def from_lines(
        cls,
        hypothesis: RawLines,
        references: RawLines,
        reference_offsets: Int64,
        source: RawLines | None = None,
        *,
        preparation: Preparation | None = None,
    ) -> Texts:
        """Build texts from lines; `references` has R of them."""
        several = cls.of_systems(
            [hypothesis], references, reference_offsets, source, preparation=preparation
        )
        return several[0]

    @classmethod
    def of_systems(
        cls,
        hypotheses: Sequence[RawLines],
        references: RawLines,
        reference_offsets: Int64,
        source: RawLines | None = None,
        *,
        preparation: Preparation | None = None,
    ) -> list[Texts]:
        """Return one object per system; references and sources are prepared once."""
        prepared = preparation or Preparation()
        if prepared.tokenizer == "auto":
            filled = np.flatnonzero(np.diff(reference_offsets))[:SAMPLE_LINES]
            sample = references.take(reference_offsets[filled])
            prepared = prepared.chosen_for(sample.strings(surrogates=True))
        columns = [references, *([] if source is None else [source]), *hypotheses]
        normal = [prepared.normal(column) for column in columns]
        by_word = prepared.tokenizer in BY_WORD
        lines = normal if by_word else [prepared.tokens(column) for column in normal]
        numbers, vocabulary = number_lines(RawLines.concatenate(lines))
        bounds = np.cumsum([0, *map(len, columns)]).tolist()
        rows = [numbers[a:b] for a, b in pairwise(bounds)]
        first_system = 1 if source is None else 2
        uncut_texts = None
        if by_word and prepared.tokenizer != "none":
            # Only distinct words are tokenised, which are far fewer.
            shared = reference_offsets, None, vocabulary, Preparation()
            uncut = [
                cls(row, rows[0], *shared, (line, normal[0], None))
                for row, line in zip(rows[first_system:], normal[first_system:], strict=True)
            ]
            uncut_texts = LazyRows(len(hypotheses), lambda: uncut)
            parts, vocabulary = number_lines(prepared.tokens(vocabulary.raw))
            rows = [cut_rows(row, parts) for row in rows]
        elif prepared.tokenizer != "none":
            uncut_texts = LazyRows(
                len(hypotheses),
                lambda: cls.of_systems(normal[first_system:], normal[0], reference_offsets),
            )
        return [
            cls(
                rows[column],
                rows[0],
                reference_offsets,
                None if source is None else rows[1],
                vocabulary,
                prepared,
                (normal[column], normal[0], None if source is None else normal[1]),
                None
                if uncut_texts is None
                else uncut_texts[column - first_system : column - first_system + 1],
            )
            for column in range(first_system, len(columns))
        ]

    @classmethod
    def concatenate(cls, parts: Sequence[Texts]) -> Texts:
        """Concatenate the segments of several parts.

        Raises
        ------
        UsageError
            If only some have sources, or they were prepared in different ways.
        """
        if len({part.preparation for part in parts}) > 1:
            raise UsageError("texts that were prepared in different ways cannot be put together")
        if len({part.source is None for part in parts}) > 1:
            raise UsageError("some of the parts have a source and some have not")
        # Parts have their own vocabularies, whose ids are mapped to common ones.
        numbers: dict[str, int] = {}
        maps = [
            np.array([numbers.setdefault(w, len(numbers)) for w in p.vocabulary.words], np.int32)
            for p in parts
        ]

        def remap(columns: Sequence[Ragged]) -> Ragged:
            mapped = zip(columns, maps, strict=True)
            return Ragged.concatenate([Ragged(m[c.values], c.offsets) for c, m in mapped])

        sources = [part.source for part in parts if part.source is not None]
        lines = [part.lines for part in parts if part.lines is not None]
        raw = None
        if lines and len(lines) == len(parts):
            third = [columns[2] for columns in lines if columns[2] is not None]
            raw = (
                RawLines.concatenate([columns_of_lines[0] for columns_of_lines in lines]),
                RawLines.concatenate([columns_of_lines[1] for columns_of_lines in lines]),
                RawLines.concatenate(third) if sources else None,
            )
        return cls(
            remap([part.hypothesis for part in parts]),
            remap([part.references for part in parts]),
            concatenate_offsets([part.reference_offsets for part in parts]),
            remap(sources) if sources else None,
            Vocabulary(list(numbers)),
            parts[0].preparation if parts else Preparation(),
            raw,
        )

    def __len__(self) -> int:
        return len(self.hypothesis)

    def __getitem__(self, rows: slice) -> Texts:
        """Return some of the segments."""
        first, last, _ = rows.indices(len(self))
        last = max(first, last)
        row_start, row_stop = self.reference_offsets[[first, last]].tolist()

        def part(columns: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
            system, reference, third = columns
            return (
                system[first:last],
                reference[row_start:row_stop],
                None if third is None else third[first:last],
            )

        hypothesis, references, source = part((self.hypothesis, self.references, self.source))
        return Texts(
            hypothesis,
            references,
            self.reference_offsets[first : last + 1] - row_start,
            source,
            self.vocabulary,
            self.preparation,
            None if self.lines is None else part(self.lines),
        )

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_derived": {}, "_uncut": None}

    @property
    def fields(self) -> Fields:
        """The signature's fields of a metric that reads words."""
        return self.preparation.fields

    @cached_property
    def segment_of(self) -> Int64:
        """The segment of each reference row, int64[R]."""
        return np.repeat(np.arange(len(self)), np.diff(self.reference_offsets))

    @cached_property
    def token_offsets(self) -> Int64:
        """Number of tokens before each segment, including those of references, int64[S+1]."""
        references = self.references.offsets[self.reference_offsets]
        return np.ascontiguousarray(self.hypothesis.offsets + references, np.int64)

    def uncut(self) -> Texts:
        """Return the texts split at spaces and tabs alone, without the tokenizer."""
        if self.preparation.tokenizer == "none" or self.lines is None:
            return self
        if self._uncut is not None:
            return self._uncut.rows()[0]
        lines = self.lines
        return self.derived(
            "uncut", lambda: Texts.from_lines(lines[0], lines[1], self.reference_offsets)
        )

    def local(self) -> LocalTexts:
        """Return the words with ids that start from 0 in each segment; computed once."""
        return self.derived("local", self._local)

    def derived(self, key: object, make: Callable[[], Derived]) -> Derived:
        """Return the result of `make`, computed once per key for all metrics."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]  # type: ignore[return-value]  # each key has one type

    @property
    def hypothesis_raw(self) -> RawLines:
        """The S lines of the hypotheses, normalised but not tokenised."""
        return self._raw(0, self.hypothesis)

    @property
    def reference_raw(self) -> RawLines:
        """The R lines of the references."""
        return self._raw(1, self.references)

    def forget_derived(self) -> None:
        """Free the results stored by `derived`; they are recomputed when needed."""
        self._derived.clear()

    @property
    def hypothesis_lines(self) -> list[str]:
        """The S lines of the hypotheses as strings."""
        return self.hypothesis_raw.strings(surrogates=True)

    @property
    def reference_lines(self) -> list[str]:
        """The R lines of the references as strings."""
        return self.reference_raw.strings(surrogates=True)

    @property
    def source_lines(self) -> list[str]:
        """The S lines of the source.

        Raises
        ------
        UsageError
            If there is no source.
        """
        if self.source is None:
            raise UsageError("there is no source: give it, --source")
        return self._raw(2, self.source).strings(surrogates=True)

    def words_of(self, rows: Ragged) -> list[list[str]]:
        """Return the words of rows of ids."""
        words = self.vocabulary.words
        return [[words[number] for number in row] for row in rows.to_lists()]

    def _raw(self, column: int, rows: Ragged) -> RawLines:
        lines = None if self.lines is None else self.lines[column]
        if lines is None:
            # A token may be any string.
            joined = [" ".join(row) for row in self.words_of(rows)]
            return RawLines.from_strings(joined, surrogates=True)
        return lines

    def _local(self) -> LocalTexts:
        hypothesis = np.empty(len(self.hypothesis.values), np.int32)
        references = np.empty(len(self.references.values), np.int32)
        distinct = np.empty(len(self), np.int32)
        vocabulary = len(self.vocabulary)
        run_rows(
            kernel.local_words,
            self.token_offsets,
            *(self.hypothesis.values, self.hypothesis.offsets, self.references.values),
            *(self.references.offsets, self.reference_offsets, hypothesis, references, distinct),
            scratch=lambda longest: (np.empty(vocabulary, np.int32), np.empty(longest, np.int32)),
        )
        return LocalTexts(
            Ragged(hypothesis, self.hypothesis.offsets),
            Ragged(references, self.references.offsets),
            distinct,
        )
