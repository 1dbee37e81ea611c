"""The monolingual aligner: hypotheses with their references, after METEOR 1.5."""

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

# Steps of the search in one row, some seconds: of longer ones fewer paths are kept.
MOST_STEPS = 1e9

# A sentence pair with no more choices of matches is searched exactly.
EXACT_CHOICES = 300

FilePath = str | os.PathLike[str]

# What the kernels call matches without a candidate.
_EXACT, _STEM = -2, -3


@dataclass(frozen=True, eq=False)
class _Relations:
    """Which words of a vocabulary match which."""

    classes: Int32
    synonyms: Mapping[int, frozenset[int]]
    paraphrases: Mapping[Phrase, Sequence[Phrase]]


class MonolingualAligner:
    """Finds the words of a reference in a hypothesis, each word once.

    What matches is found by modules: equal words ("exact"), words of one stem ("stem"), words of
    one synonym set ("synonym") and phrases that a table gives for each other ("paraphrase"). A
    choice among the matches is better if it covers more words (an exact match counts twice), then
    if it has fewer chunks, then if its distances are smaller (Denkowski & Lavie 2014; METEOR 1.5).
    The best choice is found where words match in at most `EXACT_CHOICES` (300) ways, of those that
    match the largest number of words. Where there are more, and with `java` or where synonyms and
    paraphrases match, a beam is searched, as theirs is: it can miss a choice with fewer chunks.

    Parameters
    ----------
    language : str
        For stems: ``en``, ``de``, ..., those of Snowball; ``other`` for all others.
    modules : sequence of str, optional
        By default ``exact``, ``stem`` if the language has a stemmer, and ``synonym`` and
        ``paraphrase`` if their resources are given.
    synonyms : path, optional
        A WordNet directory or a file of synonym sets (`SynonymSets`).
    paraphrases : path, optional
        A paraphrase table (`ParaphraseTable`).
    beam : int
        How many partial choices are kept where the search is not exact; the time grows with it.
    java : bool
        Add as METEOR 1.5 does, which cuts off halves: a single word that matches by anything but
        itself then counts nothing.

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
        self.modules = _modules(language, modules, resources)
        self.beam = whole_number("a beam", beam, most=(1 << 20) - 1)
        self.java = java
        self._synonyms = None if synonyms is None else SynonymSets(synonyms)
        self._paraphrases = None if paraphrases is None else ParaphraseTable(paraphrases)
        self.fields = self._fields()

    def align(self, texts: Texts) -> Matches:
        """Match each reference with the hypothesis of its segment, once for all that ask."""
        return texts.derived(("matches", self.fields), lambda: self._align(texts))

    def permutations(self, texts: Texts) -> Ragged:
        """Return `Matches.permutations`, R rows."""
        return self.align(texts).permutations()

    def reference_words(self, texts: Texts) -> Ragged:
        """Return `Matches.reference_words`, R rows."""
        return self.align(texts).reference_words()

    def hypothesis_words(self, texts: Texts) -> Int64:
        """Return how many words of the hypothesis match, int64[R]."""
        return self.align(texts).covered()[0]

    def word_classes(self, vocabulary: Vocabulary) -> Int32:
        """Return a number for each word, equal for words that match by form or stem, int32[V]."""
        return self._relations(vocabulary).classes

    def count_listed(self, texts: Texts) -> Int64:
        """Count the matches by synonym or paraphrase alone that each reference word may have.

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
        rows, start, length, place, other_length = distinct
        first = references.offsets[rows] + start
        hypothesis_words = texts.hypothesis.offsets[texts.segment_of[rows]] + place
        hypothesis_numbers, reference_numbers = (
            texts.hypothesis.values[hypothesis_words],
            references.values[first],
        )
        alike = relations.classes[hypothesis_numbers] == relations.classes[reference_numbers]
        new = ~alike | (length > 1) | (other_length > 1)
        return np.bincount(concat_ranges(first[new], length[new]), minlength=len(references.values))

    def alignments(self, texts: Texts) -> Alignments:
        """Return `Matches.alignments`: links from hypothesis to reference, R rows."""
        return self.align(texts).alignments()

    def _align(self, texts: Texts) -> Matches:
        relations = self._relations(texts.vocabulary)
        candidates = self._candidates(texts, relations)
        place, which = self._search(texts, relations.classes, candidates)
        references = texts.references
        matched = np.flatnonzero(which != -1)
        chosen = which[matched]
        offsets = np.searchsorted(matched, references.offsets).astype(np.int64)
        rows = np.repeat(np.arange(len(references)), np.diff(offsets))
        length = np.ones(len(matched), np.int32)
        hypothesis_length = np.ones(len(matched), np.int32)
        module = np.zeros(len(matched), np.int32)
        if "stem" in self.modules:
            module[chosen == _STEM] = self.modules.index("stem")
        from_candidates = np.flatnonzero(chosen >= 0)
        if len(from_candidates):
            numbers = chosen[from_candidates] + candidates.offsets[rows[from_candidates]]
            columns = candidates.columns.reshape(4, -1)
            length[from_candidates] = columns[1][numbers]
            hypothesis_length[from_candidates] = columns[3][numbers]
            module[from_candidates] = candidates.module[numbers]
        return Matches(
            (matched - references.offsets[rows]).astype(np.int32),
            length,
            place[matched],
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
        """Return for each reference word what begins there and where, as the kernels say it."""
        references = texts.references
        place = np.zeros(len(references.values), np.int32)
        which = np.full(len(references.values), -1, np.int32)
        state = np.zeros(len(references), np.uint8)
        choices = np.zeros(len(references), np.int64)
        pair = (
            texts.hypothesis.values,
            texts.hypothesis.offsets,
            references.values,
            references.offsets,
            texts.segment_of,
            classes,
            candidates.columns,
            candidates.offsets,
        )
        width = int(texts.hypothesis.lengths.max(initial=0))
        words = len(classes)
        run_rows(
            kernel.certain_matches,
            references.offsets,
            *pair,
            place,
            which,
            state,
            choices,
            scratch=lambda longest: (
                np.zeros(3 * words, np.int32),
                np.empty(2 * max(longest, width), np.int32),
            ),
        )
        beams = self._beams(texts, classes, candidates, state)
        if not self.java:
            beams[(choices > beams) & (choices <= EXACT_CHOICES)] = EXACT_CHOICES
        for beam in np.unique(beams).tolist():
            run_rows(
                kernel.match_beam,
                references.offsets,
                *pair,
                *(beam, int(self.java), place, which),
                np.where(beams == beam, state, 0).astype(np.uint8),
                scratch=lambda longest: (longest, width),
            )
        return place, which

    def _beams(
        self, texts: Texts, classes: Int32, candidates: MatchCandidates, state: UInt8
    ) -> Int64:
        """Return the beam for each reference row: that of the aligner, unless it takes too long."""
        steps = self._steps(texts, classes, candidates, state)
        narrower = np.maximum(self.beam * MOST_STEPS / np.maximum(steps, MOST_STEPS), 1)
        beams = narrower.astype(np.int64)
        long = np.flatnonzero(beams < self.beam)
        if len(long):
            widths = sorted({int(beams[long].min()), int(beams[long].max())})
            note(
                f"{counted(len(long), 'reference')} of {len(beams)} would take minutes to match: "
                f"a beam of {' to '.join(map(str, widths))} instead of {self.beam}"
            )
            # Notes may be held back until the work is done; that it is slow is printed before.
            announce("matching words", float((steps / self.beam * beams).max()))
        return beams

    def _steps(
        self, texts: Texts, classes: Int32, candidates: MatchCandidates, state: UInt8
    ) -> Float64:
        """Return how many matches the search tries and bits it copies, at most, in each long row.

        0 for rows that are not long.
        """
        lengths = texts.hypothesis.lengths[texts.segment_of]
        pairs = lengths * texts.references.lengths.astype(np.float64)
        candidate_counts = np.diff(candidates.offsets)
        max_steps = np.multiply(
            self.beam, pairs * (1 + 1 / 64) + candidate_counts, dtype=np.float64
        )
        steps = np.zeros(len(pairs))
        for row in np.flatnonzero((state != 0) & (max_steps > MOST_STEPS)).tolist():
            hypothesis_counts, reference_counts = (
                np.bincount(classes[words], minlength=len(classes)).astype(np.float64)
                for words in (texts.hypothesis[texts.segment_of[row]], texts.references[row])
            )
            row_steps = self.beam * (
                float(hypothesis_counts @ reference_counts)
                + float(candidate_counts[row])
                + pairs[row] / 64
            )
            steps[row] = row_steps
        return steps

    def _candidates(self, texts: Texts, relations: _Relations) -> MatchCandidates:
        """List what synonyms and paraphrases match."""
        if not relations.synonyms and not relations.paraphrases:
            return empty_candidates(len(texts.references))
        number = {module: index for index, module in enumerate(self.modules)}
        return list_candidates(
            texts,
            relations.synonyms,
            number.get("synonym", 0),
            relations.paraphrases,
            number.get("paraphrase", 0),
            repeated=self.java,
        )

    def _relations(self, vocabulary: Vocabulary) -> _Relations:
        """Return which words match, worked out once a vocabulary."""
        return vocabulary.derived(("relations", self.fields), lambda: self._relate(vocabulary))

    def _relate(self, vocabulary: Vocabulary) -> _Relations:
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
        """Return what can change a match, as fields of a signature."""
        fields = [("aligner", "+".join(self.modules))]
        if "stem" in self.modules:
            fields += [("stems", self.language), ("snowball", snowball_version())]
        if self._synonyms is not None:
            fields.append(("synonyms", self._synonyms.digest))
        if self._paraphrases is not None:
            fields.append(("paraphrases", self._paraphrases.digest))
        return (*fields, ("beam", str(self.beam)), ("totals", "java" if self.java else "real"))


def as_aligner(aligner: Any) -> Any:
    """Return an aligner as it is, or the one that a text names by its modules.

    Parameters
    ----------
    aligner : str, or an object with `fields` and ``permutations(texts)``
        Modules joined by ``+``; English where they need a language.

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


def _modules(
    language: str, modules: Sequence[str] | None, resources: Mapping[str, FilePath | None]
) -> tuple[str, ...]:
    """Return the modules in their order, each with what it needs."""
    stems = STEMMERS[choose("language", language, LANGUAGES)] != ""
    if modules is None:
        has = {"exact": True, "stem": stems} | {m: r is not None for m, r in resources.items()}
        return tuple(module for module in MODULES if has[module])
    if isinstance(modules, str):
        raise UsageError(f"modules are a list of names, not {modules!r}")
    for module in modules:
        choose("modules", module, MODULES)
    if "exact" not in modules:
        raise UsageError("the module 'exact' is always needed")
    if "stem" in modules and not stems:
        raise UsageError(f"there is no stemmer for the language {language!r}")
    for module, resource in resources.items():
        if module in modules and resource is None:
            raise UsageError(f"the module {module!r} needs a file: give {module}s=")
        if module not in modules and resource is not None:
            raise UsageError(f"{module}s= is given, but the module {module!r} is not chosen")
    return tuple(module for module in MODULES if module in modules)


@dataclass(frozen=True, eq=False)
class Matches:
    """The matches of each reference row with its hypothesis, flat.

    Attributes
    ----------
    start, length : int32[K]
        The words of the reference that each match covers, 0-based; sorted by start in each row.
    hypothesis_start, hypothesis_length : int32[K]
        The words of the hypothesis.
    module : int32[K]
        What matched them: an index into `modules`.
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
        """Concatenate the matches of several parts; columns of one value are small."""

        def joined(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in parts])

        columns = ("start", "length", "hypothesis_start", "hypothesis_length", "module")
        return cls(
            **{name: _of_one_value(joined(name)) for name in columns},
            offsets=concatenate_offsets([part.offsets for part in parts]),
            modules=parts[0].modules,
            hypothesis_lengths=joined("hypothesis_lengths"),
            reference_lengths=joined("reference_lengths"),
        )

    def part(self, first: int, last: int) -> Matches:
        """Return the matches of some reference rows."""
        offsets = self.offsets[first : last + 1]
        span = slice(*offsets[[0, -1]].tolist())
        return Matches(
            self.start[span],
            self.length[span],
            self.hypothesis_start[span],
            self.hypothesis_length[span],
            self.module[span],
            offsets - offsets[0],
            self.modules,
            self.hypothesis_lengths[first:last],
            self.reference_lengths[first:last],
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def row_of(self) -> Int64:
        """The reference row of each match, int64[K]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def chunks(self) -> Int64:
        """Count for each row the stretches that are in one piece and in order on both sides."""
        begins = np.ones(len(self.start), np.bool_)
        begins[1:] = self.start[1:] != self.start[:-1] + self.length[:-1]
        ends = self.hypothesis_start[:-1] + self.hypothesis_length[:-1]
        begins[1:] |= self.hypothesis_start[1:] != ends
        begins[self.offsets[:-1][np.diff(self.offsets) > 0]] = True
        return self._sums(begins)

    def covered(self) -> tuple[Int64, Int64]:
        """Count for each row the words that matches cover, in the hypothesis and the reference."""
        return self._sums(self.hypothesis_length), self._sums(self.length)

    def permutations(self) -> Ragged:
        """Return for the matched words, in the hypothesis's order, their places in the reference's.

        Matches are read in the order of the hypothesis, the reference words of each in their own;
        words that nothing matches are left out on both sides, and the rest is counted from 0.

        Returns
        -------
        Ragged
            R rows, permutations of ``0 .. m-1`` for the ``m`` matched words of the reference.
        """
        rows = self.row_of
        # No two matches of a row begin at one hypothesis word: places in a table sort them.
        bases = np.cumsum(self.hypothesis_lengths) - self.hypothesis_lengths
        table = np.full(int(self.hypothesis_lengths.sum()), -1, np.int64)
        table[bases[rows] + self.hypothesis_start] = np.arange(len(rows))
        order = table[table >= 0]
        words_before = row_offsets(self.length)
        offsets = words_before[self.offsets]
        # The first word of each match, counted among the matched words of its row.
        ranks = (words_before[:-1] - offsets[rows])[order]
        return Ragged(concat_ranges(ranks, self.length[order]).astype(np.int32), offsets)

    def reference_words(self) -> Ragged:
        """Return the positions of the matched words in each reference, rising; R rows."""
        offsets = row_offsets(self.length)[self.offsets]
        return Ragged(concat_ranges(self.start, self.length).astype(np.int32), offsets)

    def alignments(self) -> Alignments:
        """Return the links from hypothesis to reference, R rows; all words of a match are linked.

        Links of a row are sorted by hypothesis word.
        """
        counts = self.length.astype(np.int64) * self.hypothesis_length
        inside = concat_ranges(0, counts)
        widths = np.repeat(self.length, counts)
        source = np.repeat(self.hypothesis_start, counts) + inside // widths
        target = np.repeat(self.start, counts) + inside % widths
        rows = np.repeat(self.row_of, counts)
        bases = np.cumsum(self.hypothesis_lengths) - self.hypothesis_lengths
        # Stable: the links of one hypothesis word keep the order of the reference.
        order = np.argsort(bases[rows] + source, kind="stable")
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


def _of_one_value(column: Int32) -> Int32:
    """Return a column that takes no memory if all of its values are the same."""
    same = len(column) > 0 and bool((column == column[0]).all())
    return np.broadcast_to(column[0], len(column)) if same else column
