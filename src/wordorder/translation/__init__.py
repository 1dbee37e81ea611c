"""A phrase-based translator of our own size: what a better word order is worth in BLEU.

Phrase table, language model, decoder, lists of the best, and their tuning. It is a measuring
device, not a product: what serves any other translator belongs in `training` or `scoring`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.translation.decoder import Decoder, Translated
    from wordorder.translation.language_model import LanguageModel
    from wordorder.translation.model import TranslationModel, load_translation_model
    from wordorder.translation.phrase_table import PhraseTable
    from wordorder.translation.training import train_translation
    from wordorder.translation.translating import translate
    from wordorder.translation.tuning import tune_translation

_PLACES = {
    "Decoder": "decoder",
    "LanguageModel": "language_model",
    "PhraseTable": "phrase_table",
    "TranslationModel": "model",
    "Translated": "decoder",
    "load_translation_model": "model",
    "translate": "translating",
    "train_translation": "training",
    "tune_translation": "tuning",
}

__all__ = [
    "Decoder",
    "LanguageModel",
    "PhraseTable",
    "Translated",
    "TranslationModel",
    "load_translation_model",
    "train_translation",
    "translate",
    "tune_translation",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
