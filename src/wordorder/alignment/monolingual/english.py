"""The English stemmer of Snowball, written for speed."""

from __future__ import annotations

import re

_VOWELS = frozenset("aeiouy")
# From a place on: up to a vowel, over the vowels, and the consonant behind them.
_REGION = re.compile("[^aeiouy]*[aeiouy]+[^aeiouy]", re.DOTALL)
_VOWEL = re.compile("[aeiouy]")
# A y that is a consonant, and one behind it that is none then.
_Y = re.compile("(?:^|(?<=[aeiouy]))y(y?)")


def _pairs(text: str) -> dict[str, str]:
    """Read ``what>instead`` pairs."""
    return dict(pair.split(">", 1) for pair in text.split())


_WHOLE = _pairs(
    "andes>andes atlas>atlas bias>bias cosmos>cosmos howe>howe news>news sky>sky skis>ski "
    "skies>sky idly>idl gently>gentl ugly>ugli early>earli only>onli singly>singl"
)
_OVERSTEMMED = ("arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers")
_KEEP_ING = frozenset(("even", "cann", "inn", "earr", "herr", "out"))
_KEEP_EED = frozenset(("succ", "proc", "exc"))
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_STEP_2 = _pairs(
    "tional>tion ational>ate enci>ence anci>ance abli>able entli>ent izer>ize ization>ize "
    "ation>ate ator>ate alism>al aliti>al alli>al fulness>ful fulli>ful ousli>ous ousness>ous "
    "iveness>ive iviti>ive biliti>ble bli>ble ogist>og lessli>less ogi>og li>"
)
_BEFORE_LI = frozenset("cdeghkmnrt")
_STEP_3 = _pairs("tional>tion ational>ate alize>al icate>ic iciti>ic ical>ic ful> ness> ative>")
_STEP_4 = frozenset(
    "ic ance ence able ible ate ive ize iti al ism ion er ous ant ent ment ement".split()
)


def english_stem(word: str) -> str:
    """Return the stem of a word without apostrophes and without a capital Y.

    The algorithm "english" of Snowball 3.1 (Porter 2), seven times as fast as the Python that
    Snowball generates from it.

    Examples
    --------
    >>> [english_stem(word) for word in "relations owed dying generally".split()]
    ['relat', 'owe', 'die', 'general']
    """
    if len(word) < 3:
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    if "y" in word:
        word = _Y.sub(r"Y\1", word)
    first = second = len(word)
    prefix = next((p for p in _OVERSTEMMED if word.startswith(p)), None)
    region = None if prefix else _REGION.match(word)
    if prefix or region:
        first = len(prefix) if prefix else region.end()  # type: ignore[union-attr]
        region = _REGION.match(word, first)
        second = region.end() if region else second
    word = _without_plural(word)
    word = _without_verb_ending(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    if word[-1] in "ilmnrst":
        word = _step_2(word, first)
    if word[-1] in "eils":
        word = _step_3(word, first, second)
    if word[-1] in "ceilmnrst":
        word = _step_4(word, second)
    size = len(word) - 1
    if word[-1] == "e":
        if second <= size or (first <= size and not _short(word[:-1])):
            word = word[:-1]
    elif word[-1] == "l" and second <= size and word[-2:] == "ll":
        word = word[:-1]
    return word.replace("Y", "y")


def _short(word: str) -> bool:
    """Whether a word ends in a short syllable."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    if word.endswith("past"):
        return True
    return (
        len(word) > 2
        and word[-3] not in _VOWELS
        and word[-2] in _VOWELS
        and word[-1] not in _VOWELS
        and word[-1] not in "wxY"
    )


def _without_plural(word: str) -> str:
    """Step 1a."""
    if word[-1] == "s":
        if word.endswith("sses"):
            return word[:-2]
        if word.endswith("ies"):
            return word[:-2] if len(word) > 4 else word[:-1]
        if word[-2] not in "su" and _VOWEL.search(word, 0, len(word) - 2):
            return word[:-1]
    elif word.endswith("ied"):
        return word[:-2] if len(word) > 4 else word[:-1]
    return word


def _without_verb_ending(word: str, first: int) -> str:
    """Step 1b."""
    if word.endswith(("eed", "eedly")):
        size = len(word) - (3 if word[-1] == "d" else 5)
        return word[:size] + "ee" if first <= size and word[:size] not in _KEEP_EED else word
    if word.endswith("ing"):
        rest = word[:-3]
        if rest in _KEEP_ING:
            return word
        if len(rest) == 2 and rest[1] == "y" and rest[0] not in _VOWELS:
            return rest[0] + "ie"
    elif word.endswith("ed"):
        rest = word[:-2]
    elif word.endswith("edly"):
        rest = word[:-4]
    elif word.endswith("ingly"):
        rest = word[:-5]
    else:
        return word
    if not _VOWEL.search(rest):
        return word
    end = rest[-2:]
    if end in ("at", "bl", "iz"):
        return rest + "e"
    if end in _DOUBLES:
        return rest if len(rest) == 3 and rest[0] in "aeo" else rest[:-1]
    return rest + "e" if len(rest) == first and _short(rest) else rest


def _step_2(word: str, first: int) -> str:
    for length in (7, 6, 5, 4, 3, 2):
        ending = word[-length:]
        if ending in _STEP_2 and len(ending) == length:
            size = len(word) - length
            before = word[size - 1 : size]
            if first > size:
                return word
            if ending == "ogi" and before != "l":
                return word
            if ending == "li" and before not in _BEFORE_LI:
                return word
            return word[:size] + _STEP_2[ending]
    return word


def _step_3(word: str, first: int, second: int) -> str:
    for length in (7, 6, 5, 4, 3):
        ending = word[-length:]
        if ending in _STEP_3 and len(ending) == length:
            size = len(word) - length
            if first > size or (ending == "ative" and second > size):
                return word
            return word[:size] + _STEP_3[ending]
    return word


def _step_4(word: str, second: int) -> str:
    for length in (5, 4, 3, 2):
        ending = word[-length:]
        if ending in _STEP_4 and len(ending) == length:
            size = len(word) - length
            if second > size or (ending == "ion" and word[size - 1 : size] not in ("s", "t")):
                return word
            return word[:size]
    return word
