"""Alignment of a source with all its translations by one bilingual aligner."""

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
from wordorder.segments.aligned import AlignedReferences, SignatureFields
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
    aligner : StatisticalAligner, or an aligner of another package
    preparation : Preparation
        The preparation of the lines that are scored.
    case : "keep" or "lower"
        The case of the aligner's training text.
    fields : tuple of (key, value)
        The fields of signatures about the aligner.
    names : sequence of str
        Names of the references (one name) and of each system in messages.
    rule, unaligned : str
        How links become orders; see `reference_orders`.
    """

    def __init__(
        self,
        aligner: Any,
        preparation: Preparation,
        case: str,
        fields: SignatureFields,
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
        # Numbers of sentence pairs, and of those without a link, by name; several threads add to
        # them.
        self._pairs = [0] * len(names)
        self._unlinked_pairs = [0] * len(names)
        self._lock = Lock()

    @classmethod
    def of_files(
        cls, files: Files, preparation: Preparation, progress: OnProgress | None = None
    ) -> SourceAligner:
        """Load a saved model, or train one on the source with all references and systems.

        Parameters
        ----------
        files : Files
            `aligner` is the file of a model, or the name of an aligner to be trained.
        preparation : Preparation
        progress : callable, optional
            Called with the number of sentence pairs processed in all passes of the training.

        Raises
        ------
        UsageError
            If a file can be read only once, or ``lowercase`` is set and the model distinguishes
            case.
        ModelError
            If the file is not a model.
        InputError
            If a file cannot be read, or two differ in their number of lines.
        """
        name = str(files.aligner)
        options = (["the references", *files.names], files.rule, files.unaligned)
        if not os.path.isfile(name):
            trained = _train_aligner(name, files, preparation, progress)
            fields = (("aligner", name), ("trained", "on these systems"))
            return cls(trained, preparation, "lower", fields, *options)
        aligner = load_aligner(name)
        case = getattr(aligner, "case", "keep")
        if preparation.case == "lower" and case != "lower":
            raise UsageError(f"{name} was trained on text with its case: score without --lowercase")
        fields = (("aligner", str(aligner.name)), ("trained", _digest(name)))
        return cls(aligner, preparation, case, fields, *options)

    def segments_factories(self, systems: Sequence[Texts]) -> list[SegmentsFactory]:
        """Return one function per system that builds its segments; references are aligned once."""
        first = systems[0]
        _, references, source = _lines(first)
        hypotheses = [_lines(texts)[0] for texts in systems]
        # In one batch: looking up the words of a text in the model takes longer than aligning.
        sources = [source.take(first.segment_of), *[source] * len(systems)]
        targets = RawLines.concatenate([references, *hypotheses])
        links = self._align(RawLines.concatenate(sources), targets)
        bounds = np.cumsum([0, len(references), *map(len, hypotheses)]).tolist()
        parts = [links[start:end] for start, end in pairwise(bounds)]
        with self._lock:
            for index, part in enumerate(parts):
                self._pairs[index] += len(part)
                self._unlinked_pairs[index] += int(np.count_nonzero(np.diff(part.offsets) == 0))
        aligned_references = AlignedReferences.from_rows(
            first, parts[0], rule=self._rule, unaligned=self._unaligned, fields=self._fields
        )
        return [
            partial(Segments.from_aligned, aligned_references, texts, part)
            for texts, part in zip(systems, parts[1:], strict=True)
        ]

    @property
    def counts(self) -> Counts:
        """Numbers of sentence pairs, and of pairs without a link: references, then each system."""
        return list(zip(self._names, self._pairs, self._unlinked_pairs, strict=True))

    def _align(self, source: RawLines, target: RawLines) -> Alignments:
        tokenize = self._preparation.tokens
        links: Alignments = self._aligner.align(
            *(_change_case(tokenize(lines), self._case) for lines in (source, target))
        )
        return links


def note_without_links(counts: Counts) -> None:
    """Note the number of sentence pairs for which the aligner found no link."""
    # With several references, they have more sentence pairs than a system.
    for rows, noun in ((counts[:1], "text"), (counts[1:], "system")):
        message = f"no link in {{}} of {counted(rows[-1][1], 'sentence pair')}"
        note_counts([(name, unlinked) for name, _, unlinked in rows], message, noun)


def _train_aligner(
    name: str, files: Files, preparation: Preparation, progress: OnProgress | None
) -> Any:
    """Train an aligner on all pairs of source and translation, in lower case."""
    paths = [str(files.source), files.reference, *files.references, *files.system_paths]
    if any(read_only_once(path) for path in paths if path not in files.held):
        raise UsageError(f"--aligner={name} reads all translations twice: they must be files")
    texts: list[RawLines] = []
    for path in paths:
        lines = files.held[path] if path in files.held else read_whole(path, files.kind)
        if texts and len(lines) != len(texts[0]):
            raise line_count_mismatch(paths[0], len(texts[0]), path, len(lines))
        texts.append(_change_case(preparation.tokens(preparation.normal(lines)), "lower"))
    source, *targets = texts
    sources = RawLines.concatenate([source] * len(targets))
    return ALIGNERS.load(name).train(sources, RawLines.concatenate(targets), progress=progress)


def _digest(path: str) -> str:
    """Return eight hexadecimal digits of the hash of a file."""
    with open(path, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()[:8]


def _change_case(words: RawLines, case: str) -> RawLines:
    return Preparation(case=case).normal(words)


def _lines(texts: Texts) -> tuple[RawLines, RawLines, RawLines]:
    """Return the lines of hypothesis, references and source."""
    assert texts.lines is not None
    hypothesis, references, source = texts.lines
    assert source is not None
    return hypothesis, references, source
