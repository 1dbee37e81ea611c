"""The same examples in every run; no limits of time that a loaded machine would break."""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.notes import trapped_notes

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")

# A shell starts what runs in the background deaf to interrupts; the programs that tests start must
# hear them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start thousands of processes. Without bytecode each would compile all that it imports, also
# where the environment forbids to write it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(autouse=True)
def _notes_are_expected(request: pytest.FixtureRequest) -> Iterator[None]:
    """A note that a test neither expects nor allows (`allow_notes`) is an error."""
    marks = list(request.node.iter_markers("allow_notes"))
    with trapped_notes(*(pattern for mark in marks for pattern in mark.args or [""])):
        yield


@pytest.fixture
def only_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are empty files: saves time where the numbers are looked at."""
    from wordorder.report.figures import writing

    empty = dict.fromkeys(("svg", "pdf", "png"), b"")
    monkeypatch.setattr(writing, "figure_files", lambda figure, font: (empty, []))


def pytest_configure(config: pytest.Config) -> None:
    """Find the tests without the collector of garbage: they stay, and it would take a third longer.

    The process that only hands tests to others finds none.
    """
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()
