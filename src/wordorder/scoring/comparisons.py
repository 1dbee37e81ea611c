"""Significance tests of all pairs of systems, from files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wordorder.arrays import OnProgress
from wordorder.errors import UsageError, choose
from wordorder.messages import names_arguments
from wordorder.metrics.contract import BaseMetric, Score
from wordorder.metrics.order.common_words import reads_orders_alone
from wordorder.progress import shows_progress
from wordorder.scoring.documents import by_document, choose_documents
from wordorder.scoring.files import Files, Metrics, Systems
from wordorder.scoring.notes import note_few
from wordorder.scoring.result_records import comparison_table
from wordorder.scoring.runs import (
    compare_runs,
    note_repeated_runs,
    note_single_runs,
    split_runs,
    with_runs,
)
from wordorder.scoring.scores import compute_intervals, evaluate
from wordorder.scoring.signatures import with_signatures
from wordorder.scoring.systems import Evaluation, Keep, measurements, pair_measurements
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.measurement import NOT_COMPARED, Measurement
from wordorder.statistics.paired_tests import (
    TEST_FUNCTIONS,
    Comparison,
    PairTest,
    compare as paired_tests,
)
from wordorder.text.opening import Path

# Which words order metrics compare: those that both translations match, or those of each.
WORDS = ("common", "own")
# The field of signatures if pairs of systems are compared on common words.
COMMON_WORDS = ("words", "common")
# Changes to the test of two systems that cannot be compared.
_NO_TEST: dict[str, Any] = {
    "difference": math.nan,
    "interval_90": None,
    "interval_95": None,
    "p_value": math.nan,
    "mark": NOT_COMPARED,
}
# Pairs of systems that are resampled together; bounds memory.
_PAIRS_AT_ONCE = 50


@dataclass(frozen=True)
class ComparedSystems:
    """The tests of all pairs of systems.

    Attributes
    ----------
    evaluation : Evaluation
        The systems with their scores, and counts of skipped segments and words.
    metrics : tuple of BaseMetric
    comparisons : tuple of Comparison
        The tests of all pairs, one entry per metric.
    estimates : sequence of sequence of Estimate, or None
        The intervals of values by metric, then by system, if they were requested.
    """

    evaluation: Evaluation
    metrics: tuple[BaseMetric, ...]
    comparisons: tuple[Comparison, ...]
    estimates: Sequence[Sequence[Estimate]] | None = None

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per metric and pair of systems, as columns.

        Returns
        -------
        dict of str to list
            ``metric``, ``a``, ``b``, ``difference`` (value of `b` minus value of `a`), ``low95``
            and ``high95`` (None for randomization), ``p``, ``mark``, ``signature``.
        """
        return comparison_table(self.evaluation, self.comparisons, self.metrics).to_columns()


@names_arguments
@shows_progress("segments")
def compare_files(
    systems: Systems,
    reference: Path,
    metrics: Metrics = (),
    *,
    settings: Sequence[str] = (),
    test: str = "auto",
    words: str = "common",
    resamples: int | None = None,
    seed: int = 12345,
    by: str = "segment",
    documents: Any = None,
    level: float | None = None,
    progress: OnProgress | None = None,
    **options: Any,
) -> ComparedSystems:
    """Test which systems are better, pair by pair, as ``wordorder compare`` does.

    Parameters
    ----------
    systems, reference, metrics, settings, progress, options
        See `score_files`.
    test : "auto", "bootstrap" or "randomization"
        Paired bootstrap resampling (Koehn 2004), or approximate randomization. With more than
        100,000 segments, the sums of 4,096 buckets of segments are resampled or swapped, which is
        part of the signatures.
    words : "common" or "own"
        On which words order metrics compare translations: on the reference words that both systems
        of a pair match, so that a system does not gain by leaving words out; or each system on its
        own matched words.
    resamples : int, optional
        Number of resamples: 1,000 by default, 10,000 for randomization.
    seed : int
        The seed of the random choices.
    by, documents
        Whether whole documents are resampled or swapped; see `score_files`.
    level : float, optional
        The level of bootstrap intervals of the values of each system, for figures: statistics and
        lengths of all segments are then kept too.

    Raises
    ------
    UsageError, InputError
        See `score_files`.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> systems = [sample_path(f"{name}.orders") for name in ("unchanged", "head-final")]
    >>> (found,) = compare_files(systems, sample_path("reference.orders"), "frs").comparisons
    >>> found.pair(0, 1).mark
    '+**'
    """
    systems, runs = split_runs(systems, reference)
    if runs is not None and choose("test", test, ("auto", *TEST_FUNCTIONS)) == "randomization":
        problem = "--test=randomization swaps segments and would not count runs"
        raise UsageError(f"{problem}; expected auto or bootstrap")
    files = Files.of(reference, systems, options)
    document_names = choose_documents(by, documents, files)
    keep = Keep(
        statistics=level is not None or document_names is not None,
        lengths=level is not None,
        seed=seed if document_names is None else None,
        pairs=choose("words", words, WORDS) == "common",
    )
    evaluation, used_metrics = evaluate(
        files,
        metrics,
        settings,
        keep,
        document_names=document_names,
        runs=runs,
        progress=progress,
    )
    if document_names is not None:
        evaluation = by_document(evaluation, used_metrics, document_names)
    if runs is not None:
        evaluation = with_runs(evaluation, runs)
        note_single_runs(runs)
        note_repeated_runs(runs, systems)
    return compare_systems(evaluation, used_metrics, test, resamples, seed, level)


def compare_systems(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    test: str,
    resamples: int | None,
    seed: int,
    level: float | None = None,
) -> ComparedSystems:
    """Test all pairs of systems of an evaluation, as `compare_files` does."""
    note_few(evaluation)
    test_options: dict[str, Any] = {"test": test, "resamples": resamples, "seed": seed}
    has_runs = bool(evaluation.systems[0].runs)
    if has_runs:
        comparisons = compare_runs(evaluation, metrics, **test_options)
        comparisons = [_remove_tests_without_words(comparison) for comparison in comparisons]
    else:
        comparisons = paired_tests(measurements(evaluation, metrics), **test_options)
    comparisons = _remove_undefined(comparisons, evaluation)
    if evaluation.pairs and not has_runs:
        pairs = [
            PairOnCommonWords(
                pair.first,
                pair.second,
                pair.words / max(pair.reference_words, 1),
                pair_measurements(pair, metrics, evaluation.documents),
            )
            for pair in evaluation.pairs
        ]
        comparisons = on_common_words(comparisons, pairs, **test_options)
    if evaluation.pairs:
        evaluation = _sign_common_words(evaluation, metrics)
    if evaluation.documents is not None and len(evaluation.documents) == 1:
        comparisons = [_remove_intervals(comparison) for comparison in comparisons]
    estimates = None
    if level is not None:
        estimates = compute_intervals(evaluation, metrics, level, None, seed)
    return ComparedSystems(evaluation, tuple(metrics), tuple(comparisons), estimates)


def _remove_tests_without_words(comparison: Comparison) -> Comparison:
    """Remove the tests of pairs without common words."""
    pairs = (replace(pair, **_NO_TEST) if pair.common == 0 else pair for pair in comparison.pairs)
    return replace(comparison, pairs=tuple(pairs))


def _remove_intervals(comparison: Comparison) -> Comparison:
    pairs = (replace(pair, interval_90=None, interval_95=None) for pair in comparison.pairs)
    return replace(comparison, pairs=tuple(pairs))


def _remove_undefined(
    comparisons: Sequence[Comparison], evaluation: Evaluation
) -> list[Comparison]:
    """Remove values and tests of systems of which a metric left out all segments."""
    defined = []
    for m, comparison in enumerate(comparisons):
        values = tuple(
            value if system.scores[m].is_known else math.nan
            for system, value in zip(evaluation.systems, comparison.values, strict=True)
        )
        pairs = tuple(
            replace(pair, **_NO_TEST)
            if math.isnan(values[pair.first] + values[pair.second])
            else pair
            for pair in comparison.pairs
        )
        defined.append(replace(comparison, values=values, pairs=pairs))
    return defined


@dataclass(frozen=True)
class PairOnCommonWords:
    """Measurements of order metrics for two systems on the words that both match.

    Attributes
    ----------
    first, second : int
        The indices of the two systems.
    share : float
        The share of the reference's words that are compared.
    measurements : mapping of int to Measurement
        By the index of the metric.
    """

    first: int
    second: int
    share: float
    measurements: Mapping[int, Measurement]


def on_common_words(
    comparisons: Sequence[Comparison], pairs: Sequence[PairOnCommonWords], **test_options: Any
) -> list[Comparison]:
    """Replace the tests of order metrics by tests on the words that both systems match.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One per metric, on the systems' own words.
    pairs : sequence of PairOnCommonWords
        All pairs of systems.
    test_options
        Options of `wordorder.statistics.paired_tests.compare`.
    """
    tests: dict[int, list[PairTest]] = {}
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        rows = [
            (pair, m, measurement)
            for pair in pairs[start : start + _PAIRS_AT_ONCE]
            for m, measurement in pair.measurements.items()
        ]
        on_pairs = paired_tests([measurement for *_, measurement in rows], **test_options)
        for (pair, m, _), comparison in zip(rows, on_pairs, strict=True):
            (test,) = comparison.pairs
            changes: dict[str, Any] = {"first": pair.first, "second": pair.second}
            changes["common"] = pair.share
            if not pair.share:
                changes |= _NO_TEST
            tests.setdefault(m, []).append(replace(test, **changes))
    return [
        replace(comparison, pairs=tuple(tests.get(m, comparison.pairs)))
        for m, comparison in enumerate(comparisons)
    ]


def _sign_common_words(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> Evaluation:
    """Add the field of common words to the signatures of order metrics."""

    def sign(score: Score, metric: BaseMetric) -> Score:
        if not reads_orders_alone(metric):
            return score
        return score.with_fields(COMMON_WORDS)

    return with_signatures(evaluation, metrics, sign)
