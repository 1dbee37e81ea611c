"""Tables and pictures of results that others computed.

One function per result makes its output in every format (`Output` in `document`, tables
in `tables`): `scores`, `grids`, `sections`, `correlations`, `judgements`, `rules`, `tuning_table`.
`page` and `judgement_page` are HTML, `figures` is for papers. Nothing is computed here that a
reader of JSON would miss.
"""
