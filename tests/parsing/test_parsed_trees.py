"""Sentences that are parsed for an analysis, in batches that nobody sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from wordorder.errors import InputError
from wordorder.parsing import file_parser as parsed_trees
from wordorder.parsing.file_parser import parsed_by, read_sentences
from wordorder.parsing.opened import TREES, Opened
from wordorder.treebank.treebank import Treebank


class Chains:
    """Hangs each word on the one before it; has no tree for a word called ``bad``."""

    def __init__(self) -> None:
        # So wide that a batch is four sentences.
        self.beam = TREES // 4
        self.sizes: list[int] = []

    def parse(self, sentences: Treebank) -> Treebank:
        self.sizes.append(len(sentences))
        for number in range(len(sentences)):
            if "bad" in sentences[number : number + 1].form.strings():
                raise InputError(f"sentence {number + 1} (x)", "no tree", "one")
        rows = [list(range(n)) for n in sentences.lengths.tolist()]
        heads = Treebank.from_words([["_"] * len(row) for row in rows], heads=rows).heads
        return sentences.replace(heads=heads)


@pytest.fixture
def chains(monkeypatch: pytest.MonkeyPatch) -> Chains:
    made = Chains()
    opened = Opened(made, None, "keep")
    monkeypatch.setattr(parsed_trees, "open_parser", lambda _: opened)
    return made


def test_batches_make_one_treebank(chains: Chains, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"w{i} w{i}\n" if i % 3 else "\n" for i in range(10)))
    sentences, name = read_sentences(path)
    assert name == str(path)
    done: list[int] = []
    bank = parsed_by("any", sentences, progress=done.append)
    assert chains.sizes == [4, 4, 2]
    assert done == [4, 8, 10]
    assert bank.form.strings() == sentences.form.strings()
    assert bank.lengths.tolist() == [0 if i % 3 == 0 else 2 for i in range(10)]
    assert bank.heads.tolist() == [0, 1] * 6
    assert len(parsed_by("any", sentences[:0])) == 0


def test_errors_name_the_sentence_of_the_file(chains: Chains) -> None:
    sentences = Treebank.from_words([["w"]] * 6 + [["bad"]])
    with pytest.raises(InputError, match=r"^a\.txt: sentence 7 \(x\): no tree; expected one$"):
        parsed_by("any", sentences, name="a.txt")
