"""The maximum-entropy reordering model: what it learns from, its optimum, its parts in a model."""

import math
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import approx_fprime, minimize
from tests.oracles_language_models import compiled_model, random_model
from tests.oracles_phrases import consistent_spans
from tests.refusing import refuses
from tests.threads import with_threads
from tests.translation.oracles_decoding import source_odds
from tests.translation.tables import entries, sample_sides
from tests.translation.test_extraction import LinkRows, Rows, aligned_text

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged
from wordorder.errors import ModelError
from wordorder.kernels import learned as kernel
from wordorder.kernels._run import call
from wordorder.samples import sample_path
from wordorder.text.tensors import read_tensors, write_tensors
from wordorder.translation import (
    jumps as module,
    load_translation_model,
    train_translation,
    translate,
)
from wordorder.translation.decoder import PhraseSearch
from wordorder.translation.extraction import WordTranslations, extract_phrase_pairs
from wordorder.translation.jumps import (
    PENALTY,
    JumpFeatures,
    Jumps,
    context_words,
    find_word_classes,
    jump_odds,
    learn_jumps,
    learn_weights,
)
from wordorder.translation.model import FEATURES, MODEL_FORMAT, TranslationModel
from wordorder.translation.phrase_table import PhraseTable, build_phrase_table

pytestmark = pytest.mark.allow_notes

RIGHT, LEFT = 3, 4


def slow_jumps(source: Rows, target: Rows, links: LinkRows, longest: int) -> set[tuple[int, ...]]:
    found: set[tuple[int, ...]] = set()
    words = others = 0
    for f, e, row in zip(source, target, links, strict=True):
        spans = consistent_spans(len(f), len(e), frozenset(row), longest)
        for _, s2, _, t2 in spans:
            further = [t for _, t in row if t > t2]
            if further:
                right = min(s for s, t in row if t == min(further)) > s2
                found.add((words + s2, others + t2, right))
        words, others = words + len(f), others + len(e)
    return found


@settings(max_examples=80, deadline=None)
@given(aligned_text(), st.integers(1, 8))
def test_jumps_are_those_behind_all_phrase_pairs(
    text: tuple[Rows, Rows, LinkRows], longest: int
) -> None:
    sides = Ragged.from_rows(text[0]), Ragged.from_rows(text[1])
    jumps = Jumps.of(*sides, Alignments.from_rows(text[2]), longest)
    found = list(
        zip(jumps.ends.tolist(), jumps.last_words.tolist(), jumps.right.tolist(), strict=True)
    )
    assert len(found) == len(set(found))
    assert set(found) == slow_jumps(*text, longest)


def objective(rows: list[list[int]], classes: list[int]) -> float:
    """Return the sum of log p(class | word before) + log p(word | class) but for a constant."""
    pairs = [(v, classes[w]) for row in rows for v, w in zip([0, *row], row, strict=False)]
    sums = Counter(pairs), Counter(c for _, c in pairs)
    joint, alone = (math.fsum(n * math.log(n) for n in counts.values()) for counts in sums)
    return joint - alone


@pytest.mark.parametrize("seed", range(6))
def test_no_word_is_better_in_another_class(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    rows = [[rng.randint(1, 9) for _ in range(rng.randint(0, 6))] for _ in range(30)]
    monkeypatch.setattr(module, "CLASS_PASSES", 30)
    found = find_word_classes(Ragged.from_rows(rows), 10, 3).tolist()
    best = objective(rows, found)
    for word in range(1, 10):
        for other in range(3):
            moved = [*found[:word], other, *found[word + 1 :]]
            assert objective(rows, moved) <= best + 1e-9


def loss(numbers: Any, right: Any, weights: Any) -> float:
    """Return what maximum entropy minimises."""
    odds = weights[numbers].sum(axis=1)
    return float(
        np.logaddexp(0, np.where(right, -odds, odds)).sum()
        + PENALTY / 2 * (weights[np.unique(numbers)] ** 2).sum()
    )


def some_jumps(seed: int) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    numbers = draw.integers(0, 4, (300, 3)) + np.array([0, 4, 8])
    return numbers.astype(np.int32), draw.random(300) < 1 / (1 + np.exp(2.0 - numbers[:, 0]))


def test_the_gradient_is_that_of_finite_differences() -> None:
    numbers, right = some_jumps(1)
    point = np.random.default_rng(2).normal(size=12)
    weights, large = point.copy(), 1e12
    # After so many squares all steps are alike, and too small to change the gradient.
    call(
        kernel.logistic_pass,
        *(numbers.reshape(-1), 3, np.arange(300), right.astype(float), np.ones(300)),
        *(np.bincount(numbers.reshape(-1)).astype(np.float32), 1e-3, PENALTY, weights),
        *(np.full(12, large), np.zeros(1, np.int64)),
    )
    gradient = (point - weights) * math.sqrt(large) / 1e-3
    expected = approx_fprime(point, lambda x: loss(numbers, right, x), 1e-6)
    assert gradient == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_what_is_learned_is_the_maximum() -> None:
    numbers, right = some_jumps(3)
    found = learn_weights(numbers, right, 12, epochs=200)
    best = minimize(lambda x: loss(numbers, right, x), np.zeros(12))
    assert loss(numbers, right, found) < best.fun * 1.001
    assert found[numbers].sum(axis=1) == pytest.approx(best.x[numbers].sum(axis=1), abs=0.1)
    assert loss(numbers, right, np.zeros(12)) > 1.2 * best.fun
    again, other = (learn_weights(numbers, right, 12, seed=seed) for seed in (0, 1))
    assert again.tolist() == learn_weights(numbers, right, 12).tolist() != other.tolist()


def sample(*, reordering: str = "maxent", **options: Any) -> TranslationModel:
    links = wo.read_alignments(sample_path("alignments.talbot"))
    return train_translation(*sample_sides(), alignments=links, reordering=reordering, **options)


def test_the_parts_of_a_model_are_sums_of_weights() -> None:
    draw = np.random.default_rng(4)
    rows = [draw.integers(1, 6, size=7).tolist() for _ in range(40)]
    source, target = Ragged.from_rows(rows), Ragged.from_rows([[w + 2 for w in r] for r in rows])
    links = Alignments.from_rows([[(i, i) for i in draw.permutation(7)[:5].tolist()] for _ in rows])
    seen = Jumps.of(source, target, links, 3)
    features = JumpFeatures.of(source, target, seen, 6)
    weights = draw.normal(size=int(features.feature_offsets[-1]))
    last = target.values[seen.last_words]
    numbers = features.feature_ids(context_words(source, 6)[seen.ends], last)
    assert len(np.unique(numbers)) < len(weights)
    table = build_phrase_table(
        extract_phrase_pairs(source, target, links, 1), WordTranslations.of(source, target, links)
    )
    of_entries = features.of_entries(weights, table)[:, 0]
    entry = {(f[-1], e[-1]): of_entries[row] for (f, e), row in entries(table).items()}
    of_source = features.of_source(weights)
    odds = jump_odds(of_source, source)[seen.ends]
    slow = [x for row in rows for x in source_odds(of_source.tolist(), row)]
    assert odds == pytest.approx(np.array(slow)[seen.ends])
    compared = 0
    for own, word, other, each in zip(
        odds, source.values[seen.ends].tolist(), last.tolist(), numbers, strict=True
    ):
        if (word, other) in entry:
            assert own + entry[word, other] == pytest.approx(weights[each].sum(), abs=1e-4)
            compared += 1
    assert compared > 50


def test_words_that_always_jump_left_are_learned() -> None:
    """The word 1 is translated after what follows it, all other words are in place."""
    rng = random.Random(5)
    source, target, links = [], [], []
    for _ in range(200):
        row = [rng.randint(2, 6) for _ in range(rng.randint(3, 5))]
        at = rng.randrange(len(row) - 1)
        source.append([*row[:at], 1, *row[at:]])
        order = [*range(at), at + 1, at, *range(at + 2, len(row) + 1)]
        target.append([source[-1][i] + 2 for i in order])
        links.append([(s, t) for t, s in enumerate(order)])
    sides = Ragged.from_rows(source), Ragged.from_rows(target)
    given = Alignments.from_rows(links)
    table = build_phrase_table(
        extract_phrase_pairs(*sides, given, 1), WordTranslations.of(*sides, given)
    )
    jumps, table, size = learn_jumps(*sides, given, table, 7, longest=1)
    assert size == sum(len(row) - 1 for row in source)
    # Behind the word after the 1 the way is to the left, behind all others to the right.
    odds = jump_odds(jumps, Ragged.from_rows([[2, 1, 3, 4, 5]]))
    entry = dict(zip(table.source_words.tolist(), table.reordering[:, 0].tolist(), strict=True))
    found = [x + entry[word] for x, word in zip(odds.tolist(), [2, 1, 3, 4, 5], strict=True)]
    assert found[2] < -2
    assert min(found[1], found[3]) > 2


def test_both_sides_have_the_probability_1_together() -> None:
    """The word in the middle comes first; then the last word, or the first one."""
    draw = np.random.default_rng(6)
    one, words = np.arange(4), np.array([1, 2, 3], np.int32)
    nothing = np.zeros(4, np.int64), np.zeros((0, 2), np.int32)
    reordering = draw.normal(size=(3, 1)).astype(np.float32)
    scores = np.zeros((3, 4), np.float32), reordering
    table = PhraseTable(one, words, one, one, words + 2, *scores, *nothing)
    model = compiled_model(random_model(random.Random(6), 1, list("abc")), list("abc"))
    for _ in range(20):
        jumps = draw.normal(0, 3, (5, 5)).astype(np.float32)
        weights = np.full(len(FEATURES), 0.1)
        search = PhraseSearch(table, model, weights, 4, 100, 100, math.inf, jumps)
        found = search.find(Ragged.from_rows([[1, 2, 3]]), np.zeros(3, np.int32))
        orders = [tuple(row) for row in found.start.reshape(-1, 3).tolist()]
        assert len(orders) == 6
        right = math.exp(found.features[orders.index((1, 2, 0)), RIGHT])
        left = math.exp(found.features[orders.index((1, 0, 2)), LEFT])
        assert right + left == pytest.approx(1, abs=1e-5)
        assert not found.features[:, [0, 1, 2, 5]].any()


def test_it_is_kept_in_the_model_and_the_same_with_any_number_of_threads(tmp_path: Path) -> None:
    lines = sample_sides()[0][:20]

    def work() -> bytes:
        sample(seed=3).save(tmp_path / "a")
        return (tmp_path / "a").read_bytes()

    one, three = with_threads(work)
    assert one == three
    again = load_translation_model(tmp_path / "a")
    assert again.jumps is not None
    assert again.about["reordering"] == "maxent"
    again.save(tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == one
    assert translate(again, lines).lines == translate(sample(seed=3), lines).lines
    assert translate(again, lines).lines != translate(sample(reordering="msd"), lines).lines


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a: a.update(jumps=a["jumps"][1:]), "the reordering model is damaged"),
        (lambda a: a.update(jumps=a["jumps"][:, 1:]), "the reordering model is damaged"),
        (lambda a: a["jumps"].__setitem__(0, np.nan), "the reordering model is damaged"),
        (lambda a: a.pop("jumps"), "reordering is not of the type float32 or has another shape"),
    ],
)
def test_a_damaged_model_is_refused(
    change: Callable[[dict[str, Any]], object], said: str, tmp_path: Path
) -> None:
    sample().save(tmp_path / "a")
    about, arrays = read_tensors(tmp_path / "a", MODEL_FORMAT)
    change(arrays)
    write_tensors(tmp_path / "a", about, arrays)
    refuses(ModelError, said, load_translation_model, tmp_path / "a")
