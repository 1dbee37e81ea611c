"""The columns that another parser's tagger fills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import Treebank

TAGS = ("own", "given")
TAG_COLUMNS = ("upos", "xpos", "feats")


def tagged(sentences: Treebank, found: Mapping[str, Sequence[str]]) -> Treebank:
    """Return the sentences with the tags found; what a tagger leaves empty becomes ``_``.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]])
    >>> tagged(bank, {"upos": ["PRON", ""]}).upos.strings()
    ['PRON', '_']
    """
    columns: dict[str, Any] = {
        name: Column.of([string or NOTHING for string in strings])
        for name, strings in found.items()
    }
    return sentences.replace(**columns)
