"""The tables of an analysis of translations, against slow and obvious recomputations."""

from collections import Counter

import numpy as np
import pytest
from tests.analysis.translations.translated import (
    REAL,
    Lines,
    random_lines,
    real_lines,
    words_of,
)
from tests.refusing import refuses

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.tally import sentence_losses
from wordorder.analysis.translations.analyze import analyze, loss_section
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.lengths import (
    DIFFERENCE_STARTS,
    LENGTHS,
    difference_names,
    length_difference_section,
    score_by_length_sections,
)
from wordorder.analysis.translations.scores import TestedScores
from wordorder.analysis.translations.translations import Translations, cder_statistics
from wordorder.errors import InputError, UsageError
from wordorder.metrics.registry import metric
from wordorder.segments import Segments
from wordorder.statistics.intervals import ResamplingPlan

WORDS = "the a of we met they on at six cats mats sat today".split()


def _lines(count: int, seed: int) -> tuple[list[str], list[str], list[str]]:
    """References, a system that shuffles windows, and one that drops and shuffles more."""
    draw = np.random.default_rng(seed)
    references, near, far = [], [], []
    for _ in range(count):
        words = draw.choice(WORDS, size=int(draw.integers(0, 9))).tolist()
        references.append(" ".join(words))
        near.append(" ".join(words[2:] + words[:2]))
        mixed = [word for word in words if draw.random() > 0.2]
        draw.shuffle(mixed)
        far.append(" ".join(mixed))
    return references, near, far


@pytest.fixture(scope="module")
def found() -> Translations:
    references, near, far = _lines(60, 5)
    return translations_of({"near": near, "far": far}, references)


@pytest.mark.parametrize(
    "name", ["frs", "kendall", "cder", "wer", "frs(average=length)", "hamming"]
)
def test_losses_add_up_to_what_the_corpus_lacks(name: str) -> None:
    references, near, far = _lines(80, 3)
    both = [[a, b] for a, b in zip(references, far, strict=True)]
    for given in (references, both):
        made = translations_of({"near": near}, given, metrics=name)
        used = made.metrics[0]
        lost = sentence_losses(used, made.systems[0].statistics[0])
        value = used.corpus_score(made.systems[0].segments).value
        assert lost is not None
        assert (lost >= 0).all()
        lacks = 1 - value if used.higher_is_better else value
        assert float(lost.sum()) == pytest.approx(lacks, abs=1e-12)


def test_metrics_that_are_no_sum_have_no_losses(found: Translations) -> None:
    names = [each.name for each in found.metrics]
    number = names.index("bleu")
    assert sentence_losses(found.metrics[number], found.systems[0].statistics[number]) is None
    micro = metric("frs", average="micro")
    assert sentence_losses(micro, micro.statistics(found.systems[0].segments)) is None


def test_the_losses_of_all_sentences_are_the_cder(found: Translations) -> None:
    names = [each.name for each in found.metrics]
    values = found.measurement(names.index("cder")).values()
    for number, (value, system) in enumerate(zip(values, found.systems, strict=True)):
        section = loss_section(found, number, rows=len(found))
        assert section is not None
        assert sum(float(str(row[2])) for row in section.rows) == pytest.approx(100 * value)
        edits, words, _ = cder_statistics(found, system).sum(axis=0).tolist()
        assert value == pytest.approx(edits / words)


def test_chunks_of_marked_texts_are_those_of_frs(found: Translations) -> None:
    frs = [each.name for each in found.metrics].index("frs")
    for system in found.systems:
        for segment in range(len(found)):
            ours = system.marked_translation(segment)
            theirs = system.marked_reference(segment)
            matched = int(system.matches.covered()[0][system.rows[segment]])
            pieces = ours.count("¦") + 1
            if matched > 1:
                score = 1 - (pieces - 1) / (matched - 1)
                assert system.scores[frs][segment] == pytest.approx(score)
            plain = ours.replace("¦ ", "").replace("⟦", "").replace("⟧", "")
            assert plain.split() == system.texts.hypothesis_lines[segment].split()
            without = theirs.replace("⟦", "").replace("⟧", "")
            assert without.split() == system.texts.reference_lines[segment].split()


def test_the_overview_ranks_by_direction(found: Translations) -> None:
    scores = TestedScores.of(found, ResamplingPlan(resamples=20))
    section = analyze(found, resamples=200).sections[0]
    for place, each in enumerate(scores.intervals):
        first, second = section.rows[2 * place : 2 * place + 2]
        assert isinstance(first[3], float)
        assert isinstance(second[3], float)
        better = first[3] >= second[3] if each.higher_is_better else first[3] <= second[3]
        assert better
        assert second[6] == pytest.approx(second[3] - first[3])


def test_one_system_has_no_tests_and_no_differences(found: Translations) -> None:
    references, near, _ = _lines(20, 1)
    one = analyze(translations_of({"near": near}, references), resamples=200)
    keys = {section.key for section in one.sections}
    assert not {"tests", "sentence-differences"} & keys
    assert {"systems", "worst-sentences", "lossy-sentences"} <= keys
    assert "near" in one.answer
    chosen = analyze(found, focus=["far"], resamples=200)
    titles = [section.title for section in chosen.sections]
    assert "Worst sentences: far" in titles
    assert "Worst sentences: near" not in titles
    refuses(UsageError, "unknown system 'fra'", analyze, found, focus=["fra"], resamples=200)
    refuses(UsageError, "listed twice", analyze, found, focus=["far", "far"], resamples=200)


def test_worst_and_different_sentences_are_ranked_by_score(found: Translations) -> None:
    sections = {each.key: each for each in analyze(found, rows=50, resamples=200).sections}
    worst = [row[1] for row in sections["worst-sentences"].rows]
    assert worst == sorted(worst, key=lambda value: float(str(value)))
    sizes = [abs(float(str(row[3]))) for row in sections["sentence-differences"].rows]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] > 0
    lossy = [float(str(row[2])) for row in sections["lossy-sentences"].rows]
    assert lossy == sorted(lossy, reverse=True)


def test_nothing_to_analyse_says_so() -> None:
    with pytest.raises(InputError, match="no segments"):
        analyze(translations_of({"A": [], "B": []}, []), resamples=200)
    blank = analyze(translations_of({"A": [""], "B": ["a"]}, [""]), resamples=200)
    assert len(blank.sections) > 2
    assert blank.answer.startswith("No segment has what FRS needs")
    unreferenced = analyze(translations_of({"A": ["a b"]}, [[]]), resamples=200)
    assert unreferenced.size == 1
    empty = translations_of({"A": []}, [], metrics=GROUPED)
    assert not any(section.rows for section in score_by_length_sections(empty))
    assert not length_difference_section(empty).rows


def test_the_answer_claims_what_the_metric_sees(found: Translations) -> None:
    assert analyze(found, resamples=200).answer.startswith("near orders words best: its fuzzy")
    references, near, far = _lines(60, 5)
    other = translations_of({"near": near, "far": far}, references, metrics="cder")
    assert analyze(other, resamples=200).answer.startswith("near is best: its cover disjoint")
    # FRS sees matched words only: 3 of 4 words in order are as good as 4 of 4.
    references = ["we met him today"] * 20
    some, most = ["we met she today"] * 20, ["we met him today"] * 19 + ["met we him today"]
    matched = analyze(translations_of({"some": some, "most": most}, references), resamples=200)
    assert matched.answer.endswith(
        "FRS compares matched words only: 75 % of the reference words for some and 100 % for most."
    )
    alike = analyze(translations_of({"A": some, "B": list(reversed(some))}, references))
    of_bleu = analyze(translations_of({"A": some, "B": most}, references, metrics="bleu"))
    alone = analyze(translations_of({"A": some}, references))
    # LRscore sees the texts too, and is no measure of order alone.
    mixed = analyze(translations_of({"A": some, "B": most}, references, metrics="lr-hb1"))
    others = (alike, of_bleu, alone, mixed)
    assert not any("matched words only" in each.answer for each in others)
    assert mixed.answer.startswith("B is best: ")


def test_systems_share_a_finding(found: Translations) -> None:
    """One sentence for both systems, about the one that loses more, where that is sure."""
    sections = {each.key: each for each in analyze(found).sections}
    findings = sections["moved-blocks"].findings + sections["moved-blocks-by-distance"].findings
    assert findings
    for finding in findings:
        system, other = ("near", "far") if finding.sentence.startswith("near") else ("far", "near")
        assert finding.sentence.split()[0] == system
        assert f" ({other}: " in finding.sentence


def test_only_sure_comparisons_are_told() -> None:
    """A block that one system moves once more often than the other is no finding about the two."""
    references = ["we met them at six"] * 40
    once = ["at six we met them", *references[1:]]
    often = ["at six we met them"] * 20 + references[20:]
    sections = analyze(translations_of({"A": once, "B": often}, references)).sections
    told = {each.key: each.findings for each in sections}["moved-blocks"]
    assert [each.sentence.split()[0] for each in told] == ["B"]
    # Nothing is sure: all are told, and say so.
    twice = [*references[1:], "at six we met them"]
    sections = analyze(translations_of({"A": once, "B": twice}, references)).sections
    told = {each.key: each.findings for each in sections}["moved-blocks"]
    assert told
    assert all("This may be chance" in each.sentence for each in told)
    # One system is compared with nothing.
    sections = analyze(translations_of({"A": once}, references)).sections
    (alone,) = {each.key: each.findings for each in sections}["moved-blocks"]
    assert "chance" not in alone.sentence


# -- Scores of groups of sentences, against a corpus of each group.


GROUPED = "cder,wer,bleu,frs"


def check_groups(lines: Lines) -> Translations:
    found = translations_of(lines.systems, lines.references, metrics=GROUPED)
    lengths = [len(words_of(row[0])) if row else -1 for row in lines.references]
    groups: dict[str, list[int]] = {name: [] for name in LENGTHS.names}
    for segment, length in enumerate(lengths):
        if length >= 0:
            place = max(sum(start <= length for start in LENGTHS.starts) - 1, 0)
            groups[LENGTHS.names[place]].append(segment)
    groups = {name: members for name, members in groups.items() if members}
    for section, name in zip(
        score_by_length_sections(found, ResamplingPlan(resamples=50)),
        GROUPED.split(","),
        strict=True,
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
                tokenizer="none",
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
                counts[names[sum(away >= start for start in DIFFERENCE_STARTS)]] += 1
        assert {str(row[0]): row[number + 1] for row in differences.rows if row[number + 1]} == (
            counts
        )
    return found


@pytest.mark.parametrize("seed", range(3))
def test_groups_of_random_texts(seed: int) -> None:
    check_groups(random_lines(seed))


@pytest.mark.parametrize("name", REAL)
def test_groups_of_real_translations(name: str) -> None:
    found = check_groups(real_lines(name, 100))
    first = score_by_length_sections(found, ResamplingPlan(resamples=50))[0]
    [finding] = first.findings
    # Of the first metric, CDER: the rate of the group, over that of all.
    row = next(row for row in first.rows if f"sentences of {row[0]} words" in finding.sentence)
    system = next(s for s in found.systems if finding.sentence.startswith(s.name))
    rates = {r[3]: float(r[4] or 0) for r in first.rows if r[0] == row[0]}
    whole = float(system.paths.distance.sum() / system.references.lengths.sum())
    words = int(row[2] or 0) / int(system.references.lengths.sum())
    expected = 100 * (rates[system.name] - whole) * words
    assert finding.explained == pytest.approx(expected)
