"""A shell asks by environment variables what may follow."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.cli.running import PROGRAM, process

from wordorder.alignment.align import ALIGNERS
from wordorder.metrics import METRICS
from wordorder.reordering.rules import RULES


def followers(line: str) -> set[str]:
    """Return what may stand at the end of a command line, as bash asks for it."""
    words = line.split(" ")
    asked = {
        "_WORDORDER_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    return set(process(environment=asked).good().text.split())


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("wordorder ev", {"plain,evaluate"}),
        ("wordorder score --conf", {"plain,--confidence"}),
        ("wordorder score a -i b -m ", {f"plain,{name}" for name in METRICS.names()}),
        ("wordorder score a -m cder,ken", {"plain,cder,kendall", "plain,cder,kendall-sqrt"}),
        ("wordorder score a -m 0.6*cd", {"plain,0.6*cder"}),
        ("wordorder compare a -i b -m sens", {"plain,senscore"}),
        ("wordorder evaluate a --rules ", {f"plain,{name}" for name in RULES.names()}),
        ("wordorder reorder --rules head", {"plain,head-final"}),
        ("wordorder rules explain R5-s", {"plain,R5-sd"}),
        (
            "wordorder train rules a b --start R5",
            {"plain,R5", "plain,R5-amod-advmod", "plain,R5-sd"},
        ),
        ("wordorder rules show R", {f"plain,R{number}" for number in range(1, 6)}),
        ("wordorder parse ", {"plain,en", "plain,udpipe:", "plain,spacy:", "plain,stanza:"}),
        ("wordorder reorder --parser e", {"plain,en"}),
        ("wordorder align a b --model ", {f"plain,{name}" for name in ALIGNERS.names()}),
        ("wordorder score a -i b --aligner exact+st", {"plain,exact+stem"}),
        ("wordorder score a -i b --format js", {"plain,json"}),
        ("wordorder score refer", {"file,refer"}),
        ("wordorder parse my", {"file,my"}),
    ],
)
def test_what_may_follow(line: str, wanted: set[str]) -> None:
    assert followers(line) >= wanted


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell: str) -> None:
    script = process(environment={"_WORDORDER_COMPLETE": f"{shell}_source"}).good().text
    assert "wordorder" in script
    assert f"{shell}_complete" in script


def test_bash_completes_the_name_of_a_metric(tmp_path: Path) -> None:
    script = process(environment={"_WORDORDER_COMPLETE": "bash_source"}).good().text
    asks = f'{script}\nCOMP_WORDS=("{PROGRAM}" score a -m sens) COMP_CWORD=4\n'
    asks += f'_wordorder_completion "{PROGRAM}"; echo "${{COMPREPLY[@]}}"\n'
    # Outside of a line that is typed, bash has no list of files to fall back on.
    done = subprocess.run(["bash", "-c", asks], capture_output=True, cwd=tmp_path, check=False)
    assert done.stdout == b"senscore\n"
