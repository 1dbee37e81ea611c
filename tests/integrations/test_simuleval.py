"""Scorers of SimulEval: through its command, and from its registry on its own instances."""

import csv
import json
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from wordorder import Segments, align, metric

pytest.importorskip("simuleval")
# What SimulEval imports warns of a module of Python, and of a program for sound.
pytestmark = [
    pytest.mark.filterwarnings("ignore:'audioop' is deprecated"),
    pytest.mark.filterwarnings("ignore:Couldn't find ffmpeg"),
]
SOURCE = ["das alte haus", "das haus", "ein altes buch", "ein buch", "wir haben ein buch gelesen"]
TARGET = ["the old house", "the house", "an old book", "a book", "we have read a book"]


def instances() -> dict[int, Any]:
    from simuleval.evaluator.instance import TextInputInstance, TextOutputInstance

    class TextToText(TextInputInstance, TextOutputInstance):  # type: ignore[misc]
        pass

    made = {}
    for number, (source, target) in enumerate(zip(SOURCE, TARGET, strict=True)):
        each = TextToText.__new__(TextToText)
        each.source, each.prediction_list = source.split(), target.split()
        each.latency_unit = "word"
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
    heard = ["a.wav", "samplerate: 16000"]
    each = SimpleNamespace(source_info=heard, source=[0.0], prediction="a")
    with pytest.raises(UsageError, match="this source is speech"):
        SynchronyScorer()({0: each})
    # The logs of speech into text, and into speech: paths of sounds.
    from simuleval.evaluator.instance import LogInstance

    with pytest.raises(UsageError, match="this source is speech"):
        SynchronyScorer()({0: LogInstance(json.dumps({"index": 0, "source": heard}))})
    said = {"index": 0, "source": "a.wav", "prediction": "0_pred.wav", "durations": [20.0]}
    with pytest.raises(UsageError, match="these are speech"):
        SynchronyScorer()({0: LogInstance(json.dumps(said))})


# Says a word for each that it hears; with --backwards all of them at the end, from the last on.
AGENT = """
from simuleval.agents import TextToTextAgent
from simuleval.agents.actions import ReadAction, WriteAction
from simuleval.utils import entrypoint

WORDS = {"das": "the", "ein": "a", "altes": "old", "alte": "old", "haus": "house", "buch": "book",
         "wir": "we", "haben": "have", "gelesen": "read"}


@entrypoint
class Agent(TextToTextAgent):
    def __init__(self, args):
        super().__init__(args)
        self.backwards = args.backwards

    @staticmethod
    def add_args(parser):
        parser.add_argument("--backwards", action="store_true")

    def policy(self):
        heard = [WORDS[word] for word in self.states.source]
        if not self.backwards:
            return WriteAction(heard[-1], finished=self.states.source_finished)
        if self.states.source_finished:
            return WriteAction(" ".join(reversed(heard)), finished=True)
        return ReadAction()
"""
METRICS = {
    name.upper().replace("-", "_"): name
    for name in ("anticipation", "synchrony", "non-monotonicity")
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "source.txt").write_text("".join(f"{line}\n" for line in SOURCE))
    (tmp_path / "reference.txt").write_text("".join(f"{line}\n" for line in TARGET))
    return tmp_path


def simuleval(folder: Path, *arguments: str) -> dict[str, float]:
    """Run SimulEval's own command in a folder; return what it prints as scores."""
    command = [str(Path(sys.executable).with_name("simuleval"))]
    command += ["--user-dir", "wordorder.integrations.simuleval"]
    command += ["--quality-metrics", "BLEU", *METRICS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    *_, names, values = done.stdout.splitlines()
    row = values.split()
    # After --score-only the row has a number.
    return dict(zip(names.split(), map(float, row[-len(names.split()) :]), strict=True))


def expected(predictions: list[str], **options: Any) -> dict[str, float]:
    """Return the scores of the text files."""
    links = align(SOURCE, predictions)
    segments = Segments.from_alignments(SOURCE, predictions, [[]] * len(SOURCE), links)
    made = {
        theirs: metric(ours, **(options if ours == "anticipation" else {}))
        for theirs, ours in METRICS.items()
    }
    return {name: round(each.corpus_score(segments).value, 3) for name, each in made.items()}


RUN = ("--agent", "agent.py", "--source", "source.txt", "--target", "reference.txt")


def ours(scores: dict[str, float]) -> dict[str, float]:
    return {name: scores[name] for name in METRICS}


def test_the_command(folder: Path) -> None:
    found = simuleval(folder, *RUN)
    assert ours(found) == {"ANTICIPATION": 0, "SYNCHRONY": 1, "NON_MONOTONICITY": 0}
    # SimulEval's own metrics are still there.
    assert found["BLEU"] > 0
    assert found["AL"] == 1


def test_the_command_writes_and_scores_what_it_wrote(folder: Path) -> None:
    plain = simuleval(folder, *RUN, "--backwards")
    written = simuleval(folder, *RUN, "--backwards", "--output", "out")
    # Not all of SimulEval's own metrics: its ATD is another one after a log.
    assert ours(written) == ours(plain)
    log = (folder / "out" / "instances.log").read_text().splitlines()
    predictions = [json.loads(line)["prediction"] for line in log]
    assert predictions[0] == "house old the"
    assert ours(written) == expected(predictions)
    assert written["NON_MONOTONICITY"] > 0
    with (folder / "out" / "scores.tsv").open() as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    assert {name: float(row[name]) for name in METRICS} == ours(written)
    again = simuleval(folder, "--score-only", "--output", "out", "--anticipation-k", "2")
    assert ours(again) == expected(predictions, k=2)
    assert again["ANTICIPATION"] < written["ANTICIPATION"]


def test_the_command_with_characters(folder: Path) -> None:
    """SimulEval takes the blanks away; each character is a word."""
    found = simuleval(folder, *RUN, "--eval-latency-unit", "char", "--output", "out")
    log = (folder / "out" / "instances.log").read_text().splitlines()
    predictions = [json.loads(line)["prediction"] for line in log]
    assert predictions[1] == "thehouse"
    assert ours(found) == expected([" ".join(line) for line in predictions])
    assert ours(simuleval(folder, *RUN, "--eval-latency-unit", "char")) == ours(found)
