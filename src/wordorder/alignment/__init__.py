"""Word alignments: the column type, the formats, and a linter of annotation.

Readers and writers of every notation, symmetrisation, and the aligners (`statistical`: two
languages; `monolingual`: a translation and its reference). Orders made from alignments are in
`order`; metrics of alignments are in `metrics.link_metrics`.
"""
