"""Results of other floors as text, tables, HTML pages and figures.

For each result a function returns its `Output` in all formats (`document`; tables in `tables`):
`scores`, `grids`, `sections`, `correlations`, `judgements`, `rules`, `tuning_table`. `page` and
`judgement_page` write HTML, `figures` is for papers. Nothing is computed here that JSON lacks.
"""
