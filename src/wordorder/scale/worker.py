"""A local worker: spans on standard input, a line each; what came of them on standard output."""

from __future__ import annotations

import signal
import sys

from wordorder.scale.jobs import perform


def main() -> None:
    """Work until the input ends: whoever gives out the spans is gone then."""
    # An interrupt is for whoever gives out the spans.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for job in sys.stdin.buffer:
        sys.stdout.buffer.write(perform(job) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
