"""What holds for taggers and for parsers of each kind: how they learn, list, and are kept."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.parsing.toy import entries, half_up, learnt, written
from tests.parsing.transition.ten_sentences import ten_sentences
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.errors import InputError, ModelError, UsageError
from wordorder.parsing.base import ListParser, Tagger
from wordorder.parsing.graph import parser as graph
from wordorder.parsing.tagging import perceptron, tnt
from wordorder.parsing.training.compact_models import compact
from wordorder.parsing.transition import parser as transition
from wordorder.parsing.weights import Weights
from wordorder.treebank.treebank import Treebank

BANK = ten_sentences()
LEARNERS: dict[str, Any] = {
    "tagger": perceptron.TaggerLearner,
    "transition": transition.TransitionLearner,
    "graph": graph.GraphLearner,
}
# Where each says how much it takes at a time, and so little that there are several pieces.
PIECES = {"tagger": (perceptron, "MAX_SUMS", 20), "tnt": (tnt, "MAX_EMISSIONS", 20)}
PIECES |= {"transition": (transition, "MAX_PIECE_ITEMS", 64), "graph": (graph, "MAX_CELLS", 30)}
# What files of earlier versions do not have.
MAY_LACK = {"tagger": "seen", "tnt": "beam"}


def trained(kind: str, seed: int = 1) -> Any:
    if kind == "tnt":
        return tnt.TnT.train(BANK, known_words="open", beam=None, lowercase=True)
    return learnt(LEARNERS[kind](BANK), 8, seed)


def scored(model: Any, bank: Treebank = BANK) -> list[object]:
    """Return the three best of each sentence."""
    lists = model.kbest_tags(bank, 3) if hasattr(model, "kbest_tags") else model.kbest(bank, 3)
    strings = [lists.trees.columns[name].strings() for name in ("upos", "xpos", "label")]
    return [lists.offsets.tolist(), lists.scores.tolist(), lists.trees.heads.tolist(), strings]


@pytest.mark.parametrize("kind", LEARNERS)
def test_averaged_weights_are_the_mean_over_all_instances(kind: str) -> None:
    learner = LEARNERS[kind](BANK)
    weights, total = learner.new_weights(), Counter[tuple[int, int]]()
    rows = np.random.default_rng(4).permutation(np.tile(np.arange(10), 3))
    for before in range(len(rows)):
        learner.learn(rows[before : before + 1], weights, before)
        total.update(entries(weights))
    means = {entry: half_up(Fraction(value, len(rows))) for entry, value in total.items()}
    assert entries(weights.averaged(len(rows))) == {e: mean for e, mean in means.items() if mean}
    assert len(means) > 100


@pytest.mark.parametrize("kind", LEARNERS)
def test_learning_in_one_call_or_in_many_is_the_same(kind: str) -> None:
    learner = LEARNERS[kind](BANK)
    one, many = learner.new_weights(), learner.new_weights()
    rows = np.tile(np.arange(10), 2)
    whole = learner.learn(rows, one, before=0)
    parts = [learner.learn(rows[i : i + 1], many, before=i) for i in range(20)]
    assert sum(part.updates for part in parts) == whole.updates > 0
    assert written(one) == written(many)


@pytest.mark.parametrize("kind", LEARNERS)
def test_the_same_seed_gives_the_same_bytes_and_another_other_ones(kind: str) -> None:
    one, same, other = (written(trained(kind, seed).weights) for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("kind", PIECES)
def test_pieces_and_threads_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, bank = trained(kind), Treebank.concatenate([BANK] * 3)
    whole = scored(model, bank)
    monkeypatch.setattr(*PIECES[kind])
    assert with_threads(lambda: scored(model, bank)) == [whole] * 2


@pytest.mark.parametrize("kind", PIECES)
def test_it_is_a_tagger_or_a_parser_with_lists(kind: str) -> None:
    model = trained(kind)
    listed: Any = getattr(model, "kbest", None) or model.kbest_tags
    assert isinstance(model, ListParser if kind in ("transition", "graph") else Tagger)
    for k in (0, -1, True, 2.5, "3", 4097, 10**30):
        refuses(UsageError, "k is a whole number from 1 to 4096", listed, BANK, k)
    # A shorter list begins a longer one, of one search.
    width = {"beam": 64} if kind == "transition" else {}
    one, three, many = (listed(BANK, k, **width) for k in (1, 3, 40))
    for short, long in ((one, three), (three, many)):
        for row in range(len(BANK)):
            few, more = short[row : row + 1], long[row : row + 1]
            number, words = len(few.trees), few.trees.words
            assert more.scores[:number].tolist() == few.scores.tolist()
            for column in ("xpos", "label"):
                strings = few.trees.columns[column].strings()
                assert more.trees.columns[column].strings()[:words] == strings


@pytest.mark.parametrize("kind", PIECES)
def test_words_may_be_read_in_lower_case(kind: str) -> None:
    if kind == "tnt":
        model: Any = tnt.TnT.train(BANK, lowercase=True)
    else:
        model = learnt(LEARNERS[kind](BANK, lowercase=True), 8)
    shouted = BANK.replace(form=BANK.form.map(str.upper))
    again = type(model).from_parts(*model.parts())
    assert scored(model, shouted) == scored(again, shouted) == scored(model)
    found = again.tag(shouted) if isinstance(again, Tagger) else again.parse(shouted)
    assert found.form.strings() == shouted.form.strings()


@pytest.mark.parametrize("kind", ["transition", "graph"])
@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([[0], [0, 0]], "sentence 2, word 2: a second root"),
        ([[0], [-1, -1]], "sentence 2, word 1: no head"),
        ([[0], [2, 1]], "sentence 2, word 1: no root"),
        ([[0, 3, 2]], "sentence 1, word 2: a cycle"),
        ([], "no words"),
    ],
)
def test_only_whole_trees_are_learnt_from(kind: str, heads: list[list[int]], message: str) -> None:
    bank = Treebank.from_words([["w"] * len(row) for row in heads], heads=heads)
    refuses(InputError, message, LEARNERS[kind], bank)


@pytest.mark.parametrize("kind", PIECES)
def test_a_model_is_made_again_of_its_parts(kind: str) -> None:
    model = trained(kind)
    about, arrays = model.parts()
    again = type(model).from_parts(about, arrays)
    assert scored(again) == scored(model)
    said, found = again.parts()
    assert said == about
    assert {name: (array.dtype, array.tobytes()) for name, array in found.items()} == {
        name: (array.dtype, array.tobytes()) for name, array in arrays.items()
    }
    for parts in (about, arrays):
        for name in parts.keys() - {MAY_LACK.get(kind)}:
            rest = {key: value for key, value in parts.items() if key != name}
            given = (rest, arrays) if parts is about else (about, rest)
            refuses(ModelError, ".", type(model).from_parts, *given)


def test_a_tagger_of_compact_weights_is_made_again_of_its_parts() -> None:
    tagger = trained("tagger")
    small = perceptron.PerceptronTagger(tagger.model, compact(tagger.weights))
    again = perceptron.PerceptronTagger.from_parts(*small.parts())
    assert again.tag(BANK).xpos.strings() == BANK.xpos.strings()


@pytest.mark.parametrize("kind", LEARNERS)
def test_rows_that_look_alike_in_the_table_are_told_apart(kind: str) -> None:
    bank = BANK.take(np.array([0, 1, 4, 8]))
    learning = LEARNERS[kind](bank)
    learned = learning.new_weights()
    for epoch in range(3):
        learning.learn(np.arange(len(bank)), learned, before=epoch * len(bank))
    weights = learned.averaged(3 * len(bank))
    keys, counts, action, value, _ = weights.rows()
    # The same slots and upper halves of slots, other keys; they come first.
    rows: Any = (keys ^ np.uint64(1 << 31 | 1 << 63), counts, action, 7 * value[::-1])
    others = Weights.from_rows(weights.actions, *rows)
    both: Any = [
        np.concatenate(pair) for pair in zip(rows, (keys, counts, action, value), strict=True)
    ]
    crowded = Weights.from_rows(weights.actions, *both)
    assert crowded.row(int(keys[0])) == weights.row(int(keys[0]))
    assert not others.places(keys).any()
    expected = scored(learning.model(weights), bank)
    assert scored(learning.model(crowded), bank) == expected
    nothing = scored(learning.model(learning.new_weights()), bank)
    assert scored(learning.model(others), bank) == nothing != expected
