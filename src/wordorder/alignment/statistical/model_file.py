"""Files of statistical models: safetensors, checked before anything is believed."""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np

from wordorder.alignment.arguments import require_path
from wordorder.alignment.statistical.counts import LEAST, Counts
from wordorder.alignment.statistical.lexicon import Lexicon
from wordorder.alignment.statistical.posteriors import WIDEST_JUMP
from wordorder.errors import ModelError
from wordorder.text.opening import Path
from wordorder.text.preparation import CASES
from wordorder.text.tensors import read_tensors, write_tensors
from wordorder.types import Array

FORMAT = "wordorder aligner"
# Goes up when a file of before would be read differently; files of 1 have no checksum.
VERSION = 2
UNCHECKED = 1
# No text has as many words; sums of such numbers stay finite.
MOST_COUNT = 1 << 53
# How far a sum may be off that was made in another order.
ROUNDING = 1e-6
# The types of the tensors and which of them have equal lengths.
TENSORS = {
    "words": (np.uint8, "letters"),
    "word_ends": (np.int64, "words"),
    "source_frequency": (np.int64, "words"),
    "target_frequency": (np.int64, "words"),
    "pair_source": (np.int32, "pairs"),
    "pair_target": (np.int32, "pairs"),
    **{
        f"{direction}_{name}": (np.float64, length)
        for direction in ("forward", "backward")
        for name, length in (
            ("pairs", "pairs"),
            ("totals", "words"),
            ("null", "words"),
            ("jumps", "jumps"),
        )
    },
}


def write_model(
    path: Path, name: str, lexicon: Lexicon, forward: Counts, backward: Counts, case: str
) -> None:
    """Write a model under the name of its kind; the same model gives the same bytes."""
    require_path(path)
    encoded = [word.encode("utf-8", "surrogatepass") for word in lexicon.words]
    tensors: dict[str, Array] = {
        "words": np.frombuffer(b"".join(encoded), np.uint8),
        "word_ends": np.cumsum(list(map(len, encoded)), dtype=np.int64),
        "source_frequency": lexicon.source_frequency.astype(np.int64),
        "target_frequency": lexicon.target_frequency.astype(np.int64),
        "pair_source": lexicon.pair_source,
        "pair_target": lexicon.pair_target,
    }
    for direction, counts in (("forward", forward), ("backward", backward)):
        for part in ("pairs", "totals", "null", "jumps"):
            tensors[f"{direction}_{part}"] = getattr(counts, part)
    about: dict[str, object] = {"format": FORMAT, "version": VERSION, "model": name}
    about |= {"spelled": lexicon.spelled, "case": case}
    write_tensors(path, about, tensors)


def read_model(path: Path, expected: str | None = None) -> tuple[str, Lexicon, Counts, Counts, str]:
    """Read a model, first the name of its kind, last the case of its text.

    Parameters
    ----------
    path : path
        What `write_model` wrote.
    expected : str, optional
        The kind that it must be.

    Raises
    ------
    UsageError
        If there is no such file, or `path` cannot name one.
    ModelError
        If it is no model, of another kind or version, or if its numbers make no sense.
    """
    require_path(path)
    name = os.fspath(path)
    about, tensors = read_tensors(name, FORMAT, unchecked=UNCHECKED)
    version = about.get("version")
    # True is equal to 1.
    if type(version) is not int or version not in (UNCHECKED, VERSION):
        raise ModelError(f"{name}: version {version!r} of the format; expected {VERSION}")
    kind, spelled = about.get("model"), about.get("spelled")
    case = about.get("case", "keep")
    if not isinstance(kind, str) or not isinstance(spelled, bool) or case not in CASES:
        raise ModelError(f"{name}: the description of the model is damaged")
    if expected is not None and kind != expected:
        raise ModelError(f"{name}: a model of the kind {kind!r}; expected {expected!r}")
    _check_sizes(name, tensors)
    words = _words(name, tensors["words"].tobytes(), tensors["word_ends"])
    _check_numbers(name, tensors, len(words))
    lexicon = Lexicon(
        words,
        spelled,
        tensors["source_frequency"],
        tensors["target_frequency"],
        tensors["pair_source"],
        tensors["pair_target"],
    )
    counts = [
        Counts(*(tensors[f"{direction}_{part}"] for part in ("pairs", "totals", "null", "jumps")))
        for direction in ("forward", "backward")
    ]
    return kind, lexicon, counts[0], counts[1], str(case)


def _check_sizes(name: str, tensors: dict[str, Array]) -> None:
    """Refuse other tensors than a model has, and those of another type or size."""
    if set(tensors) != set(TENSORS):
        raise ModelError(f"{name}: not the tensors of a model; the file is damaged")
    sizes: dict[str, int] = {"jumps": 2 * WIDEST_JUMP + 1}
    for key, (dtype, length) in TENSORS.items():
        tensor = tensors[key]
        wrong = tensor.dtype != dtype or tensor.ndim != 1
        if wrong or sizes.setdefault(length, len(tensor)) != len(tensor):
            raise ModelError(f"{name}: {key} has another type or size than it must have")


def _words(name: str, data: bytes, ends: Array) -> list[str]:
    """Cut the words out of their letters."""
    bounds = [0, *ends.tolist()]
    if bounds[-1] != len(data) or np.any(np.diff(bounds) < 0):
        raise ModelError(f"{name}: the bounds of the words are damaged")
    try:
        words = [
            data[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(bounds)
        ]
    except UnicodeDecodeError:
        raise ModelError(f"{name}: a word is not UTF-8") from None
    if len(set(words)) != len(words):
        raise ModelError(f"{name}: a word is listed twice")
    return words


def _check_numbers(name: str, tensors: dict[str, Array], words: int) -> None:
    """Refuse counts that cannot be, and pairs that are not sorted or of words that are not."""
    for key, values in tensors.items():
        # So written, it also finds what is not a number.
        if not np.all((values >= 0) & (values <= MOST_COUNT)):
            raise ModelError(f"{name}: {key} holds a number that is no count")
    source, target = (tensors[key].astype(np.int64) for key in ("pair_source", "pair_target"))
    if np.any(source >= words) or np.any(target >= words):
        raise ModelError(f"{name}: a pair of a word that the model does not have")
    if np.any(np.diff(source * words + target) <= 0):
        raise ModelError(f"{name}: the pairs are not in order")
    for direction, given in (("forward", source), ("backward", target)):
        totals = tensors[f"{direction}_totals"]
        sums = np.bincount(given, weights=tensors[f"{direction}_pairs"], minlength=words)
        if np.any((totals > 0) & (totals < LEAST)) or np.any(sums > totals * (1 + ROUNDING)):
            raise ModelError(f"{name}: {direction}_totals are not the sums of the counts")
