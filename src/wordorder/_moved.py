"""Modules by the places that version 0.2 documented: for one more version."""

import importlib
import warnings
from functools import cache
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.resources import files
from types import ModuleType
from typing import Any


@cache
def moved() -> dict[str, str]:
    """Return where each module is now, by where it was; both without ``wordorder.``.

    Examples
    --------
    >>> moved()["statistics.comparison"]
    'statistics.paired_tests'
    """
    text = files("wordorder").joinpath("moved.tsv").read_text(encoding="utf-8")
    return dict(line.split("\t") for line in text.splitlines())


class _Moved(ModuleType):
    """A module whose names are looked up in another one."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self.__place = place

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__place), name)


class _Loader(Loader):
    """Makes a module that passes on to the new place, and names that place."""

    def __init__(self, name: str, place: str) -> None:
        self.name = name
        self.place = place

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Moved(self.name, self.place)

    def exec_module(self, module: ModuleType) -> None:
        warnings.warn(f"{self.name} is now {self.place}", DeprecationWarning, stacklevel=2)


def spec_of(name: str) -> ModuleSpec | None:
    """Return how to import a module by its old name; None for a name that never was one.

    Parameters
    ----------
    name : str
        With ``wordorder.``.

    Warns
    -----
    DeprecationWarning
        With the new place, when the module is imported.

    Examples
    --------
    >>> spec_of("wordorder.statistics.comparison").loader.place
    'wordorder.statistics.paired_tests'
    >>> spec_of("wordorder.no_such_module")
    """
    old = name.removeprefix("wordorder.")
    if old in moved():
        return ModuleSpec(name, _Loader(name, f"wordorder.{moved()[old]}"))
    if any(each.startswith(f"{old}.") for each in moved()):
        # A folder that is gone: there is nothing in it but what moved.
        return ModuleSpec(name, None, is_package=True)
    return None
