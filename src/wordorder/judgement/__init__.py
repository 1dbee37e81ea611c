"""Human judgements of translations, and how well metrics agree with them.

Judgements and scores are read, systems ranked, raters compared, and metrics correlated with people.
Statistics of plain arrays are in `statistics`, the collecting of judgements is in `people`, tables
and pages are in `report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.judgement.correlations import (
        AverageCorrelations,
        Correlation,
        MetaEvaluation,
        SetCorrelations,
    )
    from wordorder.judgement.evaluation_set import EvaluationSet, read_evaluation_sets
    from wordorder.judgement.fitting import FitInput, SetFit, WeightFit, fit, fit_weights
    from wordorder.judgement.judgement_files import read_judgements
    from wordorder.judgement.judgements import Judgements, PairJudgements, Preferences, Ratings
    from wordorder.judgement.meta_evaluation import computed_scores, correlate
    from wordorder.judgement.ranking import RankedSystem, Ranking, rank
    from wordorder.judgement.rater_agreement import RaterAgreement, agreement
    from wordorder.judgement.score_table import ScoreTable
    from wordorder.statistics.coefficients import (
        PairCounts,
        critical_correlation,
        fisher_interval,
        judged_pairs,
        kendall,
        pair_counts,
        pairwise_accuracy,
        partial_correlation,
        pearson,
        pooled_accuracy,
        spearman,
        tau_of_counts,
    )
    from wordorder.statistics.consistency import (
        Consistency,
        ConsistencyCurve,
        best_weights,
        consistency,
        consistency_curve,
        mean_curve,
        pair_differences,
    )
    from wordorder.statistics.correlation_bootstrap import (
        BootstrapTest,
        bootstrap_coefficients,
        bootstrap_interval,
        bootstrap_p_values,
        bootstrap_test,
    )
    from wordorder.statistics.correlation_permutation import (
        PermutationTest,
        perm_both,
        perm_inputs,
        perm_systems,
        permutation_p_values,
    )
    from wordorder.statistics.dependent_tests import (
        DependentTest,
        metric_clusters,
        steiger,
        williams,
    )
    from wordorder.statistics.grouped_correlation import (
        pairwise_confidence_error,
        soft_pairwise_accuracy,
    )
    from wordorder.statistics.metric_wins import WinsTable, WinsTables, wins_losses_draws
    from wordorder.statistics.named_statistics import Coefficient, coefficient
    from wordorder.statistics.paired_tests import holm
    from wordorder.statistics.raters import (
        UnusualRater,
        cohen_kappa,
        fleiss_kappa,
        krippendorff_alpha,
        sign_test,
        unusual_raters,
    )
    from wordorder.statistics.tie_calibration import TieCalibration, acc_eq

_PLACES = {
    "AverageCorrelations": "correlations",
    "BootstrapTest": ".statistics.correlation_bootstrap",
    "Coefficient": ".statistics.named_statistics",
    "Consistency": ".statistics.consistency",
    "ConsistencyCurve": ".statistics.consistency",
    "Correlation": "correlations",
    "DependentTest": ".statistics.dependent_tests",
    "EvaluationSet": "evaluation_set",
    "FitInput": "fitting",
    "Judgements": "judgements",
    "MetaEvaluation": "correlations",
    "PairCounts": ".statistics.coefficients",
    "PairJudgements": "judgements",
    "PermutationTest": ".statistics.correlation_permutation",
    "Preferences": "judgements",
    "RankedSystem": "ranking",
    "Ranking": "ranking",
    "RaterAgreement": "rater_agreement",
    "Ratings": "judgements",
    "ScoreTable": "score_table",
    "SetCorrelations": "correlations",
    "SetFit": "fitting",
    "TieCalibration": ".statistics.tie_calibration",
    "UnusualRater": ".statistics.raters",
    "WeightFit": "fitting",
    "WinsTable": ".statistics.metric_wins",
    "WinsTables": ".statistics.metric_wins",
    "acc_eq": ".statistics.tie_calibration",
    "agreement": "rater_agreement",
    "best_weights": ".statistics.consistency",
    "bootstrap_coefficients": ".statistics.correlation_bootstrap",
    "bootstrap_interval": ".statistics.correlation_bootstrap",
    "bootstrap_p_values": ".statistics.correlation_bootstrap",
    "bootstrap_test": ".statistics.correlation_bootstrap",
    "coefficient": ".statistics.named_statistics",
    "cohen_kappa": ".statistics.raters",
    "computed_scores": "meta_evaluation",
    "consistency": ".statistics.consistency",
    "consistency_curve": ".statistics.consistency",
    "correlate": "meta_evaluation",
    "critical_correlation": ".statistics.coefficients",
    "fisher_interval": ".statistics.coefficients",
    "fit": "fitting",
    "fit_weights": "fitting",
    "fleiss_kappa": ".statistics.raters",
    "holm": ".statistics.paired_tests",
    "judged_pairs": ".statistics.coefficients",
    "kendall": ".statistics.coefficients",
    "krippendorff_alpha": ".statistics.raters",
    "mean_curve": ".statistics.consistency",
    "metric_clusters": ".statistics.dependent_tests",
    "pair_counts": ".statistics.coefficients",
    "pair_differences": ".statistics.consistency",
    "pairwise_accuracy": ".statistics.coefficients",
    "pairwise_confidence_error": ".statistics.grouped_correlation",
    "partial_correlation": ".statistics.coefficients",
    "pearson": ".statistics.coefficients",
    "perm_both": ".statistics.correlation_permutation",
    "perm_inputs": ".statistics.correlation_permutation",
    "perm_systems": ".statistics.correlation_permutation",
    "permutation_p_values": ".statistics.correlation_permutation",
    "pooled_accuracy": ".statistics.coefficients",
    "rank": "ranking",
    "read_evaluation_sets": "evaluation_set",
    "read_judgements": "judgement_files",
    "sign_test": ".statistics.raters",
    "soft_pairwise_accuracy": ".statistics.grouped_correlation",
    "spearman": ".statistics.coefficients",
    "steiger": ".statistics.dependent_tests",
    "tau_of_counts": ".statistics.coefficients",
    "unusual_raters": ".statistics.raters",
    "williams": ".statistics.dependent_tests",
    "wins_losses_draws": ".statistics.metric_wins",
}

__all__ = [
    "AverageCorrelations",
    "BootstrapTest",
    "Coefficient",
    "Consistency",
    "ConsistencyCurve",
    "Correlation",
    "DependentTest",
    "EvaluationSet",
    "FitInput",
    "Judgements",
    "MetaEvaluation",
    "PairCounts",
    "PairJudgements",
    "PermutationTest",
    "Preferences",
    "RankedSystem",
    "Ranking",
    "RaterAgreement",
    "Ratings",
    "ScoreTable",
    "SetCorrelations",
    "SetFit",
    "TieCalibration",
    "UnusualRater",
    "WeightFit",
    "WinsTable",
    "WinsTables",
    "acc_eq",
    "agreement",
    "best_weights",
    "bootstrap_coefficients",
    "bootstrap_interval",
    "bootstrap_p_values",
    "bootstrap_test",
    "coefficient",
    "cohen_kappa",
    "computed_scores",
    "consistency",
    "consistency_curve",
    "correlate",
    "critical_correlation",
    "fisher_interval",
    "fit",
    "fit_weights",
    "fleiss_kappa",
    "holm",
    "judged_pairs",
    "kendall",
    "krippendorff_alpha",
    "mean_curve",
    "metric_clusters",
    "pair_counts",
    "pair_differences",
    "pairwise_accuracy",
    "pairwise_confidence_error",
    "partial_correlation",
    "pearson",
    "perm_both",
    "perm_inputs",
    "perm_systems",
    "permutation_p_values",
    "pooled_accuracy",
    "rank",
    "read_evaluation_sets",
    "read_judgements",
    "sign_test",
    "soft_pairwise_accuracy",
    "spearman",
    "steiger",
    "tau_of_counts",
    "unusual_raters",
    "williams",
    "wins_losses_draws",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
