"""The translations of all systems, with their scores and word by word results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from wordorder.alignment.alignments import Links
from wordorder.alignment.monolingual.aligner import Matches, MonolingualAligner
from wordorder.analysis.section import Section
from wordorder.analysis.tally import sentence_losses
from wordorder.analysis.translations.blocks import Blocks, aligned_blocks, path_blocks
from wordorder.analysis.translations.conventions import Convention, mark_conventions
from wordorder.analysis.translations.outcomes import (
    WordCharges,
    WordOutcomes,
    word_charges,
    word_outcomes,
)
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    concatenate,
    concatenate_records,
    free_memory,
    move_to_file,
    read_part,
)
from wordorder.arrays import Array, Bool, Float64, Int64, Ragged, concat_ranges
from wordorder.kernels import piece_spans
from wordorder.metrics.contract import (
    BaseMetric,
    best_reference,
    left_out_segments,
    signature_of_segments,
    statistics_in_pieces,
)
from wordorder.metrics.order.common_words import (
    CommonWords,
    has_common_words,
    reads_orders_alone,
)
from wordorder.metrics.registry import called
from wordorder.metrics.text.edits import RATE_TOLERANCE, CoverDisjointErrorRate, rates
from wordorder.metrics.text.paths import OPERATIONS, CoverPaths, GridPath, cover_paths
from wordorder.scoring.comparisons import PairOnCommonWords
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.statistics.measurement import Measurement
from wordorder.text.display import BREAK, CLOSE, ESCAPES, OPEN, Marked, marked
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Treebank

# Bytes of the statistics that are resampled at a time.
MAX_STATISTICS_BYTES = 1 << 26

# Explanations of the marks in texts.
TRANSLATION_MARKS = (
    f"In a translation, {BREAK} marks the start of a new chunk (words that also follow each other "
    f"in the reference), and {OPEN}these words{CLOSE} have no match in the reference."
)
MARKS_NOTE = (
    f"{TRANSLATION_MARKS} In a reference, {OPEN}these words{CLOSE} are not in the translation. "
    f"{ESCAPES}"
)

POINT_NOTE = (
    "A point is 0.01 of the cover disjoint error rate (CDER): one edit or jump per 100 reference "
    "words. Findings overlap, so they do not add up."
)


@dataclass(frozen=True, eq=False)
class Translations:
    """The translations of all systems with their references and scores.

    Attributes
    ----------
    systems : tuple of TranslatedSystem
        At least one; S segments each.
    metrics : tuple of BaseMetric
        The first decides which system is best.
    signatures : tuple of Signature
        One per metric, with fields about the origin of words and orders.
    links : tuple of Links, or None
        One per system, if source and translations are aligned: the links of the source with the
        system (S rows) and with the references (R rows; None if only systems are aligned).
    trees : Treebank or None
        Tags and trees of the R references, with the words of the texts, if they are English.
    language : str
        The language of the references; ``other`` if it was detected not to be English.
    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> translations = translations_of({"A": ["on tuesday we met"], "B": ["we met"]},
    ...                                ["we met on tuesday"])
    >>> translations.names, len(translations), translations.texts.references.lengths.tolist()
    (('A', 'B'), 1, [4])
    >>> translations.metrics[0].name, translations.systems[0].scores[0].round(4).tolist()
    ('frs', [0.6667])
    """

    systems: tuple[TranslatedSystem, ...]
    metrics: tuple[BaseMetric, ...]
    signatures: tuple[Signature, ...]
    links: tuple[Links, ...] | None = None
    trees: Treebank | None = None
    language: str = "en"

    unit: ClassVar[str] = "segment"
    marks_note: ClassVar[str] = MARKS_NOTE

    def __len__(self) -> int:
        return len(self.systems[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(system.name for system in self.systems)

    @property
    def reference_lengths(self) -> Int64 | None:
        """The number of words of each segment's references, int64[S], if metrics read any."""
        return self.systems[0].segments.words_of_reference

    @property
    def texts(self) -> Texts:
        """The texts of the first system; all systems share references, source and vocabulary."""
        return self.systems[0].texts

    def forget_derived(self) -> None:
        """Free word by word results of all systems; they are computed again when needed."""
        for system in self.systems:
            system.forget_derived()

    def system_scores(self, system: int, metric: int = 0) -> Float64:
        """Return the scores of a system, float64[S]; NaN for segments that are left out."""
        return self.systems[system].scores[metric]

    def sentence_lengths(self, system: int) -> Int64:
        """Return the number of words of the reference that each translation is compared with."""
        return self.systems[system].references.lengths

    def sentence_columns(self, system: int, sentences: Sequence[int]) -> dict[str, Any]:
        """Return columns for a table of segments: score, points of CDER, and marked texts."""
        rows, translated = list(sentences), self.systems[system]
        scores, losses, texts = translated.scores[0][rows], self.cder_losses(system), self.texts
        columns: dict[str, Any] = {
            called(self.metrics[0].name): [
                None if np.isnan(score) else score for score in scores.tolist()
            ],
            "points of CDER": [None for _ in rows] if losses is None else 100 * losses[rows],
            "words": translated.references.lengths[rows],
        }
        if texts.source is not None:
            source = texts.words_of(texts.source.take(np.array(rows, np.int64)))
            columns["source"] = list(map(" ".join, source))
        columns["translation"] = [translated.marked_translation(row) for row in rows]
        columns["reference"] = [translated.marked_reference(row) for row in rows]
        return columns

    def cder_losses(self, system: int) -> Float64 | None:
        """Return what each segment adds to the CDER of a system, float64[S].

        None if there are no reference words.
        """
        statistics = cder_statistics(self, self.systems[system])
        return sentence_losses(CoverDisjointErrorRate(), statistics)

    def explain_points(self, sections: Sequence[Section]) -> str:
        """Explain the points in findings, which count CDER, for an answer that compares a metric.

        Only findings of tables that explain the difference of two systems count the metric.
        """
        point = f"{POINT_NOTE} Words are characters here." if self.characters else POINT_NOTE
        metric = self.metrics[0].name
        if metric == "cder":
            return point
        start, name = f"{metric}-difference", called(metric)
        pairs = sum(table.key.startswith(start) and bool(table.findings) for table in sections)
        explanation = f"The answer compares {name}; the findings count CDER, because"
        if pairs:
            explanation = f"The first finding says what the difference in {name} is made of."
            if pairs > 1:
                explanation = f"Findings on two systems say what their difference in {name} is."
            explanation += " Where findings count CDER, it is because"
        return f"{explanation} its edits add up word by word. {point}"

    def segment_signature(self, metric: int = 0) -> str:
        """Return the signature of the scores of single segments under a metric."""
        return str(signature_of_segments(self.metrics[metric], self.signatures[metric]))

    @property
    def orders(self) -> list[int]:
        """The indices of the metrics that read only orders."""
        return [n for n, metric in enumerate(self.metrics) if reads_orders_alone(metric)]

    @property
    def characters(self) -> bool:
        """Whether each word is a character: the tokenizer is char."""
        return any("|tok:char|" in str(signature) for signature in self.signatures)

    @cached_property
    def conventions(self) -> tuple[tuple[Convention, ...], ...]:
        """The marks that each system writes in another way than the references."""
        return mark_conventions([system.texts for system in self.systems])

    @cached_property
    def lowered(self) -> Int64:
        """An id of the lowercase form of each word of the vocabulary, int64[V]."""
        ids: dict[str, int] = {}
        words = map(str.lower, self.texts.vocabulary.words)
        return np.array([ids.setdefault(word, len(ids)) for word in words], np.int64)

    def convention_words(self, *systems: int) -> Bool:
        """Return whether the conventions of some systems affect each word of the vocabulary."""
        affected = np.zeros(len(self.texts.vocabulary), np.bool_)
        for system in systems:
            for convention in self.conventions[system]:
                affected |= convention.affected
        return affected

    @cached_property
    def common_pairs(self) -> list[PairOnCommonWords]:
        """All pairs of systems on the words that both match.

        Empty if no metric reads only orders, or if no words are left out.
        """
        segments = [system.segments for system in self.systems]
        if not self.orders or not has_common_words(segments):
            return []
        return [self._pair(*pair) for pair in combinations(range(len(segments)), 2)]

    def _pair(self, first: int, second: int) -> PairOnCommonWords:
        segments = [self.systems[system].segments for system in (first, second)]
        statistics: dict[int, list[list[Float64]]] = {metric: [] for metric in self.orders}
        words = reference_words = 0
        # In spans of segments, since the words of two systems take much memory.
        for start, end in piece_spans(self.texts.token_offsets):
            is_all = end - start == len(self)
            common = CommonWords.of(
                *(
                    segments_of_system if is_all else segments_of_system[start:end]
                    for segments_of_system in segments
                )
            )
            words += common.words
            reference_words += common.reference_words
            for metric, parts in statistics.items():
                parts.append(
                    [
                        self.metrics[metric].statistics(segments_of_system)
                        for segments_of_system in common.systems
                    ]
                )
            free_memory()
        measurements = {
            metric: move_to_file(
                Measurement(
                    list(map(np.concatenate, zip(*parts, strict=True))),
                    self.metrics[metric].score,
                    self.metrics[metric].higher_is_better,
                )
            )
            for metric, parts in statistics.items()
        }
        return PairOnCommonWords(first, second, words / max(reference_words, 1), measurements)

    def measured_together(self) -> Iterator[list[int]]:
        """Yield batches of metrics whose statistics fit in `MAX_STATISTICS_BYTES`."""
        size, batch = 0, list[int]()
        for metric in range(len(self.metrics)):
            size += sum(system.statistics[metric].nbytes for system in self.systems)
            if batch and size > MAX_STATISTICS_BYTES:
                yield batch
                size, batch = sum(s.statistics[metric].nbytes for s in self.systems), []
            batch.append(metric)
        yield batch

    def measurement(self, metric: int = 0) -> Measurement:
        """Return the statistics of all systems under a metric."""
        scored_by = self.metrics[metric]
        return Measurement(
            [system.statistics[metric] for system in self.systems],
            scored_by.score,
            scored_by.higher_is_better,
        )


@dataclass(frozen=True, eq=False)
class TranslatedSystem:
    """One system with its translations.

    Attributes
    ----------
    name : str
        The name in tables.
    segments : Segments
        The input of the metrics: the texts, and orders and links if there are any.
    matches : Matches
        The matched words of each translation and each of its references (R rows).
    rows : int64[S]
        The row of ``texts.references`` that each translation is compared with: the reference with
        the lowest CDER, the first on ties; -1 without a reference.
    statistics : tuple of float64[S, k]
        One per metric.
    scores : tuple of float64[S]
        One per metric; NaN for segments that the metric leaves out.
    """

    name: str
    segments: Segments
    matches: Matches
    rows: Int64
    statistics: tuple[Float64, ...] = ()
    scores: tuple[Float64, ...] = ()

    @classmethod
    def of(cls, segments: Segments, aligner: MonolingualAligner) -> TranslatedSystem:
        """Match the words of translations and references; the system is not scored."""
        return cls("", segments, aligner.align(segments.texts), cheapest_references(segments))

    @classmethod
    def joined(cls, parts: Sequence[TranslatedSystem], texts: Texts) -> TranslatedSystem:
        """Concatenate parts of a system; `texts` has the texts of all of them."""
        without_texts = [part.segments.with_texts(None) for part in parts]
        segments = move_to_file(Segments.concatenate(without_texts)).with_texts(texts)
        before = 0
        rows = []
        for part in parts:
            rows.append(np.where(part.compared, part.rows + before, -1))
            before += len(part.texts.references)
        free_memory()
        matches = move_to_file(Matches.concatenate([part.matches for part in parts]))
        return cls("", segments, matches, concatenate(rows))

    def scored(
        self, name: str, metrics: tuple[BaseMetric, ...], statistics: tuple[Float64, ...]
    ) -> TranslatedSystem:
        """Return the system with its scores."""
        scores = tuple(
            move_to_file(np.where(left_out_segments(column), np.nan, metric.score_segments(column)))
            for metric, column in zip(metrics, statistics, strict=True)
        )
        return replace(self, name=name, statistics=statistics, scores=scores)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> Texts:
        """The S translations; all systems share references, source and vocabulary."""
        return self.segments.texts

    @cached_property
    def compared(self) -> Bool:
        """Whether each segment has a reference, bool[S]."""
        return self.rows >= 0

    @cached_property
    def references(self) -> Ragged:
        """The reference that each translation is compared with, S rows; empty if there is none."""
        references = self.texts.references
        if np.array_equal(self.rows, np.arange(len(references))):
            return references
        if self.compared.all():
            return references.take(self.rows)
        empty = Ragged(np.zeros(0, np.int32), np.zeros(2, np.int64))
        rows = np.where(self.compared, self.rows, len(references))
        return Ragged.concatenate([references, empty]).take(rows)

    def _pieces(self) -> list[_Piece]:
        """Divide the segments into parts: results for each word take much memory."""
        texts, pieces = self.texts, []
        spans = piece_spans(texts.token_offsets) or [(0, 0)]
        for first, last in spans:
            if len(spans) == 1:
                return [_Piece(texts, self.rows, self.matches, 0, 0)]
            start, end = texts.reference_offsets[[first, last]].tolist()
            rows = np.maximum(self.rows[first:last] - start, -1)
            words = int(texts.references.offsets[start])
            matches = self.matches.part(start, end)
            pieces.append(_Piece(texts[first:last], rows, matches, first, words))
        return pieces

    def words_in_parts(self) -> Iterator[WordsOfPart]:
        """Yield the outcomes and charges of words, for consecutive spans of segments."""
        charges = self.charges
        words = output_words = 0
        for piece in self._pieces():
            outcomes = word_outcomes(piece.texts, piece.rows, piece.matches)
            span = slice(words, words + len(outcomes.matched))
            output_span = slice(output_words, output_words + len(outcomes.starts_chunk))
            words, output_words = span.stop, output_span.stop
            yield WordsOfPart(
                piece.segments,
                len(piece.rows),
                replace(outcomes, indices=outcomes.indices + piece.words),
                WordCharges(
                    read_part(charges, "edits", span),
                    read_part(charges, "jumps", span),
                    read_part(charges, "deletions", output_span),
                ),
            )
            free_memory()

    @cached_property
    def marks(self) -> tuple[Array, Bool]:
        """The matched reference word of each output word, or -1, and whether it starts a chunk.

        Integers [N] and bool[N], for all words of the translations.
        """
        # The outcomes themselves are too large to store.
        parts = []
        for piece in self._pieces():
            parts.append(piece.marks())
            free_memory()
        partners, starts_chunk = map(concatenate, zip(*parts, strict=True))
        return partners, starts_chunk

    @property
    def paths(self) -> CoverPaths:
        """The cheapest CDER path of each translation with a reference."""
        return cover_paths(self.texts, self.rows[self.compared])

    def path(self, segment: int) -> GridPath | None:
        """Return the cheapest path of a segment; None without a reference."""
        if not self.compared[segment]:
            return None
        return cover_paths(self.texts, self.rows[segment : segment + 1])[0]

    @cached_property
    def _path_results(self) -> _PathResults:
        """Step counts, word charges, blocks and distances of the cheapest CDER paths."""
        pieces, charges, blocks, distances = self._pieces(), [], [], []
        steps = np.zeros(len(OPERATIONS), np.int64)
        for piece in pieces:
            paths = cover_paths(piece.texts, piece.rows[piece.rows >= 0])
            charges.append(word_charges(paths))
            blocks.append(path_blocks(paths))
            steps += paths.counts().sum(0)
            distances.append(paths.distance)
            del paths
            free_memory()
        shifts = [piece.segments for piece in pieces], [piece.words for piece in pieces]
        all_blocks = Blocks.concatenate(blocks, *shifts)
        all_charges = concatenate_records(charges, {})
        return _PathResults(steps, concatenate(distances), all_charges, all_blocks)

    @cached_property
    def steps(self) -> Int64:
        """The number of steps of each operation on the paths, int64[5]."""
        return self._path_results.steps

    @cached_property
    def charges(self) -> WordCharges:
        """The costs of the paths, word by word."""
        return self._path_results.charges

    @cached_property
    def by_path(self) -> Blocks:
        """The blocks of the cheapest paths: words that are matched or substituted."""
        _ = self.steps, self.charges, self.distances
        return self._path_results.blocks

    @cached_property
    def by_alignment(self) -> Blocks:
        """The blocks of the words that the monolingual alignment matches."""
        pieces, parts = self._pieces(), []
        for piece in pieces:
            parts.append(aligned_blocks(piece.texts, piece.rows, piece.matches))
            free_memory()
        shifts = [piece.segments for piece in pieces], [piece.words for piece in pieces]
        return Blocks.concatenate(parts, *shifts)

    @cached_property
    def distances(self) -> Float64:
        """The cost of each path, float64."""
        return self._path_results.distances

    @cached_property
    def words(self) -> int:
        """The number of words of the references that the translations are compared with."""
        return int(self.texts.references.lengths[self.rows[self.compared]].sum())

    def points(self, edits: float) -> float:
        """Return edits and jumps in points of CDER: per 100 reference words."""
        return 100 * edits / max(self.words, 1)

    @property
    def cder(self) -> float:
        """CDER in points: 41.3 for a rate of .413."""
        return self.points(float(self.distances.sum()))

    def losses(self, segments: Int64, costs: Float64) -> Float64:
        """Sum costs by segment, float64[S], in points of CDER."""
        return np.bincount(segments, costs, len(self)) * np.float64(self.points(1))

    def forget_derived(self) -> None:
        """Free most word by word results; they are computed again when needed."""
        for name in ("_path_results", "by_path", "by_alignment"):
            self.__dict__.pop(name, None)
        free_memory()

    def left_out_segments(self, metric: int) -> Bool:
        """Return whether a metric leaves out each segment, bool[S]."""
        return left_out_segments(self.statistics[metric])

    def marked_translation(self, segment: int) -> Marked:
        """Return a translation with its chunks and its words without a match marked.

        Examples
        --------
        >>> from wordorder.analysis.translations.files import translations_of
        >>> lines = {"A": ["on tuesday evening we met at six"]}
        >>> translations = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
        >>> translations.systems[0].marked_translation(0)
        'on tuesday ⟦evening⟧ ¦ we met at six'
        """
        words = self.texts.vocabulary.words
        span = slice(*self.texts.hypothesis.offsets[segment : segment + 2])
        partners, starts_chunk = (column[span] for column in self.marks)
        unmatched, breaks = (
            set(np.flatnonzero(mask).tolist()) for mask in (partners < 0, starts_chunk)
        )
        return marked([words[n] for n in self.texts.hypothesis[segment]], unmatched, breaks)

    def marked_reference(self, segment: int, *others: TranslatedSystem) -> Marked:
        """Return the reference of a translation, with marks around words that the latter lacks.

        Parameters
        ----------
        segment : int
        *others : TranslatedSystem
            Further systems with the same reference: words that all systems lack are marked.

        Examples
        --------
        >>> from wordorder.analysis.translations.files import translations_of
        >>> lines = {"A": ["we met at six"], "B": ["we met them there"]}
        >>> translations = translations_of(lines, ["we met them at six on tuesday"], metrics="frs")
        >>> translations.systems[0].marked_reference(0, translations.systems[1])
        'we met them at six ⟦on tuesday⟧'
        """
        row = int(self.rows[segment])
        if row < 0:
            return Marked()
        words = [self.texts.vocabulary.words[word] for word in self.texts.references[row]]
        unmatched = np.ones(len(words), np.bool_)
        for system in (self, *others):
            span = slice(*system.matches.offsets[row : row + 2])
            starts, lengths = system.matches.start[span], system.matches.length[span]
            unmatched[concat_ranges(starts, lengths)] = False
        return marked(words, set(np.flatnonzero(unmatched).tolist()))


@dataclass(frozen=True, eq=False)
class WordsOfPart:
    """The outcomes and charges of the words of some segments of a system.

    Attributes
    ----------
    before : int
        The number of segments before these; segments and partners in `outcomes` start here.
    segments : int
        The number of segments.
    outcomes : WordOutcomes
    charges : WordCharges
    """

    before: int
    segments: int
    outcomes: WordOutcomes
    charges: WordCharges


@dataclass(frozen=True, eq=False)
class _Piece:
    """Some segments of a system; `segments` and `words` count what precedes them."""

    texts: Texts
    rows: Int64
    matches: Matches
    segments: int
    words: int

    def marks(self) -> tuple[Array, Bool]:
        """Return `TranslatedSystem.marks` of these segments."""
        is_compared = np.repeat(self.rows >= 0, self.texts.hypothesis.lengths)
        outcomes = word_outcomes(self.texts, self.rows, self.matches)
        partners = np.full(len(is_compared), -1, np.int64)
        starts_chunk = np.zeros(len(is_compared), np.bool_)
        # Convert partners from indices of all compared words to positions in the reference.
        starts = np.searchsorted(outcomes.segments, outcomes.output_segments)
        partners[is_compared] = np.where(outcomes.added, -1, outcomes.partners - starts)
        starts_chunk[is_compared] = outcomes.starts_chunk
        dtype = np.int16 if self.texts.references.lengths.max(initial=0) < 1 << 15 else np.int32
        return move_to_file(partners.astype(dtype), MIN_BYTES_OF_MANY), move_to_file(
            starts_chunk, MIN_BYTES_OF_MANY
        )


@dataclass(frozen=True, eq=False)
class _PathResults:
    """The results of the cheapest paths of a system."""

    steps: Int64
    distances: Float64
    charges: WordCharges
    blocks: Blocks


def cheapest_references(segments: Segments) -> Int64:
    """Return the reference row with the lowest CDER for each segment, the first on ties.

    Returns
    -------
    int64[S]
        -1 for a segment without references.

    Examples
    --------
    >>> segments = Segments.from_text(["we met", "so"], [["they left", "we met him"], []])
    >>> cheapest_references(segments).tolist()
    [1, -1]
    """
    if segments.single:
        return np.arange(len(segments))
    distances = CoverDisjointErrorRate().distances(segments)
    lengths = segments.texts.references.lengths.astype(np.float64)
    return best_reference(rates(distances, lengths), segments.reference_offsets, RATE_TOLERANCE)


def cder_statistics(translations: Translations, system: TranslatedSystem) -> Float64:
    """Return the statistics of the plain CDER for each segment of a system.

    Parameters
    ----------
    translations : Translations
    system : TranslatedSystem
        One of its systems.

    Returns
    -------
    float64[S, 3]
        Edits and jumps, reference words, and 1; zeros without a reference.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> translations = translations_of({"A": ["b a", "a"]}, ["a b", "a"], metrics="frs")
    >>> cder_statistics(translations, translations.systems[0]).tolist()
    [[2.0, 2.0, 1.0], [0.0, 1.0, 1.0]]
    """
    plain = CoverDisjointErrorRate()
    for index, metric in enumerate(translations.metrics):
        if isinstance(metric, CoverDisjointErrorRate) and metric.signature() == plain.signature():
            return system.statistics[index]
    return statistics_in_pieces(plain, system.segments)
