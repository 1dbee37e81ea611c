"""What the counts of links in gold alignments answer on small random input."""

import random

from wordorder.alignment.alignments import Alignments
from wordorder.metrics.links.links import link_counts
from wordorder.segments import Segments


def answers(rng: random.Random) -> dict[str, object]:
    """Return the counts of random links, under their name."""
    sides = []
    for _ in range(2):
        rows = []
        for links in (0, 1, 2, 31, 32, 33, 64, 65):
            drawn = rng.sample(range(150), links)
            rows.append([(n // 12 * 4096, n % 12, rng.random() < 0.5) for n in drawn])
        sides.append(Alignments.from_rows(rows))
    return {"link counts": link_counts(Segments.from_links(*sides)).tolist()}
