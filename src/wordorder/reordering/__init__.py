"""From a tree to an order: precedence rules, written and built in.

Rule sets are files of TOML; `learned` has models that are trained. Parsing comes before
(`parsing`), training and its files are in `training`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
