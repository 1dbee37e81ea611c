"""A translation model: phrase table, language model, vocabularies and preordering of the source."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from wordorder.arrays import Array, Float32, Int64, Ragged
from wordorder.errors import ModelError
from wordorder.text.opening import Path
from wordorder.text.preparation import CASES
from wordorder.text.raw_lines import RawLines
from wordorder.text.tensors import read_tensors, select_arrays, unpacked, write_tensors
from wordorder.text.vocabulary import number_lines
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.phrase_table import PhraseTable

if TYPE_CHECKING:
    from wordorder.translation.preordering import Preordering

DEFAULT_WINDOW = 4

# The id of unknown source words.
UNKNOWN_WORD = 0

# The name, the number of values, and Moses' default weight of each feature group.
# LexicalReordering0: log probabilities of the orientations monotone, swap and discontinuous, first
#   relative to the previous phrase, then to the next one. With a maximum-entropy model, the fourth
#   and fifth are for the next phrase being to the right and to the left; the others are 0.
# Distortion0: minus the number of words that are jumped over between two phrases.
# LM0: log probability of the language model.
# WordPenalty0: minus the number of words of the translation.
# PhrasePenalty0: the number of phrases.
# TranslationModel0: logarithms of φ(f|e), lex(f|e), φ(e|f), lex(e|f).
# UnknownWordPenalty0: minus the number of source words that are copied.
FEATURE_GROUPS: Final = (
    ("LexicalReordering0", 6, 0.3),
    ("Distortion0", 1, 0.3),
    ("LM0", 1, 0.5),
    ("WordPenalty0", 1, -1.0),
    ("PhrasePenalty0", 1, 0.2),
    ("TranslationModel0", 4, 0.2),
    ("UnknownWordPenalty0", 1, 1.0),
)

DEFAULT_WEIGHTS: Final = tuple(weight for _, size, weight in FEATURE_GROUPS for _ in range(size))

MODEL_FORMAT = "wordorder translation"

# Increased whenever the meaning of saved models changes.
MODEL_VERSION = 1

LANGUAGE_MODEL_ARRAYS = ("probability", "backoff", "suffix", "following", "keys", "nodes")

# The arrays of the phrase table: type, and the shape of an entry.
TABLE_ARRAYS = {
    "source_offsets": (np.int64, ()),
    "source_words": (np.int32, ()),
    "entry_offsets": (np.int64, ()),
    "target_offsets": (np.int64, ()),
    "target_words": (np.int32, ()),
    "scores": (np.float32, (4,)),
    "reordering": (np.float32, (6,)),
    "link_offsets": (np.int64, ()),
    "links": (np.int32, (2,)),
}

VOCABULARIES = ("source", "target")

# The array of a maximum-entropy reordering model.
JUMPS_ARRAY = "jumps"

# The names in n-best lists and weight files: LexicalReordering0_0, LexicalReordering0_1, …
FEATURES: Final = tuple(
    f"{name}_{number}" for name, size, _ in FEATURE_GROUPS for number in range(size)
)


@dataclass(frozen=True, eq=False)
class TranslationModel:
    """A phrase-based translation model, stored in one file.

    Parameters
    ----------
    phrases : PhraseTable
        Its target words have the ids of the language model.
    language_model : LanguageModel
    source_words : sequence of str
        The source words by id; id 0 is for unknown words.
    weights : sequence of float
        The weight of each of `wordorder.translation.model.FEATURES`.
    window : int
        The default number of words that the decoder may jump over.
    case : {"keep", "lower"}
        Whether text is converted to lower case before translation, but after preordering, since
        parsers use capitals.
    preordering : Preordering, optional
        Reorders source sentences before they are translated.
    jumps : float32[V+1, 5], optional
        The source weights of a maximum-entropy reordering model: what each source word, from two
        words before the end of a phrase to two after it, adds to the log odds that the next phrase
        is to the right. The last row is the sentence boundary. The other weights are in
        `PhraseTable.reordering`.
    about : dict
        JSON-serialisable metadata about training data and options.
    """

    phrases: PhraseTable
    language_model: LanguageModel
    source_words: Sequence[str]
    weights: Sequence[float] = DEFAULT_WEIGHTS
    window: int = DEFAULT_WINDOW
    case: str = "keep"
    preordering: Preordering | None = None
    about: dict[str, Any] = field(default_factory=dict)
    jumps: Float32 | None = None

    @property
    def target_words(self) -> Sequence[str]:
        """The target words by id, which the language model shares."""
        return self.language_model.words

    @cached_property
    def source_numbers(self) -> dict[str, int]:
        """The id of each source word."""
        return {
            word: number for number, word in enumerate(self.source_words) if number != UNKNOWN_WORD
        }

    def number(self, lines: RawLines) -> Ragged:
        """Convert source lines to rows of word ids; unknown words have the id 0.

        The lines must already have the case and order of the model.
        """
        rows, vocabulary = number_lines(lines)
        numbers = self.source_numbers
        word_numbers = np.array(
            [numbers.get(word, UNKNOWN_WORD) for word in vocabulary.words], np.int32
        )
        return Ragged(word_numbers[rows.values], rows.offsets)

    def save(self, path: Path) -> None:
        """Write the model to a file atomically; the same model gives the same bytes.

        The format is safetensors with a checksum, which is memory-mapped when it is read. The
        arrays are the words (`source.letters` and `.ends`, `target.…`; source word 0 is for unknown
        words, target words 0 to 2 are ``<unk>``, ``<s>``, ``</s>``), and those of the phrase table
        (`phrases.…`), of the language model, of a learned order (`order.…`), and `jumps`. The JSON
        metadata has `order` of the language model, `weights`, `window`, `case`, `preordering` with
        its rules, and `about`.

        Raises
        ------
        UsageError
            If the file cannot be created.
        InputError
            If it cannot be written completely.
        """
        arrays: dict[str, Array] = {
            f"phrases.{name}": getattr(self.phrases, name) for name in TABLE_ARRAYS
        }
        for name in LANGUAGE_MODEL_ARRAYS:
            arrays[f"language_model.{name}"] = getattr(self.language_model, name)
        for side, words in zip(VOCABULARIES, (self.source_words, self.target_words), strict=True):
            lines = RawLines.from_strings(words, surrogates=True)
            arrays[f"{side}.letters"] = np.frombuffer(
                b"".join(word.encode("utf-8", "surrogatepass") for word in words), np.uint8
            )
            arrays[f"{side}.ends"] = np.cumsum(lines.stops - lines.starts, dtype=np.int64)
        if self.jumps is not None:
            arrays[JUMPS_ARRAY] = self.jumps
        order, order_arrays = (None, {}) if self.preordering is None else self.preordering.parts()
        about = {
            "format": MODEL_FORMAT,
            "version": MODEL_VERSION,
            "order": self.language_model.order,
            "weights": list(self.weights),
            "window": self.window,
            "case": self.case,
            "preordering": order,
            "about": self.about,
        }
        write_tensors(path, about, arrays | order_arrays)

    @classmethod
    def load(cls, path: Path) -> TranslationModel:
        """Read a saved model; its arrays are memory-mapped.

        Raises
        ------
        UsageError
            If the file does not exist.
        ModelError
            If the file is not a translation model, or is damaged.
        """
        name = os.fspath(path)
        metadata, arrays = read_tensors(name, MODEL_FORMAT, version=MODEL_VERSION)
        with unpacked(name, "the description of the model"):
            return _build_model(metadata, arrays)

    def __repr__(self) -> str:
        order = f", order {self.preordering.name}" if self.preordering else ""
        return (
            f"TranslationModel({self.phrases.entries} phrase pairs, language model of order "
            f"{self.language_model.order}, window {self.window}{order})"
        )

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import table_html

        rows = [
            [name, f"{weight:.4f}"] for name, weight in zip(FEATURES, self.weights, strict=True)
        ]
        return table_html(repr(self), ["feature", "weight"], rows)


def load_translation_model(path: Path) -> TranslationModel:
    """Read a model of `wordorder train translation`; see `TranslationModel.load`."""
    return TranslationModel.load(path)


def _build_model(metadata: Mapping[str, Any], arrays: Mapping[str, Array]) -> TranslationModel:
    """Build a model from the contents of its file.

    Raises
    ------
    ModelError
        If they are invalid or inconsistent.
    """
    # The file may be damaged or hostile, so everything is checked.
    fields: Any = map(metadata.get, ("weights", "window", "case", "order", "about"))
    weights, window, case, order, about = fields
    if not isinstance(weights, list) or len(weights) != len(FEATURES):
        raise ModelError(f"the weights are damaged; expected {len(FEATURES)} numbers")
    if not all(type(weight) in (int, float) and isfinite(weight) for weight in weights):
        raise ModelError("a weight is not a number")
    has_types = type(window) is int and type(order) is int and type(about) is dict
    if not has_types or window < 0 or case not in CASES:
        raise ModelError("the description of the model is damaged")
    needed = [f"phrases.{key}" for key in TABLE_ARRAYS]
    needed += [f"language_model.{key}" for key in LANGUAGE_MODEL_ARRAYS]
    needed += [f"{side}.{part}" for side in VOCABULARIES for part in ("letters", "ends")]
    if missing := sorted(set(needed) - set(arrays)):
        raise ModelError(f"the file lacks {missing[0]}")
    source, target = (_decode_words(side, arrays) for side in VOCABULARIES)
    table = PhraseTable(**{key: arrays[f"phrases.{key}"] for key in TABLE_ARRAYS})
    jumps = arrays.get(JUMPS_ARRAY)
    if problem := _find_table_fault(table, len(source), len(target), jumps is not None):
        raise ModelError(f"phrase table: {problem}")
    if jumps is not None:
        fits = jumps.dtype == np.float32 and jumps.ndim == 2 and len(jumps) == len(source) + 1
        if not fits or jumps.shape[1] % 2 == 0 or not np.isfinite(jumps).all():
            raise ModelError("the reordering model is damaged")
    preordering = None
    if metadata.get("preordering") is not None:
        if not isinstance(metadata["preordering"], dict):
            raise ModelError("the description of the order is damaged")
        # Imported here because most models have no preordering, and the import is slow.
        from wordorder.translation.preordering import PREFIX, Preordering

        preordering = Preordering.from_parts(metadata["preordering"], select_arrays(arrays, PREFIX))
    language_model = LanguageModel(
        order, target, **{key: arrays[f"language_model.{key}"] for key in LANGUAGE_MODEL_ARRAYS}
    )
    parts = table, language_model, source, weights, window, case, preordering, about
    return TranslationModel(*parts, jumps)


def _decode_words(side: str, arrays: Mapping[str, Array]) -> list[str]:
    """Decode the words of a vocabulary from its arrays."""
    letters, ends = arrays[f"{side}.letters"], arrays[f"{side}.ends"]
    if (
        letters.dtype != np.uint8
        or letters.ndim != 1
        or not _are_valid_offsets(ends, len(letters), first=False)
    ):
        raise ModelError(f"the {side} words are damaged")
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    try:
        words = RawLines(letters, starts, ends).strings(surrogates=True)
    except UnicodeDecodeError:
        raise ModelError(f"a {side} word is not UTF-8") from None
    if any(not word or " " in word or "\t" in word or "\n" in word for word in words):
        raise ModelError(f"a {side} word is empty or has a blank inside")
    return words


def _are_valid_offsets(offsets: Array, size: int, *, first: bool = True) -> bool:
    """Return whether offsets divide `size` values into rows; unless `first`, they omit the 0."""
    if offsets.dtype != np.int64 or offsets.ndim != 1 or not len(offsets):
        return False
    has_start = offsets[0] == 0 if first else offsets[0] >= 0
    return bool(has_start and offsets[-1] == size and (np.diff(offsets) >= 0).all())


def _find_table_fault(table: PhraseTable, source: int, target: int, maxent: bool) -> str:
    """Return a message about the first fault of a table; empty text without a fault.

    A table without fault cannot lead a kernel out of an array.
    """
    arrays = TABLE_ARRAYS | ({"reordering": (np.float32, (1,))} if maxent else {})
    for name, (dtype, shape) in arrays.items():
        array = getattr(table, name)
        if array.dtype != dtype or array.shape[1:] != shape or not array.ndim:
            return f"{name} is not of the type {np.dtype(dtype)} or has another shape"
    entries = len(table.scores)
    sizes: Sequence[tuple[str, Int64, int]] = (
        ("source_offsets", table.source_offsets, len(table.source_words)),
        ("entry_offsets", table.entry_offsets, entries),
        ("target_offsets", table.target_offsets, len(table.target_words)),
        ("link_offsets", table.link_offsets, len(table.links)),
    )
    for name, offsets, size in sizes:
        if not _are_valid_offsets(offsets, size):
            return f"{name} do not cut {size} entries into rows"
    if len(table.source_offsets) != len(table.entry_offsets):
        return "the numbers of source phrases and of groups of entries differ"
    if not len(table.reordering) == entries == len(table.target_offsets) - 1:
        return "the numbers of target phrases and of scores differ"
    if len(table.link_offsets) - 1 != entries:
        return "the numbers of target phrases and of rows of links differ"
    lengths = np.diff(table.source_offsets), np.diff(table.target_offsets)
    if any((side_lengths < 1).any() for side_lengths in lengths):
        return "an empty phrase"
    for name, words, size in (
        ("source", table.source_words, source),
        ("target", table.target_words, target),
    ):
        if (words < 1).any() or (words >= size).any():
            return f"a {name} word without a number"
    if not np.isfinite(table.scores).all() or not np.isfinite(table.reordering).all():
        return "a score is not a number"
    rows = np.repeat(np.arange(entries), np.diff(table.link_offsets))
    source_lengths = np.repeat(lengths[0], np.diff(table.entry_offsets))
    links_inside = (table.links >= 0).all() and (table.links[:, 0] < source_lengths[rows]).all()
    if not links_inside or (table.links[:, 1] >= lengths[1][rows]).any():
        return "a link outside of its phrases"
    if not (np.diff(table.source_words[table.source_offsets[:-1]]) >= 0).all():
        return "the source phrases are not sorted"
    return ""
