"""What is written is written whole or not at all, and nothing is left behind."""

import bz2
import gzip
import io
import lzma
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.files import written
from tests.refusing import refuses
from tests.text.test_compression import SUFFIXES, read_all

from wordorder.errors import InputError, UsageError
from wordorder.text import output as unfinished
from wordorder.text.output import write_output, write_text

DATA = b"2 0 3,4 1\n" * 1000


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.orders"


def put(path: Path | str, data: bytes) -> None:
    with write_output(path) as stream:
        stream.write(data)


def break_off(path: Path, error: type[BaseException]) -> None:
    with write_output(path) as stream:
        stream.write(DATA)
        raise error


@pytest.mark.parametrize("suffix", ["", *SUFFIXES])
@pytest.mark.parametrize("size", [0, 1, (1 << 20) + 1])
def test_what_is_written_is_read(tmp_path: Path, suffix: str, size: int) -> None:
    data = (DATA * (size // len(DATA) + 1))[:size]
    path = tmp_path / f"a{suffix}"
    put(path, data)
    assert read_all(path) == data
    assert os.listdir(tmp_path) == [path.name]


def test_other_tools_read_what_is_written(tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        put(tmp_path / f"a{suffix}", DATA)
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == DATA
    assert lzma.decompress((tmp_path / "a.xz").read_bytes()) == DATA
    assert bz2.decompress((tmp_path / "a.bz2").read_bytes()) == DATA
    assert (tmp_path / "a.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_texts_give_equal_files_without_a_time(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in ("a", "another")]
    for path in paths:
        put(path, DATA)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert suffix != ".gz" or paths[0].read_bytes()[4:8] == bytes(4)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("suffix", ["", *SUFFIXES])
def test_an_exception_leaves_the_old_file_and_no_new_one(
    tmp_path: Path, suffix: str, error: type[BaseException]
) -> None:
    path = written(tmp_path, b"old", f"a{suffix}")
    for each in (path, tmp_path / f"new{suffix}"):
        with pytest.raises(error):
            break_off(each, error)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


def test_an_interrupt_while_the_file_is_created_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(descriptor: int, *, wait: bool = False) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(unfinished, "_try_lock", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put(tmp_path / "new", DATA)
    assert not os.listdir(tmp_path)


def test_text_is_utf8(out: Path) -> None:
    with write_text(out) as stream:
        print("語順", 1, file=stream)
    assert out.read_bytes() == "語順 1\n".encode()


def test_a_new_file_honours_the_mask_and_a_replaced_one_keeps_its_permissions(out: Path) -> None:
    old = os.umask(0o027)
    try:
        put(out, b"old")
    finally:
        os.umask(old)
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    out.chmod(0o604)
    put(out, DATA)
    assert stat.S_IMODE(out.stat().st_mode) == 0o604
    assert out.read_bytes() == DATA


def test_a_link_stays_a_link(tmp_path: Path, out: Path) -> None:
    link = tmp_path / "link"
    for _ in ("to nothing yet", "to a file"):
        link.unlink(missing_ok=True)
        link.symlink_to(out)
        put(link, DATA)
        assert link.is_symlink()
        assert out.read_bytes() == DATA


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    put(tmp_path / ("a" * 255), DATA)
    assert (tmp_path / ("a" * 255)).read_bytes() == DATA


def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    put(path, DATA)
    reader.join()
    assert read == [DATA]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_device_is_written_directly() -> None:
    put("/dev/null", DATA)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_file_that_is_open_already_is_not_exchanged(out: Path) -> None:
    with out.open("wb") as stream:
        put(f"/dev/fd/{stream.fileno()}", DATA)
        assert os.fstat(stream.fileno()).st_ino == out.stat().st_ino
    assert out.read_bytes() == DATA


@pytest.mark.parametrize("data", [b"x", DATA * 500])
def test_a_full_device_is_one_error(data: bytes) -> None:
    refuses(InputError, "/dev/full: cannot be written: No space", put, "/dev/full", data)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["", *SUFFIXES])
def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    path = written(tmp_path, b"old", f"a{suffix}")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The largest file that the system lets us write, in place of a small disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        with pytest.raises(InputError, match="cannot be written") as caught:
            put(path, os.urandom(1 << 21))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.where == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


def test_what_cannot_be_created(tmp_path: Path, out: Path) -> None:
    out.write_bytes(b"old")
    names: list[Path | str] = [tmp_path / "missing" / "a", out / "a", tmp_path, f"{tmp_path}/new/"]
    names += ["", "/sys/a", "/proc/a", tmp_path / ("a" * 256)]
    for name in names:
        with pytest.raises(UsageError, match="cannot be created") as caught:
            put(name, DATA)
        assert str(name) in str(caught.value)
    refuses(UsageError, "zero byte", put, "a\0b", DATA)
    assert os.listdir(tmp_path) == [out.name]


def test_a_protected_file_is_not_replaced(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out.write_bytes(b"old")
    # The administrator may write everywhere, so the answer is given in the system's place.
    monkeypatch.setattr("os.access", lambda path, mode: False)
    refuses(UsageError, "write-protected", put, out, DATA)
    assert out.read_bytes() == b"old"


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_is_flushed_and_stays_open(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    target = io.BytesIO()
    stdout = io.TextIOWrapper(target, write_through=False)
    monkeypatch.setattr("sys.stdout", stdout)
    print("before")
    put(name, DATA)
    print("after", flush=True)
    assert target.getvalue() == b"before\n" + DATA + b"after\n"


def test_closed_standard_output_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    refuses(UsageError, "standard output is closed", put, "-", DATA)


@pytest.mark.parametrize("data", [b"x", DATA * 500])
def test_full_standard_output_is_one_error(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    with open("/dev/full", "wb", buffering=0) as device:
        kept = _Kept(device)
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BufferedWriter(kept)))
        refuses(InputError, "<stdout>: cannot be written", put, "-", data)
        kept.dropped = True


class _Kept(io.RawIOBase):
    """A device whose refused bytes can be forgotten, so that closing it is quiet."""

    def __init__(self, device: io.FileIO) -> None:
        self.device = device
        self.dropped = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data) if self.dropped else int(self.device.write(data) or 0)


def test_a_closed_pipe_stays_a_closed_pipe() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        with pytest.raises(BrokenPipeError):
            put(f"/dev/fd/{writing}", DATA)
    finally:
        os.close(writing)


CHILD = """
import sys
from wordorder.text.output import write_output
turn = 0
while True:
    turn += 1
    with write_output(sys.argv[1]) as stream:
        for _ in range(8):
            stream.write(bytes([65 + turn % 26]) * (1 << 18))
    if turn == 1:
        print("ready", flush=True)
"""


def wait_until_ready(child: subprocess.Popen[bytes]) -> None:
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.003, 0.007, 0.013, 0.02])
def test_a_killed_process_leaves_a_whole_file(out: Path, delay: float) -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD, str(out)], stdout=subprocess.PIPE) as child:
        wait_until_ready(child)
        threading.Event().wait(delay)
        child.send_signal(signal.SIGKILL)
    data = out.read_bytes()
    assert len(data) == 8 << 18
    assert data == data[:1] * len(data)


# -- What a killed process leaves is removed; what is being written is not. ------------------------


HALF_WRITTEN = """
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
unfinished._is_running = lambda process: False
for turn in range(300):
    unfinished._cleaned_folders.clear()
    with write_output(sys.argv[1]) as stream:
        stream.write(b"%d" % turn)
"""


@pytest.fixture(autouse=True)
def unswept() -> Iterator[None]:
    unfinished._cleaned_folders.clear()
    yield
    unfinished._cleaned_folders.clear()


def writing(path: Path) -> subprocess.Popen[bytes]:
    """Start a process that has begun to write, and waits."""
    command = [sys.executable, "-c", HALF_WRITTEN, str(path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    wait_until_ready(child)
    return child


def write(path: Path) -> None:
    put(path, b"whole")


@pytest.mark.slow
def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    for child in [writing(tmp_path / f"{number}.orders") for number in range(3)]:
        with child:
            child.send_signal(signal.SIGKILL)
    assert len(os.listdir(tmp_path)) == 3
    write(tmp_path / "a.orders")
    assert os.listdir(tmp_path) == ["a.orders"]


@pytest.mark.parametrize("alone", [False, True])
def test_what_is_being_written_stays(
    tmp_path: Path, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a lock alone, too: in two containers of one name numbers of processes say nothing."""
    if alone:
        monkeypatch.setattr(unfinished, "_is_running", lambda process: False)
    with writing(tmp_path / "theirs") as child:
        write(tmp_path / "ours")
        assert len(os.listdir(tmp_path)) == 2
        child.communicate(b"\n")
    assert child.returncode == 0
    assert (tmp_path / "theirs").read_bytes() == b"half of it"
    assert sorted(os.listdir(tmp_path)) == ["ours", "theirs"]


def test_two_files_of_one_process(tmp_path: Path) -> None:
    with write_output(tmp_path / "a") as stream:
        stream.write(b"a")
        unfinished._cleaned_folders.clear()
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
