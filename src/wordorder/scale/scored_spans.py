"""Scores in spans: cut files, score each span, merge the results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import reduce
from typing import Any

from wordorder._version import __version__
from wordorder.alignment.notations import RECORD_FORMATS
from wordorder.errors import InputError, UsageError
from wordorder.kernels._crew import one_thread
from wordorder.metrics.contract import BaseMetric, require_segments
from wordorder.notes import held_notes, note, one_note_of_a_kind
from wordorder.scale.alignment_notation import alignment_notation
from wordorder.scale.counted_lines import GiveOut
from wordorder.scale.cutting import SCORED, RowFile, Sizes, cut, refuse_streams
from wordorder.scale.partial_scores import PartialScores
from wordorder.scale.span import Span
from wordorder.scoring.file_kind import FileKind
from wordorder.scoring.files import ALIGNED, Files
from wordorder.scoring.named_metrics import Metrics, joined_names
from wordorder.scoring.scores import Scores, chosen, concluded, estimated
from wordorder.scoring.systems import RunningScores
from wordorder.text.compression import without_compression
from wordorder.text.opening import display_name
from wordorder.text.parts import reading_parts
from wordorder.text.treebank_names import is_treebank


def spans(
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    intervals: int | None = None,
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
        As `wordorder.scoring.score` takes them; `work` takes those of the span if it has none of
        its own.
    intervals : int, optional
        The seed of intervals, for which the sums of buckets are kept.
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
    WordOrderWarning
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
        As `wordorder.scoring.score` takes them; those that `spans` was given, if they are left out.

    Returns
    -------
    bytes
        JSON of at most some kilobytes a system and metric, for `merge`.

    Raises
    ------
    InputError
        As `wordorder.scoring.score`; lines have the numbers that they have in the files.
    """
    files = _files(span.task["files"])
    metrics = span.task["metrics"] if metrics is None else metrics
    settings = span.task["settings"] if settings is None else settings
    # What is to be said of the options is said where the work is given out.
    with held_notes():
        kind, used = check(files, metrics, settings)
    with (
        one_thread(),
        reading_parts(span.parts),
        held_notes() as notes,
        ExitStack() as stack,
    ):
        try:
            kind.learn(None)
            inputs = kind.open(used, stack)
            intervals = span.task["intervals"]
            running = RunningScores.of(inputs.names, used, intervals=intervals, partial=True)
            running.add_inputs(inputs, used, first_row=span.first_row)
        except InputError as error:
            raise kind.hinted(error) from None
    said = [(span.first_row, message) for message in dict.fromkeys(notes)]
    return PartialScores.of(running, kind.counts(inputs), said).to_bytes()


def merge(parts: Iterable[bytes]) -> bytes:
    """Add up what `work` returned, in any order; what comes of it can be merged further.

    Raises
    ------
    UsageError
        If there is nothing, or the parts are of other systems, metrics or versions.
    InputError
        If one is damaged.
    """
    return _merged(parts).to_bytes()


def result(
    merged: bytes,
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    confidence: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
) -> Scores:
    """Return the scores of all rows, as `wordorder.scoring.score` does.

    Parameters
    ----------
    merged : bytes
        What `merge` made of all spans.
    files, metrics, settings
        As they were given to `spans` and `work`.
    confidence, resamples, seed
        As `wordorder.scoring.score` takes them, for spans with the seed as their `intervals`; of no
        more than 100,000 rows intervals need the rows themselves.

    Warns
    -----
    WordOrderWarning
        Of what was left out.
    """
    kind, used = check(files, metrics, settings)
    partial = PartialScores.from_bytes(merged)
    with one_note_of_a_kind():
        for _, message in partial.notes:
            note(message)
    require_segments(partial.segments, display_name(files.reference))
    evaluation = concluded(partial.evaluation(), used, kind, partial.counts)
    estimates = None
    if confidence is not None:
        estimates = estimated(evaluation, used, confidence, resamples, seed)
    return Scores(evaluation, tuple(used), estimates)


def _merged(parts: Iterable[bytes]) -> PartialScores:
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
        `wordorder.scoring.score`.
    """
    kind, used = chosen(files, metrics, settings)
    for metric in used:
        if metric.needs_preparation:
            raise UsageError(
                f"{metric.name} reads all references before it scores: not in spans (--engine)"
            )
    if kind.trains:
        raise UsageError(
            f"--aligner={files.aligner} is trained on whole files, not in spans (--engine): train "
            "it before, `wordorder align --save MODEL`, and give --aligner=MODEL"
        )
    return kind, used


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
