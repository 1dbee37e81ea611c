"""Old names of options work and say what is new; settings are given by -O; results go to files."""

import gzip
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from tests.cli.running import ALIGNMENTS, PROGRAM, REFERENCE, SOURCE, SYSTEMS, TREES, call, process
from tests.cli.test_help import COMMANDS

from wordorder.cli.command import EVERYWHERE, GONE, OF_COMMAND, Setting, old_names
from wordorder.metrics import METRICS
from wordorder.metrics.contract import defaults
from wordorder.samples import sample_path

NOTE = "wordorder: note: {} is now {}; the old name will go in the next version\n"
JUDGED = [str(sample_path(f"{name}.en", "judged")) for name in ("reference", "alder", "birch")]
MADE = ["reference", ALIGNMENTS, "--source", SOURCE]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (["path", "a b", "b a", "--metric", "cder"], ["-m", "cder"], ("--metric", "--metrics")),
        (["path", "a b", "b a", "--metric=cder"], ["-m", "cder"], ("--metric", "--metrics")),
        ([*MADE, "--links", "sure"], ["-O", "links=sure"], ("--links", "-O links")),
        ([*MADE, "--links=sure"], ["--option=links=sure"], ("--links", "-O links")),
        ([*MADE, "--strict"], ["-Ostrict"], ("--strict", "-O strict")),
        ([*MADE, "--strict"], ["-O", "strict=yes"], ("--strict", "-O strict")),
        (
            ["rules", "explain", "R5", "--trees", TREES, "--number", "3"],
            ["--sentence", "3"],
            ("--number", "--sentence"),
        ),
    ],
)
def test_old_and_new_names_do_the_same(
    old: list[str], new: list[str], said: tuple[str, str]
) -> None:
    place = next(n for n, each in enumerate(old) if each.partition("=")[0] == said[0])
    before, after = call(*old).good(), call(*old[:place], *new).good()
    assert before.stdout == after.stdout != b""
    assert before.stderr == NOTE.format(*said) + after.stderr
    assert call(*old, "-q").good().stderr == ""


def test_the_note_is_not_in_json() -> None:
    answer = call("path", "a b", "b a", "--metric", "cder", "--format", "json").good()
    assert answer.json["notes"] == []
    assert answer.stderr == NOTE.format("--metric", "--metrics")


def test_a_sentence_was_once_its_text() -> None:
    text = ["--parser", "en", "--format", "tsv"]
    old = call("rules", "explain", "R5", "--sentence", "she has read it", *text).good()
    new = call("rules", "explain", "R5", "--text", "she has read it", *text).good()
    assert old.stdout == new.stdout
    assert old.stderr == NOTE.format("--sentence TEXT", "--text TEXT") + new.stderr


def test_a_sentence_by_its_name(tmp_path: Path) -> None:
    trees = tmp_path / "trees.conllu"
    rows = "1\tshe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n"
    rows += "2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
    trees.write_text(f"# sent_id = 7\n{rows}# sent_id = b\n{rows.replace('she', 'he')}")
    form = ["rules", "explain", "R5", "--trees", str(trees)]
    named, second = (call(*form, "--sentence", each).good() for each in ("sent_id=b", "2"))
    assert named.stdout == second.stdout
    assert call(*form, "--sent-id", "7").good().stdout == call(*form).good().stdout


def test_what_does_nothing_is_left_out() -> None:
    answer = call("tag", "en", SOURCE, "--multiple-roots").good()
    assert answer.stdout == call("tag", "en", SOURCE).good().stdout
    assert "note: --multiple-roots does nothing" in answer.stderr


def test_what_is_gone_says_so() -> None:
    assert set(GONE) == {("reference", "--blocks")}
    call(*MADE, "--blocks", "keep").refused(2, "--blocks is gone: overlapping target spans")
    new = call(*MADE).good()
    for old in (["--blocks", "combine"], ["--blocks=combine"]):
        answer = call(*MADE, *old).good()
        assert answer.stdout == new.stdout != b""
        note = "wordorder: note: --blocks combine does nothing and will go in the next version\n"
        assert answer.stderr == note + new.stderr


@pytest.mark.parametrize("verb", COMMANDS)
def test_each_old_name_leads_to_an_option(verb: str) -> None:
    command = COMMANDS[verb]
    names = {name for each in command.params for name in each.opts}
    for old, new in old_names(verb, names).items():
        assert old not in names, old
        assert not new or new.partition(" ")[0] in names, new
    assert set(OF_COMMAND) <= set(COMMANDS)
    assert EVERYWHERE.keys().isdisjoint(EVERYWHERE.values())


@pytest.mark.parametrize("verb", COMMANDS)
def test_settings_are_no_options_of_metrics(verb: str) -> None:
    command = COMMANDS[verb]
    taken = {
        name.replace("_", "-") for each in METRICS.loaded().values() for name in defaults(each)
    }
    if command.takes_metric_options():
        assert taken.isdisjoint(command.settings())
    for each in command.params:
        assert not isinstance(each, Setting) or (each.hidden and each.nargs == 1), each.opts


@pytest.mark.parametrize("verb", ["score", "compare", "analyze"])
def test_a_system_may_come_through_a_pipe(verb: str, tmp_path: Path) -> None:
    form = ["-m", "bleu,cder", "--format", "tsv", *(["--resamples", "20"] * (verb != "score"))]
    named = call(verb, JUDGED[0], "-i", f"stdin={JUDGED[1]}", *form).good()
    piped = Path(JUDGED[1])
    for more in ([], ["-i", "-"]):
        assert call(verb, JUDGED[0], *form, *more, stdin=piped).good().stdout == named.stdout
    into = call(verb, JUDGED[0], *form, "--output", tmp_path / "found", stdin=piped).good()
    assert (into.stdout, (tmp_path / "found").read_bytes()) == (b"", named.stdout)
    two = call(verb, JUDGED[0], "-i", *JUDGED[1:], *form).good()
    assert call(verb, "-i", JUDGED[1], "-i", JUDGED[2], *form, JUDGED[0]).good() == two
    call(verb, *form, "-i", *JUDGED[1:]).refused(2, "no REFERENCE: -i takes all names that follow")
    call(verb, JUDGED[0], stdin=Path(os.devnull)).refused(2, "-i FILE", "pipe it into")
    both = call(verb, "-", "-i", "-", stdin=piped)
    both.refused(2, 'only one input can be standard input ("-")')


def test_a_process_takes_what_is_piped_into_it() -> None:
    form = ["score", JUDGED[0], "-m", "bleu,cder", "--format", "tsv"]
    found = process(*form, stdin=Path(JUDGED[1]).read_bytes()).good()
    assert found.stdout == call(*form, "-i", f"stdin={JUDGED[1]}").good().stdout
    with open(os.devnull, "rb") as nothing:
        alone = subprocess.run([PROGRAM, *form], stdin=nothing, capture_output=True, check=False)
    assert alone.returncode == 2
    assert b"pipe it into" in alone.stderr


OUTPUTS = [
    ["score", REFERENCE, "-i", *SYSTEMS[:2]],
    ["compare", REFERENCE, "-i", *SYSTEMS[:2], "--resamples", "20"],
    ["analyze", *JUDGED[:1], "-i", *JUDGED[1:], "--resamples", "20"],
    ["correlate", str(sample_path("judged.toml", "judged")), "-m", "per", "--resamples", "20"],
    ["tree", "2 1 3"],
    ["path", "a b", "b a"],
    ["list", "aligners"],
    ["rules", "list"],
]


@pytest.mark.parametrize("command", OUTPUTS, ids=lambda command: command[0])
@pytest.mark.parametrize("form", ["text", "json", "latex"])
def test_a_result_goes_to_a_file(command: list[str], form: str, tmp_path: Path) -> None:
    printed = call(*command, "--format", form).good()
    path = tmp_path / "result.gz"
    written = call(*command, "--format", form, "-o", path).good()
    assert (written.stdout, written.stderr) == (b"", printed.stderr)
    assert gzip.decompress(path.read_bytes()) == printed.stdout != b""
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("verb", ["score", "list"])
def test_devices_and_pipes_are_written_as_they_are(verb: str, tmp_path: Path) -> None:
    command = next(each for each in OUTPUTS if each[0] == verb)
    expected = call(*command).good().stdout

    def run(command: list[Any]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, capture_output=True, check=False)

    for name, found in (("/dev/null", b""), ("/dev/stdout", expected)):
        done = run([PROGRAM, *command, "-o", name])
        assert (done.returncode, done.stdout) == (0, found), done.stderr
    done = run([PROGRAM, *command, "-q", "-o", "/dev/stderr"])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", expected)
    full = run([PROGRAM, *command, "-q", "-o", "/dev/full"])
    assert full.returncode == 1
    assert b"/dev/full: cannot be written: No space left" in full.stderr
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([PROGRAM, *command, "-o", pipe], stderr=subprocess.DEVNULL) as running:
        assert pipe.read_bytes() == expected
    assert running.returncode == 0
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_every_verb_that_prints_a_form_writes_files_too() -> None:
    for verb, command in COMMANDS.items():
        names = {name for each in command.params for name in each.opts}
        if "--format" in names and isinstance(command, click.Command):
            assert "--output" in names, verb
