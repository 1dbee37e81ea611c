"""Tags of a file and predicted ones: which of them a parser sees."""

import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wordorder.errors import InputError
from wordorder.parsing import given_tags as file_tags
from wordorder.parsing.file_parser import parsed_by
from wordorder.parsing.given_tags import FileTags, fill_tags, require_tags
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column, Margin, Treebank


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


DATA = Path(os.environ.get("WORDORDER_DATA", "no data"))
EWT = DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz"
PUD = DATA / "ud-pud" / "en_pud-ud-test.conllu.gz"
# Two of these names are also Penn tags: the tags of 9 % of the words.
OTHER = {"ADJ": "POS", "NUM": "DT"}
KNOWN = {"upos": frozenset({"A", "B"}), "xpos": frozenset({"a", "b"})}


def naive(
    rows: list[list[str]], begins: list[bool], known: frozenset[str], window: int
) -> list[list[str]]:
    """Take out what counts as missing: for each sentence go back as far as its tags are few."""
    found = []
    for number, row in enumerate(rows):
        tags = [tag for tag in row if tag != "_"]
        before = number
        while len(tags) < window and before and not begins[before]:
            before -= 1
            tags += [tag for tag in rows[before] if tag != "_"]
        mostly = 2 * sum(tag not in known for tag in tags) >= len(tags)
        found.append(["_" if mostly or tag not in known else tag for tag in row])
    return found


def treebank(rows: list[list[str]], begins: list[bool]) -> Treebank:
    margins = [Margin(("# newdoc id = d",) if new else ("# text = newdoc",)) for new in begins]
    return replace(
        Treebank.from_words([["w"] * len(row) for row in rows], xpos=rows), margins=margins
    )


def own_xpos(bank: Treebank, size: int) -> list[str]:
    tags = FileTags(KNOWN)
    parts = [tags.own(bank[first : first + size]) for first in range(0, len(bank), size)]
    return [tag for part in parts for tag in part.xpos.strings()]


@pytest.mark.parametrize("seed", range(40))
def test_sentences_are_judged_by_their_document_and_window(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    window = rng.choice([1, 2, 3, 7, 50])
    monkeypatch.setattr(file_tags, "WINDOW", window)
    odd = rng.choice([1, 2, 4])
    count = rng.choice([1, 12, 40])
    rows = [
        [rng.choice(["a", "b", "_"] + ["x"] * odd) for _ in range(rng.randint(0, 4))]
        for _ in range(count)
    ]
    begins = [rng.random() < rng.choice([0, 0.3]) for _ in rows]
    expected = [tag for row in naive(rows, begins, KNOWN["xpos"], window) for tag in row]
    bank = treebank(rows, begins)
    for size in (1, 5, count):
        assert own_xpos(bank, size) == expected


@pytest.mark.parametrize("documents", [True, False])
def test_what_comes_before_does_not_matter(documents: bool) -> None:
    """Tags of another set get the same verdict alone and behind any number of the model's own."""
    mine = [["a", "b"] * 20] * 30
    other = [["x", "y", "a"] * 20] * 30
    first = [documents] + [False] * 29
    for before, after in ((mine, other), (other, mine)):
        alone = own_xpos(treebank(after, first), 7)
        both = own_xpos(treebank(before + after, first * 2), 7)
        assert both[-len(alone) :] == alone
    assert set(own_xpos(treebank(other, first), 7)) == {"_"}


def test_the_window_takes_no_more_memory_with_the_file() -> None:
    tags = FileTags(KNOWN)
    for row in (["a"], [], ["_", "x"], ["_"]):
        tags.own(treebank([row] * 500, [False] * 500))
        assert len(tags._uses["xpos"].window) <= file_tags.WINDOW


def test_notes_give_shares() -> None:
    tags = FileTags(KNOWN)
    bank = Treebank.from_words([["w"] * 5], upos=[["A", "B", "C", "C", "D"]], xpos=[[*"aab_x"]])
    found = tags.own(bank)
    assert found.upos.strings() == ["_"] * 5
    assert found.xpos.strings() == ["a", "a", "b", "_", "_"]
    assert list(tags.notes("M", "predicted")) == [
        "60 % of the UPOS are not tags of M, such as 'C': all predicted",
        "25 % of the XPOS are not tags of M, such as 'x': predicted",
    ]
    assert tags.used() == "XPOS of the file for 60 % of the words"


def test_half_are_enough_and_all_is_only_said_of_all() -> None:
    half = treebank([["a", "x"]], [True])
    tags = FileTags(KNOWN)
    assert tags.own(half).xpos.strings() == ["_", "_"]
    assert [note.split(": ")[1] for note in tags.notes("M", "predicted")] == ["all predicted"]
    # Another document is judged by itself.
    assert tags.own(treebank([["a", "b", "a", "x"]], [True])).xpos.strings() == [*"aba_"]
    assert list(tags.notes("M", "predicted")) == [
        "33 % of the XPOS are not tags of M, such as 'x': predicted; so are 25 % of the "
        "others, which stand among mostly such tags"
    ]


def test_missing_tags_give_shares() -> None:
    tags = FileTags(KNOWN)
    tags.count(Treebank.from_words([["w"] * 4], upos=[[*"AB_A"]]))
    assert tags.missing() == "25 % of the words have no UPOS, 100 % of the words have no XPOS"
    tags = FileTags({"xpos": frozenset("a")})
    tags.count(Treebank.from_words([["w"] * 4]))
    assert tags.missing() == "100 % of the words have no XPOS"


def test_a_model_that_knows_no_tags_of_a_kind_takes_all() -> None:
    tags = FileTags({"upos": frozenset(), "xpos": frozenset({"a"})})
    bank = Treebank.from_words([["w"]], upos=[["Z"]], xpos=[["a"]])
    assert tags.own(bank).upos.strings() == ["Z"]
    assert list(tags.notes("M", "predicted")) == []


def other_tags(bank: Treebank) -> Treebank:
    return bank.replace(
        upos=Column.filled(bank.words), xpos=bank.upos.map(lambda tag: OTHER.get(tag, f"Q{tag}"))
    )


def penn_tags(bank: Treebank) -> Treebank:
    return bank.replace(upos=Column.filled(bank.words))


def without_documents(bank: Treebank) -> Treebank:
    return replace(bank, margins=[Margin()] * len(bank))


@pytest.mark.skipif(not (EWT.exists() and PUD.exists()), reason="WORDORDER_DATA lacks EWT or PUD")
@pytest.mark.parametrize(("tags", "others"), [(other_tags, penn_tags), (penn_tags, other_tags)])
@pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")
def test_a_treebank_has_the_same_trees_behind_another(
    tags: Callable[[Treebank], Treebank], others: Callable[[Treebank], Treebank]
) -> None:
    gold, first = read_treebank(EWT)[:200], read_treebank(PUD)[:100]
    before = others(first)
    alone = parsed_by("en", tags(gold))
    both = parsed_by("en", Treebank.concatenate([before, tags(gold)]))
    assert both.heads[first.words :].tolist() == alone.heads.tolist()
    # Without documents the first 50 tags can have the wrong verdict, and what they change.
    both = parsed_by("en", without_documents(Treebank.concatenate([before, tags(gold)])))
    alone = parsed_by("en", without_documents(tags(gold)))
    other = np.flatnonzero(both.heads[first.words :] != alone.heads)
    assert not len(other) or other.max() < 100


@pytest.mark.skipif(not EWT.exists(), reason="WORDORDER_DATA lacks EWT")
@pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")
def test_tags_of_the_model_all_count() -> None:
    gold = read_treebank(EWT)
    known = {"xpos": frozenset(gold.xpos.strings())}
    assert FileTags(known).own(penn_tags(gold)).xpos.strings() == gold.xpos.strings()
