"""Matching of reordered text to its source: from words to source positions."""

import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from wordorder.arrays import Int32, Ragged, row_and_entry
from wordorder.arrow.inputs import input_rows
from wordorder.errors import InputError, location
from wordorder.order.orders import Orders
from wordorder.text.blocks import quoted
from wordorder.text.lines import tokens
from wordorder.text.lockstep import length_mismatch, take_exactly
from wordorder.text.opening import Closeable, Path
from wordorder.text.raw_lines import RawLines
from wordorder.text.readers import read_words, word_reader

Source = Iterable[Sequence[str]] | Ragged | str | os.PathLike[str]


def match_words(source: Sequence[str], reordered: Sequence[str]) -> list[int]:
    """Return the source positions of reordered words, in the order of the words.

    The k-th occurrence of a repeated word is matched to its k-th occurrence in the source. Source
    words may be missing.

    Parameters
    ----------
    source, reordered : sequence of str
        The words of one sentence in source order, and as a system ordered them.

    Returns
    -------
    list of int
        One source position per reordered word.

    Raises
    ------
    InputError
        If a word occurs more often than in the source; ``where`` is empty.

    Examples
    --------
    >>> match_words("the cat saw the dog".split(), "the dog the cat".split())
    [0, 4, 3, 1]
    """
    order, unmatched = _match_prefix(source, reordered)
    if unmatched:
        raise InputError("", *_describe_unmatched(source, reordered[len(order)]))
    return order


class MatchedTextReader(Closeable):
    """Reads a system's reordered text as orders of its source.

    Parameters
    ----------
    path : path or "-"
        The reordered text, see `word_reader`.
    source : path or "-"
        The source text.

    Attributes
    ----------
    name, source_name : str
        The names of the inputs in messages.
    lines : int
        The number of lines read so far.

    Raises
    ------
    InputError
        At ``file:line:column`` for a word that occurs more often than in the source line; also if
        the files differ in their number of lines.

    Notes
    -----
    Has the interface of `OrderReader`.
    """

    def __init__(self, path: Path, source: Path) -> None:
        text = word_reader(path)
        try:
            self._texts = text, word_reader(source)
        except BaseException:
            text.close()
            raise
        self.name, self.source_name = (text.name for text in self._texts)
        self.lines = 0

    def take(self, lines: int) -> Orders:
        """Return the orders of up to `lines` further sentences; none at the end of the files."""
        text, source_text = self._texts
        reordered = text.take(lines).strings()
        count = len(reordered) or 1
        source_lines = take_exactly(lambda _, n: source_text.take(n), count, RawLines.concatenate)
        sources = [] if source_lines is None else source_lines.strings()
        if len(reordered) != len(sources):
            raise length_mismatch(self._texts)
        rows = []
        for reordered_line, source_line in zip(reordered, sources, strict=True):
            self.lines += 1
            source, words = tokens(source_line), tokens(reordered_line)
            row, unmatched = _match_prefix(source, words)
            if unmatched:
                column = _column_of_word(reordered_line, len(row))
                problem, expected = _describe_unmatched(source, words[len(row)])
                raise InputError(location(self.name, self.lines, column), problem, expected)
            rows.append(row)
        return Orders.from_rows(Ragged.from_rows(rows))

    def close(self) -> None:
        """Close the inputs."""
        for text in self._texts:
            text.close()


class WordIdReader(Closeable):
    """Reads a source text as word ids, for metrics that match words by their form.

    Parameters
    ----------
    path : path or "-"
        The text, see `word_reader`.
    """

    def __init__(self, path: Path) -> None:
        self._reader = word_reader(path)
        self.name = self._reader.name

    @property
    def lines(self) -> int:
        """The number of sentences read so far."""
        return self._reader.lines

    def take(self, lines: int) -> Ragged:
        """Return the `word_ids` of up to `lines` further sentences; none at the end of the file."""
        return word_ids(map(tokens, self._reader.take(lines).strings()))

    def close(self) -> None:
        """Close the input."""
        self._reader.close()


def word_ids(sentences: Iterable[Sequence[str]]) -> Ragged:
    """Number the words of each sentence by form: equal words of a sentence have equal ids.

    Parameters
    ----------
    sentences : iterable of sequences of str
        The words of each sentence.

    Returns
    -------
    Ragged
        Ids by position, from 0 in order of first occurrence; not comparable across sentences.

    Examples
    --------
    >>> word_ids([["the", "cat", "saw", "the", "dog"], []]).to_lists()
    [[0, 1, 2, 0, 3], []]
    """
    rows = []
    for sentence in sentences:
        ids: dict[str, int] = {}
        rows.append([ids.setdefault(word, len(ids)) for word in sentence])
    return Ragged.from_rows(rows)


def _match_prefix(source: Sequence[str], reordered: Sequence[str]) -> tuple[list[int], bool]:
    """Return the source positions of words up to the first unmatched one, and if there is one."""
    positions_of_word: dict[str, list[int]] = {}
    for position in range(len(source) - 1, -1, -1):
        positions_of_word.setdefault(source[position], []).append(position)
    order: list[int] = []
    for word in reordered:
        positions = positions_of_word.get(word)
        if not positions:
            return order, True
        order.append(positions.pop())
    return order, False


def _describe_unmatched(source: Sequence[str], word: str) -> tuple[str, str]:
    """Return the problem and the expectation for a word that occurs too often."""
    quoted_word = quoted(word.encode())
    count = source.count(word)
    if count == 0:
        return f"the source has no word {quoted_word}", "words of the source line"
    times = "once" if count == 1 else f"{count} times"
    return f"one {quoted_word} too many", f"it {times}, as in the source line"


def _column_of_word(line: str, word: int) -> int:
    """Return the column, in bytes from 1, of the word with this index."""
    start = next(islice(re.finditer(r"[^ \t]+", line), word, None)).start()
    return len(line[:start].encode()) + 1


def match_first_unmatched(
    permutation: Ragged, groups: Ragged | None, words: Ragged
) -> tuple[Ragged, Ragged | None]:
    """Match repeated words from left to right instead of by their source positions.

    Parameters
    ----------
    permutation, groups : Ragged
        See `Relative`.
    words : Ragged
        The id of each word of the system's order, equal for equal words.

    Returns
    -------
    permutation, groups : Ragged
        After each word was matched to its first unmatched occurrence in the reference (Talbot et
        al. 2011, section 3.2).

    Examples
    --------
    "the cat the dog saw" against "the dog the cat saw", matched by position first:

    >>> rows = Ragged.from_rows([[2, 3, 0, 1, 4]]), None, Ragged.from_rows([[0, 1, 0, 2, 3]])
    >>> match_first_unmatched(*rows)[0].to_lists()
    [[0, 3, 2, 1, 4]]
    """
    row = np.repeat(np.arange(len(permutation)), permutation.lengths)
    positions = np.arange(len(permutation.values))
    # Within a row and a word form, positions from left to right get the ranks in ascending order.
    by_word = np.lexsort((positions, words.values, row))
    by_rank = np.lexsort((permutation.values, words.values, row))
    if groups is None:
        matched = np.empty_like(permutation.values)
        matched[by_word] = permutation.values[by_rank]
        return Ragged(matched, permutation.offsets), None
    group = np.empty_like(groups.values)
    group[by_word] = groups.values[by_rank]
    # Tied words are in the system's order again.
    order = np.lexsort((positions, group, row))
    matched = np.empty_like(permutation.values)
    matched[order] = (positions - permutation.offsets[row]).astype(np.int32)
    return Ragged(matched, permutation.offsets), Ragged(group, permutation.offsets)


def words_in_order(orders: Orders, source: Source) -> Int32:
    """Return the id of each word of the orders, equal for equal words of a sentence.

    Parameters
    ----------
    orders : Orders
    source : rows of tokens, Ragged of word ids, or path of a tokenised text
        One sentence per order.

    Raises
    ------
    InputError
        If a sentence is one string, the numbers of sentences differ, or a position is out of range.

    Examples
    --------
    >>> words_in_order(Orders.from_rows([[2, 0, 1]]), [["the", "cat", "the"]]).tolist()
    [0, 0, 1]
    """
    if isinstance(source, (str, os.PathLike)):
        source = read_words(source)
    if not isinstance(source, Ragged):
        sentences = list(input_rows(source, "source", "lists of words"))
        for number, sentence in enumerate(sentences, 1):
            if isinstance(sentence, (str, bytes)):
                problem = repr(sentence)[:30]
                raise InputError(f"source, row {number}", problem, "a sequence of words")
        source = word_ids(sentences)
    if len(source) != len(orders):
        problem = f"{len(source)} sentences for {len(orders)} orders"
        raise InputError("source", problem, "one for each order")
    if fault := first_out_of_range(orders, source):
        raise InputError(f"row {fault[0] + 1}", *fault[1:])
    positions = orders.positions
    starts = np.repeat(source.offsets[:-1], positions.lengths)
    words: Int32 = source.values[starts + positions.values]
    return words


def first_out_of_range(orders: Orders, source: Ragged) -> tuple[int, str, str] | None:
    """Return row (from 0), problem and expectation of the first position out of range, or None."""
    positions = orders.positions
    beyond = positions.values >= np.repeat(source.lengths, positions.lengths)
    if not beyond.any():
        return None
    first = int(np.argmax(beyond))
    row, _ = row_and_entry(positions.offsets, first)
    problem = f"position {positions.values[first]} in a source of {source.lengths[row]} words"
    return row, problem, "positions of the source; are the files in step?"
