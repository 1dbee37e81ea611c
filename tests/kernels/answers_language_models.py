"""What language models answer on small random text."""

from __future__ import annotations

import random

from tests.oracles_language_models import compiled_model, random_model


def answers(rng: random.Random) -> dict[str, object]:
    """Return tables and scores."""
    found: dict[str, object] = {}
    for order in (1, 3):
        model = compiled_model(random_model(rng, order, "abc"), "abc")
        found[f"table {order}"] = [model.keys.tolist(), model.nodes.tolist()]
        lines = [" ".join(rng.choices("abcd", k=rng.randint(0, 5))) for _ in range(5)]
        found[f"scores {order}"] = [row.tolist() for row in model.word_scores(lines)]
    return found
