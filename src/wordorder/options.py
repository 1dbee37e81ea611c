"""Types of what the front door takes: texts, systems, metrics and the options of files.

Nothing here is imported to run: type checkers and editors read it.
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


class FileOptions(TypedDict, total=False):
    """Options of the files that are scored, as `wordorder.scoring.files.Files` describes them."""

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
    links: Literal["all", "sure"]
    alignment_format: str
    one_based: bool
    one_based_reference: bool
    strict: bool
    multiple_roots: bool
    settings: str | Sequence[str] | Mapping[str, Any]


class AnalysisOptions(FileOptions, total=False):
    """Options of files, and how many rows tables have."""

    top: int
