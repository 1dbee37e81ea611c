"""Translating lines: text, links to the source as it was given, lists."""

import dataclasses
import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from wordorder.alignment.alignments import Alignments
from wordorder.order.orders import Orders
from wordorder.samples import sample_path
from wordorder.text.blocks import RawLines
from wordorder.translation import Decoder, TranslationModel, train_translation, translate
from wordorder.translation.model import FEATURES

pytestmark = pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")


def sample(name: str) -> list[str]:
    with open(sample_path(name), encoding="utf-8") as stream:
        return stream.read().splitlines()


@cache
def model() -> TranslationModel:
    """Train on the sample of the package, links and all."""
    from wordorder import read_alignments

    links = read_alignments(sample_path("alignments.talbot"))
    # With longer phrases some short lines have one translation only.
    return train_translation(
        sample("source.en"), sample("target.ja"), alignments=links, max_phrase=5
    )


def test_text_and_links_are_those_of_the_phrases() -> None:
    lines = [*sample("source.en")[:20], "", "nobody knows xyzzy"]
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
    assert translated.unknown_words == 1 + ("nobody" not in model().source_numbers) + (
        "knows" not in model().source_numbers
    )


def test_links_lead_to_positions_before_the_order() -> None:
    rng = random.Random(2)
    lines = [*sample("source.en")[:12], "", "xyzzy is one"]
    orders = []
    for line in lines:
        order = list(range(len(line.split())))
        rng.shuffle(order)
        orders.append(order)
    reordered = [
        " ".join(line.split()[i] for i in order) for line, order in zip(lines, orders, strict=True)
    ]
    ordered = Decoder(model(), window=2).translate(lines, Orders.from_rows(orders))
    plain = Decoder(model(), window=2).translate(reordered)
    assert ordered.texts == plain.texts
    assert ordered.scores.tolist() == plain.scores.tolist()
    for sentence, one, other in zip(plain.sentence, ordered.links, plain.links, strict=True):
        moved = sorted((orders[sentence][s], t) for s, t in other.links)
        assert one.links == tuple(moved)


def test_a_model_with_an_order_puts_lines_in_order_first() -> None:
    from wordorder.translation.preordering import Preordering

    lines = sample("source.en")[:6]
    ordered = dataclasses.replace(model(), preordering=Preordering.open("R5"))
    orders = Preordering.open("R5").begin("x").orders(RawLines.from_strings(lines))
    assert any(list(row) != sorted(row) for row in orders.positions.to_lists())
    expected = Decoder(model()).translate(lines, orders)
    assert translate(ordered, lines).lines == expected.lines


def test_lists_are_sorted_and_their_scores_are_those_of_the_features() -> None:
    lines = sample("source.en")[:10]
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
        assert list(translated.nbest().lines()) == []
