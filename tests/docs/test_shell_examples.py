"""Every shell example of the documentation is run, and prints what the page shows."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import call_into

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "```console" in path.read_text("utf-8"))
BLOCK = re.compile(r"^( *)```console\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
SECONDS = 120


def examples(page: Path) -> list[tuple[str, str]]:
    """Return each command of a page's console blocks with the output shown below it."""
    found = []
    for indent, block in BLOCK.findall(page.read_text("utf-8")):
        text = re.sub(rf"^{indent}", "", block, flags=re.MULTILINE).replace("\\\n> ", "")
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def normalised(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def agrees(shown: str, printed: str) -> bool:
    """Compare, with a line ``...`` standing for any lines."""
    parts = re.split(r"^\.\.\.$", normalised(shown), flags=re.MULTILINE)
    pattern = "(?s:.*)".join(map(re.escape, parts))
    return re.fullmatch(pattern, normalised(printed)) is not None


def arguments(command: str) -> list[str] | None:
    """Return what a command hands to `wordorder`, or none if a shell has more to do with it.

    A process writes what `reorder` prints, row by row, before it says what it left out.
    """
    bare = re.sub(r"'[^']*'", "", command)
    if re.search(r"[|<>&;`$*?{~]", bare) or not re.match("wordorder (?!reorder )", command):
        return None
    return shlex.split(command)[1:]


def in_this_process(args: list[str]) -> tuple[int, str]:
    """Run the program without a start of its own; it prints as into one pipe."""
    pipe = io.BytesIO()
    out = io.TextIOWrapper(io.BufferedWriter(pipe))
    err = io.TextIOWrapper(pipe, "utf-8", "backslashreplace", write_through=True)
    status = call_into(out, err, *args)
    return status, pipe.getvalue().decode()


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of a page in a folder, one after the other."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
    }
    for command, shown in examples(page):
        if (args := arguments(command)) is not None:
            status, printed = in_this_process(args)
            assert status == 0, f"$ {command}\n{printed}"
            assert agrees(shown, printed), f"$ {command}\n{printed}"
            continue
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        assert agrees(shown, done.stdout), f"$ {command}\n{done.stdout}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows a page has nothing but an empty folder, as here."""
    assert not list(tmp_path.iterdir())
    run_page(page, tmp_path, monkeypatch)


def test_a_page_that_takes_files_for_granted_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, folder = tmp_path / "page.md", tmp_path / "empty"
    folder.mkdir()
    begin = "```console\n$ wordorder reorder source.en --rules head-final | head -n 1\n...\n```\n"
    page.write_text(begin, "utf-8")
    with pytest.raises(AssertionError, match=r"source\.en: No such file"):
        run_page(page, folder, monkeypatch)
    page.write_text(f"```console\n$ echo 'It rains .' > source.en\n```\n{begin}", "utf-8")
    run_page(page, folder, monkeypatch)


def test_there_are_pages_with_commands() -> None:
    assert {"tutorial.md", "index.md", "formats.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n...\n", "a\nb\nc\n", True),
        ("a\n...\nd\n", "a\nb\nc\n", False),
        ("", "a note\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_comparison_can_fail(shown: str, printed: str, expected: bool) -> None:
    assert agrees(shown, printed) is expected
