"""What holds for learned orders of each kind: seeds, threads, unfinished trainings, files."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles_families import random_treebank
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.alignment.alignments import Alignments
from wordorder.errors import ModelError
from wordorder.reordering.consensus import ConsensusLearner
from wordorder.reordering.learned import load_learned, order_examples, save_learned
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.reordering.learned.learned_order import (
    CHECKPOINT_FORMAT,
    OrderCheckpoint,
    learn_order,
)
from wordorder.reordering.learned.linear_model import LinearLearner
from wordorder.text.checkpoints import Checkpoint


def examples() -> OrderExamples:
    """Enough sentences for the further runs of a bracketing, which choose its preference."""
    rng = random.Random(5)
    bank = random_treebank(rng, [4, 6, 3, 8, 5, 7] * 10)
    links = [[(k, rng.randrange(9)) for k in range(n)] for n in bank.lengths.tolist()]
    return order_examples(bank, Alignments.from_rows(links))


EXAMPLES = examples()
MEMBERS = {"bracketing": 2, "linear": 1, "R2": 1}
LEARNERS: dict[str, Callable[[int], Any]] = {
    "linear": lambda seed: LinearLearner(EXAMPLES, seed=seed, bits=12, epochs=4),
    "bracketing": lambda seed: Bracketing.learner(EXAMPLES, seed=seed, epochs=3, runs=2),
    "consensus": lambda seed: ConsensusLearner(EXAMPLES, seed=seed, members=MEMBERS, epochs=2),
}


def said(model: Any) -> tuple[object, dict[str, bytes]]:
    about, arrays = model.parts()
    return about, {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_seed_gives_the_same_on_any_threads_and_in_a_file(kind: str, tmp_path: Path) -> None:
    one, other = with_threads(lambda: said(learn_order(LEARNERS[kind](1))), 1, 4)
    assert one == other != said(learn_order(LEARNERS[kind](2)))
    model = learn_order(LEARNERS[kind](1))
    bank = random_treebank(random.Random(9), [0, 1, 5, 9])
    save_learned(tmp_path / "a.safetensors", model, {})
    again = load_learned(tmp_path / "a.safetensors")
    assert again.orders(bank).positions == model.orders(bank).positions
    save_learned(tmp_path / "b.safetensors", again.model, {})
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


@pytest.mark.parametrize("kind", LEARNERS)
def test_training_goes_on_from_any_epoch_with_the_same_model(kind: str, tmp_path: Path) -> None:
    whole, states = LEARNERS[kind](3), []
    for epoch in range(1, whole.epochs + 1):
        whole.learn(epoch)
        states.append({name: np.array(array) for name, array in whole.state().items()})
    for done, state in enumerate(states, 1):
        again = LEARNERS[kind](3)
        again.restore(state)
        for epoch in range(done + 1, whole.epochs + 1):
            again.learn(epoch)
        assert said(again.model()) == said(whole.model())
    file = Checkpoint(tmp_path / "kept", CHECKPOINT_FORMAT)
    file.write({}, {}, epoch=1)
    file.begin(resume=True, restart=False)
    damaged = OrderCheckpoint(file, {})
    refuses(ModelError, "checkpoint is damaged", learn_order, LEARNERS[kind](3), checkpoint=damaged)
