"""Scores of systems, from files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder import messages
from wordorder.arrays import Array, Float64, Int64, OnProgress
from wordorder.errors import InputError, UsageError, choose, unknown_name
from wordorder.metrics.contract import BaseMetric, Score
from wordorder.metrics.order.common_words import reads_orders_alone
from wordorder.progress import shows_progress
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
from wordorder.scoring.result_columns import comparison_columns, score_columns, segment_columns
from wordorder.scoring.systems import (
    Evaluation,
    SegmentScores,
    measurements,
    pair_measurements,
    score_inputs,
)
from wordorder.scoring.text_files import TextFiles, kind_of, matched_files
from wordorder.segments import Segments
from wordorder.signature import Signature, labels
from wordorder.statistics.intervals import (
    FEW,
    NO_ESTIMATE,
    Estimate,
    confidence_intervals,
    true_level,
)
from wordorder.statistics.measurement import NOT_COMPARED, Measurement
from wordorder.text.lines import in_step
from wordorder.text.names import read_only_once
from wordorder.text.opening import Path

if TYPE_CHECKING:
    from wordorder.statistics.paired_tests import Comparison, PairTest

# The words on which order metrics compare two translations.
WORDS = ("common", "own")


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
        return score_columns(self.evaluation, self.estimates, self.metrics)

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


@messages.names_arguments
@shows_progress("segments")
def score_files(
    systems: Systems,
    reference: Path,
    metrics: Metrics = (),
    *,
    settings: Sequence[str] = (),
    confidence: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
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
        ``NAME=FILE`` gives a name too.
    reference : path
        A reference translation, reference orders, gold alignments or gold trees: what the systems
        are.
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
        The seed of the random choices.
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
    WordOrderWarning
        Of what was left out.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> result = score_files(system, reference, "frs,kendall")
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
        keep=lengths or (segments and statistics),
        segments=segments,
        lengths=lengths,
        intervals=None if confidence is None else seed,
        progress=progress,
    )
    estimates = None
    if confidence is not None:
        note_few(evaluation)
        estimates = estimated(evaluation, used, confidence, resamples, seed)
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
    confidence: float,
    resamples: int | None,
    seed: int,
) -> Sequence[Sequence[Estimate]]:
    """Return intervals of what was kept for them, by metric and then by system."""
    drawn = {"resamples": resamples or 1000, "seed": seed}
    measured = measurements(evaluation, metrics)
    found = confidence_intervals(measured, confidence=confidence, **drawn)
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
    keep: bool = False,
    segments: bool = False,
    lengths: bool = False,
    intervals: int | None = None,
    pairs: bool = False,
    progress: OnProgress | None = None,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score the systems' files, and say what did not take part.

    Parameters
    ----------
    files : Files
    metrics, settings
        As in `score`.
    keep, segments, lengths, intervals, pairs, progress
        As in `score_inputs`.

    Returns
    -------
    Evaluation, and the metrics that made it
    """
    kind, used = chosen(files, metrics, settings)
    return evaluate_kind(
        kind,
        used,
        keep=keep,
        segments=segments,
        lengths=lengths,
        intervals=intervals,
        pairs=pairs,
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
        kind.check()
        default = kind.default_metrics
        used = make_metrics(metrics or default, settings, kind.columns, files.tokenizer)
    else:
        used = make_metrics(metrics, settings, set(), files.tokenizer)
        kind = kind_of(files, {column for metric in used for column in metric.columns})
        if isinstance(kind, TextFiles):
            kind = TextFiles(matched_files(files, used))
        kind.check()
    kind.check_metrics(used)
    return kind, used


def evaluate_kind(
    kind: FileKind,
    used: list[BaseMetric],
    *,
    opened: Callable[[Inputs], Inputs] = lambda inputs: inputs,
    keep: bool = False,
    segments: bool = False,
    lengths: bool = False,
    intervals: int | None = None,
    pairs: bool = False,
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
    keep, segments, lengths, intervals, pairs, progress
        As in `score_inputs`.
    """
    with messages.one_note_of_a_kind():
        used = [_prepared(metric, kind) for metric in used]
        try:
            kind.learn(progress)
            with ExitStack() as stack:
                inputs = kind.open(used, stack)
                evaluation = score_inputs(
                    opened(inputs),
                    used,
                    keep=keep,
                    segments=segments,
                    lengths=lengths,
                    intervals=intervals,
                    pairs=pairs,
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
    return with_counted_links(evaluation, metrics, kind.files.links)


def with_counted_links(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], links: str
) -> Evaluation:
    """Say in the signatures of what reads links which of them counted, unless all did."""
    if links == "all":
        return evaluation

    def signed(score: Score, metric: BaseMetric) -> Score:
        if {"permutation", "links", "gold"}.isdisjoint(metric.columns):
            return score
        return replace(score, signature=score.signature.with_fields(("links", links)))

    return with_signatures(evaluation, metrics, signed)


def with_signatures(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    signed: Callable[[Score, BaseMetric], Score],
) -> Evaluation:
    """Return an evaluation whose scores `signed` gave other signatures."""
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
    without: dict[str, Any] = {"hypothesis_alignments": (), "reference_alignments": ()}
    systems = (("references", files.reference),)
    alone = replace(files, systems=systems, source=None, aligner=None, **without)
    with ExitStack() as stack:
        return metric.prepare(_first_system(type(kind)(alone).open([metric], stack)))


def _first_system(inputs: Inputs) -> Iterator[Segments]:
    """Yield the segments of one system; all have the same references."""
    before = 0
    for parts in in_step(inputs.sources):
        yield inputs.segments([part.rows() for part in parts], before)[0]()
        before += len(parts[0])


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
        return comparison_columns(self.evaluation, self.comparisons)


@messages.names_arguments
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
    lengths: bool = False,
    confidence: float | None = None,
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
    lengths : bool
        Whether the lengths of the segments are kept, for `scores_by_length`.
    confidence : float, optional
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
    files = Files.of(reference, systems, options)
    kept: dict[str, Any] = {"keep": lengths, "lengths": lengths, "intervals": seed}
    kept["pairs"] = choose("words", words, WORDS) == "common"
    evaluation, used = evaluate(files, metrics, settings, progress=progress, **kept)
    return compared(evaluation, used, test, resamples, seed, confidence)


def compared(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    test: str,
    resamples: int | None,
    seed: int,
    confidence: float | None = None,
) -> ComparedSystems:
    """Test all pairs of systems on what was kept of them, as `compare_files` does."""
    from wordorder.statistics.paired_tests import compare as paired_tests

    note_few(evaluation)
    drawn: dict[str, Any] = {"test": test, "resamples": resamples, "seed": seed}
    found = paired_tests(measurements(evaluation, metrics), **drawn)
    found = _with_values(found, evaluation)
    if evaluation.pairs:
        pairs = [
            PairOnCommonWords(
                pair.first,
                pair.second,
                pair.words / max(pair.reference_words, 1),
                pair_measurements(pair, metrics),
            )
            for pair in evaluation.pairs
        ]
        found = on_common_words(found, pairs, **drawn)
        evaluation = _signed_common(evaluation, metrics)
    estimates = None
    if confidence is not None:
        estimates = estimated(evaluation, metrics, confidence, None, seed)
    return ComparedSystems(evaluation, tuple(metrics), tuple(found), estimates)


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


def require_scores(evaluation: Evaluation, where: str) -> None:
    """Raise an InputError if no metric has a value for any system."""
    if not any(score.is_known for system in evaluation.systems for score in system.scores):
        every = messages.counted(evaluation.segments, "segment")
        what = f"{evaluation.segments} of {every} skipped by all metrics, so there is no score"
        raise InputError(where, what)


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
        return replace(score, signature=score.signature.with_fields(("words", "common")))

    return with_signatures(evaluation, metrics, signed)


@dataclass(frozen=True)
class Threshold:
    """The worst value of a metric that is good enough.

    Attributes
    ----------
    metric : str
        Its name, with options where two of the same name are scored: ``cder(penalty=none)``.
    value : float

    Examples
    --------
    >>> Threshold.parse("frs=0.7")
    Threshold(metric='frs', value=0.7)
    """

    metric: str
    value: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read ``METRIC=VALUE``.

        Raises
        ------
        UsageError
            If it is anything else.
        """
        # From the right: options of a metric have signs of equality too.
        name, _, given = text.rpartition("=")
        try:
            value = float(given)
        except ValueError:
            value = math.nan
        if not name.strip() or not math.isfinite(value):
            raise UsageError(f"--fail-under={text}: expected METRIC=VALUE, such as frs=0.7")
        return cls(name.strip(), value)

    def place(self, signatures: Sequence[Signature]) -> int:
        """Return which of the scored metrics is meant.

        Raises
        ------
        UsageError
            If it is not scored, or several have this name; the message lists the names.
        """
        names = labels(signatures)
        wanted, small = self.metric.lower(), [name.lower() for name in names]
        if wanted in small:
            return small.index(wanted)
        known = [i for i, signature in enumerate(signatures) if signature.metric.lower() == wanted]
        if len(known) == 1:
            return known[0]
        if known:
            legal = ", ".join(names[i] for i in known)
            raise UsageError(f"--fail-under={self.metric}: which of them? legal names: {legal}")
        raise unknown_name("metric of --fail-under", self.metric, names)


def check_thresholds(thresholds: Sequence[Threshold], signatures: Sequence[Signature]) -> None:
    """Raise a UsageError for a threshold of a metric that is not scored."""
    for threshold in thresholds:
        threshold.place(signatures)


def missed_thresholds(found: Scores, thresholds: Sequence[Threshold]) -> list[str]:
    """Say which systems are worse than a threshold, a line for each.

    Of metrics where less is better, more than the threshold is worse.

    Raises
    ------
    UsageError
        If a metric is not scored.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> from wordorder.scoring.scores import score_files
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> found = score_files(system, reference, "frs")
    >>> missed_thresholds(found, [Threshold("frs", 0.5)])
    []
    >>> missed_thresholds(found, [Threshold("frs", 0.8)])
    ['head-final: frs is 0.7587, less than 0.8']
    """
    signatures = [metric.signature() for metric in found.metrics]
    missed = []
    for threshold in thresholds:
        place = threshold.place(signatures)
        higher = found.metrics[place].higher_is_better
        for system in found.evaluation.systems:
            value = system.scores[place].value
            # A value that is no number is never good enough.
            if not (value >= threshold.value if higher else value <= threshold.value):
                than = f"{'less' if higher else 'more'} than {threshold.value:g}"
                said = f"is {messages.number(value)}, {than}"
                if math.isnan(value):
                    said = "has no value: all segments are skipped"
                missed.append(f"{system.name}: {threshold.metric} {said}")
    return missed


# Where each range but the first begins, in words.
STARTS = (10, 20, 30, 40, 50, 60)


@dataclass(frozen=True, eq=False)
class LengthScores:
    """The scores of systems on segments of similar lengths.

    Attributes
    ----------
    ranges : tuple of str
        B ranges of lengths that segments have, in words: "1-9", "10-19", …, "60+".
    segments : int64[B]
        How many segments each has.
    values : tuple of float64[systems, B], one per metric
        The scores of the corpora that these segments are; NaN where the metric leaves all out.
    """

    ranges: tuple[str, ...]
    segments: Int64
    values: tuple[Float64, ...]


def scores_by_length(lengths: Int64, measured: Sequence[Measurement]) -> LengthScores:
    """Score the segments of each range of lengths as a corpus of their own.

    Parameters
    ----------
    lengths : int64[S]
        Words of the reference of each segment; segments without any are left out.
    measured : sequence of Measurement
        One per metric, of these segments.

    Examples
    --------
    >>> mean = Measurement([[[0.5, 1.0], [1.0, 1.0], [0.0, 1.0]]],
    ...                    score=lambda totals: totals[..., 0] / totals[..., 1])
    >>> found = scores_by_length(np.array([9, 10, 19]), [mean])
    >>> found.ranges, found.segments.tolist(), found.values[0].tolist()
    (('1-9', '10-19'), [1, 2], [[0.5, 0.5]])
    """
    places = np.searchsorted(STARTS, lengths, side="right")
    rows = [np.flatnonzero((places == n) & (lengths > 0)) for n in range(len(STARTS) + 1)]
    kept = [n for n, some in enumerate(rows) if len(some)]
    values = tuple(
        np.array([[_score(each, s, rows[n]) for n in kept] for s in range(each.systems)])
        for each in measured
    )
    sizes = np.array([len(rows[n]) for n in kept], np.int64)
    return LengthScores(tuple(map(_range, kept)), sizes, values)


def _score(measured: Measurement, system: int, rows: Int64) -> float:
    """Score some segments of a system; NaN if the metric leaves out all of them."""
    statistics = measured.statistics[system, rows]
    if not statistics.any():
        return float("nan")
    return float(measured.score(statistics.sum(axis=0)))


def _range(place: int) -> str:
    low = STARTS[place - 1] if place else 1
    return f"{low}+" if place == len(STARTS) else f"{low}-{STARTS[place] - 1}"


# Skipped lines that are named.
_NAMED = 5

# From here on segments of one word change a mean by a percent of what is wrong in it.
ONE_WORD_SHARE = 0.01


def note_left_out(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], kind: FileKind | type[FileKind]
) -> None:
    """Say what was left out of the scores.

    Parameters
    ----------
    evaluation : Evaluation
    metrics : sequence of BaseMetric
        Those that made it.
    kind : FileKind
        What the files hold.
    """
    if any("permutation" in metric.columns for metric in metrics):
        found = [(system.name, system.dropped) for system in evaluation.systems]
        shares = {system.name: system.dropped_words.shares for system in evaluation.systems}
        messages.note_each(found, kind.dropped, "system", "word", shares)
        _note_few_links(evaluation)
        _note_one_word(evaluation, metrics)
    if evaluation.skipped:
        listed = ", ".join(map(str, evaluation.skipped_lines[:_NAMED]))
        more = ", ..." if evaluation.skipped > _NAMED else ""
        why = f"that {_skipping(evaluation)} cannot score"
        if kind.orders_alone:
            why = too_few_words(str(metric.signature()) for metric in metrics)
        share = f"{messages.percent(evaluation.skipped, evaluation.segments)} of segments"
        rows = kind.row if evaluation.skipped == 1 else f"{kind.row}s"
        count = messages.counted(evaluation.skipped, "segment")
        # Rows of tables that are shared out have no numbers.
        where = f": {rows} {listed}{more}" if listed else ""
        messages.note(f"skipped {count} {why} ({share}){where}")


def note_few(evaluation: Evaluation) -> None:
    """Say how far intervals and tests can be trusted where segments are few."""
    if 0 < (segments := evaluation.segments - evaluation.skipped) < FEW:
        what = (
            f"{messages.counted(segments, 'segment')}: intervals and tests of so few claim too much"
        )
        holds = f"holds the true value about {100 * true_level(segments):.0f} % of the time"
        messages.note(f"{what}: a 95 % interval {holds}")


def too_few_words(signatures: Iterable[str]) -> str:
    """Say what the rows lack that metrics of orders leave out.

    Examples
    --------
    >>> too_few_words(["frs|average:segment|degenerate:skip|v:1.0.0rc1"])
    'without two words to order'
    """
    skip = any("degenerate:skip" in signature for signature in signatures)
    return f"without {'two words' if skip else 'a word'} to order"


# Below it, an output says too little to be compared with the reference.
_FEW_LINKS = 0.5


def _note_few_links(evaluation: Evaluation) -> None:
    """Name the systems that link far fewer source words than the reference does."""
    few = [
        f"{system.name} {messages.percent(words.matched, words.matchable)}"
        for system in evaluation.systems
        if (words := system.dropped_words).matchable
        and words.matched < _FEW_LINKS * words.matchable
        # Of orders from links, unlinked words are dropped; of texts they are never known.
        and any(("null", "drop") in score.signature.fields for score in system.scores)
    ]
    if few:
        more = f" and {len(few) - _NAMED} more" if len(few) > _NAMED else ""
        shares = f"{', '.join(few[:_NAMED])}{more}"
        messages.note(f"of the source words that the reference links, outputs link few: {shares}")


def _note_one_word(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> None:
    """Say how many segments of one word lift the mean of a metric, where they are not few."""
    from wordorder.metrics.order.chunks import OrderMetric

    lifted = [
        metric.name
        for metric in metrics
        if isinstance(metric, OrderMetric)
        and (metric.average, metric.degenerate) == ("segment", "standard")
    ]
    most = max((system.one_word for system in evaluation.systems), default=0)
    if lifted and most and most >= ONE_WORD_SHARE * evaluation.segments:
        what = f"{100 * most / evaluation.segments:.0f} % of segments have one word to order"
        mean = f"and count as 1 in the mean of {messages.joined(lifted)}"
        messages.note(f"{what} {mean}: -O=degenerate=skip leaves them out")


def _skipping(evaluation: Evaluation) -> str:
    """Name the metrics that left out a segment."""
    scores = (score for system in evaluation.systems for score in system.scores)
    names = list(dict.fromkeys(each.signature.metric for each in scores if each.skipped))
    return messages.joined(names) if len(names) <= _NAMED else f"{len(names)} of the metrics"
