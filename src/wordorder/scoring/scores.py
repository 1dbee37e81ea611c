"""Scores of systems, from files."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import Array, Float64, OnProgress
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted, names_arguments
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import grouped_notes
from wordorder.progress import shows_progress
from wordorder.scoring.documents import NamedDocuments, by_document, check_before, choose_documents
from wordorder.scoring.files import (
    Counts,
    FileKind,
    Files,
    Inputs,
    Metrics,
    Systems,
    leaves_open,
    make_metrics,
)
from wordorder.scoring.kind_detection import kind_of
from wordorder.scoring.notes import note_few, note_left_out
from wordorder.scoring.result_columns import segment_columns
from wordorder.scoring.result_records import score_table
from wordorder.scoring.runs import (
    Runs,
    note_repeated_runs,
    note_single_runs,
    run_estimates,
    split_runs,
    with_runs,
)
from wordorder.scoring.signatures import with_counted_links
from wordorder.scoring.systems import Evaluation, Keep, measurements, score_inputs
from wordorder.scoring.text_files import TextFiles, matched_files
from wordorder.segments import Segments
from wordorder.statistics.intervals import NO_ESTIMATE, Estimate, confidence_intervals
from wordorder.text.lockstep import parallel_rows
from wordorder.text.names import read_only_once, unlinked_paths
from wordorder.text.opening import Path


@dataclass(frozen=True)
class Scores:
    """The scores of systems, with intervals and scores of segments if they were requested.

    Attributes
    ----------
    evaluation : Evaluation
        The systems with their scores, and counts of skipped segments and words.
    metrics : tuple of BaseMetric
    estimates : tuple of tuple of Estimate, or None
        The intervals by metric, then by system.
    """

    evaluation: Evaluation
    metrics: tuple[BaseMetric, ...]
    estimates: Sequence[Sequence[Estimate]] | None = None

    @property
    def segments(self) -> dict[tuple[int, int], Float64] | None:
        """The scores of segments by the indices of system and metric, if they were requested.

        They are NaN for segments that the metric leaves out.
        """
        scores = {
            (s, m): values
            for s, system in enumerate(self.evaluation.systems)
            for m, values in enumerate(system.segments)
        }
        return scores or None

    def values(self) -> dict[str, dict[str, float]]:
        """Return the score of each system, by name, under each metric, by name."""
        return {
            system.name: dict(
                zip(self.evaluation.metric_names, (s.value for s in system.scores), strict=True)
            )
            for system in self.evaluation.systems
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per system and metric, as columns for ``pandas.DataFrame``.

        Returns
        -------
        dict of str to list
            ``system``, ``metric``, ``value`` (None if all segments are left out), ``low`` and
            ``high`` (None without intervals), ``scored`` and ``skipped`` segments, ``matched`` (the
            share of the reference's words that match; None for metrics that do not read orders, and
            for files of orders), ``signature``.

        Examples
        --------
        >>> from wordorder.samples import sample_path
        >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
        >>> found = score_files(system, reference, "frs")
        >>> {name: found.to_columns()[name] for name in ("system", "metric", "scored")}
        {'system': ['head-final'], 'metric': ['frs'], 'scored': [72]}
        """
        return score_table(self.evaluation, self.estimates, self.metrics).to_columns()

    def segment_columns(self) -> dict[str, Array]:
        """Return one row per system, metric and segment, as columns.

        Returns
        -------
        dict of str to array
            ``system``, ``metric``, ``segment`` (from 1), ``value`` (NaN if it is left out).

        Raises
        ------
        UsageError
            If the scores of the segments were not requested.
        """
        self._require_segments()
        return segment_columns(self.evaluation)

    def _require_segments(self) -> None:
        if self.segments is None:
            raise UsageError("there are no scores of segments: ask for them, segments=True")

    def segment_scores(self, metric: int) -> Float64:
        """Return the scores of all segments under the metric with this index in `metrics`.

        Returns
        -------
        float64[systems, S]
            NaN for segments that the metric leaves out.

        Raises
        ------
        UsageError
            If the scores of the segments were not requested.
        """
        self._require_segments()
        return np.array([system.segments[metric] for system in self.evaluation.systems])


@names_arguments
@shows_progress("segments")
def score_files(
    systems: Systems,
    reference: Path,
    metrics: Metrics = (),
    *,
    settings: Sequence[str] = (),
    level: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
    by: str = "segment",
    documents: Any = None,
    segments: bool = False,
    statistics: bool = True,
    progress: OnProgress | None = None,
    **options: Any,
) -> Scores:
    """Score the files of systems against those of a reference, as ``wordorder score`` does.

    Parameters
    ----------
    systems : path, sequence of paths, or mapping of name to path
        ``NAME=FILE`` names a system. ``NAME=FILE,FILE``, or in a mapping a list of paths or of
        texts, are several runs of a system: its score is their mean, and intervals cover the
        variation between runs.
    reference : path
        A reference translation, reference orders, gold alignments or gold trees, as the systems.
    metrics : str or sequence of str
        Names separated by commas, sums, names with options, or "all"; the default depends on the
        files.
    settings : sequence of str
        Options of the metrics, ``[METRIC.]KEY=VALUE``.
    level : float, optional
        The level of intervals by bootstrap resampling. With more than 100,000 segments, the sums of
        4,096 buckets of segments are resampled, which is part of the signatures.
    resamples : int, optional
        Number of resamples for the intervals, 1,000 by default.
    seed : int
        The seed of the random choices.
    by : "segment" or "document"
        What is resampled. Segments of one document are not independent: intervals by document
        take that into account.
    documents : path or sequence of str, optional
        The document of each segment: a file with one name per line, or a column of a table; by
        default the column ``document`` of the reference's table.
    segments : bool
        Whether to return the score of each segment.
    statistics : bool
        Whether to keep statistics and lengths of segments with their scores, as `measurements` and
        `scores_by_length` need them. Without them, a segment takes 8 bytes per system and metric.
    progress : callable, optional
        Called now and then with the number of segments done.
    options
        Further fields of `wordorder.scoring.files.Files`: ``kind="orders"``,
        ``source="source.txt"``, ``tokenizer="13a"``.

    Returns
    -------
    Scores

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other or do not fit the files.
    InputError
        If a file is wrong, or two differ in their number of lines; the message names the line.

    Warns
    -----
    note
        About skipped segments and words.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> result = score_files(system, reference, "frs,kendall")
    >>> {name: round(value, 4) for name, value in result.values()["head-final"].items()}
    {'frs': 0.7587, 'kendall': 0.8922}
    """
    if level is None and resamples is not None:
        raise UsageError("--resamples is for --confidence")
    systems, runs = split_runs(systems, reference)
    files = Files.of(reference, systems, options)
    document_names = choose_documents(by, documents, files)
    if level is None and document_names is not None:
        raise UsageError("--by is for --confidence")
    keep = Keep(
        statistics=(segments and statistics) or document_names is not None,
        segment_scores=segments,
        lengths=segments and statistics,
        seed=None if level is None or document_names is not None else seed,
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
        note_repeated_runs(runs, systems)
    estimates = None
    if level is not None:
        note_few(evaluation)
        if runs is not None:
            note_single_runs(runs)
        estimates = compute_intervals(evaluation, used_metrics, level, resamples, seed)
    return Scores(evaluation, tuple(used_metrics), estimates)


def compute_intervals(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    level: float,
    resamples: int | None,
    seed: int,
) -> Sequence[Sequence[Estimate]]:
    """Return the intervals of scores, by metric and then by system."""
    resampling: dict[str, int] = {"resamples": resamples or 1000, "seed": seed}
    if evaluation.systems[0].runs:
        estimates = run_estimates(evaluation, metrics, level, **resampling)
    else:
        by_metric = measurements(evaluation, metrics)
        estimates = confidence_intervals(by_metric, confidence=level, **resampling)
    return _remove_undefined(estimates, evaluation)


def _remove_undefined(
    estimates: Sequence[Sequence[Estimate]], evaluation: Evaluation
) -> list[list[Estimate]]:
    """Remove the bounds of a single document, and the estimates of systems without a score."""
    if evaluation.documents is not None and len(evaluation.documents) == 1:
        estimates = [[Estimate(e.value, math.nan, math.nan) for e in row] for row in estimates]
    return [
        [
            estimate if system.scores[m].is_known else NO_ESTIMATE
            for system, estimate in zip(evaluation.systems, row, strict=True)
        ]
        for m, row in enumerate(estimates)
    ]


def evaluate(
    files: Files,
    metrics: Metrics,
    settings: Sequence[str],
    keep: Keep,
    *,
    document_names: NamedDocuments | None = None,
    runs: Runs | None = None,
    progress: OnProgress | None = None,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score the files of systems, and log notes about skipped segments and words.

    Parameters
    ----------
    files : Files
    metrics, settings, progress
        See `score_files`.
    keep : Keep
    document_names : NamedDocuments, optional
        Their number is checked before any file is scored.
    runs : Runs, optional
        The runs of systems that have several; notes then name the systems.

    Returns
    -------
    Evaluation, and the metrics that were used
    """
    kind, used_metrics = choose_kind(files, metrics, settings)
    # A row of alignments may have several lines.
    if document_names is not None and kind.name != "alignments":
        check_before(document_names, kind.files)
    return evaluate_kind(kind, used_metrics, keep, runs=runs, progress=progress)


def choose_kind(
    files: Files, metrics: Metrics, settings: Sequence[str]
) -> tuple[FileKind, list[BaseMetric]]:
    """Return the kind of the files, and the metrics that score them.

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other or do not fit the files.
    """
    if leaves_open(metrics):
        kind = kind_of(files, None)
        if isinstance(kind, TextFiles) and not metrics:
            default_metrics = make_metrics(kind.default_metrics, (), set())
            kind = TextFiles(matched_files(kind.files, default_metrics))
        kind.check()
        names = metrics or kind.default_metrics
        used_metrics = make_metrics(names, settings, kind.columns, files.tokenizer)
    else:
        used_metrics = make_metrics(metrics, settings, set(), files.tokenizer)
        for metric in used_metrics:
            _check_readings(metric, files)
        kind = kind_of(files, {column for metric in used_metrics for column in metric.columns})
        if isinstance(kind, TextFiles):
            kind = TextFiles(matched_files(kind.files, used_metrics))
        kind.check()
    kind.check_metrics(used_metrics)
    return kind, used_metrics


def evaluate_kind(
    kind: FileKind,
    metrics: list[BaseMetric],
    keep: Keep,
    *,
    wrap_inputs: Callable[[Inputs], Inputs] = lambda inputs: inputs,
    runs: Runs | None = None,
    progress: OnProgress | None = None,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score files of a known kind, and log notes about skipped segments and words.

    Parameters
    ----------
    kind : FileKind
        Its options and the metrics have been checked.
    metrics : list of BaseMetric
    keep : Keep
    wrap_inputs : callable
        Wraps the open files before they are read, so that the caller sees their segments too.
    runs, progress
        See `evaluate`.
    """
    with grouped_notes():
        metrics = [_prepare_metric(metric, kind) for metric in metrics]
        try:
            kind.learn(progress)
            with ExitStack() as stack:
                inputs = kind.open(metrics, stack)
                evaluation = score_inputs(wrap_inputs(inputs), metrics, keep, progress=progress)
        except InputError as error:
            raise kind.with_hint(error) from None
    return finish_evaluation(evaluation, metrics, kind, kind.counts(inputs), runs), metrics


def finish_evaluation(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    kind: FileKind,
    counts: Counts,
    runs: Runs | None = None,
) -> Evaluation:
    """Log notes about skipped segments and words; add links and orders to the signatures."""
    note_left_out(evaluation, metrics, kind)
    kind.note_counts(counts)
    if kind.name == "orders" and any(map(os.path.isfile, unlinked_paths(kind.files.reference))):
        from wordorder.scoring.unlinked import with_unlinked_words

        evaluation = with_unlinked_words(kind.files, evaluation, metrics, runs)
    return with_counted_links(evaluation, metrics, kind.files.links)


def _prepare_metric(metric: BaseMetric, kind: FileKind) -> BaseMetric:
    """Return the metric, prepared with all references if it needs that."""
    if not metric.needs_preparation:
        return metric
    files = kind.files
    _check_readings(metric, files)
    # Only the references are read: the first one takes the place of the system.
    changes: dict[str, Any] = {"hypothesis_alignments": (), "reference_alignments": ()}
    if isinstance(kind, TextFiles):
        changes["tokenizer"] = kind.preparation.tokenizer
    systems = (("references", files.reference),)
    references = replace(files, systems=systems, source=None, aligner=None, **changes)
    with ExitStack() as stack:
        return metric.prepare(_first_system(type(kind)(references).open([metric], stack)))


def _check_readings(metric: BaseMetric, files: Files) -> None:
    """Raise a UsageError if a metric reads references twice, and one can be read only once."""
    has_streams = any(map(read_only_once, (files.reference, *files.references)))
    if metric.needs_preparation and has_streams:
        raise UsageError(f"{metric.name} reads the references twice: they must be files")


def _first_system(inputs: Inputs) -> Iterator[Segments]:
    """Yield the segments of the first system, chunk by chunk."""
    first_row = 0
    for parts in parallel_rows(inputs.sources):
        yield inputs.segments([part.rows() for part in parts], first_row)[0]()
        first_row += len(parts[0])


def require_scores(evaluation: Evaluation, where: str) -> None:
    """Raise an InputError if no metric has a value for any system."""
    if not any(score.is_known for system in evaluation.systems for score in system.scores):
        segments = counted(evaluation.segments, "segment")
        problem = f"{evaluation.segments} of {segments} skipped by all metrics"
        raise InputError(where, f"{problem}, so there is no score")
