"""Needed reordering and literalness on real links, against slow recomputation and other figures."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from wordorder.analysis.translations.files import read_translations
from wordorder.analysis.translations.source import (
    literalness_section,
    needed_reordering,
    reordering,
    reordering_groups,
    reordering_section,
)
from wordorder.analysis.translations.translations import Translations
from wordorder.messages import held_notes
from wordorder.scoring import compat_scores
from wordorder.scoring.files import Files
from wordorder.statistics.intervals import Drawn

DATA = os.environ.get("WORDORDER_DATA")
NEEDS_DATA = pytest.mark.skipif(not DATA, reason="WORDORDER_DATA names the folder of real data")
NAMES = ("ted.sys1", "ted.sys2")
LINES = 400


def _paths(folder: Path) -> dict[str, str]:
    """Unpack the first lines of compare-mt's TED talks."""
    paths = {}
    for name in (
        "orig.slk",
        "ref.eng",
        "ref.align",
        *(f"sys{n}.{k}" for n in (1, 2) for k in ("eng", "align")),
    ):
        with gzip.open(
            Path(str(DATA), "compare-mt-ted", f"ted.{name}.gz"), "rt", encoding="utf-8"
        ) as stream:
            lines = stream.readlines()[:LINES]
        path = folder / name
        path.write_text("".join(lines), encoding="utf-8")
        paths[name] = str(path)
    return paths


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return _paths(tmp_path_factory.mktemp("ted"))


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
    rank = {word: place for place, word in enumerate(order)}
    kept = sum(rank[word + 1] == rank[word] + 1 for word in range(words - 1))
    return 1 - kept / (words - 1) if words > 1 else 0.0


@NEEDS_DATA
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


@NEEDS_DATA
def test_scores_of_groups_are_means_of_their_sentences(found: Translations) -> None:
    needed = needed_reordering(found)
    section = reordering_section(found, Drawn(resamples=20))
    assert needed is not None
    assert section is not None
    rows = iter(section.rows)
    for group in reordering_groups(needed):
        for system in found.systems:
            row = next(rows)
            assert row[1] == len(group)
            assert row[2] == pytest.approx(float(needed[group].mean()))
            assert row[5] == pytest.approx(float(np.nanmean(system.scores[0][group])))


@NEEDS_DATA
def test_literalness_has_the_figures_of_the_tool_that_defined_it(
    paths: dict[str, str], found: Translations
) -> None:
    section = literalness_section(found, Drawn(resamples=20))
    assert section is not None
    rows = {(row[0], row[1]): row[2] for row in section.rows}
    theirs = compat_scores(
        "literalness",
        paths["ref.eng"],
        {name: paths[f"{name[4:]}.eng"] for name in NAMES},
        source=paths["orig.slk"],
        hypothesis_alignments=[paths["sys1.align"], paths["sys2.align"]],
    )
    for name in NAMES:
        figures = {label.split(" ")[0]: score.value for label, score in theirs[name].items()}
        assert rows["non-monotonicity", name] == pytest.approx(figures["Non-Monotonicty"] / 100)
