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
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, NO_MARGIN, Column, Treebank

Kept = TypeVar("Kept")


class _AnalysedFiles(text_files.TextFiles):
    """Translations whose words and links are looked at, whatever the metrics read."""

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
    ----------
    files : Files
        Reference and systems are translations. Without an aligner and alignments, words of
        translation and reference are matched where a metric needs orders.
    metrics : str or sequence of str
        Names; by default frs, cder, bleu, kendall and ter.
    settings : sequence of str
        Options of the metrics.
    language : str, optional
        Of the references, for stems, tags and trees; told from the words if it is not given.
    progress : callable, optional
        Told how many segments are done.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other or with translations.
    InputError
        If a file is wrong, or two differ in their number of lines.

    Warns
    -----
    note
        Of what was assumed or left out.
    """
    files = text_files.read_stream_start(files)
    # Opened once: it tells the language, too.
    parser = reference_parser() if language in (None, ENGLISH) else None
    model = None if parser is None else parser.parser
    known = model.learnt_words() if isinstance(model, KnowsWords) else None
    told = language or text_files.detect_language(files, known, LEFT_OUT)
    modules = text_files.modules_of(files, told)
    served = text_files.TextFiles(
        files if files.makes_orders else replace(files, aligner=modules)
    ).columns
    used = make_metrics(metrics or METRICS, settings, served, files.tokenizer)
    files = text_files.matched_files(files, used, told)
    if files.aligner is not None and not is_bilingual(files.aligner):
        files = replace(files, language=told)
    kind = _AnalysedFiles(files)
    kind.check()
    kind.check_metrics(used)
    aligner = MonolingualAligner(told, tuple(modules.split("+")), files.synonyms, files.paraphrases)
    parts = _Parts(aligner)
    keep = Keep(statistics=True, store=TemporaryFiles())
    evaluation, used = evaluate_kind(kind, used, keep, progress=progress, wrap_inputs=parts.opened)
    note_few(evaluation)
    made: tuple[BaseMetric, ...] = tuple(used)
    seen = parts.systems()
    texts = seen[0].segments.texts
    if told not in (ENGLISH, OTHER) or language == OTHER:
        note(f"--language={told}: tags and trees are for English; {LEFT_OUT}")
    return Translations(
        tuple(
            each.scored(system.name, made, system.statistics)
            for each, system in zip(seen, evaluation.systems, strict=True)
        ),
        made,
        tuple(score.signature for score in evaluation.systems[0].scores),
        tuple(each.segments.links for each in seen) if "links" in kind.columns else None,
        reference_trees(texts, parser) if told == ENGLISH else None,
        told,
    )


class _Parts:
    """Looks at the segments of each system while they are read and scored part by part.

    Kept are numbers of words, matches and orders, in a temporary file where they are large: lines
    are not.
    """

    def __init__(self, aligner: MonolingualAligner) -> None:
        self._aligner = aligner
        self._words: dict[str, int] = {}
        # By the segments before it and by system; parts are looked at on several threads.
        self._parts: dict[int, dict[int, TranslatedSystem]] = {}
        self._lock = Lock()

    def opened(self, inputs: Inputs) -> Inputs:
        """Return inputs whose segments are looked at."""

        def segments(parts: Sequence[Any], before: int) -> list[SegmentsFactory]:
            seen: dict[int, TranslatedSystem] = {}
            self._parts[before] = seen

            def watched(number: int, make: SegmentsFactory) -> SegmentsFactory:
                def made() -> Segments:
                    found = make()
                    seen[number] = self._looked_at(found, before)
                    return found

                return made

            return [watched(*each) for each in enumerate(inputs.segments(parts, before))]

        return replace(inputs, segments=segments)

    def systems(self) -> list[TranslatedSystem]:
        """Return each system with all of its segments."""
        # What scoring needed is more than what is kept.
        free_memory()
        parts = [seen for _, seen in sorted(self._parts.items())]
        numbers = sorted(parts[0])
        words = list(self._words)
        texts = joined_texts([[seen[n].texts for n in numbers] for seen in parts], words)
        free_memory()
        # Parts are freed as they are joined.
        systems = [
            TranslatedSystem.joined([seen.pop(n) for seen in parts], texts[n]) for n in numbers
        ]
        self._parts.clear()
        free_memory()
        return systems

    def _looked_at(self, segments: Segments, before: int) -> TranslatedSystem:
        """Return a part of a system, with words numbered as in all other parts.

        So many segments come before it.
        """
        system = TranslatedSystem.of(segments, self._aligner)
        texts, vocabulary = segments.texts, segments.texts.vocabulary

        def kept(thing: Kept) -> Kept:
            # A corpus that is read in one piece is small.
            return move_to_file(thing, MIN_BYTES_OF_MANY) if before else thing

        def renumbered(rows: Ragged) -> Ragged:
            numbers = vocabulary.derived("numbers", lambda: self._numbers(vocabulary.words))
            return kept(Ragged(numbers[rows.values], rows.offsets))

        # The systems of a part share these.
        references = vocabulary.derived("references", partial(renumbered, texts.references))
        source = texts.source
        if source is not None:
            source = vocabulary.derived("source", partial(renumbered, source))
        columns = renumbered(texts.hypothesis), references, texts.reference_offsets, source
        made = Texts(*columns, Vocabulary([]), texts.preparation)
        matches = Matches.concatenate([system.matches])
        segments = kept(segments.with_texts(made))
        return replace(system, segments=segments, matches=kept(matches))

    def _numbers(self, words: Sequence[str]) -> Int32:
        """Return the numbers of words, new ones for those that no part had before."""
        with self._lock:
            known = self._words
            return np.array([known.setdefault(word, len(known)) for word in words], np.int32)


def joined_texts(parts: Sequence[Sequence[Texts]], words: Sequence[str]) -> list[Texts]:
    """Put the segments of parts one behind the other, without lines.

    Words are numbered anew, in the order in which `Texts.of_systems` would meet them.

    Parameters
    ----------
    parts : sequence of sequence of Texts
        At least one; each has one object per system, with the same references and source.
    words : sequence of str
        The words of all parts, by number.

    Examples
    --------
    >>> parts = [
    ...     Texts(*map(Ragged.from_rows, pair), np.arange(2), None, Vocabulary([]))
    ...     for pair in (([[0]], [[1, 0]]), ([[2]], [[0]]))
    ... ]
    >>> [texts] = joined_texts([[part] for part in parts], ["b", "a", "c"])
    >>> texts.vocabulary.words, texts.references.to_lists(), texts.hypothesis.to_lists()
    (['a', 'b', 'c'], [[0, 1], [1]], [[1], [2]])
    """
    firsts = [part[0] for part in parts]
    columns = [[each.references for each in firsts]]
    sources = [each.source for each in firsts if each.source is not None]
    columns += [sources] if sources else []
    columns += [[each.hypothesis for each in system] for system in zip(*parts, strict=True)]
    order = _first_occurrences([rows.values for column in columns for rows in column], len(words))
    ranks = np.empty(len(words), np.int32)
    ranks[order] = np.arange(len(order))
    rows = [
        Ragged(
            concatenate(ranks[each.values] for each in column),
            move_to_file(concatenate_offsets([each.offsets for each in column])),
        )
        for column in columns
    ]
    offsets = move_to_file(concatenate_offsets([each.reference_offsets for each in firsts]))
    source = rows[1] if sources else None
    shared = source, Vocabulary([words[n] for n in order.tolist()]), firsts[0].preparation
    return [Texts(each, rows[0], offsets, *shared) for each in rows[2 if sources else 1 :]]


def _first_occurrences(parts: Sequence[Int32], size: int) -> Int64:
    """Return the words, numbers below `size`, in the order in which parts have them first."""
    new, found = np.ones(size, np.bool_), []
    for values in parts:
        words = values[new[values]]
        words, first = np.unique(words, return_index=True)
        found.append(words[np.argsort(first)])
        new[words] = False
    return np.concatenate([*found, np.flatnonzero(new)]).astype(np.int64)


# What needs tags or trees.
LEFT_OUT = "there are no tables by tag and relation"


# Half as wide as that of the model: as accurate on the test part of English EWT (86.2 and 86.1 %
# of heads right), and faster by a quarter.
BEAM = 4


def reference_parser() -> ParsingPipeline:
    """Open the shipped parser, with the beam that references are parsed with.

    Examples
    --------
    >>> reference_parser().name
    'en'
    """
    opened = open_parser(MODEL)
    if not isinstance(opened.parser, TransitionParser):
        return opened
    parser = copy(opened.parser)
    parser.beam = BEAM
    return replace(opened, parser=parser)


def reference_trees(texts: Texts, opened: ParsingPipeline | None = None) -> Treebank:
    """Parse the references as English.

    Parameters
    ----------
    texts : Texts
    opened : ParsingPipeline, optional
        The shipped parser, where it is open already.

    Returns
    -------
    Treebank
        R sentences, word by word as the texts have them; empty references are empty sentences.

    Examples
    --------
    >>> trees = reference_trees(Texts.from_segments(["it rains"], [["It rains .", ""]]))
    >>> trees.upos.strings(), trees.lengths.tolist()
    (['PRON', 'VERB', 'PUNCT'], [3, 0])
    """
    parser = opened or reference_parser()
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
    columns = {name: Column.filled(words) for name in COLUMNS}
    columns["form"] = Column(rows.values, texts.vocabulary)
    heads = np.full(words, NO_HEAD, np.int32)
    return Treebank(rows.offsets, heads, columns, [NO_MARGIN] * len(rows))


# What shows the order of words first, then how much of the sentence is right at all.
METRICS = "frs,cder,bleu,kendall,ter"


def translations_of(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str | Sequence[str]],
    source: Sequence[str] | None = None,
    metrics: str = METRICS,
    *,
    language: str = "en",
    parsed: bool = False,
) -> Translations:
    """Match and score the translations of some systems.

    Parameters
    ----------
    systems : mapping of name to sequence of str
        The lines of each, words between blanks.
    references : sequence of str, or of sequences of str
        One or several a segment.
    source : sequence of str, optional
    metrics : str
        Names separated by commas.
    language : str
        Of the references, for stems.
    parsed : bool
        Whether the references are parsed as English.

    Raises
    ------
    InputError
        If the numbers of lines differ.
    UsageError
        If a name is unknown.
    """
    rows = [[each] if isinstance(each, str) else list(each) for each in references]
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
    used = tuple(make_metrics(metrics, (), set()))
    kept = [
        TranslatedSystem.of(Segments.from_texts(each, aligner=aligner), aligner) for each in texts
    ]
    used = tuple(
        metric.prepare(kept[0].segments) if metric.needs_preparation else metric for metric in used
    )
    return Translations(
        tuple(
            each.scored(
                name, used, tuple(statistics_in_pieces(metric, each.segments) for metric in used)
            )
            for name, each in zip(systems, kept, strict=True)
        ),
        used,
        tuple(metric.signature().with_fields(*metric.origin(kept[0].segments)) for metric in used),
        trees=reference_trees(texts[0]) if parsed else None,
        language=language,
    )
