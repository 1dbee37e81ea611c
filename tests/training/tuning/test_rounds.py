"""Tuning a decoder in rounds, with a decoder that chooses from known candidates."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.refusing import refuses
from tests.training.tuning.lists import translation_lists

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import metric as made_metric
from wordorder.metrics.text.edits import CoverDisjointErrorRate as Cder
from wordorder.scoring.files import FileKind, Files
from wordorder.segments import Segments
from wordorder.statistics.distributions import student_quantile
from wordorder.training import NBest
from wordorder.training.tuning.candidates import list_kind
from wordorder.training.tuning.mert import unit_norm
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.rounds import RoundSettings, tune_in_rounds, weight_bounds
from wordorder.training.tuning.tuning import TuningOptions, read_problem, tune
from wordorder.training.tuning.weights_file import Round, TunedRounds

START = np.array([0.2, -0.5, 0.3])


class Chooser:
    """Knows all candidates, and lists the best few of each sentence."""

    def __init__(self, folder: Path, few: int = 4) -> None:
        path, references = translation_lists(folder, sentences=12, candidates=25, references=1)
        self.world, self.reference, self.few = NBest.read(path), references[0], few
        self.decoded: list[Float64] = []

    def __call__(self, weights: Float64) -> NBest:
        self.decoded.append(weights)
        ranked = self.world.reranked(weights)
        places = np.arange(len(ranked)) - np.repeat(ranked.offsets[:-1], np.diff(ranked.offsets))
        return ranked.take(np.flatnonzero(places < self.few))

    def kind(self, metric: BaseMetric) -> FileKind:
        options = {"source": self.reference, "kind": "text"}
        return list_kind(Files.of(self.reference, {"a": self.reference}, options), metric)

    def tuned(self, metric: BaseMetric, **options: Any) -> TunedRounds:
        names = RoundSettings.__dataclass_fields__
        settings = RoundSettings(**{n: v for n, v in options.items() if n in names})
        others = {n: v for n, v in options.items() if n not in names}
        return tune_in_rounds(self, metric, self.kind(metric), START, settings, **others)


def naive(chooser: Chooser, folder: Path, rounds: int, seed: int, starts: int) -> list[float]:
    """Do the same with files: write all candidates so far, read them, tune."""
    weights, lines, values = unit_norm(START), [], []
    reference = Path(chooser.reference).read_text().splitlines()
    for number in range(rounds + 1):
        found = chooser(weights)
        best = [found.text[row] for row in found.offsets[:-1]]
        values.append(made_metric("cder").corpus_score(Segments.from_text(best, reference)).value)
        more = [line.rpartition(" ||| ")[0] for line in found.lines()]
        new = [line for line in more if line not in lines]
        lines += new
        if not new or number == rounds:
            return values
        path = folder / f"round{number}"
        path.write_text("".join(f"{line}\n" for line in lines))
        _, problem = read_problem([str(path)], chooser.reference, "cder")
        state = int(np.random.SeedSequence([seed, number]).generate_state(1)[0])
        options: dict[str, Any] = {"start": weights, "bounds": weight_bounds(problem, weights)}
        tuned = tune(
            problem, TuningOptions(**options, within=True, starts=starts, seed=state)
        ).weights
        if np.abs(tuned - weights).max() < 1e-6:
            return values
        weights = tuned
    return values


def test_rounds_are_those_of_files(tmp_path: Path) -> None:
    chooser = Chooser(tmp_path)
    found = chooser.tuned(Cder(), method="mert", starts=3, seed=7, rounds=4)
    values = [made.value for made in found.best.rounds]
    assert values == pytest.approx(naive(chooser, tmp_path, 4, 7, 3), abs=1e-12)
    assert len(values) > 2
    assert found.value == min(values) < found.before == values[0]
    assert not found.higher_is_better
    known: set[tuple[int, str, bytes]] = set()
    for made in found.best.rounds:
        nbest = chooser(made.weights)
        rows = zip(nbest.sentence.tolist(), nbest.text, nbest.features, strict=True)
        keys = {(sentence, text, features.tobytes()) for sentence, text, features in rows}
        assert made.new == len(keys - known)
        known |= keys
        assert made.candidates == len(known)


class Counting(Cder):
    """Counts how many candidates it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def statistics(self, segments: Segments) -> Float64:
        self.seen += len(segments)
        return super().statistics(segments)


def test_each_candidate_is_counted_once(tmp_path: Path) -> None:
    chooser, metric = Chooser(tmp_path), Counting()
    found = chooser.tuned(metric, method="mert", starts=2, rounds=4, runs=2)
    texts = set()
    for weights in list(chooser.decoded):
        nbest = chooser(weights)
        texts |= set(zip(nbest.sentence.tolist(), nbest.text, strict=True))
    assert metric.seen == len(texts)
    assert len(found.runs) == 2


def test_runs_differ_by_their_seeds_and_say_how_much(tmp_path: Path) -> None:
    chooser = Chooser(tmp_path)
    found = chooser.tuned(Cder(), method="mert", starts=2, rounds=2, runs=3, seed=5)
    assert [run.seed for run in found.runs] == [5, 6, 7]
    single = chooser.tuned(Cder(), method="mert", starts=2, rounds=2, seed=6)
    assert [made.value for made in single.best.rounds] == [
        made.value for made in found.runs[1].rounds
    ]
    assert single.run_interval is None
    values = found.values
    assert found.value == values.min()
    half = stats.t.ppf(0.975, 2) * values.std(ddof=1) / np.sqrt(3)
    wanted = values.mean() - half, values.mean() + half
    assert found.run_interval == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 7, 40.5])
def test_quantiles_of_students_t(freedom: float) -> None:
    for probability in (0.025, 0.5, 0.9, 0.995):
        wanted = stats.t.ppf(probability, freedom)
        assert student_quantile(probability, freedom) == pytest.approx(wanted, abs=1e-9)


def test_mira(tmp_path: Path) -> None:
    found = Chooser(tmp_path).tuned(Cder(), method="mira", rounds=3)
    assert found.value <= found.before


def test_an_interval_over_the_sentences(tmp_path: Path) -> None:
    found = Chooser(tmp_path).tuned(Cder(), rounds=2, confidence=0.9, resamples=200)
    assert found.interval is not None
    low, high = found.interval
    assert low < found.value < high


@pytest.mark.allow_notes(".*never differ")
@pytest.mark.parametrize("method", ["mert", "mira"])
def test_a_feature_that_is_the_same_everywhere_keeps_its_weight(
    method: str, tmp_path: Path
) -> None:
    chooser = Chooser(tmp_path)
    features = chooser.world.features.copy()
    features[:, 1] = chooser.world.sentence
    chooser.world = replace(chooser.world, features=features)
    found = chooser.tuned(Cder(), method=method, starts=4, rounds=4)
    assert len(found.best.rounds) > 1
    for made in found.best.rounds:
        assert made.weights[1] == pytest.approx(unit_norm(START)[1], abs=1e-12)
        assert np.abs(made.weights).sum() == pytest.approx(1)
    assert any(made.weights[0] != found.best.rounds[0].weights[0] for made in found.best.rounds)


class StoppedError(Exception):
    pass


def test_an_interrupted_tuning_goes_on(tmp_path: Path) -> None:
    chooser, output = Chooser(tmp_path), tmp_path / "w"
    told: list[tuple[int, int]] = []

    def stop(run: int, made: Round) -> None:
        told.append((run, made.number))
        if run == 2 and made.number == 1:
            raise StoppedError

    mert: dict[str, Any] = {"method": "mert", "starts": 2}
    options: dict[str, Any] = {**mert, "rounds": 3, "runs": 2, "output": output}
    with pytest.raises(StoppedError):
        chooser.tuned(Cder(), **options, on_round=stop)
    assert (tmp_path / "w.checkpoint").exists()
    refuses(UsageError, "an unfinished tuning left this; ", chooser.tuned, Cder(), **options)
    with pytest.raises(UsageError, match="cannot be resumed with other seed"):
        chooser.tuned(Cder(), **options, resume=True, seed=3)
    with pytest.raises(UsageError, match="cannot be resumed with other data, objective"):
        chooser.tuned(made_metric("wer"), **options, resume=True)
    tuned: list[str] = []
    again = chooser.tuned(
        Cder(), **options, resume=True, progress=lambda work, done, total: tuned.append(work)
    )
    whole = chooser.tuned(Cder(), **mert, rounds=3, runs=2)
    assert again.weights.tolist() == whole.weights.tolist()
    assert again.values.tolist() == whole.values.tolist()
    # What was done is decoded again, and not tuned.
    done = sum(len(run.rounds) - 1 for run in whole.runs)
    assert len(tuned) < 2 * done


def test_a_model_is_tuned_by_mira_unless_a_method_is_given(tmp_path: Path) -> None:
    chooser = Chooser(tmp_path)
    found, mira = chooser.tuned(Cder(), rounds=2), chooser.tuned(Cder(), rounds=2, method="mira")
    mert = chooser.tuned(Cder(), rounds=2, method="mert", starts=2)
    assert (found.method, mert.method) == ("mira", "mert")
    assert found.weights.tolist() == mira.weights.tolist() != mert.weights.tolist()
    with pytest.raises(UsageError, match='starts= is for method="mert"; without method= a'):
        chooser.tuned(Cder(), starts=2)


def test_a_tuning_that_goes_on_keeps_its_method(tmp_path: Path) -> None:
    chooser, output = Chooser(tmp_path), tmp_path / "w"

    def stop(run: int, made: Round) -> None:
        if made.number == 1:
            raise StoppedError

    options: dict[str, Any] = {"starts": 2, "rounds": 3, "output": output}
    with pytest.raises(StoppedError):
        chooser.tuned(Cder(), method="mert", **options, on_round=stop)
    with pytest.raises(UsageError, match="cannot be resumed with other method"):
        chooser.tuned(Cder(), rounds=3, output=output, method="mira", resume=True)
    again = chooser.tuned(Cder(), **options, resume=True)
    whole = chooser.tuned(Cder(), method="mert", starts=2, rounds=3)
    assert again.method == "mert"
    assert again.weights.tolist() == whole.weights.tolist()


def test_mert_stays_near_the_weights_that_made_the_lists(tmp_path: Path) -> None:
    chooser = Chooser(tmp_path)
    first = chooser(unit_norm(START))
    _, problem = _problem(chooser, first, tmp_path)
    low, high = weight_bounds(problem, unit_norm(START))
    found = chooser.tuned(Cder(), method="mert", rounds=1, starts=6, directions=8)
    tuned = found.best.rounds[1].weights
    # Weights count in proportion to each other.
    size = np.linspace(0.2, 5, 2000)[:, np.newaxis]
    inside = np.all((tuned * size >= low - 1e-3) & (tuned * size <= high + 1e-3), axis=1)
    assert inside.any()
    # Everything may become 0, or twice as large; what is near 0 may change its sign.
    assert np.all(low * high <= 1e-12)
    low, high = weight_bounds(problem, np.array([0.0, 0.5, 0.5]))
    assert low[0] == -high[0] < 0
    assert (low[1], high[1]) == pytest.approx((0.0, 1.0))


def _problem(chooser: Chooser, nbest: NBest, folder: Path) -> tuple[NBest, Problem]:
    path = folder / "list"
    nbest.write(path)
    return read_problem([str(path)], chooser.reference, "cder")


def test_wrong_settings() -> None:
    refuses(UsageError, "rounds is a whole number of at least 1, not 0", RoundSettings, rounds=0)
    refuses(UsageError, "runs is a whole number of at least 1, not True", RoundSettings, runs=True)


def test_a_text_without_words_is_refused(tmp_path: Path) -> None:
    chooser = Chooser(tmp_path)
    chooser.world = chooser.world.take(np.zeros(0, np.int64))
    refuses(UsageError, "the development text has no words to translate", chooser.tuned, Cder())


def test_a_feature_that_varies_in_few_sentences_has_the_spread_that_it_has_there() -> None:
    features = np.zeros((40, 2))
    features[::2, 0] = 1
    features[0, 1] = 1
    problem = Problem(features, np.ones((40, 1)), np.arange(0, 41, 2), lambda t: t[..., 0])
    assert problem.spread.tolist() == [0.5, 0.5]
