"""Where words stand, against every reading of the ties; misordered words, counted one by one."""

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from tests.analysis.corpora import Case, broken_under, common, random_case, readings
from tests.refusing import refuses

from wordorder.analysis.boundaries import broken_boundaries, broken_boundary_sections
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus, Placement, placement
from wordorder.analysis.words import misordered_word_sections, misordered_words
from wordorder.errors import InputError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.segments import Segments
from wordorder.treebank.treebank import Treebank

CASES = [random_case(seed) for seed in range(8)]


def rows_of(case: Case, found: Placement) -> list[slice]:
    """Where the words of each sentence stand in the arrays."""
    ends = np.searchsorted(found.sentences, np.arange(len(case.rows) + 1))
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]


@pytest.mark.parametrize("case", CASES)
def test_boundaries_are_broken_as_in_the_best_reading(case: Case) -> None:
    found = placement(case.corpus, case.orders)
    for sentence, place in enumerate(rows_of(case, found)):
        row, groups = common(case.rows[sentence], case.reference[sentence])
        start = int(case.corpus.words.offsets[sentence])
        assert (found.words[place] - start).tolist() == row
        if not row:
            continue
        broken = found.begins[place].tolist()[1:]
        legal = [broken_under(row, reading) for reading in readings(groups)]
        assert sum(broken) == min(map(sum, legal))
        assert broken in legal
        assert not found.begins[place][0]


@pytest.mark.parametrize("case", CASES)
def test_what_is_lost_adds_up(case: Case) -> None:
    """Word by word by hand, and together to what the metric says."""
    found = placement(case.corpus, case.orders)
    # A sentence of whose reference the system has no word scores 0.
    scored = sum(map(bool, case.reference))
    ordered = sum(bool(common(*pair)[0]) for pair in zip(case.rows, case.reference, strict=True))
    assert (found.scored, found.missing) == (scored, scored - ordered)
    for sentence, place in enumerate(rows_of(case, found)):
        words = len(found.words[place])
        broken = [False, *found.begins[place].tolist()[1:], False] if words else []
        lost = found.lost[place].tolist()
        wrong = found.misordered[place].tolist()
        for i in range(words):
            beside = broken[i] + broken[i + 1]
            assert wrong[i] == (beside > 0), sentence
            assert lost[i] == pytest.approx(beside / 2 / max(words - 1, 1) / scored, abs=1e-15)
    score = metric("frs").corpus_score(Segments.from_orders(case.orders, case.corpus.reference))
    missing = (scored - ordered) / scored
    assert score.value == pytest.approx(1 - found.lost.sum() - missing, abs=1e-12)
    assert score.value == pytest.approx(found.frs, abs=1e-12)
    assert found.lost.sum() == pytest.approx(found.cost[found.broken].sum(), abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_displacement_is_that_of_the_reading_in_the_order_of_the_system(case: Case) -> None:
    found = placement(case.corpus, case.orders)
    for sentence, place in enumerate(rows_of(case, found)):
        row, groups = common(case.rows[sentence], case.reference[sentence])
        reading = [word for group in groups for word in sorted(group, key=row.index)]
        expected = [i - reading.index(word) for i, word in enumerate(row)]
        assert found.displacement[place].tolist() == expected


def test_without_words_nothing_is_lost() -> None:
    empty: list[list[list[int]]] = [[], [[]], [[], []]]
    for rows in empty:
        corpus = Corpus(Treebank.from_words([[] for _ in rows]), Orders.from_rows(rows))
        found = placement(corpus, Orders.from_rows(rows))
        assert (len(found.words), len(found.broken), found.scored, found.frs) == (0, 0, 0, 1.0)
    corpus = Corpus(Treebank.from_words([["a"]]), Orders.from_rows([[0]]))
    refuses(InputError, "as many rows", placement, corpus, Orders.from_rows([[0], []]))


# -- Misordered words and broken boundaries.


LONGER = [random_case(seed, sentences=30) for seed in range(20, 24)]


@pytest.mark.parametrize("case", LONGER)
def test_words_are_counted_by_what_they_have_in_common(case: Case) -> None:
    found = placement(case.corpus, case.orders)
    forms = case.corpus.words.form.strings()
    occurs: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    lost: defaultdict[str, float] = defaultdict(float)
    moved: defaultdict[str, list[int]] = defaultdict(list)
    by_sentence: defaultdict[tuple[str, int], float] = defaultdict(float)
    for i, word in enumerate(found.words.tolist()):
        kind = forms[word].lower()
        occurs[kind] += 1
        wrong[kind] += int(found.misordered[i])
        lost[kind] += float(found.lost[i])
        moved[kind].append(int(found.displacement[i]))
        by_sentence[kind, int(found.sentences[i])] += float(found.lost[i])
    counts = misordered_words(found, case.corpus.words.form, str.lower)
    assert dict(zip(counts.values, counts.occurs.tolist(), strict=True)) == occurs
    assert counts.misordered.tolist() == [wrong[kind] for kind in counts.values]
    for i, kind in enumerate(counts.values):
        assert counts.lost[i] == pytest.approx(lost[kind], abs=1e-14)
        assert counts.displacement[i] == pytest.approx(sum(moved[kind]) / occurs[kind])
        assert counts.distance[i] == pytest.approx(sum(map(abs, moved[kind])) / occurs[kind])
        costs = [by_sentence[kind, sentence] for sentence in counts.examples[i]]
        assert costs == pytest.approx(sorted(costs, reverse=True))
        others = [c for (k, _), c in by_sentence.items() if k == kind and c > 0]
        assert len(costs) == min(5, len(others))
        assert costs == pytest.approx(sorted(others, reverse=True)[: len(costs)])
    assert counts.lost.sum() == pytest.approx(
        1 - found.frs - found.missing / found.scored, abs=1e-12
    )
    assert counts.misordered.tolist() == sorted(counts.misordered.tolist(), reverse=True)


@pytest.mark.parametrize("case", LONGER)
def test_boundaries_are_counted_by_the_words_on_both_sides(case: Case) -> None:
    found = placement(case.corpus, case.orders)
    labels = case.corpus.words.label.strings()
    words = found.words.tolist()
    occurs: Counter[tuple[str, str]] = Counter()
    broken: Counter[tuple[str, str]] = Counter()
    turned: Counter[tuple[str, str]] = Counter()
    lost: defaultdict[tuple[str, str], float] = defaultdict(float)
    for b, i in enumerate(found.left.tolist()):
        assert found.sentences[i] == found.sentences[i + 1]
        pair = labels[words[i]], labels[words[i + 1]]
        occurs[pair] += 1
        if found.broken[b]:
            broken[pair] += 1
            lost[pair] += float(found.cost[b])
            turned[pair] += int(found.displacement[i + 1] - found.displacement[i] > 1)
    counts = broken_boundaries(found, case.corpus.words.label)
    pairs = list(zip(counts.left, counts.right, strict=True))
    assert dict(zip(pairs, counts.broken.tolist(), strict=True)) == broken
    assert counts.occurs.tolist() == [occurs[pair] for pair in pairs]
    assert counts.turned.tolist() == [turned[pair] for pair in pairs]
    assert counts.lost.tolist() == pytest.approx([lost[pair] for pair in pairs], abs=1e-14)
    assert counts.lost.sum() == pytest.approx(
        1 - found.frs - found.missing / found.scored, abs=1e-12
    )


def test_tables_are_made_of_what_is_known() -> None:
    """Columns that say nothing have no table; a parser's tags go before those of the corpus."""
    corpus = Corpus(Treebank.from_words([["a", "b"]]), Orders.from_rows([[1, 0]]))
    found = placement(corpus, Orders.from_rows([[0, 1]]))
    bare = AnalysedSystem("A", Orders.from_rows([[0, 1]]), found.lost[:1], found.misordered[:1])
    look = AnalysedOrders.of(corpus, [bare], metric("frs"))
    assert [section.key for section in misordered_word_sections(look)] == ["words-by-form"]
    (boundaries,) = broken_boundary_sections(look)
    assert (boundaries.key, boundaries.rows[0][:2]) == ("boundaries-by-form", ("a", "b"))
    parsed = Treebank.from_words([["a", "b"]], upos=[["X", "Y"]], label=[["p", "q"]])
    tagged = Treebank.from_words([["a", "b"]], upos=[["N", "V"]])
    system = AnalysedSystem("A", bare.orders, bare.scores, bare.skipped, parsed)
    look = AnalysedOrders.of(Corpus(tagged, corpus.reference), [system], metric("frs"))
    sections = misordered_word_sections(look)
    shown = [section.key for section in sections]
    assert shown == [*("words-by-form", "words-by-upos", "words-by-label")]
    assert {row[0] for row in sections[1].rows} == {"X", "Y"}


def test_a_perfect_system_misorders_nothing() -> None:
    corpus = Corpus(Treebank.from_words([["a", "b"]]), Orders.from_rows([[0, 1]]))
    orders = Orders.from_rows([[0, 1]])
    found = placement(corpus, orders)
    system = AnalysedSystem("A", orders, found.cost, found.broken)
    look = AnalysedOrders.of(corpus, [system], metric("frs"))
    (words,) = misordered_word_sections(look)
    (boundaries,) = broken_boundary_sections(look)
    assert words.rows == boundaries.rows == words.examples == ()
    assert words.reading == "A misorders no word."
    assert boundaries.reading == "A breaks no boundary."
