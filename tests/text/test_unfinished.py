"""What a killed process leaves behind is removed; what is being written is not."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.files import written

from wordorder.text import output as unfinished
from wordorder.text.output import write_output

CHILD = """
import sys
from wordorder.text.output import write_output
with write_output(sys.argv[1]) as stream:
    stream.write(b"half of it")
    stream.flush()
    print("ready", flush=True)
    sys.stdin.readline()
"""

# Every turn looks for leftovers, and takes no other process for a living one.
RACING = """
import sys
from wordorder.text import output as unfinished
from wordorder.text.output import write_output
unfinished._runs = lambda process: False
for turn in range(300):
    unfinished._swept.clear()
    with write_output(sys.argv[1]) as stream:
        stream.write(b"%d" % turn)
"""


@pytest.fixture(autouse=True)
def unswept() -> Iterator[None]:
    unfinished._swept.clear()
    yield
    unfinished._swept.clear()


def writing(path: Path) -> subprocess.Popen[bytes]:
    """Start a process that has begun to write, and waits."""
    command = [sys.executable, "-c", CHILD, str(path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    return child


def write(path: Path) -> None:
    with write_output(path) as stream:
        stream.write(b"whole")


@pytest.mark.slow
def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    for child in [writing(tmp_path / f"{number}.orders") for number in range(3)]:
        with child:
            child.send_signal(signal.SIGKILL)
    assert len(os.listdir(tmp_path)) == 3
    write(tmp_path / "a.orders")
    assert os.listdir(tmp_path) == ["a.orders"]


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    with writing(tmp_path / "theirs") as child:
        write(tmp_path / "ours")
        assert len(os.listdir(tmp_path)) == 2
        child.communicate(b"\n")
    assert child.returncode == 0
    assert (tmp_path / "theirs").read_bytes() == b"half of it"
    assert sorted(os.listdir(tmp_path)) == ["ours", "theirs"]


def test_a_lock_alone_protects_what_is_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in two containers of one name, whose numbers of processes say nothing."""
    monkeypatch.setattr(unfinished, "_runs", lambda process: False)
    with writing(tmp_path / "theirs") as child:
        write(tmp_path / "ours")
        assert len(os.listdir(tmp_path)) == 2
        child.communicate(b"\n")
    assert child.returncode == 0


def test_two_files_of_one_process(tmp_path: Path) -> None:
    with write_output(tmp_path / "a") as stream:
        stream.write(b"a")
        unfinished._swept.clear()
        write(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == b"a"


NAMES = """
.wordorder-00000000-1-01234567.tmp .wordorder-notes.tmp HOST-1.tmp
x.wordorder-HOST-999999999-01234567.tmp .wordorder-HOST-999999999-01234567.tmp.gz
"""


def test_files_of_other_hosts_and_other_files_stay_and_links_are_not_followed(
    tmp_path: Path,
) -> None:
    host = unfinished._host()
    others = [tmp_path / name.replace("HOST", host) for name in [*NAMES.split(), "kept"]]
    for other in others:
        other.write_bytes(b"theirs")
    (tmp_path / f".wordorder-{host}-999999999-01234567.tmp").symlink_to("kept")
    # A number that no process can have.
    left = written(tmp_path, b"ours", f".wordorder-{host}-{10**30}-01234567.tmp")
    write(tmp_path / "a")
    assert [other.read_bytes() for other in others] == [b"theirs"] * len(others)
    assert not left.exists()


def test_many_writers_do_not_take_each_others_files(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RACING]
    children = [subprocess.Popen([*command, str(tmp_path / f"{n}")]) for n in range(3)]
    assert [child.wait(120) for child in children] == [0, 0, 0]
    assert sorted(os.listdir(tmp_path)) == ["0", "1", "2"]
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"299"}
