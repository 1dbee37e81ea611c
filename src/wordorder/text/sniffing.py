"""Guesses from the first lines of an input: a treebank or text, with or without word boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wordorder.messages import percent
from wordorder.text.opening import BOM
from wordorder.text.sources import PeekableInput

# How much is read ahead where comments never end.
MOST_BYTES = 1 << 20
# A line that is longer than this is no word of a treebank, unless it begins like one.
LONG_LINE = 1 << 14
# A file of so many columns wants to be a treebank; whether it is a good one, its reader says.
LEAST_COLUMNS = 8
_FIRST_ID = re.compile(rb"1|1-[0-9]+|0\.1")
# Lines that are looked at: enough for a share, and few enough to cost nothing.
SAMPLE = 200
# A line of fewer letters may be one word.
_LETTERS = 8
# The share of lines from which on it is worth a note.
_SHARE = 0.1
# Marks that tokenizers leave in words, and what undoes them.
_MARKS = (
    (re.compile("@@$"), "pieces of words", "sed -E 's/@@( |$)//g' joins them"),
    (re.compile("\N{LOWER ONE EIGHTH BLOCK}"), "pieces of words", "spm_decode joins them"),
    (
        re.compile("^@.@$|&(apos|quot|amp|lt|gt|#[0-9]+);"),
        "marks of Moses' tokenizer",
        "detokenizer.perl undoes them",
    ),
)


def input_kind(source: PeekableInput) -> str:
    """Return what an input is by its first line that is neither empty nor a comment.

    Returns
    -------
    str
        ``"conllu"`` where the line has columns between tabs and begins with the ID of a first
        word, ``"text"`` otherwise.
    """
    rest = b""
    seen = 0
    while seen < MOST_BYTES:
        more = source.peek()
        if not seen:
            more = more.removeprefix(BOM)
        seen += len(more)
        *lines, rest = (rest + more).split(b"\n")
        if not more or len(rest) > LONG_LINE:
            lines.append(rest)
        for line in lines:
            if line.startswith(b"#"):
                # Lines that end with a carriage return alone: the reader says what is wrong.
                if any(map(_is_first_word, line.split(b"\r"))):
                    return "conllu"
            elif line.strip():
                return "conllu" if _is_first_word(line) else "text"
        if not more:
            break
    return "text"


def _is_first_word(line: bytes) -> bool:
    """Whether a line looks like the first word of a sentence in a treebank."""
    fields = line.split(b"\t")
    return len(fields) >= LEAST_COLUMNS and bool(_FIRST_ID.fullmatch(fields[0]))


class _Script(NamedTuple):
    """Letters of a language without blanks between words, and what cuts them besides `char`.

    A word has fewer than `longest` letters on average.
    """

    language: str
    letter: re.Pattern[str]
    cut: str
    longest: int


# Japanese is written in Chinese characters, too. Korean has blanks.
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
    """Say that lines of a script without blanks are not cut into words; nothing if few are.

    Parameters
    ----------
    name : str
        What the text is called.
    lines : iterable of str
        Some lines of it.
    option : str
        What cuts lines into words, without its value: ``--tokenizer``.

    Examples
    --------
    >>> print(uncut_note("ref.txt", ["彼は昨日東京に行きました。"], "--tokenizer"))
    ref.txt: 100 % of the lines are Japanese without blanks between words, so that a line is \
one word: --tokenizer=ja-mecab cuts them (pip install "wordorder[ja]"), or --tokenizer=char
    >>> uncut_note("ref.txt", ["彼 は 東京 に 行っ た 。", "Well , he came ."], "--tokenizer")
    ''
    """
    some = [line for line in lines if line.strip()]
    uncut = [script for line in some if (script := _uncut_script(line))]
    if not uncut or len(uncut) < _SHARE * len(some):
        return ""
    script = max(_SCRIPTS, key=uncut.count)
    install = ' (pip install "wordorder[ja]")' if script.language == "Japanese" else ""
    how = f"{option}={script.cut} cuts them{install}, or {option}=char"
    if not script.cut:
        how = f"{option}=char cuts them"
    return (
        f"{name}: {percent(len(uncut), len(some))} of the lines are {script.language} without "
        f"blanks between words, so that a line is one word: {how}"
    )


def marked_share(lines: Iterable[str]) -> tuple[float, str]:
    """Return the largest share of words with one kind of tokenizers' marks, and a sentence on it.

    Examples
    --------
    >>> share, text = marked_share(["the small@@ est rob@@ ots walk"])
    >>> round(share, 3), text.partition(":")[0]
    (0.333, '33 % of the words are pieces of words ("small@@")')
    """
    words = [word for line in lines for word in line.split()]
    most, text = 0.0, ""
    for mark, what, how in _MARKS:
        marked = [word for word in words if mark.search(word)]
        if marked and len(marked) / len(words) > most:
            most = len(marked) / len(words)
            share = percent(len(marked), len(words))
            text = f'{share} of the words are {what} ("{marked[0]}"): {how}'
    return most, text


def mostly_uncut(lines: Sequence[str]) -> bool:
    """Say whether most of the lines that are not empty are of a script without blanks and have few.

    Examples
    --------
    >>> mostly_uncut(["彼は昨日東京に行きました。", ""]), mostly_uncut(["He went to Tokyo."])
    (True, False)
    """
    some = [line for line in lines if line.strip()]
    return 2 * len(list(filter(_uncut_script, some))) > len(some)


def _uncut_script(line: str) -> _Script | None:
    """Return the script of a line that has many letters and few blanks between them."""
    letters = len(_LETTER.findall(line))
    if letters < _LETTERS:
        return None
    script = next(script for script in _SCRIPTS if script.letter.search(line))
    words = sum(_LETTER.search(word) is not None for word in line.split())
    return script if letters >= script.longest * words else None
