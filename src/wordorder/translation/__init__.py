"""A phrase-based translator of our own size: what a better word order is worth in BLEU.

Phrase table, language model, decoder, lists of the best, and their tuning. It is a measuring
device, not a product: what serves any other translator belongs in `training` or `scoring`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
