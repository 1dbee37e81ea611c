"""Scores in spans are those of one run, to the last byte, whatever the cuts and the merge order."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, TREES
from tests.notes import any_notes
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.scale.cutting import Sizes
from wordorder.scale.file_commands import score_on_engine
from wordorder.scale.line_output import Span
from wordorder.scale.scoring import merge, result, spans, work
from wordorder.scoring.files import Files
from wordorder.scoring.scores import Scores, score_files as score

SMALL = Sizes(1, 400, 1)


def texts(folder: Path) -> Iterator[str]:
    """Write translations with empty lines, and yield their names."""
    drawn = random.Random(5)
    for name in ("ref", "more", "sys", "other"):
        path = folder / f"{name}.txt"
        words = [" ".join(drawn.choices("a b c d e f g".split(), k=n % 9)) for n in range(150)]
        path.write_text("\n".join(words) + "\n")
        yield str(path)


def in_spans(files: Files, metrics: str, sizes: Sizes = SMALL) -> Scores:
    """Score in spans, merged in any order."""
    parts = [work(Span.from_json(span.to_json())) for span in spans(files, metrics, sizes=sizes)]
    assert len(parts) > 5
    random.Random(1).shuffle(parts)
    return result(merge([merge(parts[:3]), *parts[3:]]), files, metrics)


LINKED = {"source": SOURCE, "hypothesis_alignments": [ALIGNMENTS]}


@pytest.mark.parametrize(
    ("reference", "systems", "metrics", "options"),
    [
        (REFERENCE, SYSTEMS, "frs,kendall,ulam,0.5*frs+0.5*kendall", {}),
        # Reordered source lines, and words matched by the source.
        (REFERENCE, [SOURCE], "frs", {"source": SOURCE}),
        (REFERENCE, SYSTEMS, "frs(match=first-unmatched)", {"source": SOURCE}),
        ("ref", ["sys", "other"], "cder,ter,bleu,ribes,frs", {"aligner": "exact"}),
        ("ref", ["sys", "other"], "cder,wer", {"empty_references": "none"}),
        (ALIGNMENTS, [ALIGNMENTS], "aer,precision", {"source": SOURCE}),
        # The notes count what all spans found.
        (
            TARGET,
            [TARGET],
            "lrscore,anticipation",
            {**LINKED, "reference_alignments": [ALIGNMENTS], "links": "sure"},
        ),
        (TREES, [TREES], "uas,las", {}),
        (TREES, [TREES], "wer", {}),
    ],
    ids=lambda given: given if isinstance(given, str) and "/" not in given else "",
)
def test_spans_give_what_one_run_gives(
    reference: str, systems: list[str], metrics: str, options: dict[str, Any], tmp_path: Path
) -> None:
    """Numbers, signatures, what was left out, notes."""
    if reference == "ref":
        reference, more, *systems = texts(tmp_path)
        options = {**options, "references": [more]}
    files = Files.of(reference, systems, options)
    found: list[Any] = []
    ways: list[Callable[[], Scores]] = [
        lambda: score(systems, reference, metrics, **options),
        lambda: in_spans(files, metrics),
    ]
    for scored in ways:
        with any_notes() as notes:
            scores = scored()
        assert scores.metrics
        found.append((scores.evaluation, scores.estimates, notes))
    assert found[1] == found[0]


def test_any_partition_in_any_order_gives_the_same_bytes(tmp_path: Path) -> None:
    """Promise 27: 100 partitions of the rows, merged in trees of any shape."""
    reference, more, system, _ = texts(tmp_path)
    for path in (reference, more, system):
        Path(path).write_text("".join(Path(path).read_text().splitlines(keepends=True)[:20]))
    files = Files.of(reference, [system], {"references": [more], "aligner": "exact"})
    metrics = "cder,frs"
    (whole,) = spans(files, metrics)
    expected = work(whole)
    drawn = random.Random(27)
    lines = [work(span) for span in spans(files, metrics, sizes=Sizes(1, 1, 1))]
    assert len(lines) == 20
    for _ in range(100):
        parts = list(lines)
        drawn.shuffle(parts)
        while len(parts) > 1:
            some = drawn.randrange(2, min(len(parts), 10) + 1)
            parts = [*parts[some:], merge(parts[:some])]
            if drawn.random() < 0.3:
                drawn.shuffle(parts)
        assert parts[0] == expected


def test_a_part_is_small_and_plain() -> None:
    files = Files.of(REFERENCE, SYSTEMS[:1], {})
    (span,) = spans(files, "frs,kendall")
    assert len(work(span)) < 4096
    assert len(span.to_json()) < 4096
    assert json.loads(work(span))["segments"] == 72


def test_an_error_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.orders"
    lines = Path(REFERENCE).read_text().splitlines()
    lines[60] += " x"
    path.write_text("\n".join(lines) + "\n")
    found = spans(Files.of(REFERENCE, [str(path)], {}), "frs", sizes=SMALL)
    bad = next(span for span in found if span.first_row <= 60 < span.first_row + span.rows)
    assert bad.first_row > 0
    refuses(InputError, r"bad\.orders:61:", work, bad)


@pytest.mark.parametrize(
    ("metrics", "options", "said"),
    [
        ("nist", {}, "nist reads all references before it scores"),
        ("frs", {"aligner": "ibm1", "source": SOURCE}, "is trained on whole files"),
    ],
)
def test_what_sees_all_rows_first_is_refused(
    metrics: str, options: dict[str, str], said: str
) -> None:
    (span,) = spans(Files.of(TARGET, [TARGET], options), metrics)
    refuses(UsageError, said, work, span)


def test_parts_of_other_runs_are_not_merged() -> None:
    parts = [
        work(spans(Files.of(REFERENCE, [path], {}), metrics)[0])
        for path, metrics in ((SYSTEMS[0], "frs"), (SYSTEMS[1], "frs"), (SYSTEMS[0], "kendall"))
    ]
    refuses(UsageError, "cannot merge scores of", merge, parts[:2])
    refuses(UsageError, "cannot merge kendall", merge, [parts[0], parts[2]])
    refuses(UsageError, "no partial scores", merge, [])


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"{", b'{"wordorder":"partial scores"}'])
def test_damaged_parts_are_refused(data: bytes) -> None:
    refuses(InputError, "partial scores: damaged, or of another version", merge, [data])


# -- Intervals from spans are those of one run, from the same sums of buckets.


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


@pytest.mark.allow_notes
def test_spans_merged_in_any_order(files: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.scoring.systems.BUCKETS_ABOVE", ROWS - 1)
    drawn = {"level": 0.9, "resamples": 50, "seed": 7}
    once = score(files[1:], files[0], "frs,kendall", **drawn)  # type: ignore[arg-type]
    found = Files.of(files[0], files[1:], {})
    cut = spans(found, "frs,kendall", intervals=7, sizes=Sizes(1000, 1000, 1))
    parts = [work(span) for span in cut]
    assert len(parts) > 5
    random.Random(3).shuffle(parts)
    scores = result(merge(parts), found, "frs,kendall", **drawn)  # type: ignore[arg-type]
    assert scores.estimates == once.estimates
    assert signatures(scores) == signatures(once)
    assert "resampled:4096-buckets" in signatures(scores)[0][0]


@pytest.mark.allow_notes
@pytest.mark.parametrize("most", [ROWS - 1, ROWS])
def test_an_engine(files: list[Path], monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Few rows are resampled themselves, whatever the engine."""
    monkeypatch.setattr("wordorder.scoring.systems.BUCKETS_ABOVE", most)
    monkeypatch.setattr("wordorder.scale.file_commands.BUCKETS_ABOVE", most)
    once = score(files[1:], files[0], "frs", level=0.95, resamples=50)
    scores = score_on_engine(files[0], files[1:], "frs", level=0.95, resamples=50)
    assert scores.estimates == once.estimates
    assert signatures(scores) == signatures(once)
    assert ("resampled" in signatures(scores)[0][0]) == (most < ROWS)
