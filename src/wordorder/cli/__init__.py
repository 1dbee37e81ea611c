"""The verbs: each a thin wrapper over one public function below; nothing is computed here.

One file for a group of commands, `program` to find them, `options` for what several share. A
command reads its options, calls one function of a lower floor and has `report` show the result.
What is useful from Python belongs below.
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

    What takes time to import is imported inside, so that an interrupt finds its handler.
    """
    # The threads are counted by --threads; numpy's linear algebra would start, and let spin, as
    # many more in every command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from wordorder.cli import program as interrupts

    status = INTERRUPTED
    try:
        interrupts.watch()
        from wordorder.cli.program import run

        status = run()
    except KeyboardInterrupt:
        pass
    except Exception as error:
        # The program could not be loaded, or failed while it reported an error.
        if os.environ.get("WORDORDER_DEBUG"):
            raise
        if not interrupts.received():
            from wordorder.cli.messages import NOT_ENOUGH, lacks_memory

            description = (
                NOT_ENOUGH if lacks_memory(error) else f"error: {type(error).__name__}: {error}"
            )
            os.write(2, f"wordorder: {description}\n".encode())
        status = 1
    finally:
        interrupts.stop()
    if interrupts.received():
        # As shells tell the signal: 130 after an interrupt, 143 after SIGTERM.
        status = 128 + interrupts.received()
        # Imports no module: the interrupt may have come during an import.
        if sys.stderr is not None:
            plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
            erased = "\r\033[K" if sys.stderr.isatty() and not plain else ""
            sys.stderr.write(f"{erased}wordorder: interrupted\n")
    if status == 0:
        sys.exit()
    if sys.stderr is not None:
        sys.stderr.flush()
    # At once: a thread that still waits for input must not hold up an error or an interrupt.
    os._exit(status)
