"""Where and why translations are in the wrong order: the sections of their report.

`files` reads and matches, `analyze` puts the sections together: `difference` and
`difference_sections` say why one system is better (by `kinds` of words), `blocks` and
`block_sections` which blocks have moved, `words`, `outcomes` and `ngrams` what became of words,
`scores`, `lengths`, `source` and `duplicates` the rest. What holds for orders of any kind is one
folder up.
"""
