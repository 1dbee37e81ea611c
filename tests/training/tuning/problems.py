"""Small tuning problems, made at random."""

import numpy as np

from wordorder.arrays import Float64
from wordorder.training.tuning.moses import moses_bleu
from wordorder.training.tuning.problem import Problem


def ratio(totals: Float64) -> Float64:
    return np.asarray(totals[..., 0] / np.maximum(totals[..., 1], 1e-9))


def small_problem(
    seed: int, *, most: int = 6, width: int = 3, whole: bool = False, higher: bool = True
) -> Problem:
    """Make sentences with one candidate and more; whole features tie often."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, most + 1, random.integers(1, 6))
    shape = (int(counts.sum()), width)
    counted = [random.integers(0, 9, shape[0]), random.integers(1, 9, shape[0])]
    statistics = np.column_stack(counted).astype(np.float64)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Problem(numbers(random, shape, whole), statistics, offsets, ratio, higher)


def numbers(random: np.random.Generator, shape: tuple[int, ...], whole: bool) -> Float64:
    """Draw whole numbers from -2 to 2, or normally distributed ones."""
    drawn = random.integers(-2, 3, shape) if whole else random.normal(size=shape)
    return np.asarray(drawn, np.float64)


def bleu_problem(seed: int, sentences: int = 8, most: int = 12, width: int = 5) -> Problem:
    """Make sentences with statistics of BLEU as Moses writes them."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, most + 1, sentences)
    rows = []
    for _ in range(int(counts.sum())):
        words = int(random.integers(5, 15))
        matched = int(random.integers(1, words + 1))
        row: list[int] = []
        for order in range(4):
            matched = int(random.integers(0, matched + 1)) if order else matched
            row += [matched, words - order]
        rows.append([*row, 10])
    return Problem(
        random.normal(size=(len(rows), width)),
        np.array(rows, np.float64),
        np.concatenate([[0], np.cumsum(counts)]),
        moses_bleu,
        objective="bleu",
    )
