"""Systems that share their references: the scores of each are those that it has alone."""

import random
import time
from pathlib import Path

import numpy as np
import pytest

from wordorder.arrays import Float64
from wordorder.kernels import _run
from wordorder.messages import WordOrderWarning
from wordorder.metrics.registry import named_metric
from wordorder.metrics.text.edits import InversionWordErrorRate
from wordorder.scoring import score
from wordorder.segments import Segments

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
def files(texts: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
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
@pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")
@pytest.mark.parametrize(("chunk", "threads"), [(1 << 13, 1), (1 << 13, 2), (7, 2)])
def test_together_as_alone_whatever_the_pieces_and_threads(
    files: list[Path],
    alone: tuple[str, dict[tuple[int, int], np.ndarray]],
    chunk: int,
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wordorder.text.lines.CHUNK", chunk)
    monkeypatch.setattr(_run, "_threads", threads)
    tokenizer, expected = alone
    found = score(
        files[0],
        files[1:],
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
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = InversionWordErrorRate.distances

    def slow_at_first(metric: InversionWordErrorRate, segments: Segments) -> Float64:
        if segments.texts.hypothesis_lines[0] == first:
            time.sleep(0.1)
        return measured(metric, segments)

    first = files[1].read_text(encoding="utf-8").splitlines()[0]
    monkeypatch.setattr(InversionWordErrorRate, "distances", slow_at_first)
    said = []
    for threads in (1, 2):
        monkeypatch.setattr(_run, "_threads", threads)
        with pytest.warns(WordOrderWarning) as notes:
            score(files[0], files[1:], "inversion-wer(max_words=3)")
        said.append([str(each.message) for each in notes])
    assert any("not compared" in each for each in said[0])
    assert said[0] == said[1]
