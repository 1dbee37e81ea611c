"""Human judgements of translations, and how well metrics agree with them."""

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
    from wordorder.judgement.evaluation_set import EvaluationSet
    from wordorder.judgement.fitting import FitInput, SetFit, WeightFit, fit_weights
    from wordorder.judgement.judgement_files import read_judgements
    from wordorder.judgement.judgements import Judgements
    from wordorder.judgement.meta_evaluation import correlate
    from wordorder.judgement.metric_fitting import fit
    from wordorder.judgement.metric_scores import computed_scores
    from wordorder.judgement.pair_judgements import PairJudgements
    from wordorder.judgement.preferences import Preferences
    from wordorder.judgement.ranking import RankedSystem, Ranking, rank
    from wordorder.judgement.rater_agreement import RaterAgreement, agreement
    from wordorder.judgement.ratings import Ratings
    from wordorder.judgement.score_table import ScoreTable
    from wordorder.judgement.set_reading import read_evaluation_sets
    from wordorder.statistics.agreement.kappa import cohen_kappa, fleiss_kappa
    from wordorder.statistics.agreement.krippendorff import krippendorff_alpha
    from wordorder.statistics.agreement.sign_test import sign_test
    from wordorder.statistics.agreement.unusual_raters import UnusualRater, unusual_raters
    from wordorder.statistics.consistency import (
        Consistency,
        ConsistencyCurve,
        best_weights,
        consistency,
        consistency_curve,
        mean_curve,
        pair_differences,
    )
    from wordorder.statistics.correlation.fisher import critical_correlation, fisher_interval
    from wordorder.statistics.correlation.linear import pearson, spearman
    from wordorder.statistics.correlation.named import Coefficient, coefficient
    from wordorder.statistics.correlation.pair_counts import PairCounts, judged_pairs, pair_counts
    from wordorder.statistics.correlation.partial import partial_correlation
    from wordorder.statistics.correlation.rank_agreement import (
        kendall,
        pairwise_accuracy,
        pooled_accuracy,
        tau_of_counts,
    )
    from wordorder.statistics.correlation.soft_accuracy import (
        pairwise_confidence_error,
        soft_pairwise_accuracy,
    )
    from wordorder.statistics.correlation.tie_calibration import TieCalibration, acc_eq
    from wordorder.statistics.correlation_tests.bootstrap import (
        BootstrapTest,
        bootstrap_coefficients,
        bootstrap_interval,
        bootstrap_p_values,
        bootstrap_test,
    )
    from wordorder.statistics.correlation_tests.dependent_correlations import (
        DependentTest,
        steiger,
        williams,
    )
    from wordorder.statistics.correlation_tests.metric_clusters import metric_clusters
    from wordorder.statistics.correlation_tests.permutation import (
        PermutationTest,
        perm_both,
        perm_inputs,
        perm_systems,
        permutation_p_values,
    )
    from wordorder.statistics.correlation_tests.wins import WinsTable, WinsTables, wins_losses_draws
    from wordorder.statistics.multiple_comparisons import holm

_PLACES = {
    "AverageCorrelations": "correlations",
    "BootstrapTest": ".statistics.correlation_tests.bootstrap",
    "Coefficient": ".statistics.correlation.named",
    "Consistency": ".statistics.consistency",
    "ConsistencyCurve": ".statistics.consistency",
    "Correlation": "correlations",
    "DependentTest": ".statistics.correlation_tests.dependent_correlations",
    "EvaluationSet": "evaluation_set",
    "FitInput": "fitting",
    "Judgements": "judgements",
    "MetaEvaluation": "correlations",
    "PairCounts": ".statistics.correlation.pair_counts",
    "PairJudgements": "pair_judgements",
    "PermutationTest": ".statistics.correlation_tests.permutation",
    "Preferences": "preferences",
    "RankedSystem": "ranking",
    "Ranking": "ranking",
    "RaterAgreement": "rater_agreement",
    "Ratings": "ratings",
    "ScoreTable": "score_table",
    "SetCorrelations": "correlations",
    "SetFit": "fitting",
    "TieCalibration": ".statistics.correlation.tie_calibration",
    "UnusualRater": ".statistics.agreement.unusual_raters",
    "WeightFit": "fitting",
    "WinsTable": ".statistics.correlation_tests.wins",
    "WinsTables": ".statistics.correlation_tests.wins",
    "acc_eq": ".statistics.correlation.tie_calibration",
    "agreement": "rater_agreement",
    "best_weights": ".statistics.consistency",
    "bootstrap_coefficients": ".statistics.correlation_tests.bootstrap",
    "bootstrap_interval": ".statistics.correlation_tests.bootstrap",
    "bootstrap_p_values": ".statistics.correlation_tests.bootstrap",
    "bootstrap_test": ".statistics.correlation_tests.bootstrap",
    "coefficient": ".statistics.correlation.named",
    "cohen_kappa": ".statistics.agreement.kappa",
    "computed_scores": "metric_scores",
    "consistency": ".statistics.consistency",
    "consistency_curve": ".statistics.consistency",
    "correlate": "meta_evaluation",
    "critical_correlation": ".statistics.correlation.fisher",
    "fisher_interval": ".statistics.correlation.fisher",
    "fit": "metric_fitting",
    "fit_weights": "fitting",
    "fleiss_kappa": ".statistics.agreement.kappa",
    "holm": ".statistics.multiple_comparisons",
    "judged_pairs": ".statistics.correlation.pair_counts",
    "kendall": ".statistics.correlation.rank_agreement",
    "krippendorff_alpha": ".statistics.agreement.krippendorff",
    "mean_curve": ".statistics.consistency",
    "metric_clusters": ".statistics.correlation_tests.metric_clusters",
    "pair_counts": ".statistics.correlation.pair_counts",
    "pair_differences": ".statistics.consistency",
    "pairwise_accuracy": ".statistics.correlation.rank_agreement",
    "pairwise_confidence_error": ".statistics.correlation.soft_accuracy",
    "partial_correlation": ".statistics.correlation.partial",
    "pearson": ".statistics.correlation.linear",
    "perm_both": ".statistics.correlation_tests.permutation",
    "perm_inputs": ".statistics.correlation_tests.permutation",
    "perm_systems": ".statistics.correlation_tests.permutation",
    "permutation_p_values": ".statistics.correlation_tests.permutation",
    "pooled_accuracy": ".statistics.correlation.rank_agreement",
    "rank": "ranking",
    "read_evaluation_sets": "set_reading",
    "read_judgements": "judgement_files",
    "sign_test": ".statistics.agreement.sign_test",
    "soft_pairwise_accuracy": ".statistics.correlation.soft_accuracy",
    "spearman": ".statistics.correlation.linear",
    "steiger": ".statistics.correlation_tests.dependent_correlations",
    "tau_of_counts": ".statistics.correlation.rank_agreement",
    "unusual_raters": ".statistics.agreement.unusual_raters",
    "williams": ".statistics.correlation_tests.dependent_correlations",
    "wins_losses_draws": ".statistics.correlation_tests.wins",
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
