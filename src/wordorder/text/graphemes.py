"""Characters as readers see them: a letter with its combining marks is one character."""

from unicodedata import category

# Format characters that do not belong to the character before: the zero-width space, and Arabic
# signs before numbers.
SEPARATE = frozenset("\u200b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
ZERO_WIDTH_JOINER = "\u200d"


def extends(character: str) -> bool:
    """Return whether a character belongs to the one before it: rule WB4 of Unicode's annex 29.

    These are combining marks, joiners, variation selectors, soft hyphens, other format
    characters, skin colours, and the vowels and final consonants of Hangul syllables.

    Examples
    --------
    >>> [extends(character) for character in "\u0301\u200d\ufe0f\u00ad\U0001f3fd-e"]
    [True, True, True, True, True, False, False]
    """
    if character.isascii():
        return False
    unicode_category = category(character)
    if unicode_category == "Cf":
        return character not in SEPARATE
    is_in_range = "\u1160" <= character <= "\u11ff" or "\U0001f3fb" <= character <= "\U0001f3ff"
    return is_in_range or unicode_category[0] == "M"


def is_regional(character: str) -> bool:
    """Return whether a character is a regional indicator; two of them are a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def starts_of_characters(text: str) -> list[int]:
    """Return the offsets at which characters, as readers see them, start, and the text's length.

    Extending characters at the start or after a space belong to the next character. A symbol after
    a joiner belongs to the character before, the second regional indicator of a pair to the first.

    Examples
    --------
    >>> starts_of_characters("e\u0301a")
    [0, 2, 3]
    """
    starts: list[int] = []
    # Whether the last character has only extending ones so far, and whether it is half a flag.
    bare = half = False
    for index, character in enumerate(text):
        is_extending, is_flag_letter = extends(character), is_regional(character)
        previous = text[index - 1] if index else " "
        is_joined = previous == ZERO_WIDTH_JOINER and category(character)[0] == "S"
        is_attached = bare or is_extending or is_joined or (half and is_flag_letter)
        if is_attached and not previous.isspace() and not character.isspace():
            half = is_flag_letter if bare else half and is_extending
            bare = bare and is_extending
        else:
            starts.append(index)
            bare, half = is_extending, is_flag_letter
    return [*starts, len(text)]
