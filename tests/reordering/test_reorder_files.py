"""Reordering files by any rules, those of others too."""

import re
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.order.orders import Orders
from wordorder.reordering.compiled import check_factors, split_factors
from wordorder.reordering.reorder_files import ReorderedFile, reorder_files
from wordorder.samples import sample_path
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

TREES = sample_path("trees.conllu")


class Backwards:
    """The last word first; and mistakes, where they are asked for."""

    name = "backwards"

    def __init__(self, forget: int = -1, refuse: int = -1) -> None:
        self.forget = forget
        self.refuse = refuse
        self.seen = 0

    def orders(self, treebank: Treebank) -> Orders:
        assert treebank.has_trees
        rows = [list(range(n))[::-1] for n in treebank.lengths.tolist()]
        for row in range(len(rows)):
            self.seen += 1
            if self.seen == self.refuse:
                raise InputError(f"sentence {row + 1}, word 2", "this", "that")
            if self.seen == self.forget:
                rows[row].pop(0)
        return Orders.from_rows(rows)


def test_rules_of_others(tmp_path: Path) -> None:
    out, orders = tmp_path / "a.txt", tmp_path / "a.orders"
    done = reorder_files(TREES, out, rules=Backwards(), orders=orders)
    lines = Path(sample_path("source.en")).read_text().splitlines()
    assert out.read_text().splitlines() == [" ".join(line.split()[::-1]) for line in lines]
    assert orders.read_text() == Path(sample_path("reversed.orders")).read_text()
    words = sum(len(line.split()) for line in lines)
    changed = sum(len(line.split()) > 1 for line in lines)
    assert done == ReorderedFile(sentences=len(lines), words=words, changed=changed)


def test_mistakes_of_others_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("wordorder.reordering.reordered_text.SENTENCES", 7)
    out = tmp_path / "a.txt"
    message = r"trees\.conllu: sentence 17: backwards gives no position 12 of a .* each word once$"
    refuses(InputError, message, reorder_files, TREES, out, rules=Backwards(forget=17))
    with pytest.raises(
        InputError, match=r"trees\.conllu: sentence 17, word 2: this; expected that"
    ):
        reorder_files(TREES, out, rules=Backwards(refuse=17))
    assert not out.exists()

    class Lists:
        name = "lists"

        def orders(self, treebank: Treebank) -> Orders:
            return cast(Orders, [[0]] * len(treebank))

    with pytest.raises(UsageError, match="the rules lists return list, not Orders"):
        reorder_files(TREES, out, rules=Lists())


def test_what_was_done_is_counted(tmp_path: Path) -> None:
    source, by, links = tmp_path / "a.txt", tmp_path / "a.orders", tmp_path / "a.align"
    source.write_text("a b\n\nc d\ne f g\n")
    by.write_text("1 0\n\n0 1\n2 0\n")
    links.write_text("0-0\n\n\n0-1 1-1\n")
    out = tmp_path / "b"
    told: list[int] = []
    with pytest.warns(WordOrderWarning) as notes:
        done = reorder_files(
            source, out, by=by, alignment=links, to="alignment", missing="drop",
            progress=told.append,
        )  # fmt: skip
    assert out.read_text() == "1-0\n\n\n1-1\n"
    assert [str(note.message) for note in notes] == [
        f"{source}: 1 empty line, which stays empty",
        f"{source}: left out 1 word that the orders lack, and 1 link of theirs",
    ]
    assert told == [4]
    assert done == ReorderedFile(
        sentences=4, words=7, changed=2, empty_lines=1, dropped_words=1, dropped_links=1
    )


def test_sentences_that_are_parsed_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("Press Enter .\n")
    done = reorder_files(source, tmp_path / "b.conllu", rules="R2", to="conllu")
    assert (done.parsed, done.changed) == (1, 1)
    bank = read_treebank(tmp_path / "b.conllu")
    assert sorted(bank.form.strings()) == [".", "Enter", "Press"]
    assert np.count_nonzero(bank.heads == 0) == 1


def test_calls_that_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    wrong: list[tuple[dict[str, object], str]] = [
        ({}, "by rules or by given orders: name one of the two"),
        ({"rules": "R1", "by": "x"}, "name one of the two"),
        ({"rules": "R1", "to": "trees"}, "legal names: alignment, conllu, orders, text"),
        ({"rules": "R1", "missing": "first"}, "legal names: drop, end, error, next, previous"),
        ({"rules": "R1", "alignment": "x"}, "needs a file"),
        ({"rules": "R1", "to": "alignment"}, "no alignment to reorder"),
        (
            {"rules": "R1", "to": "alignment", "alignment": "x", "alignment_output": out},
            "the result is the alignment",
        ),
        ({"rules": "R1", "kind": "xml"}, "legal names: auto, conllu, text"),
    ]
    for options, message in wrong:
        refuses(UsageError, message, reorder_files, TREES, out, **cast(dict[str, str], options))
    assert not out.exists()


@pytest.mark.parametrize("names", [("b.txt", "./b.txt"), ("b.txt", "link"), ("-", "/dev/stdout")])
def test_two_outputs_of_one_name(names: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b\n")
    (tmp_path / "a.orders").write_text("1 0\n")
    (tmp_path / "b.txt").write_text("")
    (tmp_path / "link").symlink_to("b.txt")
    one, other = (name if name[0] in "-/" else f"{tmp_path}/{name}" for name in names)
    with pytest.raises(UsageError, match="two outputs have one name"):
        reorder_files(tmp_path / "a.txt", one, by=tmp_path / "a.orders", orders=other)


# -- Factored text: cut at the bars into columns, or refused at its line. --------------------------


def test_each_factor_in_its_column() -> None:
    bank = Treebank.from_words([["a|DT|x|a|DET"], [], ["cats|NNS|y|cat|NOUN", "a|DT|x|a|DET"]])
    found = split_factors(bank, ["form", "xpos", "_", "lemma", "upos"], "a.txt", 0)
    assert found.form.strings() == ["a", "cats", "a"]
    assert found.xpos.strings() == ["DT", "NNS", "DT"]
    assert found.columns["lemma"].strings() == ["a", "cat", "a"]
    assert found.upos.strings() == ["DET", "NOUN", "DET"]
    assert found.columns["feats"].strings() == ["_"] * 3
    assert split_factors(bank[1:2], ["form", "xpos"], "a.txt", 1).words == 0


@pytest.mark.parametrize("token", ["b", "b|B|c", "|B", "b|", "||"])
def test_a_token_with_other_factors_is_named_with_its_line(token: str) -> None:
    bank = Treebank.from_words([["a|A"], [], ["a|A", token]])
    message = f"x.txt:9: the token '{token}'; expected 2 factors, form|xpos"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        split_factors(bank, ["form", "xpos"], "x.txt", 6)
    # Only words that are there count, not all strings of the vocabulary.
    assert split_factors(bank[:2], ["form", "xpos"], "x.txt", 6).form.strings() == ["a"]


def test_names_of_factors() -> None:
    check_factors(["_", "form", "_"])
    for factors in (["xpos"], ["form", "form"], ["form", "xpos", "xpos"]):
        with pytest.raises(UsageError, match="one form, the word itself, and each other name"):
            check_factors(factors)
    with pytest.raises(UsageError, match="unknown factor 'tag'; legal names: form, lemma, upos"):
        check_factors(["form", "tag"])
