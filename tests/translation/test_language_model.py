"""Asking a language model: against look-ups in a dictionary."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.oracles_language_models import compiled_model, random_model, sentence_scores

from wordorder.errors import InputError, ModelError
from wordorder.ragged import Ragged
from wordorder.translation.language_model import LanguageModel

WORDS = ["a", "b", "c", "d"]


@pytest.fixture
def model() -> LanguageModel:
    return compiled_model(random_model(random.Random(3), 3, WORDS), WORDS)


@pytest.mark.parametrize("order", range(1, 7))
def test_scores_are_those_of_a_dictionary(order: int) -> None:
    rng = random.Random(order)
    for _ in range(10):
        listed = random_model(rng, order, WORDS)
        model = compiled_model(listed, WORDS)
        assert model.order == order
        lines = [rng.choices([*WORDS, "new"], k=rng.randint(0, 9)) for _ in range(8)]
        expected = [sentence_scores(listed, line) for line in lines]
        text = [" ".join(line) for line in lines]
        found = model.word_scores(text)
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.tolist() == pytest.approx(theirs, abs=1e-12)
        assert model.score(text).tolist() == pytest.approx(list(map(math.fsum, expected)))


def test_numbers_and_words_give_the_same(model: LanguageModel) -> None:
    rows = model.number(["a b new", "", "d"])
    assert rows.to_lists() == [[3, 4, 0], [], [6]]
    assert model.score(rows).tolist() == model.score(["a b new", "", "d"]).tolist()


def test_perplexity_counts_the_ends(model: LanguageModel) -> None:
    total = model.score(["a b", "c"]).sum()
    assert model.perplexity(["a b", "c"]) == pytest.approx(math.exp(-total / 5))
    with pytest.raises(InputError, match="no lines; expected at least one sentence"):
        model.perplexity([])


def test_a_state_is_as_short_as_it_can_be() -> None:
    model = compiled_model(
        {**dict.fromkeys([("<s>",), ("a",)], (-1.0, 0.0)), ("a", "a"): (-1, 0)}, "a"
    )
    # "a" begins an n-gram, "a a" is as long as any, and nothing follows "<s>".
    assert model.following.tolist() == [0, 0, 0, 0, 4, 4]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        *((each, "expected") for each in ("a b", [1], ["a", 2])),
        *((Ragged.from_rows([[1], [3, x]]), f"row 2: word {x}; expected 0 to 6") for x in (-1, 7)),
    ],
)
def test_what_is_no_text_is_refused(model: LanguageModel, given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.score(given)


def put(name: str, value: float) -> Callable[[LanguageModel], dict[str, Any]]:
    """Return what changes one entry of an array."""

    def changed(model: LanguageModel) -> dict[str, Any]:
        array = getattr(model, name).copy()
        array[5] = value
        return {name: array}

    return changed


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (put("suffix", 5), "suffix is not listed before"),
        (put("suffix", -1), "suffix is not listed before"),
        (put("following", 6), "state is not listed before"),
        (put("probability", np.nan), "not a number"),
        (put("backoff", np.inf), "not a number"),
        ({"order": 0}, "order 0; expected 1 to 6"),
        ({"words": ["<s>", "</s>", "<unk>", *WORDS]}, "first words"),
        ({"words": list("abcdefghijklmnopqrstuvwxyz") * 9}, "first words"),
        ({"backoff": np.zeros(3, np.float32)}, "backoff is not a flat float32 array"),
        ({"suffix": np.zeros(3, np.int64)}, "suffix is not a flat int32 array"),
        ({"keys": np.full(4, 7, np.int64), "nodes": np.zeros(4, np.int32)}, "no free slot"),
        ({"keys": np.full(5, -1, np.int64), "nodes": np.zeros(5, np.int32)}, "power of two"),
        ({"keys": np.array([7, -1]), "nodes": np.array([99999, 0], np.int32)}, "not a node"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(
    model: LanguageModel, changed: Any, message: str
) -> None:
    parts = changed(model) if callable(changed) else changed
    with pytest.raises(ModelError, match=message):
        dataclasses.replace(model, **parts)
