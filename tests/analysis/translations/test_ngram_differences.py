"""N-grams that one system gets right and another does not, counted with dictionaries."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binomtest
from tests.analysis.translations.test_words import charged
from tests.analysis.translations.translated import (
    REAL,
    Lines,
    drawn_lines,
    random_lines,
    real_lines,
    ted_lines,
    words_of,
)

from wordorder.analysis.translations import ngrams as module
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.ngrams import (
    RightNgrams,
    examples_of,
    ngram_differences,
    ngram_points,
    ngram_sections,
    ngram_text,
    occurrences,
)
from wordorder.analysis.translations.translations import TranslatedSystem
from wordorder.kernels import _run

Counts = dict[str, dict[int, int]]


def ngrams(line: str) -> Counter[str]:
    words = words_of(line)
    return Counter(
        " ".join(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1)
    )


def right(outputs: list[str], references: list[list[str]]) -> Counts:
    """Return for each n-gram in which segments it is right, and how often."""
    found: Counts = defaultdict(dict)
    for segment, (output, rows) in enumerate(zip(outputs, references, strict=True)):
        several = [ngrams(row) for row in rows]
        for ngram, count in ngrams(output).items():
            clipped = min(count, max((each[ngram] for each in several), default=0))
            if clipped:
                found[ngram][segment] = clipped
    return found


def check(lines: Lines) -> None:
    found = translations_of(lines.systems, lines.references, metrics="cder")
    shared = RightNgrams.of([system.texts for system in found.systems])
    expected = [right(system, lines.references) for system in lines.systems.values()]
    compared = ngram_differences(shared, 0, 1)
    texts = [ngram_text(words, found.texts) for words in compared.words]
    assert len(set(texts)) == len(texts)
    first, second, *_ = expected
    p_values = []
    for i, text in enumerate(texts):
        ours, theirs = first.get(text, {}), second.get(text, {})
        either = {*ours, *theirs}
        more = sum(ours.get(s, 0) > theirs.get(s, 0) for s in either)
        less = sum(ours.get(s, 0) < theirs.get(s, 0) for s in either)
        assert (compared.first_more[i], compared.second_more[i]) == (more, less)
        assert compared.first[i] == sum(ours.values())
        assert compared.second[i] == sum(theirs.values())
        expected_p = binomtest(more, more + less, 0.5).pvalue
        assert compared.p_values[i] == pytest.approx(expected_p, rel=1e-9)
        p_values.append((expected_p, more + less >= 6))
    different = {t for t in {*first, *second} if first.get(t, {}) != second.get(t, {})}
    assert compared.differing == len(different)
    # All that are tested are listed, and the first hundred of the others.
    untested = [p for p, enough in p_values if not enough]
    tests = {t for t in different if _sentences(first, second, t) >= 6}
    assert different >= set(texts) >= tests
    assert len(untested) == min(len(different) - len(tests), 100)
    left = [
        binomtest(_more(first, second, t), _sentences(first, second, t)).pvalue
        for t in different.difference(texts)
    ]
    assert max(untested, default=0) <= min(left, default=1) + 1e-9
    # Holm: reject the smallest at .05 / m, the next at .05 / (m - 1), ... until one fails.
    tested = sorted(p for p, enough in p_values if enough)
    assert compared.tested == len(tested)
    rejected = 0
    while rejected < len(tested) and tested[rejected] <= 0.05 / (len(tested) - rejected):
        rejected += 1
    assert np.count_nonzero(compared.corrected <= 0.05) == rejected
    assert (np.diff(compared.p_values) >= 0).all()
    some = compared.words[:20]
    for text, count in zip(texts, occurrences(found.texts, some).tolist(), strict=False):
        assert count == sum(
            max((ngrams(row)[text] for row in rows), default=0) for rows in lines.references
        )
    for text, segments in zip(texts, examples_of(shared, 0, 1, some), strict=False):
        assert 0 < len(segments) <= 5
        for segment in segments:
            ours, theirs = first.get(text, {}), second.get(text, {})
            assert ours.get(segment, 0) != theirs.get(segment, 0)


def _more(first: Counts, second: Counts, ngram: str) -> int:
    """Count the segments in which the first system gets an n-gram right more often."""
    ours, theirs = first.get(ngram, {}), second.get(ngram, {})
    return sum(ours.get(s, 0) > theirs.get(s, 0) for s in ours)


def _sentences(first: Counts, second: Counts, ngram: str) -> int:
    """Count the segments in which two systems differ."""
    return _more(first, second, ngram) + _more(second, first, ngram)


def test_ngrams_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences are the same however many n-grams are put side by side at a time."""
    lines = random_lines(5, segments=80, words="abcdefghijk")
    found = translations_of(lines.systems, lines.references, metrics="cder")
    shared = RightNgrams.of([system.texts for system in found.systems])
    whole = ngram_differences(shared, 0, 1)
    monkeypatch.setattr(module, "SPAN_NGRAMS", 7)
    monkeypatch.setattr(_run, "PIECE_NUMBERS", 20)
    parts = ngram_differences(RightNgrams.of(shared.systems), 0, 1)
    for name, column in vars(whole).items():
        assert np.array_equal(column, getattr(parts, name), equal_nan=name == "corrected"), name


@given(drawn_lines())
@settings(max_examples=25)
def test_ngrams_of_any_texts(lines: Lines) -> None:
    check(lines)


@pytest.mark.parametrize("seed", range(4))
def test_ngrams_of_random_texts(seed: int) -> None:
    check(random_lines(seed, segments=60, words="abc" if seed % 2 else "abcdefghijk"))


@pytest.mark.parametrize("vocabulary", [5, 1 << 15, 1 << 16, 1 << 30])
def test_vocabularies_whose_ngrams_need_more_than_64_bits(vocabulary: int) -> None:
    random = np.random.default_rng(vocabulary)
    kinds = random.integers(0, vocabulary, (30, 4)).astype(np.int32)
    kinds[:, :2] %= 3
    rows = kinds[random.integers(0, 30, 200)]
    distinct, numbers = module._numbered(rows, vocabulary)
    assert distinct[numbers].tolist() == rows.tolist()
    assert sorted(distinct.tolist()) == sorted(map(list, {tuple(r) for r in rows.tolist()}))


@pytest.mark.parametrize("name", REAL)
def test_ngrams_of_real_translations(name: str) -> None:
    check(real_lines(name, 60))


# -- Tables of n-grams: what is listed, and what n-grams cost, step by step. -----------------------


def slow_points(system: TranslatedSystem, ngram: list[str]) -> float:
    """Add up what steps cost on the words of an n-gram, wherever a reference has it."""
    total, words = 0.0, 0
    for path in system.paths:
        size = len(path.reference)
        words += size
        edits, jumps, *_ = charged(path)
        covered = {
            place
            for start in range(size - len(ngram) + 1)
            if list(path.reference[start : start + len(ngram)]) == ngram
            for place in range(start, start + len(ngram))
        }
        total += sum(edits[place] + jumps[place] for place in covered)
    return 100 * total / max(words, 1)


@pytest.mark.parametrize("seed", range(3))
def test_what_ngrams_cost(seed: int) -> None:
    lines = random_lines(seed, words="ab")
    found = translations_of(lines.systems, lines.references, metrics="cder")
    vocabulary = found.texts.vocabulary.words
    random = np.random.default_rng(seed)
    for system in found.systems:
        for _ in range(30):
            words = random.integers(0, len(vocabulary), random.integers(1, 4)).astype(np.int32)
            ngram = [vocabulary[number] for number in words.tolist()]
            expected = slow_points(system, ngram)
            assert ngram_points(system, words) == pytest.approx(expected)


def test_pairs_of_systems() -> None:
    lines = {"A": ["a c b"], "B": ["a b c"], "C": ["c b a"], "D": ["b a c"]}
    reference = ["a b c"]
    for count, keys in ((1, 0), (2, 1), (3, 3), (4, 3)):
        systems = dict(list(lines.items())[:count])
        sections = ngram_sections(translations_of(systems, reference), min(1, count - 1))
        assert [each.key for each in sections] == ["ngrams", "ngrams-2", "ngrams-3"][:keys]
    assert all(section.header[2] == "right: B" for section in sections)
    [same] = ngram_sections(translations_of({"A": ["a b"], "B": ["a b"]}, ["a b"]), 0)
    assert same.reading == "A and B get the same n-grams right."
    assert not same.rows
    [empty] = ngram_sections(translations_of({"A": [], "B": []}, [], metrics="cder"), 0)
    assert not empty.rows


def test_parts_of_longer_ngrams_are_left_out() -> None:
    met = ["we met him"] * 2
    found = translations_of(
        {"A": ["we saw him"] * 6 + met, "B": ["we met her"] * 6 + met},
        ["we met him"] * 8,
        metrics="cder",
    )
    [section] = ngram_sections(found, 0)
    # Not "met", which differs just as "we met" does.
    shown = {str(row[0]): row[2:6] for row in section.rows}
    assert shown == {"we met": (2, 8, 0, 6), "him": (8, 2, 6, 0)}


def test_ted_talks() -> None:
    lines = ted_lines(1000)
    lines = Lines(lines.references, dict(reversed(lines.systems.items())))
    found = translations_of(lines.systems, lines.references, metrics="cder")
    [section] = ngram_sections(found, 0)
    rows = [dict(zip(section.header, row, strict=True)) for row in section.rows]
    for listed, _, *numbers in section.rows:
        # Of those that are tested none is part of another one with the same four counts.
        alike = [str(row[0]) for row in section.rows if row[2:6] == tuple(numbers[:4])]
        inside = [other for other in alike if f" {listed} " in f" {other} "]
        assert inside == [listed] or numbers[5] is None
    p_values = [float(row["p"] or 0) for row in rows]
    assert p_values == sorted(p_values)
    assert section.findings
    for finding in section.findings:
        name, rest = finding.sentence.split(" gets ", 1)
        ngram = rest.split("' right")[0].removeprefix("'").split()
        system, other = found.systems
        if system.name != name:
            system, other = other, system
        points = slow_points(system, ngram) - slow_points(other, ngram)
        assert finding.explained == pytest.approx(points)
        [row] = [row for row in rows if row["n-gram"] == " ".join(ngram)]
        assert float(row["p (Holm)"] or 0) <= 0.05
