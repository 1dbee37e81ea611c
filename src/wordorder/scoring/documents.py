"""The documents of segments, for intervals and tests that draw whole documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

from wordorder.errors import InputError, UsageError, choose
from wordorder.messages import counted
from wordorder.metrics.contract import BaseMetric, Score
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

# What intervals and tests draw.
UNITS = ("segment", "document")
# The column of a table that is named without one.
_COLUMN = "document"
# What signatures say.
FIELD = ("resampled", "documents")


@dataclass(frozen=True)
class NamedDocuments:
    """Documents, and where their names come from."""

    documents: Documents
    source: str


def choose_documents(by: str, documents: Any, files: Files) -> NamedDocuments | None:
    """Read the name of each segment's document; None if segments are drawn.

    Parameters
    ----------
    by : "segment" or "document"
    documents : path, sequence of names, or None
        A file with a name per line, or a column of a table; by default the column ``document`` of
        the reference's table.
    files : Files

    Raises
    ------
    UsageError
        If names are given but not wanted, or the other way round.
    InputError
        If a segment has no name.
    """
    if choose("--by", by, UNITS) == "segment":
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
        names = _checked(read_lines(NameSource(path)), f"{name}:")
    else:
        name = "documents"
        rows = [str(row) if isinstance(row, Integral) else row for row in documents]
        names = _checked(rows, "documents, entry ")
    return NamedDocuments(Documents.of(names), name)


def check_before(named: NamedDocuments, files: Files) -> None:
    """Check the number of names before anything is scored, if the reference can be read again.

    Parameters
    ----------
    named : NamedDocuments
    files : Files
        Of which a segment is a line, or a sentence of a treebank.

    Raises
    ------
    InputError
        If there are not as many names as segments.
    """
    path = files.reference
    if path not in files.held and not can_be_peeked_at(path):
        return
    segments = len(files.held.get(path, ()))
    if path not in files.held:
        # Its notes are given when it is scored.
        with held_notes(), word_reader(path, files.kind) as reader:
            while read := len(reader.take(CHUNK_LINES)):
                segments += read
    _check_count(named, segments)


def _check_count(named: NamedDocuments, segments: int) -> None:
    """Raise an InputError if there are not as many names as segments."""
    names = len(named.documents.numbers)
    if names != segments:
        what = counted(names, "name")
        raise InputError(named.source, what, f"{segments}: a document for each segment")


def _checked(names: Iterable[Any], where: str) -> list[str]:
    """Return names of documents; refuse what is no name, or an empty one."""
    checked = []
    for number, name in enumerate(names, 1):
        if not isinstance(name, str) or not name.strip():
            what = repr(name)[:40] if name else "no name"
            raise InputError(f"{where}{number}", what, "the name of the segment's document")
        checked.append(name.strip())
    return checked


def by_document(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], named: NamedDocuments
) -> Evaluation:
    """Return an evaluation whose intervals and tests draw documents, as its signatures then say.

    Raises
    ------
    InputError
        If there are not as many names as segments.
    """
    evaluation = with_signatures(evaluation, metrics, _signed)
    return replace(evaluation, documents=check_documents(named, evaluation.segments))


def check_documents(named: NamedDocuments, segments: int) -> Documents:
    """Return documents that are as many as segments; note those whose lines stand apart.

    Raises
    ------
    InputError
        If there are not as many names as segments.
    """
    documents = named.documents
    _check_count(named, segments)
    if documents.scattered:
        count = counted(documents.scattered, "document")
        have = "has" if documents.scattered == 1 else "have"
        apart = f"{count} {have} lines of other documents between their own"
        note(f"{named.source}: {apart}; lines with one name are one document")
    return documents


def _signed(score: Score, _: BaseMetric) -> Score:
    return replace(score, signature=score.signature.with_fields(FIELD))
