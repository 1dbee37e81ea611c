"""Jackknifing: each sentence by a tagger that has not seen it, the order kept."""

from __future__ import annotations

import numpy as np
import pytest

from wordorder.errors import UsageError
from wordorder.parsing.tagging.tnt import TnT, jackknife
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank


class Witness:
    """Tags each word with whether its tagger saw it."""

    trained = 0

    def __init__(self, seen: Treebank) -> None:
        self.seen = set(seen.form.strings())
        Witness.trained += 1

    def tag(self, sentences: Treebank) -> Treebank:
        answers = [str(word in self.seen) for word in sentences.form.strings()]
        return sentences.replace(xpos=Column.of(answers))


@pytest.mark.parametrize(("sentences", "folds"), [(2, 10), (7, 3), (25, 5)])
def test_no_sentence_is_tagged_by_a_tagger_that_saw_it(sentences: int, folds: int) -> None:
    words = [[f"{row}-{place}" for place in range(row % 4)] for row in range(sentences)]
    bank = Treebank.from_words(words)
    Witness.trained = 0
    found = jackknife(bank, Witness, folds=folds)
    assert Witness.trained == min(folds, sentences)
    assert found.form.strings() == bank.form.strings()
    assert found.offsets.tolist() == bank.offsets.tolist()
    assert set(found.xpos.strings()) <= {"False"}


def test_copies_of_a_sentence_stay_together() -> None:
    """Each word stands in two sentences of one group."""
    bank = Treebank.from_words([[f"w{row % 6}"] for row in range(12)])
    found = jackknife(bank, Witness, folds=3, groups=np.arange(12) % 6)
    assert found.form.strings() == bank.form.strings()
    assert set(found.xpos.strings()) == {"False"}


def test_the_same_seed_gives_the_same_tags() -> None:
    words = [["a", "b"], ["b", "c"], ["c", "a"], ["a"], ["b"], ["c", "c"]]
    tags = [["A", "B"], ["C", "A"], ["B", "C"], ["C"], ["A"], ["A", "B"]]
    bank = Treebank.from_words(words, xpos=tags)
    found = [jackknife(bank, TnT.train, folds=3, seed=seed).xpos.strings() for seed in (1, 1, 5)]
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_options_are_checked() -> None:
    bank = Treebank.from_words([["a"], ["b"]])
    with pytest.raises(UsageError, match="folds"):
        jackknife(bank, Witness, folds=1)
    with pytest.raises(UsageError, match="sentences"):
        jackknife(bank[:1], Witness)
