"""Files that are piped in or compressed: whole, cut, joined, and far larger than they look."""

import gzip
import subprocess
import sys
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
    write,
)
from tests.text.test_compression import COMPRESS as PACK, read_all

LINKS = "--hypothesis-alignments"
BOTH = f"--source {SOURCE} {LINKS} {ALIGNMENTS} --reference-alignments {ALIGNMENTS}"
SUFFIX = pytest.mark.parametrize("suffix", list(PACK))

# Runs a command and prints the largest memory that it took, in bytes.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(done.returncode)
"""


def measured(*args: str) -> tuple[int, int, str]:
    """Return status, peak memory in MB and standard error of the program."""
    # A fresh process each time: what others took is not in its count.
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(PROGRAM), *args],
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, int(done.stdout) >> 20, done.stderr.decode()


def packed(folder: Path, path: str, suffix: str) -> str:
    return write(folder, Path(path).name + suffix, PACK[suffix](Path(path).read_bytes()))


# The name of a file that may be standard input in its place is that of standard input.
COMMANDS = f"""
score {REFERENCE} -i stdin={SYSTEMS[2]} -m all
score {TARGET} -r {SOURCE} -i stdin={TARGET}
score {TARGET} -r {SOURCE} -i stdin={SOURCE} -m cder,lrscore --aligner exact
score {TARGET} -i stdin={TARGET} -m cder,unaligned --source {SOURCE} {LINKS} {ALIGNMENTS}
score {TARGET} -i stdin={TARGET} -m lrscore {BOTH}
score {ALIGNMENTS} -i stdin={ALIGNMENTS}
score {ALIGNMENTS} -i none --compat lader --source {SOURCE}
score {TREES} -i stdin={TREES}
compare {REFERENCE} -i stdin={SYSTEMS[2]} --resamples 20 -m frs
analyze {TARGET} -i stdin={SOURCE} --resamples 20 --language other --input text
evaluate {REFERENCE} --trees stdin={TREES} --rules R4 --resamples 60
reference {ALIGNMENTS} --source {SOURCE}
path {SOURCE} {TARGET} --sentence 1
tree {SYSTEMS[2]} --format tsv
align {SOURCE} {TARGET}
parse en {SOURCE}
tag en {TREES}
reorder {SOURCE} --by {SYSTEMS[2]}
reorder {TREES} --rules R5 --alignments {ALIGNMENTS} --to alignment
rules explain R5 --trees {TREES} --sentence 2
""".strip().splitlines()
COMMAND = pytest.mark.parametrize("command", [*map(str.split, COMMANDS)], ids=lambda row: row[0])


def files_of(command: list[str]) -> dict[int, Path]:
    """Return the files of a command by their places."""
    paths = {place: Path(word.rpartition("=")[2]) for place, word in enumerate(command)}
    return {place: path for place, path in paths.items() if path.is_file()}


@COMMAND
def test_each_file_may_be_standard_input(command: list[str]) -> None:
    expected = call(*command).good().stdout
    for place, path in files_of(command).items():
        given = [*command[:place], "-", *command[place + 1 :]]
        assert call(*given, stdin=path.read_bytes()).good().stdout == expected, place


@SUFFIX
@COMMAND
def test_all_files_may_be_compressed(command: list[str], suffix: str, tmp_path: Path) -> None:
    expected = call(*command).good().stdout
    files = files_of(command)
    small = command[:]
    for place, path in files.items():
        small[place] = command[place].replace(str(path), packed(tmp_path, str(path), suffix))
    out = tmp_path / f"out{suffix}"
    assert call(*small, "-o", out).good().stdout == b""
    assert read_all(out) == expected != out.read_bytes()
    small[min(files)] = "-"
    given = PACK[suffix](files[min(files)].read_bytes())
    assert call(*small, stdin=given).good().stdout == expected
    assert len(list(tmp_path.iterdir())) == 1 + len(set(files.values()))


@SUFFIX
@pytest.mark.parametrize(
    ("path", "command"),
    [
        (REFERENCE, "score CUT -i WHOLE -m frs"),
        (REFERENCE, "score WHOLE -i CUT -m frs"),
        (REFERENCE, "score - -i WHOLE -m frs"),
        (TARGET, f"score CUT -i {TARGET} -m cder"),
        (TARGET, f"score CUT -i {TARGET} -m nist"),
        (TARGET, f"score {TARGET} -i CUT -m bleu"),
        (TARGET, f"score {TARGET} -r CUT -i {TARGET} -m wer"),
        (ALIGNMENTS, f"score CUT -i {ALIGNMENTS} -m aer"),
        (ALIGNMENTS, f"score {TARGET} -i x={TARGET} -m unaligned --source {SOURCE} {LINKS} CUT"),
        (ALIGNMENTS, f"score CUT -i none --compat lader --source {SOURCE}"),
        (ALIGNMENTS, f"reference CUT --source {SOURCE} -o OUT"),
    ],
)
def test_a_cut_file_is_never_taken_for_whole(
    tmp_path: Path, suffix: str, path: str, command: str
) -> None:
    data = Path(path).read_bytes() * (20 if path == REFERENCE else 1)
    whole, full = write(tmp_path, "whole.orders", data), PACK[suffix](data)
    for sixteenth in range(16):
        cut = write(tmp_path, f"cut{suffix}", full[: len(full) * sixteenth // 16])
        given = Path(cut).read_bytes() if " - " in command else b""
        if given or " - " not in command:
            names = {"CUT": cut, "WHOLE": whole, "OUT": str(tmp_path / "out.orders")}
            answer = call(*(names.get(word, word) for word in command.split()), stdin=given)
            answer.refused(1, "<stdin>:" if given else f"{cut}:")
    assert {each.name for each in tmp_path.iterdir()} == {f"cut{suffix}", "whole.orders"}


@SUFFIX
def test_joined_files_give_all_lines(tmp_path: Path, suffix: str) -> None:
    def twice(path: str) -> str:
        data = PACK[suffix](Path(path).read_bytes()) * 2
        return write(tmp_path, Path(path).name + suffix, data)

    for reference, system, metric in ((REFERENCE, SYSTEMS[2], "frs"), (TARGET, SOURCE, "cder")):
        form = ["-m", metric, "--format", "json"]
        found = call("score", twice(reference), "-i", twice(system), *form).good().json
        once = call("score", reference, "-i", system, *form).good().json
        assert found["segments"] == 144
        values = [each["systems"][0]["scores"][0]["value"] for each in (found, once)]
        assert values[0] == values[1]
    made = call("reference", twice(ALIGNMENTS), "--source", twice(SOURCE)).good()
    assert made.stdout == Path(REFERENCE).read_bytes() * 2


@SUFFIX
def test_a_name_that_does_not_fit_the_bytes(tmp_path: Path, suffix: str) -> None:
    data = Path(REFERENCE).read_bytes()
    plain = write(tmp_path, f"plain.orders{suffix}", data)
    call("score", plain, "-i", SYSTEMS[0]).refused(1, plain)
    hidden = write(tmp_path, "hidden.orders", PACK[suffix](data))
    call("score", hidden, "-i", SYSTEMS[0]).refused(1, hidden, f"a name in {suffix}")


@pytest.mark.slow
def test_a_bomb_of_lines_is_streamed(tmp_path: Path) -> None:
    bomb = write(tmp_path, "bomb.orders.gz", gzip.compress(b"\n" * (1 << 20)) * 60)
    assert Path(bomb).stat().st_size * 900 < 60 << 20
    status, memory, message = measured("score", REFERENCE, "-i", bomb)
    assert status == 1
    assert f"but {bomb} has {60 << 20}" in message
    assert memory < 150
    status, memory, message = measured("reference", ALIGNMENTS, "--source", bomb)
    assert status == 1
    assert memory < 150
    bomb = str(Path(bomb).rename(tmp_path / "bomb.txt.gz"))
    status, memory, message = measured("score", TARGET, "-i", bomb, "-m", "cder")
    assert status == 1
    assert f"but {bomb} has {60 << 20}" in message
    assert memory < 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ["score", "FILE", "-i", REFERENCE],
        ["score", REFERENCE, "-i", "FILE", "--source", SOURCE],
        ["reference", "FILE", "--source", SOURCE],
        ["reference", ALIGNMENTS, "--source", "FILE"],
        ["tree", "FILE"],
        ["score", "FILE", "-i", TARGET, "-m", "cder"],
        ["score", TARGET, "-i", "FILE", "-m", "bleu"],
        ["score", "FILE", "-i", ALIGNMENTS, "-m", "aer"],
    ],
)
def test_a_line_without_end_is_refused(tmp_path: Path, args: list[str]) -> None:
    bomb = write(tmp_path, "bomb.gz", gzip.compress(b"0 " * (1 << 20)) * 1000)
    status, memory, message = measured(*(bomb if arg == "FILE" else arg for arg in args))
    assert status == 1
    assert message.startswith(f"wordorder: error: {bomb}:1: a line of more than 67108864 bytes")
    assert memory < 500


ORDER = " ".join(map(str, [24, *range(24)]))
CAT, MAT = "the cat sat on the mat and slept", "on the mat the cat sat and slept"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "reference", "system", "metrics", "most", "megabytes"),
    [
        # The longer file alone is 36 MB longer, and its numbers are 56 MB.
        (".orders", ORDER, ORDER, "frs,kendall", 640_000, 30),
        # The longer files alone are 21 MB longer, and the numbers of their words are 20 MB.
        (".txt", CAT, MAT, "cder,wer,per", 400_000, 25),
    ],
)
def test_memory_does_not_grow_with_the_lines(
    suffix: str,
    reference: str,
    system: str,
    metrics: str,
    most: int,
    megabytes: int,
    tmp_path: Path,
) -> None:
    """Both are longer than what is read at a time, so that one sees growth and not the start."""
    peaks = []
    for lines in (80_000, most):
        files = [
            write(tmp_path, f"{lines}{name}{suffix}", f"{line}\n" * lines)
            for name, line in (("r", reference), ("s", system))
        ]
        status, memory, message = measured("score", files[0], "-i", files[1], "-m", metrics)
        assert (status, message) == (0, "")
        peaks.append(memory)
    assert peaks[1] - peaks[0] < megabytes
