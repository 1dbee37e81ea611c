"""Phrase tables drawn at random, what is in a table, and the sample of the package."""

import random
from itertools import pairwise

import numpy as np

from wordorder.arrays import Ragged
from wordorder.samples import sample_path
from wordorder.translation.phrase_table import PhraseTable


def entries(table: PhraseTable) -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
    """Return the entry of each phrase pair, in their order."""
    source = Ragged(table.source_words, table.source_offsets).to_lists()
    target = Ragged(table.target_words, table.target_offsets).to_lists()
    spans = pairwise(table.entry_offsets.tolist())
    return {
        (tuple(f), tuple(target[row])): row
        for f, span in zip(source, spans, strict=True)
        for row in range(*span)
    }


def random_table(rng: random.Random, kinds: int, longest: int = 4) -> PhraseTable:
    """Return a table over the source words ``1 .. kinds``, with target words from 3 on."""
    phrases = {
        tuple(rng.randint(1, kinds) for _ in range(rng.randint(1, longest)))
        for _ in range(rng.randint(1, 6 * kinds))
    }
    source = Ragged.from_rows(sorted(phrases))
    counts = [rng.randint(1, 3) for _ in phrases]
    size = sum(counts)
    target = Ragged.from_rows(
        [[rng.randint(3, 9) for _ in range(rng.randint(1, 3))] for _ in range(size)]
    )
    draw = np.random.default_rng(rng.randint(0, 99))
    rows = source.offsets, source.values, np.cumsum([0, *counts], dtype=np.int64)
    scores = -draw.random((size, 4), np.float32), -draw.random((size, 6), np.float32)
    links = np.arange(size + 1, dtype=np.int64), np.zeros((size, 2), np.int32)
    return PhraseTable(*rows, target.offsets, target.values, *scores, *links)


def sample_sides() -> list[list[str]]:
    """Return the lines of both sides of the sample of the package."""
    names = ("source.en", "target.ja")
    return [sample_path(name).read_text("utf-8").splitlines() for name in names]
