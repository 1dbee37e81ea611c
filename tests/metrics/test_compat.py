"""Other evaluators' figures, against slow twins of what these evaluators do."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles_compat import (
    btg_values,
    chunk_loss,
    lader_ranks,
    moses_ranks,
    moses_values,
    spans_of,
    tau_loss,
    weak_order,
)
from tests.oracles_lrscore import off_diagonal, unaligned
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError
from wordorder.metrics.compat import PRESETS, evaluate_compat
from wordorder.order.orders import Orders

LENGTHS = [0, 1, 1, 2, 2, 3, 5, 8, 20, 63, 64, 65]
Row = tuple[list[tuple[int, int]], list[int]]

# Those that look at orders and a reference.
OF_ORDERS = [name for name, preset in PRESETS.items() if not preset.links_of_systems]


def corpus(seed: int) -> list[Row]:
    """Make links and a system's order of sentences of all kinds."""
    rng = random.Random(seed)
    rows = []
    for words in LENGTHS * 6:
        share = rng.choice([0.0, 0.7, 1.0, 1.5]) if words else 0.0
        links = sorted(
            {
                (s := rng.randrange(words), max(0, s + rng.randint(-3, 3)))
                for _ in range(round(share * words))
            }
        )
        order = list(range(words))
        if rng.random() < 0.7:
            order.sort(key=lambda word: word + rng.choice([0, 0, 3.5]))
        rows.append((links, order))
    return rows


def columns(rows: list[Row]) -> tuple[Alignments, list[list[int]], list[int]]:
    links = Alignments.from_rows([links for links, _ in rows])
    return links, [order for _, order in rows], [len(order) for _, order in rows]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("preset", "side"), [("lader", "next"), ("lader-left", "previous")])
def test_lader(seed: int, preset: str, side: str) -> None:
    rows = corpus(seed)
    a, system, lengths = columns(rows)
    found = evaluate_compat(preset, system, a, lengths)
    ranks = [lader_ranks(links, len(order), side) for links, order in rows]
    kept = [len(set(rank)) > 1 for rank in ranks]
    for label, loss_of in (("chunk", chunk_loss), ("tau", tau_loss)):
        losses = [loss_of(order, rank) for (_, order), rank in zip(rows, ranks, strict=True)]
        loss, most = map(sum, zip(*losses, strict=True))
        assert found[label].value == pytest.approx(1 - loss / most, abs=1e-15)
        assert found[label].segments == len(rows)
        assert found[label].skipped == kept.count(False) > 0


def test_lader_looks_for_brackets_among_words(tmp_path: Path) -> None:
    a = Alignments.from_rows([[(0, 1), (2, 0), (4, 2)]])
    words = ["he", "(", "it", ")", "."]
    path = tmp_path / "source.txt"
    path.write_text(" ".join(words) + "\n")
    by_length = evaluate_compat("lader", [[1, 2, 3, 0, 4]], a, [5])
    assert by_length["chunk"].value < 1
    for source in ([words], path, str(path)):
        assert evaluate_compat("lader", [[1, 2, 3, 0, 4]], a, source)["chunk"].value == 1


@pytest.mark.parametrize("seed", range(3))
def test_topdown_btg(seed: int) -> None:
    rows = corpus(seed)
    a, system, lengths = columns(rows)
    found = evaluate_compat("topdown-btg", system, a, lengths)
    values = []
    for links, order in rows:
        ranks = weak_order(spans_of(links, len(order)))
        if ranks is not None:
            values.append(btg_values(order, ranks))
    labels = ["Fuzzy Reordering Score", "Kendall's Tau", "Complete Match"]
    for label, column in zip(labels, zip(*values, strict=True), strict=True):
        assert found[label].value == pytest.approx(sum(column) / len(column), abs=1e-13)
        assert found[label].segments == len(rows)
        assert found[label].skipped == len(rows) - len(values) > 0


def test_topdown_btg_counts_sentences_without_links() -> None:
    a = Alignments.from_rows([[], [(0, 1), (1, 0)]])
    found = evaluate_compat("topdown-btg", None, a, [3, 2])
    # 1 for the first sentence; of the second, both ends and the one pair are wrong.
    assert [(s.value, s.skipped) for s in found.values()] == [(0.5, 0)] * 3


@pytest.mark.parametrize("seed", range(3))
def test_moses(seed: int) -> None:
    theirs, ours = corpus(seed), corpus(seed + 10)
    rng = random.Random(seed)
    a, _, lengths = columns(theirs)
    b, _, _ = columns(ours)
    # None is shorter than its links need.
    ends = [max([9, *(t for _, t in links)]) + 1 for links, _ in ours]
    ours_long = [0 if not links else end for (links, _), end in zip(ours, ends, strict=True)]
    theirs_long = [rng.randint(0, 90) for _ in theirs]
    found = evaluate_compat(
        "moses", b, a, lengths, system_lengths=ours_long, reference_lengths=theirs_long
    )
    values = [
        moses_values(
            moses_ranks(ours[i][0], lengths[i]),
            moses_ranks(theirs[i][0], lengths[i]),
            ours_long[i],
            theirs_long[i],
        )
        for i in range(len(ours))
    ]
    for label, column in zip(("HAMMING", "KENDALL"), zip(*values, strict=True), strict=True):
        assert found[label].value == pytest.approx(sum(column) / len(column), abs=1e-13)
        assert found[label].skipped == 0


def test_moses_by_hand() -> None:
    """Ranks 0 3 4 1 2 against the source as it stands: one word of five in place."""
    a = Alignments.from_rows([[(0, 0), (1, 3), (2, 4), (3, 1), (4, 2)]])
    found = evaluate_compat("moses", None, a, [5])
    assert found["HAMMING"].value == pytest.approx(0.2)
    assert found["KENDALL"].value == pytest.approx(1 - 0.4**0.5)
    # Ranks 0 2 3 1 4 against 0 3 4 1 2, four words against five: e^-.25 times .4 and 1 - sqrt .2;
    # ranks 0 1 2 3 4 and five words have nothing to lose by brevity.
    reference = [(0, 0), (1, 3), (2, 4), (3, 1), (4, 2)]
    theirs = Alignments.from_rows([reference, reference])
    ours = Alignments.from_rows([[(0, 0), (1, 2), (3, 1), (4, 3)], [(i, i) for i in range(5)]])
    found = evaluate_compat(
        "moses", ours, theirs, [5, 5], system_lengths=[4, 5], reference_lengths=[5, 5]
    )
    assert found["HAMMING"].value == pytest.approx((0.7788 * 0.4 + 0.2) / 2, abs=1e-4)
    assert found["KENDALL"].value == pytest.approx(0.3990, abs=1e-4)


def test_moses_takes_lengths_from_the_alignments() -> None:
    given: dict[str, Any] = {"source_lengths": [2]}
    links = [[(0, 0), (1, 1)]]
    short = Alignments(
        np.array([0, 1], np.int32),
        np.array([0, 1], np.int32),
        np.array([0, 2], np.int64),
        target_lengths=[2],
        **given,
    )
    plain = Alignments.from_rows(links)
    found = evaluate_compat("moses", short, plain, [2], reference_lengths=[3])
    assert found["HAMMING"].value == pytest.approx(np.exp(1 - 3 / 2))
    refuses(UsageError, "give reference_lengths", evaluate_compat, "moses", short, plain, [2])
    with pytest.raises(InputError, match="2 lengths for 1 alignments"):
        evaluate_compat("moses", short, plain, [2], reference_lengths=[3, 3])


def test_beer_on_short_sentences() -> None:
    """The table of what BEER 1.1 prints for no word, one word and two words."""
    expected = {
        "KENDALL": (0, 0, 0),
        "HAMMING": (0, 1, 0),
        "SPEARMAN": (0, 0.5, 0),
        "ULAM": (0, 0, 0),
        "FUZZY": (0, 0, 0),
        "abs(PET)": (0, 1, 1),
        "#PETs": (0, 1, 0),
        "MAX": (0, 1, 0),
    }
    for number, links in enumerate([[], [(1, 0)], [(0, 1), (2, 0)]]):
        found = evaluate_compat("beer", None, Alignments.from_rows([links]), [3])
        for label, values in expected.items():
            assert found[label].value == values[number], (label, number)
            assert found[label].skipped == 0
        assert set(found) == {*expected, "PEFrecursive"}


@pytest.mark.parametrize("preset", OF_ORDERS)
def test_every_preset_says_what_it_is(preset: str) -> None:
    a, system, lengths = columns(corpus(5))
    found = evaluate_compat(preset, Orders.from_rows(system), a, lengths)
    assert list(found) == [figure.label for figure in PRESETS[preset].scores]
    for score in found.values():
        fields = dict(score.signature.fields)
        assert fields["compat"] == preset
        assert fields["rule"] == PRESETS[preset].rule
        assert 0 <= score.value <= 1
    assert len({str(score.signature) for score in found.values()}) == len(found)


@pytest.mark.parametrize("preset", OF_ORDERS)
def test_nothing_to_score(preset: str) -> None:
    refuses(InputError, "no segments", evaluate_compat, preset, None, Alignments.from_rows([]), [])


@pytest.mark.parametrize("preset", OF_ORDERS)
def test_a_perfect_order(preset: str) -> None:
    a = Alignments.from_rows([[(i, (i + 2) % 5) for i in range(5)]])
    found = evaluate_compat(preset, [[3, 4, 0, 1, 2]], a, [5])
    assert {score.value for score in found.values()} == {1.0}


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("laser", None, [2]), UsageError, "laser.*lader"),
        (("lader", [[0]], [2]), InputError, "row 1: 1 words; expected the 2 words"),
        (("lader", [[0, 1], [0, 1]], [2]), InputError, "2 against 1 rows"),
        (("lader", None, ["a b"]), InputError, "row 1: 'a b'; expected a sequence of words"),
        (("lader", None, [1]), InputError, "link 1-0"),
        (("lader", Alignments.from_rows([[]]), [2]), UsageError, "compares orders"),
        (("literalness", Alignments.from_rows([[]]), [2]), UsageError, "None instead of a ref"),
    ],
)
def test_errors(arguments: tuple[str, Any, Any], kind: type[Exception], message: str) -> None:
    preset, system, source = arguments
    with pytest.raises(kind, match=message):
        evaluate_compat(preset, system, Alignments.from_rows([[(0, 1), (1, 0)]]), source)


def literal_figures(rows: list[tuple[int, int, list[tuple[int, int]]]]) -> tuple[float, float]:
    """Compute USW and NM as compute_scores.py does, sentence by sentence."""
    free = sum(unaligned(links, source, 0) for source, _, links in rows)
    words = sum(source for source, _, _ in rows)
    means = [off_diagonal(links, *lengths) / len(links) for *lengths, links in rows if links]
    return 100 * free / words, float(100 * sum(means) / len(means))


@pytest.mark.parametrize("seed", range(3))
def test_literalness(seed: int) -> None:
    rng = random.Random(seed)
    rows = []
    for source in LENGTHS:
        target = rng.randint(1, 9)
        pairs = [(s, t) for s in range(source) for t in range(target)]
        rows.append((source, target, rng.sample(pairs, rng.randint(0, min(len(pairs), 12)))))
    links = Alignments.from_rows([links for _, _, links in rows])
    lengths, targets = [row[0] for row in rows], [row[1] for row in rows]
    found = evaluate_compat("literalness", links, None, lengths, system_lengths=targets)
    unaligned, distance = found.values()
    assert (unaligned.value, distance.value) == pytest.approx(literal_figures(rows))
    assert distance.skipped == sum(not links for _, _, links in rows) > 0
    assert "|compat:literalness|" in str(distance.signature)


def test_literalness_refuses_what_does_not_fit() -> None:
    links = Alignments.from_rows([[(0, 0)]])
    refuses(UsageError, "give system_lengths", evaluate_compat, "literalness", links, None, [1])
    with pytest.raises(InputError, match="1 alignments for 2 sentences"):
        evaluate_compat("literalness", links, None, [1, 1], system_lengths=[1])
    with pytest.raises(InputError, match="points past the target"):
        evaluate_compat("literalness", links, None, [1], system_lengths=[0])
    with pytest.raises(UsageError, match="alignment of the source with the reference"):
        evaluate_compat("lader", None, None, [1])


def test_sure_links_alone() -> None:
    first: list[tuple[int, int, bool]] = [(0, 1, True), (1, 0, False), (2, 2, True)]
    links = Alignments.from_rows([first, [(0, 0, False), (1, 1, False)]])
    for preset in OF_ORDERS:
        found = evaluate_compat(preset, None, links, [3, 2], links="sure")
        expected = evaluate_compat(preset, None, links.sure(), [3, 2])
        for label, score in found.items():
            assert score.value == expected[label].value
            assert "|links:sure|" in str(score.signature)
    given = links.sure(), links
    fine, sure = (
        evaluate_compat("literalness", each, None, [3, 2], system_lengths=[3, 2], links=which)
        for each, which in zip(given, ("all", "sure"), strict=True)
    )
    assert [score.value for score in fine.values()] == [score.value for score in sure.values()]
    with pytest.raises(UsageError, match="expected all, sure, or the lowest score"):
        evaluate_compat("lader", None, links, [3, 2], links="some")
