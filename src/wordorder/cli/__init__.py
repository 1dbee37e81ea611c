"""The commands: thin wrappers over public functions of lower floors; nothing is computed here.

`program` finds the commands, each file has one or a few of them, `options` has the options that
several share. A command reads its options, calls one function of a lower floor and prints the
result by `report`. Code that is useful from Python belongs to a lower floor.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and exit.

    Slow modules are imported inside, after the handlers of signals are set.
    """
    # --threads sets the number of threads; without this, numpy's linear algebra would start a
    # pool of its own in every command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from wordorder.cli import program as interrupts

    status = INTERRUPTED
    try:
        interrupts.handle_signals()
        from wordorder.cli.program import run

        status = run()
    except KeyboardInterrupt:
        pass
    except Exception as error:
        # The program could not be loaded, or failed while it reported an error.
        if os.environ.get("WORDORDER_DEBUG"):
            raise
        if not interrupts.received_signal():
            from wordorder.cli.messages import OUT_OF_MEMORY, lacks_memory

            description = (
                OUT_OF_MEMORY if lacks_memory(error) else f"error: {type(error).__name__}: {error}"
            )
            os.write(2, f"wordorder: {description}\n".encode())
        status = 1
    finally:
        interrupts.ignore_signals()
    if interrupts.received_signal():
        # The convention of shells: 130 after an interrupt, 143 after SIGTERM.
        status = 128 + interrupts.received_signal()
        # No import here: the interrupt may have come during one.
        if sys.stderr is not None:
            plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
            erased = "\r\033[K" if sys.stderr.isatty() and not plain else ""
            sys.stderr.write(f"{erased}wordorder: interrupted\n")
    if status == 0:
        sys.exit()
    if sys.stderr is not None:
        sys.stderr.flush()
    # Do not wait for threads: one that still waits for input would delay the exit.
    os._exit(status)
