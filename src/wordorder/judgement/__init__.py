"""Human judgements of translations, and how well metrics agree with them.

Judgements and scores are read, systems ranked, raters compared, and metrics correlated with people.
The collecting of judgements is in `wordorder.people`.

Reading (`judgement_files`, `evaluation_set`, `score_table`, `project_file`), rankings and agreement
of people (`ranking`, `mean_ratings`, `rater_agreement`), and metrics against people
(`meta_evaluation`, `set_correlations`, `correlations`, `fitting`). Tests and coefficients that know
no judgements are in `wordorder.statistics`; tables and pages in `wordorder.report`.
"""

from wordorder.lazy_names import lazy_names

# The names of each module, for programs; `__init__.pyi` has them for type checkers. Modules that
# begin with a dot are in other folders.
_NAMES = {
    "correlations": "AverageCorrelations Correlation MetaEvaluation SetCorrelations",
    "evaluation_set": "EvaluationSet read_evaluation_sets",
    "fitting": "FitInput SetFit WeightFit fit fit_weights",
    "judgement_files": "read_judgements",
    "judgements": "Judgements PairJudgements Preferences Ratings",
    "mean_ratings": "RatedPairs rated_pairs",
    "meta_evaluation": "computed_scores correlate",
    "ranking": "RankedSystem Ranking rank",
    "rater_agreement": "RaterAgreement agreement",
    "score_table": "ScoreTable",
    ".statistics.coefficients": (
        "PairCounts critical_correlation fisher_interval judged_pairs kendall pair_counts "
        "pairwise_accuracy partial_correlation pearson pooled_accuracy spearman tau_of_counts"
    ),
    ".statistics.consistency": (
        "Consistency ConsistencyCurve best_weights consistency consistency_curve mean_curve "
        "pair_differences"
    ),
    ".statistics.correlation_bootstrap": (
        "BootstrapTest bootstrap_coefficients bootstrap_interval bootstrap_p_values bootstrap_test"
    ),
    ".statistics.correlation_permutation": (
        "PermutationTest perm_both perm_inputs perm_systems permutation_p_values"
    ),
    ".statistics.dependent_tests": "DependentTest metric_clusters steiger williams",
    ".statistics.grouped_correlation": "pairwise_confidence_error soft_pairwise_accuracy",
    ".statistics.metric_wins": "WinsTable WinsTables wins_losses_draws",
    ".statistics.named_statistics": "Coefficient TieCalibration acc_eq coefficient",
    ".statistics.paired_tests": "holm",
    ".statistics.raters": (
        "UnusualRater cohen_kappa fleiss_kappa krippendorff_alpha sign_test unusual_raters"
    ),
}

_PLACES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_PLACES)

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
