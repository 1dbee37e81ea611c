"""What the distances with shifts, jumps and exchanges answer on small random text."""

import random

from wordorder.metrics.text.edits import inversion_distances, long_jump_bounds
from wordorder.metrics.text.paths import long_jump_path
from wordorder.metrics.text.ter import TranslationEditRate, shifted_edits
from wordorder.segments import Segments


def answers(rng: random.Random) -> dict[str, object]:
    """Return distances under the name of what they are."""
    found: dict[str, object] = {}
    for longest, size in ((7, 3), (12, 5), (70, 60)):
        words = [f"w{number}" for number in range(size)]
        hypotheses, references = [], []
        for _ in range(8):
            sentence = rng.choices(words, k=rng.randrange(longest + 1))
            cut = rng.randrange(len(sentence) + 1)
            other = rng.choices(words, k=rng.randrange(longest + 1))
            hypotheses.append(sentence)
            references.append([sentence[cut:] + sentence[:cut], other, []])
        texts = Segments.from_text(hypotheses, references).texts
        found[f"shifted edits {size}"] = shifted_edits(texts).tolist()
        bounds = long_jump_bounds(texts, limit=100)
        found[f"long jumps {size}"] = [bound.tolist() for bound in bounds]
        path = long_jump_path(hypotheses[0][:9], references[0][0][:12], limit=100)
        found[f"long jump path {size}"] = [[s.operation, s.hypothesis] for s in path.steps]
        exchanges = inversion_distances(texts, inversion_cost=0.5, max_words=12)
        found[f"inversions {size}"] = [value.hex() for value in exchanges.tolist()]
    segments = Segments.from_text(["Yes, (he) is."], ["he is, yes"])
    statistics = TranslationEditRate(normalized=True, no_punct=True).statistics(segments)
    found["ter"] = [value.hex() for value in statistics[0].tolist()]
    return found
