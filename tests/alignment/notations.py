"""What the tests of all notations of alignments do with a file."""

from pathlib import Path

import pytest

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import AlignmentReader, read_alignments
from wordorder.errors import InputError


def rows_of(a: Alignments) -> list[str]:
    return [str(row) for row in a]


def in_parts(reader: AlignmentReader, size: int) -> list[Alignments]:
    parts = []
    while len(part := reader.take(size)):
        parts.append(part)
    return parts


def message(path: Path, **options: object) -> str:
    """Return what is wrong with a file, the path cut off."""
    with pytest.raises(InputError) as error:
        read_alignments(path, strict=True, **options)  # type: ignore[arg-type]
    return str(error.value).removeprefix(str(path))


def lengths_of(a: Alignments) -> tuple[list[int] | None, list[int] | None]:
    """Return the lengths of the sentences of both sides, as far as they are known."""
    sides = a.source_lengths, a.target_lengths
    source, target = (None if side is None else side.tolist() for side in sides)
    return source, target
