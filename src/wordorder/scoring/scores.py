"""Scores of systems, from files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.errors import InputError, UsageError
from wordorder.metrics.contract import left_out
from wordorder.notes import one_note_of_a_kind
from wordorder.option_names import names_arguments
from wordorder.scoring.file_kind import Counts, FileKind, Inputs, kind_of
from wordorder.scoring.files import Files, Systems
from wordorder.scoring.left_out import note_left_out
from wordorder.scoring.named_metrics import Metrics, leaves_open, make_metrics
from wordorder.scoring.result_columns import score_columns, segment_columns
from wordorder.scoring.systems import Evaluation, measurements, score_inputs
from wordorder.text.in_step import in_step
from wordorder.text.named_files import read_only_once
from wordorder.text.opening import Path
from wordorder.types import Array, Float64, OnProgress

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric, Score
    from wordorder.segments import Segments
    from wordorder.statistics.intervals import Estimate


@dataclass(frozen=True)
class Scores:
    """What `score` found.

    Attributes
    ----------
    evaluation : Evaluation
        Each system with its scores, and what was left out.
    metrics : tuple of BaseMetric
        Those that made it, in their order.
    estimates : tuple of tuple of Estimate, or None
        By metric, then by system: the intervals, if they were asked for.
    segments : mapping of (system, metric) to float64[S], or None
        By their numbers: the scores of the segments, if they were asked for.
    """

    evaluation: Evaluation
    metrics: tuple[BaseMetric, ...]
    estimates: Sequence[Sequence[Estimate]] | None = None
    segments: Mapping[tuple[int, int], Float64] | None = None

    def values(self) -> dict[str, dict[str, float]]:
        """Return the score of each system, by name, under each metric, by name."""
        return {
            system.name: {score.signature.metric: score.value for score in system.scores}
            for system in self.evaluation.systems
        }

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for each system and metric, as columns: ``pandas.DataFrame`` takes them.

        Returns
        -------
        dict of str to list
            ``system``, ``metric``, ``value``, ``low`` and ``high`` (None without intervals),
            ``scored`` and ``skipped`` segments, ``signature``.

        Examples
        --------
        >>> from wordorder.samples import sample_path
        >>> found = score(sample_path("reference.orders"), sample_path("head-final.orders"), "frs")
        >>> {name: found.to_columns()[name] for name in ("system", "metric", "scored")}
        {'system': ['head-final'], 'metric': ['frs'], 'scored': [72]}
        """
        return score_columns(self.evaluation, self.estimates)

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
        return segment_columns(self.evaluation, self._known_segments())

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
        segments = self._known_segments()
        rows = [segments[s, metric] for s in range(len(self.evaluation.systems))]
        missing = [left_out(each.statistics[metric]) for each in self.evaluation.systems]
        return np.where(missing, np.nan, rows)


@names_arguments
def score(
    reference: Path,
    systems: Systems,
    metrics: Metrics = (),
    *,
    settings: Sequence[str] = (),
    confidence: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
    segments: bool = False,
    lengths: bool = False,
    progress: OnProgress | None = None,
    **options: Any,
) -> Scores:
    """Score the files of systems against those of a reference, as ``wordorder score`` does.

    Parameters
    ----------
    reference : path
        A reference translation, reference orders, gold alignments or gold trees.
    systems : path, sequence of paths, or mapping of name to path
        What the reference is; ``NAME=FILE`` gives a name too.
    metrics : str or sequence of str
        Names separated by commas, sums, names with options, or "all"; by default what fits the
        files.
    settings : sequence of str
        Options of the metrics, ``[METRIC.]KEY=VALUE``.
    confidence : float, optional
        The level of intervals by bootstrap resampling. With more than 100,000 segments the sums of
        4,096 buckets of them are resampled, and the signatures say so.
    resamples : int, optional
        How many resamples are drawn for them, 1,000 by default.
    seed : int
        Where the random choices start.
    segments : bool
        Whether the score of each segment is wanted too.
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
    WordOrderWarning
        Of what was left out.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> result = score(reference, system, "frs,kendall")
    >>> {name: round(value, 4) for name, value in result.values()["head-final"].items()}
    {'frs': 0.7587, 'kendall': 0.8922}
    """
    if confidence is None and resamples is not None:
        raise UsageError("--resamples is for --confidence")
    files = Files.of(reference, systems, options)
    evaluation, used = evaluate(
        files,
        metrics,
        settings,
        keep=segments or lengths,
        lengths=lengths,
        intervals=None if confidence is None else seed,
        progress=progress,
    )
    estimates = None
    if confidence is not None:
        estimates = estimated(evaluation, used, confidence, resamples, seed)
    by_segment = scores_of_segments(evaluation, used) if segments else None
    return Scores(evaluation, tuple(used), estimates, by_segment)


def estimated(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    confidence: float,
    resamples: int | None,
    seed: int,
) -> Sequence[Sequence[Estimate]]:
    """Return intervals of what was kept for them, by metric and then by system."""
    from wordorder.statistics.intervals import confidence_intervals

    return confidence_intervals(
        measurements(evaluation, metrics),
        confidence=confidence,
        resamples=resamples or 1000,
        seed=seed,
    )


def scores_of_segments(
    evaluation: Evaluation, metrics: Sequence[BaseMetric]
) -> dict[tuple[int, int], Float64]:
    """Return the scores of all segments, by the numbers of system and metric.

    Parameters
    ----------
    evaluation : Evaluation
        With its statistics.
    metrics : sequence of BaseMetric
        Those that made it.
    """
    return {
        (s, m): metric.score_segments(system.statistics[m])
        for s, system in enumerate(evaluation.systems)
        for m, metric in enumerate(metrics)
    }


def evaluate(
    files: Files,
    metrics: Metrics,
    settings: Sequence[str],
    *,
    keep: bool = False,
    lengths: bool = False,
    intervals: int | None = None,
    progress: OnProgress | None = None,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score the systems' files, and say what did not take part.

    Parameters
    ----------
    keep, lengths, intervals
        As in `score_inputs`.

    Returns
    -------
    Evaluation, and the metrics that made it
    """
    kind, used = chosen(files, metrics, settings)
    return evaluate_kind(
        kind, used, keep=keep, lengths=lengths, intervals=intervals, progress=progress
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
        kind.check()
        used = make_metrics(metrics or kind.default_metrics, settings, kind.columns)
    else:
        used = make_metrics(metrics, settings, set())
        kind = kind_of(files, {column for metric in used for column in metric.columns})
        kind.check()
    kind.check_metrics(used)
    return kind, used


def evaluate_kind(
    kind: FileKind,
    used: list[BaseMetric],
    *,
    keep: bool,
    lengths: bool = False,
    intervals: int | None = None,
    progress: OnProgress | None = None,
    opened: Callable[[Inputs], Inputs] = lambda inputs: inputs,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score files whose kind is known, and say what did not take part.

    Parameters
    ----------
    kind : FileKind
        Checked, with the metrics too.
    used : list of BaseMetric
    keep, lengths, intervals, progress
        As in `score_inputs`.
    opened : callable
        Given the open files, returns what is read instead: the same files, that somebody else
        looks at too.
    """
    with one_note_of_a_kind():
        used = [_prepared(metric, kind) for metric in used]
        try:
            kind.learn(progress)
            with ExitStack() as stack:
                inputs = kind.open(used, stack)
                evaluation = score_inputs(
                    opened(inputs),
                    used,
                    keep=keep,
                    lengths=lengths,
                    intervals=intervals,
                    progress=progress,
                )
        except InputError as error:
            raise kind.hinted(error) from None
    return concluded(evaluation, used, kind, kind.counts(inputs)), used


def concluded(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], kind: FileKind, counts: Counts
) -> Evaluation:
    """Say what did not take part, and in signatures which links did."""
    note_left_out(evaluation, metrics, kind)
    kind.note_counts(counts)
    if kind.files.links == "sure":
        return _with_sure_links(evaluation, metrics)
    return evaluation


def _with_sure_links(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> Evaluation:
    """Say in the signatures of what reads links that only sure ones counted."""

    def signed(score: Score, metric: BaseMetric) -> Score:
        if {"permutation", "links"}.isdisjoint(metric.columns):
            return score
        return replace(score, signature=score.signature.with_fields(("links", "sure")))

    systems = [
        replace(each, scores=tuple(map(signed, each.scores, metrics)))
        for each in evaluation.systems
    ]
    return replace(evaluation, systems=tuple(systems))


def _prepared(metric: BaseMetric, kind: FileKind) -> BaseMetric:
    """Let a metric that needs it see all references first."""
    if not metric.needs_preparation:
        return metric
    files = kind.files
    if any(map(read_only_once, (files.reference, *files.references))):
        raise UsageError(f"{metric.name} reads the references twice: they must be files")
    # The references alone, one of them in the place of a system.
    alone = replace(
        files,
        systems=(("references", files.reference),),
        source=None,
        aligner=None,
        hypothesis_alignments=(),
        reference_alignments=(),
    )
    with ExitStack() as stack:
        return metric.prepare(_first_system(type(kind)(alone).open([metric], stack)))


def _first_system(inputs: Inputs) -> Iterator[Segments]:
    """Yield the segments of one system; all have the same references."""
    before = 0
    for parts in in_step(inputs.sources):
        yield inputs.segments([part.rows() for part in parts], before)[0]()
        before += len(parts[0])
