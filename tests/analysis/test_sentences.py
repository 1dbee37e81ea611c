"""The worst sentences, those where systems differ, groups of them; and how they are written."""

import random
from itertools import pairwise

import numpy as np
import pytest
from tests.analysis.corpora import Case, common, random_case, random_trees
from tests.refusing import refuses

from wordorder.analysis.breakdown import score_breakdown, score_breakdown_sections, tree_depths
from wordorder.analysis.corpus import AnalysedOrders, Corpus, placement, scored_system
from wordorder.analysis.order_texts import MAX_SHOWN_WORDS, reference_text, result_text
from wordorder.analysis.sentence_tables import worst_sentences
from wordorder.analysis.sentences import (
    sentence_difference_section,
    sentence_differences,
    worst_sentence_section,
)
from wordorder.analysis.tally import Bins, signed_bins, signed_names
from wordorder.analysis.word_distances import word_distance_section, word_distances
from wordorder.errors import InputError
from wordorder.metrics.order.chunks import FuzzyReorderingScore
from wordorder.metrics.registry import metric
from wordorder.order.orders import Order, Orders
from wordorder.statistics.intervals import ResamplingPlan
from wordorder.treebank.treebank import Margin, Treebank

CASES = [random_case(seed, sentences=25) for seed in range(60, 63)]


class LowerIsBetter(FuzzyReorderingScore):
    """FRS, taken for an error rate."""

    higher_is_better = False


def rival(case: Case) -> list[list[int]]:
    """Other orders of the same words."""
    draw = random.Random(3)
    return [draw.sample(row, len(row)) if draw.random() < 0.7 else row for row in case.rows]


@pytest.mark.parametrize("case", CASES)
def test_the_worst_sentence_comes_first(case: Case) -> None:
    system = case.system()
    view = AnalysedOrders.of(case.corpus, [system], metric("frs"))
    lengths = case.corpus.words.lengths.tolist()
    scored = [i for i in range(len(case.rows)) if not system.skipped[i]]
    expected = sorted(scored, key=lambda i: (round(float(system.scores[i]), 9), -lengths[i], i))
    assert worst_sentences(view).tolist() == expected
    section = worst_sentence_section(view, rows=7)
    assert [row[0] for row in section.rows] == [i + 1 for i in expected[:7]]
    assert section.examples == tuple((i,) for i in expected[:7])
    assert section.header == (
        *("sentence", "frs", "words", "broken", "source", "system order", "reference order"),
    )
    for row, i in zip(section.rows, expected, strict=False):
        words = len(common(case.rows[i], case.reference[i])[0])
        wanted = 1 - int(str(row[3])) / max(words - 1, 1) if words else 0
        assert row[1] == pytest.approx(wanted)
        assert str(row[5]).count("¦") == row[3]


@pytest.mark.parametrize("case", CASES)
def test_differences_are_those_of_the_scores(case: Case) -> None:
    first = case.system()
    orders = Orders.from_rows(rival(case))
    second = scored_system("B", orders, case.corpus, metric("frs"))
    plan = ResamplingPlan(resamples=200)
    look = AnalysedOrders.of(case.corpus, [first, second], metric("frs"), plan)
    found = sentence_differences(look)
    gaps = [
        float(a - b) if not (s or t) else 0.0
        for a, b, s, t in zip(
            first.scores, second.scores, first.skipped, second.skipped, strict=True
        )
    ]
    assert found.difference.tolist() == pytest.approx(gaps)
    assert (found.better, found.worse) == (sum(g > 0 for g in gaps), sum(g < 0 for g in gaps))
    both = int(np.count_nonzero(~first.skipped & ~second.skipped))
    assert found.better + found.worse + found.equal == both
    assert found.mean == pytest.approx(sum(gaps) / both)
    assert found.interval[0] <= found.mean <= found.interval[1]
    assert found.other_order == sum(a != b for a, b in zip(case.rows, rival(case), strict=True))
    sizes = [abs(gaps[i]) for i in found.ranked.tolist()]
    assert sizes == pytest.approx(sorted(filter(None, map(abs, gaps)), reverse=True))
    back = sentence_differences(look.only(1, 0))
    assert (back.better, back.worse, back.mean) == (found.worse, found.better, -found.mean)
    section = sentence_difference_section(look, rows=4)
    assert [row[0] for row in section.rows] == [i + 1 for i in found.ranked.tolist()[:4]]
    assert section.header[-3:] == ("system order of A", "system order of B", "reference order")


def test_groups_and_differences_score_as_the_metric_scores_a_corpus() -> None:
    """Micro: 1 minus broken neighbours over all neighbours, not the mean of the sentences."""
    rows = {
        "A": [[1, 0], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 5, 4], [1, 0, 2, 3, 4, 5]],
        "B": [[0, 1], [5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]],
    }
    reference = [list(range(len(row))) for row in rows["A"]]

    def micro(name: str, sentences: list[int]) -> float:
        pairs = [pair for i in sentences for pair in pairwise(rows[name][i])]
        return sum(b == a + 1 for a, b in pairs) / len(pairs)

    words = Treebank.from_words([[str(word) for word in row] for row in reference])
    corpus = Corpus(words, Orders.from_rows(reference))
    frs = metric("frs(average=micro)")
    look = AnalysedOrders.of(
        corpus,
        [scored_system(name, Orders.from_rows(rows[name]), corpus, frs) for name in "AB"],
        frs,
    )
    (by_length,) = (
        section
        for section in score_breakdown_sections(look, word_distances(corpus), None)
        if section.key == "score-by-length"
    )
    found = [[row[3], row[6]] for row in by_length.rows]
    expected = [[micro(name, group) for name in "AB"] for group in ([0], [1, 2, 3])]
    np.testing.assert_allclose(np.array(found, np.float64), expected)
    whole = micro("A", [0, 1, 2, 3]) - micro("B", [0, 1, 2, 3])
    reading = sentence_difference_section(look).reading
    assert f"The difference on all sentences together is {whole:+.4f} FRS" in reading
    # The means differ in the other direction.
    assert np.mean([a - b for a, b in zip(*(s.scores for s in look.systems), strict=True)]) < 0


def test_less_is_better_turns_all_around_and_orders_of_other_lengths_differ() -> None:
    case = CASES[0]
    system = case.system()
    expected = worst_sentences(AnalysedOrders.of(case.corpus, [system], metric("frs"))).tolist()
    system.scores[:] = 1 - system.scores
    other = case.system("B")
    other.scores[:] = 0
    plan = ResamplingPlan(resamples=10)
    look = AnalysedOrders.of(case.corpus, [system, other], LowerIsBetter(), plan)
    assert worst_sentences(look).tolist() == expected
    found = sentence_differences(look)
    assert found.better == 0
    assert found.worse == np.count_nonzero(system.scores[~system.skipped])
    corpus = Corpus(Treebank.from_words([["a", "b"]] * 2), Orders.from_rows([[0, 1]] * 2))
    first = scored_system("A", Orders.from_rows([[0], [0, 1]]), corpus, metric("frs"))
    second = scored_system("B", Orders.from_rows([[0, 1], [0, 1]]), corpus, metric("frs"))
    look = AnalysedOrders.of(corpus, [first, second], metric("frs"))
    assert sentence_differences(look).other_order == 1


def test_sentences_are_written_with_their_chunks_and_ties() -> None:
    """Katz-Brown et al. (2011), Figure 1's manner: what stands together stays together."""
    words = ["she", "can", "read", "it", "now"]
    margin = Margin(("# sent_id = s-1",))
    bank = Treebank.from_words([words])
    bank = Treebank(bank.offsets, bank.heads, bank.columns, [margin])
    corpus = Corpus(bank, Orders.from_rows([[0, [3, 4], 2]]))
    system = scored_system("A", Orders.from_rows([[0, 1, 2, 3, 4]]), corpus, metric("frs"))
    view = AnalysedOrders.of(corpus, [system], metric("frs"))
    assert view.sentence_texts(0, 0) == (
        "she can read it now",
        "she ⟦can⟧ ¦ read ¦ it now",
        "she {{ it now }} read",
    )
    section = worst_sentence_section(view)
    assert section.header[:2] == ("sentence", "id")
    assert section.rows[0][:2] == (1, "s-1")


def test_long_sentences_are_cut() -> None:
    words = ["w"] * (MAX_SHOWN_WORDS + 5)
    order = list(range(len(words)))
    assert result_text(words, order, [False] * len(words)).endswith(" w ... 5 more words")
    assert reference_text(words, Order((tuple(order),))).startswith("{{ w w ")


def test_orders_must_fit_the_sentences() -> None:
    words = Treebank.from_words([["a", "b"], []])
    good = Orders.from_rows([[1, 0], []])
    corpus = Corpus(words, good)
    frs = metric("frs")
    for bad in ([[0, 1]], [[0, 2], []], [[0, 1], [0]]):
        refuses(InputError, "A", scored_system, "A", Orders.from_rows(bad), corpus, frs)
    with pytest.raises(InputError, match="the reference, sentence 2"):
        scored_system("A", good, Corpus(words, Orders.from_rows([[0], [0]])), frs)
    with pytest.raises(InputError, match="the trees of A"):
        scored_system("A", good, corpus, frs, treebank=Treebank.from_words([["a"], ["b"]]))
    skipped = scored_system("A", good, corpus, frs)
    assert (skipped.skipped.tolist(), skipped.scores.tolist()) == ([False, True], [1.0, 0.0])


# -- Scores of groups of sentences, and what the groups are made of.


GROUPED = [random_case(seed, sentences=30) for seed in range(40, 43)]


def test_bins_hold_what_their_names_say() -> None:
    bins = Bins((1, 6, 11))
    for number in range(1, 30):
        name = bins.names[int(bins.of(np.array([number]))[0])]
        low, _, high = name.rstrip("+").partition("-")
        assert int(low) <= number
        assert name.endswith("+") or number <= int(high or low)
    assert bins.of(np.array([0])).tolist() == [0]
    signed = Bins((0, 1, 3))
    for number in range(-9, 10):
        name = signed_names(signed)[int(signed_bins(signed, np.array([number]))[0])]
        assert name.endswith("left") == (number < 0)
        assert name.endswith("right") == (number > 0)
        assert name.split()[0] == signed.names[int(signed.of(np.array([abs(number)]))[0])]


def test_depths_are_those_of_the_trees() -> None:
    bank = random_trees(random.Random(5), [0, 1, 2, 9, 40, 0, 3])
    assert tree_depths(bank).tolist() == [tree.depth for tree in bank]
    depths = bank.depths
    for sentence, tree in enumerate(bank):
        for word in range(1, len(tree) + 1):
            steps, at = 0, word
            while at:
                steps, at = steps + 1, tree.heads[at - 1]
            assert depths[bank.offsets[sentence] + word - 1] == steps
    size = 100_000
    bank = Treebank.from_words([["a"] * size], heads=[list(range(size))])
    assert tree_depths(bank).tolist() == [size]


@pytest.mark.parametrize("case", GROUPED)
def test_words_move_as_far_as_the_reference_moves_them(case: Case) -> None:
    found = word_distances(case.corpus)
    for sentence, groups in enumerate(case.reference):
        start = int(case.corpus.words.offsets[sentence])
        reading = [word for group in groups for word in sorted(group)]
        moves = []
        for word in range(int(case.corpus.words.lengths[sentence])):
            assert found.in_reference[start + word] == (word in reading)
            if word in reading:
                moves.append(reading.index(word) - sorted(reading).index(word))
                assert found.distance[start + word] == moves[-1]
            else:
                assert found.distance[start + word] == 0
        assert found.longest[sentence] == max(map(abs, moves), default=0)
        assert found.mean[sentence] == pytest.approx(np.mean(np.abs(moves)) if moves else 0)


@pytest.mark.parametrize("case", GROUPED)
def test_words_by_distance_lose_all_that_is_lost(case: Case) -> None:
    found = placement(case.corpus, case.orders)
    look = AnalysedOrders.of(case.corpus, [case.system()], metric("frs"))
    section = word_distance_section(look, word_distances(case.corpus))
    assert section.header[-1] == "FRS lost x100 of A"
    lost = 1 - found.frs - found.missing / found.scored
    assert sum(float(str(row[-1])) for row in section.rows) == pytest.approx(100 * lost)
    shown = sum(int(str(row[1])) for row in section.rows)
    assert shown == len(case.corpus.reference.positions.values)
    assert len(section.examples) == len(section.rows)


@pytest.mark.parametrize("case", GROUPED)
def test_a_row_is_the_mean_of_its_sentences(case: Case) -> None:
    first, second = case.system(), case.system("B")
    second.scores[:] = first.scores / 2
    lengths = case.corpus.words.lengths
    groups = np.minimum(lengths, 4)
    names = ["none", "one", "two", "three", "many"]
    found = score_breakdown(groups, names, lengths, [first, second], resamples=50)
    rows = dict(zip(found.names, found.estimates, strict=True))
    for group, name in enumerate(names):
        members = np.flatnonzero((groups == group) & ~first.skipped)
        assert (name in rows) == bool(len(members))
        if len(members):
            mean = first.scores[members].mean()
            assert [each.value for each in rows[name] if each] == pytest.approx([mean, mean / 2])
            assert all(each.low <= each.value <= each.high for each in rows[name] if each)
            shown = found.examples[found.names.index(name)]
            lowest = sorted(first.scores[members])[: len(shown)]
            assert first.scores[list(shown)].tolist() == pytest.approx(lowest)
    assert sum(found.sentences) == np.count_nonzero(~first.skipped)


def test_tables_by_trees_need_trees() -> None:
    case = GROUPED[0]
    moved = word_distances(case.corpus)
    system = case.system()
    keys = ["score-by-length", "score-by-mean-distance", "score-by-longest-distance"]
    look = AnalysedOrders.of(case.corpus, [system], metric("frs"), ResamplingPlan(resamples=20))
    sections = score_breakdown_sections(look, moved, None)
    assert [section.key for section in sections] == keys
    sections = score_breakdown_sections(look, moved, case.corpus.words)
    found = [section.key for section in sections]
    assert found == [*keys, *("score-by-depth", "score-by-projectivity")]
    for section in sections:
        assert section.header[3:] == ("frs of A", "low of A", "high of A")
        assert sum(int(str(row[1])) for row in section.rows) == np.count_nonzero(~system.skipped)


def test_mean_distances_stand_where_their_names_say() -> None:
    """The edges: a mean of 0, below 1, of exactly 1 and 2."""
    bank = Treebank.from_words([["a"] * 4] * 4)
    rows = [[0, 1, 2, 3], [1, 0, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0]]
    corpus = Corpus(bank, Orders.from_rows(rows))
    assert word_distances(corpus).mean.tolist() == [0, 0.5, 1, 2]
    system = scored_system("A", Orders.from_rows(rows), corpus, metric("frs"))
    look = AnalysedOrders.of(corpus, [system], metric("frs"), ResamplingPlan(resamples=5))
    section = score_breakdown_sections(look, word_distances(corpus), None)[1]
    found = [row[:2] for row in section.rows]
    assert found == [("0", 1), ("below 1", 1), ("1 to 2", 1), ("2 to 3", 1)]


def test_readings_of_ties_and_of_nothing() -> None:
    words = Treebank.from_words([["a"] * n for n in (2, 3, 9)])

    def readings(reference: list[list[int]], rows: list[list[int]]) -> list[str]:
        corpus = Corpus(words, Orders.from_rows(reference))
        system = scored_system("A", Orders.from_rows(rows), corpus, metric("frs"))
        look = AnalysedOrders.of(corpus, [system], metric("frs"), ResamplingPlan(resamples=20))
        found = score_breakdown_sections(look, word_distances(corpus), None)
        return [section.reading for section in found]

    kept = [list(range(n)) for n in (2, 3, 9)]
    assert readings(kept, kept) == [
        "By length, A scores FRS 1.0000 everywhere.",
        "All scored sentences are in one row: 0.",
        "All scored sentences are in one row: 0.",
    ]
    assert set(readings([[], [], []], kept)) == {"A has no scored sentence."}
