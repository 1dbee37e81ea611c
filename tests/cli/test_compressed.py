"""Compressed files through the verbs: whole, cut, joined, and far larger than they look."""

import bz2
import gzip
import lzma
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, PROGRAM, REFERENCE, SOURCE, SYSTEMS, TARGET, call, write

from wordorder.text.opening import compressor


def zstd(data: bytes) -> bytes:
    stream = BytesIO()
    with compressor(stream, "zstd") as out:
        out.write(data)
    return stream.getvalue()


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstd,
}
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


@SUFFIX
def test_every_input_and_output_may_be_compressed(tmp_path: Path, suffix: str) -> None:
    alignments, source = (packed(tmp_path, path, suffix) for path in (ALIGNMENTS, SOURCE))
    out = str(tmp_path / f"made.orders{suffix}")
    call("reference", alignments, "--source", source, "-o", out).good()
    assert Path(out).read_bytes()[:2] != Path(REFERENCE).read_bytes()[:2]
    system = packed(tmp_path, SYSTEMS[2], suffix)
    expected = call("score", REFERENCE, "-i", SYSTEMS[2], "-m", "all").good()
    assert call("score", out, "-i", system, "-m", "all").good().stdout == expected.stdout
    given = Path(out).read_bytes()
    answer = call("score", "-", "-i", SYSTEMS[2], "-m", "all", stdin=given).good()
    assert answer.stdout == expected.stdout
    path = write(tmp_path, f"p{suffix}", PACK[suffix](b"2 4 1 3\n"))
    assert "⟨2,4,1,3⟩" in call("tree", path).good().text


@SUFFIX
def test_translations_and_alignments_may_be_compressed(tmp_path: Path, suffix: str) -> None:
    target, source, alignments = (
        packed(tmp_path, path, suffix) for path in (TARGET, SOURCE, ALIGNMENTS)
    )
    form = ["-m", "cder,nist,lrscore,unaligned", "--format", "json"]
    plain = call(
        *("score", TARGET, "-i", f"x={TARGET}", "-r", TARGET, *form, "--source", SOURCE),
        *("--hypothesis-alignments", ALIGNMENTS),
        *("--reference-alignments", ALIGNMENTS, ALIGNMENTS),
    ).good()
    answer = call(
        *("score", target, "-i", f"x={target}", "-r", target, *form, "--source", source),
        *("--hypothesis-alignments", alignments),
        *("--reference-alignments", alignments, alignments),
    ).good()
    assert answer.stdout == plain.stdout
    judged = call("score", alignments, "-i", alignments).good()
    assert judged.stdout == call("score", ALIGNMENTS, "-i", ALIGNMENTS).good().stdout
    compat = ["-i", "none", "--compat", "lader", "--source"]
    other = call("score", alignments, *compat, source).good()
    assert other.stdout == call("score", ALIGNMENTS, *compat, SOURCE).good().stdout


@SUFFIX
def test_a_cut_translation_is_never_scored(tmp_path: Path, suffix: str) -> None:
    aligned = ["--source", SOURCE, "--hypothesis-alignments"]
    for path, place in (
        (TARGET, ["CUT", "-i", TARGET, "-m", "cder"]),
        (TARGET, ["CUT", "-i", TARGET, "-m", "nist"]),
        (TARGET, [TARGET, "-i", "CUT", "-m", "bleu"]),
        (TARGET, [TARGET, "-r", "CUT", "-i", TARGET, "-m", "wer"]),
        (ALIGNMENTS, ["CUT", "-i", ALIGNMENTS, "-m", "aer"]),
        (ALIGNMENTS, [TARGET, "-i", TARGET, "-m", "unaligned", *aligned, "CUT"]),
        (ALIGNMENTS, ["CUT", "-i", "none", "--compat", "lader", "--source", SOURCE]),
    ):
        full = PACK[suffix](Path(path).read_bytes())
        for sixteenth in range(16):
            cut = write(tmp_path, f"cut{suffix}", full[: len(full) * sixteenth // 16])
            args = [cut if arg == "CUT" else arg for arg in place]
            call("score", *args).refused(1, f"{cut}:")


@SUFFIX
def test_joined_translations_give_all_lines(tmp_path: Path, suffix: str) -> None:
    target, source = (Path(path).read_bytes() for path in (TARGET, SOURCE))
    twice = write(tmp_path, f"twice{suffix}", PACK[suffix](target) * 2)
    other = write(tmp_path, f"other{suffix}", PACK[suffix](source) * 2)
    form = ["-m", "cder", "--format", "json"]
    found = call("score", twice, "-i", other, *form).good().json
    once = call("score", TARGET, "-i", SOURCE, *form).good().json
    assert found["segments"] == 144
    assert found["systems"][0]["scores"][0]["value"] == once["systems"][0]["scores"][0]["value"]


@SUFFIX
def test_a_cut_file_is_never_scored(tmp_path: Path, suffix: str) -> None:
    data = Path(REFERENCE).read_bytes() * 20
    whole = write(tmp_path, "whole.orders", data)
    full = PACK[suffix](data)
    for sixteenth in range(16):
        cut = write(tmp_path, f"cut.orders{suffix}", full[: len(full) * sixteenth // 16])
        for place in ([cut, "-i", whole], [whole, "-i", cut]):
            call("score", *place, "-m", "frs").refused(1, f"{cut}:")
        given = Path(cut).read_bytes()
        if given:
            call("score", "-", "-i", whole, "-m", "frs", stdin=given).refused(1, "<stdin>:")


@SUFFIX
def test_a_cut_file_makes_no_reference(tmp_path: Path, suffix: str) -> None:
    full = PACK[suffix](Path(ALIGNMENTS).read_bytes())
    out = tmp_path / "out.orders"
    for sixteenth in range(16):
        cut = write(tmp_path, f"cut{suffix}", full[: len(full) * sixteenth // 16])
        call("reference", cut, "--source", SOURCE, "-o", out).refused(1, f"{cut}:")
        assert [path.name for path in tmp_path.iterdir()] == [f"cut{suffix}"]


@SUFFIX
def test_joined_files_give_all_lines(tmp_path: Path, suffix: str) -> None:
    data = Path(REFERENCE).read_bytes()
    twice = write(tmp_path, f"twice.orders{suffix}", PACK[suffix](data) * 2)
    other = write(tmp_path, "other.orders", Path(SYSTEMS[2]).read_bytes() * 2)
    form = ["-m", "frs", "--format", "json"]
    found = call("score", twice, "-i", other, *form).good().json
    once = call("score", REFERENCE, "-i", SYSTEMS[2], *form).good().json
    assert found["segments"] == 144
    assert found["systems"][0]["scores"][0]["value"] == once["systems"][0]["scores"][0]["value"]
    alignments = write(tmp_path, f"a{suffix}", PACK[suffix](Path(ALIGNMENTS).read_bytes()) * 2)
    source = write(tmp_path, f"s{suffix}", PACK[suffix](Path(SOURCE).read_bytes()) * 2)
    assert call("reference", alignments, "--source", source).good().stdout == data * 2


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


@pytest.mark.slow
def test_memory_does_not_grow_with_the_lines(tmp_path: Path) -> None:
    """Both are longer than what is read at a time, so that one sees growth and not the start."""
    line = " ".join(map(str, [24, *range(24)])) + "\n"
    peaks = []
    for lines in (80_000, 640_000):
        path = write(tmp_path, f"{lines}.orders", line * lines)
        status, memory, message = measured("score", path, "-i", path, "-m", "frs,kendall")
        assert (status, message) == (0, "")
        peaks.append(memory)
    # The longer file alone is 36 MB longer, and its numbers are 56 MB.
    assert peaks[1] - peaks[0] < 30


@pytest.mark.slow
def test_memory_does_not_grow_with_the_translations(tmp_path: Path) -> None:
    peaks = []
    for lines in (80_000, 400_000):
        reference = write(tmp_path, f"{lines}.r", "the cat sat on the mat and slept\n" * lines)
        system = write(tmp_path, f"{lines}.s", "on the mat the cat sat and slept\n" * lines)
        status, memory, message = measured("score", reference, "-i", system, "-m", "cder,wer,per")
        assert (status, message) == (0, "")
        peaks.append(memory)
    # The longer files alone are 21 MB longer, and the numbers of their words are 20 MB.
    assert peaks[1] - peaks[0] < 25
