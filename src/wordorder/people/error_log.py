"""Notes about errors of the server, limited in number."""

import threading
import time

from wordorder.notes import note

_MINUTE = 60.0


class RateLimitedLog:
    """Notes errors, each type at most once a minute.

    Examples
    --------
    >>> from wordorder.notes import held_notes
    >>> log = RateLimitedLog()
    >>> with held_notes() as notes:
    ...     for number in range(3):
    ...         log.say("disk", f"the disk is full ({number})")
    >>> notes
    ['the disk is full (0)']
    """

    def __init__(self) -> None:
        self._last_noted: dict[str, float] = {}
        self._lock = threading.Lock()

    def say(self, kind: str, message: str) -> None:
        """Note a message, unless one of the same type was noted less than a minute ago."""
        now = time.monotonic()
        with self._lock:
            if now - self._last_noted.get(kind, -_MINUTE) < _MINUTE:
                return
            self._last_noted[kind] = now
        note(message)
