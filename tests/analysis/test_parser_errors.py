"""Confusions of heads and labels against sentences repaired one by one, and planted errors."""

import random
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from tests.analysis.repair_oracles import (
    Sentence,
    Table,
    WeightRules,
    confusion_table,
    mean_frs,
    random_sentences,
    sentences,
    spoilt,
    treebank_of,
)
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.analysis import repairs
from wordorder.analysis.corpus import (
    AnalysedOrders,
    AnalysedSystem,
    Corpus,
    OrderScores,
    scored_system,
)
from wordorder.analysis.repairs import Confusions, TreePair
from wordorder.analysis.tree_errors import (
    head_confusions,
    label_confusions,
    parser_error_sections,
    relation_errors,
    tag_confusions,
    tagger_error_sections,
)
from wordorder.errors import InputError, UsageError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.reordering.rules import RuleSet, open_rules
from wordorder.treebank.treebank import Column, Treebank

FRS = metric("frs")


def system(name: str, bank: Treebank, rules: RuleSet, scores: OrderScores) -> AnalysedSystem:
    orders = rules.orders(bank)
    return scored_system(name, orders, scores.corpus, FRS, treebank=bank, rules=rules)


class Drawn(NamedTuple):
    right: list[Sentence]
    found: list[Sentence]
    references: list[list[int]]
    corpus: Corpus
    scores: OrderScores
    ours: AnalysedSystem

    @property
    def pair(self) -> TreePair:
        assert self.corpus.gold is not None
        return TreePair.of(self.ours, self.corpus.gold)

    def table(self, order: Callable[[Sentence], list[int]], case: str) -> Table:
        """Repair sentences one by one."""
        _, kind, columns, heads = CASES[case]
        return confusion_table(self.found, self.right, self.references, order, kind, columns, heads)


def drawn(seed: int, rules: RuleSet, count: int = 60) -> Drawn:
    """Right trees, spoilt ones, references that drop some words; and what the analysis sees."""
    rng = random.Random(seed)
    right = random_sentences(rng, count)
    found = spoilt(rng, right, 0.4)
    references = [
        [word for word in rng.sample(range(len(row.heads)), len(row.heads)) if rng.random() < 0.9]
        for row in right
    ]
    bank = treebank_of(right)
    corpus = Corpus(bank, Orders.from_rows(references), gold=bank)
    scores = OrderScores(corpus, FRS)
    ours = system("P1", treebank_of(found), rules, scores)
    return Drawn(right, found, references, corpus, scores, ours)


def label_kind(ours: Sentence, theirs: Sentence, i: int) -> tuple[str, ...] | None:
    if ours.heads[i] == theirs.heads[i] and ours.label[i] != theirs.label[i]:
        return theirs.label[i], ours.label[i]
    return None


def relation_kind(ours: Sentence, theirs: Sentence, i: int) -> tuple[str, ...] | None:
    same = ours.heads[i] == theirs.heads[i] and ours.label[i] == theirs.label[i]
    return None if same else (theirs.label[i],)


def head_kind(ours: Sentence, theirs: Sentence, i: int) -> tuple[str, ...] | None:
    def called(head: int) -> str:
        if head == 0:
            return "root"
        return f"{theirs.upos[head - 1]} {'before' if head - 1 < i else 'after'}"

    if ours.heads[i] == theirs.heads[i]:
        return None
    return theirs.label[i], called(theirs.heads[i]), called(ours.heads[i])


def tag_kind(ours: Sentence, theirs: Sentence, i: int) -> tuple[str, ...] | None:
    return (theirs.upos[i], ours.upos[i]) if ours.upos[i] != theirs.upos[i] else None


CASES = {
    "labels": (label_confusions, label_kind, ["label"], False),
    "relations": (relation_errors, relation_kind, ["label"], True),
    "heads": (head_confusions, head_kind, ["label"], True),
    "tags": (lambda pair, scores: tag_confusions(pair, scores, "upos"), tag_kind, ["upos"], False),
}


def table_of(found: Confusions) -> dict[tuple[str, ...], tuple[float, ...]]:
    names = ("words", "sentences", "changed", "better", "worse", "extended", "lost")
    rows = zip(*(getattr(found, name).tolist() for name in names), strict=True)
    return dict(zip(found.names, rows, strict=True))


def same(got: Confusions, table: Table) -> None:
    seen = table_of(got)
    assert {name: row[:6] for name, row in seen.items()} == {
        name: row[:6] for name, row in table.items()
    }
    for name, row in table.items():
        assert seen[name][6] == pytest.approx(row[6], abs=1e-11)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(4))
def test_against_sentences_repaired_one_by_one(case: str, seed: int) -> None:
    compute, *_, heads = CASES[case]
    rules = WeightRules()
    made = drawn(seed, rules)
    got = compute(made.pair, made.scores)
    same(got, made.table(rules.order, case))
    assert list(got.lost) == sorted(got.lost, reverse=True)
    assert got.extended.any() or not heads


def test_the_rule_engine_sees_the_repaired_trees() -> None:
    rules = open_rules("R4")
    made = drawn(11, rules, 25)

    def order(row: Sentence) -> list[int]:
        return list(rules.orders(treebank_of([row]))[0].positions)

    same(head_confusions(made.pair, made.scores), made.table(order, "heads"))


@pytest.mark.parametrize("case", CASES)
def test_batches_and_threads_change_nothing(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compute = CASES[case][0]
    made = drawn(5, WeightRules(), 30)
    whole = compute(made.pair, made.scores)
    monkeypatch.setattr(repairs, "BATCH_WORDS", 1)
    (single,) = with_threads(lambda: compute(made.pair, made.scores), 3)
    assert table_of(whole) == table_of(single)
    assert whole.names == single.names
    assert whole.examples == single.examples


@pytest.mark.parametrize("wrong", ["obl", "case"])
def test_a_planted_label_is_found_first_with_what_it_costs(wrong: str) -> None:
    rng = random.Random(3)
    rules = WeightRules()
    right = random_sentences(rng, 80)
    bank = treebank_of(right)
    # The rules are right about the right trees, so that every mistake costs.
    references = [rules.order(row) for row in right]
    found = [row.copy() for row in right]
    for row in found:
        row.label = [wrong if label == "nsubj" else label for label in row.label]
        # Another confusion, of labels that weigh the same.
        row.label = ["dep" if label == "punct" else label for label in row.label]
    corpus = Corpus(bank, Orders.from_rows(references), gold=bank)
    scores = OrderScores(corpus, FRS)
    ours = system("P1", treebank_of(found), rules, scores)
    got = label_confusions(TreePair.of(ours, bank), scores)
    assert got.names[0] == ("nsubj", wrong)
    assert got.words[0] == sum(row.label.count("nsubj") for row in right)
    lost = 1.0 - mean_frs([rules.order(row) for row in found], references)
    assert lost > 0
    assert got.lost[0] == pytest.approx(lost, abs=1e-12)
    assert got.worse[0] == 0
    assert got.names[1] == ("punct", "dep")
    assert (got.changed[1], got.lost[1]) == (0, 0.0)
    _, heads, labels = parser_error_sections(AnalysedOrders.of(corpus, [ours], FRS))
    assert len(labels.rows) == 1
    assert labels.rows[0][:2] == ("nsubj", wrong)
    assert labels.rows[0][-1] == pytest.approx(100 * lost)
    # All heads are right.
    assert "No word differs in head." in heads.reading


def test_a_root_is_exchanged_for_another_one() -> None:
    right = Sentence([0, 1, 1], ["root", "obj", "punct"], ["VERB", "NOUN", "ADV"], ["a", "b", "c"])
    found = Sentence([2, 0, 2], ["nsubj", "root", "punct"], ["VERB", "NOUN", "ADV"], list("abc"))
    bank = treebank_of([right])
    corpus = Corpus(bank, Orders.from_rows([[1, 2, 0]]), gold=bank)
    scores = OrderScores(corpus, FRS)
    ours = system("P1", treebank_of([found]), WeightRules(), scores)
    got = head_confusions(TreePair.of(ours, bank), scores)
    # Alone the first word would be a second root, and the second one hang on its own child.
    row = dict(zip(got.names, got.extended.tolist(), strict=True))
    assert row == {
        ("root", "root", "NOUN after"): 1,
        ("obj", "VERB before", "root"): 1,
        ("punct", "VERB before", "NOUN before"): 0,
    }


def test_columns_without_tags_are_left_out() -> None:
    *_, corpus, _, ours = drawn(1, WeightRules(), 10)
    keys = [each.key for each in tagger_error_sections(AnalysedOrders.of(corpus, [ours], FRS))]
    assert keys == ["upos-confusions", "xpos-confusions"]
    assert ours.treebank is not None
    bare = ours.treebank.replace(xpos=Column.filled(ours.treebank.words))
    ours = AnalysedSystem("P1", ours.orders, ours.scores, ours.skipped, bare, ours.rules)
    found = tagger_error_sections(AnalysedOrders.of(corpus, [ours], FRS))
    assert [each.key for each in found] == ["upos-confusions"]


def test_another_parser_in_the_place_of_gold() -> None:
    *_, corpus, scores, ours = drawn(2, WeightRules(), 20)
    assert corpus.gold is not None
    theirs = system("P2", corpus.gold, WeightRules(), scores)
    without = Corpus(corpus.words, corpus.reference)
    by_other = parser_error_sections(AnalysedOrders.of(without, [ours, theirs], FRS))
    by_gold = parser_error_sections(AnalysedOrders.of(corpus, [ours], FRS))
    assert [each.rows for each in by_other] == [each.rows for each in by_gold]
    assert by_other[2].header[:2] == ("label in P2", "label in P1")


def test_an_error_rate_is_lost_when_it_rises() -> None:
    made = drawn(2, WeightRules(), 20)
    rate = metric("frs")
    rate.higher_is_better = False
    falling = OrderScores(made.corpus, rate)
    up, down = (label_confusions(made.pair, scores) for scores in (made.scores, falling))
    assert dict(zip(up.names, up.lost, strict=True)) == {
        name: -lost for name, lost in zip(down.names, down.lost, strict=True)
    }
    assert list(down.lost) == sorted(down.lost, reverse=True)


def test_examples_gain_most() -> None:
    made = drawn(7, WeightRules())
    got = relation_errors(made.pair, made.scores)
    for shown, members, changed in zip(got.examples, got.members, got.changed, strict=True):
        rows = set((np.searchsorted(made.corpus.words.offsets, members, side="right") - 1).tolist())
        assert set(shown) <= rows
        assert bool(shown) <= bool(changed)


def test_what_cannot_be_compared() -> None:
    *_, corpus, _, ours = drawn(2, WeightRules(), 20)
    nothing = Corpus(corpus.words, corpus.reference)
    refuses(
        UsageError, "gold trees", parser_error_sections, AnalysedOrders.of(nothing, [ours], FRS)
    )
    bare = AnalysedSystem("A", ours.orders, ours.scores, ours.skipped)
    refuses(
        UsageError, "A has no trees", parser_error_sections, AnalysedOrders.of(corpus, [bare], FRS)
    )
    refuses(
        UsageError,
        "A has no trees",
        parser_error_sections,
        AnalysedOrders.of(corpus, [ours, bare], FRS),
    )
    short = Corpus(corpus.words, corpus.reference, gold=corpus.words[:5])
    message = "gold for P1: sentences of other lengths"
    refuses(InputError, message, parser_error_sections, AnalysedOrders.of(short, [ours], FRS))


def test_no_sentences() -> None:
    bank = treebank_of([])
    corpus = Corpus(bank, Orders.from_rows([]), gold=bank)
    ours = system("P1", bank, WeightRules(), OrderScores(corpus, FRS))
    assert all(
        not each.rows for each in parser_error_sections(AnalysedOrders.of(corpus, [ours], FRS))
    )
    assert tagger_error_sections(AnalysedOrders.of(corpus, [ours], FRS)) == []
    assert sentences(bank) == []


def test_a_system_may_be_called_gold() -> None:
    *_, corpus, scores, ours = drawn(2, WeightRules(), 20)
    assert ours.treebank is not None
    called = system("gold", ours.treebank, WeightRules(), scores)
    for section in parser_error_sections(AnalysedOrders.of(corpus, [called], FRS)):
        assert len(set(section.header)) == len(section.header)
