"""Dependency trees: treebanks in columns, views of single trees, reading and writing of files.

CoNLL-U and bracketed trees are read and written here. Parsers are in `parsing`, metrics of trees in
`metrics.trees`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
