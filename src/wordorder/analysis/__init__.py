"""Where and why the order is wrong: words, tags, parsers, rules, sentences.

`analysed` has the result, an `Analysis`, and `Analysed`, what it needs of the analysed systems:
`corpus` has the class for orders, `translations` that for translations, which imports this folder
and is not imported by it. A `Section` is a table with a sentence about it and, perhaps, `findings`;
`answer` writes the answer, `sentence_tables` lists single sentences, `tally` counts and sums.

Sections of orders: `words`, `sentences`, `breakdown`, `tree_errors` with `repairs`, `rule_effects`,
`tags`; `analyze` puts them together, `files` reads. Parsers x rule sets: `grid`, `grid_systems`,
`grid_files`, `sensitivity`. `report` draws and prints; `statistics` has intervals and tests.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
