"""Where and why the order is wrong: words, tags, parsers, rules, sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.analysis.analysed_files import analyze_files
    from wordorder.analysis.evaluated_files import EvaluatedFiles, evaluate_files
    from wordorder.analysis.translations.analysed_files import analyze_translations

_PLACES = {
    "EvaluatedFiles": "evaluated_files",
    "analyze_files": "analysed_files",
    "analyze_translations": "translations.analysed_files",
    "evaluate_files": "evaluated_files",
}

__all__ = ["EvaluatedFiles", "analyze_files", "analyze_translations", "evaluate_files"]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
