"""Phrase pairs, probabilities, lexical weights and orientations are those of the slow twin."""

import gzip
import math
import os
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import fisher_exact, hypergeom
from tests.oracles_phrases import SlowPhrases
from tests.refusing import refuses
from tests.threads import with_threads
from tests.translation.tables import entries, random_table

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged
from wordorder.errors import UsageError
from wordorder.kernels import alignment as kernel
from wordorder.kernels._run import call
from wordorder.translation.extraction import (
    PhrasePairs,
    WordTranslations,
    check_phrase_limit,
    compute_log_p_values,
    extract_phrase_pairs,
    find_significant_pairs,
)
from wordorder.translation.phrase_table import (
    ORIENTATION_SMOOTHING,
    PhraseTable,
    build_phrase_table,
)

Rows = Sequence[Sequence[int]]

LinkRows = Sequence[Sequence[tuple[int, int]]]

# Of real text: the slow twin takes a second for them.
SENTENCES = 150


@st.composite
def aligned_text(
    draw: st.DrawFn,
) -> tuple[list[list[int]], list[list[int]], list[list[tuple[int, int]]]]:
    """Draw a few sentence pairs over few words, with any links."""
    source, target, links = [], [], []
    for _ in range(draw(st.integers(0, 4))):
        source.append(draw(st.lists(st.integers(1, 3), max_size=7)))
        target.append(draw(st.lists(st.integers(3, 5), max_size=7)))
        cells = [(s, t) for s in range(len(source[-1])) for t in range(len(target[-1]))]
        some = st.lists(st.sampled_from(cells), unique=True, max_size=9) if cells else st.just([])
        links.append(draw(some))
    return source, target, links


def extracted(source: Rows, target: Rows, links: LinkRows, longest: int) -> PhrasePairs:
    sides = Ragged.from_rows(source), Ragged.from_rows(target)
    return extract_phrase_pairs(*sides, Alignments.from_rows(links), longest)


def built(source: Rows, target: Rows, links: LinkRows, longest: int, limit: int) -> PhraseTable:
    pairs = extracted(source, target, links, longest)
    sides = Ragged.from_rows(source), Ragged.from_rows(target)
    return build_phrase_table(
        pairs, WordTranslations.of(*sides, Alignments.from_rows(links)), limit=limit
    )


def spelled(pairs: PhrasePairs) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    sides = pairs.source_ngrams.spelled(pairs.source), pairs.target_ngrams.spelled(pairs.target)
    return [(tuple(f.tolist()), tuple(e.tolist())) for f, e in zip(*sides, strict=True)]


def check_pairs(slow: SlowPhrases, pairs: PhrasePairs) -> None:
    """Counts, links and orientations of all pairs."""
    names = spelled(pairs)
    assert len(set(names)) == len(names) == len(slow.counts)
    for name, count, mask, directions in zip(
        names, pairs.counts.tolist(), pairs.masks.tolist(), pairs.directions.tolist(), strict=True
    ):
        assert count == slow.counts[name]
        assert mask == sum(1 << (8 * s + t) for s, t in slow.best_links(name))
        assert directions[:3] == [slow.previous[name][kind] for kind in range(3)]
        assert directions[3:] == [slow.next[name][kind] for kind in range(3)]


def check_table(slow: SlowPhrases, table: PhraseTable, limit: int) -> None:
    """Scores, orientations and links of all entries; each group is as long as it may be."""
    groups: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    for (f, e), row in entries(table).items():
        groups.setdefault(f, {})[e] = row
    assert [*groups] == sorted({f for f, _ in slow.counts})
    for f, found in groups.items():
        known = {e: n for (x, e), n in slow.counts.items() if x == f}
        assert len(found) == min(limit, len(known))
        counts = [known[e] for e in found]
        assert sorted(known.values(), reverse=True)[:limit] == counts
        for e, row in found.items():
            lexical = slow.lexical((f, e))
            expected = [slow.inverse((f, e)), lexical[0], slow.direct((f, e)), lexical[1]]
            assert np.exp(table.scores[row]) == pytest.approx(expected, rel=1e-5)
            reordering = slow.reordering((f, e), ORIENTATION_SMOOTHING)
            assert table.reordering[row] == pytest.approx(reordering, rel=1e-4, abs=1e-5)
            links = table.links[table.link_offsets[row] : table.link_offsets[row + 1]]
            assert list(map(tuple, links.tolist())) == sorted(slow.best_links((f, e)))
        equal = [
            (count, table.scores[row, 3]) for count, row in zip(counts, found.values(), strict=True)
        ]
        assert equal == sorted(equal, reverse=True)


@settings(max_examples=120, deadline=None)
@given(aligned_text(), st.integers(1, 8), st.integers(1, 4))
def test_any_links(text: tuple[Rows, Rows, LinkRows], longest: int, limit: int) -> None:
    slow = SlowPhrases(*text, longest)
    check_pairs(slow, extracted(*text, longest))
    check_table(slow, built(*text, longest, limit), limit)


@pytest.fixture(scope="module")
def real() -> tuple[Rows, Rows, LinkRows]:
    """Real sentence pairs: of the data where they are, else of the sample of the package."""
    folder = os.environ.get("WORDORDER_DATA")
    if folder:
        paths = [Path(folder, "small_parallel_enja", f"dev.{side}.gz") for side in ("en", "ja")]
        sides = [gzip.decompress(path.read_bytes()).decode().splitlines() for path in paths]
    else:
        sample = Path(str(wo.__file__)).parent / "samples" / "enja"
        names = ("source.en", "target.ja")
        sides = [(sample / name).read_text("utf-8").splitlines() for name in names]
    links = [list(row.links) for row in wo.align(*sides)]
    words: dict[str, int] = {}
    numbers = [
        [[words.setdefault(word, len(words) + 3) for word in line.split()] for line in side]
        for side in sides
    ]
    return numbers[0][:SENTENCES], numbers[1][:SENTENCES], links[:SENTENCES]


def test_real_links(real: tuple[Rows, Rows, LinkRows]) -> None:
    slow = SlowPhrases(*real, 5)
    pairs = extracted(*real, 5)
    assert len(pairs) > 1000
    check_pairs(slow, pairs)


def test_the_table_of_real_links(real: tuple[Rows, Rows, LinkRows]) -> None:
    few = real[0][:12], real[1][:12], real[2][:12]
    slow = SlowPhrases(*few, 4)
    check_table(slow, built(*few, 4, 3), 3)


def test_probabilities_sum_to_one(real: tuple[Rows, Rows, LinkRows]) -> None:
    table = built(*real, 5, 10**6)
    direct, inverse = (np.exp(table.scores[:, column], dtype=float) for column in (2, 0))
    assert np.add.reduceat(direct, table.entry_offsets[:-1]) == pytest.approx(1, abs=1e-6)
    by_target: dict[tuple[int, ...], float] = {}
    for words, share in zip(Ragged(table.target_words, table.target_offsets), inverse, strict=True):
        by_target[tuple(words.tolist())] = by_target.get(tuple(words.tolist()), 0) + share
    assert list(by_target.values()) == pytest.approx([1] * len(by_target), abs=1e-5)
    shares = np.exp(table.reordering, dtype=float).reshape(-1, 3).sum(axis=1)
    assert shares == pytest.approx(1, abs=1e-6)


def test_the_same_with_any_number_of_threads(real: tuple[Rows, Rows, LinkRows]) -> None:
    # So many that they are cut into pieces.
    many = list(real[0]) * 80, list(real[1]) * 80, list(real[2]) * 80
    tables = with_threads(lambda: built(*many, 5, 20))
    for name in PhraseTable.__dataclass_fields__:
        one, other = (getattr(table, name) for table in tables)
        assert one.tobytes() == other.tobytes(), name


# -- The phrase table finds what is in it, and nothing else. ---------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_options_are_those_of_a_dictionary(seed: int) -> None:
    rng = random.Random(seed)
    kinds = rng.choice([1, 2, 5, 30])
    table = random_table(rng, kinds)
    source = Ragged(table.source_words, table.source_offsets)
    entries = table.entry_offsets.tolist()
    known = {tuple(row.tolist()): entries[p : p + 2] for p, row in enumerate(source)}
    lengths = [0, 1, 2, 3, 9, 20]
    rows = [[rng.randint(-1, kinds + 2) for _ in range(length)] for length in lengths]
    # A phrase of the table between two words that it may not know.
    rows.append([kinds + 1, *source[0].tolist(), 0])
    first, last = table.options(Ragged.from_rows(rows))
    at, found = 0, 0
    for row in rows:
        for i in range(len(row)):
            for k in range(1, table.longest + 1):
                phrase = tuple(row[i : i + k]) if i + k <= len(row) else ()
                given = [first[at], last[at]]
                if phrase in known:
                    assert given == known[phrase]
                    found += 1
                else:
                    assert given[0] == given[1]
                at += 1
    assert at == len(first) == len(last)
    assert found


# -- Significance pruning: Fisher's exact test, and counts of sentences. ---------------------------

Sides = tuple[PhrasePairs, Ragged, Ragged, Alignments]


def log_p(sentences: int, source: int, target: int, meetings: int) -> float:
    found = np.empty(1, np.float64)
    counts = (np.array([count], np.int64) for count in (source, target, meetings))
    factorials = np.zeros(sentences + 1, np.float64)
    call(kernel.add_logarithms, factorials, 1, sentences + 1)
    call(kernel.log_probabilities, factorials, sentences, *counts, found, 0, 1)
    return float(found[0])


def test_all_small_tables_are_those_of_scipy() -> None:
    for sentences in (1, 2, 5, 9):
        for source in range(1, sentences + 1):
            for target in range(1, sentences + 1):
                for both in range(max(0, source + target - sentences), min(source, target) + 1):
                    rest = sentences - source - target + both
                    table = [[both, source - both], [target - both, rest]]
                    expected = fisher_exact(table, alternative="greater").pvalue
                    found = math.exp(log_p(sentences, source, target, both))
                    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("sentences", "source", "target", "both"),
    [(50000, 1, 1, 1), (50000, 3000, 2500, 200), (50000, 20000, 30000, 12100), (10**6, 40, 50, 12)],
)
def test_large_tables_are_those_of_scipy(
    sentences: int, source: int, target: int, both: int
) -> None:
    expected = hypergeom(sentences, source, target).logsf(both - 1)
    assert log_p(sentences, source, target, both) == pytest.approx(expected, rel=1e-9)


def test_phrases_that_occur_once_have_the_p_value_of_the_paper() -> None:
    """Johnson et al. 2007, section 3: the logarithm of the number of sentence pairs."""
    assert -log_p(50000, 1, 1, 1) == pytest.approx(math.log(50000))


@pytest.fixture(scope="module")
def drawn() -> Sides:
    rng = random.Random(3)
    source = [[rng.randint(1, 6) for _ in range(rng.randint(1, 6))] for _ in range(60)]
    target = [[word + 2 for word in row] for row in source]
    links = Alignments.from_rows([[(i, i) for i in range(len(row))] for row in source])
    sides = Ragged.from_rows(source), Ragged.from_rows(target)
    return extract_phrase_pairs(*sides, links, 3), *sides, links


def has(row: list[int], phrase: list[int]) -> bool:
    return any(row[i : i + len(phrase)] == phrase for i in range(len(row)))


def test_sentences_are_counted_once_however_often_a_phrase_is_in_them(drawn: Sides) -> None:
    pairs, source, target, _ = drawn
    found = compute_log_p_values(pairs, source, target)
    rows = list(zip(source.to_lists(), target.to_lists(), strict=True))
    sides = pairs.source_ngrams.spelled(pairs.source), pairs.target_ngrams.spelled(pairs.target)
    for f, e, value in zip(sides[0].to_lists(), sides[1].to_lists(), found.tolist(), strict=True):
        counts = [0, 0, 0]
        for one, other in rows:
            seen = has(one, f), has(other, e)
            counts = [counts[0] + seen[0], counts[1] + seen[1], counts[2] + all(seen)]
        expected = hypergeom(len(rows), counts[0], counts[1]).logsf(counts[2] - 1)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_limits_leave_out_more_and_more(drawn: Sides) -> None:
    pairs, source, target, _ = drawn
    values = compute_log_p_values(pairs, source, target)
    once = -math.log(len(source))
    kept = {
        limit: find_significant_pairs(pairs, source, target, limit)
        for limit in ("a-e", "a+e", 0.01)
    }
    assert set(kept["a+e"]) < set(kept["a-e"])
    # Of the pairs whose phrases occur once, one keeps all and the other none.
    between = np.setdiff1d(kept["a-e"], kept["a+e"])
    assert values[between] == pytest.approx(once)
    assert (values[kept[0.01]] <= math.log(0.01)).all()
    assert 0 < len(kept[0.01]) < len(pairs)


def test_what_is_kept_has_the_probabilities_that_it_had(drawn: Sides) -> None:
    pairs, source, target, links = drawn
    lexicon = WordTranslations.of(source, target, links)
    whole = build_phrase_table(pairs, lexicon)
    kept = find_significant_pairs(pairs, source, target, "a+e")
    pruned = build_phrase_table(pairs, lexicon, selected=kept)
    assert 0 < pruned.entries == len(kept) < whole.entries
    known = entries(whole)
    for pair, row in entries(pruned).items():
        assert pruned.scores[row].tolist() == whole.scores[known[pair]].tolist()


@pytest.mark.parametrize("limit", [0, 1, -0.5, "x", True, float("nan")])
def test_wrong_limits(limit: object) -> None:
    refuses(
        UsageError, r"prune is a p-value between 0 and 1, a\+e or a-e", check_phrase_limit, limit
    )
