"""spaCy's documents: to a treebank and back, and ordered in a pipeline."""

from __future__ import annotations

from typing import Any

import pytest
from tests.parsing import small_treebank

from wordorder.errors import ModelError, UsageError, WordOrderError
from wordorder.integrations import spacy as ours
from wordorder.reordering import open_rules
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

spacy = pytest.importorskip("spacy")
COLUMNS = ("form", "upos", "xpos", "label")


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Treebank:
    path = tmp_path_factory.mktemp("bank") / "a.conllu"
    path.write_text(small_treebank.TREEBANK, encoding="utf-8")
    return read_treebank(path)


@pytest.fixture
def nlp(bank: Treebank) -> Any:
    """A blank pipeline whose parser looks up the trees."""
    pipeline = spacy.blank("en")
    known = {d.text: d for d in ours.to_spacy(bank, pipeline.vocab)}

    def looked_up(doc: Any) -> Any:
        return known[doc.text].copy()

    spacy.language.Language.component("looked_up", func=looked_up)
    pipeline.add_pipe("looked_up")
    return pipeline


def test_there_and_back(bank: Treebank, nlp: Any) -> None:
    docs = ours.to_spacy(bank, nlp.vocab)
    assert len(docs) == len(bank)
    # spaCy's own view of the first trees.
    tree = bank[0]
    assert [t.head.i + 1 if t.head.i != t.i else 0 for t in docs[0]] == bank[:1].heads.tolist()
    assert [t.text for t in docs[0]] == bank[:1].form.strings(), tree
    back = ours.from_spacy(docs)
    assert back.heads.tolist() == bank.heads.tolist()
    for name in COLUMNS:
        assert back.columns[name].strings() == bank.columns[name].strings(), name


def test_a_part_of_a_pipeline(bank: Treebank, nlp: Any) -> None:
    ours.register()
    nlp.add_pipe("wordorder", config={"rules": "R5"})
    expected = open_rules("R5").orders(bank)
    texts = [doc.text for doc in ours.to_spacy(bank, nlp.vocab)]
    for number, doc in enumerate(nlp.pipe(texts)):
        assert tuple(doc._.order) == expected[number].positions
        assert doc._.reordered == [doc[i].text for i in doc._.order]
    assert any(doc._.order != sorted(doc._.order) for doc in nlp.pipe(texts))


def test_sentences_keep_their_places(bank: Treebank, nlp: Any) -> None:
    ours.register()
    whole = spacy.tokens.Doc.from_docs(ours.to_spacy(bank[:3], nlp.vocab))
    found = ours.Reorderer(open_rules("R5"))(whole)._.order
    expected, start = [], 0
    for order in open_rules("R5").orders(bank[:3]):
        expected += [start + place for place in order.positions]
        start += len(order)
    assert found == expected


def test_what_is_not_parsed(nlp: Any) -> None:
    doc = spacy.blank("en")("It rains")
    assert ours.from_spacy(doc).heads.tolist() == [-1, -1]
    with pytest.raises(UsageError, match="put a parser before"):
        ours.orders_of_docs(doc, "R5")
    assert ours.Reorderer(open_rules("R5"))(spacy.blank("en")(""))._.order == []


def test_stanza(bank: Treebank) -> None:
    pytest.importorskip("stanza")
    from stanza.utils.conll import CoNLL

    from wordorder.integrations.stanza import from_stanza, orders_of_document, to_stanza

    # Stanza reads the same file.
    theirs = CoNLL.conll2doc(input_str=small_treebank.TREEBANK)
    found = from_stanza(theirs)
    assert found.heads.tolist() == bank.heads.tolist()
    for name in (*COLUMNS, "lemma"):
        assert found.columns[name].strings() == bank.columns[name].strings(), name
    assert from_stanza(to_stanza(bank)).heads.tolist() == bank.heads.tolist()
    positions = [order.positions for order in orders_of_document(theirs, "R5")]
    assert positions == [order.positions for order in open_rules("R5").orders(bank)]
    words = Treebank.from_words([["It", "rains"]])
    assert from_stanza(to_stanza(words)).heads.tolist() == [-1, -1]
    with pytest.raises(ModelError):
        orders_of_document(to_stanza(words), "R5")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    with pytest.raises(WordOrderError, match="spacy"):
        ours.from_spacy([])
