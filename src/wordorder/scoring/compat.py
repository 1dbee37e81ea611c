"""Scores that other evaluators compute, from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError, location, unknown_name
from wordorder.messages import counted, names_arguments
from wordorder.metrics.compat import PRESETS, Preset, evaluate_compat
from wordorder.metrics.contract import Score, require_segments
from wordorder.metrics.registry import metric
from wordorder.notes import note
from wordorder.options import (
    AlignerOptions,
    FileOptions,
    ReferenceOptions,
    WordOptions,
    options_of,
)
from wordorder.order.orders import Orders
from wordorder.scoring.file_formats import order_reader
from wordorder.scoring.files import Files, Systems
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.lines import read_lines
from wordorder.text.lockstep import line_count_mismatch, until_empty
from wordorder.text.opening import Path, display_name
from wordorder.text.readers import read_words

if TYPE_CHECKING:
    from wordorder.treebank.treebank import Treebank


# The name of a system that does not reorder the source.
UNCHANGED_SYSTEM = "none"


@names_arguments
def compat_scores(
    preset: str, reference: Path, systems: Systems, **options: Any
) -> dict[str, dict[str, Score]]:
    """Score systems like another evaluator, as ``wordorder score --compat`` does.

    Parameters
    ----------
    preset : str
        A name of `PRESETS` or of `FILE_TOOLS`.
    reference : path
        Alignments of the source with its translation; or a translation, with
        `hypothesis_alignments` and `reference_alignments` (``literalness`` needs only the former).
        For ``ribes`` a translation, for ``conll18`` gold trees.
    systems : path, sequence of paths, or mapping of name to path
        Orders of the source, or reordered source lines; ``none`` is the unchanged source. Or
        translations or trees, as the reference.
    options
        Fields of `wordorder.scoring.files.Files`: `source`, alignments and their notation; for
        ``ribes`` further `references` and `empty_references`.

    Returns
    -------
    dict of str to dict of str to Score
        By system, then by the evaluator's label.

    Raises
    ------
    UsageError
        If the preset is unknown, or an option is missing or does not apply.
    InputError
        If a file is wrong, or the files do not fit together.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> files = [sample_path(name) for name in ("alignments.talbot", "head-final.orders")]
    >>> found = compat_scores("lader", *files, source=sample_path("source.en"))
    >>> list(found["head-final"])
    ['chunk', 'tau']
    """
    files = Files.of(reference, systems, options)
    if preset in FILE_TOOLS:
        return file_tool_scores(preset, files)
    if preset not in PRESETS:
        names = (*PRESETS, *FILE_TOOLS)
        command = "wordorder list compat"
        raise unknown_name("evaluator for --compat", preset, names, listed_by=command)
    settings = PRESETS[preset]
    _check_options(files, preset, settings)
    read_paths = [path for path in files.system_paths if not _is_unchanged(path)]
    texts = 0 if files.compares_alignments else sum(map(files.is_reordered_text, read_paths))
    files.check_readings(1 + texts)
    source_name = display_name(str(files.source))
    source = list(read_words(str(files.source)))
    gold = None
    if settings.links_of_systems:
        # The reference is not used, but it must have the same number of lines.
        reference_lines = sum(1 for _ in read_words(files.reference))
        if reference_lines != len(source):
            reference_name = display_name(files.reference)
            raise line_count_mismatch(reference_name, reference_lines, source_name, len(source))
    elif files.compares_alignments:
        path = files.reference_alignments[0]
        gold = _read_alignments(files, path, source, files.reference, gold=True)
    else:
        gold = _read_alignments(files, files.reference, source, None, gold=True)
    scores = {}
    for index, (name, path) in enumerate(files.systems):
        system: Orders | Alignments | None = None
        if files.compares_alignments:
            alignment_path = files.hypothesis_alignments[index]
            system = _read_alignments(files, alignment_path, source, path)
        elif not _is_unchanged(path):
            system = _read_orders(files, path, source)
        require_segments(len(source), source_name)
        scores[name] = evaluate_compat(preset, system, gold, source, links=files.links)
    return scores


def tool_name(preset: str) -> str:
    """Return the full name of the evaluator of a preset."""
    return FILE_TOOLS[preset].tool if preset in FILE_TOOLS else PRESETS[preset].tool


def _check_options(files: Files, name: str, preset: Preset) -> None:
    """Raise a UsageError for an option that does not apply to a preset."""
    if files.source is None:
        raise UsageError(f"--compat={name} needs the source text: --source")
    files.check_standard_input()
    reason = f"cannot be combined with --compat={name}, which has its own rules"
    refused = options_of(ReferenceOptions, WordOptions, AlignerOptions)
    files.refuse([*refused, "rule", "unaligned"], reason)
    if preset.links_of_systems:
        if files.reference_alignments:
            raise UsageError(f"--compat={name} has no use for --reference-alignments")
        if not files.hypothesis_alignments:
            raise UsageError(f"--compat={name} needs --hypothesis-alignments, one per system")
    elif not files.compares_alignments:
        return
    elif not preset.two_alignments:
        problem = f"--compat={name} compares orders with one alignment file, the reference"
        refused_options = "--hypothesis-alignments and --reference-alignments"
        raise UsageError(f"{problem}; {refused_options} are for moses")
    files.check_one_each("hypothesis_alignments", "system", len(files.systems))
    if not preset.links_of_systems:
        files.check_one_each("reference_alignments", "reference", 1)


def _is_unchanged(path: str) -> bool:
    """Return whether a system is the unchanged source, and not a file of this name."""
    return path == UNCHANGED_SYSTEM and not os.path.exists(path)


def _read_alignments(
    files: Files,
    path: str,
    source: Sequence[Sequence[str]],
    target: str | None,
    *,
    gold: bool = False,
) -> Alignments:
    """Read alignments of the source, and check them against the translation, if there is one."""
    from wordorder.alignment.reading import read_alignments

    lengths = None
    if target is not None:
        lengths = np.array([len(words) for words in read_words(target)], np.int64)
    source_lengths = np.array([len(words) for words in source], np.int64)
    options = files.notation(gold=gold)
    options |= {"source_lengths": source_lengths, "target_lengths": lengths}
    return read_alignments(path, **options, target_name=display_name(str(target)))


def _read_orders(files: Files, path: str, source: Sequence[Sequence[str]]) -> Orders:
    """Read orders of whole source sentences."""
    with order_reader(path, files) as reader:
        orders: Orders = Orders.concatenate(list(until_empty(reader.take)))
        name = reader.name
    if len(orders) != len(source):
        raise line_count_mismatch(name, len(orders), display_name(str(files.source)), len(source))
    for row, words in enumerate(source):
        positions = orders.positions[row]
        if len(positions) != len(words) or (positions >= len(words)).any():
            problem = (
                f"an order of {len(positions)} words that is not one of the whole source sentence"
            )
            expected = f"each of its {len(words)} words once"
            raise InputError(location(name, row + 1), problem, expected)
    return orders


ScoresByLabel = dict[str, dict[str, Score]]


@dataclass(frozen=True)
class FileTool:
    """An evaluator that reads complete files.

    Attributes
    ----------
    tool : str
        The evaluator.
    figures : tuple of str
        The labels of its scores.
    reads : str
        The contents of its files.
    options : tuple of str
        The fields of `Files` that it uses.
    scores : callable
        Reads the files and returns the scores by system and label.
    """

    tool: str
    figures: tuple[str, ...]
    reads: str
    options: tuple[str, ...]
    scores: Callable[[Files], ScoresByLabel]


def file_tool_scores(preset: str, files: Files) -> ScoresByLabel:
    """Score systems with one of `FILE_TOOLS`.

    Raises
    ------
    UsageError
        If an option does not apply.
    InputError
        If a file is wrong, the files do not fit together, or the evaluator refuses them.
    """
    tool = FILE_TOOLS[preset]
    unused = [name for name in options_of(FileOptions) if name not in ("kind", *tool.options)]
    files.refuse(unused, f"has no use here: --compat={preset} reads {tool.reads} its own way")
    files.check_standard_input()
    return {
        system: {label: score.with_fields(("compat", preset)) for label, score in scores.items()}
        for system, scores in tool.scores(files).items()
    }


def _ribes(files: Files) -> ScoresByLabel:
    """Return the scores of RIBES 1.03.1, which lowercases and splits at any Unicode space."""
    if files.empty_references not in ("count", "none"):
        raise UsageError("--empty-references is count or none")
    references = [_read_lowercase(path) for path in (files.reference, *files.references)]
    for path, lines in zip(files.references, references[1:], strict=True):
        _check_line_count(path, lines, files.reference, references[0])
    if files.empty_references == "count":
        _refuse_empty(files, references)
    by_segment = [[line for line in lines if line] for lines in zip(*references, strict=True)]
    scores = {}
    for name, path in files.systems:
        lines = _read_lowercase(path)
        _check_line_count(path, lines, files.reference, references[0])
        require_segments(len(lines), display_name(files.reference))
        segments = Segments.from_text(lines, by_segment, tokenizer="none", case="lower")
        score = metric("ribes").corpus_score(segments)
        scores[name] = {"RIBES": score.with_fields(("blanks", "unicode"))}
    return scores


def _read_lowercase(path: str) -> list[str]:
    """Return the lines of a file in lower case, with one space between words."""
    return [" ".join(line.lower().split()) for line in read_lines(path)]


def _check_line_count(
    path: str, lines: Sequence[str], reference_path: str, reference_lines: Sequence[str]
) -> None:
    """Raise an InputError unless a file has the same number of lines as the reference."""
    if len(lines) != len(reference_lines):
        name, reference_name = display_name(path), display_name(reference_path)
        raise line_count_mismatch(name, len(lines), reference_name, len(reference_lines))


def _refuse_empty(files: Files, references: Sequence[Sequence[str]]) -> None:
    """Raise an InputError for the first empty line of a reference, at which RIBES stops."""
    for path, lines in zip((files.reference, *files.references), references, strict=True):
        if "" in lines:
            where = location(display_name(path), list(lines).index("") + 1)
            problem = "an empty reference, at which RIBES 1.03.1 stops"
            expected = "words, or --empty-references=none, which is its option -z"
            raise InputError(where, problem, expected)


def _conll18(files: Files) -> ScoresByLabel:
    """Return the scores of conll18_ud_eval.py for each system.

    A system may split words differently, but its characters must be those of the gold trees.
    """
    from wordorder.metrics.trees.shared_task import SCORE_FIELDS, shared_task_scores

    gold_name = display_name(files.reference)
    gold = _read_treebank(files.reference)
    scores = {}
    for name, path in files.systems:
        values = shared_task_scores(_read_treebank(path), gold, (display_name(path), gold_name))
        require_segments(len(gold), gold_name)
        scores[name] = {
            label: Score(value, Signature(label.lower(), SCORE_FIELDS[label]), len(gold))
            for label, value in values.items()
        }
    return scores


def _read_treebank(path: str) -> Treebank:
    """Read trees with a single root, which the evaluation of the shared task requires.

    Warns
    -----
    note
        If blocks without words are left out, which the shared task's evaluation refuses.
    """
    from wordorder.treebank.reading import read_treebank

    treebank = read_treebank(path, single_root=True)
    rows = np.flatnonzero(treebank.lengths)
    if len(rows) == len(treebank):
        return treebank
    left_out = counted(len(treebank) - len(rows), "block")
    note(f"{display_name(path)}: left out {left_out} without words, which are no sentences")
    return treebank.take(rows)


# At the end, because the table refers to functions above.
FILE_TOOLS: Mapping[str, FileTool] = MappingProxyType(
    {
        "ribes": FileTool(
            "NTT, RIBES 1.03.1",
            ("RIBES",),
            "translations",
            ("references", "empty_references"),
            _ribes,
        ),
        "conll18": FileTool(
            "CoNLL 2018, conll18_ud_eval.py",
            (
                *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
                *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
            ),
            "treebanks",
            (),
            _conll18,
        ),
    }
)
