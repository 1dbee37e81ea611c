"""The decoder: lines of text in, translations out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import number_lines
from wordorder.translation.derivations import Derivations, spread
from wordorder.translation.phrase_search import BEAM, PhraseSearch
from wordorder.translation.special_words import SPECIAL
from wordorder.translation.translated import Translated
from wordorder.types import Bool, Float64, Int32, Int64

if TYPE_CHECKING:
    from wordorder.translation.model import TranslationModel


class Decoder:
    """Translates lines by a phrase-based model.

    Parameters
    ----------
    model : TranslationModel
    weights : float64[15], optional
        One for each of `wordorder.translation.features.FEATURES`; without them the model's.
    window : int, optional
        How many words may be jumped over between two phrases, 0 to keep their order; the words
        that were left free must stay within reach. Without it the model's. At most 63 count.
    beam : int
        Hypotheses that are kept for each number of translated words.
    nbest : int
        Translations of a line at most, all different.

    Raises
    ------
    UsageError
        If a number is out of its range.

    Notes
    -----
    Stack decoding (Koehn, Och & Marcu 2003) with a threshold (Koehn 2004): hypotheses far below the
    best of their stack are dropped. Lists are taken from the lattice, the best derivation first
    (Huang & Chiang 2005), and are exact but for what the beam lost. The distance feature is as
    Moses has it: each phrase counts the words between it and the end of the phrase before; the end
    of the sentence does not count. Time and memory grow with the length of a line, by about 70
    kilobytes a word with the beam of 40 and a window of 4.
    """

    def __init__(
        self,
        model: TranslationModel,
        *,
        weights: Sequence[float] | Float64 | None = None,
        window: int | None = None,
        beam: int = BEAM,
        nbest: int = 1,
    ) -> None:
        self.model = model
        self.search = PhraseSearch(
            model.phrases,
            model.language_model,
            np.array(model.weights if weights is None else weights, np.float64),
            model.window if window is None else window,
            beam,
            nbest,
        )

    def translate(
        self, lines: RawLines | Sequence[str], orders: Orders | None = None
    ) -> Translated:
        """Translate lines, words separated by blanks.

        Parameters
        ----------
        lines : lines
        orders : Orders, optional
            The order of the words of each line; needed if the model puts them in order, which
            ``model.preordering.begin(name).orders(lines)`` does.

        Returns
        -------
        Translated
        """
        if not isinstance(lines, RawLines):
            lines = RawLines.from_strings(list(lines), "lines")
        rows, vocabulary = number_lines(lines)
        words = vocabulary.words
        if self.model.case == "lower":
            words = [word.lower() for word in words]
        positions = None
        values = rows.values
        if orders is not None:
            positions = orders.positions.values
            values = values[positions + np.repeat(rows.offsets[:-1], rows.lengths)]
        known, copied = self._numbers(words)
        numbers = Ragged(known[values], rows.offsets)
        found = self.search.find(numbers, copied[values])
        table = self.model.phrases
        counts = _counts(table.target_offsets, found.entry)
        return Translated(
            len(rows),
            found.sentence,
            self._texts(found, counts, values + len(self.model.target_words), rows.offsets, words),
            self._links(found, counts, positions, rows.offsets),
            found.features,
            found.scores,
            len(values),
            int(np.count_nonzero(numbers.values == 0)),
            int(np.count_nonzero(self._capitals(words, known)[values])),
        )

    def _numbers(self, words: list[str]) -> tuple[Int32, Int32]:
        """Return the number of each source word, and the target word that a copy of it is.

        The latter is below 0 for a word that the language model does not know.
        """
        source, target = self.model.source_numbers, self.model.language_model.numbers
        known = np.array([source.get(word, 0) for word in words], np.int32)
        others: dict[str, int] = {}
        copies = []
        for word in words:
            number = target.get(word, 0)
            if number < len(SPECIAL):
                number = others.setdefault(word, -1 - len(others))
            copies.append(number)
        return known, np.array(copies, np.int32)

    def _capitals(self, words: list[str], known: Int32) -> Bool:
        """Return which words are known in lower case only."""
        source = self.model.source_numbers
        lower = [
            number == 0 and word.lower() in source
            for word, number in zip(words, known.tolist(), strict=True)
        ]
        return np.array(lower, np.bool_)

    def _texts(
        self, found: Derivations, counts: Int64, copies: Int32, offsets: Int64, words: list[str]
    ) -> tuple[str, ...]:
        """Return the text of each translation.

        A target word has its own number; source word `i` of these lines comes behind all of them.
        """
        table, known = self.model.phrases, self.model.target_words
        copied = found.entry < 0
        starts = np.where(copied, 0, table.target_offsets[found.entry])
        places = spread(starts, counts)
        numbers = table.target_words[places] if len(table.target_words) else places
        sentence = np.repeat(found.sentence, np.diff(found.offsets))[copied]
        ends = np.cumsum(counts)
        numbers[ends[copied] - 1] = copies[offsets[sentence] + found.start[copied]]
        size = len(known)
        said = [known[n] if n < size else words[n - size] for n in numbers.tolist()]
        bounds = np.concatenate([np.zeros(1, np.int64), ends])[found.offsets].tolist()
        return tuple(" ".join(said[a:b]) for a, b in pairwise(bounds))

    def _links(
        self, found: Derivations, counts: Int64, positions: Int32 | None, offsets: Int64
    ) -> Alignments:
        """Return the links of each translation, with source positions as they were given."""
        table = self.model.phrases
        phrases = np.diff(found.offsets)
        copied = found.entry < 0
        links = _counts(table.link_offsets, found.entry)
        places = spread(np.where(copied, 0, table.link_offsets[found.entry]), links)
        inside = table.links[places] if len(table.links) else np.zeros((len(places), 2), np.int32)
        inside[np.repeat(copied, links)] = 0
        # Where each phrase begins in its translation.
        begins = np.cumsum(counts) - counts
        firsts = np.append(begins, 0)[np.minimum(found.offsets[:-1], len(begins))]
        begins = begins - np.repeat(firsts, phrases)
        source = inside[:, 0] + np.repeat(found.start, links)
        target = (inside[:, 1] + np.repeat(begins, links)).astype(np.int32)
        translation = np.repeat(np.repeat(np.arange(len(found)), phrases), links)
        if positions is not None:
            source = positions[offsets[found.sentence[translation]] + source]
        order = np.lexsort((target, source, translation))
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(links)])[found.offsets]
        return Alignments(source[order], target[order], ends)


def _counts(offsets: Int64, entries: Int64) -> Int64:
    """Return how many words, or links, an entry has; a copied word, entry -1, has one."""
    if len(offsets) < 2:
        return np.ones(len(entries), np.int64)
    return np.where(entries < 0, 1, np.diff(offsets)[entries])
