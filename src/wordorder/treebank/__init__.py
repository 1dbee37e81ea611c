"""Dependency trees: treebanks in columns, single trees to look at, CoNLL-U in and out.

CoNLL-U and brackets are read and written here. What makes trees is in `parsing`, what scores them
in `metrics.trees`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
