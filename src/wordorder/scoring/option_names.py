"""Names of options in messages: those of the program on the command line, arguments in Python."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

from wordorder.errors import UsageError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# Set by the program. Messages are written with its options, which most users see.
ON_COMMAND_LINE = ContextVar("ON_COMMAND_LINE", default=False)
# Options whose argument is not called like them.
_ARGUMENTS = {
    "-i": "systems",
    "-m": "metrics",
    "-r": "references",
    "-O": "settings",
    "--hypothesis-alignment": "hypothesis_alignments",
    "--input": "kind",
    "--normalize": "normalization",
    "--parser": "parsers",
    "--reference-alignment": "reference_alignments",
    "--rules": "rule_sets",
}
_OPTION = re.compile(r"(?<![\w-])(?:--[a-z][a-z-]*|-[imrO]\b)")


def spoken(message: str) -> str:
    """Return a message with the names that its reader knows; commands in it stay as they are.

    Examples
    --------
    >>> spoken("--one-based is for alignments, but r.txt holds orders (--input alignments)")
    'one_based is for alignments, but r.txt holds orders (kind alignments)'
    """
    if ON_COMMAND_LINE.get() or "wordorder " in message:
        return message
    return _OPTION.sub(lambda m: _ARGUMENTS.get(m[0]) or m[0][2:].replace("-", "_"), message)


def names_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let the errors of a function name its arguments where it is called from Python."""

    @functools.wraps(function)
    def called(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        try:
            return function(*args, **options)
        except UsageError as error:
            raise UsageError(spoken(str(error))) from error.__cause__

    return called
