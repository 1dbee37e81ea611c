"""Compare ter with sacreBLEU's TER on random segments: any difference is an error.

20,000 pairs of a hypothesis and a reference: few or many distinct words, one to three references,
moved blocks, empty lines, 0 to 60 words. Every other batch has words with punctuation, such as
`..5` and `'s,`, under all combinations of sacreBLEU's options. sacreBLEU takes most of an hour.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import numpy as np
from sacrebleu.metrics.ter import TER

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.nasty_text import PUNCTUATED

import wordorder as wo
from wordorder.metrics.text.ter import TranslationEditRate

PAIRS = 20_000
LONGEST = 60
BATCH = 100
OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")


def near(rng: random.Random, sentence: list[str]) -> list[str]:
    """Move some blocks, then change and drop some words."""
    words = sentence[:]
    for _ in range(rng.randrange(6)):
        first, last = sorted(rng.randrange(len(words) + 1) for _ in range(2))
        block, words = words[first:last], words[:first] + words[last:]
        place = rng.randrange(len(words) + 1)
        words = [*words[:place], *block, *words[place:]]
    changed = [rng.choice(sentence) if rng.random() < 0.15 else word for word in words]
    return [word for word in changed if rng.random() > 0.1]


def segment(rng: random.Random, punctuated: bool) -> tuple[str, list[str]]:
    """Make a hypothesis and its references; some of both are empty."""
    words = [f"w{number}" for number in range(rng.choice([2, 3, 5, 10, 30, 100, 1000]))]
    if punctuated:
        words = [*PUNCTUATED, *words[:10]]

    def sentence() -> list[str]:
        return rng.choices(words, k=rng.randrange(LONGEST + 1))

    references = [sentence() for _ in range(rng.choice([1, 1, 2, 3]))]
    ours = near(rng, references[0]) if rng.random() < 0.7 else sentence()
    return " ".join(ours), [" ".join(reference) for reference in references]


def main() -> None:
    """Compare batch by batch; leave with 1 at the first difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wo.set_threads(1)
    rng = random.Random(options.seed)
    pairs = segments = 0
    seconds = [0.0, 0.0]
    while pairs < options.pairs:
        number = segments // BATCH
        # Every other batch without options, the others under each set of them in turn.
        values = [number % 2 and number >> 1 + bit & 1 for bit in range(len(OPTIONS))]
        chosen = {name: bool(value) for name, value in zip(OPTIONS, values, strict=True)}
        ours, theirs = TranslationEditRate(**chosen), TER(**chosen)  # type: ignore[arg-type]
        batch = [segment(rng, bool(number % 2)) for _ in range(BATCH)]
        columns = wo.Segments.from_text([h for h, _ in batch], [r for _, r in batch])
        begin = time.process_time()
        found = ours.statistics(columns)[:, :2]
        seconds[0] += time.process_time() - begin
        begin = time.process_time()
        expected = np.array([_statistics(theirs, h, r) for h, r in batch])
        seconds[1] += time.process_time() - begin
        wrong = np.flatnonzero((found != expected).any(axis=1))
        if len(wrong):
            hypothesis, references = batch[wrong[0]]
            raise SystemExit(
                f"{chosen}: {found[wrong[0]]}, not {expected[wrong[0]]}:\n"
                f"{hypothesis!r}\n{references!r}"
            )
        rate = 100 * ours.corpus_score(columns).value
        corpus = theirs._compute_score_from_stats(expected.sum(axis=0).tolist()).score
        if abs(rate - corpus) > 1e-10:
            raise SystemExit(f"a corpus scores {rate}, not {corpus}")
        pairs += sum(len(references) for _, references in batch)
        segments += len(batch)
        print(
            f"{pairs} pairs in {segments} segments are the same; pairs per CPU second: "
            f"{pairs / seconds[0]:.0f} (sacreBLEU {pairs / seconds[1]:.1f})",
            flush=True,
        )


def _statistics(metric: TER, hypothesis: str, references: list[str]) -> list[float]:
    score = metric.sentence_score(hypothesis, references)
    return [score.num_edits, score.ref_length]


if __name__ == "__main__":
    main()
