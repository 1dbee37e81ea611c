"""IBM Model 1: words translate words, in any position."""

from __future__ import annotations

from typing import ClassVar

from wordorder.alignment.statistical.aligner import StatisticalAligner
from wordorder.alignment.statistical.settings import IBM1, Settings


class IBMModel1(StatisticalAligner):
    """IBM Model 1 (Brown et al. 1993), both directions trained on their own.

    Fast, and weak where a sentence has a word twice: it does not see the order of words.

    Examples
    --------
    >>> source, target = ["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"]
    >>> model = IBMModel1.train(source, target)
    >>> [str(row) for row in model.align(source, target, symmetrize="intersection")]
    ['0-0 1-1', '0-0 1-1', '0-0 1-1']
    """

    name: ClassVar[str] = "ibm1"
    settings: ClassVar[Settings] = IBM1
