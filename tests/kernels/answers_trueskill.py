"""What TrueSkill answers on small random matches."""

import random

import numpy as np

from wordorder.statistics.ranking_models import trueskill, trueskill_runs


def answers(rng: random.Random) -> dict[str, object]:
    """Rate systems in order and in runs, among them skills far apart."""
    pairs = [rng.sample(range(4), 2) for _ in range(60)]
    outcomes = [rng.choice((-1, 0, 1)) for _ in pairs]
    columns = (*np.array(pairs).T, np.array(outcomes))
    found: dict[str, object] = {}
    for beta in (25 / 6, 0.01):
        skills = trueskill(*columns, systems=4, beta=beta, draw_probability=0.3)
        found[f"beta {beta}"] = [skills.mu.tobytes().hex(), skills.sigma.tobytes().hex()]
    items = np.array([rng.randrange(9) for _ in pairs])
    runs = trueskill_runs(items, *columns, items=9, systems=5, runs=3)
    found["runs"] = [runs.mu.tobytes().hex(), runs.sigma.tobytes().hex()]
    return {"trueskill": found}
