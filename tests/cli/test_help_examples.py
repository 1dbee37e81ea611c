"""Every example of every help runs on small files of the names that it has."""

import re
import shlex
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, TARGET, TREES, call
from tests.cli.test_help import COMMANDS
from tests.people.serving import answer_all, ratings

from wordorder.people import serving
from wordorder.people.project import Project
from wordorder.samples import sample_path

JUDGED = Path(sample_path("judged.toml", "judged")).parent
BRACKETS = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))\n"
LIST = """\
0 ||| the cat sleeps ||| lm= -1 tm= -2 ||| -3
0 ||| sleeps the cat ||| lm= -2 tm= -1 ||| -3
"""
# Those that learn, or run everything.
SLOW = (
    *("train parser", "train tagger", "train order", "train rules", "train translation"),
    *("demo", "analyze"),
)


def rated(path: Path) -> None:
    ratings(path, sentences=3)
    with Project.open(path) as project:
        answer_all(project, lambda *_: [1, 6])


# What makes the files of each name; of the others there is one for all commands.
MADE: dict[str, Callable[[Path], object]] = {
    "my.model": lambda path: call("train", "translation", SOURCE, TARGET, "-o", path).good(),
    "lists.conllu": lambda path: call("parse", "en", SOURCE, "--kbest", "2", "-o", path).good(),
    "my.toml": lambda path: path.write_bytes(call("rules", "show", "R5").good().stdout),
    "my.db": rated,
    "trees.mrg": lambda path: path.write_text(BRACKETS * 3),
}
# Of these twenty lines are enough.
SHORT = {"links.align": ALIGNMENTS, "source.txt": SOURCE, "target.txt": TARGET}
COPIED: dict[str, str] = {
    **dict.fromkeys(("trees.conllu", "train.conllu", "dev.conllu"), TREES),
    "reference.orders": REFERENCE,
    "src.txt": f"{JUDGED}/source.ja",
    **dict.fromkeys(("reference.txt", "ref.txt"), f"{JUDGED}/reference.en"),
    "a.txt": f"{JUDGED}/alder.en",
    "b.txt": f"{JUDGED}/birch.en",
    "judgements.csv": f"{JUDGED}/rankings.csv",
    "ratings.tsv": f"{JUDGED}/ratings.tsv",
}


def examples(*command: str) -> list[str]:
    """Return the example lines of the help of a command."""
    text = call(*command, "--help").good().text
    lines: list[str] = re.findall(r"^  (wordorder .+)$", text, re.MULTILINE)
    return lines or re.findall(r"Example: (wordorder .+?)\. ", " ".join(text.split()))


@pytest.mark.parametrize(
    "command",
    ["", *(pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in COMMANDS)],
)
def test_examples_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = examples(*command.split())
    assert lines
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "wordorder"
        if "judged.toml" in words:
            shutil.copytree(JUDGED, tmp_path, dirs_exist_ok=True)
        outputs = {after for word, after in pairwise(words) if word == "-o"}
        for name in {word.rpartition("=")[2] for word in words} - outputs:
            if name == "lists.txt":
                Path(name).write_text(LIST)
                Path("reference.txt").write_text("the cat sleeps\n")
            elif name in MADE:
                MADE[name](tmp_path / name)
            elif name in SHORT:
                lines_of_file = Path(SHORT[name]).read_bytes().splitlines(keepends=True)
                Path(name).write_bytes(b"".join(lines_of_file[:20]))
            elif name in COPIED and not Path(name).exists():
                shutil.copy(COPIED[name], name)
        free = serving.listen(0)
        with (
            mock.patch.object(serving, "listen", return_value=free),
            mock.patch.object(serving, "serve", return_value=False),
        ):
            call(*words).good()
        free.close()
        for name in outputs:
            assert Path(name).stat().st_size > 0
