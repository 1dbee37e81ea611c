"""The secret of a project, from which hidden orders and names are generated."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable
from typing import TypeVar

import numpy as np

Value = TypeVar("Value", int, str)
# Bytes of the name of a task: 128 bits cannot be guessed.
_TASK_NAME_BYTES = 16


class Secret:
    """The secret of a project, and the random choices that follow from it.

    Parameters
    ----------
    text : str
        The secret as stored in the project file.

    Examples
    --------
    >>> secret = Secret("a secret")
    >>> secret.shuffled([1, 2, 3], "shown"), secret.shuffled([1, 2, 3], "hidden")
    ([2, 3, 1], [3, 2, 1])
    """

    def __init__(self, text: str) -> None:
        self._key = text.encode()

    def shuffled(self, values: Iterable[Value], *key: str | int) -> list[Value]:
        """Return values in a random order, which is always the same for the same key."""
        return sorted(values, key=lambda value: self._digest(*key, value))

    def random(self, *key: str | int) -> np.random.Generator:
        """Return a random generator that depends on the key."""
        return np.random.default_rng(int.from_bytes(self._digest(*key), "big"))

    def name(self, task: int) -> str:
        """Return the name of a task on pages, from which its number cannot be inferred."""
        return self._digest("task", task)[:_TASK_NAME_BYTES].hex()

    def owner(self) -> str:
        """Return the token of the owner's page."""
        return self._digest("owner").hex()

    def _digest(self, *key: str | int) -> bytes:
        return hmac.digest(self._key, json.dumps(key).encode(), hashlib.sha256)
