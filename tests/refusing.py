"""One line for each thing that is refused."""

from collections.abc import Callable
from typing import Any

import pytest


def refuses(
    error: type[BaseException],
    message: str,
    function: Callable[..., object],
    *args: Any,
    **options: Any,
) -> None:
    """Insist that a call raises this error, with a message that matches."""
    with pytest.raises(error, match=message):
        function(*args, **options)
