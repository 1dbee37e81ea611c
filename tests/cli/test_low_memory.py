"""Little memory, no threads: one line, or a slower answer; never a hang, never a traceback."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, PROGRAM, REFERENCE, SOURCE, SYSTEMS, TARGET, process

pytestmark = pytest.mark.slow
MEGABYTE = 1 << 20
NOT_ENOUGH = "wordorder: error: not enough memory\n"
COMMANDS = {
    "orders": ["score", "ORDERS", "-i", "ORDERS", "-m", "all", "--threads", "4"],
    "text": ["score", TARGET, "-i", SOURCE, "-m", "wer,cder,chrf", "--threads", "4"],
    "reference": ["reference", ALIGNMENTS, "--source", SOURCE],
    "compare": ["compare", REFERENCE, "-i", SYSTEMS[0], "-i", SYSTEMS[1], "--resamples", "20"],
}


@pytest.fixture(scope="session")
def orders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Orders enough that threads share them."""
    path = tmp_path_factory.mktemp("orders") / "a.orders"
    path.write_text("2 0 1 3 5 4 6 9 8 7 10 11\n" * 30_000)
    return str(path)


def limited(megabytes: int, *args: str) -> tuple[int, str]:
    """Run the program in so much address space; return its status and what it said."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))

    done = subprocess.run(
        [PROGRAM, *args, "--quiet"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
        preexec_fn=limit,
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="address space is not limited elsewhere")
@pytest.mark.parametrize(("start", "command"), list(enumerate(COMMANDS)))
def test_little_address_space(start: int, command: str, orders: str) -> None:
    arguments = [orders if each == "ORDERS" else each for each in COMMANDS[command]]
    # Below, the interpreter ends the process with a message of its own.
    limits = range(124 + 5 * start, 424, 44 if command == "orders" else 96)
    ends = [limited(megabytes, *arguments) for megabytes in limits]
    for status, message in ends:
        assert status in (0, 1)
        if status and message.startswith("OpenBLAS error: Memory allocation"):
            # It ends the process itself, while numpy is imported.
            message = NOT_ENOUGH
        assert message == (NOT_ENOUGH if status else "")
    assert ends[-1][0] == 0


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_threads_that_cannot_be_started(threads: int, orders: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import _thread\n"
        "start, left = _thread.start_new_thread, [None] * " + str(threads) + "\n"
        "def limited(*arguments):\n"
        "    if not left:\n"
        '        raise RuntimeError("can\'t start new thread")\n'
        "    left.pop()\n"
        "    return start(*arguments)\n"
        "_thread.start_new_thread = limited\n"
    )
    args = ("score", orders, "-i", orders, "-m", "frs,kendall", "--threads", "4")
    path = [str(tmp_path), *filter(None, sys.path)]
    answer = process(*args, environment={"PYTHONPATH": ":".join(path)}).good()
    assert answer.stdout == process(*args).good().stdout
