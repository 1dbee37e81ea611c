"""The features of a translation, as Moses names them and in the order of its n-best lists."""

from __future__ import annotations

from typing import Final

# Name, number of values, and Moses' default weight of each.
# LexicalReordering0: logarithms of the orientation's probability: monotone, swap and discontinuous,
#   first with regard to the previous phrase, then to the next one.
# Distortion0: minus the words that are jumped over between two phrases.
# LM0: logarithm of the probability under the language model.
# WordPenalty0: minus the words of the translation.
# PhrasePenalty0: the phrases.
# TranslationModel0: logarithms of φ(f|e), lex(f|e), φ(e|f), lex(e|f).
# UnknownWordPenalty0: minus the source words that are copied.
GROUPS: Final = (
    ("LexicalReordering0", 6, 0.3),
    ("Distortion0", 1, 0.3),
    ("LM0", 1, 0.5),
    ("WordPenalty0", 1, -1.0),
    ("PhrasePenalty0", 1, 0.2),
    ("TranslationModel0", 4, 0.2),
    ("UnknownWordPenalty0", 1, 1.0),
)

# As n-best lists and files of weights name them: LexicalReordering0_0, LexicalReordering0_1, …
FEATURES: Final = tuple(f"{name}_{number}" for name, size, _ in GROUPS for number in range(size))

DEFAULT_WEIGHTS: Final = tuple(weight for _, size, weight in GROUPS for _ in range(size))
