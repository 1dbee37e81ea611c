"""Interrupts, kills and outputs that cannot be written: quick, quiet, and nothing half done."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.running import (
    ALIGNMENTS,
    PROGRAM,
    REFERENCE,
    SOURCE,
    SYSTEMS,
    TARGET,
    call,
    interrupt,
    ready,
    write,
)

pytestmark = pytest.mark.slow
# Enough bytes that the kind of the input is known and the verb waits for lines.
WAITING = b"0 1\n" * 10


def started(args: list[str], folder: Path, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [PROGRAM, *args],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
    )


def interrupted(running: subprocess.Popen[bytes], folder: Path, after: float) -> None:
    """Interrupt a process some seconds after it can hear it; nothing may be left behind."""
    ready(running)
    time.sleep(after)
    interrupt(running)
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "args",
    [
        ["score", "-", "-i", REFERENCE],
        ["score", REFERENCE, "-i", "-", SYSTEMS[0]],
        ["score", REFERENCE, "-i", "-", SYSTEMS[0], "--threads", "1"],
        ["score", REFERENCE, "-i", "-", "--source", SOURCE],
        ["score", REFERENCE, "-i", SOURCE, "--source", "-"],
        ["compare", REFERENCE, "-i", "-", SYSTEMS[0]],
        ["reference", "-", "--source", SOURCE, "-o", "out.orders"],
        ["reference", ALIGNMENTS, "--source", "-", "-o", "out.orders.gz"],
        ["reference", "-", "--source", SOURCE, "--check"],
        ["tree", "-", "--svg", "out.svg"],
        ["score", "-", "-i", SOURCE, "-m", "cder,bleu"],
        ["score", TARGET, "-i", SOURCE, "-", "-m", "ter"],
        ["score", TARGET, "-i", SOURCE, "-r", "-", "-m", "frs", "--aligner", "exact"],
        ["score", TARGET, "-i", "-", "-m", "nist"],
        ["score", ALIGNMENTS, "-i", "none", "--compat", "lader", "--source", "-"],
    ],
    ids=" ".join,
)
def test_an_interrupt_while_input_is_awaited(tmp_path: Path, args: list[str]) -> None:
    running = started(args, tmp_path)
    assert running.stdin is not None
    running.stdin.write(WAITING)
    running.stdin.flush()
    interrupted(running, tmp_path, 0.5)


@pytest.mark.parametrize(
    "args",
    [
        ["compare", REFERENCE, "-i", *SYSTEMS, "--resamples", "3000000"],
        ["compare", REFERENCE, "-i", *SYSTEMS, "--resamples", "3000000", "--test", "randomization"],
        ["score", REFERENCE, "-i", *SYSTEMS, "--resamples", "9000000", "--confidence"],
    ],
    ids=lambda args: f"{args[0]} {args[-1]}",
)
def test_an_interrupt_while_resampling(tmp_path: Path, args: list[str]) -> None:
    running = started(args, tmp_path, subprocess.DEVNULL)
    interrupted(running, tmp_path, 0.8)


def test_an_interrupt_while_scoring(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    row = list(range(2000))
    random.Random(1).shuffle(row)
    path = write(tmp_path, "long.orders", (" ".join(map(str, row)) + "\n") * 4000)
    running = started(["score", path, "-i", path, "-m", "all"], folder, subprocess.DEVNULL)
    interrupted(running, folder, 1.2)


@pytest.mark.parametrize("metric", ["ter,cder", "frs,meteor", "long-jump"])
def test_an_interrupt_while_scoring_translations(tmp_path: Path, metric: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    rng = random.Random(2)
    rows = [" ".join(rng.choices("abcdefghijklmnopqrst", k=60)) + "\n" for _ in range(60_000)]
    reference = write(tmp_path, "reference", "".join(rows))
    system = write(tmp_path, "system", "".join(rows[1:] + rows[:1]))
    form = ["score", reference, "-i", system, "-m", metric]
    if metric.startswith("frs"):
        form += ["--aligner", "exact+stem"]
    running = started(form, folder, subprocess.DEVNULL)
    interrupted(running, folder, 1.2)


@pytest.mark.parametrize("how", ["raised", "dropped"])
@pytest.mark.parametrize("moment", [1, 3, 10, 30, 70, 150, 250, 400])
def test_an_interrupt_at_any_moment_of_the_demo(tmp_path: Path, moment: int, how: str) -> None:
    """It comes within an import, where even libraries drop it; the program still hears it."""
    program = Path(__file__).with_name("interrupting.py")
    done = subprocess.run(
        [sys.executable, program, str(moment), how, "demo"],
        capture_output=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 130
    assert done.stderr.strip() == b"wordorder: interrupted"
    assert not list(tmp_path.iterdir())


def test_a_program_in_the_background_ignores_interrupts(tmp_path: Path) -> None:
    program = Path(__file__).with_name("interrupting.py")
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, str(program)]
    done = subprocess.run([*ignoring, "5", "raised", "list", "metrics"], check=False, cwd=tmp_path)
    assert done.returncode == 0


@pytest.fixture(scope="module")
def long_alignments(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("long")
    alignments = write(folder, "a.talbot", Path(ALIGNMENTS).read_bytes() * 1500)
    return alignments, write(folder, "s.txt", Path(SOURCE).read_bytes() * 1500)


@pytest.mark.parametrize("delay", [0.10, 0.15, 0.2, 0.25, 0.3])
def test_a_kill_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, long_alignments: tuple[str, str], delay: float
) -> None:
    out = tmp_path / "out.orders"
    out.write_bytes(b"old\n")
    args = ["reference", long_alignments[0], "--source", long_alignments[1], "-o", str(out)]
    running = started(args, tmp_path, subprocess.DEVNULL)
    time.sleep(delay)
    running.kill()
    running.communicate()
    content = out.read_bytes()
    assert content in (b"old\n", Path(REFERENCE).read_bytes() * 1500)


def test_an_interrupt_while_writing_leaves_the_old_file(
    tmp_path: Path, long_alignments: tuple[str, str]
) -> None:
    """Input that stops in the middle holds the verb where it has begun to write."""
    out = tmp_path / "out.orders"
    out.write_bytes(b"old\n")
    args = ["reference", "-", "--source", long_alignments[1], "-o", str(out)]
    running = started(args, tmp_path)
    assert running.stdin is not None
    running.stdin.write(Path(long_alignments[0]).read_bytes()[:3_000_000])
    running.stdin.flush()
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) == 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(list(tmp_path.iterdir())) == 2
    time.sleep(0.3)
    interrupt(running)
    assert out.read_bytes() == b"old\n"
    assert list(tmp_path.iterdir()) == [out]


def outputs(path: str) -> list[list[str]]:
    return [
        ["reference", ALIGNMENTS, "--source", SOURCE, "-o", path],
        ["tree", "2 4 1 3", "--svg", path],
        ["path", "a b", "b a", "--svg", path],
    ]


def test_a_full_device() -> None:
    for args in outputs("/dev/full"):
        call(*args).refused(1, "/dev/full: cannot be written: No space left on device")


def test_a_limit_on_the_size_of_files(tmp_path: Path, long_alignments: tuple[str, str]) -> None:
    """The disk that is full in the middle: the old file stays, and no other."""
    out = tmp_path / "out.orders"
    out.write_bytes(b"old\n")
    args = ["reference", long_alignments[0], "--source", long_alignments[1], "-o", str(out)]
    limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 1000; "$@"', "sh", str(PROGRAM), *args]
    done = subprocess.run(limited, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"wordorder: error: {out}: cannot be written: ".encode())
    assert done.stderr.count(b"\n") == 1
    assert out.read_bytes() == b"old\n"
    assert list(tmp_path.iterdir()) == [out]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    places = {
        tmp_path / "missing" / "out": "No such file or directory",
        tmp_path: "Is a directory",
        tmp_path / "file" / "out": "Not a directory",
        Path("/proc/out"): "",
    }
    for place, why in places.items():
        for args in outputs(str(place)):
            call(*args).refused(2, f"{place}: cannot be created: {why}")
    for args in outputs(""):
        call(*args).refused(2, "'': cannot be created")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_and_a_file_that_are_read_only(tmp_path: Path) -> None:
    """As an ordinary user, if the tests run as one who may write everywhere."""
    folder = tmp_path / "folder"
    folder.mkdir()
    out = folder / "out.orders"
    out.write_bytes(b"old\n")
    out.chmod(0o444)
    for mode in (0o755, 0o555):
        folder.chmod(mode)
        folder.parent.chmod(0o755)
        for args in outputs(str(out)):
            command = [str(PROGRAM), *args]
            done = subprocess.run(
                ["env", "-C", "/", *command] if os.getuid() else _as_nobody(command),
                capture_output=True,
                check=False,
            )
            assert done.returncode == 2, done.stderr
            assert b"cannot be " in done.stderr
            assert b"Traceback" not in done.stderr
    folder.chmod(0o755)
    assert out.read_bytes() == b"old\n"
    assert list(folder.iterdir()) == [out]


def _as_nobody(command: list[str]) -> list[str]:
    """Wrap a command so that it runs without the rights that pass over file modes."""
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--", *command]
