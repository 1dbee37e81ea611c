"""Lines of CoNLL-U as columns: from whole sentences as bytes to a treebank."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from wordorder.errors import InputError, location
from wordorder.kernels import conllu
from wordorder.kernels import words as word_kernel
from wordorder.kernels._run import call
from wordorder.ragged import row_places
from wordorder.text.blocks import Block
from wordorder.text.quoting import quoted
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import COLUMNS, NO_MARGIN, Margin, Treebank
from wordorder.treebank.trees import Trees, first_fault
from wordorder.types import Int32, Int64, UInt8

FIELDS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
# The field of each column of strings.
_FIELD = dict(zip(COLUMNS, (1, 2, 3, 4, 5, 7, 8, 9), strict=True))
_BOUNDS = len(FIELDS) + 1
# Numbers for each line that is no word: begin, end, sentence, words before (-1 for a comment).
_LINE = 4
_HEAD = FIELDS.index("HEAD")
# What the kernel finds, by its number, and a number or two about it.
_COLUMNS = 1
_FAULTS = {
    _COLUMNS: ("columns: {detail} in {line}", "ten, separated by tabs"),
    2: ("nothing in {field}", "_ or some text"),
    3: ("ID {id}", "{detail}, the number of the word"),
    4: ("range {id}", "one that begins with {detail}, ends later and overlaps no other"),
    5: ("empty node {id}", "the word before it and .{detail}, not behind a range"),
    6: ("head {head}", "the number of a word, 0 for the root, or _"),
    7: ("a comment inside a sentence", "comments before the words"),
    8: ("range {id} in a sentence of {detail} words", "a range that ends within its sentence"),
}
# Slots of the first table; it doubles as strings come.
_SLOTS = 1 << 12


def parse_sentences(block: Block, name: str, *, trees: Trees, single_root: bool) -> Treebank:
    """Make a treebank of the lines of whole sentences.

    Parameters
    ----------
    block : Block
        UTF-8, as `SentenceBlocks` gives it.
    name : str
        What messages call the input.
    trees, single_root
        As `wordorder.treebank.trees.check_trees` takes them.

    Raises
    ------
    InputError
        At the first line that is wrong.

    Examples
    --------
    >>> data = b"# sent_id = a\\n1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> block = Block(np.frombuffer(data, np.uint8), 3, 1)
    >>> bank = parse_sentences(block, "a.conllu", trees="required", single_root=True)
    >>> bank.columns["lemma"].strings(), bank.margins
    (['go'], [Margin(comments=('# sent_id = a',), extras=())])
    """
    data = np.ascontiguousarray(block.data)
    bounds = np.empty(_BOUNDS * (block.lines + 1), np.int32)
    heads = np.empty(block.lines, np.int32)
    offsets = np.empty(block.lines + 2, np.int64)
    lines = np.empty(_LINE * block.lines, np.int64)
    state = np.zeros(6, np.int64)
    call(conllu.scan, data, bounds, heads, offsets, lines, state, len(data))
    sentences, words, others, error, place, detail = state.tolist()
    offsets = offsets[: sentences + 1].copy()
    good = int(offsets[-1])
    # A sentence before the one that cannot be read may be wrong, too.
    fault = first_fault(heads[:good], offsets, trees=trees, single_root=single_root)
    if fault:
        sentence, word, what, expected = fault
        at = int(bounds[_BOUNDS * (int(offsets[sentence]) + word)])
        raise InputError(location(name, block.place(at)[0]), what, expected)
    if error:
        raise _line_error(block, name, error, place, detail)
    columns = {column: _number(data, bounds, field, words) for column, field in _FIELD.items()}
    margins = _margins(data, lines[: _LINE * others].reshape(others, _LINE), sentences)
    return Treebank(offsets, heads[:words].copy(), columns, margins)


def _number(data: UInt8, bounds: Int32, field: int, words: int) -> Column:
    """Number the strings of one field."""
    codes = np.empty(words, np.int32)
    table = np.full(_SLOTS, -1, np.int32)
    keys = np.empty(_SLOTS // 2 + 1, np.uint64)
    begins = np.empty(_SLOTS // 2 + 1, np.int64)
    ends = np.empty(_SLOTS // 2 + 1, np.int64)
    state = np.zeros(2, np.int64)
    while True:
        arrays = (data, bounds, table, keys, begins, ends, codes, state)
        call(word_kernel.number_fields, *arrays, _BOUNDS, field, int(state[1]), words)
        if state[1] == words:
            break
        slots = 4 * len(table)
        table = np.full(slots, -1, np.int32)
        keys = np.resize(keys, slots // 2 + 1)
        begins, ends = (np.resize(known, slots // 2 + 1) for known in (begins, ends))
        call(word_kernel.fill_table, keys, table, 0, int(state[0]))
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


def _line_error(block: Block, name: str, error: int, place: int, detail: int) -> InputError:
    """Say what the kernel found at the line that begins at `place`, by its number."""
    line = block.data[place:].tobytes().split(b"\n", 1)[0].removesuffix(b"\r")
    fields = [quoted(field) for field in line.split(b"\t")]
    what, expected = _FAULTS[error]
    if error == _COLUMNS and not line.strip(b" \t"):
        what, expected = "a line of blanks", "an empty line after a sentence"
    said = {
        "line": quoted(line),
        "id": fields[0],
        "head": fields[min(_HEAD, len(fields) - 1)],
        "detail": detail,
        "field": FIELDS[min(detail, len(FIELDS) - 1)],
    }
    where = location(name, block.place(place)[0])
    return InputError(where, what.format(**said), expected.format(**said))
