"""One verb a file; each a thin wrapper over one public function."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit.

    What takes time to import is imported inside, so that an interrupt finds its handler.
    """
    # The threads are counted by --threads; numpy's linear algebra would start, and let spin, as
    # many more in every command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from wordorder.cli.program import run

        status = run()
    except KeyboardInterrupt:
        status = 130
    if status == 0:
        sys.exit()
    if sys.stderr is not None:
        sys.stderr.flush()
    # At once: a thread that still waits for input must not hold up an error or an interrupt.
    os._exit(status)
