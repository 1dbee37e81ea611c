"""Aligning, parsing, reordering, scoring and comparing files in spans on an engine."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

from wordorder._version import __version__
from wordorder.alignment.reading import RECORD_FORMATS
from wordorder.arrays import OnProgress
from wordorder.errors import UsageError, choose
from wordorder.notes import held_notes
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.progress import shows_progress
from wordorder.scale.cutting import WRITTEN, RowFile, cut, refuse_streams
from wordorder.scale.engines import check_engine, run_spans
from wordorder.scale.line_output import Span, alignment_notation, has_files, join_outputs
from wordorder.scale.scoring import check_spans, merge, result, spans
from wordorder.scoring.comparisons import WORDS, ComparedSystems, compare_files, compare_systems
from wordorder.scoring.files import Files, Metrics, Systems
from wordorder.scoring.scores import Scores, score_files
from wordorder.statistics.bucket_sums import BUCKETS_ABOVE
from wordorder.statistics.paired_tests import TEST_FUNCTIONS
from wordorder.text.names import is_treebank
from wordorder.text.opening import Path


@dataclass(frozen=True)
class Command:
    """A command that writes one line or sentence for each one that it reads.

    Attributes
    ----------
    name : str
    sentences : str
        The option with the input file whose format, text or CoNLL-U, has to be detected; "" if
        there is none.
    texts, alignments : tuple of str
        Options whose files have one row per line.
    resources : tuple of str
        Options whose files are read as a whole for every span.
    outputs : tuple of str
        Options whose files are written.
    """

    name: str
    sentences: str = ""
    texts: tuple[str, ...] = ()
    alignments: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ("output",)


_COMMANDS = {
    command.name: command
    for command in (
        Command("align", texts=("source", "target"), resources=("load",)),
        Command("parse", sentences="source", resources=("model", "tagger")),
        Command("reference", texts=("source", "target"), alignments=("alignments",)),
        Command(
            "reorder",
            sentences="source",
            texts=("by",),
            alignments=("alignment",),
            resources=("rules", "parser"),
            outputs=("output", "orders", "alignment_output"),
        ),
    )
}


@shows_progress("lines")
def write_on_engine(
    verb: str,
    options: Mapping[str, Any],
    *,
    engine: str = "local",
    address: str | None = None,
    state: str | None = None,
    progress: OnProgress | None = None,
) -> dict[str, int]:
    """Run a command in spans on an engine; the output is byte for byte that of a run without one.

    Parameters
    ----------
    verb : {"align", "parse", "reference", "reorder"}
    options : mapping
        The arguments of `align_files`, `parse_files`, `convert_alignments` or `reorder_files`.
    engine, address, state, progress
        See `wordorder.scale.engines.run_spans`. Workers write the result of each span into
        `state`; if they run on other machines, it must be a folder that all of them share.

    Returns
    -------
    mapping of str to int
        The counts that the function of the command returns.

    Raises
    ------
    UsageError
        If the engine is not available, or the result of a span depends on other spans.
    WordOrderError
        If the function of the command raises it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("so be it\\n")
    >>> _ = (folder / "a.align").write_text("0-1 1-0 2-2\\n")
    >>> paths = {"alignments": f"{folder}/a.align", "source": f"{folder}/a.txt"}
    >>> done = write_on_engine("reference", {**paths, "output": f"{folder}/a.orders"})
    >>> done["words"], (folder / "a.orders").read_text()
    (3, '1 0 2\\n')
    """
    check_engine(engine, address)
    if address is not None and state is None:
        raise UsageError(
            f"--engine={engine} --address={address}: workers write into --state=DIR, a folder that "
            "all of them see"
        )
    with _state_folder(state) as folder:
        spans = file_spans(verb, options, folder)
        results = run_spans(
            spans, engine, address=address, state=folder, progress=progress, is_complete=has_files
        )
        outputs = {name: options[name] for name in spans[0].task["outputs"]}
        return join_outputs(results, outputs)


def file_spans(verb: str, options: Mapping[str, Any], folder: str) -> list[Span]:
    """Cut the inputs of a command into spans that write into a folder; see `write_on_engine`."""
    command = _COMMANDS[verb]
    values = {name: value for name, value in options.items() if value is not None}
    texts = [values[name] for name in command.texts if name in values]
    alignment_paths = [values[name] for name in command.alignments if name in values]
    resource_paths = {
        n: os.path.abspath(values[n]) for n in command.resources if _is_file(values.get(n))
    }
    refuse_streams(
        [*([values[command.sentences]] if command.sentences else []), *texts, *alignment_paths]
    )
    files = []
    if command.sentences:
        path = values[command.sentences]
        with SentenceReader(path, kind=values.get("kind", "auto")) as reader:
            values["kind"] = reader.kind
        files.append(RowFile(path, sentences=reader.kind == "conllu"))
    if alignment_paths:
        values["format"] = alignment_notation(alignment_paths, values.get("format", "auto"))
    _refuse_dependent(verb, values)
    files += [RowFile(path, sentences=is_treebank(path)) for path in texts]
    is_record_format = bool(alignment_paths) and values["format"] in RECORD_FORMATS
    files += [RowFile(path, indivisible=is_record_format) for path in alignment_paths]
    outputs = [name for name in command.outputs if name in values]
    task = {
        "verb": verb,
        "version": __version__,
        "folder": os.path.abspath(folder),
        "outputs": outputs,
        "options": {n: v for n, v in {**values, **resource_paths}.items() if n not in outputs},
    }
    return cut(files, task, resources=resource_paths.values(), sizes=WRITTEN)


def _refuse_dependent(verb: str, options: Mapping[str, Any]) -> None:
    """Raise a UsageError if a line of the result depends on lines of other spans."""
    if verb == "align":
        if "load" not in options:
            raise UsageError("align trains on whole files: --engine is for --load=MODEL")
        if options.get("format") in RECORD_FORMATS:
            raise UsageError(
                f"--format={options['format']} numbers the sentence pairs of the whole file: "
                "--engine writes pharaoh, talbot or lader"
            )
    is_conllu = options.get("kind") == "conllu"
    if verb == "parse" and is_conllu and options.get("tags", "auto") == "auto":
        raise UsageError(
            "--tags=auto judges tags by the sentences before them: --engine needs --tags=keep or "
            "predict"
        )
    if verb == "reorder" and is_conllu and "parser" in options:
        raise UsageError(
            "--parser judges tags by the sentences before them: --engine reorders its own trees; "
            "`wordorder parse --tags predict` makes others"
        )


def _is_file(path: object) -> bool:
    return isinstance(path, (str, os.PathLike)) and os.path.isfile(path)


@contextmanager
def _state_folder(state: str | None) -> Iterator[str]:
    """Yield `state`, or a temporary folder that is removed afterwards."""
    if state is not None:
        yield state
        return
    with TemporaryDirectory(prefix="wordorder-") as folder:
        yield folder


@shows_progress("segments")
def score_on_engine(
    reference: Path,
    systems: Systems,
    metrics: Metrics = (),
    *,
    engine: str = "local",
    address: str | None = None,
    state: str | None = None,
    settings: Sequence[str] = (),
    level: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
    progress: OnProgress | None = None,
    **options: Any,
) -> Scores:
    """Score files as `score_files` does, in spans on an engine.

    Parameters
    ----------
    reference, systems, metrics, settings, level, resamples, seed, progress, options
        See `score_files`.
    engine, address, state
        See `wordorder.scale.engines.run_spans`.

    Raises
    ------
    UsageError, InputError
        See `score_files`; also if the engine is not available, or a metric or an aligner has to
        read all rows first.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> scores = score_on_engine(reference, system, "frs")
    >>> round(scores.values()["head-final"]["frs"], 4)
    0.7587
    """
    files = Files.of(reference, systems, options)
    resampling_options: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    interval_seed = None if level is None else seed
    span_results = _score_spans(
        files, metrics, settings, interval_seed, engine, address, state, progress
    )
    if span_results is None:
        score_options = {
            "settings": settings,
            "progress": progress,
            **resampling_options,
            **options,
        }
        return score_files(systems, reference, metrics, **score_options)
    return result(merge(span_results), files, metrics, settings, **resampling_options)


@shows_progress("segments")
def compare_on_engine(
    reference: Path,
    systems: Systems,
    metrics: Metrics = (),
    *,
    engine: str = "local",
    address: str | None = None,
    state: str | None = None,
    settings: Sequence[str] = (),
    test: str = "auto",
    words: str = "common",
    resamples: int | None = None,
    seed: int = 12345,
    progress: OnProgress | None = None,
    **options: Any,
) -> ComparedSystems:
    """Test systems against each other as `compare_files` does, in spans on an engine.

    Parameters
    ----------
    reference, systems, metrics, settings, test, words, resamples, seed, progress, options
        See `compare_files`.
    engine, address, state
        See `wordorder.scale.engines.run_spans`.

    Raises
    ------
    UsageError, InputError
        See `score_on_engine`.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> systems = [sample_path(f"{name}.orders") for name in ("unchanged", "head-final")]
    >>> (found,) = compare_on_engine(sample_path("reference.orders"), systems, "frs").comparisons
    >>> found.pair(0, 1).mark
    '+**'
    """
    choose("test", test, ("auto", *TEST_FUNCTIONS))
    files = Files.of(reference, systems, options)
    common_words_only = choose("words", words, WORDS) == "common"
    test_options: dict[str, Any] = {"test": test, "resamples": resamples, "seed": seed}
    span_results = _score_spans(
        files, metrics, settings, seed, engine, address, state, progress, pairs=common_words_only
    )
    if span_results is None:
        compare_options = {
            "settings": settings,
            "progress": progress,
            "words": words,
            **test_options,
            **options,
        }
        return compare_files(systems, reference, metrics, **compare_options)
    scores = result(merge(span_results), files, metrics, settings)
    return compare_systems(scores.evaluation, scores.metrics, **test_options)


def _score_spans(
    files: Files,
    metrics: Metrics,
    settings: Sequence[str],
    intervals: int | None,
    engine: str,
    address: str | None,
    state: str | None,
    progress: OnProgress | None,
    *,
    pairs: bool = False,
) -> list[bytes] | None:
    """Score files in spans and return their results, or None if intervals need the rows."""
    check_engine(engine, address)
    with held_notes():
        check_spans(files, metrics, settings)

    def run(spans: Sequence[Span], progress: OnProgress | None = None) -> list[bytes]:
        return run_spans(spans, engine, address=address, state=state, progress=progress)

    span_list = spans(files, metrics, settings, intervals=intervals, pairs=pairs, run_spans=run)
    if intervals is not None and sum(span.rows for span in span_list) <= BUCKETS_ABOVE:
        # Intervals over so few rows are computed from the rows, not from sums of buckets.
        return None
    return run(span_list, progress)
