"""What takes long on long segments says so first, and nothing else does."""

import random
import time
from pathlib import Path

import pytest
from tests.clocks import within
from tests.notes import any_notes, noted

import wordorder as wo
from wordorder.alignment.monolingual import aligner
from wordorder.kernels import _run, matching as kernel
from wordorder.metrics.registry import metrics_for
from wordorder.scoring.scores import score_files as score

# How many steps each takes on two sentences of 40 equal words.
QUADRATIC = {
    "ribes": 2 * 1.5 * 1600,
    "ter": 40 * 1000 * 51,
    "wer": 1600 / 64,
    "cder": 1600 / 64,
    "long-jump": 1600 / 64,
}


def sentences(words: int, size: int, seed: int = 1) -> wo.Segments:
    rng = random.Random(seed)
    hypothesis = [f"w{rng.randrange(size)}" for _ in range(words)]
    reference = rng.sample(hypothesis, words)
    return wo.Segments.from_text([hypothesis, ["a"]], [[["x"], reference], [["a"]]])


def said(metric: object, segments: wo.Segments) -> list[str]:
    with any_notes() as caught:
        metric.statistics(segments)  # type: ignore[attr-defined]
    return [text for text in caught if "minutes" in text]


@pytest.mark.parametrize("name", QUADRATIC)
def test_the_steps_of_a_long_segment_are_announced(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    segments = wo.Segments.from_text(["a " * 40, "a"], ["a " * 40, "a"])
    metric = wo.metric(name)
    monkeypatch.setattr(_run, "LONG_ROW_STEPS", QUADRATIC[name])
    assert said(metric, segments[:]) == []
    monkeypatch.setattr(_run, "LONG_ROW_STEPS", QUADRATIC[name] - 1)
    [text] = said(metric, segments[:1])
    assert f"of a long segment takes up to {QUADRATIC[name]:.0e} steps" in text


def test_an_aligner_keeps_fewer_paths_of_a_long_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["a b " * 20, "a b " * 2, "a b " * 200], ["b a " * 19, "b " * 3, "a " * 390]
    alone = [wo.Segments.from_text([a], [b], aligner="exact") for a, b in zip(*lines, strict=True)]
    rows = [each.permutation.to_lists()[0] for each in alone]
    monkeypatch.setattr(aligner, "MAX_SEARCH_STEPS", 16_000)
    with noted("2 references of 3 would .* a beam of 1 to 20 inst"):
        shorter = wo.Segments.from_text(*lines, aligner="exact").permutation.to_lists()
    # What is short enough has all paths, whatever stands around it.
    assert shorter[1] == rows[1]
    assert [len(row) for row in shorter] == [len(row) for row in rows]
    # What is certain needs no search.
    words = " ".join(f"w{number}" for number in range(40))
    wo.Segments.from_text([words], [words], aligner="exact").permutation.to_lists()


def test_a_search_that_is_slow_with_one_path_is_announced_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Notes of threads are held back until their work is done: this one must not be."""
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path, words in zip(paths, (200, 190), strict=True):
        path.write_text("a " * words + "\n")
    monkeypatch.setattr(aligner, "MAX_SEARCH_STEPS", 1000)
    monkeypatch.setattr(_run, "LONG_ROW_STEPS", 200 * 190 - 1)
    seen: list[list[str]] = []

    def search(*given: object) -> None:
        seen.append(list(caught))

    monkeypatch.setattr(kernel, "match_beam", search)
    with any_notes() as caught:
        score(paths[1], paths[0], "meteor")
    assert any("matching words of a long segment takes up to" in text for text in seen[0])


@pytest.mark.parametrize("name", ["wer", "cder", "per", "ribes", "f1", "gtm", "bleu-s", "meteor"])
def test_usual_words_of_a_long_segment_take_a_second(name: str) -> None:
    segments = sentences(30_000, 30_000)
    segments.texts.local()
    metric = wo.metric(name)
    with within(1.5):
        assert said(metric, segments) == []


@pytest.mark.parametrize("name", ["meteor", "senscore"])
def test_a_line_of_equal_words_is_bounded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a twentieth of the steps, so in a twentieth of 20 seconds."""
    monkeypatch.setattr(aligner, "MAX_SEARCH_STEPS", aligner.MAX_SEARCH_STEPS / 20)

    def scores() -> list[float]:
        own = None if name == "meteor" else "exact"
        segments = wo.Segments.from_text(["a " * 5000], ["a " * 4990], aligner=own)
        found: list[float] = wo.metric(name).segment_scores(segments).tolist()
        return found

    with within(1):
        with noted("1 reference of 1 would take minutes to match"):
            [score] = scores()
        assert score > 0.88


@pytest.mark.parametrize("kind", ["equal", "different", "alternating"])
@pytest.mark.parametrize("name", metrics_for({"text", "lines"}))
def test_lines_of_2000_words_take_seconds_or_are_announced(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each metric takes seconds on long lines, or a note comes before."""
    monkeypatch.setattr(aligner, "MAX_SEARCH_STEPS", aligner.MAX_SEARCH_STEPS / 20)
    words = {
        "equal": ["a"] * 2000,
        "different": [f"w{n}" for n in range(2000)],
        "alternating": ["a", "b"] * 1000,
    }[kind]
    other = random.Random(1).sample(words, 2000) if kind == "different" else words[::-1]
    segments = wo.Segments.from_text([[*words, "x"]], [[[*other, "y"]]])
    metric = wo.metric(name)
    ready = metric.prepare(segments) if metric.needs_preparation else metric
    begin = time.process_time()
    noted = said(ready, segments)
    assert noted or time.process_time() - begin < 3
