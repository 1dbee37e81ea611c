"""Aligning two files of text, with a model that is trained on them or was saved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.alignment.aligners import ALIGNERS, load_aligner
from wordorder.alignment.statistical.aligner import StatisticalAligner
from wordorder.alignment.symmetrization import METHODS
from wordorder.alignment.writing import write_alignments
from wordorder.errors import UsageError, choose
from wordorder.text.lines import line_count_mismatch, tokens
from wordorder.text.opening import Path, display_name
from wordorder.text.preparation import Preparation
from wordorder.text.raw_lines import RawLines
from wordorder.text.tensors import require_writable
from wordorder.text.words import word_reader
from wordorder.types import OnProgress

# Lines that are read at a time.
CHUNK = 1 << 16


@dataclass(frozen=True)
class AlignedFiles:
    """What was aligned.

    Attributes
    ----------
    sentence_pairs : int
    links : int
    without_links : int
        Sentence pairs without a link, those with an empty side included.
    """

    sentence_pairs: int
    links: int
    without_links: int


def align_files(
    source: Path,
    target: Path,
    output: Path,
    *,
    model: str = "agreement",
    symmetrize: str = "grow-diag-final-and",
    iterations: int | None = None,
    lowercase: bool = False,
    save: Path | None = None,
    load: Path | None = None,
    format: str = "pharaoh",
    progress: OnProgress | None = None,
) -> AlignedFiles:
    """Align two files line by line, as `wordorder.align` does.

    Parameters
    ----------
    source, target : path or "-"
        Tokenised text, one sentence a line; or a treebank, ``.conllu``.
    output : path or "-"
        Where the links go, one line a sentence pair.
    model, symmetrize, iterations, progress
        As `wordorder.align` takes them.
    lowercase : bool
        Whether to forget case first; a saved model does what was done to its own text.
    save : path, optional
        Where the trained model goes.
    load : path, optional
        A saved model, which is used as it is; `model`, `iterations` and `save` do nothing then.
    format : str
        A notation of `wordorder.alignment.writing.write_alignments`.

    Raises
    ------
    InputError
        If a file cannot be read, the numbers of lines differ, or a sentence pair is too long.
    ModelError
        If `load` is no model.
    UsageError
        If a name is unknown, an output cannot be created, or `lowercase` is asked of a model that
        has learned upper and lower case apart.
    """
    choose("symmetrize", symmetrize, METHODS)
    if save is not None and load is None:
        require_writable(save)
    aligner: Any = ALIGNERS.load(model) if load is None else load_aligner(load)
    case = "lower" if lowercase else "keep"
    if load is not None:
        if lowercase and aligner.case != case:
            raise UsageError(f"{load} was trained on text with its case: align without --lowercase")
        case = aligner.case
    prepared = Preparation(case=case)
    sides = [read_whole(source), read_whole(target)]
    if len(sides[0]) != len(sides[1]):
        raise line_count_mismatch(str(source), len(sides[0]), str(target), len(sides[1]))
    lines = [prepared.normal(side) for side in sides]
    if load is None:
        aligner = aligner.train(*lines, iterations=iterations, progress=progress)
        if isinstance(aligner, StatisticalAligner):
            aligner = replace(aligner, case=case)
        if save is not None:
            aligner.save(save)
    alignments = aligner.align(*lines, symmetrize=symmetrize)
    # Where a message says that a notation cannot write a row.
    alignments.path = display_name(target)
    words = [[tokens(line) for line in side.strings()] for side in sides if format == "giza"]
    write_alignments(
        alignments,
        output,
        format=format,
        source=words[0] if words else None,
        target=words[1] if words else None,
    )
    return AlignedFiles(
        len(alignments),
        len(alignments.source),
        int(np.count_nonzero(np.diff(alignments.offsets) == 0)),
    )


def read_whole(path: Path, kind: str = "auto") -> RawLines:
    """Read a whole file of lines, or the words of a treebank as such; as `word_reader`."""
    parts = []
    with word_reader(path, kind) as reader:
        while len(part := reader.take(CHUNK)):
            parts.append(part)
    return RawLines.concatenate(parts)
