"""Orders learned from word alignments: what a model is, its file, and what it learns from.

Each kind of model has a file. How they are trained on files is in `training.order`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
