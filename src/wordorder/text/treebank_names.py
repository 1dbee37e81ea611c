"""Names of files that hold treebanks."""

from __future__ import annotations

import os

from wordorder.text.compression import without_compression

TREEBANK_SUFFIXES = (".conllu", ".conllx", ".conll")


def is_treebank(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named as treebanks are.

    Examples
    --------
    >>> is_treebank("en.conllu.gz"), is_treebank("en.txt")
    (True, False)
    """
    return without_compression(os.fspath(path)).endswith(TREEBANK_SUFFIXES)
