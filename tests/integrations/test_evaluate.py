"""The module for Hugging Face's evaluate, loaded from the package without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import python
from tests.refusing import refuses

from wordorder import InputError, Segments, metric
from wordorder.errors import UsageError

pytest.importorskip("evaluate")
HYPOTHESES = ["the cat sat down", "on it a dog"]
REFERENCES = ["down the cat sat", "a dog on it"]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import evaluate

    from wordorder.integrations.evaluate import MODULE

    # The copies of modules go where evaluate found its cache when it was imported.
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
        yield lambda name: evaluate.load(MODULE, name, cache_dir=str(cache), keep_in_memory=True)


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


def test_a_fresh_process_on_the_default_path(tmp_path: Path) -> None:
    """As a user runs it: the path of the installed package, evaluate's own cache."""
    script = (
        "import evaluate, json\n"
        "from wordorder.integrations.evaluate import MODULE\n"
        "both = evaluate.combine([evaluate.load(MODULE, name) for name in ('frs', 'cder')])\n"
        "both.add(prediction='b c a', reference=['a b c'])\n"
        "both.add_batch(predictions=['a b'], references=[['a b', 'b a']])\n"
        "print(json.dumps(both.compute()))"
    )
    surroundings = {"HF_HOME": str(tmp_path), "HF_EVALUATE_OFFLINE": "1"}
    found = python("-W", "ignore", "-c", script, cwd=tmp_path, **surroundings).good().json
    # FRS of "b c a" is 1/2: two pieces of three words; that of "a b" is 1. CDER has two edits, "a"
    # inserted and deleted, in three and two words.
    assert (found["frs"], found["cder"]) == (0.75, 2 / 5)
    assert found["frs_segments"] == found["cder_segments"] == 2
    assert found["cder_signature"].startswith("cder|")


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (([], []), "no segments; expected at least one to score"),
        ((["a"], []), "1 predictions and 0 references; expected one row of references"),
        ((["a"],), "1 predictions and 0 references"),
    ],
)
def test_nothing_to_score_is_said_in_words(load: Any, inputs: Any, message: str) -> None:
    import evaluate

    for module in (load("frs"), load("cder")):
        refuses(InputError, message, module.compute, *inputs)
    named = dict(zip(("predictions", "references"), inputs, strict=False))
    with pytest.raises(InputError, match=message):
        evaluate.combine([load("frs"), load("cder")]).compute(**named)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (None, r'name a metric of wordorder: evaluate.load\(MODULE, "frs"\)'),
        ("frz", "unknown metric 'frz' .did you mean 'frs'"),
        ("aer", "aer needs gold, and evaluate has texts and orders"),
    ],
)
def test_metrics_that_cannot_be_had(load: Any, name: str | None, message: str) -> None:
    refuses(UsageError, message, load, name)
