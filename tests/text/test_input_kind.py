"""Telling a treebank from plain text by its first lines."""

import gzip
import io
import sys
from pathlib import Path
from unittest import mock

import pytest
from tests.files import written
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.text.lines import LONG_LINE, MOST_BYTES, PeekableInput, input_kind

ROW = b"1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n"


def look(path: Path) -> tuple[str, bytes]:
    with PeekableInput(path) as source:
        return input_kind(source), b"".join(iter(source.read, b""))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "text"),
        (b"\n\n", "text"),
        (b"It rains .\n", "text"),
        (b"It rains .", "text"),
        (b"1 2 3\n", "text"),
        (b"1\tone\n", "text"),
        (b"# 1 is the best\nIt rains .\n", "text"),
        (b"# only a comment\n", "text"),
        (b"2\tGo" + b"\t_" * 8 + b"\n", "text"),
        (ROW, "conllu"),
        (ROW.rstrip(b"\n"), "conllu"),
        (ROW.replace(b"\n", b"\r\n"), "conllu"),
        (b"\xef\xbb\xbf" + ROW, "conllu"),
        # Lines that end with a carriage return alone: the reader says what is wrong.
        (b"# text = Go\r" + ROW.replace(b"\n", b"\r"), "conllu"),
        (b"# one\rtwo\n" + ROW, "conllu"),
        (b"# text = Go\n\n" + ROW, "conllu"),
        (b"1-2\tdon't" + b"\t_" * 8 + b"\n" + ROW, "conllu"),
        (b"0.1\tx" + b"\t_" * 8 + b"\n" + ROW, "conllu"),
        # Nine columns: a damaged treebank, and no text.
        (b"1\tGo" + b"\t_" * 7 + b"\n", "conllu"),
        (b"# long\n" * 400_000 + ROW, "text"),
        (b"x" * (2 * LONG_LINE), "text"),
        (b"# " + b"x" * (2 * LONG_LINE) + b"\n" + ROW, "conllu"),
    ],
)
def test_what_a_file_looks_like(tmp_path: Path, data: bytes, expected: str) -> None:
    path = written(tmp_path, data, "file")
    assert look(path) == (expected, data)
    packed = written(tmp_path, gzip.compress(data), "file.gz")
    assert look(packed) == (expected, data)


def test_a_pipe_that_gives_a_byte_at_a_time() -> None:
    class Slow(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            return super().read1(1)

    data = b"# text = Go\n" + ROW
    with (
        mock.patch.object(sys, "stdin", io.TextIOWrapper(Slow(data))),
        PeekableInput("-") as source,
    ):
        assert input_kind(source) == "conllu"
        assert b"".join(iter(source.read, b"")) == data


def test_no_more_is_looked_at_than_is_needed(tmp_path: Path) -> None:
    path = written(tmp_path, b"# x\n" * MOST_BYTES, "file")
    with PeekableInput(path) as source:
        input_kind(source)
        assert len(source.read()) + len(source.read()) + len(source.read()) < 3 * MOST_BYTES


def test_damaged_data_is_an_error_when_looked_at(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"# x\n")[:-6], "file.gz")
    refuses(InputError, r"file\.gz", look, path)
