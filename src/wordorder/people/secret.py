"""What is drawn from the secret of a project: nobody who lacks the file can draw it again."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable
from typing import TypeVar

import numpy as np

Value = TypeVar("Value", int, str)

# Bytes of the name of a task: nobody guesses 128 bits.
_NAME = 16


class Secret:
    """The secret of a project: the same file draws the same, whenever it is opened.

    Parameters
    ----------
    text : str
        What the project file holds as its secret.

    Examples
    --------
    >>> secret = Secret("what nobody knows")
    >>> secret.mixed([1, 2, 3], "shown"), secret.mixed([1, 2, 3], "hidden")
    ([1, 3, 2], [2, 3, 1])
    """

    def __init__(self, text: str) -> None:
        self._key = text.encode()

    def mixed(self, values: Iterable[Value], *what: str | int) -> list[Value]:
        """Return values in an order that is random, and the same for the same thing drawn."""
        return sorted(values, key=lambda value: self._digest(*what, value))

    def random(self, *what: str | int) -> np.random.Generator:
        """Return random numbers of their own for each thing drawn."""
        return np.random.default_rng(int.from_bytes(self._digest(*what), "big"))

    def name(self, task: int) -> str:
        """Return what pages call a task; it says nothing of its number."""
        return self._digest("task", task)[:_NAME].hex()

    def _digest(self, *what: str | int) -> bytes:
        return hmac.digest(self._key, json.dumps(what).encode(), hashlib.sha256)
