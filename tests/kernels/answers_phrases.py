"""What the phrases of the translator answer on small random sentences."""

from __future__ import annotations

import random

from tests.translation.tables import random_table

from wordorder.ragged import Ragged


def answers(rng: random.Random) -> dict[str, object]:
    """Return the options of sentences under the name of what they answer."""
    found: dict[str, object] = {}
    for kinds in (1, 3, 9):
        table = random_table(rng, kinds)
        lengths = [0, 1, 2, 7, 12]
        sentences = Ragged.from_rows(
            [[rng.randint(0, kinds + 1) for _ in range(n)] for n in lengths]
        )
        found[f"options {kinds}"] = [array.tolist() for array in table.options(sentences)]
    return found
