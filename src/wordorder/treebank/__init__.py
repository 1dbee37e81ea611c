"""Dependency trees: treebanks in columns, single trees to look at, CoNLL-U in and out.

CoNLL-U and brackets are read and written here. What makes trees is in `parsing`, what scores them
in `metrics.trees`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.treebank.brackets.conversion import convert_files, dependencies
    from wordorder.treebank.brackets.phrase import read_brackets
    from wordorder.treebank.column import Column
    from wordorder.treebank.kbest import KBest
    from wordorder.treebank.kbest_files import KBestReader, KBestWriter, read_kbest, write_kbest
    from wordorder.treebank.preparation import lowercase, split_hyphens
    from wordorder.treebank.reading import (
        TreebankReader,
        TreebankWriter,
        read_treebank,
        write_treebank,
    )
    from wordorder.treebank.treebank import Tree, Treebank
    from wordorder.treebank.trees import crossing_arcs, non_projective_arcs, projectivize

_PLACES = {
    name: module
    for module, names in {
        "brackets.conversion": "convert_files dependencies",
        "brackets.phrase": "read_brackets",
        "column": "Column",
        "kbest": "KBest",
        "kbest_files": "KBestReader KBestWriter read_kbest write_kbest",
        "preparation": "lowercase split_hyphens",
        "reading": "TreebankReader TreebankWriter read_treebank write_treebank",
        "treebank": "Tree Treebank",
        "trees": "crossing_arcs non_projective_arcs projectivize",
    }.items()
    for name in names.split()
}

__all__ = [
    "Column",
    "KBest",
    "KBestReader",
    "KBestWriter",
    "Tree",
    "Treebank",
    "TreebankReader",
    "TreebankWriter",
    "convert_files",
    "crossing_arcs",
    "dependencies",
    "lowercase",
    "non_projective_arcs",
    "projectivize",
    "read_brackets",
    "read_kbest",
    "read_treebank",
    "split_hyphens",
    "write_kbest",
    "write_treebank",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
