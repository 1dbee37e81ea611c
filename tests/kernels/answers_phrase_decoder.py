"""What the search of the phrase-based translator finds in four sentences."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
from tests.oracles_language_models import compiled_model, random_model
from tests.translation.tables import random_table

from wordorder.ragged import Ragged
from wordorder.translation.decoder import PhraseSearch


def answers(rng: random.Random) -> dict[str, object]:
    """Return the phrases and the features of the best translations."""
    words = list("abcdefg")
    table = random_table(rng, 3, 3)
    model = compiled_model(random_model(rng, 3, words), words)
    weights = np.array([rng.uniform(-0.2, 1) for _ in range(15)])
    sentences = Ragged.from_rows([[1, 2, 9, 3, 1], [], [2], [3, 1, 1, 2, 9, 9, 2]])
    found: dict[str, object] = {}
    draw = np.random.default_rng(rng.randint(0, 99))
    # The border of a sentence comes after the words 0 to 9.
    jumps = draw.normal(size=(11, 3)).astype(np.float32)
    directed = replace(table, reordering=draw.normal(size=(table.entries, 1)).astype(np.float32))
    searches: list[Any] = [(table, None, *each) for each in ((0, 4, 1), (2, 3, 4), (4, 1 << 9, 2))]
    searches += [(directed, jumps, *each) for each in ((0, 4, 1), (4, 5, 3))]
    for phrases, odds, window, beam, nbest in searches:
        search = PhraseSearch(phrases, model, weights, window, beam, nbest, jumps=odds)
        derivations = search.find(sentences, 3 - sentences.values)
        found[f"{window} {beam} {nbest} {odds is None}"] = [
            getattr(derivations, name).tolist()
            for name in ("sentence", "offsets", "entry", "start", "length", "features", "scores")
        ]
    return found
