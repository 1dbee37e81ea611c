"""Trees as a caller may give them: a treebank, or the path of one."""

from __future__ import annotations

import os

from wordorder.errors import UsageError
from wordorder.text.opening import display_name
from wordorder.treebank.treebank import Treebank

GivenTrees = Treebank | str | os.PathLike[str]


def given_trees(given: GivenTrees, what: str) -> tuple[Treebank, str]:
    """Return a treebank, and what messages call it.

    Raises
    ------
    UsageError
        If something else is given.
    InputError
        If the file is wrong.
    """
    if isinstance(given, Treebank):
        return given, what
    if isinstance(given, (str, os.PathLike)):
        from wordorder.treebank.reading import read_treebank

        return read_treebank(given, trees="optional", single_root=False), display_name(given)
    raise UsageError(f"{what}: a Treebank or the path of one, not {type(given).__name__}")
