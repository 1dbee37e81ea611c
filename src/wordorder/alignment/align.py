"""Aligning the words of parallel text with a model that is trained on it."""

from __future__ import annotations

from wordorder.alignment.aligners import ALIGNERS
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.statistical.parallel_text import Rows
from wordorder.alignment.symmetrization import METHODS
from wordorder.errors import choose
from wordorder.types import OnProgress


def align(
    source: Rows,
    target: Rows,
    *,
    model: str = "agreement",
    symmetrize: str = "grow-diag-final-and",
    iterations: int | None = None,
    progress: OnProgress | None = None,
) -> Alignments:
    """Train a model on sentence pairs and link their words with it.

    Parameters
    ----------
    source, target : lines, rows of tokens, or Ragged of word numbers
        One row a sentence; in lines, words are separated by blanks.
    model : str
        ``agreement`` (the best), ``hmm``, ``ibm1``, or the name of one that is installed.
    symmetrize : str
        How the two directions are joined; see `wordorder.alignment.symmetrization.symmetrize`.
    iterations : int, optional
        Passes over the text; without it, as many as the model is tuned for.
    progress : callable, optional
        Told how many sentence pairs have been worked through, all passes together.

    Returns
    -------
    Alignments
        One row a sentence pair, 0-based; without links where a side is empty.

    Raises
    ------
    InputError
        If the columns differ in length or a sentence pair is too long.
    UsageError
        If a name is unknown, `iterations` is not a whole number of at least 1, or `progress` cannot
        be called.

    Warns
    -----
    WordOrderWarning
        Before the work, if a sentence pair is so long that it takes a second or more.

    Notes
    -----
    The same text gives the same links, with any number of threads: nothing is drawn at random.
    Time and memory grow with the sum over the pairs of the product of both lengths; the time of
    all but ``ibm1`` with another length, up to some two hundred words.

    Examples
    --------
    >>> source, target = ["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"]
    >>> [str(row) for row in align(source, target)]
    ['0-0 1-1', '0-0 1-1', '0-0 1-1']
    """
    chosen = ALIGNERS.load(str(model))
    choose("symmetrize", symmetrize, METHODS)
    trained = chosen.train(source, target, iterations=iterations, progress=progress)
    alignments: Alignments = trained.align(source, target, symmetrize=symmetrize)
    return alignments
