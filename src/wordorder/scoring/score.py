"""Opening the files of `score` and `compare`, and the scores of what they hold."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wordorder.errors import InputError, UsageError, location
from wordorder.notes import one_note_of_a_kind
from wordorder.scoring.files import Files
from wordorder.scoring.left_out import note_left_out, note_without_links
from wordorder.scoring.named_metrics import DEFAULTS, leaves_open, make_metrics
from wordorder.scoring.reach import check_reach
from wordorder.text.compression import without_compression
from wordorder.text.named_files import read_only_once

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric, Score
    from wordorder.scoring.inputs import Inputs
    from wordorder.scoring.systems import Evaluation
    from wordorder.segments import Segments


def evaluate(
    files: Files,
    names: Sequence[str],
    settings: Sequence[str],
    *,
    keep: bool,
    progress: Callable[[int], None] | None = None,
) -> tuple[Evaluation, list[BaseMetric]]:
    """Score the systems' files, with progress; say what did not take part.

    Returns
    -------
    Evaluation, and the metrics that made it
    """
    from wordorder.scoring.systems import score_inputs

    if leaves_open(names):
        held = files.holds(None)
        files.check(held)
        metrics = make_metrics(names or [DEFAULTS[held]], settings, files.columns(held))
    else:
        metrics = make_metrics(names, settings, set())
        held = files.holds({column for metric in metrics for column in metric.columns})
        files.check(held)
    files.check_served(metrics, held)
    if held == "text":
        check_reach(files, metrics)
    with one_note_of_a_kind():
        metrics = _prepared(metrics, files, held)
        try:
            with opened(files, held, metrics) as inputs:
                evaluation = score_inputs(inputs, metrics, keep=keep, progress=progress)
        except InputError as error:
            raise _with_a_hint(error, files, held) from None
    note_left_out(evaluation, metrics, held, files.aligner is not None)
    if held == "text":
        note_without_links(inputs.sources)
    if files.links == "sure":
        evaluation = _with_sure_links(evaluation, metrics)
    return evaluation, metrics


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


def _with_a_hint(error: InputError, files: Files, held: str) -> InputError:
    """Add to an error at the very beginning of orders that they may be text."""
    named = files.kind == "orders" or without_compression(files.reference).endswith(".orders")
    if held != "orders" or named or error.where != location(files.reference, 1, 1):
        return error
    hint = f"{error.expected}; of translations, --aligner or alignments make orders"
    return InputError(error.where, error.what, hint)


@contextlib.contextmanager
def opened(files: Files, held: str, metrics: Sequence[BaseMetric]) -> Iterator[Inputs]:
    """Open everything that the metrics read."""
    with contextlib.ExitStack() as stack:
        if held == "orders":
            yield _orders(files, metrics, stack)
        elif held == "alignments":
            yield _alignments(files, stack)
        elif held == "trees":
            yield _trees(files, stack)
        else:
            yield _texts(files, stack)


def order_reader(path: str, files: Files) -> Any:
    """Open a system as orders, or as reordered source lines."""
    from wordorder.order.matching import MatchedTextReader
    from wordorder.order.reading import OrderReader

    if files.is_reordered_text(path):
        return MatchedTextReader(path, str(files.source))
    return OrderReader(path)


def _orders(files: Files, metrics: Sequence[BaseMetric], stack: contextlib.ExitStack) -> Inputs:
    from wordorder.order.matching import WordIdReader
    from wordorder.order.reading import OrderReader
    from wordorder.scoring.inputs import OrderInputs

    paths = [path for _, path in files.systems]
    by_form = any(metric.match != "index" for metric in metrics)
    files.check_readings(by_form + sum(map(files.is_reordered_text, paths)))
    readers = [stack.enter_context(order_reader(path, files)) for path in paths]
    target = stack.enter_context(OrderReader(files.reference))
    words = stack.enter_context(WordIdReader(files.source)) if files.source and by_form else None
    return OrderInputs(target, readers, [name for name, _ in files.systems], words)


def _alignments(files: Files, stack: contextlib.ExitStack) -> Inputs:
    from wordorder.scoring.inputs import LinkInputs

    lengths = None if files.source is None else _lengths(files.source)
    paths = [path for _, path in files.systems]
    (gold,) = _alignment_readers([files.reference], files, stack, gold=True, lengths=lengths)
    systems = _alignment_readers(paths, files, stack, lengths=lengths)
    return LinkInputs(gold, systems, [name for name, _ in files.systems])


def _trees(files: Files, stack: contextlib.ExitStack) -> Inputs:
    from wordorder.scoring.inputs import TreeInputs
    from wordorder.treebank.reading import TreebankReader

    # A file of tags alone has no heads; what other parsers write may have several roots.
    gold, *systems = (
        stack.enter_context(TreebankReader(path, trees="optional", single_root=False))
        for path in [files.reference, *(path for _, path in files.systems)]
    )
    return TreeInputs(gold, systems, [name for name, _ in files.systems])


def _texts(files: Files, stack: contextlib.ExitStack) -> Inputs:
    from wordorder.scoring.inputs import TextInputs
    from wordorder.text.preparation import Preparation
    from wordorder.text.words import word_reader

    def texts(paths: Iterable[str]) -> list[Any]:
        return [stack.enter_context(word_reader(path, files.kind)) for path in paths]

    return TextInputs(
        texts([files.reference, *files.references]),
        texts(path for _, path in files.systems),
        [name for name, _ in files.systems],
        source=texts([files.source])[0] if files.source is not None else None,
        hypothesis_alignments=_alignment_readers(files.hypothesis_alignments, files, stack),
        reference_alignments=_alignment_readers(
            files.reference_alignments, files, stack, gold=True
        ),
        preparation=Preparation(
            files.tokenizer,
            "lower" if files.lowercase else "keep",
            files.normalization,
            files.empty_references,
        ),
        aligner=_aligner(files),
        rule=files.rule,
        unaligned=files.unaligned,
    )


def _aligner(files: Files) -> Any:
    """Return the monolingual aligner that the options describe."""
    if files.aligner is None:
        return None
    from wordorder.alignment.monolingual import MonolingualAligner

    return MonolingualAligner(
        language=files.language,
        modules=tuple(files.aligner.split("+")),
        synonyms=files.synonyms,
        paraphrases=files.paraphrases,
    )


def _alignment_readers(
    paths: Iterable[str],
    files: Files,
    stack: contextlib.ExitStack,
    *,
    gold: bool = False,
    lengths: Any = None,
) -> list[Any]:
    paths = list(paths)
    if not paths:
        return []
    from wordorder.alignment.reading import AlignmentReader
    from wordorder.scoring.alignment_rows import AlignmentRows
    from wordorder.text.opening import display_name

    one_based = files.one_based or (gold and files.one_based_reference)
    readers = [
        stack.enter_context(
            AlignmentReader(
                path,
                format=files.alignment_format,
                one_based=one_based,
                sentences=None if lengths is None else len(lengths),
                source_name=display_name(str(files.source)),
            )
        )
        for path in paths
    ]
    return [
        AlignmentRows(reader, sure_only=files.links == "sure", source_lengths=lengths)
        for reader in readers
    ]


def _lengths(path: str) -> Any:
    """Count the words of each line of a text, int64[S]."""
    import numpy as np

    from wordorder.text.in_step import CHUNK
    from wordorder.text.lines import tokens
    from wordorder.text.words import word_reader

    counts: list[int] = []
    with word_reader(path) as reader:
        while len(part := reader.take(CHUNK)):
            counts += [len(tokens(line)) for line in part.strings()]
    return np.array(counts, np.int64)


def _prepared(metrics: list[BaseMetric], files: Files, held: str) -> list[BaseMetric]:
    """Let the metrics that need it see all references first."""
    if not any(metric.needs_preparation for metric in metrics):
        return metrics
    if any(map(read_only_once, (files.reference, *files.references))):
        raise UsageError("nist reads the references twice: they must be files")
    # The references alone, one of them in the place of a system.
    alone = replace(
        files,
        inputs=(f"references={files.reference}",),
        source=None,
        aligner=None,
        hypothesis_alignments=(),
        reference_alignments=(),
    )
    made = []
    for metric in metrics:
        if metric.needs_preparation:
            with opened(alone, held, metrics) as inputs:
                made.append(metric.prepare(_first_system(inputs)))
        else:
            made.append(metric)
    return made


def _first_system(inputs: Inputs) -> Iterator[Segments]:
    """Yield the segments of one system; all have the same references."""
    from wordorder.text.in_step import in_step

    before = 0
    for parts in in_step(inputs.sources):
        yield inputs.segments(parts, before)[0]()
        before += len(parts[0])
