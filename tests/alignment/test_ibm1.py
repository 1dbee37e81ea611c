"""Model 1 and the training of all models against words counted in dictionaries."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.oracles_aligners import Numbers, trained

from wordorder.alignment.statistical.aligner import (
    AgreementAligner,
    HMMAligner,
    IBMModel1,
    StatisticalAligner,
)
from wordorder.alignment.statistical.parallel_text import ParallelText
from wordorder.alignment.statistical.training import Known, posteriors, probabilities

WORDS = ["a", "House", "houses", "housing", "house", "b", "maison", "Maisons", "c", "2"]
MODELS = {
    IBMModel1: (Numbers(False, 0.05, 0.001), 0),
    HMMAligner: (Numbers(False, 0.2, 0.001), 5),
    AgreementAligner: (Numbers(True, 0.1, 1e-8, 0.3, 0.1, 3.0), 3),
}


def sentences(rng: random.Random, lengths: list[int]) -> list[list[str]]:
    return [rng.choices(WORDS, k=length) for length in lengths]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("iterations", [1, 3])
def test_training(kind: type[StatisticalAligner], iterations: int) -> None:
    rng = random.Random(iterations)
    source = sentences(rng, [3, 1, 2, 4, 3, 4, 1, 2])
    target = sentences(rng, [2, 1, 4, 3, 3, 1, 4, 2])
    numbers, warm_up = MODELS[kind]
    jumping = [False] * warm_up + [kind.settings.jumps] * iterations
    expected = trained(source, target, jumping, numbers)
    model = kind.train(source, target, iterations=iterations)
    text = ParallelText.from_rows(source, target)
    known = Known.of_text(model.lexicon, text, kind.settings)
    (block,) = text.blocks()
    for transposed, counts in enumerate((model.forward, model.backward)):
        side = probabilities(
            model.lexicon,
            counts,
            known,
            bool(transposed),
            kind.settings,
            jumps=kind.settings.jumps,
        )
        found = posteriors(block, side)
        cells = [s.cells.T if transposed else s.cells for s in expected[transposed]]
        # Pairs that count next to nothing are not kept.
        nulls = [s.null for s in expected[transposed]]
        for own, right in ((found.cells, [c.ravel() for c in cells]), (found.null, nulls)):
            np.testing.assert_allclose(own, np.concatenate(right), rtol=1e-4, atol=1e-5)


def test_one_known_pass() -> None:
    """By hand: after a pass over 'a b / x' and 'a / x', a is the source of x three times in four.

    Each source word of the first pair gets half of what the null word leaves, and a all of the
    second.
    """
    model = IBMModel1.train(["a b", "a"], ["x", "x"], iterations=1)
    words = model.lexicon.words
    pairs = {
        (words[s], words[t]): count
        for s, t, count in zip(
            model.lexicon.pair_source, model.lexicon.pair_target, model.forward.pairs, strict=True
        )
    }
    assert pairs[("a", "x")] == pytest.approx(0.001 + 0.95 / 2 + 0.95)
    assert pairs[("b", "x")] == pytest.approx(0.001 + 0.95 / 2)
    assert model.forward.null[words.index("x")] == pytest.approx(0.1)
