"""How far work has come: on terminals of any width, in a notebook that runs, and not in pipes."""

import gzip
import json
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import PROGRAM, write
from tests.parsing.small_treebank import TREEBANK, words
from wordorder.text.opening import estimate_rows

if sys.platform == "win32":
    pytest.skip("no terminals to be had", allow_module_level=True)
import fcntl
import pty
import termios


def seen(args: list[str], columns: int, stop_at: bytes, stop_with: int = signal.SIGTERM) -> str:
    """Run the program on a terminal so wide and return what it shows until it is stopped."""
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
                running.send_signal(stop_with)
                stop_at = b"\0"
    os.close(ours)
    return shown.decode()


def lines(shown: str) -> list[str]:
    """Return what stood on the line that is written again and again."""
    return [line for line in re.split("[\r\n]", shown.replace("\033[K", "")) if line.strip()]


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> str:
    """So many that the first epoch takes longer than a line waits to be shown."""
    return write(tmp_path_factory.mktemp("training"), "a.conllu", TREEBANK * 2000)


@pytest.fixture
def training(trees: str, tmp_path: Path) -> list[str]:
    return [str(PROGRAM), "train", "parser", trees, "-o", str(tmp_path / "m"), "--tagger", "none"]


@pytest.mark.parametrize("columns", [40, 100])
def test_one_line_on_a_terminal(training: list[str], columns: int) -> None:
    """Epochs are one piece of work: what is left is what is left of the training."""
    whole = rb"parser, epoch \d+ of 10: +\d+%.*\d+/540000 \[\d+:\d+<\d+:\d+, .* sentences/s\]"
    shown = seen(training, columns, whole if columns == 100 else rb"\rparser, epoch \d+ of 10: ")
    (*counts, _) = found = [line for line in lines(shown) if line.startswith("parser, epoch")]
    assert found, shown
    assert counts or columns == 40
    assert all(len(line) <= columns for line in lines(shown) if not line.startswith("wordorder"))
    assert "-" not in "".join(re.findall(r"<(.*?) sentences/s", shown))
    # The line is written over, never left behind.
    assert "\n" not in shown[shown.index("parser, epoch") : shown.rindex("parser, epoch")]


def test_the_line_is_gone_after_an_interrupt(training: list[str]) -> None:
    shown = seen(training, 80, rb"\rparser, epoch \d", signal.SIGINT)
    last = shown.rindex("parser, epoch")
    assert re.search(r"\r +\r", shown[last:]) or "\033[K" in shown[last:]
    assert "wordorder: interrupted" in shown[last:]
    assert "Traceback" not in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}])
def test_plain_terminals_get_no_escape_codes(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However soon a line would be shown; notes and errors are lines of their own there."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    soon = (
        "import wordorder.progress as p; p.PATIENCE = 0.0; from wordorder.cli import main; main()"
    )
    texts = [write(tmp_path, name, text * 2000) for name, text in (("r", "a b\n"), ("s", "b a\n"))]
    score = [sys.executable, "-c", soon, "score", texts[0], "-i", texts[1], "-m", "frs,cder"]
    shown = seen(score, 80, rb"\0")
    assert shown.startswith("wordorder: note: frs compares")
    assert "\r" not in shown.replace("\r\n", "")
    assert "\033" not in shown
    shown = seen([*score[:-1], "none"], 80, rb"\0")
    assert shown.startswith("wordorder: error: ")
    assert "\033" not in shown


def test_a_pipe_sees_nothing_of_it(tmp_path: Path) -> None:
    """However soon a line would be shown; nor is tqdm imported there."""
    soon = (
        "import wordorder.progress as p; p.PATIENCE = 0.0; from wordorder.cli import main; main()"
    )
    trees = write(tmp_path, "a.conllu", TREEBANK)
    options = ["-o", str(tmp_path / "m"), "--tagger", "none", "--epochs", "1"]
    command = [sys.executable, "-X", "importtime", "-c", soon, "train", "parser", trees, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "tqdm" not in done.stderr
    assert not any("epoch" in line and "/" in line for line in done.stderr.splitlines())


def test_a_text_is_parsed_with_rate_and_time_left(tmp_path: Path) -> None:
    trees = write(tmp_path, "a.conllu", TREEBANK)
    model = str(tmp_path / "m")
    options = ["-o", model, "--tagger", "tnt", "--epochs", "1"]
    subprocess.run([PROGRAM, "train", "parser", trees, *options], check=True, capture_output=True)
    text = write(tmp_path, "a.txt", words(TREEBANK) * 4_000)
    wanted = rb"\d+/108000 \[\d+:\d+<\d+:\d+, +[\d.]+ sentences/s\]"
    shown = seen([str(PROGRAM), "parse", model, text], 80, wanted)
    assert re.search(wanted, shown.encode())


def test_python_on_a_terminal_is_left_alone() -> None:
    """A script prints what it is told to print."""
    script = (
        "import wordorder as wo, wordorder.progress; wordorder.progress.PATIENCE = 0.0\n"
        "wo.align(['das haus'] * 5000, ['the house'] * 5000)"
    )
    assert seen([sys.executable, "-c", script], 80, rb"\0") == ""


NOTEBOOK = """
import wordorder.progress
wordorder.progress.PATIENCE = 0.0
import wordorder as wo
links = wo.align(["das haus", "ein haus"] * 500, ["the house", "a house"] * 500)
"""


@pytest.mark.slow
@pytest.mark.parametrize("widgets", [True, False])
def test_a_bar_in_a_notebook(
    tmp_path: Path, widgets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook that runs: a widget where there are widgets, else text, and it goes away."""
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    hidden = "" if widgets else "import sys; sys.modules['ipywidgets'] = None\n"
    cell = {"cell_type": "code", "source": hidden + NOTEBOOK, "metadata": {}, "outputs": []}
    cells = [cell | {"execution_count": None, "id": "a"}]
    written = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    notebook: Any = nbformat.reads(json.dumps(written), as_version=4)
    shown: list[Any] = []
    client = NotebookClient(notebook, timeout=120, kernel_name="python3")
    original = client.output

    def output(outs: Any, msg: Any, *rest: Any, **more: Any) -> Any:
        shown.append(msg)
        return original(outs, msg, *rest, **more)

    client.output = output
    client.execute()
    kinds = [message["msg_type"] for message in shown]
    if widgets:
        assert "display_data" in kinds
        (bar,) = [each for each in shown if each["msg_type"] == "display_data"]
        assert "application/vnd.jupyter.widget-view+json" in bar["content"]["data"]
    else:
        text = "".join(m["content"]["text"] for m in shown if m["msg_type"] == "stream")
        assert "all passes: " in text
        assert "sentence pairs/s]" in text
    assert "error" not in kinds
    assert not any("Warning" in str(message["content"]) for message in shown)


def test_about_how_many(tmp_path: Path) -> None:
    text = write(tmp_path, "a.txt", "it rains\n" * 100_000)
    assert estimate_rows(text) == 100_000
    trees = write(tmp_path, "a.conllu", TREEBANK)
    assert estimate_rows(trees, treebank=True) == 27
    packed = write(tmp_path, "a.gz", gzip.compress(b"it rains\n"))
    for path in ("-", packed, str(tmp_path), str(tmp_path / "none"), write(tmp_path, "e", "")):
        assert estimate_rows(path) is None
