"""What the rules and figures of other evaluators answer on small random input."""

import random

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.metrics.compat import PRESETS, evaluate_compat
from wordorder.order.reference import block_ranks

LENGTHS = [0, 1, 2, 3, 5, 8, 15, 16, 17, 33]
TOKENS = ["(", ")", '"', "a"]


def answers(rng: random.Random) -> dict[str, object]:
    """Return ranks and scores under the name of what they answer."""
    rows = []
    words = []
    for length in LENGTHS * 3:
        links = {
            (rng.randrange(length), rng.randrange(length + 3))
            for _ in range(rng.choice([length // 2, 2 * length]))
        }
        rows.append(sorted(links))
        words.append([rng.choice(TOKENS) for _ in range(length)])
    aligned = Alignments.from_rows(rows)
    lengths = np.array(LENGTHS * 3, np.int64)
    found: dict[str, object] = {
        f"ranks {combine}": block_ranks(aligned, lengths, combine=combine).tolist()
        for combine in (True, False)
    }
    for preset, how in PRESETS.items():
        if how.rule is None:
            # It looks at no orders: no kernel of these is called.
            continue
        for label, score in evaluate_compat(preset, None, aligned, words).items():
            found[f"{preset} {label}"] = [score.value.hex(), score.skipped]
    return found
