"""Interrupts, kills and outputs that cannot be written: quick, quiet, and nothing half done."""

import os
import random
import signal
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


def started(args: list[str], folder: Path, given: bytes | None = None) -> subprocess.Popen[bytes]:
    """Start the program in a folder; what is given stays open, as if more were to come."""
    running = subprocess.Popen(
        [PROGRAM, *args],
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    if running.stdin is not None and given is not None:
        running.stdin.write(given)
        running.stdin.flush()
    return running


def interrupted(running: subprocess.Popen[bytes], folder: Path, after: float) -> None:
    """Interrupt a process some seconds after it can hear it; nothing may be left behind."""
    ready(running)
    time.sleep(after)
    interrupt(running)
    assert not list(folder.iterdir())


def begun(folder: Path, files: int) -> None:
    """Wait until a folder has so many files, of which one is being written."""
    deadline = time.monotonic() + 60
    while len(list(folder.iterdir())) < files and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(list(folder.iterdir())) == files


@pytest.mark.parametrize(
    "command",
    [
        f"score - -i {REFERENCE}",
        f"score {REFERENCE} -i - {SYSTEMS[0]}",
        f"score {REFERENCE} -i - {SYSTEMS[0]} --threads 1",
        f"score {REFERENCE} -i - --source {SOURCE}",
        f"score {REFERENCE} -i {SOURCE} --source -",
        f"compare {REFERENCE} -i - {SYSTEMS[0]}",
        f"reference - --source {SOURCE} -o out.orders",
        f"reference {ALIGNMENTS} --source - -o out.orders.gz",
        f"reference - --source {SOURCE} --check",
        "tree - --svg out.svg",
        f"score - -i {SOURCE} -m cder,bleu",
        f"score {TARGET} -i {SOURCE} - -m ter",
        f"score {TARGET} -i {SOURCE} -r - -m frs --aligner exact",
        f"score {TARGET} -i - -m nist",
        f"score {ALIGNMENTS} -i none --compat lader --source -",
        f"train translation {SOURCE} - -o m",
    ],
)
def test_an_interrupt_while_input_is_awaited(tmp_path: Path, command: str) -> None:
    interrupted(started(command.split(), tmp_path, WAITING), tmp_path, 0.5)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files that keep a command busy."""
    folder = tmp_path_factory.mktemp("long")
    rng = random.Random(1)
    row = " ".join(map(str, rng.sample(range(2000), 2000)))
    rows = [" ".join(rng.choices("abcdefghijklmnopqrst", k=60)) + "\n" for _ in range(60_000)]
    texts: dict[str, str | bytes] = {
        "long.orders": f"{row}\n" * 4000,
        "long.txt": "".join(rows),
        "turned.txt": "".join(rows[1:] + rows[:1]),
        "words.txt": ("a b c d e f g h " * 20 + "\n") * 400,
        "english.txt": Path(SOURCE).read_bytes() * 1500,
        "long.talbot": Path(ALIGNMENTS).read_bytes() * 1500,
    }
    return {name: write(folder, name, text) for name, text in texts.items()}


@pytest.mark.parametrize(
    ("command", "after"),
    [
        (f"compare {REFERENCE} -i {' '.join(SYSTEMS)} --resamples 3000000", 0.8),
        (
            f"compare {REFERENCE} -i {' '.join(SYSTEMS)} --resamples 3000000 --test randomization",
            0.8,
        ),
        (f"score {REFERENCE} -i {' '.join(SYSTEMS)} --resamples 9000000 --confidence", 0.8),
        ("score long.orders -i long.orders -m all", 1.2),
        ("score long.txt -i turned.txt -m ter,cder", 1.2),
        ("score long.txt -i turned.txt -m frs,meteor --aligner exact+stem", 1.2),
        ("score long.txt -i turned.txt -m long-jump", 1.2),
        ("align words.txt words.txt -O iterations=100000 -o out", 0.5),
    ],
)
def test_an_interrupt_while_working(
    tmp_path: Path, command: str, after: float, long: dict[str, str]
) -> None:
    args = [long.get(word, word) for word in command.split()]
    interrupted(started(args, tmp_path), tmp_path, after)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("given", ["-", "english.txt"])
def test_an_interrupt_while_sentences_are_written(
    number: int, given: str, long: dict[str, str], tmp_path: Path
) -> None:
    args = ["parse", "en", long.get(given, given), "-o", "out.conllu"]
    running = started(args, tmp_path, WAITING)
    ready(running)
    begun(tmp_path, 1)
    assert interrupt(running, number) == ""
    assert not list(tmp_path.iterdir())


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


@pytest.mark.parametrize("delay", [0.10, 0.15, 0.2, 0.25, 0.3])
def test_a_kill_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, long: dict[str, str], delay: float
) -> None:
    out = tmp_path / "out.orders"
    out.write_bytes(b"old\n")
    args = ["reference", long["long.talbot"], "--source", long["english.txt"], "-o", str(out)]
    running = started(args, tmp_path)
    time.sleep(delay)
    running.kill()
    running.communicate()
    content = out.read_bytes()
    assert content in (b"old\n", Path(REFERENCE).read_bytes() * 1500)


def test_an_interrupt_while_writing_leaves_the_old_file(
    tmp_path: Path, long: dict[str, str]
) -> None:
    """Input that stops in the middle holds the verb where it has begun to write."""
    out = tmp_path / "out.orders"
    out.write_bytes(b"old\n")
    args = ["reference", "-", "--source", long["english.txt"], "-o", str(out)]
    running = started(args, tmp_path, Path(long["long.talbot"]).read_bytes()[:3_000_000])
    # Beside the old file: the orders, and the list of words without a link.
    begun(tmp_path, 3)
    time.sleep(0.3)
    interrupt(running)
    assert out.read_bytes() == b"old\n"
    assert list(tmp_path.iterdir()) == [out]


def outputs(path: str) -> list[list[str]]:
    return [
        ["reference", ALIGNMENTS, "--source", SOURCE, "-o", path],
        ["tree", "2 4 1 3", "--svg", path],
        ["path", "a b", "b a", "--svg", path],
        ["parse", "en", SOURCE, "-o", path],
        ["tag", "en", SOURCE, "-o", path],
    ]


def test_a_full_device() -> None:
    for args in outputs("/dev/full"):
        call(*args).refused(1, "/dev/full: cannot be written: No space left on device")


def test_a_limit_on_the_size_of_files(tmp_path: Path, long: dict[str, str]) -> None:
    """The disk that is full in the middle: the old file stays, and no other."""
    out = tmp_path / "out.orders"
    out.write_bytes(b"old\n")
    args = ["reference", long["long.talbot"], "--source", long["english.txt"], "-o", str(out)]
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
