"""What aligners, language models and the translator answer on small random input."""

import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.oracles_language_models import compiled_model, random_model
from tests.translation.tables import random_table

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.statistical.align import ALIGNERS, align
from wordorder.alignment.symmetrization import SYMMETRIZATION_METHODS, symmetrize
from wordorder.arrays import Ragged
from wordorder.notes import held_notes
from wordorder.translation.decoder import PhraseSearch
from wordorder.translation.extraction import (
    WordTranslations,
    compute_log_p_values,
    extract_phrase_pairs,
)
from wordorder.translation.jumps import Jumps
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.phrase_table import PhraseTable, build_phrase_table

WORDS = ["a", "House", "houses", "b", "maison", "Maisons", "c", "2", "海洋", "海"]


def aligners(rng: random.Random) -> dict[str, object]:
    """Return links as text and the numbers that were learned in hexadecimal."""
    found: dict[str, object] = {}
    sides = [
        [" ".join(rng.choices(WORDS, k=rng.randint(0, 7))) for _ in range(12)] for _ in range(2)
    ]
    for name in ALIGNERS.built_in:
        model = ALIGNERS.load(name).train(*sides, iterations=2)
        for counts in (model.forward, model.backward):
            numbers = [*counts.pairs, *counts.null, *counts.jumps]
            found[f"{name} {len(found)}"] = [float(number).hex() for number in numbers]
        links = align(*sides, model=name, symmetrize="forward")
        found[f"{name} links"] = [str(row) for row in links]
    forward, backward = (
        wo.Alignments.from_rows(
            sorted({(rng.randint(0, 5), rng.randint(0, 5)) for _ in range(6)}) for _ in range(12)
        )
        for _ in range(2)
    )
    for method in SYMMETRIZATION_METHODS:
        found[method] = [str(row) for row in symmetrize(forward, backward, method)]
    # More states than the widest jump on both sides of one.
    long = [[" ".join(rng.choices(WORDS, k=length))] for length in (203, 2)]
    counts = ALIGNERS.load("hmm").train(*long, iterations=2).forward
    found["long"] = [float(number).hex() for number in [*counts.pairs, *counts.jumps]]
    return found


def language_models(rng: random.Random) -> dict[str, object]:
    """Return tables and scores."""
    found: dict[str, object] = {}
    for order in (1, 3):
        model = compiled_model(random_model(rng, order, "abc"), "abc")
        found[f"table {order}"] = [model.keys.tolist(), model.nodes.tolist()]
        lines = [" ".join(rng.choices("abcd", k=rng.randint(0, 5))) for _ in range(5)]
        found[f"scores {order}"] = [row.tolist() for row in model.word_scores(lines)]
    lines = [" ".join(rng.choices("aabcdef", k=rng.randint(0, 6))) for _ in range(40)]
    # No n-gram is frequent enough for its discounts.
    with held_notes():
        model = LanguageModel.estimate(lines, order=3)
    for part in ("probability", "backoff", "suffix", "following", "keys", "nodes"):
        found[part] = getattr(model, part).tolist()
    with tempfile.TemporaryDirectory() as folder:
        model.save_arpa(Path(folder) / "a.arpa")
        found["suffix again"] = LanguageModel.load_arpa(Path(folder) / "a.arpa").suffix.tolist()
    return found


def phrases(rng: random.Random) -> dict[str, object]:
    """Return options of sentences, and tables, under the name of what they answer."""
    found: dict[str, object] = {}
    lengths = [0, 1, 2, 7, 12]
    for kinds in (1, 3, 9):
        table = random_table(rng, kinds)
        rows = [[rng.randint(0, kinds + 1) for _ in range(length)] for length in lengths]
        sentences = Ragged.from_rows(rows)
        found[f"options {kinds}"] = [array.tolist() for array in table.options(sentences)]
        built, p_values, jumps = _table(rng, rows)
        found[f"p-values {kinds}"] = p_values
        found[f"jumps {kinds}"] = [jumps.ends.tolist(), jumps.last_words.tolist()]
        found[f"sides {kinds}"] = jumps.right.tolist()
        for name in PhraseTable.__dataclass_fields__:
            found[f"{name} {kinds}"] = getattr(built, name).tobytes().hex()
    return found


def _table(rng: random.Random, rows: list[list[int]]) -> tuple[PhraseTable, list[float], Jumps]:
    """Return the table of random links, logarithms of p-values, and jumps."""
    source = Ragged.from_rows([[word + 1 for word in row] for row in rows])
    target = Ragged.from_rows([[rng.randint(3, 5) for _ in row] for row in rows])
    links = Alignments.from_rows(
        [sorted({(rng.randrange(len(row)), rng.randrange(len(row))) for _ in row}) for row in rows]
    )
    pairs = extract_phrase_pairs(source, target, links, 4)
    table = build_phrase_table(pairs, WordTranslations.of(source, target, links), limit=2)
    jumps = Jumps.of(source, target, links, 4)
    return table, compute_log_p_values(pairs, source, target).tolist(), jumps


def phrase_decoder(rng: random.Random) -> dict[str, object]:
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
