"""Where and why the order is wrong: words, tags, parsers, rules, sentences.

A section is a table with a sentence about it and, perhaps, findings; orders are analysed here,
translations in `translations`. Nothing is drawn or printed here: that is `report`. Numbers that
need no words (intervals, tests) come from `statistics`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
