"""More segments than are kept: sums of buckets are resampled, whatever the pieces and threads."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.cli.running import call

import wordorder as wo
from wordorder.cli.score import compare_command as compare_command, score_command as score_command
from wordorder.kernels import _run
from wordorder.metrics.accumulator import bucket_measurement
from wordorder.scoring import compare, score
from wordorder.scoring.scores import Scores
from wordorder.statistics.exact_sum import BUCKETS, MOST_SEGMENTS
from wordorder.statistics.intervals import confidence_intervals

LIMIT = "wordorder.scoring.systems.MOST_SEGMENTS"
SEGMENTS = 500


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A reference and two systems, the second with fewer errors."""
    generator = np.random.default_rng(8)
    lines: list[list[str]] = [[], [], []]
    for _ in range(SEGMENTS):
        n = int(generator.integers(2, 12))
        lines[0].append(" ".join(map(str, range(n))))
        for errors, rows in zip((3, 1), lines[1:], strict=True):
            order = list(range(n))
            for _ in range(int(generator.integers(0, 1 + errors))):
                a, b = generator.integers(0, n, 2)
                order[a], order[b] = order[b], order[a]
            rows.append(" ".join(map(str, order)))
    paths = [tmp_path / f"{name}.orders" for name in ("reference", "a", "b")]
    for path, rows in zip(paths, lines, strict=True):
        path.write_text("\n".join(rows) + "\n")
    return paths


def with_intervals(files: list[Path], **options: Any) -> Scores:
    return score(files[0], files[1:], "frs,kendall", confidence=0.9, resamples=100, **options)


@pytest.mark.parametrize(("chunk", "threads"), [(1, 2), (7, 1), (99, 5), (100, 2), (499, 2)])
def test_pieces_and_threads_do_not_matter(
    files: list[Path], monkeypatch: pytest.MonkeyPatch, chunk: int, threads: int
) -> None:
    monkeypatch.setattr(LIMIT, 100)
    wanted = with_intervals(files)
    tests = compare(files[0], files[1:], "frs", resamples=100).comparisons
    monkeypatch.setattr("wordorder.text.lines.CHUNK", chunk)
    monkeypatch.setattr(_run, "_threads", threads)
    assert with_intervals(files).estimates == wanted.estimates
    assert compare(files[0], files[1:], "frs", resamples=100).comparisons == tests


def test_buckets_are_those_of_an_accumulator(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIMIT, SEGMENTS - 1)
    found = with_intervals(files, seed=7)
    systems = []
    for path in files[1:]:
        running = wo.Accumulator(wo.metric("kendall"), intervals=True, seed=7)
        running.update(wo.Segments.from_orders(path, files[0]))
        systems.append(running)
    (wanted,) = confidence_intervals(
        [bucket_measurement(systems)], confidence=0.9, resamples=100, seed=7
    )
    assert found.estimates is not None
    assert found.estimates[1] == wanted
    plain = score(files[0], files[1:], "frs,kendall")
    for system, other in zip(found.evaluation.systems, plain.evaluation.systems, strict=True):
        assert system.statistics == ()
        assert [s.value for s in system.scores] == [s.value for s in other.scores]
        for signed, unsigned in zip(system.scores, other.scores, strict=True):
            assert signed.signature == unsigned.signature.with_fields(("resampled", "4096-buckets"))


def test_up_to_the_limit_nothing_changes(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = with_intervals(files)
    monkeypatch.setattr(LIMIT, SEGMENTS)
    found = with_intervals(files)
    assert found.estimates == everything.estimates
    assert len(found.evaluation.systems[0].statistics[0]) == SEGMENTS
    assert "resampled" not in str(found.evaluation.systems[0].scores[0].signature)
    monkeypatch.setattr(LIMIT, SEGMENTS - 1)
    assert with_intervals(files).estimates != everything.estimates


def test_scores_of_segments_change_no_interval(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIMIT, 100)
    both = with_intervals(files, segments=True)
    assert both.estimates == with_intervals(files).estimates
    assert both.segment_scores(0).shape == (2, SEGMENTS)


def test_it_is_said(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(path) for path in files]
    arguments = [names[0], "-i", *names[1:], "-m", "frs", "--resamples", "50"]
    few = [
        CliRunner().invoke(command, [*arguments, *more]).stdout
        for command, more in ((score_command, ["--confidence"]), (compare_command, []))
    ]
    monkeypatch.setattr(LIMIT, 100)
    for command, more, before in (
        (score_command, ["--confidence"], few[0]),
        (compare_command, [], few[1]),
    ):
        found = CliRunner().invoke(command, [*arguments, *more]).stdout
        assert "|resampled:4096-buckets|v:" in found
        assert "resampling of 4,096 buckets of segments" in " ".join(found.split())
        assert "buckets" not in before
    # Without intervals nothing is resampled, and nothing said.
    assert "buckets" not in CliRunner().invoke(score_command, arguments).stdout


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_help_names_the_numbers(verb: str) -> None:
    shown = " ".join(call(verb, "--help-all").good().text.split())
    assert f"more than {MOST_SEGMENTS:,} segments" in shown
    assert f"{BUCKETS:,} random buckets" in shown


def test_standard_input_is_as_a_file(files: list[Path], tmp_path: Path) -> None:
    """Of unknown length, beyond the real limit."""
    lines = files[1].read_text() * (MOST_SEGMENTS // SEGMENTS) + "0\n"
    reference, system = tmp_path / "r.orders", tmp_path / "s.orders"
    reference.write_text(files[0].read_text() * (MOST_SEGMENTS // SEGMENTS) + "0\n")
    system.write_text(lines)
    run = [sys.executable, "-m", "wordorder", "score", str(reference), "-m", "exact"]
    ends = ["--confidence", "--resamples", "20", "--format", "tsv"]
    shown = [
        subprocess.run(
            [*run, "-i", f"s={given}", *ends],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for given, text in ((system, None), ("-", lines))
    ]
    assert shown[0] == shown[1]
    assert "resampled:4096-buckets" in shown[0]
