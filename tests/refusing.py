"""One line for each thing that is refused."""

import re
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


def complains(
    error: type[BaseException],
    beginning: str,
    function: Callable[..., object],
    *args: Any,
    **options: Any,
) -> None:
    """Insist that a call raises this error, with a message that begins with these characters."""
    refuses(error, f"^{re.escape(beginning)}", function, *args, **options)
