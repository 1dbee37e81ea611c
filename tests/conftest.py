"""The same examples in every run; no limits of time that a loaded machine would break."""

import gc
import os
import signal
import sys

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")

# A shell starts what runs in the background deaf to interrupts; the programs that tests start must
# hear them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start thousands of processes. Without bytecode each would compile all that it imports, also
# where the environment forbids to write it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: no need for the collector of garbage to look at them."""
    gc.collect()
    gc.freeze()
