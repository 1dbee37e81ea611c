"""Systems side by side: the same scores as in memory and alone, whatever the pieces and threads."""

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.cli.running import call
from tests.notes import noted
from tests.refusing import refuses

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.cli.score import compare_command as compare_command, score_command as score_command
from wordorder.kernels import _run
from wordorder.metrics.accumulator import bucket_measurement
from wordorder.metrics.contract import left_out_segments
from wordorder.metrics.registry import named_metric
from wordorder.metrics.text.edits import InversionWordErrorRate
from wordorder.order.matching import WordIdReader
from wordorder.order.reading import OrderReader
from wordorder.scoring.comparisons import compare_files as compare
from wordorder.scoring.scores import Scores, score_files as score
from wordorder.scoring.systems import Evaluation, measurements, score_systems, select
from wordorder.segments import Segments
from wordorder.statistics.bucket_sums import BUCKETS, BUCKETS_ABOVE
from wordorder.statistics.intervals import confidence_intervals

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
    monkeypatch.setattr("wordorder.text.lockstep.CHUNK_LINES", chunk)
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


def test_kept_statistics_and_rows_of_zeros(files: list[Path]) -> None:
    found = evaluate(files, keep=True)
    metrics = [wo.metric(n) for n in NAMES]
    for m, measurement in enumerate(measurements(found, metrics)):
        assert measurement.values().tolist() == [s.scores[m].value for s in found.systems]
    one = select(found, [1])
    assert [s.scores for s in one.systems] == [(s.scores[1],) for s in found.systems]
    assert all(s.statistics == () for s in select(evaluate(files), [0]).systems)
    statistics = np.array([[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    assert left_out_segments(statistics).tolist() == [True, False, False]
    assert left_out_segments(np.zeros((0, 3))).tolist() == []


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
    generator, metrics = np.random.default_rng(1), list(map(wo.metric, NAMES))
    rows = [generator.permutation(n).tolist() for n in [0, 1, 5, 0, 9, 2, 30, 0, 0, 3, 0]]
    known = [metric.statistics(wo.Segments.from_permutations(rows)) for metric in metrics]
    whole = [
        [value if row else np.nan for value, row in zip(metric.score(found), rows, strict=True)]
        for metric, found in zip(metrics, known, strict=True)
    ]
    monkeypatch.setattr(_run, "PIECE_NUMBERS", piece)
    monkeypatch.setattr(_run, "_threads", 3)
    segments = wo.Segments.from_permutations(rows)
    assert sum(map(len, segments.pieces())) == len(rows)
    for metric, wanted in zip(metrics, whole, strict=True):
        np.testing.assert_array_equal(metric.segment_scores(segments), wanted)


@pytest.mark.parametrize("bad", [0, 5, 29])
def test_a_bad_permutation_is_found_in_any_piece(monkeypatch: pytest.MonkeyPatch, bad: int) -> None:
    rows = [[1, 0]] * 30
    rows[bad] = [1, 1]
    monkeypatch.setattr(_run, "PIECE_NUMBERS", 7)
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


# -- Systems that share their references: the scores of each are those that it has alone.


METRICS = [
    *("senscore(ordering=kendall)", "senscore(ordering=pet)", "f1", "ter", "cder", "bleu"),
    "meteor",
]
SYSTEMS = 3


@pytest.fixture(scope="module")
def texts() -> list[list[str]]:
    """A reference and systems of few words, some with white space of other kinds, some empty."""
    draw = random.Random(4)
    words = ["the", "Cats", "cat", "sat", "on,", "mats.", "x\u00a0y", "\u2003"]
    return [
        [" ".join(draw.choices(words, k=draw.randrange(9))) for _ in range(30)]
        for _ in range(1 + SYSTEMS)
    ]


@pytest.fixture(scope="module")
def text_files(texts: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("texts")
    paths = [folder / f"{number}.txt" for number in range(len(texts))]
    for path, lines in zip(paths, texts, strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths


@pytest.fixture(scope="module", params=["none", "13a"])
def alone(
    request: pytest.FixtureRequest, texts: list[list[str]]
) -> tuple[str, dict[tuple[int, int], np.ndarray]]:
    """The tokenizer, and the scores of each system from segments of its own for each metric."""
    scores = {}
    for system, hypotheses in enumerate(texts[1:]):
        for number, name in enumerate(METRICS):
            segments = Segments.from_text(
                hypotheses, texts[0], tokenizer=request.param, case="lower", aligner="exact+stem"
            )
            scores[system, number] = named_metric(name).segment_scores(segments)
    return request.param, scores


# What is left out and what the tokenizer does not reach is not the point here.
@pytest.mark.allow_notes
@pytest.mark.parametrize(("chunk", "threads"), [(1 << 13, 1), (1 << 13, 2), (7, 2)])
def test_together_as_alone_whatever_the_pieces_and_threads(
    text_files: list[Path],
    alone: tuple[str, dict[tuple[int, int], np.ndarray]],
    chunk: int,
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wordorder.text.lockstep.CHUNK_LINES", chunk)
    monkeypatch.setattr(_run, "_threads", threads)
    tokenizer, expected = alone
    found = score(
        text_files[1:],
        text_files[0],
        METRICS,
        segments=True,
        aligner="exact+stem",
        tokenizer=tokenizer,
        lowercase=True,
    ).segments
    assert found is not None
    assert found.keys() == expected.keys()
    for key, values in found.items():
        np.testing.assert_array_equal(values, expected[key], err_msg=METRICS[key[1]])


@pytest.mark.slow
def test_notes_come_in_the_order_of_the_systems(
    text_files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = InversionWordErrorRate.distances

    def slow_at_first(metric: InversionWordErrorRate, segments: Segments) -> Float64:
        if segments.texts.hypothesis_lines[0] == first:
            time.sleep(0.1)
        return measured(metric, segments)

    first = text_files[1].read_text(encoding="utf-8").splitlines()[0]
    monkeypatch.setattr(InversionWordErrorRate, "distances", slow_at_first)
    said = []
    for threads in (1, 2):
        monkeypatch.setattr(_run, "_threads", threads)
        with noted() as notes:
            score(text_files[1:], text_files[0], "inversion-wer(max_words=3)")
        said.append(notes)
    assert any("not compared" in each for each in said[0])
    assert said[0] == said[1]


# -- More segments than are kept: sums of buckets are resampled.


LIMIT = "wordorder.scoring.systems.BUCKETS_ABOVE"
SEGMENTS = 500


@pytest.fixture
def many(tmp_path: Path) -> list[Path]:
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


def with_intervals(many: list[Path], **options: Any) -> Scores:
    return score(many[1:], many[0], "frs,kendall", level=0.9, resamples=100, **options)


@pytest.mark.parametrize(("chunk", "threads"), [(1, 2), (7, 1), (99, 5), (100, 2), (499, 2)])
def test_pieces_and_threads_do_not_matter_to_buckets(
    many: list[Path], monkeypatch: pytest.MonkeyPatch, chunk: int, threads: int
) -> None:
    monkeypatch.setattr(LIMIT, 100)
    wanted = with_intervals(many)
    tests = compare(many[1:], many[0], "frs", resamples=100).comparisons
    monkeypatch.setattr("wordorder.text.lockstep.CHUNK_LINES", chunk)
    monkeypatch.setattr(_run, "_threads", threads)
    assert with_intervals(many).estimates == wanted.estimates
    assert compare(many[1:], many[0], "frs", resamples=100).comparisons == tests


def test_buckets_are_those_of_an_accumulator(
    many: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIMIT, SEGMENTS - 1)
    found = with_intervals(many, seed=7)
    systems = []
    for path in many[1:]:
        running = wo.Accumulator(wo.metric("kendall"), intervals=True, seed=7)
        running.update(wo.Segments.from_orders(path, many[0]))
        systems.append(running)
    (wanted,) = confidence_intervals(
        [bucket_measurement(systems)], confidence=0.9, resamples=100, seed=7
    )
    assert found.estimates is not None
    assert found.estimates[1] == wanted
    plain = score(many[1:], many[0], "frs,kendall")
    for system, other in zip(found.evaluation.systems, plain.evaluation.systems, strict=True):
        assert system.statistics == ()
        assert [s.value for s in system.scores] == [s.value for s in other.scores]
        for signed, unsigned in zip(system.scores, other.scores, strict=True):
            assert signed.signature == unsigned.signature.with_fields(("resampled", "4096-buckets"))


def test_up_to_the_limit_nothing_changes(many: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    everything = with_intervals(many)
    monkeypatch.setattr(LIMIT, SEGMENTS)
    found = with_intervals(many)
    assert found.estimates == everything.estimates
    assert len(found.evaluation.systems[0].statistics[0]) == SEGMENTS
    assert "resampled" not in str(found.evaluation.systems[0].scores[0].signature)
    monkeypatch.setattr(LIMIT, SEGMENTS - 1)
    assert with_intervals(many).estimates != everything.estimates
    monkeypatch.setattr(LIMIT, 100)
    both = with_intervals(many, segments=True)
    assert both.estimates == with_intervals(many).estimates
    assert both.segment_scores(0).shape == (2, SEGMENTS)


def test_it_is_said(many: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(path) for path in many]
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
    assert f"more than {BUCKETS_ABOVE:,} segments" in shown
    assert f"{BUCKETS:,} random buckets" in shown


def test_standard_input_is_as_a_file(many: list[Path], tmp_path: Path) -> None:
    """Of unknown length, beyond the real limit."""
    lines = many[1].read_text() * (BUCKETS_ABOVE // SEGMENTS) + "0\n"
    reference, system = tmp_path / "r.orders", tmp_path / "s.orders"
    reference.write_text(many[0].read_text() * (BUCKETS_ABOVE // SEGMENTS) + "0\n")
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
