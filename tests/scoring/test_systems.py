"""Systems read side by side: the same scores as in memory, whatever the pieces and threads."""

from pathlib import Path

import numpy as np
import pytest
from tests.refusing import refuses

import wordorder as wo
from wordorder.kernels import _run
from wordorder.metrics.contract import left_out
from wordorder.order.matching import WordIdReader
from wordorder.order.reading import OrderReader
from wordorder.scoring.systems import Evaluation, measurements, score_systems, select

NAMES = ("frs", "kendall", "pef-recursive")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A reference with ties and empty lines, and two systems, one of which drops words."""
    generator = np.random.default_rng(8)
    lines: list[list[str]] = [[], [], []]
    for row in range(500):
        n = int(generator.integers(0, 12))
        order = generator.permutation(n).tolist()
        text = " ".join(map(str, order))
        lines[0].append(text.replace(" ", ",", 1) if row % 3 == 0 else text)
        for system in (1, 2):
            kept = generator.permutation(n)[: n - (system == 2 and n > 3)]
            lines[system].append(" ".join(map(str, kept)))
    paths = [tmp_path / name for name in ("reference", "a", "b")]
    for path, rows in zip(paths, lines, strict=True):
        path.write_text("\n".join(rows) + "\n")
    return paths


def evaluate(files: list[Path], *, keep: bool = False) -> Evaluation:
    reference, *systems = (OrderReader(path) for path in files)
    with reference, systems[0], systems[1]:
        return score_systems(reference, systems, [wo.metric(n) for n in NAMES], keep=keep)


@pytest.mark.parametrize(("chunk", "threads"), [(1, 2), (7, 1), (499, 5), (500, 1), (501, 2)])
def test_pieces_and_threads_do_not_matter(
    files: list[Path], monkeypatch: pytest.MonkeyPatch, chunk: int, threads: int
) -> None:
    monkeypatch.setattr("wordorder.text.lines.CHUNK", chunk)
    monkeypatch.setattr(_run, "_threads", threads)
    found = evaluate(files)
    for path, system in zip(files[1:], found.systems, strict=True):
        segments = wo.Segments.from_orders(path, files[0])
        assert system.scores == tuple(wo.metric(n).corpus_score(segments) for n in NAMES)
        assert system.dropped == segments.dropped
    empty = [i for i, line in enumerate(files[0].read_text().split("\n")[:-1], 1) if not line]
    assert found.segments == 500
    assert found.skipped == len(empty)
    assert list(found.skipped_lines) == empty[:100]


def test_kept_statistics(files: list[Path]) -> None:
    found = evaluate(files, keep=True)
    metrics = [wo.metric(n) for n in NAMES]
    for m, measurement in enumerate(measurements(found, metrics)):
        assert measurement.values().tolist() == [s.scores[m].value for s in found.systems]
    one = select(found, [1])
    assert [s.scores for s in one.systems] == [(s.scores[1],) for s in found.systems]
    assert all(s.statistics == () for s in select(evaluate(files), [0]).systems)


def test_words_of_the_source(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("reference", "system", "source")}
    paths["reference"].write_text("2 3 0 1 4\n")
    paths["system"].write_text("0 1 2 3 4\n")
    paths["source"].write_text("the cat the dog saw\n")
    metric = wo.metric("frs", match="first-unmatched")
    with (
        OrderReader(paths["reference"]) as reference,
        OrderReader(paths["system"]) as system,
        WordIdReader(paths["source"]) as words,
    ):
        found = score_systems(reference, [system], [metric], words=words)
    assert found.systems[0].scores[0].value == 0.0


@pytest.mark.parametrize("piece", [1, 10, 100, 10**9])
def test_statistics_piece_by_piece(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    generator = np.random.default_rng(1)
    rows = [generator.permutation(n).tolist() for n in [0, 1, 5, 0, 9, 2, 30, 0, 0, 3, 0]]
    whole = [
        metric.score(metric.statistics(wo.Segments.from_permutations(rows)))
        for metric in map(wo.metric, NAMES)
    ]
    monkeypatch.setattr(_run, "PIECE", piece)
    monkeypatch.setattr(_run, "_threads", 3)
    segments = wo.Segments.from_permutations(rows)
    assert sum(map(len, segments.pieces())) == len(rows)
    for name, wanted in zip(NAMES, whole, strict=True):
        assert wo.metric(name).segment_scores(segments).tolist() == wanted.tolist()


@pytest.mark.parametrize("bad", [0, 5, 29])
def test_a_bad_permutation_is_found_in_any_piece(monkeypatch: pytest.MonkeyPatch, bad: int) -> None:
    rows = [[1, 0]] * 30
    rows[bad] = [1, 1]
    monkeypatch.setattr(_run, "PIECE", 7)
    monkeypatch.setattr(_run, "_threads", 2)
    refuses(wo.InputError, f"row {bad + 1}, entry 2", wo.Segments.from_permutations, rows)


def test_work_in_a_pool_stays_on_its_thread() -> None:
    wo.set_threads(2)
    try:
        assert _run.run_pieces(lambda _: _run.threads(), [1, 2, 3]) == [1, 1, 1]
        assert _run.threads() == 2
        with pytest.raises(ZeroDivisionError):
            _run.run_pieces(lambda n: 1 / n, [1, 0, 1])
    finally:
        wo.set_threads(None)


def test_rows_of_zeros_are_left_out() -> None:
    statistics = np.array([[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert left_out(statistics).tolist() == [True, False, False]
    assert left_out(np.zeros((0, 3))).tolist() == []
