"""How lines become words: case, Unicode normalisation, tokenizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from wordorder.errors import choose
from wordorder.text.raw_lines import RawLines
from wordorder.text.tokenizers import mteval_words, sacrebleu_tokenizer

# sacreBLEU's tokenizers, by the names that it gives them; "spm" ones fetch models from elsewhere.
TOKENIZERS = ("none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")
CASES = ("keep", "lower")
EMPTY_REFERENCES = ("count", "none")
NORMALIZATIONS = ("none", "NFC", "NFKC", "NFD", "NFKD")


@dataclass(frozen=True)
class Preparation:
    """What is done to lines before their words are numbered.

    Parameters
    ----------
    tokenizer : str
        ``none``: words are separated by blanks and tabs; or one of sacreBLEU's tokenizers.
    case : "keep" or "lower"
    normalization : "none", "NFC", "NFKC", "NFD" or "NFKD"
        A Unicode normal form.
    empty_references : "count" or "none"
        Whether a reference without words is one, or was left out when the texts were made: so
        that signatures say it.

    Raises
    ------
    UsageError
        If a value is unknown, or what a tokenizer needs is not installed.

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

    def __post_init__(self) -> None:
        choose("tokenizer", self.tokenizer, TOKENIZERS)
        choose("case", self.case, CASES)
        choose("normalization", self.normalization, NORMALIZATIONS)
        choose("empty_references", self.empty_references, EMPTY_REFERENCES)

    @property
    def line_fields(self) -> tuple[tuple[str, str], ...]:
        """The signature's fields of what is done to whole lines."""
        fields = [("case", self.case), ("norm", self.normalization)]
        if self.empty_references == "none":
            fields.append(("empty_references", "none"))
        return tuple(fields)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """All fields of the signature."""
        return (("tok", self.tokenizer), *self.line_fields)

    def normal(self, lines: RawLines) -> RawLines:
        """Apply normal form and case to lines."""
        if self.normalization != "none":
            form: Any = self.normalization
            lines = RawLines.from_strings([normalize(form, line) for line in lines.strings()])
        return lines.lower() if self.case == "lower" else lines

    def tokens(self, lines: RawLines) -> RawLines:
        """Put blanks between the words of lines."""
        if self.tokenizer == "none":
            return lines
        if self.tokenizer == "13a":
            return mteval_words(lines)
        failed = f"the tokenizer {self.tokenizer!r} cannot be used"
        tokenize, _ = sacrebleu_tokenizer(self.tokenizer, failed)
        return RawLines.from_strings([tokenize(line) for line in lines.strings()])
