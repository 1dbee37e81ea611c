"""What the statistical aligners answer on small random input."""

import random

import wordorder as wo
from wordorder.alignment.align import ALIGNERS, align
from wordorder.alignment.symmetrization import METHODS, symmetrize

WORDS = ["a", "House", "houses", "b", "maison", "Maisons", "c", "2", "海洋", "海"]


def answers(rng: random.Random) -> dict[str, object]:
    """Return links as text and the numbers that were learned in hexadecimal."""
    found: dict[str, object] = {}
    sides = [
        [" ".join(rng.choices(WORDS, k=rng.randint(0, 7))) for _ in range(12)] for _ in range(2)
    ]
    for name in ALIGNERS.built_in:
        model = ALIGNERS.load(name).train(*sides, iterations=2)
        for counts in (model.forward, model.backward):
            numbers = [*counts.pairs, *counts.null, *counts.jumps]
            found[f"{name} {len(found)}"] = [float(number).hex() for number in numbers]
        links = align(*sides, model=name, symmetrize="forward")
        found[f"{name} links"] = [str(row) for row in links]
    forward, backward = (
        wo.Alignments.from_rows(
            sorted({(rng.randint(0, 5), rng.randint(0, 5)) for _ in range(6)}) for _ in range(12)
        )
        for _ in range(2)
    )
    for method in METHODS:
        found[method] = [str(row) for row in symmetrize(forward, backward, method)]
    # More states than the widest jump on both sides of one.
    long = [[" ".join(rng.choices(WORDS, k=length))] for length in (203, 2)]
    counts = ALIGNERS.load("hmm").train(*long, iterations=2).forward
    found["long"] = [float(number).hex() for number in [*counts.pairs, *counts.jumps]]
    return found
