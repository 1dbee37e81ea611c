"""Texts cut into the words of another tokenizer than their own."""

from collections.abc import Callable

import numpy as np

from wordorder.arrays import Bool, Ragged, row_offsets
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary, cut_rows, number_lines

Cutter = Callable[[RawLines], RawLines]
# So many words are looked up one by one.
FEW_WORDS = 64


def cut_words(
    texts: Texts,
    cutter: Cutter,
    *,
    lowercase: bool,
    changed: Callable[[RawLines], Bool] | None = None,
) -> Texts:
    """Return texts as a tokenizer cuts them that never looks beyond a blank or a tab.

    It sees each word of the vocabulary once, for the texts of all systems that share it.

    Parameters
    ----------
    texts : Texts
    cutter : function
        Puts blanks between the words of lines.
    lowercase : bool
        Whether to cut the lines in lower case.
    changed : function, optional
        Tells which words the cutter changes; where they are few, the others are not cut.

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
        marks = vocabulary.derived(("changed", cutter), lambda: changed(vocabulary.raw))
        number = np.count_nonzero(marks)
        if number == 0:
            return uncut
        if number <= FEW_WORDS:
            return texts.derived(("cut", cutter), lambda: _cut_few(uncut, cutter, marks))
    return texts.derived(("cut", cutter, lowercase), lambda: _cut(uncut, cutter, lowercase))


def cut_lines(texts: Texts, cutter: Cutter, *, lowercase: bool) -> Texts:
    """Split the lines of texts with any tokenizer; for the arguments see `cut_words`."""
    lines = RawLines.concatenate([texts.hypothesis_raw, texts.reference_raw])
    rows, vocabulary = number_lines(cutter(lines.lower() if lowercase else lines))
    cut = len(texts)
    return Texts(rows[:cut], rows[cut:], texts.reference_offsets, None, vocabulary)


def _cut(texts: Texts, cutter: Cutter, lowercase: bool) -> Texts:
    token_list = texts.vocabulary

    def parts_of_words() -> tuple[Ragged, Vocabulary]:
        return number_lines(cutter(token_list.raw.lower() if lowercase else token_list.raw))

    parts, vocabulary = token_list.derived(("cut", cutter, lowercase), parts_of_words)
    columns = [cut_rows(column, parts) for column in (texts.hypothesis, texts.references)]
    return Texts(columns[0], columns[1], texts.reference_offsets, None, vocabulary)


def _cut_few(texts: Texts, cutter: Cutter, marks: Bool) -> Texts:
    """Split the marked words of the vocabulary; the others keep their ids."""
    token_words = texts.vocabulary.raw
    changed = np.flatnonzero(marks)
    parts: list[list[int]] = []
    new: dict[bytes, int] = {}
    for line in cutter(token_words.take(changed)).strings(surrogates=True):
        words = [word.encode("utf-8", "surrogatepass") for word in line.split(" ") if word]
        parts.append([_number(token_words, word, new) for word in words])
    columns = []
    for column in (texts.hypothesis, texts.references):
        places = np.flatnonzero(marks[column.values])
        which = np.searchsorted(changed, column.values[places])
        pieces, begin = [], 0
        for place, number in zip(places.tolist(), which.tolist(), strict=True):
            pieces += [column.values[begin:place], np.array(parts[number], np.int32)]
            begin = place + 1
        longer = np.array([len(parts[number]) - 1 for number in which.tolist()], np.int64)
        shifts = row_offsets(longer)
        offsets = column.offsets + shifts[np.searchsorted(places, column.offsets)]
        columns.append(Ragged(np.concatenate([*pieces, column.values[begin:]]), offsets))
    added = RawLines.from_strings(
        [word.decode("utf-8", "surrogatepass") for word in new], surrogates=True
    )
    vocabulary = Vocabulary(RawLines.concatenate([token_words, added])) if new else texts.vocabulary
    return Texts(columns[0], columns[1], texts.reference_offsets, None, vocabulary)


def _number(known: RawLines, word: bytes, new: dict[bytes, int]) -> int:
    """Return the id of a word; a new word gets the next id."""
    alike = np.flatnonzero(known.stops - known.starts == len(word))
    for index, byte in enumerate(word):
        alike = alike[known.data[known.starts[alike] + index] == byte]
    return int(alike[0]) if len(alike) else new.setdefault(word, len(known) + len(new))
