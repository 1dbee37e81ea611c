"""Model files: whole, the same bytes for the same model, and nothing believed unseen."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wordorder.errors import ModelError
from wordorder.messages import WordOrderWarning
from wordorder.samples import sample_path
from wordorder.text.blocks import RawLines
from wordorder.text.tensors import read_tensors, write_tensors
from wordorder.translation import TranslationModel, load_translation_model, train_translation
from wordorder.translation.model import FORMAT, TABLE_ARRAYS

SOURCE = ["the house", "the book", "a book", "a naïve 語", "the house is a book"] * 2
TARGET = ["das haus", "das buch", "ein buch", "ein naives ことば", "das haus ist ein buch"] * 2
RULES = '[[rule]]\nname = "verb"\nhead = { upos = ["VERB", "AUX"] }\norder = ["*", "self"]\n'


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "a.model"
    trained().save(path)
    return path


def trained(**options: Any) -> TranslationModel:
    with pytest.warns(WordOrderWarning, match="too little text"):
        return train_translation(SOURCE, TARGET, lm_order=3, **options)


def test_round_trip(saved: Path, tmp_path: Path) -> None:
    again = load_translation_model(saved)
    again.save(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == saved.read_bytes()
    model = trained()
    for name in TABLE_ARRAYS:
        assert np.array_equal(getattr(again.phrases, name), getattr(model.phrases, name)), name
    assert again.source_words == model.source_words
    assert list(again.target_words) == list(model.target_words)
    assert "語" in again.source_words
    assert "ことば" in again.target_words
    assert list(again.weights) == list(model.weights)
    ours, theirs = (each.language_model.score(TARGET).tolist() for each in (model, again))
    assert ours == theirs
    assert again.about == model.about


def test_unknown_source_words_have_number_0(saved: Path) -> None:
    model = load_translation_model(saved)
    rows = model.number(RawLines.from_strings(["the <unk> house", "", "haus 語"]))
    words = [[model.source_words[number] for number in row] for row in rows]
    assert words == [["the", "<unk>", "house"], [], ["<unk>", "語"]]
    assert rows[0][1] == rows[2][0] == 0


@pytest.mark.parametrize("order", ["R5", "en-ja", "mine.toml"])
def test_the_order_is_in_the_file(order: str, tmp_path: Path) -> None:
    if order == "mine.toml":
        (tmp_path / order).write_text(RULES)
        order = str(tmp_path / order)
    source = sample_path("source.en").read_text("utf-8").splitlines()[:4]
    target = sample_path("target.ja").read_text("utf-8").splitlines()[:4]
    with pytest.warns(WordOrderWarning, match="too little text"):
        model = train_translation(source, target, order=order)
    model.save(tmp_path / "a.model")
    (tmp_path / "mine.toml").unlink(missing_ok=True)
    again = load_translation_model(tmp_path / "a.model")
    assert model.preordering is not None
    assert again.preordering is not None
    lines = RawLines.from_strings(["He saw the house that I had bought .", "", "It rains ."])
    orders = [each.begin("a.txt").orders(lines) for each in (model.preordering, again.preordering)]
    assert orders[0].positions == orders[1].positions
    assert orders[0].to_text(0) != "0 1 2 3 4 5 6 7 8"
    again.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()


Put = Callable[[dict[str, Any], dict[str, Any]], object]


def changes() -> Iterator[tuple[str, Put, str]]:
    """Yield what is changed in a file that has the right checksum, and what is said of it."""

    def about(**said: object) -> Put:
        return lambda about, _: about.update(said)

    yield "version", about(version=9), "version 9 of the format"
    yield "weights", about(weights=[1.0]), "expected 15 numbers"
    yield "weight", lambda about, _: about["weights"].__setitem__(0, "x"), "a weight is not"
    yield "window", about(window=-1), "description of the model"
    yield "case", about(case="upper"), "description of the model"
    yield "about", about(about=[]), "description of the model"
    yield "order", about(order=9), "order 9"
    yield "rules", about(preordering=[1]), "description of the order"
    order: dict[str, Any] = {"name": "x", "parser": None}
    yield "broken rules", about(preordering=order | {"rules": "[["}), "rules are damaged"
    learned = order | {"kind": "linear", "about": {}, "identity": "x"}
    yield "learned", about(preordering=learned), "description of the model"
    absent = order | {"name": "no-such-rules"}
    yield "absent", about(preordering=absent), "unknown rule set"

    def without(name: str) -> Put:
        return lambda _, arrays: arrays.pop(name)

    yield "no links", without("phrases.links"), "the file lacks phrases.links"
    yield "no keys", without("language_model.keys"), "the file lacks language_model.keys"

    def put(name: str, value: object, at: object = 0) -> Put:
        return lambda _, arrays: arrays[name].__setitem__(at, value)

    yield "word", put("phrases.source_words", 99, -1), "a source word without a number"
    yield "target word", put("phrases.target_words", -1), "a target word without a number"
    yield "unsorted", put("phrases.source_words", 6), "not sorted"
    yield "score", put("phrases.scores", np.nan), "a score is not a number"
    yield "reordering", put("phrases.reordering", np.inf), "a score is not a number"
    yield "link", put("phrases.links", 7), "a link outside"
    yield "offsets", put("phrases.entry_offsets", 10**9, 1), "entry_offsets do not cut"
    yield "first offset", put("phrases.link_offsets", 1), "link_offsets do not cut"
    yield "letters", put("source.letters", 255), "not UTF-8"
    yield "blank", put("source.letters", 32), "has a blank inside"
    yield "ends", put("target.ends", -5), "target words are damaged"
    yield "suffix", put("language_model.suffix", 10**6, -1), "suffix"

    def other(name: str, change: Callable[[Any], object]) -> Put:
        return lambda _, arrays: arrays.update({name: change(arrays[name])})

    wide = other("phrases.links", lambda array: array.astype("i8"))
    yield "type", wide, "links is not of the type int32"
    yield "flat", other("phrases.scores", lambda array: array[0]), "another shape"
    yield "fewer", other("phrases.scores", lambda array: array[1:]), "do not cut"


@pytest.mark.parametrize(
    ("change", "said"), [each[1:] for each in changes()], ids=[c[0] for c in changes()]
)
def test_foreign_content_is_refused(change: Put, said: str, saved: Path, tmp_path: Path) -> None:
    about, arrays = read_tensors(saved, FORMAT)
    change(about, arrays)
    write_tensors(tmp_path / "bad.model", about, arrays)
    with pytest.raises(ModelError, match=said) as error:
        load_translation_model(tmp_path / "bad.model")
    assert str(error.value).startswith(f"{tmp_path / 'bad.model'}: ")
    assert "\n" not in str(error.value)
