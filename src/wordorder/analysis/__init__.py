"""Where and why the order is wrong: words, tags, parsers, rules, sentences.

A section is a table with a sentence about it and, perhaps, findings (`section`); what is looked at
is in `corpus`, how it is counted in `tally`. Sections of orders: `words`, `sentences`, `breakdown`,
`tree_errors` with `repairs`, `rule_effects`, `tags`; `analyze` puts them together, `files` reads.
Parsers x rule sets: `grid`, `grid_systems`, `grid_files`, `sensitivity`. Translations are in
`translations`. Nothing is drawn or printed here: that is `report`. Numbers that need no words
(intervals, tests) come from `statistics`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
