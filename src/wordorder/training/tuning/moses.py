"""Moses' files of features and statistics, which its ``extractor`` writes for ``mert``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import InputError, location
from wordorder.options import take_options
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.text.output import require_creatable
from wordorder.training.tuning.nbest import MAX_DIGITS, real_numbers
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.tuning import TuningOptions, tune
from wordorder.training.tuning.weights_file import Tuned, read_start, save_tuned

FEATURES, SCORES = "FEATURES", "SCORES"

# Numbers per candidate: matches and n-grams of length 1 to 4, and the length of the reference.
BLEU_STATISTICS = 9


@dataclass(frozen=True)
class _Block:
    """The candidates of a sentence in one block of a file."""

    sentence: int
    rows: list[list[float]]
    names: list[str]
    location: str


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
        If a line is malformed, or the two files differ in their blocks; the message names the line.
    """
    features_name, scores_name = display_name(features), display_name(scores)
    feature_blocks, score_blocks = list(_blocks(features, FEATURES)), list(_blocks(scores, SCORES))
    if not feature_blocks:
        raise InputError(features_name, "there are no candidates", f"{FEATURES}_TXT_BEGIN_0")
    names = feature_blocks[0].names
    for block in feature_blocks:
        if block.names != names:
            mismatch = f"features {' '.join(block.names)}"
            raise InputError(block.location, mismatch, f"{' '.join(names)} as before")
    for block in score_blocks:
        if block.names != ["BLEU"] or any(len(row) != BLEU_STATISTICS for row in block.rows):
            kind = " ".join(block.names) or "no name"
            raise InputError(
                block.location,
                f"statistics of the kind {kind}",
                f"BLEU with {BLEU_STATISTICS} numbers; for other metrics tune on the n-best list",
            )
    for feature_block, score_block in zip(feature_blocks, score_blocks, strict=False):
        if (feature_block.sentence, len(feature_block.rows)) != (
            score_block.sentence,
            len(score_block.rows),
        ):
            mismatch = (
                f"sentence {score_block.sentence} with {len(score_block.rows)} candidates, but "
                f"{feature_block.location} is sentence {feature_block.sentence} with "
                f"{len(feature_block.rows)}"
            )
            raise InputError(score_block.location, mismatch, "the same blocks in both files")
    if len(feature_blocks) != len(score_blocks):
        mismatch = f"{len(score_blocks)} blocks, but {features_name} has {len(feature_blocks)}"
        raise InputError(scores_name, mismatch, "the same blocks in both files")
    # Bring the blocks of a sentence together, in the order of the file.
    order = sorted(range(len(feature_blocks)), key=lambda index: feature_blocks[index].sentence)
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
    """Return Moses' BLEU of summed statistics, float64[..., 9] to float64[...].

    The numbers are matches and n-grams of length 1 to 4, alternating, and the length of the
    reference. BLEU is 0 if some length has no match.

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
    row_size = count = number = 0
    for number, line in enumerate(read_lines(path), 1):
        parts = line.split()
        if not parts:
            continue
        file_position = location(name, number)
        if block is None:
            block, row_size, count = _read_block_start(parts, begin, kind, file_position)
        elif parts[0] == end:
            if len(block.rows) != count:
                raise InputError(
                    block.location, f"{len(block.rows)} candidates", f"{count}, as said"
                )
            if count:
                yield block
            block = None
        else:
            row = real_numbers(parts, file_position)
            if len(row) != row_size:
                raise InputError(
                    file_position, f"{len(row)} numbers", f"{row_size}, as {block.location} says"
                )
            block.rows.append(row)
    if block is not None:
        raise InputError(location(name, number), "the file ends", end)


def _read_block_start(
    parts: list[str], begin: str, kind: str, file_position: str
) -> tuple[_Block, int, int]:
    """Read the first line of a block; return it, the numbers per row, and the number of rows."""
    if parts[0] != begin:
        hint = f"{begin} ({kind}_BIN blocks: let extractor write text)"
        raise InputError(file_position, quoted(parts[0].encode()), hint)
    numbers = parts[1:4]
    counts = [number for number in numbers if number.isascii() and number.isdigit()]
    if len(counts) < 3 or max(map(len, counts)) > MAX_DIGITS:
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
    """Tune on features and BLEU statistics of Moses.

    Parameters
    ----------
    features, scores : path
        Files of Moses' ``extractor``, in the text forms.
    start : path
        The weights to start from, and the bounds of random starts: Moses' ``init.opt``.
    output : path, optional
        The file of the weights.
    options
        Fields of `TuningOptions`, and ``resume``, ``restart`` and ``progress`` of `tune`.

    Raises
    ------
    InputError
        If a file is malformed, or the files differ in their blocks.
    """
    if output is not None:
        require_creatable(output)
    problem, names = read_moses_problem(features, scores)
    first, bounds = read_start(start, names)
    tuning = TuningOptions(start=first, bounds=bounds, **take_options(options, TuningOptions))
    tuned = tune(problem, tuning, names=names, output=output, **options)
    if output is not None:
        save_tuned(tuned, output)
    return tuned
