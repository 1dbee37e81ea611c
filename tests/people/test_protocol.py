"""Protocols, scales and items: what is asked, and what is refused with its place."""

import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.notes import noted
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.people.items import InputText, control_items, rating_items
from wordorder.people.plan import fewest_raters, max_items, rating_plan
from wordorder.people.protocol import Protocol, Scale, rating_protocol, read_scale


def scale_of(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "scale.toml"
    path.write_text(f"[scale]\n{text}\n", "utf-8")
    return path


def test_a_scale_with_labels_is_read_and_asked(tmp_path: Path) -> None:
    text = 'min = 1\nmax = 5\nratings = 2\nmax_share = 0.5\nlabels = { 1 = "bad", "5" = "good" }'
    protocol = rating_protocol("scale", scale=scale_of(tmp_path, text))
    assert protocol.scale == Scale("points", 1, 5, 1, {"1": "bad", "5": "good"})
    assert (protocol.outputs, protocol.ratings, protocol.max_share) == ("all", 2, 0.5)
    assert protocol.check([1, 5], ["x", "y"], {}) == [1, 5]
    assert Protocol.of_text(protocol.as_text()) == protocol
    assert rating_protocol("scale", scale=scale_of(tmp_path, text), ratings=3).ratings == 3


def test_steps_that_no_binary_number_hits_are_legal(tmp_path: Path) -> None:
    scale, _ = read_scale(scale_of(tmp_path, "min = 0\nmax = 1\nstep = 0.1"))
    assert [scale.value(n / 10, "answer") for n in range(11)] == [n / 10 for n in range(11)]
    for between in (0.05, 0.3001, 1.1, -0.1, float("inf"), "0.1", None):
        refuses(InputError, "a number from 0 to 1 in steps of 0.1", scale.value, between, "answer")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('colour = "red"', 2, "unknown key 'colour'"),
        ('type = "dial"', 2, "type is 'dial'; expected one of points, slider"),
        ("min = 5\nmax = 5", 3, "max is 5; expected more than min, 5"),
        ("step = 7", 2, "step is 7; expected a part of 0 to 100"),
        ("step = 0", 2, "step is 0"),
        ("max = 100", 1, "101 points; expected at most 21"),
        ("max = nan", 2, "max is nan; expected a number"),
        ("min = true", 2, "min is True; expected a number"),
        ('max = 6\nlabels = { 7 = "x" }', 3, "the rating 7"),
        ('max = 6\nlabels = { bad = "x" }', 3, "a label of 'bad'; expected a number"),
        ("max = 6\nlabels = { 6 = 1 }", 3, "the label of 6 is no text"),
        ("max = 6\nratings = 0", 3, "ratings is 0; expected a whole number from 1"),
        ("max = 6\nmax_share = 1.5", 3, "max_share is 1.5"),
        ('max = 6\noutputs = "two"', 3, "outputs is 'two'; expected one of all, one"),
    ],
)
def test_a_wrong_scale_is_refused_at_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_scale(scale_of(tmp_path, text))
    assert f"scale.toml:{line}: {message}" in str(caught.value) or (
        line == 1 and message in str(caught.value)
    )


def test_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    refuses(UsageError, "unknown value for protocol 'talbott'", rating_protocol, "talbott")
    refuses(UsageError, "protocol scale: a scale: name its file", rating_protocol, "scale")
    with pytest.raises(UsageError, match="talbot has one of its own"):
        rating_protocol("talbot", scale=scale_of(tmp_path, "max = 6"))
    for share in (0, -1, 1.01, float("nan")):
        refuses(UsageError, "the largest share", rating_protocol, "talbot", max_share=share)


def texts(*columns: list[str]) -> list[InputText]:
    return [InputText(str(n), f"{n}.txt", lines) for n, lines in enumerate(columns)]


def test_items_are_sentences_pairs_or_single_outputs() -> None:
    source, reference, a, b, c = texts(["s"] * 2, ["r"] * 2, ["a", "x"], ["b", "x"], ["c", "c"])
    systems = [("A", a), ("B", b), ("C", c)]

    def found(outputs: str) -> list[tuple[int, str]]:
        items = rating_items(source, reference, systems, outputs)
        return [(item.line, "".join(output.system for output in item.outputs)) for item in items]

    assert found("all") == [(1, "ABC"), (2, "ABC")]
    assert found("one") == [(1, "A"), (1, "B"), (1, "C"), (2, "A"), (2, "B"), (2, "C")]
    with noted(r"left out 1 pair of equal outputs \(17 %\)"):
        assert found("pair") == [(1, "AB"), (1, "AC"), (1, "BC"), (2, "AC"), (2, "BC")]


def test_only_references_of_some_lengths_are_asked_about() -> None:
    source, reference, a = texts(["s"] * 4, ["r", "r r", "r r r", "r r r r"], list("abcd"))
    with noted(r"left out 2 sentences of 4 \(50 %\)"):
        items = rating_items(source, reference, [("A", a)], words=(2, 3))
    assert [item.line for item in items] == [2, 3]
    with (
        noted("left out 4 sentences"),
        pytest.raises(UsageError, match="nothing to rate"),
    ):
        rating_items(source, reference, [("A", a)], words=(15, 30))


def test_inputs_that_do_not_fit_are_refused() -> None:
    source, reference, a, short = texts(["s"] * 2, ["r"] * 2, ["a", "b"], ["a"])
    with pytest.raises(InputError, match=r"0.txt: 2 lines, but 3.txt has 1"):
        rating_items(source, reference, [("A", a), ("B", short)])
    refuses(UsageError, "between two systems", rating_items, source, reference, [("A", a)], "pair")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source\treference\tbetter\tworse\n", ":1: no column explanation"),
        ("source\treference\tbetter\tworse\texplanation\n", "no control item"),
        ("source\treference\tbetter\tworse\texplanation\ns\tr\ta\ta\tx\n", ":2: better and worse"),
        ("source\treference\tbetter\tworse\texplanation\ns\tr\ta\t\tx\n", ":2: worse is empty"),
        ("source\treference\tbetter\tworse\texplanation\ns\tr\ta\tb\t\n", ":2: explanation is em"),
    ],
)
def test_wrong_control_items_are_refused_at_their_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "control.tsv"
    path.write_text(text, "utf-8")
    refuses(InputError, message, control_items, path)


# -- The plan of who rates what: every bound kept, whatever the sizes. -----------------------------


def check_bounds(
    plan: list[np.ndarray], items: int, raters: int, ratings: int, share: Fraction
) -> None:
    """Check what a plan promises, in the slow and obvious way."""
    assert len(plan) == raters
    number = Counter(item for rows in plan for item in rows.tolist())
    assert number == dict.fromkeys(range(items), ratings)
    lengths = [len(rows) for rows in plan]
    assert max(lengths) - min(lengths) <= 1
    for rows in plan:
        assert len(set(rows.tolist())) == len(rows)
        assert len(rows) <= share * items


@given(
    items=st.integers(1, 60),
    ratings=st.integers(1, 5),
    more=st.integers(0, 40),
    percent=st.integers(1, 100),
    seed=st.integers(0, 99),
)
def test_every_bound_is_kept_or_the_plan_is_refused(
    items: int, ratings: int, more: int, percent: int, seed: int
) -> None:
    share = Fraction(percent, 100)
    try:
        needed = fewest_raters(items, ratings, percent / 100)
    except UsageError:
        assert share * items < 1
        return
    raters = needed + more
    plan = rating_plan(items, raters, ratings=ratings, max_share=percent / 100, seed=seed)
    check_bounds(plan, items, raters, ratings, share)
    # One rater fewer cannot do it: too few for an item, or for the share of each.
    assert needed - 1 < ratings or (needed - 1) * (share * items // 1) < items * ratings
    if needed > 1:
        with pytest.raises(UsageError, match=f"give {needed} raters or more"):
            rating_plan(items, needed - 1, ratings=ratings, max_share=percent / 100, seed=seed)


def test_ten_thousand_items_and_a_hundred_raters_take_less_than_two_seconds() -> None:
    before = time.process_time()
    plan = rating_plan(10_000, 100, ratings=3, max_share=0.03, seed=1)
    assert time.process_time() - before < 2
    check_bounds(plan, 10_000, 100, 3, Fraction(3, 100))
    # Exactly the share of each: nothing is left over.
    assert {len(rows) for rows in plan} == {300}


def test_the_seed_decides() -> None:
    first, again, other = (rating_plan(50, 10, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_any_two_raters_meet() -> None:
    """Were it always the same three on an item, nobody could say who of them rates high."""
    plan = rating_plan(200, 12, ratings=3)
    sets = [set(rows.tolist()) for rows in plan]
    assert all(a & b for n, a in enumerate(sets) for b in sets[:n])


@pytest.mark.parametrize(("items", "raters"), [(10_000, 99), (34, 100), (34, 3), (5, 2)])
def test_too_few_raters_are_refused_with_what_would_do(items: int, raters: int) -> None:
    share = 0.03 if items >= 34 else 1.0
    with pytest.raises(UsageError) as caught:
        rating_plan(items, raters, max_share=share)
    words = str(caught.value).replace(",", "").split()
    needed = int(words[words.index("give") + 1])
    assert needed == {10_000: 100, 34: 102, 5: 3}[items]
    rating_plan(items, needed, max_share=share)
    if words[-2] == "--max-share":
        rating_plan(items, raters, max_share=float(words[-1]))


def test_too_few_items_are_refused() -> None:
    with pytest.raises(UsageError, match=r"33 items: one is more .* 0.03 .* give 34 items"):
        rating_plan(33, 1000, max_share=0.03)
    refuses(UsageError, "nothing to rate", rating_plan, 0, 3)


def test_a_share_is_taken_as_it_is_written() -> None:
    """In binary .29 of 100 is less than 29."""
    assert int(0.29 * 100) == 28
    assert [max_items(100, percent / 100) for percent in range(1, 101)] == list(range(1, 101))
