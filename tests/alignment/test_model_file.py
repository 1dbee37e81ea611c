"""Files of models: whole, the same bytes for the same model, and nothing believed unseen."""

import json
import pickle
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.align import ALIGNERS, load_aligner
from wordorder.alignment.statistical.aligner import AgreementAligner, HMMAligner
from wordorder.errors import ModelError, UsageError
from wordorder.text.tensors import write_tensors

SOURCE = ["the house", "the book", "a book", "", "naïve 語"]
TARGET = ["das haus", "das buch", "ein buch", "x", "naiv ことば"]
ABOUT = {"format": "wordorder aligner", "version": 2, "model": "agreement", "spelled": True}
# What the first version wrote had no checksum.
OLD = {**ABOUT, "version": 1}

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


def test_models_of_the_first_version_are_read() -> None:
    """Written by `align --lowercase --save` of 0.1.0 from the texts above."""
    path = Path(__file__).parents[1] / "golden" / "aligner-0.1.0.safetensors"
    found = load_aligner(path)
    assert found.case == "lower"
    shown = found.align(SOURCE, TARGET)
    assert shown == AgreementAligner.train(SOURCE, TARGET).align(SOURCE, TARGET)


def with_tensors(tensors: Tensors, folder: Path, about: dict[str, object] = ABOUT) -> bytes:
    write_tensors(folder / "made.model", about, tensors)
    return (folder / "made.model").read_bytes()


def refused(data: bytes, folder: Path) -> str:
    path = folder / "bad.model"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"bad\.model: ") as error:
        load_aligner(path)
    return str(error.value)


def test_truncated(saved: bytes, tmp_path: Path) -> None:
    for part in range(16):
        refused(saved[: len(saved) * part // 16], tmp_path)
    refused(saved[:-1], tmp_path)
    refused(saved + b"\0", tmp_path)


def test_every_bit_matters(saved: bytes, tmp_path: Path) -> None:
    rng = random.Random(1)
    # The first bits are those of the header, where a model could pass for one of before.
    for place in (*range(8 * 40), *rng.sample(range(8 * len(saved)), 150)):
        data = bytearray(saved)
        data[place // 8] ^= 1 << place % 8
        refused(bytes(data), tmp_path)


def test_other_files(saved: bytes, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
            return Path.touch, (tmp_path / "run",)  # type: ignore[return-value]

    for data in (b"", b"0-0 1-1\n", pickle.dumps(Trap()), saved[8:]):
        refused(data, tmp_path)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("length", [0, 1 << 40, (1 << 63) - 1, (1 << 64) - 1])
def test_lying_header_lengths(length: int, saved: bytes, tmp_path: Path) -> None:
    refused(struct.pack("<Q", length) + saved[8:], tmp_path)


@pytest.mark.parametrize(
    ("change", "value"),
    [("data_offsets", [0, 1 << 50]), ("shape", [1 << 50]), ("shape", []), ("dtype", "I32")],
)
def test_lying_headers(change: str, value: object, saved: bytes, tmp_path: Path) -> None:
    size = struct.unpack("<Q", saved[:8])[0]
    header = json.loads(saved[8 : 8 + size])
    header["forward_null"][change] = value
    text = json.dumps(header).encode()
    refused(struct.pack("<Q", len(text)) + text + saved[8 + size :], tmp_path)


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
    for old, message in (
        (ABOUT, "damaged"),
        ({**OLD, "version": True}, "version True"),
        ({**OLD, "model": 3}, "damaged"),
        ([], "cannot be read"),
    ):
        assert message in refused(save(tensors, {"wordorder": json.dumps(old)}), tmp_path)
    refused(save(tensors), tmp_path)
    refused(save(tensors, {"wordorder": "[" * 100_000}), tmp_path)


def wrong(key: str, place: int, value: float) -> Callable[[Tensors], None]:
    def change(tensors: Tensors) -> None:
        tensors[key][place] = value

    return change


def short(key: str) -> Callable[[Tensors], None]:
    def change(tensors: Tensors) -> None:
        tensors[key] = tensors[key][:-1]

    return change


def missing(tensors: Tensors) -> None:
    del tensors["forward_null"]


def swapped(tensors: Tensors) -> None:
    tensors["pair_source"] = tensors["pair_source"][::-1].copy()


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
        (short("forward_pairs"), "another type or size"),
        (short("backward_jumps"), "another type or size"),
        (short("word_ends"), "another type or size"),
        (missing, "not the tensors"),
        (swapped, "not in order"),
        (twice, "is listed twice"),
    ],
)
def test_damaged_numbers(
    change: Callable[[Tensors], None], message: str, saved: bytes, tmp_path: Path
) -> None:
    tensors = {key: value.copy() for key, value in load(saved).items()}
    change(tensors)
    assert message in refused(with_tensors(tensors, tmp_path), tmp_path)
    assert message in refused(save(tensors, {"wordorder": json.dumps(OLD)}), tmp_path)


@pytest.mark.parametrize("key", ["pairs", "totals", "null", "jumps"])
@pytest.mark.parametrize("value", [1e308, 2.0**53, 1e-30, 5e-324, 0.0])
def test_absurd_numbers_are_refused_or_do_no_harm(
    key: str, value: float, saved: bytes, tmp_path: Path
) -> None:
    tensors = {name: tensor.copy() for name, tensor in load(saved).items()}
    for direction in ("forward", "backward"):
        tensors[f"{direction}_{key}"][:] = value
    path = tmp_path / "a.model"
    path.write_bytes(with_tensors(tensors, tmp_path))
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
