"""The README: short, with links that lead somewhere and a picture that the package draws."""

import re
import shutil
from pathlib import Path

import pytest
from tests.cli.running import call
from tests.notes import any_notes

from wordorder.samples import sample_path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def anchors(page: Path) -> set[str]:
    """Return what a link to a page can name: its headings, and anchors of their own."""
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ (.*?)(?: \{ #.*\})?$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", each.lower()).strip().replace(" ", "-") for each in headings}
    return slugs | set(re.findall(r"\{ ?#([\w-]+) ?\}", text))


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_its_links_lead_somewhere() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert len(links) > 20
    for link in links:
        path, _, anchor = link.partition("#")
        assert (ROOT / path).exists(), link
        assert not anchor or anchor in anchors(ROOT / path), link


def test_its_picture_is_the_output_of_its_command(tmp_path: Path) -> None:
    found = re.search(r'^wordorder tree "([0-9 ]+)" --words "(.*)" --svg tree.svg$', README, re.M)
    assert found is not None
    drawn = tmp_path / "tree.svg"
    call("tree", found[1], "--words", found[2], "--svg", drawn).good()
    assert drawn.read_bytes() == (ROOT / "docs" / "images" / "tree.svg").read_bytes()


def test_its_commands() -> None:
    shown = re.search(r"\$ echo \"(.*)\" \| wordorder reorder --rules R5\n(.*)\n", README)
    assert shown is not None
    answer = call("reorder", "--rules", "R5", stdin=f"{shown[1]}\n".encode()).good()
    assert answer.text == f"{shown[2]}\n"
    for command in ("make demo", "make test"):
        assert f"$ {command} " in README
        assert f"{command.removeprefix('make ')}:" in (ROOT / "Makefile").read_text("utf-8")


def test_its_three_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in sample_path("", "judged").glob("*.en"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    block = re.search(r"```console\n(\$ wordorder score .*?)```", README, re.DOTALL)
    assert block is not None
    parts = block[1].split("$ wordorder ")[1:]
    assert [part.split()[0] for part in parts] == ["score", "compare", "analyze"]
    for part in parts:
        command, _, shown = part.partition("\n")
        arguments = command.split()
        assert shown in call(*arguments).good().text


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    names: dict[str, object] = {}
    with any_notes():
        exec(code[1], names)
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!")
