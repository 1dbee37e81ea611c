"""Scorers of SimulEval, from its registry, on its own instances."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

import pytest

from wordorder import Segments, align, metric

pytest.importorskip("simuleval")
SOURCE = ["das alte haus", "das haus", "ein altes buch", "ein buch", "wir haben ein buch gelesen"]
TARGET = ["the old house", "the house", "an old book", "a book", "we have read a book"]


def instances() -> dict[int, Any]:
    from simuleval.evaluator.instance import TextInputInstance, TextOutputInstance

    class TextToText(TextInputInstance, TextOutputInstance):  # type: ignore[misc]
        pass

    made = {}
    for number, (source, target) in enumerate(zip(SOURCE, TARGET, strict=True)):
        each = TextToText.__new__(TextToText)
        each.source, each.prediction_list, each.latency_unit = (
            source.split(),
            target.split(),
            "word",
        )
        made[number] = each
    return made


@pytest.mark.parametrize("name", ["anticipation", "synchrony", "non-monotonicity"])
def test_the_same_as_ours(name: str) -> None:
    from simuleval.evaluator.scorers import get_scorer_class

    import wordorder.integrations.simuleval  # noqa: F401  (registers)

    kind = get_scorer_class("quality", name.upper().replace("-", "_"))
    parser = ArgumentParser()
    kind.add_args(parser)
    found = kind.from_args(parser.parse_args([]))(instances())
    links = align(SOURCE, TARGET)
    segments = Segments.from_alignments(SOURCE, TARGET, [[]] * len(SOURCE), links)
    assert found == metric(name).corpus_score(segments).value
    assert 0 <= found <= 1


def test_speech_is_refused() -> None:
    from types import SimpleNamespace

    from wordorder.errors import UsageError
    from wordorder.integrations.simuleval import SynchronyScorer

    # What SimulEval gives as the source of speech: a list, with the path of the sound first.
    each = SimpleNamespace(source_info=["a.wav", "samplerate: 16000"], prediction="a")
    with pytest.raises(UsageError, match="speech"):
        SynchronyScorer()({0: each})
