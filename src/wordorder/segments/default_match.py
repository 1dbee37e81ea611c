"""Which words of two translations match where nobody says: those of one form, or of one stem.

`score`, `compare`, `analyze` and the metrics' own `corpus_score` all ask here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from wordorder.notes import note

if TYPE_CHECKING:
    from wordorder.treebank.column import Column

ENGLISH, OTHER = "en", "other"
# The shipped model of English, whose words tell the language.
MODEL = "en"


@cache
def english_words() -> Sequence[str]:
    """Return the words that the shipped parser of English has learnt, without opening it.

    Examples
    --------
    >>> {"the", "of"} <= set(english_words())
    True
    """
    from importlib.resources import files

    from wordorder.parsing.model_file import FORMAT, strings_from_arrays
    from wordorder.text.tensors import read_tensors

    path = files("wordorder").joinpath(f"samples/models/{MODEL}.safetensors")
    _, arrays = read_tensors(str(path), FORMAT)
    return strings_from_arrays("parser.transition.forms", arrays)


def foreign(form: Column, known: Sequence[str] | None = None) -> str:
    """Say what share of words is not English, if the text is of another language.

    Parameters
    ----------
    form : Column
        The words of some text.
    known : sequence of str, optional
        The words of English, if they are at hand.

    Examples
    --------
    >>> from wordorder.treebank.column import Column
    >>> german = "wir haben uns gestern mit ihnen über das neue haus im dorf am see unterhalten"
    >>> foreign(Column.of(german.split()))[:17]
    '87 % of the words'
    """
    from wordorder.parsing.sentence_reading import LanguageCheck

    check = LanguageCheck(english_words() if known is None else known)
    check.add(form)
    return check.message(MODEL)


def language_of(form: Column, name: str, known: Sequence[str] | None = None, also: str = "") -> str:
    """Return the language of some words: English, or another.

    Parameters
    ----------
    form, known
        As in `foreign`.
    name : str
        What messages call the text.
    also : str
        What else there is not if it is another language.

    Warns
    -----
    WordOrderWarning
        If it is not English; the note names the option that sets the language.

    Examples
    --------
    >>> from wordorder.treebank.column import Column
    >>> language_of(Column.of("the cat sat on the mat".split()), "a.txt")
    'en'
    """
    message = foreign(form, known)
    if not message:
        return ENGLISH
    note(
        f"{name}: {message} {also}forms of one word are not recognised; --language names the "
        "language (en for English)"
    )
    return OTHER


def default_modules(language: str) -> str:
    """Return what matches the words of a language: ``exact+stem``, or ``exact`` without stemmer.

    Examples
    --------
    >>> default_modules("en"), default_modules("other")
    ('exact+stem', 'exact')
    """
    from wordorder.alignment.monolingual.candidates import language_modules

    return "exact+stem" if "stem" in language_modules(language) else "exact"
