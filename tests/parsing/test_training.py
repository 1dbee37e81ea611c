"""Training: epochs, the best of them, checkpoints, signatures of data, recipes."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.parsing.toy import (
    SETTINGS,
    Slow,
    ToyLearner,
    ToyModel,
    entries,
    half_up,
    instances,
    slow_epoch,
    written,
)
from tests.refusing import refuses

from wordorder.errors import ModelError, UsageError
from wordorder.kernels._run import set_threads
from wordorder.parsing.epochs import Epoch
from wordorder.parsing.training.recipes import RECIPES, Recipe, choose_recipe
from wordorder.parsing.training.training import CHUNK_INSTANCES, Trained, TrainingProgress, train
from wordorder.parsing.training.training_text import data_signature
from wordorder.text.tensors import read_tensors, write_tensors
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import NO_MARGIN, Column, Margin, Treebank

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=[1, 3])
def _threads(request: pytest.FixtureRequest) -> Iterator[None]:
    set_threads(request.param)
    yield
    set_threads(None)


class Recorder(ToyLearner):
    """Remembers in which order it learnt."""

    def __init__(self, number: int) -> None:
        super().__init__(instances(number))
        self.rows: list[int] = []
        self.before: list[int] = []

    def learn(self, rows: Any, weights: Any, before: int) -> Any:
        self.rows += rows.tolist()
        self.before.append(before)
        return super().learn(rows, weights, before)


def test_the_average_is_that_of_all_instances() -> None:
    learner = Recorder(40)
    trained = train(learner, epochs=3)
    slow: Slow = {}
    total: Slow = {}
    for epoch in range(3):
        slow, sums = slow_epoch(learner.data, learner.rows[40 * epoch : 40 * (epoch + 1)], slow)
        total = {name: total.get(name, 0) + sums.get(name, 0) for name in sums | total}
    means = {name: half_up(Fraction(value, 120)) for name, value in total.items()}
    assert entries(trained.weights) == {name: mean for name, mean in means.items() if mean}
    assert learner.before == [0, 40, 80]
    assert [sorted(learner.rows[40 * n : 40 * (n + 1)]) for n in range(3)] == [list(range(40))] * 3
    assert [epoch.instances for epoch in trained.history] == [40] * 3


def test_the_seed_shuffles() -> None:
    orders = []
    for seed in (1, 1, 2):
        learner = Recorder(30)
        train(learner, epochs=2, seed=seed)
        orders.append(learner.rows)
    assert orders[0] == orders[1] != orders[2]
    assert orders[0][:30] != orders[0][30:] != sorted(orders[0][30:])


def test_instances_are_repeated() -> None:
    learner = Recorder(4)
    trained = train(learner, epochs=1, repeat=[0, 1, 3, 2])
    assert sorted(learner.rows) == [1, 2, 2, 2, 3, 3]
    assert trained.history == (Epoch(1, 6, trained.history[0].updates),)


def test_the_first_of_the_best_epochs_is_kept() -> None:
    given = iter([0.5, float("nan"), 0.75, 0.25, 0.75])
    learner = ToyLearner(instances(50))
    models: list[ToyModel] = []

    def dev(model: ToyModel) -> float:
        models.append(model)
        return next(given)

    trained = train(learner, epochs=5, dev=dev)
    assert trained.best_epoch == 3
    assert entries(trained.weights) == entries(models[2].weights) != entries(models[4].weights)
    assert [epoch.score for epoch in trained.history] == [0.5, None, 0.75, 0.25, 0.75]
    assert train(learner, epochs=3).best_epoch == 3


def test_progress_is_told() -> None:
    told: list[TrainingProgress] = []
    trained = train(ToyLearner(instances(CHUNK_INSTANCES + 5)), epochs=2, progress=told.append)
    places = [(p.epoch, p.done, p.finished is not None) for p in told]
    one = [(CHUNK_INSTANCES, False), (CHUNK_INSTANCES + 5, False), (CHUNK_INSTANCES + 5, True)]
    assert places == [(epoch, *rest) for epoch in (1, 2) for rest in one]
    assert [p.finished for p in told if p.finished] == list(trained.history)
    assert told[-1].updates == trained.history[-1].updates
    assert {(p.epochs, p.instances) for p in told} == {(2, CHUNK_INSTANCES + 5)}


@pytest.mark.usefixtures("_threads")
def test_shards_do_not_depend_on_threads() -> None:
    learner = ToyLearner(instances(301))
    found = {shards: train(learner, epochs=2, shards=shards) for shards in (1, 2, 3)}
    set_threads(8)
    for shards, trained in found.items():
        again = train(learner, epochs=2, shards=shards)
        assert written(again.weights) == written(trained.weights)
        assert again.history == trained.history
    assert len({written(trained.weights) for trained in found.values()}) == 3


def test_an_error_in_a_shard_stops_all() -> None:
    class Failing(ToyLearner):
        def learn(self, rows: Any, weights: Any, before: int) -> Any:
            if 7 in rows:
                raise KeyboardInterrupt
            return super().learn(rows, weights, before)

    with pytest.raises(KeyboardInterrupt):
        train(Failing(instances(50)), shards=3)


def whole(path: Path, **options: Any) -> Trained:
    learner = ToyLearner(instances(300))
    return train(
        learner, epochs=4, dev=learner.accuracy, checkpoint=path, settings=SETTINGS, **options
    )


def same(one: Trained, other: Trained) -> bool:
    facts = [(t.history, t.best_epoch, written(t.weights)) for t in (one, other)]
    return facts[0] == facts[1]


def interrupted(path: Path, place: int, **options: Any) -> None:
    """Train until the progress was told so often."""
    told = 0

    def stop(_: TrainingProgress) -> None:
        nonlocal told
        told += 1
        if told == place:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        whole(path, progress=stop, **options)


@pytest.mark.parametrize("shards", [1, 2])
def test_resumed_is_unbroken(shards: int, tmp_path: Path) -> None:
    unbroken = whole(tmp_path / "a", shards=shards)
    expected = (tmp_path / "a").read_bytes()
    for place in range(2, 16, 4):
        path = tmp_path / f"b{place}"
        interrupted(path, place, shards=shards)
        assert same(whole(path, shards=shards, resume=True), unbroken)
        assert path.read_bytes() == expected
    # When there is nothing left to do, too.
    assert same(whole(tmp_path / "a", shards=shards, resume=True), unbroken)


@pytest.mark.slow
def test_resumed_after_a_kill(tmp_path: Path) -> None:
    unbroken = whole(tmp_path / "a")
    command = [sys.executable, "-m", "tests.parsing.toy", str(tmp_path / "b"), "3"]
    killed = subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    about, _ = read_tensors(tmp_path / "b", "wordorder training")
    assert len(about["history"]) == 2
    assert same(whole(tmp_path / "b", resume=True), unbroken)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_more_epochs_later(tmp_path: Path) -> None:
    learner = ToyLearner(instances(50))
    train(learner, epochs=2, checkpoint=tmp_path / "a")
    longer = train(learner, epochs=4, checkpoint=tmp_path / "a", resume=True)
    assert same(longer, train(learner, epochs=4))
    with pytest.raises(UsageError, match="4 epochs; expected at most 3"):
        train(learner, epochs=3, checkpoint=tmp_path / "a", resume=True)


def test_other_data_and_options_are_refused(tmp_path: Path) -> None:
    whole(tmp_path / "a")
    for options, message in (
        ({"seed": 2}, r"other seed \(1 then, 2 now\)"),
        ({"shards": 2}, "other shards"),
        ({"settings": {"data": "more"}}, "other data"),
        ({"settings": {}}, "other data"),
        ({"repeat": [2] * 300}, "other instances"),
    ):
        with pytest.raises(UsageError, match=message):
            train(
                ToyLearner(instances(300)),
                checkpoint=tmp_path / "a",
                resume=True,
                **{"settings": SETTINGS, **options},  # type: ignore[arg-type]
            )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version 2"),
        ({"actions": "x"}, "actions"),
        ({"best_epoch": 9}, "damaged"),
        ({"best_epoch": None}, "damaged"),
        ({"history": []}, "damaged"),
        ({"history": 3}, "damaged"),
        ({"history": [{"number": 1}]}, "damaged"),
        ({"history": [{"number": 1, "instances": "x", "updates": 1}]}, "damaged"),
        ({"history": [{"number": 1, "instances": -1, "updates": 1}]}, "damaged"),
        ({"history": [{"number": 1, "instances": 1, "updates": 1, "score": "x"}]}, "damaged"),
        ({"format": "x"}, "not a file of the format"),
    ],
)
def test_damaged_checkpoints(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    learner = ToyLearner(instances(9))
    train(learner, epochs=1, checkpoint=path)
    about, arrays = read_tensors(path, "wordorder training")
    write_tensors(path, about | change, arrays)
    refuses(ModelError, f"a: .*{message}", train, learner, checkpoint=path, resume=True)
    del arrays["weights.moment"]
    write_tensors(path, about, arrays)
    with pytest.raises(ModelError, match="state of training is damaged"):
        train(learner, checkpoint=path, resume=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs"),
        ({"epochs": 1.5}, "epochs"),
        ({"seed": -1}, "seed"),
        ({"shards": 0}, "shards"),
        ({"shards": 6}, "6 shards of 5 instances"),
        ({"repeat": [1]}, "repeat"),
        ({"repeat": [-1] * 5}, "repeat"),
        ({"repeat": [0] * 5}, "nothing to train on"),
        ({"resume": True}, "resume needs"),
        ({"checkpoint": "no/such/folder/x"}, "no folder"),
    ],
)
def test_senseless_options(options: dict[str, Any], message: str) -> None:
    refuses(UsageError, message, train, ToyLearner(instances(5)), **options)


def test_the_order_is_that_of_the_documented_bits() -> None:
    """So that another version of numpy shuffles alike: raw bits do not change."""
    learner = Recorder(6)
    train(learner, epochs=1, seed=5)
    bits = np.random.PCG64(np.random.SeedSequence([5, 1])).random_raw(6).tolist()
    assert learner.rows == sorted(range(6), key=bits.__getitem__)


BANK = Treebank.from_words(
    [["It", "rains", "It"], ["Go"]], heads=[[2, 0, 2], [0]], upos=[["P", "V", "P"], ["V"]]
)


def test_the_same_sentences() -> None:
    """However their strings are numbered, and whatever stands around them."""
    form = Column(np.array([3, 1, 0, 2], np.int32), Vocabulary(["It", "rains", "Go", "It", "x"]))
    again = BANK.replace(form=form, misc=Column.filled(4, "x"))
    again = Treebank(again.offsets, again.heads, again.columns, [Margin(("# a",)), NO_MARGIN])
    assert data_signature(again) == data_signature(BANK)
    assert data_signature(BANK.take(np.array([0, 1]))) == data_signature(BANK)


def test_other_sentences() -> None:
    others = [
        BANK,
        BANK[:1],
        BANK[:0],
        BANK.take(np.array([1, 0])),
        BANK.replace(heads=np.array([2, 0, 1, 0], np.int32)),
        BANK.replace(label=Column.filled(4, "x")),
        BANK.replace(form=Column.of(["It", "rain", "sIt", "Go"])),
        BANK.replace(form=BANK.upos, upos=BANK.form),
        Treebank(np.array([0, 2, 4]), BANK.heads, BANK.columns, BANK.margins),
    ]
    assert len({data_signature(other) for other in others}) == len(others)


def test_recipes_of_the_papers() -> None:
    assert choose_recipe("P1") == Recipe("transition", "katz-brown", 1, "early", "tnt")
    found = choose_recipe("P2", beam=8, tagger="tnt")
    assert found == Recipe("transition", "katz-brown", 8, "early", "tnt")
    assert set(RECIPES) == {"P1", "P2"}
    assert choose_recipe() == Recipe()


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("P6", {}, "legal names: P1, P2"),
        ("P3", {}, "recipe P3 is trained by self-training: `wordorder train parser"),
        ("P1", {"beam": 8}, "recipe P1 has beam 1, not 8"),
        ("P2", {"algorithm": "graph"}, "recipe P2 has algorithm transition, not graph"),
        (None, {"algorithm": "graphs"}, "did you mean 'graph'"),
        (None, {"features": "zn"}, "legal names: hall, katz-brown, zhang-nivre"),
        (None, {"update": "late"}, "legal names: early, max-violation"),
        (None, {"tagger": "TnT"}, "did you mean 'tnt'"),
        (None, {"beam": 0}, "at least 1, not 0"),
        (None, {"beam": True}, "at least 1, not True"),
        (None, {"algorithm": "graph", "beam": 4}, "beam is for transition parsers"),
        (None, {"algorithm": "graph", "features": "zhang-nivre"}, "legal names: hall, rich"),
        (None, {"features": "rich"}, "legal names: hall, katz-brown, zhang-nivre"),
        (None, {"algorithm": "graph", "update": "early"}, "update is for transition parsers"),
    ],
)
def test_refusals(name: str | None, given: dict[str, Any], message: str) -> None:
    refuses(UsageError, message, choose_recipe, name, **given)
