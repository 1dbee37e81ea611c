"""Notes reach standard error, whatever it is, and no note stops the work."""

import io
import logging
import logging.config
import subprocess
import sys
from pathlib import Path

import pytest

from wordorder.note_handler import NoteHandler
from wordorder.notes import grouped_notes, held_notes, note


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("wordorder", logging.WARNING, "", 0, text, None, None)


@pytest.mark.parametrize("stream", ["closed", "ascii", "none"])
def test_a_note_that_cannot_be_printed_stops_nothing(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = io.BytesIO()
    streams = {"closed": io.StringIO(), "ascii": io.TextIOWrapper(data, "ascii"), "none": None}
    streams["closed"].close()  # type: ignore[union-attr]
    monkeypatch.setattr(sys, "stderr", streams[stream])
    handler = NoteHandler()
    monkeypatch.setattr(handler, "_is_replaced", lambda: False)
    handler.emit(record("münchen.txt: a note"))
    if stream == "ascii":
        sys.stderr.flush()
        assert data.getvalue().strip() == b"wordorder: note: m\\xfcnchen.txt: a note"


def test_a_set_up_of_logging_keeps_notes() -> None:
    script = (
        "import logging.config, wordorder.notes as notes\n"
        "notes.note('first')\n"
        "logging.config.dictConfig({'version': 1, 'root': {'handlers': ['h']},\n"
        "    'handlers': {'h': {'class': 'logging.StreamHandler'}}})\n"
        "notes.note('second')\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stderr.split("\n") == ["wordorder: note: first", "second", ""]


def test_repeated_notes_do_not_hide_another_one() -> None:
    with held_notes() as notes:
        pass
    assert notes == []
    received: list[str] = []
    logger = logging.getLogger("wordorder")

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            received.append(record.getMessage())

    keep = Keep()
    trapped, logger.handlers = logger.handlers, [keep]
    try:
        with grouped_notes():
            for count in (1, 1, 1, 2):
                note(f"a: left out {count} words")
    finally:
        logger.handlers = trapped
    assert received == ["a: left out 1 words", "a: left out 2 words"]


def test_the_program_prints_notes_once_whatever_logging_does(tmp_path: Path) -> None:
    """`-q` silences them, too, where a library has given the root logger a handler."""
    (tmp_path / "r.txt").write_text("the cat sat\n")
    script = (
        "import logging, sys; logging.basicConfig()\n"
        "from wordorder.cli import main\n"
        "sys.argv[1:] = ['score', 'r.txt', '-i', 'a=r.txt', *sys.argv[1:]]\n"
        "main()\n"
    )
    for options, lines in (([], 1), (["-q"], 0)):
        command = [sys.executable, "-c", script, *options]
        run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        notes = run.stderr.splitlines()
        assert len(notes) == lines
        assert all(line.startswith("wordorder: note: ") for line in notes)
