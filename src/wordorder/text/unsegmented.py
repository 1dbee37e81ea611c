"""Japanese and Chinese text without blanks between words, of which a line looks like one word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wordorder.counts import percent

# Lines that are looked at: enough for a share, and few enough to cost nothing.
SAMPLE = 200
# Kana, and the characters that Chinese and Japanese share; Korean has blanks.
_KANA = "\u3040-\u30ff"
_LETTER = re.compile(f"[{_KANA}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_JAPANESE = re.compile(f"[{_KANA}]")
# A word has two letters or so; a line of so many, and so many a word, is not cut.
_LETTERS = 8
_A_WORD = 5
# The share of lines from which on it is worth a note.
_SHARE = 0.1


def unsegmented_note(name: str, lines: Iterable[str], option: str) -> str:
    """Say that lines are Japanese or Chinese without blanks; nothing if few are.

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
    >>> print(unsegmented_note("ref.txt", ["彼は昨日東京に行きました。"], "--tokenizer"))
    ref.txt: 100 % of the lines are Japanese without blanks between words, so that a line is \
one word: --tokenizer=ja-mecab cuts them (pip install "wordorder[ja]"), or --tokenizer=char
    >>> unsegmented_note("ref.txt", ["彼 は 昨日 東京 に 行き まし た 。", "日本"], "--tokenizer")
    ''
    """
    some = [line for line in lines if line.strip()]
    uncut = [line for line in some if _is_uncut(line)]
    if not uncut or len(uncut) < _SHARE * len(some):
        return ""
    japanese = 2 * sum(_JAPANESE.search(line) is not None for line in uncut) >= len(uncut)
    language = "Japanese" if japanese else "Chinese"
    how = f"{option}=zh cuts them"
    if japanese:
        how = f'{option}=ja-mecab cuts them (pip install "wordorder[ja]")'
    return (
        f"{name}: {percent(len(uncut), len(some))} of the lines are {language} without blanks "
        f"between words, so that a line is one word: {how}, or {option}=char"
    )


def _is_uncut(line: str) -> bool:
    """Say whether a line has many letters and few blanks between them."""
    letters = len(_LETTER.findall(line))
    if letters < _LETTERS:
        return False
    words = sum(_LETTER.search(word) is not None for word in line.split())
    return letters >= _A_WORD * words
