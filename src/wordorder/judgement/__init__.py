"""Human judgements of translations, and how well metrics agree with them.

Judgements and scores are read, systems ranked, raters compared, and metrics correlated with people.
The collecting of judgements is in `wordorder.people`.

Reading (`judgement_files`, `evaluation_set`, `score_table`, `project_file`), rankings and agreement
of people (`ranking`, `mean_ratings`, `rater_agreement`), and metrics against people
(`meta_evaluation`, `set_correlations`, `correlations`, `fitting`). Tests and coefficients that know
no judgements are in `wordorder.statistics`; tables and pages in `wordorder.report`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
