"""Taggers and parsers: trained from any treebank, with lists of the best and their scores.

What all parsers share is here; each kind has a folder, and so has their training. Trees and
treebanks themselves are in `treebank`. Costs and selection for a task are in `training`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
