"""Guesses from the first lines of an input: a treebank or text, with or without word boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wordorder.messages import percent
from wordorder.text.opening import BOM
from wordorder.text.sources import PeekableInput

# Bytes that are read ahead at most if the input begins with comments.
MAX_COMMENT_BYTES = 1 << 20
# The end of a longer line is not read: its start shows whether it is a word of a treebank.
LONG_LINE = 1 << 14
# A line with this number of columns is meant as CoNLL-U; the reader reports missing columns.
MIN_COLUMNS = 8
_FIRST_ID = re.compile(rb"1|1-[0-9]+|0\.1")
# Lines that are examined: enough for a share, few enough to be fast.
SAMPLE = 200
# A line with fewer letters may be a single word.
_MIN_LETTERS = 8
# The smallest share of lines for which a note is printed.
_MIN_SHARE = 0.1
# Marks that tokenizers leave in words, and the commands that undo them.
_TOKENIZER_MARKS = (
    (re.compile("@@$"), "pieces of words", "sed -E 's/@@( |$)//g' joins them"),
    (re.compile("\N{LOWER ONE EIGHTH BLOCK}"), "pieces of words", "spm_decode joins them"),
    (
        re.compile("^@.@$|&(apos|quot|amp|lt|gt|#[0-9]+);"),
        "marks of Moses' tokenizer",
        "detokenizer.perl undoes them",
    ),
)


def input_kind(source: PeekableInput) -> str:
    """Guess the format of an input from its first line that is neither empty nor a comment.

    Returns
    -------
    str
        ``"conllu"`` if the line has columns separated by tabs and begins with the ID of a first
        word, ``"text"`` otherwise.
    """
    unfinished = b""
    seen = 0
    while seen < MAX_COMMENT_BYTES:
        chunk = source.peek()
        if not seen:
            chunk = chunk.removeprefix(BOM)
        seen += len(chunk)
        *lines, unfinished = (unfinished + chunk).split(b"\n")
        if not chunk or len(unfinished) > LONG_LINE:
            lines.append(unfinished)
        for line in lines:
            if line.startswith(b"#"):
                # Lines that end with a carriage return alone: the reader will report them.
                if any(map(_is_first_word, line.split(b"\r"))):
                    return "conllu"
            elif line.strip():
                return "conllu" if _is_first_word(line) else "text"
        if not chunk:
            break
    return "text"


def _is_first_word(line: bytes) -> bool:
    """Return whether a line looks like the first word of a sentence in CoNLL-U."""
    fields = line.split(b"\t")
    return len(fields) >= MIN_COLUMNS and bool(_FIRST_ID.fullmatch(fields[0]))


class _Script(NamedTuple):
    """Letters of a language without spaces between words, and its tokenizer besides `char`.

    In text that is split into words, the average word has fewer than `max_word` letters.
    """

    language: str
    letter: re.Pattern[str]
    tokenizer: str
    max_word: int


# Japanese comes first, since it is written in Chinese characters, too.
_SCRIPTS = (
    _Script("Japanese", re.compile("[\u3040-\u30ff]"), "ja-mecab", 5),
    _Script("Thai", re.compile("[\u0e00-\u0e7f]"), "", 10),
    _Script("Lao", re.compile("[\u0e80-\u0eff]"), "", 10),
    _Script("Khmer", re.compile("[\u1780-\u17ff]"), "", 10),
    _Script("Burmese", re.compile("[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]"), "", 10),
    _Script(
        "Chinese",
        re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
        "zh",
        5,
    ),
)
_LETTER = re.compile("|".join(script.letter.pattern for script in _SCRIPTS))


def uncut_note(name: str, lines: Iterable[str], option: str) -> str:
    """Return a note if lines of a script without spaces are not split into words; else "".

    Parameters
    ----------
    name : str
        The text's name in the note.
    lines : iterable of str
        Some lines of the text.
    option : str
        The option that splits lines into words, without its value: ``--tokenizer``.

    Examples
    --------
    >>> print(uncut_note("ref.txt", ["彼は昨日東京に行きました。"], "--tokenizer"))
    ref.txt: 100 % of the lines are Japanese without blanks between words, so that a line is \
one word: --tokenizer=ja-mecab cuts them (pip install "wordorder[ja]"), or --tokenizer=char
    >>> uncut_note("ref.txt", ["彼 は 東京 に 行っ た 。", "Well , he came ."], "--tokenizer")
    ''
    """
    filled = [line for line in lines if line.strip()]
    uncut = [script for line in filled if (script := _uncut_script(line))]
    if not uncut or len(uncut) < _MIN_SHARE * len(filled):
        return ""
    script = max(_SCRIPTS, key=uncut.count)
    install = ' (pip install "wordorder[ja]")' if script.language == "Japanese" else ""
    remedy = f"{option}={script.tokenizer} cuts them{install}, or {option}=char"
    if not script.tokenizer:
        remedy = f"{option}=char cuts them"
    return (
        f"{name}: {percent(len(uncut), len(filled))} of the lines are {script.language} without "
        f"blanks between words, so that a line is one word: {remedy}"
    )


def marked_share(lines: Iterable[str]) -> tuple[float, str]:
    """Return the largest share of words with one type of tokenizer marks, and a sentence on it.

    Examples
    --------
    >>> share, text = marked_share(["the small@@ est rob@@ ots walk"])
    >>> round(share, 3), text.partition(":")[0]
    (0.333, '33 % of the words are pieces of words ("small@@")')
    """
    words = [word for line in lines for word in line.split()]
    largest, text = 0.0, ""
    for pattern, description, remedy in _TOKENIZER_MARKS:
        marked = [word for word in words if pattern.search(word)]
        if marked and len(marked) / len(words) > largest:
            largest = len(marked) / len(words)
            share = percent(len(marked), len(words))
            text = f'{share} of the words are {description} ("{marked[0]}"): {remedy}'
    return largest, text


def mostly_uncut(lines: Sequence[str]) -> bool:
    """Return whether most non-empty lines are in a script without spaces and have few spaces.

    Examples
    --------
    >>> mostly_uncut(["彼は昨日東京に行きました。", ""]), mostly_uncut(["He went to Tokyo."])
    (True, False)
    """
    filled = [line for line in lines if line.strip()]
    return 2 * len(list(filter(_uncut_script, filled))) > len(filled)


def _uncut_script(line: str) -> _Script | None:
    """Return the script of a line that has many letters and few spaces between them."""
    letters = len(_LETTER.findall(line))
    if letters < _MIN_LETTERS:
        return None
    script = next(script for script in _SCRIPTS if script.letter.search(line))
    words = sum(_LETTER.search(word) is not None for word in line.split())
    return script if letters >= script.max_word * words else None
