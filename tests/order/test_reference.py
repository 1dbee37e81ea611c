"""Reference orders against the papers, and each rule word by word; applying orders to words."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.oracles_alignment import Link, reference_groups
from tests.oracles_compat import lader_ranks, spans_of, weak_order
from tests.refusing import refuses
from tests.strategies import shuffles

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.pharaoh import Talbot
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError
from wordorder.order.completion import (
    complete_orders,
    inverse_orders,
    reorder_alignments,
    reorder_rows,
    reorder_tokens,
)
from wordorder.order.orders import Order, Orders
from wordorder.order.reference import ReferenceReport, reference_orders, reference_report
from wordorder.order.span_ranks import block_ranks, bracket_codes, span_ranks

GOLDEN = Path(__file__).parents[1] / "golden"
# Every rule with every place for unaligned words that it allows.
CHOICES = [
    (rule, place) for rule in ("talbot", "lrscore") for place in ("next", "previous", "drop")
]
CHOICES.append(("aligned", "drop"))
Row = tuple[int, list[Link]]
Rows = list[Row]


def golden(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (GOLDEN / name).read_text("utf-8").splitlines()]


def words_of(order: Order, source: list[str]) -> str:
    """Write an order as the paper prints it."""
    shown = []
    for group in order.groups:
        words = " ".join(source[position] for position in group)
        shown.append(f"{{{{ {words} }}}}" if len(group) > 1 else words)
    return " ".join(shown)


def pharaoh(text: str, base: int = 0) -> list[Link]:
    """Read "0-1 2-3" in the plainest way."""
    pairs = (link.split("-") for link in text.split())
    return [(int(s) - base, int(t) - base) for s, t in pairs]


def orders_of(links: list[Link], words: int, rule: str, unaligned: str | None = None) -> str:
    orders = reference_orders(
        Alignments.from_rows([links]), [words], rule=rule, unaligned=unaligned
    )
    return str(orders[0])


def groups_of(orders: Orders) -> list[list[list[int]]]:
    return [[list(group) for group in order.groups] for order in orders]


@pytest.mark.parametrize("row", golden("talbot2011_table2.tsv"), ids=lambda row: str(row[0]))
def test_table_2_of_the_paper(row: list[str]) -> None:
    _, source, reordering, alignment = row
    data = np.frombuffer(f"{alignment}\n".encode(), np.uint8)
    parsed = Talbot().parse(data, 1)
    a = Alignments(parsed.source, parsed.target, parsed.offsets)
    order = reference_orders(a, [len(source.split())])[0]
    assert words_of(order, source.split()) == reordering


@pytest.mark.parametrize("row", golden("reference_rules.tsv"), ids=lambda row: str(row[0]))
def test_rules_side_by_side(row: list[str]) -> None:
    _, sentence, text, talbot, birch, ranks = row
    source = sentence.split()
    a = Alignments.from_rows([pharaoh(text)])
    assert words_of(reference_orders(a, [len(source)])[0], source) == talbot
    lrscore = reference_orders(a, [len(source)], rule="lrscore")
    assert words_of(lrscore[0], source) == birch
    if ranks != "skipped":
        dropped = reference_orders(a, [len(source)], unaligned="drop")[0]
        printed = ["-"] * len(source)
        for rank, group in enumerate(dropped.groups):
            for position in group:
                printed[position] = str(rank)
        assert " ".join(printed) == ranks


def test_the_three_rules_on_one_sentence() -> None:
    links = [(1, 1), (3, 0)]
    assert orders_of(links, 4, "talbot") == "2 3 0 1"
    assert orders_of(links, 4, "lrscore") == "0 3 1 2"
    assert orders_of(links, 4, "aligned") == "1 0"


@pytest.mark.parametrize(
    ("text", "base", "words", "ranks"),
    [
        ("1-9 2-1 4-3 4-4 5-6 6-6 7-6 8-8", 1, 8, [8, 1, 2, 3, 4, 5, 6, 7]),
        ("0-0 1-3 2-4 3-1 4-2", 0, 5, [0, 3, 4, 1, 2]),
        ("0-0 1-2 3-1 4-3", 0, 5, [0, 2, 3, 1, 4]),
    ],
)
def test_ranks_of_lrscore(text: str, base: int, words: int, ranks: list[int]) -> None:
    a = Alignments.from_rows([pharaoh(text, base)])
    order = reference_orders(a, [words], rule="lrscore")[0].positions
    assert [order.index(position) + base for position in range(words)] == ranks


@pytest.mark.parametrize(
    ("text", "words", "unaligned", "groups"),
    [
        # 1 stands between the tied 0 and 2; 4 is behind the last aligned word.
        ("0-0 2-0 3-1", 5, "next", [[0, 1, 2], [3], [4]]),
        ("0-0 2-0 3-1", 5, "previous", [[0, 1, 2], [3], [4]]),
        ("0-0 2-0 3-1", 5, "drop", [[0, 2], [3]]),
        # 0 and 3 stand beside the tied ones.
        ("1-4 2-4", 4, "next", [[0], [1, 2], [3]]),
        ("1-4 2-4", 4, "previous", [[0], [1, 2], [3]]),
        ("1-4 2-4", 4, "drop", [[1, 2]]),
    ],
)
def test_an_unaligned_word_joins_a_tie_if_it_stands_inside(
    text: str, words: int, unaligned: str, groups: list[list[int]]
) -> None:
    a = Alignments.from_rows([pharaoh(text)])
    assert groups_of(reference_orders(a, [words], unaligned=unaligned)) == [groups]


@pytest.mark.parametrize(("rule", "unaligned"), CHOICES)
def test_sentences_without_links(rule: str, unaligned: str) -> None:
    a = Alignments.from_rows([[], [], []])
    orders = reference_orders(a, [3, 0, 1], rule=rule, unaligned=unaligned)
    kept = [[[0], [1], [2]], [], [[0]]]
    assert groups_of(orders) == ([[], [], []] if unaligned == "drop" else kept)
    assert orders.ranks is None


@st.composite
def aligned_sentences(draw: st.DrawFn) -> Rows:
    rows = []
    for _ in range(draw(st.integers(0, 4))):
        words = draw(st.integers(0, 9))
        ends = st.tuples(st.integers(0, max(words - 1, 0)), st.integers(0, 8))
        rows.append((words, draw(st.lists(ends, unique=True)) if words else []))
    return rows


@pytest.mark.parametrize(("rule", "unaligned"), CHOICES)
@given(rows=aligned_sentences())
def test_the_definitions_word_by_word(rule: str, unaligned: str, rows: Rows) -> None:
    a = Alignments.from_rows([links for _, links in rows])
    orders = reference_orders(a, [words for words, _ in rows], rule=rule, unaligned=unaligned)
    assert groups_of(orders) == [
        reference_groups(links, words, rule, unaligned) for words, links in rows
    ]


@pytest.mark.parametrize(("rule", "unaligned"), CHOICES)
@pytest.mark.parametrize("largest", [40, 300, 2**24 - 1])
def test_the_definitions_at_the_boundaries(rule: str, unaligned: str, largest: int) -> None:
    rng = np.random.default_rng(largest)
    rows: Rows = []
    for words in (0, 1, 2, 47, 48, 49, 63, 64, 65, 127, 128, 129, 255, 256, 257):
        ends = [(rng.integers(0, words), rng.integers(0, largest)) for _ in range(words)]
        rows.append((words, sorted({(int(s), int(t)) for s, t in ends})))
    a = Alignments.from_rows([links for _, links in rows])
    orders = reference_orders(a, [words for words, _ in rows], rule=rule, unaligned=unaligned)
    assert groups_of(orders) == [
        reference_groups(links, words, rule, unaligned) for words, links in rows
    ]


def test_a_sentence_of_many_words() -> None:
    words = 100_000
    links = [(s, (s * 7919) % words) for s in range(words)]
    order = reference_orders(Alignments.from_rows([links]), [words])
    targets = [t for _, t in links]
    assert [targets[position] for position in order[0].positions] == list(range(words))


def test_sure_links_alone() -> None:
    a = Alignments.from_rows([[(0, 1), (1, 0, True), (2, 2), (2, 0, True)]])
    assert str(reference_orders(a, [3])[0]) == "1,2 0"
    assert str(reference_orders(a, [3], links="sure")[0]) == "0 1 2"
    a = Alignments.from_rows([[(0, 0)]])
    assert reference_orders(a, [1]).provenance == (("rule", "talbot"), ("null", "next"))
    sure = reference_orders(a, [1], rule="lrscore", links="sure")
    assert sure.provenance == (("rule", "lrscore"), ("null", "previous"), ("links", "sure"))
    assert reference_orders(a, [1], rule="aligned").provenance[1] == ("null", "drop")


def test_bad_lengths() -> None:
    a = Alignments.from_rows([[(0, 0)], [(0, 0), (2, 1)]], path="a.align")
    with pytest.raises(InputError, match=r"^a.align:2: link 2-1 points past the source \(2 tok"):
        reference_orders(a, [1, 2])
    refuses(InputError, "2 alignments for 1 source sentences", reference_orders, a, [3])
    for length in (-1, 10**12):
        with pytest.raises(InputError, match=f"a source length of {length}; expected 0 to"):
            reference_orders(a, [1, length])
    for wrong in ([1.0, 2.7], ["1", "2"]):
        with pytest.raises(InputError, match="source lengths like .* expected whole numbers"):
            reference_orders(a, wrong)  # type: ignore[arg-type]


@given(rows=aligned_sentences())
def test_report(rows: Rows) -> None:
    a = Alignments.from_rows([links for _, links in rows])
    lengths = [words for words, _ in rows]
    orders = reference_orders(a, lengths)
    report = reference_report(a, lengths, orders)
    unaligned = sum(words - len({s for s, _ in links}) for words, links in rows)
    tied = sum(
        len(group)
        for words, links in rows
        for group in reference_groups(links, words, "talbot", "next")
        if len(group) > 1
    )
    unlinked = sum(not links for _, links in rows)
    assert report == ReferenceReport(len(rows), sum(lengths), unaligned, unlinked, tied)
    halves = [slice(0, len(rows) // 2), slice(len(rows) // 2, len(rows))]
    parts = [reference_report(a[half], lengths[half], orders[half]) for half in halves]
    assert parts[0] + parts[1] == report


def test_shares() -> None:
    report = ReferenceReport(sentences=4, words=10, unaligned=5, unlinked=1, tied=2)
    assert (report.unaligned_share, report.unlinked_share, report.tied_share) == (0.5, 0.25, 0.2)
    assert ReferenceReport().unaligned_share == ReferenceReport().unlinked_share == 0.0
    assert ReferenceReport().tied_share == 0.0


# -- The rules of other evaluators for reference orders.


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


def columns(rows: Rows) -> tuple[Alignments, list[int]]:
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


def random_rows(seed: int, rows: int = 3) -> Rows:
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


@given(aligned_sentences(), st.sampled_from(["next", "previous"]))
def test_blocks_against_the_definition(rows: Rows, side: str) -> None:
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
    a, lengths = columns([(2, [(0, 1), (1, 0)])])
    orders = reference_orders(a, lengths, rule="lader", words=[["a", "b"]])
    lader = {"rule": "lader", "null": "next", "blocks": "combine", "brackets": "yes"}
    assert orders.provenance == tuple(lader.items())
    orders = reference_orders(a, lengths, rule="topdown-btg", links="sure")
    assert orders.provenance == (("rule", "topdown-btg"), ("null", "drop"), ("links", "sure"))


@given(aligned_sentences())
def test_span_order_against_all_pairs(rows: Rows) -> None:
    check_span_order(rows)


@pytest.mark.parametrize("seed", range(4))
def test_span_order_of_all_lengths(seed: int) -> None:
    check_span_order(random_rows(seed))


def check_span_order(rows: Rows) -> None:
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
    rows: Rows = []
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
    doubled = [(0, 4), (1, 2), (2, 3), (0, 4), (1, 2)]
    a, lengths = columns([(5, [(word, end) for word, span in enumerate(doubled) for end in span])])
    found = block_ranks(a, np.array(lengths, np.int64), combine=False)
    assert found[0] == found[3]
    assert found[1] == found[4]


@pytest.mark.parametrize("rule", ["lader", "topdown-btg"])
def test_nothing_to_order(rule: str) -> None:
    assert len(reference_orders(Alignments.from_rows([]), [], rule=rule)) == 0
    orders = reference_orders(Alignments.from_rows([[], []]), [0, 2], rule=rule)
    assert list(map(str, orders)) == ["", "0,1" if rule == "lader" else ""]


@pytest.mark.parametrize(
    ("rule", "option", "value", "message"),
    [
        ("aligned", "unaligned", "next", "numbers the aligned words alone"),
        ("aligned", "unaligned", "previous", "numbers the aligned words alone"),
        ("lader", "unaligned", "drop", None),
        ("topdown-btg", "unaligned", "next", None),
        ("topdown-btg", "blocks", "keep", None),
        ("talbot", "blocks", "keep", None),
        ("lader", "blocks", "merge", None),
        ("talbot", "words", [["a"]], "only 'lader'"),
        ("?", "unaligned", None, "legal names"),
        ("talbot", "unaligned", "?", "legal names"),
        ("talbot", "links", "?", "expected all, sure, or the lowest score"),
    ],
)
def test_options_that_a_rule_has_not(
    rule: str, option: str, value: Any, message: str | None
) -> None:
    with pytest.raises(UsageError, match=message):
        reference_orders(Alignments.from_rows([[(0, 0)]]), [1], rule=rule, **{option: value})


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


# -- Applying orders, against plain lists that do the same word by word.


MarkedLink = tuple[int, int, bool]

CORPORA = st.lists(shuffles(shortest=0, longest=9), max_size=5)


@st.composite
def partial(draw: st.DrawFn) -> tuple[list[int], int]:
    """Some of the positions of a sentence, in some order, and how many words it has."""
    order = draw(shuffles(shortest=0, longest=9))
    return order[: draw(st.integers(0, len(order)))], len(order)


def inserted(order: list[int], words: int, missing: str) -> list[int]:
    """Insert the words one by one as the rule says it in prose."""
    if missing == "drop":
        return order
    lacking = [word for word in range(words) if word not in order]
    if missing == "end":
        return order + lacking
    found = list(order)
    if missing == "next":
        for word in reversed(lacking):
            # What follows it has been put in its place already.
            place = found.index(word + 1) if word + 1 < words and word + 1 in found else len(found)
            at_end = all(later not in order for later in range(word, words))
            if at_end:
                place = len(order)
            found.insert(place, word)
        return found
    for word in lacking:
        found.insert(found.index(word - 1) + 1 if word else 0, word)
    return found


@given(st.lists(partial(), max_size=5), st.sampled_from(["next", "previous", "end", "drop"]))
def test_words_without_a_place_go_where_the_rule_says(
    rows: list[tuple[list[int], int]], missing: str
) -> None:
    orders = Orders.from_rows([order for order, _ in rows])
    found = complete_orders(orders, [words for _, words in rows], missing=missing)
    assert found.positions.to_lists() == [inserted(*row, missing) for row in rows]
    assert found.ranks is None


@pytest.mark.parametrize(("rule", "missing"), [("talbot", "next"), ("lrscore", "previous")])
@given(data=st.data())
def test_they_go_where_reference_orders_have_them(
    rule: str, missing: str, data: st.DataObject
) -> None:
    """Orders of aligned words alone, completed, are those that the rule makes of all words."""
    rows = data.draw(st.lists(partial(), max_size=4))
    links = [[(word, place) for place, word in enumerate(order)] for order, _ in rows]
    lengths = [words for _, words in rows]
    alignments = Alignments.from_rows(links)
    lone = reference_orders(alignments, lengths, rule=rule, unaligned="drop")
    whole = reference_orders(alignments, lengths, rule=rule, unaligned=missing)
    found = complete_orders(lone, lengths, missing=missing)
    assert [order.positions for order in found] == [order.positions for order in whole]


def test_ties_are_read_as_written() -> None:
    orders = Orders.from_rows([[(3, 1), 0, 2]], provenance=(("rule", "x"),))
    for missing in ("error", "next", "drop"):
        found = complete_orders(orders, [4], missing=missing)
        assert (str(found[0]), found.provenance) == ("3 1 0 2", (("rule", "x"),))
    untied = Orders.from_rows([[1, 0]])
    assert complete_orders(untied, [2]) is untied


def test_orders_that_do_not_fit_the_sentences() -> None:
    orders = Orders.from_rows([[0], [1, 0], [2, 0]])
    with pytest.raises(InputError, match=r"^a\.orders:9: position 2, but the sentence has 2 words"):
        complete_orders(orders, [1, 2, 2], path="a.orders", first_line=7)
    with pytest.raises(InputError, match=r"^orders:3: no position 1 of a sentence of 4 words; "):
        complete_orders(orders, [1, 2, 4])
    refuses(InputError, "3 orders for 2 sentences", complete_orders, orders, [1, 2])
    with pytest.raises(UsageError, match="legal names: drop, end, error, next, previous"):
        complete_orders(orders, [1, 2, 3], missing="last")


@given(CORPORA)
def test_rows_tokens_and_what_puts_them_back(rows: list[list[int]]) -> None:
    orders = Orders.from_rows(rows)
    words = [[f"w{place}" for place in range(len(row))] for row in rows]
    moved = reorder_tokens(words, orders)
    assert moved == [[f"w{place}" for place in row] for row in rows]
    assert reorder_tokens(moved, inverse_orders(orders)) == words
    assert inverse_orders(inverse_orders(orders)).positions == orders.positions
    numbers = Ragged.from_rows([range(100, 100 + len(row)) for row in rows])
    assert reorder_rows(numbers, orders).to_lists() == [[100 + p for p in row] for row in rows]


def test_factors_go_along_and_an_order_that_lacks_words_has_no_inverse() -> None:
    refuses(InputError, "orders:1: position 2", inverse_orders, Orders.from_rows([[2, 0]]))
    rows = [["a|DT|x", "cat|NN|y", "sat|VB|z"], []]
    found = reorder_tokens(rows, Orders.from_rows([[2, 0, 1], []]))
    assert found == [["sat|VB|z", "a|DT|x", "cat|NN|y"], []]


@st.composite
def linked(draw: st.DrawFn) -> tuple[list[int], int, list[MarkedLink]]:
    order, words = draw(partial())
    pairs = draw(st.sets(st.tuples(st.integers(0, max(words - 1, 0)), st.integers(0, 5))))
    chosen = draw(st.permutations(sorted(pairs))) if words else []
    return order, words, [(s, t, draw(st.booleans())) for s, t in chosen]


@given(st.lists(linked(), max_size=4), st.sampled_from(["next", "end", "drop"]), st.booleans())
def test_links_follow_their_words(
    rows: list[tuple[list[int], int, list[MarkedLink]]], missing: str, turned: bool
) -> None:
    orders = Orders.from_rows([order for order, _, _ in rows])
    lengths = [words for _, words, _ in rows]
    links = Alignments.from_rows(
        [row for _, _, row in rows],
        source_lengths=lengths,
        target_lengths=[6] * len(rows),
        path="a.align",
    )
    if turned:
        found = reorder_alignments(
            links.transpose(), orders, side="target", missing=missing
        ).transpose()
    else:
        found = reorder_alignments(links, orders, missing=missing)
    expected = []
    for order, words, row in rows:
        places = {word: place for place, word in enumerate(inserted(order, words, missing))}
        expected.append([(places[s], t, p) for s, t, p in row if s in places])
    got = [
        [(s, t, (s, t) in alignment.possible) for s, t in alignment.links] for alignment in found
    ]
    assert got == expected
    assert found.target_lengths is not None
    assert found.target_lengths.tolist() == [6] * len(rows)
    assert found.source_lengths is not None
    kept = [len(inserted(order, words, missing)) for order, words, _ in rows]
    assert found.source_lengths.tolist() == kept
    assert found.path == "a.align"


def test_links_without_lengths() -> None:
    links = Alignments.from_rows([[(0, 0)], [(1, 0)]], path="a.align")
    orders = Orders.from_rows([[1, 0], [1, 0]])
    assert [str(row) for row in reorder_alignments(links, orders)] == ["1-0", "0-0"]
    with pytest.raises(UsageError, match="missing=end needs the lengths"):
        reorder_alignments(links, orders, missing="end")
    short = Orders.from_rows([[1, 0], [0]])
    with pytest.raises(InputError, match=r"^a\.align:2: a link of word 1, but the order has 1 "):
        reorder_alignments(links, short)
    refuses(UsageError, "side", reorder_alignments, links, orders, side="left")


def test_links_of_a_source_in_its_reference_order_do_not_cross() -> None:
    rng = np.random.default_rng(3)
    rows = [[(s, int(t)) for s, t in enumerate(rng.permutation(8))] for _ in range(20)]
    links = Alignments.from_rows(rows)
    orders = reference_orders(links, [8] * 20)
    moved = reorder_alignments(links, orders)
    # A source in the order of the target has the identity for its reference.
    again = reference_orders(moved, [8] * 20)
    assert again.positions.to_lists() == [list(range(8))] * 20
