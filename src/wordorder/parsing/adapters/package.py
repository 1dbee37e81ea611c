"""Importing the package of another parser, when it is needed and not before."""

from __future__ import annotations

import importlib
from typing import Any

from wordorder.errors import UsageError


def load_package(module: str, extra: str) -> Any:
    """Import a module that only an extra of ours installs.

    Raises
    ------
    UsageError
        If it is not installed, with what to type; or if it breaks while it is imported.

    Examples
    --------
    >>> load_package("no_such", "udpipe")
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: udpipe: no_such is not installed; pip install "wordorder[udpipe]"
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # Of another name: the package is there, and something that it needs is not.
        if error.name != module and not module.startswith(f"{error.name}."):
            raise UsageError(f"{extra}: {module} cannot be imported: {error}") from error
        message = f'{extra}: {module} is not installed; pip install "wordorder[{extra}]"'
        raise UsageError(message) from None
    except (ImportError, OSError) as error:
        raise UsageError(f"{extra}: {module} cannot be imported: {error}") from error
