"""The tags of sentences that a parser learns from without their trees: predicted, or the file's."""

from __future__ import annotations

import numpy as np

from wordorder.counts import joined, percent
from wordorder.errors import UsageError, choose
from wordorder.option_names import spoken
from wordorder.parsing.given_tags import TAGS
from wordorder.treebank.treebank import Treebank

MODES = ("predict", "auto")


def tags_of_data(mode: str | None, *, tagger: bool) -> str:
    """Return how sentences get their tags.

    Parameters
    ----------
    mode : {"predict", "auto"}, optional
        ``predict`` replaces tags that they have, ``auto`` keeps each and predicts each other.
        Unless given, all are predicted where there is a tagger.
    tagger : bool
        Whether there is one.

    Raises
    ------
    UsageError
        If the mode is none of these, or asks for a tagger and there is none.

    Examples
    --------
    >>> tags_of_data(None, tagger=True), tags_of_data(None, tagger=False)
    ('predict', 'auto')
    """
    if mode is None:
        return "predict" if tagger else "auto"
    if choose("data_tags", mode, MODES) == "predict" and not tagger:
        raise UsageError("--data-tags=predict needs a tagger; --tagger=none leaves it out")
    return mode


class TagDifference:
    """Counts how often predicted tags are others than those that words have.

    Examples
    --------
    >>> given = Treebank.from_words([["time", "flies"]], upos=[["NOUN", "VERB"]])
    >>> predicted = Treebank.from_words([["time", "flies"]], upos=[["NOUN", "NOUN"]])
    >>> difference = TagDifference()
    >>> difference.add(given, predicted)
    >>> difference.line("a.conllu")
    'a.conllu: all tags are predicted, as they will be in text; 50 % of the UPOS are others than
    those of the file, which data_tags="auto" keeps'
    """

    def __init__(self) -> None:
        self._counts = {name: np.zeros(2, np.int64) for name in TAGS}

    def add(self, given: Treebank, predicted: Treebank) -> None:
        """Count the words of some sentences."""
        for name, counts in self._counts.items():
            column = given.columns[name]
            numbers = {word: code for code, word in enumerate(column.vocabulary.words)}
            others = predicted.columns[name].encode(numbers, -1) != column.codes
            said = column.said() & predicted.columns[name].said()
            counts += int((said & others).sum()), int(said.sum())

    def line(self, name: str) -> str:
        """Say what share of the tags is another one; empty if no word had a tag."""
        shares = [
            f"{percent(int(others), int(said))} of the {tags.upper()}"
            for tags, (others, said) in self._counts.items()
            if said
        ]
        if not shares:
            return ""
        return spoken(
            f"{name}: all tags are predicted, as they will be in text; {joined(shares)} are "
            "others than those of the file, which --data-tags=auto keeps"
        )
