"""Whether references are English, told from their words."""

from __future__ import annotations

from wordorder.analysis.translations.reference_trees import foreign
from wordorder.notes import note
from wordorder.parsing.opened import Opened
from wordorder.scoring.files import Files
from wordorder.text.named_files import read_only_once
from wordorder.text.opening import display_name
from wordorder.text.preparation import Preparation
from wordorder.text.vocabulary import number_lines
from wordorder.text.words import word_reader
from wordorder.treebank.column import Column

ENGLISH, OTHER = "en", "other"
# What needs tags or trees.
LEFT_OUT = "there are no tables by tag and relation"
# Lines that are looked at.
LINES = 1000


def told_language(files: Files, english: Opened | None) -> str:
    """Return the language of the references: English, or another.

    Parameters
    ----------
    files : Files
        The first lines of the reference are read; one that can be read only once is taken for
        English.
    english : Opened, optional
        A parser that knows the words of English; without it all text is taken for English.

    Returns
    -------
    "en" or "other"

    Warns
    -----
    WordOrderWarning
        If the text is not English: what is left out, and which option names the language.
    """
    if english is None or read_only_once(files.reference):
        return ENGLISH
    with word_reader(files.reference, files.kind) as reader:
        lines = reader.take(LINES)
    case = "lower" if files.lowercase else "keep"
    prepared = Preparation(files.tokenizer, case, files.normalization)
    words, vocabulary = number_lines(prepared.tokens(prepared.normal(lines)))
    return language_of(Column(words.values, vocabulary), english, files.reference)


def language_of(form: Column, english: Opened, path: str) -> str:
    """Return the language of some words; see `told_language`.

    Examples
    --------
    >>> from wordorder.parsing.opened import open_parser
    >>> language_of(Column.of("the cat sat on the mat".split()), open_parser("en"), "a.txt")
    'en'
    """
    message = foreign(form, english)
    if not message:
        return ENGLISH
    note(
        f"{display_name(path)}: {message} {LEFT_OUT} and forms of one word are not recognised; "
        "--language names the language (en for English)"
    )
    return OTHER
