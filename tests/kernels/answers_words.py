"""What numbering words answers on small random text."""

import random

import wordorder as wo
from wordorder.text import vocabulary
from wordorder.text.raw_lines import RawLines


def answers(rng: random.Random) -> dict[str, object]:
    """Number the words of lines, through a table that has to grow, and among themselves."""
    lines = [" ".join(rng.choices(["a", "b\u00e9", "", "ccc"], k=n)) for n in range(30)]
    ends = ["", "-too-long-for-one-key"]
    for _ in range(70):
        row = [f"w{rng.randrange(4000)}{rng.choice(ends)}" for _ in range(40)]
        lines.append(" ".join(row))
    numbers, known = vocabulary.number_lines(RawLines.from_strings(lines))
    texts = wo.Segments.from_text(lines, [[line[::-1], line] for line in lines]).texts
    local = texts.local()
    return {
        "numbers": numbers.to_lists(),
        "words": known.words,
        "local": [local.hypothesis.to_lists(), local.references.to_lists()],
        "distinct": local.distinct.tolist(),
    }
