"""Training a translation model: what goes in, what is said, what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusing import refuses
from tests.threads import with_threads
from tests.translation.tables import entries

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.messages import WordOrderWarning
from wordorder.order.reference import reorder_alignments, reorder_tokens
from wordorder.reordering import open_rules
from wordorder.samples import sample_path
from wordorder.text.blocks import RawLines
from wordorder.translation import TranslationModel, train_translation, translate
from wordorder.translation.model import TABLE_ARRAYS
from wordorder.translation.preordering import Preordering
from wordorder.translation.training import train_translation_files
from wordorder.treebank import read_treebank

pytestmark = pytest.mark.filterwarnings("ignore:too little text")

SOURCE = ["He saw it .", "", "She had bought a house that I like .", "He likes it ."]
FEW = Alignments.from_rows([[(0, 0)], [], [(0, 0)], [(0, 0)]])
TARGET = ["er sah es .", "x", "sie hat ein haus gekauft das ich mag .", "er mag es ."]


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


@pytest.mark.filterwarnings("ignore:.*no links")
def test_given_links_are_put_in_order_with_the_source() -> None:
    """As if source and links had been reordered by hand before."""
    links = Alignments.from_rows([[(0, 0), (1, 1), (2, 2)], [], [(0, 0), (3, 2), (2, 4)], []])
    orders = Preordering.open("R5").begin("a").orders(RawLines.from_strings(SOURCE))
    tokens = [line.split() for line in SOURCE]
    reordered = [" ".join(row) for row in reorder_tokens(tokens, orders)]
    assert reordered != SOURCE
    lengths = list(map(len, tokens)), [len(line.split()) for line in TARGET]
    moved = reorder_alignments(links.with_lengths(*lengths), orders)
    by_us = train_translation(SOURCE, TARGET, alignments=links, order="R5")
    by_hand = train_translation(reordered, TARGET, alignments=moved)
    assert same_phrases(by_us, by_hand)
    assert by_us.preordering is not None
    assert by_us.preordering.name == "R5"


@pytest.mark.parametrize("order", ["R5", "en-ja"])
def test_trees_that_are_given_stay(order: str, tmp_path: Path) -> None:
    """As if they had been put in order by hand; with a parser, the text is parsed again."""
    trees = read_treebank(sample_path("trees.conllu"))
    target = sample_path("target.ja").read_text("utf-8").splitlines()
    lines = sample_path("source.en").read_text("utf-8").splitlines()
    reordered = reorder_tokens([line.split() for line in lines], open_rules(order).orders(trees))
    by_hand = train_translation([" ".join(row) for row in reordered], target)
    assert same_phrases(train_translation(trees, target, order=order), by_hand)
    path = tmp_path / "a.model"
    files = sample_path("trees.conllu"), sample_path("target.ja")
    assert same_phrases(train_translation_files(*files, path, order=order), by_hand)
    parsed = train_translation(lines, target, order=order, parser="en")
    assert not same_phrases(parsed, by_hand)
    assert same_phrases(train_translation_files(*files, path, order=order, parser="en"), parsed)


def test_without_links_the_reordered_source_is_aligned() -> None:
    orders = Preordering.open("R5").begin("a").orders(RawLines.from_strings(SOURCE))
    reordered = [" ".join(row) for row in reorder_tokens([s.split() for s in SOURCE], orders)]
    with pytest.warns(WordOrderWarning, match="no links"):
        by_us = train_translation(SOURCE, TARGET, order="R5")
    with pytest.warns(WordOrderWarning, match="no links"):
        by_hand = train_translation(reordered, TARGET, alignments=wo.align(reordered, TARGET))
    assert same_phrases(by_us, by_hand)


def test_more_text_for_the_language_model_changes_nothing_else() -> None:
    models = []
    for lm in ([], [["neu er sah"]]):
        with pytest.warns(WordOrderWarning, match="1 sentence pair .25 %. has no links"):
            models.append(train_translation(SOURCE, TARGET, alignments=FEW, lm=lm, lm_order=2))
    one, more = models
    for name in TABLE_ARRAYS:
        assert np.array_equal(getattr(one.phrases, name), getattr(more.phrases, name))
    assert [*one.target_words, "neu"] == list(more.target_words)
    assert more.language_model.score(["neu er sah"]) > one.language_model.score(["neu er sah"])


@pytest.mark.filterwarnings("ignore:.*no links")
def test_lowercase_forgets_case_but_not_before_the_parser() -> None:
    model = train_translation(SOURCE, TARGET, alignments=FEW, order="R5", lowercase=True)
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
    refuses(UsageError, said, train_translation, SOURCE, TARGET, **options)


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
    with pytest.raises(InputError, match="text 2 of lm:3: the word </s>"):
        train_translation(["a"], ["b"], alignments=links, lm=lm)


@pytest.mark.filterwarnings("ignore:.*no links")
def test_progress_says_what_is_done() -> None:
    told: list[tuple[str, int, int | None]] = []
    train_translation(
        *(side * 3 for side in (SOURCE, TARGET)), order="R5", progress=lambda *x: told.append(x)
    )
    assert told[0] == ("ordering", 12, 12)
    assert {each[0] for each in told} == {"ordering", "aligning"}


def test_a_link_past_the_source_is_named_before_it_is_reordered(tmp_path: Path) -> None:
    links = Alignments.from_rows([[(9, 0)], [], [(0, 0)], [(0, 0)]])
    with pytest.raises(InputError, match="alignments:1: link 9-0"):
        train_translation(SOURCE, TARGET, alignments=links, order="R5")


def test_the_same_bytes_again_and_with_any_number_of_threads(tmp_path: Path) -> None:
    source = sample_path("source.en").read_text("utf-8").splitlines()
    target = sample_path("target.ja").read_text("utf-8").splitlines()

    def work() -> bytes:
        train_translation(source, target, order="head-final").save(tmp_path / "a")
        return (tmp_path / "a").read_bytes()

    one, three = with_threads(work)
    assert one == three
