"""The rules of other evaluators for reference orders, against their definitions word by word."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.oracles_compat import lader_ranks, spans_of, weak_order
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders
from wordorder.order.reference import block_ranks, bracket_codes, reference_orders, span_ranks

GOLDEN = Path(__file__).parents[1] / "golden"
LENGTHS = [0, 1, 2, 3, 5, 8, 20, 63, 64, 65, 127, 128, 129]
TOKENS = [*'()[]"\uff08\uff09「」『』【】a', "((", ""]
# One sentence of seven words aligned in five ways: with the next word's blocks, as they are, and
# with the previous word's; and over the aligned words alone.
CASES = {
    "0-0 1-6 2-5 3-4 5-2 6-7": "0432115 0432115 0432215 0432-15",
    "0-0 1-5 2-5 3-4 5-2 6-7": "0332114 0332114 0332214 0332-14",
    # "eat" spans 4 to 6 around "not" at 5: neither precedes, so the map finds them equal, and under
    # the last rule the sentence, which cannot be ordered, has no words.
    "0-0 1-6 2-5 3-4 3-6 5-2 6-7": "0222113 0322114 0222213 -------",
    "0-0 1-4 1-6 2-5 2-7 3-3 5-2 6-8": "0332114 0342115 0332214 0342-15",
    "1-6 2-5 3-4 5-2": "3321000 3321000 3321104 -321-0-",
}
Row = tuple[int, list[tuple[int, int]]]


def columns(rows: list[Row]) -> tuple[Alignments, list[int]]:
    return Alignments.from_rows([links for _, links in rows]), [words for words, _ in rows]


def ranks_of(orders: Orders, lengths: list[int]) -> list[list[int]]:
    """Return the rank of each source word, -1 for one that is left out."""
    found = []
    for order, words in zip(orders, lengths, strict=True):
        ranks = [-1] * words
        for rank, group in enumerate(order.groups):
            for word in group:
                ranks[word] = rank
        found.append(ranks)
    return found


def random_rows(seed: int, rows: int = 3) -> list[Row]:
    """Make alignments of all kinds: dense and sparse, narrow and wide spans."""
    rng = random.Random(seed)
    found = []
    for words in LENGTHS * rows:
        targets = rng.choice([1, 3, max(words, 1), 3 * words + 1])
        links = {
            (rng.randrange(words), rng.randrange(targets))
            for _ in range(rng.choice([0, words // 2, words, 2 * words]) if words else 0)
        }
        # Mostly monotone with local crossings, as real alignments are.
        if rng.random() < 0.6:
            links = {(s, max(0, s + rng.randint(-2, 2))) for s, _ in links}
        found.append((words, sorted(links)))
    return found


@st.composite
def aligned_rows(draw: st.DrawFn) -> list[Row]:
    rows = []
    for _ in range(draw(st.integers(0, 4))):
        words = draw(st.integers(0, 8))
        ends = st.tuples(st.integers(0, max(words - 1, 0)), st.integers(0, 8))
        rows.append((words, draw(st.lists(ends, max_size=12, unique=True)) if words else []))
    return rows


@pytest.mark.parametrize("text", CASES)
def test_one_sentence_under_all_rules(text: str) -> None:
    links = [(int(link.split("-")[0]), int(link.split("-")[1])) for link in text.split()]
    a, lengths = columns([(7, links)])
    orders = [
        reference_orders(a, lengths, rule="lader"),
        reference_orders(a, lengths, rule="lader", blocks="keep"),
        reference_orders(a, lengths, rule="lader", unaligned="previous"),
        reference_orders(a, lengths, rule="topdown-btg"),
    ]
    rows = [ranks_of(found, lengths)[0] for found in orders]
    printed = ["".join(map(str, row)).replace("-1", "-") for row in rows]
    assert printed == CASES[text].split()


def test_provenance_names_the_rule() -> None:
    a, lengths = columns([(2, [(0, 1), (1, 0)])])
    orders = reference_orders(a, lengths, rule="lader", words=[["a", "b"]])
    lader = {"rule": "lader", "null": "next", "blocks": "combine", "brackets": "yes"}
    assert orders.provenance == tuple(lader.items())
    orders = reference_orders(a, lengths, rule="topdown-btg", links="sure")
    assert orders.provenance == (("rule", "topdown-btg"), ("null", "drop"), ("links", "sure"))


@given(aligned_rows(), st.sampled_from(["next", "previous"]))
def test_blocks_against_the_definition(rows: list[Row], side: str) -> None:
    a, lengths = columns(rows)
    found = ranks_of(reference_orders(a, lengths, rule="lader", unaligned=side), lengths)
    assert found == [lader_ranks(links, words, side) for words, links in rows]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("side", ["next", "previous"])
def test_blocks_and_brackets_of_all_lengths(seed: int, side: str) -> None:
    rng = random.Random(seed)
    rows = random_rows(seed)
    words = [[rng.choice(TOKENS) for _ in range(length)] for length, _ in rows]
    a, lengths = columns(rows)
    found = ranks_of(reference_orders(a, lengths, rule="lader", unaligned=side), lengths)
    assert found == [lader_ranks(links, length, side) for length, links in rows]
    orders = reference_orders(a, lengths, rule="lader", unaligned=side, words=words)
    assert ranks_of(orders, lengths) == [
        lader_ranks(links, length, side, tokens)
        for (length, links), tokens in zip(rows, words, strict=True)
    ]


def test_brackets_stand_around_what_they_enclose() -> None:
    a, lengths = columns([(5, [(0, 1), (2, 0), (4, 2)])])
    without = reference_orders(a, lengths, rule="lader")
    assert str(without[0]) == "1,2 0 3,4"
    words = [["he", "(", "it", ")", "."]]
    assert str(reference_orders(a, lengths, rule="lader", words=words)[0]) == "1 2 3 0 4"


@given(aligned_rows())
def test_span_order_against_all_pairs(rows: list[Row]) -> None:
    check_span_order(rows)


@pytest.mark.parametrize("seed", range(4))
def test_span_order_of_all_lengths(seed: int) -> None:
    check_span_order(random_rows(seed))


def check_span_order(rows: list[Row]) -> None:
    a, lengths = columns(rows)
    expected = [weak_order(spans_of(links, words)) for words, links in rows]
    ranks, comparable = span_ranks(a, np.array(lengths, np.int64))
    assert comparable.tolist() == [found is not None for found in expected]
    filled = [
        [-1] * words if found is None else found
        for (words, _), found in zip(rows, expected, strict=True)
    ]
    assert ranks.tolist() == [rank for row in filled for rank in row]
    orders = reference_orders(a, lengths, rule="topdown-btg")
    assert ranks_of(orders, lengths) == filled


def test_spans_that_cannot_be_compared_are_ranked_as_the_map_of_gcc_does() -> None:
    lines = (GOLDEN / "span_map.tsv").read_text().splitlines()
    rows: list[Row] = []
    expected = []
    for line in lines:
        spans, ranks = line.split("\t")
        ends = [tuple(map(int, span.split("-"))) for span in spans.split()]
        links = sorted({(word, end) for word, span in enumerate(ends) for end in span})
        rows.append((len(ends), links))
        expected += list(map(int, ranks.split()))
    a, lengths = columns(rows)
    found = block_ranks(a, np.array(lengths, np.int64), combine=False)
    assert found.tolist() == expected
    # Else the map would have nothing to decide.
    assert not span_ranks(a, np.array(lengths, np.int64))[1].all()


def test_the_map_keeps_the_rank_of_words_of_one_span() -> None:
    spans = [(0, 4), (1, 2), (2, 3), (0, 4), (1, 2)]
    links = [(word, end) for word, span in enumerate(spans) for end in span]
    a, lengths = columns([(5, links)])
    ranks = block_ranks(a, np.array(lengths, np.int64), combine=False)
    assert ranks[0] == ranks[3]
    assert ranks[1] == ranks[4]


@pytest.mark.parametrize("rule", ["lader", "topdown-btg"])
def test_nothing_to_order(rule: str) -> None:
    assert len(reference_orders(Alignments.from_rows([]), [], rule=rule)) == 0
    orders = reference_orders(Alignments.from_rows([[], []]), [0, 2], rule=rule)
    assert list(map(str, orders)) == ["", "0,1" if rule == "lader" else ""]


@pytest.mark.parametrize(
    ("rule", "option", "value"),
    [
        ("lader", "unaligned", "drop"),
        ("topdown-btg", "unaligned", "next"),
        ("topdown-btg", "blocks", "keep"),
        ("talbot", "blocks", "keep"),
        ("lader", "blocks", "merge"),
        ("talbot", "words", [["a"]]),
    ],
)
def test_options_that_a_rule_has_not(rule: str, option: str, value: Any) -> None:
    message = "only 'lader'" if option == "words" else None
    with pytest.raises(UsageError, match=message):
        reference_orders(Alignments.from_rows([[]]), [1], rule=rule, **{option: value})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([["a"]], "1 sentences; expected 2 sentences"),
        ([["a"], ["b", "c", "d"]], "row 2: 3 words; expected 2 words"),
        ([["a"], ["b", "c"], []], "row 3: 0 words; expected 2 rows"),
        (["a", "b c"], "row 1: 'a'; expected a sequence of words"),
    ],
)
def test_words_that_do_not_fit(words: list[list[str]], message: str) -> None:
    refuses(InputError, message, bracket_codes, words, np.array([1, 2]))


def test_words_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "source.txt"
    path.write_text('( a )\n" b\n', encoding="utf-8")
    assert bracket_codes(path, np.array([3, 2])).tolist() == [17, 0, 33, 51, 0]
