"""Verbs with many options have them in groups, below an example that the verb takes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.cli.running import call

from wordorder.cli.help import EXAMPLES, GROUPS, GroupedHelp, group_of
from wordorder.cli.program import VERBS, verb_command

MANY = 15


def commands() -> Iterator[tuple[str, click.Command]]:
    for verb in VERBS:
        command = verb_command(verb)
        if isinstance(command, click.Group):
            yield from ((f"{verb} {name}", each) for name, each in command.commands.items())
        else:
            yield verb, command


GROUPED = {verb: each for verb, each in commands() if isinstance(each, GroupedHelp)}


def test_verbs_with_many_options_have_groups() -> None:
    many = {verb for verb, each in commands() if len(each.params) > MANY}
    assert many <= set(GROUPED)
    assert set(GROUPED) == set(EXAMPLES)


@pytest.mark.parametrize("verb", GROUPED)
def test_each_option_has_its_group(verb: str) -> None:
    options = [each for each in GROUPED[verb].params if isinstance(each, click.Option)]
    assert [each.opts for each in options if group_of(verb, each) == "Other options"] == []
    text = call(*verb.split(), "--help").good().text
    titles = [line[:-1] for line in text.splitlines() if line[:-1] in GROUPS and line[-1:] == ":"]
    # In one order, and none twice.
    assert titles == [title for title in GROUPS if title in titles]
    assert titles[-1] == "Other options"
    assert text.index(f"  {EXAMPLES[verb]}\n") < text.index(titles[0])
    assert all(each.opts[-1] in text for each in options if not each.hidden)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("verb", EXAMPLES)
def test_examples_are_commands(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is wrong with an example but that its files do not exist."""
    monkeypatch.chdir(tmp_path)
    program, *args = shlex.split(EXAMPLES[verb])
    assert program == "wordorder"
    assert args[: len(verb.split())] == verb.split()
    rest = args[len(verb.split()) :]
    command = GROUPED[verb]
    # The names of help are kept by the command, which other tests call too.
    with command.make_context(verb, rest, help_option_names=["-h", "--help"]) as ctx:
        assert not ctx.args
