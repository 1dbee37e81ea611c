"""Tags and trees of reference translations, and whether they are English."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from wordorder.parsing.base import KnowsWords
from wordorder.parsing.language_check import LanguageCheck
from wordorder.parsing.opened import Opened, open_parser
from wordorder.parsing.transition.parser import TransitionParser
from wordorder.text.texts import Texts
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, NO_MARGIN, Treebank

# The shipped model of English.
MODEL = "en"
# Half as wide as that of the model: as accurate on the test part of English EWT (86.2 and 86.1 %
# of heads right), and faster by a quarter.
BEAM = 4


def reference_parser() -> Opened:
    """Open the shipped parser, with the beam that references are parsed with.

    Examples
    --------
    >>> reference_parser().name
    'en'
    """
    opened = open_parser(MODEL)
    if not isinstance(opened.parser, TransitionParser):
        return opened
    parser = copy(opened.parser)
    parser.beam = BEAM
    return replace(opened, parser=parser)


def reference_trees(texts: Texts, opened: Opened | None = None) -> Treebank:
    """Parse the references as English.

    Parameters
    ----------
    texts : Texts
    opened : Opened, optional
        The shipped parser, where it is open already.

    Returns
    -------
    Treebank
        R sentences, word by word as the texts have them; empty references are empty sentences.

    Examples
    --------
    >>> trees = reference_trees(Texts.from_segments(["it rains"], [["It rains .", ""]]))
    >>> trees.upos.strings(), trees.lengths.tolist()
    (['PRON', 'VERB', 'PUNCT'], [3, 0])
    """
    parser = opened or reference_parser()
    sentences = as_sentences(texts)
    parts = [
        parser.parse(sentences[first : first + parser.batch])
        for first in range(0, len(sentences), parser.batch)
    ]
    return Treebank.concatenate(parts)


def as_sentences(texts: Texts) -> Treebank:
    """Return the references as sentences without tags and trees."""
    rows = texts.references
    words = len(rows.values)
    columns = {name: Column.filled(words) for name in COLUMNS}
    columns["form"] = Column(rows.values, texts.vocabulary)
    heads = np.full(words, NO_HEAD, np.int32)
    return Treebank(rows.offsets, heads, columns, [NO_MARGIN] * len(rows))


def foreign(form: Column, opened: Opened) -> str:
    """Say what share of words the parser does not know, if the text is not of its language.

    Examples
    --------
    >>> german = "wir haben uns gestern mit ihnen über das neue haus im dorf am see unterhalten"
    >>> foreign(Column.of(german.split()), open_parser("en"))[:17]
    '87 % of the words'
    """
    parser = opened.parser
    if not isinstance(parser, KnowsWords):
        return ""
    check = LanguageCheck(parser.learnt_words())
    check.add(form)
    return check.message(MODEL)
