"""Checks that a project continues with the texts and options that it was made from."""

import os
from collections.abc import Mapping

from wordorder.errors import InputError, UsageError
from wordorder.people.contents import NewProject
from wordorder.people.items import read_input

# Longer values are not shown in messages.
_MAX_SHOWN = 20


def check_same(path: str, meta: Mapping[str, str], new: NewProject) -> None:
    """Refuse to continue a project that was made from other texts or options.

    Raises
    ------
    UsageError
        If a text or option differs; the message names it.
    """
    new_meta = new.meta()
    for name in sorted({*new_meta, *(name for name in meta if name.startswith("input "))}):
        old, value = meta.get(name), new_meta.get(name)
        if old == value:
            continue
        label = name.removeprefix("input ")
        difference = f"was made from another {label}"
        if value is None:
            difference = f"was made with {label}, too"
        elif old is None:
            difference = f"was made without {label}"
        elif name.startswith("--") and len(old + value) <= _MAX_SHOWN:
            difference = f"was made with {name}={old}, not {value}"
        raise UsageError(f"{path}: {difference}; give another file with -o")


def check_files(path: str, meta: Mapping[str, str]) -> None:
    """Refuse a project if one of its files has changed; files may be missing.

    Raises
    ------
    InputError
        If a file has changed; the message names it.
    """
    for name, place in meta.items():
        label = name.removeprefix("place ")
        if label == name or not os.path.isfile(place):
            continue
        if read_input(label, place).digest != meta[f"input {label}"]:
            problem = f"{label}, {place}, has changed since the project was made from it"
            raise InputError(path, problem, "the same file, or none")
