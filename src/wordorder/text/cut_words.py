"""Texts cut into the words of another tokenizer than their own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordorder.ragged import Ragged
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary, number_lines

Cutter = Callable[[RawLines], RawLines]


def cut_words(texts: Texts, cutter: Cutter, *, lowercase: bool) -> Texts:
    """Return texts as a tokenizer cuts them that never looks beyond a blank or a tab.

    It sees each word of the vocabulary once, for the texts of all systems that share it.

    Parameters
    ----------
    texts : Texts
    cutter : function
        Puts blanks between the words of lines.
    lowercase : bool
        Whether to cut the lines in lower case.

    Examples
    --------
    >>> from wordorder.text.tokenizers import mteval_words
    >>> cut = cut_words(Texts.from_segments(["No, no."], ["No!"]), mteval_words, lowercase=True)
    >>> cut.words_of(cut.hypothesis), cut.words_of(cut.references)
    ([['no', ',', 'no', '.']], [['no', '!']])
    """
    return texts.derived(("cut", cutter, lowercase), lambda: _cut(texts.uncut(), cutter, lowercase))


def cut_lines(texts: Texts, cutter: Cutter, *, lowercase: bool) -> Texts:
    """Return texts as any tokenizer cuts their lines; the arguments are those of `cut_words`."""
    lines = RawLines.concatenate([texts.hypothesis_raw, texts.reference_raw])
    rows, vocabulary = number_lines(cutter(lines.lower() if lowercase else lines))
    cut = len(texts)
    return Texts(rows[:cut], rows[cut:], texts.reference_offsets, None, vocabulary)


def _cut(texts: Texts, cutter: Cutter, lowercase: bool) -> Texts:
    known = texts.vocabulary

    def parts_of_words() -> tuple[Ragged, Vocabulary]:
        return number_lines(cutter(known.raw.lower() if lowercase else known.raw))

    parts, vocabulary = known.derived(("cut", cutter, lowercase), parts_of_words)
    columns = []
    for column in (texts.hypothesis, texts.references):
        cut = parts.take(column.values.astype(np.int64))
        columns.append(Ragged(cut.values, cut.offsets[column.offsets]))
    return Texts(columns[0], columns[1], texts.reference_offsets, None, vocabulary)
