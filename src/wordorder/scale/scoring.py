"""PartialScores: what the scores of some rows add to those of all."""

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
from wordorder.scale.cutting import SCORED, GiveOut, RowFile, Sizes, cut, refuse_streams
from wordorder.scale.line_output import Span, alignment_notation
from wordorder.scoring.files import ALIGNED, Counts, FileKind, Files, Metrics, joined_names
from wordorder.scoring.scores import Scores, chosen, concluded, estimated
from wordorder.scoring.systems import LISTED, Evaluation, RunningPair, RunningScores, RunningSystem
from wordorder.segments.columns import DroppedWords
from wordorder.text.names import is_treebank, without_compression
from wordorder.text.opening import display_name
from wordorder.text.parts import reading_parts

WHERE = "partial scores"

VERSION = 1


@dataclass
class PartialScores(RunningScores):
    """The scores of some rows; those of other rows can be merged into them, in any order.

    Attributes
    ----------
    counts : sequence of (name, rows, rows without something)
        What was counted in the files.
    notes : list of (row, str)
        What is to be said, with the first row of the span that it was found in.
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
        ours, theirs = ([each.name for each in part.systems] for part in (self, other))
        if ours != theirs:
            raise UsageError(f"cannot merge scores of {theirs} into those of {ours}")
        for mine, more in zip(self.systems, other.systems, strict=True):
            mine.merge(more)
        if len(self.pairs) != len(other.pairs):
            if self.segments and other.segments:
                raise UsageError("cannot merge pairs of systems with systems that are not compared")
            # Only rows show that there are no common words to compare on.
            self.pairs = []
        for pair, further_pair in zip(self.pairs, other.pairs, strict=bool(self.pairs)):
            pair.merge(further_pair)
        self.segments += other.segments
        self.skipped += other.skipped
        self.skipped_lines = sorted([*self.skipped_lines, *other.skipped_lines])[:LISTED]
        self.counts = [
            (name, rows + more, without + lacking)
            for (name, rows, without), (_, more, lacking) in zip(
                self.counts, other.counts, strict=True
            )
        ]
        self.notes = sorted([*self.notes, *other.notes], key=lambda each: each[0])

    def concluded(self, where: str = "") -> Evaluation:
        """Say what is to be said, and return the scores, as `score_systems` does."""
        log_grouped([message for _, message in self.notes])
        require_segments(self.segments, where)
        return self.evaluation()

    def to_bytes(self) -> bytes:
        """Return everything as one line of JSON: equal contents, equal bytes."""
        systems = [_system_data(each) for each in self.systems]
        return _dumped(
            {
                "wordorder": WHERE,
                "version": VERSION,
                "systems": systems,
                "pairs": [_pair_data(pair) for pair in self.pairs],
                "segments": self.segments,
                "skipped": self.skipped,
                "skipped_lines": self.skipped_lines[:LISTED],
                "counts": self.counts,
                "notes": self.notes,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> PartialScores:
        """Read what `to_bytes` wrote; nothing in it is run.

        Raises
        ------
        InputError
            If it is anything else.
        """
        try:
            whole: dict[str, Any] = json.loads(data)
            if (whole["wordorder"], whole["version"]) != (WHERE, VERSION):
                raise ValueError
            return cls(
                [_system(each) for each in whole["systems"]],
                [_pair(each) for each in whole["pairs"]],
                int(whole["segments"]),
                int(whole["skipped"]),
                [int(line) for line in whole["skipped_lines"]],
                counts=[(str(name), int(rows), int(n)) for name, rows, n in whole["counts"]],
                notes=[(int(row), str(text)) for row, text in whole["notes"]],
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(WHERE, "damaged, or of another version", "those of a span") from None


def _system_data(system: RunningSystem) -> dict[str, Any]:
    return {
        "name": system.name,
        "metrics": [json.loads(a.to_bytes()) for a in system.accumulators],
        "dropped_words": astuple(system.dropped_words),
        "one_word": system.one_word,
    }


# What is counted of a pair of systems.
_PAIR_COUNTS = ("first", "second", "words", "reference_words", "segments")


def _pair_data(pair: RunningPair) -> dict[str, Any]:
    counts = {name: getattr(pair, name) for name in _PAIR_COUNTS}
    return {"systems": [_system_data(system) for system in pair.systems], **counts}


def _pair(found: dict[str, Any]) -> RunningPair:
    first, second = map(_system, found["systems"])
    return RunningPair(systems=(first, second), **{name: int(found[name]) for name in _PAIR_COUNTS})


def _system(found: dict[str, Any]) -> RunningSystem:
    accumulators = [Accumulator.from_bytes(_dumped(each)) for each in found["metrics"]]
    dropped = DroppedWords(*map(int, found["dropped_words"]))
    return RunningSystem(str(found["name"]), accumulators, dropped, int(found["one_word"]))


def _dumped(content: object) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def spans(
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    intervals: int | None = None,
    pairs: bool = False,
    sizes: Sizes = SCORED,
    give_out: GiveOut | None = None,
) -> list[Span]:
    """Cut the files of a run of ``wordorder score`` into spans.

    A span is the same rows of all files. It is small, plain data: send it to any worker that sees
    the files under the same paths, and call `work` there.

    Parameters
    ----------
    files : Files
        Plain text is cut anywhere, compressed files where their members begin.
    metrics, settings
        As `score_files` takes them; `work` takes those of the span if it has none of
        its own.
    intervals : int, optional
        The seed of intervals, for which the sums of buckets are kept.
    pairs : bool
        Whether order metrics compare all pairs of translations on the words that both match.
    sizes : Sizes
        How large spans are; by default a 64th of all files, but at least 1 MB and at most 128 MB of
        decompressed bytes.
    give_out : callable, optional
        Has spans done, and returns what came of them in their order: workers then count the lines
        of plain text of more than 4 GB.

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
        If the files cannot be cut and are one span.

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
    aligned = [*files.hypothesis_alignments, *files.reference_alignments]
    texts = [*files.references, *([] if files.source is None else [files.source])]
    compared = [files.reference, *files.system_paths]
    named = without_compression(files.reference).endswith(ALIGNED)
    if files.kind == "alignments" or (files.kind == "auto" and named):
        aligned = [*compared, *aligned]
    else:
        texts = [*compared, *texts]
    refuse_streams([*aligned, *texts])
    notation = alignment_notation(aligned, files.alignment_format)
    whole = _resources(files)
    known = replace(files, alignment_format=notation, **whole)
    task = {
        "verb": "score",
        "version": __version__,
        "files": asdict(known),
        "metrics": joined_names(metrics),
        "settings": list(settings),
        "intervals": intervals,
        "pairs": pairs,
    }
    every = []
    for path in texts:
        named = files.kind == "auto" and is_treebank(path)
        every.append(RowFile(path, sentences=named or files.kind == "conllu"))
    every += [RowFile(path, whole=notation in RECORD_FORMATS) for path in aligned]
    return cut(every, task, resources=whole.values(), sizes=sizes, give_out=give_out)


def work(
    span: Span, metrics: Metrics | None = None, settings: Sequence[str] | None = None
) -> bytes:
    """Score the rows of a span.

    Parameters
    ----------
    span : Span
    metrics, settings
        As `score_files` takes them; those that `spans` was given, if they are left out.

    Returns
    -------
    bytes
        JSON of at most some kilobytes a system and metric, for `merge`.

    Raises
    ------
    InputError
        As `score_files`; lines have the numbers that they have in the files.
    """
    files = _files(span.task["files"])
    metrics = span.task["metrics"] if metrics is None else metrics
    settings = span.task["settings"] if settings is None else settings
    # What is to be said of the options is said where the work is given out.
    with held_notes():
        kind, used = check(files, metrics, settings)
    with one_thread(), reading_parts(span.parts), held_notes() as notes, ExitStack() as stack:
        try:
            kind.learn(None)
            inputs = kind.open(used, stack)
            kept = {name: span.task[name] for name in ("intervals", "pairs")}
            running = PartialScores.of(inputs.names, used, partial=True, **kept)
            running.add_inputs(inputs, used, first_row=span.first_row)
        except InputError as error:
            raise kind.hinted(error) from None
    running.counts = kind.counts(inputs)
    running.notes = [(span.first_row, message) for message in dict.fromkeys(notes)]
    return running.to_bytes()


def merge(parts: Iterable[bytes]) -> bytes:
    """Add up what `work` returned, in any order; what comes of it can be merged further.

    Raises
    ------
    UsageError
        If there is nothing, or the parts are of other systems, metrics or versions.
    InputError
        If one is damaged.
    """
    return all_scores(parts).to_bytes()


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
        What `merge` made of all spans.
    files, metrics, settings
        As they were given to `spans` and `work`.
    level, resamples, seed
        As `score_files` takes them, for spans with the seed as their `intervals`, of
        which the sums of buckets are resampled.

    Warns
    -----
    note
        Of what was left out.
    """
    kind, used = check(files, metrics, settings)
    partial = PartialScores.from_bytes(merged)
    found = partial.concluded(display_name(files.reference))
    evaluation = concluded(found, used, kind, partial.counts)
    estimates = None
    if level is not None:
        estimates = estimated(evaluation, used, level, resamples, seed)
    return Scores(evaluation, tuple(used), estimates)


def all_scores(parts: Iterable[bytes]) -> PartialScores:
    """Add up what `work` returned; see `merge`."""

    def added(sum_: PartialScores, part: PartialScores) -> PartialScores:
        sum_.merge(part)
        return sum_

    found = map(PartialScores.from_bytes, parts)
    try:
        return reduce(added, found)
    except TypeError:
        raise UsageError("there are no partial scores to merge") from None


def check(
    files: Files, metrics: Metrics, settings: Sequence[str]
) -> tuple[FileKind, list[BaseMetric]]:
    """Return the kind of files and the metrics; refuse what must see all rows first.

    Raises
    ------
    UsageError
        If a metric reads all references before it scores, an aligner is to be trained, or as
        `score_files`.
    """
    kind, used = chosen(files, metrics, settings)
    refuse_prepared(used, "not in spans (--engine)")
    if kind.trains:
        raise UsageError(
            f"--aligner={files.aligner} is trained on whole files, not in spans (--engine): train "
            "it before, `wordorder align --save MODEL`, and give --aligner=MODEL"
        )
    return kind, used


def refuse_prepared(metrics: Sequence[BaseMetric], where: str) -> None:
    """Raise a UsageError for a metric that reads all references before it scores."""
    for metric in metrics:
        if metric.needs_preparation:
            raise UsageError(f"{metric.name} reads all references before it scores: {where}")


def _files(found: Mapping[str, Any]) -> Files:
    """Make files of what JSON made of them."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, (list, tuple)) else value
        for name, value in found.items()
    }
    given["systems"] = tuple((name, path) for name, path in given["systems"])
    return Files(**given)


def _resources(files: Files) -> dict[str, Any]:
    """Return the files that every span reads as a whole, under names that hold in any folder."""
    named = {"aligner": files.aligner, "synonyms": files.synonyms, "paraphrases": files.paraphrases}
    return {
        name: os.path.abspath(path)
        for name, path in named.items()
        if path is not None and os.path.exists(path)
    }
