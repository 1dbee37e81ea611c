"""Lines of CoNLL-U as columns: from whole sentences as bytes to a treebank."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from wordorder.errors import InputError, location
from wordorder.kernels import words as word_kernel
from wordorder.kernels._run import call
from wordorder.ragged import row_places
from wordorder.text.blocks import Block
from wordorder.text.conllu_lines import BOUNDS, scan_conllu
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import COLUMNS, NO_MARGIN, Margin, Treebank
from wordorder.treebank.trees import Trees, first_fault
from wordorder.types import Int32, Int64, UInt8

# The field of each column of strings.
_FIELD = dict(zip(COLUMNS, (1, 2, 3, 4, 5, 7, 8, 9), strict=True))
# Slots of the first table; it doubles as strings come.
_SLOTS = 1 << 12
_RETURN = 13
# A comment that holds the beginning of another comment or of a word behind a carriage return.
_SWALLOWED = re.compile(rb"^#[^\n]*?\r(?:#|[0-9]+(?:[-.][0-9]+)?\t)", re.MULTILINE)


def refuse_lone_returns(block: Block, name: str) -> None:
    r"""Refuse lines that end with a carriage return alone, where that hides words in a comment.

    Parameters
    ----------
    block : Block
        As `parse_sentences` takes it.
    name : str
        What messages call the input.

    Raises
    ------
    InputError
        At the first such comment.

    Examples
    --------
    >>> data = b"# sent_id = a\r1\tGo" + b"\t_" * 8 + b"\r\r"
    >>> refuse_lone_returns(Block(np.frombuffer(data, np.uint8), 1, 1), "a.conllu")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.conllu:1: lines that end with a carriage return alone; expected
    \n or \r\n
    """
    if not np.any(block.data == _RETURN):
        return
    if found := _SWALLOWED.search(block.data.tobytes()):
        raise InputError(
            location(name, block.place(found.start())[0]),
            "lines that end with a carriage return alone",
            r"\n or \r\n",
        )


def parse_sentences(block: Block, name: str, *, trees: Trees, single_root: bool) -> Treebank:
    """Make a treebank of the lines of whole sentences.

    Parameters
    ----------
    block : Block
        As `SentenceBlocks` gives it.
    name : str
        What messages call the input.
    trees, single_root
        As `wordorder.treebank.trees.check_trees` takes them.

    Raises
    ------
    InputError
        At the first line that is wrong, and if a byte is not UTF-8.

    Examples
    --------
    >>> data = b"# sent_id = a\\n1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> block = Block(np.frombuffer(data, np.uint8), 3, 1)
    >>> bank = parse_sentences(block, "a.conllu", trees="required", single_root=True)
    >>> bank.columns["lemma"].strings(), bank.margins
    (['go'], [Margin(comments=('# sent_id = a',), extras=())])
    """
    lines = scan_conllu(block, name)
    # A sentence before the one that cannot be read may be wrong, too.
    fault = first_fault(lines.heads, lines.offsets, trees=trees, single_root=single_root)
    if fault:
        sentence, word, what, expected = fault
        at = int(lines.bounds[BOUNDS * (int(lines.offsets[sentence]) + word)])
        raise InputError(location(name, block.place(at)[0]), what, expected)
    if lines.error:
        raise lines.error
    found = (lines.data, lines.bounds, len(lines.heads))
    columns = {column: _number(*found, field) for column, field in _FIELD.items()}
    margins = _margins(lines.data, lines.others, len(lines.offsets) - 1)
    return Treebank(lines.offsets, lines.heads, columns, margins)


def _number(data: UInt8, bounds: Int32, words: int, field: int) -> Column:
    """Number the strings of one field."""
    codes = np.empty(words, np.int32)
    table = np.zeros(_SLOTS, np.uint64)
    numbers = np.empty(_SLOTS, np.int32)
    keys = np.empty(_SLOTS // 2 + 1, np.uint64)
    begins = np.empty(_SLOTS // 2 + 1, np.int64)
    ends = np.empty(_SLOTS // 2 + 1, np.int64)
    state = np.zeros(2, np.int64)
    while True:
        arrays = (data, bounds, table, numbers, keys, begins, ends, codes, state)
        call(word_kernel.number_fields, *arrays, BOUNDS, field, int(state[1]), words)
        if state[1] == words:
            break
        slots = 4 * len(table)
        table = np.zeros(slots, np.uint64)
        numbers = np.empty(slots, np.int32)
        keys = np.resize(keys, slots // 2 + 1)
        begins, ends = (np.resize(known, slots // 2 + 1) for known in (begins, ends))
        call(word_kernel.fill_table, keys, table, numbers, 0, int(state[0]))
    known = int(state[0])
    return Column(codes, Vocabulary(_spans(data, begins[:known], ends[:known])))


def _spans(data: UInt8, begins: Int64, ends: Int64) -> RawLines:
    """Copy some spans, so that the rest of the bytes need not stay in memory."""
    edges = np.zeros(2 * len(begins) + 1, np.int64)
    edges[:-1:2], edges[1::2] = begins, ends
    # Spans as every second row of what the edges cut; a row that runs backwards is never taken.
    places, offsets = row_places(edges, np.arange(0, 2 * len(begins), 2))
    return RawLines(data[places], offsets[:-1], offsets[1:])


def _margins(data: UInt8, lines: Int64, sentences: int) -> list[Margin]:
    """Collect comments, ranges and empty nodes of each sentence."""
    texts = _spans(data, lines[:, 0], lines[:, 1]).strings()
    before = lines[:, 3].tolist()
    cuts = np.searchsorted(lines[:, 2], np.arange(sentences + 1)).tolist()
    margins = []
    for first, last in pairwise(cuts):
        if first == last:
            margins.append(NO_MARGIN)
            continue
        start = first
        while start < last and before[start] < 0:
            start += 1
        extras = zip(before[start:last], texts[start:last], strict=True)
        margins.append(Margin(tuple(texts[first:start]), tuple(extras)))
    return margins
