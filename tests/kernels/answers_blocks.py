"""Which blocks have moved in small random sentences."""

import random

import numpy as np

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.translations.blocks import aligned_blocks, path_blocks
from wordorder.metrics.text.paths import cover_paths
from wordorder.text.texts import Texts


def answers(rng: random.Random) -> dict[str, object]:
    """Return the blocks of paths and of alignments."""
    hypotheses, references = [], []
    for length in (0, 1, 2, 5, 9, 20, 30):
        hypotheses.append(" ".join(rng.choices("abcdefgh", k=length)))
        references.append(" ".join(rng.choices("abcdefgh", k=length)))
    texts = Texts.from_segments(hypotheses, references)
    matches = MonolingualAligner("other").align(texts)
    found: dict[str, object] = {}
    for name, blocks in (
        ("path", path_blocks(cover_paths(texts))),
        ("alignment", aligned_blocks(texts, np.arange(len(texts)), matches)),
    ):
        columns = (blocks.first, blocks.distance, blocks.passed, blocks.passed_last)
        found[name] = [column.tolist() for column in columns] + [
            [cost.hex() for cost in blocks.cost.tolist()],
            blocks.causeless.tolist(),
        ]
    return found
