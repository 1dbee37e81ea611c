"""The long jump distance against the cheapest path, the inversion distance against a recursion."""

import random
from collections import Counter
from heapq import heappop, heappush
from itertools import permutations, product
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.clocks import within
from tests.metrics.test_cover_path import lines, walk
from tests.notes import any_notes, noted
from tests.oracles_jumps import (
    cover_disjoint_distance,
    inversion_distance,
    levenshtein,
    long_jump_distance,
)
from tests.random_texts import moved
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.metrics.text.edits import (
    InversionWordErrorRate,
    LongJump,
    inversion_distances,
    long_jump_bounds,
)
from wordorder.metrics.text.paths import (
    GridPath,
    edit_path,
    long_jump_path,
    read_in_reference,
)
from wordorder.segments import Segments
from wordorder.text.texts import Texts

Sentence = list[str]

sentences = st.lists(st.sampled_from("abcd"), max_size=6)


def bounds(one: Sentence, other: Sentence, limit: int = 20_000) -> tuple[int, int]:
    lower, upper = long_jump_bounds(Texts.from_segments([one], [[other]]), limit=limit)
    return int(lower[0]), int(upper[0])


def scrambled(rng: random.Random, length: int, size: int) -> tuple[Sentence, Sentence]:
    """Make a reference, and a candidate with blocks moved, words changed and words dropped."""
    words = [f"w{number}" for number in range(size)]
    reference = rng.choices(words, k=length)
    return moved(rng, reference, words, 4), reference


@settings(deadline=None, max_examples=150)
@given(sentences, sentences)
def test_short_sentences_have_the_cheapest_path(one: Sentence, other: Sentence) -> None:
    distance = long_jump_distance(one, other)
    assert bounds(one, other) == (distance, distance)
    lower, upper = bounds(one, other, limit=0)
    assert lower <= distance <= upper


@pytest.mark.parametrize("length", [8, 9, 10])
def test_ten_words_have_the_cheapest_path(length: int) -> None:
    one, other = scrambled(random.Random(length), length, 4)
    distance = long_jump_distance(one, other)
    assert bounds(one, other) == (distance, distance)


@pytest.mark.parametrize(
    ("candidate", "reference", "distance"),
    [
        ("b because a", "a because b", 2),
        ("on tuesday we met at seven", "we met at seven on tuesday", 3),
        ("a b", "a", 1),
        ("", "a b c", 3),
        ("a b c", "", 3),
        ("", "", 0),
        ("a b c", "a b c", 0),
    ],
)
def test_distances_counted_by_hand(candidate: str, reference: str, distance: int) -> None:
    assert bounds(candidate.split(), reference.split()) == (distance, distance)


@pytest.mark.parametrize(("length", "size"), [(20, 5), (20, 40), (25, 12), (25, 60)])
def test_sentences_of_usual_length_are_solved(length: int, size: int) -> None:
    rng = random.Random(length * size)
    for _ in range(20):
        one, other = scrambled(rng, length, size)
        lower, upper = bounds(one, other)
        assert lower == upper
        # The distance is symmetric; the search is not.
        assert bounds(other, one) == (lower, upper)
        limits = [cover_disjoint_distance(one, other), cover_disjoint_distance(other, one)]
        assert max(*limits, abs(len(one) - len(other))) <= lower <= levenshtein(one, other)


@pytest.mark.parametrize("length", [63, 64, 65])
def test_blocks_of_sentences_around_64_words(length: int) -> None:
    reference = [f"w{number}" for number in range(length)]
    candidate = reference[length // 2 :] + reference[: length // 2]
    assert bounds(candidate, reference, limit=0) == (3, 3)
    repeated = [f"w{number % 9}" for number in range(length)]
    lower, upper = bounds(repeated, repeated[::-1], limit=300)
    assert 0 < lower <= upper <= length
    assert bounds(repeated, repeated) == (0, 0)


def test_more_work_only_narrows_the_interval() -> None:
    rng = random.Random(4)
    texts = Texts.from_segments(
        [rng.choices("abcdefgh", k=30) for _ in range(8)],
        [[rng.choices("abcdefgh", k=30)] for _ in range(8)],
    )
    before = long_jump_bounds(texts, limit=0)
    assert (before[0] < before[1]).any()
    for limit in (10, 100, 1000):
        lower, upper = long_jump_bounds(texts, limit=limit)
        assert (before[0] <= lower).all()
        assert (lower <= upper).all()
        assert (upper <= before[1]).all()
        before = (lower, upper)


def test_very_long_sentences_get_simple_bounds() -> None:
    reference = [f"w{number}" for number in range(600)]
    assert bounds([*reference[300:], *reference[:300], "x"], reference) == (1, 600)
    assert bounds(reference[:-5], reference) == (5, 5)


def test_unproven_distances_are_counted() -> None:
    rng = random.Random(4)
    hypotheses = [rng.choices("abcdefgh", k=30) for _ in range(8)]
    references = [[rng.choices("abcdefgh", k=30)] for _ in range(8)]
    segments = Segments.from_text(hypotheses, references)
    lower, upper = long_jump_bounds(segments.texts, limit=0)
    unproven = int(np.count_nonzero(lower < upper))
    with noted(f"{unproven} of 8 distances are not proven"):
        statistics = LongJump(limit=0).statistics(segments)
    assert statistics[:, 0].tolist() == upper.tolist()
    assert statistics[:, 1].tolist() == [30.0] * 8


def test_twenty_five_words_take_at_most_some_hundredths_of_a_second() -> None:
    rng = random.Random(6)
    texts = Texts.from_segments(
        [rng.choices("abcdefgh", k=25) for _ in range(20)],
        [[rng.choices("abcdefgh", k=25)] for _ in range(20)],
    )
    texts.local()
    with within(20 * 0.05):
        lower, upper = long_jump_bounds(texts)
    assert (lower == upper).all()


def test_long_sentences_lie_between_their_words_and_their_edits() -> None:
    rng = random.Random(3)
    one, other = scrambled(rng, 700, 100)
    lower, upper = bounds(one, other)
    assert upper == levenshtein(one, other)
    assert lower == max(len(one), len(other)) - sum((Counter(one) & Counter(other)).values())
    one, other = scrambled(rng, 40_000, 100)
    with within(2):
        bounds(one, other)


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", 500)
    rng = random.Random(9)
    pairs = [scrambled(rng, 20, 10) for _ in range(150)]
    texts = Texts.from_segments([one for one, _ in pairs], [[other] for _, other in pairs])

    def work() -> list[list[float]]:
        found = (*long_jump_bounds(texts, limit=20), inversion_distances(texts))
        return [column.tolist() for column in found]

    one, three = with_threads(work)
    assert one == three


def test_the_best_reference_counts() -> None:
    segments = Segments.from_text(["a b c", "x", "a"], [["c a b z", "a b c"], [], ["", "b"]])
    metric = LongJump()
    assert metric.statistics(segments).tolist() == [[0, 3, 1], [0, 0, 0], [1, 0, 1]]
    assert metric.corpus_score(segments).skipped == 1


@pytest.mark.parametrize(
    ("metric", "option", "values", "message"),
    [
        (LongJump, "limit", [-1, 0.5, "7", True, 2**63], "limit is a whole number from 0"),
        (InversionWordErrorRate, "inversion_cost", [-0.5, nan, inf, 1001], "is a number from 0"),
        (InversionWordErrorRate, "inversion_cost", [0.0001], "at most three decimals, not 0.0001"),
        (InversionWordErrorRate, "max_words", [0, 101, 2.5], "is a whole number from 1 to 100"),
    ],
)
def test_options_out_of_range(metric: Any, option: str, values: list[Any], message: str) -> None:
    for value in values:
        refuses(UsageError, message, metric, **{option: value})


def cheapest_with_miscoverage(candidate: str, reference: str) -> int:
    """Return the least d_CD plus miscoverage of all paths, by Dijkstra's algorithm.

    A word that is read again adds 1 to the miscoverage, and so does one that is never read.
    """
    words, lines = len(candidate), len(reference)
    known: dict[tuple[int, int, int], int] = {}
    heap = [(0, (0, 0, 0))]
    best = words + lines
    while heap:
        cost, state = heappop(heap)
        if cost >= known.get(state, best + 1):
            continue
        known[state] = cost
        i, line, covered = state
        if (i, line) == (words, lines):
            best = min(best, cost + words - covered.bit_count())
        steps = [((k, line, covered), 1) for k in range(words + 1) if k != i]
        if line < lines:
            steps.append(((i, line + 1, covered), 1))
        if i < words:
            again = covered >> i & 1
            after = covered | 1 << i
            steps.append(((i + 1, line, after), 1 + again))
            if line < lines:
                wrong = int(candidate[i] != reference[line])
                steps.append(((i + 1, line + 1, after), wrong + again))
        for each, price in steps:
            heappush(heap, (cost + price, each))
    return best


def test_the_least_cover_distance_with_miscoverage_is_the_long_jump_distance() -> None:
    """Leusch et al. (2006), section 3.4 and footnote 4: so no fast search finds it."""
    texts = ["".join(row) for n in range(4) for row in product("ab", repeat=n)]
    longer = ["abcd", "dcba", "cdab", "abab", "badc", "aabb"]
    for candidate, reference in [*product(texts, repeat=2), *product(longer, repeat=2)]:
        expected = long_jump_distance(candidate, reference)
        assert cheapest_with_miscoverage(candidate, reference) == expected, (candidate, reference)


# -- Paths of the long jump distance, against the exact distance of tiny sentences.


words = st.lists(st.sampled_from("abcd"), max_size=7)


def check(path: GridPath) -> None:
    """Check that a path leads through the grid and takes every word exactly once."""
    walk(path)
    assert path.jumps_in == "hypothesis"
    assert path.coverage == [1] * len(path.hypothesis)


@settings(max_examples=150)
@given(words, words)
def test_it_costs_the_exact_distance(hypothesis: list[str], reference: list[str]) -> None:
    path = long_jump_path(hypothesis, reference)
    check(path)
    assert path.cost == long_jump_distance(hypothesis, reference)
    back = read_in_reference(path.with_exchanged_sentences())
    check(back)
    assert back.cost == path.cost
    assert (back.hypothesis, back.reference) == (path.reference, path.hypothesis)


@settings(max_examples=150)
@given(words, words)
def test_without_jumps_it_costs_the_edit_distance(
    hypothesis: list[str], reference: list[str]
) -> None:
    path = edit_path(hypothesis, reference)
    check(path)
    assert "jump" not in {step.operation for step in path.steps}
    assert path.cost == levenshtein(hypothesis, reference)


def test_blocks_exchanged() -> None:
    rng = random.Random(3)
    for size in (8, 20, 40, 64, 70):
        for _ in range(6):
            reference = [f"w{n}" for n in range(size)]
            cuts = sorted(rng.sample(range(size), 3))
            parts = [reference[a:b] for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
            rng.shuffle(parts)
            hypothesis = [word for part in parts for word in part if rng.random() < 0.95]
            path = long_jump_path(hypothesis, reference)
            check(path)
            texts = Texts.from_segments([hypothesis], [[reference]])
            lower, upper = long_jump_bounds(texts)
            assert lower[0] <= path.cost <= upper[0]


def test_empty_sentences_and_a_search_that_is_cut_short() -> None:
    assert long_jump_path([], []).steps == ()
    assert long_jump_path(["a", "b"], []).summary == "2 deletions: cost 2"
    assert long_jump_path([], ["a"]).summary == "1 insertion: cost 1"
    rng = random.Random(1)
    reference = [f"w{n % 9}" for n in range(40)]
    hypothesis = rng.sample(reference, 40)
    with noted("not excluded within limit=0"):
        check(long_jump_path(hypothesis, reference, limit=0))
    refuses(UsageError, r"long-jump\.limit", long_jump_path, [], [], limit=-1)


def test_paths_of_real_data_cost_what_the_metric_counts() -> None:
    hypotheses = lines("compare-mt-ted/ted.sys1.eng.gz")[:400:4]
    references = lines("compare-mt-ted/ted.ref.eng.gz")[:400:4]
    lower, upper = long_jump_bounds(Texts.from_segments(hypotheses, references))
    jumps = 0
    for row, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True)):
        with any_notes():
            path = long_jump_path(hypothesis.split(), reference.split())
        check(path)
        jumps += "jump" in path.summary
        assert path.cost == upper[row]
    assert (lower == upper).mean() > 0.9
    assert jumps


# -- The inversion distance.


def distance(one: Sentence, other: Sentence, cost: float = 1.0) -> float:
    texts = Texts.from_segments([one], [[other]])
    return float(inversion_distances(texts, inversion_cost=cost)[0])


@settings(deadline=None, max_examples=150)
@given(sentences, sentences, st.sampled_from([0, 0.125, 0.5, 1, 1.75, 3]))
def test_short_sentences_have_the_distance_of_the_recursion(
    one: Sentence, other: Sentence, cost: float
) -> None:
    assert distance(one, other, cost) == inversion_distance(one, other, cost)


@pytest.mark.parametrize("length", [9, 11])
def test_longer_sentences_have_the_distance_of_the_recursion(length: int) -> None:
    rng = random.Random(length)
    for _ in range(2):
        one, other = (rng.choices("abcde", k=length) for _ in range(2))
        assert distance(one, other) == inversion_distance(one, other)
        shuffled = rng.sample(one, length)
        assert distance(one, shuffled, 0.5) == inversion_distance(one, shuffled, 0.5)


def test_free_exchanges_make_nearly_all_orders_and_dear_ones_leave_the_edit_distance() -> None:
    words = list("abcd")
    dear = [order for order in permutations(words) if distance(list(order), words, 0) > 0]
    assert dear == [("b", "d", "a", "c"), ("c", "a", "d", "b")]
    rng = random.Random(3)
    for _ in range(30):
        one, other = (rng.choices("abcdef", k=rng.randrange(15)) for _ in range(2))
        assert distance(one, other, 1000) == levenshtein(one, other)
        assert distance(one, other) <= levenshtein(one, other)
        assert distance(one, other) == distance(other, one)


def test_a_block_costs_as_much_as_an_edit_and_breaks_the_triangle_inequality() -> None:
    front, back = [f"a{number}" for number in range(20)], [f"b{number}" for number in range(30)]
    assert distance(front + back, back + front) == 1
    assert distance(front + back, back + front, 0.25) == 0.25
    assert distance([*front[:-1], "x", *back], back + front) == 2
    orders = [list("abcd"), list("bacd"), list("bdac")]
    steps = [distance(orders[0], orders[1]), distance(orders[1], orders[2])]
    assert steps == [1, 1]
    assert distance(orders[0], orders[2]) == 3


def test_long_sentences_are_left_out_and_counted() -> None:
    segments = Segments.from_text(
        ["a b c", "a b c d", "a b", "a"], [["a b c"], ["a b c d"], ["b a c d", "b a"], []]
    )
    metric = InversionWordErrorRate(max_words=3)
    with noted("2 of 4 references are not compared.*1 segments"):
        statistics = metric.statistics(segments)
    assert statistics.tolist() == [[0, 3, 1], [0, 0, 0], [1, 2, 1], [0, 0, 0]]
    with noted("max_words=3"):
        assert metric.corpus_score(segments).skipped == 2


@pytest.mark.parametrize("most", [1, 49, 50, 51])
def test_the_longest_sentences_are_compared(most: int) -> None:
    words = [f"w{number % 60}" for number in range(most)]
    turned = words[most // 2 :] + words[: most // 2]
    texts = Texts.from_segments([words, turned], [[turned, [*words, "x"]], [words]])
    found = inversion_distances(texts, max_words=most)
    assert found.tolist() == [float(most > 1), np.inf, float(most > 1)]


def test_options_are_in_the_signature() -> None:
    line = str(InversionWordErrorRate(inversion_cost=0.125, max_words=9).signature())
    assert line.startswith("inversion-wer|inversion_cost:0.125|max_words:9|ref_len:best|")
