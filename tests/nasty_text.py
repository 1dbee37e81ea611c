"""Text that tells tokenizers apart: all kinds of white space, signs, digits and entities."""

import random

ASCII = [*"abX.,.,--019'\"!&;<>()/_\\^`{~", *" \t\r\x00\x0b\x0c\x1c\x1f\x7f", "&amp;", "&quot;"]
PARTS = ["&lt;", "&gt;", "&am", "p;", "quot;", "<skipped>", "<ski", "pped>"]
BLANKS = [*"\x85\xa0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000"]
# Next to white space by their bytes, combining, of two to four bytes, special in lower case.
OTHERS = [
    *"\u200b\u2081\u20ac\ufeff\u0301\u00b2\u0663\u2026\u3002\u6f22\U0001f600\u00e9\u0130\u03a3"
]
# Words that sacreBLEU's tokenizer of TER cuts, some of them further when it meets them again.
PUNCTUATED = [
    *"..5|dog's,|'s,|dog's.|5..|,.5|1-2|a--b|...|,|x,5|it's|we|A.B.C.|(so)".split("|"),
    *("&quot;yes&quot;", "&amp;lt;", "\u6771\u4eac\u306f\u3001", "\u30ab\u30bf\u30ab\u30ca\uff01"),
]
PIECES = [*ASCII, *PARTS, *BLANKS, *OTHERS]


def nasty_line(rng: random.Random, pieces: int = 24) -> str:
    """Draw a line, sometimes an empty one; half of them of a few kinds of pieces."""
    some = rng.choices(PIECES, k=rng.choice([2, 4, 8])) if rng.random() < 0.5 else PIECES
    return "".join(rng.choices(some, k=rng.randrange(pieces + 1)))


def near_line(rng: random.Random, line: str) -> str:
    """Change some characters of a line and move its end to the front."""
    place = rng.randrange(len(line) + 1)
    moved = line[place:] + line[:place]
    return "".join(rng.choice(PIECES) if rng.random() < 0.1 else c for c in moved)
