"""What becomes of words, what the cheapest path charges to each, and the tables of both."""

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from tests.analysis.translations.translated import (
    REAL,
    Lines,
    drawn_lines,
    random_lines,
    real_lines,
    words_of,
)

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.alignment.monolingual.aligner import Matches
from wordorder.analysis.section import Section
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.outcomes import WordOutcomes, word_charges, word_outcomes
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.analysis.translations.words import (
    FREQUENCIES,
    WORD_LENGTHS,
    word_counts,
    word_sections,
)
from wordorder.arrays import Int64
from wordorder.metrics.text.paths import GridPath
from wordorder.text.texts import Texts

# What no word can be.
ADDED = " "
# (segment, word of the reference, matched, misplaced); (segment, word of the output, counted as).
Followed = tuple[list[tuple[int, str, bool, bool]], list[tuple[int, str, str]]]


def followed(texts: Texts, rows: Int64, matches: Matches) -> Followed:
    """Follow each word, slowly: one segment, one match, one word after the other."""
    words = texts.vocabulary.words
    reference: list[tuple[int, str, bool, bool]] = []
    output: list[tuple[int, str, str]] = []
    for segment, row in enumerate(rows.tolist()):
        if row < 0:
            continue
        ours = [words[n] for n in texts.hypothesis[segment].tolist()]
        theirs = [words[n] for n in texts.references[row].tolist()]
        partner: dict[int, int] = {}
        covered: list[tuple[int, int]] = []
        for k in range(int(matches.offsets[row]), int(matches.offsets[row + 1])):
            start, length = int(matches.start[k]), int(matches.length[k])
            at, width = int(matches.hypothesis_start[k]), int(matches.hypothesis_length[k])
            covered += [(at, start + i) for i in range(length)]
            for i in range(width):
                partner[at + i] = start + min(i, length - 1)
        # By the start of the match in the output, then along the reference.
        order = [place for _, place in sorted(covered)]
        kept = sorted(order)
        bad = set()
        for left, right in pairwise(order):
            if kept.index(right) != kept.index(left) + 1:
                bad |= {left, right}
        for place, word in enumerate(theirs):
            reference.append((segment, word, place in order, place in bad))
        for place, word in enumerate(ours):
            output.append((segment, word, theirs[partner[place]] if place in partner else ADDED))
    return reference, output


def check_outcomes(texts: Texts, rows: Int64) -> WordOutcomes:
    matches = MonolingualAligner().align(texts)
    found = word_outcomes(texts, rows, matches)
    words = texts.vocabulary.words
    reference, output = followed(texts, rows, matches)
    forms = [words[number] for number in found.words.tolist()]
    columns = (found.segments.tolist(), forms, found.matched.tolist(), found.misplaced.tolist())
    assert list(zip(*columns, strict=True)) == reference
    known = [forms[at] if at >= 0 else ADDED for at in found.partners.tolist()]
    output_forms = [words[number] for number in found.output_words.tolist()]
    assert list(zip(found.output_segments.tolist(), output_forms, known, strict=True)) == output
    counted = word_counts(
        found, found.words.astype(np.int64), found.output_words.astype(np.int64), len(words)
    )
    occurs = Counter(word for _, word, _, _ in reference)
    missing = Counter(word for _, word, matched, _ in reference if not matched)
    misplaced = Counter(word for _, word, _, bad in reference if bad)
    added = Counter(word for _, word, known in output if known == ADDED)
    right = Counter(known for _, _, known in output if known != ADDED)
    for number, word in enumerate(words):
        assert counted.reference[number] == occurs[word]
        assert counted.missing[number] == missing[word]
        assert counted.misplaced[number] == misplaced[word]
        assert counted.added[number] == added[word]
        assert counted.output[number] == added[word] + right[word]
        recall = (occurs[word] - missing[word]) / occurs[word] if occurs[word] else 0.0
        written = added[word] + right[word]
        precision = right[word] / written if written else 0.0
        assert counted.recall[number] == recall
        assert counted.precision[number] == precision
        f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
        assert counted.f1[number] == pytest.approx(f1)
    return found


def charged(path: GridPath) -> tuple[list[float], list[float], list[float]]:
    """Charge each step of a path to the words that it is about.

    Returns
    -------
    Edits and jumps by word of the reference, deletions by word of the output, with the
    jumps where the reference has no words.
    """
    size = len(path.reference)
    edits, jumps, deletions = [0.0] * size, [0.0] * size, [0.0] * len(path.hypothesis)
    for step in path.steps:
        if step.operation in ("substitution", "insertion"):
            edits[step.reference] += step.cost
        elif step.operation == "deletion":
            deletions[step.hypothesis] += step.cost
        elif step.operation == "jump":
            beside = [p for p in (step.reference - 1, step.reference) if 0 <= p < size]
            for place in beside:
                jumps[place] += step.cost / len(beside)
            if not beside:
                deletions = [cost + step.cost / len(deletions) for cost in deletions]
    return edits, jumps, deletions


def check_charges(translations: Translations) -> None:
    for system in translations.systems:
        found = [charged(path) for path in system.paths]
        charges = word_charges(system.paths)
        for column, name in enumerate(("edits", "jumps", "deletions")):
            assert getattr(charges, name).dtype == np.float64
            wanted = [cost for each in found for cost in each[column]]
            assert getattr(charges, name).tolist() == wanted
        # All of them are what CDER adds up.
        assert charges.total == pytest.approx(system.statistics[0][:, 0].sum(), abs=1e-9)


def in_range(number: int, starts: tuple[int, ...], names: tuple[str, ...]) -> str:
    return names[max(sum(start <= number for start in starts) - 1, 0)]


class Recount:
    """What one system makes of the words of each kind, counted word by word."""

    def __init__(self, system: TranslatedSystem, kind_of: Callable[[str], str]) -> None:
        words = system.texts.vocabulary.words
        found = word_outcomes(system.texts, system.rows, system.matches)
        self.occurs, self.output, self.missing = Counter[str](), Counter[str](), Counter[str]()
        self.added, self.misplaced = Counter[str](), Counter[str]()
        self.points: defaultdict[str, float] = defaultdict(float)
        kinds = [kind_of(words[n]) for n in found.words.tolist()]
        for at, kind in enumerate(kinds):
            self.occurs[kind] += 1
            self.missing[kind] += not found.matched[at]
            self.misplaced[kind] += bool(found.misplaced[at])
        ours = []
        for at, partner in enumerate(found.partners.tolist()):
            kind = kinds[partner] if partner >= 0 else kind_of(words[found.output_words[at]])
            self.output[kind] += 1
            self.added[kind] += partner < 0
            ours.append(kind)
        share = 100 / max(len(kinds), 1)
        theirs, ours_left = iter(kinds), iter(ours)
        for path in system.paths:
            edits, jumps, deletions = charged(path)
            for edit, jump in zip(edits, jumps, strict=True):
                self.points[next(theirs)] += share * (edit + jump)
            for cost in deletions:
                self.points[next(ours_left)] += share * cost

    def row(self, kind: str) -> dict[str, object]:
        occurs, output = self.occurs[kind], self.output[kind]
        recall = (occurs - self.missing[kind]) / occurs if occurs else 0.0
        precision = (output - self.added[kind]) / output if output else 0.0
        both = recall + precision
        return {
            "in references": occurs,
            "in output": output,
            "missing": self.missing[kind],
            "added": self.added[kind],
            "misplaced": self.misplaced[kind],
            "recall": recall if occurs else None,
            "precision": precision if output else None,
            "F1": (2 * recall * precision / both if both else 0.0) if occurs and output else None,
            "CDER points": self.points[kind],
        }


def check_tables(translations: Translations, lines: Lines) -> dict[str, Section]:
    sections = {section.key: section for section in word_sections(translations)}
    for section in sections.values():
        assert len(set(section.header)) == len(section.header)
        assert all(len(row) == len(section.header) for row in section.rows)
    counts = Counter(word for row in lines.references for line in row for word in words_of(line))
    ways: dict[str, Callable[[str], str]] = {
        "frequency": lambda w: in_range(counts[w], FREQUENCIES.starts, FREQUENCIES.names),
        "length": lambda w: in_range(len(w), WORD_LENGTHS.starts, WORD_LENGTHS.names),
        "word": lambda w: w,
        "all": lambda _: "all",
    }
    for number, system in enumerate(translations.systems):
        recounts = {name: Recount(system, way) for name, way in ways.items()}
        for key, title in (("words-by-frequency", "frequency"), ("words-by-length", "length")):
            section, recount = sections[key], recounts[title]
            rows = [dict(zip(section.header, row, strict=True)) for row in section.rows]
            ours = [row for row in rows if row.pop("system") == system.name]
            assert {str(row[title]) for row in ours} >= {*recount.occurs, *recount.output}
            for row in ours:
                assert row == pytest.approx(recount.row(str(row[title])) | {title: row[title]})
            # What all rows are charged is the CDER of the system.
            total = sum(float(row["CDER points"] or 0) for row in ours)
            assert total == pytest.approx(100 * words_lost(system))
        section = sections[f"words-by-form-{number + 1}" if number else "words-by-form"]
        recount = recounts["word"]
        for cells in section.rows:
            row = dict(zip(section.header, cells, strict=True))
            assert row == pytest.approx(recount.row(str(row["word"])) | {"word": row["word"]})
        assert len(section.rows) + section.hidden == sum(p > 0 for p in recount.points.values())
        overall = dict(zip(sections["words"].header, sections["words"].rows[number], strict=True))
        expected = recounts["all"].row("all")
        for name in ("in references", "in output", "missing", "added", "misplaced", "F1"):
            assert overall[name] == pytest.approx(expected[name] or 0)
        edited = sum(
            step.operation in ("substitution", "insertion")
            for path in system.paths
            for step in path.steps
        )
        words = sum(len(path.reference) for path in system.paths)
        assert overall["edited"] == edited
        assert overall["edit points"] == pytest.approx(100 * edited / max(words, 1))
    return sections


def words_lost(system: TranslatedSystem) -> float:
    """Return the rate of CDER."""
    used = list(system.paths)
    return sum(path.cost for path in used) / max(sum(len(path.reference) for path in used), 1)


def rows_of(texts: Texts, draw: np.random.Generator | None = None) -> Int64:
    """Choose a reference of each segment that has some: the last, or any."""
    counts = np.diff(texts.reference_offsets)
    chosen = draw.integers(0, np.maximum(counts, 1)) if draw else counts - 1
    return np.where(counts > 0, texts.reference_offsets[:-1] + chosen, -1)


@pytest.mark.parametrize("seed", range(6))
def test_words_of_random_texts(seed: int) -> None:
    lines, draw = random_lines(seed), np.random.default_rng(seed)
    for system in lines.systems.values():
        texts = Texts.from_segments(system, lines.references)
        check_outcomes(texts, rows_of(texts, draw))
    check_charges(translations_of(lines.systems, lines.references, metrics="cder"))
    kept = Lines([[line or "so" for line in row] for row in lines.references], lines.systems)
    check_tables(translations_of(kept.systems, kept.references, metrics="cder"), kept)


@given(drawn_lines())
@settings(max_examples=25)
def test_words_of_any_texts(lines: Lines) -> None:
    found = translations_of(lines.systems, lines.references, metrics="cder")
    for system in found.systems:
        check_outcomes(system.texts, rows_of(system.texts))
    check_charges(found)
    check_tables(found, lines)


@pytest.mark.parametrize("name", REAL)
def test_words_of_real_translations(name: str) -> None:
    lines = real_lines(name, 80)
    found = translations_of(lines.systems, lines.references, metrics="cder")
    for system in found.systems:
        check_outcomes(system.texts, np.arange(80))
    check_charges(found)
    for section in check_tables(found, lines).values():
        # No word may cost one system much more than the others.
        assert section.findings or section.key.startswith("words-by-form")
        assert all(finding.explained > 0 for finding in section.findings)


def test_one_system_and_no_words() -> None:
    lines = Lines([[""], [], ["we met"]], {"A": ["so we met", "x", ""]})
    found = translations_of(lines.systems, lines.references, metrics="cder")
    check_charges(found)
    assert check_outcomes(found.texts, found.systems[0].rows).missing.tolist() == [True, True]
    lines = Lines([[""], []], {"A": ["we met", ""]})
    sections = check_tables(translations_of(lines.systems, lines.references, metrics="cder"), lines)
    assert not any(section.findings for section in sections.values())
    # One jump over three words, and none of seven is wrong: 1 / 7 of CDER.
    lines = Lines([["a b c d e f g"], [""]], {"A": ["a b c d e f g", "x y z"]})
    found = translations_of(lines.systems, lines.references, metrics="cder")
    rows = check_tables(found, lines)["words-by-frequency"].rows
    assert sum(float(str(row[7])) for row in rows) == pytest.approx(100 / 7)
    empty = translations_of({"A": []}, [], metrics="cder")
    check_tables(empty, Lines([], {"A": []}))
    assert not len(check_outcomes(empty.texts, empty.systems[0].rows).words)
    assert word_charges(empty.systems[0].paths).total == 0


def test_phrases_that_match() -> None:
    """Two words for three, three for one: all are matched, and paired from left to right."""
    texts = Texts.from_segments(["we a lot like it"], ["we like very much this it"])
    matches = Matches(
        start=np.array([0, 2, 5], np.int32),
        length=np.array([1, 3, 1], np.int32),
        hypothesis_start=np.array([0, 1, 4], np.int32),
        hypothesis_length=np.array([1, 2, 1], np.int32),
        module=np.array([0, 1, 0], np.int32),
        offsets=np.array([0, 3]),
        modules=("exact", "paraphrase"),
        hypothesis_lengths=np.array([5]),
        reference_lengths=np.array([6]),
    )
    found = word_outcomes(texts, np.array([0]), matches)
    assert found.matched.tolist() == [True, False, True, True, True, True]
    assert found.partners.tolist() == [0, 2, 3, -1, 5]
    assert not found.misplaced.any()


def test_words_by_tag() -> None:
    references = ["The old dog sleeps .", "She saw the dog in the garden ."]
    systems = {"A": ["The dog sleeps .", "In the garden she the dog saw ."]}
    found = translations_of(systems, references, metrics="cder", parsed=True)
    assert found.trees is not None
    [section] = [each for each in word_sections(found) if each.key == "words-by-tag"]
    outcomes = word_outcomes(found.texts, found.systems[0].rows, found.systems[0].matches)
    tags = found.trees.upos.strings()
    occurs, missing = Counter(tags), Counter[str]()
    for tag, matched in zip(tags, outcomes.matched.tolist(), strict=True):
        missing[tag] += not matched
    rows = [dict(zip(section.header, row, strict=True)) for row in section.rows]
    assert {row["tag"]: row["in references"] for row in rows} == occurs
    assert {row["tag"]: row["missing"] for row in rows} == {t: missing[t] for t in occurs}
    assert [row["in references"] for row in rows] == sorted(occurs.values(), reverse=True)
