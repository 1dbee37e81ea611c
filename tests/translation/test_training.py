"""Translation models: what goes into a training, what is refused, and their files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.notes import noted
from tests.refusing import refuses
from tests.threads import with_threads
from tests.translation.tables import entries, sample_sides

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, ModelError, UsageError, WordOrderError
from wordorder.order.completion import reorder_alignments, reorder_tokens
from wordorder.reordering import open_rules
from wordorder.samples import sample_path
from wordorder.text.raw_lines import RawLines
from wordorder.text.tensors import read_tensors, write_tensors
from wordorder.translation import (
    TranslationModel,
    load_translation_model,
    train_translation,
    translate,
)
from wordorder.translation.model import MODEL_FORMAT, TABLE_ARRAYS
from wordorder.translation.preordering import Preordering
from wordorder.translation.training import train_translation_files
from wordorder.treebank import read_treebank

pytestmark = pytest.mark.allow_notes("too little text")

LINES = ["He saw it .", "", "She had bought a house that I like .", "He likes it ."]
FEW = Alignments.from_rows([[(0, 0)], [], [(0, 0)], [(0, 0)]])
ZEILEN = ["er sah es .", "x", "sie hat ein haus gekauft das ich mag .", "er mag es ."]


def same_phrases(one: TranslationModel, other: TranslationModel) -> bool:
    """Whether two tables are the same; where words are numbered otherwise, by the words."""
    spelled = [
        sorted(
            (
                [model.source_words[w] for w in f],
                [model.target_words[w] for w in e],
                model.phrases.scores[row].tolist(),
                model.phrases.reordering[row].tolist(),
            )
            for (f, e), row in entries(model.phrases).items()
        )
        for model in (one, other)
    ]
    return spelled[0] == spelled[1]


@pytest.mark.allow_notes(".*no links")
def test_given_links_are_put_in_order_with_the_source() -> None:
    """As if source and links had been reordered by hand before."""
    links = Alignments.from_rows([[(0, 0), (1, 1), (2, 2)], [], [(0, 0), (3, 2), (2, 4)], []])
    orders = Preordering.open("R5").begin("a").orders(RawLines.from_strings(LINES))
    tokens = [line.split() for line in LINES]
    reordered = [" ".join(row) for row in reorder_tokens(tokens, orders)]
    assert reordered != LINES
    lengths = list(map(len, tokens)), [len(line.split()) for line in ZEILEN]
    moved = reorder_alignments(links.with_lengths(*lengths), orders)
    by_us = train_translation(LINES, ZEILEN, alignments=links, order="R5")
    by_hand = train_translation(reordered, ZEILEN, alignments=moved)
    assert same_phrases(by_us, by_hand)
    assert by_us.preordering is not None
    assert by_us.preordering.name == "R5"
    # Without links the reordered source is aligned.
    by_us = train_translation(LINES, ZEILEN, order="R5")
    by_hand = train_translation(reordered, ZEILEN, alignments=wo.align(reordered, ZEILEN))
    assert same_phrases(by_us, by_hand)


@pytest.mark.parametrize("order", ["R5", "en-ja"])
def test_trees_that_are_given_stay(order: str, tmp_path: Path) -> None:
    """As if they had been put in order by hand; with a parser, the text is parsed again."""
    trees, (lines, target) = read_treebank(sample_path("trees.conllu")), sample_sides()
    reordered = reorder_tokens([line.split() for line in lines], open_rules(order).orders(trees))
    by_hand = train_translation([" ".join(row) for row in reordered], target)
    assert same_phrases(train_translation(trees, target, order=order), by_hand)
    path = tmp_path / "a.model"
    files = sample_path("trees.conllu"), sample_path("target.ja")
    assert same_phrases(train_translation_files(*files, path, order=order), by_hand)
    parsed = train_translation(lines, target, order=order, parser="en")
    assert not same_phrases(parsed, by_hand)
    assert same_phrases(train_translation_files(*files, path, order=order, parser="en"), parsed)


def test_more_text_for_the_language_model_changes_nothing_else() -> None:
    models = []
    for lm in ([], [["neu er sah"]]):
        with noted("1 sentence pair .25 %. has no links"):
            models.append(train_translation(LINES, ZEILEN, alignments=FEW, lm=lm, lm_order=2))
    one, more = models
    for name in TABLE_ARRAYS:
        assert np.array_equal(getattr(one.phrases, name), getattr(more.phrases, name))
    assert [*one.target_words, "neu"] == list(more.target_words)
    assert more.language_model.score(["neu er sah"]) > one.language_model.score(["neu er sah"])


@pytest.mark.allow_notes(".*no links")
def test_lowercase_forgets_case_but_not_before_the_parser() -> None:
    model = train_translation(LINES, ZEILEN, alignments=FEW, order="R5", lowercase=True)
    assert model.case == "lower"
    assert {"he", "i"} <= set(model.source_words)
    assert not {"He", "I"} & set(model.source_words)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_phrase": 0}, "max_phrase is a whole number from 1 to 8, not 0"),
        ({"max_phrase": 9}, "from 1 to 8, not 9"),
        ({"table_limit": 0}, "table_limit is a whole number of at least 1"),
        ({"window": -1}, "window is a whole number of at least 0"),
        ({"lm_order": 2.5}, "lm_order is a whole number"),
        ({"reordering": "lexical"}, "unknown reordering 'lexical'|reordering"),
        ({"seed": -1}, "seed is a whole number of at least 0"),
        ({"symmetrize": "gdfa"}, "symmetrize"),
        ({"model": "giza"}, "unknown aligner 'giza'"),
        ({"orders": 1}, "no option 'orders'; legal options: max_phrase"),
        ({"parser": "en"}, "name the rules or the learned order too"),
        ({"order": "R9"}, "unknown rule set 'R9'"),
    ],
)
def test_wrong_options(options: dict[str, Any], said: str) -> None:
    refuses(UsageError, said, train_translation, LINES, ZEILEN, **options)


@pytest.mark.parametrize(
    ("source", "target", "links", "said"),
    [
        (["a"], ["b", "c"], None, "source: 1 line, but target has 2"),
        (["a"], ["b"], [[(0, 0)], []], "alignments: 2 lines, but source has 1"),
        (["a"], ["b"], [[(0, 1)]], "alignments:1: link 0-1"),
        (["a"], ["b"], [[]], "no sentence pair has a link"),
        ([], [], None, "no sentence pairs"),
        (["a", "b"], ["x", "y <s>"], [[(0, 0)], [(0, 0)]], "target:2: the word <s>"),
        (["a b\nc"], ["x"], [[(0, 0)]], r"source: a line break in 'b\\nc'"),
        (["a"], ["x\ny"], [[(0, 0)]], "target: a line break in"),
        (["a " * 5000], ["b " * 5000], [[]], "sentence pair 1: 5000 and 5000 words"),
    ],
)
def test_wrong_text(source: list[str], target: list[str], links: Any, said: str) -> None:
    alignments = None if links is None else Alignments.from_rows(links)
    refuses(WordOrderError, said, train_translation, source, target, alignments=alignments)


def test_one_word_a_sentence_has_no_jump() -> None:
    links = Alignments.from_rows([[(0, 0)]])
    model = train_translation(["a"], ["b"], alignments=links, reordering="maxent")
    assert model.about["jumps"] == 0
    assert translate(model, ["a a x"]).lines == ["b b x"]


def test_words_with_a_meaning_are_found_in_the_right_text() -> None:
    links = Alignments.from_rows([[(0, 0)]])
    lm = [["c", "d"], ["e", "f", "</s>"]]
    message, options = "text 2 of lm:3: the word </s>", {"alignments": links, "lm": lm}
    refuses(InputError, message, train_translation, ["a"], ["b"], **options)


@pytest.mark.allow_notes(".*no links")
def test_progress_says_what_is_done() -> None:
    told: list[tuple[str, int, int | None]] = []
    train_translation(LINES * 3, ZEILEN * 3, order="R5", progress=lambda *x: told.append(x))
    assert told[0] == ("ordering", 12, 12)
    assert {each[0] for each in told} == {"ordering", "aligning"}


def test_a_link_past_the_source_is_named_before_it_is_reordered(tmp_path: Path) -> None:
    links = Alignments.from_rows([[(9, 0)], [], [(0, 0)], [(0, 0)]])
    with pytest.raises(InputError, match="alignments:1: link 9-0"):
        train_translation(LINES, ZEILEN, alignments=links, order="R5")


def test_the_same_bytes_again_and_with_any_number_of_threads(tmp_path: Path) -> None:
    source, target = sample_sides()

    def work() -> bytes:
        train_translation(source, target, order="head-final").save(tmp_path / "a")
        return (tmp_path / "a").read_bytes()

    one, three = with_threads(work)
    assert one == three


# -- Model files: whole, the same bytes for the same model, nothing believed unseen. ---------------


SOURCE = ["the house", "the book", "a book", "a naïve 語", "the house is a book"] * 2
TARGET = ["das haus", "das buch", "ein buch", "ein naives ことば", "das haus ist ein buch"] * 2
RULES = '[[rule]]\nname = "verb"\nhead = { upos = ["VERB", "AUX"] }\norder = ["*", "self"]\n'


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "a.model"
    trained().save(path)
    return path


def trained(**options: Any) -> TranslationModel:
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
    source, target = sample_sides()
    model = train_translation(source[:4], target[:4], order=order)
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
    about, arrays = read_tensors(saved, MODEL_FORMAT)
    change(about, arrays)
    write_tensors(tmp_path / "bad.model", about, arrays)
    with pytest.raises(ModelError, match=said) as error:
        load_translation_model(tmp_path / "bad.model")
    assert str(error.value).startswith(f"{tmp_path / 'bad.model'}: ")
    assert "\n" not in str(error.value)
