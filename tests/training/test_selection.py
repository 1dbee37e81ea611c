"""Algorithm 1 of Katz-Brown et al. (2011) and its traps; lists of a file, some at a time."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.refusing import refuses

from wordorder.arrays import Float64, Int64
from wordorder.cli.program import program
from wordorder.errors import InputError, UsageError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.order.reading import write_orders
from wordorder.parsing.opened import open_parser
from wordorder.reordering import open_rules
from wordorder.segments import Segments
from wordorder.training import select_files
from wordorder.training.cost import OrderCost
from wordorder.training.references import TREES, Selection, batches, best_of_lists
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_files import KBestReader, write_kbest
from wordorder.treebank.reading import read_treebank

GENERATOR = np.random.default_rng(8)
LINES = [
    "Wear sunscreen that has an SPF of 15 .",
    "Go",
    "The old man who lives here gave the dog a bone yesterday .",
    "Click on the link to download the file that you want .",
    "Can you tell me where the station is ?",
    "Because it rained , we stayed at home .",
] * 3


@pytest.fixture(scope="module")
def lists() -> KBest:
    return open_parser("en").kbest(LINES, 12)


@pytest.fixture(scope="module")
def reference(lists: KBest) -> Orders:
    """Some word order that not all trees of a list hit, with dropped words."""
    found = open_rules("head-final").orders(lists.best())
    rows = [list(order.positions) for order in found]
    for row in rows[::2]:
        GENERATOR.shuffle(row)
    return Orders.from_rows([row[: max(1, len(row) - 2)] for row in rows])


def algorithm_1(scores: Float64, offsets: Int64) -> list[int]:
    """Take the first tree until another one is better."""
    chosen = []
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        best = first
        for tree in range(first + 1, last):
            if scores[tree] > scores[best]:
                best = tree
        chosen.append(best)
    return chosen


def test_the_best_of_each_list_is_that_of_the_loop() -> None:
    counts = GENERATOR.integers(1, 9, 300)
    offsets = np.append(0, np.cumsum(counts))
    scores = GENERATOR.choice([-np.inf, 0.0, 0.25, 0.5, 1.0], int(offsets[-1]))
    assert best_of_lists(scores, offsets).tolist() == algorithm_1(scores, offsets)


@pytest.mark.parametrize("value", [0.0, 1.0, -np.inf])
def test_of_equal_scores_the_highest_in_the_list_wins(value: float) -> None:
    # The printed algorithm starts from 0 and returns nothing here when all score 0.
    assert best_of_lists(np.full(5, value), np.array([0, 2, 5])).tolist() == [0, 2]
    assert best_of_lists(np.zeros(0), np.zeros(1, np.int64)).tolist() == []


def test_the_report_counts_what_a_slow_twin_counts(lists: KBest, reference: Orders) -> None:
    rules = open_rules("R5")
    selection = Selection(OrderCost(rules, reference))
    whole = selection.choose(lists, np.arange(len(lists)))
    report = selection.report()
    orders = [str(order) for order in rules.orders(lists.trees)]
    own = [orders[a:b] for a, b in zip(lists.offsets, lists.offsets[1:], strict=False)]
    assert report.orders == sum(len(set(each)) for each in own)
    assert report.one_order == sum(len(set(each)) == 1 for each in own)
    assert 0 < report.one_order < report.sentences == len(LINES)
    behind = [order != each[0] for each in own for order in each[1:]]
    assert report.other_order == pytest.approx(sum(behind) / len(behind))
    heads = labels = words = 0
    for first, last in zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True):
        best = lists.trees[first]
        for tree in range(first + 1, last):
            one = lists.trees[tree]
            heads += sum(a != b for a, b in zip(one.heads, best.heads, strict=True))
            labels += sum(a != b for a, b in zip(one.labels, best.labels, strict=True))
            words += len(one)
    assert report.other_heads == pytest.approx(heads / words)
    assert report.other_labels == pytest.approx(labels / words)
    for found, trees in ((report.first_score, lists.best()), (report.best_score, whole)):
        segments = Segments.from_orders(rules.orders(trees), reference)
        assert found == metric("frs").corpus_score(segments).value
    assert report.first_score < report.best_score


def test_standard_selection_takes_the_first_trees(lists: KBest, reference: Orders) -> None:
    selection = Selection(OrderCost(open_rules("R5"), reference), standard=True)
    chosen = selection.choose(lists, np.arange(len(lists)))
    np.testing.assert_array_equal(chosen.heads, lists.best().heads)
    targeted = Selection(OrderCost(open_rules("R5"), reference))
    targeted.choose(lists, np.arange(len(lists)))
    assert selection.report() == targeted.report()


def test_a_file_gives_what_the_lists_give(lists: KBest, reference: Orders, tmp_path: Path) -> None:
    write_kbest(tmp_path / "lists.conllu", lists)
    write_orders(reference, tmp_path / "a.orders")
    selection = Selection(OrderCost(open_rules("R5"), reference, "kendall"))
    expected = selection.choose(lists, np.arange(len(lists)))
    told: list[int] = []
    report = select_files(
        tmp_path / "lists.conllu",
        tmp_path / "a.orders",
        tmp_path / "best.conllu",
        rules="R5",
        metric="kendall",
        progress=told.append,
    )
    found = read_treebank(tmp_path / "best.conllu")
    np.testing.assert_array_equal(found.heads, expected.heads)
    assert found.label.strings() == expected.label.strings()
    assert report == selection.report()
    assert told == [len(LINES)]
    # In the command, with json and with text.
    command = ["select", str(tmp_path / "lists.conllu"), str(tmp_path / "a.orders"), "--rules"]
    command += ["R5", "-m", "kendall", "-o", str(tmp_path / "other.conllu")]
    result = CliRunner().invoke(program, [*command, "--format", "json"])
    assert json.loads(result.stdout)["best_score"] == report.best_score
    assert (tmp_path / "other.conllu").read_bytes() == (tmp_path / "best.conllu").read_bytes()
    result = CliRunner().invoke(program, command)
    assert not result.stdout
    assert "distinct orders" in result.stderr


def test_batches_hold_about_as_many_trees(lists: KBest, tmp_path: Path) -> None:
    # Short lists first: those after them are not as short.
    ones = lists.take(np.zeros(16, np.int64), most=1)
    many = KBest.concatenate([ones, lists.take(np.repeat(np.arange(len(lists)), 80))])
    write_kbest(tmp_path / "lists.conllu", many)
    with KBestReader(tmp_path / "lists.conllu") as reader:
        sizes = [(len(batch), len(batch.trees)) for batch in batches(reader)]
    assert sum(size for size, _ in sizes) == len(many)
    assert max(trees for _, trees in sizes) < 1.5 * TREES
    assert all(trees > TREES / 2 for _, trees in sizes[:-1])


def test_alignments_become_orders(tmp_path: Path, lists: KBest) -> None:
    write_kbest(tmp_path / "lists.conllu", lists[:2])
    (tmp_path / "a.align").write_text("0-1 1-0\n0-0\n")
    conventions: list[dict[str, Any]] = [{}, {"unaligned": "drop"}]
    found = [
        select_files(
            tmp_path / "lists.conllu",
            tmp_path / "a.align",
            tmp_path / "best.conllu",
            rules="R5",
            **options,
        ).best_score
        for options in conventions
    ]
    assert found[1] != found[0]


def test_references_that_do_not_match_are_refused(lists: KBest, tmp_path: Path) -> None:
    write_kbest(tmp_path / "lists.conllu", lists[:2])
    output = tmp_path / "best.conllu"

    def chosen(text: str, name: str = "a.orders", **options: Any) -> None:
        (tmp_path / name).write_text(text)
        select_files(tmp_path / "lists.conllu", tmp_path / name, output, rules="R5", **options)

    refuses(InputError, r"a.orders: 1 row, but .*lists.conllu has more sent", chosen, "0\n")
    refuses(InputError, r"a.orders: more rows than the 2 sentences of", chosen, "0\n0\n0\n")
    refuses(InputError, r"a.orders:2: position 1, but the sentence has 1 word;", chosen, "0\n1 0\n")
    with pytest.raises(UsageError, match=r"unaligned= is for alignments, but .* is read as orders"):
        chosen("0\n0\n", unaligned="drop")
    refuses(UsageError, "las does not compare orders", chosen, "0\n0\n", metric="las")
    (tmp_path / "lists.conllu").write_text("")
    refuses(UsageError, "lists.conllu: no lists of trees", chosen, "")
    assert not output.exists()
    words = "# sent_id = 1\n1\tGo\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
    (tmp_path / "lists.conllu").write_text(words)
    refuses(InputError, r"lists.conllu:2.*head", chosen, "0\n")


def test_one_standard_input_and_one_standard_output(tmp_path: Path) -> None:
    for command, what in (
        (["select", "a", "b", "--rules", "R5", "--format", "json"], "output=FILE for the trees"),
        (["select", "-", "-", "--rules", "R5"], "only one input can be standard input"),
    ):
        result = CliRunner().invoke(program, command)
        assert isinstance(result.exception, UsageError)
        assert what in str(result.exception)
