"""Intervals from spans are those of one run, from the same sums of buckets."""

import random
from pathlib import Path

import numpy as np
import pytest

from wordorder.scale.cutting import Sizes
from wordorder.scale.scoring import merge, result, spans, work
from wordorder.scale.written import score_on_engine
from wordorder.scoring.files import Files
from wordorder.scoring.scores import Scores, score

ROWS = 300


def signatures(scores: Scores) -> list[list[str]]:
    return [[str(s.signature) for s in system.scores] for system in scores.evaluation.systems]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A reference and two systems, some of whose rows have no words."""
    generator = np.random.default_rng(2)
    lengths = generator.integers(0, 9, ROWS).tolist()
    paths = [tmp_path / f"{name}.orders" for name in ("reference", "a", "b")]
    for path in paths:
        rows = [" ".join(map(str, generator.permutation(n).tolist())) for n in lengths]
        path.write_text("\n".join(rows) + "\n")
    return paths


@pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")
def test_spans_merged_in_any_order(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.scoring.systems.MOST_SEGMENTS", ROWS - 1)
    drawn = {"confidence": 0.9, "resamples": 50, "seed": 7}
    once = score(files[0], files[1:], "frs,kendall", **drawn)  # type: ignore[arg-type]
    found = Files.of(files[0], files[1:], {})
    cut = spans(found, "frs,kendall", intervals=7, sizes=Sizes(1000, 1000, 1))
    parts = [work(span) for span in cut]
    assert len(parts) > 5
    random.Random(3).shuffle(parts)
    scores = result(merge(parts), found, "frs,kendall", **drawn)  # type: ignore[arg-type]
    assert scores.estimates == once.estimates
    assert signatures(scores) == signatures(once)
    assert "resampled:4096-buckets" in signatures(scores)[0][0]


@pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")
@pytest.mark.parametrize("most", [ROWS - 1, ROWS])
def test_an_engine(files: list[Path], monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Few rows are resampled themselves, whatever the engine."""
    monkeypatch.setattr("wordorder.scoring.systems.MOST_SEGMENTS", most)
    monkeypatch.setattr("wordorder.scale.written.MOST_SEGMENTS", most)
    once = score(files[0], files[1:], "frs", confidence=0.95, resamples=50)
    scores = score_on_engine(files[0], files[1:], "frs", confidence=0.95, resamples=50)
    assert scores.estimates == once.estimates
    assert signatures(scores) == signatures(once)
    assert ("resampled" in signatures(scores)[0][0]) == (most < ROWS)
