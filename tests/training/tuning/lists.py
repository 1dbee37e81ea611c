"""Small n-best lists of translations, made at random."""

import random
from pathlib import Path

from tests.files import written

WORDS = ["the", "house", "that", "we", "saw", "was", "red", "and", "old", "then", "it", "rained"]


def translation_lists(
    folder: Path, *, sentences: int = 6, candidates: int = 8, references: int = 2, seed: int = 1
) -> tuple[str, list[str]]:
    """Write a list and its references; return their paths."""
    rng = random.Random(seed)
    lines, paths = [], []
    files: list[list[str]] = [[] for _ in range(references)]
    for sentence in range(sentences):
        words = rng.choices(WORDS, k=rng.randint(4, 14))
        for file in files:
            file.append(" ".join(_changed(words, rng)))
        for _ in range(rng.randint(1, candidates)):
            features = f"d= {rng.randint(-6, 0)} {rng.gauss(0, 1):.4f} lm= {rng.gauss(-9, 3):.4f}"
            text = " ".join(_changed(words, rng))
            lines.append(f"{sentence} ||| {text} ||| {features} ||| {rng.gauss(0, 1):.3f}")
    for number, file in enumerate(files):
        paths.append(str(written(folder, "\n".join(file) + "\n", f"reference{number}.txt")))
    return str(written(folder, "\n".join(lines) + "\n", "nbest.txt")), paths


def _changed(words: list[str], rng: random.Random) -> list[str]:
    """Move, replace and drop words."""
    made = list(words)
    for _ in range(rng.randint(0, 3)):
        made.insert(rng.randrange(len(made)), made.pop(rng.randrange(len(made))))
    if rng.random() < 0.6:
        made[rng.randrange(len(made))] = rng.choice(WORDS)
    if rng.random() < 0.4 and len(made) > 3:
        made.pop(rng.randrange(len(made)))
    return made
