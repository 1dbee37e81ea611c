"""Parsers by name, and which tags they see."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordorder.errors import InputError, UsageError
from wordorder.parsing.adapters.opening import PARSERS
from wordorder.parsing.opened import Opened, open_parser, open_tagger
from wordorder.treebank.treebank import Column, Treebank

BANK = Treebank.from_words([["a", "b"]], upos=[["X", "_"]], xpos=[["_", "_"]])


class TagsWhileParsing:
    """Attaches all words to the first; gives own tags unless it is to keep those given."""

    def __init__(self, model: str, *, tags: str = "own") -> None:
        self.model, self.tags = model, tags

    def parse(self, sentences: Treebank) -> Treebank:
        heads = np.ones(sentences.words, np.int32)
        heads[sentences.offsets[:-1]] = 0
        found = sentences.replace(heads=heads)
        return found if self.tags == "given" else self.own(found)

    def own(self, sentences: Treebank) -> Treebank:
        tags = Column.filled(sentences.words, self.model)
        return sentences.replace(upos=tags, xpos=tags)


class TagsBefore(TagsWhileParsing):
    def tag(self, sentences: Treebank) -> Treebank:
        return self.own(sentences)


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TagsWhileParsing", "TagsBefore"):
        monkeypatch.setitem(PARSERS.built_in, name, f"{__name__}:{name}")


def tags(opened: Opened) -> tuple[list[str], list[str], list[str]]:
    """Return the tags that the parser sees, and those in the end."""
    seen = opened.tagged(BANK, "a.conllu", 0)
    found = opened.parsed(seen)
    assert found.heads.tolist() == [0, 1]
    return seen.upos.strings(), found.upos.strings(), found.xpos.strings()


@pytest.mark.parametrize(
    ("name", "mode", "expected"),
    [
        ("TagsWhileParsing:M", "auto", (["X", "_"], ["X", "M"], ["M", "M"])),
        ("TagsWhileParsing:M", "keep", (["X", "_"], ["X", "_"], ["_", "_"])),
        ("TagsWhileParsing:M", "predict", (["_", "_"], ["M", "M"], ["M", "M"])),
        ("TagsBefore:M", "auto", (["X", "M"], ["X", "M"], ["M", "M"])),
        ("TagsBefore:M", "keep", (["X", "_"], ["X", "_"], ["_", "_"])),
        ("TagsBefore:M", "predict", (["M", "M"], ["M", "M"], ["M", "M"])),
    ],
)
def test_parsers_of_others(
    name: str, mode: str, expected: tuple[list[str], list[str], list[str]]
) -> None:
    assert tags(open_parser(name, tags=mode)) == expected


@pytest.mark.parametrize("name", ["TagsWhileParsing:M", "TagsBefore:M"])
def test_another_tagger_than_the_parsers_own(name: str) -> None:
    opened = open_parser(name, tagger="TagsBefore:T")
    assert tags(opened) == (["X", "T"], ["X", "T"], ["T", "T"])
    opened = open_parser(name, tagger="TagsBefore:T", tags="predict")
    assert tags(opened) == (["T", "T"], ["T", "T"], ["T", "T"])


def test_a_parser_that_gives_no_lists() -> None:
    with pytest.raises(UsageError, match="no lists of trees"):
        open_parser("TagsBefore:M").listed(BANK, 2)


def test_taggers() -> None:
    assert open_tagger("TagsBefore:M").tag(BANK).upos.strings() == ["M", "M"]
    with pytest.raises(UsageError, match="TagsWhileParsing:M: gives tags only together with trees"):
        open_tagger("TagsWhileParsing:M")


def test_nothing_predicts_tags() -> None:
    opened = Opened(TagsBefore("M"), None, "auto")
    with pytest.raises(InputError, match=r"a\.conllu: words without tags in sentence 8"):
        opened.tagged(BANK, "a.conllu", 7)
    whole = Treebank.from_words([["a"]], upos=[["X"]])
    assert opened.tagged(whole, "a.conllu", 0) is whole


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="legal names: auto, keep, predict"):
        open_parser("TagsBefore:M", tags="gold")
    with pytest.raises(UsageError, match="needs no tagger"):
        open_parser("TagsBefore:M", tags="keep", tagger="TagsBefore:T")
    with pytest.raises(UsageError, match="unknown parser 'malt'"):
        open_parser("malt:model")
    with pytest.raises(UsageError, match="no such model or file"):
        open_parser(tmp_path / "none:model")
