"""The program as a whole: start, help, statuses, where its output goes."""

import contextlib
import io
import os
import re
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import pytest
from tests.cli.running import (
    ALIGNMENTS,
    PROGRAM,
    REFERENCE,
    SOURCE,
    SYSTEMS,
    TARGET,
    TREES,
    call,
    call_into,
    process,
    python,
    write,
)

import wordorder
from wordorder.cli.program import COMMAND_SUMMARIES
from wordorder.kernels import compiled

# One call of each verb, and of what click prints itself.
CALLS: dict[str, list[str]] = {
    "help": ["--help"],
    "version": ["--version"],
    "verb's help": ["score", "--help"],
    "list": ["list"],
    "demo": ["demo"],
    "reference": ["reference", ALIGNMENTS, "--source", SOURCE],
    "check": ["reference", ALIGNMENTS, "--source", SOURCE, "--check"],
    "score": ["score", REFERENCE, "-i", *SYSTEMS],
    "score as json": ["score", REFERENCE, "-i", *SYSTEMS, "--format", "json"],
    "compare": ["compare", REFERENCE, "-i", *SYSTEMS, "-m", "frs", "--resamples", "50"],
    "score text": ["score", TARGET, "-i", SOURCE],
    "compare text": ["compare", TARGET, "-i", SOURCE, f"same={SOURCE}", "--resamples", "50"],
    "score alignments": ["score", ALIGNMENTS, "-i", ALIGNMENTS],
    "compat": ["score", ALIGNMENTS, "-i", "none", "--compat", "lader", "--source", SOURCE],
    "list aligners": ["list", "aligners"],
    "list rules": ["rules", "list"],
    "check rules": ["rules", "check", "R5"],
    "tree": ["tree", "2 4 1 3"],
    "path": ["path", "we met on friday", "on friday we met"],
    "reorder": ["reorder", TREES, "--rules", "R5"],
    "evaluate": ["evaluate", REFERENCE, "--trees", TREES, "--resamples", "50"],
    "analyze": ["analyze", REFERENCE, "--trees", TREES, "--rules", "R5", "--gold-trees", TREES],
    "explain": ["rules", "explain", "R5", "--trees", TREES],
}
EVERY = pytest.mark.parametrize("args", list(CALLS.values()), ids=list(CALLS))
# What the interpreter does with its streams at the start and at the end is shown by processes:
# what click prints, what is printed as a whole, and what is written row by row.
SOME = pytest.mark.parametrize("args", [CALLS["help"], CALLS["score as json"], CALLS["reorder"]])


def imported_after(code: str) -> set[str]:
    """Return the modules that are imported once `code` has run in a fresh interpreter."""
    show = f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"
    return set(python("-c", show).good().stderr.split())


def test_import_does_not_import_numpy() -> None:
    modules = imported_after("import wordorder")
    assert "numpy" not in modules
    found = {name for name in modules if name.startswith("wordorder")}
    assert found == {"wordorder", "wordorder._version"}


@pytest.mark.parametrize("verb", ["", "score", "compare", "reference", "list", "rate"])
def test_help_imports_neither_numpy_nor_the_other_verbs(verb: str) -> None:
    args = ["wordorder", *verb.split(), "--help"]
    modules = imported_after(f"sys.argv = {args}\nfrom wordorder.cli.program import run\nrun()")
    assert "click" in modules
    assert not {"numpy", "pydyf", "matplotlib", "starlette", "uvicorn", "sqlite3"} & modules
    assert verb or not modules & {f"wordorder.cli.{verb}" for verb in COMMAND_SUMMARIES}


def test_at_most_24_names_are_public() -> None:
    assert len(wordorder.__all__) <= 24
    assert sorted(dir(wordorder)) == sorted(wordorder.__all__)
    for name in wordorder.__all__:
        assert getattr(wordorder, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = getattr(wordorder, "nothing")  # noqa: B009


def test_version_says_how_the_kernels_run() -> None:
    how = "compiled" if compiled() else "interpreted"
    text = process("--version").good().text
    assert text.startswith(f"wordorder {version('wordorder')}, kernels {how}")
    interpreted = process("--version", environment={"WORDORDER_KERNELS": "interpreted"}).good().text
    assert "kernels interpreted" in interpreted


def test_python_runs_the_package() -> None:
    found = python("-m", "wordorder", "rules", "list").good()
    assert found.stdout == process("rules", "list").stdout
    done = python("-m", "wordorder", "rules", "lst")
    assert done.status == 2
    assert done.stderr.startswith("wordorder: error: ")


def test_help_lists_all_verbs_and_each_has_a_help() -> None:
    shown = call("--help").good().text
    folder = Path(wordorder.__file__).parent / "cli"
    verbs = set()
    for path in (*folder.glob("*.py"), *folder.glob("*/__init__.py")):
        # Beside others in a file, a verb has its name before that of the function.
        for beside in re.findall(r"^def (?:(\w+)_)?command\(", path.read_text(), re.M):
            verbs.add(beside or (path.parent.name if path.stem == "__init__" else path.stem))
    # Functions that declare, import and run commands.
    verbs -= {"named", "import", "_import", "_run"}
    assert set(COMMAND_SUMMARIES) == verbs
    for verb, summary in COMMAND_SUMMARIES.items():
        assert f"  {verb} " in shown
        assert summary.endswith(".")
        text = call(verb, "--help").good().text
        usage, *parts = text.split("\n\n")
        description = next(part for part in parts if not part.startswith("Example:"))
        assert usage.startswith(f"Usage: wordorder {verb} [OPTIONS]")
        assert description.strip().endswith(".")
        options = text.partition("\nOptions:\n")[2].splitlines()
        # An option and its help stand on one line, or the help on the next.
        for line, following in pairwise([*options, ""]):
            if line.startswith("  -"):
                assert "  " in line.strip() or following.startswith("     "), line
        assert text == call(verb, "-h").text
    assert call("-h").text == shown


def test_without_a_verb_help_is_shown_as_an_error() -> None:
    answer = call()
    assert (answer.status, answer.stdout) == (2, b"")
    assert answer.stderr.startswith("Usage: wordorder [OPTIONS] COMMAND [ARGS]...\n")
    assert "\nScore and compare:\n  score " in answer.stderr
    answer = call("train")
    assert (answer.status, answer.stdout) == (2, b"")
    assert "\nCommands:\n  order " in answer.stderr


def test_wrong_commands_as_processes() -> None:
    process("scor").refused(2, "did you mean 'score'?")
    process("score").refused(2, "Missing argument")


def told_of_a_full_disk(status: int, said: str) -> None:
    message = said.splitlines()[-1]
    assert status == 1
    assert message.startswith("wordorder: error: ")
    assert message.endswith("cannot be written: No space left on device")
    assert "Traceback" not in said
    assert "Exception" not in said


def gone_in_silence(status: int, said: str) -> None:
    assert status == 141
    # The summary of reference orders and notes are all that may stand there.
    assert not [
        line for line in said.splitlines() if "sentences" not in line and ": note: " not in line
    ]


def outlet(where: str) -> io.TextIOWrapper:
    """Open a full disk, or a pipe that nobody reads."""
    if where == "full":
        return open("/dev/full", "w")
    reading, writing = os.pipe()
    os.close(reading)
    return open(writing, "w")


OUTLETS = pytest.mark.parametrize(
    ("where", "right"), [("full", told_of_a_full_disk), ("gone", gone_in_silence)]
)


@EVERY
@OUTLETS
def test_where_nothing_can_be_written(
    args: list[str], where: str, right: Callable[[int, str], None]
) -> None:
    out, err = outlet(where), io.TextIOWrapper(io.BytesIO())
    status = call_into(out, err, *args)
    err.seek(0)
    right(status, err.read())
    # What could not be written is tried again.
    with contextlib.suppress(OSError):
        out.close()


@EVERY
def test_without_standard_streams(args: list[str]) -> None:
    out, err = (io.TextIOWrapper(io.BytesIO()) for _ in range(2))
    assert call_into(None, err, *args) == 2
    err.seek(0)
    said = [line for line in err.read().splitlines() if not line.startswith("wordorder: note: ")]
    assert said == ["wordorder: error: standard output is closed"]
    assert call_into(out, None, *args) == 0
    assert out.tell() > 0


def test_standard_output_may_be_closed_where_results_go_into_files(tmp_path: Path) -> None:
    links, err = tmp_path / "links.align", io.TextIOWrapper(io.BytesIO())
    assert call_into(None, err, "align", SOURCE, TARGET, "-o", str(links)) == 0
    assert links.read_bytes() == call("align", SOURCE, TARGET).good().stdout
    shut = ["sh", "-c", '"$@" >&-', "sh", str(PROGRAM), "compare", REFERENCE, "-i", *SYSTEMS]
    done = subprocess.run([*shut, "-o", tmp_path / "x.txt"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = call("compare", REFERENCE, "-i", *SYSTEMS).good().text
    assert (tmp_path / "x.txt").read_text() == expected


@SOME
@OUTLETS
def test_processes_that_cannot_write(
    args: list[str], where: str, right: Callable[[int, str], None]
) -> None:
    with outlet(where) as out:
        done = subprocess.run([PROGRAM, *args], stdout=out, stderr=subprocess.PIPE, check=False)
    right(done.returncode, done.stderr.decode())


@SOME
def test_processes_without_standard_streams(args: list[str]) -> None:
    shut = ["sh", "-c", '"$@" >&-', "sh", str(PROGRAM), *args]
    done = subprocess.run(shut, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr == b"wordorder: error: standard output is closed\n"
    shut[2] = '"$@" 2>&-'
    assert subprocess.run(shut, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        "parse en TEXT",
        "tag en TEXT",
        "reorder TEXT --rules R5",
        "reorder TEXT --by ORDERS",
        "score ORDERS -i ORDERS -m frs --segments --format tsv",
    ],
)
def test_who_takes_three_lines_need_not_wait_for_all(command: str, tmp_path: Path) -> None:
    """Nor is anything said of the others. To parse all 100,000 takes 40 seconds of CPU."""
    files = {name: tmp_path / f"long.{name.lower()}" for name in ("TEXT", "ORDERS")}
    for path, sample in zip(files.values(), (SOURCE, SYSTEMS[2]), strict=True):
        path.write_bytes(Path(sample).read_bytes() * 1400)
    args = [files.get(word, word) for word in command.split()]
    before = os.times()
    # Unbuffered, Python itself takes a part that was written for all.
    with subprocess.Popen(
        [PROGRAM, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert all(running.stdout.readline() for _ in range(3))
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 141
    after = os.times()
    taken = after.children_user + after.children_system
    assert taken - before.children_user - before.children_system < 3


def test_closed_standard_input() -> None:
    shut = ["sh", "-c", '"$@" <&-', "sh", str(PROGRAM), "tree", "-"]
    done = subprocess.run(shut, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"standard input is closed" in done.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "cp932:strict"},
        {"PYTHONUTF8": "1"},
    ],
)
def test_output_is_utf_8_in_any_locale(environment: dict[str, str]) -> None:
    drawn = process("tree", "2 4 1 3", environment=environment).good()
    assert drawn.stdout == call("tree", "2 4 1 3").stdout
    assert "⟨2,4,1,3⟩" in drawn.text
    form = ["score", REFERENCE, "-i", f"語順={SYSTEMS[0]}", "-m", "frs", "--format"]
    assert isinstance(process(*form, "json", environment=environment).good().json, dict)


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\x1b[31m\n.orders"
    Path(os.fsdecode(path)).write_bytes(Path(SYSTEMS[0]).read_bytes())
    form = ["score", REFERENCE, "-i", os.fsdecode(path), "-m", "frs", "--format"]
    for kind in ("text", "tsv", "json"):
        answer = process(*form, kind).good()
        assert b"\x1b" not in answer.stdout
        assert "frs" in answer.text
    missing = process("score", REFERENCE, "-i", os.fsdecode(path + b"x")).refused(1, "No such file")
    assert missing.stderr.count("\n") == 1
    assert "\x1b" not in missing.stderr


def test_escapes_in_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    system = write(tmp_path, "e\x1b[2Jvil.orders", "0 2\n")
    reference = write(tmp_path, "r.orders", "0 1\n")
    answer = call("score", reference, "-i", system).good()
    assert "left out 2 words" in answer.stderr
    assert "\x1b" not in answer.stderr


def test_an_internal_error_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **more: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.delenv("WORDORDER_DEBUG", raising=False)
    monkeypatch.setattr("wordorder.order.permutation_text.read_permutations", broken)
    answer = call("tree", "1 2")
    assert answer.status == 1
    assert answer.stderr.startswith("wordorder: internal error: ZeroDivisionError: a bug (")
    assert answer.stderr.count("\n") == 1
    monkeypatch.setenv("WORDORDER_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        call("tree", "1 2")
