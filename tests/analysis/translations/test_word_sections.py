"""Tables of words against a recomputation word by word."""

from collections import Counter, defaultdict
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from tests.analysis.translations.translated import (
    REAL,
    Lines,
    drawn_lines,
    needs_data,
    random_lines,
    real_lines,
    words_of,
)

from wordorder.analysis.section import Section
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.analysis.translations.words import FREQUENCIES, LENGTHS, word_outcomes, word_sections


def in_range(number: int, starts: tuple[int, ...], names: tuple[str, ...]) -> str:
    for start, name in zip(reversed(starts), reversed(names), strict=True):
        if number >= start:
            return name
    return names[0]


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
        first = output_first = 0
        for path in system.paths:
            size = len(path.reference)
            for step in path.steps:
                if step.operation == "deletion":
                    self.points[ours[output_first + step.hypothesis]] += step.cost
                elif step.operation == "jump":
                    beside = [p for p in (step.reference - 1, step.reference) if 0 <= p < size]
                    for place in beside:
                        self.points[kinds[first + place]] += step.cost / len(beside)
                elif step.operation != "match":
                    self.points[kinds[first + step.reference]] += step.cost
            first += size
            output_first += len(path.hypothesis)
        self.points = defaultdict(
            float, {kind: 100 * cost / max(first, 1) for kind, cost in self.points.items()}
        )

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


def check(translations: Translations, lines: Lines, *, empty: bool = False) -> dict[str, Section]:
    sections = {section.key: section for section in word_sections(translations)}
    for section in sections.values():
        assert len(set(section.header)) == len(section.header)
        assert all(len(row) == len(section.header) for row in section.rows)
    counts = Counter(word for row in lines.references for line in row for word in words_of(line))
    ways: dict[str, Callable[[str], str]] = {
        "frequency": lambda w: in_range(counts[w], FREQUENCIES.starts, FREQUENCIES.names),
        "length": lambda w: in_range(len(w), LENGTHS.starts, LENGTHS.names),
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
            # What all rows are charged is the CDER of the system, but for empty references.
            total = sum(float(row["CDER points"] or 0) for row in ours)
            assert empty or total == pytest.approx(100 * words_lost(system))
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
        assert overall["CDER points"] == pytest.approx(100 * edited / max(words, 1))
    return sections


def words_lost(system: TranslatedSystem) -> float:
    """Return the rate of CDER, without segments whose reference is empty."""
    used = [path for path in system.paths if path.reference]
    return sum(path.cost for path in used) / max(sum(len(path.reference) for path in used), 1)


@pytest.mark.parametrize("seed", range(3))
def test_tables_of_random_texts(seed: int) -> None:
    lines = random_lines(seed)
    kept = Lines([[line or "so" for line in row] for row in lines.references], lines.systems)
    check(translations_of(kept.systems, kept.references, metrics="cder"), kept)


@given(drawn_lines())
@settings(max_examples=20)
def test_tables_of_any_texts(lines: Lines) -> None:
    check(translations_of(lines.systems, lines.references, metrics="cder"), lines, empty=True)


def test_one_system_and_no_words() -> None:
    lines = Lines([[""], []], {"A": ["we met", ""]})
    sections = check(translations_of(lines.systems, lines.references, metrics="cder"), lines)
    assert not any(section.findings for section in sections.values())
    check(translations_of({"A": []}, [], metrics="cder"), Lines([], {"A": []}))


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


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_tables_of_real_translations(name: str) -> None:
    lines = real_lines(name, 80)
    sections = check(translations_of(lines.systems, lines.references, metrics="cder"), lines)
    for section in sections.values():
        assert section.findings
        for finding in section.findings:
            assert finding.explained > 0
