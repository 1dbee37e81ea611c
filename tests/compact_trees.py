"""Treebanks from a compact text: a line a sentence, of each word what is said between bars."""

from collections.abc import Iterable
from typing import Any

from wordorder.treebank.treebank import Treebank


def trees_of(lines: str | Iterable[str], names: str = "form upos xpos heads label") -> Treebank:
    """Read words like ``She/PRON/PRP/2/nsubj``; a line that ends with a backslash goes on."""
    if isinstance(lines, str):
        lines = lines.strip().replace("\\\n", "").split("\n")
    fields = names.split()
    rows = [[word.rsplit("/", len(fields) - 1) for word in line.split()] for line in lines]
    columns: dict[str, Any] = {
        name: [[word[place] for word in row] for row in rows] for place, name in enumerate(fields)
    }
    if "heads" in columns:
        columns["heads"] = [[int(head) for head in row] for row in columns["heads"]]
    return Treebank.from_words(columns.pop("form"), **columns)
