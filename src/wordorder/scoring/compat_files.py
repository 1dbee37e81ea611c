"""The figures of evaluators that read translations or treebanks, from files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from wordorder.errors import InputError, UsageError, location
from wordorder.scoring.files import Files

if TYPE_CHECKING:
    from wordorder.metrics.contract import Score
    from wordorder.treebank.treebank import Treebank

Found = dict[str, dict[str, "Score"]]


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
    own = {"reference", "systems", "kind", *chosen.options}
    others = [field.name for field in fields(Files) if field.name not in own]
    files.refuse(others, f"has no use here: --compat={preset} reads {chosen.reads} its own way")
    files.check_standard_input()
    found = chosen.scores(files)
    return {
        system: {
            label: replace(score, signature=score.signature.with_fields(("compat", preset)))
            for label, score in scores.items()
        }
        for system, scores in found.items()
    }


def _ribes(files: Files) -> Found:
    """Return the figure of RIBES 1.03.1, which lowercases and splits at any Unicode blank."""
    from wordorder.metrics import metric
    from wordorder.metrics.contract import require_segments
    from wordorder.segments import Segments
    from wordorder.text.opening import display_name

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
        segments = Segments.from_text(lines, by_segment, case="lower")
        score = metric("ribes").corpus_score(segments)
        signature = score.signature.with_fields(("blanks", "unicode"))
        found[name] = {"RIBES": replace(score, signature=signature)}
    return found


def _words(path: str) -> list[str]:
    """Return the lines of a file in lower case, with one blank between two words."""
    from wordorder.text.lines import read_lines

    return [" ".join(line.lower().split()) for line in read_lines(path)]


def _check_in_step(path: str, lines: Sequence[str], other: str, theirs: Sequence[str]) -> None:
    """Raise unless a file has as many lines as the reference."""
    from wordorder.text.lines import line_count_mismatch
    from wordorder.text.opening import display_name

    if len(lines) != len(theirs):
        names = display_name(path), display_name(other)
        raise line_count_mismatch(names[0], len(lines), names[1], len(theirs))


def _refuse_empty(files: Files, references: Sequence[Sequence[str]]) -> None:
    """Raise for the first empty line of a reference, at which RIBES stops."""
    from wordorder.text.opening import display_name

    for path, lines in zip((files.reference, *files.references), references, strict=True):
        if "" in lines:
            raise InputError(
                location(display_name(path), list(lines).index("") + 1),
                "an empty reference, at which RIBES 1.03.1 stops",
                "words, or --empty-references=none, which is its option -z",
            )


def _conll18(files: Files) -> Found:
    """Return the figures of conll18_ud_eval.py, for trees of the same words."""
    from wordorder.metrics.contract import Score, require_segments
    from wordorder.metrics.trees.shared_task import FIGURES, shared_task_scores
    from wordorder.segments.trees import matching_trees
    from wordorder.signature import Signature
    from wordorder.text.opening import display_name

    gold = _treebank(files.reference)
    found = {}
    for name, path in files.systems:
        names = display_name(path), display_name(files.reference)
        trees = matching_trees(_treebank(path), gold, names)
        require_segments(len(gold), names[1])
        found[name] = {
            label: Score(value, Signature(label.lower(), FIGURES[label]), len(gold))
            for label, value in shared_task_scores(trees).items()
        }
    return found


def _treebank(path: str) -> Treebank:
    """Read trees with one root each, as the evaluation of the shared task demands."""
    from wordorder.treebank.reading import read_treebank

    return read_treebank(path, single_root=True)


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
                *("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
                *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
            ),
            "treebanks",
            (),
            _conll18,
        ),
    }
)
