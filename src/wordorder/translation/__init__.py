"""A small phrase-based translator, to measure how much a better word order improves BLEU.

It has a phrase table, a language model, a decoder with n-best lists, and tuning. It is for
experiments, not for production: code for other translators belongs in `training` or `scoring`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
