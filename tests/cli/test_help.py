"""Each command's help has an example that it takes and few options; --help-all has all of them."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import click
import pytest
from tests.cli.running import PROGRAM, call, process

from wordorder.alignment.statistical.align import ALIGNERS
from wordorder.cli.command import Command, Setting
from wordorder.cli.help import MAX_USUAL_OPTIONS, TITLES, group_name, title_of
from wordorder.cli.program import COMMAND_SUMMARIES, COMMANDS_BY_GOAL, import_command
from wordorder.metrics import METRICS
from wordorder.reordering.rules import RULES

OPTION_LINE = re.compile(r"^  -", re.MULTILINE)


def commands() -> Iterator[tuple[str, Command]]:
    for verb in COMMAND_SUMMARIES:
        command = import_command(verb)
        under = (
            {f"{verb} {name}": each for name, each in command.commands.items()}
            if isinstance(command, click.Group)
            else {verb: command}
        )
        for name, each in under.items():
            assert isinstance(each, Command), name
            yield name, each


COMMANDS = dict(commands())


def test_each_command_has_an_example() -> None:
    assert [name for name, command in COMMANDS.items() if not command.example] == []


def test_top_level_help_lists_all_commands_by_what_one_wants() -> None:
    text = call("--help").good().text
    places = [text.index(f"\n{title}:\n") for title in COMMANDS_BY_GOAL]
    assert places == sorted(places)
    assert all(re.search(rf"^  {verb} ", text, re.MULTILINE) for verb in COMMAND_SUMMARIES)
    assert len(COMMAND_SUMMARIES) == sum(map(len, COMMANDS_BY_GOAL.values()))


def test_top_level_help_all_lists_the_actions_too() -> None:
    text = call("--help-all").good().text
    places = [text.index(f"\n{title}:\n") for title in COMMANDS_BY_GOAL]
    assert places == sorted(places)
    for name in {*COMMANDS, *COMMAND_SUMMARIES}:
        assert len(re.findall(rf"^ +{name}  +[A-Z]", text, re.MULTILINE)) == 1, name
    assert "`wordorder COMMAND" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "rules explain" not in call("--help").good().text


@pytest.mark.parametrize("verb", COMMANDS)
def test_help_is_short(verb: str) -> None:
    options = [each for each in COMMANDS[verb].params if isinstance(each, click.Option)]
    plain = {group_name(each) for each in options if not isinstance(each, Setting)}
    text = call(*verb.split(), "--help").good().text
    assert f"  {COMMANDS[verb].example}\n" in text
    below = text.partition("\nOptions:\n")[2]
    shown = re.findall(r"^  (?:-[a-zA-Z], )?--([a-z-]+)", below, re.MULTILINE)
    assert len(OPTION_LINE.findall(below)) == len(shown) <= MAX_USUAL_OPTIONS
    usual = COMMANDS[verb].usual
    # The usual ones first; a command without a list shows all that it has.
    assert shown == usual or (not usual and set(shown) == plain)
    assert set(shown) <= plain
    assert ("--help-all shows" in text) == (set(shown) < plain or bool(COMMANDS[verb].settings()))
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("verb", COMMANDS)
def test_help_all_has_each_option_in_its_group(verb: str) -> None:
    command = COMMANDS[verb]
    options = [each for each in command.params if isinstance(each, click.Option)]
    plain = [each for each in options if not isinstance(each, Setting)]
    assert [each.opts for each in plain if title_of(each) == "Other options"] == []
    text = call(*verb.split(), "--help-all").good().text
    # The text of an option says its default, or `option` does.
    assert [
        each.opts for each in options if each.show_default and "[default" in str(each.help)
    ] == []
    assert TITLES[-1] == "Other options"
    titles = [line[:-1] for line in text.splitlines() if line[:-1] in TITLES and line[-1:] == ":"]
    # In one order, and none twice.
    assert titles == [title for title in TITLES if title in titles]
    assert f"  {COMMANDS[verb].example}\n" in text
    assert all(re.search(rf"{each.opts[-1]}\b", text) for each in plain)
    settings = command.settings()
    assert ("Settings, each as -O NAME=VALUE" in text) == bool(settings)
    assert all(re.search(rf"^  {key}\b", text, re.MULTILINE) for key in settings)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("verb", COMMANDS)
def test_examples_are_commands(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is wrong with an example but that its files do not exist."""
    monkeypatch.chdir(tmp_path)
    program, *args = shlex.split(COMMANDS[verb].example)
    assert program == "wordorder"
    assert args[: len(verb.split())] == verb.split()
    rest = args[len(verb.split()) :]
    command = COMMANDS[verb]
    # The names of help are kept by the command, which other tests call too.
    with command.make_context(verb, rest, help_option_names=["-h", "--help"]) as ctx:
        assert not ctx.args


# -- A shell asks by environment variables what may follow. ----------------------------------------


def followers(line: str) -> set[str]:
    """Return what may stand at the end of a command line, as bash asks for it."""
    words = line.split(" ")
    asked = {
        "_WORDORDER_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    with mock.patch.dict(os.environ, asked):
        return set(call().good().text.split())


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
