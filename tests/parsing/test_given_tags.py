"""Tags that are given and tags that are predicted."""

from __future__ import annotations

import pytest

from wordorder.errors import InputError
from wordorder.parsing.given_tags import fill_tags, require_tags
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank


class Numbers:
    """Tags each word with its number; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def tag(self, sentences: Treebank) -> Treebank:
        self.asked += 1
        numbers = Column.of(map(str, range(sentences.words)))
        return sentences.replace(upos=numbers, xpos=numbers)


def test_given_tags_stay_and_others_are_predicted() -> None:
    bank = Treebank.from_words(
        [["a", "b"], [], ["c"]], upos=[["X", "_"], [], ["Y"]], xpos=[["_", "_"], [], ["Z"]]
    )
    found = fill_tags(bank, Numbers())
    assert found.upos.strings() == ["X", "1", "Y"]
    assert found.xpos.strings() == ["0", "1", "Z"]


def test_nothing_is_predicted_where_all_is_given() -> None:
    bank = Treebank.from_words([["a"]], upos=[["X"]], xpos=[["Y"]])
    tagger = Numbers()
    assert fill_tags(bank, tagger) is bank
    assert tagger.asked == 0
    empty = Treebank.from_words([[]])
    assert fill_tags(empty, tagger) is empty


def test_the_sentence_without_tags_is_named() -> None:
    bank = Treebank.from_words([["a"], [], ["b", "c"]], upos=[["X"], [], ["_", "Y"]])
    with pytest.raises(InputError, match="a.txt: words without tags in sentence 13;"):
        require_tags(bank, "a.txt", 10)
    require_tags(bank[:2], "a.txt", 10)
