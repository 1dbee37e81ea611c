"""A translation model: phrases, language model, words, and how its source is put in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.ragged import Ragged
from wordorder.text.opening import Path
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import number_lines
from wordorder.translation.features import DEFAULT_WEIGHTS
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.phrase_table import PhraseTable
from wordorder.translation.preordering import Preordering

DEFAULT_WINDOW = 4
# The number of any source word that the model does not know.
UNKNOWN = 0


@dataclass(frozen=True, eq=False)
class TranslationModel:
    """All that a decoder needs, in one file.

    Parameters
    ----------
    phrases : PhraseTable
        Its target words have the numbers that the language model gives them.
    language_model : LanguageModel
    source_words : sequence of str
        By number; number 0 is for words that the model does not know.
    weights : sequence of float
        The weight of each of `wordorder.translation.features.FEATURES`.
    window : int
        How many words the decoder may jump over unless it is told otherwise.
    case : {"keep", "lower"}
        Whether all text is put in lower case before it is translated; after it is put in order,
        since parsers look at capitals.
    preordering : Preordering, optional
        What puts source sentences in order before they are translated.
    about : dict
        What it was trained on and how, as JSON can hold it.
    """

    phrases: PhraseTable
    language_model: LanguageModel
    source_words: Sequence[str]
    weights: Sequence[float] = DEFAULT_WEIGHTS
    window: int = DEFAULT_WINDOW
    case: str = "keep"
    preordering: Preordering | None = None
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def target_words(self) -> Sequence[str]:
        """The target words by number, which the language model shares."""
        return self.language_model.words

    @cached_property
    def source_numbers(self) -> dict[str, int]:
        """The number of each source word."""
        return {word: number for number, word in enumerate(self.source_words) if number != UNKNOWN}

    def number(self, lines: RawLines) -> Ragged:
        """Return source lines, in the case and order of the model, as rows of word numbers.

        Words that the model does not know have the number 0.
        """
        rows, found = number_lines(lines)
        numbers = self.source_numbers
        known = np.array([numbers.get(word, UNKNOWN) for word in found.words], np.int32)
        return Ragged(known[rows.values], rows.offsets)

    def save(self, path: Path) -> None:
        """Write the model to a file, whole or not at all; the same model gives the same bytes.

        Raises
        ------
        UsageError
            If the file cannot be created.
        InputError
            If it cannot be written to its end.
        """
        from wordorder.translation.model_file import write_model

        write_model(path, self)

    @classmethod
    def load(cls, path: Path) -> TranslationModel:
        """Read a model that `save` wrote; its arrays stay in the file until they are looked at.

        Raises
        ------
        UsageError
            If there is no such file.
        ModelError
            If the file is no translation model, or damaged.
        """
        from wordorder.translation.model_file import read_model

        return read_model(path)

    def __repr__(self) -> str:
        order = f", order {self.preordering.name}" if self.preordering else ""
        return (
            f"TranslationModel({self.phrases.entries} phrase pairs, language model of order "
            f"{self.language_model.order}, window {self.window}{order})"
        )

    def _repr_html_(self) -> str:
        from wordorder.drawing.table_html import table_html
        from wordorder.translation.features import FEATURES

        rows = [[name, f"{each:.4f}"] for name, each in zip(FEATURES, self.weights, strict=True)]
        return table_html(repr(self), ["feature", "weight"], rows)


def load_translation_model(path: Path) -> TranslationModel:
    """Read a model that `wordorder train translation` wrote; see `TranslationModel.load`."""
    return TranslationModel.load(path)
