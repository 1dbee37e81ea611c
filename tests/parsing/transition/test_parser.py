"""The transition parser: its search, its features, its lists; derivations of trees."""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st
from tests.notes import noted
from tests.oracles_transition import (
    State,
    Tree,
    derivations,
    features,
    is_projective,
    projective_trees,
    random_tree,
    replay,
)
from tests.parsing.toy import learnt, written
from tests.parsing.transition.ten_sentences import ten_sentences
from tests.refusing import refuses

from wordorder.errors import InputError, ModelError, UsageError
from wordorder.parsing.transition import (
    parser as parser_module,
    search as search_module,
)
from wordorder.parsing.transition.features import FEATURE_SETS, Encoding, feature_set
from wordorder.parsing.transition.parser import TransitionLearner, TransitionParser
from wordorder.parsing.transition.system import TransitionSystem
from wordorder.parsing.weights import UNIT, Weights
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank

BANK = ten_sentences()
LEARNER = TransitionLearner(BANK)
LABELS = list(LEARNER.system.labels)


def trained(epochs: int = 8, **options: Any) -> TransitionParser:
    found: TransitionParser = learnt(TransitionLearner(BANK, **options), epochs)
    return found


@pytest.fixture(scope="module")
def parser() -> TransitionParser:
    return trained()


def random_weights(system: TransitionSystem, sentences: Treebank, seed: int) -> Weights:
    """Weights for many features of these sentences, found in random trees of theirs."""
    rng = np.random.default_rng(seed)
    weights = Weights(system.actions)
    encoded = TransitionParser(system, weights).encoded(sentences)
    draw = random.Random(seed)
    for row, n in enumerate(sentences.lengths.tolist()):
        for _ in range(6):
            heads, labels = random_tree(draw, n, list(system.labels))
            keys, actions = encoded.features(row, heads, labels)
            deltas = rng.integers(-3 * UNIT, 3 * UNIT, len(keys)).astype(np.int32)
            weights.add(keys, actions, deltas, before=0)
    return weights


def gold_tree(row: int) -> tuple[list[int], list[str]]:
    words = slice(int(BANK.offsets[row]), int(BANK.offsets[row + 1]))
    return BANK.heads[words].tolist(), BANK.label.strings()[words]


def as_bytes(arrays: Sequence[npt.NDArray[Any]]) -> list[bytes]:
    return [array.tobytes() for array in arrays]


def listed(lists: KBest, row: int) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    first, last = int(lists.offsets[row]), int(lists.offsets[row + 1])
    trees = lists.trees
    cuts = pairwise(trees.offsets[first : last + 1].tolist())
    labels = trees.label.strings()
    return [(tuple(trees.heads[a:b].tolist()), tuple(labels[a:b])) for a, b in cuts]


@pytest.mark.parametrize("features", FEATURE_SETS)
@pytest.mark.parametrize(("beam", "update"), [(1, "early"), (8, "early"), (4, "max-violation")])
def test_ten_sentences_are_learnt(features: str, beam: int, update: str) -> None:
    learner = TransitionLearner(BANK, features=features, beam=beam, update=update)
    weights = learner.new_weights()
    rows, epoch = np.arange(len(BANK)), 0
    while learner.learn(rows, weights, before=epoch * len(BANK)).updates and epoch < 40:
        epoch += 1
    parsed = learner.model(weights).parse(BANK)
    assert parsed.heads.tolist() == BANK.heads.tolist()
    assert parsed.label.strings() == BANK.label.strings()


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_features_are_those_of_the_templates(name: str) -> None:
    """The same key just for the same template with the same values, in any tree."""
    system = TransitionLearner(BANK, features=name).system
    templates = feature_set(name).templates
    encoded = TransitionParser(system, Weights(system.actions)).encoded(BANK)
    key_of: dict[object, int] = {}
    draw = random.Random(5)
    for row, n in enumerate(BANK.lengths.tolist()):
        start = int(BANK.offsets[row])
        numbers = encoded.words[start : start + n].tolist()
        words = [dict(zip("wpu", number, strict=True)) for number in numbers]
        heads, labels = random_tree(draw, n, LABELS)
        keys, actions = encoded.features(row, heads, labels)
        tree = Treebank.from_words([["x"] * n], heads=[heads], label=[labels])
        path = system.derivations(tree)[0].tolist()
        expected: list[tuple[object, int]] = []
        state = State(n)
        kinds = ("left-arc", "right-arc")
        table = ["shift", "reduce", "pop-root", *(f"{k} {x}" for k in kinds for x in LABELS)]
        for action in path:
            found = features(templates, words, state)
            expected += [(feature, action) for feature in found]
            state.apply(table[action])
        assert actions.tolist() == [action for _, action in expected]
        for (feature, _), key in zip(expected, keys.tolist(), strict=True):
            assert key_of.setdefault(feature, key) == key
    assert len(set(key_of.values())) == len(key_of)


def test_a_wide_beam_is_exhaustive() -> None:
    """All trees, by the sums of the weights of their features."""
    sentences = Treebank.from_words([["a", "b", "c", "d"], ["a"], ["b", "a"], []])
    heads = [[0, 1, 1, 1], [0, 1], [0, 1]]
    labels = [["root", "x", "y", "y"], ["root", "y"], ["root", "y"]]
    known = Treebank.from_words([["a"] * 4, ["a"] * 2, ["b"] * 2], heads=heads, label=labels)
    system = TransitionLearner(known).system
    assert system.labels == ("y", "x")
    weights = random_weights(system, sentences, seed=3)
    parser = TransitionParser(system, weights)
    lists = parser.kbest(sentences, 512)
    encoded = parser.encoded(sentences)
    for row, n in enumerate(sentences.lengths.tolist()):
        scores = {}
        for tree in projective_trees(n, ["x", "y"]) if n else {((), ())}:
            keys, actions = encoded.features(row, *tree)
            pairs = zip(keys.tolist(), actions.tolist(), strict=True)
            scores[tree] = sum(weights.row(key).get(action, 0) for key, action in pairs) / UNIT
        found = listed(lists, row)
        assert set(found) == set(scores)
        first, last = lists.offsets[row], lists.offsets[row + 1]
        assert lists.scores[first:last].tolist() == [scores[tree] for tree in found]
        assert sorted(scores.values(), reverse=True) == lists.scores[first:last].tolist()
    assert parser.score(lists.trees).tolist() == lists.scores.tolist()
    # The best one is also what the parser gives.
    parser.beam = 512
    best = parser.parse(sentences)
    assert best.heads.tolist() == lists.best().heads.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_all_trees_are_searched_but_those_with_relations_never_seen_between_such_tags(
    seed: int,
) -> None:
    """`score` rates those too, and may rate one above the best of a list."""
    rows = [["a", "b", "a"], ["b", "a", "c"], ["c", "a"]]
    heads = [[0, 1, 2], [2, 0, 2], [0, 1]]
    labels = [["root", "x", "y"], ["y", "root", "x"], ["root", "x"]]
    known = Treebank.from_words(rows, xpos=rows, heads=heads, label=labels)
    seen: dict[tuple[str, str, bool], set[str]] = {}
    for tags, own_heads, named in zip(rows, heads, labels, strict=True):
        for word, (head, label) in enumerate(zip(own_heads, named, strict=True), 1):
            if head:
                seen.setdefault((tags[head - 1], tags[word - 1], head < word), set()).add(label)
    system = TransitionLearner(known).system
    draw = random.Random(seed)
    words = [draw.choices("abc", k=n) for n in (2, 3, 4)]
    sentences = Treebank.from_words(words, xpos=words)
    parser = TransitionParser(system, random_weights(system, sentences, seed))
    lists = parser.kbest(sentences, 4096)
    higher = 0
    for row, tags in enumerate(words):
        every = list(projective_trees(len(tags), ["x", "y"]))
        forms, trees = [tags] * len(every), list(zip(*every, strict=True))
        bank = Treebank.from_words(forms, xpos=forms, heads=trees[0], label=trees[1])
        scores = dict(zip(every, parser.score(bank).tolist(), strict=True))
        tried = {
            (own, names)
            for own, names in every
            if all(
                not head
                or label in seen.get((tags[head - 1], tags[word], head <= word), {"x", "y"})
                for word, (head, label) in enumerate(zip(own, names, strict=True))
            )
        }
        found = listed(lists, row)
        assert set(found) == tried
        assert scores[found[0]] == max(scores[tree] for tree in tried)
        higher += any(score > scores[found[0]] for score in scores.values())
    # With some weights such a tree would win.
    assert bool(higher) == (seed in (1, 2, 4))


@settings(max_examples=30)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=4), st.integers(0, 99), st.integers(1, 9))
def test_always_a_tree_with_one_root(lengths: list[int], seed: int, beam: int) -> None:
    draw = random.Random(seed)
    rows = [draw.choices(BANK.form.strings(), k=n) for n in lengths]
    tags = [draw.choices(BANK.xpos.strings(), k=n) for n in lengths]
    sentences = Treebank.from_words(rows, xpos=tags)
    weights = random_weights(LEARNER.system, sentences, seed)
    parser = TransitionParser(LEARNER.system, weights, beam=beam)
    lists = parser.kbest(sentences, beam)
    assert lists.best().heads.tolist() == parser.parse(sentences).heads.tolist()
    for row, n in enumerate(lengths):
        trees = listed(lists, row)
        assert len(trees) == len(set(trees)) >= 1
        assert all(is_projective(heads) or n == 0 for heads, _ in trees)
        for heads, labels in trees:
            assert [label == "root" for label in labels] == [head == 0 for head in heads]
        scores = lists.scores[lists.offsets[row] : lists.offsets[row + 1]].tolist()
        assert scores == sorted(scores, reverse=True)
    shorter = parser.kbest(sentences, max(beam // 2, 1), beam=beam)
    for row in range(len(lengths)):
        assert listed(shorter, row) == listed(lists, row)[: beam // 2 or 1]


def test_updates_raise_the_better_tree() -> None:
    weights = LEARNER.new_weights()
    parser = LEARNER.model(weights)
    row = 1
    gold = gold_tree(row)
    wrong = parser.parse(BANK[row : row + 1])
    worse = (wrong.heads, wrong.label.strings())
    assert not LEARNER.update(weights, row, gold, gold, before=0)
    assert LEARNER.update(weights, row, gold, worse, before=1)
    good, bad = parser.score(BANK[row : row + 1])[0], parser.score(wrong)[0]
    assert good > 0 > bad
    # By the number of features in which they differ.
    expected: dict[tuple[int, int], int] = {}
    for tree, sign in ((gold, 1), (worse, -1)):
        for pair in zip(*(part.tolist() for part in LEARNER.features(row, *tree)), strict=True):
            expected[pair] = expected.get(pair, 0) + sign * UNIT
    for (key, action), value in expected.items():
        assert weights.row(key).get(action, 0) == value


def test_long_derivations_are_changed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.arange(len(BANK))
    whole, pieces = LEARNER.new_weights(), LEARNER.new_weights()
    LEARNER.learn(rows, whole, before=0)
    expected = LEARNER.features(9, *gold_tree(9))
    monkeypatch.setattr(search_module, "ACTIONS_AT_ONCE", 3)
    LEARNER.learn(rows, pieces, before=0)
    assert written(whole) == written(pieces)
    assert as_bytes(expected) == as_bytes(LEARNER.features(9, *gold_tree(9)))


def test_growing_beams_unite_their_lists(parser: TransitionParser) -> None:
    grown = parser.kbest_growing(BANK, 16)
    beams = [parser.kbest(BANK, beam, beam=beam) for beam in (2, 4, 8, 16)]
    for row in range(len(BANK)):
        scores: dict[object, float] = {}
        for lists in beams:
            first = int(lists.offsets[row])
            if len(scores) < 16:
                for i, tree in enumerate(listed(lists, row)):
                    scores.setdefault(tree, float(lists.scores[first + i]))
        ranked = sorted(scores.values(), reverse=True)[:16]
        assert grown.scores[grown.offsets[row] : grown.offsets[row + 1]].tolist() == ranked
        trees = listed(grown, row)
        assert len(set(trees)) == len(trees)
        assert all(tree in scores for tree in trees)


def test_growing_stops_where_it_is_told(parser: TransitionParser) -> None:
    calls: list[int] = []

    def until(lists: KBest) -> npt.NDArray[np.bool_]:
        calls.append(len(lists))
        return np.array([row % 2 == 0 for row in range(len(lists))])

    grown = parser.kbest_growing(BANK, 8, until=until)
    assert calls == [10, 5]
    narrow = parser.kbest(BANK, 2, beam=2)
    for row in range(0, len(BANK), 2):
        assert listed(grown, row) == listed(narrow, row)
    assert len(parser.kbest_growing(BANK[:0], 8)) == 0
    with pytest.raises(UsageError, match="until says of 10 lists"):
        parser.kbest_growing(BANK, 8, until=lambda lists: np.zeros(3, np.bool_))


def damaged_arcs(arcs: npt.NDArray[np.int32]) -> Iterator[npt.NDArray[Any]]:
    yield arcs[:2]
    yield arcs[:-1]
    yield arcs.astype(np.int64)
    for place in (0, 1, 2, 3, 3 + 2 * int(arcs[1]) ** 2, len(arcs) - 1):
        for value in (-1, 1 << 20):
            other = arcs.copy()
            other[place] = value
            yield other


def test_damaged_arcs_are_refused(parser: TransitionParser) -> None:
    about, arrays = parser.parts()
    for arcs in damaged_arcs(arrays["transition.arcs"]):
        with pytest.raises(ModelError, match=r"transition\.arcs"):
            TransitionParser.from_parts(about, {**arrays, "transition.arcs": arcs})


def test_trees_that_are_not_projective_are_made_so() -> None:
    words = [["A", "hearing", "is", "scheduled", "today"]]
    label = [["det", "nsubj", "aux", "root", "acl"]]
    bank = Treebank.from_words(words, heads=[[2, 4, 4, 0, 2]], label=label)
    learner = TransitionLearner(bank)
    assert learner.lifted.tolist() == [1]
    weights = learner.new_weights()
    for before in range(5):
        learner.learn(np.array([0]), weights, before)
    assert learner.model(weights).parse(bank).heads.tolist() == [2, 4, 4, 0, 4]


def test_options_are_checked(parser: TransitionParser) -> None:
    for wrong in (0, -1, 1.5, True, 1 << 20):
        refuses(UsageError, "beam", TransitionLearner, BANK, beam=wrong)
        with pytest.raises(UsageError):
            parser.kbest(BANK, wrong)  # type: ignore[arg-type]
    refuses(UsageError, "does not give 4 trees", parser.kbest, BANK, 4, beam=3)
    refuses(UsageError, "hall", TransitionLearner, BANK, features="halls")
    refuses(UsageError, "max-violation", TransitionLearner, BANK, update="late")
    refuses(UsageError, "least", TransitionLearner, BANK, least=0)
    refuses(InputError, "sentence 3: 1 heads; expected 3", LEARNER.features, 2, [0], ["root"] * 3)
    for heads in ([-1, 1, 1], [0, 1, 9], [0, 1, -7]):
        with pytest.raises(InputError, match="sentence 3: a tree that the parser cannot build"):
            LEARNER.features(2, heads, ["root", "advmod", "punct"])


def test_too_long_a_sentence_is_refused(
    parser: TransitionParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MAX_ITEMS", 40)
    refuses(InputError, "too long for a beam of 8", parser.parse, BANK)


def test_the_sentence_that_is_too_long_is_counted_from_the_first(
    parser: TransitionParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MAX_ITEMS", 80)
    monkeypatch.setattr(parser_module, "MAX_PIECE_ITEMS", 16)
    bank = Treebank.concatenate([BANK, Treebank.from_words([["a"] * 11])])
    refuses(InputError, "sentence 11: 11 words, too long .* up to 10 words", parser.parse, bank)


def test_long_sentences_are_parsed(parser: TransitionParser) -> None:
    n = 3000
    sentence = Treebank.from_words(
        [["birds", "sing"] * (n // 2)], upos=[["NOUN", "VERB"] * (n // 2)]
    )
    heads = parser.parse(sentence).heads
    assert np.count_nonzero(heads == 0) == 1


# -- Derivations lead to their trees, and each projective tree has one. ----------------------------


NAMES = ["a", "b", "c"]


def bank(trees: list[Tree]) -> Treebank:
    return Treebank.from_words(
        [["w"] * len(heads) for heads, _ in trees],
        heads=[heads for heads, _ in trees],
        label=[labels for _, labels in trees],
    )


@cache
def some_system() -> TransitionSystem:
    """Knows these labels, the first as the most frequent."""
    trees = bank([((0, 1, 1, 1), ("root", *NAMES)), ((0, 1), ("root", NAMES[0]))])
    return TransitionSystem.learn(trees, Encoding.learn(trees), "zhang-nivre")


def names(actions: list[int], labels: list[str]) -> list[str]:
    left, right = ([f"{name} {label}" for label in labels] for name in ("left-arc", "right-arc"))
    table = ["shift", "reduce", "pop-root", *left, *right]
    return [table[action] for action in actions]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9999)), max_size=4))
def test_derivations_lead_to_their_trees(sizes: list[tuple[int, int]]) -> None:
    trees = [random_tree(random.Random(seed), n, NAMES) for n, seed in sizes]
    system = some_system()
    treebank = bank(trees)
    actions, derived = system.derivations(treebank)
    assert derived.all()
    for i, tree in enumerate(trees):
        begin, end = 2 * treebank.offsets[i], 2 * treebank.offsets[i + 1]
        named = names(actions[begin:end].tolist(), list(system.labels))
        assert replay(len(tree[0]), named, NAMES) == tree


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_each_projective_tree_has_just_one_derivation(n: int) -> None:
    labels = ["a", "b"] if n < 4 else ["a"]
    reached = [tree for _, tree in derivations(n, labels)]
    assert set(reached) == projective_trees(n, labels)
    assert len(set(reached)) == len(reached)
    # A006013 of the OEIS: projective trees with one root.
    assert len(reached) == [1, 2, 7, 30, 143][n - 1] * len(labels) ** (n - 1)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_only_projective_trees_with_one_root_are_derived(heads: list[int]) -> None:
    labels = ["a" if head else "root" for head in heads]
    _, derived = some_system().derivations(bank([(tuple(heads), tuple(labels))]))
    assert derived[0] == is_projective(tuple(heads))


def test_trees_that_cannot_be_built_are_named() -> None:
    system = some_system()
    good = ((0, 1), ("root", "a"))
    for bad in [((2, 0, 2), ("a", "root", "other")), ((3, 4, 0, 3), ("a", "a", "root", "a"))]:
        _, derived = system.derivations(bank([good, bad]))
        assert derived.tolist() == [True, False]
        with pytest.raises(InputError, match="sentence 2: a tree that the parser cannot build"):
            system.required_derivations(bank([good, bad]))


@pytest.mark.parametrize("head", [3, 1_000_000, 2**31 - 1, -1, -1_000_000])
def test_heads_beyond_the_sentence_lead_nowhere(head: int) -> None:
    for heads in ((head, 0), (0, head), (head,)):
        labels = ("a",) * len(heads)
        _, derived = some_system().derivations(bank([(heads, labels), ((0, 1), ("root", "a"))]))
        assert derived.tolist() == [False, True]


def test_more_labels_than_actions_are_refused() -> None:
    labels = [f"l{i}" for i in range(16_383)]
    trees = bank([((0, *[1] * len(labels)), ("root", *labels))])
    with pytest.raises(InputError, match="16383 labels; expected at most 16382"):
        TransitionSystem.learn(trees, Encoding.learn(trees), "hall")


def test_rare_tags_are_one_class_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.parsing.transition.features.MAX_CLASSES", 5)
    tags = [["A"] * 4 + ["B"] * 3 + ["C"] * 2 + ["D", "E", "F"]]
    trees = Treebank.from_words(
        [["w"] * 12], xpos=tags, heads=[[0, *[1] * 11]], label=[["root", *"aaabbbccdef"]]
    )
    system = TransitionSystem.learn(trees, Encoding.learn(trees), "zhang-nivre")
    classes = system.encoding.word_classes(system.encoding.encode(trees))
    assert classes.tolist() == [2] * 4 + [3] * 3 + [4] * 5
    assert len(system.arcs) < 100
    about, arrays = system.parts()
    assert TransitionSystem.from_parts(about, arrays).derivations(trees)[1].all()


def test_other_labels_of_roots_are_told() -> None:
    trees = bank([((0,), ("root",)), ((0,), ("root",)), ((0,), ("dep",))])
    with noted(r"2 labels of roots \(root, dep\)"):
        system = TransitionSystem.learn(trees, Encoding.learn(trees), "hall")
    assert system.root_label == "root"
    assert system.labels == ("dep",)


def test_long_sentences_are_derived() -> None:
    n = 20_000
    chain = (0, *range(1, n))
    labels = ("root", *["a"] * (n - 1))
    actions, derived = some_system().derivations(bank([(chain, labels)]))
    assert derived.all()
    assert np.bincount(actions).tolist()[:3] == [1, n - 1, 1]
