"""The texts and options of a project: it continues only with the same ones."""

import os
from collections.abc import Mapping

from wordorder.errors import InputError, UsageError
from wordorder.people.items import read_input
from wordorder.people.plan import NewProject

# A longer setting is not shown.
_SHOWN = 20


def check_same(path: str, meta: Mapping[str, str], new: NewProject) -> None:
    """Refuse to go on with a project that was made of something else.

    Raises
    ------
    UsageError
        Naming what differs.
    """
    given = new.meta()
    for name in sorted({*given, *(name for name in meta if name.startswith("input "))}):
        kept, value = meta.get(name), given.get(name)
        if kept == value:
            continue
        label = name.removeprefix("input ")
        what = f"was made from another {label}"
        if value is None:
            what = f"was made with {label}, too"
        elif kept is None:
            what = f"was made without {label}"
        elif name.startswith("--") and len(kept + value) <= _SHOWN:
            what = f"was made with {name}={kept}, not {value}"
        raise UsageError(f"{path}: {what}; give another file with -o")


def check_files(path: str, meta: Mapping[str, str]) -> None:
    """Refuse a project of which a file has changed; one that is gone is not missed.

    Raises
    ------
    InputError
        Naming the file.
    """
    for name, place in meta.items():
        label = name.removeprefix("place ")
        if label == name or not os.path.isfile(place):
            continue
        if read_input(label, place).digest != meta[f"input {label}"]:
            what = f"{label}, {place}, has changed since the project was made from it"
            raise InputError(path, what, "the same file, or none")
