"""Several runs of one system: their files, mean scores, and intervals and tests over runs."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from statistics import fmean
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.messages import joined
from wordorder.metrics.contract import BaseMetric, Score
from wordorder.notes import note
from wordorder.scoring.files import Systems
from wordorder.scoring.systems import (
    Evaluation,
    PairScores,
    SystemScores,
    measurements,
    pair_measurements,
)
from wordorder.segments.columns import DroppedWords
from wordorder.statistics.intervals import Estimate, interval, snap_bounds, value_tolerance
from wordorder.statistics.measurement import Measurement, bootstrap_scores
from wordorder.statistics.paired_tests import (
    MANY_SYSTEMS,
    SWAPS,
    Comparison,
    PairTest,
    compare_values,
)
from wordorder.statistics.runs import RunPairs, drawn_runs, swapped_p_value, weaker
from wordorder.text.names import names_and_paths, split_name, table_column


@dataclass(frozen=True)
class Runs:
    """Systems with several runs each.

    Attributes
    ----------
    names : tuple of str
    counts : tuple of int
        The number of runs of each system.
    """

    names: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def spans(self) -> list[range]:
        """The indices of each system's runs among the runs of all systems."""
        ends = np.cumsum(self.counts).tolist()
        return [range(end - count, end) for end, count in zip(ends, self.counts, strict=True)]

    @property
    def field(self) -> tuple[str, str]:
        """The field of signatures: the number of runs, or one number per system."""
        counts = self.counts[:1] if len(set(self.counts)) == 1 else self.counts
        return "runs", ",".join(map(str, counts))


def split_runs(systems: Systems, reference: Any) -> tuple[Any, Runs | None]:
    """Return the runs of all systems by name, and the number of runs of each system.

    If no system has several runs, the systems are returned unchanged, with None.

    Parameters
    ----------
    systems : see `Files.of`
        ``NAME=FILE,FILE`` has two runs, unless there is a file or a column with such a name; in a
        mapping, a list of paths or of texts has one run per entry.
    reference : path, column or columns
        If it is a list of strings, lists of strings among the systems are texts, not words.

    Raises
    ------
    UsageError
        If runs have no name, one is empty, or two systems or runs have one name.
    InputError
        If the runs of a system in a mapping are both paths and texts.
    """
    if isinstance(systems, Mapping):
        runs_of = {
            name: _runs_in_mapping(name, system, reference) or [system]
            for name, system in systems.items()
        }
        named_runs = [(str(name), runs) for name, runs in runs_of.items()]
    else:
        paths = [systems] if isinstance(systems, (str, os.PathLike)) else list(systems)
        if not all(isinstance(path, (str, os.PathLike)) for path in paths):
            return systems, None
        named_runs = [_split_argument(os.fspath(path)) for path in paths]
        if all(len(runs) == 1 for _, runs in named_runs):
            return systems, None
        single_runs = iter(names_and_paths([runs[0] for _, runs in named_runs if len(runs) == 1]))
        for index, (_, runs) in enumerate(named_runs):
            if len(runs) == 1:
                name, path = next(single_runs)
                named_runs[index] = name, [path]
    if all(len(runs) == 1 for _, runs in named_runs):
        if isinstance(systems, Mapping):
            return {name: runs[0] for name, runs in runs_of.items()}, None
        return systems, None
    all_systems = Runs(
        tuple(name for name, _ in named_runs), tuple(len(runs) for _, runs in named_runs)
    )
    if len(set(all_systems.names)) < len(named_runs):
        raise UsageError(f"two systems have one name: {joined(list(all_systems.names))}")
    expanded = [
        (f"{name} (run {number})" if len(runs) > 1 else name, run)
        for name, runs in named_runs
        for number, run in enumerate(runs, 1)
    ]
    run_names = [name for name, _ in expanded]
    repeated = next((name for name in all_systems.names if run_names.count(name) > 1), None)
    if repeated is not None:
        raise UsageError(f"a system has the name of a run of another: {repeated!r}")
    return dict(expanded), all_systems


def _split_argument(argument: str) -> tuple[str, list[Any]]:
    """Return the name of a system and its files, split at commas unless a file has commas."""
    name, path = split_name(argument)
    if "," not in path or os.path.exists(path) or _is_one_column(path):
        return "", [argument]
    files = path.split(",")
    if "" in files:
        raise UsageError(f"{argument}: a run has no name; expected NAME=FILE,FILE")
    if not name:
        raise UsageError(f"{argument}: no such file; several runs of a system are NAME=FILE,FILE")
    return name, files


def _is_one_column(path: str) -> bool:
    """Return whether a path with a comma is one column of a table, not several files or columns."""
    table = table_column(path)
    if table is None or not os.path.exists(table.path):
        return False
    if "," not in table.column:
        return True
    if not all(table_column(part) or os.path.exists(part) for part in path.split(",")):
        return True
    from wordorder.text.table_cells import whole_rows

    try:
        with closing(whole_rows(table.path)) as rows:
            return any(table.column in cells for _, _, cells in islice(rows, 1))
    except (InputError, UsageError):
        # The reader of the columns reports what is wrong.
        return False


def _runs_in_mapping(name: Any, system: Any, reference: Any) -> list[Any] | None:
    """Return the runs of a system in a mapping, or None if it is a single text or path."""
    if not isinstance(system, (list, tuple)) or not system:
        return None
    first = system[0]
    if isinstance(first, (str, bytes, Mapping)):
        return None
    are_paths = {issubclass(kind, os.PathLike) for kind in set(map(type, system))}
    if len(are_paths) > 1:
        expected = "paths alone, or texts alone, as runs of a system"
        raise InputError(f"systems[{name!r}]", "both paths and texts", expected)
    if True in are_paths:
        return list(system)
    if not hasattr(first, "__len__"):
        return None
    if not isinstance(first, (list, tuple)):
        # Columns of pandas, Polars or pyarrow.
        return list(system)
    if not all(isinstance(item, str) for item in first):
        return list(system) if isinstance(first[0], (list, tuple)) else None
    # Words have no spaces.
    has_spaces = any(
        len(item.split()) > 1 for run in system for item in run if isinstance(item, str)
    )
    is_single = len(system) == 1
    has_lines = isinstance(reference, (list, tuple)) and all(isinstance(r, str) for r in reference)
    if has_lines and all(len(run) == len(reference) for run in system):
        if (
            not has_spaces
            and len(system) == len(reference)
            and any(len(r.split()) > 1 for r in reference)
        ):
            # One list of words per segment, each with as many words as there are segments.
            return None
        # A single word in a list may be a segment or a run.
        return list(system) if has_spaces or not is_single or len(reference) > 1 else None
    if is_single and isinstance(reference, (list, tuple)):
        # One segment as a list of words; one of these may contain spaces by mistake.
        return None
    return list(system) if has_spaces else None


def note_repeated_runs(runs: Runs, systems: Any) -> None:
    """Note the systems that have the same file as several runs; `systems` is from `split_runs`."""
    files = [
        os.path.realpath(run) if isinstance(run, (str, os.PathLike)) else None
        for run in systems.values()
    ]
    for name, span in zip(runs.names, runs.spans, strict=True):
        paths = [path for path in files[span.start : span.stop] if path is not None]
        if repeated := [path for path in dict.fromkeys(paths) if paths.count(path) > 1]:
            file_names = joined([os.path.basename(path) for path in repeated])
            note(f"{name}: {file_names} is given as several runs, which makes the spread too small")


def note_single_runs(runs: Runs) -> None:
    """Note the systems with a single run, whose spread over runs is unknown."""
    single = [name for name, count in zip(runs.names, runs.counts, strict=True) if count == 1]
    if single:
        note(f"a single run of {joined(single)}: intervals and tests do not count its spread")


def with_runs(evaluation: Evaluation, runs: Runs) -> Evaluation:
    """Return an evaluation of systems from one of all runs; its signatures count the runs."""
    systems = tuple(
        _mean_of_runs(name, evaluation.systems[span.start : span.stop], runs.field)
        for name, span in zip(runs.names, runs.spans, strict=True)
    )
    return replace(evaluation, systems=systems)


def _mean_of_runs(
    name: str, runs: tuple[SystemScores, ...], field: tuple[str, str]
) -> SystemScores:
    scores = tuple(
        Score(
            fmean(score.value for score in run_scores),
            run_scores[0].signature.with_fields(field),
            run_scores[0].segments,
            max(score.skipped for score in run_scores),
        )
        for run_scores in zip(*(run.scores for run in runs), strict=True)
    )
    segments = tuple(
        np.mean(run_scores, axis=0)
        for run_scores in zip(*(run.segments for run in runs), strict=True)
    )
    dropped_words = sum((run.dropped_words for run in runs), DroppedWords())
    one_word = runs[0].one_word
    return SystemScores(name, scores, dropped_words, one_word, segments=segments, runs=runs)


def all_runs(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation of all runs again, from the result of `with_runs`."""
    systems = tuple(run for system in evaluation.systems for run in system.runs)
    return replace(evaluation, systems=systems)


def run_estimates(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    level: float,
    resamples: int,
    seed: int,
) -> list[list[Estimate]]:
    """Return intervals of the means of runs, by metric and then by system.

    Each resample draws runs of each system (`drawn_runs`), and segments that all runs share.
    """
    estimates = []
    for values, samples, _ in _resample_runs(evaluation, metrics, resamples, seed):
        bounds = snap_bounds(interval(samples, level), values, value_tolerance(values))
        rows = zip(values.tolist(), *(bound.tolist() for bound in bounds), strict=True)
        estimates.append([Estimate(*row) for row in rows])
    return estimates


def _resample_runs(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], resamples: int, seed: int
) -> Iterator[tuple[Float64, Float64, Measurement]]:
    """Yield the values and resampled values of systems, and the measurement of runs, per metric."""
    counts = [len(system.runs) for system in evaluation.systems]
    shares = drawn_runs(counts, resamples, seed)
    ends = np.cumsum(counts)[:-1]
    by_metric = measurements(all_runs(evaluation), metrics)
    samples_by_metric = bootstrap_scores(by_metric, resamples=resamples, seed=seed)
    for measurement, samples in zip(by_metric, samples_by_metric, strict=True):
        values = [part.mean() for part in np.split(measurement.values(), ends)]
        parts = zip(np.split(samples, ends), shares, strict=True)
        means = [(part * share.T).sum(axis=0) for part, share in parts]
        yield np.array(values), np.array(means), measurement


def compare_runs(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    test: str,
    resamples: int | None,
    seed: int,
) -> list[Comparison]:
    """Test all pairs of systems on resamples of runs and of segments.

    The difference of two systems is the mean of the differences of all pairs of runs, one from each
    system. Order metrics compare each pair of runs on its common words; pairs without common words
    are left out, with a note. With `test` "auto" and fewer than 100 segments, p-values and marks
    are the weaker of this test's and those of `swapped_p_value`, as `retest_by_swaps` does for
    single runs.
    """
    run_resamples = 1000 if resamples is None else resamples
    counts = [len(system.runs) for system in evaluation.systems]
    shares = drawn_runs(counts, run_resamples, seed)
    spans = Runs(("",) * len(counts), tuple(counts)).spans
    common_words = _common_word_measurements(evaluation, metrics)
    if common_words:
        _note_pairs_without_words(evaluation, spans)
    comparisons = []
    for m, (values, samples, measurement) in enumerate(
        _resample_runs(evaluation, metrics, run_resamples, seed)
    ):
        segments = measurement.segments
        is_small = test == "auto" and segments < MANY_SYSTEMS
        comparison = compare_values(values, samples, segments, measurement.higher_is_better, seed)
        tests = []
        for pair in comparison.pairs:
            runs = list(product(spans[pair.first], spans[pair.second]))
            share = None
            run_pairs: RunPairs = {}
            if m in common_words:
                run_pairs = {run: common_words[m][run] for run in runs if run in common_words[m]}
                share = _common_share(evaluation, list(run_pairs))
                if run_pairs:
                    pair = _test_run_pairs(run_pairs, pair, spans, shares, run_resamples, seed)
            elif is_small:
                run_pairs = {run: measurement.of_systems(run) for run in runs}
            if is_small and run_pairs and not math.isnan(pair.difference):
                swaps = SWAPS if resamples is None else resamples
                pair = weaker(pair, swapped_p_value(run_pairs, swaps, seed))
            tests.append(replace(pair, common=share))
        comparisons.append(replace(comparison, pairs=tuple(tests)))
    return comparisons


def _common_word_measurements(
    evaluation: Evaluation, metrics: Sequence[BaseMetric]
) -> dict[int, dict[tuple[int, int], Measurement]]:
    """Return the measurements of pairs of runs on common words, by metric and by the two runs.

    Pairs without common words are left out.
    """
    by_metric: dict[int, dict[tuple[int, int], Measurement]] = {}
    for pair in evaluation.pairs:
        for m, measurement in pair_measurements(pair, metrics, evaluation.documents).items():
            by_runs = by_metric.setdefault(m, {})
            if pair.words:
                by_runs[pair.first, pair.second] = measurement
    return by_metric


def _note_pairs_without_words(evaluation: Evaluation, spans: Sequence[range]) -> None:
    """Note systems of which some pairs of runs have no common words and are left out."""
    words = {(pair.first, pair.second): pair.words for pair in evaluation.pairs}
    names = [system.name for system in evaluation.systems]
    for first, second in combinations(range(len(names)), 2):
        runs = list(product(spans[first], spans[second]))
        without = sum(not words[run] for run in runs)
        if 0 < without < len(runs):
            note(
                f"{names[first]} and {names[second]}: {without} of {len(runs)} pairs of runs "
                f"without common words; order metrics leave {'it' if without == 1 else 'them'} out"
            )


def _common_share(evaluation: Evaluation, runs: Sequence[tuple[int, int]]) -> float:
    """Return the share of the references' words that these pairs of runs have in common."""
    run_set = set(runs)
    pairs: list[PairScores] = [p for p in evaluation.pairs if (p.first, p.second) in run_set]
    return sum(pair.words for pair in pairs) / max(sum(p.reference_words for p in pairs), 1)


def _test_run_pairs(
    pairs: RunPairs,
    test: PairTest,
    spans: Sequence[range],
    shares: Sequence[Float64],
    resamples: int,
    seed: int,
) -> PairTest:
    """Test two systems on pairs of runs, each pair on its own common words.

    Resamples draw runs that occur in a pair; if no two of the drawn runs form a pair, all pairs
    count equally.
    """
    paired_runs = [sorted({runs[side] for runs in pairs}) for side in (0, 1)]
    run_shares = [shares[test.first], shares[test.second]]
    counts = list(map(len, paired_runs))
    if counts != [len(spans[test.first]), len(spans[test.second])]:
        run_shares = drawn_runs(counts, resamples, seed)
    first_shares, second_shares = run_shares
    weights = np.array(
        [
            first_shares[:, paired_runs[0].index(first)]
            * second_shares[:, paired_runs[1].index(second)]
            for first, second in pairs
        ]
    )
    if len(pairs) < math.prod(counts):
        weights[:, ~weights.any(axis=0)] = 1
        weights /= weights.sum(axis=0)
    values, samples = np.zeros(2), np.zeros((2, resamples))
    pair_samples = bootstrap_scores(list(pairs.values()), resamples=resamples, seed=seed)
    for weight, sample, measurement in zip(weights, pair_samples, pairs.values(), strict=True):
        values += measurement.values() / len(pairs)
        samples += sample * weight
    measurement = next(iter(pairs.values()))
    better = measurement.higher_is_better
    (result,) = compare_values(values, samples, measurement.segments, better, seed).pairs
    return replace(result, first=test.first, second=test.second)
