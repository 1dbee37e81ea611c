"""Characters as readers see them: a letter with its combining marks is one."""

from unicodedata import category

# Signs of format that do not belong to the character before: the blank without width, and Arabic
# signs before numbers.
SEPARATE = frozenset("\u200b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
ZERO_WIDTH_JOINER = "\u200d"


def extends(character: str) -> bool:
    """Return whether a character belongs to the one before it: rule WB4 of Unicode's annex 29.

    That is so of combining marks, joiners, variation selectors, soft hyphens, other signs of
    format, colours of skin, and the vowels and final consonants of Hangul syllables.

    Examples
    --------
    >>> [extends(character) for character in "\u0301\u200d\ufe0f\u00ad\U0001f3fd-e"]
    [True, True, True, True, True, False, False]
    """
    if character.isascii():
        return False
    kind = category(character)
    if kind == "Cf":
        return character not in SEPARATE
    between = "\u1160" <= character <= "\u11ff" or "\U0001f3fb" <= character <= "\U0001f3ff"
    return between or kind[0] == "M"


def is_regional(character: str) -> bool:
    """Return whether a character is one of the letters of which two are a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def starts_of_characters(text: str) -> list[int]:
    """Return where characters as readers see them start in a text, and where the last one stops.

    At the start and after a blank, signs belong to the next character. A symbol after a joiner
    belongs to the one before, and the second regional indicator of a pair to the first.

    Examples
    --------
    >>> starts_of_characters("e\u0301a")
    [0, 2, 3]
    """
    starts: list[int] = []
    # Whether the last character has nothing but signs so far, and whether it is half a flag.
    bare = half = False
    for place, character in enumerate(text):
        extending, regional = extends(character), is_regional(character)
        previous = text[place - 1] if place else " "
        joined = previous == ZERO_WIDTH_JOINER and category(character)[0] == "S"
        belongs = bare or extending or joined or (half and regional)
        if belongs and not previous.isspace() and not character.isspace():
            half = regional if bare else half and extending
            bare = bare and extending
        else:
            starts.append(place)
            bare, half = extending, regional
    return [*starts, len(text)]
