"""The documents of segments, for intervals and tests that resample whole documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

from wordorder.errors import InputError, UsageError, choose
from wordorder.messages import counted
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import held_notes, note
from wordorder.scoring.signatures import with_signatures
from wordorder.scoring.systems import Evaluation
from wordorder.statistics.documents import Documents
from wordorder.text.lines import read_lines
from wordorder.text.lockstep import CHUNK_LINES
from wordorder.text.names import can_be_peeked_at, refuse_two_pipes, table_column, with_column
from wordorder.text.opening import display_name
from wordorder.text.readers import word_reader
from wordorder.text.sources import NameSource

if TYPE_CHECKING:
    from wordorder.scoring.files import Files

# What intervals and tests resample.
RESAMPLED_UNITS = ("segment", "document")
# The default column of tables.
_COLUMN = "document"
# The field of signatures.
FIELD = ("resampled", "documents")


@dataclass(frozen=True)
class NamedDocuments:
    """The documents of all segments, and the name of the input with their names."""

    documents: Documents
    source: str


def choose_documents(by: str, documents: Any, files: Files) -> NamedDocuments | None:
    """Read the name of each segment's document; return None if segments are resampled.

    Parameters
    ----------
    by : "segment" or "document"
    documents : path, sequence of names, or None
        A file with one name per line, or a column of a table; by default the column ``document`` of
        the reference's table.
    files : Files

    Raises
    ------
    UsageError
        If names are given for ``by="segment"``, or missing for ``by="document"``.
    InputError
        If the document of a segment has no name.
    """
    if choose("--by", by, RESAMPLED_UNITS) == "segment":
        if documents is not None:
            raise UsageError("--documents is for --by=document")
        return None
    if documents is None:
        table = table_column(files.reference)
        if table is None:
            raise UsageError("--by=document needs --documents, a file with a name per line")
        documents = f"{table.path}#{_COLUMN}"
    if isinstance(documents, (str, os.PathLike)):
        path = with_column(os.fspath(documents), _COLUMN)
        name = display_name(path)
        refuse_two_pipes([*files.paths, path])
        names = _check_names(read_lines(NameSource(path)), f"{name}:")
    else:
        name = "documents"
        rows = [str(row) if isinstance(row, Integral) else row for row in documents]
        names = _check_names(rows, "documents, entry ")
    return NamedDocuments(Documents.of(names), name)


def check_before(named: NamedDocuments, files: Files) -> None:
    """Check the number of names before scoring, if the reference can be read twice.

    Parameters
    ----------
    named : NamedDocuments
    files : Files
        Files whose segments are lines, or sentences of a treebank.

    Raises
    ------
    InputError
        If the numbers of names and segments differ.
    """
    path = files.reference
    if path not in files.held and not can_be_peeked_at(path):
        return
    segments = len(files.held.get(path, ()))
    if path not in files.held:
        # Scoring repeats the notes.
        with held_notes(), word_reader(path, files.kind) as reader:
            while lines := len(reader.take(CHUNK_LINES)):
                segments += lines
    _check_count(named, segments)


def _check_count(named: NamedDocuments, segments: int) -> None:
    """Raise an InputError if the numbers of names and segments differ."""
    names = len(named.documents.numbers)
    if names != segments:
        problem = counted(names, "name")
        raise InputError(named.source, problem, f"{segments}: a document for each segment")


def _check_names(names: Iterable[Any], where: str) -> list[str]:
    """Return the names of documents without outer spaces; refuse empty names and other types."""
    stripped = []
    for number, name in enumerate(names, 1):
        if not isinstance(name, str) or not name.strip():
            problem = repr(name)[:40] if name else "no name"
            raise InputError(f"{where}{number}", problem, "the name of the segment's document")
        stripped.append(name.strip())
    return stripped


def by_document(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], named: NamedDocuments
) -> Evaluation:
    """Return an evaluation whose intervals and tests resample documents, with such signatures.

    Raises
    ------
    InputError
        If the numbers of names and segments differ.
    """
    evaluation = with_signatures(evaluation, metrics, lambda score, _: score.with_fields(FIELD))
    return replace(evaluation, documents=check_documents(named, evaluation.segments))


def check_documents(named: NamedDocuments, segments: int) -> Documents:
    """Return the documents of all segments; note documents whose lines are not adjacent.

    Raises
    ------
    InputError
        If the numbers of names and segments differ.
    """
    documents = named.documents
    _check_count(named, segments)
    if documents.scattered:
        count = counted(documents.scattered, "document")
        have = "has" if documents.scattered == 1 else "have"
        apart = f"{count} {have} lines of other documents between their own"
        note(f"{named.source}: {apart}; lines with one name are one document")
    return documents
