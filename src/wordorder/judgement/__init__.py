"""Human judgements of translations, and their correlation with metrics.

Modules: judgements and scores (`judgement_files`, `project_file`, `score_table`), evaluation sets
(`evaluation_set`, `set_files`), rankings and agreement of raters (`ranking`, `mean_ratings`,
`rater_agreement`), and correlation with metrics (`meta_evaluation`, `set_correlations`,
`correlations`, `fitting`). `wordorder.people` collects judgements; tests and coefficients of plain
numbers are in `wordorder.statistics`, tables and pages in `wordorder.report`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
