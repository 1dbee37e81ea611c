"""Texts split again by another tokenizer than the one they were made with."""

from collections.abc import Callable

import numpy as np

from wordorder.arrays import Bool, Ragged, row_offsets
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary, cut_rows, number_lines

Cutter = Callable[[RawLines], RawLines]
# If no more words than this change, only these are split, and the ids of their parts looked up.
MAX_LOOKUPS = 64


def cut_words(
    texts: Texts,
    cutter: Cutter,
    *,
    lowercase: bool,
    changed: Callable[[RawLines], Bool] | None = None,
) -> Texts:
    """Split texts with a tokenizer that never looks beyond a space or a tab.

    Each word of the vocabulary is split once, for the texts of all systems that share it.

    Parameters
    ----------
    texts : Texts
    cutter : function
        Puts spaces between the words of lines.
    lowercase : bool
        Whether to cut the lines in lower case.
    changed : function, optional
        Returns which words the cutter changes; if they are few, the others are not split.

    Examples
    --------
    >>> from wordorder.text.tokenizers import mteval_words
    >>> cut = cut_words(Texts.from_segments(["No, no."], ["No!"]), mteval_words, lowercase=True)
    >>> cut.words_of(cut.hypothesis), cut.words_of(cut.references)
    ([['no', ',', 'no', '.']], [['no', '!']])
    """
    uncut = texts.uncut()
    if changed is not None:
        vocabulary = uncut.vocabulary
        is_changed = vocabulary.derived(("changed", cutter), lambda: changed(vocabulary.raw))
        changes = np.count_nonzero(is_changed)
        if changes == 0:
            return uncut
        if changes <= MAX_LOOKUPS:
            return texts.derived(("cut", cutter), lambda: _cut_few(uncut, cutter, is_changed))
    return texts.derived(("cut", cutter, lowercase), lambda: _cut(uncut, cutter, lowercase))


def cut_lines(texts: Texts, cutter: Cutter, *, lowercase: bool) -> Texts:
    """Split the lines of texts with any tokenizer; for the arguments see `cut_words`."""
    lines = RawLines.concatenate([texts.hypothesis_raw, texts.reference_raw])
    rows, vocabulary = number_lines(cutter(lines.lower() if lowercase else lines))
    segments = len(texts)
    return Texts(rows[:segments], rows[segments:], texts.reference_offsets, None, vocabulary)


def _cut(texts: Texts, cutter: Cutter, lowercase: bool) -> Texts:
    old_vocabulary = texts.vocabulary

    def parts_of_words() -> tuple[Ragged, Vocabulary]:
        return number_lines(cutter(old_vocabulary.raw.lower() if lowercase else old_vocabulary.raw))

    parts, vocabulary = old_vocabulary.derived(("cut", cutter, lowercase), parts_of_words)
    columns = [cut_rows(column, parts) for column in (texts.hypothesis, texts.references)]
    return Texts(columns[0], columns[1], texts.reference_offsets, None, vocabulary)


def _cut_few(texts: Texts, cutter: Cutter, is_changed: Bool) -> Texts:
    """Split the marked words of the vocabulary; the others keep their ids."""
    old_words = texts.vocabulary.raw
    changed = np.flatnonzero(is_changed)
    parts: list[list[int]] = []
    new_ids: dict[bytes, int] = {}
    for line in cutter(old_words.take(changed)).strings(surrogates=True):
        words = [word.encode("utf-8", "surrogatepass") for word in line.split(" ") if word]
        parts.append([_word_id(old_words, word, new_ids) for word in words])
    columns = []
    for column in (texts.hypothesis, texts.references):
        indices = np.flatnonzero(is_changed[column.values])
        entries = np.searchsorted(changed, column.values[indices])
        pieces, start = [], 0
        for index, entry in zip(indices.tolist(), entries.tolist(), strict=True):
            pieces += [column.values[start:index], np.array(parts[entry], np.int32)]
            start = index + 1
        extra_words = np.array([len(parts[number]) - 1 for number in entries.tolist()], np.int64)
        shifts = row_offsets(extra_words)
        offsets = column.offsets + shifts[np.searchsorted(indices, column.offsets)]
        columns.append(Ragged(np.concatenate([*pieces, column.values[start:]]), offsets))
    added = RawLines.from_strings(
        [word.decode("utf-8", "surrogatepass") for word in new_ids], surrogates=True
    )
    vocabulary = (
        Vocabulary(RawLines.concatenate([old_words, added])) if new_ids else texts.vocabulary
    )
    return Texts(columns[0], columns[1], texts.reference_offsets, None, vocabulary)


def _word_id(words: RawLines, word: bytes, new_ids: dict[bytes, int]) -> int:
    """Return the id of a word; a new word gets the next id."""
    same = np.flatnonzero(words.stops - words.starts == len(word))
    for index, byte in enumerate(word):
        same = same[words.data[words.starts[same] + index] == byte]
    return int(same[0]) if len(same) else new_ids.setdefault(word, len(words) + len(new_ids))
