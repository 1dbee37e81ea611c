"""Rules left out one by one, against the same done sentence by sentence."""

import random
from pathlib import Path

import numpy as np
import pytest
from tests.analysis.repair_oracles import (
    Sentence,
    WeightRules,
    frs,
    mean_frs,
    random_sentences,
    sentences,
    spoilt,
    treebank_of,
)
from tests.refusing import refuses

from wordorder.analysis.corpus import (
    AnalysedOrders,
    AnalysedSystem,
    Corpus,
    OrderScores,
    placement,
    scored_system,
)
from wordorder.analysis.oracle_scores import oracle_score_sections, oracle_scores
from wordorder.analysis.other_children import other_children, other_children_sections
from wordorder.analysis.repairs import TreePair
from wordorder.analysis.rule_effects import class_parts, leave_out, rule_effect_sections, rule_parts
from wordorder.errors import UsageError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rules import RuleSet, open_rules
from wordorder.statistics.intervals import ResamplingPlan
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.treebank.treebank import Treebank

FRS = metric("frs")
FILE = """
name = "weights"
barriers = ["punct"]

[classes]
near = { label = "obj", upos = "NOUN" }

[[rule]]
name = "verb"
head = { upos = "VERB" }
order = ["nsubj", "*", "near", "self", "case"]

[[rule]]
name = "never"
head = { upos = "INTJ" }
order = ["*", "self"]

[[rule]]
name = "all"
order = ["case", "self", "*"]
"""


def corpus_of(seed: int, count: int) -> tuple[Corpus, list[Sentence], list[list[int]]]:
    """Random sentences with their trees, and references in any order."""
    rng = random.Random(seed)
    rows = random_sentences(rng, count)
    references = [rng.sample(range(len(row.heads)), len(row.heads)) for row in rows]
    bank = treebank_of(rows)
    return Corpus(bank, Orders.from_rows(references), gold=bank), rows, references


def system(corpus: Corpus, rules: RuleSet) -> AnalysedSystem:
    bank = corpus.words
    return scored_system("P1R5", rules.orders(bank), corpus, FRS, treebank=bank, rules=rules)


def read(folder: Path, text: str) -> PrecedenceRules:
    path = folder / "weights.toml"
    path.write_text(text)
    return PrecedenceRules.read(path)


@pytest.fixture
def written(tmp_path: Path) -> PrecedenceRules:
    return read(tmp_path, FILE)


def test_rules_of_any_kind_are_left_out_one_by_one() -> None:
    corpus, rows, references = corpus_of(4, 70)
    rules = WeightRules(("VERB", "PART", "NOUN"))
    ours = system(corpus, rules)
    found = leave_out(ours, OrderScores(corpus, FRS), rule_parts(ours))
    whole = [rules.order(row) for row in rows]
    assert found.names == (("VERB",), ("PART",), ("NOUN",))
    for number, name in enumerate(rules.rule_names):
        less = rules.without(name)
        orders = [less.order(row) for row in rows]
        gains = [
            (frs(a, reference) or 0.0) - (frs(b, reference) or 0.0)
            for a, b, reference in zip(whole, orders, references, strict=True)
        ]
        heads = [
            [i for i, tag in enumerate(row.upos, 1) if tag == name and i in row.heads]
            for row in rows
        ]
        assert found.words[number] == sum(map(len, heads))
        assert found.sentences[number] == sum(map(bool, heads))
        assert found.changed[number] == sum(a != b for a, b in zip(whole, orders, strict=True))
        assert found.wins[number] == sum(gain > 1e-12 for gain in gains)
        assert found.losses[number] == sum(gain < -1e-12 for gain in gains)
        test = found.gains[number]
        assert test.difference == pytest.approx(
            mean_frs(whole, references) - mean_frs(orders, references), abs=1e-12
        )
        if found.wins[number]:
            assert gains[found.won[number][0]] == pytest.approx(max(gains))
            assert gains[found.lost[number][0]] == pytest.approx(min(gains))
            wins = [gain for gain in gains if gain > 1e-12]
            assert found.mean_win[number] == pytest.approx(sum(wins) / len(wins))


def test_a_rule_that_never_fires_is_listed() -> None:
    corpus, *_ = corpus_of(4, 30)
    ours = system(corpus, WeightRules(("VERB", "PART")))
    gains, losses = rule_effect_sections(AnalysedOrders.of(corpus, [ours], FRS))
    assert (gains.key, losses.key) == ("rules", "rule-losses")
    row = next(row for row in gains.rows if row[0] == "PART")
    assert row[1:6] == (0, 0, 0, 0, 0)
    assert row[7:] == (0.0, 0.0, 0.0, "0")
    assert "Never used: PART." in gains.reading


def test_intervals_are_those_of_one_paired_test() -> None:
    corpus, *_ = corpus_of(9, 50)
    rules = WeightRules()
    ours = system(corpus, rules)
    scores = OrderScores(corpus, FRS)
    found = leave_out(ours, scores, rule_parts(ours), resamples=200, seed=7)
    statistics = [
        scores.statistics(rules.without("NOUN").orders(corpus.words)),
        scores.statistics(ours.orders),
    ]
    (pair,) = paired_bootstrap([Measurement(statistics, FRS.score)], resamples=200, seed=7)
    assert found.gains[1].interval_95 == pair.pair(0, 1).interval_95
    assert found.gains[1].mark == pair.pair(0, 1).mark


def test_classes_are_left_out_one_by_one(written: PrecedenceRules, tmp_path: Path) -> None:
    corpus, *_ = corpus_of(6, 60)
    ours = system(corpus, written)
    scores = OrderScores(corpus, FRS)
    parts = class_parts(ours)
    found = leave_out(ours, scores, parts)
    # The same file with a class struck out by hand.
    lines = {
        ("verb", "nsubj"): ('order = ["nsubj", "*", "near"', 'order = ["*", "near"'),
        ("verb", "near"): ('"*", "near", "self"', '"*", "self"'),
        ("verb", "case"): ('"self", "case"]', '"self"]'),
        ("all", "case"): ('["case", "self", "*"]', '["self", "*"]'),
    }
    names = list(found.names)
    assert names == [
        *(("verb", each) for each in ("nsubj", "near", "case", "barriers")),
        ("never", "barriers"),
        ("all", "case"),
        ("all", "barriers"),
    ]
    for name, (old, new) in lines.items():
        assert FILE.count(old) == 1
        orders = read(tmp_path, FILE.replace(old, new)).orders(corpus.words)
        assert parts[names.index(name)].rules_without.orders(corpus.words) == orders
        whole, rest = (scores.value(scores.statistics(each)) for each in (ours.orders, orders))
        lost = whole - rest
        assert found.gains[names.index(name)].difference == pytest.approx(lost, abs=1e-12)

    # Which words are of a class; the arcs of the trees are made projective first.
    trees = sentences(written.apply(corpus.words).treebank)
    heads = [[row.upos[head - 1] if head else None for head in row.heads] for row in trees]
    above = [head for row in heads for head in row]
    columns = corpus.words.label.strings(), corpus.words.upos.strings()
    flat = list(zip(above, *columns, strict=True))
    near = [i for i, each in enumerate(flat) if each == ("VERB", "obj", "NOUN")]
    assert parts[1].words.tolist() == near
    marks = [i for i, (head, label, _) in enumerate(flat) if head != "VERB" and label == "punct"]
    assert parts[-1].words.tolist() == [i for i in marks if flat[i][0] is not None]


def test_children_that_no_rule_names(written: PrecedenceRules) -> None:
    corpus, *_ = corpus_of(8, 60)
    rules = written.without("all")
    ours = system(corpus, rules)
    where = placement(corpus, ours.orders)
    found = other_children(ours, where)
    trees = sentences(rules.apply(corpus.words).treebank)
    lost = dict(zip(where.words.tolist(), where.lost.tolist(), strict=True))
    expected: dict[tuple[str, str], list[float]] = {}
    at = 0
    for row in trees:
        for i, head in enumerate(row.heads):
            label, near = row.label[i], (row.label[i], row.upos[i]) == ("obj", "NOUN")
            if head and row.upos[head - 1] != "VERB":
                expected.setdefault(("none", label), []).append(lost[at + i])
            elif head and label not in ("nsubj", "case", "punct") and not near:
                expected.setdefault(("verb", label), []).append(lost[at + i])
        at += len(row.heads)
    assert dict(zip(found.names, found.words.tolist(), strict=True)) == {
        name: len(each) for name, each in expected.items()
    }
    for name, value, wrong in zip(found.names, found.lost, found.misordered, strict=True):
        assert value == pytest.approx(sum(expected[name]))
        assert wrong == sum(each > 0 for each in expected[name])
    (section,) = other_children_sections(AnalysedOrders.of(corpus, [ours], FRS))
    assert len(section.rows) == len(expected)
    bare = AnalysedSystem("A", ours.orders, ours.scores, ours.skipped)
    assert other_children_sections(AnalysedOrders.of(corpus, [bare], FRS)) == []
    refuses(UsageError, "A has no trees", other_children, bare, where)


def test_parts_of_all_trees_set_right() -> None:
    corpus, rows, references = corpus_of(10, 60)
    wrong = spoilt(random.Random(10), rows, 0.4)
    rules = WeightRules()
    orders = Orders.from_rows([rules.order(row) for row in wrong])
    scores = OrderScores(corpus, FRS)
    ours = scored_system("P1", orders, corpus, FRS, treebank=treebank_of(wrong), rules=rules)
    assert corpus.gold is not None
    found = oracle_scores(TreePair.of(ours, corpus.gold), scores)
    for part, names in {
        "tags": ["upos", "xpos"],
        "labels": ["label"],
        "heads": ["heads"],
        "heads and labels": ["heads", "label"],
        "everything": ["heads", "label", "upos", "xpos"],
    }.items():
        mixed = [row.copy() for row in wrong]
        for row, right in zip(mixed, rows, strict=True):
            for name in names:
                setattr(row, name, getattr(right, name))
        made = [rules.order(row) for row in mixed]
        number = found.parts.index(part)
        assert found.comparison.values[number + 1] == pytest.approx(mean_frs(made, references))
        before = [list(order.positions) for order in orders]
        assert found.changed[number] == sum(a != b for a, b in zip(made, before, strict=True))
    (section,) = oracle_score_sections(AnalysedOrders.of(corpus, [ours], FRS))
    assert [row[0] for row in section.rows] == list(found.parts)


def test_rules_without_names_have_no_sections() -> None:
    corpus, *_ = corpus_of(1, 5)
    ours = system(corpus, open_rules("R1"))
    assert rule_effect_sections(AnalysedOrders.of(corpus, [ours], FRS)) == []
    bare = AnalysedSystem("A", ours.orders, ours.scores, ours.skipped, None, ours.rules)
    for parts in (rule_parts, class_parts):
        refuses(UsageError, "A has no trees", parts, bare)
    corpus, *_ = corpus_of(12, 20)
    ours = system(corpus, WeightRules())
    scores = OrderScores(corpus, metric("frs", match="first-unmatched"))
    whole = scores.statistics(ours.orders)
    picked = np.array([3, 1, 3])
    some = Orders(ours.orders.positions.take(picked))
    assert scores.statistics(some, picked).tolist() == whole[picked].tolist()


def test_sections_of_precedence_rules(written: PrecedenceRules) -> None:
    corpus, *_ = corpus_of(13, 40)
    found = rule_effect_sections(AnalysedOrders.of(corpus, [system(corpus, written)], FRS))
    shown = [section.key for section in found]
    assert shown == ["rules", "rule-losses", "rule-classes", "other-children"]
    for section in found:
        assert all(len(row) == len(section.header) for row in section.rows)
        assert len(section.examples) == len(section.rows)
    gains = [row[-4] for row in found[0].rows]
    assert gains == sorted(gains, reverse=True)  # type: ignore[type-var]


def test_a_rule_that_lowers_an_error_rate_gains(written: PrecedenceRules) -> None:
    corpus, *_ = corpus_of(14, 40)
    rate = metric("frs")
    rate.higher_is_better = False
    ours = system(corpus, written)
    up, down = (
        rule_effect_sections(AnalysedOrders.of(corpus, [ours], each))[0] for each in (FRS, rate)
    )
    turned = {row[0]: row for row in down.rows}
    column = up.header.index("gain")
    for row in up.rows:
        gain, low, high, mark = turned[row[0]][column:]
        assert (gain, low, high) == (-row[column], -row[column + 2], -row[column + 1])  # type: ignore[operator]
        assert mark == str(row[column + 3]).translate(str.maketrans("+-", "-+"))
    gains = [row[column] for row in down.rows]
    assert gains == sorted(gains, reverse=True)  # type: ignore[type-var]


def test_a_reading_names_the_first_of_many() -> None:
    """Of a set of some eighty classes none is used."""
    bank = Treebank.from_words([["Yes"]], heads=[[0]], upos=[["INTJ"]], label=[["root"]])
    rules = open_rules("R5")
    corpus = Corpus(bank, Orders.from_rows([[0]]))
    ours = scored_system("P1R5", rules.orders(bank), corpus, FRS, treebank=bank, rules=rules)
    _, _, classes, _ = rule_effect_sections(
        AnalysedOrders.of(corpus, [ours], FRS, ResamplingPlan(resamples=20))
    )
    _, _, idle = classes.reading.partition("Never used: ")
    assert idle.count(",") == 9
    assert idle.endswith(f" and {len(classes.rows) - 10} more.")
