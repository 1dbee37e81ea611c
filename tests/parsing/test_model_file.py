"""Model files: the same bytes for the same models, and nothing believed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import write
from tests.parsing.small_treebank import TREEBANK
from tests.parsing.toy import ToyLearner, ToyModel, entries, instances

from wordorder.errors import ModelError, UsageError
from wordorder.parsing import model_file
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.model_file import MODELS, SHIPPED, load_models, save_models
from wordorder.parsing.training.training import train
from wordorder.text.tensors import read_tensors, write_tensors
from wordorder.treebank.reading import read_treebank

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
    with pytest.raises(UsageError, match="no-such: no such model or file"):
        load_models("no-such")
    path.rename(path.with_name("en"))
    for name in SHIPPED:
        # A file of that name beside is named as ./en.
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(path.parent)
            patch.setattr(model_file, "SAMPLES", "tests.parsing")
            with pytest.raises(UsageError, match=f"the model '{name}' is not part"):
                load_models(name)
            assert load_models("./en").about == ABOUT


def test_wrong_roles(path: Path, model: ToyModel) -> None:
    with pytest.raises(UsageError, match="legal names: parser, tagger"):
        save_models(path, {"parsr": model}, {})
    with pytest.raises(UsageError, match="holds a tagger, a parser or both"):
        save_models(path, {}, {})


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
    with pytest.raises(ModelError, match=f"a: .*{message}"):
        load_models(path)


def test_missing_arrays(path: Path) -> None:
    about, arrays = read_tensors(path, "wordorder parser")
    for name in arrays:
        write_tensors(path, about, {key: arrays[key] for key in arrays if key != name})
        with pytest.raises(ModelError, match=rf"a: {name.partition('.')[0]}: weights.* is missing"):
            load_models(path)


def test_any_change_is_refused(path: Path) -> None:
    data = path.read_bytes()
    rng = random.Random(4)
    for number in range(120):
        changed = bytearray(data)
        if number % 2:
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            start = rng.randrange(len(data))
            changed[start : start + rng.randrange(1, 99)] = rng.randbytes(rng.randrange(9))
        path.write_bytes(changed)
        with pytest.raises(ModelError, match="^.*a: "):
            load_models(path)


@pytest.mark.parametrize("name", ["parser", "graph-parser"])
def test_models_of_the_first_version_are_read(name: str, tmp_path: Path) -> None:
    """They were written by 0.1.0, from the small treebank of the tests."""
    path = Path(__file__).parents[1] / "golden" / f"{name}-0.1.0.safetensors"
    loaded = load_models(path)
    assert loaded.about["wordorder"] == "0.1.0"
    assert loaded.tagger is not None
    assert loaded.parser is not None
    trees = write(tmp_path, "a.conllu", TREEBANK)
    gold = read_treebank(trees)
    found = loaded.parser.parse(loaded.tagger.tag(without_tags(gold)))
    for column in ("upos", "xpos", "label"):
        assert found.columns[column].strings() == gold.columns[column].strings()
    assert found.heads.tolist() == gold.heads.tolist()
