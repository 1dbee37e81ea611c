"""Folds of a treebank for cross-validation."""

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import UsageError
from wordorder.treebank.treebank import Treebank


def grouped_folds(treebank: Treebank, folds: int, *, seed: int = 0) -> Int64:
    """Distribute sentences over folds; sentences with the same words are in the same fold.

    If one copy of a repeated sentence were in training and another in testing, scores would be too
    high.

    Parameters
    ----------
    treebank : Treebank, S sentences
    folds : int
        At least 2.
    seed : int
        The seed of the random distribution.

    Returns
    -------
    int64[S]
        The fold of each sentence, from 0. The sizes of folds differ by at most the number of
        copies of the most frequent sentence.

    Raises
    ------
    UsageError
        If there are fewer than two folds, or fewer different sentences than folds.

    Examples
    --------
    >>> bank = Treebank.from_words([["a"], ["b"], ["a"], ["c"]])
    >>> found = grouped_folds(bank, 2).tolist()
    >>> found[0] == found[2], sorted(set(found))
    (True, [0, 1])
    """
    if folds < 2:
        raise UsageError(f"cross-validation needs at least 2 folds, not {folds}")
    numbers: dict[tuple[str, ...], int] = {}
    groups = np.array(
        [numbers.setdefault(tuple(words), len(numbers)) for words in treebank.sentences()], np.int64
    )
    if len(numbers) < folds:
        raise UsageError(f"{len(numbers)} different sentences cannot make {folds} folds")
    sizes = np.bincount(groups, minlength=len(numbers))
    shuffled = np.random.default_rng(seed).permutation(len(numbers))
    # The largest groups come first; each goes to the fold with the fewest sentences.
    by_size = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    fold_sizes = np.zeros(folds, np.int64)
    fold = np.zeros(len(numbers), np.int64)
    for group in by_size.tolist():
        fold[group] = smallest = int(np.argmin(fold_sizes))
        fold_sizes[smallest] += sizes[group]
    return np.asarray(fold[groups])
