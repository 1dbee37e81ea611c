"""Metrics of dependency trees against their slow twins, another evaluator, and worked values."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.parse import DependencyEvaluator, DependencyGraph
from tests import oracles_attachment as oracles
from tests.oracles_attachment import Pairs, Tree, Word
from tests.refusing import refuses
from tests.threads import with_threads

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.metrics import METRICS
from wordorder.metrics.contract import default_options, left_out_segments
from wordorder.metrics.registry import UNIVERSAL_RELATIONS, metrics_for
from wordorder.metrics.trees.attachment import UnlabelledAttachment
from wordorder.testing import check_metric
from wordorder.treebank.treebank import Treebank

NAMES = ["uas", "las", "uem", "root-f1", "als", "als-labelled", "upos", "xpos"]
VALUES = {
    "punctuation": ["include", "exclude", "exclude-form"],
    "subtypes": ["keep", "drop"],
    "root": ["exclude", "include"],
    "head": ["match", "ignore"],
    "average": ["micro", "segment"],
}
TWINS: dict[str, Callable[..., Fraction]] = {
    "uas": oracles.attachment,
    "las": lambda pairs, **options: oracles.attachment(pairs, labelled=True, **options),
    "uem": oracles.exact,
    "root-f1": oracles.root_f1,
    "als": oracles.arc_length,
    "als-labelled": lambda pairs, **options: oracles.arc_length(pairs, labelled=True, **options),
    "upos": lambda pairs, **options: oracles.tags(pairs, "upos", **options),
    "xpos": lambda pairs, **options: oracles.tags(pairs, "xpos", **options),
    "nsubj": lambda pairs, **options: oracles.label_f1(pairs, label="nsubj", **options),
}
LABELS = ["nsubj", "nsubj:pass", "obj", "root", "punct"]
TAGS = ["NOUN", "PUNCT", "NN", "_"]


@st.composite
def drawn_words(draw: st.DrawFn, form: str, words: int) -> Word:
    tags = draw(st.sampled_from(TAGS)), draw(st.sampled_from(TAGS))
    return Word(form, *tags, draw(st.integers(0, words)), draw(st.sampled_from(LABELS)))


def treebank(trees: list[Tree]) -> Treebank:
    names = {"form": "form", "heads": "head", "upos": "upos", "xpos": "xpos", "label": "label"}
    columns: dict[str, Any] = {
        name: [[getattr(word, each) for word in tree] for tree in trees]
        for name, each in names.items()
    }
    return Treebank.from_words(columns.pop("form"), **columns)


def judged(pairs: Pairs) -> wo.Segments:
    system, gold = ([pair[side] for pair in pairs] for side in (0, 1))
    return wo.Segments.from_treebanks(treebank(system), treebank(gold))


@st.composite
def trees(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Draw heads, labels and tags of one sentence twice, alike more often than not."""
    words = draw(st.integers(0, 5))
    rows: tuple[Tree, Tree] = ([], [])
    for _ in range(words):
        form = draw(st.sampled_from(["a", ".", "...", "$", "%"]))
        gold = draw(drawn_words(form, words))
        rows[0].append(draw(drawn_words(form, words)) if draw(st.booleans()) else gold)
        rows[1].append(gold)
    return rows


def variants(name: str) -> list[dict[str, str]]:
    keys = [key for key in default_options(METRICS.load(name)) if key != "label"]
    return [dict(zip(keys, v, strict=True)) for v in product(*(VALUES[key] for key in keys))]


@settings(max_examples=30)
@given(st.lists(trees(), min_size=1, max_size=4))
def test_values_of_the_twins(pairs: Pairs) -> None:
    segments = judged(pairs)
    for name, twin in TWINS.items():
        for options in variants(name):
            metric = wo.metric(name, **options)
            where = (name, options)
            # What has nothing to count has no value.
            counts = ~left_out_segments(metric.statistics(segments))
            expected = float(twin(oracles.with_words(pairs), **options)) if counts.any() else nan
            found = metric.corpus_score(segments).value
            assert found == pytest.approx(expected, nan_ok=True), where
            rows = [float(twin(oracles.with_words([pair]), **options)) for pair in pairs]
            expected_rows = np.where(counts, rows, nan)
            scores = metric.segment_scores(segments)
            assert scores == pytest.approx(expected_rows, nan_ok=True), where


@pytest.mark.parametrize("label", ["obj", "nsubj:pass", "none"])
@given(st.lists(trees(), min_size=1, max_size=4))
@settings(max_examples=20)
def test_any_label(label: str, pairs: Pairs) -> None:
    score = wo.metric("label-f1", label=label).corpus_score(judged(pairs))
    expected = float(oracles.label_f1(oracles.with_words(pairs), label=label))
    wanted = expected if score.skipped < score.segments else nan
    assert score.value == pytest.approx(wanted, nan_ok=True)


@given(st.lists(trees(), min_size=1, max_size=4))
@settings(max_examples=30)
def test_attachment_of_another_evaluator(pairs: Pairs) -> None:
    """nltk leaves out words of punctuation marks; it breaks off where there are no others."""

    def graph(tree: Tree) -> DependencyGraph:
        graph = DependencyGraph()
        for place, word in enumerate(tree, 1):
            node = {"address": place, "word": word.form, "head": word.head, "rel": word.label}
            graph.nodes[place].update(node)
        return graph

    # By nltk "$" is no punctuation, as by Unicode.
    graphs = [[graph(pair[side]) for pair in pairs if pair[1]] for side in (0, 1)]
    if all(oracles.counts(w, "exclude-form") is False for _, gold in pairs for w in gold):
        return
    las, uas = DependencyEvaluator(*graphs).eval()
    segments = judged(pairs)
    for name, expected in (("uas", uas), ("las", las)):
        metric = wo.metric(name, punctuation="exclude-form")
        assert metric.corpus_score(segments).value == pytest.approx(expected)


def simple(heads: list[int], labels: list[str] | None = None) -> Treebank:
    words = [[f"w{n}" for n in range(len(heads))]]
    return Treebank.from_words(words, heads=[heads], label=[labels or ["x"] * len(heads)])


def test_worked_arc_lengths() -> None:
    """The example of which the printed formula makes 3, 7 in absolute lengths, 5 without root."""
    segments = wo.Segments.from_treebanks(simple([2, 0, 2, 3, 3]), simple([2, 0, 2, 5, 3]))
    with_root = wo.metric("als", root="include")
    assert wo.metric("als").statistics(segments).tolist() == [[4, 5, 1]]
    assert with_root.statistics(segments).tolist() == [[6, 7, 1]]
    assert wo.metric("als").segment_scores(segments).tolist() == [0.8]
    assert with_root.segment_scores(segments).tolist() == pytest.approx([6 / 7])


def test_arc_lengths_of_sentences() -> None:
    """A short wrong sentence and a long right one: 0 and 1, or 2 of 12 lengths lost."""
    wrong, right = simple([0, 1, 1]), simple([0, 1, 2])
    chain = simple([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    one = wo.Segments.from_treebanks(
        Treebank.concatenate([wrong, chain]), Treebank.concatenate([right, chain])
    )
    assert wo.metric("als").corpus_score(one).value == pytest.approx(11 / 12)
    by_sentence = wo.metric("als", average="segment")
    assert by_sentence.segment_scores(one).tolist() == [0.5, 1.0]
    assert by_sentence.corpus_score(one).value == 0.75
    assert "average" not in str(wo.metric("als").signature())


@pytest.mark.parametrize(
    ("forms", "tags", "kept"),
    [
        ("Oh , $ %", "INTJ PUNCT SYM SYM", {"exclude": "1011", "exclude-form": "1010"}),
        # Without universal tags, or with those of a language, the form tells.
        ("Oh , $ ''", "_ _ _ _", {"exclude": "1010", "exclude-form": "1010"}),
        ("Oh , $ ''", "UH , $ PUNC", {"exclude": "1010", "exclude-form": "1010"}),
        ("。 ― ¿", "_ _ _", {"exclude": "000", "exclude-form": "000"}),
        (":-) --", "PUNCT X", {"exclude": "01", "exclude-form": "00"}),
    ],
)
def test_what_punctuation_is(forms: str, tags: str, kept: dict[str, str]) -> None:
    words = forms.split()
    tree = [Word(form, tag, "_", 0, "x") for form, tag in zip(words, tags.split(), strict=True)]
    for rule, expected in kept.items():
        counted = UnlabelledAttachment(punctuation=rule).counted_words(judged([(tree, tree)]))
        assert "".join(map(str, counted.astype(int))) == expected


def sample() -> wo.Segments:
    """Make sentences of 0 to 9 words on which every option makes a difference."""
    rng = np.random.default_rng(7)
    pairs: Pairs = []
    for length in [*range(10), 4, 7]:
        rows: list[Tree] = []
        for side in range(2):
            rows.append([])
            for place in range(length):
                form = [".", "a", "b", "%"][place % 4]
                drawn = rng.integers(0, length + 1)
                head = int(drawn) if rng.integers(2) or not side else rows[0][place].head
                label = LABELS[int(rng.integers(2 if rng.integers(3) else len(LABELS)))]
                upos, xpos = (TAGS[int(n)] for n in rng.integers(0, len(TAGS), 2))
                rows[side].append(Word(form, upos, xpos, head, label))
        pairs.append((rows[0], rows[1]))
    return judged(pairs)


@pytest.mark.parametrize("name", [*NAMES, "nsubj"])
def test_conformance(name: str) -> None:
    segments = sample()
    for options in variants(name):
        check_metric(wo.metric(name, **options), segments)
    check_metric(wo.metric(name), judged([]))


@pytest.mark.parametrize("name", [*NAMES, "nsubj"])
def test_the_signature_changes_if_and_only_if_the_value_can(name: str) -> None:
    segments = sample()
    metrics = [wo.metric(name, **options) for options in variants(name)]
    lines = {str(metric.signature()) for metric in metrics}
    assert len(lines) == len(metrics)
    found = {
        tuple(sorted(options.items())): metric.statistics(segments).tobytes()
        for options, metric in zip(variants(name), metrics, strict=True)
    }
    for key, values in VALUES.items():
        if key in variants(name)[0]:
            chosen = [
                {row for options, row in found.items() if (key, value) in options}
                for value in values
            ]
            assert not set.intersection(*chosen), key


def test_names_and_relations_that_name_their_f1() -> None:
    metric = wo.metric("nsubj:pass", head="ignore")
    assert metric.name == "nsubj:pass"
    given = wo.metric("label-f1", label="nsubj:pass", head="ignore")
    assert given.signature() == metric.signature()
    assert wo.metric("label-f1", label="SBJ").name == "label-f1"
    both = wo.metric("mix", formula="0.5*nsubj:pass(head=ignore) + 0.5*obj")
    assert [member.name for _, member in both.members] == ["nsubj:pass", "obj"]
    refuses(UsageError, "unknown option of nsubj 'label'", wo.metric, "nsubj", label="obj")
    assert [wo.metric(name).name for name in ("NSUBJ", "nsubj:Pass")] == ["nsubj", "nsubj:pass"]
    for wrong in ("nsub", "nsubj:", "NSUBI"):
        refuses(UsageError, r"unknown metric .*did you mean 'nsubj'\?", wo.metric, wrong)
    refuses(UsageError, "unknown metric '3'; `wordorder list metrics` lists", wo.metric, 3)
    assert metrics_for({"trees"}) == NAMES
    assert "label-f1" in METRICS.names()
    assert set(METRICS.names()).isdisjoint(UNIVERSAL_RELATIONS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "label-f1 needs a label"),
        ({"label": None}, "label-f1 needs a label"),
        ({"label": "a b"}, "label-f1.label is a label without blanks"),
        ({"label": "a|b"}, "label-f1.label is a label without blanks"),
        ({"label": "nsubj:pass", "subtypes": "drop"}, "nsubj:pass has a subtype, which"),
        ({"label": "x", "head": "any"}, "value for label-f1.head 'any'.*ignore, match"),
        ({"label": "x", "punctuation": "no"}, "value for label-f1.punctuation 'no'"),
    ],
)
def test_options_of_the_f1_of_a_label(options: dict[str, Any], message: str) -> None:
    refuses(UsageError, message, wo.metric, "label-f1", **options)


def test_metrics_of_trees_need_heads_and_those_of_tags_none() -> None:
    tagged = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    segments = wo.Segments.from_treebanks(tagged, tagged)
    assert wo.metric("upos").corpus_score(segments).value == 1
    for name in NAMES:
        if name not in ("upos", "xpos"):
            message = "the system: sentence 1: word 1 has no head"
            refuses(InputError, message, wo.metric(name).corpus_score, segments)
    orders, message = wo.Segments.from_permutations([[0]]), "there are no dependency trees: give"
    refuses(UsageError, message, wo.metric("uas").corpus_score, orders)


def test_sentences_without_gold_tags_are_left_out() -> None:
    """A treebank without XPOS must not look like a perfect one."""
    tagged = Treebank.from_words([["a"], ["b"]], upos=[["NOUN"], ["_"]])
    segments = wo.Segments.from_treebanks(tagged, tagged)
    score = wo.metric("xpos").corpus_score(segments)
    assert isnan(score.value)
    assert score.skipped == 2
    score = wo.metric("upos").corpus_score(segments)
    assert (score.value, score.skipped) == (1, 1)


@pytest.mark.parametrize("name", [*NAMES, "nsubj", "als(average=segment)"])
def test_sentences_without_words_are_left_out(name: str) -> None:
    columns = {"upos": [["PRON", "VERB"], [], []], "xpos": [["PRP", "VBD"], [], []]}
    labels = {"label": [["nsubj", "root"], [], []]}
    forms = [["He", "ran"], [], []]
    gold = Treebank.from_words(forms, heads=[[2, 0], [], []], **columns, **labels)
    wrong = {"upos": [["X", "X"], [], []], "xpos": [["X", "X"], [], []]}
    system = Treebank.from_words(forms, heads=[[0, 1], [], []], **wrong)
    found = wo.metric(name).corpus_score(wo.Segments.from_treebanks(system, gold))
    assert (found.value, found.segments, found.skipped) == (0.0, 3, 2)


def test_pieces_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scored in pieces, whatever the number of threads."""
    monkeypatch.setattr("wordorder.kernels._run.PIECE_NUMBERS", 1000)
    row = Treebank.from_words([["a", "b", "c", "."]], heads=[[2, 0, 2, 2]])
    gold = row.take(np.zeros(3000, np.int64))
    heads = np.where(np.arange(gold.words) % 3, gold.heads, 2).astype(np.int32)
    system = gold.replace(heads=heads)
    segments = wo.Segments.from_treebanks(system, gold)
    assert len(segments.pieces()) > 5
    expected = float(np.mean(system.heads == gold.heads))
    found = with_threads(lambda: wo.metric("uas").corpus_score(segments).value)
    assert found == [expected, expected]
