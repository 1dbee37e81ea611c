"""The inversion distance against its recursion."""

import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.oracles_jumps import inversion_distance, levenshtein
from tests.threads import with_threads

from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.messages import WordOrderWarning
from wordorder.metrics.text.edits import InversionWordErrorRate, inversion_distances
from wordorder.segments import Segments
from wordorder.text.texts import Texts

Sentence = list[str]

sentences = st.lists(st.sampled_from("abcd"), max_size=6)


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


def test_free_exchanges_make_all_orders_but_two_of_four_words() -> None:
    words = list("abcd")
    dear = [order for order in permutations(words) if distance(list(order), words, 0) > 0]
    assert dear == [("b", "d", "a", "c"), ("c", "a", "d", "b")]


def test_dear_exchanges_leave_the_edit_distance() -> None:
    rng = random.Random(3)
    for _ in range(30):
        one, other = (rng.choices("abcdef", k=rng.randrange(15)) for _ in range(2))
        assert distance(one, other, 1000) == levenshtein(one, other)
        assert distance(one, other) <= levenshtein(one, other)
        assert distance(one, other) == distance(other, one)


def test_a_block_costs_as_much_as_an_edit() -> None:
    front, back = [f"a{number}" for number in range(20)], [f"b{number}" for number in range(30)]
    assert distance(front + back, back + front) == 1
    assert distance(front + back, back + front, 0.25) == 0.25
    assert distance([*front[:-1], "x", *back], back + front) == 2


def test_the_triangle_inequality_does_not_hold() -> None:
    orders = [list("abcd"), list("bacd"), list("bdac")]
    steps = [distance(orders[0], orders[1]), distance(orders[1], orders[2])]
    assert steps == [1, 1]
    assert distance(orders[0], orders[2]) == 3


def test_long_sentences_are_left_out_and_counted() -> None:
    segments = Segments.from_text(
        ["a b c", "a b c d", "a b", "a"], [["a b c"], ["a b c d"], ["b a c d", "b a"], []]
    )
    metric = InversionWordErrorRate(max_words=3)
    with pytest.warns(WordOrderWarning, match="2 of 4 references are not compared.*1 segments"):
        statistics = metric.statistics(segments)
    assert statistics.tolist() == [[0, 3, 1], [0, 0, 0], [1, 2, 1], [0, 0, 0]]
    with pytest.warns(WordOrderWarning, match="max_words=3"):
        assert metric.corpus_score(segments).skipped == 2


@pytest.mark.parametrize("most", [1, 49, 50, 51])
def test_the_longest_sentences_are_compared(most: int) -> None:
    words = [f"w{number % 60}" for number in range(most)]
    turned = words[most // 2 :] + words[: most // 2]
    texts = Texts.from_segments([words, turned], [[turned, [*words, "x"]], [words]])
    found = inversion_distances(texts, max_words=most)
    assert found.tolist() == [float(most > 1), np.inf, float(most > 1)]


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", 500)
    rng = random.Random(9)
    pairs = [[rng.choices("abcdefghij", k=14) for _ in range(2)] for _ in range(100)]
    texts = Texts.from_segments([one for one, _ in pairs], [[other] for _, other in pairs])
    one, three = with_threads(lambda: inversion_distances(texts).tolist())
    assert one == three


def test_options_are_in_the_signature() -> None:
    line = str(InversionWordErrorRate(inversion_cost=0.125, max_words=9).signature())
    assert line.startswith("inversion-wer|inversion_cost:0.125|max_words:9|ref_len:best|")


@pytest.mark.parametrize("cost", [-0.5, float("nan"), float("inf"), 1001])
def test_costs_are_numbers_from_0(cost: float) -> None:
    with pytest.raises(UsageError, match="inversion_cost is a number from 0"):
        InversionWordErrorRate(inversion_cost=cost)


def test_costs_have_three_decimals() -> None:
    with pytest.raises(UsageError, match="at most three decimals, not 0.0001"):
        InversionWordErrorRate(inversion_cost=0.0001)


@pytest.mark.parametrize("words", [0, 101, 2.5])
def test_the_longest_sentence_has_1_to_100_words(words: int) -> None:
    with pytest.raises(UsageError, match="max_words is a whole number from 1 to 100"):
        InversionWordErrorRate(max_words=words)
