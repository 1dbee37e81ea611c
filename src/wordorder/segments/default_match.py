"""Which words of two translations match where nobody says: those of one form, or of one stem.

`score`, `compare`, `analyze` and the metrics' own `corpus_score` all ask here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from wordorder.errors import spelt, switch
from wordorder.messages import SPELLINGS, note
from wordorder.segments import Segments

if TYPE_CHECKING:
    from wordorder.text.texts import Texts
    from wordorder.treebank.treebank import Column

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
    >>> from wordorder.treebank.treebank import Column
    >>> german = "wir haben uns gestern mit ihnen über das neue haus im dorf am see unterhalten"
    >>> foreign(Column.of(german.split()))[:17]
    '87 % of the words'
    """
    from wordorder.parsing.language import LanguageCheck

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
    >>> from wordorder.treebank.treebank import Column
    >>> language_of(Column.of("the cat sat on the mat".split()), "a.txt")
    'en'
    """
    message = foreign(form, known)
    if not message:
        return ENGLISH
    how = "--language names the language (en for English)"
    note(f"{name}: {message} {also}forms of one word are not recognised; {how}")
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


# Options of `given_segments`.
OPTIONS = (
    *("source", "tokenizer", "lowercase", "normalization", "case"),
    *("aligner", "language", "synonyms", "paraphrases"),
)


def given_segments(
    hypotheses: Any, references: Any, metric: str, orders: bool, options: dict[str, Any]
) -> Segments:
    """Return the segments that a metric was given as hypotheses and references.

    Parameters
    ----------
    hypotheses : sequence of str, or of lists of tokens; or a column of a table
    references : the same, one per segment; or lists of them, those of each segment or of each file
    metric : str
        What notes call it.
    orders : bool
        Whether it compares orders: then words are matched, by the default if no `aligner` is given.
    options : dict
        Some of `OPTIONS`.

    Raises
    ------
    UsageError
        If there is no such option, or lists may be those of segments or of files.
    InputError
        As `Segments.from_text`.
    """
    from wordorder.text.given import read_once, reference_columns, sized

    options = spelt(options, (*OPTIONS, *SPELLINGS), SPELLINGS)
    switch("lowercase", options.get("lowercase", False))
    hypotheses, references = read_once(hypotheses), read_once(references)
    if not hasattr(hypotheses, "__len__"):
        sized(hypotheses, "hypotheses")
    language, aligner = options.pop("language", None), options.pop("aligner", None)
    resources = {name: options.pop(name, None) for name in ("synonyms", "paraphrases")}
    listed = isinstance(hypotheses, (list, tuple))
    tokens = listed and any(not isinstance(each, str) for each in hypotheses[:1])
    layout: dict[str, Any] = {"references": references}
    if not tokens:
        columns = reference_columns(references, len(hypotheses))
        if any(isinstance(column, list) and None in column for column in columns):
            rows = zip(*columns, strict=True)
            layout = {"references": [[each for each in row if each is not None] for row in rows]}
        elif len(columns) > 1:
            layout = {"references": None, "references_by_file": columns}
        else:
            layout = {"references": columns[0]}
    segments = Segments.from_text(hypotheses, **layout, **options)
    if not orders:
        return segments
    from wordorder.alignment.monolingual import MonolingualAligner

    texts: Texts = segments.texts
    if aligner is not None and not isinstance(aligner, str):
        return Segments.from_texts(texts, aligner=aligner)
    if not (language or aligner):
        from wordorder.treebank.treebank import Column

        words = Column(texts.references.values, texts.vocabulary)
        language = language_of(words, "references")
    told = language or "en"
    modules = aligner or default_modules(told)
    matching = MonolingualAligner(told, tuple(modules.split("+")), **resources)
    matched = Segments.from_texts(texts, aligner=matching)
    if aligner is None:
        what = f"{metric} compares the order of words that match by --aligner={modules}"
        note(f"{what}, the default; without a match are {matched.dropped_words.shares}")
    return matched
