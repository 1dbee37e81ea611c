"""Translations from files, read as `score` reads them."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from wordorder.alignment.monolingual.aligner import Matches, MonolingualAligner
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    TemporaryFiles,
    concatenate,
    free_memory,
    move_to_file,
)
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.arrays import Int32, Int64, OnProgress, Ragged, concatenate_offsets
from wordorder.errors import InputError
from wordorder.metrics.contract import BaseMetric, statistics_in_pieces
from wordorder.notes import note
from wordorder.parsing.base import KnowsWords
from wordorder.parsing.pipeline.loading import ParsingPipeline, open_parser
from wordorder.parsing.transition.parser import TransitionParser
from wordorder.scoring import text_files
from wordorder.scoring.files import (
    Files,
    Inputs,
    Metrics,
    SegmentsFactory,
    is_bilingual,
    make_metrics,
)
from wordorder.scoring.notes import note_few
from wordorder.scoring.scores import evaluate_kind
from wordorder.scoring.systems import Keep
from wordorder.segments import Segments
from wordorder.segments.default_match import ENGLISH, MODEL, OTHER
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import NO_HEAD, NO_MARGIN, STRING_COLUMNS, Column, Treebank

# Metrics of order first, then metrics of whole sentences.
DEFAULT_METRICS = "frs,cder,bleu,kendall,ter"

# What an analysis lacks without tags and trees.
MISSING_TABLES = "there are no tables by tag and relation"

# Half the beam width of the model: as accurate on the test part of English EWT (86.2 and 86.1 % of
# heads right), and faster by a quarter.
REFERENCE_BEAM = 4

Storable = TypeVar("Storable")


class _AnalysisFiles(text_files.TextFiles):
    """Translations of which words and links are analysed, whatever the metrics read."""

    has_other_readers = True


def read_translations(
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    language: str | None = None,
    progress: OnProgress | None = None,
) -> Translations:
    """Read, match, score and parse the translations of some systems.

    Parameters
    files : Files
        Reference and systems are translations. Without an aligner and alignments, words of
        translation and reference are matched if a metric needs orders.
    metrics : str or sequence of str
        Names; by default frs, cder, bleu, kendall and ter.
    settings : sequence of str
        Options of the metrics.
    language : str, optional
        The language of the references, for stems, tags and trees; by default, it is detected.
    progress : callable, optional
        Called with the number of finished segments.

    Raises
    ------
    UsageError
        If a name is unknown, or options are not compatible with each other or with translations.
    InputError
        If a file is wrong, or two differ in their number of lines.

    Warns
    -----
    note
        About assumptions and missing parts.
    """
    files = text_files.read_stream_start(files)
    # The parser is also used to detect the language.
    parser = reference_parser() if language in (None, ENGLISH) else None
    model = None if parser is None else parser.parser
    known_words = model.learnt_words() if isinstance(model, KnowsWords) else None
    detected = language or text_files.detect_language(files, known_words, MISSING_TABLES)
    modules = text_files.modules_of(files, detected)
    columns = text_files.TextFiles(
        files if files.makes_orders else replace(files, aligner=modules)
    ).columns
    metric_list = make_metrics(metrics or DEFAULT_METRICS, settings, columns, files.tokenizer)
    files = text_files.matched_files(files, metric_list, detected)
    if files.aligner is not None and not is_bilingual(files.aligner):
        files = replace(files, language=detected)
    kind = _AnalysisFiles(files)
    kind.check()
    kind.check_metrics(metric_list)
    aligner = MonolingualAligner(
        detected, tuple(modules.split("+")), files.synonyms, files.paraphrases
    )
    parts = _SystemParts(aligner)
    keep = Keep(statistics=True, store=TemporaryFiles())
    evaluation, metric_list = evaluate_kind(
        kind, metric_list, keep, progress=progress, wrap_inputs=parts.opened
    )
    note_few(evaluation)
    made: tuple[BaseMetric, ...] = tuple(metric_list)
    systems = parts.join_systems()
    texts = systems[0].segments.texts
    if detected not in (ENGLISH, OTHER) or language == OTHER:
        note(f"--language={detected}: tags and trees are for English; {MISSING_TABLES}")
    return Translations(
        tuple(
            translated.scored(system.name, made, system.statistics)
            for translated, system in zip(systems, evaluation.systems, strict=True)
        ),
        made,
        tuple(score.signature for score in evaluation.systems[0].scores),
        tuple(translated.segments.links for translated in systems)
        if "links" in kind.columns
        else None,
        reference_trees(texts, parser) if detected == ENGLISH else None,
        detected,
    )


class _SystemParts:
    """Collects the systems while their segments are read and scored part by part.

    Word ids, matches and orders are stored, in temporary files if they are large; lines are not.
    """

    def __init__(self, aligner: MonolingualAligner) -> None:
        self._aligner = aligner
        self._words: dict[str, int] = {}
        # Number of segments before a part -> system -> its part; written by several threads.
        self._parts: dict[int, dict[int, TranslatedSystem]] = {}
        self._lock = Lock()

    def opened(self, inputs: Inputs) -> Inputs:
        """Return inputs whose segments are also collected."""

        def segments(parts: Sequence[Any], before: int) -> list[SegmentsFactory]:
            part_systems: dict[int, TranslatedSystem] = {}
            self._parts[before] = part_systems

            def store_when_made(index: int, make: SegmentsFactory) -> SegmentsFactory:
                def make_and_store() -> Segments:
                    made_segments = make()
                    part_systems[index] = self._looked_at(made_segments, before)
                    return made_segments

                return make_and_store

            return [store_when_made(*item) for item in enumerate(inputs.segments(parts, before))]

        return replace(inputs, segments=segments)

    def join_systems(self) -> list[TranslatedSystem]:
        """Join the parts of each system and free them: this can be called once."""
        # Scoring needed more memory than what is stored.
        free_memory()
        parts = [part_systems for _, part_systems in sorted(self._parts.items())]
        indices = sorted(parts[0])
        words = list(self._words)
        texts = concatenate_texts(
            [[part_systems[n].texts for n in indices] for part_systems in parts], words
        )
        free_memory()
        # Parts are freed while they are concatenated.
        systems = [
            TranslatedSystem.joined([part_systems.pop(n) for part_systems in parts], texts[n])
            for n in indices
        ]
        self._parts.clear()
        free_memory()
        return systems

    def _looked_at(self, segments: Segments, before: int) -> TranslatedSystem:
        """Return a part of a system with word ids that are the same in all parts.

        `before` is the number of segments before it.
        """
        system = TranslatedSystem.of(segments, self._aligner)
        texts, vocabulary = segments.texts, segments.texts.vocabulary

        def store(value: Storable) -> Storable:
            # A corpus that is read in a single part is small.
            return move_to_file(value, MIN_BYTES_OF_MANY) if before else value

        def renumber(rows: Ragged) -> Ragged:
            ids = vocabulary.derived("numbers", lambda: self._numbers(vocabulary.words))
            return store(Ragged(ids[rows.values], rows.offsets))

        # The systems of a part share references and source.
        references = vocabulary.derived("references", partial(renumber, texts.references))
        source = texts.source
        if source is not None:
            source = vocabulary.derived("source", partial(renumber, source))
        columns = renumber(texts.hypothesis), references, texts.reference_offsets, source
        stored_texts = Texts(*columns, Vocabulary([]), texts.preparation)
        matches = Matches.concatenate([system.matches])
        segments = store(segments.with_texts(stored_texts))
        return replace(system, segments=segments, matches=store(matches))

    def _numbers(self, words: Sequence[str]) -> Int32:
        """Return the ids of words; words that no earlier part had get new ones."""
        with self._lock:
            ids = self._words
            return np.array([ids.setdefault(word, len(ids)) for word in words], np.int32)


def concatenate_texts(parts: Sequence[Sequence[Texts]], words: Sequence[str]) -> list[Texts]:
    """Concatenate the segments of parts, without lines.

    Words get new ids, in the order in which `Texts.of_systems` would see them.

    Parameters
    ----------
    parts : sequence of sequence of Texts
        At least one part; each has one object per system, with the same references and source.
    words : sequence of str
        The words of all parts, by id.

    Examples
    --------
    >>> parts = [
    ...     Texts(*map(Ragged.from_rows, pair), np.arange(2), None, Vocabulary([]))
    ...     for pair in (([[0]], [[1, 0]]), ([[2]], [[0]]))
    ... ]
    >>> [texts] = concatenate_texts([[part] for part in parts], ["b", "a", "c"])
    >>> texts.vocabulary.words, texts.references.to_lists(), texts.hypothesis.to_lists()
    (['a', 'b', 'c'], [[0, 1], [1]], [[1], [2]])
    """
    firsts = [part[0] for part in parts]
    columns = [[texts.references for texts in firsts]]
    sources = [texts.source for texts in firsts if texts.source is not None]
    columns += [sources] if sources else []
    columns += [[texts.hypothesis for texts in system] for system in zip(*parts, strict=True)]
    order = _order_of_occurrence([rows.values for column in columns for rows in column], len(words))
    ranks = np.empty(len(words), np.int32)
    ranks[order] = np.arange(len(order))
    rows = [
        Ragged(
            concatenate(ranks[values.values] for values in column),
            move_to_file(concatenate_offsets([texts.offsets for texts in column])),
        )
        for column in columns
    ]
    offsets = move_to_file(concatenate_offsets([texts.reference_offsets for texts in firsts]))
    source = rows[1] if sources else None
    shared = source, Vocabulary([words[n] for n in order.tolist()]), firsts[0].preparation
    return [
        Texts(hypothesis, rows[0], offsets, *shared) for hypothesis in rows[2 if sources else 1 :]
    ]


def _order_of_occurrence(parts: Sequence[Int32], size: int) -> Int64:
    """Return the word ids below `size` in the order of their first occurrence."""
    is_new, words_by_part = np.ones(size, np.bool_), []
    for values in parts:
        words = values[is_new[values]]
        words, first = np.unique(words, return_index=True)
        words_by_part.append(words[np.argsort(first)])
        is_new[words] = False
    return np.concatenate([*words_by_part, np.flatnonzero(is_new)]).astype(np.int64)


def reference_parser() -> ParsingPipeline:
    """Open the shipped parser with the beam width for references.

    Examples
    --------
    >>> reference_parser().name
    'en'
    """
    pipeline = open_parser(MODEL)
    if not isinstance(pipeline.parser, TransitionParser):
        return pipeline
    parser = copy(pipeline.parser)
    parser.beam = REFERENCE_BEAM
    return replace(pipeline, parser=parser)


def reference_trees(texts: Texts, pipeline: ParsingPipeline | None = None) -> Treebank:
    """Parse the references as English.

    Parameters
    ----------
    texts : Texts
    pipeline : ParsingPipeline, optional
        The shipped parser, if it is already open.

    Returns
    -------
    Treebank
        R sentences with the words of the texts; empty references are empty sentences.

    Examples
    --------
    >>> trees = reference_trees(Texts.from_segments(["it rains"], [["It rains .", ""]]))
    >>> trees.upos.strings(), trees.lengths.tolist()
    (['PRON', 'VERB', 'PUNCT'], [3, 0])
    """
    parser = pipeline or reference_parser()
    sentences = as_sentences(texts)
    parts = [
        parser.parse(sentences[first : first + parser.batch])
        for first in range(0, len(sentences), parser.batch)
    ]
    return Treebank.concatenate(parts)


def as_sentences(texts: Texts) -> Treebank:
    """Return the references as sentences without tags and trees."""
    rows = texts.references
    words = len(rows.values)
    columns = {name: Column.filled(words) for name in STRING_COLUMNS}
    columns["form"] = Column(rows.values, texts.vocabulary)
    heads = np.full(words, NO_HEAD, np.int32)
    return Treebank(rows.offsets, heads, columns, [NO_MARGIN] * len(rows))


def translations_of(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str | Sequence[str]],
    source: Sequence[str] | None = None,
    metrics: str = DEFAULT_METRICS,
    *,
    language: str = "en",
    parsed: bool = False,
) -> Translations:
    """Match and score the translations of some systems.

    Parameters
    ----------
    systems : mapping of name to sequence of str
        The lines of each system, with words separated by spaces.
    references : sequence of str, or of sequences of str
        One or more per segment.
    source : sequence of str, optional
    metrics : str
        Names separated by commas.
    language : str
        The language of the references, for stems.
    parsed : bool
        Whether the references are parsed as English.

    Raises
    ------
    InputError
        If the numbers of lines differ.
    UsageError
        If a name is unknown.
    """
    rows = [
        [reference] if isinstance(reference, str) else list(reference) for reference in references
    ]
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    for name, lines in systems.items():
        if len(lines) != len(rows):
            raise InputError(name, f"{len(lines)} lines", f"{len(rows)}, as the references have")
    texts = Texts.of_systems(
        [RawLines.from_strings(lines) for lines in systems.values()],
        RawLines.from_strings([line for row in rows for line in row]),
        offsets,
        None if source is None else RawLines.from_strings(source),
    )
    aligner = MonolingualAligner(language)
    metric_list = tuple(make_metrics(metrics, (), set()))
    unscored = [
        TranslatedSystem.of(Segments.from_texts(system_texts, aligner=aligner), aligner)
        for system_texts in texts
    ]
    metric_list = tuple(
        metric.prepare(unscored[0].segments) if metric.needs_preparation else metric
        for metric in metric_list
    )
    return Translations(
        tuple(
            system.scored(
                name,
                metric_list,
                tuple(statistics_in_pieces(metric, system.segments) for metric in metric_list),
            )
            for name, system in zip(systems, unscored, strict=True)
        ),
        metric_list,
        tuple(
            metric.signature().with_fields(*metric.origin(unscored[0].segments))
            for metric in metric_list
        ),
        trees=reference_trees(texts[0]) if parsed else None,
        language=language,
    )
