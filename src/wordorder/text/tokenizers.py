"""Lines split into the tokens of sacreBLEU's tokenizers, and into characters.

White space is as `str.split` defines it.
"""

import string
from collections.abc import Callable, Sequence

import numpy as np

from wordorder.arrays import Bool, Int32, Int64, UInt8, row_offsets
from wordorder.errors import UsageError
from wordorder.kernels import run_rows, text as kernel
from wordorder.text.raw_lines import RawLines

# Types of bytes, as bits for the kernel.
_BLANK, _SYMBOL, _STOP, _DIGIT, _DASH, _REPLACES, _EDGE, _LEAD = (1 << bit for bit in range(8))
# The first bytes of characters that are white space and not ASCII.
_LEADS = b"\xc2\xe1\xe2\xe3"
_BLANKS = bytes(byte for byte in range(128) if chr(byte).isspace())
# Tokens of their own in mteval-v13a; the apostrophe is not.
_SYMBOLS = b'{|}~[\\]^_` !"#$%&()*+:;<=>?@/'
# Replacements of 13a, in this order.
_REPLACED = (
    (b"<skipped>", b""),
    (b"-\n", b""),
    (b"\n", b" "),
    (b"&quot;", b'"'),
    (b"&amp;", b"&"),
    (b"&lt;", b"<"),
    (b"&gt;", b">"),
)


def mteval_words(lines: RawLines) -> RawLines:
    """Split lines as sacreBLEU's tokenizer 13a does, that of mteval-v13a.

    Symbols are tokens of their own; so are full stops and commas except between digits,
    and dashes after digits. Character entities are replaced before.

    Returns
    -------
    RawLines
        The tokens with one space between two.

    Examples
    --------
    >>> mteval_words(RawLines.from_strings(["It's 3.5%, up 1-2&gt;1."])).strings()
    ["It's 3.5 % , up 1 - 2 > 1 ."]
    """
    return _cut(lines, _MTEVAL, _REPLACED)


def blank_words(lines: RawLines) -> RawLines:
    r"""Split lines at white space, as `str.split` does.

    Examples
    --------
    >>> blank_words(RawLines.from_strings([" a\u3000b\tc. "])).strings()
    ['a b c.']
    """
    return _cut(lines, _AT_BLANKS)


def changed_words(words: RawLines) -> Bool:
    r"""Return which words `blank_words` changes: empty ones and those with white space, bool[N].

    Examples
    --------
    >>> changed_words(RawLines.from_strings(["a", "a\u3000b", ""])).tolist()
    [False, True, True]
    """
    marks = np.empty(len(words), np.uint8)
    run_rows(
        kernel.mark_cut, row_offsets(words.stops - words.starts), *_spans(words), _AT_BLANKS, marks
    )
    return marks.view(np.bool_)


def edge_words(lines: RawLines) -> RawLines:
    """Split lines as chrF++ does: at white space, and at one punctuation mark of each word.

    The mark is the last character of the word, or else its first one.

    Examples
    --------
    >>> edge_words(RawLines.from_strings(['(yes) "no more..."'])).strings()
    ['(yes ) " no more... "']
    """
    return _cut(lines, _EDGES)


def sacrebleu_tokenizer(name: str, failed: str) -> tuple[Callable[[str], str], str]:
    """Return a tokenizer of sacreBLEU, and its signature.

    Raises
    ------
    UsageError
        If a package that it needs is not installed; the message begins with `failed`.
    """
    from sacrebleu.metrics.bleu import BLEU

    try:
        scorer = BLEU(tokenize=name)
    except (ImportError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        if name in ("ja-mecab", "ko-mecab"):
            reason = f'MeCab is not installed: pip install "wordorder[{name[:2]}]"'
        raise UsageError(f"{failed}: {reason}") from None
    return scorer.tokenizer, scorer.tokenizer_signature


def characters(lines: RawLines, *, white_space: bool) -> tuple[Int32, Int64, Int64]:
    """Return the code points of lines.

    Parameters
    ----------
    lines : RawLines
    white_space : bool
        Whether to include white space.

    Returns
    -------
    points : int32 array
    starts, stops : int64[S]
        Line ``i`` has ``points[starts[i] : stops[i]]``.
    """
    offsets = row_offsets(lines.stops - lines.starts)
    points = np.empty(int(offsets[-1]), np.int32)
    stops = np.empty(len(lines), np.int64)
    kinds = np.zeros(256, np.uint8) if white_space else _AT_BLANKS
    starts = offsets[:-1]
    run_rows(kernel.code_points, offsets, *_spans(lines), kinds, points, starts, stops)
    return points, starts, stops


def _cut(lines: RawLines, kinds: UInt8, rules: Sequence[tuple[bytes, bytes]] = ()) -> RawLines:
    """Split lines by the types of their bytes, after the replacements in `rules`."""
    offsets = row_offsets(lines.stops - lines.starts)
    parts = [part for rule in rules for part in rule]
    bounds = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    # One space per byte is more than enough.
    tokens = np.empty(2 * int(offsets[-1]), np.uint8)
    starts = 2 * offsets[:-1]
    stops = np.empty(len(lines), np.int64)
    run_rows(
        kernel.split_tokens,
        offsets,
        *_spans(lines),
        *(kinds, np.frombuffer(b"".join(parts), np.uint8), bounds, tokens, starts, stops),
        scratch=lambda longest: (np.empty(longest, np.uint8),),
    )
    return RawLines(tokens, starts, stops)


def _spans(lines: RawLines) -> tuple[UInt8, Int64, Int64]:
    return (
        np.ascontiguousarray(lines.data),
        np.ascontiguousarray(lines.starts),
        np.ascontiguousarray(lines.stops),
    )


def _kinds(*groups: tuple[bytes, int]) -> UInt8:
    """Return the type of each byte: white space, and the types in `groups`."""
    kinds = np.zeros(256, np.uint8)
    for members, kind in ((_BLANKS, _BLANK), (_LEADS, _LEAD), *groups):
        kinds[list(members)] |= kind
    return kinds


_AT_BLANKS = _kinds()
_EDGES = _kinds((string.punctuation.encode(), _EDGE))
_MTEVAL = _kinds(
    (_SYMBOLS.replace(b" ", b""), _SYMBOL),
    (b".,", _STOP),
    (b"0123456789", _DIGIT),
    (b"-", _DASH),
    (b"<&\n", _REPLACES),
)
