"""Interrupts: quick, quiet, and none of them lost."""

from __future__ import annotations

import signal
import sys
from types import FrameType

# Seconds after which an interrupt that did not end the program is raised once more.
AGAIN = 0.5

_received = False


def watch() -> None:
    """Raise KeyboardInterrupt at an interrupt, and again until `stop` is called.

    Python drops an exception that is raised in a finaliser or in a callback of the garbage
    collector or of an import, and goes on; libraries drop some too.
    """
    # A shell that starts a program in the background has it ignore interrupts.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, _interrupt)
    sys.unraisablehook = _dropped
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _interrupt)


def received() -> bool:
    """Say whether there was an interrupt."""
    return _received


def stop() -> None:
    """Let no interrupt disturb the last steps, which are short."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _received
    _received = True
    if sys.platform != "win32":
        # Who presses the key twice must not stop the cleaning up.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
    raise KeyboardInterrupt


def _dropped(dropped: sys.UnraisableHookArgs) -> None:
    """Report an exception that nobody can catch; an interrupt comes again."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
