"""What the tests of all notations of alignments do with a file."""

from pathlib import Path

import pytest

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import AlignmentReader, read_alignments
from wordorder.errors import InputError


def written(folder: Path, text: str | bytes, name: str = "a.align") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


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


def rows_or_complaint(path: Path, **options: str) -> int | None:
    """Return how many rows a file of any bytes has, or ``None`` if an error names the file."""
    try:
        return len(read_alignments(path, **options))  # type: ignore[arg-type]
    except InputError as error:
        complaint = str(error)
    assert complaint.startswith(f"{path}:")
    return None
