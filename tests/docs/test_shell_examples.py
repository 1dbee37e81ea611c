"""Every shell example of the documentation is run, and prints what the page shows."""

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
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


# What needs no shell: one command, its input from echo, its output into a file, its status told.
ALONE = re.compile(
    r"""(?:echo "(?P<given>[^"$`\\]*)" \| )?"""
    r"""wordorder (?P<words>(?:[^|<>&;`$*?{~"'\\]|'[^']*'|"[^"$`\\]*")*?)"""
    r"""(?: > (?P<file>[\w.-]+))?(?P<told> \|\| echo "exit status \$\?")?"""
)
SAMPLES = re.compile(r"\$\(python -c '([^']*)'\)")


def said_by_python(code: re.Match[str]) -> str:
    return output_of(code[1])


@cache
def output_of(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return done.stdout.rstrip("\n")


def in_this_process(found: re.Match[str]) -> tuple[int, str]:
    """Run the program without a start of its own; it prints as into one pipe.

    What `reorder` prints is written row by row, before it says what it left out.
    """
    args = shlex.split(found["words"])
    pipe = io.BytesIO()
    into = io.BytesIO() if found["file"] else pipe
    direct = args[0] == "reorder"
    out = io.TextIOWrapper(into if direct else io.BufferedWriter(into), write_through=direct)
    err = io.TextIOWrapper(pipe, "utf-8", "backslashreplace", write_through=True)
    given = "" if found["given"] is None else f"{found['given']}\n"
    status = call_into(out, err, *args, stdin=given.encode())
    out.flush()
    if found["file"]:
        Path(found["file"]).write_bytes(into.getvalue())
    if found["told"] and status:
        err.write(f"exit status {status}\n")
        status = 0
    return status, pipe.getvalue().decode()


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of a page in a folder, one after the other."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, shown in examples(page):
        if found := ALONE.fullmatch(command):
            status, printed = in_this_process(found)
        else:
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", SAMPLES.sub(said_by_python, command)],
                env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=SECONDS,
            )
            status, printed = done.returncode, done.stdout
        assert status == 0, f"$ {command}\n{printed}"
        assert agrees(shown, printed), f"$ {command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever follows a page has nothing but an empty folder, as here."""
    assert not list(tmp_path.iterdir())
    run_page(page, tmp_path, monkeypatch)
    if page.name == "figures.md":
        check_pictures(page, tmp_path)


def check_pictures(page: Path, folder: Path) -> None:
    """The page shows what its command drew; with WORDORDER_PICTURES=docs/images they are made."""
    shown = re.findall(r"\.\./images/(figures/[^)]+)", page.read_text("utf-8"))
    assert len(shown) == 4
    for name in shown:
        if kept := os.environ.get("WORDORDER_PICTURES"):
            shutil.copy(folder / name, Path(kept) / name)
        assert _texts(DOCS / "images" / name) == _texts(folder / name), name


def _texts(picture: Path) -> list[str | None]:
    """All names and numbers: coordinates differ between versions of matplotlib."""
    return [text.text for text in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text")]


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
