"""Names of files that hold treebanks."""

from __future__ import annotations

import os

from wordorder.errors import UsageError
from wordorder.text.compression import without_compression

TREEBANK_SUFFIXES = (".conllu", ".conllx", ".conll")
BRACKET_SUFFIXES = (".mrg", ".ptb", ".brackets")


def is_treebank(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named as treebanks are.

    Examples
    --------
    >>> is_treebank("en.conllu.gz"), is_treebank("en.txt")
    (True, False)
    """
    return without_compression(os.fspath(path)).endswith(TREEBANK_SUFFIXES)


def refuse_brackets(path: str | os.PathLike[str]) -> None:
    """Raise a UsageError for a file that is named as phrase structure trees in brackets are.

    Examples
    --------
    >>> refuse_brackets("wsj.mrg")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    wordorder.errors.UsageError: wsj.mrg: phrase structure trees in brackets; convert them ...
    """
    name = os.fspath(path)
    plain = without_compression(name)
    if plain.endswith(BRACKET_SUFFIXES):
        new = f"{plain.rpartition('.')[0]}.conllu"
        raise UsageError(
            f"{name}: phrase structure trees in brackets; convert them first: "
            f"`wordorder convert {name} -o {new}`"
        )
