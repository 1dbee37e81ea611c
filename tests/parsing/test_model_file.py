"""Files of models and their arrays: written whole, checked before anything is believed."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.parsing import small_treebank
from tests.parsing.toy import ToyLearner, ToyModel, entries, instances, written
from tests.refusing import refuses

from wordorder.errors import ModelError, UsageError
from wordorder.parsing import model_file
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.model_file import (
    MODELS,
    SHIPPED,
    load_models,
    save_models,
    strings_arrays,
    strings_from_arrays,
    weights_arrays,
    weights_from_arrays,
)
from wordorder.parsing.training.compact_models import compact
from wordorder.parsing.training.training import train
from wordorder.parsing.weights import MAX_ACTIONS, Weights
from wordorder.text.tensors import read_tensors, write_tensors

ABOUT = {"data": "toy", "licence": "none"}


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    MODELS.built_in["toy"] = "tests.parsing.toy:ToyModel"
    yield
    del MODELS.built_in["toy"]


@pytest.fixture(scope="module")
def model() -> ToyModel:
    learner = ToyLearner(instances(60))
    return ToyModel(train(learner, epochs=2).weights)


@pytest.fixture
def path(model: ToyModel, tmp_path: Path) -> Path:
    tagger = ToyModel(model.weights, "tagger")
    save_models(tmp_path / "a", {"tagger": tagger, "parser": model}, ABOUT)
    return tmp_path / "a"


def test_round_trip(path: Path, model: ToyModel) -> None:
    loaded = load_models(path)
    assert loaded.about == ABOUT
    assert isinstance(loaded.tagger, ToyModel)
    assert isinstance(loaded.parser, ToyModel)
    assert loaded.tagger.name == "tagger"
    assert entries(loaded.parser.weights) == entries(model.weights)
    again = {"parser": loaded.parser, "tagger": loaded.tagger}
    save_models(path.with_name("b"), again, loaded.about)
    assert path.read_bytes() == path.with_name("b").read_bytes()


def test_one_of_both(path: Path, model: ToyModel) -> None:
    save_models(path, {"tagger": model}, {})
    assert load_models(path).parser is None
    save_models(path, {"parser": model}, {})
    assert load_models(path).tagger is None


def test_names(path: Path) -> None:
    refuses(UsageError, "no-such: no such model or file", load_models, "no-such")
    path.rename(path.with_name("en"))
    for name in SHIPPED:
        # A file of that name beside is named as ./en.
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(path.parent)
            patch.setattr(model_file, "SAMPLES_PACKAGE", "tests.parsing")
            refuses(UsageError, f"the model '{name}' is not part", load_models, name)
            assert load_models("./en").about == ABOUT


def test_wrong_roles(path: Path, model: ToyModel) -> None:
    with pytest.raises(UsageError, match="legal names: parser, tagger, tokenizer"):
        save_models(path, {"parsr": model}, {})
    refuses(UsageError, "holds a tagger, a parser or both", save_models, path, {}, {})
    # A model in the place of another.
    save_models(path, {"tokenizer": model}, {})
    with pytest.raises(ModelError, match="a model of the kind 'toy', which is no tokenizer"):
        load_models(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "wordorder aligner"}, "not a file of the format wordorder parser"),
        ({"version": 2}, "version 2"),
        ({"version": True}, "version True"),
        ({"version": None}, "version None"),
        ({"about": 3}, "damaged"),
        ({"models": []}, "damaged"),
        ({"models": {}}, "damaged"),
        ({"models": {"x": {}}}, "damaged"),
        ({"models": {"parser": 3}}, "damaged"),
        ({"models": {"parser": {}}}, "kind None.*transition"),
        ({"models": {"parser": {"kind": []}}}, "kind"),
        ({"models": {"parser": {"kind": "x", "about": {}}}}, "kind 'x'"),
        ({"models": {"parser": {"kind": "toy"}}}, "parser: .*damaged"),
        ({"models": {"parser": {"kind": "toy", "about": None}}}, "parser: .*damaged"),
        ({"models": {"parser": {"kind": "toy", "about": {}}}}, "parser: .*damaged"),
        ({"models": {"parser": {"kind": "toy", "about": {"name": 3}}}}, "parser: the name"),
    ],
)
def test_lying_descriptions(change: dict[str, Any], message: str, path: Path) -> None:
    about, arrays = read_tensors(path, "wordorder parser")
    write_tensors(path, about | change, arrays)
    refuses(ModelError, f"a: .*{message}", load_models, path)


def test_missing_arrays(path: Path) -> None:
    about, arrays = read_tensors(path, "wordorder parser")
    for name in arrays:
        write_tensors(path, about, {key: arrays[key] for key in arrays if key != name})
        with pytest.raises(ModelError, match=rf"a: {name.partition('.')[0]}: weights.* is missing"):
            load_models(path)


@pytest.mark.parametrize("name", ["parser", "graph-parser"])
def test_models_of_the_first_version_are_read(name: str) -> None:
    """They were written by 0.1.0, from the small treebank of the tests."""
    path = Path(__file__).parents[1] / "golden" / f"{name}-0.1.0.safetensors"
    loaded = load_models(path)
    assert loaded.about["wordorder"] == "0.1.0"
    assert loaded.tagger is not None
    assert loaded.parser is not None
    gold = small_treebank.read()
    found = loaded.parser.parse(loaded.tagger.tag(without_tags(gold)))
    for column in ("upos", "xpos", "label"):
        assert found.columns[column].strings() == gold.columns[column].strings()
    assert found.heads.tolist() == gold.heads.tolist()


Arrays = dict[str, Any]


def learnt(actions: int, seed: int = 5) -> Weights:
    rng = np.random.default_rng(seed)
    weights = Weights(actions)
    for before in range(20):
        keys = rng.integers(0, 50, 40).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        changed = rng.integers(0, actions, 40).astype(np.int32)
        weights.add(keys, changed, rng.integers(-900, 900, 40).astype(np.int32), before)
    return weights


@pytest.mark.parametrize("actions", [1, 255, 256, 257, MAX_ACTIONS])
@pytest.mark.parametrize("quantised", [False, True])
def test_weights_are_found_again(actions: int, quantised: bool) -> None:
    averaged = learnt(actions).averaged(20)
    weights = compact(averaged) if quantised else averaged
    arrays = weights_arrays("w", weights)
    again = weights_from_arrays("w", arrays, actions)
    assert entries(again) == entries(weights)
    assert again.key_mask == weights.key_mask
    assert not again.is_writable
    for key in averaged.rows()[0].tolist():
        assert again.row(key) == dict(sorted(weights.row(key).items()))
    repeated = weights_arrays("w", again)
    assert {n: a.tobytes() for n, a in arrays.items()} == {
        n: a.tobytes() for n, a in repeated.items()
    }


def test_learning_goes_on() -> None:
    weights, other = learnt(9), learnt(9, seed=6)
    again = weights_from_arrays("w", weights_arrays("w", weights, training=True), 9)
    for learner in (weights, again):
        ones = np.ones(other.features, np.int32)
        learner.add(other.rows()[0], ones, ones, 20)
    assert written(weights) == written(again)


def test_weights_that_are_too_large() -> None:
    """A model of them is not written; an unfinished training has them, and goes on."""
    key, one = np.array([7], np.uint64), np.array([1], np.int32)
    weights = Weights(9)
    weights.add(key, one, np.array([(1 << 22) + 1], np.int32), before=0)
    refuses(ModelError, "^w: a weight is beyond 4096 updates", weights_arrays, "w", weights)
    again = weights_from_arrays("w", weights_arrays("w", weights, training=True), 9)
    assert again.row(7) == {1: (1 << 22) + 1}


def test_no_weights() -> None:
    for quantised in (False, True):
        nothing = Weights(3).averaged(1)
        arrays = weights_arrays("w", compact(nothing) if quantised else nothing)
        assert weights_from_arrays("w", arrays, 3).row(0) == {}


# An array in place of another; none where it is to be missing.
Change = Callable[[Any], Any]


def wrong(place: int, value: int) -> Change:
    def change(array: Any) -> Any:
        array = array.copy()
        array[place] = value
        return array

    return change


def of_type(dtype: Any) -> Change:
    return lambda array: array.astype(dtype)


def shorter(array: Any) -> Any:
    return array[:-1]


CHANGES: list[Change] = [
    *(lambda _: None, shorter, lambda array: array.reshape(-1, 1), of_type(np.float64))
]
FAULTS = [
    *((name, change) for change in CHANGES for name in ("key", "count", "action", "value")),
    *(("key", lambda array: array[::-1].copy()), ("key", wrong(1, 0))),
    *(("count", wrong(0, 0)), ("count", wrong(0, 41)), ("action", wrong(3, 9))),
]


@pytest.mark.parametrize(
    ("quantised", "name", "change"),
    [
        *((quantised, *fault) for quantised in (False, True) for fault in FAULTS),
        (False, "count", wrong(0, -1)),
        (False, "action", wrong(0, -1)),
        (False, "value", wrong(0, -(1 << 31))),
        (False, "key", of_type(np.int64)),
        (True, "value", wrong(0, 255)),
        (True, "level", wrong(0, (1 << 31) - 1)),
        (True, "level", shorter),
        (True, "level", of_type(np.int64)),
    ],
)
def test_senseless_weights_are_refused(quantised: bool, name: str, change: Change) -> None:
    averaged = learnt(9).averaged(20)
    made = weights_arrays("w", compact(averaged) if quantised else averaged)
    given = {**made, f"w.{name}": change(made[f"w.{name}"])}
    arrays = {name: array for name, array in given.items() if array is not None}
    refuses(ModelError, "^w", weights_from_arrays, "w", arrays, 9)


@pytest.mark.parametrize("actions", [-1, MAX_ACTIONS + 1, True, "3", None])
def test_senseless_numbers_of_actions(actions: Any) -> None:
    arrays = weights_arrays("w", Weights(3).averaged(1))
    refuses(ModelError, "actions", weights_from_arrays, "w", arrays, actions)


def test_any_change_is_refused_or_gives_weights_that_can_be_used() -> None:
    rng = random.Random(2)
    averaged = learnt(9).averaged(20)
    made = [weights_arrays("w", each) for each in (averaged, compact(averaged))]
    for number in range(300):
        arrays = {name: array.copy() for name, array in made[number % 2].items()}
        array = arrays[rng.choice(sorted(arrays))]
        array.view(np.uint8)[rng.randrange(array.nbytes)] ^= 1 << rng.randrange(8)
        try:
            weights = weights_from_arrays("w", arrays, 9)
        except ModelError:
            continue
        assert all(0 <= action < 9 for _, action in entries(weights))
        assert weights.copy().averaged(1).features <= weights.features


@pytest.mark.parametrize(
    "strings", [[], [""], ["a"], ["nsubj", "", "語", "\ud800", "a\nb", "\0"], ["x" * 70_000]]
)
def test_strings(strings: list[str]) -> None:
    assert strings_from_arrays("s", strings_arrays("s", strings)) == strings


@pytest.mark.parametrize(
    ("letters", "sizes"),
    [
        (None, None),
        ([0], None),
        ([0, 0], [1]),
        ([0, 0], [1, 1]),
        ([0, 0], [3, -1]),
        ([0, 0], np.array([2], np.int64)),
        ([0xFF, 0], [1, 1]),
        ([], [1 << 30] * 8),
    ],
)
def test_senseless_strings_are_refused(letters: Any, sizes: Any) -> None:
    arrays = {} if letters is None else {"s.letters": np.array(letters, np.uint8)}
    if sizes is not None:
        arrays["s.bytes"] = sizes if isinstance(sizes, np.ndarray) else np.array(sizes, np.int32)
    refuses(ModelError, "^s", strings_from_arrays, "s", arrays)
