"""Where and why the order is wrong: words, tags, parsers, rules, sentences.

A section is a table with a sentence about it and, perhaps, findings; orders are analysed here,
translations in `translations`. Nothing is drawn or printed here: that is `report`. Numbers that
need no words (intervals, tests) come from `statistics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.analysis.evaluated_files import EvaluatedFiles, evaluate_files
    from wordorder.analysis.files import analyze_files, analyze_translations

_PLACES = {
    "EvaluatedFiles": "evaluated_files",
    "analyze_files": "files",
    "analyze_translations": "files",
    "evaluate_files": "evaluated_files",
}

__all__ = ["EvaluatedFiles", "analyze_files", "analyze_translations", "evaluate_files"]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
