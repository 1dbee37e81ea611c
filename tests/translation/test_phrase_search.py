"""The stack decoder: with an unbounded beam it finds what trying everything finds."""

import random
from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from tests.oracles_language_models import Listed, compiled_model, random_model
from tests.threads import with_threads
from tests.translation.oracles_decoding import best_translations, source_odds
from tests.translation.tables import random_table

from wordorder.arrays import Ragged
from wordorder.errors import UsageError
from wordorder.translation.decoder import Derivations, PhraseSearch
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.phrase_table import PhraseTable

WORDS = list("abcdefg")
VOCABULARY = ["<unk>", "<s>", "</s>", *WORDS]
UNBOUNDED = 1 << 40


def drawn(seed: int) -> tuple[random.Random, PhraseTable, Listed, LanguageModel, Any]:
    rng = random.Random(seed)
    listed = random_model(rng, rng.randint(1, 4), WORDS)
    weights = np.array([rng.choice([0.0, rng.uniform(-0.5, 1)]) for _ in range(15)])
    weights[7] = rng.uniform(0.1, 1)
    return rng, random_table(rng, 3, 3), listed, compiled_model(listed, WORDS), weights


def said(found: Derivations, table: PhraseTable, copied: list[int]) -> list[tuple[int, ...]]:
    """Return the words of derivations of one sentence."""
    targets = Ragged(table.target_words, table.target_offsets)
    rows = []
    for first, last in pairwise(found.offsets.tolist()):
        words: list[int] = []
        for entry, start in zip(found.entry[first:last], found.start[first:last], strict=True):
            words += targets[int(entry)].tolist() if entry >= 0 else [copied[start]]
        rows.append(tuple(words))
    return rows


@pytest.mark.parametrize("reordering", ["msd", "maxent"])
@pytest.mark.parametrize("window", [0, 1, 2, 3, 4, 9])
def test_all_translations_are_found_in_the_order_of_their_scores(
    window: int, reordering: str
) -> None:
    compared = 0
    jumps = None
    for seed in range(20 if window < 2 else 8):
        rng, table, listed, model, weights = drawn(100 * window + seed)
        if reordering == "maxent":
            draw = np.random.default_rng(seed)
            # The border of a sentence comes after the words 0 to 9.
            jumps = draw.normal(size=(11, 2 * rng.randint(0, 2) + 1)).astype(np.float32)
            odds_of_entries = draw.normal(size=(table.entries, 1)).astype(np.float32)
            table = replace(table, reordering=odds_of_entries)
        # The word 9 is unknown; some words are known to the language model.
        longest = 6 if window < 2 else 5
        sentence = [rng.choice([1, 2, 3, 9]) for _ in range(rng.randint(3, longest))]
        copied = [{1: 4, 2: 5, 3: -1}.get(word, -2) for word in sentence]
        odds = None if jumps is None else source_odds(jumps.tolist(), sentence)
        expected = best_translations(
            table, listed, VOCABULARY, weights.tolist(), sentence, copied, window, odds
        )
        search = PhraseSearch(table, model, weights, window, UNBOUNDED, 1 << 14, inf, jumps)
        found = search.find(Ragged.from_rows([sentence]), np.array(copied, np.int32))
        words = said(found, table, copied)
        assert len(words) == len(set(words)) == len(expected)
        assert set(words) == set(expected)
        shown = found.scores.tolist()
        assert shown == pytest.approx([score for score, _ in expected.values()], abs=1e-4)
        assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
        for row, features in zip(words, found.features.tolist(), strict=True):
            score = np.dot(weights, features)
            assert score == pytest.approx(expected[row][0], abs=1e-4)
        alone = PhraseSearch(table, model, weights, window, UNBOUNDED, 1, inf, jumps)
        best = alone.find(Ragged.from_rows([sentence]), np.array(copied, np.int32))
        assert best.scores[0] == pytest.approx(found.scores[0], abs=1e-5)
        compared += len(words)
    assert compared > 100


def test_results_do_not_depend_on_threads_and_batches() -> None:
    rng, table, _, model, weights = drawn(5)
    rows = [[rng.randint(0, 9) for _ in range(rng.randint(0, 9))] for _ in range(300)]
    sentences = Ragged.from_rows(rows)
    copied = -1 - sentences.values
    search = PhraseSearch(table, model, weights, 3, 4, 5)
    found, other = with_threads(lambda: search.find(sentences, copied))
    for name in ("sentence", "offsets", "entry", "start", "length", "features", "scores"):
        one, three = (getattr(each, name).tolist() for each in (found, other))
        assert one == three
        assert len(one) > 300
    assert set(found.sentence.tolist()) == {i for i, row in enumerate(rows) if row}
    place = next(i for i, row in enumerate(rows) if len(row) > 6)
    alone = PhraseSearch(table, model, weights, 3, 4, 5).find(
        sentences[place : place + 1], copied[sentences.offsets[place] :]
    )
    assert alone.features.tolist() == found.features[found.sentence == place].tolist()


def test_long_sentences_are_translated_whole() -> None:
    rng, table, _, model, weights = drawn(6)
    sentences = Ragged.from_rows([[rng.randint(0, 4) for _ in range(700)], [1] * 65, [2]])
    for window in (0, 4, 1000):
        search = PhraseSearch(table, model, weights, window, 3)
        found = search.find(sentences, -1 - sentences.values)
        for row, length in enumerate(sentences.lengths.tolist()):
            span = slice(*found.offsets[row : row + 2])
            starts, lengths = found.start[span].tolist(), found.length[span].tolist()
            covered = [s + i for s, n in zip(starts, lengths, strict=True) for i in range(n)]
            assert sorted(covered) == list(range(length))
            jumps = np.diff([0, *starts]) - [0, *lengths[:-1]]
            assert np.abs(jumps).max() <= window


def test_numbers_out_of_range_are_refused() -> None:
    _, table, _, model, weights = drawn(7)
    with pytest.raises(UsageError, match="window is a whole number of at least 0, not -1"):
        PhraseSearch(table, model, weights, -1)
    with pytest.raises(UsageError, match=r"nbest is a whole number of at least 1, not 2\.0"):
        PhraseSearch(table, model, weights, nbest=2.0)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="threshold is a number of at least 0, not nan"):
        PhraseSearch(table, model, weights, threshold=nan)
    with pytest.raises(UsageError, match="3 weights; expected 15 finite numbers"):
        PhraseSearch(table, model, weights[:3])
