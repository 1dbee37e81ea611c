"""spaCy: a blank pipeline after a few updates, against spaCy itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.parsing import small_treebank
from tests.refusing import refuses

from wordorder.errors import ModelError, UsageError
from wordorder.parsing.adapters.external import SpacyParser
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees

spacy = pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def bank() -> Treebank:
    return small_treebank.read()


@pytest.fixture(scope="module")
def folder(bank: Treebank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that tags and parses after a few updates."""
    from spacy.tokens import Doc
    from spacy.training import Example

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("tagger")
    pipeline.add_pipe("parser")
    examples = []
    strings = [column.strings() for column in (bank.form, bank.xpos, bank.label)]
    for first, last in zip(bank.offsets[:-1].tolist(), bank.offsets[1:].tolist(), strict=True):
        form, xpos, label = (column[first:last] for column in strings)
        heads = [i if h == 0 else h - 1 for i, h in enumerate(bank.heads[first:last].tolist())]
        gold = Doc(pipeline.vocab, words=form, tags=xpos, heads=heads, deps=label)
        examples.append(Example(Doc(pipeline.vocab, words=form), gold))
    spacy.util.fix_random_seed(1)
    optimizer: Any = pipeline.initialize(lambda: examples)
    for _ in range(10):
        pipeline.update(examples, sgd=optimizer)
    path = tmp_path_factory.mktemp("spacy") / "pipeline"
    pipeline.to_disk(path)
    return path


def test_equals_spacy_itself(folder: Path, bank: Treebank) -> None:
    from spacy.tokens import Doc

    parser = SpacyParser(folder)
    found = parser.parse(bank)
    check_trees(found)
    pipeline = spacy.load(folder, exclude=["sentencizer"])
    forms = bank.form.strings()
    for row, (first, last) in enumerate(
        zip(bank.offsets[:-1].tolist(), bank.offsets[1:].tolist(), strict=True)
    ):
        starts: list[bool | int | None] = [i == 0 for i in range(last - first)]
        document = pipeline(Doc(pipeline.vocab, words=forms[first:last], sent_starts=starts))
        tree = found[row : row + 1]
        assert tree.xpos.strings() == [token.tag_ for token in document]
        if sum(token.head.i == token.i for token in document) == 1:
            expected = [0 if t.head.i == t.i else t.head.i + 1 for t in document]
            assert tree.heads.tolist() == expected
    # It has learnt something: the tags of these few words.
    right = zip(found.xpos.strings(), bank.xpos.strings(), strict=True)
    assert sum(a == b for a, b in right) > 0.9 * bank.words
    assert set(found.upos.strings()) == {"_"}


def test_given_tags_are_kept(folder: Path, bank: Treebank) -> None:
    found = SpacyParser(folder, tags="given").parse(bank)
    assert found.upos.strings() == bank.upos.strings()
    assert found.xpos.strings() == bank.xpos.strings()


@pytest.mark.allow_notes("spacy. .* had several roots")
def test_a_sentence_in_is_a_sentence_out(folder: Path) -> None:
    words = ["She", "sees", "birds", "."] * 4
    rows = [words, [], ["", "two words", "\ud800", "日本"]]
    found = SpacyParser(folder).parse(Treebank.from_words(rows))
    assert found.form.strings() == [word for row in rows for word in row]
    check_trees(found[:1])
    check_trees(found[2:])


def test_pipelines_that_do_not_do(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"spacy: there is no pipeline 'no_such_pipeline'"):
        SpacyParser("no_such_pipeline")
    refuses(UsageError, r"spacy: there is no pipeline '.*empty'", SpacyParser, tmp_path / "empty")
    spacy.blank("en").to_disk(tmp_path / "blank")
    refuses(UsageError, "has no parser; it has nothing", SpacyParser, tmp_path / "blank")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "meta.json").write_text('{"lang": "en"}')
    (damaged / "config.cfg").write_text("[nlp]\nlang = 'en")
    refuses(ModelError, r"spacy: .*damaged cannot be loaded", SpacyParser, damaged)
