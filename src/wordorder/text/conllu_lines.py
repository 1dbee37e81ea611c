"""Lines of CoNLL-U: where sentences, words and fields are, and what is wrong."""

from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Int32, Int64, UInt8
from wordorder.errors import InputError, location
from wordorder.kernels import call, treebank as kernel
from wordorder.text.blocks import Block, decoded, quoted
from wordorder.text.raw_lines import RawLines

FIELDS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

# Numbers for each word: where its fields begin, and one behind the end of its line.
BOUNDS = len(FIELDS) + 1

# Numbers for each line that is no word: begin, end, sentence, words before (-1 for a comment).
_LINE = 4

FORM, _HEAD = FIELDS.index("FORM"), FIELDS.index("HEAD")

_HEADER = b"# global.columns"

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


@dataclass(frozen=True, eq=False)
class ConlluLines:
    """What is where in some lines.

    Attributes
    ----------
    data : uint8 array
    bounds : int32[11 * W or more]
        Word ``w`` has the fields ``data[bounds[11 * w + c] : bounds[11 * w + c + 1] - 1]``.
    heads : int32[W]
        What HEAD says, -1 for ``_``.
    offsets : int64[S+1]
        The words of sentence ``i`` are ``offsets[i] .. offsets[i+1]-1``.
    others : int64[L, 4]
        Begin and end of each line that is no word, its sentence, and the words of the sentence
        before it, -1 for a comment.
    error : InputError, optional
        What is wrong behind the last of these sentences.
    """

    data: UInt8
    bounds: Int32
    heads: Int32
    offsets: Int64
    others: Int64
    error: InputError | None

    def field(self, field: int) -> RawLines:
        """Return one field of all words, as bytes."""
        bounds = self.bounds[: BOUNDS * len(self.heads)].reshape(-1, BOUNDS).astype(np.int64)
        return RawLines(self.data, bounds[:, field], bounds[:, field + 1] - 1)


def scan_conllu(block: Block, name: str) -> ConlluLines:
    """Find sentences, words and fields in the lines of whole sentences.

    Parameters
    ----------
    block : Block
        As `SentenceBlocks` gives it.
    name : str
        What messages call the input.

    Raises
    ------
    InputError
        If a byte is not UTF-8, or if the file says that it has other columns. What else is wrong
        is the `error` of what is returned, since a sentence before it may be wrong, too.

    Examples
    --------
    >>> data = b"# sent_id = a\\n1\\tGo" + b"\\t_" * 8 + b"\\n\\n"
    >>> lines = scan_conllu(Block(np.frombuffer(data, np.uint8), 3, 1), "a.conllu")
    >>> lines.field(1).strings(), lines.heads.tolist(), lines.offsets.tolist(), lines.error
    (['Go'], [-1], [0, 1], None)
    """
    decoded(block, name)
    data = np.ascontiguousarray(block.data)
    if block.first_line == 1 and data[: len(_HEADER)].tobytes() == _HEADER:
        line = data.tobytes().split(b"\n", 1)[0]
        if line.partition(b"=")[2].decode().split() != list(FIELDS):
            raise InputError(location(name, 1), quoted(line), f"the columns {' '.join(FIELDS)}")
    bounds = np.empty(BOUNDS * (block.lines + 1), np.int32)
    heads = np.empty(block.lines, np.int32)
    offsets = np.empty(block.lines + 2, np.int64)
    lines = np.empty(_LINE * block.lines, np.int64)
    state = np.zeros(6, np.int64)
    call(kernel.scan_conllu, data, bounds, heads, offsets, lines, state, len(data))
    sentences, _, others, error, place, detail = state.tolist()
    offsets = offsets[: sentences + 1].copy()
    return ConlluLines(
        data,
        bounds,
        heads[: int(offsets[-1])].copy(),
        offsets,
        lines[: _LINE * others].reshape(others, _LINE),
        _line_error(block, name, error, place, detail) if error else None,
    )


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
