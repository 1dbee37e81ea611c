"""The stack decoder: with an unbounded beam it finds what trying everything finds."""

import dataclasses
import random
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from tests.oracles_language_models import Listed, compiled_model, random_model
from tests.refusing import refuses
from tests.threads import with_threads
from tests.translation.oracles_decoding import best_translations, source_odds
from tests.translation.tables import random_table, sample_sides

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged
from wordorder.errors import UsageError
from wordorder.order.orders import Orders
from wordorder.samples import sample_path
from wordorder.text.raw_lines import RawLines
from wordorder.translation import Decoder, TranslationModel, train_translation, translate
from wordorder.translation.decoder import Derivations, PhraseSearch
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.model import FEATURES
from wordorder.translation.phrase_table import PhraseTable
from wordorder.translation.preordering import Preordering

pytestmark = pytest.mark.allow_notes

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
    assert sorted(set(found.sentence.tolist())) == list(range(len(rows)))
    phrases = np.diff(found.offsets)
    for number, row in enumerate(rows):
        # A sentence without words has one translation, without phrases.
        if not row:
            assert phrases[found.sentence == number].tolist() == [0]
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
    for options, message in (
        ({"window": -1}, "window is a whole number of at least 0, not -1"),
        ({"nbest": 2.0}, r"nbest is a whole number of at least 1, not 2\.0"),
        ({"threshold": nan}, "threshold is a number of at least 0, not nan"),
        ({"weights": weights[:3]}, "3 weights; expected 15 finite numbers"),
    ):
        refuses(UsageError, message, PhraseSearch, table, model, **{"weights": weights} | options)


# -- Translating lines: text, links to the source as it was given, lists. --------------------------


ENGLISH, JAPANESE = sample_sides()


@cache
def model() -> TranslationModel:
    """Train on the sample of the package, links and all."""
    links = wo.read_alignments(sample_path("alignments.talbot"))
    # With longer phrases some short lines have one translation only.
    return train_translation(ENGLISH, JAPANESE, alignments=links, max_phrase=5)


def test_text_and_links_are_those_of_the_phrases() -> None:
    lines = [*ENGLISH[:20], "", "nobody knows xyzzy"]
    translated = Decoder(model(), nbest=4).translate(lines)
    numbers = model().number(RawLines.from_strings(lines))
    # No source word of these lines that has to be copied is a target word.
    copied = -1 - np.arange(len(numbers.values), dtype=np.int32)
    found = Decoder(model(), nbest=4).search.find(numbers, copied)
    table, words = model().phrases, model().target_words
    assert len(translated) == len(lines)
    assert translated.lines[-2] == ""
    for row, (first, last) in enumerate(pairwise(found.offsets.tolist())):
        source = lines[translated.sentence[row]].split()
        said: list[str] = []
        links = []
        phrases = zip(
            found.entry[first:last].tolist(), found.start[first:last].tolist(), strict=True
        )
        for entry, start in phrases:
            if entry < 0:
                links.append((start, len(said)))
                said.append(source[start])
                continue
            span = slice(*table.link_offsets[entry : entry + 2])
            links += [(start + s, len(said) + t) for s, t in table.links[span].tolist()]
            span = slice(*table.target_offsets[entry : entry + 2])
            said += [words[word] for word in table.target_words[span].tolist()]
        assert translated.texts[row] == " ".join(said)
        assert translated.links[row].links == tuple(sorted(links))
    # The best translations and their links, in step with the lines.
    best = translated.alignments
    assert len(best) == len(lines)
    for line, text, pair in zip(lines, translated.lines, best, strict=True):
        assert all(s < len(line.split()) and t < len(text.split()) for s, t in pair.links)
        assert bool(pair.links) == bool(line)
    unknown = {"nobody", "knows", "xyzzy"} - model().source_numbers.keys()
    assert translated.unknown_words == len(unknown)


def test_links_lead_to_positions_before_the_order() -> None:
    rng = random.Random(2)
    lines = [*ENGLISH[:12], "", "xyzzy is one"]
    tokens = [line.split() for line in lines]
    orders = [rng.sample(range(len(row)), len(row)) for row in tokens]
    reordered = [" ".join(row[i] for i in order) for row, order in zip(tokens, orders, strict=True)]
    ordered = Decoder(model(), window=2).translate(lines, Orders.from_rows(orders))
    plain = Decoder(model(), window=2).translate(reordered)
    assert ordered.texts == plain.texts
    assert ordered.scores.tolist() == plain.scores.tolist()
    for sentence, one, other in zip(plain.sentence, ordered.links, plain.links, strict=True):
        moved = sorted((orders[sentence][s], t) for s, t in other.links)
        assert one.links == tuple(moved)


def test_a_model_with_an_order_puts_lines_in_order_first() -> None:
    lines = ENGLISH[:6]
    ordered = dataclasses.replace(model(), preordering=Preordering.open("R5"))
    orders = Preordering.open("R5").begin("x").orders(RawLines.from_strings(lines))
    assert any(list(row) != sorted(row) for row in orders.positions.to_lists())
    expected = Decoder(model()).translate(lines, orders)
    assert translate(ordered, lines).lines == expected.lines


def test_lists_are_sorted_and_their_scores_are_those_of_the_features() -> None:
    lines = ENGLISH[:10]
    translated = translate(model(), lines, nbest=20)
    assert translated.lines == translate(model(), lines).lines
    weights = np.array(model().weights)
    assert translated.scores == pytest.approx(translated.features @ weights, abs=1e-12)
    for number in range(len(lines)):
        rows = np.flatnonzero(translated.sentence == number)
        assert 1 < len(rows) <= 20
        assert len({translated.texts[row] for row in rows}) == len(rows)
        scores = translated.scores[rows].tolist()
        assert scores == sorted(scores, reverse=True)
    nbest = translated.nbest()
    assert nbest.names == FEATURES
    assert nbest.reranked(weights).text == nbest.text


def test_known_names_of_copied_words_and_the_others() -> None:
    known = next(word for word in model().target_words[3:] if word not in model().source_numbers)
    lines = [f"{known} xyzzy xyzzy <s> XYZZY"]
    translated = Decoder(model(), window=0).translate(lines)
    assert translated.lines == lines
    assert translated.unknown_words == 5
    assert translated.features[0, FEATURES.index("UnknownWordPenalty0_0")] == -5
    model_of = model().language_model
    with_unknown = model_of.score([f"{known} <unk> <unk> <unk> <unk>"])[0]
    assert translated.features[0, FEATURES.index("LM0_0")] == pytest.approx(with_unknown, abs=1e-5)


def test_a_model_of_lower_case_lowers_all() -> None:
    lines = ["The house XYZZY"]
    lower = dataclasses.replace(model(), case="lower")
    assert translate(lower, lines).lines == translate(model(), ["the house xyzzy"]).lines
    translated = translate(model(), ["THE XYZZY"])
    assert (translated.unknown_words, translated.unknown_capitals) == (2, 1)


def test_nothing_to_translate() -> None:
    for lines in ([], ["", "  "]):
        translated = translate(model(), lines, nbest=3)
        assert translated.lines == [""] * len(lines)
        assert len(translated.alignments) == len(lines)
        assert isinstance(translated.alignments, Alignments)
        listed = [line.split(" ||| ") for line in translated.nbest_lines(7)]
        assert [fields[:2] for fields in listed] == [[str(7 + n), ""] for n in range(len(lines))]
        assert not translated.features.any()
