"""A phrase-based translator of our own size: what a better word order is worth in BLEU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.translation.language_model import LanguageModel
    from wordorder.translation.phrase_table import PhraseTable

_PLACES = {
    "LanguageModel": "language_model",
    "PhraseTable": "phrase_table",
}

__all__ = [
    "LanguageModel",
    "PhraseTable",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
