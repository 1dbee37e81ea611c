"""Several runs of one system: their files, the means of their scores, and tests that count runs."""

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
    SegmentScores,
    SystemScores,
    measurements,
    pair_measurements,
)
from wordorder.segments.columns import DroppedWords
from wordorder.statistics.intervals import Estimate, interval, margin, snapped
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
    numbers : tuple of int
        How many runs every system has.
    """

    names: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def spans(self) -> list[range]:
        """The numbers of every system's runs, where those of all systems are counted together."""
        ends = np.cumsum(self.numbers).tolist()
        return [range(end - number, end) for end, number in zip(ends, self.numbers, strict=True)]

    @property
    def field(self) -> tuple[str, str]:
        """What signatures say: how many runs there are."""
        written = self.numbers[:1] if len(set(self.numbers)) == 1 else self.numbers
        return "runs", ",".join(map(str, written))


def split_runs(systems: Systems, reference: Any) -> tuple[Any, Runs | None]:
    """Return the runs of all systems by name, and how many every system has.

    Without a system of several runs the systems are returned as they are.

    Parameters
    ----------
    systems : as `Files.of` takes them
        ``NAME=FILE,FILE`` has two runs, unless there is a file or a column with such a name; in a
        mapping, a list of paths or of texts has one run per entry.
    reference : path, column or columns
        Where it is a list of strings, lists of strings are texts, not words.

    Raises
    ------
    UsageError
        If runs have no name, one is empty, or two systems or runs have one name.
    InputError
        If the runs of a system in a mapping are paths and texts.
    """
    if isinstance(systems, Mapping):
        several = {name: _held_runs(name, given, reference) for name, given in systems.items()}
        named = [(str(name), runs or [systems[name]]) for name, runs in several.items()]
    else:
        paths = [systems] if isinstance(systems, (str, os.PathLike)) else list(systems)
        if not all(isinstance(path, (str, os.PathLike)) for path in paths):
            return systems, None
        named = [_file_runs(os.fspath(path)) for path in paths]
        if all(len(runs) == 1 for _, runs in named):
            return systems, None
        single = iter(names_and_paths([runs[0] for _, runs in named if len(runs) == 1]))
        for place, (_, runs) in enumerate(named):
            if len(runs) == 1:
                name, path = next(single)
                named[place] = name, [path]
    if all(len(runs) == 1 for _, runs in named):
        if isinstance(systems, Mapping):
            return {name: (runs or [systems[name]])[0] for name, runs in several.items()}, None
        return systems, None
    counted = Runs(tuple(name for name, _ in named), tuple(len(runs) for _, runs in named))
    if len(set(counted.names)) < len(named):
        raise UsageError(f"two systems have one name: {joined(list(counted.names))}")
    expanded = [
        (f"{name} (run {number})" if len(runs) > 1 else name, run)
        for name, runs in named
        for number, run in enumerate(runs, 1)
    ]
    called = [name for name, _ in expanded]
    twice = next((name for name in counted.names if called.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"a system has the name of a run of another: {twice!r}")
    return dict(expanded), counted


def _file_runs(given: str) -> tuple[str, list[Any]]:
    """Return the name of a system and its files: those between commas, if no file is called so."""
    name, path = split_name(given)
    if "," not in path or os.path.exists(path) or _is_one_column(path):
        return "", [given]
    files = path.split(",")
    if "" in files:
        raise UsageError(f"{given}: a run has no name; expected NAME=FILE,FILE")
    if not name:
        raise UsageError(f"{given}: no such file; several runs of a system are NAME=FILE,FILE")
    return name, files


def _is_one_column(path: str) -> bool:
    """Return whether a path with a comma is a column of one table, not several files or columns."""
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
        # Whoever reads the columns says what is wrong.
        return False


def _held_runs(name: Any, given: Any, reference: Any) -> list[Any] | None:
    """Return the runs of a system in a mapping; None where it is one text, or one path."""
    if isinstance(given, (str, os.PathLike)):
        return None
    if not isinstance(given, (list, tuple)) or not given:
        return None
    first = given[0]
    if isinstance(first, (str, bytes, Mapping)):
        return None
    are_paths = {issubclass(kind, os.PathLike) for kind in set(map(type, given))}
    if len(are_paths) > 1:
        expected = "paths alone, or texts alone, as runs of a system"
        raise InputError(f"systems[{name!r}]", "paths beside texts", expected)
    if True in are_paths:
        return list(given)
    if not hasattr(first, "__len__"):
        return None
    if not isinstance(first, (list, tuple)):
        # Columns of pandas, Polars or pyarrow.
        return list(given)
    if not all(isinstance(each, str) for each in first):
        return list(given) if isinstance(first[0], (list, tuple)) else None
    # A word has no blanks.
    blanks = any(len(each.split()) > 1 for run in given for each in run if isinstance(each, str))
    one = len(given) == 1
    lines = isinstance(reference, (list, tuple)) and all(isinstance(r, str) for r in reference)
    if lines and all(len(run) == len(reference) for run in given):
        if (
            not blanks
            and len(given) == len(reference)
            and any(len(r.split()) > 1 for r in reference)
        ):
            # As many lists of words as there are segments, each with as many words.
            return None
        # A word that is alone in a list may be a segment, or a run.
        return list(given) if blanks or not one or len(reference) > 1 else None
    if one and isinstance(reference, (list, tuple)):
        # A segment that is a list of words, with a wrong word perhaps.
        return None
    return list(given) if blanks else None


def note_repeated_runs(runs: Runs, systems: Any) -> None:
    """Name the systems that have one file as several runs, of all runs that `split_runs` names."""
    files = [
        os.path.realpath(run) if isinstance(run, (str, os.PathLike)) else None
        for run in systems.values()
    ]
    for name, span in zip(runs.names, runs.spans, strict=True):
        paths = [path for path in files[span.start : span.stop] if path is not None]
        if repeated := [path for path in dict.fromkeys(paths) if paths.count(path) > 1]:
            listed = joined([os.path.basename(path) for path in repeated])
            note(f"{name}: {listed} is given as several runs, which makes the spread too small")


def note_single_runs(runs: Runs) -> None:
    """Name the systems whose spread over runs is not known."""
    single = [n for n, number in zip(runs.names, runs.numbers, strict=True) if number == 1]
    if single:
        note(f"a single run of {joined(single)}: intervals and tests do not count its spread")


def with_runs(evaluation: Evaluation, runs: Runs) -> Evaluation:
    """Return an evaluation of systems, made of one of all runs, as its signatures then say."""
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
            fmean(score.value for score in of_runs),
            of_runs[0].signature.with_fields(field),
            of_runs[0].segments,
            max(score.skipped for score in of_runs),
        )
        for of_runs in zip(*(run.scores for run in runs), strict=True)
    )
    segments = tuple(
        SegmentScores(
            np.mean([part.values for part in of_runs], axis=0),
            np.any([part.left_out for part in of_runs], axis=0),
        )
        for of_runs in zip(*(run.segments for run in runs), strict=True)
    )
    dropped = sum((run.dropped_words for run in runs), DroppedWords())
    return SystemScores(name, scores, dropped, runs[0].one_word, segments=segments, runs=runs)


def all_runs(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation of all runs that `with_runs` made one of systems of."""
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

    Every resample draws runs of each system (`drawn_runs`), and segments, the same for all.
    """
    found = []
    for values, samples, _ in _drawn(evaluation, metrics, resamples, seed):
        bounds = snapped(interval(samples, level), values, margin(values))
        rows = zip(values.tolist(), *(bound.tolist() for bound in bounds), strict=True)
        found.append([Estimate(*row) for row in rows])
    return found


def _drawn(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], resamples: int, seed: int
) -> Iterator[tuple[Float64, Float64, Measurement]]:
    """Yield for every metric the systems' values, those of resamples, and what all runs have."""
    numbers = [len(system.runs) for system in evaluation.systems]
    shares = drawn_runs(numbers, resamples, seed)
    ends = np.cumsum(numbers)[:-1]
    measured = measurements(all_runs(evaluation), metrics)
    drawn = bootstrap_scores(measured, resamples=resamples, seed=seed)
    for measurement, samples in zip(measured, drawn, strict=True):
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

    The difference of two systems is the mean of the differences of all pairs of runs, one of each;
    order metrics compare every such pair on its common words, and leave out those without any, of
    which a note tells. With `test` "auto" and fewer than 100 segments, p-values and marks are the
    weaker of this test's and those of `swapped_p_value`, as `judged_by_swaps` has them for single
    runs.
    """
    drawn = 1000 if resamples is None else resamples
    numbers = [len(system.runs) for system in evaluation.systems]
    shares = drawn_runs(numbers, drawn, seed)
    spans = Runs(("",) * len(numbers), tuple(numbers)).spans
    common = _common_words(evaluation, metrics)
    if common:
        _note_without_words(evaluation, spans)
    found = []
    for m, (values, samples, measured) in enumerate(_drawn(evaluation, metrics, drawn, seed)):
        better = measured.higher_is_better
        few = test == "auto" and measured.segments < MANY_SYSTEMS
        comparison = compare_values(values, samples, measured.segments, better, seed)
        tests = []
        for pair in comparison.pairs:
            runs = list(product(spans[pair.first], spans[pair.second]))
            share = None
            if m in common:
                parts = {places: common[m][places] for places in runs if places in common[m]}
                share = _shared_words(evaluation, list(parts))
                compared: RunPairs = parts
                if parts:
                    pair = _on_pairs(parts, pair, spans, shares, drawn, seed)
            else:
                compared = {places: measured.of_systems(places) for places in runs} if few else {}
            if few and compared and not math.isnan(pair.difference):
                swaps = SWAPS if resamples is None else resamples
                pair = weaker(pair, swapped_p_value(compared, swaps, seed))
            tests.append(replace(pair, common=share))
        found.append(replace(comparison, pairs=tuple(tests)))
    return found


def _common_words(
    evaluation: Evaluation, metrics: Sequence[BaseMetric]
) -> dict[int, dict[tuple[int, int], Measurement]]:
    """Return what pairs of runs have on their common words, by metric and then by the runs.

    Pairs without common words are left out.
    """
    found: dict[int, dict[tuple[int, int], Measurement]] = {}
    for pair in evaluation.pairs:
        for m, measured in pair_measurements(pair, metrics, evaluation.documents).items():
            of_metric = found.setdefault(m, {})
            if pair.words:
                of_metric[pair.first, pair.second] = measured
    return found


def _note_without_words(evaluation: Evaluation, spans: Sequence[range]) -> None:
    """Say of which systems some pairs of runs have no common words, and so are left out."""
    words = {(pair.first, pair.second): pair.words for pair in evaluation.pairs}
    names = [system.name for system in evaluation.systems]
    for first, second in combinations(range(len(names)), 2):
        runs = list(product(spans[first], spans[second]))
        without = sum(not words[places] for places in runs)
        if 0 < without < len(runs):
            note(
                f"{names[first]} and {names[second]}: {without} of {len(runs)} pairs of runs "
                f"without common words; order metrics leave {'it' if without == 1 else 'them'} out"
            )


def _shared_words(evaluation: Evaluation, runs: Sequence[tuple[int, int]]) -> float:
    """Return the share of the references' words that pairs of runs have in common."""
    places = set(runs)
    pairs: list[PairScores] = [p for p in evaluation.pairs if (p.first, p.second) in places]
    return sum(pair.words for pair in pairs) / max(sum(p.reference_words for p in pairs), 1)


def _on_pairs(
    pairs: RunPairs,
    tested: PairTest,
    spans: Sequence[range],
    shares: Sequence[Float64],
    resamples: int,
    seed: int,
) -> PairTest:
    """Test two systems on pairs of runs, each on words of its own.

    Resamples draw the runs that are in a pair; where those drawn are in no pair with each other,
    all pairs count.
    """
    sides = [sorted({places[side] for places in pairs}) for side in (0, 1)]
    chosen = [shares[tested.first], shares[tested.second]]
    all_there = [len(spans[tested.first]), len(spans[tested.second])]
    if (numbers := list(map(len, sides))) != all_there:
        chosen = drawn_runs(numbers, resamples, seed)
    weights = np.array(
        [
            chosen[0][:, sides[0].index(one)] * chosen[1][:, sides[1].index(two)]
            for one, two in pairs
        ]
    )
    if len(pairs) < math.prod(numbers):
        weights[:, ~weights.any(axis=0)] = 1
        weights /= weights.sum(axis=0)
    values, samples = np.zeros(2), np.zeros((2, resamples))
    drawn = bootstrap_scores(list(pairs.values()), resamples=resamples, seed=seed)
    for weight, part, measured in zip(weights, drawn, pairs.values(), strict=True):
        values += measured.values() / len(pairs)
        samples += part * weight
    measured = next(iter(pairs.values()))
    better = measured.higher_is_better
    (found,) = compare_values(values, samples, measured.segments, better, seed).pairs
    return replace(found, first=tested.first, second=tested.second)
