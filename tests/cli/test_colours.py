"""Marks are coloured on a terminal that shows colours, and nowhere else."""

import contextlib
import io
import os
import pty
import re
import threading
from pathlib import Path
from unittest import mock

import pytest
from tests.cli.running import call, call_into, write

REFERENCE, SYSTEM = "ends ( Laughter ) they said\n", "( Laughter ) ends ( they said\n"


def on_terminal(*args: str, **environment: str) -> str:
    """Return what the program writes to a terminal."""
    ours, theirs = pty.openpty()
    found: list[bytes] = []

    def read() -> None:
        # Linux says so when the other end is closed.
        with contextlib.suppress(OSError):
            while more := os.read(ours, 1 << 16):
                found.append(more)

    reader = threading.Thread(target=read)
    reader.start()
    given = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    given |= {"COLUMNS": "80", **environment}
    with (
        mock.patch.dict(os.environ, given, clear=True),
        open(theirs, "w", encoding="utf-8") as out,
    ):
        status = call_into(out, io.TextIOWrapper(io.BytesIO()), *args)
    reader.join()
    os.close(ours)
    assert status == 0
    return b"".join(found).decode().replace("\r\n", "\n")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [write(tmp_path, "r.txt", REFERENCE), "-i", write(tmp_path, "a.txt", SYSTEM)]


def test_a_terminal_shows_marks_in_colour_and_form(files: list[str]) -> None:
    shown = on_terminal("analyze", *files, "--tables", TERM="xterm")
    sign = "\x1b[1;36m¦\x1b[0m"
    assert f"( Laughter ) {sign} ends \x1b[4;31m⟦(⟧\x1b[0m {sign} they said\n" in shown
    # The key looks as the marks do.
    assert "\x1b[4;31m⟦these words⟧\x1b[0m" in shown
    assert f"In a translation, {sign} marks the start" in shown


@pytest.mark.parametrize("environment", [{"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_no_colours_where_they_are_unwelcome(files: list[str], environment: dict[str, str]) -> None:
    shown = on_terminal("analyze", *files, "--tables", **environment)
    assert "\x1b" not in shown
    assert "( Laughter ) ¦ ends ⟦(⟧ ¦ they said\n" in shown


@pytest.mark.parametrize(("environment", "styled"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_answer_and_signs_are_styled(
    tmp_path: Path, environment: dict[str, str], styled: bool
) -> None:
    lines = [f"we met them on day {n} at six\n" for n in range(40)]
    moved = [" ".join(["on", *line.split()[:3], *line.split()[4:]]) + "\n" for line in lines]
    files = [
        write(tmp_path, "r.txt", "".join(lines)),
        "-i",
        write(tmp_path, "a.txt", "".join(lines)),
    ]
    files += [write(tmp_path, "b.txt", "".join(moved)), "--language", "other", "--resamples", "20"]
    shown = on_terminal("analyze", *files, TERM="xterm", **environment)
    first = shown.splitlines()[0]
    assert first.removeprefix("\x1b[1m").startswith("a orders words best")
    assert (first.startswith("\x1b[1m") and first.endswith("\x1b[0m")) is styled
    assert bool(re.search("\x1b\\[32m\\+[0-9.]+\x1b\\[0m", shown)) is styled
    compared = on_terminal("compare", *files, "-m", "frs", TERM="xterm", **environment)
    assert ("\x1b[31m-**\x1b[0m" in compared) is styled
    for verb in ("analyze", "compare"):
        assert "\x1b" not in call(verb, *files, "-m", "frs").good().text


def test_pipes_and_other_forms_have_marks_that_no_word_is_taken_for(tmp_path: Path) -> None:
    files = [write(tmp_path, "r.txt", REFERENCE), "-i", write(tmp_path, "a.txt", f"¦ {SYSTEM}")]
    marked = r"⟦\¦⟧ ( Laughter ) ¦ ends ⟦(⟧ ¦ they said"
    for options in (["--tables"], ["--format", "tsv"]):
        answer = call("analyze", *files, *options).good().text
        assert marked in answer
        assert "\x1b" not in answer
    sections = call("analyze", *files, "--format", "json").good().json["sections"]
    worst = next(each for each in sections if each["key"].startswith("worst-sentences"))
    assert worst["rows"][0]["translation"] == marked
    assert "A backslash comes before a mark" in worst["note"]


def test_explanations_separate_members(tmp_path: Path) -> None:
    trees = "".join(
        f"{n}\t{word}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n"
        for n, (word, tag, head, label) in enumerate(
            [("a", "NOUN", 2, "nsubj"), ("b", "VERB", 0, "root"), ("¦", "SYM", 2, "obj")], 1
        )
    )
    path = write(tmp_path, "bar.conllu", f"{trees}\n")
    assert "from a ¦ b ¦ \\¦\n" in call("rules", "explain", "R2", "--trees", path).good().text
