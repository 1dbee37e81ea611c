"""Which neighbours are kept together on small random orders."""

import random

from wordorder.order.orders import Orders, kept_pairs


def answers(rng: random.Random) -> dict[str, object]:
    """Compare rows of all lengths with rows that tie."""
    systems, references = [], []
    for length in [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65] * 3:
        systems.append(rng.sample(range(length), length))
        groups: list[list[int]] = []
        for position in rng.sample(range(length), length - length // 8):
            if groups and rng.random() < 0.6:
                groups[-1].append(position)
            else:
                groups.append([position])
        references.append(groups)
    kept, offsets = kept_pairs(Orders.from_rows(systems), Orders.from_rows(references))
    return {"kept pairs": [kept.tolist(), offsets.tolist()]}
