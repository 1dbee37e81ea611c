"""Scoring of files in spans: cutting them, scoring a span, and merging the partial scores."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import reduce
from typing import Any

from wordorder._version import __version__
from wordorder.alignment.reading import RECORD_FORMATS
from wordorder.errors import InputError, UsageError
from wordorder.kernels import one_thread
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.contract import BaseMetric, require_segments
from wordorder.notes import held_notes, log_grouped
from wordorder.scale.cutting import SCORED, RowFile, RunSpans, Sizes, cut, refuse_streams
from wordorder.scale.line_output import Span, alignment_notation
from wordorder.scoring.files import (
    ALIGNMENT_SUFFIXES,
    Counts,
    FileKind,
    Files,
    Metrics,
    join_names,
)
from wordorder.scoring.scores import Scores, choose_kind, compute_intervals, finish_evaluation
from wordorder.scoring.systems import (
    MAX_SKIPPED_LINES,
    Evaluation,
    Keep,
    RunningPair,
    RunningScores,
    RunningSystem,
)
from wordorder.segments.columns import DroppedWords
from wordorder.text.names import is_treebank, without_compression
from wordorder.text.opening import display_name
from wordorder.text.parts import reading_parts

# The name of partial scores in their JSON and in messages, and the version of their format.
PARTIAL_SCORES, PARTIAL_SCORES_VERSION = "partial scores", 1
# The attributes of `RunningPair` that are numbers.
_PAIR_COUNTS = ("first", "second", "words", "reference_words", "segments")


@dataclass
class PartialScores(RunningScores):
    """The scores of some rows; scores of other rows can be merged into them, in any order.

    Attributes
    ----------
    counts : sequence of (name, rows, rows without a link)
        See `Counts`.
    notes : list of (row, str)
        Notes, each with the index of the first row of its span.
    """

    counts: Counts = ()
    notes: list[tuple[int, str]] = field(default_factory=list)

    def merge(self, other: PartialScores) -> None:
        """Add the scores of other rows.

        Raises
        ------
        UsageError
            If they are of other systems or metrics.
        """
        names, other_names = ([system.name for system in part.systems] for part in (self, other))
        if names != other_names:
            raise UsageError(f"cannot merge scores of {other_names} into those of {names}")
        for system, further in zip(self.systems, other.systems, strict=True):
            system.merge(further)
        if len(self.pairs) != len(other.pairs):
            if self.segments and other.segments:
                raise UsageError("cannot merge pairs of systems with systems that are not compared")
            # Scores without rows have pairs even if words are never matched.
            self.pairs = []
        for pair, further_pair in zip(self.pairs, other.pairs, strict=bool(self.pairs)):
            pair.merge(further_pair)
        self.segments += other.segments
        self.skipped += other.skipped
        self.skipped_lines = sorted([*self.skipped_lines, *other.skipped_lines])[:MAX_SKIPPED_LINES]
        self.counts = [
            (name, rows + further_rows, unlinked + further_unlinked)
            for (name, rows, unlinked), (_, further_rows, further_unlinked) in zip(
                self.counts, other.counts, strict=True
            )
        ]
        self.notes = sorted([*self.notes, *other.notes], key=lambda row_and_note: row_and_note[0])

    def finish(self, input_name: str = "") -> Evaluation:
        """Log the notes, and return the scores of all rows."""
        log_grouped([message for _, message in self.notes])
        require_segments(self.segments, input_name)
        return self.evaluation()

    def to_bytes(self) -> bytes:
        """Return the scores as one line of JSON; equal scores give equal bytes."""
        return _to_json(
            {
                "wordorder": PARTIAL_SCORES,
                "version": PARTIAL_SCORES_VERSION,
                "systems": [_system_to_dict(system) for system in self.systems],
                "pairs": [_pair_to_dict(pair) for pair in self.pairs],
                "segments": self.segments,
                "skipped": self.skipped,
                "skipped_lines": self.skipped_lines[:MAX_SKIPPED_LINES],
                "counts": self.counts,
                "notes": self.notes,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> PartialScores:
        """Read the output of `to_bytes`, which is safe for any data.

        Raises
        ------
        InputError
            If the data is anything else.
        """
        try:
            content: dict[str, Any] = json.loads(data)
            if (content["wordorder"], content["version"]) != (
                PARTIAL_SCORES,
                PARTIAL_SCORES_VERSION,
            ):
                raise ValueError
            return cls(
                [_system_from_dict(system) for system in content["systems"]],
                [_pair_from_dict(pair) for pair in content["pairs"]],
                int(content["segments"]),
                int(content["skipped"]),
                [int(line) for line in content["skipped_lines"]],
                counts=[(str(name), int(rows), int(n)) for name, rows, n in content["counts"]],
                notes=[(int(row), str(text)) for row, text in content["notes"]],
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            problem = "damaged, or of another version"
            raise InputError(PARTIAL_SCORES, problem, "those of a span") from None


def _system_to_dict(system: RunningSystem) -> dict[str, Any]:
    return {
        "name": system.name,
        "metrics": [json.loads(sums.to_bytes()) for sums in system.accumulators],
        "dropped_words": astuple(system.dropped_words),
        "one_word": system.one_word,
    }


def _pair_to_dict(pair: RunningPair) -> dict[str, Any]:
    counts = {name: getattr(pair, name) for name in _PAIR_COUNTS}
    return {"systems": [_system_to_dict(system) for system in pair.systems], **counts}


def _pair_from_dict(data: dict[str, Any]) -> RunningPair:
    first, second = map(_system_from_dict, data["systems"])
    return RunningPair(systems=(first, second), **{name: int(data[name]) for name in _PAIR_COUNTS})


def _system_from_dict(data: dict[str, Any]) -> RunningSystem:
    accumulators = [Accumulator.from_bytes(_to_json(sums)) for sums in data["metrics"]]
    dropped_words = DroppedWords(*map(int, data["dropped_words"]))
    return RunningSystem(str(data["name"]), accumulators, dropped_words, int(data["one_word"]))


def _to_json(content: object) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def spans(
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    intervals: int | None = None,
    pairs: bool = False,
    sizes: Sizes = SCORED,
    run_spans: RunSpans | None = None,
) -> list[Span]:
    """Cut the files of a run of ``wordorder score`` into spans.

    A span consists of the same rows of all files. It is small, plain data: send it to any worker
    that sees the files under the same paths, and call `work` there.

    Parameters
    ----------
    files : Files
        Plain text is cut at any line, compressed files only where their members start.
    metrics, settings
        See `score_files`; stored in each span for `work`.
    intervals : int, optional
        The seed of intervals, for which the sums of buckets are kept.
    pairs : bool
        Whether order metrics compare all pairs of translations on the words that both match.
    sizes : Sizes
        The sizes of spans; by default a 64th of all files, but at least 1 MB and at most 128 MB of
        decompressed bytes.
    run_spans : callable, optional
        Runs spans and returns their results in order; with it, workers count the lines of plain
        text of more than 4 GB.

    Returns
    -------
    list of Span
        In the order of their rows; always the same for the same files.

    Raises
    ------
    InputError
        If a file cannot be read, or two differ in their number of rows.
    UsageError
        If an input is a stream, or an aligner is to be trained on the whole files.

    Warns
    -----
    note
        If the files cannot be cut, so that there is only one span.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> from wordorder.scoring.files import Files
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> files = Files.of(reference, [system], {})
    >>> parts = [work(span, "frs,kendall") for span in spans(files)]
    >>> scores = result(merge(parts), files, "frs,kendall")
    >>> round(scores.values()["head-final"]["frs"], 4)
    0.7587
    """
    alignments = [*files.hypothesis_alignments, *files.reference_alignments]
    texts = [*files.references, *([] if files.source is None else [files.source])]
    compared = [files.reference, *files.system_paths]
    has_alignment_name = without_compression(files.reference).endswith(ALIGNMENT_SUFFIXES)
    if files.kind == "alignments" or (files.kind == "auto" and has_alignment_name):
        alignments = [*compared, *alignments]
    else:
        texts = [*compared, *texts]
    refuse_streams([*alignments, *texts])
    notation = alignment_notation(alignments, files.alignment_format)
    resources = _resources(files)
    task = {
        "verb": "score",
        "version": __version__,
        "files": asdict(replace(files, alignment_format=notation, **resources)),
        "metrics": join_names(metrics),
        "settings": list(settings),
        "intervals": intervals,
        "pairs": pairs,
    }
    row_files = []
    for path in texts:
        has_treebank_name = files.kind == "auto" and is_treebank(path)
        row_files.append(RowFile(path, sentences=has_treebank_name or files.kind == "conllu"))
    row_files += [RowFile(path, indivisible=notation in RECORD_FORMATS) for path in alignments]
    return cut(row_files, task, resources=resources.values(), sizes=sizes, run_spans=run_spans)


def work(
    span: Span, metrics: Metrics | None = None, settings: Sequence[str] | None = None
) -> bytes:
    """Score the rows of a span.

    Parameters
    ----------
    span : Span
    metrics, settings
        See `score_files`; by default those passed to `spans`.

    Returns
    -------
    bytes
        JSON of at most some kilobytes per system and metric, for `merge`.

    Raises
    ------
    InputError
        See `score_files`; messages give the line numbers of the files.
    """
    files = _files(span.task["files"])
    metrics = span.task["metrics"] if metrics is None else metrics
    settings = span.task["settings"] if settings is None else settings
    # Notes about options are logged once, where the spans are cut.
    with held_notes():
        kind, used_metrics = check_spans(files, metrics, settings)
    with one_thread(), reading_parts(span.parts), held_notes() as notes, ExitStack() as stack:
        try:
            kind.learn(None)
            inputs = kind.open(used_metrics, stack)
            keep = Keep(seed=span.task["intervals"], pairs=span.task["pairs"])
            scores = PartialScores.of(inputs.names, used_metrics, keep, partial=True)
            scores.add_inputs(inputs, used_metrics, keep, first_row=span.first_row)
        except InputError as error:
            raise kind.with_hint(error) from None
    scores.counts = kind.counts(inputs)
    scores.notes = [(span.first_row, message) for message in dict.fromkeys(notes)]
    return scores.to_bytes()


def merge(parts: Iterable[bytes]) -> bytes:
    """Merge the results of `work`, in any order; results of `merge` can be merged further.

    Raises
    ------
    UsageError
        If there are no parts, or they are of other systems, metrics or versions.
    InputError
        If a part is damaged.
    """
    return merge_scores(parts).to_bytes()


def result(
    merged: bytes,
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    level: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
) -> Scores:
    """Return the scores of all rows, as `score_files` does.

    Parameters
    ----------
    merged : bytes
        The result of `merge` for all spans.
    files, metrics, settings
        The arguments of `spans` and `work`.
    level, resamples, seed
        See `score_files`. The sums of buckets are resampled, which needs spans with this seed as
        `intervals`.

    Warns
    -----
    note
        About skipped segments and words.
    """
    kind, used_metrics = check_spans(files, metrics, settings)
    scores = PartialScores.from_bytes(merged)
    evaluation = scores.finish(display_name(files.reference))
    evaluation = finish_evaluation(evaluation, used_metrics, kind, scores.counts)
    estimates = None
    if level is not None:
        estimates = compute_intervals(evaluation, used_metrics, level, resamples, seed)
    return Scores(evaluation, tuple(used_metrics), estimates)


def merge_scores(parts: Iterable[bytes]) -> PartialScores:
    """Merge the results of `work`; see `merge`."""

    def merge_next(scores: PartialScores, part: PartialScores) -> PartialScores:
        scores.merge(part)
        return scores

    partial_scores = map(PartialScores.from_bytes, parts)
    try:
        return reduce(merge_next, partial_scores)
    except TypeError:
        raise UsageError("there are no partial scores to merge") from None


def check_spans(
    files: Files, metrics: Metrics, settings: Sequence[str]
) -> tuple[FileKind, list[BaseMetric]]:
    """Return the kind of files and the metrics; refuse those that need all rows first.

    Raises
    ------
    UsageError
        If a metric reads all references before it scores, or an aligner has to be trained; see also
        `score_files`.
    """
    kind, used_metrics = choose_kind(files, metrics, settings)
    refuse_prepared(used_metrics, "not in spans (--engine)")
    if kind.trains:
        raise UsageError(
            f"--aligner={files.aligner} is trained on whole files, not in spans (--engine): train "
            "it before, `wordorder align --save MODEL`, and give --aligner=MODEL"
        )
    return kind, used_metrics


def refuse_prepared(metrics: Sequence[BaseMetric], where: str) -> None:
    """Raise a UsageError for a metric that reads all references before it scores."""
    for metric in metrics:
        if metric.needs_preparation:
            raise UsageError(f"{metric.name} reads all references before it scores: {where}")


def _files(data: Mapping[str, Any]) -> Files:
    """Rebuild `Files` from their JSON, in which tuples are lists."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, (list, tuple)) else value
        for name, value in data.items()
    }
    fields["systems"] = tuple((name, path) for name, path in fields["systems"])
    return Files(**fields)


def _resources(files: Files) -> dict[str, Any]:
    """Return the files that every span reads completely, by option, as absolute paths."""
    paths = {"aligner": files.aligner, "synonyms": files.synonyms, "paraphrases": files.paraphrases}
    return {
        option: os.path.abspath(path)
        for option, path in paths.items()
        if path is not None and os.path.exists(path)
    }
