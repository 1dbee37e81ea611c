"""Moses' own files of features and statistics: what its ``extractor`` writes and ``mert`` reads."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import InputError, location
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.text.output import require_creatable
from wordorder.training.tuning.nbest import MOST_DIGITS, real_numbers
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.tuning import tune
from wordorder.training.tuning.weights_file import Tuned, read_start, save_tuned

FEATURES, SCORES = "FEATURES", "SCORES"

# Matches and n-grams of one to four words, and the length of the reference.
BLEU_NUMBERS = 9


@dataclass(frozen=True)
class _Block:
    """The candidates of a sentence, as a file lists them."""

    sentence: int
    rows: list[list[float]]
    names: list[str]
    where: str


def read_moses_problem(features: Path, scores: Path) -> tuple[Problem, list[str]]:
    """Read features and BLEU statistics of n-best lists, as Moses' ``extractor`` wrote them.

    Parameters
    ----------
    features, scores : path
        The text forms, ``FEATURES_TXT_BEGIN_0`` and ``SCORES_TXT_BEGIN_0``; a sentence may have
        several blocks.

    Returns
    -------
    Problem, and the names of the features, in the order of the columns

    Raises
    ------
    InputError
        If a line is wrong, or the two files do not go together; the message names the line.
    """
    features_name, scores_name = display_name(features), display_name(scores)
    feature_blocks, score_blocks = list(_blocks(features, FEATURES)), list(_blocks(scores, SCORES))
    if not feature_blocks:
        raise InputError(features_name, "there are no candidates", f"{FEATURES}_TXT_BEGIN_0")
    names = feature_blocks[0].names
    for block in feature_blocks:
        if block.names != names:
            mismatch = f"features {' '.join(block.names)}"
            raise InputError(block.where, mismatch, f"{' '.join(names)} as before")
    for block in score_blocks:
        if block.names != ["BLEU"] or any(len(row) != BLEU_NUMBERS for row in block.rows):
            kind = " ".join(block.names) or "no name"
            raise InputError(
                block.where,
                f"statistics of the kind {kind}",
                f"BLEU with {BLEU_NUMBERS} numbers; for other metrics give the n-best list itself",
            )
    for mine, yours in zip(feature_blocks, score_blocks, strict=False):
        if (mine.sentence, len(mine.rows)) != (yours.sentence, len(yours.rows)):
            mismatch = (
                f"sentence {yours.sentence} with {len(yours.rows)} candidates, but {mine.where} "
                f"is sentence {mine.sentence} with {len(mine.rows)}"
            )
            raise InputError(yours.where, mismatch, "the same blocks in both files")
    if len(feature_blocks) != len(score_blocks):
        mismatch = f"{len(score_blocks)} blocks, but {features_name} has {len(feature_blocks)}"
        raise InputError(scores_name, mismatch, "the same blocks in both files")
    # Blocks of one sentence become neighbours, in the order in which they are listed.
    order = sorted(range(len(feature_blocks)), key=lambda number: feature_blocks[number].sentence)
    sentences = [
        feature_blocks[number].sentence for number in order for _ in feature_blocks[number].rows
    ]
    starts = np.flatnonzero(np.diff(sentences, prepend=-1))
    problem = Problem(
        np.array([row for number in order for row in feature_blocks[number].rows]),
        np.array([row for number in order for row in score_blocks[number].rows]),
        np.append(starts, len(sentences)),
        moses_bleu,
        objective="bleu",
    )
    return problem, names


def moses_bleu(totals: Float64) -> Float64:
    """Return the BLEU that Moses makes of summed statistics, float64[..., 9] to float64[...].

    The numbers are matches and n-grams of one to four words by turns, and the length of the
    reference. Without a match of some length BLEU is 0.

    Examples
    --------
    >>> float(moses_bleu(np.array([3.0, 4, 2, 3, 1, 2, 1, 1, 4])).round(4))
    0.7071
    """
    matches, ngrams = totals[..., 0:8:2], totals[..., 1:8:2]
    has_matches = (matches > 0).all(axis=-1) & (ngrams > 0).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(matches / ngrams).sum(axis=-1) / 4
        brevity = np.minimum(0.0, 1.0 - totals[..., 8] / ngrams[..., 0])
        return np.asarray(np.where(has_matches, np.exp(precision + brevity), 0.0), np.float64)


def _blocks(path: Path, kind: str) -> Iterator[_Block]:
    """Yield the blocks of a file."""
    name = display_name(path)
    begin, end = f"{kind}_TXT_BEGIN_0", f"{kind}_TXT_END_0"
    block: _Block | None = None
    size = count = number = 0
    for number, line in enumerate(read_lines(path), 1):
        parts = line.split()
        if not parts:
            continue
        file_position = location(name, number)
        if block is None:
            block, size, count = _opened(parts, begin, kind, file_position)
        elif parts[0] == end:
            if len(block.rows) != count:
                raise InputError(block.where, f"{len(block.rows)} candidates", f"{count}, as said")
            if count:
                yield block
            block = None
        else:
            row = real_numbers(parts, file_position)
            if len(row) != size:
                raise InputError(
                    file_position, f"{len(row)} numbers", f"{size}, as {block.where} says"
                )
            block.rows.append(row)
    if block is not None:
        raise InputError(location(name, number), "the file ends", end)


def _opened(parts: list[str], begin: str, kind: str, file_position: str) -> tuple[_Block, int, int]:
    """Read the first line of a block; return it, the numbers per row, and the number of rows."""
    if parts[0] != begin:
        hint = f"{begin} ({kind}_BIN blocks: let extractor write text)"
        raise InputError(file_position, quoted(parts[0].encode()), hint)
    numbers = parts[1:4]
    counts = [number for number in numbers if number.isascii() and number.isdigit()]
    if len(counts) < 3 or max(map(len, counts)) > MOST_DIGITS:
        raise InputError(
            file_position, quoted(" ".join(parts).encode()), f"{begin} SENTENCE ROWS NUMBERS"
        )
    sentence, count, size = map(int, counts)
    names = parts[4:]
    if kind == FEATURES and len(names) != size:
        raise InputError(file_position, f"{len(names)} names of features", str(size))
    return _Block(sentence, [], names, file_position), size, count


def tune_moses_files(
    features: Path, scores: Path, start: Path, *, output: Path | None = None, **options: Any
) -> Tuned:
    """Tune on features and BLEU statistics, as ``wordorder tune --moses-features`` does.

    Parameters
    ----------
    features, scores : path
        What Moses' ``extractor`` writes, in the text forms.
    start : path
        The weights to start from, and the bounds of random starts: Moses' ``init.opt``.
    output : path, optional
        Where the weights go.
    options
        As in `wordorder.training.tune`.

    Raises
    ------
    InputError
        If a file is wrong, or the files do not go together.
    """
    if output is not None:
        require_creatable(output)
    problem, names = read_moses_problem(features, scores)
    first, bounds = read_start(start, names)
    tuned = tune(problem, names=names, start=first, bounds=bounds, output=output, **options)
    if output is not None:
        save_tuned(tuned, output)
    return tuned
