"""Needed reordering and literalness: by hand, and by a slow recomputation on real links."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests import oracles
from tests.analysis.translations.translated import lines
from tests.files import data

from wordorder.alignment.alignments import Alignments, Links
from wordorder.analysis.translations.analyze import analyze
from wordorder.analysis.translations.files import read_translations, translations_of
from wordorder.analysis.translations.source import (
    literalness_section,
    needed_reordering,
    reordering,
    reordering_groups,
    reordering_section,
)
from wordorder.analysis.translations.translations import Translations
from wordorder.notes import held_notes
from wordorder.scoring import compat_scores
from wordorder.scoring.files import Files
from wordorder.segments import Segments
from wordorder.statistics.intervals import ResamplingPlan

FILES = ("orig.slk", "ref.eng", "ref.align", "sys1.eng", "sys1.align", "sys2.eng", "sys2.align")


def _linked(source: list[str], reference: list[list[int]], system: list[list[int]]) -> Translations:
    """Translations word by word: each row says where the source words go."""

    def text(rows: list[list[int]]) -> list[str]:
        words = []
        for line, row in zip(source, rows, strict=True):
            placed = sorted(zip(row, line.split(), strict=True))
            words.append(" ".join(word for _, word in placed))
        return words

    def links(rows: list[list[int]]) -> Alignments:
        return Alignments.from_rows([list(enumerate(row)) for row in rows])

    lengths = np.array([len(line.split()) for line in source])
    made = translations_of({"A": text(system)}, text(reference), source, metrics="frs,cder")
    column = Links(links(system), links(reference), lengths, lengths, lengths)
    (only,) = made.systems
    segments = Segments(texts=only.texts, links=column, _checked=True)
    system_with_links = replace(only, segments=segments)
    return Translations((system_with_links,), made.metrics, made.signatures, (column,))


def test_needed_reordering_is_what_the_source_order_lacks() -> None:
    source = ["a b c d", "a b c d", "a b c d", "a b c d"]
    reference = [[0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1]]
    monotone = [[0, 1, 2, 3]] * 4
    made = _linked(source, reference, monotone)
    # Chunks of the source order read in the reference's: 1, 3, 4 and 2 of 4 words.
    assert needed_reordering(made) == pytest.approx([0, 2 / 3, 1, 1 / 3])
    assert made.links is not None
    assert reordering(made.links[0].hypothesis, np.full(4, 4)).tolist() == [0, 0, 0, 0]
    section = reordering_section(made, ResamplingPlan(resamples=20))
    assert section is not None
    assert [row[:2] for row in section.rows] == [("little", 2), ("some", 1), ("much", 1)]
    assert [row[4] for row in section.rows] == [0.0, 0.0, 0.0]
    assert "A does 0 % of it. A mostly follows the source order there." in section.reading
    assert section.findings[0].explained > 0
    faithful = reordering_section(
        _linked(source, reference, reference), ResamplingPlan(resamples=20)
    )
    assert faithful is not None
    assert [row[4] for row in faithful.rows] == [row[2] for row in faithful.rows]
    assert "mostly" not in faithful.reading


def test_groups_are_thirds_and_equal_needs_stay_together() -> None:
    draw = np.random.default_rng(2)
    for size in (1, 2, 3, 4, 30, 31):
        needed = np.round(draw.random(size), 1)
        needed[draw.random(size) < 0.2] = np.nan
        groups = reordering_groups(needed)
        together = sorted(number for group in groups for number in group.tolist())
        assert together == np.flatnonzero(~np.isnan(needed)).tolist()
        limits = [(needed[g].min(), needed[g].max()) for g in groups if len(g)]
        assert all(one[1] < two[0] for one, two in pairwise(limits))
    distinct = [len(group) for group in reordering_groups(draw.permutation(30) / 30)]
    assert distinct == [10, 10, 10]


def test_literalness_is_what_the_metrics_say() -> None:
    source = ["a b c d"] * 3
    reference = [[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2]]
    made = _linked(source, reference, [[0, 1, 2, 3]] * 3)
    section = next(
        each for each in analyze(made, resamples=200).sections if each.key == "literalness"
    )
    rows = {(row[0], row[1]): row[2] for row in section.rows}
    assert rows["non-monotonicity", "A"] == 0
    assert rows["synchrony", "A"] == 1
    by_hand = np.mean([np.mean([abs(i - j) / 4 for i, j in enumerate(row)]) for row in reference])
    assert rows["non-monotonicity", "(reference)"] == pytest.approx(by_hand)
    assert rows["unaligned source words", "A"] == 0


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Unpack the first lines of compare-mt's TED talks."""
    folder = tmp_path_factory.mktemp("ted")
    for name in FILES:
        some = lines(data("compare-mt-ted", f"ted.{name}.gz"))[:400]
        (folder / name).write_text("".join(f"{line}\n" for line in some), encoding="utf-8")
    return {name: str(folder / name) for name in FILES}


@pytest.fixture(scope="module")
def found(paths: dict[str, str]) -> Translations:
    systems = [f"ted.sys{n}={paths[f'sys{n}.eng']}" for n in (1, 2)]
    options = {
        "source": paths["orig.slk"],
        "reference_alignments": [paths["ref.align"]],
        "hypothesis_alignments": [paths["sys1.align"], paths["sys2.align"]],
    }
    with held_notes():
        return read_translations(Files.of(paths["ref.eng"], systems, options), language="other")


def slow_reordering(links: str, words: int) -> float:
    """1 minus the FRS of the source as it is: words in the order of their first linked word."""
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    if not pairs or not words:
        return float("nan")
    first: list[float] = []
    for word in range(words):
        linked = [target for source, target in pairs if source == word]
        first.append(min(linked) if linked else float("nan"))
    # LRscore's rule: a word without links follows the word before it, or comes first.
    previous = -1.0
    for word in range(words):
        previous = first[word] = previous if np.isnan(first[word]) else first[word]
    order = sorted(range(words), key=lambda word: (first[word], word))
    return float(1 - oracles.frs([order.index(word) for word in range(words)]))


def test_needed_and_done_are_those_of_a_slow_recomputation(
    paths: dict[str, str], found: Translations
) -> None:
    source = [len(line.split()) for line in Path(paths["orig.slk"]).read_text("utf-8").splitlines()]
    for number, name in enumerate(("ref", "sys1", "sys2")):
        links = Path(paths[f"{name}.align"]).read_text("utf-8").splitlines()
        slow = [slow_reordering(*each) for each in zip(links, source, strict=True)]
        if name == "ref":
            fast = needed_reordering(found)
        else:
            assert found.links is not None
            column = found.links[number - 1]
            assert column.source_lengths is not None
            fast = reordering(column.hypothesis, column.source_lengths)
        assert fast == pytest.approx(slow, nan_ok=True)


def test_scores_of_groups_are_means_of_their_sentences(found: Translations) -> None:
    needed = needed_reordering(found)
    section = reordering_section(found, ResamplingPlan(resamples=20))
    assert needed is not None
    assert section is not None
    rows = iter(section.rows)
    for group in reordering_groups(needed):
        for system in found.systems:
            row = next(rows)
            assert row[1] == len(group)
            assert row[2] == pytest.approx(float(needed[group].mean()))
            assert row[5] == pytest.approx(float(np.nanmean(system.scores[0][group])))


def test_literalness_has_the_figures_of_the_tool_that_defined_it(
    paths: dict[str, str], found: Translations
) -> None:
    section = literalness_section(found, ResamplingPlan(resamples=20))
    assert section is not None
    rows = {(row[0], row[1]): row[2] for row in section.rows}
    theirs = compat_scores(
        *("literalness", paths["ref.eng"], {n: paths[f"{n[4:]}.eng"] for n in found.names}),
        source=paths["orig.slk"],
        hypothesis_alignments=[paths["sys1.align"], paths["sys2.align"]],
    )
    for name in found.names:
        figures = {label.split(" ")[0]: score.value for label, score in theirs[name].items()}
        assert rows["non-monotonicity", name] == pytest.approx(figures["Non-Monotonicty"] / 100)
