"""Random sentences: words that repeat, blocks that have moved, words changed and dropped."""

import random
from collections.abc import Iterable, Sequence


def moved(
    rng: random.Random,
    sentence: Sequence[str],
    words: Sequence[str],
    blocks: int,
    dropped: float = 0.1,
) -> list[str]:
    """Move blocks, and change some words and drop some."""
    row = list(sentence)
    for _ in range(blocks):
        first, last = sorted(rng.randrange(len(row) + 1) for _ in range(2))
        block, rest = row[first:last], row[:first] + row[last:]
        place = rng.randrange(len(rest) + 1)
        row = [*rest[:place], *block, *rest[place:]]
    changed = [rng.choice(words) if rng.random() < 0.15 else word for word in row]
    return [word for word in changed if rng.random() >= dropped]


def corpus(
    seed: int, lengths: Iterable[int], kinds: Sequence[int], most: int = 3, dropped: float = 0.1
) -> tuple[list[list[str]], list[list[list[str]]]]:
    """Make a hypothesis for each length, most often near one of its up to `most` references.

    Each segment has one of these numbers of different words.
    """
    rng = random.Random(seed)
    hypotheses, references = [], []
    for length in lengths:
        words = [f"w{number}" for number in range(rng.choice(kinds))]
        several = [
            rng.choices(words, k=rng.randint(1, length + 1)) for _ in range(rng.randrange(most))
        ]
        several.append(rng.choices(words, k=length))
        near = moved(rng, several[-1], words, rng.randrange(6), dropped)
        hypotheses.append(near if rng.random() < 0.8 else rng.choices(words, k=length))
        references.append(several)
    return hypotheses, references
