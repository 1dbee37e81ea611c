"""Factored text, ``word|tag``: the parts between the bars as columns of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError, UsageError, location
from wordorder.text.quoting import quoted
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import COLUMNS, Treebank

BAR = "|"
# What a factor may be; what nobody looks at is called as in CoNLL-U where nothing is said.
FACTORS = ("form", "lemma", "upos", "xpos", "feats", NOTHING)


def check_factors(factors: Sequence[str]) -> None:
    """Refuse names of factors that make no words.

    Raises
    ------
    UsageError
        If a name is unknown or is listed twice, or none is ``form``.
    """
    named = [name for name in factors if name != NOTHING]
    for name in factors:
        if name not in FACTORS:
            raise UsageError(f"unknown factor {name!r}; legal names: {', '.join(FACTORS)}")
    if len(set(named)) < len(named) or "form" not in named:
        raise UsageError("factors have one form, the word itself, and each other name at most once")


def split_factors(sentences: Treebank, factors: Sequence[str], name: str, before: int) -> Treebank:
    """Return sentences whose words are cut at the bars, each factor in its column.

    Parameters
    ----------
    sentences : Treebank
        Whose forms are tokens ``word|tag|...``.
    factors : sequence of str
        What the factors are, in their order: ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``,
        or ``_`` for one that is not looked at.
    name : str
        What a message calls the input.
    before : int
        Lines before these, for messages.

    Raises
    ------
    InputError
        At ``file:line`` of the first token with more or fewer factors, or an empty one.

    Examples
    --------
    >>> bank = Treebank.from_words([["John|NNP", "hit|VBD"]])
    >>> found = split_factors(bank, ["form", "xpos"], "a.txt", 0)
    >>> found.form.strings(), found.xpos.strings()
    (['John', 'hit'], ['NNP', 'VBD'])
    """
    form = sentences.form
    cut = [token.split(BAR) for token in form.vocabulary.words]
    bad = [i for i, parts in enumerate(cut) if len(parts) != len(factors) or not all(parts)]
    places = np.flatnonzero(np.isin(form.codes, bad)) if bad else np.zeros(0, np.int64)
    if len(places):
        row = int(np.searchsorted(sentences.offsets, places[0], side="right"))
        token = form.vocabulary.words[int(form.codes[places[0]])]
        raise InputError(
            location(name, before + row),
            f"the token {quoted(token.encode())}",
            f"{len(factors)} factors, {BAR.join(factors)}",
        )
    columns: dict[str, Column] = {}
    for number, factor in enumerate(factors):
        if factor in COLUMNS:
            strings = [parts[number] if len(parts) == len(factors) else NOTHING for parts in cut]
            again = Column.of(strings)
            columns[factor] = Column(again.codes[form.codes], again.vocabulary)
    return sentences.replace(heads=None, **columns)
