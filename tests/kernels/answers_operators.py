"""What the operators of permutation trees cost on small random permutations."""

import random

from wordorder.order.permutation_forest import catalan, combined_costs, length
from wordorder.order.permutation_tree import SHORT
from wordorder.ragged import Ragged


def answers(rng: random.Random) -> dict[str, object]:
    """Return costs in hexadecimal under the name of the cost."""
    rows = [rng.sample(range(n), n) for n in [0, 1, 2, 3, 4, 5, 7, 9, 12, 20, SHORT + 3]]
    rows += [[*row[::-1], len(row)] for row in rows]
    ragged = Ragged.from_rows(rows)
    return {
        f"{cost.__name__} {flat}": [
            value.hex() for value in combined_costs(ragged, cost, "sum", flat=flat).tolist()
        ]
        for cost in (length, catalan)
        for flat in (False, True)
    }
