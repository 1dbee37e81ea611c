"""Runs the program, which interrupts itself at its n-th import: interrupting.py N HOW ARGS...

HOW is ``raised``, or ``dropped``: the interrupt comes in a finaliser, where Python drops it.
"""

import os
import signal
import sys

moment, how = 0, ""
imports = 0


class Finalised:
    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


def count(event: str, _: tuple[object, ...]) -> None:
    """Count the imports after the program has set its handler."""
    global imports
    if event == "import" and signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
        imports += 1
        if imports == moment:
            if how == "dropped":
                Finalised()
            else:
                os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    moment, how = int(sys.argv[1]), sys.argv[2]
    del sys.argv[1:3]
    sys.addaudithook(count)
    from wordorder.cli import main

    main()
