"""The default match of words between two translations: words of the same form, or the same stem.

It is used by `score`, `compare`, `analyze` and the `corpus_score` of each metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wordorder.errors import choose, switch, unify_names
from wordorder.messages import ALIASES
from wordorder.notes import note
from wordorder.options import AlignerOptions, WordOptions, options_of
from wordorder.segments import Segments

if TYPE_CHECKING:
    from wordorder.text.texts import Texts
    from wordorder.treebank.treebank import Column

ENGLISH, OTHER = "en", "other"
# The shipped model of English; its vocabulary shows whether a text is English.
MODEL = "en"

# Tokenizers that cannot split text that is written without spaces.
SPACE_BASED_TOKENIZERS = ("none", "13a", "intl")

# Options of `segments_for_metric`.
OPTIONS = ("source", *options_of(WordOptions, AlignerOptions), "case")


@cache
def english_words() -> Sequence[str]:
    """Return the vocabulary of the shipped parser of English, without loading the parser.

    Examples
    --------
    >>> {"the", "of"} <= set(english_words())
    True
    """
    from importlib.resources import files

    from wordorder.parsing.model_file import MODEL_FORMAT, strings_from_arrays
    from wordorder.text.tensors import read_tensors

    path = files("wordorder").joinpath(f"samples/models/{MODEL}.safetensors")
    _, arrays = read_tensors(str(path), MODEL_FORMAT)
    return strings_from_arrays("parser.transition.forms", arrays)


def foreign_text_message(forms: Column, english_vocabulary: Sequence[str] | None = None) -> str:
    """Return a message with the share of unknown words if a text is not English, else "".

    Parameters
    ----------
    forms : Column
        The words of a text.
    english_vocabulary : sequence of str, optional
        English words, by default those of `english_words`.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Column
    >>> german = "wir haben uns gestern mit ihnen über das neue haus im dorf am see unterhalten"
    >>> foreign_text_message(Column.of(german.split()))[:17]
    '87 % of the words'
    """
    from wordorder.parsing.language import LanguageCheck

    check = LanguageCheck(english_words() if english_vocabulary is None else english_vocabulary)
    check.add(forms)
    return check.message(MODEL)


def language_of(
    lines: Iterable[str],
    name: str,
    english_vocabulary: Sequence[str] | None = None,
    other_loss: str = "",
) -> str:
    """Return the language of a text whose stems are compared.

    The language is guessed from the most frequent words, among those that Snowball can stem. If
    none is clearly the best guess, the text is English unless most of its words are unknown to the
    shipped parser of English.

    Parameters
    ----------
    lines : iterable of str
        The lines of the text; the first `wordorder.text.preparation.SAMPLE` lines with words are
        used.
    name : str
        The name of the text in messages.
    english_vocabulary
        See `foreign_text_message`.
    other_loss : str
        Text for the note: what else is not available if the language has no stemmer.

    Returns
    -------
    str
        The code of a language with a stemmer, or "other".

    Warns
    -----
    note
        If the language has no stemmer; the note names the option that sets the language, unless
        the text is not in Latin script.

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
    if (language := guess_stemmer_language(sample)) != ENGLISH:
        return language
    if default_tokenizer(sample) == "char":
        # Characters have no stems.
        if other_loss:
            note(f"{name} is not in Latin script: {other_loss}")
        return OTHER
    word_ids, vocabulary = number_lines(
        mteval_words(RawLines.from_strings(sample, surrogates=True))
    )
    message = foreign_text_message(Column(word_ids.values, vocabulary), english_vocabulary)
    if not message:
        return ENGLISH
    remedy = "--language names the language (en for English)"
    loss = f"{other_loss} and " if other_loss else ""
    note(f"{name}: {message} {loss}forms of one word are not recognised; {remedy}")
    return OTHER


def guess_stemmer_language(lines: Iterable[str]) -> str:
    """Guess the language from the most frequent words; return English if it has no stemmer.

    Parameters
    ----------
    lines : iterable of str
        See `language_of`.
    """
    from wordorder.alignment.monolingual.candidates import STEMMERS
    from wordorder.alignment.monolingual.languages import common_language
    from wordorder.text.preparation import SAMPLE

    language = common_language(islice(filter(str.strip, lines), SAMPLE))
    return language if language in STEMMERS else ENGLISH


def default_modules(language: str) -> str:
    """Return the default modules of a language: ``exact+stem``, or ``exact`` without a stemmer.

    Examples
    --------
    >>> default_modules("en"), default_modules("other")
    ('exact+stem', 'exact')
    """
    from wordorder.alignment.monolingual.candidates import LANGUAGES, STEMMERS

    return "exact+stem" if STEMMERS[choose("language", language, LANGUAGES)] else "exact"


def language_option(language: str) -> str:
    """Return the option ``--language`` for notes, or an empty string for English and "other".

    Examples
    --------
    >>> language_option("de"), language_option("en"), language_option("other")
    (' --language=de', '', '')
    """
    return "" if language in (ENGLISH, OTHER) else f" --language={language}"


class ReadsText(Protocol):
    """The part of the interface of a metric that concerns its tokenizer."""

    @property
    def name(self) -> str:
        """The name of the metric in signatures."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `Segments` that the metric reads."""

    def is_cut_by(self, tokenizer: str) -> bool:
        """Return whether the metric counts the words of this tokenizer."""


def uncut_metrics(metrics: Iterable[ReadsText]) -> list[str]:
    """Return the names of metrics that do not split lines without spaces.

    Metrics whose own option names a tokenizer for such lines are left out.
    """
    return [
        metric.name
        for metric in metrics
        if not metric.is_cut_by(getattr(metric, "tokenize", ""))
        or (
            metric.name == "bleu"
            and getattr(metric, "tokenize", "") in ("auto", *SPACE_BASED_TOKENIZERS)
        )
    ]


def note_uncut(segments: Segments, metric: ReadsText) -> None:
    """Note that a metric reads lines of Japanese or Chinese that are not split into words."""
    from wordorder.text.sniffing import uncut_note

    texts = segments.texts
    tokenizer = texts.preparation.tokenizer
    is_segmented = tokenizer not in SPACE_BASED_TOKENIZERS and segments.tokenizer != "auto"
    reads_words = tokenizer in SPACE_BASED_TOKENIZERS and "lines" not in metric.columns
    if texts.lines is None or is_segmented or not (reads_words or uncut_metrics([metric])):
        return
    if message := uncut_note("references", _first_references(texts), "--tokenizer"):
        note(message if reads_words else f"{metric.name}: {message}")


def segments_for_metric(
    hypotheses: Any, references: Any, metric: str, compares_orders: bool, options: dict[str, Any]
) -> Segments:
    """Build `Segments` from the hypotheses and references passed to a metric.

    Parameters
    ----------
    hypotheses : sequence of str, or of lists of tokens; or a column of a table
    references : the same, one per segment; or a list of lists, one per segment or one per file
    metric : str
        The name of the metric in notes.
    compares_orders : bool
        Whether the metric compares orders, so that words have to be matched, by the default
        aligner if there is no `aligner`.
    options : dict
        Some of `OPTIONS`.

    Raises
    ------
    UsageError
        If an option is unknown, or lists of references may be per segment or per file.
    InputError
        See `Segments.from_text`.
    """
    from wordorder.text.inputs import note_single_words, read_once, reference_columns, sized

    options = unify_names(options, (*OPTIONS, *ALIASES), ALIASES)
    switch("lowercase", options.get("lowercase", False))
    hypotheses, references = read_once(hypotheses), read_once(references)
    if not hasattr(hypotheses, "__len__"):
        sized(hypotheses, "hypotheses")
    language, aligner = options.pop("language", None), options.pop("aligner", None)
    resources = {name: options.pop(name, None) for name in ("synonyms", "paraphrases")}
    is_list = isinstance(hypotheses, (list, tuple))
    is_tokenized = is_list and any(not isinstance(line, str) for line in hypotheses[:1])
    layout: dict[str, Any] = {"references": references}
    if not is_tokenized:
        columns = reference_columns(references, len(hypotheses))
        note_single_words(columns, lambda: is_list and any(" " in line for line in hypotheses))
        if any(isinstance(column, list) and None in column for column in columns):
            rows = zip(*columns, strict=True)
            layout = {"references": [[line for line in row if line is not None] for row in rows]}
        elif len(columns) > 1:
            layout = {"references": None, "references_by_file": columns}
        else:
            layout = {"references": columns[0]}
    segments = Segments.from_text(hypotheses, **layout, **options)
    if not compares_orders:
        return segments
    from wordorder.alignment.monolingual import MonolingualAligner

    texts: Texts = segments.texts
    if aligner is not None and not isinstance(aligner, str):
        return Segments.from_texts(texts, aligner=aligner)
    if language is None:
        sample = _first_references(texts)
        language = guess_stemmer_language(sample) if aligner else language_of(sample, "references")
    modules = aligner or default_modules(language)
    word_aligner = MonolingualAligner(language, tuple(modules.split("+")), **resources)
    matched = Segments.from_texts(texts, aligner=word_aligner)
    if aligner is None:
        aligner_option = f"--aligner={modules}{language_option(language)}"
        note_text = f"{metric} compares the order of words that match by {aligner_option}"
        note(f"{note_text}, the default; without a match are {matched.dropped_words.shares}")
    return matched


def _first_references(texts: Texts) -> list[str]:
    """Return the first reference of each segment, for a sample of the first segments."""
    from wordorder.text.preparation import SAMPLE_LINES

    sample = np.flatnonzero(np.diff(texts.reference_offsets))[:SAMPLE_LINES]
    rows = texts.reference_offsets[sample]
    return texts.reference_raw.take(rows).strings(surrogates=True)
