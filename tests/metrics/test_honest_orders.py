"""What order metrics make of translations that leave words out: nothing is gained by it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.order.common_words import CommonWords, repeated_unequally
from wordorder.training import tune_files

NAMES = ("frs", "frs-boundary", "kendall", "spearman", "hamming", "ulam", "exact", "pet")
ROWS = st.lists(st.permutations(range(6)), min_size=1, max_size=6)
WORDS = "abcdefghij"


def value(name: str, hypothesis: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Score a translation whose words are all different, by the rules as they are written down."""
    best: tuple[Fraction, Fraction] | None = None
    for reference in references:
        matched = [word for word in hypothesis if word in reference]
        if not reference:
            continue
        ranks = sorted(map(list(reference).index, matched))
        order = tuple(ranks.index(list(reference).index(word)) for word in matched)
        few = len(matched) < min(2, len(reference))
        score = Fraction(0) if few else Fraction(oracles.METRICS[name](order))
        f1 = Fraction(2 * len(matched), len(hypothesis) + len(reference))
        best = max(best or (f1, score), (f1, score))
    assert best is not None
    return float(best[1])


@given(st.data())
@pytest.mark.parametrize("name", NAMES)
def test_values_follow_the_written_rules(name: str, data: st.DataObject) -> None:
    some_words = st.lists(st.sampled_from(WORDS), unique=True, max_size=7)
    references = data.draw(st.lists(some_words.filter(bool), min_size=1, max_size=3))
    hypothesis = data.draw(some_words)
    texts = [" ".join(hypothesis)], [[" ".join(words) for words in references]]
    segments = wo.Segments.from_text(*texts, aligner="exact")
    assert wo.metric(name).segment_scores(segments).tolist() == pytest.approx(
        [value(name, hypothesis, references)], abs=1e-12
    )


def translations(rows: Sequence[Sequence[int]]) -> list[str]:
    return [" ".join(WORDS[word] for word in row) for row in rows]


@given(ROWS, st.data())
@pytest.mark.parametrize("average", ["segment", "micro", "length"])
@pytest.mark.parametrize("name", ["frs", "kendall", "kendall-sqrt", "spearman", "ulam"])
def test_blanked_lines_never_raise_a_score(
    name: str, average: str, rows: list[list[int]], data: st.DataObject
) -> None:
    outputs, references = translations(rows), ["a b c d e f"] * len(rows)
    blank = data.draw(st.sets(st.sampled_from(range(len(rows)))))
    silent = ["" if row in blank else text for row, text in enumerate(outputs)]
    metric = wo.metric(name, average=average)
    honest = metric.corpus_score(outputs, references, aligner="exact").value
    assert metric.corpus_score(silent, references, aligner="exact").value <= honest + 1e-12


@given(ROWS, st.lists(st.sampled_from("abxyz"), min_size=1, max_size=6))
@pytest.mark.parametrize("name", [*NAMES, "kendall-sqrt", "pef-recursive", "lrscore", "senscore"])
def test_a_reference_that_matches_worse_changes_nothing(
    name: str, rows: list[list[int]], other: list[str]
) -> None:
    outputs = translations(rows)
    one = wo.Segments.from_text(outputs, [["a b c d e f"]] * len(rows), aligner="exact")
    two = [["a b c d e f", " ".join(other)]] * len(rows)
    both = wo.Segments.from_text(outputs, two, aligner="exact")
    scored = [wo.metric(name, **bleu_left_out(name)) for _ in range(2)]
    first, second = (m.segment_scores(s) for m, s in zip(scored, (one, both), strict=True))
    assert first == pytest.approx(second, abs=1e-15)


def bleu_left_out(name: str) -> dict[str, float]:
    # BLEU takes n-grams of all references, by its definition; only the order is tried here.
    return {"alpha": 1.0} if name == "lrscore" else {}


def test_the_options_bring_the_former_values_back() -> None:
    # A reversed sentence, a blank line, and one word of a longer reference.
    outputs, references = ["c b a", "", "a"], ["a b c", "a b", "a b"]
    segments = wo.Segments.from_text(outputs, references, aligner="exact")
    wanted = {"zero": [0.0, 0.0, 0.0], "skip": [0.0, None, None], "one": [0.0, None, 1.0]}
    for few, values in wanted.items():
        metric = wo.metric("frs", few=few)
        found = [None if np.isnan(v) else v for v in metric.segment_scores(segments).tolist()]
        assert found == values
        assert metric.corpus_score(segments).skipped == values.count(None)
        assert f"few:{few}" in str(metric.signature())
    # A cost of 0 would be the best one: what is left unsaid has none.
    assert wo.metric("tree-cost").corpus_score(segments).skipped == 2


def test_an_order_without_words_is_wrong_and_one_that_drops_words_is_not() -> None:
    segments = wo.Segments.from_orders([[], [2], [1, 0]], [[0, 1], [0, 1, 2], [1, 0]])
    assert wo.metric("frs").segment_scores(segments).tolist() == [0.0, 1.0, 1.0]


def test_links_of_outputs() -> None:
    source, reference = ["s t u v"] * 3, ["1 2 3 4"] * 3
    gold = Alignments.from_rows([[(0, 3), (1, 2), (2, 1)]] * 3)
    # Nothing linked; two words in the right order; three in the wrong one.
    system = Alignments.from_rows([[], [(0, 1), (1, 0)], [(0, 0), (1, 1), (2, 2)]])
    rows = source, ["1 2 3 4"] * 3, reference, system, gold
    segments = wo.Segments.from_alignments(*rows)
    metric = wo.metric("kendall")
    assert metric.segment_scores(segments).tolist() == [0.0, 1.0, 0.0]
    assert "null:drop" in str(metric.corpus_score(segments).signature)
    # With all source words, as before: s t u v against u v t s has one pair of six right.
    former = wo.Segments.from_alignments(*rows, unaligned="previous")
    assert metric.segment_scores(former)[0] == pytest.approx(1 / 6)
    assert "null:previous" in str(metric.corpus_score(former).signature)
    # lrscore keeps the paper's permutation in both.
    scores = [wo.metric("lrscore").segment_scores(s).tolist() for s in (segments, former)]
    assert scores[0] == scores[1]
    for s in (segments, former):
        assert "null:previous" in str(wo.metric("lrscore").corpus_score(s).signature)
    parts = wo.Segments.concatenate([segments[:1], segments[1:]])
    assert metric.segment_scores(parts).tolist() == [0.0, 1.0, 0.0]


PAIR_TEXTS = st.lists(
    st.tuples(*[st.lists(st.sampled_from(WORDS), unique=True, max_size=7)] * 2), min_size=1
)


@given(PAIR_TEXTS)
def test_words_that_two_systems_share(rows: list[tuple[list[str], list[str]]]) -> None:
    references = [" ".join(WORDS[:8])] * len(rows)
    sides = [
        wo.Segments.from_text([" ".join(row[side]) for row in rows], references, aligner="exact")
        for side in (0, 1)
    ]
    found = CommonWords.of(*sides)
    wanted: list[list[list[int]]] = [[], []]
    for row in rows:
        shared = sorted(set(row[0]) & set(row[1]) & set(WORDS[:8]))
        shared = shared if len(shared) > 1 else []
        for side in (0, 1):
            wanted[side].append([shared.index(word) for word in row[side] if word in shared])
    assert [each.permutation.to_lists() for each in found.systems] == wanted
    counts = [len(row) for row in wanted[0]]
    assert (found.words, found.segments) == (sum(counts), sum(n > 0 for n in counts))
    assert found.reference_words == 8 * len(rows)
    for metric in (wo.metric("frs"), wo.metric("kendall", average="micro")):
        for each in found.systems:
            assert metric.corpus_score(each).skipped == counts.count(0)


# The stem of each word.
STEMS = {"walk": "walk", "walks": "walk", "walked": "walk", "home": "home", "homes": "home"}
FEW_WORDS = st.lists(st.sampled_from(list(STEMS)), max_size=6)


@pytest.mark.parametrize("aligner", ["exact", "exact+stem"])
@given(st.lists(st.tuples(FEW_WORDS, FEW_WORDS, FEW_WORDS), min_size=1))
def test_words_that_one_system_repeats_more_often_are_not_compared(
    aligner: str, rows: list[tuple[list[str], list[str], list[str]]]
) -> None:
    *outputs, references = (joined([row[n] for row in rows]) for n in range(3))
    sides = [wo.Segments.from_text(text, references, aligner=aligner) for text in outputs]
    stems = STEMS if aligner == "exact+stem" else {word: word for word in STEMS}
    wanted: list[list[list[int]]] = [[], []]
    for n, (first, second, reference) in enumerate(rows):
        # The aligner chooses among equal words; each match has the rank of its place.
        matches = []
        for side in sides:
            assert side.reference_words is not None
            places = side.reference_words[n : n + 1].values
            matches.append([int(places[rank]) for rank in side.permutation[n : n + 1].values])
        shared = sorted(
            place
            for place in {*matches[0]} & {*matches[1]}
            if oracles.choices(first, reference, reference[place], stems)
            == oracles.choices(second, reference, reference[place], stems)
        )
        shared = shared if len(shared) > 1 else []
        for row, order in zip(wanted, matches, strict=True):
            row.append([shared.index(place) for place in order if place in shared])
    found = CommonWords.of(*sides)
    assert [each.permutation.to_lists() for each in found.systems] == wanted
    parts = [wo.Segments.concatenate([side[:1], side[1:]]) for side in sides]
    assert [each.permutation.to_lists() for each in CommonWords.of(*parts).systems] == wanted


# A copy may have another form that matches, or one form may say several of the reference.
COPIES = [
    ("exact+stem", "now we walk home", "walk home now we", "now walks home we walked", 3),
    ("exact+stem", "he walks and she walked", "she walked and he walks", "she walk and he walk", 3),
    ("exact+stem", "a walk he walks", "he walks a walk", "a walk he walk", 2),
    ("exact+stem", "a walk he walks", "he walks a walk", "he walk a walks walked", 4),
    ("exact+stem", "we walk home", "walk home we", "walk home we walks", 3),
    ("exact+stem", "we walk home", "walks home we", "we walk home", 3),
    ("synonyms", "a big tree of ours", "of ours a big tree", "a large tree of ours huge", 4),
    ("synonyms", "a big tree", "tree a large", "huge tree a", 3),
]


@pytest.mark.parametrize(("aligner", "reference", "first", "second", "number"), COPIES)
def test_copies_of_another_form_are_not_compared(
    aligner: str, reference: str, first: str, second: str, number: int, tmp_path: Path
) -> None:
    matching: Any = aligner
    if aligner == "synonyms":
        (tmp_path / "sets").write_text("big large huge\n")
        matching = MonolingualAligner("en", synonyms=tmp_path / "sets")
    sides = (
        wo.Segments.from_text([text], [reference], aligner=matching) for text in (first, second)
    )
    assert CommonWords.of(*sides).words == number


def test_words_that_a_copy_repeats_at_other_places_are_not_compared() -> None:
    reference = ["a b c d e f"] * 3
    honest = ["c a b e d f", "f e d c b a", "a b d c e f"]
    copies = ["c a b e c d f f", "a b f e d c b a", "c a d b d c e f"]
    sides = (wo.Segments.from_text(text, reference, aligner="exact") for text in (honest, copies))
    common = CommonWords.of(*sides)
    assert common.words == 4 + 4 + 4
    rows = [each.permutation.to_lists() for each in common.systems]
    assert rows[0] == rows[1] == [[0, 1, 3, 2], [3, 2, 1, 0], [0, 1, 2, 3]]


def test_the_reference_of_a_pair_is_the_one_that_both_match_best() -> None:
    references = [["x y z", "a b c d"]]
    one, two = (
        wo.Segments.from_text([text], references, aligner="exact") for text in ("b a x y", "a b c")
    )
    assert CommonWords.of(one, two).systems[0].permutation.to_lists() == [[1, 0]]


def test_tied_and_linked_words_that_two_systems_share() -> None:
    source, texts = ["s t u v"], (["1 2 3 4"], ["1 2 3 4"])
    gold = Alignments.from_rows([[(0, 0), (1, 0), (2, 1), (3, 2)]])
    systems = [
        Alignments.from_rows([links]) for links in ([(3, 0), (1, 1), (0, 2)], [(1, 3), (3, 2)])
    ]
    one, two = (
        wo.Segments.from_alignments(source, texts[0], texts[1], links, gold, "talbot")
        for links in systems
    )
    # Both link t and v: the first has v t, the second too; the reference t v.
    for each in CommonWords.of(one, two).systems:
        assert each.permutation.to_lists() == [[1, 0]]
        assert each.groups is None or each.groups.to_lists() == [[1, 0]]


@given(ROWS, st.data())
def test_a_copy_with_blank_lines_is_equal_on_common_words(
    rows: list[list[int]], data: st.DataObject
) -> None:
    outputs, references = translations(rows), ["a b c d e f"] * len(rows)
    blank = data.draw(st.sets(st.sampled_from(range(len(rows)))))
    silent = ["" if row in blank else text for row, text in enumerate(outputs)]
    sides = (wo.Segments.from_text(text, references, aligner="exact") for text in (outputs, silent))
    one, two = CommonWords.of(*sides).systems
    for name in ("frs", "kendall", "pet", "exact"):
        assert np.array_equal(wo.metric(name).statistics(one), wo.metric(name).statistics(two))


def less_said(rows: list[list[str]], draw: random.Random) -> dict[str, list[list[str]]]:
    """Return translations of which lines or words are missing, doubled or in another language."""
    half = set(draw.sample(range(len(rows)), (len(rows) + 1) // 2))
    words = {word for row in rows for word in row if draw.random() < 0.3}
    return {
        "blank": [[] if n in half else row for n, row in enumerate(rows)],
        "foreign": [["z"] * len(row) if n in half else row for n, row in enumerate(rows)],
        "one": [row[:1] if n in half else row for n, row in enumerate(rows)],
        "cut": [row[:3] for row in rows],
        "deleted": [[word for word in row if word not in words] for row in rows],
        "repeated": [[word for word in row for _ in range(1 + (word in words))] for row in rows],
        "elsewhere": [repeated_elsewhere(row, draw) for row in rows],
        "inflected": [inflected_copies(row, draw) for row in rows],
    }


def repeated_elsewhere(row: list[str], draw: random.Random) -> list[str]:
    """Repeat some words of a row at other places."""
    longer = list(row)
    for word in draw.sample(row, min(3, len(row))):
        longer.insert(draw.randint(0, len(longer)), word)
    return longer


def inflected_copies(row: list[str], draw: random.Random) -> list[str]:
    """Give some words of a row two endings, one at its place and one at another."""
    longer = list(row)
    for word in draw.sample(row, min(3, len(row))):
        longer[longer.index(word)] = f"{word}s"
        longer.insert(draw.randint(0, len(longer)), f"{word}'s")
    return longer


TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), unique=True, min_size=2, max_size=9), min_size=2, max_size=8
)


def joined(rows: Sequence[Sequence[str]]) -> list[str]:
    return [" ".join(row) for row in rows]


@pytest.mark.allow_notes
@settings(max_examples=5)
@given(TEXTS, st.integers(0, 999))
def test_saying_less_never_wins_a_comparison(rows: list[list[str]], seed: int) -> None:
    # Words that are long enough to have a stem.
    rows = [[f"{word}an" for word in row] for row in rows]
    references = [[f"{word}an" for word in WORDS[:8]]] * len(rows)
    systems = {"honest": rows, **less_said(rows, random.Random(seed))}
    found = wo.compare(
        {name: joined(lines) for name, lines in systems.items()},
        joined(references),
        ["frs", "kendall"],
        aligner="exact+stem",
        resamples=20,
    )
    columns = found.to_columns()
    names = ("a", "b", "difference", "mark")
    for a, b, difference, mark in zip(*(columns[name] for name in names), strict=True):
        # Nor does any of them order the words that it shares with another one better; of two that
        # repeat the same word, either may have it where it suits.
        if not {a, b} <= {"repeated", "elsewhere", "inflected"}:
            assert not difference, (a, b)
            assert mark in ("0", "not compared")


@pytest.mark.allow_notes
@settings(max_examples=5)
@given(TEXTS, st.integers(0, 999))
def test_silence_never_raises_a_score_in_pieces_or_whole(rows: list[list[str]], seed: int) -> None:
    references = joined([WORDS[:8]] * len(rows))
    draw = random.Random(seed)
    others = less_said(rows, draw)
    cut = draw.randrange(1, len(rows))
    for name in ("frs", "kendall", "ulam"):
        values = {}
        for system in ("blank", "foreign", "one"):
            lines = {"honest": joined(rows), "cheat": joined(others[system])}
            values = wo.score(lines, references, name, aligner="exact").values()
            assert values["cheat"][name] <= values["honest"][name]
            running = Accumulator(wo.metric(name))
            for part in (slice(None, cut), slice(cut, None)):
                running.update(
                    wo.Segments.from_text(lines["cheat"][part], references[part], aligner="exact")
                )
            assert running.compute().value == pytest.approx(values["cheat"][name], abs=1e-12)


@pytest.mark.allow_notes
@settings(max_examples=5)
@given(TEXTS, st.lists(st.sampled_from("axyz"), unique=True, min_size=1, max_size=4))
def test_a_worse_reference_changes_no_score_and_no_comparison(
    rows: list[list[str]], other: list[str]
) -> None:
    text, worse = " ".join(WORDS), " ".join([*other, *"zyxzyxzyx"])
    one, two = [(text,)] * len(rows), [(text, worse)] * len(rows)
    systems = {"A": joined(rows), "B": joined([row[::-1] for row in rows])}
    found = [
        wo.compare(systems, each, "frs,kendall", aligner="exact", resamples=20)
        for each in (one, two)
    ]
    assert found[0].to_columns()["difference"] == found[1].to_columns()["difference"]
    scores = [wo.score(systems, each, "frs,kendall", aligner="exact") for each in (one, two)]
    assert scores[0].values() == scores[1].values()


def test_two_outputs_joined_do_not_win_a_comparison() -> None:
    # From either half the match takes the longer runs.
    references, honest = ["a b c d e f g h"] * 2, ["a b c d h g f e"] * 2
    other = ["d c b a e f g h"] * 2
    both = [" ".join(pair) for pair in zip(honest, other, strict=True)]
    sides = (wo.Segments.from_text(text, references, aligner="exact") for text in (honest, both))
    one, two = (
        wo.metric("frs").corpus_score(text, references, aligner="exact").value
        for text in (honest, both)
    )
    assert one < two
    assert CommonWords.of(*sides).words == 0


@given(ROWS, st.data())
def test_links_that_are_left_out_win_nothing(rows: list[list[int]], data: st.DataObject) -> None:
    number = len(rows)
    texts = ["s t u v w x"] * number, ["1 2 3 4 5 6"] * number
    links = [list(enumerate(row)) for row in rows]
    kept = data.draw(st.sets(st.sampled_from([(n, i) for n in range(number) for i in range(6)])))
    fewer = [[link for link in row if (n, link[0]) in kept] for n, row in enumerate(links)]
    silent = [row if len(row) == 6 else [] for row in fewer]
    gold = Alignments.from_rows([[(i, 5 - i) for i in range(6)]] * number)
    honest, less, least = (
        wo.Segments.from_alignments(texts[0], texts[1], texts[1], Alignments.from_rows(each), gold)
        for each in (links, fewer, silent)
    )
    for name in ("frs", "kendall", "pet"):
        metric = wo.metric(name)
        for each in (less, least):
            one, two = CommonWords.of(honest, each).systems
            assert np.array_equal(metric.statistics(one), metric.statistics(two))
        assert metric.corpus_score(least).value <= metric.corpus_score(honest).value + 1e-12


@pytest.mark.parametrize("method", ["mert", "mira"])
def test_tuning_does_not_choose_candidates_that_say_nothing(tmp_path: Path, method: str) -> None:
    (tmp_path / "reference.txt").write_text("a b c d e\n" * 3)
    candidates = {"a c b d e": "1 0 0", "": "0 1 0", "a": "0 0 1"}
    rows = [
        f"{n} ||| {text} ||| A= {features} ||| 0\n"
        for n in range(3)
        for text, features in candidates.items()
    ]
    (tmp_path / "list.nbest").write_text("".join(rows))
    options: dict[str, Any] = {"starts": 3} if method == "mert" else {}
    found = tune_files(
        str(tmp_path / "list.nbest"),
        str(tmp_path / "reference.txt"),
        "frs",
        aligner="exact",
        reranked=str(tmp_path / "best.nbest"),
        method=method,
        **options,
    )
    assert found.value == pytest.approx(0.25)
    first = (tmp_path / "best.nbest").read_text().splitlines()[0]
    assert first.startswith("0 ||| a c b d e |||")


def test_copies_by_phrases_are_counted_beyond_one_byte(tmp_path: Path) -> None:
    """200 words match a phrase in 398 ways, 72 in 142, which is the same modulo 256."""
    path = tmp_path / "paraphrases.txt"
    path.write_text("0.5\na b\nx\n0.5\na b\nx x\n")
    aligner = MonolingualAligner("en", ("exact", "stem", "paraphrase"), None, path)
    many, few = (
        wo.Segments.from_text([" ".join("x" * n)], ["a b"], aligner=aligner) for n in (200, 72)
    )
    unequal = repeated_unequally(many, few)
    assert unequal is not None
    assert unequal.tolist() == [True, True]
