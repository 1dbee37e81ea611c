"""The modules for Hugging Face's evaluate, loaded from their folder without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wordorder import Segments, metric

pytest.importorskip("evaluate")
FOLDER = Path(__file__).parents[2] / "integrations"
HYPOTHESES = ["the cat sat down", "on it a dog"]
REFERENCES = ["down the cat sat", "a dog on it"]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import evaluate

    # The copies of modules go where evaluate found its cache when it was imported.
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
        yield lambda name: evaluate.load(
            str(FOLDER / name), cache_dir=str(cache), keep_in_memory=True
        )


@pytest.mark.parametrize("name", ["frs", "kendall", "cder", "lrscore"])
def test_text(load: Any, name: str) -> None:
    module = load(name)
    made = metric(name)
    aligner = "exact" if "permutation" in made.columns else None
    segments = Segments.from_text(HYPOTHESES, REFERENCES, aligner=aligner)
    expected = made.corpus_score(segments)
    for references in (REFERENCES, [[line] for line in REFERENCES]):
        found = module.compute(predictions=HYPOTHESES, references=references)
        assert found[name] == expected.value
        assert found["signature"] == str(expected.signature)
        assert found["segments"] == 2


@pytest.mark.parametrize("name", ["frs", "kendall"])
def test_orders(load: Any, name: str) -> None:
    module = load(name)
    system, reference = [[1, 0, 2], [0, 1]], [[0, 1, 2], [0, 1]]
    found = module.compute(predictions=system, references=reference)
    expected = metric(name).corpus_score(Segments.from_orders(system, reference))
    assert found[name] == expected.value
    module.add_batch(predictions=system[:1], references=reference[:1])
    module.add(prediction=system[1], reference=reference[1])
    assert module.compute()[name] == expected.value


def test_every_module_names_a_metric() -> None:
    folders = [path.name for path in FOLDER.iterdir() if (path / f"{path.name}.py").exists()]
    assert sorted(folders) == ["cder", "frs", "kendall", "lrscore"]
