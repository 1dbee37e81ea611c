"""Tags of files: those that a model has, and what is said of the others."""

from __future__ import annotations

import random

import pytest

from wordorder.parsing.file_tags import FileTags
from wordorder.treebank.treebank import Treebank

KNOWN = {"upos": frozenset({"A", "B"}), "xpos": frozenset({"a", "b"})}


def naive(rows: list[list[str]], known: frozenset[str]) -> list[list[str]]:
    """Take sentence by sentence out what counts as missing."""
    given = foreign = 0
    found = []
    for row in rows:
        given += sum(tag != "_" for tag in row)
        foreign += sum(tag not in known and tag != "_" for tag in row)
        mostly = 2 * foreign >= given
        found.append(["_" if mostly or tag not in known else tag for tag in row])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_batches_do_not_matter(seed: int) -> None:
    rng = random.Random(seed)
    odd = rng.choice([1, 2, 4])
    rows = [
        [rng.choice(["a", "b", "_"] + ["x"] * odd) for _ in range(rng.randint(0, 4))]
        for _ in range(12)
    ]
    words = [["w"] * len(row) for row in rows]
    bank = Treebank.from_words(words, xpos=rows)
    expected = [tag for row in naive(rows, KNOWN["xpos"]) for tag in row]
    for size in (1, 5, 12):
        tags = FileTags(KNOWN)
        parts = [tags.own(bank[first : first + size]) for first in range(0, 12, size)]
        assert [tag for part in parts for tag in part.xpos.strings()] == expected


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


def test_half_at_the_head_are_enough_and_all_is_only_said_of_all() -> None:
    head = Treebank.from_words([["w"] * 2], xpos=[["a", "x"]])
    tags = FileTags(KNOWN)
    assert tags.own(head).xpos.strings() == ["_", "_"]
    assert [note.split(": ")[1] for note in tags.notes("M", "predicted")] == ["all predicted"]
    # The tags before the first that is none of the model's were used.
    tags = FileTags(KNOWN)
    assert tags.own(Treebank.from_words([["w"]], xpos=[["a"]])).xpos.strings() == ["a"]
    assert tags.own(head).xpos.strings() == ["a", "_"]
    more = Treebank.from_words([["w"] * 2], xpos=[["x", "x"]])
    assert tags.own(more).xpos.strings() == ["_", "_"]
    assert [note.split(": ")[1] for note in tags.notes("M", "predicted")] == ["all but 2 predicted"]


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
