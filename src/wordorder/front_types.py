"""Types of the arguments of `score`, `compare` and `analyze`, for type checkers and editors.

`FileKeywords` is generated from `wordorder.options`: ``python -m tests.types.test_options`` writes
it, and a test compares it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypedDict

from wordorder.text.opening import Path


class Column(Protocol):
    """A column of pandas, Polars, pyarrow or NumPy."""

    def __array__(self) -> Any: ...

    def __len__(self) -> int: ...


# One segment each: a line of text, or a list of words.
Lines = Sequence[str] | Iterator[Sequence[str]] | Sequence[Sequence[str]] | Column
Texts = Path | Lines
Systems = Mapping[str, Texts | Sequence[Texts]] | Texts | Sequence[os.PathLike[str]]
References = Texts | Sequence[Lines] | Sequence[os.PathLike[str]]
Documents = Path | Sequence[str] | Sequence[SupportsIndex] | Column
Unit = Literal["segment", "document"]


class FileKeywords(TypedDict, total=False):
    """Options of the files that are scored."""

    kind: str
    empty_references: Literal["count", "none"]
    tokenizer: str
    lowercase: bool
    normalization: str
    aligner: Path | None
    language: str | None
    synonyms: Path | None
    paraphrases: Path | None
    hypothesis_alignments: Path | Sequence[Path]
    reference_alignments: Path | Sequence[Path]
    rule: str
    unaligned: str | None
    links: str
    alignment_format: str
    one_based: bool
    strict: bool
    multiple_roots: bool
    one_based_reference: bool
    settings: str | Sequence[str] | Mapping[str, Any]
