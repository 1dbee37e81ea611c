"""One bilingual aligner that links all translations of a source with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.statistical.align import ALIGNERS, load_aligner
from wordorder.arrays import OnProgress
from wordorder.errors import UsageError
from wordorder.messages import counted
from wordorder.notes import note_counts
from wordorder.scoring.files import Counts, Files, SegmentsFactory
from wordorder.segments import Segments
from wordorder.segments.aligned import AlignedReferences, Fields
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.names import read_only_once
from wordorder.text.preparation import Preparation
from wordorder.text.raw_lines import RawLines
from wordorder.text.readers import read_whole
from wordorder.text.texts import Texts


class SourceAligner:
    """Links the words of a source with those of all its translations, by one model.

    Parameters
    ----------
    aligner : StatisticalAligner, or one of another package
    preparation : Preparation
        How lines became the words that are scored.
    case : "keep" or "lower"
        The case of the text that it was trained on.
    fields : tuple of (key, value)
        What signatures say of the aligner.
    names : sequence of str
        What the references and each system are called in messages.
    rule, unaligned : str
        How links become orders, as in `reference_orders`.
    """

    def __init__(
        self,
        aligner: Any,
        preparation: Preparation,
        case: str,
        fields: Fields,
        names: Sequence[str],
        rule: str = "lrscore",
        unaligned: str | None = None,
    ) -> None:
        self._aligner = aligner
        self._preparation = preparation
        self._case = case
        self._fields = fields
        self._rule, self._unaligned = rule, unaligned
        self._names = names
        # How many sentence pairs each has, and how many of them have no link; pieces are linked on
        # several threads.
        self._pairs = [0] * len(names)
        self._without_links = [0] * len(names)
        self._lock = Lock()

    @classmethod
    def of_files(
        cls, files: Files, preparation: Preparation, progress: OnProgress | None = None
    ) -> SourceAligner:
        """Open a saved model, or train one on the source with all references and systems.

        Parameters
        ----------
        files : Files
            `aligner` is the file of a model, or the name of an aligner to be trained.
        preparation : Preparation
        progress : callable, optional
            Told how many sentence pairs the training has worked through, all passes together.

        Raises
        ------
        UsageError
            If a file can be read only once, or words are scored in lower case and the model has
            learned upper and lower case apart.
        ModelError
            If a file is no model.
        InputError
            If a file cannot be read, or two differ in their number of lines.
        """
        name = str(files.aligner)
        how = (["the references", *files.names], files.rule, files.unaligned)
        if not os.path.isfile(name):
            trained = _trained(name, files, preparation, progress)
            fields = (("aligner", name), ("trained", "on these systems"))
            return cls(trained, preparation, "lower", fields, *how)
        aligner = load_aligner(name)
        case = getattr(aligner, "case", "keep")
        if preparation.case == "lower" and case != "lower":
            raise UsageError(f"{name} was trained on text with its case: score without --lowercase")
        fields = (("aligner", str(aligner.name)), ("trained", _digest(name)))
        return cls(aligner, preparation, case, fields, *how)

    def makers(self, systems: Sequence[Texts]) -> list[SegmentsFactory]:
        """Return what makes the segments of each system; the references are aligned once."""
        first = systems[0]
        source, references = _lines(first)[2], _lines(first)[1]
        hypotheses = [_lines(texts)[0] for texts in systems]
        # All at once: to find the words of a text in the model costs more than to link them.
        sources = [source.take(first.segment_of), *[source] * len(systems)]
        targets = RawLines.concatenate([references, *hypotheses])
        links = self._links(RawLines.concatenate(sources), targets)
        bounds = np.cumsum([0, len(references), *map(len, hypotheses)]).tolist()
        theirs, *ours = (links[begin:end] for begin, end in pairwise(bounds))
        with self._lock:
            for number, each in enumerate((theirs, *ours)):
                self._pairs[number] += len(each)
                without = np.count_nonzero(np.diff(each.offsets) == 0)
                self._without_links[number] += int(without)
        shared = AlignedReferences.of_rows(
            first, theirs, rule=self._rule, unaligned=self._unaligned, fields=self._fields
        )
        pairs = zip(systems, ours, strict=True)
        return [partial(Segments.beside, shared, texts, each) for texts, each in pairs]

    @property
    def counts(self) -> Counts:
        """Sentence pairs of the references and of each system, and those without a link."""
        return list(zip(self._names, self._pairs, self._without_links, strict=True))

    def _links(self, source: RawLines, target: RawLines) -> Alignments:
        cut = self._preparation.tokens
        links: Alignments = self._aligner.align(
            *(_as_trained(cut(lines), self._case) for lines in (source, target))
        )
        return links


def note_without_links(counts: Counts) -> None:
    """Say of how many sentence pairs a model has linked no word."""
    # Of several references there are more pairs than of a system.
    for these, what in ((counts[:1], "text"), (counts[1:], "system")):
        found = [(name, without) for name, _, without in these]
        said = f"no link in {{}} of {counted(these[-1][1], 'sentence pair')}"
        note_counts(found, said, what)


def _trained(name: str, files: Files, preparation: Preparation, progress: OnProgress | None) -> Any:
    """Train a model on all pairs of source and translation, without their case."""
    paths = [str(files.source), files.reference, *files.references, *files.system_paths]
    if any(read_only_once(path) for path in paths if path not in files.held):
        raise UsageError(f"--aligner={name} reads all translations twice: they must be files")
    sides: list[RawLines] = []
    for path in paths:
        lines = files.held[path] if path in files.held else read_whole(path, files.kind)
        if sides and len(lines) != len(sides[0]):
            raise line_count_mismatch(paths[0], len(sides[0]), path, len(lines))
        sides.append(_as_trained(preparation.tokens(preparation.normal(lines)), "lower"))
    source, *targets = sides
    sources = RawLines.concatenate([source] * len(targets))
    return ALIGNERS.load(name).train(sources, RawLines.concatenate(targets), progress=progress)


def _digest(path: str) -> str:
    """Return what tells a model from others."""
    with open(path, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()[:8]


def _as_trained(words: RawLines, case: str) -> RawLines:
    return Preparation(case=case).normal(words)


def _lines(texts: Texts) -> tuple[RawLines, RawLines, RawLines]:
    """Return the lines of hypothesis, references and source."""
    assert texts.lines is not None
    hypothesis, references, source = texts.lines
    assert source is not None
    return hypothesis, references, source
