"""Scores of groups of sentences, against a corpus of each group."""

from collections import Counter

import pytest
from tests.analysis.translations.translated import (
    REAL,
    Lines,
    needs_data,
    random_lines,
    real_lines,
    words_of,
)

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.lengths import (
    DIFFERENCES,
    LENGTHS,
    difference_names,
    length_difference_section,
    score_by_length_sections,
)
from wordorder.analysis.translations.translations import Translations
from wordorder.metrics.registry import metric
from wordorder.segments import Segments
from wordorder.statistics.intervals import Drawn

METRICS = "cder,wer,bleu,frs"


def check(lines: Lines) -> Translations:
    found = translations_of(lines.systems, lines.references, metrics=METRICS)
    lengths = [len(words_of(row[0])) if row else -1 for row in lines.references]
    groups: dict[str, list[int]] = {name: [] for name in LENGTHS.names}
    for segment, length in enumerate(lengths):
        if length >= 0:
            place = max(sum(start <= length for start in LENGTHS.starts) - 1, 0)
            groups[LENGTHS.names[place]].append(segment)
    groups = {name: members for name, members in groups.items() if members}
    for section, name in zip(
        score_by_length_sections(found, Drawn(resamples=50)), METRICS.split(","), strict=True
    ):
        rows = [dict(zip(section.header, row, strict=True)) for row in section.rows]
        assert [(row["length"], row["system"]) for row in rows] == [
            (group, system) for group in groups for system in lines.systems
        ]
        scorer = metric(name)
        for row in rows:
            members = groups[str(row["length"])]
            assert row["sentences"] == len(members)
            assert row["words"] == sum(lengths[s] for s in members)
            outputs = lines.systems[str(row["system"])]
            corpus = Segments.from_text(
                [outputs[s] for s in members],
                [lines.references[s] for s in members],
                aligner=MonolingualAligner(),
            )
            value = row[section.header[4]]
            if value is None:
                assert not scorer.statistics(corpus).any()
                continue
            assert value == pytest.approx(scorer.corpus_score(corpus).value, abs=1e-12)
            assert float(row["low"] or 0) <= float(row["high"] or 0)
    differences = length_difference_section(found)
    names = difference_names()
    for number, outputs in enumerate(lines.systems.values()):
        counts = Counter[str]()
        for output, length in zip(outputs, lengths, strict=True):
            if length >= 0:
                away = len(words_of(output)) - length
                counts[names[sum(away >= start for start in DIFFERENCES)]] += 1
        assert {str(row[0]): row[number + 1] for row in differences.rows if row[number + 1]} == (
            counts
        )
    return found


@pytest.mark.parametrize("seed", range(3))
def test_random_texts(seed: int) -> None:
    check(random_lines(seed))


def test_no_sentences() -> None:
    empty = translations_of({"A": []}, [], metrics=METRICS)
    assert not any(section.rows for section in score_by_length_sections(empty))
    assert not length_difference_section(empty).rows


@needs_data
@pytest.mark.parametrize("name", REAL)
def test_real_translations(name: str) -> None:
    found = check(real_lines(name, 100))
    first = score_by_length_sections(found, Drawn(resamples=50))[0]
    [finding] = first.findings
    # Of the first metric, CDER: the rate of the group, over that of all.
    row = next(row for row in first.rows if f"sentences of {row[0]} words" in finding.sentence)
    system = next(s for s in found.systems if finding.sentence.startswith(s.name))
    rates = {r[3]: float(r[4] or 0) for r in first.rows if r[0] == row[0]}
    whole = float(system.paths.distance.sum() / system.references.lengths.sum())
    words = int(row[2] or 0) / int(system.references.lengths.sum())
    expected = 100 * (rates[system.name] - whole) * words
    assert finding.explained == pytest.approx(expected)
