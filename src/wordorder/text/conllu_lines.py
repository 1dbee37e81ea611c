"""Byte offsets of sentences, words and fields in lines of CoNLL-U, and their faults."""

from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Int32, Int64, UInt8
from wordorder.errors import InputError, location
from wordorder.kernels import call, treebank as kernel
from wordorder.text.blocks import TextBlock, decode_block, quoted
from wordorder.text.raw_lines import RawLines

FIELD_NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

# Bounds stored for each word: the start of each field, and one past the end of its line.
BOUNDS_PER_WORD = len(FIELD_NAMES) + 1

# Numbers stored for each line that is not a word: start, end, sentence, words before (-1 for a
# comment).
_LINE_NUMBERS = 4

FORM, _HEAD = FIELD_NAMES.index("FORM"), FIELD_NAMES.index("HEAD")

_COLUMNS_COMMENT = b"# global.columns"

# Faults by the number that the kernel returns: problem and expectation.
_COLUMN_FAULT = 1

_FAULT_TEXTS = {
    _COLUMN_FAULT: ("columns: {detail} in {line}", "ten, separated by tabs"),
    2: ("nothing in {field}", "_ or some text"),
    3: ("ID {id}", "{detail}, the number of the word"),
    4: ("range {id}", "one that begins with {detail}, ends later and overlaps no other"),
    5: ("empty node {id}", "the word before it and .{detail}, not behind a range"),
    6: ("head {head}", "the number of a word, 0 for the root, or _"),
    7: ("a comment inside a sentence", "comments before the words"),
    8: ("range {id} in a sentence of {detail} words", "a range that ends within its sentence"),
}


@dataclass(frozen=True, eq=False)
class ConlluLines:
    """Byte offsets of the sentences, words and fields in a block of CoNLL-U lines.

    Attributes
    ----------
    data : uint8 array
    bounds : int32[11 * W or more]
        Word ``w`` has the fields ``data[bounds[11 * w + c] : bounds[11 * w + c + 1] - 1]``.
    heads : int32[W]
        The HEAD field, -1 for ``_``.
    offsets : int64[S+1]
        The words of sentence ``i`` are ``offsets[i] .. offsets[i+1]-1``.
    other_lines : int64[L, 4]
        For each line that is not a word: start, end, sentence, and the number of words that
        precede it in the sentence, -1 for a comment.
    error : InputError, optional
        The fault after the last of these sentences.
    """

    data: UInt8
    bounds: Int32
    heads: Int32
    offsets: Int64
    other_lines: Int64
    error: InputError | None

    def field(self, field: int) -> RawLines:
        """Return one field of all words, as bytes."""
        bounds = (
            self.bounds[: BOUNDS_PER_WORD * len(self.heads)]
            .reshape(-1, BOUNDS_PER_WORD)
            .astype(np.int64)
        )
        return RawLines(self.data, bounds[:, field], bounds[:, field + 1] - 1)


def scan_conllu(block: TextBlock, name: str) -> ConlluLines:
    """Find sentences, words and fields in the lines of whole sentences.

    Parameters
    ----------
    block : TextBlock
        See `SentenceBlocks`.
    name : str
        The input's name in messages.

    Raises
    ------
    InputError
        If a byte is not UTF-8, or if the file's header names other columns. Other faults are
        returned in `error`, not raised: the caller must first check the sentences before the
        fault.

    Examples
    --------
    >>> data = b"# sent_id = a\\n1\\tGo" + b"\\t_" * 8 + b"\\n\\n"
    >>> lines = scan_conllu(TextBlock(np.frombuffer(data, np.uint8), 3, 1), "a.conllu")
    >>> lines.field(1).strings(), lines.heads.tolist(), lines.offsets.tolist(), lines.error
    (['Go'], [-1], [0, 1], None)
    """
    decode_block(block, name)
    data = np.ascontiguousarray(block.data)
    if block.first_line == 1 and data[: len(_COLUMNS_COMMENT)].tobytes() == _COLUMNS_COMMENT:
        line = data.tobytes().split(b"\n", 1)[0]
        if line.partition(b"=")[2].decode().split() != list(FIELD_NAMES):
            raise InputError(
                location(name, 1), quoted(line), f"the columns {' '.join(FIELD_NAMES)}"
            )
    bounds = np.empty(BOUNDS_PER_WORD * (block.lines + 1), np.int32)
    heads = np.empty(block.lines, np.int32)
    offsets = np.empty(block.lines + 2, np.int64)
    lines = np.empty(_LINE_NUMBERS * block.lines, np.int64)
    state = np.zeros(6, np.int64)
    call(kernel.scan_conllu_lines, data, bounds, heads, offsets, lines, state, len(data))
    sentences, _, other_lines, error, fault_offset, detail = state.tolist()
    offsets = offsets[: sentences + 1].copy()
    return ConlluLines(
        data,
        bounds,
        heads[: int(offsets[-1])].copy(),
        offsets,
        lines[: _LINE_NUMBERS * other_lines].reshape(other_lines, _LINE_NUMBERS),
        _line_error(block, name, error, fault_offset, detail) if error else None,
    )


def _line_error(block: TextBlock, name: str, error: int, offset: int, detail: int) -> InputError:
    """Build the error for the kernel's fault number at the line that starts at `offset`."""
    line = block.data[offset:].tobytes().split(b"\n", 1)[0].removesuffix(b"\r")
    fields = [quoted(field) for field in line.split(b"\t")]
    problem, expected = _FAULT_TEXTS[error]
    if error == _COLUMN_FAULT and not line.strip(b" \t"):
        problem, expected = "a line of blanks", "an empty line after a sentence"
    details = {
        "line": quoted(line),
        "id": fields[0],
        "head": fields[min(_HEAD, len(fields) - 1)],
        "detail": detail,
        "field": FIELD_NAMES[min(detail, len(FIELD_NAMES) - 1)],
    }
    context = location(name, block.place(offset)[0])
    return InputError(context, problem.format(**details), expected.format(**details))
