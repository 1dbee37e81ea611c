"""Settings are given by -O; systems may come through pipes; results go to files."""

import gzip
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from tests.cli.running import ALIGNMENTS, PROGRAM, REFERENCE, SOURCE, SYSTEMS, call, process
from tests.cli.test_help import COMMANDS

from wordorder.cli.command import Setting
from wordorder.metrics import METRICS
from wordorder.metrics.contract import default_options
from wordorder.samples import sample_path

JUDGED = [str(sample_path(f"{name}.en", "judged")) for name in ("reference", "alder", "birch")]
MADE = ["reference", ALIGNMENTS, "--source", SOURCE]


@pytest.mark.parametrize("setting", ["links=sure", "strict", "strict=yes"])
@pytest.mark.parametrize("option", ["-O", "--option=", ""])
def test_settings_are_given_by_o(option: str, setting: str) -> None:
    given = [option, setting] if option == "-O" else [f"{option or '-O'}{setting}"]
    assert call(*MADE, *given).good().stdout == call(*MADE, "-O", setting).good().stdout != b""
    name = setting.partition("=")[0]
    call(*MADE, f"--{setting}").refused(2, f"No such option '--{name}' (did you mean -O {name}?)")


def test_a_sentence_by_its_name(tmp_path: Path) -> None:
    trees = tmp_path / "trees.conllu"
    rows = "1\tshe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n"
    rows += "2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
    trees.write_text(f"# sent_id = 7\n{rows}# sent_id = b\n{rows.replace('she', 'he')}")
    form = ["rules", "explain", "R5", "--trees", str(trees)]
    named, second = (call(*form, "--sentence", each).good() for each in ("sent_id=b", "2"))
    assert named.stdout == second.stdout
    assert call(*form, "--sentence", "sent_id=7").good().stdout == call(*form).good().stdout
    call("rules", "explain", "R5", "--sentence", "2").refused(2, "--text TEXT or --trees FILE")


@pytest.mark.parametrize("verb", COMMANDS)
def test_settings_are_no_options_of_metrics(verb: str) -> None:
    command = COMMANDS[verb]
    taken = {
        name.replace("_", "-")
        for each in METRICS.loaded().values()
        for name in default_options(each)
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
