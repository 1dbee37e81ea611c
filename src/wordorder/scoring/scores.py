"""Scores of systems, from files."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from wordorder.scoring.systems import (
    Evaluation,
    SegmentScores,
    Store,
    measurements,
    score_inputs,
)
from wordorder.scoring.text_files import TextFiles, kind_of, matched_files
from wordorder.segments import Segments
from wordorder.statistics.intervals import NO_ESTIMATE, Estimate, confidence_intervals
from wordorder.text.lockstep import parallel_rows
from wordorder.text.names import read_only_once, unlinked_paths
from wordorder.text.opening import Path


@dataclass(frozen=True)
class Scores:
    """What `score_files` found.

    Attributes
    ----------
    evaluation : Evaluation
        Each system with its scores, and what was left out.
    metrics : tuple of BaseMetric
        Those that made it, in their order.
    estimates : tuple of tuple of Estimate, or None
        By metric, then by system: the intervals, if they were asked for.
    segments : mapping of (system, metric) to float64[S], or None
        By their numbers: the scores of the segments, if they were asked for; NaN for one that the
        metric leaves out.
    """

    evaluation: Evaluation
    metrics: tuple[BaseMetric, ...]
    estimates: Sequence[Sequence[Estimate]] | None = None
    segments: Mapping[tuple[int, int], Float64] | None = None

    def values(self) -> dict[str, dict[str, float]]:
        """Return the score of each system, by name, under each metric, by name."""
        return {
            system.name: dict(
                zip(self.evaluation.metric_names, (s.value for s in system.scores), strict=True)
            )
            for system in self.evaluation.systems
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for each system and metric, as columns: ``pandas.DataFrame`` takes them.

        Returns
        -------
        dict of str to list
            ``system``, ``metric``, ``value`` (None where all segments are left out), ``low`` and
            ``high`` (None without intervals), ``scored`` and ``skipped`` segments, ``matched`` (the
            share of the reference's words that match; None for metrics that read no orders, and of
            orders), ``signature``.

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
        """Return a row for each system, metric and segment, as columns.

        Returns
        -------
        dict of str to array
            ``system``, ``metric``, ``segment`` (from 1), ``value`` (NaN where it is left out).

        Raises
        ------
        UsageError
            If the scores of the segments were not asked for.
        """
        self._known_segments()
        return segment_columns(self.evaluation)

    def _known_segments(self) -> Mapping[tuple[int, int], Float64]:
        if self.segments is None:
            raise UsageError("there are no scores of segments: ask for them, segments=True")
        return self.segments

    def segment_scores(self, metric: int) -> Float64:
        """Return the scores of all segments under a metric, by its number in `metrics`.

        Returns
        -------
        float64[systems, S]
            NaN for a segment that the metric leaves out.

        Raises
        ------
        UsageError
            If the scores of the segments were not asked for.
        """
        known = self._known_segments()
        return np.array([known[s, metric] for s in range(len(self.evaluation.systems))])


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
    lengths: bool = False,
    progress: OnProgress | None = None,
    **options: Any,
) -> Scores:
    """Score the files of systems against those of a reference, as ``wordorder score`` does.

    Parameters
    ----------
    systems : path, sequence of paths, or mapping of name to path
        ``NAME=FILE`` gives a name too. ``NAME=FILE,FILE``, or in a mapping a list of paths or of
        texts, are several runs of a system: its score is their mean, and intervals count runs too.
    reference : path
        A reference translation, reference orders, gold alignments or gold trees: what the systems
        are.
    metrics : str or sequence of str
        Names separated by commas, sums, names with options, or "all"; by default what fits the
        files.
    settings : sequence of str
        Options of the metrics, ``[METRIC.]KEY=VALUE``.
    level : float, optional
        The level of intervals by bootstrap resampling. With more than 100,000 segments the sums of
        4,096 buckets of them are resampled, and the signatures say so.
    resamples : int, optional
        How many resamples are drawn for them, 1,000 by default.
    seed : int
        The seed of the random choices.
    by : "segment" or "document"
        What is resampled. Segments of one document are not independent: intervals by document
        allow for that.
    documents : path or sequence of str, optional
        The document of each segment: a file with a name per line, or a column of a table; by
        default the column ``document`` of the reference's table.
    segments : bool
        Whether the score of each segment is wanted too.
    statistics : bool
        Whether the scores of segments come with the statistics that they are made of. Without,
        a segment takes 9 bytes per system and metric.
    lengths : bool
        Whether the lengths of the segments are kept, for `scores_by_length`.
    progress : callable, optional
        Told now and then how many segments are done.
    options
        The further fields of `wordorder.scoring.files.Files`, by name: ``kind="orders"``,
        ``source="source.txt"``, ``tokenizer="13a"``.

    Returns
    -------
    Scores

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other or with the files.
    InputError
        If a file is wrong, or two differ in their number of lines; the message names the line.

    Warns
    -----
    note
        Of what was left out.

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
    named = choose_documents(by, documents, files)
    if level is None and named is not None:
        raise UsageError("--by is for --confidence")
    evaluation, used = evaluate(
        files,
        metrics,
        settings,
        named=named,
        keep=lengths or (segments and statistics) or named is not None,
        segments=segments,
        lengths=lengths,
        intervals=None if level is None or named is not None else seed,
        runs=runs,
        progress=progress,
    )
    if named is not None:
        evaluation = by_document(evaluation, used, named)
    if runs is not None:
        evaluation = with_runs(evaluation, runs)
        note_repeated_runs(runs, systems)
    estimates = None
    if level is not None:
        note_few(evaluation)
        if runs is not None:
            note_single_runs(runs)
        estimates = estimated(evaluation, used, level, resamples, seed)
    by_segment = None
    if segments:
        by_segment = {
            (s, m): scored.known
            for s, system in enumerate(evaluation.systems)
            for m, scored in enumerate(system.segments)
        }
    return Scores(evaluation, tuple(used), estimates, by_segment)


def estimated(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    level: float,
    resamples: int | None,
    seed: int,
) -> Sequence[Sequence[Estimate]]:
    """Return intervals of what was kept for them, by metric and then by system."""
    drawn: dict[str, int] = {"resamples": resamples or 1000, "seed": seed}
    if evaluation.systems[0].runs:
        return _known(run_estimates(evaluation, metrics, level, **drawn), evaluation)
    measured = measurements(evaluation, metrics)
    found = confidence_intervals(measured, confidence=level, **drawn)
    return _known(found, evaluation)


def _known(found: Sequence[Sequence[Estimate]], evaluation: Evaluation) -> list[list[Estimate]]:
    """Return intervals without those of systems without a score, and of one document."""
    if evaluation.documents is not None and len(evaluation.documents) == 1:
        found = [[Estimate(each.value, math.nan, math.nan) for each in row] for row in found]
    return [
        [
            each if system.scores[m].is_known else NO_ESTIMATE
            for system, each in zip(evaluation.systems, of_metric, strict=True)
        ]
        for m, of_metric in enumerate(found)
    ]


def scores_of_segments(
    evaluation: Evaluation, metrics: Sequence[BaseMetric]
) -> dict[tuple[int, int], Float64]:
    """Return the scores of all segments, by the numbers of system and metric.

    NaN for a segment that the metric leaves out.

    Parameters
    ----------
    evaluation : Evaluation
        With its statistics.
    metrics : sequence of BaseMetric
        Those that made it.
    """
    return {
        (s, m): SegmentScores.of(metric, system.statistics[m]).known
        for s, system in enumerate(evaluation.systems)
        for m, metric in enumerate(metrics)
    }


def evaluate(
    files: Files,
    metrics: Metrics,
    settings: Sequence[str],
    *,
    named: NamedDocuments | None = None,
    keep: bool = False,
    segments: bool = False,
    lengths: bool = False,
    intervals: int | None = None,
    pairs: bool = False,
    runs: Runs | None = None,
    progress: OnProgress | None = None,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score the systems' files, and say what did not take part.

    Parameters
    ----------
    files : Files
    metrics, settings
        As in `score_files`.
    named : NamedDocuments, optional
        Whose number is checked before anything is scored.
    keep, segments, lengths, intervals, pairs, progress
        As in `score_inputs`.
    runs : Runs, optional
        Of systems with several: notes are about these.

    Returns
    -------
    Evaluation, and the metrics that made it
    """
    kind, used = chosen(files, metrics, settings)
    # A row of alignments may have several lines.
    if named is not None and kind.name != "alignments":
        check_before(named, kind.files)
    return evaluate_kind(
        kind,
        used,
        keep=keep,
        segments=segments,
        lengths=lengths,
        intervals=intervals,
        pairs=pairs,
        runs=runs,
        progress=progress,
    )


def chosen(
    files: Files, metrics: Metrics, settings: Sequence[str]
) -> tuple[FileKind, list[BaseMetric]]:
    """Return what kind of files these are, and the metrics that score them.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other or with the files.
    """
    if leaves_open(metrics):
        kind = kind_of(files, None)
        if isinstance(kind, TextFiles) and not metrics:
            ordering = make_metrics(kind.default_metrics, (), set())
            kind = TextFiles(matched_files(kind.files, ordering))
        kind.check()
        default = kind.default_metrics
        used = make_metrics(metrics or default, settings, kind.columns, files.tokenizer)
    else:
        used = make_metrics(metrics, settings, set(), files.tokenizer)
        for metric in used:
            _check_readings(metric, files)
        kind = kind_of(files, {column for metric in used for column in metric.columns})
        if isinstance(kind, TextFiles):
            kind = TextFiles(matched_files(kind.files, used))
        kind.check()
    kind.check_metrics(used)
    return kind, used


def evaluate_kind(
    kind: FileKind,
    used: list[BaseMetric],
    *,
    opened: Callable[[Inputs], Inputs] = lambda inputs: inputs,
    keep: bool = False,
    store: Store | None = None,
    segments: bool = False,
    lengths: bool = False,
    intervals: int | None = None,
    pairs: bool = False,
    runs: Runs | None = None,
    progress: OnProgress | None = None,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score files whose kind is known, and say what did not take part.

    Parameters
    ----------
    kind : FileKind
        Checked, with the metrics too.
    used : list of BaseMetric
    opened : callable
        Given the open files, returns what is read instead: the same files, that somebody else
        looks at too.
    keep, store, segments, lengths, intervals, pairs, progress
        As in `score_inputs`.
    runs : Runs, optional
        Of systems with several: notes are about these.
    """
    with grouped_notes():
        used = [_prepared(metric, kind) for metric in used]
        try:
            kind.learn(progress)
            with ExitStack() as stack:
                inputs = kind.open(used, stack)
                evaluation = score_inputs(
                    opened(inputs),
                    used,
                    keep=keep,
                    store=store,
                    segments=segments,
                    lengths=lengths,
                    intervals=intervals,
                    pairs=pairs,
                    progress=progress,
                )
        except InputError as error:
            raise kind.hinted(error) from None
    return concluded(evaluation, used, kind, kind.counts(inputs), runs), used


def concluded(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    kind: FileKind,
    counts: Counts,
    runs: Runs | None = None,
) -> Evaluation:
    """Say what did not take part, and in signatures which links did, and how orders came about."""
    note_left_out(evaluation, metrics, kind)
    kind.note_counts(counts)
    if kind.name == "orders" and any(map(os.path.isfile, unlinked_paths(kind.files.reference))):
        from wordorder.scoring.unlinked import with_unlinked_words

        evaluation = with_unlinked_words(kind.files, evaluation, metrics, runs)
    return with_counted_links(evaluation, metrics, kind.files.links)


def _prepared(metric: BaseMetric, kind: FileKind) -> BaseMetric:
    """Let a metric that needs it see all references first."""
    if not metric.needs_preparation:
        return metric
    files = kind.files
    _check_readings(metric, files)
    # The references alone, one of them in the place of a system.
    without: dict[str, Any] = {"hypothesis_alignments": (), "reference_alignments": ()}
    if isinstance(kind, TextFiles):
        without["tokenizer"] = kind.preparation.tokenizer
    systems = (("references", files.reference),)
    alone = replace(files, systems=systems, source=None, aligner=None, **without)
    with ExitStack() as stack:
        return metric.prepare(_first_system(type(kind)(alone).open([metric], stack)))


def _check_readings(metric: BaseMetric, files: Files) -> None:
    """Raise a UsageError if a metric reads references twice that can be read only once."""
    streams = any(map(read_only_once, (files.reference, *files.references)))
    if metric.needs_preparation and streams:
        raise UsageError(f"{metric.name} reads the references twice: they must be files")


def _first_system(inputs: Inputs) -> Iterator[Segments]:
    """Yield the segments of one system; all have the same references."""
    before = 0
    for parts in parallel_rows(inputs.sources):
        yield inputs.segments([part.rows() for part in parts], before)[0]()
        before += len(parts[0])


def require_scores(evaluation: Evaluation, where: str) -> None:
    """Raise an InputError if no metric has a value for any system."""
    if not any(score.is_known for system in evaluation.systems for score in system.scores):
        every = counted(evaluation.segments, "segment")
        what = f"{evaluation.segments} of {every} skipped by all metrics, so there is no score"
        raise InputError(where, what)
