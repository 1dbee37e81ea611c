"""The figures of other evaluators, from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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


# The name of a system that leaves the source as it is.
UNCHANGED = "none"


@names_arguments
def compat_scores(
    preset: str, reference: Path, systems: Systems, **options: Any
) -> dict[str, dict[str, Score]]:
    """Score systems as another evaluator does, as ``wordorder score --compat`` does.

    Parameters
    ----------
    preset : str
        A name of `PRESETS` or of `FILE_TOOLS`.
    reference : path
        Alignments of the source with its translation; or, where `hypothesis_alignments` and
        `reference_alignments` are given, a translation. ``literalness`` needs only the former.
        For ``ribes`` a translation, for ``conll18`` gold trees.
    systems : path, sequence of paths, or mapping of name to path
        Orders of the source, or reordered source lines; ``none`` is the source as it is. Or
        translations or trees, as the reference.
    options
        Fields of `wordorder.scoring.files.Files`, by name: `source`, alignments and how these are
        read; for ``ribes`` further `references` and `empty_references`.

    Returns
    -------
    dict of str to dict of str to Score
        By system, then by the evaluator's label.

    Raises
    ------
    UsageError
        If the preset is unknown, or an option is missing or has no place.
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
        names, listed = (*PRESETS, *FILE_TOOLS), "wordorder list compat"
        raise unknown_name("evaluator for --compat", preset, names, listed_by=listed)
    chosen = PRESETS[preset]
    _check(files, preset, chosen)
    given = [path for path in files.system_paths if not _is_unchanged(path)]
    texts = 0 if files.compares_alignments else sum(map(files.is_reordered_text, given))
    files.check_readings(1 + texts)
    source = list(read_words(str(files.source)))
    gold = None
    if chosen.links_of_systems:
        # The reference is not looked at, but it is in step all the same.
        if (there := sum(1 for _ in read_words(files.reference))) != len(source):
            names = display_name(files.reference), display_name(str(files.source))
            raise line_count_mismatch(names[0], there, names[1], len(source))
    else:
        aligned = files.compares_alignments
        links = files.reference_alignments[0] if aligned else files.reference
        target = files.reference if aligned else None
        gold = _alignments(files, links, source, target, gold=True)
    found = {}
    for number, (name, path) in enumerate(files.systems):
        system: Orders | Alignments | None = None
        if files.compares_alignments:
            links = files.hypothesis_alignments[number]
            system = _alignments(files, links, source, path)
        elif not _is_unchanged(path):
            system = _orders(files, path, source)
        require_segments(len(source), display_name(str(files.source)))
        found[name] = evaluate_compat(preset, system, gold, source, links=files.links)
    return found


def tool_name(preset: str) -> str:
    """Return the evaluator behind a name for ``--compat``."""
    return FILE_TOOLS[preset].tool if preset in FILE_TOOLS else PRESETS[preset].tool


def _check(files: Files, name: str, preset: Preset) -> None:
    """Raise a UsageError for an option that has no place here."""
    if files.source is None:
        raise UsageError(f"--compat={name} needs the source text: --source")
    files.check_standard_input()
    why = f"cannot be combined with --compat={name}, which has its own rules"
    words = options_of(ReferenceOptions, WordOptions, AlignerOptions)
    files.refuse([*words, "rule", "unaligned"], why)
    if preset.links_of_systems:
        if files.reference_alignments:
            raise UsageError(f"--compat={name} has no use for --reference-alignments")
        if not files.hypothesis_alignments:
            raise UsageError(f"--compat={name} needs --hypothesis-alignments, one per system")
    elif not files.compares_alignments:
        return
    elif not preset.two_alignments:
        what = f"--compat={name} compares orders with one alignment file, the reference"
        both = "--hypothesis-alignments and --reference-alignments"
        raise UsageError(f"{what}; {both} are for moses")
    files.check_one_each("hypothesis_alignments", "system", len(files.systems))
    if not preset.links_of_systems:
        files.check_one_each("reference_alignments", "reference", 1)


def _is_unchanged(path: str) -> bool:
    """Return whether a system is the source as it is: its name, unless a file has it."""
    return path == UNCHANGED and not os.path.exists(path)


def _alignments(
    files: Files,
    path: str,
    source: Sequence[Sequence[str]],
    target: str | None,
    *,
    gold: bool = False,
) -> Alignments:
    """Read alignments of the source, and the lengths of its translation if that is given."""
    from wordorder.alignment.reading import read_alignments

    lengths = None
    if target is not None:
        lengths = np.array([len(words) for words in read_words(target)], np.int64)
    source_lengths = np.array([len(words) for words in source], np.int64)
    known: dict[str, Any] = {"source_lengths": source_lengths, "target_lengths": lengths}
    name = display_name(str(target))
    return read_alignments(path, **files.notation(gold=gold), **known, target_name=name)


def _orders(files: Files, path: str, source: Sequence[Sequence[str]]) -> Orders:
    """Read orders of whole source sentences."""
    with order_reader(path, files) as reader:
        orders: Orders = Orders.concatenate(list(until_empty(reader.take)))
        name = reader.name
    if len(orders) != len(source):
        raise line_count_mismatch(name, len(orders), display_name(str(files.source)), len(source))
    for row, words in enumerate(source):
        positions = orders.positions[row]
        if len(positions) != len(words) or (positions >= len(words)).any():
            what = (
                f"an order of {len(positions)} words that is not one of the whole source sentence"
            )
            expected = f"each of its {len(words)} words once"
            raise InputError(location(name, row + 1), what, expected)
    return orders


Found = dict[str, dict[str, Score]]


@dataclass(frozen=True)
class FileTool:
    """An evaluator of whole files.

    Attributes
    ----------
    tool : str
        The evaluator.
    figures : tuple of str
        What it calls its figures.
    reads : str
        What its files hold.
    options : tuple of str
        The fields of `Files` that it has a use for.
    scores : callable
        Reads the files and returns its figures by system.
    """

    tool: str
    figures: tuple[str, ...]
    reads: str
    options: tuple[str, ...]
    scores: Callable[[Files], Found]


def file_tool_scores(preset: str, files: Files) -> Found:
    """Score systems as one of `FILE_TOOLS` does.

    Raises
    ------
    UsageError
        If an option has no place.
    InputError
        If a file is wrong, the files do not fit together, or the evaluator refuses them.
    """
    chosen = FILE_TOOLS[preset]
    others = [name for name in options_of(FileOptions) if name not in ("kind", *chosen.options)]
    files.refuse(others, f"has no use here: --compat={preset} reads {chosen.reads} its own way")
    files.check_standard_input()
    found = chosen.scores(files)

    def signed(score: Score) -> Score:
        return replace(score, signature=score.signature.with_fields(("compat", preset)))

    return {
        system: {label: signed(score) for label, score in scores.items()}
        for system, scores in found.items()
    }


def _ribes(files: Files) -> Found:
    """Return the figure of RIBES 1.03.1, which lowercases and splits at any Unicode blank."""
    if files.empty_references not in ("count", "none"):
        raise UsageError("--empty-references is count or none")
    references = [_words(path) for path in (files.reference, *files.references)]
    for path, lines in zip(files.references, references[1:], strict=True):
        _check_in_step(path, lines, files.reference, references[0])
    if files.empty_references == "count":
        _refuse_empty(files, references)
    by_segment = [[line for line in lines if line] for lines in zip(*references, strict=True)]
    found = {}
    for name, path in files.systems:
        lines = _words(path)
        _check_in_step(path, lines, files.reference, references[0])
        require_segments(len(lines), display_name(files.reference))
        segments = Segments.from_text(lines, by_segment, tokenizer="none", case="lower")
        score = metric("ribes").corpus_score(segments)
        signature = score.signature.with_fields(("blanks", "unicode"))
        found[name] = {"RIBES": replace(score, signature=signature)}
    return found


def _words(path: str) -> list[str]:
    """Return the lines of a file in lower case, with one blank between two words."""
    return [" ".join(line.lower().split()) for line in read_lines(path)]


def _check_in_step(path: str, lines: Sequence[str], other: str, theirs: Sequence[str]) -> None:
    """Raise unless a file has as many lines as the reference."""
    if len(lines) != len(theirs):
        names = display_name(path), display_name(other)
        raise line_count_mismatch(names[0], len(lines), names[1], len(theirs))


def _refuse_empty(files: Files, references: Sequence[Sequence[str]]) -> None:
    """Raise for the first empty line of a reference, at which RIBES stops."""
    for path, lines in zip((files.reference, *files.references), references, strict=True):
        if "" in lines:
            where = location(display_name(path), list(lines).index("") + 1)
            what = "an empty reference, at which RIBES 1.03.1 stops"
            expected = "words, or --empty-references=none, which is its option -z"
            raise InputError(where, what, expected)


def _conll18(files: Files) -> Found:
    """Return the figures of conll18_ud_eval.py for each system.

    Only the characters of its trees must equal those of the gold trees.
    """
    from wordorder.metrics.trees.shared_task import SCORE_FIELDS, shared_task_scores

    gold_name = display_name(files.reference)
    gold = _treebank(files.reference)
    found = {}
    for name, path in files.systems:
        scores = shared_task_scores(_treebank(path), gold, (display_name(path), gold_name))
        require_segments(len(gold), gold_name)
        found[name] = {
            label: Score(value, Signature(label.lower(), SCORE_FIELDS[label]), len(gold))
            for label, value in scores.items()
        }
    return found


def _treebank(path: str) -> Treebank:
    """Read trees with one root each, as the evaluation of the shared task demands.

    Warns
    -----
    note
        If blocks without words are left out, which that evaluation refuses.
    """
    from wordorder.treebank.reading import read_treebank

    treebank = read_treebank(path, single_root=True)
    rows = np.flatnonzero(treebank.lengths)
    if len(rows) == len(treebank):
        return treebank
    left_out = counted(len(treebank) - len(rows), "block")
    note(f"{display_name(path)}: left out {left_out} without words, which are no sentences")
    return treebank.take(rows)


_CONLL = (
    *("Tokens", "Sentences", "Words"),
    *("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX"),
)
_OPTIONS = ("references", "empty_references")
FILE_TOOLS: Mapping[str, FileTool] = MappingProxyType(
    {
        "ribes": FileTool("NTT, RIBES 1.03.1", ("RIBES",), "translations", _OPTIONS, _ribes),
        "conll18": FileTool("CoNLL 2018, conll18_ud_eval.py", _CONLL, "treebanks", (), _conll18),
    }
)
