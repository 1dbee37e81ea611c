"""Dependency trees: treebanks in columns, single trees to look at, CoNLL-U in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.treebank.brackets.conversion import dependencies
    from wordorder.treebank.brackets.convert_files import convert_files
    from wordorder.treebank.brackets.reading import read_brackets
    from wordorder.treebank.column import Column
    from wordorder.treebank.kbest import KBest
    from wordorder.treebank.kbest_reading import KBestReader, read_kbest
    from wordorder.treebank.kbest_writing import KBestWriter, write_kbest
    from wordorder.treebank.preparation import lowercase, split_hyphens
    from wordorder.treebank.projectivity import crossing_arcs, non_projective_arcs, projectivize
    from wordorder.treebank.reading import TreebankReader, read_treebank
    from wordorder.treebank.tree import Tree
    from wordorder.treebank.treebank import Treebank
    from wordorder.treebank.writing import TreebankWriter, write_treebank

_PLACES = {
    "Column": "column",
    "KBest": "kbest",
    "KBestReader": "kbest_reading",
    "KBestWriter": "kbest_writing",
    "Tree": "tree",
    "Treebank": "treebank",
    "TreebankReader": "reading",
    "TreebankWriter": "writing",
    "convert_files": "brackets.convert_files",
    "crossing_arcs": "projectivity",
    "dependencies": "brackets.conversion",
    "lowercase": "preparation",
    "non_projective_arcs": "projectivity",
    "projectivize": "projectivity",
    "read_brackets": "brackets.reading",
    "read_kbest": "kbest_reading",
    "read_treebank": "reading",
    "split_hyphens": "preparation",
    "write_kbest": "kbest_writing",
    "write_treebank": "writing",
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
