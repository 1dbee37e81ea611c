"""TnT: counts, tags, lists of tags; tags of a treebank by its own folds."""

import math
import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from tests.compact_trees import trees_of
from tests.oracles_tagging import NaiveTnT, all_paths
from tests.refusing import refuses

from wordorder.errors import InputError, ModelError, UsageError
from wordorder.parsing.tagging.tnt import TnT, jackknife
from wordorder.parsing.tagging.tnt_counts import Lattice
from wordorder.treebank.treebank import Column, Treebank

WORDS = ["the", "dog", "Dog", "barks", "bark", "loudly", "x-ray", "7", "Rex"]

TAGS = ["A", "B", "C"]

Rows = list[list[tuple[str, str]]]


def random_rows(seed: int, number: int = 12) -> Rows:
    rng = random.Random(seed)
    return [
        [(rng.choice(WORDS), rng.choice(TAGS)) for _ in range(rng.randint(0, 5))]
        for _ in range(number)
    ]


def bank(rows: Sequence[Sequence[tuple[str, str]]]) -> Treebank:
    words = [[word for word, _ in row] for row in rows]
    return Treebank.from_words(words, xpos=[[tag for _, tag in row] for row in rows])


@pytest.mark.parametrize("known_words", ["seen", "open"])
@pytest.mark.parametrize("seed", range(4))
def test_lists_are_those_of_brute_force(seed: int, known_words: str) -> None:
    naive = NaiveTnT(random_rows(seed))
    tagger = TnT.train(bank(random_rows(seed)), known_words=known_words, beam=None)
    assert tagger.transitions.lambdas == pytest.approx(naive.lambdas)
    rng = random.Random(seed)
    unknown = ["Barking", "zzz", "8", "Re", "dark"]
    sentences = [rng.choices(WORDS + unknown, k=length) for length in (0, 1, 2, 3, 4, 4)]
    found = tagger.kbest_tags(Treebank.from_words(sentences), 30)
    best = tagger.tag(Treebank.from_words(sentences))
    for number, words in enumerate(sentences):
        rows = found[number : number + 1]
        tags = [rows.trees[i : i + 1].xpos.strings() for i in range(len(rows.trees))]
        assert len({tuple(row) for row in tags}) == len(tags)
        assert rows.scores == pytest.approx(
            [naive.score(words, row, known_words) for row in tags], abs=1e-4
        )
        assert rows.scores == pytest.approx(naive.best(words, 30, known_words), abs=1e-4)
        assert tags[0] == best[number : number + 1].xpos.strings()


@pytest.mark.parametrize("seed", range(3))
def test_nltk_finds_sequences_as_likely(seed: int) -> None:
    nltk = pytest.importorskip("nltk.tag.tnt")
    rows = random_rows(seed, 40)
    theirs = nltk.TnT(N=10**6)
    theirs.train(rows)
    ours = TnT.train(bank(rows), beam=None)
    found = ours.transitions.lambdas
    assert found == pytest.approx((theirs._lambda1, theirs._lambda2, theirs._lambda3))
    naive = NaiveTnT(rows)
    sentences = [["the", "Dog", "barked", "Max"], ["7", "dogs", "bark"], ["zzz"]]
    best = ours.tag(Treebank.from_words(sentences))
    for number, words in enumerate(sentences):
        mine = naive.score(words, best[number : number + 1].xpos.strings(), "seen")
        other = naive.score(words, [tag for _, tag in theirs.tag(words)], "seen")
        assert mine == pytest.approx(other, abs=1e-4)


def test_the_verb_reading_of_click_enters_the_list_only_when_open() -> None:
    """Katz-Brown et al. (2011), section 5.3.1."""
    text = ["a/DT click/NN helps/VBZ", "see/VB the/DT click/NN", "see/VB here/RB"]
    text += ["pick/VB this/DT", "kick/VB here/RB"]
    click, sentence = trees_of(text, "form xpos"), Treebank.from_words([["click", "here"]])
    readings = {}
    for known_words in ("seen", "open"):
        tagger = TnT.train(click, known_words=known_words, beam=None)
        tags = tagger.kbest_tags(sentence, 100).trees.xpos.strings()
        readings[known_words] = tags[::2]
    assert set(readings["seen"]) == {"NN"}
    assert "VB" in readings["open"]
    assert readings["open"].index("VB") < 5


def test_a_beam_changes_nothing_but_what_is_unlikely() -> None:
    rows = random_rows(5, 60)
    sentences = Treebank.from_words([[word for word, _ in row] for row in random_rows(6, 60)])
    wide = TnT.train(bank(rows), beam=None).kbest_tags(sentences, 1)
    narrow = TnT.train(bank(rows), beam=1e12).kbest_tags(sentences, 1)
    assert wide.scores.tolist() == narrow.scores.tolist()
    greedy = TnT.train(bank(rows), beam=1).kbest_tags(sentences, 1)
    assert np.all(greedy.scores <= wide.scores)


@pytest.mark.parametrize("known_words", ["seen", "open"])
def test_any_input_is_tagged(known_words: str) -> None:
    tagger = TnT.train(bank(random_rows(1)), known_words=known_words)
    odd = [[], ["the"], ["\u2603", "é́", "", "\ud800"], [], ["Q"] * 300, ["dog", "zzz"] * 50_000]
    found = tagger.tag(Treebank.from_words(odd))
    assert found.lengths.tolist() == [0, 1, 4, 0, 300, 100_000]
    assert set(found.xpos.strings()) <= set(TAGS)
    assert len(tagger.tag(Treebank.from_words([]))) == 0
    assert tagger.kbest_tags(Treebank.from_words([[], []]), 3).offsets.tolist() == [0, 1, 2]
    long = tagger.kbest_tags(Treebank.from_words(odd[-1:]), 2).trees
    assert long.lengths.tolist() == [100_000, 100_000]
    one = TnT.train(bank([[("a", "A")]]))
    assert one.tag(Treebank.from_words([["b", "a"]])).xpos.strings() == ["A", "A"]


def test_lowercase_in_training_and_in_tagging() -> None:
    rows = [[("CLICK", "VB")], [("noise", "NN")]]
    tagger = TnT.train(bank(rows), lowercase=True, beam=None)
    assert tagger.counts.words == ["click", "noise"]
    found = tagger.tag(Treebank.from_words([["Click"], ["NOISE"]]))
    assert found.xpos.strings() == ["VB", "NN"]
    assert found.form.strings() == ["Click", "NOISE"]


def test_the_order_of_sentences_does_not_matter() -> None:
    rows = random_rows(4, 30)
    parts = [TnT.train(bank(some)).parts() for some in (rows, rows[::-1])]
    assert parts[0][0] == parts[1][0]
    arrays = [{name: array.tolist() for name, array in part.items()} for _, part in parts]
    assert arrays[0] == arrays[1]


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("trigrams", np.array([0, 1], np.int32)),
        ("trigrams", np.array([0, 0, 9], np.int32)),
        ("trigrams.count", np.array([1.5])),
        ("words.tags", np.zeros(1, np.int32)),
        ("words.tag", np.full(3, -1, np.int32)),
        ("words.count", np.ones(1, np.int64)),
        ("words.count", np.full(1, 1 << 60)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name: str, array: npt.NDArray[np.generic]) -> None:
    about, arrays = TnT.train(bank(random_rows(1))).parts()
    changed = {**arrays, name: array}
    refuses(ModelError, name.partition(".")[0], TnT.from_parts, about, changed)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("tags", []), ("tags", [["A"], ["A"], ["B"]]), ("tags", [["A"], ["B"], ["C"], ["D"]])),
        *(("columns", ["form"]), ("beam", "wide"), ("beam", math.inf), ("lowercase", 1)),
        ("known_words", "some"),
    ],
)
def test_descriptions_that_do_not_fit_are_refused(name: str, value: object) -> None:
    about, arrays = TnT.train(bank(random_rows(1))).parts()
    refuses(ModelError, ".", TnT.from_parts, {**about, name: value}, arrays)


def test_options_are_checked() -> None:
    refuses(UsageError, "seen", TnT.train, bank(random_rows(1)), known_words="all")
    refuses(UsageError, "beam", TnT.train, bank(random_rows(1)), beam=0.5)
    refuses(InputError, "no words", TnT.train, bank([[]]))
    refuses(InputError, "sentence 2, word 1: no tag", TnT.train, bank([[("a", "A")], [("b", "_")]]))
    two = Treebank.from_words([["a"], ["b"]])
    refuses(UsageError, "folds", jackknife, two, Witness, folds=1)
    refuses(UsageError, "sentences", jackknife, two[:1], Witness)


@pytest.mark.parametrize("known_words", ["seen", "open"])
@pytest.mark.parametrize("seed", range(6))
def test_given_tags_decide_among_all_sequences(seed: int, known_words: str) -> None:
    """The best sequence with the given tags is the first of the whole list that has them."""
    rng = random.Random(seed)
    rows = random_rows(seed, 30)
    first = [[(word, f"{tag}{rng.randint(1, 2)}") for word, tag in row] for row in rows]
    words = [[word for word, _ in row] for row in first]
    pairs = [[tag for _, tag in row] for row in first]
    train = Treebank.from_words(words, upos=[[t[0] for t in row] for row in pairs], xpos=pairs)
    tagger = TnT.train(train, known_words=known_words, beam=None)
    sentences = [rng.choices([*WORDS, "zzz"], k=3) for _ in range(8)]
    given = [[rng.choice([*TAGS, "_"]) for _ in row] for row in sentences]
    bank = Treebank.from_words(sentences, upos=given)
    found = tagger.complete(bank)
    lists = tagger.kbest_tags(bank, 512)
    for number, row in enumerate(given):
        entries = lists[number : number + 1].trees
        sequences = [entries[i : i + 1] for i in range(len(entries))]
        fitting = [
            tree.xpos.strings()
            for tree in sequences
            if all(g in ("_", u) for g, u in zip(row, tree.upos.strings(), strict=True))
        ]
        own = found[number : number + 1]
        assert all(g in ("_", u) for g, u in zip(row, own.upos.strings(), strict=True))
        if fitting:
            assert own.xpos.strings() == fitting[0]


class Witness:
    """Tags each word with whether its tagger saw it."""

    trained = 0

    def __init__(self, seen: Treebank) -> None:
        self.seen = set(seen.form.strings())
        Witness.trained += 1

    def tag(self, sentences: Treebank) -> Treebank:
        answers = [str(word in self.seen) for word in sentences.form.strings()]
        return sentences.replace(xpos=Column.of(answers))


@pytest.mark.parametrize(("sentences", "folds"), [(2, 10), (7, 3), (25, 5)])
def test_no_sentence_is_tagged_by_a_tagger_that_saw_it(sentences: int, folds: int) -> None:
    words = [[f"{row}-{place}" for place in range(row % 4)] for row in range(sentences)]
    bank = Treebank.from_words(words)
    Witness.trained = 0
    found = jackknife(bank, Witness, folds=folds)
    assert Witness.trained == min(folds, sentences)
    assert found.form.strings() == bank.form.strings()
    assert found.offsets.tolist() == bank.offsets.tolist()
    assert set(found.xpos.strings()) <= {"False"}


def test_copies_of_a_sentence_stay_together() -> None:
    """Each word stands in two sentences of one group."""
    bank = Treebank.from_words([[f"w{row % 6}"] for row in range(12)])
    found = jackknife(bank, Witness, folds=3, groups=np.arange(12) % 6)
    assert found.form.strings() == bank.form.strings()
    assert set(found.xpos.strings()) == {"False"}


def test_the_same_seed_gives_the_same_tags() -> None:
    words = [["a", "b"], ["b", "c"], ["c", "a"], ["a"], ["b"], ["c", "c"]]
    tags = [["A", "B"], ["C", "A"], ["B", "C"], ["C"], ["A"], ["A", "B"]]
    bank = Treebank.from_words(words, xpos=tags)
    found = [jackknife(bank, TnT.train, folds=3, seed=seed).xpos.strings() for seed in (1, 1, 5)]
    assert found[0] == found[1]
    assert found[0] != found[2]


# -- The best paths through a lattice: all of them, in order, none twice. --------------------------

Positions = list[list[tuple[int, list[tuple[int, int]]]]]


def random_lattice(rng: random.Random, length: int) -> Positions:
    positions: Positions = []
    before = 1
    for _ in range(length):
        number = rng.randint(1, 4)
        nodes = []
        for tag in range(number):
            origins = sorted(rng.sample(range(before), rng.randint(1, before)))
            nodes.append((tag, [(origin, rng.randint(-3, 3)) for origin in origins]))
        positions.append(nodes)
        before = number
    positions.append([(-1, [(origin, rng.randint(-3, 3)) for origin in range(before)])])
    return positions


def packed(sentences: list[Positions]) -> tuple[Lattice, npt.NDArray[np.int64]]:
    position_nodes, node_arcs = [0], [0]
    tags: list[int] = []
    origins: list[int] = []
    scores: list[int] = []
    for positions in sentences:
        begin = -1
        for nodes in positions:
            here = len(tags)
            for tag, arcs in nodes:
                tags.append(tag)
                origins += [begin + origin if begin >= 0 else -1 for origin, _ in arcs]
                scores += [score for _, score in arcs]
                node_arcs.append(len(origins))
            begin = here
            position_nodes.append(len(tags))
    none, codes = np.zeros(len(tags), np.int32), np.array(tags, np.int32)
    of_arcs = [np.array(each) for each in (node_arcs, origins, scores)]
    lattice = Lattice(np.array(position_nodes), codes, none, none.astype(np.int64), *of_arcs)
    lengths = [len(positions) - 1 for positions in sentences]
    return lattice, np.append(0, np.cumsum(lengths)).astype(np.int64)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 5000])
def test_paths_are_those_of_brute_force(k: int) -> None:
    rng = random.Random(k)
    sentences = [random_lattice(rng, rng.randint(0, 5)) for _ in range(30)]
    lattice, offsets = packed(sentences)
    tags, counts, scores = lattice.best(offsets, 0, len(sentences), k)
    begin = path = 0
    for number, positions in enumerate(sentences):
        every = {tags: score for score, tags in all_paths(positions)}
        length = len(positions) - 1
        found = [
            tuple(tags[begin + i * length : begin + (i + 1) * length].tolist())
            for i in range(counts[number])
        ]
        got = scores[path : path + counts[number]].tolist()
        assert len(set(found)) == len(found) == min(k, len(every))
        assert [every[row] for row in found] == got
        assert got == sorted(every.values(), reverse=True)[:k]
        begin += length * len(found)
        path += len(found)
    assert begin == len(tags)
    assert path == len(scores)


def test_a_shorter_list_begins_a_longer_one() -> None:
    rng = random.Random(3)
    sentences = [random_lattice(rng, 6) for _ in range(10)]
    lists = []
    for k in (4, 40):
        lattice, offsets = packed(sentences)
        tags, counts, _ = lattice.best(offsets, 0, 10, k)
        rows = np.split(tags.reshape(-1, 6), np.cumsum(counts)[:-1])
        lists.append([row.tolist() for row in rows])
    assert all(long[:4] == short for short, long in zip(*lists, strict=True))
