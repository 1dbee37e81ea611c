"""Tests of which systems are better, pair by pair, from files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
from wordorder.scoring.scores import estimated, evaluate
from wordorder.scoring.signatures import with_signatures
from wordorder.scoring.systems import Evaluation, measurements, pair_measurements
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.measurement import NOT_COMPARED, Measurement
from wordorder.text.opening import Path

if TYPE_CHECKING:
    from wordorder.statistics.paired_tests import Comparison, PairTest

# The words on which order metrics compare two translations.
WORDS = ("common", "own")
# What signatures say where pairs of systems are compared on common words.
COMMON_WORDS = ("words", "common")
TESTS = ("auto", "bootstrap", "randomization")


@dataclass(frozen=True)
class ComparedSystems:
    """What `compare_files` found.

    Attributes
    ----------
    evaluation : Evaluation
        Each system with its scores, and what was left out.
    metrics : tuple of BaseMetric
        Those that made it, in their order.
    comparisons : tuple of Comparison
        One per metric: all pairs of systems.
    estimates : sequence of sequence of Estimate, or None
        By metric, then by system: the intervals of their values, if they were asked for.
    """

    evaluation: Evaluation
    metrics: tuple[BaseMetric, ...]
    comparisons: tuple[Comparison, ...]
    estimates: Sequence[Sequence[Estimate]] | None = None

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for each metric and pair of systems, as columns.

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
    lengths: bool = False,
    level: float | None = None,
    progress: OnProgress | None = None,
    **options: Any,
) -> ComparedSystems:
    """Test which systems are better, pair by pair, as ``wordorder compare`` does.

    Parameters
    ----------
    systems, reference, metrics, settings, progress, options
        As in `score_files`.
    test : "auto", "bootstrap" or "randomization"
        Paired bootstrap resampling (Koehn 2004), or approximate randomization. With more than
        100,000 segments the sums of 4,096 buckets of them are resampled or swapped, and the
        signatures say so.
    words : "common" or "own"
        On which words order metrics compare translations: on the reference words that both systems
        of a pair match, so that nobody wins by leaving words out; or each on its own.
    resamples : int, optional
        How many resamples are drawn: 1,000 by default, 10,000 for randomization.
    seed : int
        The seed of the random choices.
    by, documents
        As in `score_files`: whether whole documents are drawn, and swapped.
    lengths : bool
        Whether the lengths of the segments are kept, for `scores_by_length`.
    level : float, optional
        The level of intervals of each system's values by bootstrap resampling.

    Raises
    ------
    UsageError, InputError
        As in `score_files`.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> systems = [sample_path(f"{name}.orders") for name in ("unchanged", "head-final")]
    >>> (found,) = compare_files(systems, sample_path("reference.orders"), "frs").comparisons
    >>> found.pair(0, 1).mark
    '+**'
    """
    systems, runs = split_runs(systems, reference)
    if runs is not None and choose("test", test, TESTS) == "randomization":
        what = "--test=randomization swaps segments and would not count runs"
        raise UsageError(f"{what}; expected auto or bootstrap")
    files = Files.of(reference, systems, options)
    named = choose_documents(by, documents, files)
    kept: dict[str, Any] = {
        "named": named,
        "keep": lengths or named is not None,
        "lengths": lengths,
    }
    kept["intervals"] = seed if named is None else None
    kept["pairs"] = choose("words", words, WORDS) == "common"
    evaluation, used = evaluate(files, metrics, settings, runs=runs, progress=progress, **kept)
    if named is not None:
        evaluation = by_document(evaluation, used, named)
    if runs is not None:
        evaluation = with_runs(evaluation, runs)
        note_single_runs(runs)
        note_repeated_runs(runs, systems)
    return compared(evaluation, used, test, resamples, seed, level)


def compared(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    test: str,
    resamples: int | None,
    seed: int,
    level: float | None = None,
) -> ComparedSystems:
    """Test all pairs of systems on what was kept of them, as `compare_files` does."""
    from wordorder.statistics.paired_tests import compare as paired_tests

    note_few(evaluation)
    drawn: dict[str, Any] = {"test": test, "resamples": resamples, "seed": seed}
    runs = bool(evaluation.systems[0].runs)
    if runs:
        found = compare_runs(evaluation, metrics, test, resamples, seed)
        found = [_compared_pairs(comparison) for comparison in found]
    else:
        found = paired_tests(measurements(evaluation, metrics), **drawn)
    found = _with_values(found, evaluation)
    if evaluation.pairs and runs:
        evaluation = _signed_common(evaluation, metrics)
    elif evaluation.pairs:
        pairs = [
            PairOnCommonWords(
                pair.first,
                pair.second,
                pair.words / max(pair.reference_words, 1),
                pair_measurements(pair, metrics, evaluation.documents),
            )
            for pair in evaluation.pairs
        ]
        found = on_common_words(found, pairs, **drawn)
        evaluation = _signed_common(evaluation, metrics)
    if evaluation.documents is not None and len(evaluation.documents) == 1:
        found = [_without_intervals(comparison) for comparison in found]
    estimates = None
    if level is not None:
        estimates = estimated(evaluation, metrics, level, None, seed)
    return ComparedSystems(evaluation, tuple(metrics), tuple(found), estimates)


def _compared_pairs(comparison: Comparison) -> Comparison:
    """Take the tests of pairs without common words away."""
    pairs = (replace(pair, **_NO_TEST) if pair.common == 0 else pair for pair in comparison.pairs)
    return replace(comparison, pairs=tuple(pairs))


def _without_intervals(comparison: Comparison) -> Comparison:
    pairs = (replace(pair, interval_90=None, interval_95=None) for pair in comparison.pairs)
    return replace(comparison, pairs=tuple(pairs))


def _with_values(comparisons: Sequence[Comparison], evaluation: Evaluation) -> list[Comparison]:
    """Take values and tests away where a metric left out all segments of a system."""
    found = []
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
        found.append(replace(comparison, values=values, pairs=pairs))
    return found


# Of two systems that cannot be compared.
_NO_TEST: dict[str, Any] = {
    "difference": math.nan,
    "interval_90": None,
    "interval_95": None,
    "p_value": math.nan,
    "mark": NOT_COMPARED,
}


# Pairs of systems that are resampled together.
_TOGETHER = 50


@dataclass(frozen=True)
class PairOnCommonWords:
    """What order metrics found for two systems on the words that both match.

    Attributes
    ----------
    first, second : int
        The systems' numbers.
    share : float
        The share of the reference's words that are compared.
    measurements : mapping of int to Measurement
        By the numbers of the metrics.
    """

    first: int
    second: int
    share: float
    measurements: Mapping[int, Measurement]


def on_common_words(
    comparisons: Sequence[Comparison], pairs: Sequence[PairOnCommonWords], **drawn: Any
) -> list[Comparison]:
    """Return comparisons whose order metrics compare each pair on the words that both match.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One per metric, of the systems' own words.
    pairs : sequence of PairOnCommonWords
        All pairs of systems.
    drawn
        How tests are drawn, as `wordorder.statistics.paired_tests.compare` takes it.
    """
    from wordorder.statistics.paired_tests import compare as paired_tests

    tests: dict[int, list[PairTest]] = {}
    for begin in range(0, len(pairs), _TOGETHER):
        measured = [
            (pair, number, measurement)
            for pair in pairs[begin : begin + _TOGETHER]
            for number, measurement in pair.measurements.items()
        ]
        found = paired_tests([measurement for *_, measurement in measured], **drawn)
        for (pair, number, _), comparison in zip(measured, found, strict=True):
            (tested,) = comparison.pairs
            named: dict[str, Any] = {"first": pair.first, "second": pair.second}
            named["common"] = pair.share
            if not pair.share:
                named |= _NO_TEST
            tests.setdefault(number, []).append(replace(tested, **named))
    return [
        replace(comparison, pairs=tuple(tests.get(number, comparison.pairs)))
        for number, comparison in enumerate(comparisons)
    ]


def _signed_common(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> Evaluation:
    """Say in the signatures of order metrics that pairs are compared on common words."""

    def signed(score: Score, metric: BaseMetric) -> Score:
        if not reads_orders_alone(metric):
            return score
        return replace(score, signature=score.signature.with_fields(COMMON_WORDS))

    return with_signatures(evaluation, metrics, signed)
