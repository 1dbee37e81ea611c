from wordorder.judgement.correlations import AverageCorrelations as AverageCorrelations
from wordorder.judgement.correlations import Correlation as Correlation
from wordorder.judgement.correlations import MetaEvaluation as MetaEvaluation
from wordorder.judgement.correlations import SetCorrelations as SetCorrelations
from wordorder.judgement.evaluation_set import EvaluationSet as EvaluationSet
from wordorder.judgement.set_files import read_evaluation_sets as read_evaluation_sets
from wordorder.judgement.fitting import FitInput as FitInput
from wordorder.judgement.fitting import SetFit as SetFit
from wordorder.judgement.fitting import WeightFit as WeightFit
from wordorder.judgement.fitting import fit as fit
from wordorder.judgement.fitting import fit_weights as fit_weights
from wordorder.judgement.judgement_files import read_judgements as read_judgements
from wordorder.judgement.judgements import Judgements as Judgements
from wordorder.judgement.judgements import PairJudgements as PairJudgements
from wordorder.judgement.judgements import Preferences as Preferences
from wordorder.judgement.judgements import Ratings as Ratings
from wordorder.judgement.mean_ratings import RatedPairs as RatedPairs
from wordorder.judgement.mean_ratings import rated_pairs as rated_pairs
from wordorder.judgement.meta_evaluation import computed_scores as computed_scores
from wordorder.judgement.meta_evaluation import correlate as correlate
from wordorder.judgement.metrics_eval_folder import write_evaluation_set as write_evaluation_set
from wordorder.judgement.ranking import RankedSystem as RankedSystem
from wordorder.judgement.ranking import Ranking as Ranking
from wordorder.judgement.ranking import rank as rank
from wordorder.judgement.rater_agreement import RaterAgreement as RaterAgreement
from wordorder.judgement.rater_agreement import agreement as agreement
from wordorder.judgement.score_table import ScoreTable as ScoreTable
from wordorder.statistics.pair_counts import PairCounts as PairCounts
from wordorder.statistics.critical_values import critical_correlation as critical_correlation
from wordorder.statistics.critical_values import fisher_interval as fisher_interval
from wordorder.statistics.pair_counts import judged_pairs as judged_pairs
from wordorder.statistics.coefficients import kendall as kendall
from wordorder.statistics.pair_counts import pair_counts as pair_counts
from wordorder.statistics.coefficients import pairwise_accuracy as pairwise_accuracy
from wordorder.statistics.coefficients import pearson as pearson
from wordorder.statistics.coefficients import pooled_accuracy as pooled_accuracy
from wordorder.statistics.coefficients import spearman as spearman
from wordorder.statistics.coefficients import tau_of_counts as tau_of_counts
from wordorder.statistics.consistency import Consistency as Consistency
from wordorder.statistics.consistency import ConsistencyCurve as ConsistencyCurve
from wordorder.statistics.consistency import best_weights as best_weights
from wordorder.statistics.consistency import consistency as consistency
from wordorder.statistics.consistency import consistency_curve as consistency_curve
from wordorder.statistics.consistency import mean_curve as mean_curve
from wordorder.statistics.consistency import pair_differences as pair_differences
from wordorder.statistics.correlation_bootstrap import BootstrapTest as BootstrapTest
from wordorder.statistics.correlation_bootstrap import (
    bootstrap_coefficients as bootstrap_coefficients,
)
from wordorder.statistics.correlation_bootstrap import bootstrap_interval as bootstrap_interval
from wordorder.statistics.correlation_bootstrap import bootstrap_p_values as bootstrap_p_values
from wordorder.statistics.correlation_bootstrap import bootstrap_test as bootstrap_test
from wordorder.statistics.correlation_permutation import PermutationTest as PermutationTest
from wordorder.statistics.correlation_permutation import perm_both as perm_both
from wordorder.statistics.correlation_permutation import perm_inputs as perm_inputs
from wordorder.statistics.correlation_permutation import perm_systems as perm_systems
from wordorder.statistics.correlation_permutation import (
    permutation_p_values as permutation_p_values,
)
from wordorder.statistics.dependent_tests import DependentTest as DependentTest
from wordorder.statistics.dependent_tests import metric_clusters as metric_clusters
from wordorder.statistics.dependent_tests import williams as williams
from wordorder.statistics.grouped_correlation import (
    pairwise_confidence_error as pairwise_confidence_error,
)
from wordorder.statistics.grouped_correlation import (
    soft_pairwise_accuracy as soft_pairwise_accuracy,
)
from wordorder.statistics.metric_wins import WinsTable as WinsTable
from wordorder.statistics.metric_wins import WinsTables as WinsTables
from wordorder.statistics.metric_wins import wins_losses_draws as wins_losses_draws
from wordorder.statistics.named_statistics import Coefficient as Coefficient
from wordorder.statistics.named_statistics import TieCalibration as TieCalibration
from wordorder.statistics.named_statistics import acc_eq as acc_eq
from wordorder.statistics.named_statistics import coefficient as coefficient
from wordorder.statistics.paired_tests import holm as holm
from wordorder.statistics.unusual_raters import UnusualRater as UnusualRater
from wordorder.statistics.raters import cohen_kappa as cohen_kappa
from wordorder.statistics.raters import fleiss_kappa as fleiss_kappa
from wordorder.statistics.raters import krippendorff_alpha as krippendorff_alpha
from wordorder.statistics.sign_test import sign_test as sign_test
from wordorder.statistics.unusual_raters import unusual_raters as unusual_raters
