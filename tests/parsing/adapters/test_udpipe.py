"""UDPipe: a tiny model, trained here, against UDPipe's own way from text to text."""

from pathlib import Path

import pytest
from tests.parsing import small_treebank
from tests.refusing import refuses

from wordorder.errors import InputError, ModelError, UsageError
from wordorder.parsing.adapters.external import UDPipeParser
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees

udpipe = pytest.importorskip("ufal.udpipe")

WORDS = [["She", "sees", "a", "well-known", "bird", "."], [], ["birds"]]


def trained(tagger: str, parser: str) -> bytes:
    """Train on the small treebank."""
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(small_treebank.TREEBANK)
    sentences, sentence, error = udpipe.Sentences(), udpipe.Sentence(), udpipe.ProcessingError()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    arguments = ("morphodita_parsito", sentences, udpipe.Sentences(), "none", tagger, parser, error)
    model: bytes = udpipe.Trainer.train(*arguments)
    assert not error.occurred(), error.message
    return model


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model that tags and parses, and one of each that does one of both."""
    folder = tmp_path_factory.mktemp("udpipe")
    tagger = "iterations=1;use_lemma=0;provide_lemma=0"
    parser = "iterations=1;hidden_layer=10;embedding_form=5;embedding_xpostag=5"
    for name, options in (
        ("both", (tagger, parser)),
        ("tagger", (tagger, "none")),
        ("parser", ("none", parser)),
    ):
        (folder / f"{name}.udpipe").write_bytes(trained(*options))
    return folder


@pytest.fixture(scope="module")
def bank() -> Treebank:
    return small_treebank.read()


def columns(text: str, *fields: int) -> list[tuple[str, ...]]:
    """Return fields of all words of CoNLL-U."""
    rows = [line.split("\t") for line in text.splitlines() if line[:1].isdigit()]
    return [tuple(row[field] for field in fields) for row in rows]


@pytest.mark.parametrize("tags", ["own", "given"])
def test_equals_udpipe_from_text_to_text(models: Path, bank: Treebank, tags: str) -> None:
    path = models / "both.udpipe"
    tagging = udpipe.Pipeline.DEFAULT if tags == "own" else udpipe.Pipeline.NONE
    model = udpipe.Model.load(str(path))
    pipeline = udpipe.Pipeline(model, "conllu", tagging, udpipe.Pipeline.DEFAULT, "conllu")
    expected = pipeline.process(small_treebank.TREEBANK, udpipe.ProcessingError())
    parser = UDPipeParser(path, tags=tags)
    found = parser.parse(bank)
    check_trees(found)
    heads = map(str, found.heads.tolist())
    strings = [column.strings() for column in (found.upos, found.xpos, found.label)]
    rows = zip(*strings[:2], heads, strings[2], strict=True)
    assert list(rows) == columns(expected, 3, 4, 6, 7)
    assert parser.repaired == 0
    if tags == "given":
        assert found.xpos.strings() == bank.xpos.strings()
    assert found.form.strings() == bank.form.strings()
    assert found.margins == bank.margins


def test_tags_alone(models: Path, bank: Treebank) -> None:
    tagged = UDPipeParser(models / "tagger.udpipe").tag(bank)
    assert tagged.upos.strings() == UDPipeParser(models / "both.udpipe").parse(bank).upos.strings()
    assert tagged.heads.tolist() == bank.heads.tolist()


def test_a_sentence_without_words_and_strange_words(models: Path) -> None:
    parser = UDPipeParser(models / "both.udpipe", beam=1)
    words = [*WORDS, ["", "two words", "\ud800", "tab\there", "日本"]]
    found = parser.parse(Treebank.from_words(words))
    assert found.form.strings() == [word for row in words for word in row]
    for number in (0, 2, 3):
        check_trees(found[number : number + 1])
    assert len(parser.parse(Treebank.from_words([]))) == 0


def test_parts_that_a_model_lacks(models: Path, bank: Treebank) -> None:
    with pytest.raises(ModelError, match=r"udpipe: the tagger of .*parser\.udpipe cannot be used"):
        UDPipeParser(models / "parser.udpipe").parse(bank)
    with pytest.raises(ModelError, match=r"udpipe: the parser of .*tagger\.udpipe cannot be used"):
        UDPipeParser(models / "tagger.udpipe").parse(bank)


def test_damaged_models(models: Path, tmp_path: Path) -> None:
    whole = (models / "both.udpipe").read_bytes()
    for data in (b"", b"no model", whole[: len(whole) // 2]):
        path = tmp_path / "bad.udpipe"
        path.write_bytes(data)
        refuses(ModelError, "is no model of UDPipe's, or damaged", UDPipeParser, path)
    refuses(UsageError, "beam=0; expected 1 or more", UDPipeParser, models / "both.udpipe", beam=0)


def test_trees_are_no_lists(models: Path) -> None:
    assert not hasattr(UDPipeParser(models / "both.udpipe"), "kbest")
    with pytest.raises(InputError):
        Treebank.from_words(WORDS, upos=[["X"]])
