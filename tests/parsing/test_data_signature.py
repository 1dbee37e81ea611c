"""One string for the same data, another for any other."""

from __future__ import annotations

import numpy as np

from wordorder.parsing.training.checkpoint import data_signature
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import NO_MARGIN, Margin, Treebank

BANK = Treebank.from_words(
    [["It", "rains", "It"], ["Go"]], heads=[[2, 0, 2], [0]], upos=[["P", "V", "P"], ["V"]]
)


def test_the_same_sentences() -> None:
    """However their strings are numbered, and whatever stands around them."""
    form = Column(np.array([3, 1, 0, 2], np.int32), Vocabulary(["It", "rains", "Go", "It", "x"]))
    again = BANK.replace(form=form, misc=Column.filled(4, "x"))
    again = Treebank(again.offsets, again.heads, again.columns, [Margin(("# a",)), NO_MARGIN])
    assert data_signature(again) == data_signature(BANK)
    assert data_signature(BANK.take(np.array([0, 1]))) == data_signature(BANK)


def test_other_sentences() -> None:
    others = [
        BANK,
        BANK[:1],
        BANK[:0],
        BANK.take(np.array([1, 0])),
        BANK.replace(heads=np.array([2, 0, 1, 0], np.int32)),
        BANK.replace(label=Column.filled(4, "x")),
        BANK.replace(form=Column.of(["It", "rain", "sIt", "Go"])),
        BANK.replace(form=BANK.upos, upos=BANK.form),
        Treebank(np.array([0, 2, 4]), BANK.heads, BANK.columns, BANK.margins),
    ]
    assert len({data_signature(other) for other in others}) == len(others)
