"""Which words of two translations match where nobody says: those of one form, or of one stem.

`score`, `compare`, `analyze` and the metrics' own `corpus_score` all ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wordorder.errors import choose, spelt, switch
from wordorder.messages import SPELLINGS
from wordorder.notes import note
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


def language_of(
    lines: Iterable[str], name: str, known: Sequence[str] | None = None, also: str = ""
) -> str:
    """Return the language of a text whose stems are compared.

    Its commonest words tell one of Snowball's languages. Where none of them clearly leads, the text
    is English unless most of its words are unknown to the shipped parser of English.

    Parameters
    ----------
    lines : iterable of str
        The first `wordorder.text.preparation.SAMPLE` lines with words are looked at.
    known
        As in `foreign`.
    name : str
        What messages call the text.
    also : str
        What else there is not if it is another language.

    Returns
    -------
    str
        One with a stemmer, or "other".

    Warns
    -----
    note
        If it has no stemmer; the note names the option that sets the language.

    Examples
    --------
    >>> language_of(["the cat sat on the mat"], "a.txt")
    'en'
    >>> language_of(["die Katze saß auf der Matte und die Maus nicht in dem Loch"], "b.txt")
    'de'
    """
    from wordorder.text.preparation import SAMPLE, default_tokenizer
    from wordorder.text.raw_lines import RawLines
    from wordorder.text.tokenizers import mteval_words
    from wordorder.text.vocabulary import number_lines
    from wordorder.treebank.treebank import Column

    sample = list(islice(filter(str.strip, lines), SAMPLE))
    if (language := stems_language(sample)) != ENGLISH:
        return language
    if default_tokenizer(sample) == "char":
        # Characters have no stems.
        if also:
            note(f"{name} is not in Latin script: {also}")
        return OTHER
    word_ids, vocabulary = number_lines(
        mteval_words(RawLines.from_strings(sample, surrogates=True))
    )
    message = foreign(Column(word_ids.values, vocabulary), known)
    if not message:
        return ENGLISH
    remedy = "--language names the language (en for English)"
    loss = f"{also} and " if also else ""
    note(f"{name}: {message} {loss}forms of one word are not recognised; {remedy}")
    return OTHER


def stems_language(lines: Iterable[str]) -> str:
    """Return the language with a stemmer that a text is in by its commonest words, else English.

    Parameters
    ----------
    lines : iterable of str
        As in `language_of`.
    """
    from wordorder.alignment.monolingual.candidates import STEMMERS
    from wordorder.alignment.monolingual.languages import common_language
    from wordorder.text.preparation import SAMPLE

    language = common_language(islice(filter(str.strip, lines), SAMPLE))
    return language if language in STEMMERS else ENGLISH


def default_modules(language: str) -> str:
    """Return what matches the words of a language: ``exact+stem``, or ``exact`` without stemmer.

    Examples
    --------
    >>> default_modules("en"), default_modules("other")
    ('exact+stem', 'exact')
    """
    from wordorder.alignment.monolingual.candidates import LANGUAGES, STEMMERS

    return "exact+stem" if STEMMERS[choose("language", language, LANGUAGES)] else "exact"


def default_language(language: str) -> str:
    """Return what notes add to the modules for a language: nothing for English.

    Examples
    --------
    >>> default_language("de"), default_language("en"), default_language("other")
    (' --language=de', '', '')
    """
    return "" if language in (ENGLISH, OTHER) else f" --language={language}"


class ReadsText(Protocol):
    """A metric, as far as its tokenizer is concerned."""

    @property
    def name(self) -> str:
        """Its name in signatures."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `Segments` that it reads."""

    def is_cut_by(self, tokenizer: str) -> bool:
        """Return whether it splits lines itself as this tokenizer does."""


def uncut_metrics(metrics: Iterable[ReadsText]) -> list[str]:
    """Return the names of metrics that read lines without blanks as they are.

    What has another tokenizer by an option of its own is cut as it should be; chrF alone counts
    characters.
    """
    return [
        metric.name
        for metric in metrics
        if not metric.is_cut_by(getattr(metric, "tokenize", ""))
        or (metric.name == "bleu" and getattr(metric, "tokenize", "") in ("auto", *WESTERN))
    ]


def note_uncut(segments: Segments, metric: ReadsText) -> None:
    """Note that a metric reads lines of Japanese or Chinese that are not cut into words."""
    from wordorder.text.sniffing import uncut_note

    texts = segments.texts
    tokenizer = texts.preparation.tokenizer
    is_segmented = tokenizer not in WESTERN and segments.tokenizer != "auto"
    reads_words = tokenizer in WESTERN and "lines" not in metric.columns
    if texts.lines is None or is_segmented or not (reads_words or uncut_metrics([metric])):
        return
    if message := uncut_note("references", _first_references(texts), "--tokenizer"):
        note(message if reads_words else f"{metric.name}: {message}")


# Tokenizers that cut no line without blanks.
WESTERN = ("none", "13a", "intl")

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
    from wordorder.text.inputs import note_single_words, read_once, reference_columns, sized

    options = spelt(options, (*OPTIONS, *SPELLINGS), SPELLINGS)
    switch("lowercase", options.get("lowercase", False))
    hypotheses, references = read_once(hypotheses), read_once(references)
    if not hasattr(hypotheses, "__len__"):
        sized(hypotheses, "hypotheses")
    language, aligner = options.pop("language", None), options.pop("aligner", None)
    resources = {name: options.pop(name, None) for name in ("synonyms", "paraphrases")}
    is_list = isinstance(hypotheses, (list, tuple))
    is_tokenized = is_list and any(not isinstance(each, str) for each in hypotheses[:1])
    layout: dict[str, Any] = {"references": references}
    if not is_tokenized:
        columns = reference_columns(references, len(hypotheses))
        note_single_words(columns, lambda: is_list and any(" " in line for line in hypotheses))
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
    if language is None:
        detect_language = stems_language if aligner else partial(language_of, name="references")
        language = detect_language(_first_references(texts))
    modules = aligner or default_modules(language)
    word_aligner = MonolingualAligner(language, tuple(modules.split("+")), **resources)
    matched = Segments.from_texts(texts, aligner=word_aligner)
    if aligner is None:
        aligner_option = f"--aligner={modules}{default_language(language)}"
        note_text = f"{metric} compares the order of words that match by {aligner_option}"
        note(f"{note_text}, the default; without a match are {matched.dropped_words.shares}")
    return matched


def _first_references(texts: Texts) -> list[str]:
    """Return the first references, one per segment, as many as are looked at."""
    from wordorder.text.preparation import SAMPLE_LINES

    sample = np.flatnonzero(np.diff(texts.reference_offsets))[:SAMPLE_LINES]
    rows = texts.reference_offsets[sample]
    return texts.reference_raw.take(rows).strings(surrogates=True)
