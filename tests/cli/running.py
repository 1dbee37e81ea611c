"""Running the program: as a process, or in this one where only its answer matters."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from wordorder.cli.program import run
from wordorder.kernels._run import set_threads
from wordorder.samples import sample_path

ROOT = Path(__file__).parents[2]
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

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows of a TSV table, by the names of its columns."""
        table = io.StringIO(self.text)
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))

    def values(self, system: int = 0) -> dict[str, float]:
        """Return the value of each metric in the JSON of `score`."""
        scores = self.good().json["systems"][system]["scores"]
        return {score["metric"]: score["value"] for score in scores}

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
    return _ran([PROGRAM, *args], stdin, cwd, timeout, environment or {})


def python(*args: str | Path, cwd: Path | None = None, **environment: str) -> Answer:
    """Run Python in a process of its own: a script, or ``-c`` and code."""
    return _ran([sys.executable, *args], b"", cwd, 600, environment)


def _ran(
    command: Sequence[str | Path],
    stdin: bytes,
    cwd: Path | None,
    timeout: float,
    environment: Mapping[str, str],
) -> Answer:
    surroundings = {**os.environ, **environment}
    done = subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, timeout=timeout, env=surroundings
    )
    return Answer(done.returncode, done.stdout, done.stderr.decode())


def elsewhere(
    commands: Sequence[Sequence[str]], path: Path | None = None, **environment: str
) -> list[Answer]:
    """Run commands one after the other in one other process, with a folder to import from."""
    code = (
        f"import json, sys\nsys.path[:0] = [{str(path or ROOT)!r}, {str(ROOT)!r}]\n"
        "from tests.cli.running import call\n"
        "for command in json.load(sys.stdin):\n"
        "    done = call(*command)\n"
        "    print(json.dumps([done.status, done.text, done.stderr]))\n"
    )
    given = json.dumps(commands).encode()
    done = _ran([sys.executable, "-c", code], given, None, 600, environment).good()
    rows = map(json.loads, done.stdout.splitlines())
    return [Answer(status, text.encode(), said) for status, text, said in rows]


def call(*args: str | Path, stdin: bytes | Path = b"") -> Answer:
    """Run the program here, which saves the start of a process; a file may be piped into it."""
    out = io.TextIOWrapper(io.BytesIO())
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    status = call_into(out, err, *args, stdin=stdin)
    return Answer(status, _bytes(out), _bytes(err).decode())


def call_into(
    out: io.TextIOWrapper | None,
    err: io.TextIOWrapper | None,
    *args: str | Path,
    stdin: bytes | Path = b"",
) -> int:
    """Run the program here, with these streams; one that is closed is None, as in a process."""
    raw = io.FileIO(stdin) if isinstance(stdin, Path) else io.BytesIO(stdin)
    with (
        io.TextIOWrapper(io.BufferedReader(raw)) as given,
        mock.patch.object(sys, "argv", ["wordorder", *map(str, args)]),
        mock.patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = run()
        if status == 0 and out is not None:
            out.flush()
        if err is not None:
            err.flush()
    set_threads(None)
    return status


def started(args: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start the program in a folder, and do not wait for it."""
    return subprocess.Popen([PROGRAM, *args], stderr=subprocess.PIPE, cwd=folder)


def wait_for(path: Path) -> None:
    """Wait until a program that was started has made a file."""
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    assert path.exists()


def kill_at(path: Path, args: list[str], folder: Path) -> None:
    """Start the program in a folder, and kill it as soon as it has made a file."""
    running = started(args, folder)
    wait_for(path)
    running.kill()
    running.communicate()


def goes_on(
    args: list[str], folder: Path, checkpoint: str, wrong: Sequence[tuple[list[str], str]] = ()
) -> None:
    """Insist that training that is killed and resumed gives the bytes of one that is not.

    Its output is called ``made``, in a folder of its own. What is `wrong` is refused before.
    """
    whole, killed = folder / "whole" / "made", folder / "killed" / "made"
    for path in (whole, killed):
        path.parent.mkdir()
    call(*args, "-o", whole).good()
    kill_at(killed.with_name(checkpoint), [*args, "-o", "killed/made"], folder)
    again = [*args, "-o", str(killed)]
    assert not killed.exists()
    # Nothing is trained, nor even read, before it is known that what is there may go.
    said = call(*again).refused(2, "an unfinished training left this").stderr
    assert "--resume continues it, -O restart starts from scratch" in said
    assert "sentences" not in said
    for options, message in (*wrong, (["--seed", "2"], "other seed (12345 then, 2 now)")):
        call(*again, "--resume", *options).refused(2, message)
    call(*again, "--resume").good()
    assert killed.read_bytes() == whole.read_bytes()
    # A kill may leave a checkpoint behind that was being written.
    assert {path.name for path in killed.parent.iterdir() if path.suffix != ".tmp"} == {"made"}
    assert "no checkpoint to go on from" in call(*again, "--resume").good().stderr


def ready(running: subprocess.Popen[bytes]) -> None:
    """Wait until a process has set its handler of interrupts: a load delays that."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and running.poll() is None:
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{running.pid}/status").read_text())
        if caught and int(caught[1], 16) >> (signal.SIGALRM - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError("the program did not start")


def interrupt(running: subprocess.Popen[bytes], number: int = signal.SIGINT) -> str:
    """Send a signal and insist on a quick, quiet end; return what was said before it.

    Quick is measured in the processor's seconds: on a loaded machine all takes longer.
    """
    assert running.poll() is None
    before = _seconds(running.pid)
    running.send_signal(number)
    deadline = time.monotonic() + 60
    spent = 0.0
    while running.returncode is None and time.monotonic() < deadline:
        # The process stays visible until it is waited for.
        spent = _seconds(running.pid) - before
        if _state(running.pid) == "Z":
            running.wait()
        time.sleep(0.01)
    running.kill()
    _, err = running.communicate()
    assert running.returncode == 128 + number, err
    assert spent < 2 * (os.cpu_count() or 1)
    said, _, last = err.decode().rstrip("\n").rpartition("\n")
    assert last == "wordorder: interrupted"
    assert "Traceback" not in said
    assert "Exception" not in said
    return said.strip()


def _stat(process: int) -> list[str]:
    """Return what Linux knows of a process, from its state on."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _state(process: int) -> str:
    return _stat(process)[0]


def _seconds(process: int) -> float:
    return sum(map(int, _stat(process)[11:13])) / os.sysconf("SC_CLK_TCK")


def write(folder: Path, name: str, content: str | bytes) -> str:
    """Write a file; return its path as an argument."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def notes_on(stderr: str) -> list[str]:
    """Return what standard error says, without the name of the program."""
    start = "wordorder: "
    lines = stderr.splitlines()
    assert all(line.startswith(start) for line in lines)
    return [line.removeprefix(start).removeprefix("note: ") for line in lines]


def _bytes(stream: io.TextIOWrapper) -> bytes:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} in the JSON")
