"""The monolingual aligner: hypotheses with their references, after METEOR 1.5."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.monolingual.candidates import (
    Candidates,
    list_candidates,
    no_candidates,
)
from wordorder.alignment.monolingual.languages import MODULES, language_modules
from wordorder.alignment.monolingual.matches import Matches
from wordorder.alignment.monolingual.paraphrases import ParaphraseTable, Phrase
from wordorder.alignment.monolingual.stems import snowball_version, stem_classes
from wordorder.alignment.monolingual.synonyms import SynonymSets
from wordorder.counts import counted
from wordorder.errors import UsageError, choose
from wordorder.kernels import certain_matches as certain
from wordorder.kernels import match_beam as beam_search
from wordorder.kernels._run import announce, run_rows
from wordorder.notes import note
from wordorder.ragged import Ragged
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary
from wordorder.types import Float64, Int32, Int64, UInt8

# Steps of the search in one row, some seconds: of longer ones fewer paths are kept.
MOST_STEPS = 1e9

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
    one synonym set ("synonym") and phrases that a table gives for each other ("paraphrase"). Of all
    ways to choose among the matches the one is taken that covers most words (an exact match
    counts twice), then the one with fewest chunks, then the one with the smallest distances
    (Denkowski & Lavie 2014; METEOR 1.5).

    Parameters
    ----------
    language : str
        As METEOR names it, for stems: ``en``, ``de``, ...; ``other`` for all that it does not know.
    modules : sequence of str, optional
        By default ``exact``, ``stem`` if the language has a stemmer, and ``synonym`` and
        ``paraphrase`` if their resources are given.
    synonyms : path, optional
        A WordNet directory or a file of synonym sets (`SynonymSets`).
    paraphrases : path, optional
        A paraphrase table (`ParaphraseTable`).
    beam : int
        How many partial choices are kept.
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
        if isinstance(beam, bool) or not isinstance(beam, int) or not 0 < beam < 1 << 20:
            raise UsageError(f"a beam is a whole number of at least 1, not {beam!r}")
        self.beam = beam
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

    def hypothesis_words(self, texts: Texts) -> Int64:
        """Return how many words of the hypothesis match, int64[R]."""
        return self.align(texts).covered()[0]

    def alignments(self, texts: Texts) -> Alignments:
        """Return `Matches.alignments`: links from hypothesis to reference, R rows."""
        return self.align(texts).alignments()

    def _align(self, texts: Texts) -> Matches:
        relations = self._relations(texts.vocabulary)
        candidates = self._candidates(texts, relations)
        place, which = self._search(texts, relations.classes, candidates)
        references = texts.references
        at = np.flatnonzero(which != -1)
        chosen = which[at]
        offsets = np.searchsorted(at, references.offsets).astype(np.int64)
        rows = np.repeat(np.arange(len(references)), np.diff(offsets))
        length = np.ones(len(at), np.int32)
        hypothesis_length = np.ones(len(at), np.int32)
        module = np.zeros(len(at), np.int32)
        if "stem" in self.modules:
            module[chosen == _STEM] = self.modules.index("stem")
        listed = np.flatnonzero(chosen >= 0)
        if len(listed):
            numbers = chosen[listed] + candidates.offsets[rows[listed]]
            columns = candidates.columns.reshape(4, -1)
            length[listed] = columns[1][numbers]
            hypothesis_length[listed] = columns[3][numbers]
            module[listed] = candidates.module[numbers]
        return Matches(
            (at - references.offsets[rows]).astype(np.int32),
            length,
            place[at],
            hypothesis_length,
            module,
            offsets,
            self.modules,
            texts.hypothesis.lengths[texts.segment_of],
            references.lengths,
        )

    def _search(self, texts: Texts, classes: Int32, candidates: Candidates) -> tuple[Int32, Int32]:
        """Return for each reference word what begins there and where, as the kernels say it."""
        references = texts.references
        place = np.zeros(len(references.values), np.int32)
        which = np.full(len(references.values), -1, np.int32)
        state = np.zeros(len(references), np.uint8)
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
            certain.certain_matches,
            references.offsets,
            *pair,
            place,
            which,
            state,
            scratch=lambda longest: (
                np.zeros(3 * words, np.int32),
                np.empty(2 * max(longest, width), np.int32),
            ),
        )
        beams = self._beams(texts, classes, candidates, state)
        for beam in np.unique(beams).tolist():
            run_rows(
                beam_search.match_beam,
                references.offsets,
                *pair,
                beam,
                int(self.java),
                place,
                which,
                np.where(beams == beam, state, 0).astype(np.uint8),
                scratch=lambda longest: (longest, width),
            )
        return place, which

    def _beams(self, texts: Texts, classes: Int32, candidates: Candidates, state: UInt8) -> Int64:
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
            # Notes may be held back until the work is done; what is slow still is said before.
            announce("matching words", float((steps / self.beam * beams).max()))
        return beams

    def _steps(
        self,
        texts: Texts,
        classes: Int32,
        candidates: Candidates,
        state: UInt8,
    ) -> Float64:
        """Return how many matches the search tries and bits it copies, at most, in each long row.

        0 for rows that are not long.
        """
        lengths = texts.hypothesis.lengths[texts.segment_of]
        pairs = lengths * texts.references.lengths.astype(np.float64)
        listed = np.diff(candidates.offsets)
        most = np.multiply(self.beam, pairs * (1 + 1 / 64) + listed, dtype=np.float64)
        steps = np.zeros(len(pairs))
        for row in np.flatnonzero((state != 0) & (most > MOST_STEPS)).tolist():
            ours, theirs = (
                np.bincount(classes[words], minlength=len(classes)).astype(np.float64)
                for words in (texts.hypothesis[texts.segment_of[row]], texts.references[row])
            )
            tried = self.beam * (float(ours @ theirs) + float(listed[row]) + pairs[row] / 64)
            steps[row] = tried
        return steps

    def _candidates(self, texts: Texts, relations: _Relations) -> Candidates:
        """List what synonyms and paraphrases match."""
        if not relations.synonyms and not relations.paraphrases:
            return no_candidates(len(texts.references))
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
        key = ("relations", self.fields)
        return vocabulary.derived(key, lambda: self._relate(vocabulary))

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
    stems = "stem" in language_modules(language)
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
