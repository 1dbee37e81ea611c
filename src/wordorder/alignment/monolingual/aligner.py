"""The monolingual aligner, which aligns hypotheses with references as METEOR 1.5 does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.monolingual.candidates import (
    LANGUAGES,
    MODULES,
    STEMMERS,
    MatchCandidates,
    ParaphraseTable,
    Phrase,
    SynonymSets,
    empty_candidates,
    list_candidates,
    snowball_version,
    stem_classes,
)
from wordorder.arrays import (
    Float64,
    Int32,
    Int64,
    Ragged,
    UInt8,
    concat_ranges,
    concatenate_offsets,
    row_offsets,
)
from wordorder.errors import UsageError, choose, whole_number
from wordorder.kernels import announce, matching as kernel, run_rows
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary

# Maximum steps of the search in one row, some seconds; the beam of longer searches is reduced.
MAX_SEARCH_STEPS = 1e9

# Maximum number of choices among the matches of a sentence pair that is searched exactly.
MAX_EXACT_CHOICES = 300

FilePath = str | os.PathLike[str]

# The kernels' code of a stem match.
_STEM = -3


@dataclass(frozen=True, eq=False)
class _Relations:
    """The matches between the words of a vocabulary.

    Attributes
    ----------
    classes : int32[V]
        The same number for words that match by form or stem.
    synonyms
        The word numbers of the synonyms of each word that has any.
    paraphrases
        The paraphrases of each phrase that has any.
    """

    classes: Int32
    synonyms: Mapping[int, frozenset[int]]
    paraphrases: Mapping[Phrase, Sequence[Phrase]]


class MonolingualAligner:
    """Matches the words of a reference with those of a hypothesis, each word at most once.

    Modules find possible matches: equal words ("exact"), words with the same stem ("stem"), words
    of a synonym set ("synonym") and phrases that a table lists as paraphrases ("paraphrase"). A
    choice among the matches is better if it covers more words (an exact match counts twice), then
    if it has fewer chunks, then if its distances are smaller (Denkowski & Lavie 2014; METEOR 1.5).
    If there are at most `MAX_EXACT_CHOICES` (300) ways to match the largest number of words, the
    best one is chosen. If there are more, with `java`, or if synonyms or paraphrases match, a beam
    search as in METEOR is used, which can miss a choice with fewer chunks.

    Parameters
    ----------
    language : str
        The language of the stems: ``en``, ``de``, ... for those of Snowball, ``other`` for others.
    modules : sequence of str, optional
        By default ``exact``, ``stem`` if the language has a stemmer, and ``synonym`` and
        ``paraphrase`` if their resources are given.
    synonyms : path, optional
        A WordNet directory or a file of synonym sets (`SynonymSets`).
    paraphrases : path, optional
        A paraphrase table (`ParaphraseTable`).
    beam : int
        Partial choices kept by a search that is not exact; more take more time.
    java : bool
        Whether to compute totals as METEOR 1.5 does, which rounds halves down: a single word then
        counts nothing unless it is an exact match.

    Raises
    ------
    UsageError
        If a name is unknown, a module lacks its resource, or a resource its module.
    InputError
        If a resource cannot be read.

    Examples
    --------
    >>> texts = Texts.from_segments(["the mats"], ["a mat on the mat"])
    >>> MonolingualAligner().permutations(texts).to_lists()
    [[0, 1]]
    >>> MonolingualAligner(modules=["exact"]).permutations(texts).to_lists()
    [[0]]
    """

    def __init__(
        self,
        language: str = "en",
        modules: Sequence[str] | None = None,
        synonyms: FilePath | None = None,
        paraphrases: FilePath | None = None,
        beam: int = 40,
        java: bool = False,
    ) -> None:
        resources = {"synonym": synonyms, "paraphrase": paraphrases}
        self.language = language
        self.modules = _select_modules(language, modules, resources)
        self.beam = whole_number("a beam", beam, most=(1 << 20) - 1)
        self.java = java
        self._synonyms = None if synonyms is None else SynonymSets(synonyms)
        self._paraphrases = None if paraphrases is None else ParaphraseTable(paraphrases)
        self.fields = self._fields()

    def align(self, texts: Texts) -> Matches:
        """Match each reference with the hypothesis of its segment; the result is cached."""
        return texts.derived(("matches", self.fields), lambda: self._align(texts))

    def permutations(self, texts: Texts) -> Ragged:
        """Return `Matches.permutations`, R rows."""
        return self.align(texts).permutations()

    def reference_words(self, texts: Texts) -> Ragged:
        """Return `Matches.reference_words`, R rows."""
        return self.align(texts).reference_words()

    def hypothesis_words(self, texts: Texts) -> Int64:
        """Return the number of matched hypothesis words for each reference, int64[R]."""
        return self.align(texts).covered()[0]

    def word_classes(self, vocabulary: Vocabulary) -> Int32:
        """Return a number for each word, equal for words that match by form or stem, int32[V]."""
        return self._relations(vocabulary).classes

    def count_listed(self, texts: Texts) -> Int64:
        """Count the possible matches of each reference word by synonym or paraphrase alone.

        Returns
        -------
        int64[N]
            An entry for each word of all references.
        """
        relations, references = self._relations(texts.vocabulary), texts.references
        candidates = self._candidates(texts, relations)
        rows = np.repeat(np.arange(len(references)), np.diff(candidates.offsets))
        # Both modules may list the same match.
        distinct = np.unique(np.stack([rows, *candidates.columns.reshape(4, -1)]), axis=1)
        rows, start, length, hypothesis_start, hypothesis_length = distinct
        first_words = references.offsets[rows] + start
        hypothesis_words = texts.hypothesis.offsets[texts.segment_of[rows]] + hypothesis_start
        hypothesis_ids, reference_ids = (
            texts.hypothesis.values[hypothesis_words],
            references.values[first_words],
        )
        has_same_class = relations.classes[hypothesis_ids] == relations.classes[reference_ids]
        is_added = ~has_same_class | (length > 1) | (hypothesis_length > 1)
        return np.bincount(
            concat_ranges(first_words[is_added], length[is_added]), minlength=len(references.values)
        )

    def alignments(self, texts: Texts) -> Alignments:
        """Return `Matches.alignments`: links from hypothesis to reference, R rows."""
        return self.align(texts).alignments()

    def _align(self, texts: Texts) -> Matches:
        """Match each reference with the hypothesis of its segment."""
        relations = self._relations(texts.vocabulary)
        candidates = self._candidates(texts, relations)
        hypothesis_start, match_codes = self._search(texts, relations.classes, candidates)
        references = texts.references
        matched = np.flatnonzero(match_codes != -1)
        matched_codes = match_codes[matched]
        offsets = np.searchsorted(matched, references.offsets).astype(np.int64)
        rows = np.repeat(np.arange(len(references)), np.diff(offsets))
        length = np.ones(len(matched), np.int32)
        hypothesis_length = np.ones(len(matched), np.int32)
        module = np.zeros(len(matched), np.int32)
        if "stem" in self.modules:
            module[matched_codes == _STEM] = self.modules.index("stem")
        from_candidates = np.flatnonzero(matched_codes >= 0)
        if len(from_candidates):
            candidate_indices = (
                matched_codes[from_candidates] + candidates.offsets[rows[from_candidates]]
            )
            columns = candidates.columns.reshape(4, -1)
            length[from_candidates] = columns[1][candidate_indices]
            hypothesis_length[from_candidates] = columns[3][candidate_indices]
            module[from_candidates] = candidates.module[candidate_indices]
        return Matches(
            (matched - references.offsets[rows]).astype(np.int32),
            length,
            hypothesis_start[matched],
            hypothesis_length,
            module,
            offsets,
            self.modules,
            texts.hypothesis.lengths[texts.segment_of],
            references.lengths,
        )

    def _search(
        self, texts: Texts, classes: Int32, candidates: MatchCandidates
    ) -> tuple[Int32, Int32]:
        """Search the best matches.

        Returns
        -------
        hypothesis_start, match_codes : int32[N]
            The start in the hypothesis, and the kernels' code, of the match that starts at each
            reference word; see `kernels.matching.certain_matches`.
        """
        references = texts.references
        hypothesis_start = np.zeros(len(references.values), np.int32)
        match_codes = np.full(len(references.values), -1, np.int32)
        needs_search = np.zeros(len(references), np.uint8)
        choice_counts = np.zeros(len(references), np.int64)
        inputs = (
            texts.hypothesis.values,
            texts.hypothesis.offsets,
            references.values,
            references.offsets,
            texts.segment_of,
            classes,
            candidates.columns,
            candidates.offsets,
        )
        max_hypothesis_length = int(texts.hypothesis.lengths.max(initial=0))
        class_count = len(classes)
        run_rows(
            kernel.certain_matches,
            references.offsets,
            *inputs,
            hypothesis_start,
            match_codes,
            needs_search,
            choice_counts,
            scratch=lambda max_length: (
                np.zeros(3 * class_count, np.int32),
                np.empty(2 * max(max_length, max_hypothesis_length), np.int32),
            ),
        )
        beams = self._beams(texts, classes, candidates, needs_search)
        if not self.java:
            beams[(choice_counts > beams) & (choice_counts <= MAX_EXACT_CHOICES)] = (
                MAX_EXACT_CHOICES
            )
        for beam in np.unique(beams).tolist():
            run_rows(
                kernel.match_beam,
                references.offsets,
                *inputs,
                *(beam, int(self.java), hypothesis_start, match_codes),
                np.where(beams == beam, needs_search, 0).astype(np.uint8),
                scratch=lambda max_length: (max_length, max_hypothesis_length),
            )
        return hypothesis_start, match_codes

    def _beams(
        self, texts: Texts, classes: Int32, candidates: MatchCandidates, needs_search: UInt8
    ) -> Int64:
        """Return the beam for each reference row, reduced where the search would take too long."""
        steps = self._steps(texts, classes, candidates, needs_search)
        reduced = np.maximum(self.beam * MAX_SEARCH_STEPS / np.maximum(steps, MAX_SEARCH_STEPS), 1)
        beams = reduced.astype(np.int64)
        reduced_rows = np.flatnonzero(beams < self.beam)
        if len(reduced_rows):
            widths = sorted({int(beams[reduced_rows].min()), int(beams[reduced_rows].max())})
            note(
                f"{counted(len(reduced_rows), 'reference')} of {len(beams)} would take minutes to "
                f"match: a beam of {' to '.join(map(str, widths))} instead of {self.beam}"
            )
            # Notes may be delayed until the search is done; the announcement comes before it.
            announce("matching words", float((steps / self.beam * beams).max()))
        return beams

    def _steps(
        self, texts: Texts, classes: Int32, candidates: MatchCandidates, needs_search: UInt8
    ) -> Float64:
        """Return the maximum number of steps of the search in each row, float64[R].

        Steps are matches tried and bits copied; 0 for rows that cannot reach `MAX_SEARCH_STEPS`.
        """
        lengths = texts.hypothesis.lengths[texts.segment_of]
        word_pairs = lengths * texts.references.lengths.astype(np.float64)
        candidate_counts = np.diff(candidates.offsets)
        max_steps = np.multiply(
            self.beam, word_pairs * (1 + 1 / 64) + candidate_counts, dtype=np.float64
        )
        steps = np.zeros(len(word_pairs))
        for row in np.flatnonzero((needs_search != 0) & (max_steps > MAX_SEARCH_STEPS)).tolist():
            hypothesis_counts, reference_counts = (
                np.bincount(classes[words], minlength=len(classes)).astype(np.float64)
                for words in (texts.hypothesis[texts.segment_of[row]], texts.references[row])
            )
            row_steps = self.beam * (
                float(hypothesis_counts @ reference_counts)
                + float(candidate_counts[row])
                + word_pairs[row] / 64
            )
            steps[row] = row_steps
        return steps

    def _candidates(self, texts: Texts, relations: _Relations) -> MatchCandidates:
        """List the possible matches by synonym and paraphrase."""
        if not relations.synonyms and not relations.paraphrases:
            return empty_candidates(len(texts.references))
        module_index = {module: index for index, module in enumerate(self.modules)}
        return list_candidates(
            texts,
            relations.synonyms,
            module_index.get("synonym", 0),
            relations.paraphrases,
            module_index.get("paraphrase", 0),
            repeated=self.java,
        )

    def _relations(self, vocabulary: Vocabulary) -> _Relations:
        """Return the matches between the words of a vocabulary; the result is cached."""
        return vocabulary.derived(("relations", self.fields), lambda: self._relate(vocabulary))

    def _relate(self, vocabulary: Vocabulary) -> _Relations:
        """Compute the matches between the words of a vocabulary."""
        if "stem" in self.modules:
            classes = stem_classes(vocabulary.words, self.language)
        else:
            classes = np.arange(len(vocabulary), dtype=np.int32)
        return _Relations(
            classes,
            {} if self._synonyms is None else self._synonyms.neighbours(vocabulary.words),
            {} if self._paraphrases is None else self._paraphrases.restricted(vocabulary.words),
        )

    def _fields(self) -> tuple[tuple[str, str], ...]:
        """Return the options that affect matches, as fields of a signature."""
        fields = [("aligner", "+".join(self.modules))]
        if "stem" in self.modules:
            fields += [("stems", self.language), ("snowball", snowball_version())]
        if self._synonyms is not None:
            fields.append(("synonyms", self._synonyms.digest))
        if self._paraphrases is not None:
            fields.append(("paraphrases", self._paraphrases.digest))
        return (*fields, ("beam", str(self.beam)), ("totals", "java" if self.java else "real"))


def as_aligner(aligner: Any) -> Any:
    """Return an aligner unchanged, or build one from a string with its modules.

    Parameters
    ----------
    aligner : str, or an object with `fields` and ``permutations(texts)``
        A string has modules joined by ``+``; their language is English.

    Raises
    ------
    UsageError
        If a module is unknown or needs a resource.

    Examples
    --------
    >>> as_aligner("exact").fields
    (('aligner', 'exact'), ('beam', '40'), ('totals', 'real'))
    """
    if isinstance(aligner, str):
        return MonolingualAligner(modules=aligner.split("+"))
    if not hasattr(aligner, "permutations") or not hasattr(aligner, "fields"):
        raise UsageError(f"{aligner!r} is no aligner: modules such as 'exact+stem' name one")
    return aligner


def _select_modules(
    language: str, modules: Sequence[str] | None, resources: Mapping[str, FilePath | None]
) -> tuple[str, ...]:
    """Return the modules in the order of `MODULES`; check that their resources are given."""
    has_stemmer = STEMMERS[choose("language", language, LANGUAGES)] != ""
    if modules is None:
        is_available = {"exact": True, "stem": has_stemmer} | {
            m: r is not None for m, r in resources.items()
        }
        return tuple(module for module in MODULES if is_available[module])
    if isinstance(modules, str):
        raise UsageError(f"modules are a list of names, not {modules!r}")
    for module in modules:
        choose("modules", module, MODULES)
    if "exact" not in modules:
        raise UsageError("the module 'exact' is always needed")
    if "stem" in modules and not has_stemmer:
        raise UsageError(f"there is no stemmer for the language {language!r}")
    for module, resource in resources.items():
        if module in modules and resource is None:
            raise UsageError(f"the module {module!r} needs a file: give {module}s=")
        if module not in modules and resource is not None:
            raise UsageError(f"{module}s= is given, but the module {module!r} is not chosen")
    return tuple(module for module in MODULES if module in modules)


@dataclass(frozen=True, eq=False)
class Matches:
    """The matches of each reference row with its hypothesis, in arrays over all rows.

    Attributes
    ----------
    start, length : int32[K]
        The words of the reference that each match covers, 0-based; sorted by start in each row.
    hypothesis_start, hypothesis_length : int32[K]
        The words of the hypothesis that each match covers, in the same way.
    module : int32[K]
        The module that found each match: an index into `modules`.
    offsets : int64[R+1]
        Reference row ``r`` has the matches ``offsets[r] .. offsets[r+1]-1``.
    modules : tuple of str
    hypothesis_lengths, reference_lengths : int64[R]
        Words of both sides of each row.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["the cat sat on the mats"], ["on the mat the cats sat"])
    >>> matches = MonolingualAligner().align(texts)
    >>> matches.hypothesis_start.tolist()
    [3, 4, 5, 0, 1, 2]
    >>> [matches.modules[number] for number in matches.module]
    ['exact', 'exact', 'stem', 'exact', 'stem', 'exact']
    >>> matches.chunks().tolist(), matches.permutations().to_lists()
    ([2], [[3, 4, 5, 0, 1, 2]])
    >>> str(matches.alignments()[0])
    '0-3 1-4 2-5 3-0 4-1 5-2'
    """

    start: Int32
    length: Int32
    hypothesis_start: Int32
    hypothesis_length: Int32
    module: Int32
    offsets: Int64
    modules: tuple[str, ...]
    hypothesis_lengths: Int64
    reference_lengths: Int64

    @classmethod
    def concatenate(cls, parts: Sequence[Matches]) -> Matches:
        """Concatenate the matches of several parts; a constant column takes no memory."""

        def concatenated(name: str) -> Any:
            """Return a column of all parts."""
            return np.concatenate([getattr(part, name) for part in parts])

        columns = ("start", "length", "hypothesis_start", "hypothesis_length", "module")
        return cls(
            **{name: _compress_constant(concatenated(name)) for name in columns},
            offsets=concatenate_offsets([part.offsets for part in parts]),
            modules=parts[0].modules,
            hypothesis_lengths=concatenated("hypothesis_lengths"),
            reference_lengths=concatenated("reference_lengths"),
        )

    def part(self, first: int, last: int) -> Matches:
        """Return the matches of the reference rows ``first .. last-1``."""
        offsets = self.offsets[first : last + 1]
        match_slice = slice(*offsets[[0, -1]].tolist())
        return Matches(
            self.start[match_slice],
            self.length[match_slice],
            self.hypothesis_start[match_slice],
            self.hypothesis_length[match_slice],
            self.module[match_slice],
            offsets - offsets[0],
            self.modules,
            self.hypothesis_lengths[first:last],
            self.reference_lengths[first:last],
        )

    def __len__(self) -> int:
        """Return the number of reference rows."""
        return len(self.offsets) - 1

    @property
    def row_of(self) -> Int64:
        """The reference row of each match, int64[K]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def chunks(self) -> Int64:
        """Count the chunks of each row: stretches contiguous and in order on both sides."""
        starts_chunk = np.ones(len(self.start), np.bool_)
        starts_chunk[1:] = self.start[1:] != self.start[:-1] + self.length[:-1]
        ends = self.hypothesis_start[:-1] + self.hypothesis_length[:-1]
        starts_chunk[1:] |= self.hypothesis_start[1:] != ends
        starts_chunk[self.offsets[:-1][np.diff(self.offsets) > 0]] = True
        return self._sums(starts_chunk)

    def covered(self) -> tuple[Int64, Int64]:
        """Count the matched words of each row in the hypothesis, and those in the reference."""
        return self._sums(self.hypothesis_length), self._sums(self.length)

    def permutations(self) -> Ragged:
        """Return the matched words in the order of the hypothesis, as positions in the reference.

        Matches are sorted by hypothesis start; the reference words of a match keep their order.
        Positions count only matched words, from 0.

        Returns
        -------
        Ragged
            R rows, permutations of ``0 .. m-1`` for the ``m`` matched words of the reference.
        """
        rows = self.row_of
        # Matches of a row start at different hypothesis words, so a table by word sorts them.
        row_starts = np.cumsum(self.hypothesis_lengths) - self.hypothesis_lengths
        match_at = np.full(int(self.hypothesis_lengths.sum()), -1, np.int64)
        match_at[row_starts[rows] + self.hypothesis_start] = np.arange(len(rows))
        order = match_at[match_at >= 0]
        words_before = row_offsets(self.length)
        offsets = words_before[self.offsets]
        # The first word of each match, as an index among the matched words of its row.
        ranks = (words_before[:-1] - offsets[rows])[order]
        return Ragged(concat_ranges(ranks, self.length[order]).astype(np.int32), offsets)

    def reference_words(self) -> Ragged:
        """Return the positions of the matched words in each reference, ascending; R rows."""
        offsets = row_offsets(self.length)[self.offsets]
        return Ragged(concat_ranges(self.start, self.length).astype(np.int32), offsets)

    def alignments(self) -> Alignments:
        """Return the links from hypothesis to reference, R rows; all words of a match are linked.

        Links of a row are sorted by hypothesis word.
        """
        counts = self.length.astype(np.int64) * self.hypothesis_length
        link_in_match = concat_ranges(0, counts)
        reference_lengths = np.repeat(self.length, counts)
        source = np.repeat(self.hypothesis_start, counts) + link_in_match // reference_lengths
        target = np.repeat(self.start, counts) + link_in_match % reference_lengths
        rows = np.repeat(self.row_of, counts)
        row_starts = np.cumsum(self.hypothesis_lengths) - self.hypothesis_lengths
        # A stable sort keeps the links of a hypothesis word in the order of the reference.
        order = np.argsort(row_starts[rows] + source, kind="stable")
        links_before = row_offsets(counts)
        return Alignments(
            source[order].astype(np.int32),
            target[order].astype(np.int32),
            links_before[self.offsets],
            source_lengths=self.hypothesis_lengths,
            target_lengths=self.reference_lengths,
        )

    def _sums(self, values: npt.NDArray[np.generic]) -> Int64:
        """Return the sum of a column for each row."""
        return np.diff(row_offsets(values)[self.offsets])


def _compress_constant(column: Int32) -> Int32:
    """Return a column, as a view of one value if all values are the same."""
    is_constant = len(column) > 0 and bool((column == column[0]).all())
    return np.broadcast_to(column[0], len(column)) if is_constant else column
