"""Running the program: as a process, or in this one where only its answer matters."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from wordorder.cli.program import run
from wordorder.kernels._run import set_threads
from wordorder.samples import sample_path

PROGRAM = Path(sys.executable).with_name("wordorder")
SAMPLE = Path(sample_path(""))
REFERENCE = str(SAMPLE / "reference.orders")
SYSTEMS = [
    str(SAMPLE / f"{name}.orders")
    for name in ("unchanged", "reversed", "head-final", "head-final-mistakes")
]
ALIGNMENTS = str(SAMPLE / "alignments.talbot")
SOURCE = str(SAMPLE / "source.en")
TARGET = str(SAMPLE / "target.ja")
TREES = str(SAMPLE / "trees.conllu")


@dataclass(frozen=True)
class Answer:
    """What the program left behind."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode()

    @property
    def json(self) -> Any:
        """The result, which must be JSON as the standard has it: no NaN, no infinity."""
        return json.loads(self.stdout, parse_constant=_refuse)

    def good(self) -> Answer:
        """Insist that nothing went wrong."""
        assert self.status == 0, self.stderr
        return self

    def refused(self, status: int, *parts: str) -> Answer:
        """Insist on one message that has these parts, and on no result."""
        assert self.status == status, (self.status, self.stderr)
        assert self.stdout == b""
        assert "Traceback" not in self.stderr
        assert "internal error" not in self.stderr
        errors = [line for line in self.stderr.splitlines() if "rror: " in line]
        assert len(errors) == 1, self.stderr
        for part in parts:
            assert part in errors[0], (part, errors[0])
        return self


def process(
    *args: str | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    timeout: float = 60,
    environment: Mapping[str, str] | None = None,
) -> Answer:
    """Run the installed program."""
    done = subprocess.run(
        [PROGRAM, *args],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        timeout=timeout,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr.decode())


def call(*args: str | Path, stdin: bytes = b"") -> Answer:
    """Run the program here, which saves the start of a process."""
    out = io.TextIOWrapper(io.BytesIO())
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    given = io.TextIOWrapper(io.BytesIO(stdin))
    with (
        mock.patch.object(sys, "argv", ["wordorder", *map(str, args)]),
        mock.patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = run()
        out.flush()
        err.flush()
    set_threads(None)
    return Answer(status, _bytes(out), _bytes(err).decode())


def write(folder: Path, name: str, content: str | bytes) -> str:
    """Write a file; return its path as an argument."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def _bytes(stream: io.TextIOWrapper) -> bytes:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} in the JSON")
