"""How lines are normalised and tokenised before their words are numbered."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any
from unicodedata import normalize

from wordorder.errors import choose
from wordorder.options import NORMAL_FORMS, TOKENIZERS
from wordorder.text.raw_lines import RawLines
from wordorder.text.tokenizers import mteval_words, sacrebleu_tokenizer

# Tokenizers that never look beyond a space or a tab.
BY_WORD = ("none", "13a")
# Tokenizer and language are guessed from the first `SAMPLE` lines with words among the first
# `SAMPLE_LINES` of a reference.
SAMPLE, SAMPLE_LINES = 100, 1000
# Han, kana, Thai, Lao, Khmer and Burmese; Korean is written with spaces.
_UNSPACED_LETTERS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"
)
_UNSPACED_LETTER = re.compile(f"[{_UNSPACED_LETTERS}]")
_BLANK_BETWEEN = re.compile(f"(?<=[{_UNSPACED_LETTERS}])[ \t]+(?=[{_UNSPACED_LETTERS}])")
# A text with at least one space per this number of letters is already split into words.
_LETTERS_PER_BLANK = 8
CASES = ("keep", "lower")
EMPTY_REFERENCES = ("count", "none")


def default_tokenizer(lines: Iterable[str]) -> str:
    """Return the tokenizer that `auto` chooses for a reference, by its first lines.

    Parameters
    ----------
    lines : iterable of str
        The first `SAMPLE` lines with words are used.

    Returns
    -------
    "13a" or "char"
        ``char`` if most letters are of a script without spaces between words, and few spaces are
        between them.

    Examples
    --------
    >>> default_tokenizer(["Yes, he is."]), default_tokenizer(["彼は昨日東京に行きました。"])
    ('13a', 'char')
    >>> default_tokenizer(["彼 は 昨日 東京 に 行き まし た 。"])
    '13a'
    """
    letters = unspaced = blanks = 0
    for line in islice(filter(str.strip, lines), SAMPLE):
        letters += sum(map(str.isalpha, line))
        unspaced += len(_UNSPACED_LETTER.findall(line))
        blanks += len(_BLANK_BETWEEN.findall(line))
    is_unspaced = 2 * unspaced > letters and _LETTERS_PER_BLANK * blanks < unspaced
    return "char" if is_unspaced else "13a"


@dataclass(frozen=True)
class Preparation:
    """How lines are normalised and tokenised before their words are numbered.

    Parameters
    ----------
    tokenizer : str
        ``none``: words are separated by spaces and tabs; or one of sacreBLEU's tokenizers; or
        ``auto``, which `chosen_for` replaces.
    case : "keep" or "lower"
    normalization : "none", "NFC", "NFKC", "NFD" or "NFKD"
        A Unicode normal form.
    empty_references : "count" or "none"
        Whether references without words count, or were left out when the texts were built; for
        signatures.
    is_default : bool
        Whether `chosen_for` chose the tokenizer: metrics with their own tokenizer then use that.

    Raises
    ------
    UsageError
        If a value is unknown, or a package that a tokenizer needs is not installed.

    Examples
    --------
    >>> prepare = Preparation(tokenizer="13a", case="lower")
    >>> prepare.tokens(prepare.normal(RawLines.from_strings(["Yes, he is."]))).strings()
    ['yes , he is .']
    """

    tokenizer: str = "none"
    case: str = "keep"
    normalization: str = "none"
    empty_references: str = "count"
    is_default: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        choose("tokenizer", self.tokenizer, TOKENIZERS)
        choose("case", self.case, CASES)
        choose("normalization", self.normalization, NORMAL_FORMS)
        choose("empty_references", self.empty_references, EMPTY_REFERENCES)

    @property
    def line_fields(self) -> tuple[tuple[str, str], ...]:
        """The signature's fields for changes to whole lines."""
        fields = [("case", self.case), ("norm", self.normalization)]
        if self.empty_references == "none":
            fields.append(("empty_references", "none"))
        return tuple(fields)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """All fields of the signature."""
        return (("tok", self.tokenizer), *self.line_fields)

    def chosen_for(self, references: Iterable[str]) -> "Preparation":
        """Return the preparation with `auto` replaced by the choice of `default_tokenizer`.

        Examples
        --------
        >>> Preparation(tokenizer="auto").chosen_for(["Yes, he is."]).tokenizer
        '13a'
        """
        if self.tokenizer != "auto":
            return self
        return replace(self, tokenizer=default_tokenizer(references), is_default=True)

    def normal(self, lines: RawLines) -> RawLines:
        """Apply normal form and case to lines."""
        if self.normalization != "none":
            form: Any = self.normalization
            lines = RawLines.from_strings([normalize(form, line) for line in lines.strings()])
        return lines.lower() if self.case == "lower" else lines

    def tokens(self, lines: RawLines) -> RawLines:
        """Put spaces between the words of lines."""
        if self.tokenizer == "none":
            return lines
        if self.tokenizer == "13a":
            return mteval_words(lines)
        failed = f"the tokenizer {self.tokenizer!r} cannot be used"
        tokenize, _ = sacrebleu_tokenizer(self.tokenizer, failed)
        return RawLines.from_strings([tokenize(line) for line in lines.strings()])
