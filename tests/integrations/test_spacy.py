"""spaCy's documents: to a treebank and back, and ordered in a pipeline."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import python
from tests.parsing import small_treebank
from tests.refusing import refuses

from wordorder.errors import ModelError, UsageError, WordOrderError
from wordorder.integrations import spacy as ours
from wordorder.reordering import open_rules
from wordorder.reordering.rules import RULES
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


LOOKED_UP = """
trees = {" ".join(columns["words"]): columns for columns in TREES}

@spacy.language.Language.component("looked_up")
def looked_up(doc):
    return spacy.tokens.Doc(doc.vocab, **trees[doc.text])
"""
# A process that has not heard of us: spaCy itself finds the part. The parser is the file's own.
READER = """
import sys, spacy

LOOKED_UP
nlp = spacy.load(sys.argv[1]) if sys.argv[2] == "disk" else None
if nlp is None:
    import srsly
    whole = srsly.read_msgpack(sys.argv[1])
    nlp = spacy.util.load_model_from_config(
        spacy.util.load_config_from_str(whole["config"]), auto_fill=True
    ).from_bytes(whole["bytes"])
print(nlp.pipe_names)
for doc in nlp.pipe(trees):
    print(*doc._.order)
"""


def with_trees(script: str, docs: list[Any]) -> str:
    """Return a script with what spaCy makes its documents of."""
    trees = [
        {
            "words": [t.text for t in doc],
            "heads": [t.head.i for t in doc],
            "deps": [t.dep_ for t in doc],
            "pos": [t.pos_ for t in doc],
            "tags": [t.tag_ for t in doc],
        }
        for doc in docs
    ]
    return script.replace("LOOKED_UP", LOOKED_UP.replace("TREES", repr(trees)))


def rules_of(tmp_path: Path, kind: str) -> str:
    """Return what a user calls rules: a rule set, a file of rules, or of a learned order."""
    here = tmp_path / "here"
    here.mkdir()
    if kind == "file":
        text = Path(RULES.built_in["R5"]).read_text("utf-8")
        (here / "mine.toml").write_text(text.replace("R5", "mine"), "utf-8")
        return str(here / "mine.toml")
    if kind == "learned":
        return str(shutil.copy(RULES.built_in["en-ja"], here / "mine.safetensors"))
    return "R5"


@pytest.mark.parametrize(
    ("kind", "form"), [("name", "disk"), ("file", "disk"), ("learned", "disk"), ("file", "bytes")]
)
def test_a_saved_pipeline_in_a_fresh_process_elsewhere(
    bank: Treebank, nlp: Any, tmp_path: Path, kind: str, form: str
) -> None:
    rules = rules_of(tmp_path, kind)
    expected = open_rules(rules).orders(bank)
    ours.register()
    nlp.add_pipe("wordorder", config={"rules": rules})
    saved = tmp_path / "saved"
    if form == "disk":
        nlp.to_disk(saved)
    else:
        import srsly

        srsly.write_msgpack(saved, {"config": nlp.config.to_str(), "bytes": nlp.to_bytes()})
    moved = tmp_path / "elsewhere" / "moved"
    moved.parent.mkdir()
    saved.rename(moved)
    # Where it was written nothing is left of the rules.
    shutil.rmtree(tmp_path / "here", ignore_errors=True)
    script = with_trees(READER, ours.to_spacy(bank, nlp.vocab))
    done = python("-W", "ignore", "-c", script, moved, form, cwd=moved.parent).good()
    names, *orders = done.text.splitlines()
    assert names == "['looked_up', 'wordorder']"
    assert [tuple(map(int, line.split())) for line in orders] == [e.positions for e in expected]


def test_a_pipeline_without_a_parser_is_found_by_spacy() -> None:
    alone, parsed = spacy.blank("en"), spacy.blank("en")
    parsed.add_pipe("parser")
    for pipeline in (alone, parsed):
        pipeline.add_pipe("wordorder")
    found = alone.analyze_pipes()
    assert sorted(found["problems"]["wordorder"]) == ["token.dep", "token.head"]
    assert found["attrs"]["doc._.order"]["assigns"] == ["wordorder"]
    assert parsed.analyze_pipes()["problems"] == {"parser": [], "wordorder": []}


def test_a_pipeline_in_batches_is_that_of_single_documents(bank: Treebank, nlp: Any) -> None:
    """Documents of several sentences, of one and of none, in batches of other sizes."""
    part = ours.Reorderer(open_rules("R5"))
    single = ours.to_spacy(bank, nlp.vocab)
    empty = spacy.blank("en")("")
    docs = [*single, empty, spacy.tokens.Doc.from_docs(single[:3]), empty.copy(), *single[:2]]
    expected = [part(doc.copy())._.order for doc in docs]
    for size in (1, 2, 5, 1000):
        given = (doc.copy() for doc in docs)
        assert [doc._.order for doc in part.pipe(given, batch_size=size)] == expected
    assert list(part.pipe([])) == []


def test_a_batch_costs_little_more_than_our_own(bank: Treebank, nlp: Any) -> None:
    """Beside reading the documents and ordering them, in the same batches of spaCy's size."""
    part = ours.Reorderer(open_rules("R5"))
    docs = ours.to_spacy(bank, nlp.vocab) * 120
    size = nlp.batch_size

    def in_batches() -> None:
        for first in range(0, len(docs), size):
            ours.orders_of_docs(docs[first : first + size], part.rules)

    def seconds(work: Callable[[], Any]) -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    both = [
        (seconds(in_batches), seconds(lambda: list(part.pipe(docs, batch_size=size))))
        for _ in range(7)
    ]
    own, piped = (min(each) for each in zip(*both, strict=True))
    # 1.15 on UD English EWT, of which 0.1 sets the attributes; these sentences are shorter, of 6
    # words instead of 12.
    assert piped < 1.4 * own
    alone = min(seconds(lambda: [part(doc) for doc in docs[:300]]) for _ in range(2))
    assert piped / len(docs) < alone / 300 / 5


SEVERAL = """
import multiprocessing, sys, spacy

LOOKED_UP
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    nlp = spacy.blank("en")
    nlp.add_pipe("looked_up")
    nlp.add_pipe("wordorder", config={"rules": "R5"})
    for doc in nlp.pipe(list(trees) * 20, n_process=2, batch_size=7):
        print(*doc._.order)
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_several_processes(bank: Treebank, nlp: Any, tmp_path: Path, start: str) -> None:
    """`nlp.pipe(n_process=2)`, with workers that inherit everything, and with fresh ones."""
    docs = ours.to_spacy(bank, nlp.vocab)
    script = tmp_path / "several.py"
    script.write_text(with_trees(SEVERAL, docs), "utf-8")
    done = python("-W", "ignore", script, start, cwd=tmp_path).good()
    expected = [order.positions for order in open_rules("R5").orders(bank)]
    distinct = list(dict.fromkeys(doc.text for doc in docs))
    first = {doc.text: expected[number] for number, doc in reversed(list(enumerate(docs)))}
    orders = [tuple(map(int, line.split())) for line in done.text.splitlines()]
    assert orders == [first[text] for text in distinct] * 20


def test_documents_without_trees_among_others(bank: Treebank, nlp: Any) -> None:
    """spaCy's handler of errors gets them alone; by default the first one ends the pipeline."""
    part = ours.Reorderer(open_rules("R5"))
    good = ours.to_spacy(bank[:3], nlp.vocab)
    bad = spacy.blank("en")("It rains")
    refuses(UsageError, "put a parser before", list, part.pipe([*good, bad, *good]))
    failed: list[Any] = []
    part.set_error_handler(lambda name, proc, docs, error: failed.extend(docs))
    assert len(list(part.pipe([*good, bad, *good]))) == 6
    assert failed == [bad]


def test_rules_that_are_not_there(bank: Treebank, nlp: Any) -> None:
    ours.register()
    with pytest.raises(UsageError, match="unknown rule set 'R55'"):
        nlp.add_pipe("wordorder", config={"rules": "R55"})
    # A file may come with the saved pipeline, so it is missed when the first document comes.
    nlp.add_pipe("wordorder", config={"rules": "none.toml"})
    with pytest.raises(WordOrderError, match=r"none\.toml: No such file"):
        nlp(ours.to_spacy(bank, nlp.vocab)[0].text)


def test_what_spacy_imports_for_everybody_is_light() -> None:
    """spaCy imports the entry point in every process, also where nobody wants to order words."""
    script = (
        "import spacy, sys; spacy.blank('en')\n"
        "ours = sorted(name for name in sys.modules if name.startswith('wordorder'))\n"
        "print(*ours); print(spacy.tokens.Doc.has_extension('order'))"
    )
    modules, has = python("-W", "ignore", "-c", script).good().text.splitlines()
    light = {"wordorder.reordering", "wordorder.treebank", "wordorder.kernels"}
    assert "wordorder.integrations.spacy_factory" in modules.split()
    assert not light & set(modules.split())
    assert has == "False"


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
    refuses(UsageError, "put a parser before", ours.orders_of_docs, doc, "R5")
    assert ours.Reorderer(open_rules("R5"))(spacy.blank("en")(""))._.order == []


def test_stanza(bank: Treebank) -> None:
    pytest.importorskip("stanza")
    from stanza.utils.conll import CoNLL

    from wordorder.integrations.spacy import from_stanza, orders_of_document, to_stanza

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
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    refuses(WordOrderError, "spacy", ours.from_spacy, [])
