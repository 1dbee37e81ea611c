"""The perceptron tagger: its features, its search, its learning, its files."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.compact_trees import trees_of
from tests.files import data
from tests.oracles_tagging import spelled_attributes
from tests.parsing.toy import learnt
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.arrays import Int32, Int64, UInt64
from wordorder.errors import InputError, ModelError, UsageError
from wordorder.parsing.tagging import perceptron
from wordorder.parsing.tagging.perceptron import (
    PerceptronTagger,
    SeenTags,
    TaggerLearner,
    every_tag,
)
from wordorder.parsing.tagging.tag_set import (
    TAGGER_ATTRIBUTES,
    Templates,
    seen_tags,
    word_attributes,
)
from wordorder.parsing.tagging.tnt import TnT
from wordorder.parsing.training.training import train
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column, Treebank

TEN = [
    "the/DT dog/NN barks/VBZ loudly/RB ./.",
    "dogs/NNS bark/VBP ./.",
    "click/VB here/RB",
    "a/DT click/NN helps/VBZ",
    "I/PRP saw/VBD 12/CD saws/NNS ./.",
    "She/PRP can/MD can/VB the/DT can/NN !/.",
    "New/NNP York/NNP is/VBZ big/JJ",
    "time/NN flies/VBZ like/IN an/DT arrow/NN",
    "fruit/NN flies/NNS like/VBP a/DT banana/NN",
    "well-known/JJ X-rays/NNS",
]


def bank(rows: list[str]) -> Treebank:
    found = trees_of(rows, "form xpos")
    return found.replace(upos=found.xpos.map(lambda tag: tag[0]))


def trained(bank: Treebank, epochs: int = 8, seed: int = 1, **options: Any) -> PerceptronTagger:
    found: PerceptronTagger = learnt(TaggerLearner(bank, **options), epochs, seed)
    return found


@pytest.fixture(scope="module")
def ten() -> PerceptronTagger:
    return trained(bank(TEN))


def test_ten_sentences_are_learnt_by_heart(ten: PerceptronTagger) -> None:
    gold = bank(TEN)
    found = ten.tag(gold.replace(xpos=gold.form, upos=gold.form))
    assert found.xpos.strings() == gold.xpos.strings()
    assert found.upos.strings() == gold.upos.strings()


# Which tags the words of the small treebanks of A, B and C have in them.
SEEN = {"a": "AB", "b": "AB", "c": "ABC"}


def scores_by_hand(tagger: PerceptronTagger, words: list[str]) -> dict[tuple[int, ...], int]:
    """Scores of all tag sequences, from the rows of the weights."""
    model, number = tagger.model, len(tagger.model.tag_set)
    one = Treebank.from_words([words])
    attributes, codes = model.attributes(one.form, one.offsets)
    templates = len(model.templates.names)
    keys = model.keys(attributes, codes, one.offsets, 0, templates).reshape(-1, templates)
    starts, parts, _ = model.parts_of_tags
    groups = model.tag_set.groups().tolist()
    found = {}
    for tags in itertools.product(range(number), repeat=len(words)):
        score = 0
        for at, tag in enumerate(tags):
            if model.tag_set.tags[tag][0] not in SEEN.get(words[at], "ABC"):
                score -= 1 << 20
            context = [tags[at - 1] if at > 0 else number, tags[at - 2] if at > 1 else number]
            for template, key in enumerate(keys[at].tolist()):
                if template >= model.templates.fixed and key:
                    grouped = model.templates.by_group[template]
                    before, second = [groups[t] for t in context] if grouped else context
                    mark = before + 1
                    if template >= model.templates.single:
                        mark += (second + 1) * (number + 2)
                    for _ in range(2):
                        key = ((key ^ mark) * 0xD6E8FEB86659FD93) % 2**64
                        mark = key >> 32
                    key ^= mark
                row = tagger.weights.row(key) if key else {}
                # The tag itself, and all that it is made of.
                for action in (tag, *parts[starts[tag] : starts[tag + 1]].tolist()):
                    score += row.get(action, 0)
        found[tags] = score
    return found


FEATS = {"A": "Case=Nom|Number=Sing", "B": "Number=Sing", "C": "Case=Nom", "D": "_"}


def with_feats(rows: list[str]) -> Treebank:
    sentences = bank(rows)
    return sentences.replace(feats=sentences.upos.map(FEATS.__getitem__))


def test_a_known_word_keeps_to_the_tags_that_it_was_seen_with() -> None:
    # After "the" comes a noun; only a word that was never seen as one may still be anything.
    nouns, verbs = ["dog", "cat", "cow", "owl", "ant", "hen"], ["run", "eat", "sit", "fly", "mew"]
    learnt = [*(f"the/DT {word}/NN" for word in nouns), *(f"we/PR {word}/VB" for word in verbs)]
    tagger = trained(bank(learnt))
    again = PerceptronTagger.from_parts(*tagger.parts())
    for words, tags in (("the mew", "DT VB"), ("THE Mew", "DT VB"), ("the gnu", "DT NN")):
        assert again.tag(Treebank.from_words([words.split()])).xpos.strings() == tags.split()
    free = PerceptronTagger(replace(tagger.model, seen=None), tagger.weights)
    assert free.tag(Treebank.from_words([["the", "mew"]])).xpos.strings() == ["DT", "NN"]
    # A tag that is given counts for more.
    given = Treebank.from_words([["the", "mew"]], xpos=[["_", "NN"]])
    assert again.complete(given).xpos.strings() == ["DT", "NN"]
    about, arrays = tagger.parts()
    turned = {**arrays, "seen.key": arrays["seen.key"][::-1]}
    refuses(ModelError, "seen.key", PerceptronTagger.from_parts, about, turned)


def test_capitals_of_turkish_are_those_of_turkish() -> None:
    learnt = ["ışık/N geldi/V", "izin/N çıktı/V", "ısı/A arttı/V", "isim/B kaldı/V"]
    tagger = trained(bank(learnt))
    again = PerceptronTagger.from_parts(*tagger.parts())
    for word, tag in (("Işık", "N"), ("IŞIK", "N"), ("ISI", "A"), ("İSİM", "B"), ("İzin", "N")):
        assert again.tag(Treebank.from_words([[word]])).xpos.strings() == [tag]
    normal = again.model.attributes(Column.of(["ISI", "ısı", "isi"]), np.array([0, 3]))[0]
    keys = normal.reshape(3, -1)[:, TAGGER_ATTRIBUTES.index("normal")].tolist()
    assert len({keys[0], keys[1]}) == 1
    assert keys[2] not in keys[:2]
    # A name or two in a few sentences of English do not make it Turkish.
    english = trained(bank(["In/P it/N is/V"] * 10 + ["Kadıköy/N Kadıköy/N Topkapı/N"]))
    assert not english.model.dotless
    assert "dotless" not in english.parts()[0]


def test_cases_that_several_words_share_are_open_to_all_words_of_their_kind() -> None:
    rng = random.Random(5)
    for words, tags in ((1, 1), (3, 4), (40, 5), (200, 9)):
        codes = [rng.randrange(words) for _ in range(2 * words)]
        given = [rng.randrange(tags) for _ in codes]
        kinds = [rng.randrange(3) for _ in range(tags)]
        spelled = [f"{'wW'[n % 2]}{chr(200 + n // 2)}" for n in range(words)]
        forms = [spelled[code].lower() for code in codes]
        has = {form: {t for f, t in zip(forms, given, strict=True) if f == form} for form in forms}
        shared = {
            (t, u)
            for t, u in itertools.permutations(range(tags), 2)
            if kinds[t] == kinds[u] and sum({t, u} <= own for own in has.values()) >= 2
        }
        right = {
            form: sorted(own | {u for t, u in shared if t in own}) for form, own in has.items()
        }
        found = seen_tags(spelled, np.array(codes, np.int32), np.array(given, np.int32), kinds)
        assert found == (sorted(right), [right[form] for form in sorted(right)])


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of tags is so large that they learn by their parts."""
    monkeypatch.setattr(perceptron, "MANY_TAGS", 0)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("choices", [3, 16])
def test_tags_that_share_parts_share_their_weights(choices: int) -> None:
    tagger = trained(
        with_feats(["a/A b/B c/C", "b/A c/B", "a/B a/A c/A"]), epochs=3, tags="all", beam=9
    )
    assert (tagger.model.by_parts, tagger.tag_set.columns) == (True, ("upos", "xpos", "feats"))
    # Three kinds of UPOS and XPOS, two features.
    assert tagger.model.actions == 3 + 3 + 3 + 2
    again = PerceptronTagger.from_parts(*tagger.parts())
    again = PerceptronTagger(replace(again.model, choices=choices), again.weights)
    for trees, tags in best_of_all(tagger, again):
        assert trees.columns["feats"].strings() == [FEATS[tag] for tag in tags]


def best_of_all(
    tagger: PerceptronTagger, again: PerceptronTagger
) -> Iterator[tuple[Treebank, list[str]]]:
    """Compare lists of an equal tagger with all sequences; yield them with their tags."""
    for words in (["a"], ["b", "c"], ["a", "a", "new"], ["c", "b", "a", "b"]):
        every = scores_by_hand(tagger, words)
        best = again.kbest_tags(Treebank.from_words([words]), 30)
        names = [tag[0] for tag in tagger.model.tag_set.tags]
        tags = best.trees.upos.strings()
        codes = np.array([names.index(tag) for tag in tags])
        rows = [tuple(row) for row in codes.reshape(-1, len(words)).tolist()]
        units = (best.scores * 1024).tolist()
        assert units == sorted(every.values(), reverse=True)[:30]
        assert [every[row] for row in rows] == units
        assert len(set(rows)) == len(rows)
        yield best.trees, tags


@pytest.mark.usefixtures("few_are_many")
def test_only_the_best_tags_of_a_word_are_tried() -> None:
    tagger = trained(with_feats(["a/A b/B c/C", "b/A c/B", "a/B a/A c/A"]), epochs=3, tags="all")
    one = PerceptronTagger(replace(tagger.model, choices=1, beam=1), tagger.weights)
    for word in ("a", "b", "c", "new"):
        found = one.tag(Treebank.from_words([[word]])).upos.strings()[0]
        templates = tagger.model.templates
        alone = PerceptronTagger(replace(tagger.model, choices=1), tagger.weights)
        attributes, codes = alone.model.attributes(Column.of([word]), np.array([0, 1]))
        keys = alone.model.keys(attributes, codes, np.array([0, 1]), 0, templates.fixed)
        starts, parts, _ = alone.model.parts_of_tags
        sums = []
        for tag in range(len(alone.tag_set)):
            actions = [tag, *parts[starts[tag] : starts[tag + 1]].tolist()]
            rows = [alone.weights.row(key) for key in keys.tolist() if key]
            sums.append(sum(row.get(action, 0) for row in rows for action in actions))
        assert found == alone.tag_set.tags[int(np.argmax(sums))][0]


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("tags", [3, 12])
@pytest.mark.parametrize("choices", [1, 4, 16])
def test_tags_that_a_known_word_never_has_need_not_be_tried(
    monkeypatch: pytest.MonkeyPatch, tags: int, choices: int
) -> None:
    rng = random.Random(tags + choices)
    letters = [chr(ord("A") + n) for n in range(tags)]
    # Of few and of many tags: the words come with any of the first so many.
    words = [(f"w{n}x{n % 5}", 1 + n % tags) for n in range(30)]
    rows = [[rng.choice(words) for _ in range(6)] for _ in range(60)]
    given = bank([" ".join(f"{w}/{rng.choice(letters[:n])}" for w, n in row) for row in rows])
    feats = given.upos.map(lambda tag: f"Case={tag}|Kind={'XYZ'[ord(tag) % 3]}")
    tagger = trained(given.replace(feats=feats), epochs=2, tags="all")
    tagger = PerceptronTagger(replace(tagger.model, choices=choices), tagger.weights)
    asked = [
        [rng.choice([*words, ("new", 1), ("w3x4", 1)])[0] for _ in range(7)] for _ in range(99)
    ]
    found = tagger.tag(Treebank.from_words(asked))
    prefer = SeenTags.prefer

    def all_may_be_tried(self: SeenTags, normal: UInt64, sums: Int32) -> tuple[Int32, Int64]:
        prefer(self, normal, sums)
        return every_tag(*sums.shape)

    monkeypatch.setattr(SeenTags, "prefer", all_may_be_tried)
    slow = tagger.tag(Treebank.from_words(asked))
    assert len({*found.upos.strings()}) > 1
    for column in ("upos", "feats"):
        assert found.columns[column].strings() == slow.columns[column].strings()


@pytest.mark.usefixtures("few_are_many")
def test_a_mistake_changes_what_is_not_shared() -> None:
    """Nominative for nominative: that part learns nothing where the words around are the same."""
    learner = TaggerLearner(with_feats(["a/A", "b/C"]), tags="all")
    weights = learner.new_weights()
    learner.learn(np.array([1]), weights, before=0)
    model = learner.model(weights).model
    names = ["A", "C"]
    starts, parts, actions = model.parts_of_tags
    of = [{n, *parts[starts[n] : starts[n + 1]].tolist()} for n in range(2)]
    gain = {action: (action in of[1]) - (action in of[0]) for action in range(actions)}
    assert [tag[0] for tag in model.tag_set.tags] == names
    for key in weights.rows()[0].tolist():
        row = {action: value for action, value in weights.row(key).items() if value}
        assert row == {action: 1024 * change for action, change in gain.items() if change}


def test_a_wide_beam_finds_the_best_of_all_sequences() -> None:
    tagger = trained(bank(["a/A b/B c/C", "b/A c/B", "a/B a/A c/A"]), epochs=3, beam=9)
    assert len(list(best_of_all(tagger, tagger))) == 4


def test_a_mistake_changes_the_features_in_which_the_sequences_differ() -> None:
    learner = TaggerLearner(bank(["b/A c/B d/B", "b/B c/A"]))
    weights = learner.new_weights()
    assert learner.learn(np.array([0]), weights, before=0).updates == 1
    _, _, _, values, _ = weights.rows()
    # What one sequence gains, the other loses.
    assert values.sum() == 0
    right = learner.model(weights)
    assert scores_by_hand(right, ["b", "c", "d"])[0, 1, 1] > 0
    assert learner.learn(np.array([0]), weights, before=1).instances == 1


@pytest.mark.parametrize("symbols", [False, True])
@pytest.mark.parametrize("name", [name for name in TAGGER_ATTRIBUTES if name != "class"])
def test_attributes_tell_words_apart_as_their_spelling_does(name: str, symbols: bool) -> None:
    words = ["dog", "Dog", "DOG", "dogs", "frogs", "x-ray", "X-ray", "12", "1999", "a1", "", "é"]
    words += ["ǅ", "日本", "well-known", "W-K", "internationalisation", "s", "gs"]
    words += ["=", "≥", "$5", "€7", "<b>", "^_^", "~b+", "%", "-", "©"]
    table = word_attributes(words, {}, symbols=symbols).reshape(len(words), -1)
    column = table[:, TAGGER_ATTRIBUTES.index(name)].tolist()
    spelled = [spelled_attributes(word, symbols=symbols).get(name) for word in words]
    for (key, value), (other, another) in itertools.combinations(
        zip(column, spelled, strict=True), 2
    ):
        assert (key == other) == (value == another)
    assert [key == 0 for key in column] == [value is None for value in spelled]


@pytest.mark.parametrize("symbols", [False, True])
def test_hidden_words_are_seen_by_their_spelling_alone(symbols: bool) -> None:
    """As where all that tells a word itself is rubbed out of each sentence, before it is learnt."""
    often = " ".join(["w/NN"] * 21 + ["v/NN"] * 20)
    sentences, seed, share = bank([*TEN, f"y/NN >/SYM {often}", "y/NN =/SYM z/NN"]), 3, 0.4
    learner = TaggerLearner(sentences, hidden=share, symbols=symbols, seed=seed)
    other = TaggerLearner(sentences, symbols=symbols)
    found, wanted = learner.new_weights(), other.new_weights()
    own = other.encoded(sentences)
    table = own.attributes.reshape(-1, len(TAGGER_ATTRIBUTES))
    rare = other.encoded(Treebank.from_words([["unheard-of"]])).attributes[-1]
    assert TAGGER_ATTRIBUTES[-1] == "class"
    # Of all words, only one is seen more than 20 times, and so never hidden.
    common, hidden = own.words[sentences.form.strings().index("w")], 0
    rows = [row for epoch in range(4) for row in np.random.default_rng(epoch).permutation(12)]
    for before, row in enumerate(rows):
        learner.learn(np.array([row]), found, before)
        start, stop = own.offsets[row : row + 2]
        bits = np.random.PCG64(np.random.SeedSequence((seed, before, row))).random_raw(stop - start)
        seen = []
        for word, drawn in zip(own.words[start:stop], bits.tolist(), strict=True):
            attributes = dict(zip(TAGGER_ATTRIBUTES, table[word].tolist(), strict=True))
            if word != common and drawn / 2**64 < share:
                hidden += 1
                attributes |= {"form": 0, "normal": 0, "class": int(rare)}
            seen.append(list(attributes.values()))
        one = other.encoded(sentences)
        one.words[start:stop] = np.arange(stop - start)
        one.attributes = np.array(seen, np.uint64).reshape(-1)
        other._sentences = one
        other.learn(np.array([row]), wanted, before)
    assert found.rows()[0].tolist() == wanted.rows()[0].tolist()
    assert all(found.row(key) == wanted.row(key) for key in found.rows()[0].tolist())
    assert 0.3 < hidden / (4 * (sentences.words - 21)) < 0.5


def test_what_is_hidden_is_drawn_again_after_an_interruption(tmp_path: Path) -> None:
    def options(hidden: float = 0.3, seed: int = 1) -> TaggerLearner:
        return TaggerLearner(bank(TEN), hidden=hidden, seed=seed)

    def weighed(learner: TaggerLearner, **how: Any) -> dict[int, dict[int, int]]:
        weights = train(learner, epochs=4, **how).weights
        return {key: weights.row(key) for key in weights.rows()[0].tolist()}

    for shards in (1, 3):
        whole, again = with_threads(partial(weighed, options(), shards=shards))
        assert again == whole
        path = tmp_path / f"{shards}.checkpoint"
        train(options(), epochs=2, shards=shards, checkpoint=path)
        assert weighed(options(), shards=shards, checkpoint=path, resume=True) == whole
        for another in (options(seed=2), options(hidden=0.0)):
            assert weighed(another, shards=shards) != whole
    for share in (-0.1, 1.0, float("nan")):
        refuses(UsageError, "hidden is a share", TaggerLearner, bank(TEN), hidden=share)


def test_symbols_alike_are_kept_with_the_model() -> None:
    """A sign that was never seen is taken for what other signs are; old models do not."""
    learnt = bank([f"a/NN {sign}/SYM b/NN" for sign in "=<+~>"])
    tagger = trained(learnt, symbols=True)
    assert "class shape" in tagger.model.templates.names
    again = PerceptronTagger.from_parts(*tagger.parts())
    assert again.tag(Treebank.from_words([["a", "≥", "b"]])).xpos.strings() == ["NN", "SYM", "NN"]
    plain = trained(learnt)
    assert "symbols" not in plain.parts()[0]
    for model, alike in ((again.model, True), (plain.model, False)):
        shapes = model.attributes(Column.of(["=", "≥"]), np.array([0, 2]))[0].reshape(2, -1)
        one, other = shapes[:, TAGGER_ATTRIBUTES.index("shape")].tolist()
        assert (one == other) == alike


def test_any_input_is_tagged(ten: PerceptronTagger) -> None:
    odd = [[], ["the"], ["\u2603", "é́", "", "\ud800"], [], ["Q"] * 300, ["dog", "zzz"] * 50_000]
    found = ten.tag(Treebank.from_words(odd))
    assert found.lengths.tolist() == [0, 1, 4, 0, 300, 100_000]
    assert len(ten.tag(Treebank.from_words([]))) == 0
    assert ten.kbest_tags(Treebank.from_words([[], []]), 3).offsets.tolist() == [0, 1, 2]


def test_a_list_has_no_heads_and_scores_that_never_rise(ten: PerceptronTagger) -> None:
    gold = bank(TEN)
    found = ten.kbest_tags(gold, 8)
    assert np.all(found.trees.heads == -1)
    assert np.all((np.diff(found.scores) <= 0) | (found.rank[1:] == 1))
    assert found.best().xpos.strings() == gold.xpos.strings()


def test_case_counts_for_nothing_where_all_letters_have_the_same() -> None:
    """Capitals tell names in mixed text; text in one case is tagged the same in either."""
    gold = bank(["Rose/N saw/V Bill/N", "A/D rose/C saw/V the/D bill/C", "a/D rose/C is/V it/P"])
    tagger = trained(gold, any_case=True)
    assert tagger.tag(gold).xpos.strings() == gold.xpos.strings()
    lower, upper = (gold.replace(form=gold.form.map(case)) for case in (str.lower, str.upper))
    found = tagger.tag(upper).xpos.strings()
    assert tagger.tag(lower).xpos.strings() == found
    again = PerceptronTagger.from_parts(*tagger.parts())
    assert again.tag(upper).xpos.strings() == found


@pytest.mark.parametrize(
    ("tags", "columns"), [("both", ["upos", "xpos"]), ("upos", ["upos"]), ("xpos", ["xpos"])]
)
def test_only_the_columns_asked_for_are_filled(tags: str, columns: list[str]) -> None:
    blank = Treebank.from_words([["dogs", "bark"]])
    found = trained(bank(TEN), epochs=2, tags=tags).tag(blank)
    filled = [name for name in ("upos", "xpos") if found.columns[name].strings() != ["_", "_"]]
    assert filled == columns


def test_a_column_without_tags_is_left_alone() -> None:
    gold = Treebank.from_words([["dogs", "bark"]], upos=[["NOUN", "VERB"]])
    found = trained(gold).tag(gold)
    assert found.upos.strings() == ["NOUN", "VERB"]
    assert found.xpos.strings() == ["_", "_"]


WRONG: dict[str, list[object]] = {
    "templates": [
        *(["form", "colour"], ["tag@-1", "form"], ["form tag@-1"], ["form@+3"]),
        *(["form form form form"], "form", ["form"] * 1001),
    ],
    "classes": [[[99]], [["x"]], []],
    "beam": [0, True],
    "lowercase": [None],
    "tags": [None],
    "seen": [[[999]], [[]], 1, [[0]]],
    **{name: [1] for name in ("dotless", "symbols", "any_case")},
}


@pytest.mark.parametrize(("name", "value"), [(name, v) for name in WRONG for v in WRONG[name]])
def test_descriptions_that_do_not_fit_are_refused(
    ten: PerceptronTagger, name: str, value: object
) -> None:
    about, arrays = ten.parts()
    refuses(ModelError, ".", PerceptronTagger.from_parts, {**about, name: value}, arrays)


def test_classes_that_are_none_are_refused(ten: PerceptronTagger) -> None:
    about, arrays = ten.parts()
    wrong = {**arrays, "forms.class": np.full(len(arrays["forms.class"]), 999, np.int32)}
    refuses(ModelError, r"forms\.class", PerceptronTagger.from_parts, about, wrong)


def test_options_are_checked() -> None:
    refuses(UsageError, "beam", TaggerLearner, bank(TEN), beam=0)
    refuses(UsageError, "both", TaggerLearner, bank(TEN), tags="most")
    refuses(InputError, "no words", TaggerLearner, bank([]))
    found = Templates.parse(["form", "form@-1", "tag@-1", "tag@-1 form", "tag@-2 tag@-1"])
    assert (found.alone, found.fixed, found.single) == (1, 2, 4)


def test_english_is_tagged_better_than_by_tnt() -> None:
    ewt = data("ud-english-ewt")
    train, test = (read_treebank(ewt / f"en_ewt-ud-{part}.conllu.gz") for part in ("train", "test"))
    gold = np.array(test.xpos.strings(), object)
    scores = [
        np.mean(np.array(tagger.tag(test).xpos.strings(), object) == gold)
        for tagger in (TnT.train(train), trained(train, epochs=1))
    ]
    assert scores[0] > 0.925
    assert scores[1] > max(0.938, scores[0] + 0.01)


@cache
def of_four() -> PerceptronTagger:
    return trained(bank(TEN[:4]), epochs=2, beam=64)


@pytest.mark.parametrize("seed", range(4))
def test_given_tags_decide_among_all_sequences(seed: int) -> None:
    """With a beam of all pairs the best sequence that has the given tags is found."""
    tagger = of_four()
    tags = tagger.model.tag_set.tags
    rng = random.Random(seed)
    words = [rng.choice(["dogs", "click", "the", "zork", "barks"]) for _ in range(3)]
    given = [rng.choice(["_", *(tag[0] for tag in tags)]) for _ in words]
    fitting = {
        sequence: score
        for sequence, score in scores_by_hand(tagger, words).items()
        if all(g in ("_", tags[t][0]) for g, t in zip(given, sequence, strict=True))
    }
    found = tagger.complete(Treebank.from_words([words], upos=[given]))
    pairs = zip(found.upos.strings(), found.xpos.strings(), strict=True)
    assert fitting[tuple(tags.index(pair) for pair in pairs)] == max(fitting.values())


def test_given_tags_that_go_with_no_pair(ten: PerceptronTagger) -> None:
    # V goes with VB, VBD, VBP and VBZ; nothing goes with NN as a verb, and X is unknown.
    words = ["dogs", "bark", "loudly"]
    unlike = Treebank.from_words([words], upos=[["V", "X", "_"]], xpos=[["NN", "VBP", "ZZ"]])
    assert ten.complete(unlike).xpos.strings() == ["NN", "VBP", "RB"]
