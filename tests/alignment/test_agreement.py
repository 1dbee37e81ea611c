"""What the models link, on made-up languages whose right links are known; files of models."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import load, save
from tests.files import written
from tests.oracles_aligners import Numbers, Sums, all_alignments, chain, trained
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.statistical.align import ALIGNERS, align, load_aligner
from wordorder.alignment.statistical.aligner import (
    AgreementAligner,
    HMMAligner,
    IBMModel1,
    StatisticalAligner,
)
from wordorder.alignment.statistical.parallel_text import ParallelText
from wordorder.alignment.statistical.training import (
    MAX_JUMP,
    DirectionModel,
    LexiconMapping,
    compute_posteriors,
    compute_probabilities,
)
from wordorder.arrays import Ragged
from wordorder.errors import ModelError, UsageError
from wordorder.text.tensors import write_tensors

Links = set[tuple[int, int]]


def made_up(rng: random.Random, pairs: int, words: int) -> tuple[list[str], list[str], list[Links]]:
    """Translate random sentences word by word, and turn some stretches round.

    Some words are frequent and most are rare; none is listed twice in a sentence.
    """
    source, target, links = [], [], []
    for _ in range(pairs):
        draws = [int(words * rng.random() ** 3) for _ in range(rng.randint(4, 14))]
        numbers = list(dict.fromkeys(draws))
        order = list(range(len(numbers)))
        start = rng.randrange(len(order))
        order[start : start + 3] = reversed(order[start : start + 3])
        source.append(" ".join(f"s{n}" for n in numbers))
        target.append(" ".join(f"{numbers[i]}t" for i in order))
        links.append({(i, place) for place, i in enumerate(order)})
    return source, target, links


def error_rate(found: wo.Alignments, right: list[Links]) -> float:
    both = sum(len(set(row.links) & gold) for row, gold in zip(found, right, strict=True))
    return 1 - 2 * both / (len(found.source) + sum(map(len, right)))


def test_words_that_stand_once() -> None:
    source, target, right = made_up(random.Random(1), 300, 400)
    rates = {m: error_rate(align(source, target, model=m), right) for m in ALIGNERS.built_in}
    assert rates["agreement"] < 0.01
    assert rates["ibm1"] < 0.01
    assert rates["hmm"] < 0.2


def test_words_that_stand_often_need_their_order() -> None:
    """A particle behind each word, on both sides: only its neighbour tells which is which."""
    source, target, right = made_up(random.Random(1), 300, 400)
    with_particles = [
        [" ".join(f"{word} {particle}" for word in row.split()) for row in side]
        for side, particle in ((source, "no"), (target, "de"))
    ]
    links = [{(2 * s + k, 2 * t + k) for s, t in row for k in (0, 1)} for row in right]
    rates = {m: error_rate(align(*with_particles, model=m), links) for m in ALIGNERS.built_in}
    assert rates["agreement"] < 0.12
    assert rates["agreement"] < rates["hmm"] < rates["ibm1"]


def test_more_text_helps() -> None:
    source, target, right = made_up(random.Random(2), 600, 400)
    few = error_rate(align(source[:60], target[:60]), right[:60])
    many = error_rate(align(source, target)[:60], right[:60])
    assert many < few


def test_letters_help_where_there_is_little_text() -> None:
    """Twenty pairs whose words begin alike on both sides, against the same without letters."""
    source, target, right = made_up(random.Random(3), 20, 900)
    cognates = [" ".join(f"{w[1:].zfill(4)}" for w in row.split()) for row in source]
    related = [" ".join(f"{w[:-1].zfill(4)}en" for w in row.split()) for row in target]
    with_letters = error_rate(align(cognates, related), right)
    assert with_letters < 0.2 * error_rate(align(source, target), right)


def test_numbers_have_no_letters() -> None:
    """The same text as rows of word numbers: no word begins like another."""
    source, target, right = made_up(random.Random(4), 100, 50)
    numbers = [
        wo.Ragged.from_rows([[int(w.strip("st")) + shift for w in row.split()] for row in side])
        for side, shift in ((source, 0), (target, 1000))
    ]
    found = align(*numbers)
    assert error_rate(found, right) < 0.05


def test_a_model_aligns_other_text() -> None:
    source, target, right = made_up(random.Random(5), 400, 60)
    model = AgreementAligner.train(source[:300], target[:300])
    assert error_rate(model.align(source[300:], target[300:]), right[300:]) < 0.01


def test_unknown_words() -> None:
    """An unknown word that stands on both sides is linked to itself, others perhaps to nothing."""
    source, target, _ = made_up(random.Random(6), 50, 20)
    model = AgreementAligner.train(source, target)
    found = model.align(["s1 Nikolaus", "neu", ""], ["1t nikolaus", "", "neu"])
    assert set(found[0].links) == {(0, 0), (1, 1)}
    assert found[1].links == found[2].links == ()


def test_kind_of_text() -> None:
    model = AgreementAligner.train(["a b"], ["x y"])
    numbers = wo.Ragged.from_rows([[1, 2]])
    with pytest.raises(wo.WordOrderError, match="trained on words, the text to align is word num"):
        model.align(numbers, numbers)


# -- Model 1 and the training of all models against words counted in dictionaries.


WORDS = ["a", "House", "houses", "housing", "house", "b", "maison", "Maisons", "c", "2"]
MODELS = {
    IBMModel1: (Numbers(False, 0.05, 0.001), 0),
    HMMAligner: (Numbers(False, 0.2, 0.001), 5),
    AgreementAligner: (Numbers(True, 0.1, 1e-8, 0.3, 0.1, 3.0), 3),
}


def sentences(rng: random.Random, lengths: list[int]) -> list[list[str]]:
    return [rng.choices(WORDS, k=length) for length in lengths]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("iterations", [1, 3])
def test_training(kind: type[StatisticalAligner], iterations: int) -> None:
    rng = random.Random(iterations)
    source = sentences(rng, [3, 1, 2, 4, 3, 4, 1, 2])
    target = sentences(rng, [2, 1, 4, 3, 3, 1, 4, 2])
    numbers, warm_up = MODELS[kind]
    jumping = [False] * warm_up + [kind.settings.jumps] * iterations
    expected = trained(source, target, jumping, numbers)
    model = kind.train(source, target, iterations=iterations)
    text = ParallelText.from_rows(source, target)
    known = LexiconMapping.of_text(model.lexicon, text, kind.settings)
    (block,) = text.blocks()
    for transposed, counts in enumerate((model.forward, model.backward)):
        side = compute_probabilities(
            model.lexicon, counts, known, bool(transposed), kind.settings, jumps=kind.settings.jumps
        )
        found = compute_posteriors(block, side)
        cells = [s.cells.T if transposed else s.cells for s in expected[transposed]]
        # Pairs that count next to nothing are not kept.
        nulls = [s.null for s in expected[transposed]]
        for own, right in ((found.cells, [c.ravel() for c in cells]), (found.null, nulls)):
            np.testing.assert_allclose(own, np.concatenate(right), rtol=1e-4, atol=1e-5)


def test_one_known_pass() -> None:
    """By hand: after a pass over 'a b / x' and 'a / x', a is the source of x three times in four.

    Each source word of the first pair gets half of what the null word leaves, and a all of the
    second.
    """
    model = IBMModel1.train(["a b", "a"], ["x", "x"], iterations=1)
    words = model.lexicon.words
    pairs = {
        (words[s], words[t]): count
        for s, t, count in zip(
            model.lexicon.pair_source, model.lexicon.pair_target, model.forward.pairs, strict=True
        )
    }
    assert pairs[("a", "x")] == pytest.approx(0.001 + 0.95 / 2 + 0.95)
    assert pairs[("b", "x")] == pytest.approx(0.001 + 0.95 / 2)
    assert model.forward.null[words.index("x")] == pytest.approx(0.1)


# -- The hidden Markov model against all alignments one by one, and against dense recursions.


Oracle = Callable[
    [npt.NDArray[np.float64], npt.NDArray[np.float64], float, Callable[[int], float]], Sums
]


def check(lengths: list[tuple[int, int]], transposed: bool, oracle: Oracle) -> None:
    """Compare all posteriors and jumps of sentence pairs of some lengths, with random numbers."""
    rng = np.random.default_rng(sum(map(sum, lengths)) + transposed)
    sides = [Ragged.from_rows([rng.integers(0, 9, pair[d]) for pair in lengths]) for d in (0, 1)]
    text = ParallelText.from_rows(*sides)
    words = len(text.words)
    translation = rng.random(len(text.pair_source)) ** 4 + 1e-9
    null = rng.random(words)
    jumps = rng.random(2 * MAX_JUMP + 1) + 0.01
    (block,) = text.blocks()
    found = compute_posteriors(block, DirectionModel(transposed, translation, null, jumps, 0.2))

    def weight(width: int) -> float:
        return float(jumps[MAX_JUMP + min(max(width, -MAX_JUMP), MAX_JUMP)])

    expected_jumps = np.zeros(2 * MAX_JUMP + 1)
    cell = token = 0
    for row, (source, target) in enumerate(lengths):
        size = source * target
        cells = slice(cell, cell + size)
        emission = translation[block.pair[cells]].reshape(source, target)
        own = found.cells[cells].reshape(source, target)
        words_here = block.target[row]
        if transposed:
            emission, own, words_here = emission.T, own.T, block.source[row]
        nulls = found.null[token : token + len(words_here)]
        cell += size
        token += len(words_here)
        if size == 0:
            assert np.all(nulls == 1.0)
            continue
        expected = oracle(emission, null[words_here], 0.2, weight)
        np.testing.assert_allclose(own, expected.cells, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nulls, expected.null, rtol=1e-9, atol=1e-12)
        for width, times in expected.jumps.items():
            expected_jumps[MAX_JUMP + min(max(width, -MAX_JUMP), MAX_JUMP)] += times
    np.testing.assert_allclose(found.jumps, expected_jumps, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("transposed", [False, True])
def test_every_alignment_of_short_sentences(transposed: bool) -> None:
    lengths = [(s, t) for s in range(5) for t in range(5)]
    check(lengths, transposed, all_alignments)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 99, 100, 101, 201])
def test_long_sentences(length: int, transposed: bool) -> None:
    check([(length, 7), (3, length), (length, 20)], transposed, chain)


def test_hardly_possible_sentences_stay_numbers() -> None:
    """Two hundred tokens that no state explains: sums of 1 all the same."""
    text = ParallelText.from_rows(["a b c"], [" ".join(["x"] * 200)])
    (block,) = text.blocks()
    least = np.full(len(text.pair_source), 1e-30)
    jumps = np.full(2 * MAX_JUMP + 1, 0.5)
    found = compute_posteriors(
        block, DirectionModel(False, least, np.full(len(text.words), 1e-30), jumps, 0.2)
    )
    sums = found.cells.reshape(3, 200).sum(0) + found.null
    np.testing.assert_allclose(sums, 1.0, rtol=1e-12)


# -- Files of models: whole, the same for the same model, nothing believed unseen. -----------------


SOURCE = ["the house", "the book", "a book", "", "naïve 語"]
TARGET = ["das haus", "das buch", "ein buch", "x", "naiv ことば"]
ABOUT = {"format": "wordorder aligner", "version": 2, "model": "agreement", "spelled": True}

Tensors = dict[str, Any]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "a.model"
    AgreementAligner.train(SOURCE, TARGET).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("name", ALIGNERS.built_in)
def test_round_trip(name: str, tmp_path: Path) -> None:
    model = ALIGNERS.load(name).train(SOURCE, TARGET)
    model.save(tmp_path / "a")
    again = load_aligner(tmp_path / "a")
    again.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert again.name == name
    assert again.align(SOURCE, TARGET) == model.align(SOURCE, TARGET)
    assert again.align(TARGET, SOURCE) == model.align(TARGET, SOURCE)
    assert type(again).load(tmp_path / "a").name == name


def test_numbers_and_odd_words_survive(tmp_path: Path) -> None:
    numbers = wo.Ragged.from_rows([[7, -3], [7]])
    for source, target in ((numbers, numbers), ([["a b", "\ud800", ""]], [["\n", "c"]])):
        model = AgreementAligner.train(source, target)
        model.save(tmp_path / "a")
        again = load_aligner(tmp_path / "a")
        assert again.lexicon.words == model.lexicon.words
        assert again.align(source, target) == model.align(source, target)


def with_tensors(tensors: Tensors, folder: Path, about: dict[str, object] = ABOUT) -> bytes:
    write_tensors(folder / "made.model", about, tensors)
    return (folder / "made.model").read_bytes()


def refused(data: bytes, folder: Path) -> str:
    path = written(folder, data, "bad.model")
    with pytest.raises(ModelError, match=r"bad\.model: ") as error:
        load_aligner(path)
    return str(error.value)


def test_every_bit_matters(saved: bytes, tmp_path: Path) -> None:
    rng = random.Random(1)
    for place in (*range(8 * 40), *rng.sample(range(8 * len(saved)), 150)):
        data = bytearray(saved)
        data[place // 8] ^= 1 << place % 8
        refused(bytes(data), tmp_path)


def test_lying_descriptions(saved: bytes, tmp_path: Path) -> None:
    tensors = load(saved)
    for about, message in (
        ({**ABOUT, "format": "x"}, "not a file of the format wordorder aligner"),
        ({**ABOUT, "version": 3}, "version 3"),
        ({**ABOUT, "version": True}, "version True"),
        ({**ABOUT, "version": 1.0}, "version 1.0"),
        ({**ABOUT, "model": 3}, "damaged"),
        ({**ABOUT, "spelled": "yes"}, "damaged"),
    ):
        assert message in refused(with_tensors(tensors, tmp_path, about), tmp_path)
    # Without a checksum.
    bare: list[tuple[object, str]] = [(ABOUT, "not what was written"), ([], "cannot be read")]
    for header, message in bare:
        assert message in refused(save(tensors, {"wordorder": json.dumps(header)}), tmp_path)
    refused(save(tensors), tmp_path)
    refused(save(tensors, {"wordorder": "[" * 100_000}), tmp_path)


def wrong(key: str, place: int, value: float) -> Callable[[Tensors], object]:
    return lambda tensors: tensors[key].__setitem__(place, value)


def other(key: str, changed: Callable[[Any], Any]) -> Callable[[Tensors], object]:
    return lambda tensors: tensors.update({key: changed(tensors[key])})


def twice(tensors: Tensors) -> None:
    """Make the second word a copy of the first."""
    letters = tensors["words"].tobytes()
    ends = tensors["word_ends"]
    first = letters[: ends[0]]
    tensors["words"] = np.frombuffer(first + first + letters[ends[1] :], np.uint8)
    ends[1:] += 2 * ends[0] - ends[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (wrong("forward_pairs", 0, np.nan), "no count"),
        (wrong("backward_jumps", 3, np.inf), "no count"),
        (wrong("forward_totals", 0, -1.0), "no count"),
        (wrong("forward_totals", 0, 1e308), "no count"),
        (wrong("backward_jumps", 0, 2.0**53 + 2), "no count"),
        (wrong("target_frequency", 0, 1 << 62), "no count"),
        (wrong("forward_totals", 0, 5e-324), "forward_totals are not the sums"),
        (wrong("backward_totals", -1, 1e-9), "backward_totals are not the sums"),
        (wrong("forward_pairs", 0, 1e9), "forward_totals are not the sums"),
        (wrong("source_frequency", 0, -1), "no count"),
        (wrong("pair_source", -1, 1 << 30), "does not have"),
        (wrong("pair_target", 0, -1), "no count"),
        (wrong("word_ends", -1, 3), "bounds"),
        (wrong("word_ends", 0, -1), "bounds"),
        (wrong("words", 0, 0xFF), "UTF-8"),
        (other("forward_pairs", lambda array: array[:-1]), "another type or size"),
        (other("backward_jumps", lambda array: array[:-1]), "another type or size"),
        (other("word_ends", lambda array: array[:-1]), "another type or size"),
        (lambda tensors: tensors.pop("forward_null"), "not the tensors"),
        (other("pair_source", lambda array: array[::-1].copy()), "not in order"),
        (twice, "is listed twice"),
    ],
)
def test_damaged_numbers(
    change: Callable[[Tensors], object], message: str, saved: bytes, tmp_path: Path
) -> None:
    tensors = {key: value.copy() for key, value in load(saved).items()}
    change(tensors)
    assert message in refused(with_tensors(tensors, tmp_path), tmp_path)


@pytest.mark.parametrize("key", ["pairs", "totals", "null", "jumps"])
@pytest.mark.parametrize("value", [1e308, 2.0**53, 1e-30, 5e-324, 0.0])
def test_absurd_numbers_are_refused_or_do_no_harm(
    key: str, value: float, saved: bytes, tmp_path: Path
) -> None:
    tensors = {name: tensor.copy() for name, tensor in load(saved).items()}
    for direction in ("forward", "backward"):
        tensors[f"{direction}_{key}"][:] = value
    path = written(tmp_path, with_tensors(tensors, tmp_path), "a.model")
    try:
        model = load_aligner(path)
    except ModelError:
        return
    with np.errstate(all="raise", under="ignore"):
        assert len(model.align(SOURCE, TARGET)) == len(SOURCE)


@pytest.mark.parametrize("path", [None, 3, b"a.model"])
def test_what_cannot_name_a_file(path: Any) -> None:
    for call in (load_aligner, HMMAligner.load, HMMAligner.train(["a"], ["b"]).save):
        refuses(UsageError, "expected text or a pathlib", call, path)


def test_other_kind_and_no_file(saved: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(saved)
    refuses(ModelError, "of the kind 'agreement'; expected 'hmm'", HMMAligner.load, tmp_path / "a")
    refuses(UsageError, "no such file", load_aligner, tmp_path / "b")
    refuses(UsageError, "no file", load_aligner, tmp_path)
    write_tensors(tmp_path / "c", {**ABOUT, "model": "of-others"}, load(saved))
    refuses(UsageError, "unknown aligner 'of-others'", load_aligner, tmp_path / "c")
