"""Which words of a treebank are punctuation."""

from __future__ import annotations

from unicodedata import category

import numpy as np

from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool

RULES = ("include", "exclude", "exclude-form")
_MARK = "PUNCT"
# The tags of Universal Dependencies; with any other tag, the form tells.
_OTHERS = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN SCONJ SYM VERB X".split()
)


def kept_words(gold: Treebank, rule: str) -> Bool:
    """Return which words count, bool[N].

    Parameters
    ----------
    gold : Treebank
    rule : "include", "exclude" or "exclude-form"
        All; all but those with the universal tag PUNCT, or of punctuation marks alone where there
        is no universal tag; all but those of punctuation marks alone, whatever their tag.

    Examples
    --------
    >>> gold = Treebank.from_words([["No", "!", "+", "."]], upos=[["INTJ", "PUNCT", "PUNCT", "_"]])
    >>> kept_words(gold, "exclude").tolist()
    [True, False, False, False]
    >>> kept_words(gold, "exclude-form").tolist()
    [True, False, True, False]
    """
    kept = np.ones(gold.words, np.bool_)
    if rule == "include":
        return kept
    if rule == "exclude":
        tags = gold.upos.vocabulary.words
        if len(tags):
            kept = np.array([tag != _MARK for tag in tags])[gold.upos.codes]
            silent = np.array([tag != _MARK and tag not in _OTHERS for tag in tags])
            places = np.flatnonzero(silent[gold.upos.codes])
            kept[places] = ~_all_marks(gold.form.take(places))
        return kept
    return ~_all_marks(gold.form)


def is_punctuation(form: str) -> bool:
    """Say whether a word has characters of Unicode's category punctuation and no others.

    Examples
    --------
    >>> [is_punctuation(form) for form in ("...", "\u3002", "o'clock", "$", "")]
    [True, True, False, False, False]
    """
    return form != "" and all(category(character).startswith("P") for character in form)


def _all_marks(forms: Column) -> Bool:
    """Return which words consist of punctuation marks, bool[N]."""
    words = forms.vocabulary.words
    # A vocabulary may be that of a whole file, and these words few.
    present, numbers = np.unique(forms.codes, return_inverse=True)
    marks = np.array([is_punctuation(words[code]) for code in present.tolist()], np.bool_)
    return marks[numbers]
