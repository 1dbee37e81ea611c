"""What changing, copying, averaging and mixing weights answers on small random changes."""

import random

import numpy as np

from wordorder.parsing.training.averaging import mixed
from wordorder.parsing.weights import UNIT, Weights

ACTIONS = 40


def answers(rng: random.Random) -> dict[str, object]:
    """Learn through tables and rows that grow, average, and mix two learners."""
    weights = Weights(ACTIONS)
    for before in range(60):
        _learn(weights, rng, before)
    parts = [weights.copy(), weights.copy()]
    for part in parts:
        for before in range(60, 63):
            _learn(part, rng, before)
    mix = mixed(weights, parts, 60, [3, 3])
    return {
        "rows": [part.tolist() for part in weights.rows()],
        "averaged": [part.tolist() for part in weights.averaged(60).rows()],
        "mixed": [part.tolist() for part in mix.rows()],
        "layout": [part.tolist() for part in (mix.used, mix.table, mix.row_spans)],
    }


def _learn(weights: Weights, rng: random.Random, before: int) -> None:
    keys = [rng.randrange(7000) * 0x9E3779B97F4A7C15 % (1 << 64) for _ in range(300)]
    actions = [rng.randrange(ACTIONS if key % 5 == 0 else 3) for key in keys]
    deltas = [rng.choice([-UNIT, UNIT]) for _ in keys]
    arrays = np.array(actions, np.int32), np.array(deltas, np.int32)
    weights.add(np.array(keys, np.uint64), *arrays, before)
