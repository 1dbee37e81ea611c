"""Each question of the page is answered by the help screen that it names."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.running import call
from tests.cli.test_help import COMMANDS

from wordorder.cli.help import MAX_USUAL_OPTIONS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "verbs.md"
ROWS = re.findall(
    r"^\| (.*) \| `wordorder (.*) --help` \| `wordorder (.*)` \|$",
    PAGE.read_text("utf-8"),
    re.MULTILINE,
)


def test_there_are_ten() -> None:
    assert len({question for question, _, _ in ROWS}) == 10


@pytest.mark.parametrize(("question", "verb", "example"), ROWS)
def test_the_screen_has_what_the_example_needs(
    question: str, verb: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = call(*verb.split(), "--help").good().text
    shown = set(re.findall(r"^  (-.*?)(?: |$)", screen, re.MULTILINE))
    assert 0 < len(shown) <= MAX_USUAL_OPTIONS, question
    words = shlex.split(example)
    assert words[: len(verb.split())] == verb.split()
    rest = words[len(verb.split()) :]
    for option in (word for word in rest if word.startswith("-")):
        assert re.search(rf"^  (-\w, )?{option}\b", screen, re.MULTILINE), option
    # Nothing is wrong with the example but that its files do not exist.
    command = COMMANDS[verb]
    with command.make_context(verb, rest, help_option_names=["-h", "--help"]) as context:
        assert not context.args
