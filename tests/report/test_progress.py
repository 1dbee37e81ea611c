"""The line that counts: what it says, how wide it is, and that it goes away."""

from __future__ import annotations

import gzip
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import PROGRAM, write
from tests.parsing.small_treebank import TREEBANK, words

from wordorder.cli.messages import about_how_many, progress_line

if sys.platform == "win32":
    pytest.skip("no terminals to be had", allow_module_level=True)
import fcntl
import pty
import termios


def seen(args: list[str], columns: int, stop_at: bytes = b"\0") -> str:
    """Run the program on a terminal so wide and return what it shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = b""
    with subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=theirs) as running:
        os.close(theirs)
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:
                break
            shown += more
            if not more:
                break
            if re.search(stop_at, shown):
                running.terminate()
                stop_at = b"\0"
    os.close(ours)
    return shown.decode()


@pytest.mark.parametrize("columns", [30, 100])
def test_rate_and_time_left_within_an_epoch(tmp_path: Path, columns: int) -> None:
    trees = write(tmp_path, "a.conllu", TREEBANK * 300)
    args = [str(PROGRAM), "train", "parser", trees, "-o", str(tmp_path / "m"), "--tagger", "none"]
    whole = rb"parser, epoch \d of 10: [\d,]+ of 8,100 sentences, [\d,]+ a second, \d+:\d\d left"
    wanted = whole if columns == 100 else rb"\rparser, epoch \d of 10: [\d,]+"
    shown = seen(args, columns, wanted)
    assert re.search(wanted, shown.encode())
    for line in re.split("[\r\n]", shown.replace("\033[K", "")):
        assert line.startswith("wordorder: ") or len(line) < columns


def test_a_text_is_parsed_with_rate_and_time_left(tmp_path: Path) -> None:
    trees = write(tmp_path, "a.conllu", TREEBANK)
    model = str(tmp_path / "m")
    options = ["-o", model, "--tagger", "tnt", "--epochs", "1"]
    subprocess.run([PROGRAM, "train", "parser", trees, *options], check=True, capture_output=True)
    text = write(tmp_path, "a.txt", words(TREEBANK) * 4_000)
    wanted = rb"[\d,]+ of 108,000 sentences, [\d,]+ a second, \d+:\d\d left"
    shown = seen([str(PROGRAM), "parse", model, text], 80, wanted)
    assert re.search(wanted, shown.encode())


def test_times_and_rates() -> None:
    assert progress_line("lines", 10, 100, 0, 0.0) == "10 of 100 lines"
    assert progress_line("lines", 10, 5, 0, 20.0) == "10 lines, 20 a second"
    assert progress_line("lines", 10, 70, 0, 1.0) == "10 of 70 lines, 1.0 a second, 1:00 left"


def test_about_how_many(tmp_path: Path) -> None:
    text = write(tmp_path, "a.txt", "it rains\n" * 100_000)
    assert about_how_many(text) == 100_000
    trees = write(tmp_path, "a.conllu", TREEBANK)
    assert about_how_many(trees, treebank=True) == 27
    packed = write(tmp_path, "a.gz", gzip.compress(b"it rains\n"))
    for path in ("-", packed, str(tmp_path), str(tmp_path / "none"), write(tmp_path, "e", "")):
        assert about_how_many(path) is None
