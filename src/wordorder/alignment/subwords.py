"""From alignments of subword pieces to alignments of words."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import require_alignments
from wordorder.arrays import Int32, Int64, row_offsets
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.text.lines import tokens

# A sentence in pieces, or as a line with blanks between them.
Pieces = Sequence[str] | str

CONTINUED = "@@"
WORD_START = "\u2581"
STYLES = (CONTINUED, WORD_START, "none")


def words_of_subwords(pieces: Pieces, *, style: str = "auto") -> Int32:
    """Say to which word each piece of a sentence belongs.

    Parameters
    ----------
    pieces : sequence of str, or str
        The pieces of one sentence, or a line with blanks between them.
    style : {"auto", "@@", "▁", "none"}
        ``@@``: a piece that ends in it continues in the next (subword-nmt). ``▁`` (U+2581): a piece
        that begins with it begins a word (sentencepiece); one that is nothing else belongs to the
        word behind it, at the end to the word before. ``none``: pieces are words. ``auto``: the
        mark that is used there.

    Returns
    -------
    int32[number of pieces]
        Words count from 0.

    Raises
    ------
    InputError
        If both marks occur and `style` is ``auto``; with ``▁``, if a piece holds several
        words; if a piece is no string.
    UsageError
        If `style` is unknown, or `pieces` are neither a line nor a list.

    Examples
    --------
    >>> words_of_subwords("un@@ usu@@ al or@@ ders")
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> words_of_subwords(["▁un", "usual", "▁", "orders", "."])
    array([0, 0, 1, 1, 1], dtype=int32)
    """
    row = _row(pieces, "pieces")
    return _words(row, _style([row], style, "pieces"), "pieces")


def join_subwords(pieces: Pieces, *, style: str = "auto") -> list[str]:
    """Return the words that the pieces of a sentence make up, without the marks.

    Parameters and errors are those of `words_of_subwords`.

    Examples
    --------
    >>> join_subwords("un@@ usu@@ al or@@ ders")
    ['unusual', 'orders']
    """
    row = _row(pieces, "pieces")
    chosen = _style([row], style, "pieces")
    words: list[str] = []
    for piece, word in zip(row, _words(row, chosen, "pieces").tolist(), strict=True):
        if chosen == CONTINUED:
            piece = piece.removesuffix(CONTINUED)
        elif chosen == WORD_START:
            piece = piece.removeprefix(WORD_START)
        if word == len(words):
            words.append("")
        words[word] += piece
    return words


def to_words(
    alignments: Alignments,
    source_pieces: Iterable[Pieces],
    target_pieces: Iterable[Pieces],
    *,
    source_style: str = "auto",
    target_style: str = "auto",
) -> Alignments:
    """Turn links between subword pieces into links between words.

    Two words are linked if any of their pieces are; several such links become one, which is sure
    if one of them is.

    Parameters
    ----------
    alignments : Alignments
        Links between pieces.
    source_pieces, target_pieces : iterable
        The pieces of each sentence, as in `words_of_subwords`.
    source_style, target_style : str
        As there; ``auto`` takes the mark that occurs in the text.

    Returns
    -------
    Alignments
        With the lengths in words; the links of a row ascend.

    Raises
    ------
    InputError
        If there are not as many sentences as rows, or a link points past the pieces.
    UsageError
        If an argument is of another kind.

    Examples
    --------
    >>> pieces = Alignments.from_rows([[(0, 0), (1, 0, True), (1, 1), (2, 2, True)]])
    >>> words = to_words(pieces, ["un@@ usual order"], ["▁une ▁suite ▁inhabituelle"])
    >>> str(words[0])
    '0-0 0-1 1p2'
    """
    require_alignments(alignments=alignments)
    sides = [
        _corpus(pieces, style, name, alignments)
        for pieces, style, name in (
            (source_pieces, source_style, "source_pieces"),
            (target_pieces, target_style, "target_pieces"),
        )
    ]
    (source_words, source_counts), (target_words, target_counts) = sides
    checked = alignments.with_lengths(*([len(row) for row in words] for words, _ in sides))
    rows = np.repeat(np.arange(len(alignments)), np.diff(alignments.offsets))
    source = _of_links(source_words, rows, checked.source)
    target = _of_links(target_words, rows, checked.target)
    # One number for each pair of words of the corpus, ascending by row, source and target.
    width = int(target_counts.max(initial=0)) + 1
    first = row_offsets(source_counts)
    pairs, link_pair = np.unique((first[rows] + source) * width + target, return_inverse=True)
    sure = np.bincount(link_pair, weights=~checked.possible, minlength=len(pairs)) > 0
    source_place = pairs // width
    ends = np.searchsorted(source_place, first)
    row = np.repeat(np.arange(len(alignments)), np.diff(ends))
    return Alignments(
        (source_place - first[row]).astype(np.int32),
        (pairs % width).astype(np.int32),
        ends.astype(np.int64),
        possible=~sure,
        source_lengths=source_counts,
        target_lengths=target_counts,
        path=alignments.path,
        first_line=alignments.first_line,
    )


def _row(pieces: Any, where: str) -> list[str]:
    """Return the pieces of a sentence, each of which must be a string."""
    if isinstance(pieces, str):
        return tokens(pieces)
    if isinstance(pieces, (bytes, bytearray)) or not isinstance(pieces, (Sequence, np.ndarray)):
        kind = type(pieces).__name__
        raise UsageError(f"{where}: an object of type {kind}; expected a line or a list of pieces")
    row = list(pieces)
    for number, piece in enumerate(row, 1):
        if not isinstance(piece, str):
            raise InputError(f"{where}, piece {number}", repr(piece)[:30], "a string")
    return row


def _style(rows: Sequence[Sequence[str]], style: str, name: str) -> str:
    """Return the style of a text: the one that is named, or the one that shows."""
    if choose("style", style, ("auto", *STYLES)) != "auto":
        return style
    continued = any(piece.endswith(CONTINUED) for row in rows for piece in row)
    started = any(piece.startswith(WORD_START) for row in rows for piece in row)
    if continued and started:
        what = f"pieces with {CONTINUED} behind and with {WORD_START} before"
        raise InputError(name, what, "the style named")
    return CONTINUED if continued else WORD_START if started else "none"


def _words(row: Sequence[str], style: str, where: str) -> Int32:
    """Return the word of each piece."""
    begins = np.ones(len(row), np.int32)
    if style == CONTINUED:
        begins[1:] = [not piece.endswith(CONTINUED) for piece in row[:-1]]
    elif style == WORD_START:
        last = max((i for i, piece in enumerate(row) if piece != WORD_START), default=0)
        for i, piece in enumerate(row):
            if WORD_START in piece[1:]:
                raise InputError(where, f"the piece {piece!r}", "pieces of one word each")
            # What is open is a word mark alone, which still waits for its word.
            waits = i > 0 and row[i - 1] == WORD_START
            begins[i] = i == 0 or (piece.startswith(WORD_START) and not waits and i <= last)
    return (np.cumsum(begins) - 1).astype(np.int32)


def _corpus(
    pieces: Iterable[Pieces], style: str, name: str, alignments: Alignments
) -> tuple[list[Int32], Int64]:
    """Return the words of the pieces of each sentence, and how many words it has."""
    if isinstance(pieces, (str, bytes)) or not isinstance(pieces, Iterable):
        kind = type(pieces).__name__
        raise UsageError(
            f"{name}: an object of type {kind}; expected a list with one entry per row"
        )
    rows = [_row(sentence, location(name, n)) for n, sentence in enumerate(pieces, 1)]
    if len(rows) != len(alignments):
        what = f"{len(alignments)} rows for {len(rows)} sentences"
        raise InputError(f"{alignments.path}, {name}", what, "as many in both")
    chosen = _style(rows, style, name)
    words = [_words(row, chosen, location(name, n)) for n, row in enumerate(rows, 1)]
    return words, np.array([int(w[-1]) + 1 if len(w) else 0 for w in words], np.int64)


def _of_links(words: list[Int32], rows: Int64, ends: Int32) -> Int32:
    """Return the word of the piece at which each link ends."""
    first = np.cumsum([0, *map(len, words)])
    return np.concatenate([np.zeros(0, np.int32), *words])[first[rows] + ends]
