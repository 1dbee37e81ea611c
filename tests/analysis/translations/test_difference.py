"""The difference in FRS, part by part: against slow sums of fractions, and with planted changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import Stemmer
from tests import oracles
from tests.analysis.translations.block_oracles import slow_blocks
from tests.analysis.translations.translated import random_lines

from wordorder.analysis.findings import top_findings
from wordorder.analysis.translations.analyze import analyze
from wordorder.analysis.translations.difference import (
    DECOMPOSED_METRICS,
    DISTANCE_NAMES,
    UNSHARED_WORDS,
    Difference,
    Part,
    difference,
)
from wordorder.analysis.translations.difference_examples import typical_sentences
from wordorder.analysis.translations.difference_sections import difference_sections
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.lengths import LENGTHS
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.errors import UsageError
from wordorder.statistics.intervals import DEFAULT_PLAN, ResamplingPlan

FEW = ResamplingPlan(resamples=20)


@dataclass
class SlowOrder:
    """The matched words of one segment in the order of the output, and its reference."""

    row: int
    order: list[int]
    # Words of the first reference.
    width: int
    f1: Fraction
    # Among how many words of the output each word of the reference can have its match.
    choices: list[int]


def slow_common(systems: Sequence[TranslatedSystem]) -> list[tuple[SlowOrder, SlowOrder]]:
    """Read the words that both systems match, of the reference that both together match best.

    Without those that one system repeats more often.
    """
    made = []
    for of_first, of_second in zip(*map(slow_orders, systems), strict=True):
        both = list(zip(of_first, of_second, strict=True))
        best = max(both, key=lambda pair: pair[0].f1 + pair[1].f1, default=None)
        if best is None:
            continue
        common = {
            word
            for word in set(best[0].order) & set(best[1].order)
            if best[0].choices[word] == best[1].choices[word]
        }
        for one in best:
            one.order = [word for word in one.order if word in common] if len(common) > 1 else []
        made.append(best)
    return made


def slow_orders(system: TranslatedSystem) -> list[list[SlowOrder]]:
    """Read the matches of each segment with each of its references."""
    texts, matches = system.texts, system.matches
    vocabulary = texts.vocabulary.words
    stems = dict(zip(vocabulary, Stemmer.Stemmer("english").stemWords(vocabulary), strict=True))
    made = []
    for segment in range(len(system)):
        rows = []
        ours = int(texts.hypothesis.lengths[segment])
        first, last = texts.reference_offsets[segment : segment + 2].tolist()
        for row in range(first, last):
            span = slice(*matches.offsets[row : row + 2].tolist())
            columns = matches.hypothesis_start, matches.start, matches.length
            links = sorted(zip(*(column[span].tolist() for column in columns), strict=True))
            order = [at for _, start, length in links for at in range(start, start + length)]
            words = ours + int(texts.references.lengths[row])
            covered = sum(matches.hypothesis_length[span].tolist())
            f1 = Fraction(len(order) + covered, max(words, 1))
            output, reference = (
                [vocabulary[word] for word in column[at : at + 1].values.tolist()]
                for column, at in ((texts.hypothesis, segment), (texts.references, row))
            )
            choices = [oracles.choices(output, reference, form, stems) for form in reference]
            rows.append(SlowOrder(row, order, int(texts.references.lengths[first]), f1, choices))
        made.append(rows)
    return made


def slow_score(one: SlowOrder, metric: str) -> Fraction:
    ranks = [sorted(one.order).index(word) for word in one.order]
    return oracles.METRICS[metric](ranks) if ranks else Fraction(0)


def sure(found: Difference | None) -> Difference:
    assert found is not None
    return found


def slow_losses(order: Sequence[int]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return what blocks of each distance cost: FRS and Kendall's tau."""
    size = len(order)
    words = sorted(order)
    places = [order.index(word) for word in words]
    jumps = [False, *(b != a + 1 for a, b in pairwise(places)), False]
    blocks, causeless = slow_blocks(places, jumps, size)
    assert causeless == 0
    found = dict.fromkeys(DISTANCE_NAMES, (Fraction(0), Fraction(0)))
    for block in blocks:
        if not block.moved:
            continue
        wrong = Fraction(0)
        for other in blocks:
            if (block.first < other.first) != (places[block.first] < places[other.first]):
                pairs = (block.stop - block.first) * (other.stop - other.first)
                wrong += Fraction(pairs, 2 if other.moved else 1)
        far = abs(block.distance) > 3
        name = DISTANCE_NAMES[2 + far if block.distance > 0 else 1 - far]
        frs, kendall = found[name]
        lost = block.cost / (size - 1), wrong / Fraction(size * (size - 1), 2)
        found[name] = frs + lost[0], kendall + lost[1]
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("metric", DECOMPOSED_METRICS)
def test_parts_are_sums_of_fractions(seed: int, several: bool, metric: str) -> None:
    """The difference and every part of the divisions by distance and by length, exactly."""
    lines = random_lines(seed, several=several)
    made = translations_of(lines.systems, lines.references, metrics="frs,kendall")
    found = sure(difference(made, (0, 1), FEW, metric))
    pairs = slow_common(made.systems)
    both = sum(bool(one.order) for one, _ in pairs)
    measures = DECOMPOSED_METRICS if metric == "frs" else DECOMPOSED_METRICS[::-1]
    total, beside = (
        100 * sum(slow_score(one, name) - slow_score(other, name) for one, other in pairs) / both
        for name in measures
    )
    assert found.total.points == pytest.approx(float(total))
    assert found.total.other_metric is not None
    assert found.total.other_metric[0] == pytest.approx(float(beside))

    parts = {name: [Fraction(0), Fraction(0)] for name in DISTANCE_NAMES}
    lengths = dict.fromkeys(LENGTHS.names, Fraction(0))
    for one, other in pairs:
        name = LENGTHS.names[int(LENGTHS.of(np.array([one.width]))[0])]
        lengths[name] += 100 * (slow_score(one, metric) - slow_score(other, metric)) / both
        if not one.order:
            continue
        lost = [slow_losses(each.order) for each in (one, other)]
        for name in DISTANCE_NAMES:
            more = [b - a for a, b in zip(lost[0][name], lost[1][name], strict=True)]
            parts[name] = [old + new for old, new in zip(parts[name], more, strict=True)]
    by_name = {part.name: part for part in found.divisions["distance"]}
    first = DECOMPOSED_METRICS.index(metric)
    for name, summed in parts.items():
        assert by_name[name].points == pytest.approx(float(100 * summed[first] / both))
        values = by_name[name].other_metric
        assert values is not None
        assert values[0] == pytest.approx(float(100 * summed[1 - first] / both))
    assert sum(part.points for part in found.divisions["distance"]) == pytest.approx(float(total))
    for part in found.divisions["length"]:
        name = part.name.removeprefix("references of ").removesuffix(" words")
        assert part.points == pytest.approx(float(lengths[name]))


@pytest.mark.parametrize("seed", range(4))
def test_every_division_adds_up_and_mirrors(seed: int) -> None:
    lines = random_lines(seed, 40)
    made = translations_of(lines.systems, lines.references, metrics="frs", parsed=True)
    found, mirrored = (sure(difference(made, pair, FEW)) for pair in ((0, 1), (1, 0)))
    for parts in (found.classes, *found.divisions.values()):
        assert sum(part.points for part in parts) == pytest.approx(found.total.points, abs=1e-9)
    assert {part.name: round(part.points, 9) for part in found.classes} == {
        part.name: round(-part.points, 9) + 0.0 for part in mirrored.classes
    }


def test_equal_systems_differ_in_nothing() -> None:
    lines = ["we met at six on tuesday"] * 30
    same = {"A": ["on tuesday we met at six"] * 30, "B": ["on tuesday we met at six"] * 30}
    found = sure(difference(translations_of(same, lines, metrics="frs"), (0, 1), FEW))
    assert not found.total.significant
    assert not found.significant
    assert {part.points for part in found.classes} == {0.0}
    # Parts of another score would be parts of what is not shown.
    other = random_lines(1)
    for name in ("cder", "frs(average=micro)"):
        made = translations_of(other.systems, other.references, metrics=name)
        assert difference(made, (0, 1)) is None


NOUNS = "dog teacher garden letter window farmer river doctor".split()
ADJECTIVES = "old red small quiet new tired green happy".split()
VERBS = "saw found painted watched sold moved".split()


@cache
def _sentences() -> list[str]:
    """Sentences of one pattern, of our own words."""
    draw = np.random.default_rng(7)
    made = []
    for _ in range(60):
        one, two, three, four = draw.choice(NOUNS, 4, replace=False)
        first, second = draw.choice(ADJECTIVES, 2, replace=False)
        verb, other = draw.choice(VERBS, 2, replace=False)
        subject, clause = f"the {first} {one} {verb}", f"the {three} of the {four} {other}"
        made.append(f"{subject} the {second} {two} because {clause} a letter there .")
    return made


Change = Callable[[list[str]], list[str]]


def _swapped(*pairs: tuple[int, int]) -> Change:
    def change(words: list[str]) -> list[str]:
        words = list(words)
        for one, other in pairs:
            words[one], words[other] = words[other], words[one]
        return words

    return change


def _moved(start: int, stop: int, to: int) -> Change:
    def change(words: list[str]) -> list[str]:
        rest = words[:start] + words[stop:]
        return [*rest[:to], *words[start:stop], *rest[to:]]

    return change


# The words of a sentence: 0 the 1 ADJ 2 NOUN 3 VERB 4 the 5 ADJ 6 NOUN 7 because 8 the 9 NOUN 10 of
# 11 the 12 NOUN 13 VERB 14 a 15 letter 16 there 17 .
PLANTED: dict[str, Change] = {
    "adjectives": _swapped((1, 2), (5, 6)),
    "main verbs": _moved(3, 4, 6),
    "verbs of subordinate clauses": _moved(13, 14, 16),
    "subjects": _moved(0, 3, 1),
    "noun modifiers": _swapped((9, 12)),
    "adverbs": _moved(16, 17, 7),
    "determiners": _moved(0, 1, 2),
    "punctuation": _moved(17, 18, 7),
}


def _planted(*changes: Change) -> Translations:
    """Sentences in the order of their references, and with a change, of several in turn."""
    good = _sentences()
    bad = [" ".join(changes[n % len(changes)](line.split())) for n, line in enumerate(good)]
    return translations_of({"good": good, "bad": bad}, good, metrics="frs", parsed=True)


@pytest.mark.parametrize("kind", PLANTED)
def test_planted_changes_are_the_largest_part(kind: str) -> None:
    found = sure(difference(_planted(PLANTED[kind]), (0, 1)))
    assert found.total.significant
    assert kind in found.significant[0].name
    explained = sum(part.points for part in found.significant)
    assert explained / found.total.points == pytest.approx(1.0, abs=0.35)
    assert found.significant[0].unmoved_share is not None
    assert found.significant[0].unmoved_share[0] == 1.0
    assert found.significant[0].unmoved_share[1] < 1.0


def test_dropped_words_are_named() -> None:
    """FRS sees no word that is not matched; the first finding names it all the same."""
    references = _sentences()
    systems = {"good": references, "bad": [line.replace(" of ", " ") for line in references]}
    report = analyze(translations_of(systems, references, metrics="frs,cder"))
    (first, key), *_ = top_findings(report.sections)
    assert key == "frs-difference"
    assert "Of 'of' in the references bad matches 0 %, good 100 %." in first.sentence
    # On the words that both match they are equal.
    assert first.sentence.startswith("good and bad differ by 0.00 points of FRS [+0.0, +0.0]: ")


def test_findings_show_typical_sentences_of_both_systems() -> None:
    report = analyze(_planted(_swapped((1, 2)), _moved(13, 14, 16)))
    found = [finding for finding, _ in top_findings(report.sections) if finding.level < 2]
    assert len(found) == 3
    assert len({finding.shown for finding in found}) == 3
    for finding in found:
        assert finding.systems == ("good", "bad")
        assert finding.shown == finding.examples[0]
    verbs = next(finding for finding in found if "verbs of subordinate" in finding.sentence[:60])
    assert verbs.shown is not None
    assert verbs.shown % 2 == 1


def test_the_typical_sentence_is_like_the_mean() -> None:
    """Neither the largest nor the smallest gain, and not one with other changes."""
    gain = np.array([0.9, 0.3, 0.3, 0.1, -0.5, 0.0])
    turned = np.array([0.9, 0.6, 0.3, 0.1, 0.5, 0.0])
    assert typical_sentences(gain, turned, np.full(6, 10.0))[0] == 2
    # Long sentences only where there are no others.
    assert typical_sentences(gain, turned, np.array([10, 10, 60, 10, 10, 10.0]))[-1] == 2


def test_words_that_one_system_lacks_do_not_win() -> None:
    """A system that leaves out what it orders wrong is not better on the common words."""
    references = ["we met them at six on tuesday evening"] * 40
    whole = ["we met at them six on tuesday evening", *references[1:20]]
    whole += ["met we them at six tuesday on evening"] * 20
    less = [line.replace("met we", "we").replace("tuesday on", "on") for line in whole]
    made = translations_of({"less": less, "whole": whole}, references, metrics="frs")
    found = sure(difference(made, (0, 1)))
    assert abs(found.total.points) < 1e-9
    own = found.checks[-1]
    assert own.name == "on each system's own matched words"
    assert own.points > 5


def test_a_difference_that_is_the_other_way_round_on_own_words_is_said_to_be() -> None:
    """FRS on own words: A is "a b c d" and six single words, 1/3; B is "b c d" and "a", 2/3."""
    lines = {"A": ["a b c d j i h g f e"] * 20, "B": ["b c d a"] * 20}
    report = analyze(translations_of(lines, ["a b c d e f g h i j"] * 20, metrics="frs"))
    (first, _), *_ = top_findings(report.sections)
    assert first.sentence.startswith("A is better than B by 33.3 points of FRS")
    turned = "it is the other way round, and significant, on each system's own matched words."
    assert first.sentence.endswith(turned)
    checks = next(each for each in report.sections if each.key == "frs-difference-checks")
    assert checks.reading.endswith(turned)
    assert checks.reading.startswith("It is not significant without the ")


def test_of_tied_systems_the_first_surely_worse_one_is_explained() -> None:
    references = _sentences()
    swap = _swapped((1, 2), (5, 6))
    worse = [" ".join(swap(line.split())) for line in references]
    tied = [worse[0], *references[1:]]
    lines = {"worse": worse, "tied": tied, "best": references}
    for metrics, name in (("frs", "FRS"), ("kendall,frs", "Kendall's tau")):
        made = translations_of(lines, references, metrics=metrics, parsed=True)
        (first, key), *_ = top_findings(analyze(made).sections)
        assert key == f"{metrics.split(',')[0]}-difference"
        assert first.caption.startswith("best is better than worse by ")
        assert f"points of {name} [" in first.caption
        assert "tied is between the two, and not surely worse." in first.sentence
        # The adjectives of the sentence that is drawn, which one output moves.
        moved = first.words[0]
        start = 18 * int(first.shown or 0)
        assert moved
        assert {place - start for place in moved} <= {1, 2, 5, 6}
        # Who asks for two systems gets these.
        chosen = analyze(made, focus=("best", "tied")).sections
        (first, _), *_ = top_findings(chosen)
        assert first.sentence.startswith("best has ")
        assert "than tied" in first.caption


def test_equal_outputs_have_no_winner() -> None:
    """Neither the table of systems nor a finding says that one of them is better."""
    references = ["we met at six on tuesday"] * 8
    lines = {"A": references, "B": references}
    report = analyze(translations_of(lines, references, metrics="frs,cder"))
    sections = {each.key: each for each in report.sections}
    assert sections["systems"].reading == (
        "All 2 systems have the same scores under all of 2 metrics."
    )
    assert not any("difference" in key for key in sections if key.startswith("frs"))
    lines["C"] = ["on tuesday we met at six"] * 8
    reading = analyze(translations_of(lines, references, metrics="frs")).sections[0].reading
    assert reading == "A and B are equal, and the best of 3 systems."


def test_a_sure_kind_of_a_family_that_is_not_sure_is_named() -> None:
    """What a later finding calls sure is not denied by the first."""
    part = Part(
        "adverbs",
        0.5,
        0.2,
        0.8,
        0.01,
        0.01,
        moved_blocks=(1, 9),
        unmoved_share=(0.9, 0.8),
        family="clauses",
    )
    family = Part("clauses", 0.3, -0.1, 0.7, 0.2, 0.2)
    rest = Part("verbs", -0.2, -0.5, 0.1, 0.6, 0.6, family="clauses")
    total = Part("all matched words", 0.3, 0.1, 0.5, 0.001, 0.001)
    groups: dict[str, tuple[Part, ...]] = {"kinds of words": (family,)}
    found = Difference("frs", ("A", "B"), total, (part, rest), groups, ())
    first, second = difference_sections(found, "", DEFAULT_PLAN)[0].findings
    assert "[+0.1, +0.5]: +0.5 in adverbs; -0.2 in the rest, where no part is" in first.sentence
    assert first.caption.endswith(": +0.5 in adverbs.")
    assert second.sentence.startswith("A orders adverbs right 90.0 % of the time")


def test_long_outputs_are_no_typical_sentences() -> None:
    """What counts is the longest text that is drawn, not the words that both systems match."""
    references = ["we met at six on tuesday"] * 4
    added = " ".join(f"w{n}" for n in range(40))
    bad = ["on tuesday we met at six", f"on tuesday we met at six {added}"] * 2
    made = translations_of({"good": references, "bad": bad}, references, metrics="frs")
    found = sure(difference(made, (0, 1)))
    assert set(found.total.examples[:2]) == {0, 2}


def test_parts_with_opposite_signs_are_gains_and_losses() -> None:
    """No part is "0.4 of the 0.1 points", and no share is above 1."""
    gain = Part(
        "adverbs", 0.4, 0.2, 0.6, 0.001, 0.01, moved_blocks=(1, 9), unmoved_share=(0.9, 0.8)
    )
    loss = Part(
        "verbs", -0.3, -0.5, -0.1, 0.002, 0.02, moved_blocks=(9, 1), unmoved_share=(0.8, 0.9)
    )
    total = Part("all matched words", 0.1, -0.1, 0.3, 0.3, 0.3)
    groups: dict[str, tuple[Part, ...]] = {"kinds of words": ()}
    found = Difference("frs", ("A", "B"), total, (gain, loss), groups, ())
    section = difference_sections(found, "", DEFAULT_PLAN)[0]
    whole, *parts = (finding.sentence for finding in section.findings)
    assert ": +0.4 in adverbs; -0.3 in verbs; 0.00 in the rest" in whole
    assert not any("of the 0.1 points" in sentence for sentence in parts)
    assert parts[0].endswith("(p = 0.001; after Holm's correction p = 0.010).")
    shares = [row[section.header.index("share")] for row in section.rows]
    assert shares == [1.0, 1.0]


def test_a_kind_that_was_named_in_advance_is_tested_alone() -> None:
    """It has the p-value of one test, and the others are corrected for one test less."""
    references = ["we met at six on tuesday evening"] * 60
    moved = "we met six at on tuesday evening"
    lines = {"A": references}
    lines["B"] = [moved if n % 12 == 0 else line for n, line in enumerate(references)]
    made = translations_of(lines, references, metrics="frs")
    named = "common words"
    plain, alone = (difference(made, (0, 1), DEFAULT_PLAN, "frs", each) for each in ((), (named,)))
    assert plain is not None
    assert alone is not None
    (part,) = (each for each in plain.classes if each.name == "common words")
    (tested,) = alone.hypotheses
    assert tested.p_value == tested.raw_p_value == part.raw_p_value
    assert part.p_value > part.raw_p_value
    _, second, *_ = difference_sections(alone, "", DEFAULT_PLAN)[0].findings
    assert second.sentence.startswith("Named in advance: ")
    assert " for A against B in common words [" in second.sentence
    with pytest.raises(UsageError, match="hypothesis.*verbs.*common words"):
        difference(made, (0, 1), DEFAULT_PLAN, "frs", ("verbs",))
    # Several are corrected for each other; a kind that no system moves has no test.
    both = difference(made, (0, 1), DEFAULT_PLAN, "frs", (named, "numbers", named))
    assert both is not None
    first, empty = both.hypotheses
    assert [each.name for each in both.hypotheses] == [named, "numbers"]
    assert first.p_value == pytest.approx(min(2 * part.raw_p_value, 1))
    assert empty.moved_blocks == (0, 0)
    _, _, last, *_ = difference_sections(both, "", DEFAULT_PLAN)[0].findings
    assert last.sentence == "Named in advance: neither A nor B moves a block of numbers."
    with pytest.raises(UsageError, match="two systems"):
        analyze(made, focus=["A"], hypothesis="common words")


def test_the_best_system_is_explained_against_each_that_is_surely_worse() -> None:
    """The parts of the first pair come before what is said of the others."""
    references = [f"we met number {n} at six on tuesday evening" for n in range(120)]
    turned = [" ".join(line.split()[::-1]) for line in references]
    half = [a if n % 2 else b for n, (a, b) in enumerate(zip(references, turned, strict=True))]
    lines = {"best": references, "half": half, "worst": turned}
    made = analyze(translations_of(lines, references, metrics="frs"))
    titles = [each.title for each in made.sections if each.key.startswith("frs-difference")]
    assert [title for title in titles if title.startswith("Why")] == [
        "Why best has a higher FRS than half",
        "Why best has a higher FRS than worst",
    ]
    said = [finding.sentence for finding, _ in top_findings(made.sections)]
    places = [n for n, each in enumerate(said) if each.startswith("best is better than ")]
    assert places[0] == 0
    assert places[1] > 1


def test_own_words_add_a_part_to_the_difference() -> None:
    """By hand: A matches ten words, 1 - 6 / 9 of FRS; B four, 1 - 1 / 3; on these four A has 1."""
    references = ["a b c d e f g h i j"] * 20
    lines = {"A": ["a b c d j i h g f e"] * 20, "B": ["b c d a"] * 20}
    made = translations_of(lines, references, metrics="frs")
    found = difference(made, (1, 0), DEFAULT_PLAN, on_own_words=True)
    assert found is not None
    assert found.total.points == pytest.approx(100 / 3)
    assert found.checks[-1].points == pytest.approx(-100 / 3)
    for name, parts in (("kind", found.classes), *found.divisions.items()):
        assert sum(part.points for part in parts) == pytest.approx(100 / 3), name
        (rest,) = (part for part in parts if part.name == UNSHARED_WORDS)
        assert rest.points == pytest.approx(200 / 3)
    report = analyze(made, words="own")
    assert report.answer.startswith("B orders words best: its fuzzy reordering score (FRS) is 0.66")
    assert report.answer.endswith("compared on their own matched words, not on common ones.")
    assert "words:common" not in report.intervals[0].signature
    assert "|words:common|" in analyze(made).intervals[0].signature
    with pytest.raises(UsageError, match="words.*common, own"):
        analyze(made, words="shared")
