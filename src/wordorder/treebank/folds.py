"""Dealing the sentences of a treebank out to folds for cross-validation."""

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import UsageError
from wordorder.treebank.treebank import Treebank


def grouped_folds(treebank: Treebank, folds: int, *, seed: int = 0) -> Int64:
    """Deal sentences out to folds; sentences of the same words share one.

    A corpus may repeat a sentence. If one copy were trained on and another tested, the score
    would be too high.

    Parameters
    ----------
    treebank : Treebank, S sentences
    folds : int
        At least 2.
    seed : int
        Decides which sentences go where.

    Returns
    -------
    int64[S]
        The fold of each sentence, from 0. The folds differ by no more sentences than the most
        frequent sentence has copies.

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
    # The largest groups first, each to the fold that has the fewest sentences.
    by_size = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    filled = np.zeros(folds, np.int64)
    fold = np.zeros(len(numbers), np.int64)
    for group in by_size.tolist():
        fold[group] = smallest = int(np.argmin(filled))
        filled[smallest] += sizes[group]
    return np.asarray(fold[groups])
